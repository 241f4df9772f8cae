#!/bin/sh
# Captures one frame of a candidate into TRACE. The program runs in a new folder that is its HOME, without
# sound. It is terminated after SECONDS.
#
#     studies/programs/capture.sh AETIUS NAME TRACE [SECONDS]
set -eu
[ $# -ge 3 ] || {
    echo 'usage: studies/programs/capture.sh AETIUS NAME TRACE [SECONDS]' >&2
    exit 2
}
aetius=$(realpath "$1") trace=$(realpath -m "$3")
line=$("$(dirname "$0")/candidates.sh" | awk -F '\t' -v name="$2" '$1 == name')
[ -n "$line" ] || {
    echo "capture.sh: candidates.sh has no program $2" >&2
    exit 1
}
frame=$(printf '%s' "$line" | cut -f 2) command=$(printf '%s' "$line" | cut -f 3-)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cd "$home"
# shellcheck disable=SC2016  # expanded where it runs
press='press() {
    while :; do for key; do sleep 1; xdotool mousemove 200 200 key "$key"; done; done &
}'
env -u DISPLAY -u WAYLAND_DISPLAY -u DBUS_SESSION_BUS_ADDRESS -u PULSE_SERVER HOME="$home" \
    XDG_RUNTIME_DIR="$home" SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null NO_AT_BRIDGE=1 LC_ALL=C.UTF-8 \
    PATH=/usr/bin:/bin:/usr/games:/usr/libexec/xscreensaver \
    timeout -k 10 "${4:-120}" "$aetius" capture --force -o "$trace" --frames "$frame" --clock 60 --stop -- \
    sh -c "$press; $command" </dev/null
