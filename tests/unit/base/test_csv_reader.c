/* CSV records: quotes, line ends, line numbers. The readers of tables follow the same rules. */
#include "base/csv_reader.h"
#include "base/file.h"
#include "model/row.h"
#include "report/run/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h> /* after the project's headers: cmocka.h defines a macro fail() */

/* Returns LINE[cell][cell] per record. '~' marks a record without a line end, '^' one with control
 * characters, and a final "quote" a misplaced quote. The caller frees the text. */
static char *
records_of(const char *bytes, size_t size)
{
    char *text = mem_alloc(size + 1),
         *records; /* exact size, so that a sanitizer finds reads beyond it */
    size_t length;
    FILE *out = open_memstream(&records, &length);
    assert_non_null(out);
    memcpy(text, bytes, size);
    struct csv_reader reader = csv_reader_of(text, size);
    enum csv_record is;
    while ((is = csv_reader_next(&reader)) == CSV_RECORD) {
        fprintf(out, "%u", (unsigned)reader.line);
        for (size_t i = 0; i < reader.cells.count; i++)
            fprintf(out, "[%s]", reader.cells.items[i]);
        fputs(reader.is_ended ? "" : "~", out);
        fputs(reader.has_control ? "^" : "", out);
    }
    fputs(is == CSV_BAD_QUOTE ? "quote" : "", out);
    csv_reader_fini(&reader);
    fclose(out);
    free(text);
    return records;
}

static void
cells_are_those_of_rfc_4180(void **state)
{
    static const struct {
        const char *text, *records;
    } rows[] = {
        {"", ""},
        {"a", "1[a]~"},
        {"a,b\n1,2\n", "1[a][b]2[1][2]"},
        {"a,b\r\n1,2\r\n", "1[a][b]2[1][2]"},
        {"a,b\r\n1,2", "1[a][b]2[1][2]~"},
        {"a\r", "1[a]~"},
        {",\n,,\n\n\r\n", "1[][]2[][][]3[]4[]"},
        {"a,", "1[a][]~"},
        {"\"a\",\"\",\"b,c\"\n", "1[a][][b,c]"},
        {"\"a\"\r\n\"b\"", "1[a]2[b]~"},
        {"\"\"\"a\"\"\",\"\"\"\"\n", "1[\"a\"][\"]"},
        {"\"a\nb\r\nc\",d\ne\n", "1[a\nb\r\nc][d]^4[e]"},
        /* a quoted cell begins with its quote, unlike these cells */
        {"a\"b\"c, \"d\"\n", "1[a\"b\"c][ \"d\"]"},
        {"a\tb\nc\rd\ne\x7f\n\xc3\xa9\n", "1[a\tb]^2[c\rd]^3[e\x7f]^4[\xc3\xa9]"},
        {"\"a", "quote"},
        {"\"", "quote"},
        {"\"\"\"", "quote"},
        {"1\n\"a\"b\n", "1[1]quote"},
        {"\"a\" ,b\n", "quote"},
        {"\"a\"\rb\n", "quote"},
        {"1,\"a\n2,b\n", "quote"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *records = records_of(rows[i].text, strlen(rows[i].text));
        if (strcmp(records, rows[i].records))
            fail_msg("%s: '%s'", rows[i].text, records);
        free(records);
    }
}

static void
a_nul_ends_the_text_but_in_quotes(void **state)
{
    char *records = records_of("a,b\0c\nd\n", 8);
    assert_string_equal(records, "1[a][b]~");
    free(records);
    records = records_of("\"a\0b\",c\n", 8);
    assert_string_equal(records, "1[a][c]^");
    free(records);
}

/* Cells with any bytes, written as RFC 4180 defines, are read back unchanged. */
static void
what_is_written_is_read(void **state)
{
    static const char letters[] = "ab,\"\n\r \t;";
    enum { ROUNDS = 20000, MOST_CELLS = 5, MOST_LETTERS = 6 };
    srand(4180);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        char text[256], cells[MOST_CELLS][MOST_LETTERS + 1];
        const uint32_t count = 1 + (uint32_t)rand() % MOST_CELLS;
        char *to = text;
        for (uint32_t c = 0; c < count; c++) {
            const uint32_t length = (uint32_t)rand() % (MOST_LETTERS + 1);
            for (uint32_t i = 0; i < length; i++)
                cells[c][i] = letters[(size_t)rand() % (sizeof letters - 1)];
            cells[c][length] = '\0';
            const bool quoted = strpbrk(cells[c], ",\"\r\n") || rand() % 4 == 0;
            to = stpcpy(to, quoted ? "\"" : "");
            for (const char *at = cells[c]; *at; at++) {
                *to++ = *at;
                if (*at == '"')
                    *to++ = '"';
            }
            to = stpcpy(to, quoted ? "\"" : "");
            to = stpcpy(to, c + 1 < count ? "," : rand() % 2 ? "\r\n" : "\n");
        }
        struct csv_reader reader = csv_reader_of(text, (size_t)(to - text));
        assert_int_equal(csv_reader_next(&reader), CSV_RECORD);
        assert_int_equal(reader.cells.count, count);
        for (uint32_t c = 0; c < count; c++)
            assert_string_equal(reader.cells.items[c], cells[c]);
        assert_true(reader.is_ended);
        assert_int_equal(csv_reader_next(&reader), CSV_END);
        csv_reader_fini(&reader);
    }
}

static const char *
written(char *path, const char *text)
{
    struct error err;
    strcpy(path, "/tmp/aetius-csv-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && !close(fd));
    assert_true(file_write(path, text, strlen(text), &err));
    return path;
}

static void
tables_of_runs_keep_the_rules(void **state)
{
    char path[32];
    struct error err;
    struct csv_table table;
    assert_true(csv_read(
        &table, written(path, "frame,\"work\"\r\n\"7\",\"a,\"\"b\"\"\"\r\n8,c\r\n"), &err));
    unlink(path);
    assert_int_equal(table.columns, 2);
    assert_int_equal(table.rows, 2);
    assert_true(csv_value(&table, 0, 0) == 7 && csv_value(&table, 1, 0) == 8);
    assert_string_equal(csv_field(&table, 0, 1), "a,\"b\"");
    assert_string_equal(csv_field(&table, 1, 1), "c");
    csv_table_fini(&table);

    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "the name of column 1"},
        {"frame,\"work\n", "misplaced quote in the column names"},
        {"frame,work\n1,a\n2,\"b\n", "row 2: misplaced quote"},
        {"frame,work\n1,a\n2,\"b\nc\"\n", "row 2: work contains a control character"},
        {"frame,work\n1,a\n2,b", "row 2: expected 2 fields and a newline"},
        {"frame,work\n1,a\n2,", "row 2: expected 2 fields"},
        {"frame,work\n1,a,\n", "row 1: expected 2 fields"},
        {"frame,work\n\n", "row 1: expected 2 fields"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(csv_read(&table, written(path, bad[i].text), &err));
        unlink(path);
        if (!strstr(err.text, bad[i].message))
            fail_msg("%s: %s", bad[i].text, err.text);
    }
}

static void
measurements_keep_the_rules(void **state)
{
    char path[32];
    struct error err;
    struct model_rows rows = {0};
    const char *text = "sweep,\"fragments\",seconds,renderer,cycles\r\n"
                       "\"length\",3,\"0.5\",\"a b\",2\r\n  \r\nlength,4,1,,1";
    if (!model_rows_read(&rows, written(path, text), &err))
        fail_msg("%s", err.text);
    unlink(path);
    assert_int_equal(rows.count, 2);
    assert_string_equal(rows.items[0].sweep, "length");
    assert_string_equal(rows.items[0].renderer, "a b");
    assert_true(rows.items[0].seconds == 0.5 && rows.items[1].fragments == 4);
    VEC_FREE(&rows);
    assert_false(
        model_rows_read(&rows, written(path, "sweep,fragments,seconds\n\n\nlength,\"3,1\n"), &err));
    unlink(path);
    assert_non_null(strstr(err.text, ":4: misplaced quote"));
    VEC_FREE(&rows);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_those_of_rfc_4180),
        cmocka_unit_test(a_nul_ends_the_text_but_in_quotes),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(tables_of_runs_keep_the_rules),
        cmocka_unit_test(measurements_keep_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
