/* OpenGL calls that apitrace records: their import, their recording by a capture, and their
 * pictures on the host's OpenGL. The import of a program's calls has the frames of a capture of the
 * program. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"
#include "rigs/command.h"
#include "rigs/folder.h"
#include "rigs/needs.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <sys/stat.h>

#define TRACE AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"

static const char *window_program;    /* draws in a window, with GLX */
static const char *offscreen_program; /* draws off screen, with EGL */
static const char *labels_program;    /* has groups of draws (tests/gl/labels.c) */
static char dir[] = "/tmp/aetius-import-XXXXXX";
static struct command_result cmd;

static char *
path_of(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

/* Records the calls of a program with apitrace and Mesa's llvmpipe, unless an earlier test did. */
static char *
record(const char *api, const char *program)
{
    char *path = mem_printf("%s/%s.calls.trace", dir, strrchr(program, '/') + 1);
    char *command = mem_printf("LIBGL_ALWAYS_SOFTWARE=1 xvfb-run -a apitrace trace -a %s -o %s %s "
                               ">%s/apitrace.log 2>&1",
                               api, path, program, dir);
    needs_program("apitrace");
    needs_program("xvfb-run");
    if (!file_exists(path) && system(command) != 0)
        fail_msg("%s", command);
    free(command);
    return path;
}

static char *
run_to(const char *command, const char *input, const char *name)
{
    char *out = path_of(name);
    RUN(&cmd, command, input, "-o", out, "--force");
    if (cmd.status)
        fail_msg("%s", cmd.err);
    return out;
}

/* Compares the pictures of frames in two folders. */
static void
same_pictures(const char *a, uint32_t first_a, const char *b, uint32_t first_b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct picture pictures[2] = {0};
        struct error err;
        char *paths[] = {mem_printf("%s/frames/frame-%04u.png", a, first_a + i),
                         mem_printf("%s/frames/frame-%04u.png", b, first_b + i)};
        for (uint32_t k = 0; k < 2; k++)
            if (!picture_read_png(&pictures[k], paths[k], &err))
                fail_msg("%s", err.text);
        assert_int_equal(pictures[0].width, pictures[1].width);
        assert_int_equal(pictures[0].height, pictures[1].height);
        assert_memory_equal(pictures[0].rgba, pictures[1].rgba,
                            (size_t)pictures[0].width * pictures[0].height * 4);
        assert_false(picture_has_one_color(&pictures[0]));
        for (uint32_t k = 0; k < 2; k++) {
            picture_fini(&pictures[k]);
            free(paths[k]);
        }
    }
}

static char *
capture(const char *program)
{
    char *trace = path_of("captured.trace");
    RUN(&cmd, "capture", "-o", trace, "--force", "--", program);
    if (cmd.status)
        fail_msg("%s", cmd.err);
    return trace;
}

/* The first frame also has the size of the window: glretrace by itself begins with 32x32 pixels.
 */
static void
frames_equal_those_of_a_capture(void **state)
{
    (void)state;
    const struct {
        const char *api, *program;
        uint32_t frames;
    } cases[] = {{"gl", window_program, 2}, {"egl", offscreen_program, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *calls = record(cases[i].api, cases[i].program);
        char *imported = run_to("import", calls, "imported.trace");
        char *captured = capture(cases[i].program);
        char *a = run_to("sim", imported, "a"), *b = run_to("replay", captured, "b");
        same_pictures(a, 0, b, 0, cases[i].frames);
        char *paths[] = {calls, imported, captured, a, b};
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
            free(paths[k]);
    }
}

static void
frames_can_be_selected(void **state)
{
    (void)state;
    char *calls = record("gl", window_program), *part = path_of("part.trace");
    char *whole = run_to("import", calls, "whole.trace");
    RUN(&cmd, "import", calls, "-o", part, "--frames", "1");
    if (cmd.status)
        fail_msg("%s", cmd.err);
    assert_null(strstr(cmd.err, "warning"));
    char *a = run_to("replay", whole, "a"), *b = run_to("replay", part, "b");
    same_pictures(a, 1, b, 0, 1);
    RUN(&cmd, "import", calls, "-o", part);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "already exists"));
    RUN(&cmd, "import", calls, "-o", part, "--force", "--frames", "2-3");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "ended after 2 frames: there is no frame 2"));
    char *paths[] = {calls, part, whole, a, b};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
        free(paths[k]);
}

/* Returns whether the recording has a call of this number that begins with `call`, e.g.
 * "glDrawArrays(GL_TRIANGLES". */
static bool
has_call(const char *calls, uint32_t number, const char *call)
{
    char line[4096], expected[256];
    char *command =
        mem_printf("apitrace dump --color=never --arg-names=no --calls=%u %s", number, calls);
    FILE *dump = popen(command, "r");
    bool is_there = false;
    snprintf(expected, sizeof expected, "%u %s", number, call);
    assert_non_null(dump);
    while (fgets(line, sizeof line, dump))
        is_there |= !strncmp(line, expected, strlen(expected));
    pclose(dump);
    free(command);
    return is_there;
}

/* Checks that each draw has the name of the call that drew it, after the groups of the program. */
static void
check_names(const char *calls, uint32_t expected_draws)
{
    char *named = path_of("named.trace");
    RUN(&cmd, "import", calls, "-o", named, "--names", "--force");
    if (cmd.status)
        fail_msg("%s", cmd.err);
    RUN(&cmd, "info", named, "--draws", "--json");
    cJSON *root = cJSON_Parse(cmd.out);
    const cJSON *frame, *draw;
    uint32_t draws = 0, last = 0;
    cJSON_ArrayForEach(frame, cJSON_GetObjectItemCaseSensitive(root, "per_frame"))
    {
        cJSON_ArrayForEach(draw, cJSON_GetObjectItemCaseSensitive(frame, "draw_list"))
        {
            const char *label =
                cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(draw, "label"));
            const char *groups = strrchr(label, '/');
            uint32_t number;
            char call[64];
            assert_int_equal(sscanf(groups ? groups + 1 : label, "%u %60[^;)]", &number, call), 2);
            assert_true(number > last);
            assert_true(!strncmp(call, "glBegin(", 8) || !strncmp(call, "glDraw", 6));
            assert_true(has_call(calls, number, call));
            last = number;
            draws++;
        }
    }
    assert_int_equal(draws, expected_draws);
    cJSON_Delete(root);
    free(named);
}

static void
draws_have_the_names_of_their_calls(void **state)
{
    (void)state;
    char *calls = record("gl", window_program);
    check_names(calls, 18);
    free(calls);
    calls = record("egl", labels_program);
    check_names(calls, 17);
    free(calls);
}

/* Writes the first `size` bytes of a file, padded with zeros, with garbage at `at`. */
static char *
damage(const char *path, size_t size, size_t at)
{
    char *bytes, *out = path_of("damaged.trace");
    struct error err;
    size_t whole;
    assert_true(file_read(path, FILE_MOST_TEXT, &bytes, &whole, &err));
    if (size > whole) {
        bytes = mem_realloc(bytes, size);
        memset(bytes + whole, 0, size - whole);
    }
    if (at < size)
        memset(bytes + at, 0xff, size - at < 64 ? size - at : 64);
    assert_true(file_write(out, bytes, size, &err));
    free(bytes);
    return out;
}

static void
refuses(const char *calls, const char *reason)
{
    char *out = path_of("refused.trace");
    RUN(&cmd, "import", calls, "-o", out);
    assert_int_equal(cmd.status, 1);
    if (!strstr(cmd.err, reason))
        fail_msg("'%s' lacks '%s'", cmd.err, reason);
    assert_ptr_equal(strchr(cmd.err, '\n'), cmd.err + strlen(cmd.err) - 1); /* one line */
    assert_false(file_exists(out));
    free(out);
}

static void
damaged_and_foreign_files_are_refused(void **state)
{
    (void)state;
    char *calls = record("gl", window_program), *size_text;
    size_t size;
    struct error err;
    assert_true(file_read(calls, FILE_MOST_TEXT, &size_text, &size, &err));
    free(size_text);
    const struct {
        size_t size, at;
        const char *reason;
    } cases[] = {{0, 0, "no OpenGL calls"},
                 {10, 10, "damaged"},
                 {size / 2, size, "damaged"},
                 {size, 0, "apitrace"},
                 {size, size / 3, "damaged"},
                 {size + 1, size + 1, "damaged, 1 byte after the last call"},
                 {size + 99, size + 99, "damaged, 99 bytes after the last call"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = damage(calls, cases[i].size, cases[i].at);
        refuses(path, cases[i].reason);
        free(path);
    }
    refuses(TRACE, "not a trace of apitrace");
    refuses("/dev/zero", "not a regular file");
    refuses(dir, "not a regular file");
    refuses("/nonexistent", "cannot open");
    free(calls);
}

/* Returns a folder with the frames that the program itself reads back from the host's OpenGL. The
 * variable is the one that `replay --reference` sets. */
static char *
save_natively(void)
{
    char *saved = path_of("saved");
    char *command =
        mem_printf("GALLIVM_PERF=no_aos_sampling xvfb-run -a %s --save %s >%s/save.log 2>&1",
                   window_program, saved, dir);
    needs_program("xvfb-run");
    if (system(command) != 0)
        fail_msg("%s", command);
    free(command);
    return saved;
}

/* The program ends with an error if it finds an error of OpenGL, and it draws from client memory.
 */
static void
capture_records_the_calls(void **state)
{
    (void)state;
    needs_program("apitrace");
    char *trace = path_of("both.trace"), *calls = path_of("both.api.trace");
    RUN(&cmd, "capture", "-o", trace, "--api", "--", window_program);
    if (cmd.status)
        fail_msg("%s", cmd.err);
    char *imported = run_to("import", calls, "imported.trace");
    char *a = run_to("replay", trace, "a"), *b = run_to("replay", imported, "b");
    same_pictures(a, 0, b, 0, 2);
    unlink(trace);
    RUN(&cmd, "capture", "-o", trace, "--api", "--", window_program);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "both.api.trace already exists"));
    RUN(&cmd, "capture", "-o", trace, "--force", "--api", "--", offscreen_program);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "--api=egl if the program uses EGL"));
    RUN(&cmd, "capture", "-o", trace, "--force", "--api=egl", "--", offscreen_program);
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "replay", trace, "--reference=native", "-o", a, "--force");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "no swap of buffers"));
    RUN(&cmd, "capture", "-o", trace, "--api=x", "--", window_program);
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "capture", "-o", trace, "--api", "--frames", "0,1", "--", window_program);
    assert_int_equal(cmd.status, 2);
    char *paths[] = {trace, calls, imported, a, b};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
        free(paths[k]);
}

/* Runs `replay --reference=native` with the same driver as save_natively(). */
static char *
replay_natively(const char *trace, const char *frames)
{
    char *out = path_of("native");
    RUN(&cmd, "replay", trace, "--reference=native", "--frames", frames, "-o", out, "--force");
    if (cmd.status)
        fail_msg("%s", cmd.err);
    assert_null(strstr(cmd.err, "warning"));
    return out;
}

/* Number of pixels of frame 0 that differ between two folders. */
static uint32_t
different_pixels(const char *a, const char *b)
{
    struct picture pictures[2] = {0};
    struct error err;
    const char *folders[] = {a, b};
    uint32_t count = 0;
    for (uint32_t k = 0; k < 2; k++) {
        char *path = mem_printf("%s/frames/frame-0000.png", folders[k]);
        assert_true(picture_read_png(&pictures[k], path, &err));
        free(path);
    }
    for (uint32_t i = 0; i < pictures[0].width * pictures[0].height; i++)
        count += memcmp(pictures[0].rgba + 4 * i, pictures[1].rgba + 4 * i, 4) != 0;
    picture_fini(&pictures[0]);
    picture_fini(&pictures[1]);
    return count;
}

/* Both references run llvmpipe. Only individual edge pixels may differ, where an edge passes
 * through the pixel center. With another filter for 8-bit textures, a thousand pixels differ. */
static void
native_pictures_are_filtered_as_the_reference_filters(void **state)
{
    (void)state;
    needs_program("apitrace");
    char *trace = path_of("filtered.trace"), *native = path_of("n"), *reference = path_of("r");
    RUN(&cmd, "capture", "-o", trace, "--api", "--", window_program);
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "replay", trace, "--reference=native", "-o", native);
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "replay", trace, "--reference=llvmpipe", "-o", reference);
    assert_int_equal(cmd.status, 0);
    const uint32_t different = different_pixels(native, reference);
    if (different > 100)
        fail_msg("%u pixels differ", different);
    RUN(&cmd, "replay", trace, "--reference=x", "-o", reference, "--force");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "llvmpipe, softpipe, or native"));
    char *paths[] = {trace, native, reference};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
        free(paths[k]);
}

static void
native_pictures_are_the_programs(void **state)
{
    (void)state;
    needs_program("apitrace");
    char *saved = save_natively(), *trace = path_of("native.trace"), *out = path_of("native");
    RUN(&cmd, "capture", "-o", trace, "--api", "--", window_program);
    assert_int_equal(cmd.status, 0);
    free(replay_natively(trace, "0-1"));
    same_pictures(out, 0, saved, 0, 2);
    free(replay_natively(trace, "1"));
    char *first = mem_printf("%s/frames/frame-0000.png", out);
    assert_false(file_exists(first)); /* --force removed it */
    same_pictures(out, 1, saved, 1, 1);
    /* frame 0 of this trace is frame 1 of the program */
    RUN(&cmd, "capture", "-o", trace, "--force", "--api", "--frames", "1", "--", window_program);
    assert_int_equal(cmd.status, 0);
    free(replay_natively(trace, "0"));
    same_pictures(out, 0, saved, 1, 1);
    /* a trace with more frames than the calls have swaps */
    char *calls = path_of("native.api.trace");
    RUN(&cmd, "replay", AETIUS_SOURCE_DIR "/tests/golden/workloads.trace", "--reference=native",
        "--calls", calls, "-o", out, "--force");
    assert_int_equal(cmd.status, 1);
    RUN(&cmd, "replay", TRACE, "--reference=native", "-o", out, "--force");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "tiny.api.trace does not exist"));
    RUN(&cmd, "replay", TRACE, "--calls", calls, "-o", out, "--force");
    assert_int_equal(cmd.status, 2);
    char *paths[] = {saved, trace, out, first, calls};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
        free(paths[k]);
}

static void
missing_apitrace_is_named(void **state)
{
    (void)state;
    char *before = mem_strdup(getenv("PATH"));
    setenv("PATH", dir, 1);
    refuses(TRACE, "apitrace is not installed (Debian: apitrace)");
    setenv("PATH", before, 1);
    free(before);
}

/* A script that replaces apitrace describes a file with one call. */
static void
output_of_apitrace_is_checked(void **state)
{
    (void)state;
    static const char info[] = "echo '{\"API\": \"OpenGL + GLX\", \"FramesCount\": 1}'";
    const struct {
        const char *info, *call, *reason;
    } cases[] = {
        {info, "glViewport(0, 0, 4097, 16)", "the first viewport has 4097x16 pixels"},
        {info, "glViewport(0, 0, 16, 16384)", "at most 4096x4096"},
        {"printf 'error: unknown event 41\n'; exit 1", "", "reports \"error: unknown event 41\"\n"},
        {"printf 'error: (\nx) unknown call detail 60\n'; exit 1", "", "not a trace of apitrace\n"},
        {"printf 'error: (\033x) unknown call\n'; exit 1", "", "not a trace of apitrace\n"},
    };
    char *script = path_of("apitrace"), *before = mem_strdup(getenv("PATH"));
    char *path = mem_printf("%s:%s", dir, before);
    setenv("PATH", path, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = mem_printf("#!/bin/sh\n[ $1 = info ] || { echo '1 %s'; exit; }\n%s\n",
                                cases[i].call, cases[i].info);
        struct error err;
        assert_true(file_write(script, text, strlen(text), &err));
        assert_int_equal(chmod(script, 0755), 0);
        refuses(TRACE, cases[i].reason);
        free(text);
    }
    setenv("PATH", before, 1);
    unlink(script);
    free(path);
    free(before);
    free(script);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_equal_those_of_a_capture),
        cmocka_unit_test(frames_can_be_selected),
        cmocka_unit_test(draws_have_the_names_of_their_calls),
        cmocka_unit_test(damaged_and_foreign_files_are_refused),
        cmocka_unit_test(capture_records_the_calls),
        cmocka_unit_test(native_pictures_are_filtered_as_the_reference_filters),
        cmocka_unit_test(native_pictures_are_the_programs),
        cmocka_unit_test(missing_apitrace_is_named),
        cmocka_unit_test(output_of_apitrace_is_checked),
    };
    if (argc < 5 || !mkdtemp(dir))
        return 1;
    aetius = argv[1];
    window_program = argv[2];
    offscreen_program = argv[3];
    labels_program = argv[4];
    unsetenv("DISPLAY");
    setenv("EGL_PLATFORM", "surfaceless", 1);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return !remove_folder(dir) || failed;
}
