/* Each cycle belongs to one row (sim/work_accounting.h). The rows of a frame are its draws and the
 * work between them. They add up to the frame in every counter. The test uses the traces of
 * tests/golden, on machines with and without overlapping draws. A row also counts its own work. */
#include "base/build.h"
#include "report/run/csv.h"
#include "sim/work_accounting.h"
#include "state/draw.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <string.h>

struct tables {
    struct csv_table frames, rows;
};

static uint64_t
at(const struct csv_table *table, uint32_t row, const char *name)
{
    const int32_t column = csv_column(table, name);
    if (column < 0)
        fail_msg("there is no column %s", name);
    return table->values[row * table->columns + (uint32_t)column];
}

static const char *
kind_of(const struct csv_table *rows, uint32_t row)
{
    return csv_field(rows, row, csv_column(rows, "work"));
}

/* Returns whether a counter is a peak, the largest number of items in a queue. Peaks are not
 * summed. */
static bool
is_peak(const char *name)
{
    const char *tail = strrchr(name, '.');
    return tail && !strcmp(tail, ".occupancy_peak");
}

static void
rows_add_up(const struct tables *t, uint32_t frame)
{
    const uint32_t number = (uint32_t)at(&t->frames, frame, "frame");
    uint32_t statistics = 0;
    for (uint32_t c = 0; c < t->frames.columns; c++) {
        const char *name = t->frames.names[c];
        uint64_t sum = 0;
        if (strcmp(name, "cycles") && !strchr(name, '.'))
            continue; /* a key column or a rate */
        statistics++;
        for (uint32_t r = 0; r < t->rows.rows; r++)
            sum += at(&t->rows, r, "frame") == number ? at(&t->rows, r, name) : 0;
        if (!is_peak(name) && sum != t->frames.values[frame * t->frames.columns + c])
            fail_msg("frame %u: rows have %llu of %s, the frame %llu", number,
                     (unsigned long long)sum, name,
                     (unsigned long long)t->frames.values[frame * t->frames.columns + c]);
    }
    assert_true(statistics > 500);
}

/* Checks that the cycles of a row belong to its kind of work. Also checks that counters of one kind
 * are nonzero only in rows of that kind. */
static void
row_is_of_its_kind(const struct csv_table *rows, uint32_t row)
{
    const char *kind = kind_of(rows, row);
    char own[64];
    uint64_t lost = 0;
    snprintf(own, sizeof own, "work.%s_cycles", kind);
    assert_true(at(rows, row, own) == at(rows, row, "cycles"));
    for (uint32_t c = 0; c < rows->columns; c++)
        if (!strncmp(rows->names[c], "lost.", 5))
            lost += rows->values[row * rows->columns + c];
    assert_true(lost == at(rows, row, "cycles"));
    if (strcmp(kind, "clear"))
        assert_int_equal(at(rows, row, "cmdproc.clears"), 0);
    if (strcmp(kind, "swap"))
        assert_int_equal(at(rows, row, "dac.frames"), 0);
}

/* Checks that draws are numbered in order, and that adjacent work of the same kind is one row. */
static void
rows_are_in_order(const struct csv_table *rows)
{
    uint64_t frame = UINT64_MAX, draw = 0;
    for (uint32_t r = 0; r < rows->rows; r++) {
        const char *kind = kind_of(rows, r);
        if (at(rows, r, "frame") != frame) {
            assert_true(r == 0 || !strcmp(kind_of(rows, r - 1), "swap"));
            frame = at(rows, r, "frame");
            draw = 0;
        } else if (strcmp(kind, "draw")) {
            assert_string_not_equal(kind, kind_of(rows, r - 1));
        }
        assert_int_equal(at(rows, r, "draw"), draw);
        draw += !strcmp(kind, "draw");
        row_is_of_its_kind(rows, r);
    }
    assert_string_equal(kind_of(rows, rows->rows - 1), "swap");
}

static void
check(const char *trace, const char *preset, const char *pipelined)
{
    struct command_result *cmd = malloc(sizeof *cmd);
    char dir[] = "/tmp/aetius-rows-XXXXXX", path[64];
    struct tables t;
    struct error err;
    uint64_t draws = 0, started = 0;
    assert_non_null(mkdtemp(dir));
    RUN(cmd, "sim", trace, "--preset", preset, "--set", pipelined, "-o", dir, "--force");
    if (cmd->status)
        fail_msg("%s", cmd->err);
    snprintf(path, sizeof path, "%s/stats.frames.csv.gz", dir);
    assert_true(csv_read(&t.frames, path, &err));
    snprintf(path, sizeof path, "%s/stats.draws.csv.gz", dir);
    assert_true(csv_read(&t.rows, path, &err));
    assert_true(t.frames.rows >= 2);
    for (uint32_t f = 0; f < t.frames.rows; f++) {
        rows_add_up(&t, f);
        started += at(&t.frames, f, "cmdproc.draws");
    }
    rows_are_in_order(&t.rows);
    for (uint32_t r = 0; r < t.rows.rows; r++)
        draws += !strcmp(kind_of(&t.rows, r), "draw");
    assert_int_equal(draws, started);
    csv_table_fini(&t.frames);
    csv_table_fini(&t.rows);
    assert_true(remove_folder(dir));
    free(cmd);
}

static void
rows_of_every_machine(void **state)
{
    static const char *const traces[] = {AETIUS_SOURCE_DIR "/tests/golden/tiny.trace",
                                         AETIUS_SOURCE_DIR "/tests/golden/workloads.trace"};
    static const char *const presets[] = {"reference-2005", "reference-2008"};
    (void)state;
    for (uint32_t t = 0; t < 2; t++)
        for (uint32_t p = 0; p < 2; p++) {
            check(traces[t], presets[p], "COMMANDPROCESSOR.PipelinedBatchRendering=FALSE");
            check(traces[t], presets[p], "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE");
        }
}

/* Receives rows from the accounting, to test the rule of attribution directly. */

struct rows {
    char text[128];
};

static void
note(void *data, const struct work *row)
{
    struct rows *rows = data;
    const size_t n = strlen(rows->text);
    snprintf(rows->text + n, sizeof rows->text - n, "%s %u; ", work_kind_names[row->kind],
             row->draw);
}

static void
the_oldest_work_owns_a_cycle(void **state)
{
    static const struct draw first, second;
    struct rows rows = {""};
    struct work_accounting accounting = {.on_row_end = note, .data = &rows};
    (void)state;
    work_accounting_reset(&accounting, 0);
    work_accounting_begin_upload(&accounting, 0);
    work_accounting_begin(&accounting, WORK_DRAW, &first,
                          10); /* the first ten cycles belong to the upload, which runs alone */
    assert_string_equal(rows.text, "upload 0; ");
    /* both draws run; the first one is older */
    work_accounting_begin(&accounting, WORK_DRAW, &second, 15);
    work_accounting_end(&accounting, 30);
    assert_string_equal(rows.text, "upload 0; draw 0; ");
    work_accounting_end(&accounting, 50); /* the upload runs alone again */
    assert_string_equal(rows.text, "upload 0; draw 0; draw 1; ");
    work_accounting_end_upload(&accounting, 57);
    work_accounting_begin_upload(&accounting, 57); /* continues the row of the previous upload */
    work_accounting_end_upload(&accounting, 60);
    assert_string_equal(rows.text, "upload 0; draw 0; draw 1; ");
    work_accounting_begin(&accounting, WORK_CLEAR, NULL, 60);
    work_accounting_end(&accounting, 64);
    work_accounting_close(&accounting, 64);
    assert_string_equal(rows.text, "upload 0; draw 0; draw 1; upload 2; clear 2; ");
    assert_int_equal(accounting.stats.cycles[WORK_UPLOAD], 10 + 7 + 3);
    assert_int_equal(accounting.stats.cycles[WORK_DRAW], 20 + 20);
    assert_int_equal(accounting.stats.cycles[WORK_CLEAR], 4);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_machine),
        cmocka_unit_test(the_oldest_work_owns_a_cycle),
    };
    aetius = argc > 1 ? argv[1] : "aetius";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
