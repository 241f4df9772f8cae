/* Findings of `aetius topdown` for frames with a planted fault each (tests/golden/faults.trace, of
 * benchmarks/gl/faults.c). The fault is named first. Nothing is named in the twin without the
 * fault. `aetius whatif` gains as much as the finding predicts. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/findings/findings.h"
#include "rigs/folder.h"
#include "rigs/topdown_json.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAULTS AETIUS_SOURCE_DIR "/tests/golden/faults.trace"

static const struct fault {
    enum finding_number finding;
    const char *frame, *twin;
    size_t draws; /* draws of the finding */
} faults[] = {
    {FINDING_back_to_front, "1", "2", 3}, /* the nearest of four layers stays visible */
    {FINDING_late_z, "3", "4", 4},
    {FINDING_late_z, "13", "4", 4}, /* by an alpha test that discards nothing */
    {FINDING_mipmaps, "5", "6", 4},
    {FINDING_mipmaps, "32", "33", 4}, /* of two textures */
    {FINDING_uncompressed, "7", "8", 4},
    {FINDING_readbacks, "9", "10", 3},      /* after all but the last of four draws */
    {FINDING_unused_copies, "14", "15", 3}, /* the last of four is used */
    {FINDING_tiny_draws, "18", "19", 255},  /* all but the first of 16x16 */
    {FINDING_tiny_draws, "34", "35", 255},  /* as fans with different constants */
    {FINDING_index_order, "23", "24", 1},
    {FINDING_erased_draws, "25", "26", 3},     /* the last of four is visible */
    {FINDING_uploads, "27", "28", 3},          /* those after the first draw */
    {FINDING_repeated_uploads, "38", "39", 2}, /* of a texture, and of the vertices of layers */
    {FINDING_repeated_uploads, "41", "42", 2}, /* into a new buffer */
    {FINDING_repeated_clears, "44", "45", 1},  /* all but the last of six, in one row */
    {FINDING_mipmaps, "46", "47", 4},          /* compressed */
    {FINDING_unused_copies, "48", "49", 3},    /* by blits; the last of four is used */
    {FINDING_mipmaps, "51", "33", 4},          /* of one of two textures */
    {FINDING_back_to_front, "52", "53", 3},    /* each draw also hides itself */
    {FINDING_repeated_copies, "54", "55", 3},  /* all but the first of four */
    {FINDING_repeated_clears, "57", "58", 2},  /* the last of three is followed by no other */
};

enum { FAULTS_COUNT = sizeof faults / sizeof *faults };

/* Frames whose cost the program cannot avoid: a draw that hides itself, blended draws that hide
 * each other, an alpha test that discards fragments, copies that are used, small draws with
 * different states, or with different constants that an address selects, draws that are large,
 * clears of the depth, an upload of changed texels before the first draw, an upload into a new
 * buffer that repeats nothing, an uncompressed texture of which the frame uploads a part, clears of
 * different buffers, copies whose destination changes in between, clears between draws that
 * overlap. */
static const char *const sound[] = {"11", "12", "31", "16", "17", "20", "36", "21",
                                    "29", "30", "40", "43", "50", "56", "59"};
enum { SOUND_COUNT = sizeof sound / sizeof *sound };

static char dir[] = "/tmp/aetius-findings-XXXXXX";
static struct command_result cmd;

static char *
run_of(const char *frame)
{
    return mem_printf("%s/%s", dir, frame);
}

static void
simulate(const char *frame)
{
    char *run = run_of(frame);
    RUN(&cmd, "sim", FAULTS, "--frames", frame, "-o", run, "--force");
    if (cmd.status)
        fail_msg("%s", cmd.err);
    free(run);
}

/* Replaces FILE in the command by a copy of the program without its KILL_IF. The text of `aetius
 * show` names the instructions by number, so the later ones are numbered again. */
static void
write_program(const char *run)
{
    FILE *file;
    char *path = mem_printf("%s/program", dir);
    char *text, *rest = NULL;
    int number = 0, offset = 0;
    RUN(&cmd, "show", run, "program", "6fe1f757");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "KILL_IF"));
    text = mem_strdup(cmd.out);
    assert_non_null(file = fopen(path, "w"));
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *colon = strstr(line, ": ");
        const char *label = colon;
        while (label && label > line && label[-1] >= '0' && label[-1] <= '9')
            label--;
        if (strstr(line, "KILL_IF"))
            continue;
        if (label && label < colon && sscanf(label, "%d:%n", &number, &offset) == 1 && number > 13)
            fprintf(file, "  %d%s\n", number - 1, colon);
        else
            fprintf(file, "%s\n", line);
    }
    fclose(file);
    free(text);
    free(path);
}

/* Runs the command of a finding, with the program in place of FILE. Returns the gain. */
static double
gain_of(const char *command)
{
    const char *words[32];
    size_t count = 0;
    char *text = mem_strdup(command), *program = NULL, *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        words[count++] = word;
        if (strstr(word, "=FILE")) {
            write_program(words[1]);
            program = mem_printf("%.*s=%s/program", (int)strcspn(word, "="), word, dir);
            words[count - 1] = program;
        }
    }
    words[count++] = "--json";
    words[count] = NULL;
    run_within(&cmd, 0, words);
    if (cmd.status)
        fail_msg("%s: %s", command, cmd.err);
    cJSON *result = cJSON_Parse(cmd.out);
    const double gain = cJSON_GetObjectItem(result, "gain")->valuedouble;
    cJSON_Delete(result);
    free(program);
    free(text);
    return gain;
}

static void
faults_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < FAULTS_COUNT; i++) {
        const char *name = finding_infos[faults[i].finding].name;
        char *run = run_of(faults[i].frame);
        cJSON *root = TOPDOWN_JSON(run);
        const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "findings"), 0);
        if (!first || strcmp(cJSON_GetObjectItem(first, "name")->valuestring, name) != 0)
            fail_msg("frame %s: no finding %s", faults[i].frame, name);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(first, "draws")), faults[i].draws);
        const double expected = cJSON_GetObjectItem(first, "expected_gain")->valuedouble;
        const double gained = gain_of(cJSON_GetObjectItem(first, "command")->valuestring);
        if (!(fabs(expected - gained) < 0.05))
            fail_msg("%s: expected %.3f, gained %.3f", name, expected, gained);
        cJSON_Delete(root);
        free(run);
    }
}

static void
expect_none(const char *frame)
{
    char *run = run_of(frame);
    cJSON *root = TOPDOWN_JSON(run);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "findings"), 0);
    if (first)
        fail_msg("frame %s: %s", frame, cJSON_GetObjectItem(first, "name")->valuestring);
    cJSON_Delete(root);
    free(run);
}

static void
sound_frames_have_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < FAULTS_COUNT; i++)
        expect_none(faults[i].twin);
    for (size_t i = 0; i < SOUND_COUNT; i++)
        expect_none(sound[i]);
}

static bool
has_finding(const struct draws *draws, enum finding_number number, double *cycles)
{
    struct findings findings;
    struct params params;
    bool found = false;
    params_init(&params);
    findings_make(&findings, draws, &params, NULL);
    for (size_t f = 0; f < findings.count; f++)
        if (findings.items[f].number == number) {
            found = true;
            *cycles = findings.items[f].cycles;
        }
    findings_fini(&findings);
    return found;
}

static double
sum_of(const struct draws *draws, const char *column, const char *work)
{
    double sum = 0;
    for (size_t r = 0; r < draws->rows.count; r++)
        if (!strcmp(draws->rows.items[r].work, work))
            sum += csv_value(&draws->table, draws->rows.items[r].row,
                             csv_column(&draws->table, column));
    return sum;
}

/* Each of four layers covers all pixels, so three of them hide another draw. A draw that hides
 * itself, and blended layers, hide no other draw. The objects of frames 52 and 53 have two sides.
 */
static void
covering_fragments_are_counted(void **state)
{
    enum { PIXELS = 128 * 128 };
    static const struct {
        const char *frame;
        double covering, own, behind;
    } frames[] = {{"1", 3 * PIXELS, 0, 0}, {"2", 0, 0, 3 * PIXELS},  {"11", 0, 3 * PIXELS, 0},
                  {"12", 0, 0, 0},         {"52", 3 * PIXELS, 0, 0}, {"53", 0, 0, 3 * 2 * PIXELS}};
    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        char *run = run_of(frames[i].frame);
        struct draws draws;
        struct error err;
        assert_true(draws_read(&draws, run, UINT32_MAX, &err));
        assert_true(sum_of(&draws, "zstencil.fragments_covering", "draw") == frames[i].covering);
        assert_true(sum_of(&draws, "zstencil.fragments_covering_own", "draw") == frames[i].own);
        assert_true(sum_of(&draws, "zstencil.fragments_behind", "draw") +
                        sum_of(&draws, "hz.fragments_behind", "draw") ==
                    frames[i].behind);
        draws_fini(&draws);
        free(run);
    }
}

/* 512 texels on 32 pixels: level 4. */
static void
missing_levels_are_counted(void **state)
{
    (void)state;
    char *run = run_of("5");
    struct draws draws;
    struct error err;
    assert_true(draws_read(&draws, run, UINT32_MAX, &err));
    const double quads = sum_of(&draws, "texunit.quads_reduced", "draw");
    assert_true(quads >= 4 * 32 * 32 / 4);
    assert_true(sum_of(&draws, "texunit.levels_missing", "draw") == 4 * quads);
    draws_fini(&draws);
    free(run);
}

/* All flushes of the frame belong to readbacks, and all readbacks are followed by a draw. */
static void
readbacks_include_their_flushes(void **state)
{
    (void)state;
    char *run = run_of("9");
    struct draws draws;
    struct error err;
    double cycles = 0;
    assert_true(draws_read(&draws, run, UINT32_MAX, &err));
    assert_true(has_finding(&draws, FINDING_readbacks, &cycles));
    assert_true(cycles == sum_of(&draws, "cycles", "readback") + sum_of(&draws, "cycles", "flush"));
    draws_fini(&draws);
    free(run);
}

/* A finding disappears when it falls below its share of the run's cycles. */
static void
small_faults_are_left_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < FAULTS_COUNT; i++) {
        char *run = run_of(faults[i].frame);
        struct draws draws;
        struct error err;
        double cycles = 0;
        assert_true(draws_read(&draws, run, UINT32_MAX, &err));
        assert_true(has_finding(&draws, faults[i].finding, &cycles));
        draws.total.cycles = cycles / (FINDING_LEAST * 1.001);
        assert_true(has_finding(&draws, faults[i].finding, &cycles));
        draws.total.cycles = cycles / (FINDING_LEAST * 0.999);
        assert_false(has_finding(&draws, faults[i].finding, &cycles));
        draws_fini(&draws);
        free(run);
    }
}

static void
set_value(struct draws *draws, uint32_t row, const char *column, uint64_t value)
{
    const int32_t c = csv_column(&draws->table, column);
    assert_true(c >= 0 && draws->table.is_number[c]);
    draws->table.values[(size_t)row * draws->table.columns + (size_t)c] = value;
}

/* If each vertex is shaded once, another order saves nothing, even if the groups are not full. */
static void
order_does_not_fill_groups(void **state)
{
    (void)state;
    char *run = run_of("23");
    struct draws draws;
    struct error err;
    double cycles = 0;
    assert_true(draws_read(&draws, run, UINT32_MAX, &err));
    assert_true(has_finding(&draws, FINDING_index_order, &cycles));
    for (size_t r = 0; r < draws.rows.count; r++) {
        const struct draw_row *row = &draws.rows.items[r];
        if (!row->is_draw)
            continue;
        set_value(&draws, row->row, "shader.vertex_groups", 1000);
        set_value(&draws, row->row, "streamer.vertices_shaded", 1000);
        set_value(&draws, row->row, "streamer.vertices_repeated", 1);
    }
    assert_false(has_finding(&draws, FINDING_index_order, &cycles));
    draws_fini(&draws);
    free(run);
}

/* Of 960 cycles of reads, an eighth is left: 120. Colors occupy the memory for 800 more cycles. At
 * best, all of this overlaps with the work of the shaders. At worst, only the color accesses
 * overlap. */
static void
compression_overlaps_with_colors(void **state)
{
    static const struct {
        const char *column;
        uint64_t value;
    } cells[] = {{"lost.bandwidth_texture", 960},
                 {"lost.bandwidth_color", 800},
                 {"lost.bandwidth_z", 0},
                 {"lost.turns", 0},
                 {"lost.rows", 0},
                 {"lost.interpolate", 0},
                 {"lost.fragment_issue", 0},
                 {"lost.blend", 0}};
    (void)state;
    char *run = run_of("7");
    struct draws draws;
    struct error err;
    double cycles = 0, expected = 0;
    assert_true(draws_read(&draws, run, UINT32_MAX, &err));
    for (size_t r = 0; r < draws.rows.count; r++) {
        const struct draw_row *row = &draws.rows.items[r];
        if (!row->is_draw)
            continue;
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
            set_value(&draws, row->row, cells[c].column, cells[c].value);
        const double shader =
            csv_value(&draws.table, row->row, csv_column(&draws.table, "bound_shader"));
        const double best = fmax(800 + 120, shader), worst = 120 + fmax(800, shader);
        expected += 960 + 800 - (best + worst) / 2;
    }
    assert_true(has_finding(&draws, FINDING_uncompressed, &cycles));
    assert_true(fabs(cycles - expected) < 1e-6);
    draws_fini(&draws);
    free(run);
}

/* Of 2000 cycles, 1000 are issue with half-empty groups, and 400 are reads of textures. A larger
 * draw issues for 500 cycles. At best, the reads overlap with that. At worst, 900 cycles remain. */
static void
larger_draws_fill_groups_and_overlap(void **state)
{
    enum { CYCLES = 2000, LEFT = (500 + 900) / 2 };
    static const struct {
        const char *column;
        uint64_t value;
    } cells[] = {{"lost.fragment_issue", 1000},
                 {"lost.load", 0},
                 {"lost.lookup", 400},
                 {"lost.fill", 0},
                 {"lost.filter", 0},
                 {"lost.address", 0},
                 {"lost.bandwidth_texture", 0},
                 {"lost.latency_texture", 0},
                 {"lost.bandwidth_color", 0},
                 {"lost.bandwidth_z", 0},
                 {"lost.result", 600},
                 {"shader.lane_slots", 64},
                 {"shader.lanes_empty", 32},
                 {"shader.fragment_groups", 0}};
    (void)state;
    char *run = run_of("18");
    struct draws draws;
    struct error err;
    double cycles = 0;
    size_t parts = 0;
    assert_true(draws_read(&draws, run, UINT32_MAX, &err));
    for (size_t r = 0; r < draws.rows.count; r++) {
        struct draw_row *row = &draws.rows.items[r];
        if (!row->is_draw)
            continue;
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
            set_value(&draws, row->row, cells[c].column, cells[c].value);
        row->cost.cycles = CYCLES;
        parts++;
    }
    draws.total.cycles = (double)parts * CYCLES;
    assert_true(has_finding(&draws, FINDING_tiny_draws, &cycles));
    assert_true(fabs(cycles - (double)(parts - 1) * (CYCLES - LEFT)) < 1e-6);
    draws_fini(&draws);
    free(run);
}

static void
text_and_csv_have_them(void **state)
{
    (void)state;
    char *run = run_of("9");
    RUN(&cmd, "topdown", run);
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "found readbacks: "));
    assert_non_null(strstr(cmd.out, "; draws 9:"));
    assert_non_null(strstr(cmd.out, " --no-readbacks\n"));
    RUN(&cmd, "topdown", run, "--csv");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "\n,found.readbacks,,"));
    /* The command has the frames that were selected. */
    RUN(&cmd, "topdown", run, "--frame", "9");
    assert_non_null(strstr(cmd.out, " --frames 9 --no-readbacks\n"));
    /* A single draw has no findings. */
    RUN(&cmd, "topdown", run, "--draw", "9:1");
    assert_int_equal(cmd.status, 0);
    assert_null(strstr(cmd.out, "found "));
    free(run);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(sound_frames_have_none),
        cmocka_unit_test(small_faults_are_left_out),
        cmocka_unit_test(covering_fragments_are_counted),
        cmocka_unit_test(missing_levels_are_counted),
        cmocka_unit_test(readbacks_include_their_flushes),
        cmocka_unit_test(order_does_not_fill_groups),
        cmocka_unit_test(compression_overlaps_with_colors),
        cmocka_unit_test(larger_draws_fill_groups_and_overlap),
        cmocka_unit_test(text_and_csv_have_them),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    if (!mkdtemp(dir))
        return 1;
    for (size_t i = 0; i < FAULTS_COUNT; i++) {
        simulate(faults[i].frame);
        simulate(faults[i].twin);
    }
    for (size_t i = 0; i < SOUND_COUNT; i++)
        simulate(sound[i]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder(dir);
    return failed;
}
