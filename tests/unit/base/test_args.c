/* Numbers on the command line. */
#include "base/args.h"
#include "base/error.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Numbers are decimal, also with leading zeros or a power of ten, or hexadecimal after 0x. Nothing
 * else is accepted. */
static void
numbers_are_decimal_or_hexadecimal(void **state)
{
    static const struct {
        const char *text;
        int64_t number; /* -1: the text is refused */
    } cases[] = {{"10", 10},    {"010", 10},
                 {"08", 8},     {"0", 0},
                 {"0x1f", 31},  {"0X1F", 31},
                 {"0x", -1},    {"", -1},
                 {"-1", -1},    {"+1", -1},
                 {" 1", -1},    {"1 ", -1},
                 {"0x-1", -1},  {"1e3", 1000},
                 {"2E0", 2},    {"01e2", 100},
                 {"0e99", 0},   {"0x1e3", 0x1e3},
                 {"1e", -1},    {"e3", -1},
                 {"1e-3", -1},  {"1e+3", -1},
                 {"1e3e1", -1}, {"1.5e3", -1},
                 {"1e20", -1},  {"18446744073709551616", -1}};
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

/* An option with an optional value keeps the value that is given beside the bare option, and
 * accepts no second one. */
static void
optional_values_are_kept(void **state)
{
    static const struct {
        const char *words[2];
        const char *value; /* NULL: refused */
    } cases[] = {{{"--file", "--file"}, ""},
                 {{"--file=a", "--file"}, "a"},
                 {{"--file", "--file=b"}, "b"},
                 {{"--file=a", "--file=a"}, "a"},
                 {{"--file=a", "--file=b"}, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *file = NULL;
        const struct arg_option options[] = {
            {"file", 0, ARG_OPTIONAL, &file, "FILE", "a file", false}, {0}};
        const struct arg_spec spec = {"test",         "",  "", options, 0, 0, "no operand",
                                      ARG_NO_PROGRAM, NULL};
        struct args args;
        char *words[] = {mem_strdup("test"), mem_strdup(cases[i].words[0]),
                         mem_strdup(cases[i].words[1]), NULL};
        assert_int_equal(args_parse(&args, &spec, 3, words), cases[i].value ? -1 : 2);
        if (cases[i].value)
            assert_string_equal(file, cases[i].value);
        for (uint32_t w = 0; w < 3; w++)
            free(words[w]);
    }
}

/* Frames as text: ranges, steps, lists. The bits are the frames 0 to 15 of the set. */
static void
frames_are_ranges_with_steps(void **state)
{
    static const struct {
        const char *text;
        uint32_t bits; /* 0: refused */
    } cases[] = {{"3", 0x8},        {"1-3", 0xe},
                 {"0,2-3", 0xd},    {"0-9/3", 0x249},
                 {"2-7/5", 0x84},   {"2-6/5", 0x4},
                 {"1-3/1", 0xe},    {"0-4/2,9", 0x215},
                 {"3-1", 0},        {"0-9/0", 0},
                 {"0-9/", 0},       {"0/2", 0},
                 {"1-", 0},         {"1,", 0},
                 {",1", 0},         {"", 0},
                 {"-1", 0},         {"1 ", 0},
                 {"0-9/2/2", 0},    {"0-1e1/5", 0x421},
                 {"4294967295", 0}, {"0-5000/1", 0xffff},
                 {"0-5000/2", 0}}; /* 2501 ranges are too many */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct frame_set set;
        struct error err = {""};
        uint32_t bits = 0;
        if (frame_set_parse(&set, cases[i].text, &err))
            for (uint32_t frame = 0; frame < 16; frame++)
                bits |= (uint32_t)frame_set_has(&set, frame) << frame;
        else
            assert_int_equal(strncmp(err.text, "frames '", 8), 0);
        if (bits != cases[i].bits)
            fail_msg("%s: %x", cases[i].text, bits);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_decimal_or_hexadecimal),
                                       cmocka_unit_test(optional_values_are_kept),
                                       cmocka_unit_test(frames_are_ranges_with_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
