/* Fragment generators: algorithms that find the 8x8 tiles that triangles cover (generators.def).
 * The unit (unit/raster/fraggen.h) holds the triangles and sends the tiles. A generator walks one
 * batch of triangles at a time, and keeps its state in fraggen->walk. */
#ifndef AETIUS_UNIT_GENERATOR_H
#define AETIUS_UNIT_GENERATOR_H

#include "unit/raster/fraggen.h"

struct generator {
    /* Allocates fraggen->walk as one block, which the unit frees. May raise fraggen->batch_limit,
     * which is initially 1. */
    void (*create)(struct fraggen *fraggen, const struct params *params);
    /* Starts a batch: triangles 0 to fraggen->batch - 1. */
    void (*begin)(struct fraggen *fraggen);
    /* Runs one cycle. Returns whether it did any work; if not, sets *why. Sets fraggen->free_cycle
     * if the unit need not be clocked before that cycle. */
    bool (*step)(struct fraggen *fraggen, uint64_t now, enum unit_state *why);
    /* Whether all tiles of the batch have been sent. */
    bool (*is_done)(const struct fraggen *fraggen);
    /* The `view` of the generator's parts (core/clock.h). NULL: it has none. */
    void (*view)(struct fraggen *fraggen, uint64_t now);
};

#define GENERATOR(symbol, name) extern const struct generator generator_##symbol;
#include "generators.def"

/* The n-th triangle that the unit holds, and the cycle in which it arrived. */
const struct triangle *fraggen_triangle(const struct fraggen *fraggen, uint32_t n);
uint64_t fraggen_arrival(const struct fraggen *fraggen, uint32_t n);
/* Sends the fragments of triangle n in the 8x8 tile at (x, y), limited to the mask `in`. The queue
 * must have room. Returns the number of passes of the tile's quads, or 0 if it has no fragments. */
uint32_t fraggen_give(struct fraggen *fraggen, uint32_t n, int32_t x, int32_t y, uint64_t in,
                      uint64_t now);
/* Number of passes per quad of triangle n. Depends on the number of samples. */
uint32_t fraggen_passes(const struct fraggen *fraggen, uint32_t n);

#endif
