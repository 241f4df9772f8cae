/* Reads DIR/run.json, which report/run/run.h writes. All readers share this parser and its schema
 * check. */
#ifndef AETIUS_REPORT_RUN_JSON_H
#define AETIUS_REPORT_RUN_JSON_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stddef.h>

struct run_json_frame {
    double number;    /* frame number in the run; NaN: not given, as for all numbers here */
    double cycles;    /* cycles of the simulated GPU */
    const char *hash; /* hash of the picture: 16 hexadecimal digits; NULL: not given */
};

/* A missing text is NULL. A missing number is NaN. */
struct run_json {
    cJSON *root;                 /* the whole file; owns all texts */
    const char *program, *trace; /* the simulated program and trace, as named at that time */
    const char *preset;          /* preset of the machine: "reference-2008" */
    const char *mode;            /* "timed" or "functional" */
    bool is_complete;            /* false: the run was interrupted */
    double frames;               /* number of frames */
    double first_frame;          /* frame number in the program of this run's frame 0 */
    double cycles;               /* cycles of all frames, and of the work after the last frame */
    double width, height;        /* picture size in pixels */
    struct run_json_frame *per_frame;
    size_t per_frame_count;
    const cJSON *metrics; /* for run_json_metric() */
};

/* Reads a file of at most FILE_MOST_FACTS bytes. Returns false with `err` if the file is not a JSON
 * object, has a later schema, or gives a number as another type. On success, the caller must call
 * run_json_fini(). */
bool run_json_read(struct run_json *run, const char *dir, struct error *err);
void run_json_fini(struct run_json *run);
/* Reads a metric of report/run/metrics.def in its unit; NaN if the run has no value. `dir` is for
 * the message if the value is not a number. */
bool run_json_metric(const struct run_json *run, const char *dir, const char *name, double *value,
                     struct error *err);

bool is_run_folder(const char *dir); /* whether `dir` contains a run.json */
/* Like is_run_folder(). If `dir` is not a run folder, the message names its kind and the command
 * that makes a run from a trace. */
bool check_run_folder(const char *dir, struct error *err);
/* Reads from run.json whether the run was completed. */
bool run_is_complete(const char *dir, bool *complete, struct error *err);

#endif
