/* Calculated gains of ideal resources (report/compare/ideals.h). The causes, metrics and parameters
 * that src/ideals.def names must exist. */
#include "core/path.h"
#include "report/compare/ideals.h"
#include "rigs/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The presets accept every setting, and every setting changes the machine. */
static void
settings_are_parameters(void **state)
{
    (void)state;
    static const char *const presets[] = {"reference-2008", "reference-2005", "nv40-like",
                                          "g70-like",       "r420-like",      "r580-like"};
    for (uint32_t p = 0; p < sizeof presets / sizeof presets[0]; p++)
        for (uint32_t i = 0; i < IDEALS; i++) {
            struct params params;
            struct error err;
            assert_true(params_load_preset(&params, presets[p], &err));
            char *before = params_to_ini(&params, NULL);
            if (!ideal_apply(&ideals[i], &params, &err))
                fail_msg("%s: %s", ideals[i].name, err.text);
            char *after = params_to_ini(&params, NULL);
            assert_string_not_equal(before, after);
            free(before);
            free(after);
        }
}

/* Every branch that an ideal names exists. One ideal resource removes each cause. Memory and
 * texture both remove texture reads, memory and constants both remove constant reads. No parameter
 * removes the reading of frames, or stages that take no time. */
static void
causes_have_masters(void **state)
{
    (void)state;
    uint32_t count;
    const struct path_branch *branches = path_branches(&count);
    bool answers[IDEALS] = {false};
    for (uint32_t b = 0; b < count; b++) {
        const char *name = branches[b].name;
        uint32_t masters = 0;
        for (uint32_t i = 0; i < IDEALS; i++) {
            masters += ideal_has(&ideals[i], name);
            answers[i] |= ideal_has(&ideals[i], name);
        }
        const bool free = !strcmp(name, "display") || !strcmp(branches[b].parent, "display") ||
                          !strcmp(name, "pipeline") || !strcmp(branches[b].parent, "pipeline");
        const bool two = !strcmp(name, "bandwidth_texture") || !strcmp(name, "latency_texture") ||
                         !strcmp(name, "bandwidth_constant") || !strcmp(name, "latency_constant");
        assert_int_equal(masters, free ? 0 : two ? 2 : 1);
    }
    for (uint32_t i = 0; i < IDEALS; i++) {
        assert_true(answers[i] == (i != IDEAL_drain)); /* derived from draws, not from causes */
        assert_true((metric_find(ideals[i].own) != NULL) == (i != IDEAL_drain));
    }
    assert_false(ideal_has(&ideals[IDEAL_memory], "nobody"));
}

/* Statistics of a frame: the causes and counters that a case sets; all others are 0. */
enum { MOST = 640 };
struct frame {
    const char *names[MOST];
    double values[MOST];
    struct params params;
    struct totals totals;
};

static void
add(struct frame *frame, const char *name, double value)
{
    for (size_t i = 0; i < frame->totals.count; i++)
        if (!strcmp(frame->names[i], name)) {
            frame->values[i] = value;
            return;
        }
    assert_true(frame->totals.count < MOST);
    frame->names[frame->totals.count] = strdup(name);
    frame->values[frame->totals.count++] = value;
}

/* Adds a column with value 0. */
static void
add_column(void *frame, const char *name)
{
    add(frame, name, 0);
}

static void
frame_init(struct frame *frame)
{
    memset(frame, 0, sizeof *frame);
    struct error err;
    assert_true(params_load_preset(&frame->params, "reference-2008", &err));
    frame->totals = (struct totals){frame->names, frame->values, 0, &frame->params, NULL};
    columns_add(add_column, frame);
}

/* Predicts the gains from this frame alone. */
static void
predict(struct frame *frame, double cycles, struct ideal_gains *gains)
{
    struct error err;
    add(frame, "cycles", cycles);
    struct ideal_sum *sum =
        ideals_begin(frame->names, (uint32_t)frame->totals.count, &frame->params, &err);
    if (!sum)
        fail_msg("%s", err.text);
    ideals_row(sum, frame->values, NULL);
    ideals_take(sum, gains);
    ideals_end(sum);
}

static void
frame_fini(struct frame *frame)
{
    for (size_t i = 0; i < frame->totals.count; i++)
        free((char *)(uintptr_t)frame->names[i]);
}

/* Of 1000 cycles 700 are charged to shaders and 200 to color writes. reference-2008 has four shader
 * units and four ROPs, each of which takes a quad per cycle.
 * - Without shaders 300 cycles remain. Color writes need 1600 / 4 = 400, of which 400 - 200 are
 *   hidden in the 800 cycles that are not charged to color. The 700 removed cycles contain 7/8 of
 *   them, 175. So 525 are gained, and color hides 175.
 * - Without color 800 remain, which include the 2400 / 4 = 600 of the shaders. So all 200 are
 *   gained. */
static void
one_hides_behind_another(void **state)
{
    (void)state;
    struct frame frame;
    struct ideal_gains gains;
    frame_init(&frame);
    assert_int_equal(frame.params.GPU.NumFragmentShaders, 4);
    assert_int_equal(frame.params.GPU.NumStampPipes, 4);
    assert_int_equal(frame.params.COLORWRITE.StampsPerCycle, 1);
    add(&frame, "lost.fragment_issue", 600);
    add(&frame, "lost.result", 100);
    add(&frame, "lost.blend", 200);
    add(&frame, "lost.show", 100);
    add(&frame, "shader.own_cycles", 2400);
    add(&frame, "colorwrite.passes", 1600);
    predict(&frame, 1000, &gains);
    assert_float_equal(gains.most[IDEAL_shader], 700, 1e-9);
    assert_float_equal(gains.expected[IDEAL_shader], 525, 1e-9);
    assert_float_equal(gains.most[IDEAL_color], 200, 1e-9);
    assert_float_equal(gains.expected[IDEAL_color], 200, 1e-9);
    assert_float_equal(gains.hidden[IDEAL_shader][IDEAL_color], 175, 1e-9);
    /* the 200 hidden cycles follow the other 300, or overlap until the 400 of color are over */
    assert_float_equal(gains.low[IDEAL_shader], 1000 - (300 + 200), 1e-9);
    assert_float_equal(gains.high[IDEAL_shader], 1000 - 400, 1e-9);
    char words[IDEALS_WORDS];
    assert_true(ideals_describe_range(&gains, IDEAL_shader, words));
    assert_string_equal(words, "range: 50.0 to 60.0 %");
    assert_true(ideals_describe_range(&gains, IDEAL_color, words));
    assert_string_equal(words, "range: 20.0 to 20.0 %; shader is within it");
    assert_int_equal(ideals_verdict(&gains), IDEAL_shader);
    assert_int_equal(ideals_hidden_by(&gains, IDEAL_shader), IDEAL_color);
    assert_int_equal(ideals_hidden_by(&gains, IDEAL_color), IDEALS);
    frame_fini(&frame);
}

/* The resource with the largest charge may not give the largest gain. Shaders need 900 cycles, of
 * which 350 are charged, while memory is charged 600. The other 550 are hidden in 650 cycles, so
 * they fill all but 100 / 650 of memory's cycles. Without shaders 650 remain. */
static void
verdict_is_what_gives_most(void **state)
{
    (void)state;
    struct frame frame;
    struct ideal_gains gains;
    frame_init(&frame);
    add(&frame, "lost.bandwidth_texture", 600);
    add(&frame, "lost.vertex_issue", 350);
    add(&frame, "lost.transit", 50);
    add(&frame, "shader.own_cycles", 3600);
    predict(&frame, 1000, &gains);
    assert_float_equal(gains.expected[IDEAL_memory], 600 * 100 / 650.0, 1e-9);
    assert_float_equal(gains.expected[IDEAL_shader], 350, 1e-9);
    assert_int_equal(ideals_verdict(&gains), IDEAL_shader);
    assert_int_equal(ideals_hidden_by(&gains, IDEAL_memory), IDEAL_shader);
    /* Both remove the reads of textures, which count once. */
    assert_float_equal(gains.together[IDEAL_memory][IDEAL_texture], 600 * 100 / 650.0, 1e-9);
    frame_fini(&frame);
}

/* Of 1000 cycles 450 are charged to raster and 540 to color, and both need 990. Without one of them
 * 550 or 460 remain. Color's other 450 cycles are hidden in 460 cycles, and raster's other 540 in
 * 550. So 10 / 460 of 450 and 10 / 550 of 540 are gained, and color has the larger charge. */
static void
two_hide_each_other(void **state)
{
    (void)state;
    struct frame frame;
    struct ideal_gains gains;
    frame_init(&frame);
    add(&frame, "lost.generate", 450);
    add(&frame, "lost.blend", 540);
    add(&frame, "lost.orders", 10);
    add(&frame, "fraggen.passes", 3960);
    add(&frame, "colorwrite.passes", 3960);
    predict(&frame, 1000, &gains);
    assert_float_equal(gains.expected[IDEAL_raster], 450 * 10 / 460.0, 1e-9);
    assert_float_equal(gains.expected[IDEAL_color], 540 * 10 / 550.0, 1e-9);
    assert_true(ideals_hide_each_other(&gains));
    assert_int_equal(ideals_verdict(&gains), IDEAL_color);
    assert_string_equal(ideals_bound_by(&gains), "color");
    assert_int_equal(ideals_hidden_by(&gains, IDEAL_color), IDEAL_raster);
    struct ideal_group group;
    assert_true(ideals_together(&gains, &group));
    assert_int_equal(group.set, 1u << IDEAL_color | 1u << IDEAL_raster);
    assert_float_equal(group.expected, 990, 1e-9);
    char words[IDEALS_WORDS];
    assert_true(ideals_describe_together(&gains, words));
    assert_string_equal(words,
                        "together, color and raster: 99.0 % fewer are predicted without both");
    frame_fini(&frame);
}

/* Of 1000 cycles 900 are charged to color and 19 to raster. Raster adds less than 2 % to the gain
 * of color, so there is no pair to name. With 20 cycles there is one. */
static void
a_pair_gains_more_than_one(void **state)
{
    (void)state;
    for (uint32_t cycles = 19; cycles <= 20; cycles++) {
        struct frame frame;
        struct ideal_gains gains;
        struct ideal_group group;
        frame_init(&frame);
        add(&frame, "lost.blend", 900);
        add(&frame, "lost.generate", cycles);
        add(&frame, "lost.transit", 100 - cycles);
        predict(&frame, 1000, &gains);
        assert_float_equal(gains.expected[IDEAL_color], 900, 1e-9);
        assert_int_equal(ideals_together(&gains, &group), cycles == 20);
        frame_fini(&frame);
    }
}

/* Writes a table with one statistic per column, as a run does. */
static void
write_table(const char *path, struct frame *const frames[], const char *const works[],
            const double cycles[], uint32_t count)
{
    struct error err;
    char *header = strdup("work");
    for (size_t i = 0; i < frames[0]->totals.count; i++) {
        char *longer;
        assert_true(asprintf(&longer, "%s,%s", header, frames[0]->names[i]) > 0);
        free(header);
        header = longer;
    }
    struct csv *csv = csv_create(path, header, &err);
    assert_non_null(csv);
    for (uint32_t r = 0; r < count; r++) {
        add(frames[r], "cycles", cycles[r]);
        csv_text(csv, works[r]);
        for (size_t i = 0; i < frames[r]->totals.count; i++)
            csv_number(csv, (uint64_t)frames[r]->values[i]);
        csv_end_row(csv);
    }
    assert_true(csv_destroy(csv, &err));
    free(header);
}

/* Predicts the gains of a table with these frames as its rows. */
static void
predict_table(struct frame *const rows[], const char *const works[], const double cycles[],
              uint32_t count, struct ideal_gains *gains)
{
    const struct frame_set every = {0};
    char dir[] = "/tmp/aetius-ideals-XXXXXX", path[64];
    struct csv_table table;
    struct error err;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/stats.draws.csv.gz", dir);
    write_table(path, rows, works, cycles, count);
    assert_true(csv_read(&table, path, &err));
    const struct ideal_rows wanted = {&table, &every, -1};
    assert_true(ideals_predict(&wanted, &rows[0]->params, gains, &err));
    csv_table_fini(&table);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

/* Of 1000 cycles, z and raster are charged 300 each and color 390, and each of them needs 990.
 * - One of them gains little. Raster hides 690 cycles in the 700 that are not charged to it, so all
 *   but 10 / 700 of the 300 cycles of z are filled. Color fills all but 10 / 610.
 * - Two of them gain 690 x 10 / 700.
 * - All three gain the 990 cycles that are charged to them.
 * - If raster needs only 20 cycles, z and color gain together: 310 remain, which include raster's
 *   work. Raster is not in the group. */
static void
three_hide_each_other(void **state)
{
    static const struct {
        double raster_passes, z, expected;
        uint32_t set;
    } cases[] = {
        {3960, 300 * 10 / 700.0, 990, 1u << IDEAL_z | 1u << IDEAL_color | 1u << IDEAL_raster},
        {80, 300 * 10 / 610.0, 690, 1u << IDEAL_z | 1u << IDEAL_color},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct frame frame, *const rows[] = {&frame};
        const char *const works[] = {"clear"};
        struct ideal_gains gains;
        struct ideal_group group;
        char words[IDEAL_GROUP_WORDS];
        frame_init(&frame);
        add(&frame, "lost.generate", 300);
        add(&frame, "lost.test", 300);
        add(&frame, "lost.blend", 390);
        add(&frame, "lost.orders", 10);
        add(&frame, "fraggen.passes", cases[i].raster_passes);
        add(&frame, "zstencil.passes", 3960);
        add(&frame, "colorwrite.passes", 3960);
        predict_table(rows, works, (const double[]){1000}, 1, &gains);
        assert_float_equal(gains.expected[IDEAL_z], cases[i].z, 1e-9);
        assert_true(ideals_hide_each_other(&gains));
        assert_true(ideals_together(&gains, &group));
        assert_int_equal(group.set, cases[i].set);
        assert_float_equal(group.expected, cases[i].expected, 1e-9);
        ideal_group_name(&group, words);
        assert_string_equal(words, i ? "z and color" : "z, color and raster");
        frame_fini(&frame);
    }
}

/* A run that does not count lost cycles has no verdict. */
static void
nothing_is_guessed(void **state)
{
    (void)state;
    const char *names[] = {"cycles", "lost.blend"};
    struct params params;
    struct error err;
    params_init(&params);
    assert_null(ideals_begin(names, 2, &params, &err));
    assert_non_null(strstr(err.text, "the run has no statistic lost."));
}

/* The table has the two frames above as rows. No resource can improve its third row, whose cycles
 * are transit between units. */
static void
rows_have_verdicts(void **state)
{
    (void)state;
    struct frame rows[3];
    struct frame *const all[] = {&rows[0], &rows[1], &rows[2]};
    const char *const works[] = {"draw", "draw", "flush"};
    char dir[] = "/tmp/aetius-ideals-XXXXXX", path[64];
    struct csv_table table;
    static const char *const bounds[] = {"shader", "shader", ""};
    struct error err;
    for (uint32_t r = 0; r < 3; r++) {
        frame_init(&rows[r]);
    }
    add(&rows[0], "lost.fragment_issue", 700);
    add(&rows[0], "lost.blend", 200);
    add(&rows[0], "lost.show", 100);
    add(&rows[1], "lost.bandwidth_texture", 600);
    add(&rows[1], "lost.vertex_issue", 350);
    add(&rows[1], "lost.transit", 50);
    add(&rows[1], "shader.own_cycles", 3600);
    add(&rows[2], "lost.transit", 1000);
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/stats.draws.csv.gz", dir);
    write_table(path, all, works, (const double[]){1000, 1000, 1000}, 3);
    assert_true(csv_read(&table, path, &err));
    /* in the second row memory has more cycles, but a smaller gain */
    for (uint32_t r = 0; r < 3; r++) {
        struct ideal_gains gains;
        const struct ideal_rows wanted = {&table, NULL, r};
        assert_true(ideals_predict(&wanted, &rows[0].params, &gains, &err));
        assert_string_equal(ideals_bound_by(&gains), bounds[r]);
    }
    csv_table_fini(&table);
    for (uint32_t r = 0; r < 3; r++)
        frame_fini(&rows[r]);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

/* Three draws of 1000, 1000 and 200 cycles, with `between` after the first. The last two overlap
 * with earlier draws by `second` and 200 cycles. The shader units need 800, 100 and 10 cycles. */
static void
predict_draws(const char *between, uint32_t second, struct ideal_gains *gains)
{
    static const double cycles[] = {1000, 0, 1000, 200}, own[] = {3200, 0, 400, 40};
    const double overlap[] = {0, 0, second, 200};
    struct frame rows[4];
    struct frame *const all[] = {&rows[0], &rows[1], &rows[2], &rows[3]};
    const char *const works[] = {"draw", between, "draw", "draw"};
    for (uint32_t r = 0; r < 4; r++) {
        frame_init(&rows[r]);
        add(&rows[r], "lost.fragment_issue", cycles[r]);
        add(&rows[r], "shader.own_cycles", own[r]);
        add(&rows[r], "cmdproc.overlap_cycles", overlap[r]);
    }
    predict_table(all, works, cycles, 4, gains);
    for (uint32_t r = 0; r < 4; r++)
        frame_fini(&rows[r]);
}

/* The gain is the overlap of the draws. No draw takes less than its shaders work, so the second one
 * gains at most 1000 - 100 cycles, and the third one at most 200 - 10. */
static void
draws_overlap(void **state)
{
    (void)state;
    struct ideal_gains gains;
    predict_draws("upload", 300, &gains);
    assert_float_equal(gains.cycles, 2200, 1e-9);
    assert_float_equal(gains.most[IDEAL_drain], 500, 1e-9);
    assert_float_equal(gains.expected[IDEAL_drain], 300 + 190, 1e-9);
    assert_float_equal(gains.low[IDEAL_drain], 490, 1e-9);
    assert_float_equal(gains.own[IDEAL_shader], 910, 1e-9);
    predict_draws("flush", 0, &gains);
    assert_float_equal(gains.expected[IDEAL_drain], 190, 1e-9);
    predict_draws("upload", 950, &gains);
    assert_float_equal(gains.most[IDEAL_drain], 1150, 1e-9);
    assert_float_equal(gains.expected[IDEAL_drain], 900 + 190, 1e-9);
}

/* The second of two draws overlaps with the first by 500 of 1000 cycles. 400 of its cycles are
 * charged to shaders, 600 to memory latency. Without shaders, 600 of 1000 cycles remain in each
 * draw, and half of the second draw's overlap. Memory is busy for 450 of these cycles, all within
 * the 600 that are charged to it, so at most 600 - 450 overlap. Without memory, 400 remain, and 200
 * overlap.
 */
static void
draws_overlap_without_a_resource(void **state)
{
    (void)state;
    static const double cycles[] = {1000, 1000};
    static const char *const works[] = {"draw", "draw"};
    struct frame rows[2];
    struct frame *const all[] = {&rows[0], &rows[1]};
    struct ideal_gains gains;
    struct ideal_group group;
    for (uint32_t work = 0; work <= 450; work += 450) {
        for (uint32_t r = 0; r < 2; r++) {
            frame_init(&rows[r]);
            add(&rows[r], "lost.fragment_issue", 400);
            add(&rows[r], "lost.latency_texture", 600);
            add(&rows[r], "memctl.packed_cycles", 8 * work);
        }
        add(&rows[1], "cmdproc.overlap_cycles", 500);
        predict_table(all, works, cycles, 2, &gains);
        assert_float_equal(gains.expected[IDEAL_drain], 500, 1e-9);
        assert_float_equal(gains.together[IDEAL_shader][IDEAL_drain],
                           2 * 400 + (work ? 600 - 450 : 300), 1e-9);
        assert_float_equal(gains.together[IDEAL_memory][IDEAL_drain], 2 * 600 + 200, 1e-9);
        for (uint32_t r = 0; r < 2; r++)
            frame_fini(&rows[r]);
    }
    /* without the only two resources, none of the 2000 cycles remain to overlap */
    assert_true(ideals_together(&gains, &group));
    assert_int_equal(group.set, 1u << IDEAL_memory | 1u << IDEAL_shader);
    assert_float_equal(group.expected, 2000, 1e-9);
}

/* Of 1000 cycles, 600 are charged to memory and 100 to the DAC. The DAC needs 500 cycles. Its
 * remaining 400 cycles are spread over the 900 cycles that are charged to other causes. Without
 * overlap they follow the remaining 400 cycles. No resource removes them. */
static void
the_display_keeps_its_rate(void **state)
{
    (void)state;
    struct frame frame;
    struct ideal_gains gains;
    frame_init(&frame);
    add(&frame, "lost.bandwidth_dac", 600);
    add(&frame, "lost.show", 100);
    add(&frame, "lost.transit", 300);
    add(&frame, "dac.transactions", 500);
    predict(&frame, 1000, &gains);
    assert_float_equal(gains.expected[IDEAL_memory], 600 - 400 * 600 / 900.0, 1e-9);
    assert_float_equal(gains.low[IDEAL_memory], 600 - 400, 1e-9);
    assert_float_equal(gains.high[IDEAL_memory], 1000 - 500, 1e-9);
    frame_fini(&frame);
}

/* Of 1000 cycles 600 are charged to shaders. Memory has 8 channels. If they overlap as far as the
 * queues allow, memory needs 200 cycles. Between 0 and 200 of them are in the 600 removed cycles.
 * It transfers in 500 cycles. If the channels no longer overlap, 500 cycles follow the remaining
 * 400. */
static void
memory_may_overlap_no_more(void **state)
{
    (void)state;
    struct frame frame;
    struct ideal_gains gains;
    frame_init(&frame);
    add(&frame, "lost.fragment_issue", 600);
    add(&frame, "lost.transit", 400);
    add(&frame, "memctl.packed_cycles", 1600);
    predict(&frame, 1000, &gains);
    assert_float_equal(gains.low[IDEAL_shader], 400, 1e-9);
    assert_float_equal(gains.expected[IDEAL_shader], 600 - 200 * 600 / 1000.0, 1e-9);
    assert_float_equal(gains.high[IDEAL_shader], 600, 1e-9);
    add(&frame, "memctl.busy_cycles", 500);
    predict(&frame, 1000, &gains);
    assert_float_equal(gains.low[IDEAL_shader], 100, 1e-9);
    assert_float_equal(gains.expected[IDEAL_shader], 600 - 200 * 600 / 1000.0, 1e-9);
    assert_float_equal(gains.high[IDEAL_shader], 600, 1e-9);
    frame_fini(&frame);
}

/* The own work of Texture Units and of raster is that of their slowest part. reference-2008 has 4
 * Texture Units with 16 ports of 4 bytes, and takes 4 quads per cycle. */
static void
own_work_is_the_longest_part(void **state)
{
    (void)state;
    static const struct {
        const char *counter;
        double value, texture, raster;
    } steps[] = {
        {"texunit.passes", 400, 100, 0},
        {"texunit.port_wait_cycles", 200, 150, 0},      /* filtering uses the ports for both */
        {"texunit.bytes_filled", 64 * 4 * 160, 160, 0}, /* 64 bytes per cycle and per unit */
        {"texunit.lines_decompressed", 4 * 170, 170, 0},
        {"texunit.cache_l1_accesses", 4 * 180, 180, 0},
        {"hz.quads_out", 400, 180, 100},
        {"fraggen.steps", 150, 180, 150},   /* a generation tile of 16 quads per cycle */
        {"fraggen.passes", 1600, 180, 400}, /* the same quads with 8 samples, two per cycle */
    };
    struct frame frame;
    struct ideal_gains gains;
    frame_init(&frame);
    assert_int_equal(frame.params.GPU.NumFragmentShaders * frame.params.FRAGMENTSHADER.TextureUnits,
                     4);
    assert_int_equal(frame.params.FRAGMENTSHADER.TextureCachePortWidth, 4);
    assert_int_equal(frame.params.RASTERIZER.StampsPerCycle, 4);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        add(&frame, steps[i].counter, steps[i].value);
        predict(&frame, 1000, &gains);
        assert_float_equal(gains.own[IDEAL_texture], steps[i].texture, 1e-9);
        assert_float_equal(gains.own[IDEAL_raster], steps[i].raster, 1e-9);
    }
    frame_fini(&frame);
}

/* Vertices and fragments are shaded by separate units, so the own work is that of the slower kind.
 * g70-like has 6 units for fragments and 8 for vertices. */
static void
separate_units_work_side_by_side(void **state)
{
    (void)state;
    static const struct {
        double fragments, vertices, own;
    } cases[] = {{600, 0, 100}, {600, 2400, 300}, {1800, 2399, 300}, {0, 80, 10}};
    struct frame frame;
    struct ideal_gains gains;
    struct error err;
    frame_init(&frame);
    assert_true(params_load_preset(&frame.params, "g70-like", &err));
    assert_int_equal(frame.params.GPU.NumFragmentShaders, 6);
    assert_int_equal(frame.params.GPU.NumVertexShaders, 8);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        add(&frame, "shader.own_cycles", cases[i].fragments + cases[i].vertices);
        add(&frame, "shader.vertex_unit_own_cycles", cases[i].vertices);
        predict(&frame, 1000, &gains);
        assert_float_equal(gains.own[IDEAL_shader], cases[i].own, 1e-9);
    }
    frame_fini(&frame);
}

/* reference-2008 has 4 ROPs. A line of 256 bytes occupies a port of 32 bytes for 8 cycles, and a
 * decompressor for 8. A quad takes a cycle. */
static void
lines_are_work_of_the_rops(void **state)
{
    (void)state;
    static const struct {
        const char *counter;
        double value, z, color;
    } steps[] = {{"zstencil.passes", 400, 100, 0},
                 {"zstencil.blocks_read_raw", 60, 120, 0},
                 {"zstencil.lines_from_clear", 20, 160, 0},
                 {"zstencil.blocks_written_64", 90, 180, 0},
                 {"zstencil.blocks_read_64", 20, 200, 0},
                 {"colorwrite.passes", 400, 200, 100},
                 {"colorwrite.blocks_written_raw", 70, 200, 140},
                 {"colorwrite.blocks_written_192", 30, 200, 200},
                 {"colorwrite.blocks_read_128", 110, 200, 220}};
    struct frame frame;
    struct ideal_gains gains;
    frame_init(&frame);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        add(&frame, steps[i].counter, steps[i].value);
        predict(&frame, 1000, &gains);
        assert_float_equal(gains.own[IDEAL_z], steps[i].z, 1e-9);
        assert_float_equal(gains.own[IDEAL_color], steps[i].color, 1e-9);
    }
    frame_fini(&frame);
}

/* Settings of the n-th ideal or, after the ideals, of the n-th limit. */
static const char *
settings_of(uint32_t n)
{
    return n < IDEALS ? ideals[n].settings : limits[n - IDEALS].settings;
}

/* The settings of ideals and limits are independent: no two of them set the same parameter. */
static void
ideals_are_apart(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < IDEALS + LIMITS; i++) {
        char *settings = strdup(settings_of(i)), *rest = NULL;
        for (char *one = strtok_r(settings, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
            strchr(one, '=')[1] = '\0';
            /* one parameter sets the sample rate of the generator and of all ROPs */
            assert_string_not_equal(one, "RASTERIZER.MSAASamplesCycle=");
            for (uint32_t k = 0; k < IDEALS + LIMITS; k++)
                assert_true(k == i || !strstr(settings_of(k), one));
        }
        free(settings);
    }
}

/* Of 1000 cycles 300 are charged to the Texture Units and 500 to memory for their reads.
 * reference-2008 has 8 channels. Their packed schedule takes 6400 / 8 = 800 cycles. Three quarters
 * of the bytes are textures. With perfect textures 1000 - 800 = 200 cycles remain. The other
 * quarter of memory's 800 cycles is hidden in all 1000 cycles, so 4/5 of it was in the 800 removed
 * ones. With perfect memory 500 remain, more than the samples take. */
static void
textures_answer_for_their_reads(void **state)
{
    (void)state;
    struct frame frame;
    struct ideal_gains gains;
    frame_init(&frame);
    assert_int_equal(frame.params.MEMORYCONTROLLER.V2MemoryChannels, 8);
    add(&frame, "lost.filter", 300);
    add(&frame, "lost.bandwidth_texture", 400);
    add(&frame, "lost.latency_texture", 100);
    add(&frame, "lost.fragment_issue", 200);
    add(&frame, "memctl.packed_cycles", 6400);
    add(&frame, "memctl.texture_bytes_read", 750);
    add(&frame, "memctl.bytes_read", 900);
    add(&frame, "memctl.bytes_written", 100);
    predict(&frame, 1000, &gains);
    assert_float_equal(gains.most[IDEAL_texture], 800, 1e-9);
    assert_float_equal(gains.expected[IDEAL_texture], 800 - 200 * 4 / 5.0, 1e-9);
    assert_float_equal(gains.most[IDEAL_memory], 500, 1e-9);
    assert_float_equal(gains.expected[IDEAL_memory], 500, 1e-9);
    assert_float_equal(gains.own[IDEAL_memory], 800, 1e-9);
    assert_int_equal(ideals_verdict(&gains), IDEAL_texture);
    frame_fini(&frame);
}

/* Each cause has one cycle, which is charged to one resource. Reading frames and transit between
 * units have no resource. The sum of the charges equals the number of causes, where texture reads
 * count for memory only. */
static void
each_cycle_is_charged_once(void **state)
{
    (void)state;
    uint32_t count, causes = 0, of_memory = 0, of_texture = 0;
    const struct path_branch *branches = path_branches(&count);
    struct frame frame;
    struct ideal_gains gains;
    double sum = 2; /* one cycle each of show and transit */
    frame_init(&frame);
    for (uint32_t b = 0; b < count; b++) {
        char name[64];
        uint32_t charged = 0;
        for (uint32_t i = 0; i < IDEALS; i++)
            charged += ideal_is_charged(&ideals[i], branches[b].name);
        static const char *const none[] = {"display", "show", "pipeline", "transit"};
        bool free = false;
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
            free |= !strcmp(branches[b].name, none[i]);
        assert_int_equal(charged, !free);
        if (branches[b].cause < 0)
            continue;
        snprintf(name, sizeof name, "lost.%s", branches[b].name);
        add(&frame, name, 1);
        causes++;
        of_memory +=
            !strcmp(branches[b].parent, "bandwidth") || !strcmp(branches[b].parent, "latency");
        of_texture += !strcmp(branches[b].parent, "texture");
    }
    predict(&frame, causes, &gains);
    for (uint32_t i = 0; i < IDEALS; i++)
        sum += gains.charged[i];
    assert_float_equal(sum, causes, 1e-9);
    assert_float_equal(gains.charged[IDEAL_memory], of_memory, 1e-9);
    assert_float_equal(gains.most[IDEAL_memory], of_memory, 1e-9);
    assert_float_equal(gains.charged[IDEAL_texture], of_texture, 1e-9);
    assert_float_equal(gains.most[IDEAL_texture], of_texture + 2, 1e-9); /* bandwidth and latency */
    assert_float_equal(gains.charged[IDEAL_drain], 0, 1e-9);
    frame_fini(&frame);
}

/* Of 1000 cycles, the cases charge 450 and expect a gain of 200; charge 100 (300 with other causes)
 * and expect 50; charge none (120 with other causes) and expect all 120. */
static void
words_are_true(void **state)
{
    (void)state;
    static const struct {
        double charged, most, expected;
        const char *words;
    } cases[] = {
        {450, 450, 200,
         "45.0 % of the cycles are attributed to it; 20.0 % fewer are predicted without it"},
        {100, 300, 50,
         "10.0 % of the cycles are attributed to it; 5.0 % fewer are predicted without it, 30.0 % "
         "at "
         "most"},
        {0, 120, 120,
         "no cycle is attributed to it; 12.0 % fewer are predicted without it, 12.0 % at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char words[IDEALS_WORDS];
        struct ideal_gains gains = {.cycles = 1000};
        gains.charged[IDEAL_texture] = cases[i].charged;
        gains.most[IDEAL_texture] = cases[i].most;
        gains.expected[IDEAL_texture] = cases[i].expected;
        ideals_describe(&gains, IDEAL_texture, words);
        assert_string_equal(words, cases[i].words);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cycle_is_charged_once),
        cmocka_unit_test(words_are_true),
        cmocka_unit_test(settings_are_parameters),
        cmocka_unit_test(causes_have_masters),
        cmocka_unit_test(one_hides_behind_another),
        cmocka_unit_test(verdict_is_what_gives_most),
        cmocka_unit_test(two_hide_each_other),
        cmocka_unit_test(a_pair_gains_more_than_one),
        cmocka_unit_test(three_hide_each_other),
        cmocka_unit_test(nothing_is_guessed),
        cmocka_unit_test(rows_have_verdicts),
        cmocka_unit_test(draws_overlap),
        cmocka_unit_test(draws_overlap_without_a_resource),
        cmocka_unit_test(the_display_keeps_its_rate),
        cmocka_unit_test(own_work_is_the_longest_part),
        cmocka_unit_test(lines_are_work_of_the_rops),
        cmocka_unit_test(separate_units_work_side_by_side),
        cmocka_unit_test(memory_may_overlap_no_more),
        cmocka_unit_test(ideals_are_apart),
        cmocka_unit_test(textures_answer_for_their_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
