/* Frames made to be bound by one thing (tests/golden/workloads.trace, benchmarks/gl/workloads.c):
 * the verdict is that thing, and simulating them without it proves it. */
#include "base/build.h"

#include "command.h" /* behind our own headers: cmocka has a macro fail() */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *frame, *machine, *verdict, *why;
} cases[] = {
    {"3", "SHADER.Mode=timed", "shader", "loops of arithmetic on few inputs, and no texture"},
    {"1", "SHADER.Mode=timed", "memory", "full-screen blends: each pixel is read and written"},
    {"0", "SHADER.Mode=timed", "transfers", "a sheet of many vertices, uploaded in the frame"},
    {"0", "MEMORYCONTROLLER.CommandProcessorBusWidth=1024", "memory",
     "as before, with a bus that costs nothing: what reads the vertices remains"},
};

static void
verdicts_are_proven(void **state)
{
    static struct said said;
    char dir[] = "/tmp/aetius-verdicts-XXXXXX", wanted[64], path[96], command[64];
    (void)state;
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        RUN(&said, "sim", AETIUS_SOURCE_DIR "/tests/golden/workloads.trace", "--frames",
            cases[i].frame, "--set", cases[i].machine, "-o", dir, "--force");
        assert_int_equal(said.status, 0);
        RUN(&said, "topdown", dir, "--prove", "--jobs", "2");
        snprintf(wanted, sizeof wanted, "bound by %s:", cases[i].verdict);
        if (said.status || !strstr(said.out, wanted))
            fail_msg("frame %s, %s: not proven to be bound by %s\n%s%s", cases[i].frame,
                     cases[i].why, cases[i].verdict, said.out, said.err);
        /* what was simulated is used again */
        struct stat before, after;
        snprintf(path, sizeof path, "%s/prove/%s/run.json", dir, cases[i].verdict);
        assert_int_equal(stat(path, &before), 0);
        RUN(&said, "topdown", dir, "--prove");
        assert_int_equal(said.status, 0);
        assert_int_equal(stat(path, &after), 0);
        assert_true(before.st_ino == after.st_ino &&
                    before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
                    before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    }
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

int
main(int argc, char **argv)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts_are_proven)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
