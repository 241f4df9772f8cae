/* Internals of the executor: operands as vectors of lanes. Only exec*.c include this header. */
#ifndef AETIUS_ISA_EXEC_OPERAND_H
#define AETIUS_ISA_EXEC_OPERAND_H

#include "isa/exec.h"

#include <stddef.h>

/* One quad. A wider vector would not fit a group of four lanes. Compilers combine the operations of
 * several quads where possible. */
typedef float vec4f __attribute__((vector_size(16)));
typedef int32_t vec4i __attribute__((vector_size(16)));
typedef uint32_t vec4u __attribute__((vector_size(16)));

enum { MAX_QUADS = EXEC_MAX_LANES / 4 };

/* One channel of a source for all quads: quad q is at[q * step]. Constants have a step of 0. */
struct operand {
    const vec4f *at;
    size_t step;
};

/* Buffer for one channel of all lanes, for operands with a modifier or a per-lane index. */
struct scratch {
    vec4f quads[MAX_QUADS];
};

static inline vec4f
operand_quad(const struct operand *operand, size_t q)
{
    return operand->at[q * operand->step];
}

static inline vec4f
splat(float value)
{
    return (vec4f){value, value, value, value};
}

/* Returns `yes` in lanes whose mask is all ones, and `no` in lanes whose mask is 0. */
static inline vec4f
select_lanes(vec4i mask, vec4f yes, vec4f no)
{
    return (vec4f)(((vec4u)mask & (vec4u)yes) | (~(vec4u)mask & (vec4u)no));
}

/* Returns an element of a file that all lanes share; 0 if the index is out of range. */
static inline float
exec_shared_value(const struct exec *exec, uint8_t file, int64_t index, uint32_t channel)
{
    if (file == FILE_CONSTANT && index >= 0 && index < exec->constant_count)
        return exec->constants[index][channel];
    if (file == FILE_IMMEDIATE && index >= 0 && index < exec->program->immediate_count)
        return exec->program->immediates[index][channel];
    return 0.0f;
}

/* Returns an operand without indirection and modifiers. */
static inline struct operand
exec_operand_plain(const struct exec *exec, const struct source *source, uint32_t channel,
                   struct scratch *scratch)
{
    uint32_t from = source->swizzle[channel];
    const float *base = exec->files[source->file];
    if (base) {
        size_t at = ((size_t)source->index * 4 + from) * exec->lanes;
        return (struct operand){(const vec4f *)(base + at), 1};
    }
    scratch->quads[0] = splat(exec_shared_value(exec, source->file, source->index, from));
    return (struct operand){scratch->quads, 0};
}

struct operand exec_operand_slow(const struct exec *exec, const struct source *source,
                                 uint32_t channel, bool integer, struct scratch *scratch);

/* Returns the operand for channel `channel` of the instruction. The swizzle is applied here. */
static inline struct operand
exec_operand(const struct exec *exec, const struct source *source, uint32_t channel, bool integer,
             struct scratch *scratch)
{
    if (source->indirect | source->negate | source->absolute)
        return exec_operand_slow(exec, source, channel, integer, scratch);
    return exec_operand_plain(exec, source, channel, scratch);
}

/* Returns the address to which a channel of the result may be written directly, for all lanes.
 * Returns NULL if a mask, an indirect destination or an overlap requires exec_store(). */
static inline vec4f *
exec_direct(const struct exec *exec, const struct instruction *instruction, uint32_t channel)
{
    const struct destination *dst = &instruction->dst[0];
    if (exec->active != exec->full || instruction->overlaps || dst->indirect)
        return NULL;
    float *base = exec->files[dst->file];
    return base ? (vec4f *)(base + ((size_t)dst->index * 4 + channel) * exec->lanes) : NULL;
}

/* Writes a channel to the destination: applies saturation, and writes only active lanes. */
void exec_store(struct exec *exec, const struct destination *dst, uint32_t channel,
                const vec4f *values);

void saturate_quads(vec4f *values, uint32_t quads);

/* exec_alu.c: all arithmetic. exec_texture.c: texture requests. */
void exec_alu(struct exec *exec, const struct instruction *instruction);
void exec_request_texture(struct exec *exec, const struct instruction *instruction);

#endif
