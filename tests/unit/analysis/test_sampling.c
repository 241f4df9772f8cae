/* Samples of frames: the calculated estimate, the coverage of its interval for artificial
 * populations, plans, and the commands. */
#include "analysis/sampling.h"
#include "rigs/endings.h"
#include "report/run/csv.h"
#include "sim/frame_work.h"

#include <cjson/cJSON.h>
#include <math.h>

static void
add_cluster(struct sample *sample, uint32_t frames, double known, const struct sample_frame *drawn,
            uint32_t count)
{
    struct sample_cluster cluster = {.frames = frames, .known = known};
    for (uint32_t i = 0; i < count; i++)
        VEC_PUSH(&cluster.drawn, drawn[i]);
    VEC_PUSH(&sample->clusters, cluster);
    sample->frames += frames;
}

/* The estimate is exact for values that are linear in the known figure. The first cluster has 4
 * frames with a known sum of 10. Two of them were drawn: 1 -> 10 and 2 -> 14. The slope is 4, and
 * all four frames give 48 + 4 (10 - 6) = 64. All frames of the other cluster were drawn: 5 + 7. */
static void
values_on_a_line(void **state)
{
    struct sample sample = {0};
    const double values[] = {10, 14, NAN, NAN, 5, 7};
    add_cluster(&sample, 4, 10, (struct sample_frame[]){{0, 1}, {1, 2}}, 2);
    add_cluster(&sample, 2, 30, (struct sample_frame[]){{4, 10}, {5, 20}}, 2);
    const struct sample_estimate all = sample_estimate(&sample, values);
    assert_true(fabs(all.total - 76) < 1e-9);
    assert_true(fabs(all.half) < 1e-6);
    sample_fini(&sample);
}

/* All frames have the same known figure, so the estimate is the textbook mean of 3 of 9. For 10,
 * 12, 17 the mean is 13, the variance 13, and the variance of the total 9 x 6 / 3 x 13 = 234. There
 * are two degrees of freedom. */
static void
nothing_known(void **state)
{
    struct sample sample = {0};
    const double values[] = {10, 12, 17};
    add_cluster(&sample, 9, 9, (struct sample_frame[]){{0, 1}, {1, 1}, {2, 1}}, 3);
    const struct sample_estimate all = sample_estimate(&sample, values);
    assert_true(fabs(all.total - 117) < 1e-9);
    assert_true(fabs(all.half - 4.303 * sqrt(234)) < 1e-6);
    sample_fini(&sample);
}

/* Values that are not on a line: x is 1, 2, 3 and y is 10, 12, 17, for 3 of 6 frames with a known
 * sum of 14. The sums of products are 2, 7 and 26, so the slope is 3.5, and 26 - 49 / 2 = 1.5
 * remain. 6 x 3 / 3 x 1.5 / 2 = 4.5 has two degrees of freedom. The slope takes one of them, so the
 * variance is twice 4.5. */
static void
beside_the_line(void **state)
{
    struct sample sample = {0};
    const double values[] = {10, 12, 17};
    add_cluster(&sample, 6, 14, (struct sample_frame[]){{0, 1}, {1, 2}, {2, 3}}, 3);
    const struct sample_estimate all = sample_estimate(&sample, values);
    assert_true(fabs(all.total - (6 * 13 + 3.5 * (14 - 12))) < 1e-9);
    assert_true(fabs(all.half - 12.706 * 3) < 1e-6);
    sample_fini(&sample);
}

enum { FRAMES = 300, FIGURES = 3 };

/* Makes an artificial game with four kinds of frames. Cycles are linear in the known figures,
 * except for noise with the relative size `noise`. */
static void
make_population(double *figures, double *cycles, double noise, uint64_t seed)
{
    uint64_t state = seed;
    for (uint32_t f = 0; f < FRAMES; f++) {
        const uint32_t kind = f / 40 % 4;
        double part[3];
        for (uint32_t i = 0; i < 3; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            part[i] = (double)(state >> 40) / (1 << 24);
        }
        figures[f * FIGURES] = 1000 * (kind + 1) + 300 * part[0];
        figures[f * FIGURES + 1] = kind == 2 ? 50 : 10 + part[1];
        figures[f * FIGURES + 2] = 7; /* the same in all frames */
        cycles[f] =
            (kind == 3 ? 3 : 2) * figures[f * FIGURES] * (1 + noise * (2 * part[2] - 1)) + 500;
    }
}

static void
intervals_hold_the_truth(void **state)
{
    static const double noises[] = {0.02, 0.3};
    static double figures[FRAMES * FIGURES], cycles[FRAMES];
    const struct sampling_figures population = {FRAMES, FIGURES, figures};
    for (uint32_t n = 0; n < 2; n++) {
        double truth = 0, sum = 0;
        uint32_t held = 0, near = 0;
        make_population(figures, cycles, noises[n], n + 1);
        for (uint32_t f = 0; f < FRAMES; f++)
            truth += cycles[f];
        for (uint64_t seed = 0; seed < 400; seed++) {
            struct sample sample;
            sample_draw(&sample, &population, 30, seed);
            assert_int_equal(sample_drawn(&sample), 30);
            const struct sample_estimate all = sample_estimate(&sample, cycles);
            held += fabs(all.total - truth) <= all.half;
            near += fabs(all.total - truth) <= 0.02 * truth;
            sum += all.total / 400;
            sample_fini(&sample);
        }
        /* 95 % of 400 are 380, with a standard deviation of 4.4 */
        assert_true(held >= 360 && held < 400);
        assert_true(near >= (n ? 120 : 380));
        assert_true(fabs(sum / truth - 1) < 0.005); /* the estimate has no bias */
    }
}

/* A cluster contains frames of one kind, and each frame is in one cluster. At least two frames of
 * each cluster are drawn. */
static void
clusters_are_of_a_kind(void **state)
{
    static double figures[FRAMES * FIGURES], cycles[FRAMES];
    const struct sampling_figures population = {FRAMES, FIGURES, figures};
    struct sample sample, again;
    uint32_t frames = 0;
    make_population(figures, cycles, 0, 1);
    sample_draw(&sample, &population, 12, 1);
    sample_draw(&again, &population, 12, 1);
    assert_int_equal(sample.clusters.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct sample_cluster *cluster = &sample.clusters.items[i];
        const uint32_t kind = cluster->drawn.items[0].frame / 40 % 4;
        assert_true(cluster->drawn.count >= 2);
        assert_int_equal(cluster->frames, kind < 3 ? 80 : 60);
        frames += cluster->frames;
        for (size_t j = 0; j < cluster->drawn.count; j++) {
            assert_int_equal(cluster->drawn.items[j].frame / 40 % 4, kind);
            assert_int_equal(cluster->drawn.items[j].frame,
                             again.clusters.items[i].drawn.items[j].frame);
        }
    }
    assert_int_equal(frames, FRAMES);
    sample_fini(&sample);
    sample_fini(&again);
    sample_draw(&sample, &population, FRAMES, 1);
    assert_int_equal(sample_drawn(&sample), FRAMES);
    assert_true(sample_estimate(&sample, cycles).half == 0);
    sample_fini(&sample);
}

static void
plans_are_read_back(void **state)
{
    static double figures[FRAMES * FIGURES], cycles[FRAMES];
    struct sample sample, back;
    struct error err;
    char *path = in_dir("a.plan");
    make_population(figures, cycles, 0.1, 1);
    sample_draw(&sample, &(struct sampling_figures){FRAMES, FIGURES, figures}, 20, 3);
    memset(sample.trace, 'a', 64);
    assert_true(sample_write(&sample, path, &err));
    assert_true(sample_read(&back, path, &err));
    assert_string_equal(back.trace, sample.trace);
    assert_true(back.seed == 3 && sample_drawn(&back) == 20);
    const struct sample_estimate a = sample_estimate(&sample, cycles);
    const struct sample_estimate b = sample_estimate(&back, cycles);
    assert_true(a.total == b.total && a.half == b.half);
    sample_fini(&sample);
    sample_fini(&back);
    free(path);
}

static void
plans_that_are_none(void **state)
{
    static const char *const plans[][2] = {
        {"", "0 frames, expected 0"},
        {"[sample]\nframes = 3\n[cluster 1]\nframes = 3\n", "invalid sample of 0 of 3 frames"},
        {"  [cluster 1]\nknown = 3\n", "invalid sample of 0 of 0 frames"},
        {"\xef\xbb\xbf[cluster 1]\nknown = 3\n", "invalid sample of 0 of 0 frames"},
        {"[sample]\nframes = 3\n[cluster 1]\nframes = 3\ndrawn = 1 5\n",
         "invalid sample of 1 of 3 frames"},
        {"[sample]\nframes = 3\n[cluster 1]\nframes = 2\ndrawn = 1 5\ndrawn = 2 5\n",
         "2 frames, expected 3"},
        {"[sample]\nframes = 3\n[cluster 1]\nframes = 2\ndrawn = 3 5\n", "below 3"},
        {"[sample]\nframes = 3\n[cluster 1]\nframes = 2\ndrawn = 0x1 5\n", "below 3"},
        {"[sample]\nframes = 3\n[cluster 1]\nframes = 2\ndrawn = 1 nan\n", "below 3"},
        {"[sample]\nframes = 3\n[cluster 1]\nframes = 2\ndrawn = 1 5\ndrawn = 1 5\n", "twice"},
        {"[sample]\nframes = 3\nnothing = 2\n", "unknown name in [sample]"},
        {"[other]\n", "expected [sample]"},
    };
    char *path = in_dir("a.plan");
    struct error err;
    /* more frames than a host can process, and no trace is named */
    FILE *many = file_create(path, &err);
    assert_non_null(many);
    fprintf(many, "[sample]\nframes = 1000000000\n[cluster 1]\nframes = 1000000000\n"
                  "drawn = 0 1\ndrawn = 1 1\n");
    assert_int_equal(fclose(many), 0);
    assert_int_equal(RUN("sim", TINY, "--sample", "@a.plan", "-o", "@run"), 1);
    assert_true(reports("has 2 frames, but the sample is of 1000000000"));
    assert_false(is_there("run"));
    many = file_create(path, &err);
    assert_non_null(many);
    fprintf(many, "[sample]\nframes = 90000\n[cluster 1]\nframes = 90000\n");
    for (uint32_t i = 0; i < 20000; i++)
        fprintf(many, "drawn = %u 1\n", i);
    assert_int_equal(fclose(many), 0);
    struct sample large;
    assert_false(sample_read(&large, path, &err));
    assert_non_null(strstr(err.text, "more than 1024 frames"));
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct sample sample;
        assert_true(file_write(path, plans[i][0], strlen(plans[i][0]), &err));
        assert_false(sample_read(&sample, path, &err));
        if (!strstr(err.text, plans[i][1]))
            fail_msg("expected '%s', found '%s'", plans[i][1], err.text);
    }
    free(path);
}

static double
column_sum(const struct csv_table *table, uint32_t row, const char *name)
{
    double sum = 0;
    for (uint32_t c = 0; c < table->columns; c++) {
        const char *dot = strchr(table->names[c], '.');
        const size_t unit = strcspn(table->names[c], "[.");
        if (dot && !strncmp(table->names[c], name, unit) && name[unit] == '.' &&
            !strcmp(dot, name + unit))
            sum += csv_value(table, row, (int32_t)c);
    }
    return sum;
}

/* The untimed figures equal the counters of the machine's units in each frame. */
static void
figures_are_the_machines(void **state)
{
    static const struct {
        enum frame_figure figure;
        const char *statistic;
    } pairs[] = {
        {FRAME_draws, "cmdproc.draws"},
        {FRAME_triangles, "setup.triangles_out"},
        {FRAME_fragments, "fraggen.fragments"},
        {FRAME_written, "colorwrite.fragments_in"},
    };
    struct trace_reader *reader;
    struct params params;
    struct csv_table table;
    struct error err;
    assert_int_equal(RUN("sim", WORKLOADS, "-o", "@run"), 0);
    char *path = in_dir("run/stats.frames.csv.gz");
    assert_true(csv_read(&table, path, &err));
    assert_true(trace_reader_open(&reader, WORKLOADS, &err));
    assert_true(params_load_preset(&params, "reference-2008", &err));
    const uint32_t frames = trace_frame_count(reader);
    assert_int_equal(table.rows, frames);
    struct frame_work *work = mem_array(frames, sizeof *work);
    assert_true(frame_work_find(work, frames, reader, &params, FILE_MEMORY_BYTES, &err));
    for (uint32_t f = 0; f < frames; f++)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            const double here = work[f].figures[pairs[i].figure];
            const double there = column_sum(&table, f, pairs[i].statistic);
            if (here != there)
                fail_msg("frame %u, %s: %.0f and %.0f", f, pairs[i].statistic, here, there);
        }
    free(work);
    csv_table_fini(&table);
    trace_reader_close(reader);
    free(path);
}

/* Returns a number of the sample in run.json. */
static double
fact(const char *name)
{
    char *text = file_text("run/run.json");
    cJSON *run = cJSON_Parse(text);
    const cJSON *number = cJSON_GetObjectItem(cJSON_GetObjectItem(run, "sample"), name);
    assert_non_null(number);
    const double value = number->valuedouble;
    cJSON_Delete(run);
    free(text);
    return value;
}

static void
commands(void **state)
{
    assert_int_equal(RUN("sample", WORKLOADS, "--count", "100", "-o", "@all.plan"), 0);
    assert_int_equal(RUN("sample", WORKLOADS, "--count", "3", "-o", "@all.plan"), 1);
    assert_true(reports("all.plan already exists; --force overwrites it"));
    assert_int_equal(RUN("sample", WORKLOADS, "--count", "100", "-f", "-o", "@all.plan"), 0);
    assert_int_equal(RUN("sim", WORKLOADS, "--sample", "@all.plan", "-o", "@run"), 0);
    /* all frames were drawn, so the estimate is the sum */
    double sum = 0;
    struct csv_table table;
    struct error err;
    char *path = in_dir("run/stats.frames.csv.gz");
    assert_true(csv_read(&table, path, &err));
    for (uint32_t r = 0; r < table.rows; r++)
        sum += csv_value(&table, r, csv_column(&table, "cycles"));
    csv_table_fini(&table);
    free(path);
    assert_true(fact("of_frames") == 7);
    assert_true(fact("cycles_low") == sum && fact("cycles_high") == sum);
    assert_int_equal(RUN("sample", WORKLOADS, "--against", "@run", "--json"), 0);
    assert_int_equal(RUN("sim", TINY, "--sample", "@all.plan", "-o", "@other"), 1);
    assert_true(reports("was made for another trace"));
    assert_int_equal(
        RUN("sim", WORKLOADS, "--sample", "@all.plan", "--frames", "1", "-o", "@other"), 2);
    assert_int_equal(RUN("sample", WORKLOADS), 2);
    assert_int_equal(RUN("sample", WORKLOADS, "-o", "@p", "--count", "1"), 2);
    assert_int_equal(RUN("sample", TINY, "--against", "@run"), 1);
    assert_true(reports("each once"));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_on_a_line),
        cmocka_unit_test(nothing_known),
        cmocka_unit_test(beside_the_line),
        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(clusters_are_of_a_kind),
        cmocka_unit_test_teardown(plans_are_read_back, clean),
        cmocka_unit_test_teardown(plans_that_are_none, clean),
        cmocka_unit_test_teardown(figures_are_the_machines, clean),
        cmocka_unit_test_teardown(commands, clean),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
