/* Depth and stencil tests compared with the text of the OpenGL specification (4.1.5 stencil, 4.1.6
 * depth). The reference tests one fragment at a time, for all functions, operations and formats. */
#include "rigs/gfx_support.h"

static const struct format_info formats[] = {
    {.name = "Z16", .block_bytes = 2, .depth_bits = 16},
    {.name = "Z24X8", .block_bytes = 4, .depth_bits = 24},
    {.name = "Z24S8", .block_bytes = 4, .depth_bits = 24, .stencil_bits = 8, .stencil_shift = 24},
    {.name = "S8Z24", .block_bytes = 4, .depth_bits = 24, .depth_shift = 8, .stencil_bits = 8},
    {.name = "Z32F", .block_bytes = 4, .depth_bits = 32, .is_float = true},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* Returns whether `a` (incoming) and `b` (stored) satisfy the function. */
static bool
passes(uint32_t func, double a, double b)
{
    const bool less = a<b, equal = a == b, greater = a> b;
    return (func & 1 && less) || (func & 2 && equal) || (func & 4 && greater);
}

static int
operate(uint32_t op, int old, int ref)
{
    if (op == STENCIL_ZERO)
        return 0;
    if (op == STENCIL_REPLACE)
        return ref;
    if (op == STENCIL_INCR)
        return old < 255 ? old + 1 : 255;
    if (op == STENCIL_DECR)
        return old > 0 ? old - 1 : 0;
    if (op == STENCIL_INCR_WRAP)
        return (old + 1) % 256;
    if (op == STENCIL_DECR_WRAP)
        return (old + 255) % 256;
    if (op == STENCIL_INVERT)
        return 255 - old;
    return old;
}

struct element {
    double depth; /* in steps of the format; for float formats the depth itself */
    int stencil;
};

static struct element
take_apart(const struct format_info *f, const uint8_t *bytes)
{
    uint32_t word = 0;
    float z;
    memcpy(&word, bytes, f->block_bytes);
    struct element e = {0};
    if (f->is_float) {
        memcpy(&z, &word, sizeof z);
        e.depth = (double)z;
    } else if (f->depth_shift == 8) {
        e.depth = word / 256;
        e.stencil = (int)(word % 256);
    } else {
        e.depth = f->depth_bits == 16 ? word : word % 16777216;
        e.stencil = f->stencil_bits ? (int)(word / 16777216) : 0;
    }
    return e;
}

static double
steps(const struct format_info *f, float z)
{
    const double clamped = z < 0.0f ? 0.0 : z > 1.0f ? 1.0 : (double)z;
    if (f->is_float)
        return clamped;
    return rint((double)(float)(clamped * (f->depth_bits == 16 ? 65535.0 : 16777215.0)));
}

static void
random_state(struct draw *draw, uint64_t *seed)
{
    const uint32_t bits = random_bits(seed);
    draw->depth_test = bits & 1;
    draw->depth_write = bits & 2;
    draw->stencil_test = bits & 4;
    draw->dsa.depth_func = bits >> 3 & 7;
    draw->dsa.stencil[0].enabled = draw->stencil_test;
    draw->dsa.stencil[1].enabled = bits & 64;
    for (int face = 0; face < 2; face++) {
        const uint32_t more = random_bits(seed), masks = random_bits(seed);
        struct stencil_face *s = &draw->dsa.stencil[face];
        s->func = more & 7;
        s->fail_op = more >> 3 & 7;
        s->zpass_op = more >> 6 & 7;
        s->zfail_op = more >> 9 & 7;
        s->valuemask = masks & 1 ? 255 : (uint8_t)(masks >> 8);
        s->writemask = masks & 2 ? 255 : (uint8_t)(masks >> 16);
        draw->stencil_ref[face] = (uint8_t)(masks >> 24);
    }
}

static void
check_fragment(const struct draw *draw, bool front, float z, const uint8_t *before,
               const uint8_t *after, bool pass, bool z_fail, bool stencil_fail)
{
    const struct format_info *f = draw->depth.format;
    const struct element old = take_apart(f, before), now = take_apart(f, after);
    const int face = !front && draw->dsa.stencil[1].enabled;
    const struct stencil_face *s = &draw->dsa.stencil[face];
    const int ref = draw->stencil_ref[face];
    const bool stencil = draw->stencil_test && f->stencil_bits;
    const bool s_pass = !stencil || passes(s->func, ref & s->valuemask, old.stencil & s->valuemask);
    const bool z_pass = !draw->depth_test || passes(draw->dsa.depth_func, steps(f, z), old.depth);
    const uint32_t op = !s_pass ? s->fail_op : !z_pass ? s->zfail_op : s->zpass_op;

    assert_int_equal(pass, s_pass && z_pass);
    assert_int_equal(stencil_fail, !s_pass);
    assert_int_equal(z_fail, s_pass && !z_pass);
    const bool write = s_pass && z_pass && draw->depth_test && draw->depth_write;
    assert_true(now.depth == (write ? steps(f, z) : old.depth));
    const int wanted =
        stencil ? (operate(op, old.stencil, ref) & s->writemask) | (old.stencil & ~s->writemask)
                : old.stencil;
    assert_int_equal(now.stencil, wanted);
}

static void
test_all(void **state)
{
    struct scene scene;
    uint64_t seed = 17;
    scene_init(&scene);
    struct draw *draw = &scene.draw;
    for (int round = 0; round < 100000; round++) {
        const struct format_info *f = &formats[round % FORMATS];
        uint8_t before[16], after[16];
        float z[4];
        draw->depth.format = f;
        random_state(draw, &seed);
        for (int i = 0; i < 4; i++) {
            /* the incoming depth often equals the stored one */
            float stored = random_float(&seed, 0.0f, 1.0f);
            z[i] = random_bits(&seed) & 1 ? stored : random_float(&seed, -0.2f, 1.2f);
            uint32_t word = random_bits(&seed);
            memcpy(before + i * f->block_bytes, &word, f->block_bytes);
            depth_clear_element(f, MASK_DEPTH, (double)stored, 0, before + i * f->block_bytes);
        }
        memcpy(after, before, sizeof after);
        const bool front = random_bits(&seed) & 1;
        const uint32_t mask = random_bits(&seed) & 15;
        const struct depth_result r = depth_test_quad(draw, front, mask, z, after);
        assert_int_equal((r.pass | r.z_fail | r.stencil_fail) & ~mask, 0);
        for (int i = 0; i < 4; i++) {
            const uint8_t *b = before + i * f->block_bytes, *a = after + i * f->block_bytes;
            if (mask >> i & 1)
                check_fragment(draw, front, z[i], b, a, r.pass >> i & 1, r.z_fail >> i & 1,
                               r.stencil_fail >> i & 1);
            else
                assert_memory_equal(a, b, f->block_bytes);
        }
        if (memcmp(before, after, (size_t)f->block_bytes * 4) != 0)
            assert_true(r.wrote);
    }
}

static void
test_clear_and_read(void **state)
{
    for (uint32_t i = 0; i < FORMATS; i++) {
        const struct format_info *f = &formats[i];
        uint8_t element[4] = {0};
        depth_clear_element(f, MASK_DEPTH | MASK_STENCIL, 1.0, 0x1a5, element);
        assert_true(depth_of_element(f, element) == 1.0f);
        if (f->stencil_bits)
            assert_int_equal(take_apart(f, element).stencil, 0xa5);
        depth_clear_element(f, MASK_DEPTH, 0.25, 0, element);
        assert_true(fabsf(depth_of_element(f, element) - 0.25f) < 1e-5f);
        if (f->stencil_bits)
            assert_int_equal(take_apart(f, element).stencil, 0xa5);
        depth_clear_element(f, MASK_STENCIL, 1.0, 7, element);
        assert_true(fabsf(depth_of_element(f, element) - 0.25f) < 1e-5f);
        if (f->stencil_bits)
            assert_int_equal(take_apart(f, element).stencil, 7);
    }
}

static void
test_depth_clamp(void **state)
{
    struct scene scene;
    uint8_t bytes[16] = {0};
    const float z[4] = {-1.0f, NAN, 0.95f, 2.0f};
    const float wanted[4] = {0.2f, 0.2f, 0.8f, 0.8f};

    scene_init(&scene);
    scene.draw.rasterizer.depth_clip = false;
    scene.draw.viewport.scale[2] = -0.3f; /* the depth range is 0.8 to 0.2 */
    scene.draw.depth.format = &formats[4];
    scene.draw.depth_test = scene.draw.depth_write = true;
    scene.draw.dsa.depth_func = FUNC_ALWAYS;
    depth_test_quad(&scene.draw, true, 15, z, bytes);
    for (int i = 0; i < 4; i++)
        assert_true(fabsf(depth_of_element(&formats[4], bytes + 4 * i) - wanted[i]) < 1e-6f);
}

static void
test_alpha(void **state)
{
    struct scene scene;
    const float alpha[4] = {0.0f, 0.5f, 0.500001f, 1.0f};
    /* With a float target the comparison is exact. With 8 bits, 0.5 and 0.500001 are equal. */
    static const uint32_t wanted[8] = {0, 1, 2, 3, 12, 13, 14, 15};
    static const uint32_t wanted8[8] = {0, 1, 6, 7, 8, 9, 14, 15};
    const struct format_info rgba8 = {.block_bytes = 4, .is_normalized = true, .channels = 15};

    scene_init(&scene);
    assert_int_equal(alpha_test_quad(&scene.draw, 9, alpha), 9);
    scene.draw.dsa.alpha_enable = true;
    scene.draw.dsa.alpha_ref = 0.5f;
    for (uint8_t func = 0; func < 8; func++) {
        scene.draw.dsa.alpha_func = func;
        scene.draw.color_count = 0;
        assert_int_equal(alpha_test_quad(&scene.draw, 15, alpha), wanted[func]);
        assert_int_equal(alpha_test_quad(&scene.draw, 5, alpha), wanted[func] & 5);
        scene.draw.color_count = 1;
        scene.draw.color[0].format = &rgba8;
        assert_int_equal(alpha_test_quad(&scene.draw, 15, alpha), wanted8[func]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_clear_and_read),
        cmocka_unit_test(test_depth_clamp),
        cmocka_unit_test(test_alpha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
