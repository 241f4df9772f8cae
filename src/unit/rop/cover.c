#include "unit/rop/cover.h"

#include "base/mem.h"

#include <stdlib.h>

void
cover_forget(struct cover *cover)
{
    free(cover->draws);
    cover->draws = NULL;
    budget_set(&cover->share, 0, NULL);
}

bool
cover_reserve(struct cover *cover, const struct resource *res, uint32_t quad_bytes,
              struct error *err)
{
    const size_t quads = res->size_bytes / quad_bytes;
    if (cover->draws && cover->created == res->created)
        return true;
    cover_forget(cover);
    if (!budget_set(&cover->share, (uint64_t)quads * 4 * sizeof *cover->draws, err))
        return fail_prefix(err, "record of the draws in front in resource %u", res->desc.handle);
    cover->draws = mem_array(quads, 4 * sizeof *cover->draws);
    cover->created = res->created;
    return true;
}
