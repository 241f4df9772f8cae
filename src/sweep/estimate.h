/* Estimates time and disk space of a run as the mean over completed runs of the same frames of the
 * same trace. Without such runs, the estimate is proportional to the number of draws. */
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
/* copies the record */
void estimator_add(struct estimator *estimator, const struct store_record *record);
/* Adds the runs of the store, at most a few thousand. */
void estimator_read(struct estimator *estimator, const char *store);
struct estimate estimator_ask(const struct estimator *estimator, const struct sweep_trace *trace);
void estimator_fini(struct estimator *estimator);

#endif
