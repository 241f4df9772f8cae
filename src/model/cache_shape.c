#include "model/cache_shape.h"

#include "base/mem.h"
#include "base/morton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_UNITS = 4,
    LEAST_LINE = 64,
    MOST_LINE = 256,
    LEAST_BYTES = 1 << 11,
    MOST_BYTES = 1 << 17,
    MOST_WAYS = 32,
    SQUARE = 8,
    CHANNEL_BYTES = 256,
    IN_SQUARE = SQUARE * SQUARE,
};

bool
cache_shape_nth(struct cache_shape *shape, size_t number)
{
    for (uint32_t units = 1; units <= MOST_UNITS; units *= 2)
        for (uint32_t line = LEAST_LINE; line <= MOST_LINE; line *= 2)
            for (uint32_t bytes = LEAST_BYTES; bytes <= MOST_BYTES; bytes *= 2)
                for (uint32_t ways = 1; ways <= MOST_WAYS && ways * line <= bytes; ways *= 2) {
                    *shape = (struct cache_shape){units, line, bytes / line / ways, ways};
                    if (!number--)
                        return true;
                }
    return false;
}

static uint32_t
texel_of(float place, uint32_t side)
{
    return (uint32_t)floor((double)place * side + 0.5) % side;
}

static uint32_t
texel_byte(const float *place, uint32_t side, double texel_bytes)
{
    const uint32_t squares = (side + SQUARE - 1) / SQUARE;
    const uint32_t u = texel_of(place[0], side), v = texel_of(place[1], side);
    const uint32_t square = v / SQUARE * squares + u / SQUARE;
    const double texel = (double)square * IN_SQUARE + morton8(u % SQUARE, v % SQUARE);
    return (uint32_t)(texel * texel_bytes);
}

/* Tiles of 8x8 fragments along a side of the address texture. */
static uint32_t
tiles_along(uint32_t texels)
{
    uint32_t tiles = PATTERN_SIZE / SQUARE;
    while (tiles * SQUARE < texels)
        tiles *= 2;
    return tiles;
}

void
cache_reads_fini(struct cache_reads *reads)
{
    free(reads->at);
    *reads = (struct cache_reads){0};
}

void
cache_reads_find(struct cache_reads *reads, const struct pattern *pattern, uint32_t side,
                 double texel_bytes)
{
    const uint32_t across = tiles_along(pattern->width), down = tiles_along(pattern->height);
    const uint32_t most = across > down ? across : down;
    *reads = (struct cache_reads){mem_array((size_t)across * down * IN_SQUARE, sizeof(uint32_t)),
                                  across * down * IN_SQUARE};
    uint32_t *at = reads->at;
    for (uint32_t tile = 0; tile < most * most; tile++) {
        const uint32_t left = morton_gather(tile) * SQUARE, top = morton_gather(tile >> 1) * SQUARE;
        if (left >= across * SQUARE || top >= down * SQUARE)
            continue;
        for (uint32_t i = 0; i < IN_SQUARE; i++) {
            const uint32_t x = (left + morton8_x(i)) % pattern->width;
            const uint32_t y = (top + morton8_y(i)) % pattern->height;
            *at++ =
                texel_byte(pattern->texcoords[(size_t)y * pattern->width + x], side, texel_bytes);
        }
    }
}

/* Moves a line to the front of its set. If the line is missing, inserts it and returns false. */
static bool
take_line(uint32_t *set, uint32_t ways, uint32_t line)
{
    uint32_t way = 0;
    while (way + 1 < ways && set[way] != line)
        way++;
    const bool there = set[way] == line;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
    return there;
}

/* Counts the misses of one unit over all its tiles by channel. The first pass only fills the cache
 * and is not counted. */
static void
count_misses(const struct cache_shape *shape, const struct cache_reads *reads, uint32_t unit,
             uint32_t *lines, uint32_t *missed)
{
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t tile = unit; tile < reads->count / IN_SQUARE; tile += shape->units)
            for (uint32_t r = 0; r < IN_SQUARE; r++) {
                const uint32_t line = reads->at[tile * IN_SQUARE + r] / shape->line;
                uint32_t *set = lines + (size_t)(line % shape->sets) * shape->ways;
                if (!take_line(set, shape->ways, line) && pass)
                    missed[line * shape->line / CHANNEL_BYTES % CACHE_MOST_CHANNELS]++;
            }
}

/* Misses of the channel with the most, times the number of channels. */
static uint32_t
busiest(const uint32_t *missed, uint32_t channels)
{
    uint32_t most = 0;
    for (uint32_t channel = 0; channel < channels; channel++) {
        uint32_t sum = 0;
        for (uint32_t at = channel; at < CACHE_MOST_CHANNELS; at += channels)
            sum += missed[at];
        most = sum > most ? sum : most;
    }
    return most * channels;
}

void
cache_misses(const struct cache_shape *shape, const struct cache_reads *reads,
             struct cache_misses *misses)
{
    const size_t bytes = (size_t)shape->sets * shape->ways * sizeof(uint32_t);
    uint32_t *lines = mem_alloc(bytes), missed[CACHE_MOST_CHANNELS] = {0};
    for (uint32_t unit = 0; unit < shape->units; unit++) {
        memset(lines, 0xff, bytes); /* an invalid line number: textures are smaller */
        count_misses(shape, reads, unit, lines, missed);
    }
    free(lines);
    for (uint32_t n = 0; n < CACHE_CHANNEL_COUNTS; n++)
        misses->by_channels[n] = (double)busiest(missed, 1u << n) / reads->count;
}
