/* Modules, queues and the clock: calculated rates, latencies and depths, unit states, sleep,
 * clocking order, and the watchdog. The machine consists of a source, a row of stages and a sink.
 */
#include "base/nearest.h"
#include "core/queue.h"
#include "rigs/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_STAGES = 4 };

struct item {
    uint32_t number;
    uint64_t made; /* creation cycle */
};

struct stage {
    struct module module;
    struct queue *in, *out;
    uint32_t rate;         /* items per cycle */
    uint32_t period;       /* the stage works only in cycles that are multiples of the period */
    uint32_t made, wanted; /* source: items sent, and items to send */
    uint32_t taken;        /* sink: items received */
    uint64_t first, last;  /* sink: arrival cycles of the first and the last item */
    uint64_t latency;      /* sink: latency of the first item */
    bool in_order, done;
    bool stuck; /* whether the stage never takes an item */
};

static enum unit_state
source_clock(void *self, uint64_t now)
{
    struct stage *s = self;
    uint32_t given = 0;
    if (s->made == s->wanted)
        return UNIT_STARVED;
    while (given < s->rate && s->made < s->wanted && queue_space(s->out, now)) {
        *(struct item *)queue_push(s->out, now) = (struct item){s->made++, now};
        given++;
    }
    return given ? UNIT_BUSY : UNIT_BLOCKED;
}

static enum unit_state
stage_clock(void *self, uint64_t now)
{
    struct stage *s = self;
    uint32_t moved = 0;
    if (!queue_front(s->in, now))
        return UNIT_STARVED;
    if (now % s->period) {
        module_wake_at(&s->module, now + 1);
        return UNIT_WAITING;
    }
    for (; moved < s->rate; moved++) {
        struct item *item = queue_front(s->in, now);
        if (!item)
            break;
        if (!queue_space(s->out, now))
            return moved ? UNIT_BUSY : UNIT_BLOCKED;
        *(struct item *)queue_push(s->out, now) = *item;
        queue_pop(s->in, now);
    }
    return moved ? UNIT_BUSY : UNIT_STARVED;
}

static enum unit_state
sink_clock(void *self, uint64_t now)
{
    struct stage *s = self;
    uint32_t moved = 0;
    if (s->stuck)
        return UNIT_WAITING;
    if (!queue_front(s->in, now))
        return UNIT_STARVED;
    if (now % s->period) {
        module_wake_at(&s->module, now + 1);
        return UNIT_WAITING;
    }
    for (struct item *item; moved < s->rate && (item = queue_front(s->in, now)); moved++) {
        if (s->taken == 0) {
            s->first = now;
            s->latency = now - item->made;
            s->in_order = true;
        }
        s->in_order &= item->number == s->taken;
        s->last = now;
        s->taken++;
        queue_pop(s->in, now);
    }
    s->done = s->taken == s->wanted;
    return moved ? UNIT_BUSY : UNIT_STARVED;
}

struct rig {
    struct clock clock;
    struct stage stages[MAX_STAGES];
    struct queue queues[MAX_STAGES - 1];
};

static void
rig_init(struct rig *rig, uint32_t items, uint32_t width, uint32_t depth, uint32_t latency)
{
    memset(rig, 0, sizeof *rig);
    clock_init(&rig->clock);
    static const struct module_ops ops[MAX_STAGES] = {{.clock = source_clock},
                                                      {.clock = stage_clock},
                                                      {.clock = stage_clock},
                                                      {.clock = sink_clock}};
    for (int i = 0; i < MAX_STAGES; i++) {
        struct stage *s = &rig->stages[i];
        clock_add_module(&rig->clock, &s->module, "stage", i, s, &ops[i]);
        s->rate = width;
        s->period = 1;
        s->wanted = items;
    }
    for (int i = 0; i < MAX_STAGES - 1; i++) {
        queue_init(&rig->queues[i], &rig->clock, "queue", i, &rig->stages[i].module,
                   &rig->stages[i + 1].module, sizeof(struct item), width, depth, latency);
        rig->stages[i].out = &rig->queues[i];
        rig->stages[i + 1].in = &rig->queues[i];
    }
}

static void
rig_run(struct rig *rig)
{
    struct error err;
    assert_true(clock_run(&rig->clock, &rig->stages[MAX_STAGES - 1].done, 1000, &err));
    clock_settle(&rig->clock);
}

static void
rig_fini(struct rig *rig)
{
    for (int i = 0; i < MAX_STAGES - 1; i++)
        queue_fini(&rig->queues[i]);
    clock_fini(&rig->clock);
}

/* An item pushed in cycle c is visible in c + latency: three queues of 5 give 15. */
static void
latency_adds_up(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, 1, 1, 2, 5);
    rig_run(&rig);
    assert_int_equal(rig.stages[3].latency, 15);
    rig_fini(&rig);
}

static const struct module_ops no_ops;

/* Items pushed after an item with a longer latency do not overtake it. The first item arrives in
 * cycle 4 + 9. The others follow one per cycle, up to the width per cycle. */
static void
nothing_overtakes(void **state)
{
    enum { LATENCY = 4, EXTRA = 9, ITEMS = 6 };
    (void)state;
    struct clock clock;
    struct module from, to;
    struct queue queue;
    memset(&from, 0, sizeof from);
    memset(&to, 0, sizeof to);
    clock_init(&clock);
    clock_add_module(&clock, &from, "from", -1, NULL, &no_ops);
    clock_add_module(&clock, &to, "to", -1, NULL, &no_ops);
    queue_init(&queue, &clock, "queue", -1, &from, &to, sizeof(uint32_t), 1, ITEMS, LATENCY);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_true(queue_space(&queue, i) > 0);
        *(uint32_t *)queue_push_later(&queue, i, i ? 0 : EXTRA) = i;
    }
    for (uint64_t now = 0; now < LATENCY + EXTRA; now++)
        assert_null(queue_front(&queue, now));
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t *item = queue_front(&queue, LATENCY + EXTRA + i);
        assert_non_null(item);
        assert_int_equal(*item, i);
        queue_pop(&queue, LATENCY + EXTRA + i);
    }
    queue_fini(&queue);
    clock_fini(&clock);
}

/* A queue of depth 2 x width sustains its width every cycle. A queue of depth = width sustains half
 * of this rate. The reason is that a place freed in a cycle can be filled only in the next one. */
static void
full_rate_needs_twice_the_width(void **state)
{
    (void)state;
    for (uint32_t latency = 1; latency <= 7; latency += 3) {
        for (uint32_t width = 1; width <= 4; width *= 2) {
            struct rig rig;
            rig_init(&rig, 64 * width, width, 2 * width, latency);
            assert_true(queue_sustains_width(&rig.queues[0]));
            rig_run(&rig);
            assert_int_equal(rig.stages[3].last - rig.stages[3].first, 63);
            assert_true(rig.stages[3].in_order);
            rig_fini(&rig);
        }
    }
    struct rig rig;
    rig_init(&rig, 64, 1, 1, 1);
    assert_false(queue_sustains_width(&rig.queues[0]));
    rig_run(&rig);
    assert_int_equal(rig.stages[3].last - rig.stages[3].first, 126);
    rig_fini(&rig);
}

static void
states_add_up_to_cycles(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, 100, 1, 3, 4);
    rig.stages[2].period = 3;
    rig_run(&rig);
    for (int i = 0; i < MAX_STAGES; i++) {
        const uint64_t *c = rig.stages[i].module.cycles;
        assert_int_equal(c[UNIT_BUSY] + c[UNIT_STARVED] + c[UNIT_BLOCKED] + c[UNIT_WAITING],
                         rig.clock.now);
    }
    /* the source was blocked most of the time: 100 items at one per three cycles */
    assert_true(rig.stages[0].module.cycles[UNIT_BLOCKED] > 150);
    assert_int_equal(rig.stages[0].module.cycles[UNIT_BUSY], 100);
    rig_fini(&rig);
}

/* If only one module is a core unit, core cycles equal its busy cycles, one per item. The core unit
 * may be the source, which is busy from the first cycle on, or a module that is starved at first.
 */
static void
core_cycles(void **state)
{
    (void)state;
    for (int core = 0; core < MAX_STAGES - 1; core++) {
        struct rig rig;
        rig_init(&rig, 100, 1, 3, 4);
        rig.stages[2].period = 3;
        rig.stages[core].module.is_core = true;
        rig_run(&rig);
        assert_int_equal(rig.clock.core_busy_cycles, 100);
        assert_int_equal(rig.stages[core].module.cycles[UNIT_BUSY], 100);
        rig_fini(&rig);
    }
}

struct figures {
    uint64_t cycles, states[MAX_STAGES][UNIT_STATES], occupancy[MAX_STAGES - 1];
};

static void
measure(struct figures *out, uint64_t shuffle, bool sleepless)
{
    struct rig rig;
    rig_init(&rig, 500, 2, 3, 2);
    rig.stages[1].period = 2;
    rig.stages[3].rate = 1;
    rig.stages[2].rate = 1;
    rig.clock.sleepless = sleepless;
    if (shuffle)
        clock_shuffle(&rig.clock, shuffle);
    rig_run(&rig);
    memset(out, 0, sizeof *out);
    out->cycles = rig.clock.now;
    for (int i = 0; i < MAX_STAGES; i++)
        memcpy(out->states[i], rig.stages[i].module.cycles, sizeof out->states[i]);
    for (int i = 0; i < MAX_STAGES - 1; i++)
        out->occupancy[i] = rig.queues[i].occupancy_sum;
    rig_fini(&rig);
}

static void
order_and_sleep_carry_no_weight(void **state)
{
    (void)state;
    struct figures plain, other;
    measure(&plain, 0, false);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        measure(&other, seed, seed % 2);
        assert_memory_equal(&plain, &other, sizeof plain);
    }
}

struct sleeper {
    struct module module;
    uint32_t clocked;
    bool done;
};

static enum unit_state
sleeper_clock(void *self, uint64_t now)
{
    struct sleeper *s = self;
    s->clocked++;
    s->done = now >= 1000000;
    module_wake_at(&s->module, 1000000);
    return UNIT_WAITING;
}

static const struct module_ops sleeper_ops = {.clock = sleeper_clock};

static void
time_is_skipped(void **state)
{
    (void)state;
    struct clock clock;
    struct sleeper sleeper = {0};
    struct error err;
    clock_init(&clock);
    clock_add_module(&clock, &sleeper.module, "sleeper", -1, &sleeper, &sleeper_ops);
    assert_true(clock_run(&clock, &sleeper.done, 10000000, &err));
    clock_settle(&clock);
    assert_int_equal(sleeper.clocked, 2);
    assert_true(clock.now > 1000000);
    assert_int_equal(sleeper.module.cycles[UNIT_WAITING], clock.now);
    clock_fini(&clock);
}

/* The sink takes nothing. The report of the watchdog names the units, the queue and its items. */
static void
watchdog_names_who_waits(void **state)
{
    (void)state;
    struct rig rig;
    struct error err;
    char text[4096] = {0};
    FILE *out = tmpfile();
    int saved = dup(STDERR_FILENO);
    rig_init(&rig, 100, 1, 2, 1);
    rig.stages[3].stuck = true;
    fflush(stderr);
    dup2(fileno(out), STDERR_FILENO);
    bool ok = clock_run(&rig.clock, &rig.stages[3].done, 1000, &err);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(out);
    assert_true(fread(text, 1, sizeof text - 1, out) > 0);
    fclose(out);
    assert_false(ok);
    assert_non_null(strstr(err.text, "deadlock at cycle"));
    assert_non_null(strstr(text, "  stage[2]  blocked  since"));
    assert_non_null(strstr(text, "last refused by queue queue[2]"));
    assert_non_null(strstr(text, "holds 2 of 2 in queue queue[2] from stage[2]"));
    rig_fini(&rig);
}

/* Injected faults change the items that arrive. Either 99 of 100 items arrive, or two are
 * exchanged. */
static void
queue_faults_work(void **state)
{
    (void)state;
    struct rig rig;
    struct error err;
    rig_init(&rig, 100, 1, 4, 2);
    rig.queues[1].fault = QUEUE_DROP;
    rig.queues[1].fault_at = 50;
    int saved = dup(STDERR_FILENO);
    FILE *nowhere = freopen("/dev/null", "w", stderr);
    assert_false(clock_run(&rig.clock, &rig.stages[3].done, 1000, &err));
    fflush(nowhere);
    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_int_equal(rig.stages[3].taken, 99);
    assert_false(rig.stages[3].in_order);
    rig_fini(&rig);

    rig_init(&rig, 100, 1, 4, 2);
    rig.queues[1].fault = QUEUE_SWAP;
    rig.queues[1].fault_at = 50;
    rig_run(&rig);
    assert_int_equal(rig.stages[3].taken, 100);
    assert_false(rig.stages[3].in_order);
    rig_fini(&rig);
}

static enum unit_state
broken_clock(void *self, uint64_t now)
{
    (void)self;
    BUG_ON(now == 3, "a part is broken");
    return UNIT_BUSY;
}

static const struct module_ops broken_ops = {.clock = broken_clock};

static void
run_breaker(void *clock)
{
    struct error err;
    clock_run(clock, &(const bool){false}, 100, &err);
}

/* If a BUG occurs while the clock runs, its message contains the cycle and the state of every unit.
 */
static void
bug_names_its_location(void **state)
{
    struct clock clock;
    struct module module = {0};
    char text[BUG_TEXT_BYTES];
    (void)state;
    clock_init(&clock);
    clock_add_module(&clock, &module, "breaker", -1, NULL, &broken_ops);
    bug_of(run_breaker, &clock, text);
    assert_non_null(strstr(text, "a part is broken\n"));
    assert_non_null(strstr(text, "cycle 3\n"));
    assert_non_null(strstr(text, "breaker"));
    clock_fini(&clock);
}

/* The edit distance of names counts letters inserted, deleted or replaced, and exchanged neighbors
 * (which are not edited again), independent of case. A name is found within 2 edits, plus one per 4
 * letters of the wrong name. */
static void
nearest_names(void **state)
{
    static const struct {
        const char *wanted, *name;
        uint32_t distance;
        bool found;
    } cases[] = {
        {"Mode", "mODE", 0, true},       {"Mdoe", "Mode", 1, true},
        {"ba", "ab", 1, true},           {"eMod", "Mode", 2, true},
        {"Modes", "Mode", 1, true},      {"Mod", "Mode", 1, true},
        {"kitten", "sitting", 3, true},  {"ca", "abc", 3, false},
        {"abc", "", 3, false},           {"IndxCycle", "IndicesCycle", 4, true},
        {"Cycles", "Modulus", 5, false}, {"Mdoe Mdoe", "Mode Mode", 2, true},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct nearest nearest = {.wanted = cases[i].wanted};
        nearest_offer(&nearest, cases[i].name);
        if (nearest.distance != cases[i].distance || nearest_found(&nearest) != cases[i].found)
            fail_msg("%s to %s: %u edits", cases[i].wanted, cases[i].name, nearest.distance);
    }
    struct nearest nearest = {.wanted = "Mdoe"};
    assert_false(nearest_found(&nearest));
    nearest_offer(&nearest, "Made");
    nearest_offer(&nearest, "Mode");
    nearest_offer(&nearest, "Mdoes");
    assert_string_equal(nearest.best, "Mode");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(latency_adds_up),
        cmocka_unit_test(nothing_overtakes),
        cmocka_unit_test(full_rate_needs_twice_the_width),
        cmocka_unit_test(states_add_up_to_cycles),
        cmocka_unit_test(core_cycles),
        cmocka_unit_test(order_and_sleep_carry_no_weight),
        cmocka_unit_test(time_is_skipped),
        cmocka_unit_test(watchdog_names_who_waits),
        cmocka_unit_test(queue_faults_work),
        cmocka_unit_test(bug_names_its_location),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
