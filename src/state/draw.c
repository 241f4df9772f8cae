/* Queries on a baked draw: whether it reads and writes its color buffers, and the addresses and
 * values of its indices. Also the message for an endless program. */
#include "state/draw.h"

#include "base/error.h"
#include "isa/exec.h"
#include "state/format.h"

#include <string.h>

static bool
is_source1(uint8_t factor)
{
    return factor == FACTOR_SRC1_COLOR || factor == FACTOR_SRC1_ALPHA ||
           factor == FACTOR_INV_SRC1_COLOR || factor == FACTOR_INV_SRC1_ALPHA;
}

bool
draw_uses_source1(const struct draw *draw, uint32_t target)
{
    const struct blend_target *rt = &draw->blend.rt[target];
    return rt->enable && (is_source1(rt->rgb_src) || is_source1(rt->rgb_dst) ||
                          is_source1(rt->alpha_src) || is_source1(rt->alpha_dst));
}

bool
bound_view_has_one_level(const struct bound_view *bound)
{
    const struct resource *res = bound->res;
    if (!res || !res->sampled_only ||
        (res->desc.target != TARGET_2D && res->desc.target != TARGET_CUBE &&
         res->desc.target != TARGET_2D_ARRAY))
        return false;
    return !res->desc.last_level || (!bound->view.first_level && !bound->view.last_level);
}

bool
draw_writes_color(const struct draw *draw, uint32_t target)
{
    return draw->color[target].res && draw->blend.rt[target].colormask &&
           draw->color_output[target] != 0xff;
}

bool
draw_reads_color(const struct draw *draw, uint32_t target)
{
    const uint32_t channels = draw->color[target].format->channels & 15;
    const struct blend_target *rt = &draw->blend.rt[target];
    return rt->enable || draw->blend.logicop_enable || (rt->colormask & channels) != channels;
}

bool
draw_block_constant(const struct draw *draw, enum shader_stage stage, uint32_t index,
                    struct block_constant *constant)
{
    enum { VEC4_BYTES = 16 };
    const struct program *program = draw->program[stage];
    uint32_t buffer = MAX_CONSTANT_BUFFERS - 1;
    while (buffer && index < program->constant_buffers[buffer].first)
        buffer--;
    const uint32_t offset = (index - program->constant_buffers[buffer].first) * VEC4_BYTES;
    const struct buffer_binding *block = buffer ? draw_uniform_block(draw, stage, buffer) : NULL;
    *constant = (struct block_constant){0};
    if (block && offset < block->length) {
        constant->address = block->res->address + block->offset + offset;
        constant->bytes = block->length - offset < VEC4_BYTES ? block->length - offset : VEC4_BYTES;
    }
    return buffer > 0;
}

bool
draw_fail_endless(const struct draw *draw, uint32_t frame, enum shader_stage stage,
                  struct error *err)
{
    return fail(err,
                "frame %u, draw %u: %s program " PROGRAM_HASH
                " does not terminate: a thread has executed %d instructions",
                frame, draw->number, shader_stage_name(stage), draw->program[stage]->hash,
                EXEC_THREAD_LIMIT);
}

uint32_t
draw_index_address(const struct draw *draw, uint32_t i)
{
    if (!draw->index_address)
        return 0;
    const uint64_t address = draw->index_address + (uint64_t)i * draw->index_bytes;
    return address + draw->index_bytes <= draw->index_end ? (uint32_t)address : 0;
}

uint32_t
draw_decode_index(const struct draw *draw, const uint8_t *bytes)
{
    uint16_t half;
    uint32_t word;

    switch (draw->index_bytes) {
    case 1: return bytes[0];
    case 2: memcpy(&half, bytes, sizeof half); return half;
    case 4: memcpy(&word, bytes, sizeof word); return word;
    }
    BUG("an index of %u bytes", draw->index_bytes);
}
