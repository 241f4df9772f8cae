/* Code shared by the files of `aetius topdown`. */
#ifndef AETIUS_CMD_TOPDOWN_H
#define AETIUS_CMD_TOPDOWN_H

#include "analysis/application.h"
#include "base/args.h"
#include "report/compare/steps.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define TOPDOWN_ALL_PROGRAMS "all"

struct topdown_request {
    bool json, csv, over_time, shows_all;
    bool draws, has_draw, prove; /* options for a simulated run */
    bool limits;                 /* --prove: also each limit of the verdict's resource */
    uint64_t draw, jobs;
    uint64_t most;       /* --prove: most simulations */
    const char *trace;   /* --prove: current path of the trace; NULL: as stored in the run */
    const char *svg;     /* NULL: no figure */
    const char *kernel;  /* NULL: all kernels */
    uint64_t launches;   /* first launches of each kernel; 0: all */
    uint32_t level;      /* from 1; 0: not given */
    uint32_t node;       /* profile: only this node of nvidia_shape; 0: all */
    bool published;      /* profile: the equations as published */
    bool overhead;       /* the figure shows the profiling times */
    const char *program; /* a hash, its prefix, or TOPDOWN_ALL_PROGRAMS; NULL: none */
};

/* Prints the requested report of the applications, and draws the figure. */
bool topdown_report(const application_list *applications, const struct topdown_request *request,
                    struct error *err);

/* ---- a simulated run (topdown_run.c) ---- */

/* Attributes the lost cycles, and the shaders' lost issue slots, in a run folder's frames. `other`
 * is another run whose differences are shown, or NULL. */
bool topdown_run(const char *dir, const char *other, const struct frame_set *frames,
                 const struct topdown_request *request, struct error *err);

/* One of two runs. */
struct topdown_side {
    const struct topdown_tree *tree; /* of pipeline_shape */
    const struct csv_table *table;   /* of draws or frames */
    const struct frame_set *frames;
};
/* The causes that take more cycles in `b`, largest growth first (topdown_growth.c). If both tables
 * list the draws of one trace, also the draws where each cause grew most. */
void topdown_growth_print(const struct topdown_side *a, const struct topdown_side *b);
cJSON *topdown_growth_json(const struct topdown_side *a, const struct topdown_side *b);

/* Frames of a run, or one of its draws. */
struct topdown_selection {
    const char *dir;
    const struct frame_set *frames;
    bool has_draw;
    uint32_t frame; /* of the draw */
    uint64_t draw;
    const double *statistics; /* sums of the selected rows, by profile_count_names */
};
/* Prints the instructions of the requested programs (topdown_program.c). Fails if the run has no
 * shader profile, or if the profile does not add up to the statistics. */
bool topdown_program(const struct topdown_selection *selection,
                     const struct topdown_request *request, struct error *err);

/* Simulates the frames again, with one accused resource ideal at a time, and with the advised steps
 * of parameters (topdown_prove.c). Prints the number of simulations first. The runs stay in the
 * sweep DIR/prove. Prints the measured and the expected gains. Returns false on errors. Also
 * returns false if another resource gains over two points more than the verdict and the resources
 * that gain together with it. */
bool topdown_prove(const char *dir, const struct params *params, const struct frame_set *frames,
                   const struct ideal_gains *gains, const struct steps *steps,
                   const struct topdown_request *request, struct error *err);

/* ---- running a profiler (topdown_profiler.c) ---- */

struct topdown_program {
    char **words;       /* NULL-terminated */
    const char *folder; /* working folder; NULL: this process's */
    const char *log;    /* file to which its output is appended; NULL: standard error */
};
/* Compute capability of this machine's first GPU, as reported by nvidia-smi; NULL if nvidia-smi
 * does not report it. */
const struct nvidia_capability *topdown_find_capability(struct error *err);
/* What the profiler is asked for, with its tables in the file `log`. */
struct nvidia_request topdown_asks(const struct topdown_request *request, const char *log);
/* Runs the program under the profiler for such a chip. */
bool topdown_profile(const struct nvidia_capability *capability,
                     const struct nvidia_request *request, const struct topdown_program *program,
                     double *seconds, struct error *err);
/* Runs the program without a profiler. */
bool topdown_run_alone(const struct topdown_program *program, double *seconds, struct error *err);
/* Prints the command line in shell syntax. */
void topdown_print_command(const struct nvidia_capability *capability,
                           const struct nvidia_request *request, char **program, FILE *out);

/* ---- the programs of a folder (topdown_folder.c) ---- */

struct topdown_profiled {
    char *name, *path;                      /* path: of the profiler's tables */
    double seconds_alone, seconds_profiled; /* seconds_alone 0: not measured */
};
typedef VEC(struct topdown_profiled) topdown_profiled_list;

/* Profiles each executable file of the folder, and the command lines of each file `run` in its
 * folders. Writes tables, output and a record of each program to the folder `out`. Programs that
 * have a record of the same command are not run again. *failed: programs that could not be
 * profiled; warnings name them. Returns false if none was profiled, or after a signal. */
bool topdown_profile_folder(const char *dir, const char *out,
                            const struct nvidia_capability *capability,
                            const struct topdown_request *request, topdown_profiled_list *list,
                            uint32_t *failed, struct error *err);
void topdown_profiled_free(topdown_profiled_list *list);

#endif
