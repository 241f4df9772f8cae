#!/bin/sh
# Prints a header with the hash of the sources that determine simulation results. The hash is part of the
# name under which sweeps store a run. Without OUT: only lists these files.
#
#     tools/model-version.sh [OUT]
set -eu
out=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."
# All of src except code that only selects, collects or displays runs. Of the analyses, only the one that
# writes into a run is included.
files() {
    find src -type f -name '*.[chd]*' |
        grep -vE '^src/(analysis|model|sweep|study|cmd|shim)/'
    find src/analysis -type f -name 'compression*.[chd]*'
}
if [ -z "$out" ]; then
    files | LC_ALL=C sort | sed "s|^|$PWD/|"
else
    version=$(files | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c 1-16)
    printf '#define AETIUS_MODEL "%s"\n' "$version" >"$out"
fi
