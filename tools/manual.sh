#!/bin/sh
# Writes a manual page to standard output, from the text of --help: aetius(1), or aetius-COMMAND(1) with the
# subcommands of COMMAND.
#
#     tools/manual.sh build/aetius VERSION [COMMAND]
set -eu
aetius=$1
version=$2
name=${3:-}
# Wide lines: each option is one line.
unset COLUMNS

# section LEVEL: formats the help text on standard input. LEVEL is SH, or SS for a subcommand.
section() {
    awk -v level="$1" '
        function text(line) {
            gsub(/\\/, "\\e", line); gsub(/-/, "\\-", line)
            gsub(/\047/, "\\(aq", line); gsub(/`/, "\\(ga", line)
            sub(/^\./, "\\\\\\&.", line)
            return line
        }
        # Indented lines keep their line ends, until this function.
        function fill() { if (kept) print ".fi\n.RE"; kept = 0 }
        /^usage: / {
            sub(/^usage: /, "")
            command = level == "SS" && match($0, /^aetius [a-z]+ [a-z-]+/) ? substr($0, 1, RLENGTH) : $1 " " $2
            if (level == "SS") print ".SS " text(command)
            else print ".SH SYNOPSIS"
            print ".B " text(command) "\n" text(substr($0, length(command) + 2))
            print (level == "SS" ? ".PP" : ".SH DESCRIPTION")
            getline
            next
        }
        $0 == "options:" || $0 == "commands:" {
            fill()
            if (level == "SH") print ".SH " toupper(substr($0, 1, length($0) - 1))
            part = "list"
            next
        }
        part == "list" && NF {
            match($0, /[^ ]  +/)
            left = substr($0, 1, RSTART); help = substr($0, RSTART + RLENGTH)
            sub(/^ +/, "", left)
            if (left ~ /--help$/ && level == "SS") next
            if (left !~ /^-/) left = "aetius-" left
            print ".TP\n.B " text(left) "\n" text(help)
            next
        }
        part == "list" { part = "end"; next }
        part == "end" { last = last (last == "" ? "" : " ") $0; next }
        !NF { fill(); print ".PP"; next }
        /^ / {
            if (!kept) print ".RS 4\n.nf"
            kept = 1
            print text(substr($0, match($0, /[^ ]/)))
            next
        }
        {
            fill()
            if ($0 ~ /^[a-z-]+: / || (ended ~ /[.?]$/ && length(ended) < 60)) print ".br"
            print text($0)
            ended = $0
        }
        END {
            at = index(last, "Exit status: ")
            if (level != "SH") exit
            if (at > 1) print ".PP\n" text(substr(last, 1, at - 2))
            last = substr(last, at + length("Exit status: "))
            print ".SH EXIT STATUS\n" text(last) (last ~ /\.$/ ? "" : ".")
        }'
}

summary() { "$aetius" --help | sed -n "/^commands:/,/^$/s/^  $1 *\(.*\)/\1/p"; }

if [ -z "$name" ]; then
    printf '.TH AETIUS 1 "" "aetius %s" "Aetius"\n.ad l\n.nh\n.SH NAME\n' "$version"
    printf '%s\n' 'aetius \- run OpenGL programs on a simulated GPU'
    "$aetius" --help | section SH
    exit
fi
printf '.TH AETIUS-%s 1 "" "aetius %s" "Aetius"\n.ad l\n.nh\n.SH NAME\n' "$(echo "$name" | tr '[:lower:]' '[:upper:]')" "$version"
printf 'aetius\\-%s \\- %s\n' "$name" "$(summary "$name")"
"$aetius" "$name" --help | section SH
parts=$("$aetius" "$name" --help | sed -n "s/^  $name \([a-z-]*\) .*/\1/p")
[ -z "$parts" ] || echo '.SH SUBCOMMANDS'
for part in $parts; do
    "$aetius" "$name" "$part" --help | section SS
done
printf '.SH SEE ALSO\n.BR aetius (1)\n'
