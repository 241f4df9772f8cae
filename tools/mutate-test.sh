#!/bin/sh
# Runs one test for tools/mutate.sh: COMMAND... With MUTATE_COVERAGE=FOLDER it records the executed lines
# in a folder named by the test's key, a hash of its words without folders. Otherwise the test gets 10 s and
# ten times the seconds that it took for the unchanged sources.
key=$(printf '%s\n' "$@" | sed 's|.*/||' | sha1sum | cut -c 1-12)
if [ -n "${MUTATE_COVERAGE:-}" ]; then
    export GCOV_PREFIX="$MUTATE_COVERAGE/$key"
    exec "$@"
fi
tests=$(dirname "$0")/../build-mutate/tests.tsv
[ -f "$tests" ] || exec "$@"
exec timeout "$(awk -F '\t' -v key="$key" '$4 == key { seconds = $2 } END { print 10 + 10 * seconds }' "$tests")" "$@"
