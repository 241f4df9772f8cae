#include "unit/watch.h"

#include "base/bits.h"
#include "base/mem.h"
#include "base/morton.h"

#include <stdlib.h>
#include <string.h>

const char *const fragment_fate_names[FATES] = {
    [FATE_HZ] = "hz",         [FATE_DEPTH] = "depth",     [FATE_STENCIL] = "stencil",
    [FATE_KILLED] = "killed", [FATE_WRITTEN] = "written", [FATE_NO_COLOR] = "no color",
};

struct watched_quad { /* record of a quad in the pipeline */
    struct watched_quad *next_free;
    struct watch *watch;
    struct watched_surface *surface;
    struct watched_part *part; /* NULL if maps are off */
    const struct draw *draw;
    uint32_t mask; /* mask of generated samples */
    uint8_t depth_failed, stencil_failed, killed, written;
    bool tested;
    uint64_t generated, tested_at, shader_began, shader_ended, written_at;
    uint32_t texels[4], misses;
    uint32_t course;              /* index in watch->courses plus 1; 0: the quad is not followed */
    int32_t pixel;                /* index of the watched pixel in the quad, or -1 */
    struct watched_fragment life; /* record of the watched pixel */
};

struct watch *
watch_create(const struct clock *clock, const struct memctl *memctl)
{
    struct watch *watch = mem_alloc(sizeof *watch);
    watch->clock = clock;
    watch->memctl = memctl;
    arena_init(&watch->memory);
    return watch;
}

void
watch_destroy(struct watch *watch)
{
    if (!watch)
        return;
    arena_fini(&watch->memory);
    VEC_FREE(&watch->fragments);
    VEC_FREE(&watch->courses);
    VEC_FREE(&watch->culls);
    free(watch);
}

void
watch_begin_frame(struct watch *watch, uint32_t frame)
{
    watch->frame = frame;
    watch->frame_start = watch->clock->now;
    watch->surface_count = 0;
    watch->fragments.count = 0;
    watch->free_quads = NULL;
    arena_reset(&watch->memory);
}

const struct watched_surface *
watch_shown(const struct watch *watch, const struct resource *shown)
{
    const struct watched_surface *best = NULL;
    for (uint32_t i = 0; i < watch->surface_count; i++) {
        const struct watched_surface *surface = &watch->surfaces[i];
        if (surface->address == shown->address)
            return surface;
        if (surface->width == shown->levels[0].width &&
            surface->height == shown->levels[0].height &&
            (!best || surface->fragments > best->fragments))
            best = surface;
    }
    return best;
}

/* Finds or adds the surface that the draw writes. NULL: the draw writes none, or the table of
 * surfaces is full. */
static struct watched_surface *
surface_of(struct watch *watch, const struct draw *draw)
{
    const struct bound_surface *bound = draw->color_count ? &draw->color[0] : &draw->depth;
    if (!bound->res)
        bound = &draw->depth;
    if (!bound->res)
        return NULL;
    const uint32_t address =
        bound->res->address + resource_offset(bound->res, bound->level, 0, 0, bound->layer, 0);
    for (uint32_t i = 0; i < watch->surface_count; i++)
        if (watch->surfaces[i].address == address)
            return &watch->surfaces[i];
    if (watch->surface_count == WATCH_SURFACES)
        return NULL;
    struct watched_surface *surface = &watch->surfaces[watch->surface_count++];
    *surface = (struct watched_surface){address, bound->width, bound->height, 0, NULL, NULL};
    if (!watch->maps)
        return surface;
    surface->pixels = arena_alloc(&watch->memory, (size_t)surface->width * surface->height *
                                                      sizeof *surface->pixels);
    surface->tiles =
        arena_alloc(&watch->memory, (size_t)watch_tiles(surface->width) *
                                        watch_tiles(surface->height) * sizeof *surface->tiles);
    return surface;
}

/* Finds or adds the draw's record in the tile that contains the pixel. NULL: maps are off, or the
 * pixel is outside the surface. */
static struct watched_part *
part_of(struct watch *watch, const struct watched_surface *surface, const struct draw *draw,
        uint32_t x, uint32_t y)
{
    if (!surface->tiles || x >= surface->width || y >= surface->height)
        return NULL;
    const uint32_t row = y / WATCH_TILE_SIDE, column = x / WATCH_TILE_SIDE;
    struct watched_part **at = &surface->tiles[(size_t)row * watch_tiles(surface->width) + column];
    while (*at && (*at)->draw > draw->number)
        at = &(*at)->next;
    if (!*at || (*at)->draw != draw->number) {
        struct watched_part *part = arena_alloc(&watch->memory, sizeof *part);
        *part = (struct watched_part){.next = *at, .draw = draw->number};
        *at = part;
    }
    return *at;
}

static struct watched_pixel *
pixel_at(const struct watched_surface *surface, uint32_t x, uint32_t y)
{
    if (!surface->pixels || x >= surface->width || y >= surface->height)
        return NULL;
    return &surface->pixels[(size_t)y * surface->width + x];
}

static void
count_fate(struct watched_pixel *pixel, enum fragment_fate fate)
{
    if (pixel && pixel->fates[fate] < UINT16_MAX)
        pixel->fates[fate]++;
}

static uint64_t
frame_cycle(const struct watch *watch)
{
    return watch->clock->now - watch->frame_start;
}

/* Starts the record of a fragment of the watched pixel when the fragment is generated. */
static void
begin_life(const struct watch *watch, struct watched_fragment *life,
           const struct watched_surface *surface, const struct draw *draw,
           const struct pooled_triangle *triangle)
{
    *life = (struct watched_fragment){.frame = watch->frame,
                                      .surface = surface->address,
                                      .draw = draw->number,
                                      .client = draw->client,
                                      .primitive = triangle->number,
                                      .program = draw->program[STAGE_FRAGMENT]->id,
                                      .front = triangle->triangle.front,
                                      .early_z = draw->early_z,
                                      .generated = frame_cycle(watch),
                                      .tested = CYCLE_NEVER,
                                      .shader_began = CYCLE_NEVER,
                                      .shader_ended = CYCLE_NEVER,
                                      .written = CYCLE_NEVER};
}

static bool
is_followed(const struct watch *watch, const struct draw *draw,
            const struct pooled_triangle *triangle)
{
    return watch->follows && watch->frame == watch->followed_frame &&
           draw->number == watch->followed_draw && triangle->number == watch->followed_primitive;
}

struct watch *
watch_of(struct watch *watch, const struct draw *draw, const struct pooled_triangle *triangle)
{
    return watch && is_followed(watch, draw, triangle) ? watch : NULL;
}

void
watch_level(struct watch *watch, uint32_t level, uint64_t cycle)
{
    struct watched_level *at = &watch->levels[level - 1];
    at->last = cycle - watch->frame_start;
    if (!at->squares++)
        at->first = at->last;
}

int32_t
watch_pixel(const struct quad *quad)
{
    return quad->watched->pixel;
}

uint32_t
watch_course(const struct quad *quad)
{
    return quad->watched ? quad->watched->course : 0;
}

static uint32_t
begin_course(struct watch *watch, const struct quad *quad)
{
    const struct watched_course course = {.x = quad->x,
                                          .y = quad->y,
                                          .fragments = mask_fragments(quad->mask),
                                          .generated = frame_cycle(watch),
                                          .tested = CYCLE_NEVER,
                                          .shader_began = CYCLE_NEVER,
                                          .shader_ended = CYCLE_NEVER,
                                          .written = CYCLE_NEVER,
                                          .retired = CYCLE_NEVER};
    VEC_PUSH(&watch->courses, course);
    return (uint32_t)watch->courses.count;
}

void
watch_tile(struct watch *watch, const struct tile_item *tile, uint64_t culled)
{
    if (culled && is_followed(watch, tile->draw, tile->triangle)) {
        const struct watched_cull cull = {tile->x, tile->y, culled};
        VEC_PUSH(&watch->culls, cull);
    }
    struct watched_surface *surface = surface_of(watch, tile->draw);
    if (!surface || !culled)
        return;
    struct watched_part *part = part_of(watch, surface, tile->draw, tile->x, tile->y);
    if (part)
        part->fragments += bits_count(culled);
    for (uint64_t left = culled; left; left &= left - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(left);
        const uint32_t x = tile->x + morton8_x(bit), y = tile->y + morton8_y(bit);
        surface->fragments++;
        count_fate(pixel_at(surface, x, y), FATE_HZ);
        if (!watch->has_pixel || x != watch->x || y != watch->y)
            continue;
        struct watched_fragment life;
        float z[4];
        begin_life(watch, &life, surface, tile->draw, tile->triangle);
        depth_interpolate(&tile->triangle->triangle, x & ~1u, y & ~1u, z);
        life.fate = FATE_HZ;
        life.depth = z[bit & 3];
        for (uint32_t s = 0; s < tile->draw->samples; s++)
            life.samples += tile->draw->samples == 1 || (tile->samples[s] >> bit & 1);
        VEC_PUSH(&watch->fragments, life);
    }
}

void
watch_quad(struct watch *watch, struct quad *quad, const struct draw *draw)
{
    struct watched_surface *surface = surface_of(watch, draw);
    const bool has_watched_pixel =
        watch->has_pixel && quad->x == (watch->x & ~1u) && quad->y == (watch->y & ~1u);
    const bool followed = is_followed(watch, draw, quad->triangle);
    if (!followed && (!surface || (!watch->maps && !has_watched_pixel)))
        return;
    struct watched_quad *watched = watch->free_quads;
    if (watched)
        watch->free_quads = watched->next_free;
    else
        watched = arena_alloc(&watch->memory, sizeof *watched);
    *watched = (struct watched_quad){
        .watch = watch,
        .surface = surface,
        .course = followed ? begin_course(watch, quad) : 0,
        .part = surface ? part_of(watch, surface, draw, quad->x, quad->y) : NULL,
        .draw = draw,
        .mask = quad->mask,
        .generated = frame_cycle(watch),
        .shader_began = CYCLE_NEVER,
        .shader_ended = CYCLE_NEVER,
        .tested_at = CYCLE_NEVER,
        .written_at = CYCLE_NEVER,
        .pixel = -1};
    quad->watched = watched;
    if (watched->part)
        watched->part->fragments += bits_count(mask_fragments(quad->mask));
    if (!has_watched_pixel || !surface)
        return;
    const uint32_t f = (watch->x & 1) | (watch->y & 1) << 1;
    if (!(mask_fragments(quad->mask) >> f & 1))
        return;
    watched->pixel = (int32_t)f;
    begin_life(watch, &watched->life, surface, draw, quad->triangle);
    watched->life.depth = quad->z[0][f];
    for (uint32_t s = 0; s < draw->samples; s++)
        watched->life.samples += quad->mask >> (4 * s + f) & 1;
}

/* The first sample of the watched pixel within the quad's bytes. */
static const uint8_t *
element_of(const struct watched_quad *watched, const struct bound_surface *surface,
           const uint8_t *bytes)
{
    return bytes + (size_t)watched->pixel * surface->format->block_bytes * watched->draw->samples;
}

void
watch_depth(const struct quad *quad, const struct draw *draw, const uint8_t *bytes)
{
    struct watched_quad *watched = quad->watched;
    if (watched->pixel < 0 || !draw->depth.format->depth_bits)
        return;
    watched->life.has_depth = true;
    watched->life.depth = quad->z[0][watched->pixel];
    watched->life.depth_before =
        depth_of_element(draw->depth.format, element_of(watched, &draw->depth, bytes));
}

void
watch_tested(const struct quad *quad, const struct draw *draw, const uint8_t *bytes,
             const struct depth_result *result)
{
    struct watched_quad *watched = quad->watched;
    const uint32_t lost = mask_fragments(quad->mask) & ~mask_fragments(result->pass);
    const uint32_t by_depth = lost & mask_fragments(result->z_fail);
    watched->depth_failed |= (uint8_t)by_depth;
    watched->stencil_failed |= (uint8_t)(lost & ~by_depth);
    watched->tested_at = frame_cycle(watched->watch);
    if (watched->pixel >= 0 && watched->life.has_depth)
        watched->life.depth_after =
            depth_of_element(draw->depth.format, element_of(watched, &draw->depth, bytes));
}

void
watch_group(const struct group *group)
{
    if (group->stage != STAGE_FRAGMENT)
        return;
    for (uint32_t q = 0; q < group->count; q++) {
        struct watched_quad *watched = group->quads[q]->watched;
        if (watched)
            watched->shader_began = frame_cycle(watched->watch);
    }
}

void
watch_shaded(const struct quad *quad, uint32_t mask_before)
{
    struct watched_quad *watched = quad->watched;
    watched->killed |= (uint8_t)(mask_fragments(mask_before) & ~mask_fragments(quad->mask));
    watched->shader_ended = frame_cycle(watched->watch);
}

void
watch_texels(const struct quad *quad, const struct sample_pass *pass)
{
    struct watched_quad *watched = quad->watched;
    for (uint32_t lane = 0; lane < 4; lane++)
        watched->texels[lane] += bits_count(pass->texels & (UINT32_C(0x1111) << lane));
}

void
watch_miss(const struct quad *quad)
{
    quad->watched->misses++;
}

void
watch_color(const struct quad *quad, const struct draw *draw, uint32_t target, const uint8_t *bytes)
{
    struct watched_quad *watched = quad->watched;
    if (target || watched->pixel < 0)
        return;
    watched->life.has_color = true;
    memcpy(watched->life.color, quad->color[0][watched->pixel], sizeof watched->life.color);
    draw->color[0].format->unpack(element_of(watched, &draw->color[0], bytes), 0, 0,
                                  watched->life.color_before);
}

void
watch_written(const struct quad *quad, const struct draw *draw, uint32_t target,
              const uint8_t *bytes)
{
    struct watched_quad *watched = quad->watched;
    watched->written |= (uint8_t)mask_fragments(quad->mask);
    watched->written_at = frame_cycle(watched->watch);
    if (target || watched->pixel < 0)
        return;
    if (quad->mask >> watched->pixel & 1)
        draw->color[0].format->unpack(element_of(watched, &draw->color[0], bytes), 0, 0,
                                      watched->life.color_after);
    else /* the pixel's first sample was not written */
        memcpy(watched->life.color_after, watched->life.color_before,
               sizeof watched->life.color_after);
}

static enum fragment_fate
fate_of(const struct watched_quad *watched, uint32_t f)
{
    if (watched->depth_failed >> f & 1)
        return FATE_DEPTH;
    if (watched->stencil_failed >> f & 1)
        return FATE_STENCIL;
    if (watched->killed >> f & 1)
        return FATE_KILLED;
    return watched->written >> f & 1 ? FATE_WRITTEN : FATE_NO_COLOR;
}

/* Cycles between two steps, or 0 if the fragment did not reach one of them. */
static uint32_t
span(uint64_t from, uint64_t to)
{
    return to == CYCLE_NEVER || from == CYCLE_NEVER ? 0 : (uint32_t)(to - from);
}

static void
end_life(struct watched_quad *watched)
{
    struct watched_fragment *life = &watched->life;
    life->fate = fate_of(watched, (uint32_t)watched->pixel);
    life->tested = watched->tested_at;
    life->shader_began = watched->shader_began;
    life->shader_ended = watched->shader_ended;
    life->written = watched->written_at;
    life->texels = watched->texels[watched->pixel];
    life->misses = watched->misses;
    VEC_PUSH(&watched->watch->fragments, *life);
}

static void
end_course(const struct watched_quad *watched)
{
    struct watch *watch = watched->watch;
    struct watched_course *course = &watch->courses.items[watched->course - 1];
    course->tested = watched->tested_at;
    course->shader_began = watched->shader_began;
    course->shader_ended = watched->shader_ended;
    course->written = watched->written_at;
    course->retired = frame_cycle(watch);
    course->misses = watched->misses;
    for (uint32_t f = 0; f < 4; f++) {
        course->fates[f] = fate_of(watched, f);
        course->texels += watched->texels[f];
    }
}

/* Adds the fates of the quad's fragments to the maps. */
static void
count_fragments(const struct quad *quad)
{
    struct watched_quad *watched = quad->watched;
    const uint32_t fragments = mask_fragments(watched->mask);
    uint32_t written = 0;
    for (uint32_t f = 0; f < 4; f++) {
        if (!(fragments >> f & 1))
            continue;
        struct watched_pixel *pixel =
            pixel_at(watched->surface, quad->x + (f & 1), quad->y + (f >> 1));
        const enum fragment_fate fate = fate_of(watched, f);
        written += fate == FATE_WRITTEN;
        watched->surface->fragments++;
        count_fate(pixel, fate);
        if (!pixel)
            continue;
        if (fate == FATE_WRITTEN)
            pixel->cycles = span(watched->generated, watched->written_at);
        if (watched->shader_ended != CYCLE_NEVER)
            pixel->shader_cycles = span(watched->shader_began, watched->shader_ended);
        pixel->texels += watched->texels[f];
        pixel->misses += watched->misses;
    }
    if (watched->part)
        watched->part->written += written;
}

void
watch_retired(struct quad *quad)
{
    struct watched_quad *watched = quad->watched;
    struct watch *watch = watched->watch;
    if (watched->surface)
        count_fragments(quad);
    if (watched->course)
        end_course(watched);
    if (watched->pixel >= 0)
        end_life(watched);
    quad->watched = NULL;
    watched->next_free = watch->free_quads;
    watch->free_quads = watched;
}
