#!/bin/sh
# Compares the figures of README.md with their sources: commands that take less than a second, and the
# tables of docs/studies. Prints each figure that differs; fails if there is one.
#
#     tools/readme-figures.sh build/aetius
set -eu
cd "$(dirname "$0")/.."
aetius=$1
status=0

# expect TEXT SOURCE: checks that README.md contains the text, which comes from the source
expect() {
    grep -qF -- "$1" README.md || {
        echo "README.md lacks '$1' ($2)"
        status=1
    }
}

# README.md wraps lines, so a text that may cross a line end is searched in the joined lines.
expect_wrapped() {
    tr '\n' ' ' <README.md | grep -qF -- "$1" || {
        echo "README.md lacks '$1' ($2)"
        status=1
    }
}

expect "$("$aetius" params --json | jq '.parameters | length') parameters" 'aetius params'
presets=$(find configs -name '*.ini' | wc -l)
expect "$presets presets" 'configs/*.ini'
expect "$("$aetius" --version | cut -d ' ' -f 2), MIT" 'aetius --version'

# name in docs/studies/hardware.md, name in README.md
while read -r name label; do
    row=$(awk -F'|' -v name="$name" '
        { for (i = 2; i <= NF; i++) gsub(/^ +| +$/, "", $i) }
        $2 == name { printf "%s | %s %% | %s %%", $3, $4, $5; exit }' docs/studies/hardware.md)
    expect "| $label | $row |" docs/studies/hardware.md
done <<END
texture texture units
rop color ROPs
memory memory
z z ROPs
shader shader
END
all=$(awk -F'|' '/^\| all except/ { gsub(/ /, ""); printf "%s | %s %% | %s %%", $3, $4, $5; exit }' docs/studies/hardware.md)
expect "| all | $all |" docs/studies/hardware.md

verdict=$(awk -F'|' '/^\| judging frames / { gsub(/^ +| +$/, "", $3); gsub(/ /, "", $6); print $3 "|" $6; exit }' docs/studies/verdicts.md)
right=${verdict%|*}
frames=$(echo "$right" | sed 's/.* of \([0-9]*\) .*/\1/')
expect_wrapped "On $frames frames" docs/studies/verdicts.md
expect_wrapped "in $(echo "$right" | sed 's/\([0-9]*\) of [0-9]* \(.*\)/\1 \2/')" docs/studies/verdicts.md
expect_wrapped "off by ${verdict#*|} percentage points" docs/studies/verdicts.md

programs=$(awk -F'|' '/^\| [a-z0-9]/ && NF == 16 && $11 ~ /yes|no/ { rows++; met += $10 ~ /met/; exact += $11 ~ /yes/ }
    END { print rows, met, exact }' docs/studies/programs.md)
# shellcheck disable=SC2086  # three numbers
set -- $programs
identical="$3 of $1"
[ "$3" != "$1" ] || identical="all $1"
expect_wrapped "for $identical Debian programs" docs/studies/programs.md
expect_wrapped "Of these, $2 also met the criterion" docs/studies/programs.md
while read -r machine; do
    row=$(awk -F'|' -v name="- $machine" '
        $2 ~ "^ *" name " *$" { sub(/^ +/, "", $3); sub(/ \(.*/, "", $3); sub(/ of /, " of the ", $3); print $3; exit }
    ' docs/studies/verdicts.md)
    expect_wrapped "$row frames on $machine" docs/studies/verdicts.md
done <<END
reference-2005
reference-2008
g70-like
END

# The example of `topdown --prove`, if its program is installed.
if command -v glmark2 >/dev/null && command -v virgl_test_server >/dev/null; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    {
        "$aetius" capture -o "$folder/jelly.trace" --clock 60 --frames 61 --stop -- \
            glmark2 -b jellyfish --size 640x480 &&
            "$aetius" sim "$folder/jelly.trace" -o "$folder/jelly"
    } >/dev/null 2>&1
    "$aetius" topdown "$folder/jelly" --prove >"$folder/prove" 2>/dev/null
    # the verdict, and the rows of two ideals and of the pair
    grep -oE 'bound by .* predicted without it|^ *(memory|shader)( +-?[0-9.]+ %){3}|^ *memory and shader( +-?[0-9.]+ %){2}' "$folder/prove" |
        sed 's/^ *//' >"$folder/lines"
    [ "$(wc -l <"$folder/lines")" -eq 4 ] || { echo 'topdown --prove has another form'; status=1; }
    while read -r line; do
        expect "$line" 'aetius topdown jelly --prove'
    done <"$folder/lines"
fi
exit $status
