/* Numbers on the command line. */
#include "base/args.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Numbers are decimal, also with leading zeros, or hexadecimal after 0x. Nothing else is accepted.
 */
static void
numbers_are_decimal_or_hexadecimal(void **state)
{
    static const struct {
        const char *text;
        int64_t number; /* -1: the text is refused */
    } cases[] = {
        {"10", 10},   {"010", 10}, {"08", 8},    {"0", 0},    {"0x1f", 31},
        {"0X1F", 31}, {"0x", -1},  {"", -1},     {"-1", -1},  {"+1", -1},
        {" 1", -1},   {"1 ", -1},  {"0x-1", -1}, {"1e3", -1}, {"18446744073709551616", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t number = 77;
        const struct arg_option options[] = {
            {"number", 'n', ARG_UINT, &number, "N", "a number", false}, {0}};
        const struct arg_spec spec = {"test",         "",  "", options, 0, 0, "no operand",
                                      ARG_NO_PROGRAM, NULL};
        struct args args;
        char name[] = "test", option[] = "--number", *text = mem_strdup(cases[i].text);
        char *words[] = {name, option, text, NULL};
        const int status = args_parse(&args, &spec, 3, words);
        assert_int_equal(status, cases[i].number < 0 ? 2 : -1);
        if (cases[i].number >= 0)
            assert_int_equal(number, cases[i].number);
        mem_leave(text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_decimal_or_hexadecimal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
