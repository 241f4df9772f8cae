/* The folder that a run is to leave its files in: taken by one process at a time, and never mixed
 * with an earlier run. */
#ifndef AETIUS_REPORT_RUN_OUTPUT_H
#define AETIUS_REPORT_RUN_OUTPUT_H

#include "base/error.h"
#include "params/params.h"

struct run_output {
    const char *dir;
    const struct params *params; /* name files in it; NULL: of a run without tables */
    bool made;                   /* the folder, by this run */
    int lock;
};

/* Makes the folder and its frames/. When it holds a run already, or what is left of one, that is
 * refused, or with `force` removed: by the names that runs give, whatever else is there stays. */
bool run_output_take(struct run_output *output, const char *dir, bool force,
                     const struct params *params, struct error *err);
/* The same in two steps: makes and locks the folder, and leaves what is in it; ... */
bool run_output_lock(struct run_output *output, const char *dir, const struct params *params,
                     struct error *err);
/* ... removes the run that it holds, run.json before all else. */
void run_output_remove_run(const struct run_output *output);
/* Nothing in it is whole: as it was before, but for what an observer wrote (signals.vcd). */
void run_output_discard(const struct run_output *output);
/* Pictures and maps of the other frames go: they were written, but not all that belongs to them. */
void run_output_drop_others(const struct run_output *output,
                            bool (*is_whole)(const void *data, uint64_t frame), const void *data);
void run_output_release(struct run_output *output);
/* Whether it is the name of a file in parts/: what one of several processes wrote. */
bool run_output_is_part(const char *name);

#endif
