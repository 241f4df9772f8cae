#!/bin/sh
# Starts a battle of computer players in MegaGlest with 8x anisotropic filtering. The settings go to
# $HOME/.megaglest. The game always fills the screen, which has 1280x1024 pixels during a capture.
#
#     studies/programs/megaglest.sh
set -eu
mkdir -p "$HOME/.megaglest"
printf '%s\n' Filter=Trilinear FilterMaxAnisotropy=8 >"$HOME/.megaglest/glestuser.ini"
exec /usr/games/megaglest --auto-test=60
