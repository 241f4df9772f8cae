#include "unit/shader/constants.h"

#include "base/mem.h"
#include "state/memory.h"
#include "unit/shader/shader_internal.h"

#include <stdlib.h>
#include <string.h>

void
constants_init(struct constants *constants, const struct module *owner, const struct unit_env *env,
               uint32_t max_groups)
{
    const struct params *p = env->params;
    const struct cache_shape shape = {.lines =
                                          p->SHADER.ConstantCacheSets * p->SHADER.ConstantCacheWays,
                                      .ways = p->SHADER.ConstantCacheWays,
                                      .line_bytes = p->SHADER.ConstantCacheLineSize,
                                      .fill_limit = p->SHADER.ConstantCacheMisses,
                                      .policy = p->SHADER.ConstantCacheReplacement};
    memset(constants, 0, sizeof *constants);
    cache_init(&constants->cache, owner, &shape);
    constants->memory = p->SHADER.PerfectConstants ? env->memory : NULL;
    constants->rate = p->SHADER.ConstantCacheRate;
    constants->latency = p->SHADER.ConstantCacheLatency;
    constants->miss_limit = p->SHADER.ConstantCacheMisses;
    constants->waiting = mem_array(max_groups, sizeof(struct group *));
    constants->stage.cause = CAUSE_latency_constant;
}

void
constants_fini(struct constants *constants)
{
    cache_fini(&constants->cache);
    free(constants->waiting);
}

void
constants_reset(struct constants *constants)
{
    BUG_ON(constants->waiting_count, "a group waits for constants while their cache is reset");
    cache_reset(&constants->cache);
}

static void
want(struct group *group, uint32_t index)
{
    uint64_t *word = &group->constants.pending[index / 64];
    group->constants.used += !(*word >> index % 64 & 1);
    *word |= UINT64_C(1) << index % 64;
}

/* Adds the constants that the active lanes read through an address register. Outside of the buffer
 * they read 0. */
static void
want_indirect(struct group *group, const struct source *source)
{
    const struct constant_range *range = &group->exec->program->constant_buffers[source->buffer];
    for (uint32_t b = 0; b < group->exec->blocks; b++) {
        const struct exec *exec = &group->exec[b];
        for (uint64_t lanes = exec->active; lanes; lanes &= lanes - 1) {
            const int64_t index =
                exec_lane_index(exec, source->address_index, source->address_channel, source->index,
                                (uint32_t)__builtin_ctzll(lanes));
            if (index >= range->first && index < range->first + range->count)
                want(group, (uint32_t)index);
        }
    }
}

/* Collects the constants that the group's next instruction reads from uniform blocks. */
static void
collect(struct group *group, const struct instruction *instruction)
{
    const uint32_t words = (group->exec->program->constant_count + 63) / 64;
    if (words > group->constants.words) {
        free(group->constants.pending);
        group->constants.pending = mem_array(words, sizeof *group->constants.pending);
        group->constants.words = words;
    }
    memset(group->constants.pending, 0, words * sizeof *group->constants.pending);
    group->constants.used = group->constants.misses = 0;
    for (uint32_t left = instruction->block_sources; left; left &= left - 1) {
        const struct source *source = &instruction->src[__builtin_ctz(left)];
        if (source->indirect)
            want_indirect(group, source);
        else
            want(group, (uint32_t)source->index);
    }
}

/* Reads a constant into the draw's array. Returns false if its line is not there. */
static bool
read_constant(struct constants *constants, const struct group *group, uint32_t index, bool is_hit)
{
    struct block_constant at;
    draw_block_constant(group->draw, group->stage, index, &at);
    float *to = group->draw->constants[group->stage][index];
    if (!at.bytes)
        return true;
    if (constants->memory) {
        memcpy(to, constants->memory->bytes + at.address, at.bytes);
        return true;
    }
    const int32_t line = cache_find(&constants->cache, at.address);
    if (line < 0 || !cache_ready(&constants->cache, (uint32_t)line))
        return false;
    if (is_hit)
        cache_touch(&constants->cache, (uint32_t)line);
    memcpy(to,
           cache_data(&constants->cache, (uint32_t)line) + at.address % constants->cache.line_bytes,
           at.bytes);
    return true;
}

/* Reads the pending constants whose lines are there. Returns whether none is left. `is_hit`: the
 * group has not waited for lines. */
static bool
read_pending(struct constants *constants, struct group *group, bool is_hit)
{
    const uint32_t words = (group->exec->program->constant_count + 63) / 64;
    bool all = true;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = group->constants.pending[w]; left; left &= left - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(left);
            if (read_constant(constants, group, w * 64 + bit, is_hit))
                group->constants.pending[w] &= ~(UINT64_C(1) << bit);
        }
    for (uint32_t w = 0; w < words; w++)
        all &= !group->constants.pending[w];
    return all;
}

/* Requests the lines of pending constants, as far as the limits allow. */
static void
request_lines(struct constants *constants, struct group *group, cp_ref waited_for)
{
    struct cache *cache = &constants->cache;
    const uint32_t words = (group->exec->program->constant_count + 63) / 64;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = group->constants.pending[w]; left; left &= left - 1) {
            struct block_constant at;
            draw_block_constant(group->draw, group->stage, w * 64 + (uint32_t)__builtin_ctzll(left),
                                &at);
            if (cache_find(cache, at.address) >= 0)
                continue;
            if (cache->fills_under_way >= constants->miss_limit ||
                cache_allocate(cache, at.address) < 0)
                return;
            constants->stage.cp_ref = waited_for;
            group->constants.misses++;
        }
}

static void
count_accesses(struct shader *shader, const struct group *group)
{
    shader->stats.constant_accesses += group->constants.used;
    shader->stats.constant_misses += group->constants.misses;
    shader->stats.constant_hits += group->constants.used - group->constants.misses;
}

bool
shader_read_constants(struct shader *shader, struct group *group, bool may_wait, uint64_t now)
{
    struct constants *constants = &shader->constants;
    const bool was_ready = group->constants.ready;
    group->constants.ready = false;
    if (was_ready)
        return true;
    collect(group, &group->exec->program->instructions[group->exec->pc]);
    if (read_pending(constants, group, true)) {
        count_accesses(shader, group);
        return true;
    }
    if (!may_wait)
        return false;
    request_lines(constants, group, group->path_end.cp_ref);
    constants->waiting[constants->waiting_count++] = group;
    ready_take(&shader->ready, group->slot);
    shader_wait(shader, group, WAIT_CONSTANTS);
    if (shader->sticky && shader->swap_on_block && shader->last_fetched == group->slot)
        shader->sticky = false;
    module_wake_at(&shader->module, now + 1);
    return false;
}

bool
shader_take_constants(struct shader *shader, uint64_t now)
{
    struct constants *constants = &shader->constants;
    const uint32_t before = constants->cache.fills_under_way;
    const bool worked = cache_clock(&constants->cache, now);
    if (constants->cache.fills_under_way == before)
        return worked;
    const cp_ref arrival = constants->cache.port.arrival.cp_ref;
    uint32_t left = 0;
    /* All groups read what has arrived before new requests evict lines. */
    for (uint32_t i = 0; i < constants->waiting_count; i++) {
        struct group *group = constants->waiting[i];
        if (!read_pending(constants, group, false)) {
            constants->waiting[left++] = group;
            continue;
        }
        count_accesses(shader, group);
        group->constants.ready = true;
        group->path_end.cp_ref = arrival;
        shader_schedule(shader, group, now + 1, WAIT_CONSTANTS);
    }
    constants->waiting_count = left;
    for (uint32_t i = 0; i < left; i++)
        request_lines(constants, constants->waiting[i], arrival);
    return true;
}
