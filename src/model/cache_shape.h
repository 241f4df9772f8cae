/* Caches as reads of a texture see them: some units that each shade every nth tile of 8x8
 * fragments, in Morton order, and have a cache of lines of so many bytes, so many sets of so many
 * ways, of which the least recently used gives way. What it holds back of a pattern of addresses is
 * worked out, so that its shape follows from times: Saavedra and Smith (IEEE Trans. Computers
 * 44(10), 1995) found caches so, Wong et al. (ISPASS 2010) those of GPUs. */
#ifndef AETIUS_MODEL_CACHE_SHAPE_H
#define AETIUS_MODEL_CACHE_SHAPE_H

#include "model/pattern.h"

#include <stddef.h>

struct cache_shape {
    uint32_t units, line, sets, ways; /* powers of two; `line` in bytes */
};

/* All that are tried: 1 to 4 units, lines of 64 to 256 bytes, 2 to 128 KB, up to 32 ways. False:
 * there is none of that number. */
bool cache_shape_nth(struct cache_shape *shape, size_t number);

/* The byte that a read begins at, by read, tile after tile, both in Morton order; of a texture of
 * `side` texels a side, squares of 8x8 texels in rows, in Morton order inside, about as hardware
 * keeps textures. */
struct cache_reads {
    uint32_t at[PATTERN_SIZE * PATTERN_SIZE];
};
void cache_reads_find(struct cache_reads *reads, const struct pattern *pattern, uint32_t side,
                      double texel_bytes);

/* The share of the reads, 0 to 1, that the caches do not hold, the pattern being read over and
 * over. */
double cache_misses(const struct cache_shape *shape, const struct cache_reads *reads);

#endif
