/* INI files: the meaning of lines, and messages that name the line. */
#include "base/file.h"
#include "base/ini_file.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h> /* after the project's headers: cmocka.h defines a macro fail() */

/* Appends an entry as LINE[SECTION]NAME=VALUE. Refuses the name "bad". */
static bool
note(void *data, const struct ini_entry *entry, struct error *err)
{
    fprintf(data, "%u[%s]", entry->line, entry->section);
    if (entry->name)
        fprintf(data, "%s=%s", entry->name, entry->value);
    fputs("|", data);
    return !entry->name || strcmp(entry->name, "bad") || (fail)(err, "a bad name");
}

/* Returns the entries of a file with these bytes; the caller frees them. `err` is empty, or has the
 * message without the path. */
static char *
entries_of(const char *bytes, size_t size, enum ini_indent indent, struct error *err)
{
    char path[] = "/tmp/aetius-ini-XXXXXX", *text;
    size_t length;
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && !close(fd));
    assert_true(file_write(path, bytes, size, err));
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    *err = (struct error){""};
    const bool ok = ini_file_read(path, indent, note, out, err);
    fclose(out);
    unlink(path);
    assert_int_equal(ok, !err->text[0]);
    const size_t of_path = strlen(path);
    if (!strncmp(err->text, path, of_path))
        memmove(err->text, err->text + of_path, strlen(err->text) - of_path + 1);
    return text;
}

static void
assert_entries(const char *text, enum ini_indent indent, const char *entries, const char *message)
{
    struct error err;
    char *are = entries_of(text, strlen(text), indent, &err);
    if (strcmp(are, entries) || strcmp(err.text, message))
        fail_msg("%s: '%s' and '%s'", text, are, err.text);
    free(are);
}

static void
lines_are_sections_values_and_comments(void **state)
{
    static const struct {
        const char *text, *entries;
    } rows[] = {
        {"", ""},
        {"\n \t\r\n", ""},
        {"a = 1\n", "1[]a=1|"},
        {"[s]\na=1\nb : 2", "1[s]|2[s]a=1|3[s]b=2|"}, /* no newline at the end */
        {"[s]", "1[s]|"},
        {"[s]\r\na = 1\r\n\r\nb = 2\r\n", "1[s]|2[s]a=1|4[s]b=2|"},
        {"\xef\xbb\xbf[s]\na = 1\n", "1[s]|2[s]a=1|"},
        /* only one byte order mark is skipped */
        {"\xef\xbb\xbf\xef\xbb\xbf= 1\n", "1[]\xef\xbb\xbf=1|"},
        {"; c\n# c\n  ; c\n\t# c\na = 1\n", "5[]a=1|"},
        {"a = 1 ; c\nb = 2\t; c = 3\nc = 4; no\n", "1[]a=1|2[]b=2|3[]c=4; no|"},
        {"a = # no\nb =; no\nc = ; c\n", "1[]a=# no|2[]b=; no|3[]c=|"},
        {"[s] ; c\n[t];c\n\t[a b]\t\n[ u ]", "1[s]|2[t]|3[a b]|4[ u ]|"},
        {"a\t b \t=  1  2 \n", "1[]a\t b=1  2|"},
        {"a = b = c : d\nb: c = d\n", "1[]a=b = c : d|2[]b=c = d|"},
        {"a = \"1 ; c\nb = \" x \"\nc = [s]\n", "1[]a=\"1|2[]b=\" x \"|3[]c=[s]|"},
        {"a =\nb = \r\n= 1\n", "1[]a=|2[]b=|3[]=1|"},
        {"[s]\n[s]\n[t]\n", "1[s]|2[s]|3[t]|"},
        {"a = \xc3\xa9\n", "1[]a=\xc3\xa9|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_entries(rows[i].text, INI_INDENT_GOES_ON, rows[i].entries, "");
        assert_entries(rows[i].text, INI_INDENT_IS_NOTHING, rows[i].entries, "");
    }
}

static void
an_indented_line_goes_on_or_is_like_others(void **state)
{
    static const struct {
        const char *text, *goes_on, *is_nothing;
    } rows[] = {
        {"a = 1\n  b = 2 ; c\n\t[s]\n", "1[]a=1|2[]a=b = 2 ; c|3[]a=[s]|", "1[]a=1|2[]b=2|3[s]|"},
        /* comments and empty lines do not end a value, but a section does */
        {"a = 1\n\n; c\n  ; c\n  b: 2\n", "1[]a=1|5[]a=b: 2|", "1[]a=1|5[]b=2|"},
        {"a = 1\n[s]\n  b = 2\n", "1[]a=1|2[s]|3[s]b=2|", "1[]a=1|2[s]|3[s]b=2|"},
        {"= 1\n  b = 2\n", "1[]=1|2[]b=2|", "1[]=1|2[]b=2|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_entries(rows[i].text, INI_INDENT_GOES_ON, rows[i].goes_on, "");
        assert_entries(rows[i].text, INI_INDENT_IS_NOTHING, rows[i].is_nothing, "");
    }
    assert_entries("a = 1\n  b\n", INI_INDENT_GOES_ON, "1[]a=1|2[]a=b|", "");
}

#define NO_LINE "expected [SECTION], name = value, or a comment after ';'"

static void
messages_name_the_first_line_that_is_wrong(void **state)
{
    static const struct {
        const char *text, *entries, *message;
    } rows[] = {
        {"nonsense", "", ":1: " NO_LINE},
        {"a = 1\r\nb\r\nbad = 1\r\n[s\r\n", "1[]a=1|", ":2: " NO_LINE},
        {"\xef\xbb\xbf\nb ; c = 1\n", "", ":2: " NO_LINE},
        {"[s", "", ":1: expected [SECTION], found [s"},
        {"\n[]\n", "", ":2: expected [SECTION], found []"},
        {"\n\n[a;b]\n", "", ":3: expected [SECTION], found [a;b]"},
        {"[s] t\r\n", "", ":1: expected [SECTION], found [s] t"},
        {"[s]]", "", ":1: expected [SECTION], found [s]]"},
        {"[s]\n\nbad = 1\na\n", "1[s]|3[s]bad=1|", ":3: a bad name"},
        {"bad = 1\n", "1[]bad=1|", ":1: a bad name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_entries(rows[i].text, INI_INDENT_GOES_ON, rows[i].entries, rows[i].message);
        assert_entries(rows[i].text, INI_INDENT_IS_NOTHING, rows[i].entries, rows[i].message);
    }
}

static void
a_nul_byte_is_refused_wherever_it_is(void **state)
{
    static const char text[] = "a = 1\nb = 2\n";
    for (size_t i = 0; i < sizeof text; i++) {
        char bytes[sizeof text]; /* including the terminating NUL of the text */
        struct error err;
        memcpy(bytes, text, sizeof text);
        bytes[i] = '\0';
        char *entries = entries_of(bytes, sizeof bytes, INI_INDENT_GOES_ON, &err);
        assert_string_equal(entries, "");
        assert_string_equal(err.text, " is not a text file: it contains a NUL byte");
        free(entries);
    }
}

/* Sections, names, values and whole lines may have any length. */
static void
lengths_are_those_of_the_file(void **state)
{
    static const size_t lengths[] = {48, 49, 50, 51, 197, 198, 199, 8192, 250000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char *long_one = mem_alloc(lengths[i] + 1);
        memset(long_one, 'x', lengths[i]);
        char *text =
            mem_printf("[%s]\n%sy = %s\n  %s\nz = 1", long_one, long_one, long_one, long_one);
        char *entries = mem_printf("1[%s]|2[%s]%sy=%s|3[%s]%sy=%s|4[%s]z=1|", long_one, long_one,
                                   long_one, long_one, long_one, long_one, long_one, long_one);
        assert_entries(text, INI_INDENT_GOES_ON, entries, "");
        free(text);
        free(entries);
        free(long_one);
    }
    struct error err;
    char *large = mem_alloc(FILE_MOST_TEXT + 1);
    memset(large, ' ', FILE_MOST_TEXT + 1);
    memcpy(large, "a=1", 3);
    char *entries = entries_of(large, FILE_MOST_TEXT, INI_INDENT_GOES_ON, &err);
    assert_string_equal(entries, "1[]a=1|");
    free(entries);
    entries = entries_of(large, FILE_MOST_TEXT + 1, INI_INDENT_GOES_ON, &err);
    assert_string_equal(entries, "");
    assert_true(err.text[0]);
    free(entries);
    free(large);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_sections_values_and_comments),
        cmocka_unit_test(an_indented_line_goes_on_or_is_like_others),
        cmocka_unit_test(messages_name_the_first_line_that_is_wrong),
        cmocka_unit_test(a_nul_byte_is_refused_wherever_it_is),
        cmocka_unit_test(lengths_are_those_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
