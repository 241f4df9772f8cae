#!/bin/sh
# `make install`: builds the product without its tests, and installs it into PREFIX (below DESTDIR). The
# build folder is build-install, or a temporary folder if the tree is read-only.
#
#     tools/install.sh PREFIX
set -eu
cd "$(dirname "$0")/.."
build='build-install'
if [ ! -w . ]; then
    build=$(mktemp -d)
    trap 'rm -rf "$build"' EXIT
fi
reconfigure=
[ ! -f "$build/build.ninja" ] || reconfigure=--reconfigure
meson setup $reconfigure -Dtests=false -Dbuildtype=release --prefix="$1" "$build"
ninja -C "$build"
meson install --no-rebuild -C "$build"
