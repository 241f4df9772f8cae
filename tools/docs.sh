#!/bin/sh
# Writes docs/commands.md, docs/params.md, docs/statistics.md and docs/machine.svg from the tables in the
# binary. Graphviz draws the SVG; without Graphviz the file stays unchanged. With --check it writes
# nothing, and fails if a file is out of date.
#
#     tools/docs.sh build/aetius [--check]
set -eu
cd "$(dirname "$0")/.."
aetius=$1
out=docs
[ "${2:-}" != --check ] || out=$(mktemp -d)

fenced() {
    echo '```'
    "$@" | sed 's/[ \t]*$//'
    echo '```'
}

{
    echo '# Commands'
    echo
    echo 'This page lists the commands and their options. Start with `aetius --help`; `make docs` writes this page.'
    for name in $("$aetius" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        printf '\n## %s\n\n' "$name"
        fenced "$aetius" "$name" --help
        # "  sweep query DIR ...": a subcommand with a separate help text
        for part in $("$aetius" "$name" --help | sed -n "s/^  $name \([a-z-]*\) .*/\1/p"); do
            printf '\n### %s %s\n\n' "$name" "$part"
            fenced "$aetius" "$name" "$part" --help
        done
    done
} >"$out/commands.md"
{
    echo '# Parameters'
    echo
    echo 'This page lists the parameters, with the values of the default preset. Start with `aetius params`; `make docs` writes this page.'
    echo
    fenced "$aetius" params
} >"$out/params.md"
{
    echo '# Statistics, queues and metrics'
    echo
    echo 'This page lists statistics, queues and metrics of the default preset. Start with `aetius stats`; `make docs` writes this page.'
    echo
    fenced "$aetius" stats
} >"$out/statistics.md"

! command -v dot >/dev/null || "$aetius" diagram --force -o "$out/machine.svg"

if [ "$out" != docs ]; then
    status=0
    for file in "$out"/*; do
        diff -u "docs/${file##*/}" "$file" || status=1
    done
    rm -r "$out"
    [ $status = 0 ] || echo "docs are not current: make docs" >&2
    exit $status
fi
