/* The output folder of a run. One process at a time holds it, and it never mixes two runs. */
#ifndef AETIUS_REPORT_RUN_OUTPUT_H
#define AETIUS_REPORT_RUN_OUTPUT_H

#include "base/error.h"
#include "params/params.h"

struct run_output {
    const char *dir;
    const struct params *params; /* name the files in it; NULL: a run without tables */
    bool made;                   /* this run created the folder */
    int lock;
};

/* Creates the folder and its frames/, and locks it. A folder with a run, or with remains of one, is
 * refused. With `force` its files are removed instead: only those with names that runs use. */
bool run_output_take(struct run_output *output, const char *dir, bool force,
                     const struct params *params, struct error *err);
/* run_output_take() in two steps. The first creates and locks the folder, and keeps its
 * contents. */
bool run_output_lock(struct run_output *output, const char *dir, const struct params *params,
                     struct error *err);
/* The second removes the run in it, run.json first. */
void run_output_remove_run(const struct run_output *output);
/* Restores the folder if no frame was completed. Only an observer's file (signals.vcd) stays. */
void run_output_discard(const struct run_output *output);
/* Removes pictures and maps of incomplete frames: those without all their files. */
void run_output_drop_others(const struct run_output *output,
                            bool (*is_whole)(const void *data, uint64_t frame), const void *data);
void run_output_release(struct run_output *output);
/* Whether it is the name of a file in parts/, written by one of several processes. */
bool run_output_is_part(const char *name);

#endif
