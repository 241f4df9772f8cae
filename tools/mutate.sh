#!/bin/sh
# `make mutate`: do the tests notice a changed line? Changes COUNT lines of src/unit, src/core, src/params and
# src/codec (PART: one of these, or a folder in it, as unit/rop), drawn by SEED, one at a time in a
# copy of the sources, and runs the tests of the part against each: those of its folder first, then
# the other tests of the machine, then the effects of the folder's parameters; the first that fails
# ends it. What they let live is listed, to be judged: it is equivalent (the change changes nothing
# that matters), or a test is missing. Ends in a line of counts; leaves out/mutate/SEED.tsv (result,
# file, line, operator, the changed line, by what it was noticed). With EFFECTS=0 the effects, by far
# the longest, are left out.
#
#     tools/mutate.sh [SEED [COUNT [PART]]]
set -eu
cd "$(dirname "$0")/.."
seed=${1:-$(date +%s)}
count=${2:-100}
parts=${3:-unit core params codec}
copy='build-mutate/copy'
build='build-mutate/build'
out=out/mutate/$seed.tsv

codec_tests='codec codec_layouts codec_levels codecs_timed blocks_file'
# Other tests of the machine: each simulates.
machine_tests='figures machine rop masked_writes fragment_timing sched lanes levels hz
    fixed_function_timing shader_timing texture_timing memory_timing reuse upload restart replacement
    depth_clear cleared draw_buffers multisample offscreen pipelined watch faults memory_need run vcd
    metrics stats params many damage overlap leaving rows blitter
    block_states charges counters states memory_charges corpus_machine refresh command_stream path
    ideals verdicts'

say() { echo "mutate: $*"; }

# The tests that are there, of those named.
existing() {
    for name in "$@"; do
        if [ -x "$build/tests/test_$name" ] || [ -x "$build/tests/$name" ]; then echo "$name"; fi
    done
}

# The tests of a file's folder.
near() {
    case $1 in
    src/codec/*) echo "$codec_tests" ;;
    src/core/*) echo kernel stats path memory_timing ;;
    src/params/*) echo params cli sweep memory_timing ;;
    src/unit/rop/*) echo rop states counters charges masked_writes fragment_timing depth_clear \
        cleared multisample ;;
    src/unit/memory/*) echo memory_timing memory_charges charges rows fragment_timing figures ;;
    src/unit/raster/*) echo fixed_function_timing states counters charges levels fragment_timing \
        hz ;;
    src/unit/shader/*) echo shader_timing states charges sched lanes static_cost ;;
    src/unit/texture/*) echo texture_timing states counters charges ;;
    src/unit/frontend/*) echo fixed_function_timing states counters charges reuse upload restart \
        pipelined ;;
    *) echo replacement watch follow figures ;;
    esac
}

# Sections of the parameters that the folder's units take.
sections() {
    case $1 in
    src/unit/rop/*) echo ZSTENCILTEST. COLORWRITE. ;;
    src/unit/memory/*) echo MEMORYCONTROLLER. ;;
    src/unit/raster/*) echo RASTERIZER. ;;
    src/unit/shader/*) echo SHADER. FRAGMENTSHADER. VERTEXSHADER. ;;
    src/unit/texture/*) echo FRAGMENTSHADER.T ;;
    src/unit/display/*) echo DAC. ;;
    src/unit/frontend/*) echo COMMANDPROCESSOR. STREAMER. PRIMITIVEASSEMBLY. CLIPPER. ;;
    esac
}

# run NAME...: whether all of these tests pass; the rest is spared once one fails.
run() {
    [ $# = 0 ] || meson test -C $build --no-rebuild --maxfail 1 -t 0.15 "$@" >/dev/null 2>&1
}

# Whether the tests of the file pass; if not, $noticed says which did not.
passes() {
    # shellcheck disable=SC2046,SC2086  # lists of names
    noticed=near && run $(existing $(near "$1")) || return 1
    case $1 in src/codec/*) return 0 ;; esac
    # shellcheck disable=SC2046,SC2086
    noticed=machine && run $(existing $machine_tests) || return 1
    noticed=effects
    [ "${EFFECTS:-1}" = 0 ] && return 0
    for section in $(sections "$1"); do
        AETIUS_PARAMETER=$section timeout 900 $build/tests/test_effects $build/aetius \
            >/dev/null 2>&1 || return 1
    done
}

# What has not changed keeps its time, and is not built anew. A leak fails a test, as it does in
# `make check`. Shared, the library alone is linked for
# a change, not every test.
mkdir -p $copy out/mutate
git ls-files --cached --others --exclude-standard | while read -r file; do
    cmp -s "$file" "$copy/$file" || cp --parents "$file" $copy
done
sed "s/^libaetius = static_library/libaetius = shared_library/" meson.build >$copy/meson.build.shared
mv $copy/meson.build.shared $copy/meson.build
[ -f $build/build.ninja ] ||
    meson setup -Dbuildtype=plain -Dc_args=-O1 -Dc_link_args=-fsanitize=leak -Dwerror=false \
        $build $copy >/dev/null
say "seed $seed: building what is to be changed"
ninja -C $build >/dev/null
if ! EFFECTS=0 passes src/unit/any || ! passes src/codec/any; then
    say "the tests fail without any change"
    exit 1
fi

# Twice as many as wanted: those that do not compile do not count.
# shellcheck disable=SC2046,SC2086  # lists of files
(cd $copy && awk -v seed="$seed" -v count=$((2 * count)) -f tools/mutations.awk \
    $(for part in $parts; do find "src/$part" -name '*.c' | sort; done)) >build-mutate/drawn
: >"$out"

done=0
survived=0
while [ $done -lt "$count" ] && IFS='	' read -r file line operator text <&3; do
    cp "$copy/$file" build-mutate/sound.c
    # shellcheck disable=SC2016
    MUTATION=$text awk -v line="$line" 'NR == line { print ENVIRON["MUTATION"]; next } { print }' \
        build-mutate/sound.c >"$copy/$file"
    result=killed
    noticed=
    if ! ninja -C $build >/dev/null 2>&1; then
        result=uncompiled
    elif passes "$file"; then
        result=survived
        noticed=
        survived=$((survived + 1))
        say "survived: $file:$line ($operator)"
        echo "    $(sed -n "${line}p" build-mutate/sound.c | sed 's/^ *//')"
        echo "    $(echo "$text" | sed 's/^ *//')"
    fi
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' $result "$file" "$line" "$operator" "$text" "$noticed" >>"$out"
    [ $result = uncompiled ] || done=$((done + 1))
    cp build-mutate/sound.c "$copy/$file"
done 3<build-mutate/drawn
say "seed $seed: $done changes, $((done - survived)) noticed, $survived survived ($out)"
