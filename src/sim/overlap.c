#include "sim/overlap.h"

#include "core/queue.h"

#include <stdlib.h>
#include <string.h>

void
overlap_init(struct overlap *overlap, struct clock *clock, bool is_off)
{
    *overlap = (struct overlap){.clock = clock, .is_off = is_off};
}

void
overlap_add(struct overlap *overlap, enum overlap_stage stage, const struct module *module,
            const uint64_t *ready)
{
    BUG_ON(overlap->unit_count == CLOCK_MAX_MODULES, "too many modules");
    overlap->units[overlap->unit_count].module = module;
    overlap->units[overlap->unit_count].ready = ready;
    overlap->units[overlap->unit_count++].stage = stage;
    overlap->stage_units[stage]++;
}

void
overlap_share(struct overlap *overlap, const struct module *module, const uint64_t *work)
{
    BUG_ON(overlap->shared_count == CLOCK_MAX_MODULES, "too many modules");
    overlap->shared[overlap->shared_count].module = module;
    overlap->shared[overlap->shared_count++].work = work;
}

static void
forget(struct overlap *overlap)
{
    overlap->start = overlap->last_end = overlap->end = overlap->shared_free = 0;
    memset(overlap->free, 0, sizeof overlap->free);
}

/* Stores the counts of items and work at the start of a row. */
static void
note_counts(struct overlap *overlap)
{
    for (uint32_t q = 0; q < overlap->queue_count; q++)
        overlap->queues[q].items_before = overlap->queues[q].queue->items_out;
    for (uint32_t i = 0; i < overlap->shared_count; i++)
        overlap->shared[i].work_before = *overlap->shared[i].work;
}

static int32_t
stage_of(const struct overlap *overlap, const struct module *module)
{
    for (uint32_t i = 0; i < overlap->unit_count; i++)
        if (overlap->units[i].module == module)
            return (int32_t)overlap->units[i].stage;
    return -1;
}

static void
find_queues(struct overlap *overlap)
{
    const struct clock *clock = overlap->clock;
    for (uint32_t q = 0; !overlap->queue_count && q < clock->queue_count; q++) {
        const int32_t from = stage_of(overlap, clock->queues[q]->sender);
        const int32_t to = stage_of(overlap, clock->queues[q]->receiver);
        if (from >= 0 && to >= 0 && from != to) {
            overlap->queues[overlap->queue_count].queue = clock->queues[q];
            overlap->queues[overlap->queue_count++].to = (enum overlap_stage)to;
        }
    }
}

void
overlap_begin(struct overlap *overlap)
{
    clock_mark(overlap->clock);
    overlap->row_start = overlap->clock->now;
    find_queues(overlap);
    note_counts(overlap);
    forget(overlap);
}

/* Sums, over the units of each stage, the cycles of the row before the unit's first work and after
 * its last work. Only starved units add to the second. A unit without work adds the whole row. */
static void
add_up(const struct overlap *overlap, uint64_t cycles, uint64_t before[OVERLAP_STAGES],
       uint64_t after[OVERLAP_STAGES])
{
    memset(before, 0, OVERLAP_STAGES * sizeof *before);
    memset(after, 0, OVERLAP_STAGES * sizeof *after);
    for (uint32_t i = 0; i < overlap->unit_count; i++) {
        const struct module *module = overlap->units[i].module;
        const enum overlap_stage stage = overlap->units[i].stage;
        const bool works = module->first_work != CYCLE_NEVER;
        before[stage] += works ? module->first_work - overlap->row_start : cycles;
        const uint64_t *ready = overlap->units[i].ready;
        if (works && ready && *ready > module->first_work)
            after[stage] += overlap->clock->now - *ready;
        else if (module->state == UNIT_STARVED)
            after[stage] += works ? overlap->clock->now - module->last_end : cycles;
    }
}

/* One stage's work for a draw. */
struct stage_work {
    enum overlap_stage stage;
    uint64_t first, end;    /* in cycles after the start of the draw, as executed */
    uint64_t shift;         /* start of the draw in the schedule, for this stage */
    uint64_t items, places; /* items taken from queues of other stages; places in these queues */
};

static int
by_first(const void *a, const void *b)
{
    const struct stage_work *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->stage < y->stage ? -1 : x->stage > y->stage;
}

/* Finds the stages with work in the row, ordered by their first work. Returns their number. */
static uint32_t
find_work(const struct overlap *overlap, uint64_t cycles, struct stage_work works[OVERLAP_STAGES])
{
    uint64_t before[OVERLAP_STAGES], after[OVERLAP_STAGES];
    uint32_t count = 0;
    add_up(overlap, cycles, before, after);
    for (uint32_t s = 0; s < OVERLAP_STAGES; s++) {
        const uint64_t units = overlap->stage_units[s];
        if (!units || before[s] / units >= cycles)
            continue;
        struct stage_work *work = &works[count++];
        *work = (struct stage_work){s, before[s] / units, cycles - after[s] / units, 0, 0, 0};
        for (uint32_t q = 0; q < overlap->queue_count; q++)
            if (overlap->queues[q].to == s) {
                const uint64_t items =
                    overlap->queues[q].queue->items_out - overlap->queues[q].items_before;
                work->items += items;
                work->places += items ? overlap->queues[q].queue->capacity : 0;
            }
    }
    qsort(works, count, sizeof *works, by_first);
    return count;
}

/* Adds the draw's work on the shared units, which process the draws one after another. Returns the
 * cycle in which they finish this work. */
static uint64_t
add_shared(struct overlap *overlap, uint64_t start, uint64_t cycles)
{
    uint64_t first = cycles, work = 0;
    for (uint32_t i = 0; i < overlap->shared_count; i++) {
        const uint64_t began = overlap->shared[i].module->first_work;
        if (began != CYCLE_NEVER && began - overlap->row_start < first)
            first = began - overlap->row_start;
        work += *overlap->shared[i].work - overlap->shared[i].work_before;
    }
    if (work && overlap->shared_free < start + first)
        overlap->shared_free = start + first;
    overlap->shared_free += work ? work / overlap->shared_count : 0;
    return work ? overlap->shared_free : 0;
}

/* Delays each stage's work until the previous draws have left the stage, and at least as much as
 * the stages before it. Then delays each stage whose items would not fit into the queues to the
 * next stage. */
static void
schedule(const struct overlap *overlap, struct stage_work works[], uint32_t count)
{
    uint64_t shift = overlap->start;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t free = overlap->free[works[i].stage];
        if (free > shift + works[i].first)
            shift = free - works[i].first;
        works[i].shift = shift;
    }
    for (uint32_t i = count; i-- > 1;) {
        struct stage_work *sender = &works[i - 1];
        if (works[i].items <= works[i].places)
            continue;
        const uint64_t ahead = works[i].places * (sender->end - sender->first) / works[i].items;
        if (sender->shift + ahead < works[i].shift)
            sender->shift = works[i].shift - ahead;
    }
}

/* Adds a draw to the schedule. Returns the cycles by which it overlaps with earlier draws. */
static uint64_t
add_draw(struct overlap *overlap, uint64_t cycles)
{
    struct stage_work works[OVERLAP_STAGES];
    const uint32_t count = find_work(overlap, cycles, works);
    schedule(overlap, works, count);
    for (uint32_t i = 0; i < count; i++)
        overlap->free[works[i].stage] = works[i].shift + works[i].end;
    if (count)
        overlap->start = works[0].shift;
    uint64_t end = cycles + (count ? works[count - 1].shift : overlap->start);
    const uint64_t shared = add_shared(overlap, overlap->start, cycles);
    end = end > shared ? end : shared;
    overlap->last_end = end;
    end = end > overlap->end ? end : overlap->end;
    const uint64_t saved = cycles - (end - overlap->end);
    overlap->end = end;
    return saved;
}

uint64_t
overlap_end_row(struct overlap *overlap, enum work_kind kind)
{
    const uint64_t cycles = overlap->clock->now - overlap->row_start;
    uint64_t saved = 0;
    if (kind == WORK_DRAW && !overlap->is_off)
        saved = add_draw(overlap, cycles);
    else if (kind == WORK_UPLOAD)
        overlap->start = cycles ? overlap->last_end : overlap->start;
    else
        forget(overlap);
    clock_mark(overlap->clock);
    note_counts(overlap);
    overlap->row_start = overlap->clock->now;
    return saved;
}
