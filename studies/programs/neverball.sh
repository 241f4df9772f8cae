#!/bin/sh
# Starts Neverball with 1024x768 pixels and 8x anisotropic filtering. The settings go to $HOME/.neverball.
#
#     studies/programs/neverball.sh [OPTION of Neverball]...
set -eu
mkdir -p "$HOME/.neverball"
printf '%s\n' 'width 1024' 'height 768' 'aniso 8' 'multisample 0' 'reflection 1' 'shadow 1' 'background 1' \
    'fullscreen 0' 'vsync 0' >"$HOME/.neverball/neverballrc"
exec /usr/games/neverball "$@"
