#!/bin/sh
# `make mutate`: measures whether the tests notice changed lines. It selects COUNT lines of src with the
# random seed SEED (PART: a folder such as unit or unit/rop). It changes one line at a time in a copy of
# the sources and runs the tests: first those of the line's folder, then all others, up to the first
# failure.
#
# A change that no test notices is a survivor, unless tests/equivalent-mutants.tsv lists it as equivalent
# (no visible effect), with the reason. The last line has the counts. out/mutate/SEED.tsv has result,
# file, line, operator, the changed line, and the tests that noticed.
#
#     tools/mutate.sh [SEED [COUNT [PART...]]]
set -eu
cd "$(dirname "$0")/.."
seed=${1:-$(date +%s)}
count=${2:-100}
[ $# -lt 2 ] || shift 2
copy='build-mutate/copy'
build='build-mutate/build'
out=out/mutate/$seed.tsv
equivalent=tests/equivalent-mutants.tsv

say() { echo "mutate: $*"; }

# run LEAKS OPTION...: whether these tests pass. The first failure ends the run. Each test gets four times
# its usual time, because the host may be busy. LEAKS 1: a leak also fails a test.
run() {
    leaks=$1
    shift
    LSAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=1 \
        meson test -C $build --no-rebuild --maxfail 1 -t 4 "$@" >build-mutate/tests.log 2>&1
}

# Whether the tests pass for a change in this file. If not, $noticed is the test that failed.
passes() {
    folder=$(echo "$1" | cut -d / -f 2)
    leaks=1
    [ "$folder" != cmd ] || leaks=0 # its tests start programs whose OpenGL driver leaks memory
    run $leaks --suite "$folder" && run 0 --no-suite "$folder" && return
    noticed=$(sed -n 's/^ *[0-9]*\/[0-9]* \(.*[^ ]\)  *\(FAIL\|TIMEOUT\|ERROR\) .*/\1/p' \
        build-mutate/tests.log | head -n 1)
    return 1
}

# is_equivalent FILE TEXT: whether the list contains the change
is_equivalent() {
    FILE=$1 TEXT=$2 awk -F '\t' '
        function trimmed(text) { gsub(/^ +| +$/, "", text); return text }
        $1 == ENVIRON["FILE"] && trimmed($2) == trimmed(ENVIRON["TEXT"]) { found = 1 }
        END { exit !found }' $equivalent
}

# Unchanged files keep their modification time, so they are not rebuilt. With shared libraries, a change
# relinks the libraries but not every test.
mkdir -p $copy out/mutate
git ls-files --cached --others --exclude-standard | while read -r file; do
    cmp -s "$file" "$copy/$file" || cp --parents "$file" $copy
done
(cd $copy && find . -type f) | while read -r file; do [ -e "$file" ] || rm "$copy/$file"; done
sed -E "s/^(libmachine|libaetius) = static_library/\1 = shared_library/" meson.build >$copy/meson.build.shared
mv $copy/meson.build.shared $copy/meson.build
[ -f $build/build.ninja ] ||
    meson setup -Dbuildtype=plain -Dinvariants=true -Dc_args=-O1 -Db_sanitize=leak -Db_lundef=false \
        $build $copy >/dev/null
# Completions are written by a copy of the program in another folder.
export LD_LIBRARY_PATH="$PWD/$build"
say "seed $seed: building the unchanged sources"
if ! ninja -C $build >build-mutate/tests.log 2>&1; then
    say "the unchanged sources do not build: see build-mutate/tests.log"
    exit 1
fi
# A run that continues an earlier one need not test the unchanged sources again.
sources=$(cd $copy && find . -type f | sort | xargs sha256sum | sha256sum)
if [ "$sources" != "$(cat build-mutate/passed 2>/dev/null)" ]; then
    if ! run 0; then
        say "a test fails for the unchanged sources: see build-mutate/tests.log"
        exit 1
    fi
    echo "$sources" >build-mutate/passed
fi

# Selects twice as many changes as requested, because some do not compile.
# shellcheck disable=SC2046  # lists of files
(cd $copy && awk -v seed="$seed" -v count=$((2 * count)) -f tools/mutations.awk \
    $(for part in "${@:-.}"; do find "src/$part" -name '*.c' | sed 's|/\./|/|' | sort; done)) >build-mutate/drawn
touch "$out"

# tried FILE LINE OPERATOR TEXT: the result of an earlier run, or nothing
tried() {
    FILE=$1 LINE=$2 OPERATOR=$3 TEXT=$4 awk -F '\t' '
        $2 == ENVIRON["FILE"] && $3 == ENVIRON["LINE"] && $4 == ENVIRON["OPERATOR"] &&
            $5 == ENVIRON["TEXT"] { print $1; exit }' "$out"
}

# Tests the selected change. Sets $result, and $noticed if it was killed.
try() {
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
        say "survived: $file:$line ($operator)"
        echo "    $(sed -n "${line}p" build-mutate/sound.c | sed 's/^ *//')"
        echo "    $(echo "$text" | sed 's/^ *//')"
    fi
    cp build-mutate/sound.c "$copy/$file"
}

done=0
survived=0
same=0
while [ $done -lt "$count" ] && IFS='	' read -r file line operator text <&3; do
    result=$(tried "$file" "$line" "$operator" "$text")
    if [ -z "$result" ]; then
        try
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' $result "$file" "$line" "$operator" "$text" "$noticed" >>"$out"
    fi
    [ $result = uncompiled ] || done=$((done + 1))
    [ $result != survived ] || ! is_equivalent "$file" "$text" || result=equivalent
    [ $result != equivalent ] || same=$((same + 1))
    [ $result != survived ] || survived=$((survived + 1))
done 3<build-mutate/drawn
say "seed $seed: $done changes, $((done - survived - same)) noticed, $same equivalent, $survived survived ($out)"
