/* JSON of numbers and texts, and objects whose members are written one by one. */
#include "base/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void
assert_written(void (*put)(cJSON *json, FILE *out), cJSON *json, const char *as)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    put(json, out);
    fclose(out);
    assert_string_equal(text, as);
    free(text);
}

static void
numbers_have_their_digits(void **state)
{
    static const struct {
        double value;
        const char *as, *two_decimals;
    } rows[] = {
        {0, "0", "0"},
        {-0.0, "0", "0"},
        {-0.001, "-0.001", "0"},
        {1.0 / 3, "0.333333333333", "0.33"},
        {2.0 / 3e9, "6.66666666667e-10", "0"},
        {123456789012345, "123456789012000", "123456789012345"},
        {-2.675, "-2.675",
         "-2.67"}, /* 2.675 is 2.67499999999999982236431605997495353221893310546875 */
        {NAN, "null", "null"},
        {INFINITY, "null", "null"},
        {-INFINITY, "null", "null"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_written(json_put, json_number(rows[i].value), rows[i].as);
        assert_written(json_put, json_decimals(rows[i].value, 2), rows[i].two_decimals);
    }
    cJSON *large = json_decimals(1.7976931348623157e308, 6); /* 309 digits */
    assert_true(large->valuedouble == 1.7976931348623157e308);
    cJSON_Delete(large);
}

static void
texts_are_escaped(void **state)
{
    assert_written(json_put, json_text(NULL), "null");
    assert_written(json_put, json_text(""), "\"\"");
    assert_written(json_put, json_text("a \"b\" \\ \n\x01"), "\"a \\\"b\\\" \\\\ \\n\\u0001\"");
}

static void
members_are_an_object_without_braces(void **state)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "a", json_number(1));
    cJSON_AddItemToObject(object, "b", json_text("}"));
    assert_written(json_put_members, object, "\"a\":1,\"b\":\"}\"");
    assert_written(json_put_members, cJSON_CreateObject(), "");
}

/* Readable output has one line per member and a newline at the end. */
static void
trees_are_indented(void **state)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "a", json_number(1));
    assert_written(json_print, object, "{\n\t\"a\":\t1\n}\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_their_digits),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(trees_are_indented),
        cmocka_unit_test(members_are_an_object_without_braces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
