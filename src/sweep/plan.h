/* The plan of a sweep, read from a file (docs/sweeps.md). Its runs are all pairs of an input and a
 * machine. Axes multiply the machines. */
#ifndef AETIUS_SWEEP_PLAN_H
#define AETIUS_SWEEP_PLAN_H

#include "base/error.h"
#include "base/mem.h"
#include "trace/virgl/vtest/caps.h"

#include <stdint.h>

struct word_list {
    char **items;
    size_t count, capacity;
};
void word_list_add(struct word_list *list, const char *text);   /* copies the text */
void word_list_split(struct word_list *list, const char *text); /* splits at blanks */
/* the caller frees the text */
char *word_list_join(const struct word_list *list, const char *between);
bool word_list_has(const struct word_list *list, const char *text);
void word_list_copy(struct word_list *to, const struct word_list *from); /* appends copies */
void word_list_fini(struct word_list *list);

/* Parameters that change together. Each value is a word with one value per name, separated by
 * commas. For a single name, the word may be a range A..B or A..B/STEP. */
struct sweep_axis {
    struct word_list names;  /* "SECTION.Name" */
    struct word_list values; /* names.count words per point, point after point */
};
struct sweep_axes {
    struct sweep_axis *items;
    size_t count, capacity;
};

struct sweep_machine {
    char *name;
    char *preset;                   /* NULL: the plan's preset */
    struct word_list configs, sets; /* applied after the plan's: files, and "SECTION.Name=value" */
    struct word_list asked;         /* assignments from options, applied last */
    struct sweep_axes axes;         /* axes of this machine only */
    struct word_list inputs;        /* names of the inputs to simulate; empty: all inputs */
    bool is_alone;                  /* the plan's axes do not apply */
};

/* A trace, or a program to capture. */
struct sweep_input {
    char *name;
    char *file;
    char *hash; /* SHA-256 that the file must have, as hexadecimal digits; or NULL */
    struct word_list program;
    char *frames, *warm_up; /* of a program: frames to keep, and frames drawn before; or NULL */
    char *simulate;         /* of a program: frames of each capture to simulate; NULL: all */
    bool is_plain;          /* one-color = yes: pictures of a single color are accepted */
};

enum { SWEEP_BY_RUN = 1, SWEEP_BY_FRAME = 2, SWEEP_BY_DRAW = 4 };
struct sweep_output {
    char *name, *formula;
    uint32_t by; /* bit mask of SWEEP_BY_... */
    bool more_is_better;
};

/* An entry of [study]: parameters of a study. */
struct sweep_words {
    char *name;
    struct word_list words;
};

/* [table NAME]: a study's query of the database of its runs (study/tables.h). The entries are
 * unparsed: name, value, name, value ... */
struct sweep_table {
    char *name;
    struct word_list entries;
};

/* Records of blocks transferred between the ROP caches and memory. */
enum sweep_blocks {
    SWEEP_BLOCKS_NONE,
    SWEEP_BLOCKS_COUNT, /* results of each codec: compression.json */
    SWEEP_BLOCKS_KEEP,  /* also the blocks themselves: blocks.color, blocks.z */
};

struct sweep_plan {
    char *path;     /* absolute path of the plan's file */
    char *folder;   /* base of relative paths */
    char *preset;   /* for machines without a preset */
    char *baseline; /* name of a machine, or NULL */
    struct word_list configs, sets;
    struct sweep_axes axes;
    size_t value_count;      /* number of values over all axes, at most 1,000,000 */
    struct word_list varied; /* "SECTION.Name" of all axes and of machines' assignments */
    char *frames;            /* frames of every input to simulate, set by an option; or NULL */
    enum sweep_blocks blocks;
    uint32_t clock;      /* frames per second of captured programs' clock; 0: host time */
    enum gl_offer offer; /* OpenGL that captured programs are offered */
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

/* Values of an entry of [study]; empty if the plan has no such entry. */
const struct word_list *sweep_plan_words(const struct sweep_plan *plan, const char *name);

/* Replaces the inputs by these files. Each input gets the file's name without folder and
 * extension. Characters that the name of an input must not have become '_'. */
bool sweep_plan_use_files(struct sweep_plan *plan, const char *const *files, uint32_t count,
                          struct error *err);
/* Whether a trace of this name comes from the input. The trace has the input's name, or NAME-A for
 * a range of frames. */
bool sweep_input_makes(const struct sweep_input *input, const char *trace);
/* Keeps only the machines in `names` (separated by commas) and their inputs. */
bool sweep_plan_narrow(struct sweep_plan *plan, const char *names, struct error *err);
/* Replaces the preset of all machines. Renames machines named after their old preset. Merges
 * machines that become equal. */
bool sweep_plan_use_preset(struct sweep_plan *plan, const char *preset, struct error *err);

/* Resolves a path relative to the plan's folder. The caller frees the result. */
char *sweep_plan_path(const struct sweep_plan *plan, const char *path);
/* Returns the program to execute in the plan's folder. Plans refer to this project's programs by
 * their path in the source tree. Outside the tree, the installed program is returned. The caller
 * frees the result. */
char *sweep_plan_program(const struct sweep_plan *plan, const char *program);

#endif
