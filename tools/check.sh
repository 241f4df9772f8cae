#!/bin/sh
# Runs every check (`make check`). The last line is `N passed, N failed`; it counts steps, and each test
# case of the unit tests.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$(pwd)
work=$root/build-check
readonly golden=tests/golden/tiny.trace
readonly workloads=tests/golden/workloads.trace
mkdir -p "$work/logs"
rm -f "$work/result"

passed=0
failed=0

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "FAILED  $*"
}

# step NAME COMMAND...: runs one check; prints its output only if it fails. A command that exits with 77
# and prints "skipped: why" counts neither as passed nor as failed.
step() {
    name=$1
    shift
    log="$work/logs/$(echo "$name" | tr -c 'a-zA-Z0-9\n' '-').log"
    begin=$(date +%s)
    status=0
    "$@" >"$log" 2>&1 || status=$?
    if [ $status = 0 ]; then
        pass
        echo "ok      $name ($(($(date +%s) - begin)) s)"
    elif [ $status = 77 ] && grep -q '^skipped: ' "$log"; then
        echo "skipped $name: $(sed -n 's/^skipped: //p' "$log" | tail -n 1)"
    else
        fail "$name"
        tail -n 40 "$log" | sed 's/^/        /'
        return 1
    fi
}

formatted() { find src tests benchmarks -name '*.[ch]' | xargs clang-format --dry-run --Werror; }

short_files() {
    find src -type f | xargs wc -l | awk '$2 != "total" && $1 > 800 { print; bad = 1 }
                                          END { exit bad }'
}

# build NAME COMPILER TARGETS OPTIONS...: build-check/NAME. Four builds, each for what the others cannot
# find:
#   gcc-O3      what users run: its tests, host instructions, live programs
#   sanitizers  clang -O2: the tests again, with invariants, for undefined behaviour and leaks
#   gcc-O0      with invariants: the traces on many machines; results without optimization
#   clang-O3    results of the other compiler's optimization
build() {
    dir=$work/$1
    compiler=$2
    targets=$3
    shift 3
    if [ ! -f "$dir/build.ninja" ] || ! meson configure "$dir" "$@"; then
        rm -rf "$dir"
        CC=$compiler CFLAGS='' LDFLAGS='' meson setup --werror "$@" "$dir" || return 1
    fi
    # shellcheck disable=SC2086  # a list of words
    ninja -C "$dir" $targets
}

# Counts the test cases of a build's last run: "passed failed skipped". A crashed program counts as a
# failure even if it printed none.
count_cases() {
    jq -rs '
        def cases: [(.stdout // "") | split("\n")[] | select(test("^(not )?ok [0-9]"))];
        def skipped: map(select(test("# SKIP")));
        map(cases as $c
            | ($c - ($c | skipped)) as $run
            | ($run | map(select(startswith("not "))) | length) as $bad
            | {passed: (($run | length) - $bad),
               failed: (if $bad == 0 and .result != "OK" and .result != "SKIP" then 1 else $bad end),
               skipped: ($c | skipped | length)})
        | "\(map(.passed) | add // 0) \(map(.failed) | add // 0) \(map(.skipped) | add // 0)"
    ' "$1/meson-logs/testlog.json"
}

# Output of the failed programs: their failed cases with reasons, and the end of standard error.
failures() {
    jq -r '
        select(.result != "OK" and .result != "SKIP")
        | "\(.name): \(.result), exit status \(.returncode)",
          ((.stdout // "") | split("\n")[] | select(test("^(not ok|#|Bail out)"))),
          ((.stderr // "") | split("\n") | .[-30:][])
    ' "$1/meson-logs/testlog.json" | head -n 100 | sed 's/^/        /'
}

# unit_tests NAME: runs the tests of build-check/NAME and counts every case.
unit_tests() {
    dir=$work/$1
    begin=$(date +%s)
    rm -f "$dir/meson-logs/testlog.json"
    meson test -C "$dir" --no-rebuild >"$work/logs/tests-$1.log" 2>&1
    status=$?
    if [ ! -f "$dir/meson-logs/testlog.json" ]; then
        fail "tests, $1: none ran"
        tail -n 20 "$work/logs/tests-$1.log"
        return
    fi
    # shellcheck disable=SC2046  # three numbers
    set -- "$1" $(count_cases "$dir")
    passed=$((passed + $2))
    failed=$((failed + $3))
    took="$(($(date +%s) - begin)) s"
    if [ "$3" = 0 ] && [ $status = 0 ]; then
        echo "ok      tests, $1: $2 cases, $4 skipped ($took)"
    else
        echo "FAILED  tests, $1: $2 passed, $3 failed, $4 skipped ($took)"
        [ "$3" != 0 ] || fail "tests, $1: meson test ended with $status"
        failures "$dir"
    fi
}

commands() { "$1" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }

# Checks that help text fits a terminal of 80 columns.
answers_help() {
    COLUMNS=80 "$1" "$2" --help | awk -v usage="usage: aetius $2" '
        index($0, usage) == 1 { named = 1 }
        length > 80 { print; wide = 1 }
        END { exit wide || !named }'
}

# results BINARY FOLDER OPTIONS...: stores the results of a run that must not depend on the compiler, or
# on the process that simulates a frame: pictures, cycles, statistics, parameters.
results() {
    binary=$1
    folder=$2
    shift 2
    "$binary" sim "$golden" --force -o "$folder" "$@" || return 1
    (
        cd "$folder" || exit 1
        jq -c '{picture_hash, cycles, frames, width, height}' run.json
        sha256sum stats.*.csv.gz machine.ini frames/*.png
    ) >"$folder.results"
}

# same_results BUILD [OPTIONS...]: checks that a build has the same results as build gcc-O3
same_results() {
    binary=$work/$1/aetius
    at=$work/results/$(echo "$*" | tr -d ' ')
    shift
    results "$binary" "$at" "$@" || return 1
    diff "$work/results/gcc-O3.results" "$at.results"
}

# Checks that a frame's row in the table of frames is the same without simulating earlier frames.
frame_alone() {
    "$aetius" sim "$golden" --frames 1 --force -o "$work/results/alone" || return 1
    gunzip -c "$work/results/alone/stats.frames.csv.gz" | tail -n 1 >"$work/results/alone.row"
    gunzip -c "$work/results/gcc-O3/stats.frames.csv.gz" | grep '^1,1,' |
        diff - "$work/results/alone.row"
}

# Checks that each name on the page about coverage is a statistic.
covered_statistics_exist() {
    "$aetius" stats --json --preset reference-2008 |
        jq -r '.statistics[].name | sub("\\[[0-9]+\\]"; "")' >"$work/statistics.names"
    grep -o '`[a-z_]*\.[a-z0-9_]*`' docs/statistics-coverage.md | tr -d '`' | sort -u |
        grep -vxFf "$work/statistics.names" | grep -v '\.md$\|^a\.b$' && return 1
    return 0
}

# Checks that each statistic is nonzero on some machine: runs the traces of the repository on several
# machines, and adds the runs of real_scenes. Statistics that only the games of `make real` use are
# excused by name here. The build has invariants, so these runs check them too.
statistics_used() {
    checked=$work/gcc-O0/aetius
    for preset in reference-2005 reference-2008; do
        for choice in RASTERIZER.Generator=seven-level RASTERIZER.Generator=scan \
            RASTERIZER.Generator=recursive GPU.UnifiedShader=FALSE \
            RASTERIZER.TriangleSetupOnShader=TRUE MEMORYCONTROLLER.SystemMemory=TRUE; do
            "$checked" sim "$golden" --preset $preset --set $choice --force \
                -o "$work/results/used-$preset-$choice" || return 1
        done
    done
    "$checked" sim "$workloads" --preset reference-2008 --force -o "$work/results/used-workloads" &&
        "$checked" sim "$workloads" --preset reference-2008 --config tests/golden/tight.ini \
            --jobs 2 --force -o "$work/results/used-tight" &&
        "$checked" sim "$workloads" --preset g70-like --force -o "$work/results/used-g70" &&
        "$checked" sim tests/golden/bound.trace --preset g70-like --force -o "$work/results/used-bound" &&
        "$checked" sim tests/golden/faults.trace --frames 5,9,23 --force -o "$work/results/used-faults" &&
        "$checked" sim tests/golden/buffers.trace --force -o "$work/results/used-buffers" || return 1
    for other in blocks streams emission captured; do
        "$checked" sim tests/golden/$other.trace --force -o "$work/results/used-$other" || return 1
    done
    # shellcheck disable=SC2046  # folders, without blanks
    UNUSED_OK='fraggen.level2_accepted hz.poisoned hz.updates_ignored setup.culled_no_area zstencil.blocks_read_128 blitter.lines_merged blitter.source_hits' tools/unused-statistics.sh "$work"/results/used-* $(find "$work/real/pictures" -name sim 2>/dev/null)
}

# The parts of `make real` that are short enough.
real_scenes() {
    OUT=$work/real SCENES='build texture shading pulsar' FRAMES=2 TIMED=2 SIZE=320x240 \
        tools/real.sh "$1" glmark2
}

# Checks that third_party/uplot equals its recorded hashes and npm's package. Exit status 77: npm or its
# registry is not available.
uplot_is_npm_s() {
    at=third_party/uplot
    version=$(sed -n 's/^uplot //p' $at/VERSION)
    (cd $at && sed 1d VERSION | sha256sum --check --strict) || return 1
    command -v npm >/dev/null || { echo "skipped: npm is not installed"; return 77; }
    rm -rf "$work/uplot"
    mkdir -p "$work/uplot"
    (cd "$work/uplot" && npm pack --silent "uplot@$version" && tar -xzf "uplot-$version.tgz") ||
        { echo "skipped: npm cannot fetch uplot@$version"; return 77; }
    cmp $at/LICENSE "$work/uplot/package/LICENSE" &&
        cmp $at/uPlot.iife.js "$work/uplot/package/dist/uPlot.iife.js" &&
        cmp $at/uPlot.iife.min.js "$work/uplot/package/dist/uPlot.iife.min.js" &&
        cmp $at/uPlot.min.css "$work/uplot/package/dist/uPlot.min.css"
}

# Runs the tests of data shared by threads with ThreadSanitizer. The tests include the source that they
# test. Address randomization is off, because some versions of ThreadSanitizer cannot start with it.
no_data_races() {
    for test in base/test_worker_pool_signals shim/test_shim_labels; do
        program="$work/race_$(basename $test)"
        gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -fsanitize=thread -Isrc "tests/unit/$test.c" src/base/mem.c \
            src/base/error.c -o "$program" -lcmocka -lpthread &&
            setarch -R "$program" || return 1
    done
}

installed_run() {
    meson install --no-rebuild -C "$work/gcc-O3" && "$work/installed/bin/aetius" --version &&
        (cd / && "$work/installed/bin/aetius" sim "$root/$golden" --preset reference-2005 \
            --force -o "$work/results/installed")
}

echo "style"
step 'clang-format' formatted
step 'include law' tools/check-includes.sh
step 'files of src have at most 800 lines' short_files
step 'cited pages and headings exist' tools/check-citations.sh
step 'words and spelling' tools/words.sh

echo "gcc, optimized"
step 'build gcc -O3' build gcc-O3 gcc all -Dbuildtype=release --prefix="$work/installed" &&
    unit_tests gcc-O3

aetius=$work/gcc-O3/aetius
if [ -x "$aetius" ]; then
    for name in $(commands "$aetius"); do
        step "aetius $name --help" answers_help "$aetius" "$name"
    done
    step 'statistics named by docs/statistics-coverage.md exist' covered_statistics_exist
    step 'docs are current' tools/docs.sh "$aetius" --check
    step 'figures of README.md equal those of their sources' tools/readme-figures.sh "$aetius"
    step 'figures of docs/works equal those of their sources' tools/works-figures.sh "$aetius" "$work/works"
    step 'commands of docs/guide.md and README.md work' tools/guide-commands.sh "$aetius" "$work/guide"
    step 'host instructions of three traces' tools/instructions.sh "$aetius"
    step 'make install, then a run of the installed program' installed_run
    step 'uPlot equals the package of npm' uplot_is_npm_s
    step 'the JavaScript is formatted' tools/format-js.sh --check "$work/browser"
    step 'the report page in a browser' tests/browser/run.sh "$aetius" "$work/browser"
    if [ -n "${DISPLAY:-}" ] || xvfb-run -a true >/dev/null 2>&1; then
        step 'a pixmap as a texture' \
            env -u DISPLAY "$aetius" run --functional -- "$work/gcc-O3/benchmarks/gl/pixmap"
        step 'four scenes of glmark2: bar, same pictures with and without timing' real_scenes "$aetius"
        step 'scenes compared with Mesa, without virgl_test_server' tools/features.sh "$aetius" "$work/features"
    else
        echo "        no X server can run here: live programs are not checked"
    fi
fi

echo "clang, with AddressSanitizer and UndefinedBehaviorSanitizer"
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1
export AETIUS_SEEDS=3000
step 'build with sanitizers' build sanitizers clang all -Dbuildtype=debugoptimized \
    -Dinvariants=true -Db_sanitize=address,undefined -Db_lundef=false \
    -Dc_args='-fno-sanitize-recover=all -fsanitize=float-cast-overflow' \
    -Dc_link_args='-fsanitize=float-cast-overflow' && unit_tests sanitizers

step 'no data races between threads' no_data_races

echo "the same results from every compiler"
step 'build gcc -O0, with invariants' build gcc-O0 gcc aetius -Dbuildtype=debug -Dinvariants=true
step 'build clang -O3' build clang-O3 clang aetius -Dbuildtype=release
mkdir -p "$work/results"
step "gcc -O3 simulates $golden" same_results gcc-O3
step 'every statistic is nonzero on a machine; no invariant is violated' statistics_used
step 'textures that were render targets: same pictures with and without timing' \
    "$aetius" verify tests/golden/buffers.trace
step 'a frame has the same statistics alone and after others' frame_alone
for jobs in 2 3; do
    step "the same results with --jobs $jobs" same_results gcc-O3 --jobs $jobs
done
step 'signals to sim --jobs reach its own processes only' \
    tests/jobs_signals.sh "$aetius" "$workloads" "$work/results/signals" 40
for name in gcc-O0 clang-O3 sanitizers; do
    step "$name has the results of gcc -O3" same_results "$name"
done

echo "$passed passed, $failed failed" | tee "$work/result"
[ "$failed" = 0 ]
