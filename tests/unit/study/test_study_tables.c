/* Studies whose pages are database queries. Each committed page contains the committed tables, cell
 * by cell. So every figure comes from the command. Further tests cover errors in the tables of a
 * plan. test_studies.c runs the queries. */
#include "base/text_table.h"
#include "rigs/endings.h"
#include "study/study.h"

#include <ctype.h>
#include <dirent.h>

static const char *const names[] = {"rasterizer", "shader", "texture"};
enum { STUDIES = sizeof names / sizeof names[0] };

static char *
read_text(const char *path)
{
    struct error err;
    char *text;
    size_t size;
    if (!file_read(path, 1 << 24, &text, &size, &err))
        fail_msg("%s", err.text);
    return text;
}

static int
is_csv(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".csv");
}

typedef void check_fn(const char *study, const char *name, const char *committed);

static uint32_t
each_table(const char *study, check_fn *check)
{
    char *folder = mem_printf("%s/docs/studies/%s", AETIUS_SOURCE_DIR, study);
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_csv, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char *path = mem_printf("%s/%s", folder, entries[i]->d_name);
        check(study, entries[i]->d_name, path);
        free(path);
        free(entries[i]);
    }
    free(entries);
    free(folder);
    return (uint32_t)count;
}

/* Removes all white space. */
static char *
squeeze(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (!isspace((unsigned char)*from))
            *to++ = *from;
    *to = '\0';
    return text;
}

static char *
row_of(const struct text_table *table, size_t row)
{
    char *line = mem_strdup("|");
    for (uint32_t c = 0; c < table->columns; c++) {
        char *longer = mem_printf("%s%s|", line, text_table_at(table, row, c));
        free(line);
        line = longer;
    }
    return squeeze(line);
}

static const char *page;
static struct sweep_plan page_plan;
static uint32_t rows_found;

static const char *
entry_of(const struct sweep_table *table, const char *key)
{
    for (size_t e = 0; e < table->entries.count; e += 2)
        if (!strcmp(table->entries.items[e], key))
            return table->entries.items[e + 1];
    return NULL;
}

/* Returns whether the plan includes the rows of a table in the page. With `split` the name is
 * NAME-VALUE.csv. */
static bool
wants_rows(const char *name)
{
    for (size_t t = 0; t < page_plan.tables.count; t++) {
        const struct sweep_table *table = &page_plan.tables.items[t];
        const size_t length = strlen(table->name);
        const char after = entry_of(table, "split") ? '-' : '.';
        if (!strncmp(table->name, name, length) && name[length] == after)
            return !entry_of(table, "rows");
    }
    fail_msg("the plan has no table %s", name);
    return false;
}

/* Checks that the table is in the page with all its rows, or as a plot. */
static void
is_in_page(const char *study, const char *name, const char *committed)
{
    struct text_table table = {0};
    struct error err;
    char *svg = mem_printf("(%s/%.*s.svg)", study, (int)(strlen(name) - 4), name);
    if (!text_table_read(&table, committed, &err))
        fail_msg("%s", err.text);
    const bool has_rows = wants_rows(name);
    if (!has_rows && !strstr(page, svg))
        fail_msg("%s is not in the page", name);
    for (size_t row = 0; has_rows && row < text_table_rows(&table); row++) {
        char *line = row_of(&table, row);
        if (!strstr(page, line))
            fail_msg("docs/studies/%s.md has no row %s", study, line);
        rows_found++;
        free(line);
    }
    text_table_fini(&table);
    free(svg);
}

static void
test_pages(void **state)
{
    for (uint32_t i = 0; i < STUDIES; i++) {
        char *path = mem_printf("%s/docs/studies/%s.md", AETIUS_SOURCE_DIR, names[i]);
        char *plan = mem_printf("%s/studies/%s.ini", AETIUS_SOURCE_DIR, names[i]);
        char *text = squeeze(read_text(path));
        struct error err;
        assert_true(sweep_plan_load(&page_plan, plan, &err));
        page = text;
        rows_found = 0;
        each_table(names[i], is_in_page);
        assert_true(rows_found > 5);
        sweep_plan_fini(&page_plan);
        free(plan);
        free(text);
        free(path);
    }
}

/* Errors in the tables of a plan. */
static void
test_refusals(void **state)
{
    static const struct {
        const char *table, *message;
    } cases[] = {
        {"sql = SELECT no_such FROM results\n", "[table t]: no such column: no_such"},
        {"sql = SELECT \"GPU.NoSuch\" FROM results\n", "[table t]: no such column: GPU.NoSuch"},
        {"sql = SELECT 1\nmachines = m\n", "[table t]: machines: unknown machine 'm'"},
        {"sql = SELECT 1\nseries = yes\n", "series = yes requires at least two columns"},
        {"sql = SELECT 1\nsplit = no\n", "split = no: expected yes"},
        {"title = One\n", "[table t]: sql = is missing"},
        {"sql = SELECT 1\nplot = pie\n", "expected bars, stacked, lines or points"},
        {"sql = SELECT 1\ncolor = red\n", "unknown name 'color'"},
        {"sql = SELECT 1\nlabels = none\n", "expected a number of columns"},
        {"sql = SELECT 1\nmark = here\n", "expected a number"},
        {"sql = SELECT 1\nrows = few\n", "expected no"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *plan =
            mem_printf("[input w]\nfile = " TINY "\nframes = 0\n[table t]\n%s", cases[i].table);
        put_text("p.ini", plan);
        assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "@s"), 1);
        if (!reports(cases[i].message))
            fail_msg("case %zu does not say '%s'", i, cases[i].message);
        free(plan);
    }
}

/* A picture of one color (8x8 pixels without a draw) proves nothing. The command reports this
 * before it simulates. */
static void
test_one_color(void **state)
{
    static const struct resource_desc none;
    char *path = in_dir("black.trace");
    write_trace(path, &none, 0);
    assert_int_equal(RUN("study", "rasterizer", "black.trace", "-o", "own"), 0);
    assert_true(reports("black has only one color: its picture is not compared"));
    put_text("p.ini",
             "[input b]\nfile = black.trace\n[table t]\nsql = SELECT input FROM results\n");
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 1);
    assert_true(reports("[input b]: frame 0 has only one color") && reports("one-color = yes"));
    assert_false(is_there("s/results.db"));
    put_text("p.ini", "[input b]\nfile = black.trace\none-color = yes\n"
                      "[table t]\nsql = SELECT input FROM results\n");
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 0);
    put_text("p.ini", "[input b]\nfile = black.trace\none-color = no\n");
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 1);
    assert_true(reports("expected yes"));
    free(path);
}

/* With --keep-going the study omits only three inputs: a trace with a damaged header, one with
 * damaged commands, and a picture of one color. */
static void
test_keep_going(void **state)
{
    static const char plan[] = "[input head]\nfile = head.trace\n[input body]\nfile = body.trace\n"
                               "[input black]\nfile = black.trace\n[input good]\nfile = " TINY
                               "\n[table t]\nsql = SELECT input FROM results\ntitle = T\n";
    static const struct resource_desc none;
    char *path = in_dir("black.trace");
    size_t size;
    char *bytes;
    struct error err;
    write_trace(path, &none, 0);
    free(path);
    put("head.trace", 1000);
    assert_true(file_read(TINY, 1 << 24, &bytes, &size, &err));
    memset(bytes + size / 2, 0xa5, 64);
    path = in_dir("body.trace");
    assert_true(file_write(path, bytes, size, &err));
    put_text("p.ini", plan);
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 1);
    assert_false(is_there("s/texture.md"));
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s", "-k"), 1);
    assert_true(reports("[input head]") && reports("[input body]") && reports("[input black]") &&
                reports("3 inputs are omitted"));
    char *csv = file_text("s/t.csv");
    assert_string_equal(csv, "input\ngood\n");
    free(csv);
    free(bytes);
    free(path);
}

/* A failed run does not affect other inputs. Here the machine has too little memory for one of the
 * inputs. */
static void
test_failed_runs(void **state)
{
    put_text("p.ini", "[sweep]\nset = MEMORYCONTROLLER.MemorySize=2097152\n"
                      "[input large]\nfile = " WORKLOADS "\nframes = 0\n"
                      "[input small]\nfile = " TINY "\nframes = 0\n"
                      "[input other]\nfile = " TINY "\nframes = 1\n"
                      "[table t]\nsql = SELECT run, input FROM results\ntitle = T\n");
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 1);
    assert_false(is_there("s/texture.md"));
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s", "-k"), 1);
    assert_true(reports("1 of 3 runs failed") && reports("1 input is omitted"));
    char *csv = file_text("s/t.csv");
    assert_string_equal(csv, "run,input\n1,small\n2,other\n");
    free(csv);
}

#define TABLE(name)                                                                                \
    "[table " name "]\nsql = SELECT input, cycles FROM results\ntitle = T\nplot = bars\n"

/* A study removes its old files and keeps foreign ones. Its last output line lists the existing
 * files. */
static void
test_files(void **state)
{
    static const char input[] = "[input w]\nfile = " TINY "\nframes = 0\n";
    char *both = mem_printf("%s%s%s", input, TABLE("one"), TABLE("two"));
    char *first = mem_printf("%s%s", input, TABLE("one"));
    char *folder = in_dir("s");
    assert_int_equal(mkdir(folder, 0777), 0);
    put_text("s/two.csv", "mine");
    put_text("p.ini", both);
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 1);
    assert_true(reports("s/two.csv exists"));
    assert_false(is_there("s/results.db"));
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 1);
    char *csv = file_text("s/two.csv");
    assert_string_equal(csv, "mine");
    free(csv);

    char *path = in_dir("s/two.csv");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 0);
    assert_true(reports("s: texture.md, 2 *.csv, 2 *.svg\n"));
    assert_true(is_there("s/two.csv") && is_there("s/two.svg") && is_there("s/two.gnuplot"));
    put_text("s/mine.csv", "mine");
    put_text("p.ini", first);
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 0);
    assert_true(reports("s: texture.md, 1 *.csv, 1 *.svg\n"));
    assert_true(is_there("s/one.csv") && is_there("s/mine.csv"));
    assert_false(is_there("s/two.csv") || is_there("s/two.svg") || is_there("s/two.gnuplot"));

    put_text("s/two.csv", "mine"); /* a foreign file in the folder of a study is not overwritten */
    put_text("p.ini", both);
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 1);
    assert_true(reports("s/two.csv exists"));
    put_text("s/files.txt", "mine\n");
    assert_int_equal(RUN("study", "texture", "--plan", "p.ini", "-o", "s"), 1);
    assert_true(reports("s/files.txt exists"));
    free(path);
    free(folder);
    free(first);
    free(both);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test_teardown(test_refusals, clean),
        cmocka_unit_test_teardown(test_one_color, clean),
        cmocka_unit_test_teardown(test_keep_going, clean),
        cmocka_unit_test_teardown(test_failed_runs, clean),
        cmocka_unit_test_teardown(test_files, clean),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
