/* The tables of a run. The instances of a unit add up to its column, rates equal those of run.json,
 * and databases can load the tables. */
#include "report/run/table.h"

#include "base/build.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/schema.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define TINY AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"

enum { MOST_COLUMNS = 2000 }; /* limit of SQLite with default options */

static char dir[] = "/tmp/aetius-tables-XXXXXX";

static bool
read_table(struct csv_table *table, const char *run, const char *name)
{
    struct error err;
    char *path = mem_printf("%s/%s", run, name);
    const bool there = file_exists(path);
    if (there && !csv_read(table, path, &err))
        fail_msg("%s", err.text);
    free(path);
    return there;
}

static bool
is_peak(const char *name)
{
    const char *tail = strrchr(name, '.');
    return tail && !strcmp(tail, ".occupancy_peak");
}

/* Checks that each row of the main table corresponds to one row per instance in the unit's table.
 */
static void
instances_add_up(const struct csv_table *all, const struct csv_table *unit, const char *file)
{
    assert_int_equal(unit->rows % all->rows, 0);
    const uint32_t instances = unit->rows / all->rows;
    uint32_t statistics = 0;
    assert_true(instances > 1);
    for (uint32_t c = 0; c < unit->columns; c++) {
        const int32_t of_all = csv_column(all, unit->names[c]);
        if (!strchr(unit->names[c], '.'))
            continue;
        statistics++;
        assert_true(of_all >= 0);
        for (uint32_t row = 0; row < all->rows; row++) {
            double sum = 0;
            for (uint32_t i = 0; i < instances; i++) {
                const uint32_t at = row * instances + i;
                const double value = csv_value(unit, at, (int32_t)c);
                assert_true(csv_value(unit, at, csv_column(unit, "instance")) == i);
                sum = is_peak(unit->names[c]) && sum > value ? sum
                      : is_peak(unit->names[c])              ? value
                                                             : sum + value;
            }
            if (sum != csv_value(all, row, of_all))
                fail_msg("%s: instances of %s come to %g, not %g", file, unit->names[c], sum,
                         csv_value(all, row, of_all));
        }
    }
    assert_true(statistics > 3);
}

static void
rates_are_those_of_the_run(const struct csv_table *frames, const char *run)
{
    struct error err;
    size_t size, count;
    char *path = mem_printf("%s/run.json", run), *text;
    const struct metric *metrics = metrics_all(&count);
    assert_true(file_read(path, SIZE_MAX, &text, &size, &err));
    cJSON *json = cJSON_Parse(text);
    assert_int_equal(cJSON_GetObjectItem(json, "schema")->valueint, AETIUS_SCHEMA);
    for (size_t i = 0; i < count; i++) {
        const cJSON *member =
            cJSON_GetObjectItem(cJSON_GetObjectItem(json, "metrics"), metrics[i].name);
        const double is = csv_value(frames, 0, csv_column(frames, metrics[i].name));
        assert_non_null(member);
        if (cJSON_IsNull(member))
            assert_true(isnan(is));
        else if (!(fabs(is - member->valuedouble) <= 0.0005 * fabs(member->valuedouble)))
            fail_msg("%s is %g in the table, %g in run.json", metrics[i].name, is,
                     member->valuedouble);
    }
    cJSON_Delete(json);
    free(path);
    free(text);
}

static void
test_run(void **state)
{
    static struct command_result cmd;
    static const char *const presets[] = {"reference-2008", "g70-like"};
    static const char *const units[] = {"shader", "texunit", "zstencil", "colorwrite", "channel"};
    static const char *const kinds[] = {"frames", "draws", "cycles"};
    (void)state;
    for (uint32_t p = 0; p < 2; p++) {
        char *run = mem_printf("%s/%s", dir, presets[p]);
        uint32_t unit_tables = 0;
        RUN(&cmd, "sim", TINY, "--preset", presets[p], "--frames", "0", "-o", run);
        assert_int_equal(cmd.status, 0);
        for (uint32_t k = 0; k < 3; k++) {
            struct csv_table all, unit;
            char *name = mem_printf("stats.%s.csv.gz", kinds[k]);
            assert_true(read_table(&all, run, name));
            assert_true(all.columns <= MOST_COLUMNS);
            assert_true(csv_value(&all, 0, csv_column(&all, "schema")) == AETIUS_SCHEMA);
            if (k == 0)
                rates_are_those_of_the_run(&all, run);
            for (uint32_t u = 0; u < 5; u++) {
                char *of_unit = table_unit_path(name, units[u]);
                if (read_table(&unit, run, of_unit)) {
                    instances_add_up(&all, &unit, of_unit);
                    csv_table_fini(&unit);
                    unit_tables++;
                }
                free(of_unit);
            }
            csv_table_fini(&all);
            free(name);
        }
        assert_int_equal(unit_tables, 3 * 5);
        free(run);
    }
}

/* Two queues have the same name. Their items are summed, and their peak is the larger one, in
 * either order. */
static void
test_sums(void **state)
{
    struct stat_set set;
    struct params params;
    struct csv_table read;
    struct table table;
    struct error err;
    const uint64_t counters[4] = {0};
    char *path = mem_printf("%s/made.csv.gz", dir);
    (void)state;
    params_init(&params);
    stat_set_init(&set);
    stat_set_add_counter(&set, "texels[1].items_in", "items", "", &counters[0]);
    stat_set_add_counter(&set, "texels[1].occupancy_peak", "items", "", &counters[1]);
    stat_set_add_counter(&set, "texels[0].items_in", "items", "", &counters[2]);
    stat_set_add_counter(&set, "texels[0].occupancy_peak", "items", "", &counters[3]);
    set.entries[1].is_peak = set.entries[3].is_peak = true;
    struct table_layout *layout = table_layout_create(&set, &params);
    const struct table_kind kind = {"frame", "word", true};
    assert_true(table_open(&table, path, &kind, layout, &err));
    table_row(&table, "0", "a b", (const uint64_t[]){100, 7, 20, 5}, 1);
    table_row(&table, "1", "", (const uint64_t[]){1, 5, 2, 7}, 1);
    assert_true(table_close(&table, true, &err));
    assert_true(csv_read(&read, path, &err));
    assert_true(csv_value(&read, 0, csv_column(&read, "texels.items_in")) == 120);
    assert_true(csv_value(&read, 0, csv_column(&read, "texels.occupancy_peak")) == 7);
    assert_true(csv_value(&read, 1, csv_column(&read, "texels.items_in")) == 3);
    assert_true(csv_value(&read, 1, csv_column(&read, "texels.occupancy_peak")) == 7);
    csv_table_fini(&read);
    char *queues = table_unit_path(path, "queue");
    assert_true(csv_read(&read, queues, &err));
    assert_int_equal(read.rows, 4); /* two frames with two queues each */
    static const uint64_t rows[4][3] = {{1, 100, 7}, {0, 20, 5}, {1, 1, 5}, {0, 2, 7}};
    for (uint32_t row = 0; row < 4; row++) {
        assert_string_equal(csv_field(&read, row, csv_column(&read, "queue")), "texels");
        assert_true(csv_value(&read, row, csv_column(&read, "frame")) == row / 2);
        assert_true(csv_value(&read, row, csv_column(&read, "instance")) == (double)rows[row][0]);
        assert_true(csv_value(&read, row, csv_column(&read, "queue.items_in")) ==
                    (double)rows[row][1]);
        assert_true(csv_value(&read, row, csv_column(&read, "queue.occupancy_peak")) ==
                    (double)rows[row][2]);
    }
    csv_table_fini(&read);
    free(queues);
    table_layout_destroy(layout);
    stat_set_fini(&set);
    free(path);
}

static uint64_t
hash_of_key(const struct csv_table *table, uint32_t row)
{
    static const char *const keys[] = {"frame", "draw", "cycle", "nth", "instance"};
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const double value = csv_value(table, row, csv_column(table, keys[i]));
        const double known = isnan(value) ? -1 : value;
        hash = hash_bytes(hash, &known, sizeof known);
    }
    static const char *const words[] = {"work", "queue"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const int32_t column = csv_column(table, words[i]);
        const char *word = column < 0 ? "" : csv_field(table, row, column);
        hash = hash_bytes(hash, word, strlen(word) + 1);
    }
    return hash;
}

static int
by_hash(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Each row has a unique key, even if several kinds of work precede a draw, or an interval ends with
 * the frame. */
static void
test_keys(void **state)
{
    static struct command_result cmd;
    static const char *const files[] = {"stats.frames.csv.gz",         "stats.draws.csv.gz",
                                        "stats.cycles.csv.gz",         "stats.draws.texunit.csv.gz",
                                        "stats.cycles.channel.csv.gz", "stats.frames.queue.csv.gz"};
    char *run = mem_printf("%s/keys", dir);
    (void)state;
    RUN(&cmd, "sim", TINY, "--json", "-o", run);
    cJSON *json = cJSON_Parse(cmd.out);
    const cJSON *frame = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "per_frame"), 0);
    char *rate =
        mem_printf("SIMULATOR.StatisticsRate=%d", cJSON_GetObjectItem(frame, "cycles")->valueint);
    RUN(&cmd, "sim", TINY, "--set", rate, "-o", run, "--force");
    assert_int_equal(cmd.status, 0);
    cJSON_Delete(json);
    free(rate);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct csv_table table;
        assert_true(read_table(&table, run, files[f]));
        uint32_t later = 0;
        uint64_t *hashes = mem_array(table.rows, sizeof *hashes);
        for (uint32_t row = 0; row < table.rows; row++) {
            hashes[row] = hash_of_key(&table, row);
            later += csv_value(&table, row, csv_column(&table, "nth")) > 0;
        }
        qsort(hashes, table.rows, sizeof *hashes, by_hash);
        for (uint32_t row = 1; row < table.rows; row++)
            if (hashes[row] == hashes[row - 1])
                fail_msg("%s: two rows of %u have one key", files[f], table.rows);
        assert_true(table.rows > 1);
        if (csv_column(&table, "nth") >= 0)
            assert_true(later > 0);
        free(hashes);
        csv_table_fini(&table);
    }
    free(run);
}

/* Columns of numbers are numbers in the database, so 9 is less than 10. No value is NULL. Loading a
 * run twice stores it once. */
static void
test_sql(void **state)
{
    static struct command_result cmd;
    char *run = mem_printf("%s/sql", dir), *first, *end;
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", run);
    RUN(&cmd, "stats", "--sql", run);
    assert_int_equal(cmd.status, 0);
    first = strstr(cmd.out, "CREATE TABLE draws (");
    assert_non_null(first);
    end = strchr(first, '\n');
    *end = '\0';
    assert_non_null(strstr(first, "\"frame\" INTEGER"));
    assert_non_null(strstr(first, "\"hash\" TEXT"));
    assert_non_null(strstr(first, "\"cycles\" INTEGER"));
    assert_non_null(strstr(first, "\"shader.instructions\" INTEGER"));
    assert_non_null(strstr(first, "\"texture_cache_hits\" REAL"));
    RUN(&cmd, "stats", "--sql", dir); /* the folder is not a run */
    assert_int_equal(cmd.status, 1);
    if (!system("command -v sqlite3 >/dev/null 2>&1")) {
        char *command = mem_printf("%s stats --sql %s >%s/sql.txt && sqlite3 %s/db <%s/sql.txt && "
                                   "test \"$(sqlite3 %s/db <%s/sql.txt && sqlite3 %s/db "
                                   "\"SELECT typeof(max(cycles)) || count(*) FROM draws WHERE work "
                                   "= 'draw'\")\" = integer18",
                                   aetius, run, dir, dir, dir, dir, dir, dir);
        assert_int_equal(system(command), 0);
        free(command);
    }
    free(run);
}

/* Names of folders and their content are untrusted. They must not become commands. */
static void
test_sql_of_a_stranger(void **state)
{
    static struct command_result cmd;
    char *run = mem_printf("%s/a'; touch pwned; '\" \\ $(touch pwned)\nb", dir);
    char *ini = mem_printf("%s/machine.ini", run), *script = mem_printf("%s/script", dir);
    char *pwned = mem_printf("%s/pwned", dir), *text;
    size_t size;
    struct error err;
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", run);
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "stats", "--sql", run);
    assert_int_equal(cmd.status, 0);
    assert_true(file_write(script, cmd.out, strlen(cmd.out), &err));
    if (!system("command -v sqlite3 >/dev/null 2>&1")) {
        char *command = mem_printf("cd %s && test \"$(sqlite3 strange.db <script && sqlite3 "
                                   "strange.db \"SELECT count(*) FROM draws WHERE work = "
                                   "'draw'\")\" = 18",
                                   dir);
        assert_int_equal(system(command), 0);
        free(command);
    }
    assert_false(file_exists(pwned));
    assert_true(file_read(ini, SIZE_MAX, &text, &size, &err));
    static const char *const files[] = {"a'$(touch X)'b", "../frames.csv.gz", "..", "a`b`", "a|b"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *more = mem_printf("%s\n[SIMULATOR]\nStatsFilePerFrame = \"%s\"\n", text, files[i]);
        assert_true(file_write(ini, more, strlen(more), &err));
        RUN(&cmd, "stats", "--sql", run);
        assert_int_equal(cmd.status, 1);
        assert_non_null(strstr(cmd.err, "expected a file name"));
        free(more);
    }
    free(run);
    free(ini);
    free(script);
    free(pwned);
    free(text);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_run), cmocka_unit_test(test_sums),
                                       cmocka_unit_test(test_keys), cmocka_unit_test(test_sql),
                                       cmocka_unit_test(test_sql_of_a_stranger)};
    aetius = argc > 1 ? argv[1] : "aetius";
    if (!mkdtemp(dir))
        return 2;
    const int failed = cmocka_run_group_tests_name("tables", tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
