/* Each frame is built to be bound by one resource (tests/golden/workloads.trace and bound.trace, of
 * benchmarks/gl/workloads.c and bound.c). The verdict is that resource. A simulation without the
 * resource confirms this. */
#include "base/build.h"
#include "rigs/folder.h"
#include "rigs/settings.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <stdlib.h>
#include <string.h>

#define GOLDEN    AETIUS_SOURCE_DIR "/tests/golden/"
#define WORKLOADS GOLDEN "workloads.trace"
#define BOUND     GOLDEN "bound.trace"

#define R2005 "reference-2005"
#define R2008 "reference-2008"

static const struct {
    const char *trace, *frame, *preset, *machine, *verdict, *why;
} cases[] = {
    {WORKLOADS, "3", R2008, "", "shader", "loops of arithmetic on few inputs, and no texture"},
    {WORKLOADS, "1", R2008, "", "memory", "full-screen blends: each pixel is read and written"},
    {WORKLOADS, "0", R2008, "", "transfers", "a sheet of many vertices, uploaded in the frame"},
    {WORKLOADS, "0", R2008, "MEMORYCONTROLLER.CommandProcessorBusWidth=1024", "memory",
     "as before, with a bus that costs nothing: what reads the vertices remains"},
    {BOUND, "1", R2008, "", "texture",
     "24 texels per pixel, each from a distant line, and each address given by the previous texel"},
    {BOUND, "1", R2005, "", "texture",
     "the same; behind memory that costs nothing the lines of 256 bytes are still to be filled"},
    {BOUND, "2", R2008, "", "shader",
     "both ways of a branch for every quad, 12 turns of a loop each, and one pixel written"},
    {BOUND, "3", R2008, "", "geometry",
     "18432 triangles of a pixel or two: their vertices are shared, their pixels one color"},
    {BOUND, "4", R2008, "", "shader",
     "9409 vertices of 12 turns of a loop, whose triangles lie in a few pixels"},
    {BOUND, "5", R2008, "SIMULATOR.ForceMSAA=TRUE SIMULATOR.MSAASamples=8", "color",
     "12 layers of 8 samples, at the same pace through generator, z test and blend: each hides "
     "behind the others, and none alone gives anything"},
    {BOUND, "5", R2008,
     "SIMULATOR.ForceMSAA=TRUE SIMULATOR.MSAASamples=8 RASTERIZER.MSAASamplesCycle=8 "
     "COLORWRITE.BytesPerPixel=1",
     "color",
     "12 layers of 8 samples of 4 bytes each, through a blend of a byte a pixel and cycle"},
    {BOUND, "6", R2005, NO_STAGES, "memory",
     "9 targets of 256 KB, each written, and read by the next"},
    {BOUND, "6", R2008, "", "texture",
     "the same with more memory: of each target 4096 lines are read into texture caches"},
    {BOUND, "7", R2008, "", "transfers",
     "256 KB of texels through a bus of 8 bytes per cycle before each of 4 quads that use them"},
};

/* Adds an option `--set` for each word of the settings. Returns the number of words added. */
static size_t
put_settings(char *settings, const char *words[], size_t most)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *one = strtok_r(settings, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        assert_true(count + 2 <= most);
        words[count++] = "--set";
        words[count++] = one;
    }
    return count;
}

static void
verdicts_are_proven(void **state)
{
    static struct command_result cmd;
    char dir[] = "/tmp/aetius-verdicts-XXXXXX", wanted[64], command[64];
    (void)state;
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *settings = strdup(cases[i].machine);
        const char *words[11] = {0};
        put_settings(settings, words, 10);
        RUN(&cmd, "sim", cases[i].trace, "--frames", cases[i].frame, "-o", dir, "--force",
            "--preset", cases[i].preset, words[0], words[1], words[2], words[3], words[4], words[5],
            words[6], words[7], words[8], words[9]);
        free(settings);
        assert_int_equal(cmd.status, 0);
        RUN(&cmd, "topdown", dir, "--prove", "--jobs", "2");
        snprintf(wanted, sizeof wanted, "bound by %s:", cases[i].verdict);
        if (cmd.status || !strstr(cmd.out, wanted))
            fail_msg("frame %s, %s: not proven to be bound by %s\n%s%s", cases[i].frame,
                     cases[i].why, cases[i].verdict, cmd.out, cmd.err);
        /* finished simulations are reused, so there is no new log */
        snprintf(command, sizeof command, "rm -r %s/prove/logs", dir);
        assert_int_equal(system(command), 0);
        RUN(&cmd, "topdown", dir, "--prove");
        assert_int_equal(cmd.status, 0);
        snprintf(command, sizeof command, "rmdir %s/prove/logs", dir);
        assert_int_equal(system(command), 0);
    }
    assert_true(remove_folder(dir));
}

int
main(int argc, char **argv)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts_are_proven)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
