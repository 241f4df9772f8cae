#!/bin/sh
# Builds the Direct3D programs of this folder for Windows, with MinGW (package gcc-mingw-w64-x86-64):
#
#     benchmarks/d3d/build.sh FOLDER
#
# Aetius runs them through Wine: aetius capture -o FILE -- wine FOLDER/lights.exe
set -eu
out=$(realpath -m "$1")
cd "$(dirname "$0")"
mkdir -p "$out"
compile() {
    name=$1
    shift
    x86_64-w64-mingw32-gcc -std=gnu17 -O2 -Wall -Wextra -Werror -static -o "$out/$name.exe" "$@" -ld3d9
}
for scene in lights shaders textures stencil; do
    compile "$scene" "$scene.c" scene9.c common.c
done
compile eight eight.c common.c
compile ten ten.c common.c -ld3d10 -ldxguid
