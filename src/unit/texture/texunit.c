/* Texture Unit. Each shader unit has one or more.
 *
 * A quad's request becomes a list of samples. Each of them is one bilinear sample for the whole
 * quad (gfx/sample.h). The fetch stage looks up the lines of one sample per cycle in the first
 * level of the cache, and locks them. TextureSamplesPerCycle sets the number of samples. At most
 * TextureCacheMissesPerCycle misses are possible per cycle. A sample is ready when all its lines
 * are filled. A sample that misses waits in a window of TextureWaitReadWindow samples. Samples
 * leave the window in any order. The read stage takes one ready sample per cycle and filters it.
 * The reply leaves with the last sample of the quad. Misses therefore overlap with other work.
 *
 * The cache has four banks of four ports. A port is TextureCachePortWidth bytes wide. Consecutive
 * 32-bit words are in consecutive banks. A word is read once for all texels of the sample that it
 * contains. A texel occupies its port for ceil(texel size / port width) cycles, and a bank serves
 * four texels at a time. A sample therefore takes one cycle for texels of up to 4 bytes, and 4
 * cycles for texels of 8 bytes. Texels of 16 bytes take 16 cycles, unless texels are shared.
 *
 * The latency is the sum of AddressALULatency (input queue), FilterALULatency (output queue) and
 * the latency of the cache. TextureAccessQueue limits the quads between request and reply, and the
 * ready samples. Source: docs/design/machine.md, Texture Unit; ATTILA for the window, banks and
 * ports. Not modelled: bank conflicts of the tags (the ports limit first), a queue before the
 * filter (read and filter have the same rate). */
#include "unit/texture/texunit.h"

#include "base/bits.h"
#include "state/format_encode.h"
#include "base/mem.h"
#include "unit/watch.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BANKS = 4, PORTS_OF_BANK = 4, SPARE_SAMPLES = 128 };

typedef uint32_t uvec4 __attribute__((vector_size(16)));

static enum unit_state texunit_clock(void *self, uint64_t now);
static void count_cycles(void *self, uint64_t now);

static void
texunit_wire(void *self)
{
    struct texunit *texunit = self;
    texunit->input_stage.cause = texunit->lookup_stage.cause = CAUSE_lookup;
    texunit->output_stage.cause = CAUSE_filter;
    texunit->in->to = &texunit->input_stage;
    texunit->out->from = &texunit->output_stage;
}

static void
texunit_reset(void *self)
{
    struct texunit *texunit = self;
    BUG_ON(texunit->access_count, "a texture unit is reset with %u requests in flight",
           texunit->access_count);
    const struct module *module = &texunit->module;
    INVARIANT(module, !texunit->order_ring.count && !texunit->ready_ring.count);
    INVARIANT(module, texunit->free_count == texunit->sample_limit);
    INVARIANT(module, texunit->window_count == 0);
    INVARIANT(module, texunit->planned == TEXUNIT_NONE && texunit->begun == TEXUNIT_NONE);
    for (uint32_t i = 0; i < texunit->texture_count; i++)
        INVARIANT(module, texunit->textures[i].uses == 0);
    texcache_invalidate(&texunit->cache);
    texunit->texture_count = texunit->texture_rr = 0;
    texunit->port_free = 0;
}

static void
texunit_fini(void *self)
{
    struct texunit *texunit = self;
    texcache_fini(&texunit->cache);
    free(texunit->textures);
    free(texunit->accesses);
    free(texunit->free_accesses);
    free(texunit->order);
    free(texunit->ready);
    free(texunit->samples);
    free(texunit->free_samples);
}

static const struct module_ops ops = {
    .clock = texunit_clock,
    .settle = count_cycles,
    .wire = texunit_wire,
    .reset = texunit_reset,
    .fini = texunit_fini,
};

void
texunit_init(struct texunit *texunit, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(texunit, 0, sizeof *texunit);
    clock_add_module(env->clock, &texunit->module, "texunit", (int32_t)index, texunit, &ops);
    texunit->module.is_core = true;
    texcache_init(&texunit->cache, params, &texunit->module, env->memory, env->color_blocks,
                  env->depth_blocks, &texunit->stats);
    texunit->samples_cycle = texunit_rate(params);
    texunit->module.stage.cause = CAUSE_lookup;
    texunit->port_width = params->FRAGMENTSHADER.TextureCachePortWidth;
    texunit->misses_cycle = params->FRAGMENTSHADER.TextureCacheMissesPerCycle;
    texunit->access_limit = params->FRAGMENTSHADER.TextureAccessQueue;
    texunit->window_limit = params->FRAGMENTSHADER.TextureWaitReadWindow;
    texunit->sample_limit = texunit->window_limit + texunit->access_limit + SPARE_SAMPLES;
    texunit->textures = mem_array(TEXUNIT_TEXTURES, sizeof *texunit->textures);
    texunit->accesses = mem_array(texunit->access_limit, sizeof *texunit->accesses);
    texunit->free_accesses = mem_array(texunit->access_limit, sizeof *texunit->free_accesses);
    texunit->order_ring.capacity = texunit->access_limit;
    texunit->order = mem_array(texunit->access_limit, sizeof *texunit->order);
    texunit->ready_ring.capacity = texunit->access_limit + texunit->window_limit;
    texunit->ready = mem_array(texunit->ready_ring.capacity, sizeof *texunit->ready);
    texunit->samples = mem_array(texunit->sample_limit, sizeof *texunit->samples);
    texunit->free_samples = mem_array(texunit->sample_limit, sizeof *texunit->free_samples);
    for (uint32_t i = 0; i < texunit->access_limit; i++)
        texunit->free_accesses[i] = texunit->access_limit - 1 - i;
    for (uint32_t i = 0; i < texunit->sample_limit; i++)
        texunit->free_samples[i] = texunit->sample_limit - 1 - i;
    texunit->free_count = texunit->sample_limit;
    texunit->planned = texunit->begun = TEXUNIT_NONE;
}

/* Textures */

/* Whether the texels that a lane needs for a bilinear sample are always in different banks. This is
 * true if the texture stores squares of at least 4x4 texels, and a texel is no wider than a bank
 * and a port. */
static bool
is_conflict_free(const struct texunit *texunit, const struct sample_texture *sample)
{
    const uint32_t bytes = 1u << sample->texel_log2;
    if (!sample->plans_fast || bytes > 4 || bytes > texunit->port_width)
        return false;
    for (uint32_t i = sample->setup.first_level; i <= sample->setup.last_level; i++)
        if (sample->levels[i].square_log2 < 2)
            return false;
    return true;
}

/* Whether mipmaps could be added: the program uploads the texture, which has one level. */
static bool
lacks_mipmaps(const struct sample_texture *texture)
{
    const struct sample_setup *setup = &texture->setup;
    return texture->usable && !setup->rect && setup->dims == 2 &&
           bound_view_has_one_level(setup->bound);
}

static bool
is_compressible(const struct sample_texture *texture)
{
    const struct sample_setup *setup = &texture->setup;
    return texture->usable && setup->res->sampled_only && setup->dims == 2 && !setup->rect &&
           setup->bound->format == setup->res->format && s3tc_format_for(setup->res->format);
}

/* Finds or creates the entry of the texture. Returns NULL if all entries are in use. */
static struct texcache_texture *
find_texture(struct texunit *texunit, const struct bound_view *bound, uint32_t target)
{
    struct texcache_texture *texture = texunit->textures;
    for (uint32_t i = 0; i < texunit->texture_count; i++, texture++)
        if (texture->key == bound && texture->target == target)
            return texture;
    if (texunit->texture_count < TEXUNIT_TEXTURES) {
        texunit->texture_count++;
    } else {
        uint32_t tries = 0;
        do {
            if (++tries > TEXUNIT_TEXTURES)
                return NULL;
            texunit->texture_rr = (texunit->texture_rr + 1) % TEXUNIT_TEXTURES;
            texture = &texunit->textures[texunit->texture_rr];
        } while (texture->uses);
    }
    sample_texture_init(&texture->sample, bound, target);
    texcache_name(&texunit->cache, texture);
    texture->conflict_free = is_conflict_free(texunit, &texture->sample);
    texture->lacks_mipmaps = lacks_mipmaps(&texture->sample);
    texture->is_compressible = is_compressible(&texture->sample);
    texture->key = bound;
    texture->target = target;
    texture->uses = 0;
    return texture;
}

/* Requests */

static const struct texture_request *
request_of(const struct texture_item *item)
{
    return &group_block(item->group, item->quad)->request;
}

static const struct bound_view *
view_of(const struct texture_item *item)
{
    const struct group *group = item->group;
    return &group->draw->views[group->stage][request_of(item)->sampler];
}

/* Replies to a size query, which needs no texels. */
static void
answer_size(struct texunit *texunit, const struct texture_item *item)
{
    const struct texture_request *request = request_of(item);
    for (uint32_t l = 0; l < 4; l++) {
        int32_t level, size[4];
        memcpy(&level, &request->coord[4][item->quad % QUADS_IN_BLOCK * 4 + l], sizeof level);
        sample_size(view_of(item), (uint32_t)level, size);
        for (uint32_t c = 0; c < 4; c++)
            memcpy(group_texels(item->group, item->quad, c) + l, &size[c], sizeof size[c]);
    }
    texunit->stats.size_queries++;
}

/* Takes the next request. Returns false if there is no request or no room. */
static bool
take_request(struct texunit *texunit, uint64_t now)
{
    if (texunit->access_count == texunit->access_limit)
        return false;
    const struct texture_item *item = queue_front(texunit->in, now);
    if (!item)
        return false;
    const uint32_t slot =
        texunit->free_accesses[texunit->access_limit - 1 - texunit->access_count++];
    struct texunit_access *access = &texunit->accesses[slot];
    access->item = *item;
    if (queue_mark(texunit->in).cycle < now)
        texunit->input_stage.cp_ref = texunit->module.stage.cp_ref;
    access->asked = (struct cp_stamp){texunit->input_stage.cp_ref, queue_mark(texunit->in).cycle};
    access->since = now;
    access->texture = NULL;
    access->is_reduced = false;
    texunit->order[ring_push(&texunit->order_ring)] = slot;
    texunit->stats.quads++;
    queue_pop(texunit->in, now);
    return true;
}

static void
count_plan(struct texunit *texunit)
{
    const struct sample_plan *plan = &texunit->plan;
    texunit->stats.quads_two_levels += plan->levels > 1;
    texunit->stats.quads_anisotropic += plan->probes > 1;
    texunit->stats.probes += plan->probes;
}

static void
count_missing(struct texunit *texunit, const struct texture_request *request,
              struct texunit_access *access)
{
    const uint32_t level = sample_missing_level(&access->texture->sample.setup, request,
                                                access->item.quad % QUADS_IN_BLOCK);
    access->is_reduced = level > 0;
    texunit->stats.quads_reduced += level > 0;
    texunit->stats.levels_missing += level;
}

/* Plans the samples of the next access. Returns false if there is no access, or no entry for its
 * texture. */
static bool
plan_next(struct texunit *texunit)
{
    if (!texunit->order_ring.count)
        return false;
    const uint32_t slot = texunit->order[texunit->order_ring.head];
    struct texunit_access *access = &texunit->accesses[slot];
    const struct texture_request *request = request_of(&access->item);
    struct sample_plan *plan = &texunit->plan;
    if (request->opcode == OP_TXQ) {
        answer_size(texunit, &access->item);
        plan->pass_count = 0;
    } else {
        access->texture = find_texture(texunit, view_of(&access->item), request->target);
        if (!access->texture)
            return false;
        access->texture->uses++;
        sample_plan(plan, &access->texture->sample, request, access->item.quad % QUADS_IN_BLOCK);
        count_plan(texunit);
        texunit->stats.quads_compressible += access->texture->is_compressible;
        if (access->texture->lacks_mipmaps)
            count_missing(texunit, request, access);
        access->mask = plan->mask;
        memcpy(access->reference, plan->reference, sizeof access->reference);
    }
    access->passes = plan->pass_count;
    /* without samples, an empty one carries the reply */
    access->left = plan->pass_count ? plan->pass_count : 1;
    access->added = 0;
    access->first = access->last = TEXUNIT_NONE;
    texunit->planned = slot;
    texunit->next_pass = 0;
    ring_pop(&texunit->order_ring);
    return true;
}

/* Fetch */

/* Converts a vector mask to one bit per lane. */
static inline uint32_t
lane_bits(uvec4 mask)
{
#ifdef __SSE2__
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps((__m128i)mask));
#else
    return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
}

/* Lists the lines that the sample reads, by number, and the texels in each line. Converts texel
 * positions to offsets in the line. */
static void
list_lines(struct texunit *texunit, const struct texcache_texture *texture,
           struct sample_pass *pass)
{
    const uint32_t shift = texture->line_stride_log2;
    const uint32_t bytes_log2 = texture->sample.unit_log2;
    uvec4 texels_at[4], number[4];
    uint32_t left = pass->texels, count = 0;
    memcpy(texels_at, pass->texels_at, sizeof texels_at);
    for (uint32_t i = 0; i < 4; i++) {
        number[i] = texels_at[i] >> shift;
        texels_at[i] = (texels_at[i] & ((1u << shift) - 1)) << bytes_log2;
    }
    while (left) {
        const uint32_t texel = (uint32_t)__builtin_ctz(left);
        const uint32_t wanted = number[texel / 4][texel % 4];
        uint32_t same = 0;
        for (uint32_t i = 0; i < 4; i++)
            same |= lane_bits((uvec4)(number[i] == wanted)) << 4 * i;
        texunit->wanted[count] = wanted;
        texunit->wanted_by[count++] = (uint16_t)(same & left);
        left &= ~same;
    }
    memcpy(pass->texels_at, texels_at, sizeof texels_at);
    texunit->wanted_count = count;
    texunit->wanted_done = 0;
    texunit->stats.texels += bits_count(pass->texels);
}

/* Number of cycles in which the ports read the sample's texels. */
static uint32_t
port_cycles(const struct texunit *texunit, const struct texcache_texture *texture,
            const struct sample_pass *pass)
{
    uint32_t words[BANKS][16], count[BANKS] = {0}, most = 1;
    const uint32_t bytes = 1u << texture->sample.texel_log2;
    for (uint32_t left = pass->texels; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        uint32_t byte = pass->texels_at[i / 4][i % 4] << texture->sample.unit_log2;
        const uint32_t word = byte / 4, bank = word % BANKS;
        uint32_t k = 0;
        while (k < count[bank] && words[bank][k] != word)
            k++;
        if (k == count[bank])
            words[bank][count[bank]++] = word;
    }
    for (uint32_t b = 0; b < BANKS; b++) {
        const uint32_t turns = (count[b] + PORTS_OF_BANK - 1) / PORTS_OF_BANK;
        most = turns > most ? turns : most;
    }
    return most * ((bytes + texunit->port_width - 1) / texunit->port_width);
}

/* Critical path: a lookup waits for its request, the stage, and a free entry. */
static void
note_look_up(struct texunit *texunit, const struct texunit_access *access)
{
    module_begin(&texunit->module, &texunit->lookup_stage,
                 texunit->was_stalled ? texunit->freed
                                      : path_next(&texunit->lookup_stage, access->asked),
                 texunit->module.clock->now, 1);
    texunit->module.stage.cp_ref = texunit->lookup_stage.cp_ref;
    texunit->was_stalled = false;
}

/* Begins the lookup of the next sample. Returns false if there is no free entry. */
static bool
begin_sample(struct texunit *texunit)
{
    if (!texunit->free_count)
        return false;
    const uint32_t slot = texunit->free_samples[--texunit->free_count];
    struct texunit_sample *sample = &texunit->samples[slot];
    struct texunit_access *access = &texunit->accesses[texunit->planned];
    note_look_up(texunit, access);
    const struct texcache_texture *texture = access->texture;
    sample->access = texunit->planned;
    sample->next = TEXUNIT_NONE;
    sample->port_cycles = texunit->samples_cycle == 1;
    sample->line_count = sample->missing = 0;
    sample->read = false;
    if (access->last != TEXUNIT_NONE)
        texunit->samples[access->last].next = slot;
    else
        access->first = slot;
    access->last = slot;
    texunit->begun = slot;
    texunit->wanted_count = texunit->wanted_done = 0;
    if (access->passes == 0) {
        sample->pass.lanes = 0;
        return true;
    }
    sample->pass = texunit->plan.passes[texunit->next_pass];
    texunit->stats.passes++;
    texunit->stats.samples_nearest += !sample->pass.linear;
    if (texunit->samples_cycle > 1)
        ; /* every sample has a port */
    else if (sample->pass.linear ? !texture->conflict_free : texture->sample.texel_log2 > 2)
        sample->port_cycles = port_cycles(texunit, texture, &sample->pass);
    list_lines(texunit, texture, &sample->pass);
    WATCH_TEXELS(&access->item, &sample->pass);
    return true;
}

/* Adds the sample to the list of samples that wait for the line that it locked last. */
static void
wait_for_line(struct texunit *texunit, struct texunit_sample *sample, uint32_t slot)
{
    struct texcache_line *line = &texunit->cache.lines[sample->lines[sample->line_count]];
    const uint32_t waiter = slot * 16 + sample->line_count;
    sample->next_waiter[sample->line_count] = TEXCACHE_NOBODY;
    sample->missing++;
    if (line->first_waiter == TEXCACHE_NOBODY)
        line->first_waiter = waiter;
    else
        texunit->samples[line->last_waiter / 16].next_waiter[line->last_waiter % 16] = waiter;
    line->last_waiter = waiter;
}

/* Locks the next line of the current sample. Returns STALL_NONE on success. */
static enum texunit_stall
lock_line(struct texunit *texunit, const struct texcache_texture *texture,
          struct texunit_sample *sample)
{
    struct texcache *cache = &texunit->cache;
    const uint32_t number = texunit->wanted[texunit->wanted_done];
    int32_t found = texcache_find(cache, texture->first_tag + number);
    if (found < 0) {
        found = texcache_allocate(cache, texture, number);
        if (found < 0)
            return found == TEXCACHE_NO_WAY ? STALL_WAYS : STALL_REQUESTS;
        texunit->stats.cache_misses++;
        texunit->stats.misses_reduced += texunit->accesses[texunit->planned].is_reduced;
        WATCH_MISS(&texunit->accesses[texunit->planned].item);
    } else {
        texunit->stats.cache_hits++;
        replacement_use(&cache->replacement, (uint32_t)found);
    }
    texunit->stats.cache_accesses++;
    struct texcache_line *line = &cache->lines[found];
    line->locks++;
    sample->lines[sample->line_count] = (uint32_t)found;
    if (line->filling)
        wait_for_line(texunit, sample, texunit->begun);
    sample->line_count++;
    const uint32_t base = (uint32_t)found * cache->line_bytes;
    for (uint32_t left = texunit->wanted_by[texunit->wanted_done]; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        sample->pass.texels_at[i / 4][i % 4] += base;
    }
    texunit->wanted_done++;
    return STALL_NONE;
}

/* Resolves a self-deadlock, in which the sample's own lines lock every way of a set. Saves their
 * texels and unlocks the lines. Returns false while one of the lines is not filled. */
static bool
save_texels(struct texunit *texunit, const struct texcache_texture *texture,
            struct texunit_sample *sample)
{
    struct texcache *cache = &texunit->cache;
    const uint32_t aside = cache->sets * cache->ways * cache->line_bytes;
    if (!sample->line_count || sample->missing || texunit->window_count ||
        texunit->ready_ring.count)
        return false;
    for (uint32_t k = 0; k < texunit->wanted_done; k++) {
        for (uint32_t left = texunit->wanted_by[k]; left; left &= left - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(left);
            uint32_t *texels_at = &sample->pass.texels_at[i / 4][i % 4];
            memcpy(cache->data + aside + i * 16, cache->data + *texels_at,
                   (size_t)1 << texture->sample.texel_log2);
            *texels_at = aside + i * 16;
        }
        texunit->wanted_by[k] = 0;
    }
    for (uint32_t k = 0; k < sample->line_count; k++)
        texcache_unlock(cache, sample->lines[k]);
    sample->line_count = 0;
    sample->port_cycles++;
    return true;
}

static void
make_ready(struct texunit *texunit, uint32_t slot)
{
    texunit->ready[ring_push(&texunit->ready_ring)] = slot;
}

/* Ends the lookup of the current sample. All its lines are filled or in flight. */
static void
end_sample(struct texunit *texunit, const struct texunit_sample *sample)
{
    texunit->samples[texunit->begun].ready = path_last(&texunit->lookup_stage);
    INVARIANT(&texunit->module, !sample->missing || texunit->window_count < texunit->window_limit);
    if (sample->missing)
        texunit->window_count++;
    else
        make_ready(texunit, texunit->begun);
    texunit->begun = TEXUNIT_NONE;
    texunit->next_pass++;
    if (texunit->next_pass >= texunit->accesses[texunit->planned].passes)
        texunit->planned = TEXUNIT_NONE;
}

/* Runs one cycle of the fetch stage. */
static bool
texunit_fetch(struct texunit *texunit)
{
    texunit->stall = STALL_NONE;
    if (texunit->planned == TEXUNIT_NONE && !plan_next(texunit))
        return false;
    if (texunit->begun == TEXUNIT_NONE) {
        if (texunit->window_count == texunit->window_limit)
            texunit->stall = STALL_WINDOW;
        else if (texunit->ready_ring.count >= texunit->access_limit)
            texunit->stall = STALL_READY;
        else if (!begin_sample(texunit))
            texunit->stall = STALL_SAMPLES;
        if (texunit->stall) {
            texunit->was_stalled = true;
            return false;
        }
    }
    struct texunit_sample *sample = &texunit->samples[texunit->begun];
    const struct texcache_texture *texture = texunit->accesses[sample->access].texture;
    const uint64_t misses = texunit->stats.cache_misses;
    bool worked = false;
    while (texunit->wanted_done < texunit->wanted_count) {
        if (texunit->stats.cache_misses - misses == texunit->misses_cycle)
            return true;
        texunit->stall = lock_line(texunit, texture, sample);
        if (texunit->stall == STALL_WAYS && !worked && save_texels(texunit, texture, sample))
            return true;
        texunit->lookup_stage.free_cycle = texunit->module.clock->now + 1;
        if (texunit->stall) {
            texunit->line_stalled = true;
            return worked;
        }
        if (texunit->line_stalled) {
            module_resume(&texunit->module, &texunit->lookup_stage, texunit->freed,
                          texunit->module.clock->now);
            texunit->module.stage.cp_ref = texunit->lookup_stage.cp_ref;
        }
        texunit->line_stalled = false;
        worked = true;
    }
    end_sample(texunit, sample);
    return true;
}

/* Takes filled lines. A sample becomes ready when all its lines are filled. */
static bool
take_filled(struct texunit *texunit, uint64_t now)
{
    bool worked = false;
    for (int32_t filled; (filled = texcache_next_filled(&texunit->cache, now)) >= 0;) {
        struct texcache_line *line = &texunit->cache.lines[filled];
        texunit->freed = line->cp_ref; /* an entry of the window, or a way of the cache */
        uint32_t waiter = line->first_waiter;
        line->first_waiter = TEXCACHE_NOBODY;
        while (waiter != TEXCACHE_NOBODY) {
            struct texunit_sample *sample = &texunit->samples[waiter / 16];
            INVARIANT(&texunit->module, sample->missing > 0);
            sample->ready = (struct cp_stamp){line->cp_ref, now};
            if (--sample->missing == 0 && waiter / 16 != texunit->begun) {
                INVARIANT(&texunit->module, texunit->window_count > 0);
                texunit->window_count--;
                make_ready(texunit, waiter / 16);
            }
            waiter = sample->next_waiter[waiter % 16];
        }
        worked = true;
    }
    return worked;
}

/* Read and filter */

static void
answer(struct texunit *texunit, uint32_t slot, uint64_t now)
{
    struct texunit_access *access = &texunit->accesses[slot];
    if (access->texture) {
        float rgba[4][4];
        sample_result(&access->texture->sample, access->mask, access->passes,
                      (const sample_value *)access->sum, rgba);
        for (uint32_t c = 0; c < 4; c++)
            memcpy(group_texels(access->item.group, access->item.quad, c), rgba[c],
                   4 * sizeof(float));
        INVARIANT(&texunit->module, access->texture->uses > 0);
        access->texture->uses--;
    }
    *(struct texture_item *)queue_push(texunit->out, now) = access->item;
    texunit->freed = texunit->output_stage.cp_ref;
    texunit->stats.latency += now - access->since;
    INVARIANT(&texunit->module, access->first == TEXUNIT_NONE);
    INVARIANT(&texunit->module, texunit->access_count > 0);
    texunit->access_count--;
    texunit->free_accesses[texunit->access_limit - 1 - texunit->access_count] = slot;
}

/* Adds samples in their original order, regardless of the order of reads. */
static void
add_samples(struct texunit *texunit, struct texunit_access *access)
{
    while (access->first != TEXUNIT_NONE && texunit->samples[access->first].read) {
        const struct texunit_sample *sample = &texunit->samples[access->first];
        sample_add(access->sum, &sample->pass, access->added++ == 0,
                   (const sample_value *)sample->value);
        INVARIANT(&texunit->module, texunit->free_count < texunit->sample_limit);
        texunit->free_samples[texunit->free_count++] = access->first;
        access->first = sample->next;
    }
    if (access->first == TEXUNIT_NONE)
        access->last = TEXUNIT_NONE;
}

/* Runs one cycle of the read stage. Sets *why if the stage waits. */
static bool
read_sample(struct texunit *texunit, uint64_t now, enum unit_state *why)
{
    if (texunit->port_free > now) {
        texunit->stats.port_wait_cycles++;
        return true;
    }
    if (!texunit->ready_ring.count)
        return false;
    struct texunit_sample *sample = &texunit->samples[texunit->ready[texunit->ready_ring.head]];
    struct texunit_access *access = &texunit->accesses[sample->access];
    if (access->left == 1 && !queue_space(texunit->out, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    if (sample->pass.lanes)
        sample_pass_filter(&access->texture->sample, &sample->pass, texunit->cache.data,
                           access->reference, sample->value);
    for (uint32_t i = 0; i < sample->line_count; i++)
        texcache_unlock(&texunit->cache, sample->lines[i]);
    sample->read = true;
    module_begin(&texunit->module, &texunit->output_stage,
                 path_next(&texunit->output_stage, sample->ready), now, sample->port_cycles);
    texunit->freed = texunit->output_stage.cp_ref;
    texunit->port_free = now + sample->port_cycles;
    ring_pop(&texunit->ready_ring);
    const uint32_t slot = sample->access;
    add_samples(texunit, access);
    if (--access->left == 0)
        answer(texunit, slot, now);
    return true;
}

static bool
exec_control(struct texunit *texunit, uint64_t now)
{
    const struct control_item *item = queue_front(texunit->control, now);
    if (!item || !queue_space(texunit->done, now) || !texcache_is_quiet(&texunit->cache))
        return false;
    texunit_reset(texunit);
    *(struct done_item *)queue_push(texunit->done, now) = (struct done_item){false, 0};
    queue_pop(texunit->control, now);
    return true;
}

/* Counts the cycles since the last clock for the current state. */
static void
count_cycles(void *self, uint64_t now)
{
    struct texunit *texunit = self;
    const uint64_t cycles = now - texunit->counted;
    struct texunit_stats *stats = &texunit->stats;
    texunit->counted = now;
    stats->access_occupancy += cycles * texunit->access_count;
    stats->window_occupancy += cycles * texunit->window_count;
    stats->blocks_from_clear = texunit->cache.blocks.from_clear;
    stats->blocks_decompressed = texunit->cache.blocks.unpacked;
    stats->bytes_saved = texunit->cache.blocks.bytes_saved;
    switch (texunit->stall) {
    case STALL_WINDOW: stats->stall_window += cycles; break;
    case STALL_READY: stats->stall_ready += cycles; break;
    case STALL_WAYS: stats->stall_ways += cycles; break;
    case STALL_REQUESTS: stats->stall_requests += cycles; break;
    case STALL_SAMPLES: stats->stall_samples += cycles; break;
    default: break;
    }
}

static enum unit_state
texunit_clock(void *self, uint64_t now)
{
    struct texunit *texunit = self;
    enum unit_state why = UNIT_STARVED;
    count_cycles(texunit, now);
    bool moved = take_filled(texunit, now);
    uint32_t read = 0, fetched = 0, taken = 0;
    while (read < texunit->samples_cycle && read_sample(texunit, now, &why))
        read++;
    const uint64_t next = texcache_clock(&texunit->cache, now);
    while (fetched < texunit->samples_cycle && texunit_fetch(texunit))
        fetched++;
    while (taken < texunit->samples_cycle && take_request(texunit, now))
        taken++;
    bool worked = read || fetched || taken;
    worked |= exec_control(texunit, now);
    if (worked)
        return UNIT_BUSY;
    module_wake_at(&texunit->module, moved ? now + 1 : next);
    if (why == UNIT_STARVED && texunit->access_count)
        why = UNIT_WAITING;
    return why;
}
