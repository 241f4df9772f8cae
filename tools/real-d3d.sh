# shellcheck shell=sh disable=SC2154
# The part `d3d` of tools/real.sh, which sources this file. It runs the Direct3D programs of benchmarks/d3d
# through Wine, and compares the number of frames and their pictures.

# on_wine PROGRAM COMMAND...: runs a command of Aetius on a program that presents six frames. The exit status
# is ignored, because Wine ends some programs with SIGKILL.
on_wine() {
    exe=$d3d/$1.exe
    log=$d3d/$1.log
    shift
    WINEPREFIX=$d3d/wine WINEDEBUG=-all timeout -k 10 "${PROGRAM_SECONDS:-120}" \
        "$aetius" "$@" -- wine "$exe" --frames 6 >"$log" 2>&1 </dev/null || true
}

# d3d_frames NAME TRACE: checks that the trace has one frame of 320x240 per call of Present
d3d_frames() {
    "$aetius" info --json "$2" | jq -r --arg name "$1/frames" '
        [.per_frame[] | "\(.width)x\(.height)"] as $sizes
        | [$name, (if $sizes == [range(6) | "320x240"] then "met" else "missed" end),
           "\($sizes | length) frames of \($sizes | unique | join(", "))"] | @tsv' >>"$out/pictures.txt"
}

# d3d_live NAME PICTURES RUN: checks that the pictures of a live run equal those of the trace
d3d_live() {
    "$aetius" compare --json "$2" "$3" 2>>"$3.log" | jq -r --arg name "$1/run" '
        [$name, (if .total.identical == 6 * 320 * 240 and .only_in_b == 0 then "met" else "missed" end),
         "\(.total.pixels - .total.identical) of \(.total.pixels) pixels differ"] | @tsv' >"$3.line"
    [ -s "$3.line" ] || printf '%s/run\terror\t%s\n' "$1" "$(tail -n 1 "$3.log" | tr '\t' ' ')" >"$3.line"
    cat "$3.line" >>"$out/pictures.txt"
}

part_d3d() {
    d3d=$out/d3d
    command -v wine >/dev/null && command -v x86_64-w64-mingw32-gcc >/dev/null || {
        say "d3d: skipped, because Wine or MinGW is missing (tools/setup.sh d3d)"
        return 0
    }
    benchmarks/d3d/build.sh "$d3d"
    # Programs share the desktop of a running Wine. That of wineboot has no display, so wait for its end.
    [ -d "$d3d/wine" ] || {
        env -u DISPLAY WINEPREFIX="$d3d/wine" WINEDEBUG=-all wineboot --init &&
            WINEPREFIX="$d3d/wine" wineserver --wait
    } >"$d3d/wine.log" 2>&1 </dev/null
    for program in lights shaders textures stencil eight ten; do
        name=d3d/$program
        there "$name/run" && continue
        say "$name"
        run=$d3d/$program
        on_wine "$program" capture --gl 3.3 --force -o "$run.trace"
        [ -s "$run.trace" ] || {
            printf '%s\terror\tnot captured: %s\n' "$name" "$(tail -n 1 "$run.log")" >>"$out/pictures.txt"
            continue
        }
        d3d_frames "$name" "$run.trace"
        # Wine creates textures with two samples at start-up, which softpipe does not support.
        picture "$name" "$run.trace" 0-5 --single-sampled
        timed "$name" "$run.trace" 0-5
        on_wine "$program" run --gl 3.3 --force -o "$run"
        d3d_live "$name" "$out/pictures/$name/ours" "$run"
    done
}
