/* Classes of differing pixels, with manually made pictures and counts. */
#include "report/compare/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

/* Returns a gray picture from one value per pixel; alpha is 255. */
static struct picture
gray(uint32_t width, uint32_t height, const uint8_t *values, uint8_t *rgba)
{
    for (uint32_t i = 0; i < width * height; i++) {
        memset(rgba + 4 * i, values[i], 3);
        rgba[4 * i + 3] = 255;
    }
    return (struct picture){.width = width, .height = height, .rgba = rgba};
}

static void
identical_pictures(void **state)
{
    uint8_t values[6] = {1, 2, 3, 200, 100, 0}, a[24], b[24];
    struct picture left = gray(3, 2, values, a), right = gray(3, 2, values, b);
    struct picture_difference d;
    assert_true(picture_compare(&left, &right, &d, NULL));
    assert_int_equal(d.pixels, 6);
    assert_int_equal(d.identical, 6);
    assert_int_equal(d.within_1, 6);
    assert_int_equal(d.edge_differences + d.interior_errors + d.max_difference, 0);
    assert_true(isnan(picture_psnr(&d)));
}

static void
each_class_once(void **state)
{
    /* The left half is 50 and the right half is 100, so the edge is between columns 3 and 4. */
    uint8_t reference[8] = {50, 50, 50, 50, 100, 100, 100, 100};
    /* Differences per pixel: 1; 2 (no class); 3 in a flat area (interior); 25 at the edge, inside
     * its range (edge); 53 at the edge, 3 above its range (interior); 0; 3 in a flat area
     * (interior); 0. */
    uint8_t simulated[8] = {51, 52, 53, 75, 103 + 50, 100, 97, 100}, a[32], b[32];
    struct picture left = gray(8, 1, reference, a), right = gray(8, 1, simulated, b);
    struct picture_difference d;
    assert_true(picture_compare(&left, &right, &d, NULL));
    assert_int_equal(d.identical, 2);
    assert_int_equal(d.within_1, 3);
    assert_int_equal(d.edge_differences, 1);
    assert_int_equal(d.interior_errors, 3);
    assert_int_equal(d.max_difference, 53);
    /* sum of squares x 3 channels, over 8 x 3 samples */
    assert_int_equal(d.squares, 3457 * 3);
    assert_float_equal(picture_psnr(&d), 10 * log10(65025.0 / (3457.0 / 8)), 1e-9);
}

static void
the_range_has_a_margin_of_two(void **state)
{
    uint8_t reference[2] = {50, 53}, inside[2] = {55, 53}, outside[2] = {56, 53}, a[8], b[8];
    struct picture left = gray(2, 1, reference, a), right = gray(2, 1, inside, b);
    struct picture_difference d;
    /* a difference of 3 makes an edge, and 55 = 53 + 2 */
    assert_true(picture_compare(&left, &right, &d, NULL));
    assert_int_equal(d.edge_differences, 1);
    right = gray(2, 1, outside, b);
    assert_true(picture_compare(&left, &right, &d, NULL));
    assert_int_equal(d.interior_errors, 1);
    uint8_t flat[2] = {50, 52}; /* a difference of 2 does not make an edge */
    left = gray(2, 1, flat, a);
    right = gray(2, 1, inside, b);
    right.rgba[0] = right.rgba[1] = right.rgba[2] = 54;
    assert_true(picture_compare(&left, &right, &d, NULL));
    assert_int_equal(d.edge_differences, 0);
    assert_int_equal(d.interior_errors, 1);
}

static void
every_channel_counts_and_neighbours_are_3x3(void **state)
{
    uint8_t reference[9] = {0, 0, 0, 0, 0, 0, 0, 0, 200}, simulated[9] = {0}, a[36], b[36];
    struct picture left = gray(3, 3, reference, a), right = gray(3, 3, simulated, b);
    struct picture_difference d;
    right.rgba[4 * 8] = right.rgba[4 * 8 + 1] = right.rgba[4 * 8 + 2] = 200;
    right.rgba[4 * 4 + 1] = 90; /* green of the center pixel, next to the white corner */
    /* green of the upper right corner; the white corner is two pixels away */
    right.rgba[4 * 2 + 1] = 90;
    assert_true(picture_compare(&left, &right, &d, NULL));
    assert_int_equal(d.identical, 7);
    assert_int_equal(d.edge_differences, 1);
    assert_int_equal(d.interior_errors, 1);
}

static void
alpha_counts_where_both_have_it(void **state)
{
    uint8_t values[1] = {9}, a[4], b[4];
    struct picture left = gray(1, 1, values, a), right = gray(1, 1, values, b);
    struct picture_difference d;
    right.rgba[3] = 100;
    right.has_alpha = true;
    assert_true(picture_compare(&left, &right, &d, NULL));
    assert_int_equal(d.identical, 1);
    left.has_alpha = true;
    assert_true(picture_compare(&left, &right, &d, NULL));
    assert_int_equal(d.interior_errors, 1);
    assert_int_equal(d.max_difference, 155);
}

static void
sizes_must_agree(void **state)
{
    uint8_t values[2] = {9, 9}, a[8], b[8];
    struct picture left = gray(2, 1, values, a), right = gray(1, 2, values, b);
    struct picture_difference d;
    struct error err;
    assert_false(picture_compare(&left, &right, &d, &err));
    assert_non_null(strstr(err.text, "2x1 and 1x2"));
}

static void
the_difference_has_two_signs(void **state)
{
    uint8_t reference[2] = {10, 200}, simulated[2] = {17, 150}, a[8], b[8];
    struct picture left = gray(2, 1, reference, a), right = gray(2, 1, simulated, b), out;
    picture_subtract(&left, &right, 1, &out);
    assert_memory_equal(out.rgba, ((uint8_t[]){7, 7, 7, 255, 0, 0, 0, 255}), 8);
    picture_fini(&out);
    picture_subtract(&left, &right, -1, &out);
    assert_memory_equal(out.rgba, ((uint8_t[]){0, 0, 0, 255, 50, 50, 50, 255}), 8);
    picture_fini(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_pictures),
        cmocka_unit_test(each_class_once),
        cmocka_unit_test(the_range_has_a_margin_of_two),
        cmocka_unit_test(every_channel_counts_and_neighbours_are_3x3),
        cmocka_unit_test(alpha_counts_where_both_have_it),
        cmocka_unit_test(sizes_must_agree),
        cmocka_unit_test(the_difference_has_two_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
