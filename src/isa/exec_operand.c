/* Sources and destinations of the executor. A plain register is only a pointer. Constants are
 * replicated to one quad. Modifiers and per-lane indices need a scratch buffer. */
#include "isa/exec_operand.h"

#include <string.h>

/* Returns the number of registers in a per-lane file. */
static uint32_t
file_count(const struct exec *exec, uint8_t file)
{
    const struct program *program = exec->program;
    switch (file) {
    case FILE_TEMP: return program->temp_count;
    case FILE_INPUT: return program_input_registers(program);
    case FILE_OUTPUT: return program->output_count;
    case FILE_SYSTEM: return program->system_count;
    case FILE_ADDRESS: return program->address_count;
    default: return 0;
    }
}

int64_t
exec_lane_index(const struct exec *exec, uint8_t address_index, uint8_t address_channel,
                int32_t index, uint32_t lane)
{
    size_t at = ((size_t)address_index * 4 + address_channel) * exec->lanes + lane;
    return (int64_t)exec->address[at] + index;
}

/* Whether an indirect access stays inside its constant buffer. Outside, it reads 0. */
static bool
is_in_buffer(const struct exec *exec, const struct source *source, int64_t index)
{
    const struct constant_range *range = &exec->program->constant_buffers[source->buffer];
    return source->file != FILE_CONSTANT ||
           (index >= range->first && index < range->first + range->count);
}

static void
gather(const struct exec *exec, const struct source *source, uint32_t channel, vec4f *quads)
{
    uint32_t count = file_count(exec, source->file);
    const float *base = exec->files[source->file];
    for (uint32_t lane = 0; lane < exec->lanes; lane++) {
        const int64_t address =
            exec_lane_index(exec, source->address_index, source->address_channel, 0, lane);
        const int64_t index = address * source->scale + source->index;
        float value = 0.0f;
        if (!base && is_in_buffer(exec, source, index))
            value = exec_shared_value(exec, source->file, index, channel);
        else if (base && index >= 0 && index < count)
            value = base[((size_t)index * 4 + channel) * exec->lanes + lane];
        quads[lane / 4][lane % 4] = value;
    }
}

static void
modify(const struct source *source, bool integer, struct operand *operand, vec4f *quads,
       uint32_t count)
{
    const vec4u sign = {0x80000000, 0x80000000, 0x80000000, 0x80000000};
    for (uint32_t q = 0; q < (operand->step ? count : 1); q++) {
        vec4u v = (vec4u)operand_quad(operand, q);
        if (integer) {
            vec4u negative = (vec4u)((vec4i)v < 0);
            if (source->absolute)
                v = (v ^ negative) - negative;
            if (source->negate)
                v = -v;
        } else {
            if (source->absolute)
                v &= ~sign;
            if (source->negate)
                v ^= sign;
        }
        quads[q] = (vec4f)v;
    }
    operand->at = quads;
}

struct operand
exec_operand_slow(const struct exec *exec, const struct source *source, uint32_t channel,
                  bool integer, struct scratch *scratch)
{
    struct operand operand = {.at = scratch->quads, .step = 1};
    if (source->indirect)
        gather(exec, source, source->swizzle[channel], scratch->quads);
    else
        operand = exec_operand_plain(exec, source, channel, scratch);
    if (source->negate || source->absolute)
        modify(source, integer, &operand, scratch->quads, exec->lanes / 4);
    return operand;
}

/* NaN becomes 0, as in llvmpipe, because the comparison with 0 comes first and is false for NaN. */
void
saturate_quads(vec4f *values, uint32_t quads)
{
    const vec4f zero = splat(0.0f), one = splat(1.0f);
    for (uint32_t q = 0; q < quads; q++) {
        vec4f v = (vec4f)((vec4i)values[q] & (values[q] > zero));
        values[q] = select_lanes(v < one, v, one);
    }
}

static void
spell_mask(struct exec *exec)
{
    for (uint32_t lane = 0; lane < exec->lanes; lane++)
        exec->lane_mask[lane] = 0u - (uint32_t)(exec->active >> lane & 1);
    exec->lane_mask_of = exec->active;
}

static void
scatter(struct exec *exec, const struct destination *dst, uint32_t channel, const vec4f *values)
{
    uint32_t count = file_count(exec, dst->file);
    float *base = exec->files[dst->file];
    for (uint32_t lane = 0; lane < exec->lanes; lane++) {
        int64_t index =
            exec_lane_index(exec, dst->address_index, dst->address_channel, dst->index, lane);
        if (exec->active >> lane & 1 && index >= 0 && index < count)
            base[((size_t)index * 4 + channel) * exec->lanes + lane] = values[lane / 4][lane % 4];
    }
}

void
exec_store(struct exec *exec, const struct destination *dst, uint32_t channel, const vec4f *values)
{
    uint32_t quads = exec->lanes / 4;
    vec4f saturated[MAX_QUADS];
    if (dst->saturate) {
        memcpy(saturated, values, quads * sizeof *values);
        saturate_quads(saturated, quads);
        values = saturated;
    }
    if (dst->indirect) {
        scatter(exec, dst, channel, values);
        return;
    }
    float *base = exec->files[dst->file];
    if (!base)
        return; /* the NULL file discards the result */
    vec4f *to = (vec4f *)(base + ((size_t)dst->index * 4 + channel) * exec->lanes);
    if (exec->active == exec->full) {
        memcpy(to, values, quads * sizeof *values);
        return;
    }
    if (exec->lane_mask_of != exec->active)
        spell_mask(exec);
    const vec4i *mask = (const vec4i *)exec->lane_mask;
    for (uint32_t q = 0; q < quads; q++)
        to[q] = select_lanes(mask[q], values[q], to[q]);
}
