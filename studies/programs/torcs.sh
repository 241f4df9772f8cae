#!/bin/sh
# Starts a race of robots in TORCS with 1024x768 pixels. The settings go to $HOME/.torcs. The menu
# needs keys, which xdotool sends. TORCS has no setting for anisotropic filtering.
#
#     studies/programs/torcs.sh
set -eu
data=/usr/share/games/torcs/config
mkdir -p "$HOME/.torcs/config/raceman"
sed -e '/name="x"/s/640/1024/' -e '/name="y"/s/480/768/' $data/screen.xml >"$HOME/.torcs/config/screen.xml"
sed '/name="module"/s/human/inferno/; /focused module/s/human/inferno/' $data/raceman/quickrace.xml \
    >"$HOME/.torcs/config/raceman/quickrace.xml"
# Race, Quick Race and New Race are the first entries of their menus. The last key starts the race.
(
    sleep 6
    for _ in 1 2 3 4; do
        xdotool key Return
        sleep 2
    done
) &
exec /usr/games/torcs
