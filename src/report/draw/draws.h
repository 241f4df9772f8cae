/* The draws of a run, from its table of draws: costs, sorted and grouped, and two runs joined draw
 * by draw. */
#ifndef AETIUS_REPORT_DRAWS_H
#define AETIUS_REPORT_DRAWS_H

#include "base/mem.h"
#include "report/run/csv.h"
#include "report/compare/ideals.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct draw_cost {
    double cycles, fragments, bytes, texture_misses;
    double overdraw; /* fragments written / pixels of the target */
    struct ideal_gains gains;
};
/* The verdict (report/compare/ideals.h). "" without cycles, or if the run does not count causes. */
const char *draw_cost_bound_by(const struct draw_cost *cost);

struct draw_row {
    uint32_t frame, draw;
    uint32_t row; /* row number in the table */
    bool is_draw;
    struct draw_cost cost;
    /* Fields of the table (report/draw/describe_draw.h); "" for other work. */
    const char *work, *hash, *vertex_program, *fragment_program, *primitive, *vertices, *instances;
    const char *target, *textures, *single_level, *state, *label, *program_name, *target_name;
};

struct draws {
    const char *dir;
    struct csv_table table;
    VEC(struct draw_row) rows; /* in table order */
    struct draw_cost total;    /* sum of all rows */
};

/* Reads DIR/stats.draws.csv.gz (or the name in the run's machine.ini). frame UINT32_MAX: all
 * frames. If the table is too large to read, sets draws->table.too_large. */
bool draws_read(struct draws *draws, const char *dir, uint32_t frame, struct error *err);
/* Reads frames that run_locate_frames() has converted. */
bool draws_read_frames(struct draws *draws, const char *dir, const struct frame_set *frames,
                       struct error *err);
enum { DRAWS_SUMMARY = 20000 }; /* summaries do not read tables with more draws */
/* Sets *there to whether the run has a table of draws. Fails if its machine.ini cannot be read. */
bool draws_find(const char *dir, bool *there, struct error *err);
void draws_fini(struct draws *draws);

/* GROUP_FRAMES: the same draw of several frames, that is, the n-th draw with a given hash in each
 * frame. */
enum draws_group {
    GROUP_NONE,
    GROUP_FRAMES,
    GROUP_PROGRAM,
    GROUP_TARGET,
    GROUP_TEXTURE,
    GROUP_LABEL
};
/* `text` NULL or "frames": GROUP_FRAMES. */
bool draws_group_parse(enum draws_group *group, const char *text, struct error *err);

/* The program's name for the draw, "label program_name". The caller frees the text. */
char *draw_row_label(const struct draw_row *row);

/* A line of a list: one draw or a group of draws. Lines are sorted by cycles, most expensive
 * first. */
struct draws_line {
    const struct draw_row *row; /* the most expensive draw */
    char *name;                 /* name of the group; NULL: a single draw */
    uint32_t count;
    struct draw_cost cost;
};
struct draws_list {
    VEC(struct draws_line) lines;
    VEC(struct draws_line) between; /* work between draws, by kind */
    enum draws_group group;
};
/* A draw that samples several textures counts fully in each texture's group. */
void draws_list_make(struct draws_list *list, const struct draws *draws, enum draws_group group);
void draws_list_fini(struct draws_list *list);

enum draws_form { DRAWS_TEXT, DRAWS_CSV, DRAWS_JSON };
/* `most`: largest number of lines of the text form; 0: no limit. */
void draws_list_print(const struct draws_list *list, const struct draws *draws,
                      enum draws_form form, uint32_t most, FILE *out);

/* Prints the most expensive lines of a list, without the work between draws. */
void draws_list_print_top(const struct draws_list *list, const struct draws *draws, uint32_t most,
                          FILE *out);
bool draws_have_frames(const struct draws *draws); /* whether the rows are of several frames */

/* Two runs joined draw by draw. If both frames have the same number of draws with one hash, these
 * draws are paired in order. The other draws are aligned in order by similarity. */
struct draws_pair {
    const struct draw_row *a, *b; /* NULL: the draw exists only in the other run */
};
struct draws_join {
    VEC(struct draws_pair) pairs; /* per frame: in the order of b, then draws that only a has */
    uint32_t draws_a, draws_b, same_hash, changed, only_a, only_b;
};
void draws_join_make(struct draws_join *join, const struct draws *a, const struct draws *b);
void draws_join_fini(struct draws_join *join);
/* The differences between the draws of a pair: "fragment program, vertices"; "" if they are equal.
 * The caller frees the text. */
char *draws_pair_difference(const struct draws_pair *pair);
/* Prints b relative to a, largest changes of cycles first. */
void draws_join_print(const struct draws_join *join, const struct draws *a, const struct draws *b,
                      enum draws_form form, uint32_t most, FILE *out);
cJSON *draws_join_json(const struct draws_join *join, const struct draws *a, const struct draws *b);

#endif
