/* What a sweep runs: a file that docs/sweeps.md describes. Inputs times machines are the runs; axes
 * multiply the machines. */
#ifndef AETIUS_SWEEP_PLAN_H
#define AETIUS_SWEEP_PLAN_H

#include "base/error.h"
#include "base/mem.h"

struct word_list {
    char **items;
    size_t count, capacity;
};
void word_list_add(struct word_list *list, const char *text);   /* a copy */
void word_list_split(struct word_list *list, const char *text); /* words between blanks */
bool word_list_has(const struct word_list *list, const char *text);
void word_list_copy(struct word_list *to, const struct word_list *from); /* behind what is there */
void word_list_fini(struct word_list *list);

/* Parameters that take their values together: words with a value for each name between commas; of
 * one name also a range A..B or A..B/STEP. */
struct sweep_axis {
    struct word_list names;  /* "SECTION.Name" */
    struct word_list values; /* names.count a point, one point after the other */
};
struct sweep_axes {
    struct sweep_axis *items;
    size_t count, capacity;
};

struct sweep_machine {
    char *name;
    char *preset;                   /* or NULL: the plan's */
    struct word_list configs, sets; /* on top of the plan's; files, and "SECTION.Name=value" */
    struct sweep_axes axes;         /* of this machine alone */
    bool is_alone;                  /* the plan's axes are not for it */
};

/* A trace, or a program that is captured. */
struct sweep_input {
    char *name;
    char *file;
    struct word_list program;
    char *frames, *warm_up; /* of a program: which are kept, and what is drawn before; or NULL */
};

enum { SWEEP_BY_RUN = 1, SWEEP_BY_FRAME = 2, SWEEP_BY_DRAW = 4 };
struct sweep_output {
    char *name, *formula;
    uint32_t by; /* SWEEP_BY_... */
    bool more_is_better;
};

struct sweep_plan {
    char *folder;   /* that its paths begin in */
    char *preset;   /* of machines that name none */
    char *baseline; /* a machine's name, or NULL */
    struct word_list configs, sets;
    struct sweep_axes axes;
    size_t value_count; /* of all axes: at most 1,000,000 */
    VEC(struct sweep_machine) machines;
    VEC(struct sweep_input) inputs;
    VEC(struct sweep_output) outputs;
};

bool sweep_plan_load(struct sweep_plan *plan, const char *path, struct error *err);
void sweep_plan_fini(struct sweep_plan *plan);

/* A path of the plan's as one that begins in its folder; the caller frees. */
char *sweep_plan_path(const struct sweep_plan *plan, const char *path);

#endif
