#include "model/trace_work.h"

#include "base/log.h"
#include "base/mem.h"
#include "sim/command_stream.h"
#include "sim/hazards.h"
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

enum { WORD_READ_AND_WRITTEN = 8 }; /* bytes that a blit moves per word */

struct finding {
    struct trace_work *work;
    const struct params *params;
    struct functional_work before_frame;
    struct trace_caches caches;
    struct hazards hazards;
    uint32_t frame_draws;    /* draws of the frame so far */
    const struct draw *draw; /* in progress */
    struct static_costs costs;
    struct trace_reader *reader;
    struct command_stream stream;
};

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

/* Bytes that the command stream transfers for a draw. */
static double
stream_bytes(struct command_stream *stream, const struct draw *draw)
{
    bool evicts = false;
    double instructions = 0;
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        if (draw->program[stage])
            instructions += command_stream_take_program(stream, draw->program[stage], &evicts);
    const double constants = command_stream_take_constants(stream, draw);
    return instructions * INSTRUCTION_BYTES + constants * sizeof(struct stream_constant);
}

static bool
before(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct finding *f = data;
    (void)err;
    f->draw = draw;
    trace_caches_begin_draw(&f->caches, draw, &renderer->device->memory);
    return true;
}

/* Computes the minimum work of each unit as in metrics.def. */
static bool
after(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct finding *f = data;
    const struct params *p = f->params;
    const struct functional_work work =
        functional_work_since(&renderer->work, &renderer->before_draw);
    const double vertices = (double)work.vertices;
    const double generated = (double)work.generated * draw->samples;
    /* Hierarchical Z also culls hidden fragments when the z test is late. */
    const double hidden = hierarchy_culls(draw, p) ? (double)work.hidden : 0;
    const double quads = (double)work.quads - hidden;
    const double texels = (double)work.texels;
    const double indices = (double)draw->params.count * fmax(draw->params.instance_count, 1);
    const struct static_cost vs = static_costs_of(&f->costs, draw->program[STAGE_VERTEX], p),
                             fs = static_costs_of(&f->costs, draw->program[STAGE_FRAGMENT], p);
    const double rops = p->GPU.NumStampPipes;
    struct trace_draw one = {.frame = renderer->device->frame, .number = draw->number};
    one.units[UNIT_fetch] =
        fmax(fmax(indices / p->STREAMER.IndicesCycle,
                  vertices * draw->attribute_count / p->STREAMER.AttributesCycle),
             vertices / p->STREAMER.VerticesCycle);
    one.reused = indices > vertices ? 1 - vertices / indices : 0;
    one.units[UNIT_vertex] = shader_cycles(&vs, vertices, STAGE_VERTEX, &work);
    one.units[UNIT_fragment] = shader_cycles(&fs, 4 * quads, STAGE_FRAGMENT, &work);
    one.units[UNIT_setup] = (double)work.accepted * fmax(1.0 / p->RASTERIZER.TrianglesCycle,
                                                         (double)p->RASTERIZER.SetupStartLatency /
                                                             p->RASTERIZER.SetupUnits);
    one.units[UNIT_raster] = (double)work.generated / p->RASTERIZER.StampsPerCycle;
    one.units[UNIT_texture] =
        texels / (4.0 * p->GPU.NumFragmentShaders * p->FRAGMENTSHADER.TextureUnits);
    one.units[UNIT_depth] = draw->depth_test || draw->stencil_test
                                ? generated / (rops * p->ZSTENCILTEST.StampsPerCycle)
                                : 0;
    one.units[UNIT_color] =
        (double)work.written_quads * draw->samples / (rops * p->COLORWRITE.StampsPerCycle);
    memcpy(one.bytes, f->caches.bytes, sizeof one.bytes);
    for (uint32_t c = 0; c < TRACE_CLIENT_COUNT; c++)
        one.waits += f->caches.waits[c];
    one.quads = quads;
    one.attribute_bytes = trace_caches_attribute_bytes(&f->caches);
    one.skew = trace_caches_skew(&f->caches);
    one.first_need = (uint32_t)f->work->needs.count;
    for (uint64_t n; (n = hazards_before_draw(&f->hazards, draw)) > 0;) {
        VEC_PUSH(&f->work->needs, (uint32_t)n - 1);
        hazards_end_upload(&f->hazards, n);
    }
    one.needs = (uint32_t)f->work->needs.count - one.first_need;
    /* the earlier draws end before this one begins */
    hazards_end_fetch(&f->hazards, UINT64_MAX);
    hazards_end_draws(&f->hazards, UINT64_MAX);
    hazards_note_draw(&f->hazards, ++f->frame_draws, draw);
    one.stream_bytes = stream_bytes(&f->stream, draw);
    one.latency = (double)vs.latency_cycles + (quads > 0 ? fs.latency_cycles : 0);
    VEC_PUSH(&f->work->draws, one);
    return true;
}

static void
note_vertex(void *data, const struct draw *draw, uint32_t vertex, uint32_t instance)
{
    trace_caches_vertex(&((struct finding *)data)->caches, draw, vertex, instance);
}

static void
note_texels(void *data, const struct draw *draw, const struct texture_request *request,
            uint32_t quad, uint32_t x, uint32_t y)
{
    trace_caches_texels(&((struct finding *)data)->caches, draw, request, quad, x, y);
}

/* If Hierarchical Z culls hidden quads, their z is not read. */
static void
note_test(void *data, const struct draw *draw, uint32_t x, uint32_t y)
{
    struct finding *f = data;
    if (!hierarchy_culls(draw, f->params))
        trace_caches_test(&f->caches, draw, x, y);
}

static void
note_fragments(void *data, uint32_t x, uint32_t y, uint32_t mask)
{
    struct finding *f = data;
    if (mask)
        trace_caches_write(&f->caches, f->draw, x, y);
}

static uint64_t
oldest_upload(const struct hazards *hazards)
{
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = 0; i < hazards->count; i++)
        if (hazards->uploads[i].number < oldest)
            oldest = hazards->uploads[i].number;
    return oldest;
}

/* Uploads overlap with the draw before them, unless it reads the memory that they change. */
static void
note_upload(void *data, const struct resource *res, const struct box *box)
{
    struct finding *f = data;
    struct hazards *hazards = &f->hazards;
    const struct hazard_range range = hazard_range_of(res, box);
    const struct trace_upload upload = {.frame = (uint32_t)f->work->frames.count,
                                        .draw = f->frame_draws,
                                        .bytes = resource_box_bytes(res, box),
                                        .waits = !f->params->COMMANDPROCESSOR.UploadsInFlight ||
                                                 hazards_before_buffer_changes(hazards, range) ||
                                                 hazards_is_sampled(hazards, res)};
    VEC_PUSH(&f->work->uploads, upload);
    trace_caches_upload(&f->caches, res);
    if (res->desc.target != TARGET_BUFFER)
        hazards_forget_textures(hazards);
    if (hazards->count == HAZARD_UPLOADS) /* the oldest one has ended */
        hazards_end_upload(hazards, oldest_upload(hazards));
    hazards_note_upload(hazards, f->work->uploads.count, range);
}

static void
end_frame(void *data, const struct functional *renderer, const struct resource *shown)
{
    struct finding *f = data;
    const struct functional_work *now = &renderer->work;
    const struct functional_work work = functional_work_since(now, &f->before_frame);
    const struct params *p = f->params;
    const double dirty_bytes = trace_caches_flush(&f->caches);
    const struct trace_frame_work frame = {
        .clears = (double)work.clears,
        .blit_cycles =
            fmax((double)work.blitted / (p->BLITTER.SamplesCycle * (double)p->GPU.NumStampPipes),
                 (double)work.blitted * WORD_READ_AND_WRITTEN / f->work->memory_rate),
        .shown_bytes = shown ? trace_caches_shown(&f->caches, shown) : 0,
        .dirty_bytes = dirty_bytes,
    };
    f->frame_draws = 0;
    hazards_reset(&f->hazards);
    command_stream_reset(&f->stream);
    VEC_PUSH(&f->work->frames, frame);
    f->before_frame = *now;
}

bool
trace_work_find(struct trace_work *work, struct trace_reader *reader,
                const struct frame_set *frames, const struct params *params, uint64_t memory_bytes,
                struct error *err)
{
    struct finding f = {.work = work, .params = params, .reader = reader};
    struct inspection inspection = {.frames = *frames, .budget = {memory_bytes, 0, "--memory"}};
    const double start = wall_seconds();
    const uint32_t uploads = params->COMMANDPROCESSOR.UploadsInFlight;
    *work = (struct trace_work){.memory_rate = memory_rate(params),
                                .bus_rate = params->MEMORYCONTROLLER.CommandProcessorBusWidth,
                                .upload_limit = uploads ? uploads : 1,
                                .unified = params->GPU.UnifiedShader};
    inspection.watch = (struct draw_watch){.data = &f,
                                           .before = before,
                                           .after = after,
                                           .frame = end_frame,
                                           .fragments = note_fragments,
                                           .vertex = note_vertex,
                                           .texels = note_texels,
                                           .tested = note_test,
                                           .upload = note_upload};
    trace_caches_init(&f.caches, params);
    command_stream_init(&f.stream, params);
    const bool ok = inspect_draws(&inspection, reader, err);
    command_stream_fini(&f.stream);
    trace_caches_fini(&f.caches);
    hazards_fini(&f.hazards);
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
    VEC_FREE(&work->uploads);
    VEC_FREE(&work->needs);
    VEC_FREE(&work->frames);
}
