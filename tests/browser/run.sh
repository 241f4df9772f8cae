#!/bin/sh
# Tests the report page in a real browser: Debian's chromium, controlled by playwright-core (npm;
# package-lock.json contains the version and its hash). Exits with 77 and a message if one of them is missing.
#
#     tests/browser/run.sh build/aetius FOLDER
#
# The script writes the runs, the pages and node_modules to FOLDER.
set -eu
aetius=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
cd "$(dirname "$0")"

skip() {
    echo "skipped: $*"
    exit 77
}
browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || skip "chromium is not installed"
command -v node >/dev/null && command -v npm >/dev/null || skip "node or npm is not installed"
cp package.json package-lock.json ./*.mjs "$work"
cd "$work"
if ! cmp -s package-lock.json node_modules/.of.json; then
    npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1 ||
        skip "npm cannot fetch playwright-core and prettier: $(grep -m 1 . npm.log)"
    cp package-lock.json node_modules/.of.json
fi
"$browser" --headless --no-sandbox --dump-dom about:blank >browser.log 2>&1 ||
    skip "chromium does not start here: $(tail -n 1 browser.log)"
cd - >/dev/null
exec node "$work/page.mjs" "$aetius" "$browser" "$(realpath ../golden)" "$work"
