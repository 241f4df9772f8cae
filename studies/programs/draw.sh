#!/bin/sh
# Selects COUNT programs of LIST (candidates.txt) by chance, and prints their names. The names in the file USED,
# one per line, are skipped. The order is that of the SHA-256 hash of the seed and the name. If a program cannot
# be captured, the next one of the order replaces it.
#
#     studies/programs/draw.sh SEED COUNT [USED [LIST]]
set -eu
[ $# -ge 2 ] || {
    echo 'usage: studies/programs/draw.sh SEED COUNT [USED [LIST]]' >&2
    exit 2
}
list=${4:-$(dirname "$0")/candidates.txt}
grep -v '^#' "$list" | cut -d ' ' -f 1 | grep -vxF -f "${3:-/dev/null}" | while read -r name; do
    printf '%s %s\n' "$(printf '%s %s' "$1" "$name" | sha256sum | cut -c 1-16)" "$name"
done | sort | head -n "$2" | cut -d ' ' -f 2
