/* Code shared by the files of `aetius topdown`. */
#ifndef AETIUS_CMD_TOPDOWN_H
#define AETIUS_CMD_TOPDOWN_H

#include "analysis/application.h"
#include "base/args.h"
#include "report/compare/ideals.h"

#include <stdio.h>

struct topdown_request {
    bool json, csv, over_time, shows_all;
    bool draws, has_draw, prove; /* options for a simulated run */
    uint64_t draw, jobs;
    const char *trace;  /* --prove: current path of the trace; NULL: as stored in the run */
    const char *svg;    /* NULL: no figure */
    const char *kernel; /* NULL: all */
    uint64_t launches;  /* first launches of each kernel; 0: all */
    uint32_t level;     /* from 1; 0: not given */
    uint32_t node;      /* profile: only this node of nvidia_shape; 0: all */
    bool overhead;      /* the figure shows the times of profiling */
};

/* Prints the requested report of the applications, and draws the figure. */
bool topdown_report(const application_list *applications, const struct topdown_request *request,
                    struct error *err);

/* ---- a simulated run (topdown_run.c) ---- */

/* Attributes the lost cycles, and the shaders' lost issue slots, in a run folder's frames. `other`
 * is another run whose differences are shown, or NULL. */
bool topdown_run(const char *dir, const char *other, const struct frame_set *frames,
                 const struct topdown_request *request, struct error *err);

/* Simulates the frames again, with one accused resource ideal at a time (topdown_prove.c). The runs
 * stay in the sweep DIR/prove. Prints the measured and the expected gains. Returns false on errors.
 * Also returns false if the resource with the highest expected gain gains over two points less than
 * another. */
bool topdown_prove(const char *dir, const struct params *params, const struct frame_set *frames,
                   const struct ideal_gains *gains, const struct topdown_request *request,
                   struct error *err);

/* ---- running a profiler (topdown_profiler.c) ---- */

/* Compute capability of this machine's first GPU, as reported by nvidia-smi; NULL if nvidia-smi
 * does not report it. */
const struct nvidia_capability *topdown_find_capability(struct error *err);
/* What the profiler is asked for, with its tables in the file `log`. */
struct nvidia_request topdown_asks(const struct topdown_request *request, const char *log);
/* Runs the program under the profiler for such a chip. The program's own output goes to standard
 * error. */
bool topdown_profile(const struct nvidia_capability *capability,
                     const struct nvidia_request *request, char **program, double *seconds,
                     struct error *err);
/* Runs the program without a profiler. */
bool topdown_run_alone(char **program, double *seconds, struct error *err);
/* Prints the command line in shell syntax. */
void topdown_print_command(const struct nvidia_capability *capability,
                           const struct nvidia_request *request, char **program, FILE *out);

#endif
