#!/bin/sh
# Writes the completions of a shell to standard output, from the texts of --help and the tables of
# parameters.
#
#     tools/completions.sh build/aetius bash|zsh|fish
set -eu
aetius=$1
shell=$2
# Wide lines: each option is one line.
unset COLUMNS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lists=$work/lists
# The program finds the presets relative to itself. Its build folder can be outside this tree.
mkdir "$work/build"
cp "$aetius" "$work/build/aetius"
ln -s "$(cd "$(dirname "$0")/.." && pwd)/configs" "$work/configs"
aetius=$work/build/aetius
ini=$("$aetius" params --ini)

# options COMMAND SUBCOMMAND: prints "O COMMAND SUBCOMMAND LETTER NAME PLACEHOLDER KIND HELP", separated by tabs.
# Absent fields are "-". KIND is flag, value or optional.
options() {
    subcommand=$2
    [ "$2" != - ] || subcommand=
    # shellcheck disable=SC2086  # an empty subcommand is no argument
    "$aetius" "$1" $subcommand --help | awk -v command="$1" -v subcommand="$2" -v OFS='\t' '
        list && match($0, /[^ ]  +/) {
            left = substr($0, 1, RSTART); help = substr($0, RSTART + RLENGTH)
            sub(/^ +/, "", left)
            letter = "-"
            if (left ~ /^-[a-z],/) { letter = substr(left, 2, 1); sub(/^-[a-z], /, "", left) }
            kind = left ~ /\[=/ ? "optional" : left ~ / / ? "value" : "flag"
            split(left, words, /\[=| /)
            sub(/\]$/, "", words[2])
            print "O", command, subcommand, letter, substr(words[1], 3), kind == "flag" ? "-" : words[2], kind, help
        }
        $0 == "options:" { list = 1 }
        list && !NF { exit }'
}

table() {
    "$aetius" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/C\t\1\t\2/p'
    for name in $("$aetius" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        options "$name" -
        "$aetius" "$name" --help | sed -n "s/^  $name \([a-z-]*\) .*  \(.*\)/S\t$name\t\1\t\2/p"
        for part in $("$aetius" "$name" --help | sed -n "s/^  $name \([a-z-]*\) .*/\1/p"); do
            options "$name" "$part"
        done
    done
}
presets=$("$aetius" sim --help | sed -n 's/.*GPU preset: //p' | sed 's/ (default)//; s/,//g')
parameters=$(echo "$ini" | awk -F' *=' '
    /^\[/ { section = substr($1, 2, index($1, "]") - 2) } /^[A-Z][A-Za-z0-9]* *=/ { printf "%s%s.%s=", before, section, $1; before = " " }')

# The lists of commands and options keep the order of --help: keys[1..count].
case $shell in
bash)
    table | awk -F'\t' '
        $1 == "C" { commands = commands " " $2 }
        $1 == "S" { if (!($2 in parts)) parents[++parent_count] = $2
                    parts[$2] = parts[$2] " " $3 }
        $1 == "O" {
            key = $3 == "-" ? "\"" $2 " \"*" : "\"" $2 " " $3 "\""
            if (!(key in names)) keys[++count] = key
            option = " --" $5 ($4 == "-" ? "" : " -" $4)
            names[key] = names[key] option
            if ($7 == "value") values[key] = values[key] option
        }
        function put(key) {
            printf "    %s)\n        options=\"%s\"\n        values=\"%s\"\n        ;;\n", key, substr(names[key], 2),
                substr(values[key], 2)
        }
        END {
            print "    local commands=\"" substr(commands, 2) "\" subcommands= options= values="
            print "    case \"${COMP_WORDS[1]}\" in"
            for (i = 1; i <= parent_count; i++)
                print "    " parents[i] ") subcommands=\"" substr(parts[parents[i]], 2) "\" ;;"
            print "    esac\n    case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in"
            for (i = 1; i <= count; i++) if (keys[i] !~ /\*$/) put(keys[i])
            for (i = 1; i <= count; i++) if (keys[i] ~ /\*$/) put(keys[i])
            print "    esac"
        }' >"$lists"
    cat <<END
# Completions of aetius for bash; made by tools/completions.sh.
_aetius() {
    local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
$(cat "$lists")
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=(\$(compgen -W "\$commands --help --version" -- "\$word"))
    elif [[ \$before == --preset ]]; then
        COMPREPLY=(\$(compgen -W "$presets" -- "\$word"))
    elif [[ \$before == --set ]]; then
        compopt -o nospace
        COMPREPLY=(\$(compgen -W "$parameters" -- "\$word"))
    elif [[ \$word == -* && " \$values " != *" \$before "* ]]; then
        COMPREPLY=(\$(compgen -W "\$options" -- "\$word"))
    else
        ((COMP_CWORD > 2)) || COMPREPLY=(\$(compgen -W "\$subcommands" -- "\$word"))
        compopt -o filenames
        mapfile -t -O \${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "\$word")
    fi
}
complete -F _aetius aetius
END
    ;;
zsh)
    table | awk -F'\t' '
        function quoted(text) { gsub(/\047/, "\047\\\\\047\047", text); return "\047" text "\047" }
        function plain(text) { gsub(/\\|:|\[|\]/, "\\\\&", text); return text }
        function argument(placeholder) {
            return plain(placeholder) ":" ($5 == "preset" ? "($presets)" : $5 == "set" ? "($parameters)" : "_files")
        }
        $1 == "C" { commands = commands "\n        " quoted($2 ":" plain($3)) }
        $1 == "S" { if (!($2 in parts)) parents[++parent_count] = $2
                    parts[$2] = parts[$2] "\n            " quoted($3 ":" plain($4)) }
        $1 == "O" {
            key = $3 == "-" ? "\"" $2 " \"*" : "\"" $2 " " $3 "\""
            if (!(key in lines)) keys[++count] = key
            help = "[" plain($8) "]"
            value = $7 == "flag" ? help : $7 == "value" ? help ":" argument($6) : "=-" help "::" argument($6)
            # The lists of values are variables, so their options are in double quotes.
            if ($5 == "preset" || $5 == "set") line = "\"" ($5 == "set" ? "*" : "") "--" $5 value "\""
            else if ($8 ~ /may be repeated/) line = quoted("*--" $5 value)
            else if ($4 == "-") line = quoted("--" $5 value)
            else line = quoted("(-" $4 " --" $5 ")") "{-" $4 ",--" $5 "}" quoted(value)
            lines[key] = lines[key] line " \\\n            "
        }
        function put(key) {
            printf "    %s)\n        _arguments -s \\\n            %s%s\n        ;;\n", key, lines[key],
                quoted("*:file:_files")
        }
        END {
            print "    commands=(" commands "\n    )\n    case $words[2] in"
            for (i = 1; i <= parent_count; i++)
                print "    " parents[i] ")\n        subcommands=(" parts[parents[i]] "\n        )\n        ;;"
            print "    esac"
            print "    if ((CURRENT == 2)); then\n        _describe -t commands command commands\n        return\n    fi"
            print "    if ((CURRENT == 3 && $#subcommands)); then"
            print "        _describe -t subcommands subcommand subcommands\n    fi"
            print "    place=\"$words[2] $words[3]\"\n    shift words\n    ((CURRENT--))\n    case $place in"
            for (i = 1; i <= count; i++) if (keys[i] !~ /\*$/) put(keys[i])
            for (i = 1; i <= count; i++) if (keys[i] ~ /\*$/) put(keys[i])
            print "    esac"
        }' >"$lists"
    cat <<END
#compdef aetius
# Completions of aetius for zsh; made by tools/completions.sh.
_aetius() {
    local place presets="$presets"
    local parameters="$parameters"
    local -a commands subcommands
$(cat "$lists")
}
_aetius "\$@"
END
    ;;
fish)
    echo "# Completions of aetius for fish; made by tools/completions.sh."
    echo "set -l presets $presets"
    echo "set -l parameters $parameters"
    table | awk -F'\t' '
        function quoted(text) { gsub(/[\\\047]/, "\\\\&", text); return "\047" text "\047" }
        $1 == "C" { print "complete -c aetius -n __fish_use_subcommand -f -a " $2 " -d " quoted($3) }
        $1 == "S" { print "complete -c aetius -n " quoted("__fish_seen_subcommand_from " $2) " -a " $3 " -d " quoted($4) }
        $1 == "O" {
            place = "__fish_seen_subcommand_from " $2
            if ($3 != "-") place = place "; and __fish_seen_subcommand_from " $3
            printf "complete -c aetius -n %s%s -l %s%s%s -d %s\n", quoted(place), $4 == "-" ? "" : " -s " $4, $5,
                $7 == "value" ? " -r" : "",
                $5 == "preset" ? " -f -a \"$presets\"" : $5 == "set" ? " -f -a \"$parameters\"" : "", quoted($8)
        }'
    ;;
*)
    echo "completions.sh: unknown shell $shell" >&2
    exit 2
    ;;
esac
