/* Messages of errors: each location appears once. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail /* of cmocka */

static void
prefixes_are_added(void **state)
{
    struct error err;
    (void)state;
    assert_false(fail(&err, "no memory"));
    assert_false(fail_prefix(&err, "resource %d", 3));
    assert_string_equal(err.text, "resource 3: no memory");
    assert_false(fail_at(&err, "frame %d, message %d", 7, 2));
    assert_string_equal(err.text, "frame 7, message 2: resource 3: no memory");
    assert_false(fail_at(&err, "frame %d", 7));
    assert_string_equal(err.text, "frame 7, message 2: resource 3: no memory");
    assert_false(fail_prefix(NULL, "x"));
}

static void
locations_are_not_repeated(void **state)
{
    static const struct {
        const char *text, *prefix, *both;
    } cases[] = {
        {"resource 3: no memory", "resource 3", "resource 3: no memory"},
        {"message 14: no memory", "frame 0, message 14", "frame 0, message 14: no memory"},
        {"resource 3: no memory", "resource 13", "resource 13: resource 3: no memory"},
        {"program 2: empty", "vertex program 2", "vertex program 2: program 2: empty"},
        {"no memory", "no memory", "no memory: no memory"},
        {": x", "a", "a: : x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err;
        fail(&err, "%s", cases[i].text);
        fail_prefix(&err, "%s", cases[i].prefix);
        assert_string_equal(err.text, cases[i].both);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_are_added),
        cmocka_unit_test(locations_are_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
