/* The draws of a run, from its table by draw: what each cost, sorted and grouped, and two runs
 * joined draw by draw. */
#ifndef AETIUS_REPORT_DRAWS_H
#define AETIUS_REPORT_DRAWS_H

#include "base/mem.h"
#include "report/run/csv.h"
#include "report/compare/ideals.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct draw_cost {
    double cycles, fragments, bytes, texture_misses;
    double overdraw; /* how often its target was covered by what it wrote */
    struct ideal_gains gains;
};
/* The resource without which the most is gained (report/compare/ideals.h); "" of no cycles, and of
 * a run that does not count what its cycles were lost to. */
const char *draw_cost_bound_by(const struct draw_cost *cost);

struct draw_row {
    uint32_t frame, draw;
    uint32_t row; /* of the table */
    bool is_draw;
    struct draw_cost cost;
    /* Fields of the table (report/draw/describe_draw.h); "" of other work. */
    const char *work, *hash, *vertex_program, *fragment_program, *primitive, *vertices, *instances;
    const char *target, *textures, *state, *label, *program_name, *target_name;
};

struct draws {
    const char *dir;
    struct csv_table table;
    VEC(struct draw_row) rows; /* in order */
    struct draw_cost total;    /* of all rows */
};

/* Reads DIR/stats.draws.csv.gz (or as the run's machine.ini names it); frame UINT32_MAX: all. Where
 * it is too large to be read, draws->table.too_large says so. */
bool draws_read(struct draws *draws, const char *dir, uint32_t frame, struct error *err);
bool draws_are_there(const char *dir); /* whether the run has that table */
void draws_fini(struct draws *draws);

enum draws_group { GROUP_NONE, GROUP_PROGRAM, GROUP_TARGET, GROUP_TEXTURE, GROUP_LABEL };
bool draws_group_parse(enum draws_group *group, const char *text, struct error *err);

/* What the program calls it, "label program_name"; the caller frees. */
char *draw_row_label(const struct draw_row *row);

/* One draw, or several that have something in common; the dearest first, by cycles. */
struct draws_line {
    const struct draw_row *row; /* the dearest of them */
    char *name;                 /* of the group; NULL: one draw */
    uint32_t count;
    struct draw_cost cost;
};
struct draws_list {
    VEC(struct draws_line) lines;
    VEC(struct draws_line) between; /* work between draws, by kind */
    enum draws_group group;
};
/* A draw that samples several textures counts whole in the group of each. */
void draws_list_make(struct draws_list *list, const struct draws *draws, enum draws_group group);
void draws_list_fini(struct draws_list *list);

enum draws_form { DRAWS_TEXT, DRAWS_CSV, DRAWS_JSON };
/* `most` lines of the text, 0: all. */
void draws_list_print(const struct draws_list *list, const struct draws *draws,
                      enum draws_form form, uint32_t most, FILE *out);

/* Two runs. Draws of one hash go together in their order when both runs have as many; the others
 * are aligned in order, by how much of them is the same. */
struct draws_pair {
    const struct draw_row *a, *b; /* NULL: only in the other run */
};
struct draws_join {
    VEC(struct draws_pair) pairs; /* of each frame, in the order of b; then what only a has */
    uint32_t draws_a, draws_b, same_hash, changed, only_a, only_b;
};
void draws_join_make(struct draws_join *join, const struct draws *a, const struct draws *b);
void draws_join_fini(struct draws_join *join);
/* What differs between the two draws of a pair: "fragment program, vertices"; "" when nothing. The
 * caller frees. */
char *draws_pair_difference(const struct draws_pair *pair);
/* b against a: the greatest changes of cycles first. */
void draws_join_print(const struct draws_join *join, const struct draws *a, const struct draws *b,
                      enum draws_form form, uint32_t most, FILE *out);
cJSON *draws_join_json(const struct draws_join *join, const struct draws *a, const struct draws *b);

#endif
