#!/bin/sh
# `make bench`: how fast the simulator is, on a glmark2 texture frame at 800x600 and the machine
# reference-2005, on one core; the median of three runs. Cycles count when a shader, texture unit or
# ROP was BUSY in them; wall time is that spent on the machine.
#
#     tools/bench.sh build/aetius
set -eu
cd "$(dirname "$0")/.."
aetius=$1
out=out/bench
trace=$out/texture.trace
rm -rf "$out"
mkdir -p "$out"

if [ -n "${DISPLAY:-}" ] || xvfb-run -a true >/dev/null 2>&1; then
    what='glmark2 texture, 800x600'
    "$aetius" capture -o "$trace" -- glmark2 -s 800x600 -b texture:nframes=3 \
        >"$out/capture.log" 2>&1 || {
        tail -n 5 "$out/capture.log" >&2
        echo "bench: could not capture glmark2 (see $out/capture.log)" >&2
        exit 1
    }
else
    echo "No X server can run here: the figures are of the small trace that the repository keeps."
    what='tests/golden/tiny.trace'
    trace=tests/golden/tiny.trace
fi

for run in 1 2 3; do
    "$aetius" sim "$trace" --preset reference-2005 -o "$out/run-$run" \
        >"$out/run-$run.log"
done

jq -rs --arg what "$what" '
    def median: sort | .[length / 2 | floor];
    .[0] as $run
    | "\($what), \($run.frames) frames, reference-2005, median of \(length):",
      "  simulated cycles a wall second (busy)  \(map(.busy_cycles_per_second) | median | round)",
      "  wall milliseconds a frame              \(map(.wall_ms_per_frame) | median | round)",
      "  nanoseconds a shaded fragment          \(map(.wall_ns_per_fragment) | median | round)",
      "  of \($run.cycles) cycles \($run.busy_cycles) busy; \($run.fragments) fragments shaded"
' "$out"/run-*/run.json

# OpenArena, where it is installed: the timed machine on frame 301, and the functional renderer
# against the reference renderers, on one short trace. When it starts for the first time it sets its
# display up twice, so that frames have other numbers: it is started once in vain.
[ -x /usr/games/openarena ] || exit 0
[ -n "${DISPLAY:-}" ] || xvfb-run -a true >/dev/null 2>&1 || exit 0

# capture_game FILE WIDTH HEIGHT FRAMES
capture_game() {
    mkdir -p "$out/home"
    HOME=$PWD/$out/home "$aetius" capture -o "$1" --frames "$4" --stop -- /usr/games/openarena \
        +set com_hunkmegs 512 +set s_initsound 0 +set r_fullscreen 0 +set r_mode -1 \
        +set r_customwidth "$2" +set r_customheight "$3" +set com_maxfps 0 +set ttycon 0 \
        +set timedemo 1 +set cl_renderer opengl1 +demo demo088-test1 </dev/null >"$out/game.log" 2>&1 || {
        tail -n 5 "$out/game.log" >&2
        echo "bench: could not capture OpenArena (see $out/game.log)" >&2
        exit 1
    }
}

capture_game "$out/first.trace" 640 480 0-20
capture_game "$out/game.trace" 1024 768 300-301
for preset in reference-2005 reference-2008; do
    "$aetius" sim "$out/game.trace" --frames 1 --preset $preset -o "$out/game-$preset" \
        >"$out/game-$preset.log"
    jq -r --arg preset $preset '
        "OpenArena frame 301, 1024x768, \($preset):",
        "  simulated cycles a wall second (busy)  \(.busy_cycles_per_second | round)",
        "  wall milliseconds a frame              \(.wall_ms_per_frame | round)"
    ' "$out/game-$preset/run.json"
done

# Frames a second of a replay, its start-up apart: 10 frames and 1 frame are timed.
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

capture_game "$out/short.trace" 640 480 300-309
echo 'OpenArena frames 300 to 309, 640x480, frames a second of a replay:'
frames_a_second aetius
frames_a_second softpipe --reference=softpipe
frames_a_second llvmpipe --reference=llvmpipe

# Frames a second as the game counts them, over the whole demo: of virgl_test_server alone, and of a
# capture, which puts itself between them.
play() {
    "$@" /usr/games/openarena +set com_hunkmegs 512 +set s_initsound 0 +set r_fullscreen 0 \
        +set r_mode -1 +set r_customwidth 640 +set r_customheight 480 +set com_maxfps 0 \
        +set ttycon 0 +set timedemo 1 +set cl_renderer opengl1 +demo demo088-test1 \
        +set nextdemo quit </dev/null 2>&1
}

# with_display VARIABLE=VALUE... PROGRAM...
with_display() {
    if [ -n "${DISPLAY:-}" ]; then env "$@"; else xvfb-run -a -s '-screen 0 1280x1024x24' env "$@"; fi
}

# rate LOG: of a line "3398 frames 80.1 seconds 42.4 fps ...".
rate() {
    sed -n 's/.* seconds \([0-9.]*\) fps.*/\1/p' "$1" | tail -n 1
}

socket=$PWD/$out/alone.socket
GALLIUM_DRIVER=llvmpipe GALLIVM_PERF=no_aos_sampling LIBGL_ALWAYS_SOFTWARE=1 \
    virgl_test_server --use-egl-surfaceless --socket-path="$socket" >"$out/alone-server.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
while [ ! -S "$socket" ] && kill -0 $server 2>/dev/null; do sleep 0.1; done
export HOME="$PWD/$out/home"
play with_display LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=virpipe AETIUS_SOCKET="$socket" \
    VTEST_SOCKET_NAME="$socket" LD_PRELOAD="$(realpath "$(dirname "$aetius")")/libaetius-shim.so" \
    >"$out/alone.log" || true
kill $server 2>/dev/null || true
play "$aetius" capture --force -o "$out/whole.trace" -- >"$out/whole.log" || true
echo 'OpenArena, the whole demo at 640x480, frames a second as it counts them:'
awk -v alone="$(rate "$out/alone.log")" -v captured="$(rate "$out/whole.log")" 'BEGIN {
    printf "  virgl_test_server alone %8.2f\n", alone
    printf "  captured                %8.2f, %.0f%% of it\n", captured, alone ? 100 * captured / alone : 0
}'
sed -n 's/.*: \([0-9]* frames\), .* MB, \(.*\) MB a frame$/  the trace               \2 MB a frame, \1/p' "$out/whole.log"
