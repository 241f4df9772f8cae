#!/bin/sh
# Prints statistics that are zero in all of some runs: each should be used in one of them. A statistic
# that every module or queue has (core/clock.def) counts as one over all of them. Excused are names in
# tests/real/expected/unused-statistics.txt (with the reason) and in UNUSED_OK.
#
#     tools/unused-statistics.sh RUN...      folders with stats.frames.csv.gz
set -eu
excused=$(dirname "$0")/../tests/real/expected/unused-statistics.txt
for run in "$@"; do
    gunzip -c "$run/stats.frames.csv.gz" | awk -F, '
        NR == 1 { for (i = 3; i <= NF; i++) if ($i ~ /[.]/) names[i] = $i; next }
        { for (i in names) if ($i != "0") used[i] = 1 }
        END { for (i in names) print names[i], used[i] + 0 }'
done | awk -v excused="$excused" '
    BEGIN { n = split(ENVIRON["UNUSED_OK"], words, " "); while (n) excuse[words[n--]] = 1
            while ((getline line < excused) > 0) { split(line, words, " "); excuse[words[1]] = 1 } }
    {
        name = $1
        sub(/\[[0-9]+\]/, "", name)
        if (name ~ /\.(busy|starved|blocked|waiting)_cycles$/) sub(/^[^.]*/, "UNIT", name)
        if (name ~ /\.(items_in|items_out|occupancy_sum|occupancy_peak|held_cycles|full_cycles)$/)
            sub(/^[^.]*/, "QUEUE", name)
        used[name] += $2
    }
    END {
        for (name in used) {
            all++
            if (used[name] || name in excuse) continue
            print name
            unused++
        }
        printf "%d statistics, %d counted nothing\n", all, unused | "sort"
        exit unused > 0
    }'
