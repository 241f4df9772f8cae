/* What a run will take, from those that are done: the mean of those of the same frames of the same
 * trace; else by the draws, as all those did together. */
#ifndef AETIUS_SWEEP_ESTIMATE_H
#define AETIUS_SWEEP_ESTIMATE_H

#include "sweep/store.h"
#include "sweep/sweep.h"

struct estimate {
    double seconds, bytes; /* NaN: nothing is known */
};

struct estimator {
    VEC(struct store_record) records;
};
void estimator_add(struct estimator *estimator, const struct store_record *record); /* a copy */
/* Of the store's runs, some thousands at most. */
void estimator_read(struct estimator *estimator, const char *store);
struct estimate estimator_ask(const struct estimator *estimator, const struct sweep_trace *trace);
void estimator_fini(struct estimator *estimator);

#endif
