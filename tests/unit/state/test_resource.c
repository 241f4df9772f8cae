/* The layout of resources. Every element has separate bytes inside the resource, and a box reads
 * back as it was written. The statements of the header hold, and hostile descriptions are refused.
 */
#include "state/cleared.h"
#include "state/resource.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct resource_desc shapes[] = {
    {.target = TARGET_1D,
     .format = FORMAT_R8G8B8A8_UNORM,
     .width = 37,
     .height = 1,
     .depth = 1,
     .last_level = 5},
    {.target = TARGET_2D,
     .format = FORMAT_R8G8B8A8_UNORM,
     .width = 19,
     .height = 45,
     .depth = 1,
     .last_level = 5},
    {.target = TARGET_2D,
     .format = FORMAT_R8_UNORM,
     .width = 16,
     .height = 8,
     .depth = 1,
     .last_level = 4},
    {.target = TARGET_2D,
     .format = FORMAT_B8G8R8A8_UNORM,
     .width = 9,
     .height = 7,
     .depth = 1,
     .samples = 4},
    {.target = TARGET_2D,
     .format = FORMAT_R32G32B32A32_FLOAT,
     .width = 9,
     .height = 7,
     .depth = 1,
     .last_level = 3},
    {.target = TARGET_2D,
     .format = FORMAT_R8G8B8_UNORM,
     .width = 9,
     .height = 7,
     .depth = 1,
     .last_level = 0},
    {.target = TARGET_2D,
     .format = FORMAT_DXT1_RGB,
     .width = 37,
     .height = 10,
     .depth = 1,
     .last_level = 5},
    {.target = TARGET_2D,
     .format = FORMAT_DXT5_RGBA,
     .width = 12,
     .height = 100,
     .depth = 1,
     .last_level = 6},
    {.target = TARGET_3D,
     .format = FORMAT_B5G6R5_UNORM,
     .width = 9,
     .height = 5,
     .depth = 20,
     .last_level = 4},
    {.target = TARGET_CUBE,
     .format = FORMAT_R8G8B8A8_UNORM,
     .width = 9,
     .height = 9,
     .depth = 1,
     .array_size = 6,
     .last_level = 3},
    {.target = TARGET_RECT,
     .format = FORMAT_Z24_UNORM_S8_UINT,
     .width = 30,
     .height = 5,
     .depth = 1},
    {.target = TARGET_2D_ARRAY,
     .format = FORMAT_L8A8_UNORM,
     .width = 6,
     .height = 12,
     .depth = 1,
     .array_size = 5,
     .last_level = 2},
    {.target = TARGET_1D_ARRAY,
     .format = FORMAT_L8A8_UNORM,
     .width = 6,
     .height = 1,
     .depth = 1,
     .array_size = 5,
     .last_level = 2},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The layouts of each shape: the tiles of the ROPs, then squares of 1 to 2^8 texels per side. */
enum { LAYOUTS = 10 };

static void
shape_init(struct resource *res, int i)
{
    assert_true(resource_init(res, &shapes[i / LAYOUTS], NULL));
    if (i % LAYOUTS > 0 && res->samples == 1)
        resource_tile(res, (uint32_t)i % LAYOUTS - 1);
}

static void
test_bytes_are_distinct(void **state)
{
    for (int n_shape = 0; n_shape < SHAPES * LAYOUTS; n_shape++) {
        const int i = n_shape / LAYOUTS;
        struct resource res;
        shape_init(&res, n_shape);
        uint8_t *used = mem_alloc(res.size_bytes);
        const struct format_info *f = res.format;
        for (uint32_t n = 0; n <= shapes[i].last_level; n++) {
            const struct resource_level *l = &res.levels[n];
            for (uint32_t z = 0; z < l->slices; z++)
                for (uint32_t y = 0; y < l->height; y += f->block_height)
                    for (uint32_t x = 0; x < l->width; x += f->block_width)
                        for (uint32_t s = 0; s < res.samples; s++) {
                            uint32_t at = resource_offset(&res, n, x, y, z, s);
                            assert_true(at + f->block_bytes <= res.size_bytes);
                            for (uint32_t b = 0; b < f->block_bytes; b++)
                                assert_int_equal(used[at + b]++, 0);
                        }
        }
        free(used);
    }
}

static void
test_box_round_trip(void **state)
{
    uint32_t random = 5;
    for (int n_shape = 0; n_shape < SHAPES * LAYOUTS; n_shape++) {
        const int i = n_shape / LAYOUTS;
        struct resource res;
        shape_init(&res, n_shape);
        res.address = 256;
        struct gpu_memory memory = {.size_bytes = 256 + res.size_bytes};
        memory.bytes = mem_alloc(memory.size_bytes);
        const struct format_info *f = res.format;
        for (uint32_t n = 0; n <= shapes[i].last_level; n++) {
            const struct resource_level *l = &res.levels[n];
            struct box all = {0, 0, 0, (int32_t)l->width, (int32_t)l->height, (int32_t)l->slices};
            assert_true(resource_box_ok(&res, n, &all));
            uint32_t columns = (l->width + f->block_width - 1) / f->block_width;
            uint32_t lines = (l->height + f->block_height - 1) / f->block_height;
            uint32_t bytes = resource_box_bytes(&res, &all);
            assert_int_equal(bytes, columns * lines * l->slices * f->block_bytes);
            uint8_t *in = mem_alloc(bytes), *out = mem_alloc(bytes);
            for (uint32_t b = 0; b < bytes; b++)
                in[b] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
            resource_write_box(&res, &memory, n, &all, in);
            resource_read_box(&res, &memory, n, &all, out);
            assert_memory_equal(in, out, bytes);
            /* resource_offset() returns the position of a block in the middle of the level */
            uint32_t bx = columns / 2, by = lines / 2, z = l->slices / 2;
            struct box one = {(int32_t)(bx * f->block_width),
                              (int32_t)(by * f->block_height),
                              (int32_t)z,
                              1,
                              1,
                              1};
            one.width = (int32_t)l->width - one.x < f->block_width ? (int32_t)l->width - one.x
                                                                   : f->block_width;
            one.height = (int32_t)l->height - one.y < f->block_height ? (int32_t)l->height - one.y
                                                                      : f->block_height;
            assert_true(resource_box_ok(&res, n, &one));
            resource_read_box(&res, &memory, n, &one, out);
            const uint8_t *want = in + ((z * lines + by) * columns + bx) * f->block_bytes;
            assert_memory_equal(out, want, f->block_bytes);
            assert_memory_equal(
                memory.bytes + 256 +
                    resource_offset(&res, n, (uint32_t)one.x, (uint32_t)one.y, z, 0),
                want, f->block_bytes);
            free(in);
            free(out);
        }
        free(memory.bytes);
    }
}

static void
test_layout_facts(void **state)
{
    struct resource res;
    struct resource_desc d = {.target = TARGET_2D,
                              .format = FORMAT_B8G8R8A8_UNORM,
                              .width = 40,
                              .height = 24,
                              .depth = 1,
                              .last_level = 1};
    assert_true(resource_init(&res, &d, NULL));
    assert_int_equal(res.tile_bytes, 256);
    assert_int_equal(res.levels[0].slice_bytes, 5 * 3 * 256);
    assert_int_equal(res.levels[1].offset, 5 * 3 * 256);
    for (uint32_t y = 0; y < 24; y += 2)
        for (uint32_t x = 0; x < 40; x += 2) {
            uint32_t at = resource_offset(&res, 0, x, y, 0, 0);
            assert_int_equal(at % 16, 0);
            assert_int_equal(resource_offset(&res, 0, x + 1, y, 0, 0), at + 4);
            assert_int_equal(resource_offset(&res, 0, x, y + 1, 0, 0), at + 8);
            assert_int_equal(resource_offset(&res, 0, x + 1, y + 1, 0, 0), at + 12);
            assert_int_equal(at / 256, y / 8 * 5 + x / 8);
            assert_int_equal(at / 64, resource_offset(&res, 0, x & ~3u, y & ~3u, 0, 0) / 64);
        }
}

/* The squares have 16x16 texels. They contain squares of 4x4 texels (of 4 bytes: 64 bytes) in
 * Morton order. A level of 40x24 is no multiple of 16, so its squares have 8x8 texels. */
static void
test_squares(void **state)
{
    struct resource res;
    struct resource_desc d = {.target = TARGET_2D,
                              .format = FORMAT_B8G8R8A8_UNORM,
                              .width = 64,
                              .height = 32,
                              .depth = 1,
                              .last_level = 1};
    assert_true(resource_init(&res, &d, NULL));
    const uint32_t bytes = res.size_bytes, level1 = res.levels[1].offset;
    resource_tile(&res, 4);
    assert_int_equal(res.size_bytes, bytes);
    assert_int_equal(res.levels[1].offset, level1);
    assert_int_equal(resource_offset(&res, 0, 15, 0, 0, 0), (1 + 4 + 16 + 64) * 4);
    assert_int_equal(resource_offset(&res, 0, 0, 15, 0, 0), 2 * (1 + 4 + 16 + 64) * 4);
    assert_int_equal(resource_offset(&res, 0, 16, 0, 0, 0), 16 * 16 * 4);
    assert_int_equal(resource_offset(&res, 0, 0, 16, 0, 0), 4 * 16 * 16 * 4);
    assert_int_equal(resource_offset(&res, 0, 4, 4, 0, 0), 3 * 64);
    d.width = 40;
    d.height = 24;
    d.last_level = 0;
    assert_true(resource_init(&res, &d, NULL));
    resource_tile(&res, 4);
    assert_int_equal(resource_offset(&res, 0, 8, 0, 0, 0), 256);
    assert_int_equal(resource_offset(&res, 0, 0, 8, 0, 0), 5 * 256);
    /* for compressed formats, a square of 16x16 texels has 4x4 blocks */
    d.format = FORMAT_DXT1_RGB;
    d.width = d.height = 64;
    assert_true(resource_init(&res, &d, NULL));
    resource_tile(&res, 4);
    assert_int_equal(resource_offset(&res, 0, 12, 0, 0, 0), (1 + 4) * 8);
    assert_int_equal(resource_offset(&res, 0, 16, 0, 0, 0), 16 * 8);
}

/* The conversions between position and offset are inverse to each other in every layout. */
static void
test_place(void **state)
{
    for (int i = 0; i < SHAPES * LAYOUTS; i++) {
        struct resource res;
        shape_init(&res, i);
        for (uint32_t n = 0; n <= res.desc.last_level; n++) {
            const struct resource_level *level = &res.levels[n];
            uint32_t elements = 0, x, y, sample;
            for (uint32_t at = 0; at < level->slice_bytes; at += res.format->block_bytes) {
                if (!resource_locate(&res, n, at, &x, &y, &sample))
                    continue;
                elements++;
                assert_int_equal(resource_offset(&res, n, x * res.format->block_width,
                                                 y * res.format->block_height, 0, sample),
                                 level->offset + at);
            }
            assert_int_equal(elements, level->tiles_x * level->tiles_y * 64 * res.samples);
        }
    }
}

/* A resource that was only sampled keeps its content when it becomes a render target. */
static void
test_make_drawable(void **state)
{
    for (int i = 0; i < SHAPES * LAYOUTS; i++) {
        struct resource res;
        shape_init(&res, i);
        if (!res.sampled_only)
            continue;
        struct gpu_memory memory = {.bytes = mem_alloc(res.size_bytes)};
        for (uint32_t b = 0; b < res.size_bytes; b++)
            memory.bytes[b] = (uint8_t)(b * 2654435761u >> 24);
        for (uint32_t n = 0; n <= res.desc.last_level; n++) {
            const uint32_t bytes = resource_level_bytes(&res, n);
            uint8_t *before = mem_alloc(bytes), *after = mem_alloc(bytes);
            struct resource moved = res;
            struct gpu_memory copy = {.bytes = mem_alloc(res.size_bytes)};
            memcpy(copy.bytes, memory.bytes, res.size_bytes);
            resource_read_level(&res, &memory, n, before);
            resource_make_drawable(&moved, &copy);
            assert_false(moved.sampled_only);
            assert_int_equal(moved.levels[n].square_log2, 3);
            resource_read_level(&moved, &copy, n, after);
            assert_memory_equal(before, after, bytes);
            free(before);
            free(after);
            free(copy.bytes);
        }
        free(memory.bytes);
    }
}

static void
test_buffers(void **state)
{
    struct resource res;
    struct resource_desc d = {
        .target = TARGET_BUFFER, .format = FORMAT_R8_UNORM, .width = 100, .height = 1, .depth = 1};
    assert_true(resource_init(&res, &d, NULL));
    assert_int_equal(res.size_bytes, 100);
    assert_int_equal(resource_offset(&res, 0, 77, 0, 0, 0), 77);
    assert_true(resource_box_ok(&res, 0, &(struct box){3, 0, 0, 97, 1, 1}));
    assert_false(resource_box_ok(&res, 0, &(struct box){4, 0, 0, 97, 1, 1}));
    assert_false(resource_box_ok(&res, 0, &(struct box){-1, 0, 0, 3, 1, 1}));
    assert_false(resource_box_ok(&res, 0, &(struct box){0, 0, 0, -3, 1, 1}));
    assert_false(resource_box_ok(&res, 0, &(struct box){INT32_MAX, 0, 0, INT32_MAX, 1, 1}));
    assert_false(resource_box_ok(&res, 1, &(struct box){0, 0, 0, 1, 1, 1}));
    d.width = (1u << 30) + 1;
    assert_false(resource_init(&res, &d, NULL));
    d.width = 0;
    assert_false(resource_init(&res, &d, NULL));
}

static void
test_boxes(void **state)
{
    struct resource res;
    assert_true(resource_init(&res, &shapes[6], NULL)); /* DXT1, 37 x 10 */
    assert_true(resource_box_ok(&res, 0, &(struct box){4, 4, 0, 8, 4, 1}));
    assert_true(resource_box_ok(&res, 0, &(struct box){32, 8, 0, 5, 2, 1}));
    assert_false(resource_box_ok(&res, 0, &(struct box){2, 4, 0, 8, 4, 1}));
    assert_false(resource_box_ok(&res, 0, &(struct box){4, 4, 0, 6, 4, 1}));
    assert_false(resource_box_ok(&res, 0, &(struct box){36, 8, 0, 4, 4, 1}));
    assert_false(resource_box_ok(&res, 0, &(struct box){0, 0, 1, 4, 4, 1}));
    assert_false(resource_box_ok(&res, 6, &(struct box){0, 0, 0, 1, 1, 1}));
    assert_true(resource_init(&res, &shapes[8], NULL)); /* 3D: level 1 has 10 slices */
    assert_true(resource_box_ok(&res, 1, &(struct box){0, 0, 9, 1, 1, 1}));
    assert_false(resource_box_ok(&res, 1, &(struct box){0, 0, 9, 1, 1, 2}));
}

static void
test_hostile(void **state)
{
    static const struct resource_desc bad[] = {
        {.target = TARGET_2D, .format = FORMAT_R8G8B8A8_UNORM, .width = 0, .height = 4, .depth = 1},
        {.target = TARGET_2D, .format = FORMAT_R8G8B8A8_UNORM, .width = 4, .height = 0, .depth = 1},
        {.target = TARGET_2D, .format = FORMAT_R8G8B8A8_UNORM, .width = 4, .height = 4, .depth = 0},
        {.target = TARGET_2D,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4097,
         .height = 4,
         .depth = 1},
        {.target = TARGET_2D,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = UINT32_MAX,
         .height = UINT32_MAX,
         .depth = 1},
        {.target = TARGET_2D, .format = FORMAT_R8G8B8A8_UNORM, .width = 4, .height = 4, .depth = 2},
        {.target = TARGET_2D,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1,
         .array_size = 2},
        {.target = TARGET_2D,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1,
         .last_level = 3},
        {.target = TARGET_2D,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1,
         .last_level = UINT32_MAX},
        {.target = TARGET_2D,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1,
         .samples = 3},
        {.target = TARGET_2D,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1,
         .samples = 16},
        {.target = TARGET_2D,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1,
         .samples = 4,
         .last_level = 1},
        {.target = TARGET_2D,
         .format = FORMAT_DXT1_RGB,
         .width = 4,
         .height = 4,
         .depth = 1,
         .samples = 4},
        {.target = TARGET_2D, .format = 0, .width = 4, .height = 4, .depth = 1},
        {.target = TARGET_2D, .format = UINT32_MAX, .width = 4, .height = 4, .depth = 1},
        {.target = 9, .format = FORMAT_R8G8B8A8_UNORM, .width = 4, .height = 4, .depth = 1},
        {.target = UINT32_MAX,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1},
        {.target = TARGET_1D, .format = FORMAT_R8G8B8A8_UNORM, .width = 4, .height = 2, .depth = 1},
        {.target = TARGET_RECT,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1,
         .last_level = 1},
        {.target = TARGET_3D,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 513},
        {.target = TARGET_3D,
         .format = FORMAT_R32G32B32A32_FLOAT,
         .width = 4096,
         .height = 4096,
         .depth = 512},
        {.target = TARGET_CUBE,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 5,
         .depth = 1,
         .array_size = 6},
        {.target = TARGET_CUBE,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1,
         .array_size = 5},
        {.target = TARGET_2D_ARRAY,
         .format = FORMAT_R8G8B8A8_UNORM,
         .width = 4,
         .height = 4,
         .depth = 1,
         .array_size = UINT32_MAX},
        {.target = TARGET_BUFFER, .format = FORMAT_R8_UNORM, .width = 4, .height = 2, .depth = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct resource res;
        struct error err = {{0}};
        if (resource_init(&res, &bad[i], &err))
            fail_msg("description %zu was taken", i);
        assert_true(err.text[0] != 0);
    }
}

/* The largest side, depth and number of layers and samples are accepted, and no larger ones. */
static void
test_limits(void **state)
{
    static const struct resource_desc most[] = {
        {0, TARGET_1D, FORMAT_R8_UNORM, 0, 4096, 1, 1, 1, 12, 0},
        {0, TARGET_2D, FORMAT_R8_UNORM, 0, 4096, 1, 1, 1, 0, 0},
        {0, TARGET_2D, FORMAT_R8_UNORM, 0, 1, 4096, 1, 1, 0, 0},
        {0, TARGET_RECT, FORMAT_R8_UNORM, 0, 4096, 1, 1, 1, 0, 0},
        {0, TARGET_3D, FORMAT_R8_UNORM, 0, 1, 1, 512, 1, 0, 0},
        {0, TARGET_2D_ARRAY, FORMAT_R8_UNORM, 0, 1, 1, 1, 512, 0, 0},
        {0, TARGET_1D_ARRAY, FORMAT_R8_UNORM, 0, 1, 1, 1, 512, 0, 0},
        {0, TARGET_2D, FORMAT_R8_UNORM, 0, 1, 1, 1, 1, 0, 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        struct resource res;
        struct resource_desc more = most[i];
        struct error err = {""};
        if (!resource_init(&res, &most[i], &err))
            fail_msg("%s", err.text);
        uint32_t *const limits[] = {&more.width, &more.height, &more.depth, &more.array_size,
                                    &more.samples};
        for (size_t n = 0; n < sizeof limits / sizeof limits[0]; n++)
            if (*limits[n] > 1)
                *limits[n] += n == 4 ? *limits[n] : 1;
        if (resource_init(&res, &more, &err))
            fail_msg("description %zu has no limit", i);
    }
}

/* Samples are forced only on resources that the program cannot sample as textures. */
static void
test_may_be_forced(void **state)
{
    const struct {
        uint32_t target, format, bind, last_level, samples;
        bool may;
    } cases[] = {
        {TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, 0, 0, true},
        {TARGET_RECT, FORMAT_R16G16B16A16_FLOAT, BIND_RENDER_TARGET, 0, 1, true},
        {TARGET_2D, FORMAT_S8_UINT_Z24_UNORM, BIND_DEPTH_STENCIL, 0, 0, true},
        {TARGET_2D, FORMAT_B8G8R8A8_UNORM,
         BIND_RENDER_TARGET | BIND_DISPLAY_TARGET | BIND_SAMPLER_VIEW, 0, 0, true},
        {TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET | BIND_SAMPLER_VIEW, 0, 0, false},
        {TARGET_2D, FORMAT_S8_UINT_Z24_UNORM, BIND_DEPTH_STENCIL | BIND_SAMPLER_VIEW, 0, 0, false},
        {TARGET_2D, FORMAT_B8G8R8A8_UNORM, 0, 0, 0, false},
        {TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, 0, 4, false},
        {TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, 2, 0, false},
        {TARGET_3D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct resource_desc desc = {.target = cases[i].target,
                                           .format = cases[i].format,
                                           .bind = cases[i].bind,
                                           .last_level = cases[i].last_level,
                                           .samples = cases[i].samples};
        assert_int_equal(resource_may_be_forced(&desc), cases[i].may);
    }
}

/* A new surface has stencil 0 everywhere. Contents whose stencil values differ, or that do not say
 * that they are equal, leave none known. */
static void
contents_have_a_known_stencil(void **state)
{
    (void)state;
    static const struct resource_desc desc = {.target = TARGET_2D,
                                              .format = FORMAT_S8_UINT_Z24_UNORM,
                                              .width = 8,
                                              .height = 8,
                                              .depth = 1};
    const struct {
        struct cleared_code code;
        uint8_t last; /* the other values are 7 */
        bool known;
    } cases[] = {{{0, 0}, 7, true}, {{0, 0}, 8, false}, {{0, CLEARED_NO_STENCIL}, 7, false}};
    struct error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct resource res;
        assert_true(resource_init(&res, &desc, &err));
        cleared_init(&res);
        assert_int_equal(cleared_encode(&res, 0).stencil, 0);
        const uint32_t bytes = resource_level_bytes(&res, 0);
        const uint32_t shift = res.format->stencil_shift / 8;
        uint8_t *rows = mem_alloc(bytes);
        for (uint32_t at = shift; at < bytes; at += 4)
            rows[at] = at + 4 < bytes ? 7 : cases[i].last;
        cleared_restore(&res, 0, cases[i].code, rows);
        assert_int_equal(cleared_encode(&res, 0).stencil, cases[i].known ? 0 : CLEARED_NO_STENCIL);
        if (cases[i].known)
            assert_int_equal(res.cleared.stencil, 7);
        free(rows);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_have_a_known_stencil),
        cmocka_unit_test(test_bytes_are_distinct),
        cmocka_unit_test(test_box_round_trip),
        cmocka_unit_test(test_layout_facts),
        cmocka_unit_test(test_squares),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_make_drawable),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_may_be_forced),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
