/* Tables are read as they were written, flushed rows survive, and equal rows give equal bytes. */
#include "report/run/csv.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct fixture {
    char path[64], other[64];
};

static void
begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    strcpy(f->path, "/tmp/aetius-csv-XXXXXX");
    strcpy(f->other, "/tmp/aetius-csv-XXXXXX");
    close(mkstemp(f->path));
    close(mkstemp(f->other));
}

static void
end(struct fixture *f)
{
    unlink(f->path);
    unlink(f->other);
}

static void
write_rows(struct fixture *f, const char *path)
{
    struct error err;
    struct csv *csv = csv_create(path, "frame,work,unit.in,unit.out,time", &err);
    assert_non_null(csv);
    for (uint64_t i = 0; i < 3; i++) {
        csv_text(csv, (const char *[]){"0,draw", "1,7", "2,a b;c"}[i]);
        csv_number(csv, 10 * i);
        csv_number(csv, UINT64_MAX - i);
        csv_real(csv, i == 1 ? (double)NAN : 0.25 * (double)i);
        csv_end_row(csv);
        assert_true(csv_flush(csv, &err));
    }
    assert_true(csv_destroy(csv, &err));
}

static void
write_schema(const char *path, uint64_t first, const char *second)
{
    struct error err;
    struct csv *csv = csv_create(path, "schema,frame", &err);
    assert_non_null(csv);
    csv_number(csv, first);
    csv_number(csv, 0);
    csv_end_row(csv);
    csv_text(csv, second);
    csv_number(csv, 1);
    csv_end_row(csv);
    assert_true(csv_destroy(csv, &err));
}

/* A table of a later version is refused, even if it has only a header. Each message has one line.
 */
static void
a_later_schema_is_refused(void **state)
{
    struct fixture f;
    struct csv_table table;
    struct error err;
    (void)state;
    begin(&f);
    write_schema(f.path, AETIUS_SCHEMA, "0");
    assert_true(csv_read(&table, f.path, &err));
    csv_table_fini(&table);
    assert_true(csv_read_header(&table, f.path, &err));
    csv_table_fini(&table);
    write_schema(f.path, AETIUS_SCHEMA + 1, "0");
    assert_false(csv_read(&table, f.path, &err));
    assert_non_null(strstr(err.text, "this aetius reads schemas up to"));
    assert_false(csv_read_header(&table, f.path, &err));
    write_schema(f.path, AETIUS_SCHEMA, "99");
    assert_false(csv_read(&table, f.path, &err));
    write_schema(f.path, AETIUS_SCHEMA, "x");
    assert_false(csv_read(&table, f.path, &err));
    assert_non_null(strstr(err.text, "is not a whole number"));
    end(&f);
}

static void
tables_read_back(void **state)
{
    struct fixture f;
    struct csv_table table;
    struct error err;
    begin(&f);
    write_rows(&f, f.path);
    assert_true(csv_read(&table, f.path, &err));
    assert_int_equal(table.columns, 5);
    assert_int_equal(table.rows, 3);
    assert_string_equal(table.names[0], "frame");
    assert_string_equal(table.names[1], "work");
    assert_true(table.is_number[0] && !table.is_number[1] && table.is_number[2] &&
                table.is_number[3] && !table.is_number[4]);
    assert_string_equal(csv_field(&table, 0, 1), "draw");
    assert_string_equal(csv_field(&table, 1, 1), "7");
    assert_string_equal(csv_field(&table, 2, 1), "a b;c");
    assert_string_equal(csv_field(&table, 1, 4), "");
    assert_true(isnan(csv_value(&table, 1, 4)) && csv_value(&table, 2, 4) == 0.5);
    /* the column is text, although this value looks like a number */
    assert_true(isnan(csv_value(&table, 1, 1)));
    assert_int_equal(csv_column(&table, "unit.out"), 3);
    assert_int_equal(csv_column(&table, "unit"), -1);
    assert_int_equal(table.values[2 * 5 + 0], 2);
    assert_int_equal(table.values[2 * 5 + 2], 20);
    assert_true(table.values[2 * 5 + 3] == UINT64_MAX - 2);
    csv_table_fini(&table);
    end(&f);
}

static void
the_same_rows_are_the_same_bytes(void **state)
{
    struct fixture f;
    struct error err;
    char *a = NULL, *b = NULL;
    size_t size_a = 0, size_b = 0;
    begin(&f);
    write_rows(&f, f.path);
    write_rows(&f, f.other);
    assert_true(file_read(f.path, SIZE_MAX, &a, &size_a, &err) &&
                file_read(f.other, SIZE_MAX, &b, &size_b, &err));
    assert_int_equal(size_a, size_b);
    assert_memory_equal(a, b, size_a);
    /* RFC 1952: magic, deflate, no flags (so no name), modification time 0 */
    assert_memory_equal(a, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
    free(a);
    free(b);
    end(&f);
}

static void
row(struct csv *csv, uint64_t frame, uint64_t x)
{
    csv_number(csv, frame);
    csv_number(csv, x);
    csv_end_row(csv);
}

static void
flushed_rows_are_whole_before_the_end(void **state)
{
    struct fixture f;
    struct csv_table table;
    struct error err;
    begin(&f);
    struct csv *csv = csv_create(f.path, "frame,unit.x", &err);
    row(csv, 0, 1);
    assert_true(csv_flush(csv, &err));
    row(csv, 1, 3);
    assert_true(csv_read(&table, f.path, &err));
    assert_int_equal(table.rows, 1);
    csv_table_fini(&table);
    assert_true(csv_destroy(csv, &err));
    assert_true(csv_read(&table, f.path, &err));
    assert_int_equal(table.rows, 2);
    csv_table_fini(&table);
    end(&f);
}

/* Rows after the last settled state are removed. If a file then has no rows, it is deleted. */
static void
rows_are_taken_back(void **state)
{
    struct fixture f;
    struct csv_table table;
    struct error err;
    begin(&f);
    struct csv *csv = csv_create(f.path, "frame,unit.x", &err);
    row(csv, 0, 1);
    assert_true(csv_flush(csv, &err));
    csv_roll_back(csv);
    assert_int_equal(access(f.path, F_OK), -1);
    csv_abandon(csv);

    csv = csv_create(f.path, "frame,unit.x", &err);
    row(csv, 0, 1);
    assert_true(csv_flush(csv, &err));
    csv_commit(csv);
    row(csv, 1, 3);
    assert_true(csv_flush(csv, &err));
    row(csv, 2, 3);
    csv_roll_back(csv);
    assert_true(csv_destroy(csv, &err));
    assert_true(csv_read(&table, f.path, &err));
    assert_int_equal(table.rows, 1);
    csv_table_fini(&table);
    end(&f);
}

/* If the disk is full, earlier rows stay. No file is left without a whole row. */
static void
a_full_disk_leaves_whole_rows(void **state)
{
    struct fixture f;
    struct csv_table table;
    struct error err;
    struct rlimit before, little;
    begin(&f);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = (struct rlimit){10, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    struct csv *csv = csv_create(f.path, "frame,unit.x", &err);
    row(csv, 0, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    assert_false(csv_flush(csv, &err));
    assert_int_equal(access(f.path, F_OK), -1);
    csv_abandon(csv);

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    csv = csv_create(f.path, "frame,unit.x", &err);
    row(csv, 0, 1);
    assert_true(csv_flush(csv, &err));
    little.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    for (uint64_t i = 0; i < 100; i++)
        row(csv, i, i * 7919);
    assert_false(csv_flush(csv, &err));
    csv_abandon(csv);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(csv_read(&table, f.path, &err));
    assert_int_equal(table.rows, 1);
    csv_table_fini(&table);
    end(&f);
}

/* Parts of a table are written to redirected copies. The joined table equals the table written at
 * once, byte for byte. */
static void
parts_put_together_are_the_table(void **state)
{
    struct fixture f;
    struct error err;
    char *whole = NULL, *joined = NULL;
    size_t size_whole = 0, size_joined = 0;
    begin(&f);
    struct csv *csv = csv_create(f.path, "frame,unit.x", &err);
    for (uint64_t i = 0; i < 2; i++) {
        row(csv, i, 7);
        assert_true(csv_flush(csv, &err));
    }
    assert_true(csv_destroy(csv, &err));
    assert_true(file_read(f.path, SIZE_MAX, &whole, &size_whole, &err));

    struct csv *part[2], *table;
    char *paths[2] = {mem_printf("%s.0", f.other), mem_printf("%s.1", f.other)};
    for (uint64_t i = 0; i < 2; i++) {
        part[i] = csv_create(f.other, "frame,unit.x", &err);
        row(part[i], i, 99);
        csv_discard(part[i]);
        row(part[i], i, 7); /* not flushed yet, so it is in the redirected part */
        csv_redirect(part[i], paths[i]);
        assert_true(csv_destroy(part[i], &err));
    }
    table = csv_create(f.path, "frame,unit.x", &err);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(csv_append(table, paths[i], &err));
        unlink(paths[i]);
        free(paths[i]);
    }
    assert_true(csv_destroy(table, &err));
    assert_true(file_read(f.path, SIZE_MAX, &joined, &size_joined, &err));
    assert_int_equal(size_whole, size_joined);
    assert_memory_equal(whole, joined, size_whole);
    free(whole);
    free(joined);
    end(&f);
}

/* Writes two rows. The second one contains the field. */
static void
write_field(struct fixture *f, const char *name, const char *field)
{
    struct error err;
    char *text = mem_printf("schema,%s\n1,1\n1,%s\n", name, field);
    assert_true(file_write(f->path, text, strlen(text), &err));
    free(text);
}

static void
refused(struct fixture *f, const char *name, const char *field, const char *because)
{
    struct csv_table table;
    struct error err;
    write_field(f, name, field);
    if (csv_read(&table, f->path, &err))
        fail_msg("%s may be '%s'", name, field);
    if (!strstr(err.text, because) || !strstr(err.text, f->path))
        fail_msg("%s", err.text);
}

static void
faults_are_reported(void **state)
{
    struct fixture f;
    struct csv_table table;
    struct error err;
    begin(&f);
    assert_null(csv_create("/nowhere/at/all.csv.gz", "frame,unit.x", &err));
    assert_non_null(strstr(err.text, "/nowhere/at/all.csv.gz"));
    assert_true(file_write(f.path, "frame,x\n1,2\n1;2\n", 16, &err));
    assert_false(csv_read(&table, f.path, &err));
    assert_non_null(strstr(err.text, "row 2: expected 2 fields"));
    assert_true(file_write(f.path, "frame,x\n1,2\n3,", 14, &err));
    assert_false(csv_read(&table, f.path, &err));
    assert_true(file_write(f.path, "frame,x\n1,a\x1b[m\n", 16, &err));
    assert_false(csv_read(&table, f.path, &err));
    assert_non_null(strstr(err.text, "row 1: x contains a control character"));
    char *shown = mem_printable("a\x1b[m\x7f\n");
    assert_string_equal(shown, "a\\x1b[m\\x7f\n");
    free(shown);
    assert_true(file_write(f.path, "frame,x\n1,2,3\n", 14, &err));
    assert_false(csv_read(&table, f.path, &err));
    end(&f);
}

/* C functions and other programs write numbers in these forms, but this project does not. */
static void
numbers_are_decimal_or_an_error(void **state)
{
    static const char *const no_whole[] = {"0x10", "nan", "inf", "-1",   "+1",    "1.5",
                                           "1e3",  " 1",  "1 ",  "many", "0x1p4", "1_0"},
                             *const no_real[] = {"0x10", "nan",   "inf",     "-inf", "+1",
                                                 "1.",   ".5",    "1e",      "1e+",  " 1",
                                                 "1 ",   "1f",    "1e999",   "-",    "--1",
                                                 "1E3",  "1.5.2", "infinity"};
    static const struct {
        const char *field;
        double value;
    } reals[] = {{"0", 0}, {"-2", -2}, {"12.25", 12.25}, {"2.8e-05", 2.8e-5}, {"1e+15", 1e15}};
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof no_whole / sizeof *no_whole; i++) {
        refused(&f, "unit.slots", no_whole[i], "row 2: unit.slots is not a whole number");
        refused(&f, "frame", no_whole[i], "row 2: frame is not a whole number");
    }
    for (size_t i = 0; i < sizeof no_real / sizeof *no_real; i++)
        refused(&f, "time", no_real[i], "row 2: time is not a decimal number");
    refused(&f, "unit.slots", "", "row 2: unit.slots has no value");
    refused(&f, "unit.slots", "18446744073709551616", "row 2: unit.slots is too large");
    refused(&f, "frame", "4294967295", "row 2: frame is too large");
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        struct csv_table table;
        struct error err;
        write_field(&f, "time", reals[i].field);
        assert_true(csv_read(&table, f.path, &err));
        assert_true(csv_value(&table, 1, 1) == reals[i].value);
        csv_table_fini(&table);
    }
    end(&f);
}

/* SQL and terminals use column names, so special characters are refused. */
static void
columns_have_names_without_signs(void **state)
{
    static const char *const wrong[] = {
        "a,,b\n", "a,b\" TEXT); ATTACH 'x' AS y;\n", "a,b\x1b[31m\n", "a,b'c\n", "a b,c\n", ""};
    struct fixture f;
    struct csv_table table;
    struct error err;
    begin(&f);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(file_write(f.path, wrong[i], strlen(wrong[i]), &err));
        assert_false(csv_read_header(&table, f.path, &err));
        assert_non_null(strstr(err.text, "has characters other than letters"));
        assert_false(csv_read(&table, f.path, &err));
    }
    assert_true(file_write(f.path, "a,shader[3].slots\n", 18, &err));
    assert_true(csv_read_header(&table, f.path, &err));
    csv_table_fini(&table);
    end(&f);
}

/* A column is found by its name, so names must be unique. */
static void
columns_have_names_of_their_own(void **state)
{
    static const char twice[] = "x,frame,y,x\n1,2,3,4\n";
    struct fixture f;
    struct csv_table table;
    struct error err;
    begin(&f);
    assert_true(file_write(f.path, twice, strlen(twice), &err));
    assert_false(csv_read(&table, f.path, &err));
    assert_non_null(strstr(err.text, "the column x occurs twice"));
    assert_false(csv_read_header(&table, f.path, &err));
    end(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_read_back),
        cmocka_unit_test(a_later_schema_is_refused),
        cmocka_unit_test(the_same_rows_are_the_same_bytes),
        cmocka_unit_test(flushed_rows_are_whole_before_the_end),
        cmocka_unit_test(rows_are_taken_back),
        cmocka_unit_test(a_full_disk_leaves_whole_rows),
        cmocka_unit_test(parts_put_together_are_the_table),
        cmocka_unit_test(faults_are_reported),
        cmocka_unit_test(numbers_are_decimal_or_an_error),
        cmocka_unit_test(columns_have_names_without_signs),
        cmocka_unit_test(columns_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
