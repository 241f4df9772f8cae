/* What a run left in DIR/run.json (report/run/run.h writes it), for all who read it: one reader,
 * one check of its schema. */
#ifndef AETIUS_REPORT_RUN_JSON_H
#define AETIUS_REPORT_RUN_JSON_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stddef.h>

struct run_json_frame {
    double number;    /* as the run counts frames; NaN: not given, as all numbers here */
    double cycles;    /* of the simulated GPU */
    const char *hash; /* of the picture: 16 hexadecimal digits; NULL: not given */
};

/* Texts are NULL and numbers NaN where the file does not give them. */
struct run_json {
    cJSON *root;                 /* all of it; texts are parts of it */
    const char *program, *trace; /* what was simulated, as it was named then */
    const char *preset;          /* of the machine: "reference-2008" */
    const char *mode;            /* "timed" or "functional" */
    bool is_complete;            /* false: the run was cut short */
    double frames;               /* how many */
    double first_frame;          /* of the program, that is frame 0 of the run */
    double cycles;               /* of all frames, and of the work after the last */
    double width, height;        /* of the pictures, in pixels */
    struct run_json_frame *per_frame;
    size_t per_frame_count;
    const cJSON *metrics; /* run_json_metric() */
};

/* The file has at most FILE_MOST_FACTS bytes. False, with the message: it is no JSON object, of a
 * later schema, or a number is given as something else. The caller run_json_fini()s on success. */
bool run_json_read(struct run_json *run, const char *dir, struct error *err);
void run_json_fini(struct run_json *run);
/* A metric of report/run/metrics.def, in its unit; NaN: the run has no value of it. `dir`: for the
 * message when it is no number. */
bool run_json_metric(const struct run_json *run, const char *dir, const char *name, double *value,
                     struct error *err);

bool is_run_folder(const char *dir); /* has a run.json */
/* The same; when it is none, the message says what it is, and what makes a run of a trace. */
bool check_run_folder(const char *dir, struct error *err);
/* Whether run.json says that the run came to its end. */
bool run_is_complete(const char *dir, bool *complete, struct error *err);

#endif
