#!/bin/sh
# Counts the host instructions of `aetius sim` for three small traces with valgrind, and compares them
# with tests/golden/instructions.txt. Fails if a count is more than 0.5 % higher. --renew rewrites the
# file. Instructions for run.json are not counted. The counts are valid for one compiler and one C
# library, which the file names. With others the script exits with 77 and a message.
#
#     tools/instructions.sh [--renew] AETIUS
set -eu
cd "$(dirname "$0")/.."
file=tests/golden/instructions.txt
renew=
[ "${1:-}" = --renew ] && { renew=yes; shift; }
aetius=${1:?usage: tools/instructions.sh [--renew] AETIUS}
limit=0.5

command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
built_by="$(strings "$aetius" | grep -m 1 '^GCC: ' || echo unknown), $(getconf GNU_LIBC_VERSION)"
if [ -z "$renew" ] && [ "$(head -n 1 $file)" != "# $built_by" ]; then
    echo "skipped: the counts are for $(head -n 1 $file); this build is for $built_by"
    exit 77
fi

echo "# $built_by" >"$work/counts"
# Selects the C library's baseline x86-64 functions, so that counts do not depend on the processor.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX_Fast_Unaligned_Load,-AVX2,-AVX512F,-AVX512VL,-BMI2,-ERMS,-FMA,-FMA4,-FSRM,-LZCNT,-MOVBE,-SSE4_1,-SSE4_2,-SSSE3:glibc.cpu.x86_non_temporal_threshold=0xc0000

# Excludes run.json, because a slower run writes it more often. Also excludes the summary's reading of
# the table of draws, which is no simulation. Entering these functions turns counting off, leaving them
# turns it on. (--collect-atstart must come last.)
count() {
    trace=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=run_to_json \
        --toggle-collect=run_totals --toggle-collect=draws_read --collect-atstart=yes \
        "$aetius" sim "tests/golden/$trace.trace" \
        --preset reference-2008 -o "$work/$trace" "$@" 2>&1 |
        awk -v trace="$trace" '/ refs:/ { gsub(",", "", $NF); print trace, $NF }' >>"$work/counts"
}
count tiny
count buffers
count workloads --frames 4
if [ -n "$renew" ]; then
    cp "$work/counts" $file
    cat $file
    exit
fi
awk -v limit=$limit '
    /^#/ { next }
    NR == FNR { was[$1] = $2; next }
    { more = 100 * ($2 / was[$1] - 1); seen++
      printf "%-10s %12.0f instructions, %+.2f %%\n", $1, $2, more
      if (more > limit) { bad = 1 }
      if (more < -limit) print "           fewer than before: tools/instructions.sh --renew" }
    END { exit bad || seen != 3 }' $file "$work/counts"
