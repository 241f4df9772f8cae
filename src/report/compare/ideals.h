/* Predicts from a run's tables how many cycles an ideal resource (src/ideals.def) would save.
 * `aetius topdown --prove` tests this prediction.
 *
 * Each cycle is charged to at most one resource: the resource of the cause's branch directly below
 * the root of the tree. A resource may also remove causes of other branches. For example, an ideal
 * texture unit removes the reads of textures from memory. The upper bound of a resource's gain is
 * the sum of all causes that it removes.
 *
 * The rule applies per row: a draw, or the work between draws. Rows follow each other in time. The
 * remaining cycles are the row's cycles without the removed causes. A metric gives each other
 * resource's own work: the cycles in which it could not work faster. Part of that work is in the
 * remaining cycles attributed to the resource. The rest was hidden. It is assumed to be spread
 * evenly over all cycles that are not attributed to the resource. The removed cycles therefore
 * cannot become shorter than the hidden work that they contain. The resource with the most hidden
 * work limits the gain. The DAC limits it in the same way, although no ideal removes its work. The
 * same rule predicts the gain of several ideal resources: those that run at one pace gain only
 * together. A group of such resources begins with the verdict, if the verdict is expected to gain
 * less than half of its upper bound. The resource that hides most of the group's gain joins it,
 * until the group gains at least half of the cycles that it removes. A resource is then removed
 * from the group if the group gains nearly as much without it.
 *
 * The drain between two draws is not a cause: the critical path does not contain work that could
 * have been done meanwhile. The simulator computes how many cycles of each draw would overlap with
 * earlier draws (cmdproc.overlap_cycles). No draw takes less than the own work of its busiest
 * resource. Without other resources, the same share of the draw's remaining cycles overlaps. */
#ifndef AETIUS_REPORT_IDEALS_H
#define AETIUS_REPORT_IDEALS_H

#include "base/args.h"
#include "core/path.h"
#include "params/params.h"
#include "report/run/csv.h"
#include "report/run/metrics.h"

enum ideal_number {
#define IDEAL(name, branches, own, settings, what, advice, parameter) IDEAL_##name,
#include "ideals.def"
    IDEALS
};
enum limit_number {
#define LIMIT(name, resource, settings, what) LIMIT_##name,
#include "ideals.def"
    LIMITS
};

struct ideal {
    const char *name, *branches, *own, *settings, *what, *advice, *parameter;
};
extern const struct ideal ideals[IDEALS];

/* One of the limits that a resource consists of. */
struct limit {
    const char *name;
    enum ideal_number ideal; /* the resource */
    const char *settings, *what;
};
extern const struct limit limits[LIMITS];

/* Adds the settings of the ideal and of its limits to a machine's parameters. */
bool ideal_apply(const struct ideal *ideal, struct params *params, struct error *err);
/* Removes one limit. */
bool limit_apply(const struct limit *limit, struct params *params, struct error *err);
/* Whether the resource removes the branch of causes.def with this name. */
bool ideal_has(const struct ideal *ideal, const char *branch);
/* Whether the cycles of this branch are charged to the resource. */
bool ideal_is_charged(const struct ideal *ideal, const char *branch);

/* Several resources that are ideal together. */
struct ideal_group {
    uint32_t set;    /* bits of enum ideal_number; 0: no group */
    double expected; /* gain, in cycles */
};

/* All values are in cycles, summed over the rows. */
struct ideal_gains {
    double cycles;
    double charged[IDEALS]; /* each cycle is charged at most once; 0 for drain */
    double most[IDEALS];    /* upper bound of the gain */
    double expected[IDEALS];
    /* Gain if the other resources' hidden work does not overlap with the remaining cycles at all,
     * or as much as possible. The same for drain. */
    double low[IDEALS], high[IDEALS];
    double hidden[IDEALS][IDEALS]; /* [i][k]: part of most[i] that resource k would absorb */
    /* [i][k], i < k: expected gain if both resources are ideal */
    double together[IDEALS][IDEALS];
    /* Resources that hide each other. Only ideals_predict() finds them. */
    struct ideal_group one_pace;
    double own[IDEALS];         /* each resource's work, by its metric alone */
    double causes[CAUSE_COUNT]; /* by enum path_cause */
};
/* Sums gains row by row. Rows must be added in time order. */
struct ideal_sum;
/* Creates a sum. `names`: columns of a row. `names` and `params` must outlive the sum. Returns NULL
 * with `err` if a required column is missing. */
struct ideal_sum *ideals_begin(const char *const *names, uint32_t count,
                               const struct params *params, struct error *err);
/* `kind`: the row's kind of work, as in the table of draws. NULL: the row sums several works, and
 * its overlap is unknown. */
void ideals_row(struct ideal_sum *sum, const double *numbers, const char *kind);
/* Returns the gains since the last call and starts again from zero. Call it at the end of a frame,
 * since the next row does not follow the last one. */
void ideals_take(struct ideal_sum *sum, struct ideal_gains *gains);
void ideals_end(struct ideal_sum *sum); /* accepts NULL */

/* Expected saving of a row on a machine with other parameters. `before` and `after`: sums with the
 * parameters of either machine. gone[c]: share of the cycles of cause c that no longer occur, 0 to
 * 1. work[k]: share of the work of resource k that remains, if its metric does not contain the
 * parameters; otherwise 1. */
double ideals_changed_row(const struct ideal_sum *before, const struct ideal_sum *after,
                          const double *numbers, const double gone[CAUSE_COUNT],
                          const double work[IDEALS]);

/* Reads a row of a table; NaN for columns without numbers. */
void ideals_read_row(const struct csv_table *table, uint32_t row, double *numbers);
/* Adds a row of a table that has the columns of `sum`. `numbers`: scratch space, one element per
 * column. */
void ideals_table_row(struct ideal_sum *sum, const struct csv_table *table, uint32_t row,
                      double *numbers);
/* Rows of stats.draws.csv.gz or stats.frames.csv.gz. */
struct ideal_rows {
    const struct csv_table *table;
    const struct frame_set *frames; /* all rows of these frames */
    int64_t row;                    /* only this row; -1: use `frames` */
};
/* Whether a row of a frame is among them. */
bool ideals_want(const struct ideal_rows *rows, uint32_t frame, uint32_t row);
/* Also finds the resources that hide each other. Returns false if columns are missing. */
bool ideals_predict(const struct ideal_rows *rows, const struct params *params,
                    struct ideal_gains *gains, struct error *err);
void ideals_add(struct ideal_gains *to, const struct ideal_gains *more);
/* Gains below this share of the cycles are ignored. */
#define IDEALS_NOTHING 0.02
/* Whether no resource alone is expected to gain at least IDEALS_NOTHING. */
bool ideals_hide_each_other(const struct ideal_gains *gains);
/* The resource with the largest expected gain. If no expected gain reaches IDEALS_NOTHING, the
 * resource with the largest upper bound. */
enum ideal_number ideals_verdict(const struct ideal_gains *gains);
/* Name of the verdict; "" if no resource can gain anything. */
const char *ideals_bound_by(const struct ideal_gains *gains);
/* The resource that hides most of the verdict's gain. IDEALS if no resource hides at least
 * IDEALS_NOTHING of all cycles. */
enum ideal_number ideals_hidden_by(const struct ideal_gains *gains, enum ideal_number verdict);
/* The resources that gain more together than alone: the pair with the largest expected gain, if it
 * is expected to gain at least IDEALS_NOTHING of all cycles more than the best single resource. The
 * resources that hide each other, if they are expected to gain more than the pair. Returns false if
 * there are none. */
bool ideals_together(const struct ideal_gains *gains, struct ideal_group *group);
/* Makes all resources of the group ideal. */
bool ideal_group_apply(const struct ideal_group *group, struct params *params, struct error *err);
/* Writes "z, color and raster". */
enum { IDEAL_GROUP_WORDS = 128 };
void ideal_group_name(const struct ideal_group *group, char words[IDEAL_GROUP_WORDS]);
enum { IDEALS_WORDS = 224 };
/* Writes "together, shader and geometry: 71.5 % fewer are predicted without both". Returns false if
 * no resources gain more together than alone. */
bool ideals_describe_together(const struct ideal_gains *gains, char words[IDEALS_WORDS]);
/* Writes "45.0 % of the cycles are attributed to it; 19.9 % fewer are predicted without it".
 * Appends the upper bound if it differs from the charged cycles, and the resource that hides most
 * of the gain. gains->cycles must be above 0. */
void ideals_describe(const struct ideal_gains *gains, enum ideal_number n,
                     char words[IDEALS_WORDS]);

/* Writes "range: 5.2 to 17.2 %; memory is within it", with the other resources that are expected to
 * gain at least the lower end. Returns false for drain, which has no range. */
bool ideals_describe_range(const struct ideal_gains *gains, enum ideal_number n,
                           char words[IDEALS_WORDS]);

#endif
