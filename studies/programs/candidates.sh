#!/bin/sh
# Prints the candidates for evaluation sets: OpenGL programs of Debian 12, one per line, with name, frame
# and shell command, separated by tabs. They are the programs of screensavers.txt and of
# tests/real/programs.txt.
#
#     studies/programs/candidates.sh
set -eu
cd "$(dirname "$0")"
while read -r name package; do
    case $package in
    rss-glx) printf '%s\t60\t%s -y 0\n' "$name" "$name" ;;
    xscreensaver*) printf '%s\t60\t%s -window -geometry 400x300\n' "$name" "$name" ;;
    esac
done <screensavers.txt
awk -F'|' '
    /^#/ || NF < 5 { next }
    {
        for (i = 1; i <= NF; i++) gsub(/^ +| +$/, "", $i)
        for (i = 6; i <= NF; i++) $5 = $5 " | " $i # the command contains a pipe
        if ($3 != "-" && $2 !~ /xscreensaver|rss-glx/) printf "%s\t%d\t%s\n", $1, $3, $5
    }' ../../tests/real/programs.txt
