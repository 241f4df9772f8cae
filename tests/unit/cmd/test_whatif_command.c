/* `aetius whatif` on the traces of the repository: each change, its cycles and its pictures. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define TINY   AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"
#define FAULTS AETIUS_SOURCE_DIR "/tests/golden/faults.trace"

static char dir[] = "/tmp/aetius-whatif-XXXXXX";
static struct command_result cmd;

struct result {
    double before, after, pixels, differing;
};

static double
number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static struct result
result_of(const cJSON *object)
{
    return (struct result){number(object, "cycles_before"), number(object, "cycles_after"),
                           number(object, "pixels"), number(object, "differing_pixels")};
}

/* Runs the command and returns the results of frame `frame`, or of all frames if it is -1. */
static struct result
ask_words(int frame, const char *const *words)
{
    const char *all[16] = {"whatif", "--json"};
    for (size_t i = 0; words[i]; i++)
        all[i + 2] = words[i];
    run_within(&cmd, 0, all);
    if (cmd.status)
        fail_msg("%s", cmd.err);
    cJSON *root = cJSON_Parse(cmd.out);
    const struct result result = result_of(
        frame < 0 ? root : cJSON_GetArrayItem(cJSON_GetObjectItem(root, "frames"), frame));
    cJSON_Delete(root);
    return result;
}
#define ASK(frame, ...) ask_words(frame, (const char *const[]){__VA_ARGS__, NULL})

static void
a_draw_is_dropped(void **state)
{
    (void)state;
    const struct result without = ASK(0, TINY, "--drop", "0:4");
    const struct result next = ASK(1, TINY, "--drop", "0:4");
    /* Draw 4 covers at most the pixels that `show` counts. */
    RUN(&cmd, "show", TINY, "draw", "0:4", "--json");
    cJSON *draw = cJSON_Parse(cmd.out);
    const double covered = number(draw, "pixels");
    cJSON_Delete(draw);
    assert_true(without.after < without.before);
    assert_true(without.differing > 0 && without.differing <= covered);
    assert_true(next.differing == 0 && next.after == next.before);
}

/* Draw 8 blends points; draw 0 does not blend. */
static void
a_draw_does_not_blend(void **state)
{
    (void)state;
    const struct result points = ASK(0, TINY, "--frames", "0", "--no-blend", "0:8");
    const struct result opaque = ASK(0, TINY, "--frames", "0", "--no-blend", "0:0");
    assert_true(points.differing > 0);
    assert_true(opaque.differing == 0 && opaque.after == opaque.before);
}

/* The alpha test of frame 31 discards fragments, that of frame 13 does not. Frame 2 has none. */
static void
draws_have_no_alpha_test(void **state)
{
    (void)state;
    const struct result some = ASK(0, FAULTS, "--frames", "31", "--no-alpha-test", "31:0-4");
    const struct result all = ASK(0, FAULTS, "--frames", "13", "--no-alpha-test", "13:0-4");
    const struct result none = ASK(0, FAULTS, "--frames", "2", "--no-alpha-test", "2:0-3");
    assert_true(some.differing > 0);
    assert_true(all.differing == 0 && all.after < all.before);
    assert_true(none.differing == 0 && none.after == none.before);
}

static void
the_viewport_is_scaled(void **state)
{
    (void)state;
    const struct result same = ASK(-1, TINY, "--scale-viewport", "1");
    const struct result half = ASK(-1, TINY, "--scale-viewport", "0.5");
    assert_true(same.differing == 0 && same.after == same.before);
    assert_true(half.after < half.before);
    /* The picture is the smaller one in the top left quarter; the rest is cleared. */
    char *path = mem_printf("%s/scaled", dir);
    ASK(-1, TINY, "--scale-viewport", "0.5", "-o", path);
    char *file = mem_printf("%s/after/frames/frame-0000.png", path);
    struct picture picture;
    struct error err;
    assert_true(picture_read_png(&picture, file, &err));
    for (uint32_t y = 0; y < picture.height; y++)
        for (uint32_t x = 0; x < picture.width; x++)
            if (x > picture.width / 2 && y > picture.height / 2)
                assert_memory_equal(picture.rgba + 4 * (y * picture.width + x),
                                    picture.rgba + 4 * (picture.width * picture.height - 1), 3);
    picture_fini(&picture);
    free(file);
    free(path);
}

/* Sorting changes nothing if the draws are in order; otherwise the picture stays the same. */
static void
draws_are_sorted(void **state)
{
    (void)state;
    const struct result sorted = ASK(0, FAULTS, "--frames", "2", "--front-to-back");
    const struct result reversed = ASK(0, FAULTS, "--frames", "1", "--front-to-back");
    assert_true(sorted.after == sorted.before && sorted.differing == 0);
    assert_true(reversed.differing == 0);
    /* Both frames have the same draws. The sorted one is the frame of the twin. */
    assert_true(reversed.after < 1.02 * sorted.before && reversed.after > 0.98 * sorted.before);
}

/* Merged, the squares of frame 18 are the single draw of frame 19. Those of frame 20 have different
 * states. Those of frame 22 are in different places, and half of them have indices. */
static void
draws_are_merged(void **state)
{
    (void)state;
    const struct result twin = ASK(0, FAULTS, "--frames", "19", "--merge-draws");
    const struct result merged = ASK(0, FAULTS, "--frames", "18", "--merge-draws");
    const struct result states = ASK(0, FAULTS, "--frames", "20", "--merge-draws");
    const struct result scattered = ASK(0, FAULTS, "--frames", "22", "--merge-draws");
    assert_true(twin.after == twin.before && states.after == states.before);
    assert_true(twin.differing == 0 && merged.differing == 0 && scattered.differing == 0);
    assert_true(merged.after < 1.05 * twin.before && merged.after > 0.95 * twin.before);
    assert_true(merged.after < 0.2 * merged.before && scattered.after < 0.5 * scattered.before);
}

/* Frame 34 has the squares of frame 35, as fans whose place and color are constants. In frame 36,
 * an address register selects the position, so the draws are not merged. Frame 37 draws all
 * triangle primitive types, then all line types, each flat and smooth shaded, which gives four
 * runs. */
static void
draws_with_different_constants_are_merged(void **state)
{
    (void)state;
    const struct result twin = ASK(0, FAULTS, "--frames", "35", "--merge-draws");
    const struct result merged = ASK(0, FAULTS, "--frames", "34", "--merge-draws");
    const struct result shapes = ASK(0, FAULTS, "--frames", "37", "--merge-draws");
    assert_true(merged.differing == 0 && shapes.differing == 0);
    assert_true(merged.after < 0.2 * merged.before && shapes.after < 0.5 * shapes.before);
    /* Two constants per draw in addition, at 16 bytes each and 8 bytes per cycle. */
    assert_true(merged.after > twin.before && merged.after < 1.25 * twin.before + 256 * 2 * 2);
    const struct result addressed = ASK(0, FAULTS, "--frames", "36", "--merge-draws");
    assert_true(addressed.after == addressed.before);
    assert_non_null(strstr(cmd.err, "255 draws are not merged with the draw before: an address"));
}

/* Frames 38 and 41 draw the same as their twins, after an upload that they could omit. Frames 30
 * and 40 upload the same amount of data, but with different contents. */
static void
repeated_uploads_are_left_out(void **state)
{
    static const struct {
        const char *frame, *twin, *other;
    } cases[] = {{"38", "39", "30"}, {"41", "42", "40"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct result fault =
            ASK(0, FAULTS, "--frames", cases[i].frame, "--no-repeated-uploads");
        const struct result twin =
            ASK(0, FAULTS, "--frames", cases[i].twin, "--no-repeated-uploads");
        const struct result other =
            ASK(0, FAULTS, "--frames", cases[i].other, "--no-repeated-uploads");
        assert_true(fault.differing == 0 && twin.differing == 0 && other.differing == 0);
        assert_true(fault.after < 1.02 * twin.after && fault.after > 0.98 * twin.after);
        assert_true(fault.after < 0.9 * fault.before && other.after > 0.99 * other.before);
    }
}

/* Frame 44 clears the depth six times, frame 45 once. Frame 50 clears the depth and stencil
 * buffers. */
static void
repeated_clears_are_left_out(void **state)
{
    (void)state;
    const struct result fault = ASK(0, FAULTS, "--frames", "44", "--no-repeated-clears");
    const struct result twin = ASK(0, FAULTS, "--frames", "45", "--no-repeated-clears");
    const struct result other = ASK(0, FAULTS, "--frames", "50", "--no-repeated-clears");
    assert_true(fault.differing == 0 && twin.differing == 0 && other.differing == 0);
    assert_true(fault.before > fault.after && twin.before == twin.after);
    assert_true(other.before == other.after);
    assert_true(fault.after < 1.02 * twin.after && fault.after > 0.98 * twin.after);
}

/* Frame 54 copies an unchanged picture four times, frame 55 once. Frame 56 clears the copy in
 * between. Frame 16 changes the picture in between. */
static void
repeated_copies_are_left_out(void **state)
{
    (void)state;
    const struct result fault = ASK(0, FAULTS, "--frames", "54", "--no-repeated-copies");
    const struct result twin = ASK(0, FAULTS, "--frames", "55", "--no-repeated-copies");
    const struct result cleared = ASK(0, FAULTS, "--frames", "56", "--no-repeated-copies");
    const struct result changed = ASK(0, FAULTS, "--frames", "16", "--no-repeated-copies");
    assert_true(fault.differing == 0 && twin.differing == 0);
    assert_true(fault.before > fault.after && twin.before == twin.after);
    assert_true(cleared.before == cleared.after && changed.before == changed.after);
    assert_true(fault.after < 1.02 * twin.after && fault.after > 0.98 * twin.after);
}

/* Frame 57 clears the depth before draws 1 to 3 into different parts. In frame 59, the parts
 * overlap. */
static void
clears_are_left_out(void **state)
{
    (void)state;
    const struct result fault =
        ASK(0, FAULTS, "--frames", "57", "--drop-clear", "57:1", "--drop-clear", "57:2");
    const struct result overlap = ASK(0, FAULTS, "--frames", "59", "--drop-clear", "59:1");
    assert_true(fault.differing == 0 && fault.before > fault.after);
    assert_true(overlap.before > overlap.after);
    RUN(&cmd, "whatif", FAULTS, "--frames", "58", "--drop-clear", "58:1");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "there is no clear right before this draw"));
}

/* Frame 23 has the triangles of frame 24 in random order. Frame 27 uploads a texture four times,
 * and frame 30 once, before the first draw. */
static void
vertices_are_reused_and_uploads_are_early(void **state)
{
    (void)state;
    const struct result shuffled = ASK(0, FAULTS, "--frames", "23", "--index-order");
    const struct result ordered = ASK(0, FAULTS, "--frames", "24", "--index-order");
    const struct result streamed = ASK(0, FAULTS, "--frames", "27", "--early-uploads");
    const struct result once = ASK(0, FAULTS, "--frames", "30", "--early-uploads");
    assert_true(shuffled.differing == 0 && ordered.differing == 0 && streamed.differing == 0);
    assert_true(shuffled.after < 1.05 * ordered.before && shuffled.after < 0.95 * shuffled.before);
    assert_true(once.after == once.before);
    /* The uploads still wait for the draws that read the texture. */
    assert_true(streamed.after < 1.2 * once.before && streamed.after < 0.7 * streamed.before);
}

static void
textures_change(void **state)
{
    (void)state;
    /* In frame 5, 512x512 texels are drawn into 32x32 pixels: level 4 has 1/256 of the texels. */
    const struct result mipmaps = ASK(0, FAULTS, "--frames", "5", "--mipmaps", "3");
    /* Halved, the texture has a quarter of the bytes. */
    const struct result halved = ASK(0, FAULTS, "--frames", "5", "--halve-texture", "3");
    assert_true(mipmaps.after < 0.2 * mipmaps.before);
    assert_true(halved.after < halved.before && halved.after > mipmaps.after);
    /* A run stands for its trace, its frames and its machine. */
    char *run = mem_printf("%s/run", dir);
    RUN(&cmd, "sim", FAULTS, "--frames", "7", "--preset", "reference-2005", "-o", run);
    const struct result of_run = ASK(0, run, "--compress", "3");
    const struct result of_trace =
        ASK(0, FAULTS, "--frames", "7", "--preset", "reference-2005", "--compress", "3");
    assert_true(of_run.before == of_trace.before && of_run.after == of_trace.after);
    assert_true(of_run.after < of_run.before);
    free(run);
}

/* A trimmed trace has fixed addresses, also for textures that grow. */
static void
trimmed_traces_change(void **state)
{
    (void)state;
    char *trace = mem_printf("%s/trimmed.trace", dir);
    RUN(&cmd, "trim", FAULTS, "--frames", "5", "-o", trace);
    assert_int_equal(cmd.status, 0);
    const struct result trimmed = ASK(0, trace, "--mipmaps", "3");
    const struct result whole = ASK(0, FAULTS, "--frames", "5", "--mipmaps", "3");
    assert_true(trimmed.before == whole.before);
    assert_true(trimmed.differing == whole.differing);
    assert_true(trimmed.after < 1.05 * whole.after && trimmed.after > 0.95 * whole.after);
    free(trace);
}

static void
a_program_is_replaced(void **state)
{
    (void)state;
    char *path = mem_printf("%s/program", dir), *option = mem_printf("353682d5=%s", path);
    RUN(&cmd, "show", TINY, "program", "353682d5");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(cmd.out, file);
    fclose(file);
    const struct result same = ASK(-1, TINY, "--replace-program", option);
    assert_true(same.differing == 0 && same.after == same.before);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.0, 0.0, 0.0, 0.0}\n  0: MOV OUT[0], IMM[0]\n"
          "  1: END\n",
          file);
    fclose(file);
    const struct result black = ASK(-1, TINY, "--replace-program", option);
    assert_true(black.differing > 0 && black.after < black.before);
    free(option);
    free(path);
}

static void
pictures_are_written(void **state)
{
    (void)state;
    char *out = mem_printf("%s/pictures", dir), *path;
    ASK(-1, TINY, "--frames", "1", "--drop", "1:4", "-o", out);
    path = mem_printf("%s/before/frames/frame-0001.png", out);
    assert_true(file_exists(path));
    free(path);
    path = mem_printf("%s/after/frames/frame-0001.png", out);
    assert_true(file_exists(path));
    free(path);
    free(out);
}

static double
cycles_of(const char *run)
{
    size_t size;
    char *path = mem_printf("%s/run.json", run), *text;
    struct error err;
    assert_true(file_read(path, 1 << 26, &text, &size, &err));
    cJSON *root = cJSON_Parse(text);
    const double cycles = number(root, "cycles");
    cJSON_Delete(root);
    free(text);
    free(path);
    return cycles;
}

static bool
same_files(const char *a, const char *b)
{
    char *first, *second;
    size_t first_size, second_size;
    struct error err;
    assert_true(file_read(a, 1 << 26, &first, &first_size, &err));
    assert_true(file_read(b, 1 << 26, &second, &second_size, &err));
    const bool same = first_size == second_size && !memcmp(first, second, first_size);
    free(first);
    free(second);
    return same;
}

/* Simulating the written trace gives the same cycles and pictures that the command reports. */
static void
changed_traces_are_written(void **state)
{
    static const struct {
        const char *trace, *frame, *option, *value;
    } cases[] = {
        {TINY, "0", "--drop", "0:4"},          {TINY, "1", "--drop", "1:2-5"},
        {FAULTS, "1", "--drop", "1:0-2"},      {FAULTS, "9", "--no-readbacks", NULL},
        {FAULTS, "14", "--drop-copy", "14:1"}, {FAULTS, "25", "--drop", "25:0-2"},
    };
    (void)state;
    char *path = mem_printf("%s/changed.trace", dir), *run = mem_printf("%s/changed", dir);
    char *pictures = mem_printf("%s/changes", dir);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int number = atoi(cases[i].frame);
        const struct result result = ask_words(
            0, (const char *const[]){cases[i].trace, "--frames", cases[i].frame, "--trace", path,
                                     "-o", pictures, cases[i].option, cases[i].value, NULL});
        RUN(&cmd, "sim", path, "--frames", cases[i].frame, "--force", "-o", run);
        if (cmd.status)
            fail_msg("%s", cmd.err);
        char *mine = mem_printf("%s/frames/frame-%04d.png", run, number);
        char *theirs = mem_printf("%s/after/frames/frame-%04d.png", pictures, number);
        assert_true(result.after < result.before);
        assert_true(cycles_of(run) == result.after);
        assert_true(same_files(mine, theirs));
        free(mine);
        free(theirs);
    }
    RUN(&cmd, "whatif", TINY, "--trace", path, "--front-to-back");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "a trace cannot express --front-to-back"));
    free(pictures);
    free(run);
    free(path);
}

/* Texture 4 is the checkerboard with mipmaps, 1 is the window. */
static void
wrong_changes_are_refused(void **state)
{
    static const struct {
        const char *option, *value;
        int status;
        const char *message;
    } cases[] = {
        {"--drop", "0:9", 1, "frame 0 has 9 draws, counted from 0"},
        {"--drop", "7:0", 1, "has 2 frames"},
        {"--drop", "x", 1, "expected FRAME:DRAW"},
        {"--drop", "0:4-2", 1, "expected FRAME:DRAW or FRAME:FIRST-LAST"},
        {"--drop", "0:4-9", 1, "frame 0 has 9 draws, counted from 0"},
        {"--drop-copy", "0:10", 1, "frame 0 has 9 draws, counted from 0"},
        {"--drop-copy", "0:4", 1, "there is no copy right before this draw"},
        {"--drop-copy", "0:9", 1, "there is no copy right before this draw"},
        {"--mipmaps", "4", 1, "the texture has mipmaps already"},
        {"--halve-texture", "1", 1, "the texture is a render target"},
        {"--compress", "99", 1, "the trace has no texture 99"},
        {"--compress", "#4", 2, "expected the number of a texture, without #"},
        {"--scale-viewport", "2", 2, "expected a factor above 0 and at most 1"},
        {"--replace-program", "353682d5", 1, "expected HASH=FILE"},
        {"--replace-program", "353682d5=/no/such", 1, "/no/such"},
        {"--frames", "0", 2, "expected a change"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        RUN(&cmd, "whatif", TINY, cases[i].option, cases[i].value);
        if (cmd.status != cases[i].status || *cmd.out || !strstr(cmd.err, cases[i].message))
            fail_msg("%s %s: %d, %s", cases[i].option, cases[i].value, cmd.status, cmd.err);
    }
    RUN(&cmd, "whatif", TINY, "--frames", "1", "--drop", "0:4");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "frame 0 is not among the --frames"));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draw_is_dropped),
        cmocka_unit_test(a_draw_does_not_blend),
        cmocka_unit_test(draws_have_no_alpha_test),
        cmocka_unit_test(the_viewport_is_scaled),
        cmocka_unit_test(draws_are_sorted),
        cmocka_unit_test(draws_are_merged),
        cmocka_unit_test(draws_with_different_constants_are_merged),
        cmocka_unit_test(repeated_uploads_are_left_out),
        cmocka_unit_test(repeated_clears_are_left_out),
        cmocka_unit_test(repeated_copies_are_left_out),
        cmocka_unit_test(clears_are_left_out),
        cmocka_unit_test(vertices_are_reused_and_uploads_are_early),
        cmocka_unit_test(textures_change),
        cmocka_unit_test(trimmed_traces_change),
        cmocka_unit_test(a_program_is_replaced),
        cmocka_unit_test(pictures_are_written),
        cmocka_unit_test(changed_traces_are_written),
        cmocka_unit_test(wrong_changes_are_refused),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    if (!mkdtemp(dir))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder(dir);
    return failed;
}
