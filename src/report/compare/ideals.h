/* What would be gained were a resource ideal (src/ideals.def), told from the tables of a run: the
 * prediction that `aetius topdown --prove` puts to the test.
 *
 * Each cycle is charged to one resource at most: that of its cause's branch right below the root of
 * the tree. A resource may remove causes of other branches too: texture removes memory's reads of
 * textures. The cycles of all causes that it removes are the most that removing it can give.
 *
 * The rule, for each row (a draw, or the work between draws, which follow each other): without the
 * causes that the resource removes, the row takes what is left, and what any other resource has to
 * do by itself in it (its metric; memory's at the share of its peak that it reaches) and is not in
 * what is left: at best beside all that is left, at worst behind it; halfway between is expected.
 * Where another resource has more to do than what is left shows, that one hides behind it.
 *
 * The drain between two draws is no cause of the critical path, which never sees what might have
 * been done meanwhile. It is read from the rows: the cycles in which a draw's front had nothing
 * left to fetch, but for the own work of the resource that has most to do for it, and no more than
 * the next draw takes; nothing before an order, which waits for the draws before it. */
#ifndef AETIUS_REPORT_IDEALS_H
#define AETIUS_REPORT_IDEALS_H

#include "base/args.h"
#include "params/params.h"
#include "report/run/csv.h"
#include "report/run/metrics.h"

enum ideal_number {
#define IDEAL(name, branches, bound, settings, what, advice, parameter) IDEAL_##name,
#include "ideals.def"
    IDEALS
};

struct ideal {
    const char *name, *branches, *bound, *settings, *what, *advice, *parameter;
};
extern const struct ideal ideals[IDEALS];

/* On top of a machine's parameters. */
bool ideal_apply(const struct ideal *ideal, struct params *params, struct error *err);
/* Whether the resource removes the branch of causes.def of this name. */
bool ideal_has(const struct ideal *ideal, const char *branch);
/* Whether the cycles of this branch are charged to the resource. */
bool ideal_is_charged(const struct ideal *ideal, const char *branch);

/* All in cycles, over the rows. */
struct ideal_gains {
    double cycles;
    double charged[IDEALS]; /* each cycle to one at most; to drain none */
    double most[IDEALS];    /* that removing it can give */
    double expected[IDEALS];
    double hidden[IDEALS][IDEALS]; /* of the first one's most, what the second would take */
    double own[IDEALS];            /* what each does by itself, by its metric alone */
};
/* Adds them up, row by row, in their order. */
struct ideal_sum;
/* `names`: of the numbers of a row, which live as long as the sum does, as the parameters. NULL:
 * there is something that they do not tell. */
struct ideal_sum *ideals_begin(const char *const *names, uint32_t count,
                               const struct params *params, struct error *err);
/* `kind`: of the row's work, as in the table of draws; NULL: of many together, of whose drains
 * nothing is told. */
void ideals_row(struct ideal_sum *sum, const double *numbers, const char *kind);
/* Of the rows since the last time; what comes does not follow them any more: at a frame's end. */
void ideals_take(struct ideal_sum *sum, struct ideal_gains *gains);
void ideals_end(struct ideal_sum *sum); /* NULL: nothing */

/* A row of a table that `sum` knows the names of; `numbers`: room for its columns. */
void ideals_table_row(struct ideal_sum *sum, const struct csv_table *table, uint32_t row,
                      double *numbers);
/* Of stats.draws.csv.gz or stats.frames.csv.gz. */
struct ideal_rows {
    const struct csv_table *table;
    const struct frame_set *frames; /* those of them, or ... */
    int64_t row;                    /* ... this one; -1: the frames */
};
/* False: columns are missing. */
bool ideals_predict(const struct ideal_rows *rows, const struct params *params,
                    struct ideal_gains *gains, struct error *err);
void ideals_add(struct ideal_gains *to, const struct ideal_gains *more);
/* A share of the cycles that is not worth it. */
#define IDEALS_NOTHING 0.02
/* Whether nothing is expected to give more than that alone. */
bool ideals_hide_each_other(const struct ideal_gains *gains);
/* The one whose removal is expected to give the most; where nothing does, the one that can. */
enum ideal_number ideals_verdict(const struct ideal_gains *gains);
/* Its name; "" where none can give anything. */
const char *ideals_bound_by(const struct ideal_gains *gains);
/* Of those that hide behind it, the largest; IDEALS: none takes IDEALS_NOTHING of all cycles. */
enum ideal_number ideals_behind(const struct ideal_gains *gains, enum ideal_number verdict);
/* "45.0 % of the cycles are attributed to it; 19.9 % fewer are predicted without it", and the most that
 * removing it can give, where that is not what is charged; of more cycles than none. */
enum { IDEALS_WORDS = 160 };
void ideals_say(const struct ideal_gains *gains, enum ideal_number n, char words[IDEALS_WORDS]);

#endif
