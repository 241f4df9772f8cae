#include "sim/frame_work.h"

#include "base/mem.h"
#include "unit/shader/static_cost.h"

struct known_program {
    uint64_t hash;
    enum shader_stage stage;
    double thread_cycles; /* cycles per thread, divided by the number of shader units */
};

struct finding {
    struct frame_work *frames;
    uint32_t count;
    const struct params *params;
    struct functional_work before;
    VEC(struct known_program) programs;
};

static double
thread_cycles_of(struct finding *finding, const struct program *program)
{
    for (size_t i = 0; i < finding->programs.count; i++) {
        const struct known_program *known = &finding->programs.items[i];
        if (known->hash == program->hash && known->stage == program->stage)
            return known->thread_cycles;
    }
    struct static_cost cost;
    static_cost_find(&cost, program, finding->params);
    const struct known_program known = {program->hash, program->stage,
                                        (double)cost.alu_cycles /
                                            (cost.group_threads * (double)cost.units)};
    static_cost_fini(&cost);
    VEC_PUSH(&finding->programs, known);
    return known.thread_cycles;
}

static bool
before(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct finding *finding = data;
    finding->before = renderer->work;
    return true;
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
    const struct functional_work *was = &finding->before, *is = &renderer->work;
    const double vertices = (double)(is->vertices - was->vertices);
    const double triangles = (double)(is->triangles - was->triangles);
    const double fragments = (double)(is->fragments - was->fragments);
    const double quads = (double)(is->quads - was->quads);
    const double texels = (double)(is->texels - was->texels);
    const double written = (double)(is->written - was->written);
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
    inspection.watch = (struct draw_watch){.data = &finding, .before = before, .after = after};
    for (uint32_t i = 0; i < count; i++) {
        frames[i] = (struct frame_work){0};
        frames[i].figures[FRAME_messages] = trace_frame(reader, i)->messages;
        frames[i].figures[FRAME_bytes] = (double)trace_frame(reader, i)->packed_bytes;
    }
    const bool ok = inspect_draws(&inspection, reader, err);
    VEC_FREE(&finding.programs);
    return ok;
}
