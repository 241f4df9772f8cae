/* Limit on the host memory that an untrusted trace may use. Several owners (the trace reader, later
 * stages, devices) each hold a share. The sum of the shares never exceeds the budget. */
#ifndef AETIUS_BASE_BUDGET_H
#define AETIUS_BASE_BUDGET_H

#include "base/error.h"

#include <stdint.h>

struct budget {
    uint64_t most_bytes, used_bytes;
    const char *option; /* option that raises the limit, named in the error message */
};
#define FILE_MEMORY_BYTES ((uint64_t)1536 << 20) /* default limit */

/* One owner's share of a budget. The owner reports its size with budget_set(). A share without a
 * budget has its own limit, or no limit. */
struct budget_share {
    struct budget *budget;
    uint64_t most_bytes; /* limit without a budget; 0: no limit */
    uint64_t bytes;
};

/* Returns whether the share may grow to `bytes`. */
bool budget_fits(const struct budget_share *share, uint64_t bytes);
/* Sets the size of the share. A smaller size always fits. On failure the share is unchanged. */
bool budget_set(struct budget_share *share, uint64_t bytes, struct error *err);
/* Detaches the share from its current budget and attaches it to `budget` (NULL: none). The function
 * does not check the limit of `budget`. */
void budget_move(struct budget_share *share, struct budget *budget);

#endif
