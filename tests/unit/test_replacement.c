/* Replacement: the victims of access sequences that were worked out by hand. */
#include "unit/replacement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { NOBODY = -1, MAX_WAYS = 8 };

/* A cache of one set that holds letters. */
struct toy {
    struct replacement replacement;
    uint32_t ways;
    char holds[MAX_WAYS]; /* 0: nothing */
    bool locked[MAX_WAYS];
};

static enum line_state
state_of(const void *cache, uint32_t line)
{
    const struct toy *toy = cache;
    return toy->locked[line] ? LINE_STAYS : toy->holds[line] ? LINE_MAY_GO : LINE_EMPTY;
}

/* Uses the letter's line, filling it on a miss; returns what went for it, 0 when nothing did. */
static char
access(struct toy *toy, char letter)
{
    for (uint32_t i = 0; i < toy->ways; i++)
        if (toy->holds[i] == letter) {
            replacement_use(&toy->replacement, i);
            return 0;
        }
    const int32_t victim = replacement_victim(&toy->replacement, 0, state_of, toy);
    assert_true(victim >= 0);
    const char gone = toy->holds[victim];
    toy->holds[victim] = letter;
    replacement_fill(&toy->replacement, (uint32_t)victim);
    return gone;
}

/* Each access in turn, and below it what it drives out ('.': nothing). */
static const struct {
    enum replacement_policy policy;
    uint32_t ways;
    const char *accesses, *gone;
} sequences[] = {
    /* E comes after A was used again: B is the least recently used, A the one filled first. Tree of
     * four: the last use, of A, points the root to the upper half and D's use its node to C. */
    {REPLACEMENT_LRU, 4, "ABCDAE", ".....B"},
    {REPLACEMENT_FIFO, 4, "ABCDAE", ".....A"},
    {REPLACEMENT_PSEUDO_LRU, 4, "ABCDAE", ".....C"},
    /* Without reuse all three go round. */
    {REPLACEMENT_LRU, 4, "ABCDEFGH", "....ABCD"},
    {REPLACEMENT_FIFO, 4, "ABCDEFGH", "....ABCD"},
    /* E takes A's place: root up, lower node to B. F takes C's (the upper node points to it since
     * D): root down, upper node to D. G takes B's, H takes D's. */
    {REPLACEMENT_PSEUDO_LRU, 4, "ABCDEFGH", "....ACBD"},
    /* Belady's sequence in three: first in, first out misses 9 times in 12 with three ways (three
     * fill empty ones) and 10 times with four. */
    {REPLACEMENT_FIFO, 3, "ABCDABEABCDE", "...ABCD..AB."},
    {REPLACEMENT_FIFO, 4, "ABCDABEABCDE", "......ABCDEA"},
    {REPLACEMENT_LRU, 3, "ABCDABEABCDE", "...ABCD..EAB"},
    {REPLACEMENT_LRU, 4, "ABCDABEABCDE", "......C..DEA"},
    /* A tree of four with a leaf missing: after C the root points down and the lower node, since B,
     * to A: D takes A's place. Root up: the upper node's way 3 is not there, so C goes for E. Root
     * down, lower node to B since D. */
    {REPLACEMENT_PSEUDO_LRU, 3, "ABCDEF", "...ACB"},
    {REPLACEMENT_LRU, 1, "AAB", "..A"},
    {REPLACEMENT_FIFO, 1, "AAB", "..A"},
    {REPLACEMENT_PSEUDO_LRU, 1, "AAB", "..A"},
};

static void
begin(struct toy *toy, enum replacement_policy policy, uint32_t ways)
{
    memset(toy, 0, sizeof *toy);
    toy->ways = ways;
    replacement_init(&toy->replacement, policy, 1, ways);
}

static void
test_sequences(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof sequences / sizeof sequences[0]; s++) {
        struct toy toy;
        char gone[32] = "";
        begin(&toy, sequences[s].policy, sequences[s].ways);
        for (int again = 0; again < 2; again++) { /* a reset forgets all */
            memset(toy.holds, 0, sizeof toy.holds);
            replacement_reset(&toy.replacement);
            for (size_t i = 0; sequences[s].accesses[i]; i++) {
                const char letter = access(&toy, sequences[s].accesses[i]);
                gone[i] = letter ? letter : '.';
            }
            assert_string_equal(gone, sequences[s].gone);
        }
        replacement_fini(&toy.replacement);
    }
}

/* Lines that stay are passed over: the next in rank goes, and nobody when all stay. */
static void
test_locked(void **state)
{
    (void)state;
    static const struct {
        enum replacement_policy policy;
        int32_t victims[5]; /* of ABCD A, as the one before is locked too */
    } cases[] = {
        {REPLACEMENT_LRU, {1, 2, 3, 0, NOBODY}},
        {REPLACEMENT_FIFO, {0, 1, 2, 3, NOBODY}},
        /* the root points up, the upper node to way 2, the lower to way 1 */
        {REPLACEMENT_PSEUDO_LRU, {2, 3, 1, 0, NOBODY}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct toy toy;
        begin(&toy, cases[c].policy, 4);
        for (const char *letter = "ABCDA"; *letter; letter++)
            access(&toy, *letter);
        for (uint32_t i = 0; i < 5; i++) {
            const int32_t victim = replacement_victim(&toy.replacement, 0, state_of, &toy);
            assert_int_equal(victim, cases[c].victims[i]);
            if (victim >= 0)
                toy.locked[victim] = true;
        }
        replacement_fini(&toy.replacement);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_locked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
