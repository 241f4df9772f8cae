#!/bin/sh
# Starts a run of Extreme Tux Racer. The game fills the screen, which has 1280x1024 pixels during a capture.
# The menus need keys, which xdotool sends: the first character, practice, the first course.
# With a wait of 4 seconds, some captures ended in the menus. Without sound, the game prints gigabytes of
# errors, which are discarded.
#
#     studies/programs/etr.sh
set -eu
(
    sleep 8
    for key in Return Down Return Return Return Return; do
        xdotool key $key
        sleep 1.5
    done
) &
exec /usr/games/etr >/dev/null 2>&1
