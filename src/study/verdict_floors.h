/* Proven upper bounds of the gains of ideal resources and of steps (study/verdict_floors.def). They
 * save simulations whose result cannot change a judgement. */
#ifndef AETIUS_STUDY_VERDICT_FLOORS_H
#define AETIUS_STUDY_VERDICT_FLOORS_H

#include "report/compare/ideals.h"

/* Amounts of work of a run: the sums of its table of frames. */
struct verdict_work {
    struct csv_table table;
    double *values;
};
/* Reads DIR/stats.frames.csv.gz. Call verdict_work_fini() even after a failure. */
bool verdict_work_read(struct verdict_work *work, const char *dir, struct error *err);
void verdict_work_fini(struct verdict_work *work);

struct verdict_floors {
    double cycles[IDEALS]; /* 0: the resource has no floor */
};
/* `params`: the parameters of the machine whose cycles are to be bounded. This may be the run's
 * machine after a step. */
bool verdict_floors_of(const struct verdict_work *work, const struct params *params,
                       struct verdict_floors *floors, struct error *err);
/* The fewest cycles with the resources of the set ideal. */
double verdict_least_cycles(const struct verdict_floors *floors, uint32_t set);

/* Resources without any work in the run, as a set. Their parameters are read only by units that
 * have no work, so they change nothing. */
bool verdict_unused(const struct verdict_work *work, uint32_t *set, struct error *err);

#endif
