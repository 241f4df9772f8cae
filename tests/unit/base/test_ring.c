/* Rings of 1 to 5 items against a plain list: every order of pushes and pops from every head. */
#include "base/ring.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { CAPACITIES = 5, STEPS = 11, NOTHING = -1 };

/* A ring of numbers, and the list of what it should hold: the front is list[0]. */
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
    assert_int_equal(pair->items[index], NOTHING); /* no item's place is given away */
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

/* Each bit of `script`: a push, else a pop; those that the contract forbids are left out. */
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

/* Whether a push to the ring ends the program as a BUG(). */
static bool
push_aborts(struct ring ring)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        signal(SIGABRT, SIG_DFL);
        close(STDERR_FILENO);
        ring_push(&ring);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void
test_bugs(void **state)
{
    (void)state;
    for (uint32_t head = 0; head < 2; head++) {
        for (uint32_t count = 0; count <= 2; count++)
            assert_int_equal(push_aborts((struct ring){head, count, 2}), count == 2);
        struct ring ring = {head, 0, 2};
        ring_pop(&ring);
        assert_true(push_aborts(ring));
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
