#!/bin/sh
# Finds misspelled words (codespell) and the words of tools/words.txt in documentation, comments, messages
# and scripts. Prints FILE:LINE: the word and its replacement; fails if there is one. Exit status 77:
# codespell is not installed, and there is no other finding.
#
#     tools/words.sh [FILE...]
set -eu
cd "$(dirname "$0")/.."
list=tools/words.txt
status=0

[ $# != 0 ] || {
    # shellcheck disable=SC2046  # names of files, without spaces
    set -- $(git ls-files '*.md' '*.c' '*.h' '*.def' '*.sh' '*.ini' '*.js' '*.mjs' '*.css' '*.html' \
        '*.jq' '*.awk' '*.py' '*.build' '*.proto' Makefile 'tools/*.txt' 'tests/real/*.txt' |
        grep -vxF -e docs/writing.md -e "$list" | grep -v '^third_party/')
}

while IFS='	' read -r word instead; do
    case $word in '#'* | '') continue ;; esac
    ! grep -nHoE -- "$word" "$@" | sed 's/$/'" -> $instead/" | grep . || status=1
done <$list

if command -v codespell >/dev/null; then
    codespell --quiet-level 3 --ignore-words tools/words.known "$@" || status=1
elif [ $status = 0 ]; then
    echo 'skipped: codespell is not installed'
    exit 77
fi
exit $status
