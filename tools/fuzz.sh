#!/bin/sh
# `make fuzz TIME=1800`: runs each fuzz target for SECONDS, one after the other, with ASan, UBSan and
# invariants. Starts from tests/fuzz/corpus. New inputs are in out/fuzz, crashes as crash-*.
#
#     tools/fuzz.sh [SECONDS [TARGET...]]
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-1800}
[ $# = 0 ] || shift
targets=${*:-$(ls tests/fuzz/corpus)}
build=build-fuzz

[ -f $build/build.ninja ] ||
    CC=clang CFLAGS='' LDFLAGS='' meson setup --werror -Db_sanitize=address,undefined -Db_lundef=false \
        -Dbuildtype=debugoptimized -Dinvariants=true $build
for target in $targets; do
    ninja -C $build "tests/fuzz_$target"
done

bad=0
for target in $targets; do
    out=out/fuzz/$target
    mkdir -p "$out/corpus"
    quiet=0
    [ "$target" != ini ] || quiet=2 # most parameters cause a warning
    echo "$target: $seconds s"
    if nice "$build/tests/fuzz_$target" -max_total_time="$seconds" -timeout=20 -max_len=65536 \
        -rss_limit_mb=4096 -close_fd_mask=$quiet -artifact_prefix="$out/" \
        "$out/corpus" "tests/fuzz/corpus/$target" >"$out/log" 2>&1; then
        tail -n 1 "$out/log"
    else
        bad=1
        grep -m1 -E 'ERROR|SUMMARY|runtime error|BUG' "$out/log" || tail -n 3 "$out/log"
        echo "$target: stopped; see $out/log"
    fi
done
exit $bad
