#!/bin/sh
# Checks the commands of docs/guide.md, docs/gpu-cost.yml and README.md. Every option must be in the
# command's --help. The guide's commands that need only a trace then run on small traces of the tree, and must
# succeed. Prints each faulty command; fails if there is one.
#
#     tools/guide-commands.sh build/aetius FOLDER
#
# FOLDER gets the files of the commands.
set -eu
cd "$(dirname "$0")/.."
aetius=$(realpath "$1")
root=$PWD
rm -rf "$2"
mkdir -p "$2"
cd "$2"

# commands_of PAGE: prints the commands of the indented blocks, one per line. A command continues after a
# backslash, until its quotes are closed, and on lines that begin with an option.
commands_of() {
    awk -v quote='["\047]' '
        function finish() { if (command != "") print command; command = "" }
        { line = $0; sub(/^ +(-? ?run: )?(\$ )?/, "", line); sub(/^build\//, "", line); sub(/ +#.*/, "", line) }
        continues || (command != "" && line ~ /^--/) { command = command " " line }
        !continues && line !~ /^--/ { finish() }
        !continues && /^ / && line ~ /^aetius / { command = line }
        { marks = command; continues = sub(/ *\\$/, "", command) || gsub(quote, "&", marks) % 2 }
        END { finish() }' "$1"
}

commands_of "$root/docs/guide.md" >commands
{
    commands_of "$root/README.md"
    commands_of "$root/docs/gpu-cost.yml"
    cat "$root/docs/guide.md" "$root/README.md" | tr '\n' ' ' | grep -o '`aetius [^`]*`' | tr -d "\`" |
        grep -v "^aetius \(COMMAND \)*--\(help\|version\)"
} >other-commands
awk '/^    \[sweep\]/ { plan = 1 } plan && /^[^ ]/ { exit } plan { sub(/^    /, ""); print }' \
    "$root/docs/guide.md" >caches.ini

status=0
fault() {
    echo "$command: $1"
    status=1
}

# check_options COMMAND...: words after "--" belong to the captured program
check_options() {
    name=$2
    case $name\ ${3:-} in "sweep "[!-]*.ini | "show "*) ;; "sweep "* | "model "*) name="$2 ${3:-}" ;; esac
    # shellcheck disable=SC2086  # command and subcommand
    "$aetius" $name --help >help 2>&1 || fault "there is no command $name"
    for word; do
        case $word in
        --) break ;;
        --*) grep -qE -- "^ .*${word%%=*}( |\[|\$)" help || fault "--help lacks ${word%%=*}" ;;
        -?) grep -qE -- "^ *$word, --" help || fault "--help lacks $word" ;;
        esac
    done
}

check_options_of() { eval "check_options $(echo "$1" | sed 's/ [&>|].*//')"; }

while IFS= read -r command; do
    check_options_of "$command"
done <other-commands

# The frames of the guide are replaced by small traces. Their draws, pixels and programs are in the tree's
# traces, too: the guide's numbers are replaced by numbers that exist there.
cp "$root/tests/golden/tiny.trace" game.trace
for trace in again aniso; do cp game.trace $trace.trace; done
mkdir frames
for frame in 121 361 601; do cp game.trace frames/frames-$frame-$frame.trace; done
ln -s "$root/tests" "$root/docs" .
PATH=$(dirname "$aetius"):$PATH

while IFS= read -r command; do
    check_options_of "$command"
    case $command in
    *' capture '* | *' import '* | *=native* | *'compare native'* | *calibration* | *frames.model* | *shader.tgsi*) continue ;; # minutes, or files of others
    esac
    small=$(echo "$command" | sed 's/0:78:15/0:0:0/; s/0:78/0:0/; s/160,150/20,20/; s/program abbf/program/')
    case $small in *' sim '*) small="$small --force" ;; esac
    eval "$small" >output 2>&1 </dev/null || fault "$(tail -n 1 output)"
done <commands
exit $status
