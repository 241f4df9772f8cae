/* What a study runs: a file of the folder studies, which says its form in its first lines:
 * programs, whose frames become traces, and configurations of the machine that each is simulated
 * on. */
#ifndef AETIUS_ANALYSIS_STUDY_PLAN_H
#define AETIUS_ANALYSIS_STUDY_PLAN_H

#include "base/args.h"
#include "base/error.h"
#include "base/mem.h"

struct text_list {
    char **items;
    size_t count, capacity;
};

struct study_configuration {
    char *name;
    char *preset;          /* NULL: the plan's */
    struct text_list sets; /* "SECTION.Name=value" */
};

/* A program, and the ranges of its frames that become traces. */
struct study_source {
    char *name;
    struct text_list program;
    char *frames, *warm_up, *file; /* or NULL */
    bool develops;                 /* a rule was found on these frames; else it is judged by them */
    struct frame_set ranges;
};

struct study_trace {
    char *name;
    char *file;      /* that is there; NULL: cut out of a source */
    uint32_t source; /* of the plan */
    uint32_t range;  /* of the source */
    bool develops;   /* as the source's */
};

struct study_plan {
    char *preset; /* NULL: each configuration has one */
    struct text_list sets;
    VEC(struct study_configuration) configurations;
    VEC(struct study_source) sources;
    VEC(struct study_trace) traces;
    /* the runs with a codec in the machine */
    struct text_list machine_traces, machine_configurations;
    char *machine_codecs[2]; /* by COMPRESSION_COLOR, COMPRESSION_DEPTH: a name, or "best" */
};

/* The preset of a configuration. */
const char *study_plan_preset(const struct study_plan *plan, size_t configuration);
bool study_plan_load(struct study_plan *plan, const char *path, struct error *err);
/* Traces of the user's instead of the plan's; those with codecs in the machine are the first three.
 */
bool study_plan_use_files(struct study_plan *plan, const char *const *files, uint32_t count,
                          struct error *err);
/* Only these configurations (names with commas between). */
bool study_plan_narrow(struct study_plan *plan, const char *names, struct error *err);
/* Whether the runs in the machine are of traces and configurations that there are. */
bool study_plan_check(const struct study_plan *plan, struct error *err);
void study_plan_fini(struct study_plan *plan);

bool text_list_has(const struct text_list *list, const char *text);

#endif
