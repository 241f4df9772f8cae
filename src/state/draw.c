/* Where the indices of a draw lie in memory, and what their bytes mean (machine.md, Streamer). */
#include "state/draw.h"

#include "base/error.h"

#include <string.h>

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
