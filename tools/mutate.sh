#!/bin/sh
# `make mutate`: measures whether the tests notice changed lines. It selects COUNT lines of src with the
# random seed SEED (PART: a folder such as unit or unit/rop). It changes one line at a time in a copy of
# the sources and runs the tests that execute the line, short ones first, up to the first failure. A first
# run of the unchanged sources records which lines each test executes, unless a signal ends the process.
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
counted='build-mutate/counted' # the unchanged sources, built to count executed lines
log=$build/meson-logs/testlog-mutate-test.sh.json
out=out/mutate/$seed.tsv
equivalent=tests/equivalent-mutants.tsv

say() { echo "mutate: $*"; }

# run LEAKS OPTION...: runs tests. LEAKS 1: a leak also fails a test. tools/mutate-test.sh limits their time.
run() {
    leaks=$1
    shift
    LSAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=1 \
        meson test -C $build --no-rebuild -t 0 --wrapper "$PWD/tools/mutate-test.sh" "$@" >build-mutate/tests.log 2>&1
}

# Names of the tests that failed in the latest run.
failed_tests() {
    jq -r 'select(.result | IN("FAIL", "ERROR", "TIMEOUT")) | .name | sub(".* / "; "")' $log
}

# Runs the tests and records the lines that each executes. Their results are not used.
record_coverage() {
    rm -rf build-mutate/coverage
    [ -f $counted/build.ninja ] || configure $counted -Db_coverage=true
    ninja -C $counted >build-mutate/tests.log 2>&1 || return 1
    MUTATE_COVERAGE=$PWD/build-mutate/coverage LD_LIBRARY_PATH=$PWD/$counted \
        meson test -C $counted --no-rebuild --wrapper "$PWD/tools/mutate-test.sh" >build-mutate/tests.log 2>&1 || true
}

# Tests the unchanged sources. Writes build-mutate/tests.tsv: name, seconds, 1 if it passes the check for
# leaks (programs whose OpenGL driver leaks memory do not), and its key.
test_unchanged() {
    rm -f build-mutate/tests.tsv
    run 1 || true
    failed_tests >build-mutate/leaky
    jq -r '[(.name | sub(".* / "; "")), .duration] | @tsv' $log >build-mutate/durations
    # shellcheck disable=SC2046  # names of tests
    if [ -s build-mutate/leaky ] && ! run 0 $(cat build-mutate/leaky); then
        return 1
    fi
    while IFS='	' read -r name seconds; do
        leaks=1
        ! grep -qxF "$name" build-mutate/leaky || leaks=0
        printf '%s\t%s\t%s\t%s\n' "$name" "$seconds" $leaks "$(key_of "$name")"
    done <build-mutate/durations >build-mutate/tests.tsv
}

# Prints the key of a test: see tools/mutate-test.sh.
key_of() {
    meson introspect --tests $build | jq -r --arg name "$1" '.[] | select(.name == $name) | .cmd[] | sub(".*/"; "")' |
        sha1sum | cut -c 1-12
}

# covers KEY FILE LINE: whether the test executed the line, or the nearest line with code before it.
covers() {
    object=$(echo "$2" | tr / _)
    find "build-mutate/coverage/$1" -name "$object.gcda" 2>/dev/null | while read -r counts; do
        target=$(basename "$(dirname "$counts")")
        rm -rf build-mutate/gcov
        mkdir build-mutate/gcov
        cp "$counts" "$(find $counted -path "*/$target/$object.gcno" | head -n 1)" build-mutate/gcov
        gcov --json-format --stdout "build-mutate/gcov/$object.gcda" 2>/dev/null |
            jq -e --arg file "$2" --argjson line "$3" '[.files[] | select(.file | endswith($file)) | .lines[] |
                select(.line_number <= $line)] | group_by(.line_number) | last | any(.count > 0)' >/dev/null &&
            echo yes
    done | grep -q yes
}

# batch AWK: runs the tests whose row in build-mutate/order satisfies the condition. A failure sets $noticed.
batch() {
    for leaks in 1 0; do
        names=$(awk -F '\t' -v leaks=$leaks "\$3 == leaks && ($1) { print \$1 }" build-mutate/order)
        # shellcheck disable=SC2086  # names of tests
        if [ -n "$names" ] && ! run $leaks --maxfail 1 $names; then
            noticed=$(failed_tests | head -n 1)
            [ -n "$noticed" ] || { say "meson test failed: see build-mutate/tests.log"; exit 1; }
            return 1
        fi
    done
}

# passes FILE LINE: whether all tests that execute this line pass
passes() {
    while IFS='	' read -r name seconds leaks key; do
        covering=0
        ! covers "$key" "$1" "$2" || covering=1
        printf '%s\t%s\t%s\t%s\n' "$name" "$seconds" "$leaks" $covering
    done <build-mutate/tests.tsv >build-mutate/order
    # shellcheck disable=SC2016  # fields of awk
    batch '$4 && $2 < 2' && batch '$4 && $2 >= 2'
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
configure() {
    folder=$1
    shift
    meson setup -Dbuildtype=plain -Dinvariants=true -Dc_args=-O1 -Db_lundef=false "$@" "$folder" $copy >/dev/null
}
[ -f $build/build.ninja ] || configure $build -Db_sanitize=leak
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
    if ! record_coverage || ! test_unchanged; then
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
    elif passes "$file" "$line"; then
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
