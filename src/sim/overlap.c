#include "sim/overlap.h"

#include <string.h>

void
overlap_init(struct overlap *overlap, struct clock *clock, bool is_off)
{
    *overlap = (struct overlap){.clock = clock, .is_off = is_off};
}

void
overlap_add(struct overlap *overlap, enum overlap_stage stage, const struct module *module)
{
    BUG_ON(overlap->unit_count == CLOCK_MAX_MODULES, "too many modules");
    overlap->units[overlap->unit_count].module = module;
    overlap->units[overlap->unit_count++].stage = stage;
    overlap->stage_units[stage]++;
}

static void
forget(struct overlap *overlap)
{
    overlap->start = overlap->end = 0;
    memset(overlap->free, 0, sizeof overlap->free);
}

void
overlap_begin(struct overlap *overlap)
{
    clock_mark(overlap->clock);
    overlap->row_start = overlap->clock->now;
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
        if (module->state == UNIT_STARVED)
            after[stage] += works ? overlap->clock->now - module->last_end : cycles;
    }
}

/* Adds a draw to the schedule. Returns the cycles by which it overlaps with earlier draws. */
static uint64_t
add_draw(struct overlap *overlap, uint64_t cycles)
{
    uint64_t before[OVERLAP_STAGES], after[OVERLAP_STAGES], start = overlap->start;
    add_up(overlap, cycles, before, after);
    for (uint32_t s = 0; s < OVERLAP_STAGES; s++) {
        const uint64_t units = overlap->stage_units[s];
        const uint64_t first = units ? before[s] / units : cycles;
        if (first < cycles && overlap->free[s] > start + first)
            start = overlap->free[s] - first;
    }
    for (uint32_t s = 0; s < OVERLAP_STAGES; s++) {
        const uint64_t units = overlap->stage_units[s];
        if (units && before[s] / units < cycles)
            overlap->free[s] = start + cycles - after[s] / units;
    }
    const uint64_t end = start + cycles > overlap->end ? start + cycles : overlap->end;
    const uint64_t saved = cycles - (end - overlap->end);
    overlap->start = start;
    overlap->end = end;
    return saved;
}

uint64_t
overlap_end_row(struct overlap *overlap, enum work_kind kind)
{
    uint64_t saved = 0;
    if (kind == WORK_DRAW && !overlap->is_off)
        saved = add_draw(overlap, overlap->clock->now - overlap->row_start);
    else if (kind != WORK_UPLOAD)
        forget(overlap);
    clock_mark(overlap->clock);
    overlap->row_start = overlap->clock->now;
    return saved;
}
