/* Morton order (Z order). The even bits of an index are the bits of x, and the odd bits are the
 * bits of y: bit 0 is bit 0 of x, bit 1 is bit 0 of y. Textures, tiles, quads and codec blocks use
 * this order. */
#ifndef AETIUS_BASE_MORTON_H
#define AETIUS_BASE_MORTON_H

#include <stdint.h>

/* Returns the index in an 8x8 square. Only the low 3 bits of each coordinate are used. */
static inline uint32_t
morton8(uint32_t x, uint32_t y)
{
    static const uint8_t spread[8] = {0, 1, 4, 5, 16, 17, 20, 21};
    return (uint32_t)spread[x & 7] | (uint32_t)spread[y & 7] << 1;
}

/* Return x and y of an index below 64. */
static inline uint32_t
morton8_x(uint32_t index)
{
    return (index & 1) | (index >> 1 & 2) | (index >> 2 & 4);
}

static inline uint32_t
morton8_y(uint32_t index)
{
    return morton8_x(index >> 1);
}

/* Spreads the bits of a coordinate below 2^16 to the even bits of the result. */
static inline uint32_t
morton_spread(uint32_t x)
{
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

/* Inverse of morton_spread(): collects the even bits. Pass index >> 1 to get y. */
static inline uint32_t
morton_gather(uint32_t index)
{
    index &= 0x55555555;
    index = (index | index >> 1) & 0x33333333;
    index = (index | index >> 2) & 0x0f0f0f0f;
    index = (index | index >> 4) & 0x00ff00ff;
    return (index | index >> 8) & 0xffff;
}

#endif
