/* Fates of the issue slots of a shader unit. A cycle has slots_cycle slots. Each slot has exactly
 * one fate (enum slot_fate), so the fates add up to slots_cycle x cycles. Fates are counted when
 * they change, because a decision is valid until the unit is clocked again. */
#include "unit/shader/shader_internal.h"
#include "unit/shader/shader_profile.h"

/* Advances *at to `until` or `now`, whichever is earlier. Returns the number of cycles in
 * between. */
static uint64_t
stretch(uint64_t *at, uint64_t until, uint64_t now)
{
    uint64_t end = until < now ? until : now;
    uint64_t cycles = end > *at ? end - *at : 0;
    *at += cycles;
    return cycles;
}

/* Whether the lost slots were lost to another unit, or to a rate between units. */
static bool
waits_for_others(const struct shader *shader)
{
    const uint32_t others = 1u << SLOT_STARVED | 1u << SLOT_LOAD | 1u << SLOT_OUTPUT |
                            1u << SLOT_TEXELS | 1u << SLOT_TEXTURE_QUEUE | 1u << SLOT_CONSTANTS;
    return others >> shader->idle & 1;
}

/* Counts the unit's own work: `alus` cycles in which instructions occupied the ALUs, and `waits`
 * cycles in which groups waited for the unit: for results, ports or the next fetch. More groups
 * could hide these waits, so they count in proportion to the occupied group slots or registers. */
static void
count_own_work(struct shader *shader, uint64_t alus, uint64_t waits)
{
    shader->own_parts += alus * OWN_PARTS + waits * shader->occupied;
}

void
shader_account(struct shader *shader, uint64_t now)
{
    uint64_t at = shader->accounted, cycles = now - at;
    if (!cycles)
        return;
    struct shader_stats *stats = &shader->stats;
    stats->slots += cycles * shader->slots_cycle;
    stats->group_cycles += cycles * shader->group_count;
    stats->thread_cycles += cycles * shader->thread_count;
    stats->register_cycles += cycles * shader->registers_used;
    stats->texel_group_cycles += cycles * shader->waiting[WAIT_TEXELS];
    stats->threads_full_cycles += shader->refused_threads ? cycles : 0;
    stats->registers_full_cycles += shader->refused_registers ? cycles : 0;
    uint64_t issuing = 0, passes = 0, flow = 0;
    if (at < shader->issue_free_cycle) {
        uint64_t end = now < shader->issue_free_cycle ? now : shader->issue_free_cycle;
        stats->issue_cycles += shader_holds_alus(shader) ? end - at : 0;
        issuing = stretch(&at, shader->issue_until, now);
        for (uint32_t f = 0; f < SLOT_COUNT; f++)
            if (shader->issue_slots[f])
                stats->slot_fates[f] += issuing * shader->issue_slots[f];
        passes = stretch(&at, shader->passes_until, now) * shader->slots_cycle;
        flow = stretch(&at, shader->issue_free_cycle, now) * shader->slots_cycle;
        stats->slot_fates[SLOT_PASSES] += passes;
        stats->slot_fates[SLOT_FLOW] += flow;
    }
    const uint64_t taken = at - shader->accounted, alus = shader_holds_alus(shader) ? taken : 0;
    count_own_work(shader, alus, taken - alus + (waits_for_others(shader) ? 0 : now - at));
    const uint64_t idle = (now - at) * shader->slots_cycle;
    stats->slot_fates[shader->idle] += idle;
    if (PROFILED(shader))
        shader_profile_account(shader, issuing, passes, flow, idle);
    shader->accounted = now;
}

void
shader_settle(void *self, uint64_t now)
{
    struct shader *shader = self;
    shader_account(shader, now);
    shader->stats.own_cycles = shader->own_parts / OWN_PARTS;
    if (shader->vertices_only) {
        shader->stats.vertex_unit_issue_cycles = shader->stats.issue_cycles;
        shader->stats.vertex_unit_own_cycles = shader->stats.own_cycles;
    }
}
