#include "sim/work.h"

#include <string.h>

const char *const work_kind_names[WORK_KINDS] = {"draw", "upload", "readback", "clear",
                                                 "blit", "flush",  "swap"};

void
works_reset(struct works *works, uint64_t now)
{
    works->head = works->count = works->draws = 0;
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

/* Whether the work goes into the row that is open. */
static bool
joins_row(const struct works *works, const struct work *work)
{
    return works->row_is_open && work->kind == works->row.kind && work->kind != WORK_DRAW;
}

uint32_t
works_begin(struct works *works, enum work_kind kind, const struct draw *baked)
{
    BUG_ON(works->count == MAX_WORKS, "too many works on their way");
    const uint32_t place = (works->head + works->count++) % MAX_WORKS;
    works->items[place] = (struct work){kind, works->draws, baked};
    works->draws += kind == WORK_DRAW;
    works->ended[place] = false;
    if (works->count == 1 && !joins_row(works, &works->items[place]))
        tell_row(works);
    return place;
}

/* What is counted from now on belongs to the next one in line: a row that it does not join is told
 * of before. Without a next one that waits until there is one. */
static void
retire(struct works *works, uint64_t now)
{
    const struct work *work = &works->items[works->head];
    works->stats.cycles[work->kind] += now - works->since;
    works->since = now;
    if (!works->row_is_open)
        works->row = *work;
    works->row_is_open = true;
    works->head = (works->head + 1) % MAX_WORKS;
    works->count--;
    if (work->kind == WORK_DRAW || (works->count && !joins_row(works, &works->items[works->head])))
        tell_row(works);
}

void
works_end(struct works *works, uint32_t place, uint64_t now)
{
    works->ended[place] = true;
    while (works->count && works->ended[works->head])
        retire(works, now);
}

void
works_close(struct works *works)
{
    BUG_ON(works->count, "a work has not ended");
    tell_row(works);
}
