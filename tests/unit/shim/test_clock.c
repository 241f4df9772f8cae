/* The option `--clock`. Captures of a program animated by the time of day (tests/gl/clock.c) are
 * identical byte for byte. Without the option they differ. The program's time advances with its
 * frames and its waits. */
#include "rigs/endings.h"

#include <math.h>
#include <sys/personality.h>

static const char *program;

enum { CAPTURE_MS = 60000, FRAMES = 6, WAIT_MS = 50 };

static void
capture(const char *clock, const char *way, const char *trace)
{
    const char *const words[] = {"capture", "-o", trace,   "-f", "--clock",
                                 clock,     "--", program, way,  NULL};
    if (await(start(words, 0), CAPTURE_MS) != 0) {
        char *text = file_text("err");
        fail_msg("%s, --clock %s: %s", way, clock, text);
    }
}

static bool
same(const char *a, const char *b)
{
    char *command = mem_printf("cd %s && cmp -s %s %s", dir, a, b);
    const int status = system(command);
    free(command);
    return !status;
}

/* Compares the two clocks that the program printed with `step` milliseconds per frame. All reads of
 * the clock together add less than a millisecond. */
static void
check_times(const char *way, double step)
{
    char *text = file_text("out"), *line = text;
    for (uint32_t i = 0; i < FRAMES; i++) {
        unsigned frame = 0;
        double mono = -1, day = -1;
        assert_int_equal(sscanf(line, "%u %lf %lf", &frame, &mono, &day), 3);
        assert_int_equal(frame, i);
        if (!(fabs(mono - i * step) < 1) || !(fabs(day - i * step) < 1))
            fail_msg("%s: frame %u came at %.3f and %.3f ms instead of %.3f", way, i, mono, day,
                     i * step);
        line += strcspn(line, "\n") + 1;
    }
    free(text);
}

static const char *const waits[] = {"usleep", "nanosleep", "until", "poll",
                                    "select", "cond",      "sem",   "busy"};
enum { WAITS = sizeof waits / sizeof waits[0] };

static void
frames_are_the_time(void **state)
{
    (void)state;
    capture("60", "none", "a.trace");
    check_times("none", 1000.0 / 60);
    capture("60", "none", "b.trace");
    assert_true(same("a.trace", "b.trace"));
    capture("50", "none", "c.trace");
    check_times("none", 20);
    assert_false(same("a.trace", "c.trace"));
}

/* Returns the last line that the program printed. It contains an address of the program's stack and
 * one of its data. */
static char *
addresses(void)
{
    char *text = file_text("out"), *line = strstr(text, "addresses ");
    assert_non_null(line);
    char *copy = mem_strdup(line);
    free(text);
    return copy;
}

/* The program runs at fixed addresses, because Mesa's compiler depends on addresses. */
static void
addresses_are_the_same(void **state)
{
    (void)state;
    const int before = personality(0xffffffff);
    if (before < 0 || personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0)
        skip(); /* the system does not permit fixed addresses */
    personality((unsigned long)before);
    capture("0", "none", "a.trace");
    char *own = addresses();
    capture("60", "none", "a.trace");
    char *first = addresses();
    capture("60", "none", "a.trace");
    char *second = addresses();
    assert_string_equal(first, second);
    if (!(before & ADDR_NO_RANDOMIZE))
        assert_string_not_equal(own, first);
    free(second);
    free(first);
    free(own);
}

static void
without_it_captures_differ(void **state)
{
    (void)state;
    capture("0", "none", "a.trace");
    pause_ms(20);
    capture("0", "none", "b.trace");
    assert_false(same("a.trace", "b.trace"));
}

/* A wait that is longer than a frame determines the time of the frame. */
static void
waits_pass_the_time(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WAITS; i++) {
        capture("60", waits[i], "a.trace");
        check_times(waits[i], WAIT_MS);
        capture("60", waits[i], "b.trace");
        if (!same("a.trace", "b.trace"))
            fail_msg("%s: the traces differ", waits[i]);
    }
}

/* If another thread ends a wait, the wait does not advance the program's time. */
static void
waits_are_ended(void **state)
{
    (void)state;
    capture("60", "woken", "a.trace");
    check_times("woken", 1000.0 / 60);
}

/* A wait that is shorter than a frame is part of the frame. At 10 frames per second, 50 ms are half
 * of a frame. */
static void
short_waits_are_within_a_frame(void **state)
{
    (void)state;
    capture("10", "usleep", "a.trace");
    check_times("usleep", 100);
}

static void
other_threads_are_not_seen(void **state)
{
    (void)state;
    capture("60", "thread", "a.trace");
    check_times("thread", 1000.0 / 60);
    capture("60", "thread", "b.trace");
    assert_true(same("a.trace", "b.trace"));
}

/* The plan of a sweep sets the clock of its programs. A different clock needs a new capture. */
static void
plans_have_a_clock(void **state)
{
    static const char *const wrong[] = {"0", "1001", "60fps", "-60"};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        char *plan = mem_printf("[sweep]\n%s[input c]\nprogram = %s none\nframes = 2\n",
                                i < 2 ? "clock = 60\n" : "", program);
        char *out = mem_printf("s%u", i == 2 ? 1 : i);
        put_text("p.ini", plan);
        assert_int_equal(RUN("sweep", "p.ini", "-o", out), 0);
        assert_int_equal(reports("capturing 1 program"), true);
        free(out);
        free(plan);
        if (i == 1)
            assert_true(same("s0/traces/c.trace", "s1/traces/c.trace"));
    }
    assert_false(same("s0/traces/c.trace", "s1/traces/c.trace"));
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char *plan = mem_printf("[sweep]\nclock = %s\n[input c]\nfile = " TINY "\n", wrong[i]);
        put_text("p.ini", plan);
        assert_int_equal(RUN("sweep", "p.ini", "-o", "s"), 1);
        assert_true(reports("expected frames per second, 1 to 1000"));
        free(plan);
    }
    assert_int_equal(RUN("capture", "-o", "x.trace", "--clock", "1001", "--", program), 2);
    assert_int_equal(RUN("run", "--clock", "1001", "--", program), 2);
}

/* `aetius run` also has the option. */
static void
runs_have_it(void **state)
{
    (void)state;
    assert_int_equal(RUN("run", "--functional", "--clock", "50", "--", program, "none"), 0);
    char *text = file_text("out"), *line = strstr(text, "0 0.000 0.000\n");
    assert_non_null(line);
    put_text("out", line);
    check_times("run", 20);
    free(text);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(frames_are_the_time, clean),
        cmocka_unit_test_teardown(addresses_are_the_same, clean),
        cmocka_unit_test_teardown(without_it_captures_differ, clean),
        cmocka_unit_test_teardown(waits_pass_the_time, clean),
        cmocka_unit_test_teardown(waits_are_ended, clean),
        cmocka_unit_test_teardown(short_waits_are_within_a_frame, clean),
        cmocka_unit_test_teardown(other_threads_are_not_seen, clean),
        cmocka_unit_test_teardown(plans_have_a_clock, clean),
        cmocka_unit_test_teardown(runs_have_it, clean),
    };
    if (argc < 3) {
        fprintf(stderr, "usage: test_clock AETIUS CLOCK\n");
        return EXIT_FAILURE;
    }
    program = realpath(argv[2], NULL);
    return endings_main(2, argv, tests, sizeof tests / sizeof tests[0]);
}
