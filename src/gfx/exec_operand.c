/* Sources and destinations of the executor. A plain register costs a pointer; constants are spread
 * over one quad; modifiers and indices that differ from lane to lane go through scratch. */
#include "gfx/exec_operand.h"

#include <string.h>

/* The first lane of a register in a file of lanes; NULL for files that are not lanes. */
static float *
file_base(const struct exec *exec, uint8_t file, uint32_t *count)
{
    const struct program *program = exec->program;
    switch (file) {
    case FILE_TEMP: *count = program->temp_count; return exec->temps;
    case FILE_INPUT: *count = program->input_count; return exec->inputs;
    case FILE_OUTPUT: *count = program->output_count; return exec->outputs;
    case FILE_SYSTEM: *count = program->system_count; return exec->systems;
    case FILE_ADDRESS: *count = program->address_count; return (float *)exec->address;
    default: *count = 0; return NULL;
    }
}

/* An element of the files that all lanes share; 0 outside of them. */
static float
shared_value(const struct exec *exec, uint8_t file, int64_t index, uint32_t channel)
{
    if (file == FILE_CONSTANT && index >= 0 && index < exec->constant_count)
        return exec->constants[index][channel];
    if (file == FILE_IMMEDIATE && index >= 0 && index < exec->program->immediate_count)
        return exec->program->immediates[index][channel];
    return 0.0f;
}

static int64_t
lane_index(const struct exec *exec, uint8_t address_index, uint8_t address_channel, int16_t index,
           uint32_t lane)
{
    size_t at = ((size_t)address_index * 4 + address_channel) * exec->lanes + lane;
    return (int64_t)exec->address[at] + index;
}

static void
gather(const struct exec *exec, const struct source *source, uint32_t channel, vec4f *quads)
{
    uint32_t count;
    const float *base = file_base(exec, source->file, &count);
    for (uint32_t lane = 0; lane < exec->lanes; lane++) {
        int64_t index =
            lane_index(exec, source->address_index, source->address_channel, source->index, lane);
        float value = 0.0f;
        if (!base)
            value = shared_value(exec, source->file, index, channel);
        else if (index >= 0 && index < count)
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
exec_operand(const struct exec *exec, const struct source *source, uint32_t channel, bool integer,
             struct scratch *scratch)
{
    uint32_t from = source->swizzle[channel], count;
    struct operand operand = {.at = scratch->quads, .step = 1};
    if (__builtin_expect(source->indirect, 0)) {
        gather(exec, source, from, scratch->quads);
    } else {
        const float *base = file_base(exec, source->file, &count);
        if (base) {
            size_t at = ((size_t)source->index * 4 + from) * exec->lanes;
            operand.at = (const vec4f *)(base + at);
        } else {
            scratch->quads[0] = splat(shared_value(exec, source->file, source->index, from));
            operand.step = 0;
        }
    }
    if (source->negate | source->absolute)
        modify(source, integer, &operand, scratch->quads, exec->lanes / 4);
    return operand;
}

vec4f *
exec_direct(struct exec *exec, const struct instruction *instruction, uint32_t channel)
{
    const struct destination *dst = &instruction->dst[0];
    uint32_t count;
    if (exec->active != exec->full || instruction->overlaps || dst->indirect)
        return NULL;
    float *base = file_base(exec, dst->file, &count);
    return base ? (vec4f *)(base + ((size_t)dst->index * 4 + channel) * exec->lanes) : NULL;
}

/* NaN becomes 0, as in llvmpipe: the comparison with 0 comes first and is false. */
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
    uint32_t count;
    float *base = file_base(exec, dst->file, &count);
    for (uint32_t lane = 0; lane < exec->lanes; lane++) {
        int64_t index =
            lane_index(exec, dst->address_index, dst->address_channel, dst->index, lane);
        if (exec->active >> lane & 1 && index >= 0 && index < count)
            base[((size_t)index * 4 + channel) * exec->lanes + lane] = values[lane / 4][lane % 4];
    }
}

void
exec_store(struct exec *exec, const struct destination *dst, uint32_t channel, const vec4f *values)
{
    uint32_t count, quads = exec->lanes / 4;
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
    float *base = file_base(exec, dst->file, &count);
    if (!base)
        return; /* NULL: nobody wants it */
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
