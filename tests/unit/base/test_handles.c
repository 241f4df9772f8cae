/* The handle map, compared with a plain array. */
#include "base/handles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { HANDLES = 97, STEPS = 20000 };

static void
test_against_array(void **state)
{
    struct handle_map map = {0};
    static int things[4];
    void *plain[HANDLES] = {NULL};
    size_t count = 0;
    uint32_t random = 1;
    for (int step = 0; step < STEPS; step++) {
        random = random * 1664525u + 1013904223u;
        uint32_t i = (random >> 8) % HANDLES, handle = i * 0x01000193u;
        if (random >> 31) {
            void *thing = &things[random >> 4 & 3];
            count += !plain[i];
            plain[i] = thing;
            handle_map_put(&map, handle, thing);
        } else {
            count -= plain[i] != NULL;
            assert_ptr_equal(handle_map_remove(&map, handle), plain[i]);
            plain[i] = NULL;
        }
        assert_int_equal(map.count, count);
        for (uint32_t k = 0; k < HANDLES; k++)
            assert_ptr_equal(handle_map_get(&map, k * 0x01000193u), plain[k]);
    }
    handle_map_fini(&map);
}

/* Returns the longest run of adjacent used slots. A lookup visits at most this many slots. */
static size_t
longest_row(const struct handle_map *map)
{
    size_t longest = 0, row = 0;
    /* a run may continue at the start of the table */
    for (size_t i = 0; i < 2 * map->capacity; i++) {
        row = map->slots[i % map->capacity].value ? row + 1 : 0;
        longest = row > longest ? row : longest;
    }
    return longest;
}

/* Handles may share their low bits, their high bits, or neither; they still use different slots.
 * Random handles in a half full map have runs of some dozens. */
static void
test_handles_that_are_alike(void **state)
{
    enum { COUNT = 32767, MOST = 100 };
    static int thing;
    for (uint32_t log2 = 0; log2 < 32; log2++)
        for (uint32_t odd = 1; odd <= 5; odd += 2) {
            struct handle_map map = {0};
            const uint64_t all = (UINT64_C(1) << 32) >> log2; /* number of distinct multiples */
            for (uint32_t i = 0; i < COUNT && i < all; i++)
                handle_map_put(&map, (i * odd) << log2, &thing);
            assert_int_equal(map.count, all < COUNT ? all : COUNT);
            if (longest_row(&map) > MOST)
                fail_msg("multiples of %u x 2^%u: %zu slots in a row", odd, log2,
                         longest_row(&map));
            handle_map_fini(&map);
        }
}

static void
test_make(void **state)
{
    struct handle_map map = {0};
    uint64_t *first = handle_map_make(&map, 7, sizeof *first);
    uint64_t *other = handle_map_make(&map, 0, sizeof *other);
    assert_true(first != other && map.count == 2);
    assert_true(*first == 0 && *other == 0);
    *first = 1;
    assert_ptr_equal(handle_map_make(&map, 7, sizeof *first), first);
    assert_ptr_equal(handle_map_get(&map, 0), other);
    assert_true(*first == 1 && map.count == 2);
    handle_map_fini_with(&map, free);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_array),
        cmocka_unit_test(test_handles_that_are_alike),
        cmocka_unit_test(test_make),
    };
    return cmocka_run_group_tests_name("handles", tests, NULL, NULL);
}
