/* The interpolator (docs/design/machine.md, Interpolator). Evaluates a quad's varyings from their
 * plane equations at the pixel centers. Perspective-correct varyings are multiplied by the
 * interpolated w. The code does not step from pixel to pixel, so a value does not depend on the
 * traversal order. */
#include "gfx/fragment.h"

#include <string.h>

typedef float floats4 __attribute__((vector_size(16)));

struct quad_position {
    floats4 x, y;   /* window coordinates of the pixel centers */
    floats4 dx, dy; /* relative to the planes' origin */
    floats4 w;
};

static floats4
splat(float value)
{
    return (floats4){value, value, value, value};
}

static floats4
plane_at(const struct plane *plane, const struct quad_position *at)
{
    return plane->c + plane->a * at->dx + plane->b * at->dy;
}

static void
store(float *file, uint32_t channel, uint32_t lanes, floats4 value)
{
    memcpy(file + (size_t)channel * lanes, &value, sizeof value);
}

static void
window_position(const struct triangle *triangle, const struct quad_position *at, float *out,
                uint32_t lanes)
{
    const struct program *fs = triangle->draw->program[STAGE_FRAGMENT];
    floats4 x = at->x, y = at->y, z;
    float depths[4];

    if (fs->position_lower_left)
        y = (float)triangle->draw->height - y;
    if (fs->position_center_integer) {
        x -= 0.5f;
        y -= 0.5f;
    }
    depth_interpolate(triangle, (uint32_t)at->x[0], (uint32_t)at->y[0], depths);
    memcpy(&z, depths, sizeof z);
    store(out, 0, lanes, x);
    store(out, 1, lanes, y);
    store(out, 2, lanes, z);
    store(out, 3, lanes, plane_at(&triangle->inv_w, at));
}

static void
facing(const struct triangle *triangle, float *out, uint32_t lanes)
{
    store(out, 0, lanes, splat(triangle->front ? 1.0f : -1.0f));
    store(out, 1, lanes, splat(0.0f));
    store(out, 2, lanes, splat(0.0f));
    store(out, 3, lanes, splat(1.0f));
}

static void
primitive_id(const struct triangle *triangle, float *out, uint32_t lanes)
{
    float bits;
    memcpy(&bits, &triangle->id, sizeof bits);
    store(out, 0, lanes, splat(bits));
    for (uint32_t c = 1; c < 4; c++)
        store(out, c, lanes, splat(0.0f));
}

static void
sprite(const struct triangle *triangle, const struct quad_position *at, float *out, uint32_t lanes)
{
    store(out, 0, lanes, plane_at(&triangle->sprite[0], at));
    store(out, 1, lanes, plane_at(&triangle->sprite[1], at));
    store(out, 2, lanes, splat(0.0f));
    store(out, 3, lanes, splat(1.0f));
}

static void
varying(const struct triangle *triangle, uint32_t i, const struct quad_position *at, float *out,
        uint32_t lanes)
{
    const struct varying *from = &triangle->draw->varyings[i];
    const bool written = from->source != VARYING_NONE && from->slot < MAX_VARYINGS;
    const bool constant = !written || from->interpolation == INTERPOLATE_CONSTANT;
    const bool perspective = !constant && from->interpolation != INTERPOLATE_LINEAR;

    for (uint32_t c = 0; c < 4; c++) {
        const struct plane *plane = &triangle->varyings[i][c];
        floats4 value = splat(plane->c);
        if (!constant)
            value = plane_at(plane, at);
        if (perspective)
            value *= at->w;
        store(out, c, lanes, value);
    }
}

void
interpolate_quad(const struct triangle *triangle, uint32_t x, uint32_t y, struct exec *exec,
                 uint32_t lane)
{
    const struct draw *draw = triangle->draw;
    const uint32_t lanes = exec->lanes;
    const float px = (float)x + 0.5f, py = (float)y + 0.5f;
    struct quad_position at = {.x = {px, px + 1.0f, px, px + 1.0f},
                               .y = {py, py, py + 1.0f, py + 1.0f}};

    at.dx = at.x - triangle->origin_x;
    at.dy = at.y - triangle->origin_y;
    at.w = 1.0f / plane_at(&triangle->inv_w, &at);
    for (uint32_t i = 0; i < draw->varying_count; i++) {
        float *out = exec->inputs + (size_t)i * 4 * lanes + lane;
        switch ((enum varying_source)draw->varyings[i].source) {
        case VARYING_POSITION: window_position(triangle, &at, out, lanes); break;
        case VARYING_FACE: facing(triangle, out, lanes); break;
        case VARYING_SPRITE:
            if (triangle->is_point)
                sprite(triangle, &at, out, lanes);
            else
                varying(triangle, i, &at, out, lanes);
            break;
        case VARYING_PRIMITIVE_ID: primitive_id(triangle, out, lanes); break;
        case VARYING_VERTEX:
        case VARYING_NONE: varying(triangle, i, &at, out, lanes); break;
        }
    }
    for (uint32_t i = 0; i < draw->program[STAGE_FRAGMENT]->system_count; i++) {
        float *out = exec->systems + (size_t)i * 4 * lanes + lane;
        if (draw->program[STAGE_FRAGMENT]->systems[i].semantic == SEMANTIC_FACE)
            facing(triangle, out, lanes);
        else if (draw->program[STAGE_FRAGMENT]->systems[i].semantic == SEMANTIC_POSITION)
            window_position(triangle, &at, out, lanes);
    }
}

/* Returns the positions of a quad. A pixel normally uses its center. If the mask contains some but
 * not all of its samples, it uses the first of them. */
static struct quad_position
centroid_position(const struct draw *draw, uint32_t x, uint32_t y, uint32_t mask)
{
    const struct sample_position *at = sample_positions(draw->samples);
    struct quad_position position;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t covered = 0;
        for (uint32_t s = 0; s < draw->samples; s++)
            covered |= (mask >> (4 * s + i) & 1) << s;
        const bool at_centre = !covered || covered == (1u << draw->samples) - 1;
        const struct sample_position *from = at_centre ? NULL : &at[__builtin_ctz(covered)];
        position.x[i] = (float)(x + (i & 1)) + 0.5f + (from ? (float)from->x / SAMPLE_UNITS : 0.0f);
        position.y[i] =
            (float)(y + (i >> 1)) + 0.5f + (from ? (float)from->y / SAMPLE_UNITS : 0.0f);
    }
    return position;
}

void
interpolate_centroids(const struct triangle *triangle, uint32_t x, uint32_t y, uint32_t mask,
                      struct exec *exec, uint32_t lane)
{
    const struct draw *draw = triangle->draw;
    struct quad_position at = centroid_position(draw, x, y, mask);
    at.dx = at.x - triangle->origin_x;
    at.dy = at.y - triangle->origin_y;
    at.w = 1.0f / plane_at(&triangle->inv_w, &at);
    for (uint32_t i = 0; i < draw->varying_count; i++) {
        float *out = exec->inputs + (size_t)i * 4 * exec->lanes + lane;
        const uint8_t source = draw->varyings[i].source;
        if (!draw->varyings[i].centroid)
            continue;
        if (source == VARYING_SPRITE && triangle->is_point)
            sprite(triangle, &at, out, exec->lanes);
        else if (source == VARYING_VERTEX || source == VARYING_SPRITE)
            varying(triangle, i, &at, out, exec->lanes);
    }
}
