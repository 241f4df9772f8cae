#include "sim/work.h"

#include <string.h>

const char *const work_kind_names[WORK_KINDS] = {"draw", "upload", "readback", "clear",
                                                 "blit", "flush",  "swap"};

void
works_reset(struct works *works, uint64_t now)
{
    works->head = works->count = works->uploads = works->draws = 0;
    works->since = now;
    works->row_is_open = false;
}

static void
tell_row(struct works *works)
{
    if (works->row_is_open && works->told)
        works->told(works->data, &works->row);
    works->row_is_open = false;
}

/* Whose the next cycle is; false when nothing is at work. */
static bool
find_owner(const struct works *works, struct work *owner)
{
    *owner = (struct work){.kind = WORK_UPLOAD};
    if (works->count)
        *owner = works->items[works->head];
    return works->count || works->uploads;
}

/* Something has begun or ended: up to now the cycles were the row's. Where nothing is at work the
 * row stays open, for more of its kind; but a draw's is over with it. */
static void
change(struct works *works, uint64_t now)
{
    struct work owner;
    if (works->row_is_open)
        works->stats.cycles[works->row.kind] += now - works->since;
    works->since = now;
    if (!find_owner(works, &owner)) {
        if (works->row_is_open && works->row.kind == WORK_DRAW)
            tell_row(works);
        return;
    }
    if (works->row_is_open && owner.kind == works->row.kind && owner.baked == works->row.baked)
        return;
    tell_row(works);
    works->row = owner;
    works->row.draw = works->draws;
    works->row_is_open = true;
    works->draws += owner.kind == WORK_DRAW;
}

void
works_begin(struct works *works, enum work_kind kind, const struct draw *baked, uint64_t now)
{
    BUG_ON(works->count == MAX_WORKS, "too many works on their way");
    works->items[(works->head + works->count++) % MAX_WORKS] =
        (struct work){.kind = kind, .baked = baked};
    change(works, now);
}

void
works_end(struct works *works, uint64_t now)
{
    BUG_ON(!works->count, "a work ends that has not begun");
    works->head = (works->head + 1) % MAX_WORKS;
    works->count--;
    change(works, now);
}

void
works_begin_upload(struct works *works, uint64_t now)
{
    works->uploads++;
    change(works, now);
}

void
works_end_upload(struct works *works, uint64_t now)
{
    BUG_ON(!works->uploads, "an upload ends that has not begun");
    works->uploads--;
    change(works, now);
}

void
works_close(struct works *works, uint64_t now)
{
    BUG_ON(works->count || works->uploads, "a work has not ended");
    change(works, now);
    tell_row(works);
}
