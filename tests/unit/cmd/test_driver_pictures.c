/* The untimed renderer against pictures of NVIDIA's OpenGL driver on an H200 (tests/golden/driver),
 * made with `replay --reference=native`. */
#include "base/build.h"
#include "base/mem.h"

#include "rigs/command.h"

#include <cjson/cJSON.h>

#define FILES AETIUS_SOURCE_DIR "/tests/golden/driver/"

/* glxgears covers the same pixels, and each color is within 1 of 255. In glmark2's shadow scene,
 * one pixel at an edge differs. */
static void
pictures_agree_with_the_driver(void **state)
{
    static const struct {
        const char *name, *frames;
        double pixels, most_edges;
    } scenes[] = {{"gears", "0-1", 2 * 300 * 300, 0}, {"shadow", "0", 640 * 480, 1}};
    static struct command_result cmd;
    char dir[] = "/tmp/aetius-driver-XXXXXX";
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        char *trace = mem_printf(FILES "%s.trace", scenes[i].name);
        char *reference = mem_printf(FILES "%s", scenes[i].name);
        RUN(&cmd, "replay", trace, "--frames", scenes[i].frames, "-o", dir, "--force");
        assert_int_equal(cmd.status, 0);
        RUN(&cmd, "compare", reference, dir, "--json");
        assert_int_equal(cmd.status, 0);
        cJSON *root = cJSON_Parse(cmd.out);
        const cJSON *total = cJSON_GetObjectItem(root, "total");
        const double pixels = cJSON_GetObjectItem(total, "pixels")->valuedouble;
        const double within_1 = cJSON_GetObjectItem(total, "within_1")->valuedouble;
        assert_float_equal(pixels, scenes[i].pixels, 0);
        assert_true(within_1 >= pixels - scenes[i].most_edges);
        assert_float_equal(cJSON_GetObjectItem(total, "interior_errors")->valuedouble, 0, 0);
        cJSON_Delete(root);
        free(trace);
        free(reference);
    }
    run_shell("rm -r %s", dir);
}

int
main(int argc, char **argv)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_agree_with_the_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
