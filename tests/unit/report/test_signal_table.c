/* The table of `aetius sim --signals`. The counters of the queues, the latencies of machine.def and
 * the order of a queue give the expected rows. */
#include "base/build.h"
#include "base/mem.h"
#include "report/run/csv.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#define TINY     AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"
#define EMISSION AETIUS_SOURCE_DIR "/tests/golden/emission.trace"
#define WHOLE    "0-99999999"

enum { MOST_QUEUES = 256 };

static char dir[] = "/tmp/aetius-signals-XXXXXX";

enum column {
    SCHEMA,
    FRAME,
    CYCLE,
    QUEUE,
    INSTANCE,
    DIRECTION,
    ITEM,
    DRAW,
    TRIANGLE,
    ADDRESS = 13,
    COLUMNS
};

struct row {
    char *line; /* the whole row, without the trailing newline */
    char *fields[COLUMNS];
    const char *named; /* item to address: what identifies the item; part of `line` */
    char *copy;
};

struct rows {
    VEC(struct row) list;
};

static char *
path_of(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

static void
read_rows(struct rows *rows, const char *path)
{
    static const char header[] = "schema,frame,cycle,queue,instance,direction,item,draw,triangle,"
                                 "vertex,x,y,thread_group,address\n";
    char *command = mem_printf("gzip -dc '%s'", path), line[512];
    FILE *file = popen(command, "r");
    *rows = (struct rows){0};
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, header);
    while (fgets(line, sizeof line, file)) {
        struct row row = {0};
        line[strcspn(line, "\n")] = '\0';
        row.line = mem_strdup(line);
        char *at = row.copy = mem_strdup(line);
        for (int c = 0; c < COLUMNS; c++)
            assert_non_null(row.fields[c] = strsep(&at, ","));
        assert_null(at);
        row.named = row.line + (row.fields[ITEM] - row.copy);
        VEC_PUSH(&rows->list, row);
    }
    assert_int_equal(pclose(file), 0);
    free(command);
}

static void
free_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->list.count; i++) {
        free(rows->list.items[i].line);
        free(rows->list.items[i].copy);
    }
    VEC_FREE(&rows->list);
}

static unsigned long
number(const struct row *row, enum column column)
{
    return strtoul(row->fields[column], NULL, 10);
}

static void
simulate(const char *run, const char *path, const char *cycles)
{
    static struct command_result cmd;
    RUN(&cmd, "sim", TINY, "-o", run, "--force", "--signals", path, "--cycles", cycles);
    if (cmd.status)
        fail_msg("%s", cmd.err);
}

/* Each queue has as many rows per direction as its counters items_in and items_out. Items leave an
 * instance of a queue in the order in which they entered, at least one cycle later. */
static void
rows_follow_the_queues(void **state)
{
    char *run = path_of("whole"), *path = path_of("whole/signals.csv.gz");
    char *frames_path = path_of("whole/stats.frames.csv.gz");
    struct rows rows;
    struct csv_table frames;
    struct error err;
    uint32_t queues = 0;
    (void)state;
    simulate(run, path, WHOLE);
    read_rows(&rows, path);
    assert_true(csv_read(&frames, frames_path, &err));
    for (uint32_t c = 0; c < frames.columns; c++) {
        char *dot = strrchr(frames.names[c], '.');
        if (!dot || (strcmp(dot, ".items_in") && strcmp(dot, ".items_out")))
            continue;
        double wanted = 0, found = 0;
        for (uint32_t row = 0; row < frames.rows; row++)
            wanted += csv_value(&frames, row, (int32_t)c);
        for (size_t i = 0; i < rows.list.count; i++) {
            const struct row *row = &rows.list.items[i];
            found +=
                !strncmp(frames.names[c], row->fields[QUEUE], (size_t)(dot - frames.names[c])) &&
                !row->fields[QUEUE][dot - frames.names[c]] &&
                !strcmp(row->fields[DIRECTION], dot + strlen(".items_"));
        }
        if (wanted != found)
            fail_msg("%s: %.0f items, %.0f rows", frames.names[c], wanted, found);
        queues += wanted > 0;
    }
    assert_true(queues > 80);
    csv_table_fini(&frames);
    free_rows(&rows);
    free(run);
    free(path);
    free(frames_path);
}

/* An item of a queue, found from its entry. */
struct place {
    char *queue; /* with the instance */
    VEC(size_t) entered;
    size_t left;
};

static struct place *
place_of(struct place *places, const struct row *row)
{
    char *name = mem_printf("%s[%s]", row->fields[QUEUE], row->fields[INSTANCE]);
    struct place *place = places;
    while (place->queue && strcmp(place->queue, name) != 0)
        place++;
    assert_true(place < places + MOST_QUEUES - 1);
    if (place->queue)
        free(name);
    else
        place->queue = name;
    return place;
}

static void
free_places(struct place *places)
{
    for (uint32_t i = 0; i < MOST_QUEUES; i++) {
        free(places[i].queue);
        VEC_FREE(&places[i].entered);
    }
    free(places);
}

static void
items_leave_in_order(void **state)
{
    char *path = path_of("whole/signals.csv.gz");
    struct place *places = mem_array(MOST_QUEUES, sizeof *places);
    struct rows rows;
    unsigned long last = 0;
    (void)state;
    read_rows(&rows, path);
    for (size_t i = 0; i < rows.list.count; i++) {
        const struct row *row = &rows.list.items[i];
        struct place *place = place_of(places, row);
        assert_true(number(row, SCHEMA) == 1 && number(row, FRAME) < 2);
        assert_true(number(row, CYCLE) >= last);
        last = number(row, CYCLE);
        if (!strcmp(row->fields[DIRECTION], "in")) {
            VEC_PUSH(&place->entered, i);
            continue;
        }
        assert_string_equal(row->fields[DIRECTION], "out");
        assert_true(place->left < place->entered.count);
        const struct row *in = &rows.list.items[place->entered.items[place->left++]];
        if (strcmp(in->named, row->named) != 0)
            fail_msg("%s: in %s, out %s", place->queue, in->line, row->line);
        assert_true(number(in, CYCLE) < number(row, CYCLE));
    }
    for (uint32_t i = 0; i < MOST_QUEUES; i++)
        assert_int_equal(places[i].entered.count, places[i].left);
    free_places(places);
    free_rows(&rows);
    free(path);
}

/* Each reply of the memory controller names the address of a request of the same client. */
static void
replies_have_the_address_of_their_request(void **state)
{
    char *path = path_of("whole/signals.csv.gz");
    struct rows rows;
    uint32_t replies = 0;
    long sums[2] = {0}; /* addresses of requests and replies */
    (void)state;
    read_rows(&rows, path);
    for (size_t i = 0; i < rows.list.count; i++) {
        const struct row *row = &rows.list.items[i];
        const char *item = row->fields[ITEM];
        const bool is_reply = !strcmp(item, "reply");
        const bool is_request = !strcmp(item, "read") || !strcmp(item, "write");
        assert_int_equal(*row->fields[ADDRESS] != '\0', is_reply || is_request);
        if (!*row->fields[ADDRESS] || strcmp(row->fields[DIRECTION], "in") != 0)
            continue;
        assert_int_equal(number(row, ADDRESS) % 64, 0);
        sums[is_reply] += (long)number(row, ADDRESS);
        replies += is_reply;
    }
    assert_true(replies > 1000);
    assert_int_equal(sums[0], sums[1]);
    free_rows(&rows);
    free(path);
}

/* In all queues to Geometry Assembly and the Scheduler, a geometry program's input primitives carry
 * their draw and number. Each transaction of emitted vertices is written and read once. */
static void
emitted_vertices_are_listed(void **state)
{
    static const char *const queues[] = {"geometry_inputs", "geometry_jobs", "shaded_primitives",
                                         "emission_memory_requests", "emission_memory_replies"};
    static struct command_result cmd;
    char *run = path_of("emission"), *path = path_of("emission/signals.csv.gz");
    struct rows rows;
    unsigned long counts[5] = {0}, sums[5] = {0}, writes = 0;
    (void)state;
    RUN(&cmd, "sim", EMISSION, "-o", run, "--signals", path, "--cycles", WHOLE, "--set",
        "GEOMETRYASSEMBLY.OnChipPrimitives=65536");
    if (cmd.status)
        fail_msg("%s", cmd.err);
    read_rows(&rows, path);
    for (size_t i = 0; i < rows.list.count; i++) {
        const struct row *row = &rows.list.items[i];
        if (strcmp(row->fields[DIRECTION], "in") != 0 || !strcmp(row->fields[ITEM], "end"))
            continue;
        for (uint32_t q = 0; q < 5; q++) {
            if (strcmp(row->fields[QUEUE], queues[q]) != 0)
                continue;
            counts[q]++;
            if (q < 3) {
                assert_string_equal(row->fields[ITEM], "primitive");
                assert_true(*row->fields[DRAW] && *row->fields[TRIANGLE]);
                sums[q] += 1000 * number(row, DRAW) + number(row, TRIANGLE);
            }
            writes += q == 3 && !strcmp(row->fields[ITEM], "write");
        }
    }
    assert_true(counts[0] > 0 && writes > 0);
    for (uint32_t q = 1; q < 3; q++) {
        assert_int_equal(counts[q], counts[0]);
        assert_int_equal(sums[q], sums[0]);
    }
    assert_int_equal(counts[3], 2 * writes);
    assert_int_equal(counts[4], 2 * writes);
    free_rows(&rows);
    free(run);
    free(path);
}

/* A range of cycles has the rows of the whole run in these cycles. Rows of items that entered a
 * queue before the range also name the item. */
static void
range_is_part_of_the_whole(void **state)
{
    static const struct {
        const char *text;
        unsigned long first, last;
    } ranges[] = {{"2500-2700", 2500, 2700}, {"700-705", 700, 705}, {"0-99", 0, 99}};
    char *run = path_of("part"), *path = path_of("part.csv.gz");
    char *whole_path = path_of("whole/signals.csv.gz");
    struct rows whole, part;
    (void)state;
    read_rows(&whole, whole_path);
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        size_t at = 0;
        simulate(run, path, ranges[r].text);
        read_rows(&part, path);
        for (size_t i = 0; i < whole.list.count; i++) {
            const unsigned long cycle = number(&whole.list.items[i], CYCLE);
            if (cycle < ranges[r].first || cycle > ranges[r].last)
                continue;
            assert_true(at < part.list.count);
            assert_string_equal(part.list.items[at++].line, whole.list.items[i].line);
        }
        assert_true(at > 0);
        assert_int_equal(at, part.list.count);
        free_rows(&part);
    }
    free_rows(&whole);
    free(run);
    free(path);
    free(whole_path);
}

/* The run's numbers are the same with and without the table. */
static void
run_does_not_change(void **state)
{
    char *command = mem_printf("for f in stats.cycles stats.draws stats.frames; do "
                               "cmp %s/whole/$f.csv.gz %s/plain/$f.csv.gz || exit 1; done",
                               dir, dir);
    char *plain = path_of("plain");
    static struct command_result cmd;
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", plain);
    assert_int_equal(cmd.status, 0);
    assert_int_equal(system(command), 0);
    free(command);
    free(plain);
}

/* `aetius stats --sql` loads the table with numbers as numbers and empty fields as NULL. */
static void
table_loads_into_sqlite(void **state)
{
    char *command =
        mem_printf("%s stats --sql %s/whole | sqlite3 %s/whole.db && test \"$(sqlite3 %s/whole.db "
                   "\"SELECT typeof(max(address)), count(*) = (SELECT "
                   "sum(\\\"dac_memory_requests.items_in\\\") "
                   "FROM frames) FROM signals WHERE draw IS NULL AND direction = 'in' AND "
                   "queue = 'dac_memory_requests'\")\" = 'integer|1'",
                   aetius, dir, dir, dir);
    (void)state;
    if (system("command -v sqlite3 >/dev/null 2>&1"))
        skip();
    assert_int_equal(system(command), 0);
    free(command);
}

static void
full_disk_is_one_line(void **state)
{
    static struct command_result cmd;
    char *run = path_of("full"), *path = path_of("full.csv.gz");
    struct rows rows;
    (void)state;
    /* the table is larger than 200,000 bytes; every other file is smaller */
    run_within(
        &cmd, 200000,
        (const char *const[]){"sim", TINY, "-o", run, "--signals", path, "--cycles", WHOLE, NULL});
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "cannot write "));
    assert_non_null(strstr(cmd.err, "full.csv.gz: File too large\n"));
    assert_int_equal(strchr(cmd.err, '\n') - cmd.err, (long)strlen(cmd.err) - 1);
    read_rows(&rows, path); /* complete up to the failure */
    assert_true(rows.list.count > 0);
    free_rows(&rows);
    free(run);
    free(path);
}

static void
wrong_usage_is_refused(void **state)
{
    static struct command_result cmd;
    char *run = path_of("refused"), *path = path_of("refused.csv.gz"), *folder = path_of("whole");
    const struct {
        const char *words[12], *message;
        int status;
    } cases[] = {
        {{"sim", TINY, "-o", run, "--signals", path}, "--signals requires --cycles", 2},
        {{"sim", TINY, "-o", run, "--cycles", "1-2"},
         "--cycles requires --signals or --perfetto",
         2},
        {{"sim", TINY, "-o", run, "--signals", path, "--cycles", "2-1"}, "expected cycles A-B", 2},
        {{"sim", TINY, "-o", run, "--signals", path, "--cycles", "5"}, "expected cycles A-B", 2},
        {{"sim", TINY, "-o", run, "--signals", path, "--cycles", "1-2", "--jobs", "2"},
         "--jobs 1",
         2},
        {{"sim", TINY, "-o", run, "--signals", folder, "--cycles", "1-2"}, "not a regular file", 1},
        {{"sim", TINY, "-o", run, "--signals", path, "--cycles", "90000000-90000001"},
         "was not written",
         0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_within(&cmd, 0, cases[i].words);
        if (cmd.status != cases[i].status || !strstr(cmd.err, cases[i].message))
            fail_msg("case %zu: status %d, %s", i, cmd.status, cmd.err);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    free(run);
    free(path);
    free(folder);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_follow_the_queues), /* first: the others read its run */
        cmocka_unit_test(items_leave_in_order),
        cmocka_unit_test(replies_have_the_address_of_their_request),
        cmocka_unit_test(emitted_vertices_are_listed),
        cmocka_unit_test(range_is_part_of_the_whole),
        cmocka_unit_test(run_does_not_change),
        cmocka_unit_test(table_loads_into_sqlite),
        cmocka_unit_test(full_disk_is_one_line),
        cmocka_unit_test(wrong_usage_is_refused),
    };
    aetius = argc > 1 ? argv[1] : "aetius";
    if (!mkdtemp(dir))
        return 2;
    const int failed = cmocka_run_group_tests_name("signal_table", tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
