/* The schedule of draws that overlap (sim/overlap.h), computed for stages whose work is given. */
#include "sim/overlap.h"

#include "core/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* The cycles of a draw in which a unit works: from `first` to `end`. end 0: it has no work. */
struct span {
    uint64_t first, end;
};

/* The streamer, two z test units, the generator, and two unified shader units, which do not count
 * as a stage. A queue of PLACES connects the streamer to the generator. */
enum { STAGE_UNITS = 4, SHARED_UNITS = 2, UNITS = STAGE_UNITS + SHARED_UNITS, PLACES = 4 };

/* A row of work, and the cycles that overlap with earlier draws. */
struct row {
    enum work_kind kind;
    uint64_t cycles;
    struct span spans[UNITS];
    uint64_t items;              /* that pass the queue */
    uint64_t work[SHARED_UNITS]; /* of the shared units, in cycles */
    uint64_t saved;
    const char *why;
};

/* fetched[r]: the cycle of row r in which the streamer could take the next draw, or 0. NULL: it can
 * take it as soon as its last work ends. */
static void
run_rows(const struct row *rows, size_t count, const uint64_t *fetched, bool is_off)
{
    struct module modules[UNITS] = {0};
    struct queue queue = {.sender = &modules[0], .receiver = &modules[3], .capacity = PLACES};
    uint64_t work[SHARED_UNITS] = {0}, fetch_free = 0;
    struct clock *clock = calloc(1, sizeof *clock);
    struct overlap *overlap = calloc(1, sizeof *overlap);
    static const enum overlap_stage stages[STAGE_UNITS] = {OVERLAP_streamer, OVERLAP_zstencil,
                                                           OVERLAP_zstencil, OVERLAP_fraggen};
    assert_true(clock && overlap);
    for (uint32_t u = 0; u < UNITS; u++)
        modules[u].state = UNIT_STARVED;
    clock->now = 1000;
    overlap_init(overlap, clock, is_off);
    for (uint32_t u = 0; u < UNITS; u++) {
        clock->modules[clock->module_count++] = &modules[u];
        if (u < STAGE_UNITS)
            overlap_add(overlap, stages[u], &modules[u], u ? NULL : &fetch_free);
        else
            overlap_share(overlap, &modules[u], &work[u - STAGE_UNITS]);
    }
    clock->queues[clock->queue_count++] = &queue;
    overlap_begin(overlap);
    for (size_t r = 0; r < count; r++) {
        for (uint32_t u = 0; u < UNITS; u++)
            if (rows[r].spans[u].end) {
                modules[u].first_work = clock->now + rows[r].spans[u].first;
                modules[u].last_end = clock->now + rows[r].spans[u].end;
            }
        for (uint32_t i = 0; i < SHARED_UNITS; i++)
            work[i] += rows[r].work[i];
        queue.items_out += rows[r].items;
        fetch_free = fetched && fetched[r] ? clock->now + fetched[r] : fetch_free;
        clock->now += rows[r].cycles;
        const uint64_t saved = overlap_end_row(overlap, rows[r].kind);
        if (saved != (is_off ? 0 : rows[r].saved))
            fail_msg("row %zu, %s: %u cycles", r, rows[r].why, (unsigned)saved);
    }
    free(overlap);
    free(clock);
}

static const struct row rows[] = {
    {WORK_DRAW, 100, {{0, 20}, {10, 90}, {10, 100}}, 0, {0}, 0, "the first draw"},
    {WORK_DRAW,
     60,
     {{0, 10}, {12, 55}, {8, 55}},
     0,
     {0},
     15,
     "the z test ends at (90 + 100) / 2 = 95 and starts after (12 + 8) / 2 = 10: start at 85"},
    {WORK_UPLOAD, 0, {{0}}, 0, {0}, 0, "an upload that ends during the draw delays nothing"},
    {WORK_DRAW,
     30,
     {{0, 5}},
     0,
     {0},
     30,
     "only the streamer, which ends at 20 + 10: 30 to 60 of 145"},
    {WORK_DRAW,
     40,
     {{0, 5}, {0, 40}, {0, 40}},
     0,
     {0},
     5,
     "the z test ends at 85 + 55 = 140: 140 to 180 instead of 145 to 185"},
    {WORK_UPLOAD, 50, {{0}}, 0, {0}, 0, "the next draw waits for this upload"},
    {WORK_DRAW, 30, {{0, 5}}, 0, {0}, 0, "so it starts after the last one: 180 to 210"},
    {WORK_FLUSH, 10, {{0}}, 0, {0}, 0, "a flush waits for all draws"},
    {WORK_DRAW, 30, {{5, 10}, {20, 25}, {20, 25}}, 0, {0}, 0, "the first draw after it"},
    {WORK_DRAW, 30, {{5, 10}, {20, 25}, {20, 25}}, 0, {0}, 25, "each stage is free after 5 cycles"},
};

/* In each group, the generator works from 10 to 100 for the first draw, and starts the second draw
 * at 100: the second draw ends at 92 + 60 = 152. The third draw needs only the streamer. */
#define FIRST         WORK_DRAW, 100, {{0, 20}, {0}, {0}, {10, 100}}, 50, {0}, 0, "the first draw"
#define SECOND(items) WORK_DRAW, 60, {{0, 10}, {0}, {0}, {8, 55}}, items, {0}, 8, "the second draw"
#define FLUSH         WORK_FLUSH, 10, {{0}}, 0, {0}, 0, "a flush waits for all draws"
static const struct row queued_rows[] = {
    {FIRST},
    {SECOND(PLACES)},
    {WORK_DRAW,
     140,
     {{0, 130}},
     0,
     {0},
     122,
     "the queue holds all items, so the streamer works from 20 to 30: 30 to 170 instead of 292"},
    {FLUSH},
    {FIRST},
    {SECOND(2 * PLACES)},
    {WORK_DRAW,
     140,
     {{0, 130}},
     0,
     {0},
     55,
     "the queue holds half of the items, so the streamer is at most half of its 10 cycles ahead "
     "and works from 87 to 97: 97 to 237"},
    {FLUSH},
    {FIRST},
    {SECOND(1000)},
    {WORK_DRAW,
     140,
     {{0, 130}},
     0,
     {0},
     50,
     "the queue holds next to nothing: the streamer works from 92 to 102, the draw ends at 242"},
};

/* Draws whose vertices and fragments are shaded by the same units. */
static const struct row shared_rows[] = {
    {WORK_DRAW,
     100,
     {{0, 10}, {0}, {0}, {0}, {5, 95}, {10, 95}},
     0,
     {80, 40},
     0,
     "the first draw: the units work from 5 to 5 + (80 + 40) / 2 = 65"},
    {WORK_DRAW,
     100,
     {{0, 10}, {0}, {0}, {0}, {5, 95}, {5, 95}},
     0,
     {60, 60},
     75,
     "the streamer starts it at 10, and the units end at 65 + 60 = 125: it ends at 125"},
    {WORK_DRAW,
     100,
     {{0, 10}, {0}, {0}, {0}, {5, 95}, {5, 95}},
     0,
     {0, 0},
     100,
     "the streamer starts it at 20, and the units end at 125: it ends at 125 too"},
};

/* The streamer waits for shaded vertices until cycle 90, but its fetch is free earlier. */
#define WAITS(saved, why)                                                                          \
    {                                                                                              \
        WORK_DRAW, 100, {{0, 90}, {0}, {0}, {80, 100}}, 0, {0}, saved, why                         \
    }
static const struct row fetched_rows[] = {
    WAITS(0, "the first draw"),
    WAITS(80, "fetch starts at 20: the draw ends at 120"),
    WAITS(70, "fetch starts at 20 + 30: the draw ends at 150"),
    WAITS(10, "fetch starts at 50 + 90: the draw ends at 240"),
};

static void
stages_do_one_draw_at_a_time(void **state)
{
    (void)state;
    run_rows(rows, sizeof rows / sizeof *rows, NULL, false);
}

static void
queues_hold_items_of_the_next_draw(void **state)
{
    (void)state;
    run_rows(queued_rows, sizeof queued_rows / sizeof *queued_rows, NULL, false);
}

static void
shared_units_work_for_all_draws(void **state)
{
    (void)state;
    run_rows(shared_rows, sizeof shared_rows / sizeof *shared_rows, NULL, false);
}

static void
fetch_starts_before_vertices_are_shaded(void **state)
{
    (void)state;
    static const uint64_t fetched[] = {20, 30, 0, 40};
    run_rows(fetched_rows, sizeof fetched_rows / sizeof *fetched_rows, fetched, false);
}

static void
overlapping_draws_save_nothing_more(void **state)
{
    (void)state;
    run_rows(rows, sizeof rows / sizeof *rows, NULL, true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_do_one_draw_at_a_time),
        cmocka_unit_test(queues_hold_items_of_the_next_draw),
        cmocka_unit_test(shared_units_work_for_all_draws),
        cmocka_unit_test(fetch_starts_before_vertices_are_shaded),
        cmocka_unit_test(overlapping_draws_save_nothing_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
