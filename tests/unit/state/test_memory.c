/* The allocator of the simulated memory. */
#include "state/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { SIZE = 1 << 20 };

static uint32_t
alloc(struct gpu_memory *memory, uint32_t bytes)
{
    uint32_t address;
    struct error err;
    assert_true(gpu_memory_alloc(memory, bytes, &address, &err));
    return address;
}

static void
first_fit_in_order(void **data)
{
    struct gpu_memory memory;
    assert_true(gpu_memory_init(&memory, SIZE, NULL));
    uint32_t a = alloc(&memory, 1000), b = alloc(&memory, 1), c = alloc(&memory, 256);
    assert_int_equal(a, 256); /* address 0 is never allocated */
    assert_int_equal(b, 256 + 1024);
    assert_int_equal(c, b + 256);
    assert_int_equal(memory.used_bytes, 1024 + 256 + 256);
    gpu_memory_free(&memory, a, 1000);
    assert_int_equal(alloc(&memory, 513), a); /* rounded to 768 */
    assert_int_equal(alloc(&memory, 257), c + 256);
    assert_int_equal(alloc(&memory, 256), a + 768);
    assert_int_equal(memory.peak_bytes, memory.used_bytes);
    gpu_memory_fini(&memory);
}

static void
freed_neighbours_coalesce(void **data)
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (uint32_t o = 0; o < 6; o++) {
        struct gpu_memory memory;
        uint32_t address[3];
        assert_true(gpu_memory_init(&memory, SIZE, NULL));
        for (uint32_t i = 0; i < 3; i++)
            address[i] = alloc(&memory, 4096);
        for (uint32_t i = 0; i < 3; i++)
            gpu_memory_free(&memory, address[orders[o][i]], 4096);
        assert_int_equal(memory.used_bytes, 0);
        assert_int_equal(alloc(&memory, SIZE - 256), 256); /* all free memory is contiguous again */
        gpu_memory_fini(&memory);
    }
}

static void
ranges_come_zeroed(void **data)
{
    struct gpu_memory memory;
    assert_true(gpu_memory_init(&memory, SIZE, NULL));
    uint32_t before = alloc(&memory, 300), a = alloc(&memory, 20000), after = alloc(&memory, 300);
    memset(memory.bytes, 0xaa, SIZE);
    gpu_memory_free(&memory, a, 20000);
    assert_int_equal(alloc(&memory, 20000), a);
    for (uint32_t i = 0; i < 20000; i++)
        assert_int_equal(memory.bytes[a + i], 0);
    assert_int_equal(memory.bytes[before + 511], 0xaa);
    assert_int_equal(memory.bytes[after], 0xaa);
    gpu_memory_fini(&memory);
}

static void
exhaustion_names_the_parameter(void **data)
{
    struct gpu_memory memory;
    struct error err;
    uint32_t address;
    assert_true(gpu_memory_init(&memory, SIZE, NULL));
    assert_false(gpu_memory_alloc(&memory, SIZE, &address, &err));
    assert_null(strstr(err.text, "raise")); /* no option raises the limit */
    memory.option = "MEMORYCONTROLLER.MemorySize";
    assert_false(gpu_memory_alloc(&memory, SIZE, &address, &err));
    assert_non_null(strstr(err.text, "raise MEMORYCONTROLLER.MemorySize to at least "));
    assert_false(gpu_memory_alloc(&memory, UINT32_MAX, &address, &err));
    alloc(&memory, SIZE - 256);
    assert_false(gpu_memory_alloc(&memory, 1, &address, &err));
    gpu_memory_fini(&memory);
    assert_false(gpu_memory_init(&memory, 100, &err));
}

/* When a device ends, it frees millions of ranges one by one. The memory then does not maintain its
 * tree of free ranges. */
static void
an_ending_memory_keeps_its_ranges(void **data)
{
    struct gpu_memory memory;
    struct free_range before;
    assert_true(gpu_memory_init(&memory, SIZE, NULL));
    const uint32_t a = alloc(&memory, 256);
    alloc(&memory, 256);
    memory.ending = true;
    gpu_memory_free(&memory, a, 256);
    assert_int_equal(memory.used_bytes, 512);
    assert_false(free_ranges_before(&memory.free, a, &before));
    gpu_memory_fini(&memory);
}

/* Mapping covers whole lines of MEMORY_ALIGN bytes, and no neighbor. */
static void
mapped_lines(void **state)
{
    struct gpu_memory memory;
    struct error err;
    (void)state;
    assert_true(gpu_memory_init(&memory, 1 << 20, &err));
    assert_false(gpu_memory_is_mapped(&memory, 10 * MEMORY_ALIGN));
    gpu_memory_map(&memory, 10 * MEMORY_ALIGN, 2 * MEMORY_ALIGN + 1, true);
    gpu_memory_map(&memory, 14 * MEMORY_ALIGN, MEMORY_ALIGN, true);
    for (uint32_t line = 8; line < 18; line++)
        assert_int_equal(gpu_memory_is_mapped(&memory, line * MEMORY_ALIGN + 64),
                         (line >= 10 && line < 13) || line == 14);
    gpu_memory_map(&memory, 10 * MEMORY_ALIGN, 2 * MEMORY_ALIGN + 1, false);
    for (uint32_t line = 8; line < 18; line++)
        assert_int_equal(gpu_memory_is_mapped(&memory, (line + 1) * MEMORY_ALIGN - 1), line == 14);
    gpu_memory_fini(&memory);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_fit_in_order), cmocka_unit_test(freed_neighbours_coalesce),
        cmocka_unit_test(ranges_come_zeroed), cmocka_unit_test(exhaustion_names_the_parameter),
        cmocka_unit_test(mapped_lines),       cmocka_unit_test(an_ending_memory_keeps_its_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
