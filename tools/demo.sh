#!/bin/sh
# `make demo`: captures real programs live, simulates them, and compares their pictures with two reference
# renderers. All results are in out/demo.
#
#     tools/demo.sh build/aetius
set -eu
cd "$(dirname "$0")/.."
aetius=$1
out=out/demo
scenes='build texture shading pulsar'

rm -rf "$out"
mkdir -p "$out"

x_server_runs() { [ -n "${DISPLAY:-}" ] || xvfb-run -a true >/dev/null 2>&1; }

capture() {
    echo "capturing $1"
    mkdir -p "$out/$1"
    case $1 in
    glxgears)
        "$aetius" capture -o "$out/$1/$1.trace" --frames 0-2 --stop -- glxgears
        ;;
    *)
        "$aetius" capture -o "$out/$1/$1.trace" -- glmark2 -s 320x240 -b "$1:nframes=3"
        ;;
    esac >"$out/$1/capture.log" 2>&1 || {
        tail -n 5 "$out/$1/capture.log" >&2
        echo "demo: cannot capture $1 (see $out/$1/capture.log)" >&2
        exit 1
    }
}

# Renders one trace with four renderers and compares the pictures. Writes a row of the table to $out/$1/row.
examine() {
    at=$out/$1
    trace=$2
    echo
    echo "$1: simulating"
    "$aetius" sim "$trace" --map all -o "$at/sim"
    "$aetius" report "$at/sim" -o "$at/report.html"
    echo "$1: rendering without timing, and with llvmpipe and softpipe"
    "$aetius" replay "$trace" -o "$at/functional"
    "$aetius" replay "$trace" --reference=llvmpipe -o "$at/llvmpipe"
    "$aetius" replay "$trace" --reference=softpipe -o "$at/softpipe"
    "$aetius" compare --json "$at/functional/frames" "$at/sim/frames" >"$at/timed.json"
    "$aetius" compare --json "$at/llvmpipe/frames" "$at/sim/frames" -o "$at/difference" \
        >"$at/ours.json"
    "$aetius" compare --json "$at/llvmpipe/frames" "$at/softpipe/frames" >"$at/softpipe.json"
    {
        printf '%s|' "$1"
        jq -nr --slurpfile exact "$at/timed.json" --slurpfile ours "$at/ours.json" \
            --slurpfile softpipe "$at/softpipe.json" -f tools/bar.jq
    } >"$at/row"
}

if x_server_runs; then
    for scene in $scenes glxgears; do
        capture "$scene"
    done
    for scene in $scenes glxgears; do
        examine "$scene" "$out/$scene/$scene.trace"
    done
else
    echo "No X server can run here: the demo uses the trace in the repository."
    mkdir -p "$out/tiny"
    examine tiny tests/golden/tiny.trace
fi

for file in "$out"/shading/report.html "$out"/*/report.html; do
    [ ! -f "$file" ] || [ -e "$out/report.html" ] || cp "$file" "$out/report.html"
done
row='%-10s %-8s %-10s %-10s %-14s %-10s %s\n'
printf '\nReport page: %s                (open it in a browser; others: %s)\n\n' "$out/report.html" "$out/SCENE/report.html"
# shellcheck disable=SC2059  # the same format for the head and the rows
printf "$row" scene 'timed =' 'off by >1' softpipe interior 'PSNR to' criterion
# shellcheck disable=SC2059
printf "$row" '' untimed 'of 255' 'off' '(softpipe)' llvmpipe ''
good=yes
for file in "$out"/*/row; do
    awk -F'|' -v row="$row" '{ printf row, $1, $2, $3, $4, $5, $6, $7 }' "$file"
    ! grep -q '|NO|\|MISSED' "$file" || good=no
done
cat <<END

Pictures:    $out/SCENE/sim/frames/        (without timing: functional/, references: llvmpipe/, softpipe/)
Differences: $out/SCENE/difference/
Statistics:  $out/SCENE/sim/               (run.json, stats.*.csv.gz, machine.ini)
END
[ $good = yes ] || {
    echo "demo: a picture differs from its reference; see the table" >&2
    exit 1
}
