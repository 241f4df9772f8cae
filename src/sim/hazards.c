#include "sim/hazards.h"

#include <string.h>

enum { LINE = 256 }; /* in bytes; no read-only cache has longer lines */

void
hazards_fini(struct hazards *hazards)
{
    VEC_FREE(&hazards->fetching);
    VEC_FREE(&hazards->running);
    VEC_FREE(&hazards->sampled);
    VEC_FREE(&hazards->changed);
}

void
hazards_reset(struct hazards *hazards)
{
    hazards->count = 0;
    hazards->fetching.count = hazards->running.count = hazards->sampled.count = 0;
    hazards->changed.count = 0;
    hazards->buffers_changed = hazards->samples_buffers = false;
}

static struct hazard_range
range_of(uint64_t first, uint64_t end)
{
    return (struct hazard_range){first / LINE * LINE, (end + LINE - 1) / LINE * LINE};
}

static bool
overlap(struct hazard_range a, struct hazard_range b)
{
    return a.first < b.end && b.first < a.end;
}

struct hazard_range
hazard_range_of_all(const struct resource *res)
{
    return range_of(res->address, (uint64_t)res->address + res->size_bytes);
}

struct hazard_range
hazard_range_of(const struct resource *res, const struct box *box)
{
    if (res->desc.target != TARGET_BUFFER)
        return hazard_range_of_all(res);
    const uint64_t first = (uint64_t)res->address + (uint32_t)box->x;
    return range_of(first, first + (uint32_t)box->width);
}

void
hazards_note_upload(struct hazards *hazards, uint64_t number, struct hazard_range range)
{
    BUG_ON(hazards->count == HAZARD_UPLOADS, "too many uploads in flight");
    hazards->uploads[hazards->count++] = (struct hazard_upload){number, range};
}

void
hazards_end_upload(struct hazards *hazards, uint64_t number)
{
    uint32_t i = 0;
    while (hazards->uploads[i].number != number)
        i++;
    hazards->uploads[i] = hazards->uploads[--hazards->count];
}

/* Removes draws up to `number` from the array. Returns the number of remaining draws. */
static size_t
keep_later(struct hazard_draw *draws, size_t count, uint64_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (draws[i].number > number)
            draws[kept++] = draws[i];
    return kept;
}

void
hazards_end_fetch(struct hazards *hazards, uint64_t number)
{
    hazards->fetching.count = keep_later(hazards->fetching.items, hazards->fetching.count, number);
}

void
hazards_end_draws(struct hazards *hazards, uint64_t number)
{
    hazards->running.count = keep_later(hazards->running.items, hazards->running.count, number);
}

static bool
is_listed(const struct hazard_range *items, size_t count, struct hazard_range range)
{
    for (size_t i = 0; i < count; i++)
        if (!memcmp(&items[i], &range, sizeof range))
            return true;
    return false;
}

static void
note_sampled(struct hazards *hazards, const struct resource *res)
{
    const struct hazard_range range = hazard_range_of_all(res);
    hazards->samples_buffers |= res->desc.target == TARGET_BUFFER;
    if (!is_listed(hazards->sampled.items, hazards->sampled.count, range))
        VEC_PUSH(&hazards->sampled, range);
}

void
hazards_note_change(struct hazards *hazards, const struct resource *res)
{
    const struct hazard_range range = hazard_range_of_all(res);
    hazards->buffers_changed = true;
    if (hazards_is_sampled(hazards, res) &&
        !is_listed(hazards->changed.items, hazards->changed.count, range))
        VEC_PUSH(&hazards->changed, range);
}

void
hazards_note_draw(struct hazards *hazards, uint64_t number, const struct draw *draw)
{
    VEC_PUSH(&hazards->fetching, ((struct hazard_draw){number, draw}));
    VEC_PUSH(&hazards->running, ((struct hazard_draw){number, draw}));
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        for (uint32_t i = 0; i < MAX_SAMPLERS; i++)
            if (draw->views[stage][i].res)
                note_sampled(hazards, draw->views[stage][i].res);
}

void
hazards_forget_textures(struct hazards *hazards)
{
    hazards->sampled.count = hazards->changed.count = 0;
}

/* Range that the Streamer may read for the attribute. The range is exact for draws without indices.
 * For other draws it is the attribute's whole range, since indices and instances are not known in
 * advance. */
static struct hazard_range
attribute_range(const struct draw *draw, const struct bound_attribute *attribute)
{
    uint64_t first = attribute->address, end = attribute->end;
    if (!draw->params.indexed && !attribute->divisor && draw->params.count) {
        first += (uint64_t)draw->params.start * attribute->stride;
        const uint64_t last = first + (uint64_t)(draw->params.count - 1) * attribute->stride;
        if (last + attribute->format->block_bytes < end)
            end = last + attribute->format->block_bytes;
    }
    return first < end ? range_of(first, end) : (struct hazard_range){0, 0};
}

static bool
fetches_from(const struct draw *draw, struct hazard_range range)
{
    for (uint32_t i = 0; i < draw->attribute_count; i++)
        if (draw->attributes[i].format &&
            overlap(attribute_range(draw, &draw->attributes[i]), range))
            return true;
    const uint64_t first = draw->index_address;
    return draw->params.indexed &&
           overlap(range_of(first, first + (uint64_t)draw->params.count * draw->index_bytes),
                   range);
}

static bool
is_in(const struct resource *res, struct hazard_range range)
{
    return res && overlap(hazard_range_of_all(res), range);
}

bool
hazard_draw_samples(const struct draw *draw, struct hazard_range range)
{
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        for (uint32_t i = 0; i < MAX_SAMPLERS; i++) {
            const struct resource *res = draw->views[stage][i].res;
            if (res && res->desc.target == TARGET_BUFFER && is_in(res, range))
                return true;
        }
    return false;
}

bool
hazards_samples_changed(const struct hazards *hazards, const struct draw *draw)
{
    for (size_t i = 0; i < hazards->changed.count; i++)
        if (hazard_draw_samples(draw, hazards->changed.items[i]))
            return true;
    return false;
}

/* Whether the draw uses the range other than by fetching vertices and indices. */
static bool
draws_with(const struct draw *draw, struct hazard_range range)
{
    bool any = is_in(draw->depth.res, range);
    for (uint32_t i = 0; i < draw->color_count && !any; i++)
        any = is_in(draw->color[i].res, range);
    for (uint32_t stage = 0; stage < STAGE_COUNT && !any; stage++)
        for (uint32_t i = 0; i < MAX_SAMPLERS && !any; i++)
            any = is_in(draw->views[stage][i].res, range);
    return any;
}

bool
hazard_draw_uses(const struct draw *draw, struct hazard_range range)
{
    return fetches_from(draw, range) || draws_with(draw, range);
}

uint64_t
hazards_before_draw(const struct hazards *hazards, const struct draw *draw)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < hazards->count; i++)
        if (hazards->uploads[i].number > last && hazard_draw_uses(draw, hazards->uploads[i].range))
            last = hazards->uploads[i].number;
    return last;
}

uint64_t
hazards_before_upload(const struct hazards *hazards, struct hazard_range range)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < hazards->count; i++)
        if (hazards->uploads[i].number > last && overlap(hazards->uploads[i].range, range))
            last = hazards->uploads[i].number;
    return last;
}

uint64_t
hazards_before_use(const struct hazards *hazards, const struct resource *res)
{
    return hazards_before_upload(hazards, hazard_range_of_all(res));
}

uint64_t
hazards_before_buffer_changes(const struct hazards *hazards, struct hazard_range range)
{
    for (size_t i = hazards->fetching.count; i-- > 0;)
        if (fetches_from(hazards->fetching.items[i].draw, range))
            return hazards->fetching.items[i].number;
    return 0;
}

uint64_t
hazards_before_texel_changes(const struct hazards *hazards, struct hazard_range range)
{
    for (size_t i = hazards->samples_buffers ? hazards->running.count : 0; i-- > 0;)
        if (hazard_draw_samples(hazards->running.items[i].draw, range))
            return hazards->running.items[i].number;
    return 0;
}

uint64_t
hazards_before_end(const struct hazards *hazards, const struct resource *res)
{
    for (size_t i = hazards->running.count; i-- > 0;)
        if (draws_with(hazards->running.items[i].draw, hazard_range_of_all(res)))
            return hazards->running.items[i].number;
    return 0;
}

bool
hazards_is_sampled(const struct hazards *hazards, const struct resource *res)
{
    for (size_t i = 0; i < hazards->sampled.count; i++)
        if (overlap(hazards->sampled.items[i], hazard_range_of_all(res)))
            return true;
    return false;
}
