#!/bin/sh
# A private Slurm cluster on this machine, over loopback: munged, slurmctld and one slurmd for each of
# three nodes. All its files are in DIR. It neither uses nor changes services of the system.
#
#     tools/slurm-cluster.sh start DIR     then: export SLURM_CONF=DIR/slurm.conf
#     tools/slurm-cluster.sh stop DIR
#     tools/slurm-cluster.sh node DIR N    restarts the slurmd of the N-th node (1 to 3)
#
# Environment: PORT (16817: for slurmctld; the nodes use the next ones), SLOTS (2: concurrent runs per
# node). The daemons of Debian 12 (slurmctld, slurmd, munge) run as root here.
set -eu
what=$1
dir=$(realpath -m "$2")
port=${PORT:-16817}
slots=${SLOTS:-2}
nodes=3

say() { echo "slurm-cluster: $*" >&2; }

start_node() {
    mkdir -p "$dir/n$1"
    slurmd -N "n$1" -f "$dir/slurm.conf"
}

# stop_one NAME: stops the process in DIR/NAME.pid, if it is still that program
stop_one() {
    [ -f "$dir/$1.pid" ] || return 0
    pid=$(cat "$dir/$1.pid")
    case "$(cat "/proc/$pid/comm" 2>/dev/null)" in
        slurmd | slurmctld | munged) kill "$pid" 2>/dev/null || : ;;
    esac
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -d "/proc/$pid" ] || break
        sleep 0.3
    done
    rm -f "$dir/$1.pid"
}

stop() {
    for node in $(seq $nodes); do stop_one "n$node"; done
    stop_one slurmctld
    stop_one munged
}

configure() {
    host=$(hostname -s)
    cat >"$dir/slurm.conf" <<END
ClusterName=aetius
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
SlurmdTimeout=10
KillWait=2
InactiveLimit=0
MinJobAge=10
SlurmdParameters=config_overrides
MaxArraySize=1001
PartitionName=aetius Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    for node in $(seq $nodes); do
        echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + node)) CPUs=$slots" \
            "State=UNKNOWN" >>"$dir/slurm.conf"
    done
}

start() {
    mkdir -p "$dir/state"
    chmod 755 "$dir"
    stop
    head -c 1024 /dev/urandom >"$dir/munge.key"
    chmod 400 "$dir/munge.key"
    # --force accepts folders like /tmp, whose owners munged does not trust.
    munged --force --socket="$dir/munge.socket" --key-file="$dir/munge.key" \
        --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" --seed-file="$dir/munge.seed" \
        >"$dir/munged.out" 2>&1 || {
        cat "$dir/munged.out" >&2
        exit 1
    }
    configure
    export SLURM_CONF="$dir/slurm.conf"
    slurmctld -c -f "$dir/slurm.conf"
    for node in $(seq $nodes); do start_node "$node"; done
    for _ in $(seq 60); do
        [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" = $nodes ] && return
        sleep 0.5
    done
    say "the nodes did not start:"
    sinfo -N >&2 || :
    tail -n 5 "$dir"/slurmctld.log "$dir"/n1.log >&2 || :
    stop
    exit 1
}

case $what in
    start) start ;;
    stop) stop ;;
    node) start_node "$3" ;;
    *) sed -n '2,12p' "$0" >&2 && exit 2 ;;
esac
