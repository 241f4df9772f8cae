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
