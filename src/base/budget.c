#include "base/budget.h"

static uint64_t
most_of(const struct budget_share *share)
{
    const struct budget *budget = share->budget;
    if (!budget)
        return share->most_bytes ? share->most_bytes : UINT64_MAX;
    const uint64_t others = budget->used_bytes - share->bytes;
    return others < budget->most_bytes ? budget->most_bytes - others : 0;
}

bool
budget_fits(const struct budget_share *share, uint64_t bytes)
{
    return bytes <= share->bytes || bytes <= most_of(share);
}

bool
budget_set(struct budget_share *share, uint64_t bytes, struct error *err)
{
    struct budget *budget = share->budget;
    if (!budget_fits(share, bytes))
        return budget ? fail(err, "the trace needs more than %llu MiB of host memory: raise %s",
                             (unsigned long long)(budget->most_bytes >> 20), budget->option)
                      : fail(err, "the data needs more than %llu MiB of host memory",
                             (unsigned long long)(share->most_bytes >> 20));
    if (budget)
        budget->used_bytes += bytes - share->bytes;
    share->bytes = bytes;
    return true;
}

void
budget_move(struct budget_share *share, struct budget *budget)
{
    if (share->budget)
        share->budget->used_bytes -= share->bytes;
    share->budget = budget;
    if (budget)
        budget->used_bytes += share->bytes;
}
