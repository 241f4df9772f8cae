# shellcheck shell=sh disable=SC2154
# The part `slurm` of tools/real.sh, which sources this file. It runs sweeps on a Slurm cluster of three
# nodes on this machine (tools/slurm-cluster.sh), and compares them with the same sweeps under ninja.

# slurm_result NAME met|missed TEXT: adds a result
slurm_result() { printf 'slurm/%s\t%s\t%s\n' "$1" "$2" "$3" >>"$out/pictures.txt"; }

# until_idle: waits until Slurm has no job left (600 s).
until_idle() {
    for _ in $(seq 1200); do
        [ "$(squeue -h -r | wc -l)" != 0 ] || return 0
        sleep 0.5
    done
    return 1
}

# until_running N: waits until at least N elements are done and two are running
until_running() {
    for _ in $(seq 1200); do
        done=$("$aetius" sweep status "$slurm/cluster" --json | jq .done)
        [ "$done" -ge "$1" ] && [ "$(squeue -h -r -t R | wc -l)" -ge 2 ] && return
        [ "$(squeue -h -r | wc -l)" -gt 0 ] || return 1
        sleep 0.2
    done
    return 1
}

sweep_cluster() {
    "$aetius" sweep "$slurm/plan.ini" -o "$slurm/cluster" --engine slurm "$@" >>"$slurm/log" 2>&1
}

# same_sweeps A B: compares the databases byte by byte, and the tables, pictures and machines of all runs
same_sweeps() {
    cmp "$1/results.db" "$2/results.db" || return 1
    (cd "$1/runs" && find . -name '*.gz' -o -name '*.png' -o -name machine.ini | sort) >"$slurm/files"
    [ -s "$slurm/files" ] || return 1
    while IFS= read -r file; do
        cmp "$1/runs/$file" "$2/runs/$file" || return 1
    done <"$slurm/files"
}

# An array of 40 runs. A waiting element and a running one are cancelled, and a node goes down. Slurm must
# restart none of them. The same command submits the lost runs again.
slurm_disturbed() {
    cat >"$slurm/plan.ini" <<END
[sweep]
outputs = cycles frame_rate texture_cache_hits
; many rows of statistics: runs that are long enough to be stopped
set = SIMULATOR.StatisticsRate=1000
axis GPU.ClockMHz = 401..420
axis GPU.NumFragmentShaders = 1 4
[input workloads]
file = $(pwd)/tests/golden/workloads.trace
[output draw_cycles]
formula = cycles
by = draw
END
    "$aetius" sweep "$slurm/plan.ini" -o "$slurm/local" >>"$slurm/log" 2>&1 || return 1
    sweep_cluster --sbatch=--no-requeue || return 1
    until_running 3 || return 1
    # Of the running elements, the last one started has the most work left.
    scancel "$(squeue -h -r -t R -o %i | tail -n 1)" "$(squeue -h -r -t PD -o %i | grep _ | tail -n 1)"
    until_running 6 || return 1
    node=$(squeue -h -r -t R -o %N | tail -n 1)
    scontrol update nodename="$node" state=down reason=test
    until_idle || return 1
    scontrol update nodename="$node" state=resume 2>/dev/null || : # the node may have recovered already
    lost=$("$aetius" sweep status "$slurm/cluster" --json | jq '.runs - .done')
    say "slurm: $lost of 40 runs were lost"
    [ "$lost" -ge 2 ] || return 1
    sweep_cluster || return 1
    sweep_cluster || return 1 # nothing must be submitted twice
    [ "$(wc -l <"$slurm/cluster/slurm/jobs.jsonl")" = 2 ] || return 1
    until_idle || return 1
    same_sweeps "$slurm/local" "$slurm/cluster"
}

# 200 runs over six machines and two traces, several per element.
slurm_large() {
    cat >"$slurm/plan.ini" <<END
[sweep]
outputs = cycles frame_rate memory_bandwidth
axis GPU.ClockMHz = 401..416
baseline = g70,GPU.ClockMHz=401
[machine r2008]
[machine r2005]
preset = reference-2005
[machine g70]
preset = g70-like
[machine r580]
preset = r580-like
[machine few]
set = GPU.NumFragmentShaders=1
[machine small]
axes = none
axis FRAGMENTSHADER.TextureCacheWays FRAGMENTSHADER.TextureCacheWaysL1 = 1,4 2,8 4,8 4,16
axis GPU.ClockMHz = 401..405
[input tiny]
file = $(pwd)/tests/golden/tiny.trace
[input workloads]
file = $(pwd)/tests/golden/workloads.trace
frames = 0-2
END
    rm -rf "$slurm/local" "$slurm/cluster"
    "$aetius" sweep "$slurm/plan.ini" -o "$slurm/local" >>"$slurm/log" 2>&1 || return 1
    [ "$("$aetius" sweep status "$slurm/local" --json | jq .done)" = 200 ] || return 1
    sweep_cluster --per-element 7 --max-array-size 20 --jobs 4 || return 1
    until_idle || return 1
    same_sweeps "$slurm/local" "$slurm/cluster"
}

part_slurm() {
    slurm=$out/slurm
    rm -rf "$slurm"
    mkdir -p "$slurm"
    say "slurm"
    tools/slurm-cluster.sh start "$slurm/daemons" || {
        slurm_result cluster error "the cluster does not start"
        return
    }
    SLURM_CONF=$slurm/daemons/slurm.conf
    export SLURM_CONF
    for job in disturbed large; do
        if "slurm_$job" >>"$slurm/log" 2>&1; then
            slurm_result "$job" met "$(wc -l <"$slurm/files") files and the database are the same as with ninja"
        else
            slurm_result "$job" missed "$(tail -n 1 "$slurm/log" | tr '\t' ' ')"
        fi
    done
    tools/slurm-cluster.sh stop "$slurm/daemons"
}
