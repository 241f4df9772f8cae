/* Record of the draws that are in front in a depth surface, for the statistics fragments_covering
 * and fragments_behind. The z test units share one record: each fragment belongs to one unit.
 * Hierarchical Z reads it. The machine reserves the record before a draw, and drops it when no draw
 * is in flight. It counts as host memory. */
#ifndef AETIUS_UNIT_COVER_H
#define AETIUS_UNIT_COVER_H

#include "base/budget.h"
#include "state/draw.h"

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

/* The record's entry of an opaque draw with early z; otherwise 0. */
static inline uint32_t
cover_number(const struct draw *draw)
{
    return draw->opaque && draw->early_z ? draw->number + 1 : 0;
}

/* The record of the quad at an address of the depth surface, or NULL. */
static inline uint32_t *
cover_quad(const struct cover *cover, const struct bound_surface *depth, uint32_t address,
           uint32_t quad_bytes)
{
    if (!cover || !cover->draws || cover->created != depth->res->created)
        return NULL;
    return cover->draws + (size_t)(address - depth->res->address) / quad_bytes * 4;
}

/* Counts the fragments of `mask` that have another such draw in front. */
static inline uint32_t
cover_behind(const uint32_t *quad, const struct draw *draw, uint32_t mask)
{
    const uint32_t number = cover_number(draw);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4 && quad && number; i++)
        count += mask >> i & 1 && quad[i] && quad[i] != number;
    return count;
}

#endif
