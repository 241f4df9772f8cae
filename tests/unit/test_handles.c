/* The handle map against a plain array that does the same. */
#include "trace/handles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_array)};
    return cmocka_run_group_tests_name("handles", tests, NULL, NULL);
}
