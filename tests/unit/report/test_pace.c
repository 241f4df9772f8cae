/* Frames in which several units run at one pace (tests/golden/pace.trace, of benchmarks/gl/pace.c).
 * `aetius topdown` names the resources that gain together. Simulations without them confirm this.
 */
#include "base/build.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PACE AETIUS_SOURCE_DIR "/tests/golden/pace.trace"

/* Largest error of the expected gain, in points of the cycles. */
enum { POINTS = 5 };

static const struct {
    const char *frame, *preset, *group, *why;
} cases[] = {
    {"1", "reference-2008", "shader, z, color and raster",
     "one quad per cycle and ROP in each unit from the generator to color write"},
    {"1", "reference-2005", "shader, z, color and raster", "the same with half as many units"},
    {"2", "reference-2008", "memory and shader",
     "the program of a bilinear texture takes as long as the texels, and all else less"},
    {"3", "reference-2008", "shader and texture", "a loop of eight dependent reads"},
};

/* Runs the case in the folder. The output of --prove stays in `cmd`. */
static void
prove(size_t i, const char *dir, struct command_result *cmd)
{
    RUN(cmd, "sim", PACE, "--frames", cases[i].frame, "--preset", cases[i].preset, "-o", dir,
        "--force");
    assert_int_equal(cmd->status, 0);
    RUN(cmd, "topdown", dir, "--prove", "--jobs", "2");
    if (cmd->status)
        fail_msg("frame %s on %s: %s%s", cases[i].frame, cases[i].preset, cmd->out, cmd->err);
}

static void
groups_are_proven(void **state)
{
    static struct command_result cmd;
    char dir[] = "/tmp/aetius-pace-XXXXXX", line[160];
    (void)state;
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double expected = 0, gained = 0;
        prove(i, dir, &cmd);
        snprintf(line, sizeof line, "\n  %s ", cases[i].group);
        const char *at = strstr(cmd.out, line);
        if (!at || sscanf(at + strlen(line), "%lf %% %lf %%", &expected, &gained) != 2)
            fail_msg("frame %s on %s, %s: no group %s\n%s", cases[i].frame, cases[i].preset,
                     cases[i].why, cases[i].group, cmd.out);
        if (fabs(gained - expected) > POINTS)
            fail_msg("frame %s on %s: expected %.1f %%, gained %.1f %%", cases[i].frame,
                     cases[i].preset, expected, gained);
        snprintf(line, sizeof line, "no other ideal resource gains more than %s together",
                 cases[i].group);
        assert_non_null(strstr(cmd.out, line));
    }
    assert_true(remove_folder(dir));
}

/* The number of simulations is printed before the table: the verdict's resource, the resources that
 * gain together, and a step. --most limits it. --limits adds the limits of the verdict's resource,
 * of which shader has eight. */
static void
simulations_are_counted(void **state)
{
    static struct command_result cmd;
    char dir[] = "/tmp/aetius-pace-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(dir));
    RUN(&cmd, "sim", PACE, "--frames", "3", "-o", dir, "--force");
    RUN(&cmd, "topdown", dir, "--prove", "--most", "1");
    assert_int_equal(cmd.status, 0);
    const char *count = strstr(cmd.out, "prove: 1 simulation of 3 (--most)\n");
    assert_non_null(count);
    assert_non_null(strstr(count, "gained"));
    RUN(&cmd, "topdown", dir, "--prove", "--limits", "--jobs", "2");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "prove: 11 simulations\n"));
    assert_non_null(strstr(cmd.out, "\n  fragment_issue "));
    assert_true(remove_folder(dir));
}

int
main(int argc, char **argv)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_proven),
        cmocka_unit_test(simulations_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
