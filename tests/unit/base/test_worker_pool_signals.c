/* Targets of worker_pool_signal() while workers take and free places. The function must never
 * signal process 0 (the caller's group), -1 (every process of the user), or a reaped process. The
 * test replaces kill() and forks no process. */
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

static int counted_kill(pid_t pid, int number);
#define kill counted_kill
#include "base/worker_pool.c"
#undef kill

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { CALLS = 10000000, SIGNALS = 100000, FIRST_PID = 1000, LIVES = 1 << 16, LIMIT = 4 };

enum life { LIFE_NONE, LIFE_RUNNING, LIFE_ENDED, LIFE_REAPED };

/* Indexed by pid - FIRST_PID. */
static _Atomic unsigned char lives[LIVES];
static uint64_t targets_0, targets_all, targets_reaped, targets_other, targets;
static _Atomic bool enough;

static int
counted_kill(pid_t pid, int number)
{
    const uint32_t at = (uint32_t)pid - FIRST_PID;
    targets++;
    targets_0 += pid == 0;
    targets_all += pid == -1;
    if (pid > 0 && at < LIVES)
        targets_reaped += lives[at] == LIFE_REAPED || lives[at] == LIFE_NONE;
    else
        targets_other += pid != 0 && pid != -1;
    return number < 0;
}

/* Waits for a time that differs between lives, so that the other thread can read in between. */
static void
linger(uint32_t at)
{
    for (volatile uint32_t i = 0; i < at % 97; i++)
        ;
}

/* Takes and frees places like workers, one after the other. The parent takes a place, and the
 * worker stores its pid there. The worker frees the place before it exits. */
static void *
members(void *data)
{
    struct worker_pool *pool = data;
    for (uint32_t at = 0; !enough; at = (at + 1) % LIVES) {
        if (lives[at] != LIFE_NONE && lives[at] != LIFE_REAPED)
            continue;
        struct worker_slot *slot = take_slot(pool);
        if (!slot)
            continue;
        linger(at);
        lives[at] = LIFE_RUNNING;
        slot->pid = (pid_t)(FIRST_PID + at);
        linger(at);
        slot->pid = 0;
        lives[at] = LIFE_ENDED;
    }
    return NULL;
}

/* Reaps ended workers, as the coordinator does between two calls of worker_pool_signal(). */
static void
reap(uint32_t *next)
{
    for (uint32_t i = 0; i < 8 && lives[*next] == LIFE_ENDED; i++, *next = (*next + 1) % LIVES)
        lives[*next] = LIFE_REAPED;
}

static void
only_members_are_signalled(void **state)
{
    (void)state;
    struct error err;
    struct worker_pool *pool = worker_pool_create(LIMIT, &err);
    pthread_t thread;
    uint32_t next = 0;
    assert_non_null(pool);
    assert_int_equal(pthread_create(&thread, NULL, members, pool), 0);
    for (uint32_t i = 0; i < CALLS || targets < SIGNALS; i++) {
        worker_pool_signal(pool, SIGTERM);
        reap(&next);
    }
    enough = true;
    pthread_join(thread, NULL);
    worker_pool_destroy(pool);
    assert_int_equal(targets_0, 0);
    assert_int_equal(targets_all, 0);
    assert_int_equal(targets_reaped, 0);
    assert_int_equal(targets_other, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_members_are_signalled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
