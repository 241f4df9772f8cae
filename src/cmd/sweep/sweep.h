/* The subcommands of `aetius sweep`. Each one takes the words after its name, like main(). */
#ifndef AETIUS_CMD_SWEEP_H
#define AETIUS_CMD_SWEEP_H

#include "base/text_table.h"
#include "cmd/options.h"
#include "sweep/work.h"

int sweep_plan_command(int argc, char **argv);    /* PLAN.ini: sweep_plan.c */
int sweep_run_command(int argc, char **argv);     /* run DIR KEY...: sweep_run.c */
int sweep_capture_command(int argc, char **argv); /* capture DIR NAME: sweep_capture.c */
int sweep_status_command(int argc, char **argv);  /* sweep_folder.c, like the next two */
int sweep_collect_command(int argc, char **argv);
int sweep_clean_command(int argc, char **argv);
int sweep_query_command(int argc, char **argv); /* sweep_results.c, like the next two */
int sweep_pareto_command(int argc, char **argv);
int sweep_sensitivity_command(int argc, char **argv);

/* Options of commands that execute the runs of a sweep (sweep/work.h). */
// clang-format off
#define WORK_OPTIONS(o)                                                                            \
    OPTION_JOBS(&(o)->jobs, "concurrent runs (default: all available cores; slurm: unlimited)"),        \
    {"keep-going", 'k', ARG_FLAG, &(o)->keep_going, NULL, "continue with the other runs after a failure", false}, \
    {"time-limit", 0, ARG_UINT, &(o)->limit_seconds, "SECONDS",                                    \
     "fail a run that takes longer", false},                                                 \
    {"memory-limit", 0, ARG_SIZE, &(o)->limit_bytes, "SIZE",                                       \
     "fail a run that uses more memory, e.g. 512M or 6G", false},                                    \
    {"store", 0, ARG_STRING, &(o)->store, "DIR",                                                   \
     "folder of completed runs, shared by all plans (DIR/runs, or $AETIUS_STORE)", false},            \
    {"engine", 0, ARG_STRING, &(o)->engine, "NAME",                                                \
     "engine that executes the runs: local (ninja), slurm, or list, which prints one command per run", false},        \
    {"per-element", 0, ARG_UINT, &(o)->per_element, "N",                                           \
     "slurm: runs per array element", false},                                                \
    {"max-array-size", 0, ARG_UINT, &(o)->max_array, "N",                                          \
     "slurm: elements per array, below Slurm's MaxArraySize (1000)", false},                     \
    {"sbatch", 0, ARG_LIST, &(o)->sbatch, "OPTION",                                                \
     "slurm: option for sbatch, e.g. --sbatch=--partition=P", false}
#define SWEEP_WITH_PARENT(value)                                                                   \
    {"with-parent", 0, ARG_FLAG, value, NULL, "exit when the parent process exits", false}
// clang-format on
/* Checks the engine's name. Returns -1 if it is valid, otherwise the exit status of the command. */
int work_options_check(const struct work_options *options, const struct arg_spec *spec);

#endif
