/* Infers texture caches from read times. The model has several units, each of which shades every
 * n-th tile of 8x8 fragments in Morton order. Each unit has an LRU cache with a number of sets,
 * ways and bytes per line.
 *
 * This code computes the misses of a shape for a pattern of addresses, so that measured times
 * identify the shape. Saavedra and Smith (IEEE Trans. Computers 44(10), 1995) found caches with
 * this method, and Wong et al. (ISPASS 2010) found the caches of GPUs. */
#ifndef AETIUS_MODEL_CACHE_SHAPE_H
#define AETIUS_MODEL_CACHE_SHAPE_H

#include "model/pattern.h"

#include <stddef.h>

struct cache_shape {
    uint32_t units, line, sets, ways; /* powers of two; `line` in bytes */
};

/* Enumerates all candidate shapes: 1 to 4 units, lines of 64 to 256 bytes, 2 to 128 KB, up to 32
 * ways. Returns false if `number` is beyond the last shape. */
bool cache_shape_nth(struct cache_shape *shape, size_t number);

/* First byte of each read, tile by tile, with tiles and reads in Morton order. The texture has
 * `side` texels per side, stored as rows of 8x8 squares, each in Morton order. Hardware stores
 * textures in a similar order. The address texture repeats until each side is a power of two of at
 * least 32 fragments. The caller frees the reads. */
struct cache_reads {
    uint32_t *at, count;
};
void cache_reads_fini(struct cache_reads *reads);
void cache_reads_find(struct cache_reads *reads, const struct pattern *pattern, uint32_t side,
                      double texel_bytes);

/* Misses per read, when the pattern is read repeatedly. Missing lines come from memory channels,
 * which transfer in parallel. If lines share few channels, the others are idle.
 *
 * by_channels[n]: the misses of the busiest of 2^n channels, times 2^n. [0] is the miss rate. With
 * lines evenly over the channels, all entries are equal. Consecutive 256 bytes are in different
 * channels, as in GPUs. A number of channels that is no power of two conflicts like its largest
 * factor that is one. */
enum { CACHE_CHANNEL_COUNTS = 5, CACHE_MOST_CHANNELS = 1 << (CACHE_CHANNEL_COUNTS - 1) };
struct cache_misses {
    double by_channels[CACHE_CHANNEL_COUNTS];
};
void cache_misses(const struct cache_shape *shape, const struct cache_reads *reads,
                  struct cache_misses *misses);

#endif
