/* Vertex fetch: computes the address of an attribute in memory and decodes the attribute
 * (docs/design/machine.md, Streamer). Bytes outside the buffer are never read. The attribute is
 * then 0, 0, 0, 1. */
#include "gfx/vertex.h"

#include "base/error.h"

#include <string.h>

/* Returns the address, or 0 unless all bytes are below `end`. */
static uint32_t
bounded_address(uint64_t address, uint32_t bytes, uint32_t end)
{
    return address + bytes <= end ? (uint32_t)address : 0;
}

uint32_t
fetch_address(const struct draw *draw, uint32_t attribute, uint32_t vertex, uint32_t instance)
{
    const struct bound_attribute *bound = &draw->attributes[attribute];
    if (!bound->format || !bound->address)
        return 0;
    uint64_t element = vertex;
    if (bound->divisor)
        element = (uint64_t)draw->params.start_instance + instance / bound->divisor;
    return bounded_address(bound->address + element * bound->stride, bound->format->block_bytes,
                           bound->end);
}

void
fetch_attribute(const struct format_info *format, const uint8_t *bytes, float out[4])
{
    if (!format || !bytes) {
        const uint32_t one = 1;
        out[0] = out[1] = out[2] = 0.0f;
        out[3] = 1.0f;
        if (format && format->is_integer)
            memcpy(&out[3], &one, sizeof one);
        return;
    }
    format->unpack(bytes, 0, 0, out);
}

void
fetch_from_memory(const struct draw *draw, const struct gpu_memory *memory, uint32_t attribute,
                  uint32_t vertex, uint32_t instance, float out[4])
{
    const uint32_t address = fetch_address(draw, attribute, vertex, instance);
    fetch_attribute(draw->attributes[attribute].format, address ? memory->bytes + address : NULL,
                    out);
}

bool
fetch_vertex_number(const struct draw *draw, const struct gpu_memory *memory, uint32_t i,
                    uint32_t *index, uint32_t *vertex)
{
    const struct draw_params *params = &draw->params;
    if (!params->indexed) {
        *index = *vertex = params->start + i;
        return true;
    }
    const uint32_t address = draw_index_address(draw, i);
    *index = address ? draw_decode_index(draw, memory->bytes + address) : 0;
    *vertex = *index + (uint32_t)params->index_bias;
    return !params->primitive_restart || *index != params->restart_index;
}

void
geometry_load(const struct draw *draw, const struct vertex *const v[], struct exec *exec,
              uint32_t lane, uint32_t id)
{
    const struct program *gs = draw->program[STAGE_GEOMETRY];
    const uint32_t vertices = gs->input_vertices;
    for (uint32_t i = 0; i < program_input_registers(gs); i++) {
        const int8_t slot = draw->geometry_inputs[i / vertices];
        float *to = &exec->inputs[(size_t)i * 4 * exec->lanes + lane];
        for (uint32_t c = 0; c < 4; c++)
            to[c * exec->lanes] = slot < 0 ? 0.0f : v[i % vertices]->out[slot][c];
        if (gs->inputs[i / vertices].semantic == SEMANTIC_PRIMID)
            memcpy(to, &id, sizeof id);
    }
}

void
emitted_store(const struct exec *exec, uint32_t lane, uint32_t n, struct vertex *out)
{
    memcpy(out->out, exec_emitted(exec, lane, n), exec->program->output_count * sizeof out->out[0]);
}

void
vertex_store(const struct draw *draw, const struct exec *exec, uint32_t lane, struct vertex *out)
{
    const struct program *vs = draw->program[STAGE_VERTEX];
    for (uint32_t o = 0; o < vs->output_count; o++)
        for (uint32_t c = 0; c < 4; c++)
            out->out[o][c] = exec->outputs[(o * 4 + c) * exec->lanes + lane];
}
