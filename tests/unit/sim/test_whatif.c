/* Changes of textures (sim/whatif.h), on commands made by hand, and the encoder of S3TC blocks. The
 * expected texels are means and colors that the formats hold exactly. */
#include "sim/whatif.h"

#include "state/format_encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CLIENT = 1, TEXTURE = 5, VIEW = 9 };
#define SIDE 8u

struct rig {
    struct simulation sim;
    struct whatif whatif;
    struct executor executor;
    struct error err;
};

static bool
run(struct rig *rig, struct gpu_cmd cmd)
{
    cmd.client = CLIENT;
    return rig->executor.execute(rig->executor.data, &cmd, NULL, 0, &rig->err);
}

static void
begin(struct rig *rig, const enum whatif_texture_kind *kinds, size_t count)
{
    const struct frame_set later = {.ranges = {{9, 9}}, .count = 1};
    struct params params;
    memset(rig, 0, sizeof *rig);
    params_init(&params);
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(&rig->whatif.textures,
                 ((struct whatif_texture){.kind = kinds[i], .handle = TEXTURE}));
    assert_true(simulation_init(&rig->sim, &params, &later, NULL, &rig->err));
    assert_true(whatif_attach(&rig->whatif, &rig->sim, NULL, &rig->executor, &rig->err));
    assert_true(run(rig, (struct gpu_cmd){.op = GPU_CLIENT_BEGIN}));
}

static void
end(struct rig *rig)
{
    simulation_fini(&rig->sim);
    whatif_fini(&rig->whatif);
}

static bool
create(struct rig *rig, uint32_t format, uint32_t last_level)
{
    return run(rig, (struct gpu_cmd){.op = GPU_RESOURCE_CREATE,
                                     .resource = {TEXTURE, TARGET_2D, format, BIND_SAMPLER_VIEW,
                                                  SIDE, SIDE, 1, 1, last_level, 0}});
}

static bool
put(struct rig *rig, uint32_t level, struct box box, const void *texels)
{
    return run(rig, (struct gpu_cmd){.op = GPU_PUT,
                                     .transfer = {TEXTURE, level, box, texels,
                                                  (uint32_t)(box.width * box.height * 4)}});
}

static struct box
square(int32_t side)
{
    return (struct box){0, 0, 0, side, side, 1};
}

static const struct resource *
texture(struct rig *rig)
{
    return gpu_resource(&rig->sim.device, CLIENT, TEXTURE);
}

static void
read_texel(struct rig *rig, uint32_t level, uint32_t x, uint32_t y, float rgba[4])
{
    const struct resource *res = texture(rig);
    const struct format_info *format = res->format;
    format->unpack(rig->sim.device.memory.bytes + res->address +
                       resource_offset(res, level, x, y, 0, 0),
                   x % format->block_width, y % format->block_height, rgba);
}

/* Red of a texel, 0 to 255. */
static int
red(struct rig *rig, uint32_t level, uint32_t x, uint32_t y)
{
    float rgba[4];
    read_texel(rig, level, x, y, rgba);
    return (int)(rgba[0] * 255 + 0.5f);
}

/* Red of a texel is 4 (x + 8 y). */
static void
fill(uint8_t texels[SIDE * SIDE][4])
{
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        memset(texels[i], 0, 4);
        texels[i][0] = (uint8_t)(4 * i);
        texels[i][3] = 255;
    }
}

/* The mean of a square of 2^level texels, whose corner is at (x, y) x 2^level. */
static int
mean(uint32_t level, uint32_t x, uint32_t y)
{
    const uint32_t side = 1u << level;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < side * side; i++)
        sum += 4 * (x * side + i % side + SIDE * (y * side + i / side));
    return (int)((sum * 2 + side * side) / (2 * side * side));
}

static void
expect_means(struct rig *rig, uint32_t level, uint32_t of)
{
    for (uint32_t y = 0; y < SIDE >> of; y++)
        for (uint32_t x = 0; x < SIDE >> of; x++)
            assert_in_range(red(rig, level, x, y) + 2, mean(of, x, y) + 1, mean(of, x, y) + 3);
}

static void
test_mipmaps(void **state)
{
    (void)state;
    const enum whatif_texture_kind kind = WHATIF_MIPMAPS;
    uint8_t texels[SIDE * SIDE][4];
    struct rig rig;
    fill(texels);
    begin(&rig, &kind, 1);
    assert_false(whatif_check(&rig.whatif, &rig.err)); /* the texture does not exist yet */
    assert_true(create(&rig, FORMAT_R8G8B8A8_UNORM, 0));
    assert_true(put(&rig, 0, square((int32_t)SIDE), texels));
    assert_int_equal(texture(&rig)->desc.last_level, 3);
    for (uint32_t level = 0; level <= 3; level++)
        expect_means(&rig, level, level);
    /* An upload of a part changes the levels above it. */
    for (uint32_t i = 0; i < 4; i++)
        texels[i][0] = 255;
    assert_true(put(&rig, 0, (struct box){2, 4, 0, 2, 2, 1}, texels));
    assert_int_equal(red(&rig, 1, 1, 2), 255);
    assert_int_equal(red(&rig, 1, 2, 2), mean(1, 2, 2));
    assert_true(whatif_check(&rig.whatif, &rig.err));
    /* A program that uploads mipmaps has them already. */
    assert_false(put(&rig, 1, square((int32_t)SIDE / 2), texels));
    end(&rig);
}

static void
test_halve(void **state)
{
    (void)state;
    const enum whatif_texture_kind kind = WHATIF_HALVE;
    uint8_t texels[SIDE * SIDE][4];
    struct rig rig;
    fill(texels);
    begin(&rig, &kind, 1);
    assert_true(create(&rig, FORMAT_R8G8B8A8_UNORM, 1));
    assert_true(put(&rig, 0, square((int32_t)SIDE), texels));
    assert_int_equal(texture(&rig)->desc.width, SIDE / 2);
    assert_int_equal(texture(&rig)->desc.height, SIDE / 2);
    assert_int_equal(texture(&rig)->desc.last_level, 0);
    expect_means(&rig, 0, 1);
    /* The program's own level 1 becomes level 0. */
    assert_true(put(&rig, 1, square((int32_t)SIDE / 2), texels));
    assert_int_equal(red(&rig, 0, 3, 3), 4 * 15);
    end(&rig);
}

/* Blocks of two colors that RGB 5:6:5 holds. */
static void
test_compress(void **state)
{
    (void)state;
    const enum whatif_texture_kind kind = WHATIF_COMPRESS;
    const struct {
        uint32_t format, compressed;
    } cases[] = {{FORMAT_R8G8B8X8_UNORM, FORMAT_DXT1_RGB},
                 {FORMAT_R8G8B8A8_UNORM, FORMAT_DXT5_RGBA},
                 {FORMAT_R8G8B8A8_SRGB, FORMAT_DXT5_SRGBA}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint8_t texels[SIDE * SIDE][4];
        struct rig rig;
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            memcpy(texels[i], i % 3 ? "\xff\x00\x00\xff" : "\x00\xff\xff\x80", 4);
        begin(&rig, &kind, 1);
        assert_true(create(&rig, cases[c].format, 0));
        assert_true(put(&rig, 0, square((int32_t)SIDE), texels));
        assert_int_equal(texture(&rig)->desc.format, cases[c].compressed);
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            assert_int_equal(red(&rig, 0, i % SIDE, i / SIDE), texels[i][0]);
        /* An upload of one texel encodes its block again. */
        const uint32_t at = 2 + 6 * SIDE;
        memcpy(texels[at], texels[at][0] ? "\x00\xff\xff\x80" : "\xff\x00\x00\xff", 4);
        assert_true(put(&rig, 0, (struct box){2, 6, 0, 1, 1, 1}, texels[at]));
        assert_int_equal(red(&rig, 0, 2, 6), texels[at][0]);
        assert_int_equal(red(&rig, 0, 3, 6), texels[at + 1][0]);
        end(&rig);
    }
}

/* Blocks of DXT1 without alpha. Columns 0 and 1 of a block are red, and columns 2 and 3 are black.
 * The encoder stores the two colors in the opposite order. */
static void
test_mipmaps_of_blocks(void **state)
{
    (void)state;
    static const uint8_t block[8] = {0x00, 0x00, 0x00, 0xf8, 0x05, 0x05, 0x05, 0x05};
    const enum whatif_texture_kind kind = WHATIF_MIPMAPS, compress = WHATIF_COMPRESS;
    uint8_t blocks[4][8];
    struct rig rig;
    for (size_t i = 0; i < 4; i++)
        memcpy(blocks[i], block, sizeof block);
    const struct gpu_cmd upload = {
        .op = GPU_PUT, .transfer = {TEXTURE, 0, square((int32_t)SIDE), blocks[0], sizeof blocks}};
    begin(&rig, &kind, 1);
    assert_true(create(&rig, FORMAT_DXT1_RGB, 0));
    assert_true(run(&rig, upload));
    assert_int_equal(texture(&rig)->desc.last_level, 3);
    assert_int_equal(texture(&rig)->desc.format, FORMAT_DXT1_RGB);
    /* The program's blocks are kept. */
    for (uint32_t i = 0; i < 4; i++)
        assert_memory_equal(rig.sim.device.memory.bytes + texture(&rig)->address +
                                resource_offset(texture(&rig), 0, i % 2 * 4, i / 2 * 4, 0, 0),
                            block, sizeof block);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(red(&rig, 1, i % 4, i / 4), i % 2 ? 0 : 255);
    /* The mean, 127.5, has 5 bits: at most 4.2 less or more. */
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(red(&rig, 2, i % 2, i / 2), 123, 132);
    assert_in_range(red(&rig, 3, 0, 0), 119, 136);
    end(&rig);

    begin(&rig, &kind, 1);
    assert_false(create(&rig, FORMAT_DXT3_RGBA, 0)); /* there is no encoder */
    end(&rig);
    begin(&rig, &compress, 1);
    assert_false(create(&rig, FORMAT_DXT1_RGB, 0));
    end(&rig);
}

/* Changes are made one after another: half as large, then mipmaps, then compressed. */
static void
test_all_changes(void **state)
{
    (void)state;
    const enum whatif_texture_kind kinds[] = {WHATIF_HALVE, WHATIF_MIPMAPS, WHATIF_COMPRESS};
    uint8_t texels[SIDE * SIDE][4];
    struct rig rig;
    memset(texels, 255, sizeof texels);
    begin(&rig, kinds, 3);
    assert_true(create(&rig, FORMAT_R8G8B8X8_UNORM, 0));
    assert_true(put(&rig, 0, square((int32_t)SIDE), texels));
    assert_int_equal(texture(&rig)->desc.width, SIDE / 2);
    assert_int_equal(texture(&rig)->desc.last_level, 2);
    assert_int_equal(texture(&rig)->desc.format, FORMAT_DXT1_RGB);
    for (uint32_t level = 0; level <= 2; level++)
        assert_int_equal(red(&rig, level, 0, 0), 255);
    end(&rig);
}

static void
test_refusals(void **state)
{
    (void)state;
    const struct gpu_cmd surface = {
        .op = GPU_CREATE_OBJECT,
        .create = {.type = OBJECT_SURFACE, .handle = VIEW, .surface = {.resource = TEXTURE}}};
    const struct gpu_cmd copy = {.op = GPU_COPY_REGION,
                                 .copy = {.dst = 7, .src = TEXTURE, .src_box = {0, 0, 0, 1, 1, 1}}};
    for (uint32_t k = 0; k < WHATIF_TEXTURE_KINDS; k++) {
        const enum whatif_texture_kind kind = (enum whatif_texture_kind)k;
        struct rig rig;
        begin(&rig, &kind, 1);
        assert_true(create(&rig, FORMAT_R8G8B8A8_UNORM, 0));
        assert_false(run(&rig, surface));
        assert_string_equal(strrchr(rig.err.text, ':'), ": the texture is a render target");
        assert_false(run(&rig, copy));
        end(&rig);
        begin(&rig, &kind, 1);
        assert_false(create(&rig, FORMAT_DXT3_RGBA, 0));
        assert_false(create(&rig, FORMAT_Z24X8_UNORM, 0));
        end(&rig);
    }
}

/* Constant blocks and steps of alpha are exact; other texels are near. */
static void
test_encoder(void **state)
{
    (void)state;
    const struct format_info *format = format_get(FORMAT_DXT5_RGBA);
    uint8_t texels[16][4], block[16];
    for (uint32_t i = 0; i < 16; i++) {
        const uint8_t texel[4] = {(uint8_t)(16 * i), (uint8_t)(8 * i), (uint8_t)(255 - 16 * i),
                                  (uint8_t)(17 * i)};
        memcpy(texels[i], texel, sizeof texel);
    }
    s3tc_encode(true, texels, block);
    for (uint32_t i = 0; i < 16; i++) {
        float rgba[4];
        format->unpack(block, i % 4, i / 4, rgba);
        for (uint32_t c = 0; c < 4; c++) {
            /* Half a step of three, or of seven for alpha, plus the rounding of the ends. */
            const int most = c == 3 ? 255 / 14 + 1 : 240 / 6 + 6;
            assert_in_range((int)(rgba[c] * 255 + 0.5f) - texels[i][c] + most, 0, 2 * most);
        }
    }
    for (uint32_t i = 0; i < 16; i++)
        memcpy(texels[i], "\xff\xff\x00\x07", 4);
    s3tc_encode(true, texels, block);
    float rgba[4];
    format->unpack(block, 3, 2, rgba);
    assert_int_equal((int)(rgba[0] * 255 + 0.5f), 255);
    assert_int_equal((int)(rgba[2] * 255 + 0.5f), 0);
    assert_int_equal((int)(rgba[3] * 255 + 0.5f), 7);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mipmaps),     cmocka_unit_test(test_mipmaps_of_blocks),
        cmocka_unit_test(test_halve),       cmocka_unit_test(test_compress),
        cmocka_unit_test(test_all_changes), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_encoder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
