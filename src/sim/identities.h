/* Identities between statistics (sim/identities.def). Their names are resolved to counters once per
 * machine. */
#ifndef AETIUS_SIM_IDENTITIES_H
#define AETIUS_SIM_IDENTITIES_H

#include "base/error.h"
#include "core/stats.h"

struct identities;

/* An unknown name is a BUG. Caches are found by name: X_accesses, X_hits and X_misses of the same
 * instance. */
struct identities *identities_create(const struct stat_set *set);
void identities_destroy(struct identities *identities);
/* Checks the counts since the set's last rebase. */
bool identities_check(const struct identities *identities, const struct stat_set *set,
                      struct error *err);

/* For documentation. */
struct identity_doc {
    const char *what, *left, *right;
};
const struct identity_doc *identity_docs(size_t *count);

#endif
