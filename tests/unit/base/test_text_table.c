/* Tables as text, as Markdown and as CSV. */
#include "base/text_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
assert_written(const struct text_table *table, enum text_table_style style, const char *as)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    text_table_write(table, style, out);
    fclose(out);
    assert_string_equal(text, as);
    free(text);
}

static void
put_row(struct text_table *table, const char *name, const char *number, const char *words)
{
    text_table_cell(table, "%s", name);
    text_table_cell(table, "%s", number);
    text_table_left(table, "%s", words);
    text_table_end_row(table);
}

/* Text is aligned left and numbers right. Lines have no trailing spaces. */
static void
columns_stand_to_their_side(void **state)
{
    struct text_table table = {0};
    (void)state;
    put_row(&table, "unit", "n", "what");
    put_row(&table, "rop", "1200", "a, \"b\"");
    put_row(&table, "shader", "7", "");
    put_row(&table, "z", "", "");
    put_row(&table, "", "", "more");
    assert_written(&table, TEXT_TABLE_TEXT,
                   "  unit       n  what\n"
                   "  rop     1200  a, \"b\"\n"
                   "  shader     7\n"
                   "  z\n"
                   "                more\n");
    assert_written(&table, TEXT_TABLE_MARKDOWN,
                   "| unit   |    n | what   |\n"
                   "| ------ | ---: | ------ |\n"
                   "| rop    | 1200 | a, \"b\" |\n"
                   "| shader |    7 |        |\n"
                   "| z      |      |        |\n"
                   "|        |      | more   |\n");
    assert_written(&table, TEXT_TABLE_CSV,
                   "unit,n,what\n"
                   "rop,1200,\"a, \"\"b\"\"\"\n"
                   "shader,7,\n"
                   "z,,\n"
                   ",,more\n");
    text_table_fini(&table);
}

/* A bar separates cells, and a comma does not. Every cell may be empty, including the first and the
 * last. */
static void
names_become_cells(void **state)
{
    struct text_table table = {0};
    (void)state;
    text_table_cells(&table, "|a, b||c|");
    text_table_cells(&table, "");
    text_table_end_row(&table);
    assert_written(&table, TEXT_TABLE_CSV, ",\"a, b\",,c,,\n");
    text_table_put(&table, TEXT_TABLE_CSV, stdout);
    assert_int_equal(text_table_rows(&table), 0);
}

/* A last cell continues at its column, or at column 8 if less than half of the line is left for it.
 * If its first word does not fit, the cell begins on the next line; below empty cells, on its
 * line. */
static void
last_cells_wrap(void **state)
{
    static const struct {
        const char *columns, *text;
    } cases[] = {
        {"30", "  ab     1  one two threes\n"
               "            four\n"
               "            five sixes\n"},
        {"20", "  ab     1  one two\n"
               "        threes four\n"
               "            five\n"
               "        sixes\n"},
    };
    struct text_table table = {0}, narrow = {0};
    (void)state;
    put_row(&table, "ab", "1", "one two threes four");
    put_row(&table, "", "", "five sixes");
    put_row(&narrow, "abcdefghij", "1234", "x documented word");
    put_row(&narrow, "", "", "documented word");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("COLUMNS", cases[i].columns, 1);
        assert_written(&table, TEXT_TABLE_TEXT, cases[i].text);
    }
    setenv("COLUMNS", "26", 1);
    assert_written(&narrow, TEXT_TABLE_TEXT,
                   "  abcdefghij  1234  x\n"
                   "        documented word\n"
                   "        documented word\n");
    setenv("COLUMNS", "20", 1);
    assert_written(&narrow, TEXT_TABLE_TEXT,
                   "  abcdefghij  1234\n"
                   "        x documented\n"
                   "        word\n"
                   "        documented\n"
                   "        word\n");
    unsetenv("COLUMNS");
    text_table_fini(&table);
    text_table_fini(&narrow);
}

/* The other columns keep their alignment if a column before them is omitted. */
static void
sides_stay_when_columns_go(void **state)
{
    static const uint32_t spare[] = {1};
    struct text_table table = {0};
    (void)state;
    put_row(&table, "unit", "number", "what");
    put_row(&table, "rop", "1", "b");
    assert_int_equal(text_table_fit(&table, 19, 0, spare, 1), 1);
    assert_written(&table, TEXT_TABLE_MARKDOWN,
                   "| unit | what |\n"
                   "| ---- | ---- |\n"
                   "| rop  | b    |\n");
    text_table_fini(&table);
}

/* Additional lines keep their position, and a color ends with its row. CSV has neither lines nor
 * colors. */
static void
lines_and_colors_are_for_people(void **state)
{
    struct text_table table = {0};
    (void)state;
    text_table_line(&table, "first\033");
    put_row(&table, "a", "1", "x");
    text_table_line(&table, "%s", "");
    text_table_line(&table, "second");
    text_table_color(&table, "\033[33m");
    put_row(&table, "b", "2", "y");
    text_table_line(&table, "last");
    assert_written(&table, TEXT_TABLE_TEXT,
                   "first\\x1b\n"
                   "  a      1  x\n"
                   "\nsecond\n"
                   "\033[33m  b      2  y\033[0m\n"
                   "last\n");
    assert_written(&table, TEXT_TABLE_CSV, "a,1,x\nb,2,y\n");
    text_table_fini(&table);
    text_table_line(&table, "alone");
    assert_written(&table, TEXT_TABLE_TEXT, "alone\n");
    text_table_fini(&table);
}

/* The last column begins in column 13 (from 0). Its text continues in that column, or in column 8
 * if the screen is less than twice as wide. Text that begins with spaces continues below its first
 * word. */
static void
words_go_on_below_themselves(void **state)
{
    struct text_table table = {0};
    (void)state;
    put_row(&table, "a", "1234", "12345 789 12 345");
    put_row(&table, "b", "1", "  12345 789 12");
    setenv("COLUMNS", "26", 1);
    assert_written(&table, TEXT_TABLE_TEXT,
                   "  a    1234  12345 789 12\n"
                   "             345\n"
                   "  b       1    12345 789\n"
                   "               12\n");
    setenv("COLUMNS", "20", 1);
    assert_written(&table, TEXT_TABLE_TEXT,
                   "  a    1234  12345\n"
                   "        789 12 345\n"
                   "  b       1    12345\n"
                   "          789 12\n");
    unsetenv("COLUMNS");
    text_table_fini(&table);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_stand_to_their_side),
        cmocka_unit_test(names_become_cells),
        cmocka_unit_test(last_cells_wrap),
        cmocka_unit_test(sides_stay_when_columns_go),
        cmocka_unit_test(lines_and_colors_are_for_people),
        cmocka_unit_test(words_go_on_below_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
