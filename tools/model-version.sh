#!/bin/sh
# A header with the hash of the sources that decide what a simulation comes to: runs of sweeps are
# kept under a name that it is part of. Without OUT: only lists these files.
#
#     tools/model-version.sh [OUT]
set -eu
out=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."
files() {
    find src/*.def src/base src/core src/isa src/codec src/state src/gfx src/trace src/unit src/sim \
        src/report src/analysis/compression* -type f -name '*.[chd]*' | LC_ALL=C sort
}
if [ -z "$out" ]; then
    files | sed "s|^|$PWD/|"
else
    version=$(files | xargs sha256sum | sha256sum | cut -c 1-16)
    printf '#define AETIUS_MODEL "%s"\n' "$version" >"$out"
fi
