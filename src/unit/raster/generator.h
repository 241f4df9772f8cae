/* Fragment generators: ways to find the 8x8 tiles that triangles cover (generators.def). The unit
 * (unit/raster/fraggen.h) holds the triangles and sends the tiles; a generator walks a batch of
 * triangles at a time, and keeps what it needs for that behind fraggen->walk. */
#ifndef AETIUS_UNIT_GENERATOR_H
#define AETIUS_UNIT_GENERATOR_H

#include "unit/raster/fraggen.h"

struct generator {
    /* Makes fraggen->walk, one allocation that is freed with the unit; may set
     * fraggen->batch_limit, which is 1. */
    void (*create)(struct fraggen *fraggen, const struct params *params);
    /* Starts with the triangles 0 .. fraggen->batch - 1. */
    void (*begin)(struct fraggen *fraggen);
    /* One cycle; whether anything was done, else *why not. Sets fraggen->free_cycle when it is not
     * to be clocked in the cycles before that. */
    bool (*step)(struct fraggen *fraggen, uint64_t now, enum unit_state *why);
    /* All of the batch's tiles have been sent. */
    bool (*is_done)(const struct fraggen *fraggen);
};

#define GENERATOR(symbol, name) extern const struct generator generator_##symbol;
#include "generators.def"

/* The n-th triangle of the batch. */
const struct triangle *fraggen_triangle(const struct fraggen *fraggen, uint32_t n);
uint64_t fraggen_arrival(const struct fraggen *fraggen, uint32_t n); /* cycle in which it came */
/* Sends its fragments in the part `in` of the tile at (x, y), for which the queue must have room;
 * returns how many quads' time that takes, 0 when there are none. */
uint32_t fraggen_give(struct fraggen *fraggen, uint32_t n, int32_t x, int32_t y, uint64_t in,
                      uint64_t now);
/* Times that the samples of the n-th triangle's quads take. */
uint32_t fraggen_passes(const struct fraggen *fraggen, uint32_t n);

#endif
