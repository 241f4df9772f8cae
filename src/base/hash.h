/* 64-bit FNV-1a hash. The initial hash is HASH_START. Numbers are hashed by value, so the result is
 * independent of padding and of the host's byte order. */
#ifndef AETIUS_BASE_HASH_H
#define AETIUS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

static inline uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

/* Hashes the number's eight bytes, lowest byte first. */
static inline uint64_t
hash_number(uint64_t hash, uint64_t number)
{
    for (uint32_t i = 0; i < 8; i++)
        hash = (hash ^ (number >> (8 * i) & 0xff)) * 0x100000001b3u;
    return hash;
}

#endif
