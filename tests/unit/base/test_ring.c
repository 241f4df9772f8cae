/* Rings of 1 to 5 items, compared with a plain list for every order of pushes and pops from every
 * start position. */
#include "base/ring.h"
#include "rigs/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CAPACITIES = 5, STEPS = 11, NOTHING = -1 };

/* A ring of numbers, and a list of its expected content; list[0] is the front. */
struct pair {
    struct ring ring;
    int items[CAPACITIES];
    int list[CAPACITIES];
    uint32_t count;
};

static void
compare(const struct pair *pair)
{
    assert_int_equal(pair->ring.count, pair->count);
    assert_int_equal(ring_is_full(&pair->ring), pair->count == pair->ring.capacity);
    for (uint32_t n = 0; n < pair->ring.capacity; n++)
        assert_true(ring_at(&pair->ring, n) < pair->ring.capacity);
    for (uint32_t n = 0; n < pair->count; n++)
        assert_int_equal(pair->items[ring_at(&pair->ring, n)], pair->list[n]);
}

static void
push(struct pair *pair, int number)
{
    const uint32_t next = ring_at(&pair->ring, pair->count), index = ring_push(&pair->ring);
    assert_int_equal(index, next);
    /* the ring never returns the index of a stored item */
    assert_int_equal(pair->items[index], NOTHING);
    pair->items[index] = pair->list[pair->count++] = number;
}

static void
pop(struct pair *pair)
{
    const uint32_t front = ring_at(&pair->ring, 0), index = ring_pop(&pair->ring);
    assert_int_equal(index, front);
    assert_int_equal(pair->items[index], pair->list[0]);
    pair->items[index] = NOTHING;
    memmove(pair->list, pair->list + 1, --pair->count * sizeof pair->list[0]);
}

static struct pair
empty_pair(uint32_t capacity, uint32_t head)
{
    struct pair pair = {.ring = {.head = head, .capacity = capacity}};
    for (uint32_t i = 0; i < CAPACITIES; i++)
        pair.items[i] = NOTHING;
    return pair;
}

/* Each bit of `script` is a push or a pop. Operations that the contract forbids are skipped. */
static void
test_against_list(void **state)
{
    (void)state;
    for (uint32_t capacity = 1; capacity <= CAPACITIES; capacity++)
        for (uint32_t head = 0; head < capacity; head++)
            for (uint32_t script = 0; script < 1u << STEPS; script++) {
                struct pair pair = empty_pair(capacity, head);
                for (uint32_t step = 0; step < STEPS; step++) {
                    const bool pushes = script >> step & 1;
                    if (pushes && pair.count < capacity)
                        push(&pair, (int)step);
                    else if (!pushes && pair.count)
                        pop(&pair);
                    compare(&pair);
                }
            }
}

static void
test_clear(void **state)
{
    (void)state;
    struct pair pair = empty_pair(3, 2);
    push(&pair, 7);
    ring_clear(&pair.ring);
    assert_int_equal(pair.ring.count, 0);
    assert_int_equal(pair.ring.capacity, 3);
    for (uint32_t n = 0; n < 3; n++)
        assert_int_equal(ring_push(&pair.ring), n);
}

static void
push_to(void *ring)
{
    ring_push(ring);
}

static void
pop_and_push(void *ring)
{
    ring_pop(ring);
    ring_push(ring);
}

/* A push to a full ring aborts. In a build with invariants, a pop from an empty ring also aborts.
 * Otherwise the next push does. */
static void
test_bugs(void **state)
{
    char text[BUG_TEXT_BYTES];
    (void)state;
    for (uint32_t head = 0; head < 2; head++) {
        for (uint32_t count = 0; count < 2; count++)
            ring_push(&(struct ring){head, count, 2});
        bug_of(push_to, &(struct ring){head, 2, 2}, text);
        assert_non_null(strstr(text, "push to a full ring (2 of 2 items)"));
        bug_of(pop_and_push, &(struct ring){head, 0, 2}, text);
        assert_non_null(strstr(text, INVARIANTS ? "pop from a ring that holds no item"
                                                : "push to a full ring"));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_list),
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_bugs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
