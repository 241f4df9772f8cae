#include "state/identity.h"

#include "base/hash.h"

#include <string.h>

static uint64_t
hash_float(uint64_t hash, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_number(hash, bits);
}

/* Excludes the location of an indexed draw: its start in its buffers, and its first instance. They
 * change in every frame of a program that streams vertices. */
static uint64_t
hash_geometry(const struct draw *draw)
{
    const struct draw_params *p = &draw->params;
    uint64_t hash = hash_number(HASH_START, p->mode);
    hash = hash_number(hash, p->count);
    hash = hash_number(hash, p->instance_count);
    hash = hash_number(hash, p->indexed ? draw->index_bytes : 0);
    hash = hash_number(hash, p->indexed && p->primitive_restart);
    hash = hash_number(hash, draw->attribute_count);
    for (uint32_t i = 0; i < draw->attribute_count; i++) {
        const struct bound_attribute *a = &draw->attributes[i];
        hash = hash_number(hash, a->format ? a->format->number : 0);
        hash = hash_number(hash, a->stride);
        hash = hash_number(hash, a->divisor);
    }
    return hash;
}

static uint64_t
hash_sampler(uint64_t hash, const struct sampler_state *s)
{
    const uint8_t small[] = {s->wrap_s,         s->wrap_t,       s->wrap_r,  s->min_filter,
                             s->mip_filter,     s->mag_filter,   s->compare, s->compare_func,
                             s->max_anisotropy, s->seamless_cube};
    hash = hash_bytes(hash, small, sizeof small);
    hash = hash_float(hash, s->lod_bias);
    hash = hash_float(hash, s->min_lod);
    hash = hash_float(hash, s->max_lod);
    for (uint32_t i = 0; i < 4; i++)
        hash = hash_number(hash, s->border[i]);
    return hash;
}

static uint64_t
hash_resource(uint64_t hash, const struct resource *res)
{
    const struct resource_desc *d = &res->desc;
    const uint32_t numbers[] = {d->target, d->format,     d->width,      d->height,
                                d->depth,  d->array_size, d->last_level, res->samples};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        hash = hash_number(hash, numbers[i]);
    return hash;
}

static uint64_t
hash_texture(uint64_t hash, const struct bound_view *bound)
{
    if (!bound->res)
        return hash_number(hash, 0);
    const struct sampler_view *v = &bound->view;
    const uint32_t numbers[] = {v->format,     v->target,      v->first_layer,
                                v->last_layer, v->first_level, v->last_level};
    hash = hash_resource(hash, bound->res);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        hash = hash_number(hash, numbers[i]);
    if (v->target == TARGET_BUFFER)
        hash = hash_number(hash_number(hash, v->first_element), v->last_element);
    hash = hash_bytes(hash, v->swizzle, sizeof v->swizzle);
    return hash_sampler(hash, &bound->sampler);
}

static uint64_t
hash_textures(const struct draw *draw)
{
    uint64_t hash = HASH_START;
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        if (!draw->program[stage])
            continue;
        const uint32_t used = draw->program[stage]->samplers_used;
        hash = hash_number(hash, used);
        for (uint32_t i = 0; i < MAX_SAMPLERS; i++)
            if (used >> i & 1)
                hash = hash_texture(hash, &draw->views[stage][i]);
    }
    return hash;
}

static uint64_t
hash_surface(uint64_t hash, const struct bound_surface *surface)
{
    if (!surface->res)
        return hash_number(hash, 0);
    const uint32_t numbers[] = {surface->format->number, surface->level,  surface->layer,
                                surface->width,          surface->height, surface->samples};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        hash = hash_number(hash, numbers[i]);
    return surface->layers > 1 ? hash_number(hash, surface->layers) : hash;
}

static uint64_t
hash_blend(uint64_t hash, const struct draw *draw)
{
    const struct blend_state *b = &draw->blend;
    hash = hash_number(hash, b->logicop_enable ? 1u + b->logicop : 0);
    hash = hash_number(hash, b->alpha_to_coverage | b->alpha_to_one << 1);
    for (uint32_t i = 0; i < draw->color_count; i++) {
        const struct blend_target *t = &b->rt[i];
        const uint8_t equation[] = {t->rgb_func,   t->rgb_src,   t->rgb_dst,
                                    t->alpha_func, t->alpha_src, t->alpha_dst};
        hash = hash_number(hash, t->colormask | (uint32_t)t->enable << 8);
        if (t->enable)
            hash = hash_bytes(hash, equation, sizeof equation);
    }
    return hash;
}

static uint64_t
hash_depth(uint64_t hash, const struct dsa_state *d)
{
    hash = hash_number(hash, d->depth_enable ? 1u + d->depth_func + 16u * d->depth_write : 0);
    hash = hash_number(hash, d->alpha_enable ? 1u + d->alpha_func : 0);
    for (uint32_t i = 0; i < 2; i++) {
        const struct stencil_face *f = &d->stencil[i];
        const uint8_t face[] = {f->func,     f->fail_op,   f->zpass_op,
                                f->zfail_op, f->valuemask, f->writemask};
        hash = hash_number(hash, f->enabled);
        if (f->enabled)
            hash = hash_bytes(hash, face, sizeof face);
    }
    return hash;
}

static uint64_t
hash_rasterizer(uint64_t hash, const struct rasterizer_state *r)
{
    const bool flags[] = {
        r->flatshade,         r->depth_clip,       r->clip_halfz,      r->discard,
        r->flatshade_first,   r->light_twoside,    r->point_quad,      r->scissor,
        r->front_ccw,         r->offset_line,      r->offset_point,    r->offset_tri,
        r->poly_smooth,       r->poly_stipple,     r->point_smooth,    r->point_size_per_vertex,
        r->multisample,       r->line_smooth,      r->line_stipple,    r->line_last_pixel,
        r->half_pixel_center, r->bottom_edge_rule, r->force_persample, r->sprite_coord_upper_left};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        hash = hash_number(hash, flags[i]);
    hash = hash_number(hash, r->cull | r->fill_front << 8 | r->fill_back << 16);
    hash = hash_number(hash, r->clip_plane_enable);
    return hash_number(hash, r->sprite_coord_enable);
}

static uint64_t
hash_state(const struct draw *draw)
{
    uint64_t hash = hash_number(HASH_START, draw->color_count);
    for (uint32_t i = 0; i < draw->color_count; i++)
        hash = hash_surface(hash, &draw->color[i]);
    hash = hash_surface(hash, &draw->depth);
    hash = hash_blend(hash, draw);
    hash = hash_depth(hash, &draw->dsa);
    return hash_rasterizer(hash, &draw->rasterizer);
}

void
draw_identify(const struct draw *draw, struct draw_identity *identity)
{
    identity->geometry = hash_geometry(draw);
    identity->textures = hash_textures(draw);
    identity->state = hash_state(draw);
    uint64_t hash = HASH_START;
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        if (draw->program[stage])
            hash = hash_number(hash, draw->program[stage]->hash);
    hash = hash_number(hash, identity->geometry);
    hash = hash_number(hash, identity->textures);
    identity->hash = hash_number(hash, identity->state);
}
