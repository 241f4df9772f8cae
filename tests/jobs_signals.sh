#!/bin/bash
# Interrupts `aetius sim --jobs 4` COUNT times with INT and TERM in turn, in a separate PID namespace.
# Checks that no signal reaches a witness process. Exit status 77: PID namespaces are not available.
#
#     tests/jobs_signals.sh AETIUS TRACE FOLDER [COUNT]
set -u
if [ "${1:-}" != inside ]; then
    unshare --pid --fork --mount-proc --kill-child true 2>/dev/null ||
        { echo "skipped: PID namespaces are not permitted"; exit 77; }
    exec unshare --pid --fork --mount-proc --kill-child "$0" inside "$@"
fi
aetius=$2
trace=$3
folder=$4
count=${5:-40}
set -m # so that jobs do not ignore INT
sleep 100000 &
witness=$!
interrupted=0
for i in $(seq "$count"); do
    signal=INT
    [ $((i % 2)) = 0 ] || signal=TERM
    "$aetius" sim "$trace" --jobs 4 --force -o "$folder" >"$folder.log" 2>&1 &
    job=$!
    sleep 0.0$((RANDOM % 10))$((RANDOM % 10))
    target=$job
    [ $((i % 4)) -lt 2 ] || target=-$job # the process group, as the terminal does for Ctrl-C
    kill -$signal -- $target 2>/dev/null # the process may have ended
    wait $job
    status=$?
    kill -0 $witness || { echo "signal $i ($signal) ended the witness"; exit 1; }
    case $status in
    0) ;;
    1 | 130 | 143) interrupted=$((interrupted + 1)) ;;
    *) echo "signal $i ($signal): exit status $status"; cat "$folder.log"; exit 1 ;;
    esac
    if pgrep -x aetius >/dev/null; then
        echo "signal $i ($signal): a member lives on"
        exit 1
    fi
done
kill -KILL $witness
echo "$count signals, $interrupted runs interrupted"
[ $interrupted -gt $((count / 4)) ]
