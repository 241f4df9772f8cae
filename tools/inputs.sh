# shellcheck shell=sh disable=SC2154
# Inputs that the benchmarks, the scaling study and `make real` share; these scripts source this file.
# $aetius is the simulator, $out the folder for traces. An existing trace is kept.

can_draw() {
    [ -n "${DISPLAY:-}" ] || xvfb-run -a true >/dev/null 2>&1
}

# capture TRACE LOG PROGRAM...: captures all frames of the program
capture() {
    to=$1
    log=$2
    shift 2
    [ -f "$to" ] || "$aetius" capture --gl 2.1 -o "$to.part" -- "$@" >"$log" 2>&1 || {
        tail -n 5 "$log" >&2
        echo "could not capture $1 (see $log)" >&2
        exit 1
    }
    [ -f "$to" ] || mv "$to.part" "$to"
}

# game WIDTH HEIGHT: prints the command that plays OpenArena's demo, as words
game() {
    echo "/usr/games/openarena +set com_hunkmegs 512 +set s_initsound 0 +set r_fullscreen 0" \
        "+set r_mode -1 +set r_customwidth $1 +set r_customheight $2 +set com_maxfps 0" \
        "+set ttycon 0 +set timedemo 1 +set cl_renderer opengl1 +demo demo088-test1"
}

# capture_game TRACE WIDTH HEIGHT FRAMES OPTIONS...: captures OpenArena's demo. At its first start the
# game sets up its display twice, which shifts frame numbers. So the script starts it once without a
# capture.
capture_game() {
    [ ! -f "$1" ] || return 0
    mkdir -p "$out/home"
    [ -f "$out/first.trace" ] || play_game "$out/first.trace" 640 480 0-20
    play_game "$@"
}

play_game() {
    game_trace=$1
    width=$2
    height=$3
    range=$4
    shift 4
    # shellcheck disable=SC2046  # words
    HOME=$PWD/$out/home "$aetius" capture --gl 2.1 -o "$game_trace.part" --frames "$range" --stop -- \
        $(game "$width" "$height") "$@" </dev/null >"$out/game.log" 2>&1 || {
        tail -n 5 "$out/game.log" >&2
        echo "could not capture OpenArena (see $out/game.log)" >&2
        exit 1
    }
    mv "$game_trace.part" "$game_trace"
}
