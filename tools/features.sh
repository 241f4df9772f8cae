#!/bin/sh
# Live checks of scenes that virgl_test_server cannot draw correctly (benchmarks/gl/features), and of the
# features of OpenGL 3.0, 3.1 and ES 3.0 (benchmarks/gl/features3 and features31), and of 3.2 and 3.3
# (benchmarks/gl/geometry). Compares
# our pictures with those of Mesa's renderers, which draw the program directly. The kinds that
# virgl_test_server supports are also compared with it. Verifies the machine against the functional
# renderer, bit for bit.
#
#     tools/features.sh build/aetius FOLDER
#
# The reference is llvmpipe, except for anisotropy, where it is softpipe: llvmpipe does not limit the
# ratio.
#
# Anisotropy: both references weight an ellipse by a Gaussian. At 1 by 16 texels it keeps 0.96 of the
# amplitude of a wave of 16 texels across. Our renderer averages probes along the longer axis, which keeps
# nearly all of it. 0.04 of half of 255, divided by the square root of 2, is 3.6 steps. That gives 37 dB
# where two of three channels show the wave, 38 to 43 over all tiles. Pictures with another limit reach at
# most 35 dB, with exchanged axes 32, without anisotropy 24.
#
# Discs: llvmpipe does not smooth their rims; squares of the same size reach 22 dB. Lines: coverage
# differs by a step or two at the rims. Other kinds: at 60 dB one value in 16 may differ by one step.
set -eu
[ -n "${DISPLAY:-}" ] || exec xvfb-run -a "$0" "$@"
aetius=$1
out=$2
programs=$(dirname "$aetius")/benchmarks/gl
program=$programs/features
gl=2.1
bad=0
rm -rf "$out"
mkdir -p "$out"

# near NAME REFERENCE PICTURES DB: checks that the PSNR is at least DB. Identical pictures have no PSNR
# and pass.
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

# judge KIND RATIO DRIVER DB: compares our pictures with those of a Mesa driver; RATIO "-": no option
judge() {
    at=$out/$1-$2-$gl
    mkdir -p "$at"
    scene="--kind $1"
    [ "$2" = - ] || scene="$scene --ratio $2"
    LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=$3 GALLIVM_PERF=no_aos_sampling \
        "$program" $scene --save "$at/$3" || true
    "$aetius" run --functional --gl $gl -o "$at/ours" -- "$program" $scene >"$at/log" 2>&1 || true
    near "$1 $2, $3" "$at/$3" "$at/ours" "$4"
}

# alike KIND: compares virgl_test_server with llvmpipe, for kinds that it supports
alike() {
    at=$out/$1-16-$gl
    "$aetius" run --reference -- "$program" --kind "$1" --save "$at/reference" >>"$at/log" 2>&1 ||
        true
    near "$1, virgl_test_server" "$at/llvmpipe" "$at/reference" 60
}

for ratio in 2 4 8 16; do
    judge anisotropy $ratio softpipe 38
done
for kind in colors points stipple modes wrap buffers instances; do
    judge $kind 16 llvmpipe 60
done
judge discs 16 llvmpipe 30
judge lines 16 llvmpipe 55
for kind in colors points buffers; do
    alike $kind
done
# verify KIND: compares the machine with the functional renderer
verify() {
    kind=$1
    trace=$out/$kind-$gl.trace
    if "$aetius" capture --gl $gl -o "$trace" -- "$program" --kind $kind >"$out/$kind-$gl.log" 2>&1 &&
        "$aetius" verify "$trace" >>"$out/$kind-$gl.log" 2>&1; then
        printf '%-28s met\n' "$kind, machine"
    else
        printf '%-28s MISSED  %s\n' "$kind, machine" "$(tail -n 1 "$out/$kind-$gl.log")"
        bad=1
    fi
}

for kind in anisotropy colors points discs lines stipple modes wrap buffers instances; do
    verify $kind
done
# Arrays: filtered texels may differ by one step. sRGB: llvmpipe approximates the curve.
program=$programs/features3
gl=3.0
for kind in integers streams formats targets clipping conditions samples; do
    judge $kind - llvmpipe 90
    verify $kind
done
judge arrays - llvmpipe 60
verify arrays
judge srgb - llvmpipe 55
verify srgb
for gl in es3 3.1; do
    judge blocks - llvmpipe 90
    verify blocks
done
# Rectangles: filtered texels may differ by one step.
program=$programs/features31
for kind in texels instances copies signed; do
    judge $kind - llvmpipe 90
    verify $kind
done
judge rectangles - llvmpipe 60
verify rectangles
program=$programs/geometry
gl=3.2
for kind in primitives emission layers captured; do
    judge $kind - llvmpipe 90
    verify $kind
done
gl=3.3
judge sources - llvmpipe 90
verify sources
# filtered texels of the cube may differ by one step
judge small - llvmpipe 60
verify small
exit $bad
