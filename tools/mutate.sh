#!/bin/sh
# `make mutate`: do the tests notice a changed line? Changes COUNT lines of src/unit, src/kernel and
# src/codec (PART: one of these), drawn by SEED, one at a time in a copy of the sources, and runs the
# tests of the part against each. What they let live is listed, to be judged: it is equivalent (the
# change changes nothing that matters), or a test is missing. Ends in a line of counts; leaves
# out/mutate/SEED.tsv (result, file, line, operator, the changed line).
#
#     tools/mutate.sh [SEED [COUNT [PART]]]
set -eu
cd "$(dirname "$0")/.."
seed=${1:-$(date +%s)}
count=${2:-100}
parts=${3:-unit kernel codec}
copy=build-mutate/copy
build=build-mutate/build
out=out/mutate/$seed.tsv

codec_tests='codec|codec_layouts|codec_levels|codecs_timed|blocks_file'
# These judge other parts, and take longest.
unrelated='cli|guest|study|vtest_server|trace_damage|shaders|endings|launch|keeper|read_back|offscreen'

say() { echo "mutate: $*"; }

# The names of the tests of a file.
tests_of() {
    case $1 in
    src/codec/*) echo "$codec_tests" | tr '|' '\n' ;;
    *) meson test -C $build --list 2>/dev/null | sed 's/.* \/ //' | grep -vxE "$unrelated|corpus_.*" ;;
    esac
}

# run NAME...: whether all of these tests pass; the rest is spared once one fails.
run() {
    [ $# = 0 ] || meson test -C $build --no-rebuild --maxfail 1 -t 0.5 "$@" >/dev/null 2>&1
}

# Whether the tests of the file pass; the slowest last: what others notice need not wait for it.
passes() {
    # shellcheck disable=SC2046  # lists of names
    run $(tests_of "$1" | grep -vx effects) && run $(tests_of "$1" | grep -x effects)
}

rm -rf $copy
mkdir -p $copy out/mutate
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t $copy
[ -f $build/build.ninja ] || meson setup -Dbuildtype=debugoptimized -Dwerror=false $build $copy >/dev/null
say "seed $seed: building what is to be changed"
ninja -C $build >/dev/null
if ! passes src/unit/any || ! passes src/codec/any; then
    say "the tests fail without any change"
    exit 1
fi

# Twice as many as wanted: those that do not compile do not count.
# shellcheck disable=SC2046,SC2086  # lists of files
awk -v seed="$seed" -v count=$((2 * count)) -f tools/mutations.awk \
    $(for part in $parts; do find "src/$part" -name '*.c' | sort; done) >build-mutate/drawn
: >"$out"

done=0
survived=0
while [ $done -lt "$count" ] && IFS='	' read -r file line operator text <&3; do
    # shellcheck disable=SC2016
    MUTATION=$text awk -v line="$line" 'NR == line { print ENVIRON["MUTATION"]; next } { print }' \
        "$file" >"$copy/$file"
    result=killed
    if ! ninja -C $build >/dev/null 2>&1; then
        result=uncompiled
    elif passes "$file"; then
        result=survived
        survived=$((survived + 1))
        say "survived: $file:$line ($operator)"
        echo "    $(sed -n "${line}p" "$file" | sed 's/^ *//')"
        echo "    $(echo "$text" | sed 's/^ *//')"
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' $result "$file" "$line" "$operator" "$text" >>"$out"
    [ $result = uncompiled ] || done=$((done + 1))
    cp "$file" "$copy/$file"
done 3<build-mutate/drawn
say "seed $seed: $done changes, $((done - survived)) noticed, $survived survived ($out)"
