#include "model/trace_work.h"

#include "base/log.h"
#include "base/mem.h"
#include "sim/command_stream.h"
#include "state/format.h"
#include "unit/shader/static_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const trace_unit_names[TRACE_UNIT_COUNT] = {
#define TRACE_UNIT(name) #name,
    TRACE_UNITS(TRACE_UNIT)
#undef TRACE_UNIT
};

const char *const trace_client_names[TRACE_CLIENT_COUNT] = {
#define TRACE_CLIENT(name) #name,
    TRACE_CLIENTS(TRACE_CLIENT)
#undef TRACE_CLIENT
};

enum { TRANSACTION_BYTES = 64 }; /* a draw reads at least this much of each array */

struct finding {
    struct trace_work *work;
    const struct params *params;
    struct functional_work before_frame;
    struct functional_work last; /* before the last draw */
    struct static_costs costs;
    struct trace_reader *reader;
    struct command_stream stream;
    bool writes_z;        /* a draw of the frame has written z */
    uint64_t *touched;    /* 8x8 tiles written in the frame, one bit per tile */
    double touched_tiles; /* number of touched tiles */
};

enum { TILE = 8, TILES_ACROSS = 512, TILE_BYTES = TILE * TILE * 4 };

/* Cycles of a draw's thread groups. A partly empty group takes as long as a full one. The first
 * group of each unit counts as the draw's latency. The factor `rounds` is above 1 if loops repeat
 * instructions, and below 1 if branches skip them. */
static double
shader_cycles(const struct static_cost *cost, double threads, enum shader_stage stage,
              const struct functional_work *work)
{
    const double lanes = (double)work->lanes[stage], steps = (double)work->steps[stage];
    const double rounds =
        lanes > 0 && cost->instructions > 0 ? steps / (lanes * cost->instructions) : 1;
    const double groups = ceil(threads / ((double)cost->group_threads * cost->units));
    return groups > 1 ? (groups * rounds - 1) * cost->alu_cycles : 0;
}

/* Bytes per cycle of all memory channels. */
static double
memory_rate(const struct params *p)
{
    return p->MEMORYCONTROLLER.MemoryControllerV2
               ? 4.0 * p->MEMORYCONTROLLER.V2MemoryChannels *
                     p->MEMORYCONTROLLER.V2BurstElementsPerCycle
               : 2.0 * p->MEMORYCONTROLLER.MemoryBuses * p->MEMORYCONTROLLER.MemoryBusWidth / 8;
}

/* Texture bytes of a draw. If the caches hold the whole textures, each byte is read once. */
static double
texture_bytes(const struct draw *draw, double fresh, const struct params *p)
{
    const double cache = (double)p->GPU.NumFragmentShaders * p->FRAGMENTSHADER.TextureUnits *
                         p->FRAGMENTSHADER.TextureCacheLineSizeL1 *
                         p->FRAGMENTSHADER.TextureCacheWaysL1 *
                         p->FRAGMENTSHADER.TextureCacheLinesL1;
    double held = 0;
    for (uint32_t i = 0; i < MAX_SAMPLERS; i++)
        if (draw->views[STAGE_FRAGMENT][i].res)
            held += draw->views[STAGE_FRAGMENT][i].res->size_bytes;
    return held <= cache ? fmin(fresh, held) : fresh;
}

static double
surface_bytes(const struct draw *draw)
{
    double bytes = 0;
    for (uint32_t i = 0; i < draw->color_count; i++)
        if (draw->color[i].res && draw->color[i].format)
            bytes += draw->color[i].format->block_bytes;
    return bytes * draw->samples;
}

static double
attribute_bytes(const struct draw *draw)
{
    double bytes = 0;
    for (uint32_t i = 0; i < draw->attribute_count; i++)
        bytes += draw->attributes[i].format ? draw->attributes[i].format->block_bytes : 0;
    return bytes;
}

/* Whether Hierarchical Z can cull hidden fragments (unit/raster/hz.c). */
static bool
hierarchy_culls(const struct draw *draw, const struct params *p)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct stencil_face *face = &draw->dsa.stencil[i];
        if (face->enabled && (face->fail_op || face->zpass_op || face->zfail_op))
            return false;
    }
    return !p->RASTERIZER.DisableHZ && draw->depth_output < 0 &&
           (draw->dsa.depth_func == FUNC_LESS || draw->dsa.depth_func == FUNC_LEQUAL);
}

/* Cycles of Triangle Setup (unit/raster/setup.c), including culled triangles. */
static double
setup_cycles(const struct draw *draw, double drawn, const struct params *p)
{
    const double indices = (double)draw->params.count * fmax(draw->params.instance_count, 1);
    const double assembled = draw->params.mode == PRIM_TRIANGLES                 ? indices / 3
                             : draw->params.mode == PRIM_QUADS                   ? indices / 2
                             : draw->params.mode > PRIM_TRIANGLES && indices > 2 ? indices - 2
                                                                                 : drawn;
    return fmax(assembled, drawn) *
           fmax(1.0 / p->RASTERIZER.TrianglesCycle,
                (double)p->RASTERIZER.SetupStartLatency / p->RASTERIZER.SetupUnits);
}

/* Bytes that the command stream transfers for a draw. */
static double
stream_bytes(struct command_stream *stream, const struct draw *draw)
{
    bool evicts = false;
    double instructions = 0;
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        instructions += command_stream_take_program(stream, draw->program[stage], &evicts);
    const double constants = command_stream_take_constants(stream, draw);
    return instructions * INSTRUCTION_BYTES + constants * sizeof(struct stream_constant);
}

static bool
blends(const struct draw *draw)
{
    return draw->blend.rt[0].enable;
}

/* Computes the minimum work of each unit as in metrics.def. */
static bool
after(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct finding *f = data;
    const struct params *p = f->params;
    const struct functional_work *before = &renderer->before_draw;
    const struct functional_work work = functional_work_since(&renderer->work, before),
                                 uploads = functional_work_since(before, &f->last);
    const double vertices = (double)work.vertices, triangles = (double)work.triangles;
    const double fragments = (double)work.fragments;
    /* Hierarchical Z also culls hidden fragments when the z test is late. */
    const double hidden = hierarchy_culls(draw, p) ? (double)work.hidden : 0;
    const double quads = (double)work.quads - hidden;
    const double texels = (double)work.texels, written = (double)work.written;
    const double indices = (double)draw->params.count * fmax(draw->params.instance_count, 1);
    const struct static_cost vs = static_costs_of(&f->costs, draw->program[STAGE_VERTEX], p),
                             fs = static_costs_of(&f->costs, draw->program[STAGE_FRAGMENT], p);
    const double pixel = surface_bytes(draw), rops = p->GPU.NumStampPipes;
    struct trace_draw one = {.frame = renderer->device->frame, .number = draw->number};
    one.units[UNIT_fetch] =
        fmax(fmax(indices / p->STREAMER.IndicesCycle,
                  vertices * draw->attribute_count / p->STREAMER.AttributesCycle),
             vertices / p->STREAMER.VerticesCycle);
    one.reused = indices > vertices ? 1 - vertices / indices : 0;
    one.units[UNIT_vertex] = shader_cycles(&vs, vertices, STAGE_VERTEX, &work);
    one.units[UNIT_fragment] = shader_cycles(&fs, 4 * quads, STAGE_FRAGMENT, &work);
    one.units[UNIT_setup] = setup_cycles(draw, triangles, p);
    one.units[UNIT_raster] = fragments / (4.0 * p->RASTERIZER.StampsPerCycle);
    one.units[UNIT_texture] =
        texels / (4.0 * p->GPU.NumFragmentShaders * p->FRAGMENTSHADER.TextureUnits);
    one.units[UNIT_depth] =
        draw->depth_test || draw->stencil_test
            ? fragments * draw->samples / (4 * rops * p->ZSTENCILTEST.StampsPerCycle)
            : 0;
    one.units[UNIT_color] = written * draw->samples / (4 * rops * p->COLORWRITE.StampsPerCycle);
    one.bytes[ASKED_texture] = texture_bytes(draw, (double)work.texel_bytes, p);
    one.bytes[ASKED_color] = written * pixel * (blends(draw) ? 2 : 1);
    one.bytes[ASKED_z] =
        draw->depth_test ? fragments * 4 * draw->samples * (draw->depth_write ? 2 : 1) : 0;
    one.bytes[ASKED_attribute] =
        vertices * attribute_bytes(draw) + indices * draw->index_bytes +
        TRANSACTION_BYTES * (double)(draw->attribute_count + (draw->index_bytes > 0));
    one.buffer_bytes = (double)uploads.buffer_put_bytes;
    one.put_bytes = (double)uploads.put_bytes - one.buffer_bytes;
    f->last = *before;
    f->writes_z = f->writes_z || (draw->depth_test && draw->depth_write && quads > 0);
    one.stream_bytes = stream_bytes(&f->stream, draw);
    one.latency = (double)vs.latency_cycles + (quads > 0 ? fs.latency_cycles : 0);
    VEC_PUSH(&f->work->draws, one);
    return true;
}

static void
note_fragments(void *data, uint32_t x, uint32_t y, uint32_t mask)
{
    struct finding *f = data;
    const uint32_t tile = y / TILE * TILES_ACROSS + x / TILE;
    uint64_t *word = &f->touched[tile / 64];
    if (!mask || x / TILE >= TILES_ACROSS || y / TILE >= TILES_ACROSS || *word >> tile % 64 & 1)
        return;
    *word |= UINT64_C(1) << tile % 64;
    f->touched_tiles++;
}

/* Bytes of color and z written by a frame that the ROP caches may still hold. */
static double
dirty_bytes(const struct finding *f)
{
    enum { QUAD_BYTES = 16 };
    const struct params *p = f->params;
    const double colors = (double)p->COLORWRITE.ColorCacheWays * p->COLORWRITE.ColorCacheLines *
                          p->COLORWRITE.ColorCacheStampsPerLine * QUAD_BYTES;
    const double depths = (double)p->ZSTENCILTEST.ZCacheWays * p->ZSTENCILTEST.ZCacheLines *
                          p->ZSTENCILTEST.ZCacheStampsPerLine * QUAD_BYTES;
    const double written = f->touched_tiles * TILE_BYTES;
    return fmin(written, colors * p->GPU.NumStampPipes) +
           (f->writes_z ? fmin(written, depths * p->GPU.NumStampPipes) : 0);
}

static void
end_frame(void *data, const struct functional *renderer)
{
    struct finding *f = data;
    const struct functional_work *now = &renderer->work;
    const struct functional_work work = functional_work_since(now, &f->before_frame),
                                 uploads = functional_work_since(now, &f->last);
    const struct trace_frame *shown = trace_frame(f->reader, (uint32_t)f->work->frames.count);
    const struct trace_frame_work frame = {
        .buffer_bytes = (double)uploads.buffer_put_bytes,
        .put_bytes = (double)uploads.put_bytes - (double)uploads.buffer_put_bytes,
        .clears = (double)work.clears,
        .blitted = (double)work.blitted,
        .shown_bytes = fmin(4.0 * shown->width * shown->height, f->touched_tiles * TILE_BYTES),
        .dirty_bytes = dirty_bytes(f),
    };
    memset(f->touched, 0, TILES_ACROSS * TILES_ACROSS / 8);
    f->touched_tiles = 0;
    f->writes_z = false;
    command_stream_reset(&f->stream);
    VEC_PUSH(&f->work->frames, frame);
    f->before_frame = *now;
    f->last = *now;
}

bool
trace_work_find(struct trace_work *work, struct trace_reader *reader,
                const struct frame_set *frames, const struct params *params, uint64_t memory_bytes,
                struct error *err)
{
    struct finding f = {.work = work, .params = params, .reader = reader};
    struct inspection inspection = {.frames = *frames, .budget = {memory_bytes, 0, "--memory"}};
    const double start = wall_seconds();
    *work = (struct trace_work){.memory_rate = memory_rate(params),
                                .unified = params->GPU.UnifiedShader};
    inspection.watch = (struct draw_watch){
        .data = &f, .after = after, .frame = end_frame, .fragments = note_fragments};
    command_stream_init(&f.stream, params);
    f.touched = mem_alloc(TILES_ACROSS * TILES_ACROSS / 8);
    const bool ok = inspect_draws(&inspection, reader, err);
    command_stream_fini(&f.stream);
    free(f.touched);
    work->seconds = wall_seconds() - start;
    static_costs_fini(&f.costs);
    if (!ok)
        trace_work_fini(work);
    return ok;
}

bool
trace_work_draws(const struct trace_work *work, uint32_t frame)
{
    for (size_t i = 0; i < work->draws.count; i++)
        if (work->draws.items[i].frame == frame)
            return true;
    return false;
}

void
trace_work_fini(struct trace_work *work)
{
    VEC_FREE(&work->draws);
    VEC_FREE(&work->frames);
}
