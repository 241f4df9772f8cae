/* The output folder of a run. Only one process at a time locks the folder, and it never contains
 * files of two runs. */
#ifndef AETIUS_REPORT_RUN_OUTPUT_H
#define AETIUS_REPORT_RUN_OUTPUT_H

#include "base/error.h"
#include "params/params.h"

struct run_output {
    const char *dir;
    /* parameters that name the files in the folder; NULL: a run without tables */
    const struct params *params;
    bool made; /* this run created the folder */
    int lock;
};

/* Creates the folder and its frames/, and locks the folder. Refuses a folder with a run, or with
 * remains of a run. With `force`, removes such files instead, but only those with names that runs
 * use. */
bool run_output_take(struct run_output *output, const char *dir, bool force,
                     const struct params *params, struct error *err);
/* run_output_take() in two steps. The first step creates and locks the folder, and keeps its
 * contents. */
bool run_output_lock(struct run_output *output, const char *dir, const struct params *params,
                     struct error *err);
/* The second step removes the run in the folder, run.json first. */
void run_output_remove_run(const struct run_output *output);
/* Restores the folder if no frame was completed. Keeps only observers' files (signals.vcd,
 * signals.csv.gz). */
void run_output_discard(const struct run_output *output);
/* Removes pictures and maps of incomplete frames: those without all their files. */
void run_output_drop_others(const struct run_output *output,
                            bool (*is_whole)(const void *data, uint64_t frame), const void *data);
void run_output_release(struct run_output *output);
/* Whether `name` is the name of a file in parts/, written by one of several processes. */
bool run_output_is_part(const char *name);

#endif
