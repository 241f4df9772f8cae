#!/bin/sh
# `make bench`: how fast the simulator is, on a glmark2 texture frame at 800x600 and the machine
# reference-2005, on one core; the median of three runs. Cycles count when a shader, texture unit or
# ROP was BUSY in them.
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

# A column of the table of frames, added up.
total() {
    gunzip -c "$out/run-1/stats.frames.csv.gz" | awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
        { sum += $column }
        END { if (!column) exit 1; printf "%.0f", sum }'
}

fragments=$(total fraggen.fragments_out)
jq -rs --argjson fragments "$fragments" --arg what "$what" '
    def median: sort | .[length / 2 | floor];
    (map(.wall_seconds) | median) as $seconds
    | .[0] as $run
    | "\($what), \($run.frames) frames, reference-2005, median of \(length):",
      "  simulated cycles a wall second (busy)  \($run.busy_cycles / $seconds | round)",
      "  wall milliseconds a frame              \($seconds * 1000 / $run.frames | round)",
      "  nanoseconds a fragment                 \($seconds * 1e9 / $fragments | round)",
      "  of \($run.cycles) cycles \($run.busy_cycles) busy; \($fragments) fragments"
' "$out"/run-*/run.json
