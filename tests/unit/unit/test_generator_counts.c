/* What the fragment generators count for triangles of known shapes: fragments, quads, tiles, steps
 * and tests. */
#include "rigs/rig.h"

#include <stdio.h>
#include <string.h>

/* Draws a triangle over half of the surface: pixels with x + y <= 62, tiles of 8x8 with i + j <= 7.
 */
static void
draw_half(struct rig *rig)
{
    rig_start(rig);
    rig_upload_corner(rig, SIZE, 0);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "fraggen.fragments", 63 * 64 / 2);
    rig_assert_figure(rig, "fraggen.tiles_out", 36);
    rig_assert_figure(rig, "fraggen.tiles_full", 28); /* tiles with i + j <= 6 */
    rig_assert_figure(rig, "fraggen.quads", 32 * 33 / 2);
    rig_assert_figure(rig, "fraggen.quads_full", 31 * 32 / 2);
}

/* Draws triangles in the corner. One with legs of n pixels covers the pixels with x + y <= n - 2,
 * which are n (n - 1) / 2. The bounding box of the triangle with legs of 0.9 contains a pixel
 * center, but the triangle does not. */
static void
draw_sizes(struct rig *rig)
{
    static const float legs[] = {0.9f, 2, 3, 4, 4, 8, SIZE};
    enum { COUNT = sizeof legs / sizeof legs[0] };
    float vertices[COUNT][3][4];
    rig_start(rig);
    for (uint32_t i = 0; i < COUNT; i++) {
        const float end = legs[i] / (SIZE / 2) - 1;
        const float corner[3][4] = {{-1, -1, 0, 1}, {end, -1, 0, 1}, {-1, end, 0, 1}};
        memcpy(vertices[i], corner, sizeof corner);
    }
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_draw(rig, PRIM_TRIANGLES, 3 * COUNT, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "fraggen.size_0", 1);
    rig_assert_figure(rig, "fraggen.size_1", 1);
    rig_assert_figure(rig, "fraggen.size_2_3", 1);
    rig_assert_figure(rig, "fraggen.size_4_7", 2);   /* 6 fragments */
    rig_assert_figure(rig, "fraggen.size_16_31", 1); /* 28 fragments */
    rig_assert_figure(rig, "fraggen.size_1024_2047", 1);
}

static void
sizes_scanned(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_scan;
    draw_sizes(rig);
}

static void
sizes_by_recursion(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_recursive;
    draw_sizes(rig);
}

static void
sizes_through_seven_levels(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_seven_level;
    draw_sizes(rig);
}

/* The triangle touches those of the 16 scan tiles of 16x16 with i + j <= 3. Each of the four on the
 * diagonal has four 8x8 tiles, of which the last one is empty. */
static void
half_scanned(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_scan;
    draw_half(rig);
    rig_assert_figure(rig, "fraggen.scan_tiles_tested", 16);
    rig_assert_figure(rig, "fraggen.scan_tiles", 10);
    rig_assert_figure(rig, "fraggen.steps", 40);
    rig_assert_figure(rig, "fraggen.steps_empty", 4);
    rig_assert_figure(rig, "fraggen.passes", 32 * 33 / 2); /* one sample, one pass per quad */
}

/* At two samples per cycle a quad of eight samples takes four passes. */
static void
half_of_eight_samples(void **state)
{
    struct rig *rig = *state;
    rig->params.SIMULATOR.ForceMSAA = true;
    rig->params.SIMULATOR.MSAASamples = 8;
    rig->params.RASTERIZER.MSAASamplesCycle = 2;
    rig_start(rig);
    rig_upload_corner(rig, SIZE, 0);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    assert_true(rig_figure(rig, "fraggen.quads") >= 32 * 33 / 2);
    rig_assert_figure(rig, "fraggen.passes", 4 * rig_figure(rig, "fraggen.quads"));
}

/* The 64x64 square is split into four squares, one of which is not touched. Each of the other three
 * is split into four scan tiles. */
static void
half_by_recursion(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_recursive;
    draw_half(rig);
    rig_assert_figure(rig, "fraggen.squares_split", 1 + 3);
    rig_assert_figure(rig, "fraggen.squares_tested", 4);
    rig_assert_figure(rig, "fraggen.scan_tiles_tested", 12);
    rig_assert_figure(rig, "fraggen.scan_tiles", 10);
    rig_assert_figure(rig, "fraggen.steps", 40);
    rig_assert_figure(rig, "fraggen.steps_empty", 4);
}

/* Of n x n squares, the triangle touches those with i + j < n, which are n (n + 1) / 2. Those with
 * i + j < n - 1 are inside all edges. So the next level tests the children of n squares, and
 * accepts the children of n (n - 1) / 2 squares. No test passes in vain, because two edges are the
 * axes and the test of one corner is exact. */
static void
half_through_seven_levels(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_seven_level;
    draw_half(rig);
    /* each of the 36 tiles takes all passes of a cycle */
    rig_assert_figure(rig, "fraggen.passes", 36 * rig->params.RASTERIZER.StampsPerCycle);
    uint64_t parents = 1;
    for (uint32_t level = 1, n = 1; level <= 7; level++, n *= 2) {
        char name[40];
        snprintf(name, sizeof name, "fraggen.level%u_tested", level);
        rig_assert_figure(rig, name, 4 * parents);
        snprintf(name, sizeof name, "fraggen.level%u_accepted", level);
        if (level > 1)
            rig_assert_figure(rig, name, 4 * (parents * (parents - 1) / 2));
        snprintf(name, sizeof name, "fraggen.level%u_passed", level);
        rig_assert_figure(rig, name, level < 7 ? n * (n + 1) / 2 : 63 * 64 / 2);
        snprintf(name, sizeof name, "fraggen.level%u_in_vain", level);
        rig_assert_figure(rig, name, 0);
        parents = n;
    }
}

/* Generation tiles of 4x4: a scan tile has 16 of them. Among the 16x16 generation tiles, those with
 * i + j <= 15 have a fragment. The generator outputs a part of an 8x8 tile for each of these. */
static void
small_generation_tiles(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_scan;
    rig->params.RASTERIZER.GenWidth = rig->params.RASTERIZER.GenHeight = 4;
    rig_start(rig);
    rig_upload_corner(rig, SIZE, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "fraggen.fragments", 63 * 64 / 2);
    rig_assert_figure(rig, "fraggen.steps", 160);
    rig_assert_figure(rig, "fraggen.tiles_out", 136);
    rig_assert_figure(rig, "hz.tiles_in", 136);
}

/* The surface has 8 x 2 scan tiles of 8x32. In the upper row all are touched. In the lower row the
 * four with x + 32 <= 62 are touched. */
static void
oblong_scan_tiles(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_recursive;
    rig->params.RASTERIZER.ScanWidth = 8;
    rig->params.RASTERIZER.ScanHeight = 32;
    draw_half(rig);
    rig_assert_figure(rig, "fraggen.scan_tiles_tested", 16);
    rig_assert_figure(rig, "fraggen.scan_tiles", 12);
    rig_assert_figure(rig, "fraggen.steps", 48);
}

/* Draws a triangle with a corner at pixel x, y and legs of `size` pixels along the row and the
 * column. The surface has `side` x `side` pixels. Fragments have x + y <= size - 2, relative to the
 * corner. */
static void
draw_at(struct rig *rig, float side, float x, float y, float size)
{
    const float left = 2 * x / side - 1, top = 2 * y / side - 1, leg = 2 * size / side;
    const float vertices[3][4] = {
        {left, top, 0, 1}, {left + leg, top, 0, 1}, {left, top + leg, 0, 1}};
    rig->size = (uint32_t)side;
    rig_start(rig);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "fraggen.fragments", (uint64_t)(size * (size - 1) / 2));
}

/* A box from 29, 13 to 53, 37 overlaps three columns of scan tiles from 16 on, and three rows from
 * 0 on. Its over-scan tiles of 32x32 begin to the left of the box and above it. The edge x + y = 68
 * excludes only the last tile. */
static void
scan_tiles_of_a_box(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_scan;
    rig->params.RASTERIZER.OverScanWidth = rig->params.RASTERIZER.OverScanHeight = 2;
    draw_at(rig, SIZE, 29, 13, 26);
    rig_assert_figure(rig, "fraggen.scan_tiles_tested", 9);
    rig_assert_figure(rig, "fraggen.scan_tiles", 8);
}

/* The same triangle in a square of 64x64, whose four quarters it touches. */
static void
squares_of_a_box(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_recursive;
    draw_at(rig, SIZE, 29, 13, 26);
    rig_assert_figure(rig, "fraggen.squares_split", 1 + 4);
    rig_assert_figure(rig, "fraggen.squares_tested", 4);
    rig_assert_figure(rig, "fraggen.scan_tiles_tested", 16);
    rig_assert_figure(rig, "fraggen.scan_tiles", 8);
}

/* A box from 35, 37 to 44, 46 is inside one scan tile. */
static void
a_box_in_a_scan_tile(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_recursive;
    draw_at(rig, SIZE, 35, 37, 10);
    rig_assert_figure(rig, "fraggen.squares_split", 0);
    rig_assert_figure(rig, "fraggen.scan_tiles_tested", 1);
    rig_assert_figure(rig, "fraggen.scan_tiles", 1);
}

/* A box from 150, 140 to 165, 155 is in the 128x128 square at 128, 128. The box is in the first
 * quarter of that square, and in two quarters of that quarter. */
static void
levels_of_a_box(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_seven_level;
    rig->params.MEMORYCONTROLLER.MemorySize = 4 << 20;
    draw_at(rig, 256, 150, 140, 16);
    rig_assert_figure(rig, "fraggen.level1_tested", 4);
    rig_assert_figure(rig, "fraggen.level1_passed", 1);
    rig_assert_figure(rig, "fraggen.level2_tested", 4);
    rig_assert_figure(rig, "fraggen.level2_passed", 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes_scanned),
        TEST(sizes_by_recursion),
        TEST(sizes_through_seven_levels),
        TEST(half_scanned),
        TEST(half_of_eight_samples),
        TEST(half_by_recursion),
        TEST(half_through_seven_levels),
        TEST(small_generation_tiles),
        TEST(oblong_scan_tiles),
        TEST(scan_tiles_of_a_box),
        TEST(squares_of_a_box),
        TEST(a_box_in_a_scan_tile),
        TEST(levels_of_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
