#include "sim/work_accounting.h"

#include <string.h>

const char *const work_kind_names[WORK_KINDS] = {"draw", "upload", "readback", "clear",
                                                 "blit", "flush",  "swap"};

void
work_accounting_reset(struct work_accounting *accounting, uint64_t now)
{
    accounting->ring = (struct ring){.capacity = MAX_WORKS};
    accounting->uploads = accounting->draws = 0;
    accounting->since = now;
    accounting->row_is_open = false;
}

static void
end_row(struct work_accounting *accounting)
{
    if (accounting->row_is_open && accounting->on_row_end) {
        const uint64_t repeated = accounting->repeated ? *accounting->repeated : 0;
        accounting->row.repeated = repeated - accounting->repeated_before;
        accounting->repeated_before = repeated;
        accounting->on_row_end(accounting->data, &accounting->row);
    }
    accounting->row_is_open = false;
}

/* Finds the owner of the next cycle. Returns false if no work is in progress. */
static bool
find_owner(const struct work_accounting *accounting, struct work *owner)
{
    *owner = (struct work){.kind = WORK_UPLOAD};
    if (accounting->ring.count)
        *owner = accounting->items[ring_at(&accounting->ring, 0)];
    return accounting->ring.count || accounting->uploads;
}

/* A work item has begun or ended: attributes the cycles up to `now` to the row. A draw's row ends
 * with the draw. The row of another kind stays open for later work of that kind, while no work is
 * in progress. */
static void
charge_cycles_until(struct work_accounting *accounting, uint64_t now)
{
    struct work owner;
    if (accounting->row_is_open)
        accounting->stats.cycles[accounting->row.kind] += now - accounting->since;
    accounting->since = now;
    if (!find_owner(accounting, &owner)) {
        if (accounting->row_is_open && accounting->row.kind == WORK_DRAW)
            end_row(accounting);
        return;
    }
    if (accounting->row_is_open && owner.kind == accounting->row.kind &&
        owner.baked == accounting->row.baked)
        return;
    end_row(accounting);
    accounting->row = owner;
    accounting->row.draw = accounting->draws;
    accounting->row_is_open = true;
    accounting->draws += owner.kind == WORK_DRAW;
}

void
work_accounting_begin(struct work_accounting *accounting, enum work_kind kind,
                      const struct draw *baked, uint64_t now)
{
    struct work work = {.kind = kind, .baked = baked};
    const bool joins = accounting->row_is_open && accounting->row.kind == kind;
    if (kind == WORK_BLIT) {
        work.copy = accounting->copy;
        work.copies_repeated = accounting->copies_repeated;
    }
    if (kind == WORK_CLEAR) {
        work.erases = accounting->erases;
        work.clears_repeated = accounting->clears_repeated;
        work.clears_unneeded = accounting->clears_unneeded;
    }
    accounting->items[ring_push(&accounting->ring)] = work;
    charge_cycles_until(accounting, now);
    if (joins && kind == WORK_BLIT) {
        accounting->row.copy.to = 0;
        accounting->row.copies_repeated += work.copies_repeated;
    }
    if (joins && kind == WORK_CLEAR) {
        accounting->row.erases += work.erases;
        accounting->row.clears_repeated += work.clears_repeated;
        accounting->row.clears_unneeded += work.clears_unneeded;
    }
}

void
work_accounting_end(struct work_accounting *accounting, uint64_t now)
{
    BUG_ON(!accounting->ring.count, "a work item ends that was never started");
    ring_pop(&accounting->ring);
    charge_cycles_until(accounting, now);
}

void
work_accounting_begin_upload(struct work_accounting *accounting, uint64_t now)
{
    accounting->uploads++;
    charge_cycles_until(accounting, now);
}

void
work_accounting_end_upload(struct work_accounting *accounting, uint64_t now)
{
    BUG_ON(!accounting->uploads, "an upload ends that was never started");
    accounting->uploads--;
    charge_cycles_until(accounting, now);
}

void
work_accounting_close(struct work_accounting *accounting, uint64_t now)
{
    BUG_ON(accounting->ring.count || accounting->uploads, "a work item has not ended");
    charge_cycles_until(accounting, now);
    end_row(accounting);
}
