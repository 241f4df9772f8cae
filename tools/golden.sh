#!/bin/sh
# `make golden`: captures the test inputs again that come from programs: tests/golden/*.trace, and some
# fuzz corpora. Needed if Mesa, or the features offered to it, have changed. Then check the output of
# `aetius info` and of the tests: derive expected numbers again, do not copy them.
#
# Not captured, because they contain no shaders: tests/golden/*.blocks.*, and the corpora blocks, codec
# and */state.
# tests/golden/model-points.csv has the rows of docs/studies/model/reference-2008.csv without the large points of
# `aetius model template --large`, so that tests fit them in seconds.
#
#     tools/golden.sh build/aetius
set -eu
cd "$(dirname "$0")/.."
aetius=$(realpath "$1")
programs=$(dirname "$aetius")/benchmarks/gl
corpus=tests/fuzz/corpus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$programs:$PATH # so that traces store the program's name without a folder

gl=2.1
record() {
    to=$1
    shift
    "$aetius" capture --gl $gl --force -o "$to" -- "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
    "$aetius" info "$to"
}

dword() { od -An -tu4 -j "$2" -N 4 "$1" | tr -d ' '; }

# messages TRACE: unpacks the first chunk (docs/design/file-formats.md, Trace)
messages() {
    at=$((28 + $(dword "$1" 16) + $(dword "$1" 20)))
    while [ "$(tail -c +$((at + 1)) "$1" | head -c 4)" = FEAT ]; do
        at=$((at + 12 + $(dword "$1" $((at + 4)))))
    done
    tail -c +$((at + 44 + 1)) "$1" | head -c "$(dword "$1" $((at + 8)))" | zstd -dcq
}

record tests/golden/tiny.trace tiny
record tests/golden/workloads.trace workloads
record tests/golden/bound.trace bound
record tests/golden/pace.trace pace
record tests/golden/faults.trace faults
record tests/golden/buffers.trace features --kind buffers
gl=es3
record tests/golden/blocks.trace features3 --kind blocks
gl=3.0
record tests/golden/streams.trace features3 --kind streams
gl=3.3
record tests/golden/emission.trace geometry --kind emission
record tests/golden/captured.trace geometry --kind captured
gl=2.1
cp tests/golden/tiny.trace $corpus/trace/file-tiny
messages tests/golden/tiny.trace >$corpus/stream/tiny
record $corpus/trace/file-fill fill --frames 1
messages $corpus/trace/file-fill >$corpus/stream/fill
record "$work/pulsar" glmark2 -s 320x240 -b pulsar:duration=3600:nframes=1
messages "$work/pulsar" >$corpus/stream/pulsar
cp $corpus/stream/pulsar $corpus/trace/messages-pulsar

# program STAGE: the last program text of this stage in the messages
program() {
    tr '\0' '\n' | awk -v head="$1" '
        $0 ~ head "$" { text = ""; on = 1; sub(".*" head, head) }
        on { text = text $0 "\n" }
        on && /END$/ { on = 0; last = text }
        END { printf "%s", last }'
}

# Features of OpenGL 3.0 and 3.1, and a geometry program.
mkdir "$work/features"
"$(dirname "$aetius")/tests/test_gl3" "$work/features"
cp tests/golden/emission.trace tests/golden/captured.trace "$work/features"
for trace in "$work"/features/*; do
    name=$(basename "$trace" .trace | tr ' ' -)
    cp "$trace" "$corpus/trace/file-$name"
    messages "$trace" >"$corpus/stream/$name"
    for stage in VERT GEOM FRAG; do
        program $stage <"$corpus/stream/$name" >"$work/program"
        [ ! -s "$work/program" ] || cp "$work/program" "$corpus/program/$name.$stage"
    done
done

# One shader text from each of these piglit tests.
tests=$(cd /usr/lib/*/piglit && pwd)
for file in "$corpus"/program/*-vert "$corpus"/program/*-frag; do
    name=$(basename "$file")
    stage=${name##*-}
    test=$(find "$tests" -name "${name%-*}.shader_test" | head -n 1)
    record "$work/shader" "$tests/bin/shader_runner" "$test" -auto -fbo
    messages "$work/shader" | program "$(echo "$stage" | tr a-z A-Z)" >"$file.new"
    [ -s "$file.new" ] || { echo "$name: no such shader" >&2; exit 1; }
    mv "$file.new" "$file"
done
