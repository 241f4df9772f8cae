#!/bin/sh
# Scenes that virgl_test_server cannot judge (benchmarks/gl/features), live: ours against Mesa's
# own renderers, which draw the program itself; what virgl_test_server is said to draw alike, also
# against that; and the machine against the functional renderer, bit for bit.
#
#     tools/features.sh build/aetius FOLDER
#
# The judge is llvmpipe, but of anisotropy softpipe: llvmpipe has no limit to it. Both weight an
# ellipse by a Gaussian, which at 1 by 16 texels leaves 0.96 of a wave of 16 texels across; ours
# averages probes along the longer axis, which leaves nearly all. 0.04 of half of 255, by the square
# root of 2, is 3.6 steps: 37 dB where two channels of three show it, 38 to 43 over all tiles.
# Pictures of any other limit are at 35 dB at most, with the axes exchanged at 32, without
# anisotropy at 24.
# Discs: llvmpipe's rims are not smooth; squares of the same size are at 22 dB. Lines: coverage is
# off by a step or two on the rims. The rest: at 60 dB one value in 16 may be off by one step.
set -eu
[ -n "${DISPLAY:-}" ] || exec xvfb-run -a "$0" "$@"
aetius=$1
out=$2
program=$(dirname "$aetius")/benchmarks/gl/features
bad=0
rm -rf "$out"
mkdir -p "$out"

# near NAME REFERENCE PICTURES DB: their difference is that small; identical pictures have no ratio.
near() {
    psnr=$("$aetius" compare --json "$2" "$3" |
        jq '.total | if .pixels > 0 then .psnr // 999 else 0 end') || psnr=0
    psnr=${psnr:-0}
    if [ "$(echo "$psnr" | jq ". >= $4")" = true ]; then
        result=met
    else
        result=MISSED
        bad=1
    fi
    printf '%-28s %-7s %.1f dB (at least %s)\n' "$1" $result "$psnr" "$4"
}

# judge KIND RATIO DRIVER DB
judge() {
    at=$out/$1-$2
    mkdir -p "$at"
    LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=$3 GALLIVM_PERF=no_aos_sampling \
        "$program" --kind "$1" --ratio "$2" --save "$at/$3" || true
    "$aetius" run --functional -o "$at/ours" -- "$program" --kind "$1" --ratio "$2" >"$at/log" 2>&1 ||
        true
    near "$1 $2, $3" "$at/$3" "$at/ours" "$4"
}

# alike KIND: virgl_test_server draws it too.
alike() {
    at=$out/$1-16
    "$aetius" run --reference -- "$program" --kind "$1" --save "$at/reference" >>"$at/log" 2>&1 ||
        true
    near "$1, virgl_test_server" "$at/llvmpipe" "$at/reference" 60
}

for ratio in 2 4 8 16; do
    judge anisotropy $ratio softpipe 38
done
for kind in colors points stipple modes wrap buffers; do
    judge $kind 16 llvmpipe 60
done
judge discs 16 llvmpipe 30
judge lines 16 llvmpipe 55
for kind in colors points buffers; do
    alike $kind
done
for kind in anisotropy colors points discs lines stipple modes wrap buffers; do
    trace=$out/$kind.trace
    if "$aetius" capture -o "$trace" -- "$program" --kind $kind >"$out/$kind.log" 2>&1 &&
        "$aetius" verify "$trace" >>"$out/$kind.log" 2>&1; then
        printf '%-28s met\n' "$kind, machine"
    else
        printf '%-28s MISSED  %s\n' "$kind, machine" "$(tail -n 1 "$out/$kind.log")"
        bad=1
    fi
done
exit $bad
