#!/bin/sh
# Runs a program of LIST (candidates.txt) in a new folder that is its HOME, without sound. `press KEY...` in a
# command presses the keys repeatedly, one per second, until the program ends.
#
#     studies/programs/run.sh NAME [LIST]
set -eu
[ $# -ge 1 ] || {
    echo 'usage: studies/programs/run.sh NAME [LIST]' >&2
    exit 2
}
list=${2:-$(dirname "$0")/candidates.txt}
# The columns of candidates.txt are separated by blanks, those of unseen.txt by " | ".
command=$(sed -n -e "s/^$1 [0-9][0-9]* //p" -e "s/^$1 | [^|]* | [^|]* | //p" "$list")
[ -n "$command" ] || {
    echo "run.sh: $list has no program $1" >&2
    exit 1
}
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
trap 'exit 143' TERM
cd "$home"
# shellcheck disable=SC2016  # expanded where it runs
press='
press() {
    while true; do for key; do sleep 1; xdotool mousemove 200 200 key "$key" 2>/dev/null || exit; done; done &
}'
env -u WAYLAND_DISPLAY -u DBUS_SESSION_BUS_ADDRESS -u PULSE_SERVER HOME="$home" XDG_RUNTIME_DIR="$home" \
    SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null NO_AT_BRIDGE=1 LC_ALL=C.UTF-8 \
    PATH=/usr/bin:/bin:/usr/games:/usr/libexec/xscreensaver sh -c "$press; $command" </dev/null &
wait $!
