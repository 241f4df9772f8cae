/* Layout of shared memory. The expected offsets follow this rule: levels are contiguous, and rows
 * and slices have no padding. B8G8R8A8 has 4 bytes per texel, DXT1 8 bytes per block of 4x4. */
#include "trace/virgl/vtest/guest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct guest_layout
layout_of(struct resource_desc desc)
{
    struct guest_layout layout;
    struct error err = {""};
    if (!guest_layout_init(&layout, &desc, &err))
        fail_msg("%s", err.text);
    return layout;
}

static bool
box_ok(const struct guest_layout *layout, uint32_t level, struct box box,
       struct guest_region *region)
{
    struct error err;
    return guest_region_init(region, layout, level, &box, &err);
}

static void
test_mipmaps(void **state)
{
    struct guest_layout l = layout_of((struct resource_desc){.target = TARGET_2D,
                                                             .format = FORMAT_B8G8R8A8_UNORM,
                                                             .width = 7,
                                                             .height = 5,
                                                             .depth = 1,
                                                             .array_size = 1,
                                                             .last_level = 2});
    struct guest_region r;
    assert_int_equal(l.levels[1].offset, 7 * 5 * 4);
    assert_int_equal(l.levels[2].offset, 7 * 5 * 4 + 3 * 2 * 4);
    assert_int_equal(l.size_bytes, 7 * 5 * 4 + 3 * 2 * 4 + 1 * 1 * 4);
    assert_true(box_ok(&l, 1, (struct box){1, 1, 0, 2, 1, 1}, &r));
    assert_int_equal(r.offset, 140 + 12 + 4);
    assert_int_equal(r.tight_bytes, 8);
    assert_false(box_ok(&l, 1, (struct box){2, 1, 0, 2, 1, 1}, &r));
    assert_false(box_ok(&l, 3, (struct box){0, 0, 0, 1, 1, 1}, &r));
    assert_false(box_ok(&l, 0, (struct box){-1, 0, 0, 1, 1, 1}, &r));
    assert_false(box_ok(&l, 0, (struct box){0x7fffffff, 0, 0, 0x7fffffff, 1, 1}, &r));
    assert_false(box_ok(&l, 0, (struct box){0, 0, 0, 0, 1, 1}, &r));
}

/* Boxes that extend beyond a level of 7x5 texels of 4 bytes each, 28 bytes per row. */
static void
test_cut_boxes(void **state)
{
    static const struct {
        struct box box, left;
        uint32_t moved;
    } cuts[] = {
        {{1, 1, 0, 3, 2, 1}, {1, 1, 0, 3, 2, 1}, 0},
        {{5, 3, 0, 9, 9, 1}, {5, 3, 0, 2, 2, 1}, 0},
        {{-2, -3, 0, 4, 4, 1}, {0, 0, 0, 2, 1, 1}, 2 * 4 + 3 * 28},
        {{-2, 1, 0, 0x7fffffff, 2, 1}, {0, 1, 0, 7, 2, 1}, 2 * 4},
    };
    const struct box beside[] = {
        {7, 0, 0, 1, 1, 1}, {0, -2, 0, 1, 2, 1}, {0x7fffffff, 0, 0, 0x7fffffff, 1, 1}};
    struct guest_layout l = layout_of((struct resource_desc){.target = TARGET_2D,
                                                             .format = FORMAT_B8G8R8A8_UNORM,
                                                             .width = 7,
                                                             .height = 5,
                                                             .depth = 1,
                                                             .array_size = 1});
    (void)state;
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        struct box box = cuts[i].box;
        uint32_t offset = 1000;
        assert_true(guest_cut_box(&l, 0, &box, &offset));
        assert_memory_equal(&box, &cuts[i].left, sizeof box);
        assert_int_equal(offset, 1000 + cuts[i].moved);
    }
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        struct box box = beside[i];
        uint32_t offset = 0;
        assert_false(guest_cut_box(&l, 0, &box, &offset));
    }
}

static void
test_cube_and_compressed(void **state)
{
    struct guest_layout cube = layout_of((struct resource_desc){.target = TARGET_CUBE,
                                                                .format = FORMAT_B8G8R8A8_UNORM,
                                                                .width = 4,
                                                                .height = 4,
                                                                .depth = 1,
                                                                .array_size = 6,
                                                                .last_level = 1});
    struct guest_layout dxt = layout_of((struct resource_desc){.target = TARGET_2D,
                                                               .format = FORMAT_DXT1_RGB,
                                                               .width = 10,
                                                               .height = 8,
                                                               .depth = 1,
                                                               .array_size = 1});
    struct guest_region r;
    assert_int_equal(cube.levels[1].offset, 6 * 64);
    assert_int_equal(cube.size_bytes, 6 * 64 + 6 * 16);
    assert_true(box_ok(&cube, 1, (struct box){0, 1, 5, 2, 1, 1}, &r));
    assert_int_equal(r.offset, 384 + 5 * 16 + 8);
    assert_int_equal(dxt.size_bytes, 3 * 2 * 8);
    assert_true(box_ok(&dxt, 0, (struct box){4, 4, 0, 6, 4, 1}, &r));
    assert_int_equal(r.offset, 24 + 8);
    assert_int_equal(r.tight_bytes, 16);
    assert_false(box_ok(&dxt, 0, (struct box){2, 0, 0, 4, 4, 1}, &r));
    assert_false(box_ok(&dxt, 0, (struct box){0, 0, 0, 6, 4, 1}, &r));
}

static void
test_gather_scatter(void **state)
{
    struct guest_layout l = layout_of((struct resource_desc){
        .target = TARGET_3D, .format = FORMAT_R8_UNORM, .width = 5, .height = 3, .depth = 2});
    uint8_t memory[30], rows[8], back[30] = {0};
    struct guest_region r;
    for (uint8_t i = 0; i < sizeof memory; i++)
        memory[i] = i;
    assert_true(box_ok(&l, 0, (struct box){1, 1, 0, 2, 2, 2}, &r));
    assert_true(guest_region_fits(&r, 30));
    assert_false(guest_region_fits(&r, 27));
    guest_gather(&r, memory, rows);
    const uint8_t expected[8] = {6, 7, 11, 12, 21, 22, 26, 27};
    assert_memory_equal(rows, expected, sizeof expected);
    guest_scatter(&r, rows, back);
    assert_int_equal(back[26], 26);
    assert_int_equal(back[25] + back[28] + back[8], 0);
}

static void
test_refused(void **state)
{
    struct resource_desc good = {
        .target = TARGET_2D, .format = FORMAT_B8G8R8A8_UNORM, .width = 8, .height = 8, .depth = 1};
    struct guest_layout l;
    struct resource_desc d = good;
    assert_true(guest_layout_init(&l, &d, NULL));
    d.width = 0;
    assert_false(guest_layout_init(&l, &d, NULL));
    d = good, d.target = 9;
    assert_false(guest_layout_init(&l, &d, NULL));
    d = good, d.last_level = 40;
    assert_false(guest_layout_init(&l, &d, NULL));
    d = good, d.format = 0xffffffff;
    assert_false(guest_layout_init(&l, &d, NULL));
    d = good, d.width = d.height = 16384, d.array_size = 16384;
    assert_false(guest_layout_init(&l, &d, NULL));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mipmaps),
        cmocka_unit_test(test_cut_boxes),
        cmocka_unit_test(test_cube_and_compressed),
        cmocka_unit_test(test_gather_scatter),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("guest", tests, NULL, NULL);
}
