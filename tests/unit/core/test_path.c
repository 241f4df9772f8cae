/* The critical path on artificial machines with known times: which causes are charged, and with how
 * many cycles. A producer makes an item every `made` cycles. A consumer takes `taken` cycles for
 * each item. The frame ends when the consumer has finished the last item. */
#include "core/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 100, DEPTH = 4, LATENCY = 3, INTERVAL = 50 };
static bool intervals;
static const enum path_cause PRODUCER = CAUSE_generate, CONSUMER = CAUSE_blend;

struct worker {
    struct module module;
    struct queue *queue;
    uint32_t cycles; /* per item */
    uint32_t count;  /* items begun */
    uint64_t free;   /* first cycle in which the module is idle */
    bool done;
};

struct line {
    struct clock clock;
    struct worker producer, consumer;
    struct queue queue;
};

static enum unit_state
produce(void *self, uint64_t now)
{
    struct worker *w = self;
    if (w->count == ITEMS)
        return UNIT_STARVED;
    if (now < w->free) {
        module_wake_at(&w->module, w->free);
        return UNIT_BUSY;
    }
    if (!queue_space(w->queue, now))
        return UNIT_BLOCKED;
    *(uint32_t *)queue_push(w->queue, now) = w->count++;
    w->free = now + w->cycles;
    module_wake_at(&w->module, w->free);
    return UNIT_BUSY;
}

/* Takes an item only after the previous one is finished. */
static enum unit_state
consume(void *self, uint64_t now)
{
    struct worker *w = self;
    if (now < w->free) {
        module_wake_at(&w->module, w->free);
        return UNIT_BUSY;
    }
    if (w->count == ITEMS) {
        w->done = true;
        return UNIT_STARVED;
    }
    if (!queue_front(w->queue, now))
        return UNIT_STARVED;
    queue_pop(w->queue, now);
    w->count++;
    w->free = now + w->cycles;
    module_wake_at(&w->module, w->free);
    return UNIT_BUSY;
}

/* An interval may end before any item has left the line. */
static void
end_interval(void *data, uint64_t now)
{
    struct line *line = data;
    assert_int_equal(now, line->clock.sample_cycle);
    clock_charge_so_far(&line->clock);
    line->clock.sample_cycle = now + INTERVAL;
}

static const struct module_ops producer_ops = {.clock = produce};
static const struct module_ops consumer_ops = {.clock = consume};

/* Runs to the end and charges the cycles. Checks that the causes add up to all cycles. */
static uint64_t
run_with(struct line *line, uint32_t made, uint32_t taken, uint32_t depth, uint64_t shuffle)
{
    struct error err;
    uint64_t sum = 0;
    memset(line, 0, sizeof *line);
    clock_init(&line->clock);
    clock_add_module(&line->clock, &line->producer.module, "producer", -1, &line->producer,
                     &producer_ops);
    clock_add_module(&line->clock, &line->consumer.module, "consumer", -1, &line->consumer,
                     &consumer_ops);
    line->producer.cycles = made;
    line->consumer.cycles = taken;
    line->producer.module.stage.cause = PRODUCER;
    line->consumer.module.stage.cause = CONSUMER;
    queue_init(&line->queue, &line->clock, "queue", -1, &line->producer.module,
               &line->consumer.module, sizeof(uint32_t), 1, depth, LATENCY);
    line->producer.queue = line->consumer.queue = &line->queue;
    if (shuffle)
        clock_shuffle(&line->clock, shuffle);
    if (intervals) {
        line->clock.sample = end_interval;
        line->clock.sample_data = line;
        line->clock.sample_cycle = INTERVAL;
    }
    path_begin(&line->clock.path, 0);
    line->producer.module.stage.cp_ref =
        path_step(&line->clock.path, line->clock.path.end, PRODUCER, 0);
    assert_true(clock_run(&line->clock, &line->consumer.done, 100000, &err));
    path_charge(&line->clock.path, line->consumer.module.stage.cp_ref, line->consumer.free);
    for (uint32_t i = 0; i < CAUSE_COUNT; i++)
        sum += line->clock.path.cycles[i];
    assert_int_equal(sum, line->consumer.free);
    assert_int_equal(line->clock.path.unset, 0);
    return sum;
}

static uint64_t
run(struct line *line, uint32_t made, uint32_t taken, uint64_t shuffle)
{
    return run_with(line, made, taken, DEPTH, shuffle);
}

static void
finish(struct line *line)
{
    queue_fini(&line->queue);
    clock_fini(&line->clock);
}

static uint64_t
charged(const struct line *line, enum path_cause cause)
{
    return line->clock.path.cycles[cause];
}

/* The last item is made after 99 periods of the producer. It spends three cycles in transit, and
 * then the consumer's cycles. Each of these is charged to its cause, and no other cause has cycles.
 */
static void
slow_producer(void **state)
{
    (void)state;
    struct line line;
    assert_int_equal(run(&line, 7, 2, 0), 99 * 7 + LATENCY + 2);
    assert_int_equal(charged(&line, PRODUCER), 99 * 7);
    assert_int_equal(charged(&line, CAUSE_transit), LATENCY);
    assert_int_equal(charged(&line, CONSUMER), 2);
    finish(&line);
}

/* The first item arrives after three cycles, and the consumer handles all items without a gap. The
 * producer is blocked most of the time and is not charged. */
static void
slow_consumer(void **state)
{
    (void)state;
    struct line line;
    assert_int_equal(run(&line, 2, 7, 0), LATENCY + ITEMS * 7);
    assert_int_equal(charged(&line, PRODUCER), 0);
    assert_int_equal(charged(&line, CAUSE_transit), LATENCY);
    assert_int_equal(charged(&line, CONSUMER), ITEMS * 7);
    finish(&line);
}

/* The rate is one item per cycle through a queue of depth 1. LATENCY - 1 more items may be in
 * transit. Three items are pushed in cycles 0 to 2 and taken in cycles 3 to 5. A place is free in
 * cycle 4, in which the second item is taken. In any clocking order, the first item freed this
 * place, after three cycles of transit and one of work. So three items pass in four cycles, and the
 * producer is not charged. The 100th item is the first of the 34th group. */
static void
a_place_from_the_cycle_before(void **state)
{
    enum { GROUPS = (ITEMS + LATENCY - 1) / LATENCY };
    (void)state;
    for (uint64_t seed = 0; seed <= 8; seed++) {
        struct line line;
        assert_int_equal(run_with(&line, 1, 1, 1, seed), GROUPS * (LATENCY + 1));
        assert_int_equal(charged(&line, CAUSE_transit), GROUPS * LATENCY);
        assert_int_equal(charged(&line, CONSUMER), GROUPS);
        assert_int_equal(charged(&line, PRODUCER), 0);
        finish(&line);
    }
}

/* If cycles are charged before any item has left, they are charged to the unit that is working, not
 * to earlier events. The sums equal those of a run without intervals. */
static void
nothing_left_yet(void **state)
{
    struct line line;
    (void)state;
    intervals = true;
    for (uint64_t shuffle = 0; shuffle < 3; shuffle++) {
        run(&line, 2, 7, shuffle);
        assert_int_equal(charged(&line, PRODUCER), 0);
        assert_int_equal(charged(&line, CAUSE_transit), LATENCY);
        assert_int_equal(charged(&line, CONSUMER), ITEMS * 7);
        finish(&line);
    }
    run(&line, 30, 20, 0); /* the cycles in which an interval ends have no other event */
    finish(&line);
    intervals = false;
}

/* Removing the charged time gives the predicted gain. Halving the consumer's time gains half of its
 * charge, as long as the producer is not slower. */
static void
charge_is_gain(void **state)
{
    (void)state;
    struct line before, after;
    const uint64_t cycles = run(&before, 3, 8, 0);
    assert_int_equal(cycles - run(&after, 3, 4, 0), charged(&before, CONSUMER) / 2);
    finish(&before);
    finish(&after);
}

/* If the path so far is known, charging at intervals gives each cause the same cycles as charging
 * once. */
static void
charged_in_parts(void **state)
{
    (void)state;
    struct line line;
    run(&line, 7, 2, 0);
    struct path *path = &line.clock.path;
    uint64_t before[CAUSE_COUNT];
    memcpy(before, path->cycles, sizeof before);
    const uint64_t now = line.consumer.free;
    cp_ref way = path_step(path, line.consumer.module.stage.cp_ref, CAUSE_show, now);
    path_charge(path, way, now + 10);
    path_charge(path, way, now + 15);
    path_charge(path, way, now + 15);
    assert_int_equal(path->cycles[CAUSE_show] - before[CAUSE_show], 15);
    before[CAUSE_show] += 15;
    assert_memory_equal(before, path->cycles, sizeof before);
    finish(&line);
}

/* The run has more nodes than the ring. All cycles are charged, and cycles of the nodes in the ring
 * are charged exactly. */
static void
ring_is_full(void **state)
{
    (void)state;
    struct path path;
    path_init(&path);
    uint64_t now = 0, sum = 0;
    cp_ref way = path.end;
    for (uint32_t i = 0; i < 3 * PATH_NODES; i++, now += 2) {
        way = path_step(&path, way, i % 2 ? CAUSE_clip : CAUSE_setup, now);
        path_leave(&path, way, 0, now);
        if (path_is_full(&path))
            path_charge_so_far(&path, 0, now);
    }
    path_charge(&path, way, now);
    for (uint32_t i = 0; i < CAUSE_COUNT; i++)
        sum += path.cycles[i];
    assert_int_equal(sum, now);
    assert_int_equal(path.cycles[CAUSE_clip], now / 2);
    assert_int_equal(path.cycles[CAUSE_setup], now / 2);
    assert_int_equal(path.unset, 0);
    path_fini(&path);
}

/* A unit that does not set its cp_ref is detected. */
static void
nobody_set_it(void **state)
{
    (void)state;
    struct path path;
    path_init(&path);
    path_charge(&path, path_step(&path, 0, CAUSE_clip, 30), 50);
    assert_int_equal(path.cycles[CAUSE_clip], 20);
    assert_int_equal(path.unset, 30);
    path_fini(&path);
}

static void
order_carries_no_weight(void **state)
{
    (void)state;
    struct line plain, other;
    for (uint32_t made = 1; made <= 5; made++)
        for (uint32_t taken = 1; taken <= 5; taken++)
            for (uint64_t seed = 1; seed <= 4; seed++) {
                run(&plain, made, taken, 0);
                run(&other, made, taken, seed);
                assert_memory_equal(plain.clock.path.cycles, other.clock.path.cycles,
                                    sizeof plain.clock.path.cycles);
                finish(&plain);
                finish(&other);
            }
}

/* Every branch except the top ones follows its parent in the table, and every cause appears once.
 */
static void
branches_are_a_tree(void **state)
{
    (void)state;
    uint32_t count, causes = 0;
    const struct path_branch *branches = path_branches(&count);
    for (uint32_t i = 0; i < count; i++) {
        bool found = !strcmp(branches[i].parent, "cycles");
        for (uint32_t k = 0; k < i; k++) {
            found |= !strcmp(branches[i].parent, branches[k].name) && branches[k].cause < 0;
            assert_string_not_equal(branches[i].name, branches[k].name);
        }
        assert_true(found);
        causes += branches[i].cause >= 0;
    }
    assert_int_equal(causes, CAUSE_COUNT);
    assert_true((int)CAUSE_COUNT <= (int)PATH_CAUSES);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_producer),
        cmocka_unit_test(slow_consumer),
        cmocka_unit_test(a_place_from_the_cycle_before),
        cmocka_unit_test(charge_is_gain),
        cmocka_unit_test(charged_in_parts),
        cmocka_unit_test(nothing_left_yet),
        cmocka_unit_test(ring_is_full),
        cmocka_unit_test(nobody_set_it),
        cmocka_unit_test(order_carries_no_weight),
        cmocka_unit_test(branches_are_a_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
