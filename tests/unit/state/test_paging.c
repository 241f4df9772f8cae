/* Resources that together exceed the simulated memory (state/context_paging.c). */
#include "state/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h> /* after the project's headers: cmocka.h defines a macro fail() */

enum { MEMORY = 1 << 20, BUFFERS = 12, BYTES = 1 << 18, PART = 5000 };

static struct gpu_device device;
static struct error err;

static struct gpu_cmd
transfer(enum gpu_op op, uint32_t handle, uint32_t bytes)
{
    struct gpu_cmd cmd = {.op = op, .client = 1};
    cmd.transfer.resource = handle;
    cmd.transfer.box = (struct box){0, 0, 0, (int32_t)bytes, 1, 1};
    cmd.transfer.size_bytes = bytes;
    return cmd;
}

static bool
get(uint32_t handle)
{
    const struct gpu_cmd cmd = transfer(GPU_GET, handle, BYTES);
    return gpu_apply(&device, &cmd, &err);
}

/* Sets the first `bytes` of a buffer to `value`, and its second byte to `second`. */
static bool
try_put(uint32_t handle, int value, int second, uint32_t bytes)
{
    static uint8_t rows[BYTES];
    struct gpu_cmd cmd = transfer(GPU_PUT, handle, bytes);
    memset(rows, value, bytes);
    rows[1] = (uint8_t)second;
    cmd.transfer.bytes = rows;
    if (!gpu_apply(&device, &cmd, &err))
        return false;
    gpu_put(&device, &cmd);
    return true;
}

static void
put(uint32_t handle, int value, int second, uint32_t bytes)
{
    assert_true(try_put(handle, value, second, bytes));
}

static bool
create_buffer(uint32_t handle)
{
    struct gpu_cmd cmd = {.op = GPU_RESOURCE_CREATE, .client = 1};
    cmd.resource = (struct resource_desc){.handle = handle,
                                          .target = TARGET_BUFFER,
                                          .format = FORMAT_R8_UNORM,
                                          .bind = BIND_VERTEX_BUFFER,
                                          .width = BYTES,
                                          .height = 1,
                                          .depth = 1,
                                          .array_size = 1};
    return gpu_apply(&device, &cmd, &err);
}

static uint8_t *
bytes_of(uint32_t handle)
{
    return device.memory.bytes + gpu_resource(&device, 1, handle)->address;
}

static void
begin(bool pages)
{
    const struct gpu_cmd cmd = {.op = GPU_CLIENT_BEGIN, .client = 1};
    assert_true(gpu_device_init(&device, MEMORY, &err));
    device.pages = pages;
    assert_true(gpu_apply(&device, &cmd, &err));
}

static void
drop(uint32_t handle)
{
    const struct gpu_cmd unref = {.op = GPU_RESOURCE_UNREF, .client = 1, .unref.handle = handle};
    assert_true(gpu_apply(&device, &unref, &err));
}

/* The buffers need three times the memory. Every buffer has its content when a command uses it.
 * Half of the buffers contain a single value. */
static void
test_more_than_fits(void **state)
{
    begin(true);
    for (uint32_t i = 1; i <= BUFFERS; i++) {
        assert_true(create_buffer(i));
        assert_true(get(i));
        assert_int_equal(bytes_of(i)[0], 0);
        assert_memory_equal(bytes_of(i), bytes_of(i) + 1, BYTES - 1);
        memset(bytes_of(i), (int)i, BYTES);
        bytes_of(i)[1] = i % 2 ? 0 : (uint8_t)i;
    }
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t k = 0; k < BUFFERS; k++) {
            const uint32_t i = 1 + k * (round == 1 ? 7 : 1) % BUFFERS;
            assert_true(get(i));
            assert_int_equal(bytes_of(i)[0], i);
            assert_int_equal(bytes_of(i)[1], i % 2 ? 0 : i);
            assert_int_equal(bytes_of(i)[BYTES - 1], i);
            assert_memory_equal(bytes_of(i) + 2, bytes_of(i) + 3, BYTES - 3);
        }
    assert_true(device.memory.used_bytes <= MEMORY);
    drop(1);
    gpu_device_fini(&device);
}

/* First writes to the whole or a part of a buffer. The buffer is in memory, or outside if memory is
 * full. Later rounds reuse memory of other buffers. The rest of each buffer is zero. */
static void
test_first_put(void **state)
{
    begin(true);
    for (uint32_t round = 1; round <= 3; round++) {
        for (uint32_t i = 1; i <= BUFFERS; i++) {
            assert_true(create_buffer(i));
            put(i, (int)(16 * round + i), 0, i % 2 ? BYTES : PART);
        }
        for (uint32_t i = 1; i <= BUFFERS; i++) {
            assert_true(get(i));
            assert_int_equal(bytes_of(i)[0], 16 * round + i);
            assert_int_equal(bytes_of(i)[PART - 1], 16 * round + i);
            assert_int_equal(bytes_of(i)[PART], i % 2 ? 16 * round + i : 0);
            assert_memory_equal(bytes_of(i) + PART, bytes_of(i) + PART + 1, BYTES - PART - 1);
        }
        for (uint32_t i = 1; i <= BUFFERS; i++)
            drop(i);
        assert_int_equal(device.memory.used_bytes, 0);
    }
    gpu_device_fini(&device);
}

/* A buffer with a single value takes no memory until it is used or gets another value. After that,
 * all of it is in memory. */
static void
test_one_value(void **state)
{
    (void)state;
    for (uint32_t full = 0; full < 2; full++) {
        begin(true);
        for (uint32_t i = 1; i <= BUFFERS; i++)
            assert_true(create_buffer(i));
        for (uint32_t i = 4; full && i < 4 + MEMORY / BYTES; i++)
            assert_true(get(i));
        const uint32_t used = device.memory.used_bytes;
        put(1, 7, 7, BYTES);
        put(2, 0, 0, PART);
        put(3, 5, 5, BYTES);
        assert_int_equal(device.memory.used_bytes, used);
        put(1, 9, 8, PART);
        put(3, 6, 6, BYTES);
        put(3, 6, 6, PART);
        assert_true(get(1));
        assert_int_equal(bytes_of(1)[0], 9);
        assert_int_equal(bytes_of(1)[1], 8);
        assert_int_equal(bytes_of(1)[PART - 1], 9);
        assert_int_equal(bytes_of(1)[PART], 7);
        assert_memory_equal(bytes_of(1) + PART, bytes_of(1) + PART + 1, BYTES - PART - 1);
        for (uint32_t i = 2; i <= 3; i++) {
            assert_true(get(i));
            assert_int_equal(bytes_of(i)[0], i == 2 ? 0 : 6);
            assert_memory_equal(bytes_of(i), bytes_of(i) + 1, BYTES - 1);
        }
        gpu_device_fini(&device);
    }
}

/* Returns the bytes of the simulated memory that are resident in host memory. */
static uint32_t
resident_bytes(void)
{
    enum { PAGES = MEMORY / 4096 };
    unsigned char pages[PAGES];
    uint32_t count = 0;
    assert_int_equal(mincore(device.memory.bytes, MEMORY, pages), 0);
    for (uint32_t i = 0; i < PAGES; i++)
        count += pages[i] & 1;
    return 4096 * count;
}

/* At most eight buffers may exist, inside or outside of the memory. Freed buffers make room and
 * leave host memory. */
static void
test_an_end(void **state)
{
    enum { MOST = 8 };
    struct budget budget = {MOST * BYTES, 0, "--memory"};
    begin(true);
    /* memory that the objects take without their content */
    budget.most_bytes += device.objects.bytes + 16384;
    gpu_device_limit(&device, &budget);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 1; i <= MOST + 1; i++)
            assert_true(create_buffer(i));
        for (uint32_t i = 1; i <= MOST; i++)
            put(i, (int)i, 0, BYTES);
        assert_false(try_put(MOST + 1, 1, 0, PART));
        assert_non_null(strstr(err.text, "2 MiB of host memory: raise --memory"));
        assert_false(get(MOST + 1));
        for (uint32_t i = 1; i <= MOST; i++) {
            assert_true(get(i));
            assert_int_equal(bytes_of(i)[BYTES - 1], i);
            assert_true(device.memory.used_bytes + device.outside_bytes + device.spare_bytes <=
                        MOST * BYTES);
        }
        drop(1);
        put(MOST + 1, 1, 0, PART);
        for (uint32_t i = 2; i <= MOST + 1; i++)
            drop(i);
        assert_int_equal(device.memory.used_bytes + device.outside_bytes, 0);
        assert_int_equal(resident_bytes(), 0);
    }
    gpu_device_fini(&device);
}

static void
test_not_asked_for(void **state)
{
    begin(false);
    uint32_t made = 1;
    while (made <= BUFFERS && create_buffer(made))
        made++;
    assert_int_equal(made, MEMORY / BYTES); /* the first line of the memory is never allocated */
    assert_non_null(strstr(err.text, MEMORY_EXHAUSTED));
    gpu_device_fini(&device);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_than_fits), cmocka_unit_test(test_first_put),
        cmocka_unit_test(test_one_value),      cmocka_unit_test(test_an_end),
        cmocka_unit_test(test_not_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
