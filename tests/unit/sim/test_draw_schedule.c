/* The schedule of draws that overlap (sim/overlap.h), computed for stages whose work is given. */
#include "sim/overlap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* The cycles of a draw in which a unit works: from `first` to `end`. end 0: it has no work. */
struct span {
    uint64_t first, end;
};

enum { UNITS = 4 }; /* the streamer, two z test units, and the generator */

/* A row of work, and the cycles that overlap with earlier draws. */
struct row {
    enum work_kind kind;
    uint64_t cycles;
    struct span spans[UNITS];
    uint64_t saved;
    const char *why;
};

static void
run_rows(const struct row *rows, size_t count, bool is_off)
{
    struct module modules[UNITS] = {0};
    struct clock *clock = calloc(1, sizeof *clock);
    struct overlap *overlap = calloc(1, sizeof *overlap);
    static const enum overlap_stage stages[UNITS] = {OVERLAP_streamer, OVERLAP_zstencil,
                                                     OVERLAP_zstencil, OVERLAP_fraggen};
    assert_true(clock && overlap);
    for (uint32_t u = 0; u < UNITS; u++)
        modules[u].state = UNIT_STARVED;
    clock->now = 1000;
    overlap_init(overlap, clock, is_off);
    for (uint32_t u = 0; u < UNITS; u++) {
        clock->modules[clock->module_count++] = &modules[u];
        overlap_add(overlap, stages[u], &modules[u]);
    }
    overlap_begin(overlap);
    for (size_t r = 0; r < count; r++) {
        for (uint32_t u = 0; u < UNITS; u++)
            if (rows[r].spans[u].end) {
                modules[u].first_work = clock->now + rows[r].spans[u].first;
                modules[u].last_end = clock->now + rows[r].spans[u].end;
            }
        clock->now += rows[r].cycles;
        const uint64_t saved = overlap_end_row(overlap, rows[r].kind);
        if (saved != (is_off ? 0 : rows[r].saved))
            fail_msg("row %zu, %s: %u cycles", r, rows[r].why, (unsigned)saved);
    }
    free(overlap);
    free(clock);
}

static const struct row rows[] = {
    {WORK_DRAW, 100, {{0, 20}, {10, 90}, {10, 100}}, 0, "the first draw"},
    {WORK_DRAW,
     60,
     {{0, 10}, {12, 55}, {8, 55}},
     15,
     "the z test ends at (90 + 100) / 2 = 95 and starts after (12 + 8) / 2 = 10: start at 85"},
    {WORK_UPLOAD, 50, {{0}}, 0, "an upload does not wait for draws"},
    {WORK_DRAW, 30, {{0, 5}}, 30, "only the streamer, which ends at 85 + 10: 95 to 125 of 145"},
    {WORK_DRAW,
     40,
     {{0, 5}, {0, 40}, {0, 40}},
     5,
     "the z test ends at 85 + 55 = 140: 140 to 180 instead of 145 to 185"},
    {WORK_FLUSH, 10, {{0}}, 0, "a flush waits for all draws"},
    {WORK_DRAW, 30, {{5, 10}, {20, 25}, {20, 25}}, 0, "the first draw after it"},
    {WORK_DRAW, 30, {{5, 10}, {20, 25}, {20, 25}}, 25, "each stage is free after 5 cycles"},
};

static void
stages_do_one_draw_at_a_time(void **state)
{
    (void)state;
    run_rows(rows, sizeof rows / sizeof *rows, false);
}

static void
overlapping_draws_save_nothing_more(void **state)
{
    (void)state;
    run_rows(rows, sizeof rows / sizeof *rows, true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_do_one_draw_at_a_time),
        cmocka_unit_test(overlapping_draws_save_nothing_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
