#!/bin/sh
# Formats the JavaScript of the report page and of its test with prettier (npm; the version and its hash
# are in tests/browser/package-lock.json). With --check it changes nothing, and fails with the names of
# unformatted files. Exits with 77 and a message if prettier is not available.
#
#     tools/format-js.sh [--check] [FOLDER]      FOLDER (build/js) gets node_modules
set -eu
cd "$(dirname "$0")/.."
mode=--write
[ "${1:-}" = --check ] && { mode=--check; shift; }
work=${1:-build/js}

skip() {
    echo "skipped: $*"
    exit 77
}
command -v node >/dev/null && command -v npm >/dev/null || skip "there is no node with npm"
mkdir -p "$work"
if ! cmp -s tests/browser/package-lock.json "$work/node_modules/.of.json"; then
    cp tests/browser/package.json tests/browser/package-lock.json "$work"
    (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
        skip "npm cannot fetch prettier: $(grep -m 1 . "$work/npm.log")"
    cp tests/browser/package-lock.json "$work/node_modules/.of.json"
fi
exec node "$work/node_modules/prettier/bin/prettier.cjs" $mode --log-level warn \
    --config tests/browser/prettier.json src/report/page/*.js tests/browser/*.mjs
