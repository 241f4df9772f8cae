/* Timed uploads of narrow boxes. The transactions of the machine change the same bytes as the copy
 * of the functional renderer, and no other byte of memory. */
#include "base/mem.h"
#include "sim/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h> /* after the project's headers: cmocka.h defines a macro fail() */

enum { MEMORY = 1 << 20, CLIENT = 1, HANDLE = 1, SIZE = 36 };

/* A GPU with one client. */
struct gpu {
    struct gpu_device device;
    struct functional functional;
    struct machine *machine; /* NULL: functional only */
};

static bool
execute(struct gpu *gpu, const struct gpu_cmd *cmd)
{
    struct error err = {""};
    bool ok = gpu->machine ? machine_execute(gpu->machine, cmd, NULL, 0, &err) &&
                                 machine_drain(gpu->machine, &err)
                           : functional_execute(&gpu->functional, cmd, NULL, 0, &err);
    if (!ok)
        print_error("%s\n", err.text);
    return ok;
}

static void
gpu_begin(struct gpu *gpu, bool timed)
{
    struct params params;
    struct error err = {""};
    const struct gpu_cmd begin = {.op = GPU_CLIENT_BEGIN, .client = CLIENT};
    assert_true(params_load_preset(&params, "reference-2005", &err));
    params.MEMORYCONTROLLER.MemorySize = MEMORY;
    assert_true(gpu_device_init(&gpu->device, MEMORY, &err));
    functional_init(&gpu->functional, &gpu->device);
    gpu->machine = timed ? machine_create(&params, &gpu->device, &gpu->functional, &err) : NULL;
    assert_int_equal(gpu->machine != NULL, timed);
    assert_true(execute(gpu, &begin));
}

static void
gpu_end(struct gpu *gpu)
{
    machine_destroy(gpu->machine);
    functional_fini(&gpu->functional);
    gpu_device_fini(&gpu->device);
}

static struct resource *
make_texture(struct gpu *gpu, uint32_t target, uint32_t format)
{
    struct gpu_cmd cmd = {.op = GPU_RESOURCE_CREATE, .client = CLIENT};
    cmd.resource = (struct resource_desc){.handle = HANDLE,
                                          .target = target,
                                          .format = format,
                                          .bind = BIND_SAMPLER_VIEW,
                                          .width = SIZE,
                                          .height = SIZE,
                                          .depth = target == TARGET_3D ? 5 : 1,
                                          .array_size = target == TARGET_CUBE ? 6 : 1,
                                          .last_level = 2};
    assert_true(execute(gpu, &cmd));
    return gpu_resource(&gpu->device, CLIENT, HANDLE);
}

/* Fills both memories with the same pattern, whose bytes depend on the position. */
static void
fill_memory(struct gpu *a, struct gpu *b)
{
    for (uint32_t i = 0; i < MEMORY; i++)
        a->device.memory.bytes[i] = b->device.memory.bytes[i] = (uint8_t)(i * 2654435761u >> 24);
}

static void
upload(struct gpu *gpu, uint32_t level, const struct box *box)
{
    const struct resource *res = gpu_resource(&gpu->device, CLIENT, HANDLE);
    struct gpu_cmd cmd = {.op = GPU_PUT, .client = CLIENT};
    uint32_t bytes = resource_box_bytes(res, box);
    uint8_t *rows = mem_alloc(bytes);
    assert_true(resource_box_ok(res, level, box));
    for (uint32_t i = 0; i < bytes; i++)
        rows[i] = (uint8_t)(i * 37 + 11);
    cmd.transfer.resource = HANDLE;
    cmd.transfer.level = level;
    cmd.transfer.box = *box;
    cmd.transfer.bytes = rows;
    cmd.transfer.size_bytes = bytes;
    assert_true(execute(gpu, &cmd));
    free(rows);
}

/* Boxes in blocks, of levels 0 (36 texels), 1 (18) and 2 (9), and of the second slice if there is
 * one. */
static const struct {
    uint32_t level;
    int32_t x, y, width, height;
} boxes[] = {
    {0, 0, 0, 1, 1}, {0, 7, 5, 1, 1}, {0, 3, 2, 1, 5}, {0, 5, 1, 3, 2}, {0, 6, 6, 3, 3},
    {1, 1, 0, 1, 1}, {1, 3, 2, 1, 2}, {1, 1, 1, 3, 2}, {2, 1, 1, 1, 1}, {2, 0, 1, 2, 1},
};

static void
check_format(uint32_t target, uint32_t format)
{
    struct gpu timed, functional;
    gpu_begin(&timed, true);
    gpu_begin(&functional, false);
    const struct resource *res = make_texture(&timed, target, format);
    make_texture(&functional, target, format);
    int32_t w = res->format->block_width, h = res->format->block_height;
    for (int32_t slice = 0; slice < 2; slice++)
        for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
            uint32_t level = boxes[i].level;
            struct box box = {boxes[i].x * w,     boxes[i].y * h,      0,
                              boxes[i].width * w, boxes[i].height * h, 1};
            if (slice && res->levels[level].slices == 1)
                continue;
            box.z = slice ? (int32_t)res->levels[level].slices - 1 : 0;
            fill_memory(&timed, &functional);
            upload(&timed, level, &box);
            upload(&functional, level, &box);
            if (memcmp(timed.device.memory.bytes, functional.device.memory.bytes, MEMORY))
                fail_msg("%s, target %u, level %u, %dx%d at %d,%d,%d: other bytes",
                         res->format->name, target, level, box.width, box.height, box.x, box.y,
                         box.z);
        }
    gpu_end(&timed);
    gpu_end(&functional);
}

static void
narrow_boxes(void **state)
{
    /* 1, 2, 4, 8 and 16 bytes per texel, and blocks of 8 and 16 bytes */
    static const char *const names[] = {
        "L8_UNORM",           "L8A8_UNORM", "R8G8B8A8_UNORM", "R16G16B16A16_FLOAT",
        "R32G32B32A32_FLOAT", "DXT1_RGB",   "DXT5_RGBA"};
    static const uint32_t targets[] = {TARGET_2D, TARGET_CUBE, TARGET_3D};
    uint32_t found = 0;
    for (size_t i = 0; i < format_count(); i++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            if (!strcmp(format_at(i)->name, names[n])) {
                found++;
                for (size_t t = 0; t < 3; t++)
                    check_format(targets[t], format_at(i)->number);
            }
    assert_int_equal(found, sizeof names / sizeof names[0]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
