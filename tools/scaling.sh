#!/bin/sh
# `make scaling`: checks that more hardware makes frames faster. Measures cycles of some inputs on
# reference-2008 with 1, 2, 4 and 8 memory channels, with 2, 4, 6 and 8 shader units, and with caches of
# twice the lines. A row reports a larger machine that is over 1 % slower than a smaller one. Over 5 % is
# a fault: the exit status is 1. The second line of a row has the ratio of cycles to the lower bound of
# the work (report/run/metrics.def), and the name of the bound. docs/performance.md explains losses above
# 1 % and ratios above 3.
#
#     tools/scaling.sh build/aetius [TRACE:FRAMES...]    replaces the inputs below
set -eu
cd "$(dirname "$0")/.."
aetius=$1
scenes=$(dirname "$1")/benchmarks/gl
shift
out=out/scaling
# shellcheck source=tools/inputs.sh
. tools/inputs.sh
mkdir -p "$out"
rm -f "$out/fault"

# cycles TRACE FRAMES OPTIONS...: prints CYCLES:TIMES:BOUND of the frames on reference-2008
cycles() {
    trace=$1
    frames=$2
    shift 2
    "$aetius" sim "$trace" --frames "$frames" --preset reference-2008 "$@" --force -o "$out/run" >"$out/run.log" 2>&1 || {
        tail -n 5 "$out/run.log" >&2
        exit 1
    }
    jq -r '.metrics as $m
        | ([$m | to_entries[] | select(.key | test("^bound_") and . != "bound_ratio")] | max_by(.value) | .key[6:]) as $bound
        | "\(.cycles):\($m.bound_ratio * 100 | round / 100):\($bound)"' "$out/run/run.json"
}

# row INPUT WHAT CYCLES:TIMES:BOUND...: prints a row, from the smallest to the largest machine
row() {
    input=$1
    what=$2
    shift 2
    printf '  %-30s %-24s' "$input" "$what"
    note=
    least=${1%%:*}
    bounds=
    for run in "$@"; do
        now=${run%%:*}
        bound=${run##*:}
        times=${run#*:}
        times=${times%:*}
        printf ' %10s' "$now"
        [ $((now * 100)) -le $((least * 101)) ] || note='  over 1 % slower'
        [ $((now * 100)) -le $((least * 105)) ] || {
            note='  FAULT: over 5 % slower'
            touch "$out/fault"
        }
        [ "$now" -ge "$least" ] || least=$now
        bounds="$bounds $times*$bound"
    done
    echo "$note"
    printf '  %-30s %-24s' '' '  times the lower bound'
    # shellcheck disable=SC2086  # a word each
    printf ' %10s' $bounds
    echo
}

# Writes the preset's caches with twice the lines.
"$aetius" params --preset reference-2008 --ini | awk '
    /^\[/ { section = $0 }
    $1 ~ /^(InputCacheLines|TextureCacheLines|TextureCacheLinesL1|ZCacheLines|ColorCacheLines)$/ {
        print section
        print $1 " = " 2 * $3
    }' >"$out/twice.ini"

# sweep TRACE FRAMES PARAMETER VALUE...: prints the cycles for each value
sweep() {
    of=$1
    some=$2
    parameter=$3
    shift 3
    for value in "$@"; do
        cycles "$of" "$some" --set "$parameter=$value"
    done
}

# study NAME TRACE FRAMES: prints all rows of an input
study() {
    # shellcheck disable=SC2046  # a number each
    row "$1" 'channels 1, 2, 4, 8' \
        $(sweep "$2" "$3" MEMORYCONTROLLER.V2MemoryChannels 1 2 4 8)
    # shellcheck disable=SC2046
    row "$1" 'shader units 2, 4, 6, 8' $(sweep "$2" "$3" GPU.NumFragmentShaders 2 4 6 8)
    row "$1" 'caches: preset, twice' "$(cycles "$2" "$3")" \
        "$(cycles "$2" "$3" --config "$out/twice.ini")"
}

if [ $# -gt 0 ]; then
    for input in "$@"; do
        study "$(basename "${input%%:*}")" "${input%%:*}" "${input##*:}"
    done
elif can_draw && [ -x "$scenes/fill" ]; then
    capture "$out/fill.trace" "$out/capture.log" "$scenes/fill" --size 800x600 --frames 2 \
        --layers 4 --kind blend
    study 'fill rate: 4 blended layers' "$out/fill.trace" 1
    capture "$out/build.trace" "$out/capture.log" glmark2 -s 800x600 -b build:nframes=2
    study 'glmark2 build' "$out/build.trace" 1
    if [ -x /usr/games/openarena ]; then
        capture_game "$out/game.trace" 1024 768 300-301
        study 'OpenArena frame 301' "$out/game.trace" 1
    fi
else
    study 'tests/golden/tiny.trace' tests/golden/tiny.trace 1
fi
[ ! -f "$out/fault" ]
