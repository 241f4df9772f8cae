/* Blending compared with the equations of the OpenGL specification (4.1.8) in double precision, for
 * all functions and factors. Operands for 8-bit targets are first rounded to 8 bits. Logic
 * operations are compared with their table, and optimized formats with the general implementation.
 */
#include "rigs/gfx_support.h"

static void
unpack_bgra(const uint8_t *block, uint32_t x, uint32_t y, float rgba[4])
{
    rgba[0] = (float)block[2] / 255.0f;
    rgba[1] = (float)block[1] / 255.0f;
    rgba[2] = (float)block[0] / 255.0f;
    rgba[3] = (float)block[3] / 255.0f;
}

static void
unpack_bgrx(const uint8_t *block, uint32_t x, uint32_t y, float rgba[4])
{
    unpack_bgra(block, x, y, rgba);
    rgba[3] = 1.0f;
}

static uint8_t
to_byte(float value)
{
    return (uint8_t)(!(value > 0.0f) ? 0.0f : value > 1.0f ? 255.0f : rintf(value * 255.0f));
}

static void
pack_bgra(const float rgba[4], uint8_t *block)
{
    block[0] = to_byte(rgba[2]);
    block[1] = to_byte(rgba[1]);
    block[2] = to_byte(rgba[0]);
    block[3] = to_byte(rgba[3]);
}

static void
pack_bgrx(const float rgba[4], uint8_t *block)
{
    pack_bgra(rgba, block);
    block[3] = 255;
}

static void
unpack_float(const uint8_t *block, uint32_t x, uint32_t y, float rgba[4])
{
    memcpy(rgba, block, 16);
}

static void
pack_float(const float rgba[4], uint8_t *block)
{
    memcpy(block, rgba, 16);
}

static const struct format_info formats[] = {
    {.number = 1,
     .block_bytes = 4,
     .channels = 15,
     .is_normalized = true,
     .unpack = unpack_bgra,
     .pack = pack_bgra},
    {.number = 2,
     .block_bytes = 4,
     .channels = 7,
     .is_normalized = true,
     .unpack = unpack_bgrx,
     .pack = pack_bgrx},
    {.number = 31,
     .block_bytes = 16,
     .channels = 15,
     .is_float = true,
     .unpack = unpack_float,
     .pack = pack_float},
};

static const uint8_t factors[] = {
    FACTOR_ONE,           FACTOR_SRC_COLOR,          FACTOR_SRC_ALPHA,       FACTOR_DST_ALPHA,
    FACTOR_DST_COLOR,     FACTOR_SRC_ALPHA_SATURATE, FACTOR_CONST_COLOR,     FACTOR_CONST_ALPHA,
    FACTOR_ZERO,          FACTOR_INV_SRC_COLOR,      FACTOR_INV_SRC_ALPHA,   FACTOR_INV_DST_ALPHA,
    FACTOR_INV_DST_COLOR, FACTOR_INV_CONST_COLOR,    FACTOR_INV_CONST_ALPHA,
};
enum { FACTORS = sizeof factors };

static double
weight(uint8_t factor, int c, const double s[4], const double d[4], const double k[4])
{
    switch (factor) {
    case FACTOR_ONE: return 1;
    case FACTOR_SRC_COLOR: return s[c];
    case FACTOR_SRC_ALPHA: return s[3];
    case FACTOR_DST_ALPHA: return d[3];
    case FACTOR_DST_COLOR: return d[c];
    case FACTOR_SRC_ALPHA_SATURATE: return c == 3 ? 1 : fmin(s[3], 1 - d[3]);
    case FACTOR_CONST_COLOR: return k[c];
    case FACTOR_CONST_ALPHA: return k[3];
    case FACTOR_INV_SRC_COLOR: return 1 - s[c];
    case FACTOR_INV_SRC_ALPHA: return 1 - s[3];
    case FACTOR_INV_DST_ALPHA: return 1 - d[3];
    case FACTOR_INV_DST_COLOR: return 1 - d[c];
    case FACTOR_INV_CONST_COLOR: return 1 - k[c];
    case FACTOR_INV_CONST_ALPHA: return 1 - k[3];
    }
    return 0;
}

static double
blended(const struct blend_target *rt, int c, const double s[4], const double d[4],
        const double k[4])
{
    const uint8_t func = c == 3 ? rt->alpha_func : rt->rgb_func;
    const double ws = weight(c == 3 ? rt->alpha_src : rt->rgb_src, c, s, d, k) * s[c];
    const double wd = weight(c == 3 ? rt->alpha_dst : rt->rgb_dst, c, s, d, k) * d[c];
    switch (func) {
    case BLEND_ADD: return ws + wd;
    case BLEND_SUBTRACT: return ws - wd;
    case BLEND_REVERSE_SUBTRACT: return wd - ws;
    case BLEND_MIN: return fmin(s[c], d[c]);
    default: return fmax(s[c], d[c]);
    }
}

/* `others` has a bit for the function and each factor in which alpha differs from the colors. */
static struct blend_target
target_of(uint32_t func, uint32_t src, uint32_t dst, uint32_t others)
{
    return (struct blend_target){.enable = true,
                                 .rgb_func = (uint8_t)func,
                                 .rgb_src = factors[src],
                                 .rgb_dst = factors[dst],
                                 .alpha_func = (uint8_t)((func + (others & 1)) % 5),
                                 .alpha_src = factors[(src + (others >> 1 & 1)) % FACTORS],
                                 .alpha_dst = factors[(dst + (others >> 2)) % FACTORS],
                                 .colormask = 15};
}

static void
check_fragment(const struct draw *draw, const float rgba[4], const uint8_t *before,
               const uint8_t *after)
{
    const struct format_info *f = draw->color[0].format;
    float old[4], now[4];
    double s[4], d[4], k[4];
    f->unpack(before, 0, 0, old);
    f->unpack(after, 0, 0, now);
    for (int c = 0; c < 4; c++) {
        d[c] = (double)old[c];
        s[c] = (double)rgba[c];
        k[c] = (double)draw->blend_color[c];
        if (!f->is_float) {
            s[c] = to_byte(rgba[c]) / 255.0;
            k[c] = to_byte(draw->blend_color[c]) / 255.0;
        }
    }
    for (int c = 0; c < 4; c++) {
        double wanted = blended(&draw->blend.rt[0], c, s, d, k);
        if (!(f->channels >> c & 1))
            continue;
        if (f->is_float)
            assert_true(fabs((double)now[c] - wanted) <= 1e-5);
        else /* each of two products is rounded by half a step, plus 1/255 of a step */
            assert_true(fabs((double)now[c] - fmin(fmax(wanted, 0), 1)) <=
                        (1.0 + 2.0 / 255.0) / 255.0 + 1e-5);
    }
}

static void
test_all_factors(void **state)
{
    struct scene scene;
    uint64_t seed = 19;
    scene_init(&scene);
    struct draw *draw = &scene.draw;
    for (uint32_t i = 0; i < 5 * FACTORS * FACTORS * 3; i++) {
        const struct format_info *f = &formats[i % 3];
        const uint32_t n = i / 3;
        uint8_t before[64], general[64], fast[64];
        float rgba[4][4];
        draw->color_count = 1;
        draw->color[0].format = f;
        draw->blend.rt[0] = target_of(n % 5, n / 5 % FACTORS, n / 5 / FACTORS, n % 8);
        for (int k = 0; k < 16; k++) {
            rgba[k / 4][k % 4] = random_float(&seed, -0.3f, 1.3f);
            draw->blend_color[k % 4] = random_float(&seed, -0.3f, 1.3f);
            const float color[4] = {random_float(&seed, 0, 1), random_float(&seed, 0, 1),
                                    random_float(&seed, 0, 1), random_float(&seed, 0, 1)};
            f->pack(color, before + k / 4 * f->block_bytes);
        }
        memcpy(general, before, sizeof general);
        memcpy(fast, before, sizeof fast);
        blend_quad_general(draw, 0, 15, (const float(*)[4])rgba, NULL, general);
        blend_quad(draw, 0, 15, (const float(*)[4])rgba, NULL, fast);
        assert_memory_equal(general, fast, (size_t)f->block_bytes * 4);
        for (int k = 0; k < 4; k++)
            check_fragment(draw, rgba[k], before + k * f->block_bytes,
                           general + k * f->block_bytes);
    }
}

static void
test_masks_and_fast_path(void **state)
{
    struct scene scene;
    uint64_t seed = 23;
    scene_init(&scene);
    struct draw *draw = &scene.draw;
    draw->color_count = 1;
    for (uint32_t i = 0; i < 20000; i++) {
        const struct format_info *f = &formats[i % 2];
        uint8_t before[16], general[16], fast[16];
        float rgba[4][4];
        const uint32_t mask = random_bits(&seed) & 15, bits = random_bits(&seed);
        draw->color[0].format = f;
        draw->blend.rt[0] =
            target_of(bits % 5, bits / 5 % FACTORS, bits / 97 % FACTORS, bits >> 24 & 7);
        draw->blend.rt[0].enable = bits >> 20 & 1;
        draw->blend.rt[0].colormask = bits >> 21 & 15;
        for (int k = 0; k < 16; k++) {
            before[k] = (uint8_t)random_bits(&seed);
            rgba[k / 4][k % 4] = i % 11 == 0 && k == 5 ? NAN : random_float(&seed, -0.3f, 1.3f);
        }
        for (int k = 3; k < 16 && f->number == 2; k += 4)
            before[k] = 255;
        memcpy(general, before, sizeof general);
        memcpy(fast, before, sizeof fast);
        blend_quad_general(draw, 0, mask, (const float(*)[4])rgba, NULL, general);
        blend_quad(draw, 0, mask, (const float(*)[4])rgba, NULL, fast);
        assert_memory_equal(general, fast, sizeof fast);
        for (int k = 0; k < 16; k++) {
            static const uint8_t channel[4] = {4, 2, 1, 8};
            if (!(mask >> (k / 4) & 1) || !(draw->blend.rt[0].colormask & channel[k % 4]))
                assert_int_equal(fast[k], before[k]);
            else if (f->number == 2 && k % 4 == 3)
                assert_int_equal(fast[k], 255);
            else if (!draw->blend.rt[0].enable)
                assert_int_equal(fast[k], to_byte(rgba[k / 4][k % 4 == 3 ? 3 : 2 - k % 4]));
        }
    }
}

static void
test_logic_operations(void **state)
{
    /* 0xcc combined with 0xaa by CLEAR, NOR, AND_INVERTED, COPY_INVERTED, AND_REVERSE, INVERT, XOR,
     * NAND, AND, EQUIV, NOOP, OR_INVERTED, COPY, OR_REVERSE, OR, SET. */
    static const uint8_t wanted[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                       0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    const float s = (float)0xcc / 255.0f;
    const float rgba[4][4] = {{s, s, s, s}, {s, s, s, s}, {s, s, s, s}, {s, s, s, s}};
    struct scene scene;
    scene_init(&scene);
    scene.draw.color_count = 1;
    scene.draw.blend.logicop_enable = true;
    for (uint8_t op = 0; op < 16; op++)
        for (uint32_t f = 0; f < 2; f++) {
            uint8_t bytes[16];
            memset(bytes, 0xaa, sizeof bytes);
            scene.draw.color[0].format = &formats[f];
            scene.draw.blend.logicop = op;
            scene.draw.blend.rt[0].colormask = 5; /* R and B */
            blend_quad(&scene.draw, 0, 1, rgba, NULL, bytes);
            assert_int_equal(bytes[0], wanted[op]);
            assert_int_equal(bytes[1], 0xaa);
            assert_int_equal(bytes[2], wanted[op]);
            assert_int_equal(bytes[3], f == 1 ? 0xff : 0xaa);
            assert_int_equal(bytes[4], 0xaa);
        }
}

/* The destination is 0.6 and the source 0.8 in all channels; the second source is 0.2, 0.4, 1.0
 * with the alpha 0.6. Both paths: 8 bits per channel, and floats. */
static void
test_second_source(void **state)
{
    static const struct {
        uint8_t src, dst;
        float rgb[3]; /* 1: at least 1 */
    } cases[] = {
        {FACTOR_SRC1_COLOR, FACTOR_ZERO, {0.8f * 0.2f, 0.8f * 0.4f, 0.8f}},
        {FACTOR_SRC1_ALPHA, FACTOR_ZERO, {0.8f * 0.6f, 0.8f * 0.6f, 0.8f * 0.6f}},
        {FACTOR_INV_SRC1_COLOR, FACTOR_ZERO, {0.8f * 0.8f, 0.8f * 0.6f, 0}},
        {FACTOR_INV_SRC1_ALPHA, FACTOR_ZERO, {0.8f * 0.4f, 0.8f * 0.4f, 0.8f * 0.4f}},
        {FACTOR_ZERO, FACTOR_SRC1_COLOR, {0.6f * 0.2f, 0.6f * 0.4f, 0.6f}},
        {FACTOR_ONE, FACTOR_INV_SRC1_ALPHA, {1, 1, 1}},
    };
    static const float rgba[4][4] = {{0.8f, 0.8f, 0.8f, 0.8f}},
                       source1[4][4] = {{0.2f, 0.4f, 1, 0.6f}};
    struct scene scene;
    scene_init(&scene);
    scene.draw.color_count = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t f = 0; f < 3; f += 2) {
            const struct format_info *format = scene.draw.color[0].format = &formats[f];
            float bytes[16], got[4], dst[4] = {0.6f, 0.6f, 0.6f, 0.6f};
            format->pack(dst, (uint8_t *)bytes);
            scene.draw.blend.rt[0] = (struct blend_target){.enable = true,
                                                           .rgb_src = cases[i].src,
                                                           .rgb_dst = cases[i].dst,
                                                           .alpha_src = FACTOR_ONE,
                                                           .alpha_dst = FACTOR_ZERO,
                                                           .colormask = 15};
            blend_quad(&scene.draw, 0, 1, rgba, source1, (uint8_t *)bytes);
            format->unpack((const uint8_t *)bytes, 0, 0, got);
            for (uint32_t c = 0; c < 3; c++)
                assert_true(got[c] > cases[i].rgb[c] - 0.004f &&
                            (got[c] < cases[i].rgb[c] + 0.004f || cases[i].rgb[c] == 1));
        }
}

static void
test_clamping(void **state)
{
    struct scene scene;
    float pixel[4][4];
    const float rgba[4][4] = {{-1, 0.5f, 2, 3}};
    scene_init(&scene);
    scene.draw.color_count = 1;
    scene.draw.color[0].format = &formats[2];
    scene.draw.blend.rt[0].colormask = 15;
    blend_quad(&scene.draw, 0, 1, rgba, NULL, (uint8_t *)pixel);
    assert_memory_equal(pixel[0], rgba[0], sizeof rgba[0]);
    scene.draw.color[0].format = &formats[0];
    blend_quad(&scene.draw, 0, 1, rgba, NULL, (uint8_t *)pixel);
    const uint8_t *bgra = (const uint8_t *)pixel;
    assert_true(bgra[0] == 255 && bgra[2] == 0 && bgra[3] == 255);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_factors),      cmocka_unit_test(test_masks_and_fast_path),
        cmocka_unit_test(test_logic_operations), cmocka_unit_test(test_second_source),
        cmocka_unit_test(test_clamping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
