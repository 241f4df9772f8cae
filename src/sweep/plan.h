/* What a sweep runs: a file that docs/sweeps.md describes. Inputs times machines are the runs; axes
 * multiply the machines. */
#ifndef AETIUS_SWEEP_PLAN_H
#define AETIUS_SWEEP_PLAN_H

#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>

struct word_list {
    char **items;
    size_t count, capacity;
};
void word_list_add(struct word_list *list, const char *text);            /* a copy */
void word_list_split(struct word_list *list, const char *text);          /* words between blanks */
char *word_list_join(const struct word_list *list, const char *between); /* the caller frees */
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
    struct word_list asked;         /* sets by option, on top of those */
    struct sweep_axes axes;         /* of this machine alone */
    struct word_list inputs;        /* that it is for, by name; none: all */
    bool is_alone;                  /* the plan's axes are not for it */
};

/* A trace, or a program that is captured. */
struct sweep_input {
    char *name;
    char *file;
    struct word_list program;
    char *frames, *warm_up; /* of a program: which are kept, and what is drawn before; or NULL */
    bool is_plain;          /* a picture of one color is what it draws */
};

enum { SWEEP_BY_RUN = 1, SWEEP_BY_FRAME = 2, SWEEP_BY_DRAW = 4 };
struct sweep_output {
    char *name, *formula;
    uint32_t by; /* SWEEP_BY_... */
    bool more_is_better;
};

/* A line of [study]: what a study wants to know beyond its runs. */
struct sweep_words {
    char *name;
    struct word_list words;
};

/* [table NAME]: a question of a study to the database of its runs (study/tables.h), as it was read:
 * name, value, name, value ... */
struct sweep_table {
    char *name;
    struct word_list entries;
};

/* What of the blocks that cross between the ROPs' caches and memory a run leaves. */
enum sweep_blocks {
    SWEEP_BLOCKS_NONE,
    SWEEP_BLOCKS_COUNT, /* what each codec makes of them: compression.json */
    SWEEP_BLOCKS_KEEP,  /* and they too: blocks.color, blocks.z */
};

struct sweep_plan {
    char *path;     /* of its file, from the root */
    char *folder;   /* that its paths begin in */
    char *preset;   /* of machines that name none */
    char *baseline; /* a machine's name, or NULL */
    struct word_list configs, sets;
    struct sweep_axes axes;
    size_t value_count;      /* of all axes: at most 1,000,000 */
    struct word_list varied; /* "SECTION.Name" of all axes, and what a machine of the file sets */
    char *frames; /* that are simulated of every input: by an option, not by the file; or NULL */
    enum sweep_blocks blocks;
    uint32_t clock; /* of programs while they are captured: frames a second; 0: the host's */
    VEC(struct sweep_machine) machines;
    VEC(struct sweep_input) inputs;
    VEC(struct sweep_output) outputs;
    VEC(struct sweep_words) study;
    VEC(struct sweep_table) tables;
};

bool sweep_plan_load(struct sweep_plan *plan, const char *path, struct error *err);
void sweep_plan_fini(struct sweep_plan *plan);
void sweep_plan_drop_inputs(struct sweep_plan *plan);
void sweep_machine_fini(struct sweep_machine *machine);
void sweep_input_fini(struct sweep_input *input);

/* What [study] says under a name; empty: nothing. */
const struct word_list *sweep_plan_words(const struct sweep_plan *plan, const char *name);

/* Other inputs: these files, each named as it is without folder and end. */
bool sweep_plan_use_files(struct sweep_plan *plan, const char *const *files, uint32_t count,
                          struct error *err);
/* Whether a trace of this name comes of an input: its own name, or NAME-A of a range of its frames.
 */
bool sweep_input_makes(const struct sweep_input *input, const char *trace);
/* Only the machines of these names, with commas between, and the inputs that they are for. */
bool sweep_plan_narrow(struct sweep_plan *plan, const char *names, struct error *err);
/* All machines begin with this preset. Those that are named after another one are named after this;
 * those that become the same are one. */
bool sweep_plan_use_preset(struct sweep_plan *plan, const char *preset, struct error *err);

/* A path of the plan's as one that begins in its folder; the caller frees. */
char *sweep_plan_path(const struct sweep_plan *plan, const char *path);

#endif
