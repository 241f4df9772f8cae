/* Labels of draws: from the OpenGL calls of a program that set them (tests/gl/labels.c) to the
 * lists of draws. An extracted trace contains them, too. */
#include "base/file.h"
#include "base/mem.h"
#include "rigs/command.h"
#include "rigs/folder.h"

#include <cjson/cJSON.h>
#include <string.h>

struct named {
    const char *label, *program, *target;
};

static const char *labels;
static char dir[] = "/tmp/aetius-labels-XXXXXX";

static const struct named first[] = {
    {"", "", ""},
    {"scene", "", ""},
    {"scene/trees", "", ""}, /* 5 characters of a longer text */
    {"scene/trees/oak, \"old\"", "", ""},
    {"scene", "", ""}, /* a marker ends with its group */
    {"scene/ext", "", ""},
    {"scene/last", "", ""}, /* 4 characters of a longer text */
    {"scene/in", "", ""},   /* a marker also ends when the next group begins */
    /* Half of a UTF-16 pair is not a character, and XML does not permit U+FFFE. Each takes three
     * bytes. */
    {"scene/no??????", "", ""},
    /* A label keeps 63 bytes, without an incomplete character at the end. */
    {"scene/0123456789012345678901234567890123456789012345678901234567890", "", ""},
    {"", "", ""},
};
static const struct named second[] = {{"open", "", ""}};
static const struct named third[] = {
    {"open", "water", ""}, {"open", "water", "mirror"}, {"open", "", "mirror"}, {"open", "", ""}};

static char *
path_of(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

static const char *
text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    assert_non_null(text);
    return text;
}

static void
check_frame(const cJSON *frame, const struct named *expected, int count)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(frame, "draw_list");
    assert_int_equal(cJSON_GetArraySize(list), count);
    for (int i = 0; i < count; i++) {
        const cJSON *draw = cJSON_GetArrayItem(list, i);
        assert_string_equal(text_of(draw, "label"), expected[i].label);
        assert_string_equal(text_of(draw, "program_name"), expected[i].program);
        assert_string_equal(text_of(draw, "target_name"), expected[i].target);
    }
}

static cJSON *
draws_of(const char *trace)
{
    static struct command_result cmd;
    RUN(&cmd, "info", trace, "--draws", "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *root = cJSON_Parse(cmd.out);
    assert_non_null(root);
    return root;
}

static void
test_names_in_lists(void **state)
{
    static struct command_result cmd;
    char *trace = path_of("labels.trace"), *cut = path_of("cut.trace");
    (void)state;
    setenv("EGL_PLATFORM", "surfaceless", 1);
    setenv("DISPLAY", "none", 1); /* no X server is needed, and none may be started */
    RUN(&cmd, "capture", "-o", trace, "--", labels);
    if (cmd.status)
        fail_msg("%s", cmd.err);
    cJSON *all = draws_of(trace);
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(all, "per_frame");
    assert_int_equal(cJSON_GetArraySize(frames), 4);
    check_frame(cJSON_GetArrayItem(frames, 0), first, sizeof first / sizeof *first);
    check_frame(cJSON_GetArrayItem(frames, 1), second, sizeof second / sizeof *second);
    check_frame(cJSON_GetArrayItem(frames, 2), second, sizeof second / sizeof *second);
    check_frame(cJSON_GetArrayItem(frames, 3), third, sizeof third / sizeof *third);

    RUN(&cmd, "trim", trace, "--frames", "2-3", "-o", cut);
    assert_int_equal(cmd.status, 0);
    cJSON *last = draws_of(cut);
    frames = cJSON_GetObjectItemCaseSensitive(last, "per_frame");
    check_frame(cJSON_GetArrayItem(frames, 0), second, sizeof second / sizeof *second);
    check_frame(cJSON_GetArrayItem(frames, 1), third, sizeof third / sizeof *third);
    cJSON_Delete(all);
    cJSON_Delete(last);
    free(trace);
    free(cut);
}

/* The loader ends a path in LD_PRELOAD at a blank or a colon. The library must be found
 * nevertheless. */
static void
test_an_installation_with_blanks(void **state)
{
    static struct command_result cmd;
    const char *own = aetius;
    char *folder = path_of("a b:c"), *copy = mem_printf("%s/aetius", folder),
         *trace = path_of("b.trace");
    char *command = mem_printf("mkdir '%s' && cp %s $(dirname %s)/libaetius-*.so '%s'", folder, own,
                               own, folder);
    (void)state;
    assert_int_equal(system(command), 0);
    aetius = copy;
    RUN(&cmd, "capture", "-o", trace, "--", labels);
    aetius = own;
    if (cmd.status)
        fail_msg("%s", cmd.err);
    cJSON *all = draws_of(trace);
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(all, "per_frame");
    check_frame(cJSON_GetArrayItem(frames, 1), second, sizeof second / sizeof *second);
    cJSON_Delete(all);
    free(command);
    free(trace);
    free(copy);
    free(folder);
}

/* Returns the number of fragments of the triangle (-1, -1), (1, -1), (0, 1) on 16x16 pixels,
 * determined by pixel centers. At height y the triangle extends (1 - y) / 2 to either side. No
 * center is on an edge. */
static int
pixels_of_triangle(void)
{
    int count = 0;
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            const double x = (column + 0.5) / 8 - 1, y = (row + 0.5) / 8 - 1;
            const double half = (1 - y) / 2;
            count += x > -half && x < half;
        }
    return count;
}

/* Shows a draw: its coverage of the target, and pictures. */
static void
test_show_draw(void **state)
{
    static struct command_result cmd;
    char *trace = path_of("labels.trace"), *pictures = path_of("pictures");
    (void)state;
    RUN(&cmd, "show", trace, "draw", "0:3", "-o", pictures, "--json");
    if (cmd.status)
        fail_msg("%s", cmd.err);
    cJSON *draw = cJSON_Parse(cmd.out);
    assert_string_equal(text_of(draw, "label"), "scene/trees/oak, \"old\"");
    assert_string_equal(text_of(draw, "primitive"), "triangles");
    assert_int_equal(cJSON_GetObjectItem(draw, "vertices")->valueint, 3);
    assert_int_equal(cJSON_GetObjectItem(draw, "fragments")->valueint, pixels_of_triangle());
    assert_int_equal(cJSON_GetObjectItem(draw, "pixels")->valueint, pixels_of_triangle());
    cJSON_Delete(draw);
    /* covered pixels are white and become magenta; the others are black, and become darker */
    struct picture covered;
    struct error err;
    char *path = mem_printf("%s/covered.png", pictures);
    assert_true(picture_read_png(&covered, path, &err));
    int count = 0;
    for (uint32_t i = 0; i < covered.width * covered.height; i++)
        count += covered.rgba[4 * i] > 200 && covered.rgba[4 * i + 1] < 130;
    assert_int_equal(count, pixels_of_triangle());
    picture_fini(&covered);
    free(path);
    free(trace);
    free(pictures);
}

/* The message names the version of a context that EGL refuses. */
static void
a_refused_context_is_named(void **state)
{
    static struct command_result cmd;
    (void)state;
    RUN(&cmd, "run", "--functional", "--", labels, "--core");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "wanted OpenGL 4.1 core, but 3.3 is offered"));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_in_lists), cmocka_unit_test(test_an_installation_with_blanks),
        cmocka_unit_test(test_show_draw), cmocka_unit_test(a_refused_context_is_named)};
    if (argc != 3 || !mkdtemp(dir)) {
        fprintf(stderr, "usage: test_labels AETIUS LABELS\n");
        return 2;
    }
    aetius = argv[1];
    labels = argv[2];
    const int failed = cmocka_run_group_tests_name("labels", tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
