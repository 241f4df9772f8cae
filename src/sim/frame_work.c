#include "sim/frame_work.h"

#include "unit/shader/static_cost.h"

struct finding {
    struct frame_work *frames;
    uint32_t count;
    const struct params *params;
    struct static_costs costs;
};

/* Cycles per thread, divided by the number of shader units. */
static double
thread_cycles_of(struct finding *finding, const struct program *program)
{
    const struct static_cost cost = static_costs_of(&finding->costs, program, finding->params);
    return (double)cost.alu_cycles / (cost.group_threads * (double)cost.units);
}

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

/* Counts the work of each unit as metrics.def does, at this machine's rates. */
static bool
after(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct finding *finding = data;
    const struct params *p = finding->params;
    const struct functional_work work =
        functional_work_since(&renderer->work, &renderer->before_draw);
    const double vertices = (double)work.vertices, triangles = (double)work.triangles;
    const double fragments = (double)work.fragments, quads = (double)work.quads;
    const double texels = (double)work.texels, written = (double)work.written;
    const double vertex_cycles = vertices * thread_cycles_of(finding, draw->program[STAGE_VERTEX]);
    const double fragment_cycles =
        4 * quads * thread_cycles_of(finding, draw->program[STAGE_FRAGMENT]);
    const double texture_cycles =
        texels / (4.0 * p->GPU.NumFragmentShaders * p->FRAGMENTSHADER.TextureUnits);
    const double rop_cycles = written / (4.0 * p->GPU.NumStampPipes * p->COLORWRITE.StampsPerCycle);
    const double raster_cycles = fragments / (4.0 * p->RASTERIZER.StampsPerCycle);
    const double shared = p->GPU.UnifiedShader ? vertex_cycles + fragment_cycles
                                               : larger(vertex_cycles, fragment_cycles);
    if (renderer->device->frame >= finding->count)
        return true;
    double *to = finding->frames[renderer->device->frame].figures;
    to[FRAME_time] += larger(larger(shared, texture_cycles),
                             larger(larger(rop_cycles, raster_cycles), triangles));
    to[FRAME_draws]++;
    to[FRAME_vertices] += vertices;
    to[FRAME_triangles] += triangles;
    to[FRAME_fragments] += fragments;
    to[FRAME_vertex_cycles] += vertex_cycles;
    to[FRAME_fragment_cycles] += fragment_cycles;
    to[FRAME_texture_cycles] += texture_cycles;
    to[FRAME_written] += written;
    to[FRAME_PROGRAMS + draw->program[STAGE_FRAGMENT]->hash %
                            (FRAME_PROGRAMS_END - FRAME_PROGRAMS)] += fragment_cycles;
    return true;
}

bool
frame_work_find(struct frame_work *frames, uint32_t count, struct trace_reader *reader,
                const struct params *params, uint64_t memory_bytes, struct error *err)
{
    struct finding finding = {.frames = frames, .count = count, .params = params};
    struct inspection inspection = {.budget = {memory_bytes, 0, "--memory"}};
    inspection.watch = (struct draw_watch){.data = &finding, .after = after};
    for (uint32_t i = 0; i < count; i++) {
        frames[i] = (struct frame_work){0};
        frames[i].figures[FRAME_messages] = trace_frame(reader, i)->messages;
        frames[i].figures[FRAME_bytes] = (double)trace_frame(reader, i)->packed_bytes;
    }
    const bool ok = inspect_draws(&inspection, reader, err);
    static_costs_fini(&finding.costs);
    return ok;
}
