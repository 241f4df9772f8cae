/* Clears, copies, blits and pictures. Each result is compared pixel by pixel with the definition of
 * the command. A substitute for the device has up to three resources in separate memory. */
#include "gfx/transfer.h"
#include "base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct resource resources[4]; /* indexed by handle */
static struct gpu_device device;
static bool condition = true;

struct resource *
gpu_resource(struct gpu_device *unused, uint32_t client, uint32_t handle)
{
    return handle > 0 && handle < 4 && resources[handle].format ? &resources[handle] : NULL;
}

bool
gpu_render_condition(struct gpu_device *unused, const struct gpu_cmd *cmd)
{
    return condition;
}

static int
setup(void **state)
{
    memset(resources, 0, sizeof resources);
    device.memory.size_bytes = 1 << 20;
    device.memory.bytes = mem_alloc(device.memory.size_bytes);
    return 0;
}

static int
teardown(void **state)
{
    free(device.memory.bytes);
    return 0;
}

/* Creates resource `handle`, filled with bytes that depend on their position. */
static struct resource *
make(uint32_t handle, uint32_t target, uint32_t format, uint32_t width, uint32_t height,
     uint32_t layers, uint32_t samples)
{
    struct resource *res = &resources[handle];
    struct resource_desc desc = {.handle = handle,
                                 .target = target,
                                 .format = format,
                                 .width = width,
                                 .height = height,
                                 .depth = target == TARGET_3D ? layers : 1,
                                 .array_size = target == TARGET_3D ? 1 : layers,
                                 .last_level = samples > 1 || target == TARGET_BUFFER ? 0 : 1,
                                 .samples = samples};
    assert_true(resource_init(res, &desc, NULL));
    res->address = handle << 18;
    for (uint32_t i = 0; i < res->size_bytes; i++)
        device.memory.bytes[res->address + i] = (uint8_t)((i * 2654435761u + handle * 77) >> 23);
    return res;
}

static uint8_t *
pixel(const struct resource *res, uint32_t level, uint32_t x, uint32_t y, uint32_t z, uint32_t s)
{
    return device.memory.bytes + res->address + resource_offset(res, level, x, y, z, s);
}

static void
test_clear(void **state)
{
    static const float rgba[4] = {1, 0.2f, 0, 0.4f};
    for (size_t i = 0; i < format_count(); i++) {
        const struct format_info *f = format_at(i);
        if (!(f->uses & FORMAT_COLOR))
            continue;
        struct resource *res = make(1, TARGET_2D_ARRAY, f->number, 19, 13, 3, 1);
        uint8_t before[16], after[16], want[16];
        memcpy(before, pixel(res, 0, 18, 12, 0, 0), f->block_bytes);
        memcpy(after, pixel(res, 0, 0, 0, 2, 0), f->block_bytes);
        f->pack(rgba, want);
        struct bound_surface surface = {res, f, 0, 1, 19, 13, 1, 1, false};
        clear_color(&surface, &device.memory, rgba);
        for (uint32_t p = 0; p < 19 * 13; p++)
            assert_memory_equal(pixel(res, 0, p % 19, p / 19, 1, 0), want, f->block_bytes);
        assert_memory_equal(before, pixel(res, 0, 18, 12, 0, 0), f->block_bytes);
        assert_memory_equal(after, pixel(res, 0, 0, 0, 2, 0), f->block_bytes);
    }
}

static uint32_t
word_at(const struct resource *res, uint32_t x, uint32_t y)
{
    uint32_t word;
    memcpy(&word, pixel(res, 0, x, y, 0, 0), 4);
    return word;
}

static void
test_clear_depth(void **state)
{
    struct resource *res = make(1, TARGET_2D, 19, 9, 9, 1, 1); /* Z24_UNORM_S8_UINT */
    struct bound_surface surface = {res, res->format, 0, 0, 9, 9, 1, 1, false};
    uint32_t old = word_at(res, 3, 4);
    clear_depth(&surface, &device.memory, MASK_STENCIL, 0.5, 0x1ab);
    assert_int_equal(word_at(res, 3, 4), (old & 0xffffff) | 0xab000000);
    clear_depth(&surface, &device.memory, MASK_DEPTH, 1.0, 0);
    assert_int_equal(word_at(res, 8, 8), 0xabffffff);
    clear_depth(&surface, &device.memory, MASK_DEPTH | MASK_STENCIL, 0.5, 1);
    assert_int_equal(word_at(res, 0, 0), 0x01800000); /* 8388607.5 rounds up */
    res = make(2, TARGET_2D, 20, 9, 9, 1, 1);         /* stencil is in the low byte */
    surface = (struct bound_surface){res, res->format, 0, 0, 9, 9, 1, 1, false};
    clear_depth(&surface, &device.memory, MASK_DEPTH | MASK_STENCIL, 7, 0x12);
    assert_int_equal(word_at(res, 5, 5), 0xffffff12);
    res = make(3, TARGET_2D, 18, 9, 9, 1, 1); /* Z32_FLOAT */
    surface = (struct bound_surface){res, res->format, 0, 0, 9, 9, 1, 1, false};
    clear_depth(&surface, &device.memory, MASK_DEPTH, 0.25, 0);
    assert_int_equal(word_at(res, 5, 5), 0x3e800000);
}

/* Depths round to the nearest multiple of 1 / (2^24 - 1), in double precision like Mesa's
 * util_pack_z(). 2^24 - 1 is 16777215. 0.3 is 5033164.5, which rounds to even. 0.035 is 587202.525,
 * which a float product would round down. 0.123 is 2063597.445, which a float product would round
 * up. */
static void
test_clear_depth_nearest(void **state)
{
    static const struct {
        double depth;
        uint32_t bits;
    } clears[] = {{0.3, 5033164}, {0.035, 587203}, {0.123, 2063597}};
    struct resource *res = make(1, TARGET_2D, 19, 9, 9, 1, 1);
    struct bound_surface surface = {
        .res = res, .format = res->format, .width = 9, .height = 9, .samples = 1};
    for (size_t i = 0; i < sizeof clears / sizeof *clears; i++) {
        clear_depth(&surface, &device.memory, MASK_DEPTH | MASK_STENCIL, clears[i].depth, 0x5a);
        assert_int_equal(word_at(res, 7, 8), 0x5a000000 | clears[i].bits);
        clear_depth(&surface, &device.memory, MASK_DEPTH | MASK_STENCIL, 1.0, 0xa5);
        clear_depth(&surface, &device.memory, MASK_DEPTH, clears[i].depth, 0);
        assert_int_equal(word_at(res, 7, 8), 0xa5000000 | clears[i].bits);
    }
}

static void
test_copy(void **state)
{
    struct resource *dst = make(1, TARGET_2D, 67, 30, 20, 1, 1);
    struct resource *src = make(2, TARGET_CUBE, 1, 16, 16, 6, 1);
    struct gpu_cmd cmd = {
        .copy = {.dst = 1, .dst_x = 5, .dst_y = 6, .src = 2, .src_box = {2, 3, 4, 9, 10, 1}}};
    struct error err;
    assert_true(copy_region(&device, &cmd, &err));
    for (uint32_t y = 0; y < 10; y++)
        for (uint32_t x = 0; x < 9; x++)
            assert_memory_equal(pixel(dst, 0, 5 + x, 6 + y, 0, 0),
                                pixel(src, 0, 2 + x, 3 + y, 4, 0), 4);
    /* a copy within the resource, by one pixel to the right and down */
    uint8_t old[30 * 20 * 4];
    resource_read_box(dst, &device.memory, 0, &(struct box){0, 0, 0, 30, 20, 1}, old);
    cmd = (struct gpu_cmd){
        .copy = {.dst = 1, .dst_x = 1, .dst_y = 1, .src = 1, .src_box = {0, 0, 0, 29, 19, 1}}};
    assert_true(copy_region(&device, &cmd, &err));
    for (uint32_t y = 0; y < 19; y++)
        for (uint32_t x = 0; x < 29; x++)
            assert_memory_equal(pixel(dst, 0, x + 1, y + 1, 0, 0), old + (y * 30 + x) * 4, 4);
    /* buffers are copied by bytes, and samples together with their pixel */
    make(1, TARGET_BUFFER, 64, 100, 1, 1, 1);
    make(2, TARGET_BUFFER, 64, 90, 1, 1, 1);
    cmd =
        (struct gpu_cmd){.copy = {.dst = 1, .dst_x = 3, .src = 2, .src_box = {7, 0, 0, 80, 1, 1}}};
    assert_true(copy_region(&device, &cmd, &err));
    assert_memory_equal(device.memory.bytes + (1 << 18) + 3, device.memory.bytes + (2 << 18) + 7,
                        80);
    dst = make(1, TARGET_2D, 67, 9, 9, 1, 4);
    src = make(2, TARGET_2D, 67, 9, 9, 1, 4);
    cmd = (struct gpu_cmd){.copy = {.dst = 1, .dst_x = 3, .src = 2, .src_box = {0, 0, 0, 5, 9, 1}}};
    assert_true(copy_region(&device, &cmd, &err));
    assert_memory_equal(pixel(dst, 0, 6, 8, 0, 0), pixel(src, 0, 3, 8, 0, 0), 16);
}

static const uint8_t *
read_old(void *data, uint32_t offset)
{
    return (const uint8_t *)data + offset;
}

/* Executes the command element by element, starting from the previous content of memory. */
static void
by_elements(const struct gpu_cmd *cmd, uint8_t *memory)
{
    struct blit_plan plan;
    struct blit_position to;
    struct error err;
    assert_true(blit_plan_init(&plan, &device, cmd, &err));
    const struct resource *dst = plan.dst.res;
    const bool buffer = dst->desc.target == TARGET_BUFFER;
    const struct blit_source source = {read_old, device.memory.bytes + plan.src.res->address};
    for (to.z = 0; to.z < (int32_t)dst->levels[plan.dst.level].slices; to.z++)
        for (to.y = 0; to.y < 40; to.y++)
            for (to.x = 0; to.x < 110; to.x++)
                for (to.sample = 0; to.sample < dst->samples; to.sample++) {
                    uint32_t x = (uint32_t)to.x * (buffer ? 1 : dst->format->block_width);
                    uint32_t y = (uint32_t)to.y * (buffer ? 1 : dst->format->block_height);
                    if (blit_covers(&plan, &to))
                        blit_element(&plan, &to, &source,
                                     memory + dst->address +
                                         resource_offset(dst, plan.dst.level, x, y, (uint32_t)to.z,
                                                         to.sample));
                }
}

/* A copy by elements and the copy of rows change the same bytes, and no others. Cases are pixels of
 * every size, compressed blocks, bytes, samples, and forced samples. */
static void
test_copy_by_elements(void **state)
{
    static const struct {
        const char *format;
        uint32_t target, samples, dst_forced, src_forced;
    } cases[] = {
        {"R8G8B8A8_UNORM", TARGET_2D_ARRAY, 1, 0, 0},
        {"R8_UNORM", TARGET_2D_ARRAY, 1, 0, 0},
        {"R16G16B16A16_FLOAT", TARGET_2D_ARRAY, 1, 0, 0},
        {"R32G32B32A32_FLOAT", TARGET_2D_ARRAY, 1, 0, 0},
        {"DXT1_RGB", TARGET_2D_ARRAY, 1, 0, 0},
        {"DXT5_RGBA", TARGET_2D_ARRAY, 1, 0, 0},
        {"R8_UNORM", TARGET_BUFFER, 1, 0, 0},
        {"R8G8B8A8_UNORM", TARGET_2D, 4, 0, 0},
        {"R8G8B8A8_UNORM", TARGET_2D, 1, 4, 0},
        {"R8G8B8A8_UNORM", TARGET_2D, 1, 0, 4},
        {"Z24_UNORM_S8_UINT", TARGET_2D, 1, 0, 4},
        {"R8G8B8A8_UNORM", TARGET_2D, 1, 2, 8},
    };
    const uint32_t bytes = device.memory.size_bytes;
    uint8_t *old = mem_alloc(bytes), *rows = mem_alloc(bytes);
    struct error err;
    uint32_t found = 0;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (size_t i = 0; i < format_count(); i++) {
            if (strcmp(format_at(i)->name, cases[c].format))
                continue;
            found++;
            const bool buffer = cases[c].target == TARGET_BUFFER;
            for (uint32_t handle = 1; handle < 3; handle++) {
                uint32_t forced = handle == 1 ? cases[c].dst_forced : cases[c].src_forced;
                struct resource *res =
                    make(handle, cases[c].target, format_at(i)->number, buffer ? 100 : 32,
                         buffer ? 1 : 24, cases[c].target == TARGET_2D_ARRAY ? 3 : 1,
                         forced ? forced : cases[c].samples);
                res->forced_samples = forced;
            }
            const uint32_t z = cases[c].target == TARGET_2D_ARRAY;
            const struct gpu_cmd cmd = {
                .op = GPU_COPY_REGION,
                .copy = {.dst = 1,
                         .dst_x = 8,
                         .dst_y = buffer ? 0 : 4,
                         .dst_z = 2 * z,
                         .src = 2,
                         .src_box = {4, buffer ? 0 : 8, (int32_t)z, 12, buffer ? 1 : 16, 1}}};
            memcpy(old, device.memory.bytes, bytes);
            assert_true(copy_region(&device, &cmd, &err));
            memcpy(rows, device.memory.bytes, bytes);
            memcpy(device.memory.bytes, old, bytes);
            by_elements(&cmd, old);
            assert_memory_equal(old, rows, bytes);
            assert_true(memcmp(rows, device.memory.bytes, bytes) != 0);
        }
    }
    assert_int_equal(found, sizeof cases / sizeof cases[0]);
    free(old);
    free(rows);
}

static void
test_copy_refusals(void **state)
{
    make(1, TARGET_2D, 67, 30, 20, 1, 1);
    make(2, TARGET_2D, 7, 30, 20, 1, 1);
    make(3, TARGET_BUFFER, 64, 100, 1, 1, 1);
    static const struct gpu_cmd bad[] = {
        {.copy = {.dst = 1, .src = 2, .src_box = {0, 0, 0, 4, 4, 1}}},
        {.copy = {.dst = 1, .src = 3, .src_box = {0, 0, 0, 4, 1, 1}}},
        {.copy = {.dst = 1, .src = 1, .src_box = {-1, 0, 0, 4, 4, 1}}},
        {.copy = {.dst = 1, .src = 1, .src_box = {0, 0, 0, 31, 4, 1}}},
        {.copy = {.dst = 1, .dst_x = 28, .src = 1, .src_box = {0, 0, 0, 4, 4, 1}}},
        {.copy = {.dst = 1, .dst_x = UINT32_MAX, .src = 1, .src_box = {0, 0, 0, 4, 4, 1}}},
        {.copy = {.dst = 1, .dst_level = 9, .src = 1, .src_box = {0, 0, 0, 4, 4, 1}}},
        {.copy = {.dst = 1, .src = 7, .src_box = {0, 0, 0, 4, 4, 1}}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = {{0}};
        assert_false(copy_region(&device, &bad[i], &err));
        assert_true(err.text[0] != 0);
    }
}

static struct gpu_cmd
blit_of(uint32_t dst_format, struct box dst, uint32_t src_format, struct box src)
{
    return (struct gpu_cmd){.blit = {.mask = 0x3f,
                                     .filter = FILTER_NEAREST,
                                     .dst = {1, 0, dst_format, dst},
                                     .src = {2, 0, src_format, src}}};
}

static void
test_blit_nearest(void **state)
{
    struct resource *dst = make(1, TARGET_2D, 67, 32, 32, 1, 1);
    struct resource *src = make(2, TARGET_2D, 1, 32, 32, 1, 1);
    struct error err;
    /* twice as wide, mirrored in y, BGRA to RGBA, clipped by a scissor */
    struct gpu_cmd cmd =
        blit_of(67, (struct box){4, 20, 0, 16, -10, 1}, 1, (struct box){3, 5, 0, 8, 10, 1});
    uint8_t untouched[4];
    memcpy(untouched, pixel(dst, 0, 4, 12, 0, 0), 4);
    cmd.blit.scissor_enable = true;
    cmd.blit.scissor = (struct scissor_state){5, 0, 18, 32};
    assert_true(blit(&device, &cmd, &err));
    assert_memory_equal(pixel(dst, 0, 4, 12, 0, 0), untouched, 4);
    for (uint32_t y = 0; y < 10; y++)
        for (uint32_t x = 1; x < 14; x++) {
            const uint8_t *from = pixel(src, 0, 3 + x / 2, 14 - y, 0, 0);
            const uint8_t want[4] = {from[2], from[1], from[0], from[3]};
            assert_memory_equal(pixel(dst, 0, 4 + x, 10 + y, 0, 0), want, 4);
        }
    /* channels outside the mask are unchanged */
    uint8_t old[4];
    memcpy(old, pixel(dst, 0, 9, 9, 0, 0), 4);
    cmd = blit_of(67, (struct box){0, 0, 0, 32, 32, 1}, 1, (struct box){0, 0, 0, 32, 32, 1});
    cmd.blit.mask = 0x5;
    assert_true(blit(&device, &cmd, &err));
    const uint8_t *from = pixel(src, 0, 9, 9, 0, 0);
    const uint8_t want[4] = {from[2], old[1], from[0], old[3]};
    assert_memory_equal(pixel(dst, 0, 9, 9, 0, 0), want, 4);
    /* if the render condition is false, nothing changes */
    memcpy(old, pixel(dst, 0, 9, 9, 0, 0), 4);
    cmd.blit.mask = 0xf;
    cmd.blit.render_condition = true;
    condition = false;
    assert_true(blit(&device, &cmd, &err));
    condition = true;
    assert_memory_equal(pixel(dst, 0, 9, 9, 0, 0), old, 4);
}

/* A blit to half the size with a linear filter: each pixel is the average of four. */
static void
test_blit_linear(void **state)
{
    struct resource *dst = make(1, TARGET_2D, 67, 32, 32, 1, 1);
    struct resource *src = make(2, TARGET_2D, 67, 32, 32, 1, 1);
    struct gpu_cmd cmd =
        blit_of(67, (struct box){0, 0, 0, 16, 16, 1}, 67, (struct box){0, 0, 0, 32, 32, 1});
    cmd.blit.filter = FILTER_LINEAR;
    struct error err;
    assert_true(blit(&device, &cmd, &err));
    for (uint32_t i = 0; i < 256; i++)
        for (int c = 0; c < 4; c++) {
            uint32_t x = i % 16, y = i / 16;
            double mean = 0;
            for (uint32_t k = 0; k < 4; k++)
                mean += pixel(src, 0, 2 * x + (k & 1), 2 * y + (k >> 1), 0, 0)[c] / 4.0;
            double got = pixel(dst, 0, x, y, 0, 0)[c];
            assert_true(got - mean <= 0.501 && mean - got <= 0.501);
        }
}

/* A mipmap level of a depth format made from the previous one, 5 x 3 to 2 x 1. The sample positions
 * are 1.25 and 3.75 texels from the left. They are between texels 0 and 1 (a quarter of texel 0)
 * and between texels 3 and 4 (a quarter of texel 4). The position 1.5 texels from the top is on the
 * middle row. Stencil is unchanged. */
static void
test_blit_linear_depth(void **state)
{
    /* weights one quarter and three quarters */
    static const uint32_t texels[2][2] = {{0, 1}, {4, 3}};
    uint32_t formats = 0;
    for (size_t i = 0; i < format_count(); i++) {
        const struct format_info *f = format_at(i);
        if (!f->depth_bits)
            continue;
        struct resource *res = make(1, TARGET_2D, f->number, 5, 3, 1, 1);
        for (uint32_t p = 0; p < 15; p++)
            f->pack((const float[4]){(float)(p * 17 % 16) / 16}, pixel(res, 0, p % 5, p / 5, 0, 0));
        uint64_t old[2] = {0};
        for (uint32_t x = 0; x < 2; x++)
            memcpy(&old[x], pixel(res, 1, x, 0, 0, 0), f->block_bytes);
        struct gpu_cmd cmd = {.blit = {.mask = 0x10,
                                       .filter = FILTER_LINEAR,
                                       .dst = {1, 1, f->number, {0, 0, 0, 2, 1, 1}},
                                       .src = {1, 0, f->number, {0, 0, 0, 5, 3, 1}}}};
        struct error err;
        assert_true(blit(&device, &cmd, &err));
        for (uint32_t x = 0; x < 2; x++) {
            float got[4], from[2][4];
            uint64_t now = 0;
            const uint64_t depth_mask = f->stencil_bits
                                            ? (((uint64_t)1 << f->depth_bits) - 1) << f->depth_shift
                                            : UINT64_MAX;
            f->unpack(pixel(res, 1, x, 0, 0, 0), 0, 0, got);
            for (uint32_t k = 0; k < 2; k++)
                f->unpack(pixel(res, 0, texels[x][k], 1, 0, 0), 0, 0, from[k]);
            const double want = from[0][0] * 0.25 + from[1][0] * 0.75;
            assert_true(fabs(got[0] - want) <=
                        1.0 / (exp2(f->depth_bits < 24 ? f->depth_bits : 23) - 1));
            memcpy(&now, pixel(res, 1, x, 0, 0, 0), f->block_bytes);
            assert_true((now & ~depth_mask) == (old[x] & ~depth_mask));
        }
        formats++;
    }
    assert_true(formats >= 6);
}

/* A blit to half the depth, as for a mipmap of a 3D texture, averages two slices. Slices of 16, 80,
 * 144 and 208 give (16 + 80) / 2 = 48 and (144 + 208) / 2 = 176. Layers of an array are not mixed.
 */
static void
test_blit_slices(void **state)
{
    static const uint8_t slices[4] = {16, 80, 144, 208}, mean[2] = {48, 176};
    static const struct {
        uint32_t target, layers;
    } cases[] = {{TARGET_3D, 2}, {TARGET_2D_ARRAY, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool filtered = cases[i].target == TARGET_3D;
        const int32_t layers = (int32_t)cases[i].layers;
        struct resource *res = make(1, cases[i].target, 67, 8, 8, 4, 1);
        for (uint32_t p = 0; p < 8 * 8 * 4; p++)
            memset(pixel(res, 0, p % 8, p / 8 % 8, p / 64, 0), slices[p / 64], 4);
        struct gpu_cmd cmd = {.blit = {
                                  .mask = 0x3f,
                                  .filter = FILTER_LINEAR,
                                  .dst = {1, 1, 67, {0, 0, 0, 4, 4, layers}},
                                  .src = {1, 0, 67, {0, 0, 0, 8, 8, 4}},
                              }};
        struct error err;
        assert_true(blit(&device, &cmd, &err));
        for (uint32_t p = 0; p < 4 * 4 * cases[i].layers; p++)
            for (uint32_t c = 0; c < 4; c++)
                assert_int_equal(pixel(res, 1, p % 4, p / 4 % 4, p / 16, 0)[c],
                                 filtered ? mean[p / 16] : slices[p / 16]);
    }
}

static void
test_blit_depth_and_resolve(void **state)
{
    struct resource *dst = make(1, TARGET_2D, 19, 8, 8, 1, 1);
    struct resource *src = make(2, TARGET_2D, 20, 8, 8, 1, 1);
    struct error err;
    uint32_t old = word_at(dst, 2, 3), from = word_at(src, 2, 3);
    struct box all = {0, 0, 0, 8, 8, 1};
    struct gpu_cmd cmd = blit_of(19, all, 20, all);
    cmd.blit.mask = 0x10;
    assert_true(blit(&device, &cmd, &err));
    assert_int_equal(word_at(dst, 2, 3), (old & 0xff000000) | from >> 8);
    cmd.blit.mask = 0x20;
    assert_true(blit(&device, &cmd, &err));
    assert_int_equal(word_at(dst, 2, 3), from << 24 | from >> 8);

    dst = make(1, TARGET_2D, 67, 8, 8, 1, 1);
    src = make(2, TARGET_2D, 67, 8, 8, 1, 4);
    for (uint32_t s = 0; s < 4; s++)
        memset(pixel(src, 0, 5, 6, 0, s), (int)(s * 40), 4);
    cmd = blit_of(67, all, 67, all);
    assert_true(blit(&device, &cmd, &err));
    assert_int_equal(pixel(dst, 0, 5, 6, 0, 0)[1], 60);

    struct gpu_cmd bad = blit_of(67, all, 67, all);
    bad.blit.dst.level = 5;
    assert_false(blit(&device, &bad, &err));
    bad = blit_of(7, all, 67, all);
    assert_false(blit(&device, &bad, &err));
    bad = blit_of(67, all, 67, all);
    bad.blit.alpha_blend = true;
    assert_false(blit(&device, &bad, &err));
}

/* Boxes far outside a resource read and write only bytes inside it. The sanitizer checks this. */
static void
test_blit_hostile(void **state)
{
    static const int32_t odd[] = {0, 1, -1, 7, -7, 40, INT32_MAX, INT32_MIN, -1000000, 3};
    struct resource *dst = make(1, TARGET_3D, 67, 8, 8, 4, 1);
    make(2, TARGET_2D, 67, 8, 8, 1, 1);
    uint32_t random = 1;
    for (int n = 0; n < 3000; n++) {
        int32_t v[12];
        for (int i = 0; i < 12; i++)
            v[i] = odd[(random = random * 1664525u + 1013904223u) / 429496730u];
        struct gpu_cmd cmd = blit_of(67, (struct box){v[0], v[1], v[2], v[3], v[4], v[5]}, 67,
                                     (struct box){v[6], v[7], v[8], v[9], v[10], v[11]});
        cmd.blit.filter = (uint32_t)n & 1;
        struct error err;
        uint8_t *end = device.memory.bytes + dst->address + dst->size_bytes;
        uint8_t guard = *end;
        assert_true(blit(&device, &cmd, &err));
        assert_int_equal(*end, guard);
    }
}

static void
test_picture(void **state)
{
    struct picture picture;
    struct resource *res = make(1, TARGET_2D, 2, 10, 6, 1, 1); /* B8G8R8X8 */
    picture_of_resource(&picture, res, &device.memory);
    assert_int_equal(picture.width, 10);
    assert_int_equal(picture.height, 6);
    assert_false(picture.has_alpha);
    for (uint32_t i = 0; i < 60; i++) {
        const uint8_t *p = pixel(res, 0, i % 10, i / 10, 0, 0);
        const uint8_t want[4] = {p[2], p[1], p[0], 255};
        assert_memory_equal(picture.rgba + 4 * i, want, 4);
    }
    free(picture.rgba);
    res = make(1, TARGET_2D, 104, 10, 6, 1, 1); /* sRGB: encoded values are unchanged */
    picture_of_resource(&picture, res, &device.memory);
    assert_true(picture.has_alpha);
    assert_memory_equal(picture.rgba + 4 * 23, pixel(res, 0, 3, 2, 0, 0), 4);
    free(picture.rgba);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_clear),
        TEST(test_clear_depth),
        TEST(test_clear_depth_nearest),
        TEST(test_copy),
        TEST(test_copy_by_elements),
        TEST(test_copy_refusals),
        TEST(test_blit_nearest),
        TEST(test_blit_linear),
        TEST(test_blit_linear_depth),
        TEST(test_blit_slices),
        TEST(test_blit_depth_and_resolve),
        TEST(test_blit_hostile),
        TEST(test_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
