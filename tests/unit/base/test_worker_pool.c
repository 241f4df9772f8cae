/* A pool of worker processes. Workers fork workers, and the pool receives all reports, counts
 * workers, and detects workers that die. */
#include "base/worker_pool.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PARTS = 16 };

/* Processes the parts from `first` to `end`. Forks a worker for the later half while the pool
 * permits it. */
static void
work(struct worker_pool *pool, uint32_t first, uint32_t end)
{
    struct error err;
    while (first < end && worker_pool_may_begin(pool, first)) {
        const uint32_t middle = first + (end - first) / 2;
        if (end - first > 1 && worker_pool_size(pool) < worker_pool_limit(pool)) {
            const int made = worker_pool_fork(pool, middle, &err);
            if (made == 0)
                end = middle;
            else if (made > 0)
                first = middle;
        }
        worker_pool_works_on(pool, first);
        worker_pool_count(pool);
        if (!worker_pool_send(pool, &first, sizeof first))
            worker_pool_leave(pool, 1);
        first++;
    }
    worker_pool_leave(pool, 0);
}

static void
every_part_is_done_once(void **state)
{
    (void)state;
    for (uint32_t limit = 1; limit <= 4; limit++) {
        struct error err;
        struct worker_pool_report report;
        enum worker_pool_event event;
        uint32_t times[PARTS] = {0};
        struct worker_pool *pool = worker_pool_create(limit, &err);
        assert_non_null(pool);
        const int made = worker_pool_fork(pool, 0, &err);
        if (made > 0)
            work(pool, 0, PARTS);
        assert_int_equal(made, 0);
        while ((event = worker_pool_wait(pool, &report)) != WORKER_DONE) {
            uint32_t part;
            if (event != WORKER_MESSAGE)
                continue;
            assert_int_equal(report.size, sizeof part);
            memcpy(&part, report.message, sizeof part);
            assert_true(part < PARTS);
            times[part]++;
        }
        for (uint32_t i = 0; i < PARTS; i++)
            assert_int_equal(times[i], 1);
        assert_int_equal(worker_pool_counted(pool), PARTS);
        assert_int_equal(worker_pool_size(pool), 0);
        worker_pool_destroy(pool);
    }
}

/* Returns how the only worker ends after it has begun part 3. */
static int
status_of(int signal, int status)
{
    struct error err;
    struct worker_pool_report report = {0};
    enum worker_pool_event event;
    struct worker_pool *pool = worker_pool_create(1, &err);
    const int made = worker_pool_fork(pool, 0, &err);
    int seen = -1;
    if (made > 0) {
        worker_pool_works_on(pool, 3);
        if (signal)
            raise(signal);
        worker_pool_leave(pool, status);
    }
    while ((event = worker_pool_wait(pool, &report)) != WORKER_DONE)
        if (event == WORKER_FAILED) {
            assert_int_equal(report.part, 3);
            seen = report.status;
        }
    worker_pool_destroy(pool);
    return seen;
}

static void
ends_are_reported(void **state)
{
    (void)state;
    assert_int_equal(status_of(0, 0), -1);
    int status = status_of(SIGKILL, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    status = status_of(0, 7);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void
stopped_parts_are_not_begun(void **state)
{
    (void)state;
    struct error err;
    struct worker_pool *pool = worker_pool_create(2, &err);
    assert_true(worker_pool_may_begin(pool, 1000));
    worker_pool_stop_at(pool, 5);
    worker_pool_stop_at(pool, 9); /* the earliest part has priority */
    assert_true(worker_pool_may_begin(pool, 4));
    assert_false(worker_pool_may_begin(pool, 5));
    worker_pool_destroy(pool);
}

/* Another child process ends while workers end. The pool does not reap it. */
static void
other_children_are_left_alone(void **state)
{
    (void)state;
    struct error err;
    struct worker_pool_report report;
    int status = 0;
    const pid_t other = fork();
    if (other == 0)
        _exit(9);
    struct worker_pool *pool = worker_pool_create(1, &err);
    if (worker_pool_fork(pool, 0, &err) > 0)
        worker_pool_leave(pool, 0);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)other, &ended, WEXITED | WNOWAIT), 0);
    while (worker_pool_wait(pool, &report) != WORKER_DONE)
        ;
    worker_pool_destroy(pool);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(WEXITSTATUS(status), 9);
}

/* All workers are signalled while a worker is being forked. The new worker receives the signal,
 * too. */
static void
late_members_receive_the_signal(void **state)
{
    (void)state;
    struct error err;
    struct worker_pool_report report = {0};
    enum worker_pool_event event;
    int seen = 0;
    struct worker_pool *pool = worker_pool_create(1, &err);
    worker_pool_signal(pool, SIGTERM);
    if (worker_pool_fork(pool, 0, &err) > 0)
        worker_pool_leave(pool, 0);
    while ((event = worker_pool_wait(pool, &report)) != WORKER_DONE)
        if (event == WORKER_FAILED)
            seen = WTERMSIG(report.status);
    worker_pool_destroy(pool);
    assert_int_equal(seen, SIGTERM);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_done_once),
        cmocka_unit_test(ends_are_reported),
        cmocka_unit_test(stopped_parts_are_not_begun),
        cmocka_unit_test(other_children_are_left_alone),
        cmocka_unit_test(late_members_receive_the_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
