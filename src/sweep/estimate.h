/* Estimates time and disk space of a run from completed runs: the mean over runs of the same frames
 * of the same trace. Without such runs the estimate is proportional to the number of draws. */
#ifndef AETIUS_SWEEP_ESTIMATE_H
#define AETIUS_SWEEP_ESTIMATE_H

#include "sweep/store.h"
#include "sweep/sweep.h"

struct estimate {
    double seconds, bytes; /* NaN: no data */
};

struct estimator {
    VEC(struct store_record) records;
};
void estimator_add(struct estimator *estimator, const struct store_record *record); /* copies it */
/* Adds the runs of the store, at most some thousands. */
void estimator_read(struct estimator *estimator, const char *store);
struct estimate estimator_ask(const struct estimator *estimator, const struct sweep_trace *trace);
void estimator_fini(struct estimator *estimator);

#endif
