/* Bit operations on words. */
#ifndef AETIUS_BASE_BITS_H
#define AETIUS_BASE_BITS_H

#include <stdint.h>

/* Returns the number of set bits. Replaces the compiler's built-in function, which calls a library
 * function on hosts without a population-count instruction. That call takes twice as long. */
static inline uint32_t
bits_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

#endif
