#!/bin/sh
# Selects COUNT programs of candidates.txt by chance, and prints their names. The names in the file USED, one per line, are
# skipped. The order is that of the SHA-256 hash of the seed and the name. If a program cannot be captured,
# the next one of the order replaces it.
#
#     studies/programs/draw.sh SEED COUNT [USED]
set -eu
[ $# -ge 2 ] || {
    echo 'usage: studies/programs/draw.sh SEED COUNT [USED]' >&2
    exit 2
}
grep -v '^#' "$(dirname "$0")/candidates.txt" | cut -d ' ' -f 1 | grep -vxF -f "${3:-/dev/null}" | while read -r name; do
    printf '%s %s\n' "$(printf '%s %s' "$1" "$name" | sha256sum | cut -c 1-16)" "$name"
done | sort | head -n "$2" | cut -d ' ' -f 2
