#!/bin/bash
# Captures frames for the evaluation of verdicts into FOLDER, with OpenGL 2.1 and without network or sound. The
# programs are drawn from unseen.txt, without those of judged.txt, whose verdicts were known before the rule changed.
# Their order is that of draw.sh, and the seed is the hash of the commit in which the rule was final. If a program
# cannot be captured, the next one of the order replaces it. Three frames of a program are captured. The plan has the
# first one that is large (100 draws or 1,000,000 cycles), or the second one if none is large. Programs are drawn
# until there are COUNT (20), and half of the frames are large. The plan lists them in the order of the draw. The same
# command resumes an interrupted call. Installs the packages of each program when it is drawn.
#
#     studies/programs/unseen.sh FOLDER [COUNT]
#     build/aetius study verdicts --plan FOLDER/verdicts.ini
#
# FOLDER gets NAME-FRAME.trace, NAME.frames (frame, draws, cycles, SHA-256), NAME.failed (the last lines of the
# output), and the plan. If the study rejects a frame because its picture has one color, rename NAME.frames to
# NAME.failed and repeat this command: another program replaces it.
set -eu
seed=f6e1470458d951cab8e6a0cf4d8169cd680c685b
[ $# -ge 1 ] || {
    echo 'usage: studies/programs/unseen.sh FOLDER [COUNT]' >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
aetius=${AETIUS:-$root/build/aetius}
count=${2:-20}
mkdir -p "$1"
folder=$(cd "$1" && pwd)
exec 9>"$folder/lock"
flock -n 9 || {
    echo "unseen.sh: another call captures into $folder" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# column NAME NUMBER: a column of the list
column() {
    awk -F ' [|] ' -v name="$1" -v column="$2" '$1 == name { print $column }' "$here/unseen.txt"
}

# Network access is removed where the user may do so.
isolate=
unshare -n true 2>/dev/null && isolate='unshare -n'

# take NAME: captures a program into $work/frames; after a failure, the end of $work/log is the reason
take() {
    ranges=$(column "$1" 3 | tr , '\n' | sed 's/.*/&-&/' | paste -sd ,)
    rm -rf "$work/frames"
    # shellcheck disable=SC2086  # an optional command
    env -u DISPLAY timeout -k 10 "${PROGRAM_SECONDS:-300}" $isolate "$aetius" capture --gl 2.1 --clock 60 \
        --force -o "$work/frames" --frames "$ranges" --stop -- \
        "$here/run.sh" "$1" "$here/unseen.txt" </dev/null >"$work/log" 2>&1 9>&- || {
        [ $? != 124 ] || echo "ended after ${PROGRAM_SECONDS:-300} s" >>"$work/log"
        return 1
    }
    for range in ${ranges//,/ }; do
        measure "$1" "${range#*-}" || return 1
    done
}

# measure NAME FRAME: simulates a frame, and adds its line to $work/NAME.frames
measure() {
    trace=$work/frames/frames-$2-$2.trace
    draws=$("$aetius" info --json "$trace" 2>>"$work/log" | jq .draws) || return 1
    [ "${draws:-0}" -gt 0 ] || {
        echo "frame $2 has no draws" >>"$work/log"
        return 1
    }
    "$aetius" sim --json --force -o "$work/run" "$trace" >"$work/run.json" 2>>"$work/log" || return 1
    echo "$2 $draws $(jq .cycles "$work/run.json") $(sha256sum "$trace" | cut -d ' ' -f 1)" >>"$work/$1.frames"
}

# keep NAME: moves the captures to the folder; the list of frames comes last, and marks a complete program
keep() {
    while read -r frame _; do
        mv "$work/frames/frames-$frame-$frame.trace" "$folder/$1-$frame.trace"
    done <"$work/$1.frames"
    mv "$work/$1.frames" "$folder/$1.frames"
}

# chosen LIST: the line of the frame that the plan has, with a final 1 if that frame is large
chosen() {
    awk '$2 >= 100 || $3 >= 1000000 { large = $0 " 1"; exit }
        NR <= 2 { second = $0 " 0" }
        END { print (large ? large : second) }' "$1"
}

# captured: the names of the captured programs, in the order of the draw
captured() {
    for name in $order; do
        [ ! -f "$folder/$name.frames" ] || echo "$name"
    done
}

# done_so_far: prints the numbers of programs and of large frames
done_so_far() {
    for name in $(captured); do
        chosen "$folder/$name.frames"
    done | awk '{ large += $5 } END { print NR, large + 0 }'
}

is_enough() {
    read -r programs large <<<"$(done_so_far)"
    [ "$programs" -ge "$count" ] && [ $((2 * large)) -ge "$programs" ]
}

# write_plan: the machines and the micro-benchmarks of the study, and the captures with their hashes
write_plan() {
    sed -e '/^develop = /,/^micro = /{/^micro/!d}' -e '/^; earlier frames/,$d' \
        -e "s#^program = \.\./#program = $root/#" "$root/studies/verdicts.ini"
    for name in $(captured); do
        read -r frame _ _ hash _ <<<"$(chosen "$folder/$name.frames")"
        printf '[input %s-%s]\nfile = %s-%s.trace\nsha256 = %s\n' "$name" "$frame" "$name" "$frame" "$hash"
    done
}

order=$("$here/draw.sh" "$seed" 1000 "$here/judged.txt" "$here/unseen.txt")
for name in $order; do
    ! is_enough || break
    [ ! -f "$folder/$name.frames" ] || continue
    [ ! -f "$folder/$name.failed" ] || continue
    rm -f "$work/$name.frames"
    # Without its packages, a program is not replaced: the draw must not depend on the state of apt.
    PACKAGES=$(column "$name" 2) "$root/tools/setup.sh" none
    if take "$name"; then
        keep "$name"
        sed "s/^/$name: frame, draws, cycles, hash: /" "$folder/$name.frames"
    else
        tail -n 5 "$work/log" >"$folder/$name.failed"
        echo "$name: failed: $(tail -n 1 "$folder/$name.failed")"
    fi
done
write_plan >"$folder/verdicts.ini"
read -r programs large <<<"$(done_so_far)"
echo "$programs frames of as many programs, $large of them large; plan: $folder/verdicts.ini"
is_enough || {
    echo "unseen.sh: the list has too few programs that can be captured" >&2
    exit 1
}
