#!/bin/sh
# Runs one test for tools/mutate.sh: COMMAND... With MUTATE_COVERAGE=FOLDER it records the executed lines
# there. Otherwise the test gets 10 s and ten times the seconds that it took for the unchanged sources.
key=$(printf '%s ' "$@" | sha1sum | cut -c 1-12)
if [ -n "${MUTATE_COVERAGE:-}" ]; then
    export GCOV_PREFIX="$MUTATE_COVERAGE/$key"
    exec "$@"
fi
here=$(dirname "$0")/../build-mutate
export GCOV_PREFIX="$here/counts"
exec timeout "$(awk -F '\t' -v key="$key" '$4 == key { seconds = $2 } END { print 10 + 10 * seconds }' "$here/tests.tsv")" "$@"
