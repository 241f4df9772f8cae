/* A crew of processes: members make members, all are heard, counted and missed when they die. */
#include "base/crew.h"

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

/* Works on the parts from `first` to `end`; gives the farther half away while there is a place. */
static void
work(struct crew *crew, uint32_t first, uint32_t end)
{
    struct error err;
    while (first < end && crew_may_begin(crew, first)) {
        const uint32_t middle = first + (end - first) / 2;
        if (end - first > 1 && crew_size(crew) < crew_limit(crew)) {
            const int made = crew_fork(crew, middle, &err);
            if (made == 0)
                end = middle;
            else if (made > 0)
                first = middle;
        }
        crew_works_on(crew, first);
        crew_count(crew);
        if (!crew_send(crew, &first, sizeof first))
            crew_leave(crew, 1);
        first++;
    }
    crew_leave(crew, 0);
}

static void
every_part_is_done_once(void **state)
{
    (void)state;
    for (uint32_t limit = 1; limit <= 4; limit++) {
        struct error err;
        struct crew_report report;
        enum crew_event event;
        uint32_t times[PARTS] = {0};
        struct crew *crew = crew_create(limit, &err);
        assert_non_null(crew);
        const int made = crew_fork(crew, 0, &err);
        if (made > 0)
            work(crew, 0, PARTS);
        assert_int_equal(made, 0);
        while ((event = crew_wait(crew, &report)) != CREW_DONE) {
            uint32_t part;
            if (event != CREW_MESSAGE)
                continue;
            assert_int_equal(report.size, sizeof part);
            memcpy(&part, report.message, sizeof part);
            assert_true(part < PARTS);
            times[part]++;
        }
        for (uint32_t i = 0; i < PARTS; i++)
            assert_int_equal(times[i], 1);
        assert_int_equal(crew_counted(crew), PARTS);
        assert_int_equal(crew_size(crew), 0);
        crew_destroy(crew);
    }
}

/* How the only member ends, after it has begun part 3. */
static int
status_of(int signal, int status)
{
    struct error err;
    struct crew_report report = {0};
    enum crew_event event;
    struct crew *crew = crew_create(1, &err);
    const int made = crew_fork(crew, 0, &err);
    int seen = -1;
    if (made > 0) {
        crew_works_on(crew, 3);
        if (signal)
            raise(signal);
        crew_leave(crew, status);
    }
    while ((event = crew_wait(crew, &report)) != CREW_DONE)
        if (event == CREW_FAILED) {
            assert_int_equal(report.part, 3);
            seen = report.status;
        }
    crew_destroy(crew);
    return seen;
}

static void
ends_are_told(void **state)
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
    struct crew *crew = crew_create(2, &err);
    assert_true(crew_may_begin(crew, 1000));
    crew_stop_at(crew, 5);
    crew_stop_at(crew, 9); /* the earliest counts */
    assert_true(crew_may_begin(crew, 4));
    assert_false(crew_may_begin(crew, 5));
    crew_destroy(crew);
}

/* Another child of this process, as it is while members end. */
static void
other_children_are_left_alone(void **state)
{
    (void)state;
    struct error err;
    struct crew_report report;
    int status = 0;
    const pid_t other = fork();
    if (other == 0)
        _exit(9);
    struct crew *crew = crew_create(1, &err);
    if (crew_fork(crew, 0, &err) > 0)
        crew_leave(crew, 0);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)other, &ended, WEXITED | WNOWAIT), 0);
    while (crew_wait(crew, &report) != CREW_DONE)
        ;
    crew_destroy(crew);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(WEXITSTATUS(status), 9);
}

/* A member that is being made while all are signalled receives the signal. */
static void
late_members_receive_the_signal(void **state)
{
    (void)state;
    struct error err;
    struct crew_report report = {0};
    enum crew_event event;
    int seen = 0;
    struct crew *crew = crew_create(1, &err);
    crew_signal(crew, SIGTERM);
    if (crew_fork(crew, 0, &err) > 0)
        crew_leave(crew, 0);
    while ((event = crew_wait(crew, &report)) != CREW_DONE)
        if (event == CREW_FAILED)
            seen = WTERMSIG(report.status);
    crew_destroy(crew);
    assert_int_equal(seen, SIGTERM);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_done_once),
        cmocka_unit_test(ends_are_told),
        cmocka_unit_test(stopped_parts_are_not_begun),
        cmocka_unit_test(other_children_are_left_alone),
        cmocka_unit_test(late_members_receive_the_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
