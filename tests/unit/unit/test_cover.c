/* The record of the draws in front: one for all z test units, 16 bytes per quad, counted as host
 * memory. */
#include "unit/rop/cover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { QUAD_BYTES = 16, QUADS = 64 * 64, RECORD_BYTES = QUADS * 4 * 4 };

static void
record_is_counted(void **state)
{
    struct resource res = {.desc = {.handle = 7}, .size_bytes = QUADS * QUAD_BYTES, .created = 1};
    struct budget budget = {.most_bytes = RECORD_BYTES - 1, .option = "--memory"};
    struct cover cover = {.share = {.budget = &budget}};
    struct error err = {""};
    (void)state;
    assert_false(cover_reserve(&cover, &res, QUAD_BYTES, &err));
    assert_non_null(strstr(err.text, "resource 7"));
    assert_non_null(strstr(err.text, "--memory"));
    assert_null(cover.draws);
    assert_int_equal(budget.used_bytes, 0);
    budget.most_bytes = RECORD_BYTES;
    assert_true(cover_reserve(&cover, &res, QUAD_BYTES, &err));
    assert_int_equal(budget.used_bytes, RECORD_BYTES);
    /* the last fragment of the surface */
    cover.draws[QUADS * 4 - 1] = 3;
    assert_true(cover_reserve(&cover, &res, QUAD_BYTES, &err));
    assert_int_equal(cover.draws[QUADS * 4 - 1], 3);
    /* another surface, with 4 samples of the same size: a quad has 64 bytes */
    res.created = 2;
    assert_true(cover_reserve(&cover, &res, 4 * QUAD_BYTES, &err));
    assert_int_equal(budget.used_bytes, RECORD_BYTES / 4);
    assert_int_equal(cover.draws[QUADS - 1], 0);
    cover_forget(&cover);
    assert_null(cover.draws);
    assert_int_equal(budget.used_bytes, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(record_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
