/* Texture sampling. A reference sampler in double precision works on integer texel indices as GL
 * 2.1 defines them. The tolerance is 1e-4 of full scale for filtered texels. Coordinates near a
 * discontinuity are excluded. Cubes are compared with geometry. The general implementation must
 * equal the fast one bit for bit. */
#include "rigs/sample_fixture.h"

#include <math.h>

/* ---- the reference ---- */

static int
modulo(int a, int n)
{
    return ((a % n) + n) % n;
}

/* Wraps a texel index as GL does. Returns -1 for the border. */
static int
reference_wrap(uint32_t mode, int i, int n, bool linear)
{
    int m = i < 0 ? -1 - i : i;
    switch (mode) {
    case WRAP_REPEAT: return modulo(i, n);
    case WRAP_CLAMP_TO_EDGE: return i < 0 ? 0 : i >= n ? n - 1 : i;
    case WRAP_CLAMP: return !linear ? (i < 0 ? 0 : i >= n ? n - 1 : i) : i < 0 || i >= n ? -1 : i;
    case WRAP_CLAMP_TO_BORDER: return i < 0 || i >= n ? -1 : i;
    case WRAP_MIRROR_REPEAT: m = modulo(i, 2 * n); return m < n ? m : 2 * n - 1 - m;
    case WRAP_MIRROR_CLAMP_TO_EDGE: return m >= n ? n - 1 : m;
    case WRAP_MIRROR_CLAMP: /* the mirrored coordinate is wrapped as by CLAMP */
        return !linear ? (m >= n ? n - 1 : m) : i < 0 || i >= n ? -1 : i;
    default: return i < 0 || i >= n ? -1 : i;
    }
}

struct taps {
    int i[2];
    double w[2];
    bool near_switch;
};

static struct taps
reference_taps(uint32_t mode, double u, int n, bool linear)
{
    struct taps t = {{0, 0}, {1, 0}, false};
    if (mode == WRAP_MIRROR_CLAMP || mode == WRAP_MIRROR_CLAMP_TO_BORDER)
        u = fabs(u);
    if (linear && (mode == WRAP_CLAMP || mode == WRAP_MIRROR_CLAMP))
        u = u < 0 ? 0 : u > n ? n : u;
    double v = linear ? u - 0.5 : u, i = floor(v);
    t.near_switch = fabs(v - round(v)) < 1e-4 && !linear;
    t.i[0] = reference_wrap(mode, (int)i, n, linear);
    t.i[1] = reference_wrap(mode, (int)i + 1, n, linear);
    if (linear) {
        t.w[0] = 1 - (v - i);
        t.w[1] = v - i;
    }
    return t;
}

static void
reference_level(const struct fixture *f, uint32_t level, int dims, const double c[3], bool linear,
                bool rect, double rgba[4], bool *near_switch)
{
    const struct resource_level *l = &f->res.levels[level];
    const struct sampler_state *s = &f->bound.sampler;
    uint32_t modes[3] = {s->wrap_s, s->wrap_t, s->wrap_r};
    int sizes[3] = {(int)l->width, (int)l->height, (int)l->slices};
    struct taps t[3] = {{{0}, {1, 0}, false}, {{0}, {1, 0}, false}, {{0}, {1, 0}, false}};
    for (int a = 0; a < dims; a++) {
        const double u = (rect ? c[a] : c[a] * sizes[a]) + f->request.offset[a];
        t[a] = reference_taps(modes[a], u, sizes[a], linear);
        *near_switch = *near_switch || t[a].near_switch;
    }
    float border[4];
    memcpy(border, s->border, sizeof border);
    memset(rgba, 0, 4 * sizeof *rgba);
    for (int k = 0; k < 8; k++) {
        int x = t[0].i[k & 1], y = t[1].i[k >> 1 & 1], z = t[2].i[k >> 2];
        double w = t[0].w[k & 1] * t[1].w[k >> 1 & 1] * t[2].w[k >> 2];
        for (int ch = 0; w > 0 && ch < 4; ch++) {
            double v = (double)border[ch];
            if (x >= 0 && y >= 0 && z >= 0)
                v = f->memory.bytes[f->res.address +
                                    resource_offset(&f->res, level, (uint32_t)x, (uint32_t)y,
                                                    (uint32_t)z, 0) +
                                    (uint32_t)ch] /
                    255.0;
            rgba[ch] += w * v;
        }
    }
}

struct shape {
    uint32_t target, dims, width, height, depth, levels, texture;
};
static const struct shape shapes[] = {
    {TARGET_1D, 1, 16, 1, 1, 4, TEX_1D},     {TARGET_1D, 1, 13, 1, 1, 3, TEX_1D},
    {TARGET_2D, 2, 16, 8, 1, 4, TEX_2D},     {TARGET_2D, 2, 19, 11, 1, 4, TEX_2D},
    {TARGET_RECT, 2, 17, 9, 1, 0, TEX_RECT}, {TARGET_3D, 3, 8, 4, 16, 3, TEX_3D},
    {TARGET_3D, 3, 5, 9, 3, 3, TEX_3D},
};

/* Tests all wrap modes, filters and targets with an explicit LOD. Half of the samples have an
 * offset. */
static void
test_against_reference(void **state)
{
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        const struct shape *shape = &shapes[n];
        bool rect = shape->texture == TEX_RECT;
        struct fixture f;
        fixture_init(&f, &(struct resource_desc){.target = shape->target,
                                                 .format = FORMAT_R8G8B8A8_UNORM,
                                                 .width = shape->width,
                                                 .height = shape->height,
                                                 .depth = shape->depth,
                                                 .last_level = shape->levels});
        f.request.target = (uint8_t)shape->texture;
        f.request.opcode = OP_TXL;
        struct sampler_state *s = &f.bound.sampler;
        float border[4] = {0.25f, 0.5f, 0.75f, 1.0f};
        memcpy(s->border, border, sizeof border);
        for (int round = 0; round < 8 * 4 * 60; round++) {
            bool linear = round & 1, mips = round & 2;
            uint32_t mode = (uint32_t)round / 4 % 8;
            if (rect && (mode == WRAP_REPEAT || mode == WRAP_MIRROR_REPEAT))
                continue;
            s->wrap_s = (uint8_t)mode;
            s->wrap_t = (uint8_t)(round < 800 || rect ? mode : fixture_random_below(8));
            s->wrap_r = (uint8_t)(round < 800 ? mode : fixture_random_below(8));
            if (rect)
                s->wrap_t = WRAP_CLAMP;
            s->min_filter = s->mag_filter = linear ? FILTER_LINEAR : FILTER_NEAREST;
            s->mip_filter = mips ? MIP_LINEAR : MIP_NONE;
            for (int c = 0; c < 3; c++)
                f.request.offset[c] = (int8_t)(round & 4 ? fixture_random_below(16) - 8 : 0);
            for (int lane = 0; lane < 4; lane++) {
                for (int c = 0; c < 3; c++)
                    f.request.coord[c][lane] = fixture_random_float(-2.5, 2.5) * (rect ? 12 : 1);
                f.request.coord[4][lane] = fixture_random_float(-1, 5);
            }
            float got[4][4];
            sample_planned(&f, got);
            for (int lane = 0; lane < 4; lane++) {
                double c[3], low[4], high[4], lod = mips ? (double)f.request.coord[4][lane] : 0;
                bool near_switch = false;
                for (int a = 0; a < 3; a++)
                    c[a] = (double)f.request.coord[a][lane];
                lod = lod < 0 ? 0 : lod > shape->levels ? shape->levels : lod;
                uint32_t level = (uint32_t)lod;
                reference_level(&f, level, (int)shape->dims, c, linear, rect, low, &near_switch);
                memcpy(high, low, sizeof high);
                if (lod > level)
                    reference_level(&f, level + 1, (int)shape->dims, c, linear, rect, high,
                                    &near_switch);
                for (int ch = 0; ch < 4 && !near_switch; ch++) {
                    double want = low[ch] + (lod - level) * (high[ch] - low[ch]);
                    if (fabs((double)got[ch][lane] - want) > 1e-4)
                        fail_msg("shape %zu linear %d mips %d wraps %d %d %d at %g %g %g lod %g, "
                                 "channel %d: %g, not %g",
                                 n, linear, mips, s->wrap_s, s->wrap_t, s->wrap_r, c[0], c[1], c[2],
                                 lod, ch, (double)got[ch][lane], want);
                }
            }
        }
        fixture_fini(&f);
    }
}

/* A fetch addresses a texel. The result equals nearest sampling at the center of the texel,
 * independent of the sampler state. Outside of the texture the fetch returns the nearest texel. */
static void
test_fetch(void **state)
{
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        const struct shape *shape = &shapes[n];
        struct fixture f;
        fixture_init(&f, &(struct resource_desc){.target = shape->target,
                                                 .format = FORMAT_R8G8B8A8_UNORM,
                                                 .width = shape->width,
                                                 .height = shape->height,
                                                 .depth = shape->depth,
                                                 .last_level = shape->levels});
        for (int round = 0; round < 300; round++) {
            int32_t texel[4][3], level[4];
            f.request.target = (uint8_t)shape->texture;
            f.request.opcode = OP_TXF;
            f.bound.sampler.wrap_s = (uint8_t)fixture_random_below(8);
            f.bound.sampler.min_filter = (uint8_t)fixture_random_below(2);
            for (int c = 0; c < 3; c++)
                f.request.offset[c] = (int8_t)(fixture_random_below(16) - 8);
            for (int lane = 0; lane < 4; lane++) {
                level[lane] = (int32_t)fixture_random_below(shape->levels + 3) - 1;
                memcpy(&f.request.coord[4][lane], &level[lane], 4);
                for (int c = 0; c < 3; c++) {
                    texel[lane][c] = fixture_random_below(20)
                                         ? (int32_t)fixture_random_below(24) - 3
                                         : INT32_MIN;
                    memcpy(&f.request.coord[c][lane], &texel[lane][c], 4);
                }
            }
            float got[4][4];
            sample_planned(&f, got);
            f.bound.sampler.wrap_s = f.bound.sampler.wrap_t = f.bound.sampler.wrap_r =
                WRAP_CLAMP_TO_EDGE;
            for (int lane = 0; lane < 4; lane++) {
                const int32_t last = (int32_t)shape->levels;
                const int32_t in = level[lane] < 0 ? 0 : level[lane] > last ? last : level[lane];
                double c[3], want[4];
                bool near_switch = false;
                for (int a = 0; a < 3; a++) {
                    const struct resource_level *l = &f.res.levels[in];
                    const uint32_t sizes[3] = {l->width, l->height, l->slices};
                    c[a] = (fmax(texel[lane][a], -1000) + 0.5) / sizes[a]; /* equally far outside */
                }
                reference_level(&f, (uint32_t)in, (int)shape->dims, c, false, false, want,
                                &near_switch);
                for (int ch = 0; ch < 4; ch++)
                    assert_true(fabs((double)got[ch][lane] - want[ch]) < 1e-6);
            }
        }
        fixture_fini(&f);
    }
}

/* ---- cubes ---- */

static void
sample_direction(struct fixture *f, const double d[3], float rgba[4])
{
    float got[4][4];
    for (int lane = 0; lane < 4; lane++)
        for (int c = 0; c < 3; c++)
            f->request.coord[c][lane] = (float)d[c];
    sample_planned(f, got);
    for (int c = 0; c < 4; c++)
        rgba[c] = got[c][0];
}

static void
cube_fixture(struct fixture *f, bool linear)
{
    fixture_init(f, &(struct resource_desc){.target = TARGET_CUBE,
                                            .format = FORMAT_R32G32B32A32_FLOAT,
                                            .width = 8,
                                            .height = 8,
                                            .depth = 1,
                                            .array_size = 6});
    f->request.target = TEX_CUBE;
    f->bound.sampler.seamless_cube = true;
    f->bound.sampler.min_filter = f->bound.sampler.mag_filter =
        linear ? FILTER_LINEAR : FILTER_NEAREST;
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t y = 0; y < 8; y++)
            for (uint32_t x = 0; x < 8; x++) {
                float value[4] = {(float)(face * 64 + y * 8 + x), fixture_random_float(0, 1),
                                  fixture_random_float(0, 1), fixture_random_float(0, 1)};
                memcpy(f->memory.bytes + f->res.address +
                           resource_offset(&f->res, 0, x, y, face, 0),
                       value, 16);
            }
}

static void
test_cube_texels(void **state)
{
    for (int linear = 0; linear < 2; linear++) {
        struct fixture f;
        cube_fixture(&f, linear);
        for (uint32_t i = 0; i < 6 * 64; i++) {
            double d[3];
            float rgba[4];
            face_direction(i / 64, (i % 8 + 0.5) / 4 - 1, (i / 8 % 8 + 0.5) / 4 - 1, d);
            sample_direction(&f, d, rgba);
            assert_true(rgba[0] == (float)i);
        }
        fixture_fini(&f);
    }
}

/* Seamless filtering is continuous across edges and corners. A point of the cube has nearly the
 * same color on either side of an edge. */
static void
test_cube_is_seamless(void **state)
{
    struct fixture f;
    cube_fixture(&f, true);
    for (int n = 0; n < 3000; n++) {
        double along = n % 3 ? (double)fixture_random_float(-1, 1) : (n & 1 ? 0.99995 : -0.99995);
        double sign = n & 2 ? 1 : -1, e = 1e-6;
        double d[2][3] = {{1, sign * (1 - e), along}, {1 - e, sign, along}};
        int turn = (int)fixture_random_below(3);
        float got[2][4];
        for (int i = 0; i < 2; i++) {
            double v[3] = {d[i][turn], d[i][(turn + 1) % 3], d[i][(turn + 2) % 3]};
            if (n & 4)
                for (int c = 0; c < 3; c++)
                    v[c] = -v[c];
            sample_direction(&f, v, got[i]);
        }
        for (int c = 1; c < 4; c++)
            if (fabs((double)(got[0][c] - got[1][c])) > 1e-3)
                fail_msg("step of %g at %g", (double)(got[0][c] - got[1][c]), along);
    }
    fixture_fini(&f);
}

/* ---- shadow, swizzle, no texture ---- */

static void
test_shadow(void **state)
{
    struct fixture f;
    fixture_init(
        &f,
        &(struct resource_desc){
            .target = TARGET_2D, .format = FORMAT_Z16_UNORM, .width = 2, .height = 2, .depth = 1});
    static const uint16_t depth[4] = {0x1000, 0x8000, 0x8000, 0xf000};
    for (uint32_t i = 0; i < 4; i++)
        memcpy(f.memory.bytes + f.res.address + resource_offset(&f.res, 0, i % 2, i / 2, 0, 0),
               &depth[i], 2);
    struct sampler_state *s = &f.bound.sampler;
    f.request.target = TEX_SHADOW2D;
    s->compare = true;
    s->min_filter = s->mag_filter = FILTER_LINEAR;
    s->wrap_s = s->wrap_t = WRAP_CLAMP_TO_EDGE;
    memcpy(f.bound.view.swizzle, ((uint8_t[]){0, 1, 4, 5}), 4);
    static const struct {
        uint8_t func;
        float reference, want;
    } cases[] = {{FUNC_LEQUAL, 0.25f, 0.75f}, {FUNC_GEQUAL, 0.25f, 0.25f}, {FUNC_LESS, -7, 1},
                 {FUNC_GREATER, 9, 1},        {FUNC_NEVER, 0.5f, 0},       {FUNC_ALWAYS, 0.5f, 1},
                 {FUNC_EQUAL, 0.5f, 0},       {FUNC_NOTEQUAL, 0.5f, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float got[4][4];
        s->compare_func = cases[i].func;
        for (int lane = 0; lane < 4; lane++) {
            f.request.coord[0][lane] = f.request.coord[1][lane] = 0.5f;
            f.request.coord[3][lane] = cases[i].reference;
        }
        sample_planned(&f, got);
        assert_true(got[0][2] == cases[i].want && got[1][2] == cases[i].want);
        assert_true(got[2][2] == 0 && got[3][2] == 1);
    }
    fixture_fini(&f);
}

static void
test_nothing_bound(void **state)
{
    static struct bound_view none;
    struct texture_request request = {.opcode = OP_TEX, .target = TEX_2D, .mask = 15};
    float rgba[4][EXEC_MAX_LANES];
    memset(rgba, 0x55, sizeof rgba);
    struct gpu_memory memory = {0};
    sample_direct(&none, &memory, &request, 4, rgba);
    for (int lane = 0; lane < 4; lane++)
        assert_true(rgba[0][lane] == 0 && rgba[1][lane] == 0 && rgba[2][lane] == 0 &&
                    rgba[3][lane] == 1);
    int32_t size[4];
    sample_size(&none, 0, size);
    assert_int_equal(size[0], 0);
}

/* ---- both implementations, random state and coordinates ---- */

static float
hostile_float(void)
{
    static const float odd[] = {0,     -0.0f,  1,      0.5f, -1,     1e10f,      -1e10f,
                                1e38f, -1e38f, 1e-38f, 2,    -1e-9f, 16777216.f, 0.99999994f};
    uint32_t kind = fixture_random_below(12);
    if (kind == 0)
        return odd[fixture_random_below(sizeof odd / sizeof *odd)];
    if (kind == 1)
        return fixture_random_below(2) ? NAN : fixture_random_below(2) ? INFINITY : -INFINITY;
    return fixture_random_float(-2, 2);
}

static void
random_state_of(struct fixture *f, uint32_t target)
{
    struct sampler_state *s = &f->bound.sampler;
    struct texture_request *r = &f->request;
    static const uint8_t opcodes[] = {OP_TEX, OP_TEX, OP_TXP, OP_TXB, OP_TXL, OP_TXD};
    s->wrap_s = (uint8_t)fixture_random_below(8);
    s->wrap_t = (uint8_t)fixture_random_below(8);
    s->wrap_r = (uint8_t)fixture_random_below(8);
    s->min_filter = (uint8_t)fixture_random_below(2);
    s->mag_filter = (uint8_t)fixture_random_below(2);
    s->mip_filter = (uint8_t)fixture_random_below(3);
    s->compare = fixture_random_below(2);
    s->compare_func = (uint8_t)fixture_random_below(8);
    s->seamless_cube = fixture_random_below(2);
    s->max_anisotropy = (uint8_t)(fixture_random_below(3) ? 0 : fixture_random_below(20));
    s->lod_bias = fixture_random_below(3) ? 0 : hostile_float();
    s->min_lod = fixture_random_below(3) ? 0 : hostile_float();
    s->max_lod = fixture_random_below(3) ? 1000 : hostile_float();
    f->bound.view.first_level = fixture_random_below(3);
    f->bound.view.last_level = fixture_random_below(8);
    f->bound.view.first_layer = fixture_random_below(3);
    f->bound.view.last_layer = fixture_random_below(9);
    for (int c = 0; c < 4; c++) {
        f->bound.view.swizzle[c] = (uint8_t)fixture_random_below(6);
        float border = fixture_random_float(-1, 2);
        memcpy(&s->border[c], &border, 4);
    }
    r->opcode = opcodes[fixture_random_below(sizeof opcodes)];
    r->target = (uint8_t)(fixture_random_below(8) ? target : fixture_random_below(16));
    r->mask = fixture_random_below(16);
    for (int lane = 0; lane < 4; lane++) {
        for (int c = 0; c < 5; c++)
            r->coord[c][lane] = hostile_float();
        for (int c = 0; c < 3; c++) {
            r->ddx[c][lane] = hostile_float() / 8;
            r->ddy[c][lane] = hostile_float() / 8;
        }
    }
}

static void
test_long_way_is_direct(void **state)
{
    static const struct {
        uint32_t target, texture, width, height, depth, layers, levels;
    } kinds[] = {
        {TARGET_1D, TEX_1D, 16, 1, 1, 1, 4},
        {TARGET_2D, TEX_2D, 16, 32, 1, 1, 5},
        {TARGET_2D, TEX_2D, 21, 13, 1, 1, 4},
        {TARGET_2D, TEX_SHADOW2D, 21, 13, 1, 1, 2},
        {TARGET_RECT, TEX_RECT, 21, 13, 1, 1, 0},
        {TARGET_3D, TEX_3D, 9, 8, 6, 1, 3},
        {TARGET_CUBE, TEX_CUBE, 8, 8, 1, 6, 3},
        {TARGET_2D_ARRAY, TEX_2D_ARRAY, 8, 9, 1, 5, 3},
        {TARGET_CUBE, TEX_SHADOWCUBE, 8, 8, 1, 6, 3},
        {TARGET_1D_ARRAY, TEX_1D_ARRAY, 8, 1, 1, 5, 3},
    };
    static const uint32_t formats[] = {1,  2,  3,  67, 68,  134, 100, 7,   9, 12,
                                       19, 18, 28, 94, 105, 108, 8,   131, 77};
    for (uint32_t n = 0; n < 400; n++) {
        struct fixture f;
        uint32_t k = n % (sizeof kinds / sizeof *kinds);
        uint32_t format = formats[fixture_random_below(sizeof formats / sizeof *formats)];
        if (n % 3 == 0)
            format = formats[fixture_random_below(6)];
        fixture_init(&f, &(struct resource_desc){.target = kinds[k].target,
                                                 .format = format,
                                                 .width = kinds[k].width,
                                                 .height = kinds[k].height,
                                                 .depth = kinds[k].depth,
                                                 .array_size = kinds[k].layers,
                                                 .last_level = kinds[k].levels});
        for (int round = 0; round < 60; round++) {
            float planned[4][4], direct[4][EXEC_MAX_LANES] = {{0}};
            random_state_of(&f, kinds[k].texture);
            f.long_way = true;
            sample_planned(&f, planned);
            sample_direct(&f.bound, &f.memory, &f.request, 4, direct);
            for (int lane = 0; lane < 4; lane++)
                for (int c = 0; c < 4 && f.request.mask >> lane & 1; c++)
                    if (memcmp(&planned[c][lane], &direct[c][lane], 4) != 0 &&
                        !(isnan(planned[c][lane]) && isnan(direct[c][lane])))
                        fail_msg("format %u kind %u: %.9g planned, %.9g direct", format, k,
                                 (double)planned[c][lane], (double)direct[c][lane]);
        }
        fixture_fini(&f);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_reference),
        cmocka_unit_test(test_fetch),
        cmocka_unit_test(test_cube_texels),
        cmocka_unit_test(test_cube_is_seamless),
        cmocka_unit_test(test_shadow),
        cmocka_unit_test(test_nothing_bound),
        cmocka_unit_test(test_long_way_is_direct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
