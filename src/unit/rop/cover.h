/* Record of the draws that are in front in a depth surface, for the statistic fragments_covering.
 * The z test units share one record: each fragment belongs to one unit. The machine reserves the
 * record before a draw, and drops it when no draw is in flight. It counts as host memory. */
#ifndef AETIUS_UNIT_COVER_H
#define AETIUS_UNIT_COVER_H

#include "base/budget.h"
#include "state/resource.h"

struct cover {
    /* Per fragment, in the order of the surface's memory: 1 + the number of the draw in front; 0:
     * none that is opaque. NULL: no record. */
    uint32_t *draws;
    uint64_t created; /* `created` of the surface's resource */
    struct budget_share share;
};

/* Makes a record of the resource, unless there is one. A quad takes `quad_bytes` bytes there. */
bool cover_reserve(struct cover *cover, const struct resource *res, uint32_t quad_bytes,
                   struct error *err);
void cover_forget(struct cover *cover);

#endif
