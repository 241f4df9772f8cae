/* The first half of the scanning and of the recursive fragment generator: finds the scan tiles that
 * a triangle, or one of a batch of triangles, can touch. */
#ifndef AETIUS_UNIT_FRAGGEN_SEARCH_H
#define AETIUS_UNIT_FRAGGEN_SEARCH_H

#include "gfx/triangle.h"
#include "kernel/params.h"
#include "unit/stats.h"

enum {
    SEARCH_MAX_BATCH = 64,
    SEARCH_MAX_STACK = 64,
    SEARCH_LIMIT = 64,        /* scan tiles that wait to be generated, before the search waits */
    SEARCH_FOUND = 1024,      /* places for them: a square may hold 4 x 128 oblong ones */
    SEARCH_SQUARES_CYCLE = 4, /* split in a cycle */
};

struct fraggen_scan_tile {
    int32_t x, y;
    uint64_t triangles; /* a bit for each of the batch that can touch it */
};

struct fraggen_square {
    int32_t x, y, size;
    uint64_t triangles;
};

struct fraggen_search {
    bool recursive;
    int32_t scan_width, scan_height, over_width, over_height; /* pixels */
    /* the batch */
    const struct triangle *triangles[SEARCH_MAX_BATCH];
    uint32_t count;
    int32_t min_x, min_y, max_x, max_y; /* the box around them all */
    /* recursive: squares still to be split, the first one on top */
    struct fraggen_square stack[SEARCH_MAX_STACK];
    uint32_t depth;
    /* scan: the over-scan tile, and the next scan tile in it */
    int32_t over_x, over_y, x, y;
    bool walked; /* all of the box */
    /* what was found: a ring */
    struct fraggen_scan_tile found[SEARCH_FOUND];
    uint32_t found_head, found_count;
};

void search_init(struct fraggen_search *search, const struct params *params, bool recursive);
/* Starts with the `count` triangles in triangles[]; what it can find at once is found. */
void search_begin(struct fraggen_search *search, struct fraggen_stats *stats, uint32_t count);
/* One cycle of searching; false when all is found or there is no room. */
bool search_go_on(struct fraggen_search *search, struct fraggen_stats *stats);
/* All is found; it may still have to be taken. */
static inline bool
search_is_done(const struct fraggen_search *search)
{
    return search->recursive ? search->depth == 0 : search->walked;
}
/* Takes the scan tile that was found first; false when there is none. */
bool search_take(struct fraggen_search *search, struct fraggen_scan_tile *tile);

#endif
