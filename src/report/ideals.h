/* What would be gained were a resource ideal (src/ideals.def), told from the tables of a run: the
 * prediction that `aetius topdown --prove` puts to the test.
 *
 * The rule, for each row (a draw, or the work between draws, which follow each other): without the
 * cycles that are charged to the resource the row takes what is left, but never less than the own
 * work of any other resource in it (its metric; memory's at the share of its peak that it reaches).
 * So what is charged to a resource is the most that removing it can give, and where another one has
 * as much to do, that one hides behind it.
 *
 * The drain between two draws is no cause of the critical path, which never sees what might have
 * been done meanwhile. It is read from the rows: the cycles in which a draw's front was at rest,
 * but for the own work of the resource that has most to do for it, and no more than the next draw
 * takes. */
#ifndef AETIUS_REPORT_IDEALS_H
#define AETIUS_REPORT_IDEALS_H

#include "base/args.h"
#include "kernel/params.h"
#include "report/csv.h"
#include "report/metrics.h"

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
/* Whether the resource answers for the branch of causes.def of this name. */
bool ideal_has(const struct ideal *ideal, const char *branch);

/* All in cycles, over the rows. */
struct ideal_gains {
    double cycles;
    double charged[IDEALS];
    double expected[IDEALS];
    double hidden[IDEALS][IDEALS]; /* of what is charged to the first, what the second would take */
    double own[IDEALS];            /* what each does by itself, by its metric alone */
};
/* Of stats.draws.csv.gz or stats.frames.csv.gz. */
struct ideal_rows {
    const struct csv_table *table;
    const struct frame_set *frames; /* those of them, or ... */
    int64_t row;                    /* ... this one; -1: the frames */
};
/* False: columns are missing. */
bool ideals_predict(const struct ideal_rows *rows, const struct params *params,
                    struct ideal_gains *gains, struct error *err);
/* Of each row by itself, into as many gains: of drains, which lie between rows, they tell nothing.
 */
bool ideals_predict_each(const struct csv_table *rows, const struct params *params,
                         struct ideal_gains *gains, struct error *err);
/* Of all frames of a run together, by the names of its statistics; of drains they tell nothing. */
bool ideals_predict_totals(const struct totals *totals, double cycles, struct ideal_gains *gains);
void ideals_add(struct ideal_gains *to, const struct ideal_gains *more);
/* The one whose removal is expected to give the most. */
enum ideal_number ideals_verdict(const struct ideal_gains *gains);
/* Its name; "" where nothing is expected of any. */
const char *ideals_bound_by(const struct ideal_gains *gains);
/* Of those that hide behind it, the largest; IDEALS: none takes a fiftieth of all cycles. */
enum ideal_number ideals_behind(const struct ideal_gains *gains, enum ideal_number verdict);

#endif
