/* Texture unit (one a shader unit).
 *
 * A quad's request becomes a list of passes (gfx/sample.h: one bilinear sample for the quad each).
 * The address stage looks up the cache lines of one pass a cycle, four different lines at most (a
 * pass of more takes more cycles), and asks for those that miss; the filter stage takes them in
 * order when they are here, reads the texels out of the lines, and answers when the last pass is
 * done. Lines stay locked from look-up to use, so misses overlap with the work before them.
 *
 * Latency: AddressALULatency on the queue in, FilterALULatency on the queue out, and memory's.
 * Source: machine.md (texture unit). Compressed textures are cached as they lie in memory. Not
 * modelled: a second cache level, decompression latency, the size of the access queues apart from
 * TextureAccessQueue. */
#include "unit/texunit.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state texunit_clock(void *self, uint64_t now);

void
texunit_init(struct texunit *texunit, struct clock *clock, const struct params *params,
             uint32_t index)
{
    memset(texunit, 0, sizeof *texunit);
    clock_add_module(clock, &texunit->module, "texunit", (int32_t)index, texunit, texunit_clock);
    texunit->module.is_core = true;
    texunit->plans = mem_alloc(TEXUNIT_PLANS * sizeof *texunit->plans);
    texunit->waiting_limit = params->FRAGMENTSHADER.TextureAccessQueue;
    texunit->waiting = mem_alloc(texunit->waiting_limit * sizeof *texunit->waiting);
    cache_init(&texunit->cache,
               params->FRAGMENTSHADER.TextureCacheLines * params->FRAGMENTSHADER.TextureCacheWays,
               params->FRAGMENTSHADER.TextureCacheWays, params->FRAGMENTSHADER.TextureCacheLineSize,
               params->FRAGMENTSHADER.TextureCacheRequestQueueSize);
}

void
texunit_fini(struct texunit *texunit)
{
    cache_fini(&texunit->cache);
    free(texunit->plans);
    free(texunit->waiting);
}

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

/* A size query needs no texels. */
static void
answer_size(struct texunit *texunit, const struct texture_item *item)
{
    const struct texture_request *request = request_of(item);
    for (uint32_t l = 0; l < 4; l++) {
        int32_t level, size[4];
        memcpy(&level, &request->coord[0][item->quad % QUADS_IN_BLOCK * 4 + l], sizeof level);
        sample_size(view_of(item), (uint32_t)level, size);
        for (uint32_t c = 0; c < 4; c++)
            memcpy(group_texels(item->group, item->quad, c) + l, &size[c], sizeof size[c]);
    }
    texunit->stats.size_queries++;
}

/* Takes the next request; false when there is none or no room. */
static bool
take_request(struct texunit *texunit, uint64_t now)
{
    const struct texture_item *item = queue_front(texunit->in, now);
    if (!item || texunit->planning || texunit->plan_count == TEXUNIT_PLANS)
        return false;
    struct texunit_plan *plan =
        &texunit->plans[(texunit->plan_head + texunit->plan_count++) % TEXUNIT_PLANS];
    plan->item = *item;
    plan->passes_read = 0;
    if (request_of(item)->opcode == OP_TXQ) {
        answer_size(texunit, item);
        plan->plan.pass_count = 0;
    } else {
        sample_plan(&plan->plan, view_of(item), request_of(item), item->quad % QUADS_IN_BLOCK);
    }
    texunit->planning = true;
    texunit->next_pass = 0;
    texunit->listed = false;
    texunit->stats.quads++;
    queue_pop(texunit->in, now);
    return true;
}

/* The different lines that a pass reads. */
static void
list_lines(struct texunit *texunit, const struct sample_pass *pass)
{
    for (uint32_t lane = 0; lane < 4; lane++) {
        if (!(pass->lanes >> lane & 1))
            continue;
        uint32_t texels = pass->linear >> lane & 1 ? 4 : 1;
        for (uint32_t t = 0; t < texels; t++) {
            uint32_t address = pass->texels[lane][t].address;
            if (address == TEXEL_BORDER)
                continue;
            texunit->stats.texels++;
            address -= address % texunit->cache.line_bytes;
            uint32_t i = 0;
            while (i < texunit->wanted_count && texunit->wanted[i] != address)
                i++;
            if (i == texunit->wanted_count)
                texunit->wanted[texunit->wanted_count++] = address;
        }
    }
}

/* Locks the line, asks for it on a miss; false when there is no room now. */
static bool
lock_line(struct texunit *texunit, struct texunit_chunk *chunk, uint32_t address)
{
    struct cache *cache = &texunit->cache;
    int32_t line = cache_find(cache, address);
    if (line < 0) {
        line = cache_allocate(cache, address, true);
        if (line < 0)
            return false;
        texunit->stats.cache_misses++;
    } else {
        texunit->stats.cache_hits++;
    }
    texunit->stats.cache_accesses++;
    cache_touch(cache, (uint32_t)line);
    cache->lines[line].locks++;
    chunk->lines[chunk->line_count++] = (uint32_t)line;
    return true;
}

/* One cycle of the address stage: up to four lines of the pass in hand. */
static bool
look_up(struct texunit *texunit)
{
    if (!texunit->planning || texunit->waiting_count == texunit->waiting_limit)
        return false;
    uint32_t at = (texunit->plan_head + texunit->plan_count - 1) % TEXUNIT_PLANS;
    const struct sample_plan *plan = &texunit->plans[at].plan;
    bool has_pass = texunit->next_pass < plan->pass_count;
    if (!texunit->listed) {
        texunit->wanted_count = texunit->wanted_done = 0;
        if (has_pass)
            list_lines(texunit, &plan->passes[texunit->next_pass]);
        texunit->listed = true;
    }
    struct texunit_chunk chunk = {.plan = at, .pass = texunit->next_pass};
    while (texunit->wanted_done < texunit->wanted_count && chunk.line_count < TEXUNIT_LINES &&
           lock_line(texunit, &chunk, texunit->wanted[texunit->wanted_done]))
        texunit->wanted_done++;
    if (texunit->wanted_count && !chunk.line_count)
        return false;
    if (texunit->wanted_done == texunit->wanted_count) {
        texunit->next_pass++;
        texunit->listed = false;
        texunit->stats.passes += has_pass;
        chunk.last = texunit->next_pass >= plan->pass_count;
        texunit->planning = !chunk.last;
    }
    texunit->waiting[(texunit->waiting_head + texunit->waiting_count++) % texunit->waiting_limit] =
        chunk;
    return true;
}

/* The chunk's line that holds the address, or NULL. */
static const uint8_t *
chunk_data(struct texunit *texunit, const struct texunit_chunk *chunk, uint32_t address)
{
    uint32_t in_line = address % texunit->cache.line_bytes;
    for (uint32_t i = 0; i < chunk->line_count; i++)
        if (texunit->cache.lines[chunk->lines[i]].address == address - in_line)
            return cache_data(&texunit->cache, chunk->lines[i]) + in_line;
    return NULL;
}

/* Reads the texels that lie in the chunk's lines, and lets the lines go. */
static void
read_texels(struct texunit *texunit, const struct texunit_chunk *chunk)
{
    struct texunit_plan *plan = &texunit->plans[chunk->plan];
    const struct sample_pass *pass = &plan->plan.passes[chunk->pass];
    for (uint32_t lane = 0; lane < 4 && chunk->line_count; lane++) {
        uint32_t texels = !(pass->lanes >> lane & 1) ? 0 : pass->linear >> lane & 1 ? 4 : 1;
        for (uint32_t t = 0; t < texels; t++) {
            uint32_t address = pass->texels[lane][t].address;
            const uint8_t *data =
                address == TEXEL_BORDER ? NULL : chunk_data(texunit, chunk, address);
            if (data)
                memcpy(plan->bytes[chunk->pass][lane][t], data,
                       plan->plan.bound->format->block_bytes);
        }
    }
    for (uint32_t i = 0; i < chunk->line_count; i++)
        texunit->cache.lines[chunk->lines[i]].locks--;
}

static void
answer(struct texunit *texunit, struct texunit_plan *plan, uint64_t now)
{
    if (request_of(&plan->item)->opcode != OP_TXQ) {
        const uint8_t *blocks[SAMPLE_MAX_PASSES][4][4];
        float rgba[4][4];
        for (uint32_t p = 0; p < plan->plan.pass_count; p++)
            for (uint32_t lane = 0; lane < 4; lane++)
                for (uint32_t t = 0; t < 4; t++)
                    blocks[p][lane][t] =
                        plan->plan.passes[p].texels[lane][t].address == TEXEL_BORDER
                            ? NULL
                            : plan->bytes[p][lane][t];
        sample_filter(&plan->plan, (const uint8_t *const(*)[4][4])blocks, rgba);
        for (uint32_t c = 0; c < 4; c++)
            memcpy(group_texels(plan->item.group, plan->item.quad, c), rgba[c], 4 * sizeof(float));
    }
    *(struct texture_item *)queue_push(texunit->out, now) = plan->item;
    texunit->plan_head = (texunit->plan_head + 1) % TEXUNIT_PLANS;
    texunit->plan_count--;
}

/* One cycle of the filter stage; *why says what it waits for. */
static bool
filter(struct texunit *texunit, uint64_t now, enum unit_state *why)
{
    if (!texunit->waiting_count)
        return false;
    const struct texunit_chunk *chunk = &texunit->waiting[texunit->waiting_head];
    for (uint32_t i = 0; i < chunk->line_count; i++) {
        if (!cache_ready(&texunit->cache, chunk->lines[i])) {
            *why = UNIT_WAITING;
            return false;
        }
    }
    if (chunk->last && !queue_space(texunit->out, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    read_texels(texunit, chunk);
    if (chunk->last)
        answer(texunit, &texunit->plans[chunk->plan], now);
    texunit->waiting_head = (texunit->waiting_head + 1) % texunit->waiting_limit;
    texunit->waiting_count--;
    return true;
}

static bool
obey(struct texunit *texunit, uint64_t now)
{
    const struct control_item *item = queue_front(texunit->control, now);
    if (!item || !queue_space(texunit->done, now) || !cache_is_quiet(&texunit->cache))
        return false;
    if (texunit->skip_invalidate)
        texunit->skip_invalidate = false;
    else
        cache_reset(&texunit->cache);
    *(struct done_item *)queue_push(texunit->done, now) = (struct done_item){false, 0};
    queue_pop(texunit->control, now);
    return true;
}

static enum unit_state
texunit_clock(void *self, uint64_t now)
{
    struct texunit *texunit = self;
    enum unit_state why = UNIT_STARVED;
    bool worked = filter(texunit, now, &why);
    worked |= look_up(texunit);
    worked |= take_request(texunit, now);
    bool moved = cache_clock(&texunit->cache, now);
    worked |= obey(texunit, now);
    if (moved)
        module_wake_at(&texunit->module, now + 1);
    if (worked)
        return UNIT_BUSY;
    if (why == UNIT_STARVED && (texunit->planning || texunit->waiting_count))
        why = UNIT_WAITING;
    return why;
}
