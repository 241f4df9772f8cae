/* If a rule of a queue (core/clock.h) is violated, the run ends at once. The message names the
 * queue. Only a build with -Dinvariants=true has these checks. */
#include "core/queue.h"
#include "rigs/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 2, DEPTH = 3, LATENCY = 4 };

struct rig {
    struct clock clock;
    struct module sender, receiver;
    struct queue queue;
};

static enum unit_state
no_clock(void *self, uint64_t now)
{
    (void)self;
    (void)now;
    return UNIT_STARVED;
}

static const struct module_ops ops = {.clock = no_clock};

static void
rig_init(struct rig *rig)
{
    memset(rig, 0, sizeof *rig);
    clock_init(&rig->clock);
    clock_add_module(&rig->clock, &rig->sender, "sender", -1, NULL, &ops);
    clock_add_module(&rig->clock, &rig->receiver, "receiver", -1, NULL, &ops);
    queue_init(&rig->queue, &rig->clock, "queue", 7, &rig->sender, &rig->receiver, sizeof(int),
               WIDTH, DEPTH, LATENCY);
    queue_reserve(&rig->queue);
}

static void
rig_fini(struct rig *rig)
{
    queue_fini(&rig->queue);
    clock_fini(&rig->clock);
}

static void
push(struct rig *rig, uint64_t now)
{
    rig->clock.now = now;
    *(int *)queue_push(&rig->queue, now) = 0;
}

static void
pop(struct rig *rig, uint64_t now)
{
    rig->clock.now = now;
    queue_pop(&rig->queue, now);
}

/* Fills all places. The first two items arrive in cycle 4, the third one in 5. */
static void
fill(struct rig *rig)
{
    push(rig, 0);
    push(rig, 0);
    push(rig, 1);
}

/* Pushes and pops at the limits of the rules are permitted. */
static void
by_the_rules(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig);
    fill(&rig);
    pop(&rig, LATENCY);
    pop(&rig, LATENCY);
    push(&rig, LATENCY + 1);
    push(&rig, LATENCY + 1);
    pop(&rig, LATENCY + 1);
    pop(&rig, 2 * LATENCY + 1);
    pop(&rig, 2 * LATENCY + 1);
    assert_true(queue_is_empty(&rig.queue));
    rig_fini(&rig);
}

static void
pop_nothing(void *rig)
{
    pop(rig, 0);
}

static void
pop_early(void *rig)
{
    fill(rig);
    pop(rig, LATENCY - 1);
}

static void
pop_three(void *rig)
{
    fill(rig);
    for (int i = 0; i < WIDTH + 1; i++)
        pop(rig, LATENCY + 1);
}

static void
push_into_freed_place(void *rig)
{
    fill(rig);
    pop(rig, LATENCY);
    push(rig, LATENCY);
}

static void
broken_rules(void **state)
{
    static const struct {
        void (*act)(void *rig);
        const char *condition;
    } cases[] = {
        {pop_nothing, "queue->count > 0"},
        {pop_early, "queue->arrival[queue->head] <= now"},
        {pop_three, "queue->popped < queue->width"},
        {push_into_freed_place, "queue->count + queue->popped < queue->capacity"},
    };
    (void)state;
    if (!INVARIANTS)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig);
        assert_invariant(cases[i].act, &rig, "queue[7]", cases[i].condition);
        rig_fini(&rig);
    }
}

static void
push_too_many(void *rig)
{
    fill(rig);
    push(rig, 1);
}

static void
push_too_fast(void *rig)
{
    for (int i = 0; i < WIDTH + 1; i++)
        push(rig, 0);
}

/* Every build has this check. */
static void
push_without_room(void **state)
{
    void (*const acts[])(void *rig) = {push_too_many, push_too_fast};
    (void)state;
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        char text[BUG_TEXT_BYTES];
        struct rig rig;
        rig_init(&rig);
        bug_of(acts[i], &rig, text);
        assert_non_null(strstr(text, "queue queue[7]: push without room"));
        rig_fini(&rig);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_rules),
        cmocka_unit_test(broken_rules),
        cmocka_unit_test(push_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
