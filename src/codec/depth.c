/* Stencil packing and bit budget of the depth codecs (codec/depth.h). */
#include "codec/depth.h"

enum { ONE_STENCIL_BITS = 1 + 8, TWO_STENCILS_BITS = 1 + 16 + CODEC_WORDS };

bool
depth_open(const uint32_t *block, struct depth_block *depth)
{
    const uint8_t first = (uint8_t)block[0];
    uint8_t second = first;
    uint32_t differ = 0;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        depth->z[i] = block[i] >> 8;
        differ |= block[i] ^ block[0];
    }
    depth->stencil[0] = depth->stencil[1] = first;
    depth->two_stencils = differ & 0xff;
    depth->which = 0;
    if (!depth->two_stencils)
        return true;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint8_t stencil = (uint8_t)block[i];
        if (second == first)
            second = stencil;
        if (stencil != first && stencil != second)
            return false;
        depth->which |= (uint64_t)(stencil != first) << i;
    }
    depth->stencil[1] = second;
    return true;
}

uint32_t
depth_budget(const struct depth_block *depth, uint32_t level_bytes)
{
    return 8 * level_bytes -
           (depth->two_stencils ? (uint32_t)TWO_STENCILS_BITS : (uint32_t)ONE_STENCIL_BITS);
}

void
depth_put_stencil(struct bit_writer *writer, const struct depth_block *depth)
{
    bits_put(writer, depth->two_stencils, 1);
    bits_put(writer, depth->stencil[0], 8);
    if (depth->two_stencils) {
        bits_put(writer, depth->stencil[1], 8);
        bits_put(writer, (uint32_t)depth->which, 32);
        bits_put(writer, (uint32_t)(depth->which >> 32), 32);
    }
}

void
depth_get_stencil(struct bit_reader *reader, struct depth_block *depth)
{
    depth->two_stencils = bits_get(reader, 1);
    depth->stencil[0] = depth->stencil[1] = (uint8_t)bits_get(reader, 8);
    depth->which = 0;
    if (depth->two_stencils) {
        depth->stencil[1] = (uint8_t)bits_get(reader, 8);
        depth->which = bits_get(reader, 32);
        depth->which |= (uint64_t)bits_get(reader, 32) << 32;
    }
}

void
depth_close(const struct depth_block *depth, uint32_t *block)
{
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = (depth->z[i] & DEPTH_MASK) << 8 | depth->stencil[depth->which >> i & 1];
}

int32_t
depth_choose(const struct codec_levels *levels, const struct depth_block *depth, uint32_t fixed,
             uint32_t count, uint32_t width)
{
    for (int32_t level = 0; level < (int32_t)levels->count; level++)
        if (fixed + count * width <= depth_budget(depth, levels->bytes[level]))
            return level;
    return CODEC_RAW;
}

uint32_t
depth_correction_bits(const struct depth_block *depth, uint32_t level_bytes, uint32_t fixed,
                      uint32_t count)
{
    const uint32_t budget = depth_budget(depth, level_bytes);
    const uint32_t bits = budget < fixed ? 0 : (budget - fixed) / count;
    return bits > DEPTH_BITS ? DEPTH_BITS : bits;
}
