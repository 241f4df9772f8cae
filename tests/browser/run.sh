#!/bin/sh
# The report page in a real browser: Debian's chromium, driven by playwright-core (npm; the version and
# its hash in package-lock.json). Ends with 77 and a word where one of them is not to be had.
#
#     tests/browser/run.sh build/aetius FOLDER
#
# FOLDER gets the runs, the pages and node_modules.
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
[ -n "$browser" ] || skip "there is no chromium"
command -v node >/dev/null && command -v npm >/dev/null || skip "there is no node with npm"
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
