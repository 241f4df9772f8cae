/* What `aetius topdown` shares between its files. */
#ifndef AETIUS_CMD_TOPDOWN_H
#define AETIUS_CMD_TOPDOWN_H

#include "analysis/application.h"
#include "base/args.h"
#include "report/compare/ideals.h"

#include <stdio.h>

struct topdown_request {
    bool json, csv, over_time, shows_all;
    bool draws, has_draw, prove; /* of a simulated run */
    uint64_t draw, jobs;
    const char *trace;                      /* --prove: where it lies now; NULL: as the run says */
    const char *svg;                        /* NULL: no figure */
    const char *kernel;                     /* NULL: all */
    uint32_t level;                         /* 1 to 3; 0: not given */
    double seconds_alone, seconds_profiled; /* of a program that was profiled; 0: not measured */
};

/* Prints what is asked for of the applications, and draws the figure. */
bool topdown_report(const application_list *applications, const struct topdown_request *request,
                    struct error *err);

/* ---- a simulated run (topdown_run.c) ---- */

/* What cycles, and the shaders' issue slots, of a run folder's frames were lost to; `other`: how
 * that of another run differs, or NULL. */
bool topdown_run(const char *dir, const char *other, const struct frame_set *frames,
                 const struct topdown_request *request, struct error *err);

/* Simulates the frames again with each resource ideal that is accused (topdown_prove.c),
 * in the sweep DIR/prove, whose runs stay; prints the gains beside what was expected. False also
 * when the one that was expected to give the most gives less than another by more than two points.
 */
bool topdown_prove(const char *dir, const struct params *params, const struct frame_set *frames,
                   const struct ideal_gains *gains, const struct topdown_request *request,
                   struct error *err);

/* ---- running a profiler (topdown_profiler.c) ---- */

/* The compute capability of this machine's first GPU, as nvidia-smi tells it. NULL: it does not. */
const struct nvidia_capability *topdown_find_capability(struct error *err);
/* Runs the program under the profiler for such a chip, whose tables, of each_launch or of means, go
 * into the file `log`. The program's own output goes to standard error. */
bool topdown_profile(const struct nvidia_capability *capability, const char *log, bool each_launch,
                     char **program, double *seconds, struct error *err);
/* Runs it without. */
bool topdown_run_alone(char **program, double *seconds, struct error *err);
/* Prints the command line as a shell takes it. */
void topdown_print_command(const struct nvidia_capability *capability, const char *log,
                           bool each_launch, char **program, FILE *out);

#endif
