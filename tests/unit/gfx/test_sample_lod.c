/* Level of detail and anisotropy. All texels of a level contain its number. */
#include "rigs/sample_fixture.h"

#include <math.h>

static void
number_levels(struct fixture *f)
{
    for (uint32_t n = 0; n <= f->res.desc.last_level; n++) {
        const struct resource_level *l = &f->res.levels[n];
        for (uint32_t i = 0; i < l->slice_bytes * l->slices; i += 4) {
            float value = (float)n;
            memcpy(f->memory.bytes + f->res.address + l->offset + i, &value, 4);
        }
    }
    f->bound.sampler.min_filter = f->bound.sampler.mag_filter = FILTER_LINEAR;
    f->bound.sampler.mip_filter = MIP_LINEAR;
}

static void
levels_fixture(struct fixture *f, uint32_t size, uint32_t last_level)
{
    fixture_init(f, &(struct resource_desc){.target = TARGET_2D,
                                            .format = FORMAT_R32G32B32A32_FLOAT,
                                            .width = size,
                                            .height = size,
                                            .depth = 1,
                                            .last_level = last_level});
    number_levels(f);
    f->request.target = TEX_2D;
}

static float
lod_of(struct fixture *f, double texels_x, double texels_y)
{
    double size = f->res.desc.width >> f->bound.view.first_level;
    for (int lane = 0; lane < 4; lane++) {
        f->request.coord[0][lane] = (float)(0.25 + (lane & 1) * texels_x / size);
        f->request.coord[1][lane] = (float)(0.5 + (lane >> 1) * texels_y / size);
    }
    float rgba[4][4];
    sample_planned(f, rgba);
    return rgba[0][0];
}

static void
test_lod(void **state)
{
    struct fixture f;
    struct sampler_state *s = &f.bound.sampler;
    levels_fixture(&f, 256, 8);
    for (int k = 0; k <= 8; k++) {
        assert_true(lod_of(&f, 1 << k, 1) == (float)k);
        assert_true(lod_of(&f, 1, 1 << k) == (float)k);
        assert_true(lod_of(&f, 1 << k, 1 << k) == (float)k);
    }
    assert_true(lod_of(&f, 0.125, 0.125) == 0);
    assert_true(lod_of(&f, 4096, 1) == 8);
    /* linear pieces replace log2, with an error of up to 0.0431 */
    for (double k = 1; k < 200; k *= 1.07)
        assert_true(fabs((double)lod_of(&f, k, 0.5) - log2(k)) < 0.0435);
    s->lod_bias = 1.5f;
    assert_true(lod_of(&f, 4, 4) == 3.5f);
    s->max_lod = 3.25f;
    assert_true(lod_of(&f, 4, 4) == 3.25f);
    s->lod_bias = -9;
    s->min_lod = 0.75f;
    assert_true(lod_of(&f, 4, 4) == 0.75f);
    s->lod_bias = 0;
    s->min_lod = 0;
    s->max_lod = 1000;
    s->mip_filter = MIP_NEAREST;
    assert_true(lod_of(&f, 5.6, 1) == 2);
    assert_true(lod_of(&f, 5.7, 1) == 3);
    s->mip_filter = MIP_NONE;
    assert_true(lod_of(&f, 16, 1) == 0);
    s->mip_filter = MIP_LINEAR;
    f.request.opcode = OP_TXB;
    for (int lane = 0; lane < 4; lane++)
        f.request.coord[4][lane] = 2.25f;
    assert_true(lod_of(&f, 2, 2) == 3.25f);
    f.request.opcode = OP_TXL;
    assert_true(lod_of(&f, 2, 2) == 2.25f);
    f.request.opcode = OP_TXD;
    for (int lane = 0; lane < 4; lane++)
        f.request.ddy[1][lane] = 8 / 256.0f;
    assert_true(lod_of(&f, 1, 1) == 3);
    f.request.opcode = OP_TEX;
    f.bound.view.first_level = 2;
    f.bound.view.last_level = 5;
    assert_true(lod_of(&f, 1, 1) == 2);
    assert_true(lod_of(&f, 4, 1) == 4);
    assert_true(lod_of(&f, 64, 1) == 5);
    fixture_fini(&f);
}

static void
test_anisotropy(void **state)
{
    struct fixture f;
    struct sample_texture texture;
    struct sample_plan planned;
    levels_fixture(&f, 256, 8);
    f.bound.sampler.max_anisotropy = 8;
    assert_true(lod_of(&f, 8, 1) == 0);
    fixture_plan(&f, &texture, &planned);
    assert_int_equal(planned.pass_count, 8);
    assert_true(lod_of(&f, 32, 4) == 2);
    assert_true(lod_of(&f, 1, 16) == 1);
    assert_true(lod_of(&f, 4, 4) == 2);
    /* an error in the last bit of a coordinate adds no probe, but a sixteenth does: 4.26 texels are
     * 2.13 per probe */
    lod_of(&f, 4.0001f, 4);
    fixture_plan(&f, &texture, &planned);
    assert_int_equal(planned.probes, 1);
    assert_true(fabs(lod_of(&f, 4.0001f, 4) - 2) < 0.001);
    assert_true(fabs(lod_of(&f, 4.26f, 4) - (1 + 2.13 * 2.13 / 4) / 2) < 0.001);
    f.bound.sampler.max_anisotropy = 2;
    assert_true(lod_of(&f, 8, 1) == 2);
    f.bound.sampler.max_anisotropy = 255;
    lod_of(&f, 256, 1);
    fixture_plan(&f, &texture, &planned);
    assert_int_equal(planned.pass_count, 16);
    /* an axis shorter than a texel counts as one texel, because closer probes would read the same
     * texels */
    static const struct {
        double x, y;
        uint32_t probes;
    } thin[] = {{4, 0.25, 4}, {0.125, 8, 8}, {2, 0, 2}, {1, 0.25, 1}, {0.5, 0.125, 1}};
    for (size_t i = 0; i < sizeof thin / sizeof *thin; i++) {
        assert_true(lod_of(&f, thin[i].x, thin[i].y) == 0);
        fixture_plan(&f, &texture, &planned);
        assert_int_equal(planned.probes, thin[i].probes);
    }
    fixture_fini(&f);
}

/* The minification and magnification filters switch at LOD 0. */
static void
test_filter_switch(void **state)
{
    struct fixture f;
    struct sample_texture texture;
    struct sample_plan planned;
    levels_fixture(&f, 64, 0);
    f.bound.sampler.mip_filter = MIP_NONE;
    f.bound.sampler.min_filter = FILTER_NEAREST;
    lod_of(&f, 0.9, 0.9);
    fixture_plan(&f, &texture, &planned);
    assert_int_equal(planned.passes[0].linear, 15);
    lod_of(&f, 1.1, 0.1);
    fixture_plan(&f, &texture, &planned);
    assert_int_equal(planned.passes[0].linear, 0);
    fixture_fini(&f);
}

/* Finds the point of a face, in 0..1 across the face, that a direction passes through (table 3.19).
 */
static void
face_point(uint32_t face, const double d[3], double st[2])
{
    const double table[6][3] = {{-d[2], -d[1], d[0]}, {d[2], -d[1], -d[0]}, {d[0], d[2], d[1]},
                                {d[0], -d[2], -d[1]}, {d[0], -d[1], d[2]},  {-d[0], -d[1], -d[2]}};
    for (int c = 0; c < 2; c++)
        st[c] = (table[face][c] / table[face][2] + 1) / 2;
}

/* Returns the number of texels by which the point on the face moves if the direction moves by
 * `step`. The function computes the difference from a millionth of the step to each side. */
static double
texels_moved(uint32_t face, const double d[3], const double step[3], double size)
{
    double low[3], high[3], from[2], to[2];
    for (int c = 0; c < 3; c++) {
        low[c] = d[c] - step[c] * 1e-6;
        high[c] = d[c] + step[c] * 1e-6;
    }
    face_point(face, low, from);
    face_point(face, high, to);
    return hypot(to[0] - from[0], to[1] - from[1]) / 2e-6 * size;
}

/* The LOD of a cube is that of s and t of the face: log2 of the texels that they move per pixel (GL
 * 2.1, 3.8.8). The test uses explicit gradients. Linear pieces replace log2, with an error of up to
 * 0.0431. */
static void
test_cube_lod(void **state)
{
    struct fixture f;
    fixture_init(&f, &(struct resource_desc){.target = TARGET_CUBE,
                                             .format = FORMAT_R32G32B32A32_FLOAT,
                                             .width = 256,
                                             .height = 256,
                                             .depth = 1,
                                             .array_size = 6,
                                             .last_level = 8});
    number_levels(&f);
    f.request.target = TEX_CUBE;
    f.request.opcode = OP_TXD;
    for (uint32_t round = 0; round < 6000; round++) {
        const uint32_t face = round % 6;
        double d[3], steps[2][3];
        face_direction(face, (double)fixture_random_float(-0.9, 0.9),
                       (double)fixture_random_float(-0.9, 0.9), d);
        const double size = (double)fixture_random_float(0.5, 4);
        for (int c = 0; c < 3; c++) {
            d[c] *= size;
            steps[0][c] = fixture_random_below(3) ? (double)fixture_random_float(-1, 1) : 0;
            steps[1][c] = fixture_random_below(3) ? (double)fixture_random_float(-1, 1) : 0;
            for (int lane = 0; lane < 4; lane++) {
                f.request.coord[c][lane] = (float)d[c];
                f.request.ddx[c][lane] = (float)steps[0][c];
                f.request.ddy[c][lane] = (float)steps[1][c];
            }
        }
        const double x = texels_moved(face, d, steps[0], 256);
        const double y = texels_moved(face, d, steps[1], 256);
        const double lod = fmin(fmax(log2(fmax(x, y)), 0), 8);
        float rgba[4][4];
        sample_planned(&f, rgba);
        if (fabs((double)rgba[0][0] - lod) > 0.0435)
            fail_msg("face %u at %g %g %g: LOD %g, not %g", face, d[0], d[1], d[2],
                     (double)rgba[0][0], lod);
    }
    fixture_fini(&f);
}

static void
test_size(void **state)
{
    struct fixture f;
    int32_t size[4];
    levels_fixture(&f, 64, 5);
    sample_size(&f.bound, 2, size);
    assert_memory_equal(size, ((int32_t[]){16, 16, 1, 6}), sizeof size);
    /* the bits of each lane's coordinate are an integer, the level */
    f.request.opcode = OP_TXQ;
    for (uint32_t lane = 0; lane < 4; lane++)
        memcpy(&f.request.coord[4][lane], &lane, 4);
    float rgba[4][EXEC_MAX_LANES];
    sample_direct(&f.bound, &f.memory, &f.request, 4, rgba);
    for (int32_t lane = 0; lane < 4; lane++) {
        const int32_t wanted[4] = {64 >> lane, 64 >> lane, 1, 6};
        for (int c = 0; c < 4; c++)
            assert_memory_equal(&rgba[c][lane], &wanted[c], 4);
    }
    fixture_fini(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lod),           cmocka_unit_test(test_anisotropy),
        cmocka_unit_test(test_filter_switch), cmocka_unit_test(test_cube_lod),
        cmocka_unit_test(test_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
