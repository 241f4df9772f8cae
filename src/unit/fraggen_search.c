/* Scan tiles of triangles (ATTILA's rasterizer emulator; McCormack's tile scan, McCool's
 * recursion).
 *
 * Tile scan: the scan tiles (ScanWidth x ScanHeight pixels) of a triangle's bounding box, in rows
 * inside an over-scan tile (OverScanWidth x OverScanHeight of them), over-scan tiles in rows; one
 * is tested against the triangle's edges in a cycle. Recursive: the smallest square that holds the
 * bounding boxes of a batch of triangles is split until scan tiles are reached; four squares are
 * split in a cycle, each child tested against the whole batch. A batch that lies in one scan tile
 * needs no search. */
#include "unit/fraggen_search.h"

#include <string.h>

void
search_init(struct fraggen_search *search, const struct params *params, bool recursive)
{
    search->recursive = recursive;
    search->scan_width = (int32_t)params->RASTERIZER.ScanWidth;
    search->scan_height = (int32_t)params->RASTERIZER.ScanHeight;
    search->over_width = search->scan_width * (int32_t)params->RASTERIZER.OverScanWidth;
    search->over_height = search->scan_height * (int32_t)params->RASTERIZER.OverScanHeight;
}

static void
add_found(struct fraggen_search *search, int32_t x, int32_t y, uint64_t triangles)
{
    uint32_t i = (search->found_head + search->found_count++) % SEARCH_FOUND;
    search->found[i] = (struct fraggen_scan_tile){x, y, triangles};
}

bool
search_take(struct fraggen_search *search, struct fraggen_scan_tile *tile)
{
    if (!search->found_count)
        return false;
    *tile = search->found[search->found_head];
    search->found_head = (search->found_head + 1) % SEARCH_FOUND;
    search->found_count--;
    return true;
}

static bool
touches(const struct triangle *triangle, int32_t x, int32_t y, int32_t width, int32_t height)
{
    return triangle->min_x < x + width && triangle->max_x >= x && triangle->min_y < y + height &&
           triangle->max_y >= y && raster_rectangle_touches(triangle, x, y, width, height);
}

/* Which of the triangles can touch the rectangle. */
static uint64_t
touching(const struct fraggen_search *search, uint64_t triangles, int32_t x, int32_t y,
         int32_t width, int32_t height)
{
    uint64_t touched = 0;
    for (uint64_t left = triangles; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        if (touches(search->triangles[i], x, y, width, height))
            touched |= UINT64_C(1) << i;
    }
    return touched;
}

/* The next scan tile of the box; the walk is over when there is none. */
static void
step_scan(struct fraggen_search *search)
{
    const int32_t left = search->min_x / search->scan_width * search->scan_width;
    const int32_t top = search->min_y / search->scan_height * search->scan_height;
    search->x += search->scan_width;
    if (search->x < search->over_x + search->over_width && search->x <= search->max_x)
        return;
    search->x = search->over_x > left ? search->over_x : left;
    search->y += search->scan_height;
    if (search->y < search->over_y + search->over_height && search->y <= search->max_y)
        return;
    search->over_x += search->over_width;
    if (search->over_x > search->max_x) {
        search->over_x = search->min_x / search->over_width * search->over_width;
        search->over_y += search->over_height;
        search->walked = search->over_y > search->max_y;
    }
    search->x = search->over_x > left ? search->over_x : left;
    search->y = search->over_y > top ? search->over_y : top;
}

static void
test_scan_tile(struct fraggen_search *search, struct fraggen_stats *stats)
{
    stats->scan_tiles_tested++;
    if (touches(search->triangles[0], search->x, search->y, search->scan_width,
                search->scan_height)) {
        stats->scan_tiles++;
        add_found(search, search->x, search->y, 1);
    }
    step_scan(search);
}

static bool
is_scan_tile(const struct fraggen_search *search, int32_t size)
{
    return size <= search->scan_width || size <= search->scan_height;
}

/* The scan tiles of a square that is not split further: one, or several side by side when they are
 * oblong. */
static void
find_square(struct fraggen_search *search, struct fraggen_stats *stats,
            const struct fraggen_square *square)
{
    const int32_t width = search->scan_width, height = search->scan_height;
    const int32_t first_x = square->x / width * width, first_y = square->y / height * height;
    for (int32_t y = first_y; y < square->y + square->size; y += height)
        for (int32_t x = first_x; x < square->x + square->size; x += width) {
            uint64_t touched = touching(search, square->triangles, x, y, width, height);
            stats->scan_tiles_tested++;
            if (!touched)
                continue;
            stats->scan_tiles++;
            add_found(search, x, y, touched);
        }
}

/* Splits the square on top of the stack; children go on the stack so that they come in rows, or are
 * scan tiles. */
static void
split_square(struct fraggen_search *search, struct fraggen_stats *stats)
{
    const struct fraggen_square square = search->stack[--search->depth];
    const int32_t half = square.size / 2;
    stats->squares_split++;
    if (is_scan_tile(search, half)) {
        for (int32_t i = 0; i < 4; i++)
            find_square(search, stats,
                        &(struct fraggen_square){square.x + (i & 1) * half,
                                                 square.y + (i >> 1) * half, half,
                                                 square.triangles});
        return;
    }
    for (int32_t i = 3; i >= 0; i--) {
        const int32_t x = square.x + (i & 1) * half, y = square.y + (i >> 1) * half;
        const uint64_t touched = touching(search, square.triangles, x, y, half, half);
        stats->squares_tested++;
        if (touched)
            search->stack[search->depth++] = (struct fraggen_square){x, y, half, touched};
    }
}

static void
box_around(struct fraggen_search *search)
{
    const struct triangle *t = search->triangles[0];
    search->min_x = t->min_x;
    search->min_y = t->min_y;
    search->max_x = t->max_x;
    search->max_y = t->max_y;
    for (uint32_t i = 1; i < search->count; i++) {
        t = search->triangles[i];
        search->min_x = t->min_x < search->min_x ? t->min_x : search->min_x;
        search->min_y = t->min_y < search->min_y ? t->min_y : search->min_y;
        search->max_x = t->max_x > search->max_x ? t->max_x : search->max_x;
        search->max_y = t->max_y > search->max_y ? t->max_y : search->max_y;
    }
}

/* The smallest aligned square that holds the box, not smaller than a scan tile's shorter side. */
static void
begin_recursive(struct fraggen_search *search, struct fraggen_stats *stats)
{
    const uint64_t all = search->count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << search->count) - 1;
    int32_t size =
        search->scan_width < search->scan_height ? search->scan_width : search->scan_height;
    while (search->min_x / size != search->max_x / size ||
           search->min_y / size != search->max_y / size)
        size *= 2;
    const struct fraggen_square root = {search->min_x / size * size, search->min_y / size * size,
                                        size, all};
    search->depth = 0;
    if (is_scan_tile(search, size))
        find_square(search, stats, &root);
    else
        search->stack[search->depth++] = root;
}

void
search_begin(struct fraggen_search *search, struct fraggen_stats *stats, uint32_t count)
{
    search->count = count;
    box_around(search);
    if (search->recursive) {
        begin_recursive(search, stats);
        return;
    }
    search->over_x = search->min_x / search->over_width * search->over_width;
    search->over_y = search->min_y / search->over_height * search->over_height;
    search->x = search->min_x / search->scan_width * search->scan_width;
    search->y = search->min_y / search->scan_height * search->scan_height;
    search->walked = false;
    test_scan_tile(search, stats);
}

bool
search_go_on(struct fraggen_search *search, struct fraggen_stats *stats)
{
    bool worked = false;
    const uint32_t rate = search->recursive ? SEARCH_SQUARES_CYCLE : 1;
    for (uint32_t i = 0; i < rate; i++) {
        if (search_is_done(search) || search->found_count >= SEARCH_LIMIT)
            break;
        if (search->recursive)
            split_square(search, stats);
        else
            test_scan_tile(search, stats);
        worked = true;
    }
    return worked;
}
