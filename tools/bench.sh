#!/bin/sh
# `make bench`: measures the simulator's speed on one core; medians of three runs. Busy cycles are those
# in which a shader, texture unit or ROP was busy. Wall time is the time spent in the machine. The table
# also has the cycles of the frame, and the lower bound from its work (report/run/metrics.def).
#
#     tools/bench.sh build/aetius [PART...]
#
# Parts:
# - scenes: scenes of benchmarks/gl
# - programs: glmark2, OpenArena
# - jobs: 40 frames of OpenArena with one process and with two
# - codecs
# - replay: the functional renderer and the reference renderers
# - capture: the whole demo, played without and with a capture
#
# Each measurement also adds a row to out/bench-history.csv, with the commit and the processor.
# `aetius report out/bench-history.csv -o bench.html` plots the rows over commits.
#
# Environment: RUNS (3), SIZE (1024x768: for the scenes of benchmarks/gl), HISTORY (replaces
# out/bench-history.csv).
set -eu
cd "$(dirname "$0")/.."
aetius=$1
shift
parts=${*:-scenes programs jobs codecs replay capture}
scenes=$(dirname "$aetius")/benchmarks/gl
size=${SIZE:-1024x768}
runs=${RUNS:-3}
out=out/bench
# shellcheck source=tools/inputs.sh
. tools/inputs.sh
rm -rf "$out"
mkdir -p "$out"

history=${HISTORY:-out/bench-history.csv}
columns='commit,date,processor,case,busy_cycles_per_second,wall_ms,wall_ns_per_fragment,cycles,lower_bound,resident_mb'
[ -s "$history" ] || echo "$columns" >"$history"
[ "$(head -n 1 "$history")" = "$columns" ] || {
    echo "bench: $history has other columns: move it, or set HISTORY to another file" >&2
    exit 1
}
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo none)
[ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || commit=$commit+
date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | tr -d ',"')

has_game() {
    [ -x /usr/games/openarena ]
}

# heading TITLE: prints the title and the column heads of a table
heading() {
    echo "$1"
    line='  %-28s %-15s %12s %10s %12s %12s %12s %6s %6s\n'
    # shellcheck disable=SC2059  # one format for all lines
    printf "$line" scene machine 'busy cycles' 'wall ms' 'wall ns a' cycles 'lower bound' '' MB
    # shellcheck disable=SC2059
    printf "$line" '' '' 'a wall s' 'a frame' 'fragment' 'a frame' 'a frame' ratio resident
}

# measure NAME TRACE FRAMES PRESET OPTIONS...: prints one row
measure() {
    name=$1
    trace=$2
    frames=$3
    preset=$4
    shift 4
    for run in $(seq "$runs"); do
        "$aetius" sim "$trace" --frames "$frames" --preset "$preset" "$@" --force \
            -o "$out/run-$run" >"$out/run.log" 2>&1 || {
            tail -n 5 "$out/run.log" >&2
            exit 1
        }
    done
    # shellcheck disable=SC2016
    jq -rs '
        def median(of): map(of) | sort | .[length / 2 | floor] | round;
        .[0] as $run | ($run.cycles / $run.frames) as $cycles
        | ($run.metrics.lower_bound // 0) as $bound
        | [median(.busy_cycles_per_second), median(.wall_ms_per_frame),
           median(.wall_ns_per_fragment), ($cycles | round), ($bound / $run.frames | round),
           (if $bound > 0 then $run.cycles / $bound * 100 | round / 100 else "-" end),
           (median(.peak_rss_bytes) / 1e6 | round)]
        | map(tostring) | join(" ")
    ' "$out"/run-*/run.json | {
        read -r busy wall fragment cycles bound ratio memory
        # shellcheck disable=SC2059
        printf "$line" "$name" "$preset" "$busy" "$wall" "$fragment" "$cycles" "$bound" "$ratio" \
            "$memory"
        printf '%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n' "$commit" "$date" "$processor" \
            "$(echo "$name on $preset" | tr -d ',"')" "$busy" "$wall" "$fragment" "$cycles" "$bound" \
            "$memory" >>"$history"
    }
}

if ! can_draw || [ ! -x "$scenes/fill" ]; then
    echo "No X server can run here: measuring the small trace of the repository instead."
    heading tests/golden/tiny.trace
    for preset in reference-2005 reference-2008; do
        measure tiny tests/golden/tiny.trace 0-1 $preset
    done
    exit 0
fi

# scene NAME PROGRAM OPTIONS...: captures a program of benchmarks/gl and measures its second frame
scene() {
    name=$1
    program=$2
    shift 2
    trace=$out/$(echo "$name" | tr ' ' -).trace
    capture "$trace" "$out/capture.log" "$scenes/$program" --size "$size" --frames 2 "$@"
    for preset in reference-2005 reference-2008; do
        measure "$name" "$trace" 1 $preset
    done
}

part_scenes() {
    heading "scenes of benchmarks/gl, $size, their second frame; median of $runs runs"
    scene '16 layers of color' fill --kind color --layers 16
    scene '16 layers of color and z' fill --kind both --layers 16
    scene '8 blended layers' fill --kind blend --layers 8
    scene '8 bilinear layers' fill --kind bilinear --layers 8
    scene '500 triangles' triangles --count 500
    scene '400 batches' batches --count 400
    for preset in reference-2005 reference-2008; do
        measure '400 batches, overlapping' "$out/400-batches.trace" 1 $preset \
            --set COMMANDPROCESSOR.PipelinedBatchRendering=TRUE
    done
    scene 'clear and swap' clear
}

part_programs() {
    heading 'real programs'
    capture "$out/texture.trace" "$out/capture.log" glmark2 -s 800x600 -b texture:nframes=3
    for preset in reference-2005 reference-2008; do
        measure 'glmark2 texture, 800x600' "$out/texture.trace" 0-2 $preset
    done
    has_game || return 0
    capture_game "$out/game.trace" 1024 768 300-300
    for preset in reference-2005 reference-2008; do
        measure 'OpenArena 300, 1024x768' "$out/game.trace" 0 $preset
    done
    capture_game "$out/game-anisotropic.trace" 1024 768 300-300 +set r_ext_texture_filter_anisotropic 1 \
        +set r_ext_max_anisotropy 8
    measure 'OpenArena 300, anisotropic' "$out/game-anisotropic.trace" 0 reference-2008
}

# One run each, because a run takes minutes.
part_jobs() {
    has_game || return 0
    capture_game "$out/game-40.trace" 1024 768 300-339
    for jobs in 1 2; do
        began=$(date +%s%N)
        "$aetius" sim "$out/game-40.trace" --preset reference-2008 --jobs $jobs --force \
            -o "$out/jobs-$jobs" >"$out/run.log" 2>&1
        eval "took_$jobs=$(($(date +%s%N) - began))"
    done
    # shellcheck disable=SC2154  # set by eval
    awk -v one="$took_1" -v two="$took_2" 'BEGIN {
        print "40 frames of OpenArena from 300, 1024x768, reference-2008:"
        printf "  --jobs 1 %8.1f s\n  --jobs 2 %8.1f s, %.2f times as fast\n", one / 1e9, two / 1e9, one / two
    }'
}

# Speed of the codecs on the distinct blocks of an OpenArena frame with 4 samples per pixel.
part_codecs() {
    has_game || return 0
    capture_game "$out/game-x4.trace" 1024 768 300-300 +set r_ext_multisample 4
    "$aetius" sim "$out/game-x4.trace" --preset reference-2005 --capture-blocks -o "$out/game-x4" \
        >"$out/run.log"
    echo 'codecs, blocks of OpenArena frame 300 with 4 samples per pixel'
    "$aetius" compress --bench "$out/game-x4/blocks.color"
    "$aetius" compress --bench "$out/game-x4/blocks.z"
}

# Frames per second of a replay, with the functional renderer and with the reference renderers. The
# difference between 10 frames and 1 frame excludes start-up time.
frames_a_second() {
    for count in 1 10; do
        began=$(date +%s%N)
        "$aetius" replay "$out/short.trace" --frames "0-$((count - 1))" -o "$out/replay-$1-$count" \
            ${2:+"$2"} 2>/dev/null
        eval "took_$count=$(($(date +%s%N) - began))"
    done
    # shellcheck disable=SC2154  # set by eval
    awk -v name="$1" -v more="$((took_10 - took_1))" \
        'BEGIN { printf "  %-10s %8.2f\n", name, 9e9 / more }'
}

part_replay() {
    has_game || return 0
    capture_game "$out/short.trace" 640 480 300-309
    echo 'OpenArena frames 300 to 309, 640x480, frames per second of a replay:'
    frames_a_second aetius
    frames_a_second softpipe --reference=softpipe
    frames_a_second llvmpipe --reference=llvmpipe
}

# Frames per second over the whole demo, as the game reports them: with virgl_test_server alone, and with
# a capture between the game and the server.
play() {
    # shellcheck disable=SC2046  # words
    "$@" $(game 640 480) +set nextdemo quit </dev/null 2>&1
}

# with_display VARIABLE=VALUE... PROGRAM...: runs a program, under Xvfb if there is no display
with_display() {
    if [ -n "${DISPLAY:-}" ]; then env "$@"; else xvfb-run -a -s '-screen 0 1280x1024x24' env "$@"; fi
}

# rate LOG: the figure from a line "3398 frames 80.1 seconds 42.4 fps ..."
rate() {
    sed -n 's/.* seconds \([0-9.]*\) fps.*/\1/p' "$1" | tail -n 1
}

part_capture() {
    has_game || return 0
    socket=$PWD/$out/alone.socket
    GALLIUM_DRIVER=llvmpipe GALLIVM_PERF=no_aos_sampling LIBGL_ALWAYS_SOFTWARE=1 \
        virgl_test_server --use-egl-surfaceless --socket-path="$socket" >"$out/alone-server.log" 2>&1 &
    server=$!
    trap 'kill $server 2>/dev/null || true' EXIT
    while [ ! -S "$socket" ] && kill -0 $server 2>/dev/null; do sleep 0.1; done
    export HOME="$PWD/$out/home"
    mkdir -p "$HOME"
    play with_display LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=virpipe AETIUS_SOCKET="$socket" \
        VTEST_SOCKET_NAME="$socket" LD_PRELOAD="$(realpath "$(dirname "$aetius")")/libaetius-shim.so" \
        >"$out/alone.log" || true
    kill $server 2>/dev/null || true
    play "$aetius" capture --gl 2.1 --force -o "$out/whole.trace" -- >"$out/whole.log" || true
    echo 'OpenArena, the whole demo at 640x480, frames per second as the game reports them:'
    awk -v alone="$(rate "$out/alone.log")" -v captured="$(rate "$out/whole.log")" 'BEGIN {
        printf "  virgl_test_server alone %8.2f\n", alone
        printf "  captured                %8.2f, %.0f%% of it\n", captured, alone ? 100 * captured / alone : 0
    }'
    sed -n 's/.*: \([0-9]* frames\), .* MB, \(.*\) MB a frame$/  the trace               \2 MB a frame, \1/p' "$out/whole.log"
}

if ! can_draw || [ ! -x "$scenes/fill" ]; then
    echo "No X server can run here: measuring the small trace of the repository instead."
    heading tests/golden/tiny.trace
    for preset in reference-2005 reference-2008; do
        measure tiny tests/golden/tiny.trace 0-1 $preset
    done
    exit 0
fi

for part in $parts; do
    case $part in
    scenes | programs | jobs | codecs | replay | capture) "part_$part" ;;
    *)
        echo "bench: unknown part '$part', expected scenes, programs, jobs, codecs, replay or capture" >&2
        exit 2
        ;;
    esac
done
