# Draws mutations: of the source files given, COUNT changed lines, one per line:
# file, line number, operator, the line as it would stand, with tabs between. The same SEED draws the
# same lines of the same sources.
#
#     awk -v seed=1 -v count=100 -f tools/mutations.awk FILE...
#
# Operators: boundary (< and <=), off-by-one (+ 1 away, ++ twice), negated (a condition, == and !=,
# && and ||), dropped (a whole statement), counter (another statistic of the file), constant (a
# number one higher, true and false).

# Park and Miller's generator: the same numbers from every awk.
function draw(below) {
    state = (state * 16807) % 2147483647
    return state % below
}

# The text with the first match of `what`, from character `from` on, replaced; "" without a match.
function swapped(text, from, what, with,    rest) {
    rest = substr(text, from)
    if (!match(rest, what)) return ""
    return substr(text, 1, from - 1) substr(rest, 1, RSTART - 1) with substr(rest, RSTART + RLENGTH)
}

function offer(operator, text) {
    if (text == "" || text == line) return
    operators[++offers] = operator
    texts[offers] = text
}

function offer_swap(operator, what, with) { offer(operator, swapped(line, 1, what, with)) }

function offer_negation(    at, depth, i, c) {
    if (!match(line, /(if|while) \(/)) return
    at = RSTART + RLENGTH
    depth = 1
    for (i = at; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "(") depth++
        if (c == ")" && --depth == 0) {
            offer("negated", substr(line, 1, at - 1) "!(" substr(line, at, i - at) ")" substr(line, i))
            return
        }
    }
}

function offer_counter(file,    name, other) {
    if (!match(line, /stats(\.|->)[a-z_0-9]+/) || counters[file] < 2) return
    name = substr(line, RSTART, RLENGTH)
    sub(/^stats(\.|->)/, "", name)
    do other = counter[file, draw(counters[file])]; while (other == name)
    offer("counter", swapped(line, RSTART + RLENGTH - length(name), name, other))
}

function offer_constant(    from, number, before) {
    for (from = 1; match(substr(line, from), /[0-9]+/); from += RSTART + RLENGTH - 1) {
        before = substr(line, from + RSTART - 2, 1)
        number = substr(line, from + RSTART - 1, RLENGTH)
        if (from + RSTART - 2 == 0 || before !~ /[A-Za-z_0-9.]/) {
            if (substr(line, from + RSTART - 1 + RLENGTH, 1) !~ /[x.]/)
                offer("constant", substr(line, 1, from + RSTART - 2) (number + 1) \
                    substr(line, from + RSTART - 1 + RLENGTH))
        }
    }
}

function collect(file, number) {
    line = source[file, number]
    offers = 0
    offer_swap("boundary", " < ", " <= ")
    offer_swap("boundary", " <= ", " < ")
    offer_swap("boundary", " > ", " >= ")
    offer_swap("boundary", " >= ", " > ")
    offer_swap("off-by-one", " [+-] 1([^0-9]|$)", substr(line, match(line, / [+-] 1([^0-9]|$)/) + 4, 1))
    offer_swap("off-by-one", "\\+\\+;", " += 2;")
    offer_negation()
    offer_swap("negated", " == ", " != ")
    offer_swap("negated", " != ", " == ")
    offer_swap("negated", " && ", " || ")
    offer_swap("negated", " \\|\\| ", " && ")
    if (line ~ /^ +[a-z][a-z_0-9.>\[\]-]*( [-+|&*]?=|\(|\+\+;).*;$/ && line !~ /^ +(return|break|BUG)/)
        offer("dropped", substr(line, 1, match(line, /[^ ]/) - 1) ";")
    offer_counter(file)
    offer_constant()
    offer_swap("constant", "true;", "false;")
    offer_swap("constant", "false;", "true;")
}

FNR == 1 { in_comment = 0; in_function = 0 }
{
    source[FILENAME, FNR] = $0
    text = $0
    while (match(text, /stats(\.|->)[a-z_0-9]+/)) {
        name = substr(text, RSTART, RLENGTH)
        sub(/^stats(\.|->)/, "", name)
        if (!((FILENAME, name) in known)) {
            known[FILENAME, name] = 1
            counter[FILENAME, counters[FILENAME]++ + 0] = name
        }
        text = substr(text, RSTART + RLENGTH)
    }
}
/^\{/ { in_function = 1 }
/^\}/ { in_function = 0 }
/\/\*/ { in_comment = 1 }
in_function && !in_comment && !/^#/ && !/"/ && !/BUG\(/ {
    file_of[lines] = FILENAME
    number_of[lines++] = FNR
}
/\*\// { in_comment = 0 }

END {
    state = seed * 2654435 % 2147483646 + 1
    for (i = 0; i < 10; i++) draw(2)
    while (drawn < count && tries++ < 1000 * count) {
        i = draw(lines)
        if (taken[i]) continue
        collect(file_of[i], number_of[i])
        if (!offers) continue
        taken[i] = 1
        pick = draw(offers) + 1
        printf "%s\t%d\t%s\t%s\n", file_of[i], number_of[i], operators[pick], texts[pick]
        drawn++
    }
}
