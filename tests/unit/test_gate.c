/* The gate: what limits mean, to the last unit, and how a comparison ends. */
#include "report/gate.h"

#include "base/build.h"
#include "base/file.h"

#include "command.h" /* behind our own headers: cmocka has a macro fail() */

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define TINY AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"

static char dir[] = "/tmp/aetius-gate-XXXXXX";

static struct run_comparison
runs_of(double a, double b)
{
    static struct stat_move moves[1];
    moves[0] = (struct stat_move){"unit.things", (uint64_t)a, (uint64_t)b, 0};
    return (struct run_comparison){.moves = moves,
                                   .move_count = 1,
                                   .cycles_a = a,
                                   .cycles_b = b,
                                   .frames_a = 2,
                                   .frames_b = 2,
                                   .complete_a = true,
                                   .complete_b = true};
}

/* A limit is what may be: only more is too much. */
static void
test_limits(void **state)
{
    static const struct {
        const char *limit;
        double a, b;
        uint64_t pixels;
        bool exceeded;
    } cases[] = {
        {"cycles=2%", 100, 102, 0, false},      {"cycles=2%", 100, 103, 0, true},
        {"cycles=2%", 1000, 1021, 0, true},     {"cycles=0%", 100, 100, 0, false},
        {"cycles=0%", 100, 101, 0, true},       {"cycles=2%", 100, 50, 0, false},
        {"cycles=3", 100, 103, 0, false},       {"cycles=3", 100, 104, 0, true},
        {"cycles=5%", 0, 0, 0, false},          {"cycles=5%", 0, 1, 0, true},
        {"unit.things=1%", 200, 202, 0, false}, {"unit.things=1%", 200, 203, 0, true},
        {"pictures=0", 1, 1, 0, false},         {"pictures=0", 1, 1, 1, true},
        {"pictures=5", 1, 1, 5, false},         {"cycles=50%,pictures=0", 100, 140, 2, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct run_comparison runs = runs_of(cases[i].a, cases[i].b);
        struct gate gate;
        struct error err;
        assert_true(gate_parse(&gate, cases[i].limit, &err));
        assert_true(gate_check_runs(&gate, &runs, cases[i].pixels, 0, &err));
        if ((gate.exceeded > 0) != cases[i].exceeded)
            fail_msg("%s: %g to %g, %u pixels", cases[i].limit, cases[i].a, cases[i].b,
                     (unsigned)cases[i].pixels);
        gate_fini(&gate);
    }
}

static void
test_wrong_limits(void **state)
{
    static const char *const wrong[] = {"",           "cycles",      "cycles=",    "=2%",
                                        "cycles=x",   "cycles=2%%",  "cycles=-1%", "cycles=nan",
                                        "cycles=2%,", "pictures=1%", "cycles=inf"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct gate gate;
        struct error err;
        if (gate_parse(&gate, wrong[i], &err))
            fail_msg("'%s' is taken for a limit", wrong[i]);
    }
}

/* What cannot be compared is no success. */
static void
test_not_comparable(void **state)
{
    struct run_comparison runs = runs_of(100, 100);
    struct gate gate;
    struct error err;
    (void)state;
    assert_true(gate_parse(&gate, "cycles=1%,pictures=0", &err));
    assert_false(gate_check_runs(&gate, &runs, 0, 1, &err));
    assert_non_null(strstr(err.text, "only in one"));
    runs.frames_b = 3;
    assert_false(gate_check_runs(&gate, &runs, 0, 0, &err));
    assert_non_null(strstr(err.text, "2 and 3 frames"));
    runs = runs_of(100, 100);
    runs.complete_b = false;
    assert_false(gate_check_runs(&gate, &runs, 0, 0, &err));
    gate_fini(&gate);
    runs = runs_of(100, 100);
    assert_true(gate_parse(&gate, "unit.nothing=1%", &err));
    assert_false(gate_check_runs(&gate, &runs, 0, 0, &err));
    assert_non_null(strstr(err.text, "unit.nothing"));
    gate_fini(&gate);
}

static char *
path_of(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

/* How the command ends, and what it leaves; a baseline is kept and renewed. */
static void
test_command(void **state)
{
    static struct said said;
    char *a = path_of("a"), *b = path_of("b"), *base = path_of("base"), *xml = path_of("gate.xml");
    char *markdown = path_of("gate.md"), *text;
    size_t size;
    struct error err;
    (void)state;
    RUN(&said, "sim", TINY, "-o", a);
    RUN(&said, "sim", TINY, "--set", "GPU.NumFragmentShaders=1", "-o", b);
    assert_int_equal(said.status, 0);
    RUN(&said, "compare", a, a, "--fail-over", "cycles=0,pictures=0", "--per-draw");
    assert_int_equal(said.status, 0);
    RUN(&said, "compare", base, a, "--renew");
    assert_int_equal(said.status, 0);
    RUN(&said, "compare", base, b, "--fail-over", "cycles=1%,pictures=0", "--per-draw", "--junit",
        xml, "--markdown", markdown, "--json");
    assert_int_equal(said.status, 3);
    cJSON *json = cJSON_Parse(said.out);
    assert_non_null(json);
    const cJSON *gate = cJSON_GetObjectItem(json, "gate");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(gate, "exceeded")));
    /* cycles and pictures of the runs, and cycles of the 18 draws of both */
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(gate, "checks")), 2 + 18);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(json, "statistics")) > 500);
    cJSON_Delete(json);
    assert_true(file_read(xml, SIZE_MAX, &text, &size, &err));
    assert_non_null(strstr(text, "tests=\"20\""));
    assert_non_null(strstr(text, "<failure message="));
    free(text);
    assert_true(file_read(markdown, SIZE_MAX, &text, &size, &err));
    assert_non_null(strstr(text, "| **exceeded** | `cycles` |"));
    free(text);
    RUN(&said, "compare", base, b, "--renew");
    assert_int_equal(said.status, 0);
    RUN(&said, "compare", base, b, "--fail-over", "cycles=0,pictures=0", "--per-draw");
    assert_int_equal(said.status, 0);
    RUN(&said, "compare", "--help");
    assert_non_null(strstr(said.out, "2 wrong usage, 3 a limit of --fail-over is exceeded;"));
    RUN(&said, "compare", a, b, "--fail-over", "nothing=1%");
    assert_int_equal(said.status, 1);
    /* a folder with something else in it is nobody's baseline */
    char *mine = path_of("mine"), *file = path_of("mine/thesis.tex");
    assert_true(dir_create(mine, &err) && file_write(file, "x", 1, &err));
    RUN(&said, "compare", mine, b, "--renew");
    assert_int_equal(said.status, 1);
    free(mine);
    free(file);
    free(a);
    free(b);
    free(base);
    free(xml);
    free(markdown);
}

/* What a command writes into a FIFO or a device that is there already is written, and it stays. */
static void
test_reports_into_nodes(void **state)
{
    static struct said said;
    char *run = path_of("noded"), *fifo = path_of("fifo"), *null = path_of("null");
    char *full = path_of("full"), start[6] = "";
    const struct {
        const char *option, *start;
    } into[] = {{"--junit", "<?xml"}, {"--markdown", "### A"}, {"--svg", "<svg "}};
    struct stat st;
    (void)state;
    RUN(&said, "sim", TINY, "-o", run);
    assert_int_equal(mkfifo(fifo, 0600) | symlink("/dev/null", null), 0);
    assert_int_equal(symlink("/dev/full", full), 0);
    for (size_t i = 0; i < sizeof into / sizeof *into; i++) {
        const char *const paths[] = {fifo, null};
        const int reader = open(fifo, O_RDWR | O_NONBLOCK);
        assert_int_equal(fcntl(reader, F_SETPIPE_SZ, 1 << 18) < 1 << 18, 0);
        for (size_t p = 0; p < 2; p++) {
            if (!strcmp(into[i].option, "--svg"))
                RUN(&said, "topdown", run, into[i].option, paths[p]);
            else
                RUN(&said, "compare", run, run, "--fail-over", "cycles=0", into[i].option,
                    paths[p]);
            assert_int_equal(said.status, 0);
        }
        assert_int_equal(read(reader, start, 5), 5);
        assert_string_equal(start, into[i].start);
        close(reader);
        assert_true(!lstat(fifo, &st) && S_ISFIFO(st.st_mode));
        assert_true(!lstat(null, &st) && S_ISLNK(st.st_mode));
    }
    RUN(&said, "compare", run, run, "--fail-over", "cycles=0", "--junit", full);
    assert_int_equal(said.status, 1);
    free(run);
    free(fifo);
    free(null);
    free(full);
}

static bool
same_files(const char *a, const char *b)
{
    char *command = mem_printf("cmp -s %s %s", a, b);
    const bool same = !system(command);
    free(command);
    return same;
}

/* A renewal that cannot be leaves both folders as they were. */
static void
test_renewal_keeps_what_it_cannot_replace(void **state)
{
    static struct said said;
    char *run = path_of("own"), *link = path_of("link"), *base = path_of("kept");
    char *picture = path_of("own/frames/frame-0000.png"), *kept = path_of("kept.png");
    char *old = path_of("kept/frames/frame-0000.png"), *json = path_of("own/run.json");
    char *frames = path_of("kept/frames"), *away = path_of("away");
    struct error err;
    (void)state;
    RUN(&said, "sim", TINY, "-o", run);
    RUN(&said, "compare", base, run, "--renew");
    assert_int_equal(said.status, 0);
    char *bytes;
    size_t size;
    assert_true(file_read(picture, SIZE_MAX, &bytes, &size, &err) &&
                file_write(kept, bytes, size, &err));
    free(bytes);
    RUN(&said, "compare", run, run, "--renew");
    assert_int_equal(said.status, 1);
    assert_non_null(strstr(said.err, "are one folder"));
    assert_int_equal(symlink(run, link), 0);
    RUN(&said, "compare", link, run, "--renew");
    assert_int_equal(said.status, 1);
    assert_true(same_files(picture, kept));
    /* the last file to be copied is missing: nothing was replaced by then */
    assert_true(file_write(picture, "x", 1, &err) && !unlink(json));
    RUN(&said, "compare", base, run, "--renew");
    assert_int_equal(said.status, 1);
    assert_true(same_files(old, kept));
    /* a link is no way out of the baseline */
    assert_int_equal(rename(frames, away), 0);
    assert_int_equal(symlink(away, frames), 0);
    RUN(&said, "compare", base, run, "--renew");
    assert_int_equal(said.status, 1);
    assert_non_null(strstr(said.err, "kept/frames is no folder"));
    free(run);
    free(link);
    free(base);
    free(picture);
    free(kept);
    free(old);
    free(json);
    free(frames);
    free(away);
}

/* Several runs are columns; a parameter that changes nothing is said to. */
static void
test_columns(void **state)
{
    static struct said said;
    char *runs[] = {path_of("c0"), path_of("c1"), path_of("c2")};
    (void)state;
    RUN(&said, "sim", TINY, "-o", runs[0]);
    RUN(&said, "sim", TINY, "--set", "GPU.ClockMHz=777", "-o", runs[1]);
    RUN(&said, "sim", TINY, "--set", "GPU.NumFragmentShaders=1", "-o", runs[2]);
    RUN(&said, "compare", runs[0], runs[1], runs[2], "--json");
    assert_int_equal(said.status, 0);
    cJSON *json = cJSON_Parse(said.out);
    const cJSON *clock = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "machine"), "GPU.ClockMHz");
    assert_int_equal(cJSON_GetArraySize(clock), 3);
    assert_string_equal(cJSON_GetArrayItem(clock, 1)->valuestring, "777");
    assert_string_equal(cJSON_GetArrayItem(clock, 0)->valuestring,
                        cJSON_GetArrayItem(clock, 2)->valuestring);
    const cJSON *cycles = cJSON_GetObjectItem(json, "cycles");
    assert_true(cJSON_GetArrayItem(cycles, 0)->valuedouble ==
                cJSON_GetArrayItem(cycles, 1)->valuedouble);
    assert_true(cJSON_GetArrayItem(cycles, 2)->valuedouble >
                cJSON_GetArrayItem(cycles, 0)->valuedouble);
    cJSON_Delete(json);
    RUN(&said, "compare", runs[0], runs[1], runs[2]);
    assert_non_null(strstr(said.out, "no effect: the machine of "));
    RUN(&said, "compare", runs[0], runs[1]);
    assert_non_null(strstr(said.out, "no effect: the machines differ"));
    RUN(&said, "compare", runs[0], runs[2]);
    assert_null(strstr(said.out, "no effect"));
    for (size_t i = 0; i < 3; i++)
        free(runs[i]);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_wrong_limits),
        cmocka_unit_test(test_not_comparable),
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_reports_into_nodes),
        cmocka_unit_test(test_renewal_keeps_what_it_cannot_replace),
    };
    aetius = argc > 1 ? argv[1] : "aetius";
    if (!mkdtemp(dir))
        return 2;
    const int failed = cmocka_run_group_tests_name("gate", tests, NULL, NULL);
    char *command = mem_printf("rm -rf %s", dir);
    if (system(command))
        fprintf(stderr, "%s stays\n", dir);
    free(command);
    return failed;
}
