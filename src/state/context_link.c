/* Linkage by semantic: connects vertex shader outputs to fragment shader inputs
 * (docs/design/stream.md, Linking), and fragment shader outputs to their targets. */
#include "state/context_internal.h"

#include <string.h>

static int8_t
find_output(const struct program *program, enum semantic semantic, uint32_t index)
{
    for (uint32_t i = 0; i < program->output_count; i++)
        if (program->outputs[i].semantic == semantic && program->outputs[i].semantic_index == index)
            return (int8_t)i;
    return -1;
}

/* Returns whether a geometry program with this input primitive accepts draws of this mode (OpenGL
 * 3.2, 2.12.1). */
static bool
geometry_takes(uint32_t input, uint32_t mode)
{
    switch ((enum primitive)mode) {
    case PRIM_LINE_LOOP:
    case PRIM_LINE_STRIP: return input == PRIM_LINES;
    case PRIM_TRIANGLE_STRIP:
    case PRIM_TRIANGLE_FAN: return input == PRIM_TRIANGLES;
    case PRIM_LINE_STRIP_ADJACENCY: return input == PRIM_LINES_ADJACENCY;
    case PRIM_TRIANGLE_STRIP_ADJACENCY: return input == PRIM_TRIANGLES_ADJACENCY;
    default: return input == mode;
    }
}

static bool
declares_texcoord(const struct io_decl *decls, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (decls[i].semantic == SEMANTIC_TEXCOORD || decls[i].semantic == SEMANTIC_PCOORD)
            return true;
    return false;
}

static bool
is_polygon(uint32_t mode)
{
    return mode >= PRIM_TRIANGLES && mode != PRIM_LINES_ADJACENCY &&
           mode != PRIM_LINE_STRIP_ADJACENCY;
}

/* Returns whether the draw renders points, or polygons in point mode. */
static bool
draws_points(const struct draw *draw)
{
    const struct rasterizer_state *r = &draw->rasterizer;
    const uint32_t mode = draw_rasterized_mode(draw);
    return mode == PRIM_POINTS ||
           (is_polygon(mode) && (r->fill_front == FILL_POINT || r->fill_back == FILL_POINT));
}

/* Returns whether the point sprite coordinate replaces the input. Texture coordinates are TEXCOORD
 * inputs if the host offers that semantic to the driver, otherwise the first GENERIC inputs. A
 * program that declares TEXCOORD shows that the semantic was offered. */
static bool
is_sprite(const struct draw *draw, const struct io_decl *in, bool has_texcoord)
{
    if (!draws_points(draw) || !draw->rasterizer.point_quad)
        return false;
    if (in->semantic == SEMANTIC_PCOORD)
        return true;
    if (in->semantic != SEMANTIC_TEXCOORD && (in->semantic != SEMANTIC_GENERIC || has_texcoord))
        return false;
    return in->semantic_index < 32 &&
           (draw->rasterizer.sprite_coord_enable >> in->semantic_index & 1);
}

static uint8_t
resolve_interpolation(const struct draw *draw, const struct io_decl *in)
{
    if (in->interpolation != INTERPOLATE_COLOR)
        return (uint8_t)in->interpolation;
    return draw->rasterizer.flatshade ? INTERPOLATE_CONSTANT : INTERPOLATE_PERSPECTIVE;
}

static struct varying
link_varying(const struct draw *draw, const struct io_decl *in, bool has_texcoord)
{
    struct varying varying = {.interpolation = resolve_interpolation(draw, in),
                              .centroid = in->centroid};
    if (in->semantic == SEMANTIC_POSITION || in->semantic == SEMANTIC_FACE) {
        varying.source = in->semantic == SEMANTIC_FACE ? VARYING_FACE : VARYING_POSITION;
        return varying;
    }
    const bool sprite = is_sprite(draw, in, has_texcoord);
    const struct program *last = draw_last_program(draw);
    int8_t front = find_output(last, in->semantic, in->semantic_index), back = -1;
    if (in->semantic == SEMANTIC_PRIMID && front < 0) {
        varying.source = VARYING_PRIMITIVE_ID;
        varying.slot = varying.back_slot = MAX_VARYINGS;
        varying.interpolation = INTERPOLATE_CONSTANT;
        return varying;
    }
    if (in->semantic == SEMANTIC_COLOR) {
        back = find_output(last, SEMANTIC_BCOLOR, in->semantic_index);
        if (front < 0)
            front = back;
    }
    if (front < 0) {
        varying.source = sprite ? VARYING_SPRITE : VARYING_NONE;
        varying.slot = varying.back_slot = MAX_VARYINGS;
        return varying;
    }
    varying.source = sprite ? VARYING_SPRITE : VARYING_VERTEX;
    varying.slot = (uint8_t)front;
    varying.back_slot = (uint8_t)(back >= 0 && draw->rasterizer.light_twoside ? back : front);
    return varying;
}

/* Connects the inputs of the geometry program to outputs of the vertex program, and checks that the
 * draw has primitives of the declared kind. */
static bool
link_geometry(struct draw *draw, struct error *err)
{
    const struct program *gs = draw->program[STAGE_GEOMETRY];
    if (!gs)
        return true;
    if (!geometry_takes(gs->input_primitive, draw->params.mode))
        return fail(err, "geometry program %u does not take primitives of kind %u", gs->id,
                    draw->params.mode);
    for (uint32_t i = 0; i < gs->input_count; i++)
        draw->geometry_inputs[i] = find_output(draw->program[STAGE_VERTEX], gs->inputs[i].semantic,
                                               gs->inputs[i].semantic_index);
    return true;
}

bool
link_programs(struct draw *draw, struct error *err)
{
    const struct program *vs = draw_last_program(draw), *fs = draw->program[STAGE_FRAGMENT];
    if (!link_geometry(draw, err))
        return false;
    draw->position_slot = find_output(vs, SEMANTIC_POSITION, 0);
    if (draw->position_slot < 0)
        return fail(err, "%s program %u does not write a position", shader_stage_name(vs->stage),
                    vs->id);
    draw->psize_slot = find_output(vs, SEMANTIC_PSIZE, 0);
    draw->clipvertex_slot = find_output(vs, SEMANTIC_CLIPVERTEX, 0);
    draw->edgeflag_slot = find_output(vs, SEMANTIC_EDGEFLAG, 0);
    draw->layer_slot = find_output(vs, SEMANTIC_LAYER, 0);
    draw->clipdist_slot[0] = find_output(vs, SEMANTIC_CLIPDIST, 0);
    draw->clipdist_slot[1] = find_output(vs, SEMANTIC_CLIPDIST, 1);

    bool has_texcoord = declares_texcoord(vs->outputs, vs->output_count) ||
                        declares_texcoord(fs->inputs, fs->input_count);
    draw->varying_count = fs->input_count;
    for (uint32_t i = 0; i < fs->input_count; i++) {
        draw->varyings[i] = link_varying(draw, &fs->inputs[i], has_texcoord);
        draw->centroid |= draw->varyings[i].centroid && draw->multisample;
    }

    memset(draw->color_output, 0xff, sizeof draw->color_output);
    for (uint32_t i = 0; i < draw->color_count; i++) {
        int8_t output = find_output(fs, SEMANTIC_COLOR, fs->writes_all_cbufs ? 0 : i);
        if (draw->color[i].res && output >= 0)
            draw->color_output[i] = (uint8_t)output;
    }
    draw->alpha_output = find_output(fs, SEMANTIC_COLOR, 0);
    draw->source1_output = find_output(fs, SEMANTIC_COLOR, 1);
    draw->has_source1 = draw->source1_output >= 0 && draw_uses_source1(draw, 0);
    draw->depth_output = find_output(fs, SEMANTIC_POSITION, 0);
    draw->stencil_output = find_output(fs, SEMANTIC_STENCIL, 0);
    return true;
}
