/* Renders without timing: the whole pipeline, one function per stage (docs/design/machine.md, Units
 * in pipeline order).
 *
 * Shaded vertices are cached in slots under their vertex number. An indexed draw shades a vertex
 * once as long as the vertex stays in the cache. Results do not depend on the cache. Quads of
 * successive triangles are shaded as a batch and finished in order, which keeps each pixel in API
 * order. Early depth tests run when a quad is made. All stages after the shader run when the batch
 * is flushed. */
#include "sim/functional_draw.h"

#include "base/interrupt.h"
#include "base/morton.h"
#include "gfx/sample.h"
#include "gfx/stream_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, TILE = 8 };

struct functional_scratch *
functional_scratch_create(void)
{
    return mem_alloc(sizeof(struct functional_scratch));
}

void
functional_scratch_destroy(struct functional_scratch *scratch)
{
    if (scratch) {
        geometry_destroy(scratch);
        free(scratch->program.registers_memory);
    }
    free(scratch);
}

static void
reserve_registers(struct functional_program *state, const struct program *program)
{
    const uint32_t bytes = exec_size(program, EXEC_MAX_LANES);
    if (bytes <= state->registers_bytes)
        return;
    free(state->registers_memory);
    state->registers_memory = mem_alloc((size_t)bytes + 63);
    state->registers = (uint8_t *)(((uintptr_t)state->registers_memory + 63) & ~(uintptr_t)63);
    state->registers_bytes = bytes;
}

/* Shader programs. */

struct sampling {
    const struct functional_run *run;
    enum shader_stage stage;
};

static void
sample_texture(void *data, const struct texture_request *request, uint32_t lanes,
               float (*rgba)[EXEC_MAX_LANES])
{
    const struct sampling *sampling = data;
    const struct functional_run *run = sampling->run;
    const struct draw_watch *watch = run->renderer->watch;
    run->renderer->work.texels += lanes;
    if (watch && watch->texels && sampling->stage == STAGE_FRAGMENT)
        for (uint32_t q = 0; q < lanes / 4; q++)
            watch->texels(watch->data, run->draw, request, q, run->scratch->quads[q].x,
                          run->scratch->quads[q].y);
    sample_direct(&run->draw->views[sampling->stage][request->sampler], run->memory, request, lanes,
                  rgba);
}

void
functional_begin_program(const struct functional_run *run, struct functional_program *state,
                         const struct program *program, uint32_t lanes)
{
    const enum shader_stage stage = program->stage;
    reserve_registers(state, program);
    exec_begin(&state->exec, program, run->draw->constants[stage], run->draw->constant_count[stage],
               lanes, ~UINT64_C(0) >> (64 - lanes), state->registers);
}

bool
functional_finish_program(const struct functional_run *run, struct functional_program *state)
{
    struct exec *exec = &state->exec;
    struct sampling sampling = {run, exec->program->stage};
    if (exec_run(exec, sample_texture, &sampling)) {
        run->renderer->work.lanes[sampling.stage] += exec->lanes;
        run->renderer->work.steps[sampling.stage] += exec->steps * exec->lanes;
        return true;
    }
    return draw_fail_endless(run->draw, run->renderer->device->frame, sampling.stage, run->err);
}

/* Vertices: fetch and shade. */

static void
fetch_vertex(const struct functional_run *run, uint32_t vertex, uint32_t lane)
{
    const struct draw *draw = run->draw;
    struct exec *exec = &run->scratch->program.exec;
    const uint32_t lanes = exec->lanes;

    for (uint32_t a = 0; a < draw->program[STAGE_VERTEX]->input_count; a++) {
        float value[4];
        fetch_from_memory(draw, run->memory, a, vertex, run->instance, value);
        for (uint32_t c = 0; c < 4; c++)
            exec->inputs[(a * 4 + c) * lanes + lane] = value[c];
    }
    for (uint32_t s = 0; s < draw->program[STAGE_VERTEX]->system_count; s++) {
        uint32_t value = 0;
        switch (draw->program[STAGE_VERTEX]->systems[s].semantic) {
        case SEMANTIC_VERTEXID: value = vertex; break;
        case SEMANTIC_INSTANCEID: value = run->instance; break;
        case SEMANTIC_BASEVERTEX: value = (uint32_t)draw->params.index_bias; break;
        default: break;
        }
        memcpy(&exec->systems[s * 4 * lanes + lane], &value, sizeof value);
    }
}

/* Shades the vertices in `slots`, at most EXEC_MAX_LANES. */
static bool
shade_vertices(const struct functional_run *run, const uint16_t *slots, uint32_t count)
{
    struct functional_scratch *scratch = run->scratch;
    if (!count)
        return true;
    const uint32_t lanes = (count + 3) & ~3u;
    functional_begin_program(run, &scratch->program, run->draw->program[STAGE_VERTEX], lanes);
    for (uint32_t lane = 0; lane < lanes; lane++)
        fetch_vertex(run, scratch->slot_vertex[slots[lane < count ? lane : 0]], lane);
    if (!functional_finish_program(run, &scratch->program))
        return false;
    const struct draw_watch *watch = run->renderer->watch;
    for (uint32_t lane = 0; watch && watch->vertex && lane < count; lane++)
        watch->vertex(watch->data, run->draw, scratch->slot_vertex[slots[lane]], run->instance);
    for (uint32_t lane = 0; lane < count; lane++)
        vertex_store(run->draw, &run->scratch->program.exec, lane, &scratch->vertices[slots[lane]]);
    run->renderer->work.vertices += count;
    return true;
}

static uint32_t
take_slot(struct functional_scratch *scratch, const uint32_t *held, uint32_t held_count)
{
    for (;;) {
        const uint32_t slot = scratch->next_slot++ % VERTEX_SLOTS;
        bool free_slot = scratch->slot_chunk[slot] != scratch->chunk;
        for (uint32_t i = 0; i < held_count; i++)
            free_slot = free_slot && held[i] != slot;
        if (free_slot)
            return slot;
    }
}

/* Maps vertex numbers to slots, and shades the vertices that are not in the cache. */
static bool
find_vertices(const struct functional_run *run, const struct assembler *assembler,
              const uint32_t *numbers, uint32_t count, uint16_t *slots)
{
    struct functional_scratch *scratch = run->scratch;
    uint16_t fresh[EXEC_MAX_LANES];
    uint32_t fresh_count = 0, held[ASSEMBLER_HELD];
    const uint32_t held_count = assembler_held(assembler, held);

    scratch->chunk++;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t *entry = &scratch->hash[numbers[i] % VERTEX_HASH];
        if (!scratch->slot_chunk[*entry] || scratch->slot_vertex[*entry] != numbers[i]) {
            *entry = (uint16_t)take_slot(scratch, held, held_count);
            scratch->slot_vertex[*entry] = numbers[i];
            fresh[fresh_count++] = *entry;
        }
        scratch->slot_chunk[*entry] = scratch->chunk;
        slots[i] = *entry;
        if (fresh_count == EXEC_MAX_LANES) {
            if (!shade_vertices(run, fresh, fresh_count))
                return false;
            fresh_count = 0;
        }
    }
    return shade_vertices(run, fresh, fresh_count);
}

static void
forget_vertices(struct functional_scratch *scratch)
{
    memset(scratch->slot_chunk, 0, sizeof scratch->slot_chunk);
    scratch->chunk = 0;
    scratch->next_slot = 0;
}

/* Fragments: the stages after the shader, in order. */

static uint32_t
count_fragments(uint32_t mask)
{
    return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1);
}

static uint32_t
count_samples(const struct draw *draw, uint32_t mask)
{
    return draw->samples == 1 ? count_fragments(mask) : (uint32_t)__builtin_popcount(mask);
}

static uint8_t *
quad_bytes(const struct functional_run *run, const struct bound_surface *surface,
           const struct functional_quad *quad)
{
    return run->memory->bytes + surface->res->address +
           resource_offset(surface->res, surface->level, quad->x, quad->y,
                           surface->layer + quad->triangle->layer, 0);
}

static uint32_t
test_depth(const struct functional_run *run, const struct functional_quad *quad, uint32_t mask,
           const float z[MAX_SAMPLES][4])
{
    const struct draw *draw = run->draw;
    const struct draw_watch *watch = run->renderer->watch;
    uint8_t *bytes = draw->depth.res ? quad_bytes(run, &draw->depth, quad) : NULL;
    if (watch && watch->tested)
        watch->tested(watch->data, draw, quad->x, quad->y);
    return depth_test_samples(draw, quad->triangle->front, mask, z, bytes).pass;
}

static void
report_fragments(const struct functional_run *run, const struct functional_quad *quad,
                 uint32_t mask)
{
    const struct draw_watch *watch = run->renderer->watch;
    if (watch && watch->fragments && mask)
        watch->fragments(watch->data, quad->x, quad->y, mask_fragments(mask));
}

static const float *
shader_output(const struct functional_run *run, uint32_t output, uint32_t channel, uint32_t lane)
{
    const struct exec *exec = &run->scratch->program.exec;
    return exec->outputs + ((size_t)output * 4 + channel) * exec->lanes + lane;
}

static void
write_colors(const struct functional_run *run, const struct functional_quad *quad, uint32_t mask,
             uint32_t lane)
{
    const struct draw *draw = run->draw;
    for (uint32_t t = 0; t < draw->color_count; t++) {
        float rgba[4][4], source1[4][4];
        const bool two = shaded_source1(draw, &run->scratch->program.exec, lane, source1);
        if (draw->color[t].res && shaded_color(draw, &run->scratch->program.exec, lane, t, rgba))
            blend_quad_samples(draw, t, mask, rgba, two ? source1 : NULL,
                               quad_bytes(run, &draw->color[t], quad));
    }
}

static void
finish_quad(const struct functional_run *run, struct functional_quad *quad, uint32_t lane)
{
    const struct draw *draw = run->draw;
    if (quad->triangle->smooth.shape != SMOOTH_NONE)
        shaded_coverage(quad->triangle, quad->x, quad->y, &run->scratch->program.exec, lane);
    uint32_t mask = shaded_mask(draw, &run->scratch->program.exec, lane, quad->mask);

    if (!draw->early_z && mask) {
        if (draw->depth_output >= 0)
            for (uint32_t s = 0; s < draw->samples; s++)
                memcpy(quad->z[s], shader_output(run, (uint32_t)draw->depth_output, 2, lane),
                       sizeof quad->z[s]);
        mask = test_depth(run, quad, mask, quad->z);
        run->renderer->work.hidden += !mask;
        run->scratch->samples_passed += count_samples(draw, mask);
    }
    report_fragments(run, quad, mask);
    if (mask && draw->color_write) {
        run->renderer->work.written += count_fragments(mask_fragments(mask));
        run->renderer->work.written_quads++;
        write_colors(run, quad, mask, lane);
    }
}

static bool
flush_quads(const struct functional_run *run)
{
    struct functional_scratch *scratch = run->scratch;
    const uint32_t count = scratch->quad_count;

    scratch->quad_count = 0;
    if (!count)
        return true;
    run->renderer->work.quads += count;
    functional_begin_program(run, &scratch->program, run->draw->program[STAGE_FRAGMENT], count * 4);
    for (uint32_t q = 0; q < count; q++) {
        const struct functional_quad *quad = &scratch->quads[q];
        interpolate_quad(quad->triangle, quad->x, quad->y, &scratch->program.exec, q * 4);
        if (run->draw->centroid)
            interpolate_centroids(quad->triangle, quad->x, quad->y, quad->mask,
                                  &scratch->program.exec, q * 4);
    }
    if (!functional_finish_program(run, &scratch->program))
        return false;
    for (uint32_t q = 0; q < count; q++)
        finish_quad(run, &scratch->quads[q], q * 4);
    return true;
}

/* Tests the early depth of a quad with some coverage, and adds the quad to the batch. */
static bool
take_quad(const struct functional_run *run, const struct triangle *triangle, uint32_t x, uint32_t y,
          uint32_t mask)
{
    struct functional_scratch *scratch = run->scratch;
    struct functional_quad *quad = &scratch->quads[scratch->quad_count];

    quad->triangle = triangle;
    quad->x = x;
    quad->y = y;
    quad->mask = mask;
    run->renderer->work.generated++;
    run->renderer->work.fragments += count_fragments(mask_fragments(mask));
    depth_interpolate_samples(triangle, x, y, quad->z);
    if (run->draw->early_z) {
        quad->mask = test_depth(run, quad, mask, quad->z);
        scratch->samples_passed += count_samples(run->draw, quad->mask);
        if (!run->shade_fragments)
            report_fragments(run, quad, quad->mask);
        if (!quad->mask || !run->shade_fragments)
            return true;
    }
    return ++scratch->quad_count < BATCH_QUADS || flush_quads(run);
}

static bool
draw_tile(const struct functional_run *run, const struct triangle *triangle, int32_t x, int32_t y)
{
    const uint32_t samples = run->draw->samples;
    uint64_t masks[MAX_SAMPLES];
    uint64_t covered =
        samples == 1 ? raster_tile(triangle, x, y) : raster_tile_samples(triangle, x, y, masks);
    while (covered) {
        const uint32_t q = (uint32_t)__builtin_ctzll(covered) / 4;
        const uint32_t qx = morton8_x(4 * q), qy = morton8_y(4 * q);
        const uint32_t mask = samples == 1 ? (uint32_t)(covered >> (4 * q)) & 15
                                           : raster_quad_mask(masks, samples, q);
        covered &= ~(UINT64_C(15) << (4 * q));
        if (!take_quad(run, triangle, (uint32_t)x + qx, (uint32_t)y + qy, mask))
            return false;
    }
    return true;
}

static bool
draw_block(const struct functional_run *run, const struct triangle *triangle, int32_t x, int32_t y)
{
    if (!interrupt_check(run->err))
        return false;
    const int32_t first_x = triangle->min_x > x ? triangle->min_x & -TILE : x;
    const int32_t first_y = triangle->min_y > y ? triangle->min_y & -TILE : y;
    for (int32_t ty = first_y; ty < y + BLOCK && ty <= triangle->max_y; ty += TILE)
        for (int32_t tx = first_x; tx < x + BLOCK && tx <= triangle->max_x; tx += TILE)
            if (!draw_tile(run, triangle, tx, ty))
                return false;
    return true;
}

/* Walks the 64x64-pixel blocks that the triangle touches, tile by tile. */
static bool
draw_triangle(const struct functional_run *run, const struct triangle *triangle)
{
    run->renderer->work.triangles++;
    for (int32_t y = triangle->min_y & -BLOCK; y <= triangle->max_y; y += BLOCK)
        for (int32_t x = triangle->min_x & -BLOCK; x <= triangle->max_x; x += BLOCK)
            if (raster_square(triangle, x, y, BLOCK) != SQUARE_OUTSIDE &&
                !draw_block(run, triangle, x, y))
                return false;
    return true;
}

bool
functional_primitive(const struct functional_run *run, const struct primitive_out *primitive,
                     const struct vertex *const v[3])
{
    struct functional_scratch *scratch = run->scratch;

    if (run->draw->streams_out)
        stream_out(run->draw, primitive->vertices, v, stream_store, run->memory);
    const enum clip_result clip = clip_test(run->draw, primitive, v);
    if (clip == CLIP_REJECT)
        return true;
    run->renderer->work.accepted++;
    if (scratch->triangle_count + SETUP_MAX_TRIANGLES > TRIANGLE_SLOTS) {
        if (!flush_quads(run))
            return false;
        scratch->triangle_count = 0;
    }
    struct triangle *triangles = &scratch->triangles[scratch->triangle_count];
    const uint32_t count = setup_primitive(run->draw, primitive, v, clip, run->setup, triangles);
    scratch->triangle_count += count;
    for (uint32_t i = 0; i < count; i++)
        if (!draw_triangle(run, &triangles[i]))
            return false;
    return true;
}

/* The pipeline after primitive assembly. */
static bool
draw_primitive(const struct functional_run *run, const struct primitive_out *primitive)
{
    const struct vertex *const vertices = run->scratch->vertices;
    const struct vertex *v[MAX_PRIMITIVE_VERTICES] = {0};
    const bool has_geometry = run->draw->program[STAGE_GEOMETRY] != NULL;
    const uint32_t count = has_geometry ? primitive_input_count(primitive) : 3;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t input = has_geometry ? primitive_input(primitive, i) : i;
        v[i] = &vertices[input < 3 ? primitive->v[input] : primitive->adjacent[input - 3]];
    }
    return has_geometry ? geometry_primitive(run, primitive, v)
                        : functional_primitive(run, primitive, v);
}

static bool
draw_primitives(const struct functional_run *run, const struct primitive_out *primitives,
                uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!draw_primitive(run, &primitives[i]))
            return false;
    return true;
}

/* Renders a range of vertices that contains no primitive restart. */
static bool
draw_vertices(const struct functional_run *run, struct assembler *assembler,
              const uint32_t *numbers, uint32_t count)
{
    uint16_t slots[VERTEX_CHUNK];
    struct primitive_out primitives[2];

    if (!interrupt_check(run->err) || !find_vertices(run, assembler, numbers, count, slots))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t made = assembler_vertex(assembler, slots[i], primitives);
        if (!draw_primitives(run, primitives, made))
            return false;
    }
    return true;
}

static bool
draw_instance(const struct functional_run *run, struct assembler *assembler)
{
    const struct draw_params *params = &run->draw->params;
    uint32_t numbers[VERTEX_CHUNK], count = 0;
    struct primitive_out primitives[2];

    for (uint32_t i = 0; i < params->count; i++) {
        uint32_t index;
        const bool restart =
            !fetch_vertex_number(run->draw, run->memory, i, &index, &numbers[count]);
        count += !restart;
        if (restart || count == VERTEX_CHUNK) {
            if (!draw_vertices(run, assembler, numbers, count))
                return false;
            count = 0;
        }
        if (restart && !draw_primitives(run, primitives, assembler_end(assembler, primitives)))
            return false;
    }
    return draw_vertices(run, assembler, numbers, count) &&
           draw_primitives(run, primitives, assembler_end(assembler, primitives));
}

bool
functional_draw(struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct functional_scratch *scratch = renderer->scratch;
    struct assembler assembler;
    struct setup_state setup = {0};
    struct functional_run run = {.renderer = renderer,
                                 .scratch = scratch,
                                 .memory = &renderer->device->memory,
                                 .draw = draw,
                                 .setup = &setup,
                                 .err = err};
    const uint64_t passed = scratch->samples_passed;

    if (draw->rasterizer.discard && !draw->streams_out)
        return true;
    run.shade_fragments = draw->color_write || !draw->early_z;
    scratch->quad_count = scratch->triangle_count = scratch->geometry_count = 0;
    assembler_begin(&assembler, draw);
    for (run.instance = 0; run.instance < draw->params.instance_count; run.instance++) {
        if (!interrupt_check(err))
            return false;
        forget_vertices(scratch);
        assembler_begin_instance(&assembler);
        if (!draw_instance(&run, &assembler))
            return false;
    }
    if (!geometry_flush(&run) || !flush_quads(&run))
        return false;
    if (draw->query)
        draw->query->result += scratch->samples_passed - passed;
    return true;
}

static float
window_depth(const struct draw *draw, const struct vertex *vertex)
{
    const float *position = vertex->out[draw->position_slot];
    if (!(position[3] > 0))
        return 0;
    const float z =
        position[2] / position[3] * draw->viewport.scale[2] + draw->viewport.translate[2];
    return fminf(fmaxf(z, 0), 1);
}

bool
functional_draw_depth(struct functional *renderer, const struct draw *draw, float *depth,
                      struct error *err)
{
    struct functional_scratch *scratch = renderer->scratch;
    const struct functional_work work = renderer->work;
    const struct functional_run run = {.renderer = renderer,
                                       .scratch = scratch,
                                       .memory = &renderer->device->memory,
                                       .draw = draw,
                                       .err = err};
    const uint32_t step = draw->params.count / EXEC_MAX_LANES + 1;
    uint16_t slots[EXEC_MAX_LANES];
    uint32_t count = 0;
    float sum = 0;
    for (uint32_t i = 0; i < draw->params.count; i += step) {
        uint32_t index, *number = &scratch->slot_vertex[count];
        slots[count] = (uint16_t)count;
        count += fetch_vertex_number(draw, run.memory, i, &index, number);
    }
    if (draw->position_slot < 0 || draw->program[STAGE_GEOMETRY])
        count = 0;
    if (!shade_vertices(&run, slots, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        sum += window_depth(draw, &scratch->vertices[i]);
    *depth = count ? sum / (float)count : 0;
    renderer->work = work;
    return true;
}
