/* The staged performance model: the numbers of its source, fits to measurements that the test makes
 * from known coefficients, workloads, and refusals. */
#include "rigs/endings.h"
#include "model/cache_shape.h"
#include "base/build.h"
#include "model/check.h"
#include "model/tables.h"
#include "base/budget.h"
#include "model/frames.h"
#include "report/run/csv.h"

#include <cjson/cJSON.h>
#include <math.h>

static const uint32_t all_stages = (1u << MODEL_STAGES) - 1;

static bool
is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

/* ---- formulas ---- */

static double
predict_fps(const struct model *model, const struct model_row *row, uint32_t stages)
{
    struct model_prediction prediction;
    struct error err = {""};
    if (!model_predict(&prediction, model, row, stages, &err))
        fail_msg("%s", err.text);
    return 1 / prediction.seconds;
}

/* The chips have 24 pipelines at 486 MHz and 48 at 500 MHz. In the source's file, 275 cycles are
 * outside of the branch and 6 in it, for 131072 fragments. Both sides of a branch count. */
static void
formulas(void **state)
{
    struct model_row row = {.rate = 24 * 486e6, .cycles = 1, .fragments = 1};
    assert_true(is_near(predict_fps(NULL, &row, all_stages), 11.664e9, 1e-12));
    row.rate = 48 * 500e6;
    assert_true(is_near(predict_fps(NULL, &row, all_stages), 24e9, 1e-12));
    row = (struct model_row){.cycles = 275, .fragments = 131072, .rate = 5.6e9, .branch_cycles = 6};
    assert_true(is_near(predict_fps(NULL, &row, all_stages), 5.6e9 / (281 * 131072.0), 1e-12));
    row.if_cycles = 10;
    row.else_cycles = 20;
    assert_true(is_near(predict_fps(NULL, &row, all_stages), 5.6e9 / (311 * 131072.0), 1e-12));
    /* 24 pipelines at 486 MHz */
    struct model_row chip = {.clock = 486e6, .pipes = 24, .cycles = 10, .fragments = 786432};
    assert_true(is_near(predict_fps(NULL, &chip, all_stages), 11.664e9 / 7864320, 1e-12));
    row.clock = 400e6;
    struct model_prediction prediction;
    struct error err = {""};
    chip.rate = 1;
    assert_false(model_predict(&prediction, NULL, &chip, all_stages, &err));
    assert_non_null(strstr(err.text, "pipes requires clock, and no rate"));
    chip.rate = chip.clock = 0;
    assert_false(model_predict(&prediction, NULL, &chip, all_stages, &err));
    assert_non_null(strstr(err.text, "pipes requires clock, and no rate"));
    assert_true(model_predict(&prediction, NULL, &row, all_stages, NULL));
    assert_true(prediction.clock == 400e6);
    assert_true(is_near(model_budget(1), 0.1, 1e-12));
    assert_true(is_near(model_budget(2), 0.21, 1e-12));
    assert_true(is_near(model_budget(3), 0.331, 1e-12));
}

/* The text of the source's figure, with its blank lines. */
static const char figure_4_2[] =
    "\n275 // n\303\272mero de ciclos (fora de estruturas if-else-endif) do programa de "
    "fragmentos\n"
    "131072 // n\303\272mero de fragmentos\n"
    "5.6e9 // n\303\272mero de pipelines de fragmentos * frequ\303\252ncia dos pipelines\n"
    "6 // custo (em ciclos) da estrutura if-else-endif\n"
    "0 // n\303\272mero de ciclos dentro do lado if\n"
    "0 // n\303\272mero de ciclos dentro do lado else\n\n";

static void
workload_files(void **state)
{
    static const char *const good[] = {"275; 131072; 5.6e9; 6; 0; 0\n",
                                       "275\n131072\n5.6e9\n6\n0\n0", figure_4_2,
                                       "275;131072;5.6e9;// a = b\n6;0;0 //",
                                       ("; of the source\ncycles = 275\nfragments=131072\n"
                                        "rate = 5.6e9\nbranch_cycles = 6 ; if and else\n")};
    static const char *const bad[] = {"275; 131072; 5.6e9; 6; 0",
                                      "275; 131072; 5.6e9; 6; 0; 0; 0",
                                      "275; 131072; x; 6; 0; 0",
                                      "275; 131072; -1; 6; 0; 0",
                                      "cycles = many\n",
                                      "cycle = 3\n",
                                      "cycles = 1\nfragments 3\n",
                                      "cycles = nan\n",
                                      "// 275; 131072; 5.6e9; 6; 0; 0",
                                      "275/131072; 5.6e9; 6; 0; 0; 0",
                                      ""};
    char path[] = "/tmp/aetius-workload-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct model_row row = {0};
        struct error err = {""};
        assert_true(file_write(path, good[i], strlen(good[i]), &err));
        if (!model_workload_read(&row, path, &err))
            fail_msg("%s: %s", good[i], err.text);
        assert_true(is_near(predict_fps(NULL, &row, all_stages), 5.6e9 / (281 * 131072.0), 1e-12));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct model_row row = {0};
        struct error err = {""};
        assert_true(file_write(path, bad[i], strlen(bad[i]), &err));
        assert_false(model_workload_read(&row, path, &err));
        assert_true(*err.text && strstr(err.text, path));
    }
    unlink(path);
}

/* Each of 32 columns and 32 rows appears equally often in a pattern. Other names are unknown. */
static void
patterns(void **state)
{
    struct pattern pattern;
    struct error err = {""};
    for (uint32_t n = 2; n <= 8; n++) {
        char name[8];
        snprintf(name, sizeof name, "step%u", n);
        assert_true(pattern_make(&pattern, name, &err));
        bool seen[PATTERN_SIZE] = {0};
        for (uint32_t x = 0; x < PATTERN_SIZE; x++)
            seen[(uint32_t)(pattern.texcoords[x][0] * PATTERN_SIZE)] = true;
        for (uint32_t x = 0; x < PATTERN_SIZE; x++)
            assert_true(seen[x]);
        /* neighbors are about 1 / n apart */
        assert_in_range((uint32_t)(pattern.texcoords[1][0] * PATTERN_SIZE), 32 / n, 32 / n + 1);
        pattern_fini(&pattern);
    }
    assert_false(pattern_make(&pattern, "step9", &err));
    assert_false(pattern_make(&pattern, "", &err));
}

/* ---- caches ---- */

static double
channel_misses_of(const char *name, uint32_t side, struct cache_shape shape, uint32_t log2_channels)
{
    struct pattern pattern;
    struct cache_reads reads;
    struct error err = {""};
    assert_true(pattern_make(&pattern, name, &err));
    cache_reads_find(&reads, &pattern, side, 16);
    struct cache_misses misses;
    cache_misses(&shape, &reads, &misses);
    cache_reads_fini(&reads);
    pattern_fini(&pattern);
    return misses.by_channels[log2_channels];
}

static double
misses_of(const char *name, uint32_t side, struct cache_shape shape)
{
    return channel_misses_of(name, side, shape, 0);
}

/* Calculated misses. At 1,024 texels per side neighboring positions are 32 texels apart, which are
 * four squares of 8x8. So each position is in a separate line. Line addresses count units of 64
 * bytes. A column adds a multiple of 4 x 8 x 8 x 16 / 64 = 64, and a row adds a multiple of 8,192.
 */
static void
caches_miss_as_counted(void **state)
{
    /* the 32 lines fit in the cache; in a cache of one line each read misses */
    assert_true(misses_of("stripes", 1024, (struct cache_shape){1, 64, 1, 32}) == 0);
    assert_true(misses_of("stripes", 1024, (struct cache_shape){1, 64, 1, 1}) == 1);
    /* 1,024 lines, each read once before any is read again */
    assert_true(misses_of("random", 1024, (struct cache_shape){1, 64, 1, 1024}) == 0);
    assert_true(misses_of("random", 1024, (struct cache_shape){1, 64, 1, 1023}) > 0);
    assert_true(misses_of("random", 1024, (struct cache_shape){1, 64, 1, 256}) == 1);
    /* each of 4 units has a quarter of the tiles, and so a quarter of the lines */
    assert_true(misses_of("ramp", 1024, (struct cache_shape){4, 64, 1, 256}) == 0);
    assert_true(misses_of("ramp", 1024, (struct cache_shape){2, 64, 1, 256}) == 1);
    /* with 1,024 sets the lines use 16 sets, 64 lines each; with 64 sets they all use one */
    assert_true(misses_of("random", 1024, (struct cache_shape){1, 64, 1024, 64}) == 0);
    assert_true(misses_of("random", 1024, (struct cache_shape){1, 64, 1024, 32}) == 1);
    assert_true(misses_of("random", 1024, (struct cache_shape){1, 64, 64, 1024}) == 0);
    assert_true(misses_of("random", 1024, (struct cache_shape){1, 64, 64, 512}) == 1);
    /* 8 texels per side are 1 KB: 16 lines of 64 bytes, or 4 of 256 */
    assert_true(misses_of("random", 8, (struct cache_shape){1, 64, 16, 1}) == 0);
    assert_true(misses_of("random", 8, (struct cache_shape){1, 256, 4, 1}) == 0);
    assert_true(misses_of("random", 8, (struct cache_shape){1, 64, 8, 1}) > 0);
    struct cache_shape shape;
    size_t count = 0;
    while (cache_shape_nth(&shape, count)) {
        const uint32_t bytes = shape.line * shape.sets * shape.ways;
        assert_true(bytes >= 2048 && bytes <= 131072 && shape.ways <= 32 && shape.units <= 4);
        count++;
    }
    /* Each of the 3 unit counts has 7 sizes x 6 associativities for lines of 64 bytes. For 128
     * bytes, 2 KB with 32 ways is impossible. For 256 bytes, 2 KB with 16 ways and 4 KB with 32
     * ways are impossible, too. */
    assert_int_equal(count, 3 * (42 + 41 + 39));
}

/* All reads miss in a cache of one line. At 1,024 texels per side, neighbouring lines of `random`
 * are a multiple of 4,096 bytes apart: all in the same one of 16 channels of 256 bytes. At 256
 * texels per side, they are a multiple of 1,024 bytes apart: all in the same one of 4 channels, and
 * a quarter in each of the 4 channels of 16 that this leaves. At 128 texels per side, they are a
 * multiple of 256 bytes apart: evenly in all. */
static void
few_channels_take_longer(void **state)
{
    static const struct {
        uint32_t side, log2_channels;
        double misses;
    } expected[] = {{1024, 1, 2}, {1024, 4, 16}, {256, 0, 1}, {256, 2, 4},
                    {256, 4, 4},  {128, 0, 1},   {128, 2, 1}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_true(channel_misses_of("random", expected[i].side, (struct cache_shape){1, 64, 1, 1},
                                      expected[i].log2_channels) == expected[i].misses);
}

/* The expected time is flat + misses x miss, with the factors of the model. */
static void
dependent_reads(void **state)
{
    struct model model = {0};
    static const struct {
        const char *name;
        double value;
    } factors[] = {{"units", 1},   {"line", 64},    {"sets", 64},   {"ways", 512}, {"flat", 1e-9},
                   {"miss", 2e-9}, {"channels", 2}, {"most", 1024}, {"bytes", 16}};
    struct model_row row = {.texture = 1024, .format = "RGBA32F", .pattern = "random"};
    struct error err;
    struct model_dependent found;
    assert_false(model_dependent_find(&found, &model, &row, &err));
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "dependent.%s", factors[i].name);
        model_set_factor(&model, name, factors[i].value, 0);
    }
    assert_true(model_dependent_find(&found, &model, &row, &err));
    assert_true(is_near(found.seconds, 5e-9, 1e-12) && !found.extrapolated);
    strcpy(row.format, "RGBA8");
    assert_true(model_dependent_find(&found, &model, &row, &err) && found.extrapolated);
    strcpy(row.format, "RGBA32F");
    model_set_factor(&model, "dependent.second.sets", 1, 0);
    model_set_factor(&model, "dependent.second.ways", 256, 0);
    model_set_factor(&model, "dependent.second.miss", 3e-9, 0);
    assert_true(model_dependent_find(&found, &model, &row, &err));
    assert_true(is_near(found.seconds, 8e-9, 1e-12));
    strcpy(row.pattern, "stripes");
    assert_true(model_dependent_find(&found, &model, &row, &err));
    assert_true(is_near(found.seconds, 1e-9, 1e-12));
    row.texture = 2048;
    assert_true(model_dependent_find(&found, &model, &row, &err));
    assert_true(found.extrapolated);
    row.texture = 1e9;
    assert_false(model_dependent_find(&found, &model, &row, &err));
    assert_true(strstr(err.text, "1 to 16384 texels"));
    row.texture = 64;
    strcpy(row.pattern, "waves");
    assert_false(model_dependent_find(&found, &model, &row, &err));
    strcpy(row.pattern, "ramp");
    model_fini(&model);
    model = (struct model){0};
    model_set_factor(&model, "dependent.flat", 1e-9, 0);
    model_set_factor(&model, "dependent.sets", 3, 0);
    assert_false(model_dependent_find(&found, &model, &row, &err));
    assert_true(strstr(err.text, "are invalid"));
    model_fini(&model);
}

/* If an address texture is larger than that of the sweep, reading it takes additional time. */
static void
addresses_are_read_too(void **state)
{
    static const struct spline ceiling = {
        .knots = 2, .x = {1, 9}, .y = {8e9, 0.5e9}}; /* at x = 5: 4.25e9 */
    static const struct spline flat = {.knots = 2, .x = {1, 9}, .y = {1e9, 1e9}};
    const double side[] = {0, 8, 32, 128};
    const double each[] = {1e-9, 1e-9, 1e-9, 1e-9 + 1 / 2.375e9 - 1 / 4.25e9};
    struct model model = {0};
    struct model_row row = {.rate = 1e15,
                            .cycles = 1,
                            .fragments = 1e6,
                            .reads = 60,
                            .dependent = 30,
                            .texture = 64,
                            .format = "RGBA32F",
                            .pattern = "stripes"};
    model_set_factor(&model, "start", 0, 0);
    model_set_factor(&model, "dependent.units", 1, 0);
    model_set_factor(&model, "dependent.line", 64, 0);
    model_set_factor(&model, "dependent.sets", 64, 0);
    model_set_factor(&model, "dependent.ways", 512, 0);
    model_set_factor(&model, "dependent.channels", 1, 0);
    model_set_factor(&model, "dependent.most", 1024, 0);
    model_set_factor(&model, "dependent.flat", 1e-9, 0);
    const uint32_t stages = 1u << MODEL_BASE | 1u << MODEL_DEPENDENT;
    for (size_t i = 0; i < sizeof side / sizeof side[0]; i++) {
        row.addresses = side[i]; /* the model does not have a curve of textures yet */
        assert_true(is_near(predict_fps(&model, &row, stages), 1 / (30e6 * 1e-9), 1e-9));
    }
    model_set_curve(&model, "textures RGBA32F others", &flat);
    model_set_curve(&model, "textures RGBA32F powers", &ceiling);
    for (size_t i = 0; i < sizeof side / sizeof side[0]; i++) {
        row.addresses = side[i];
        assert_true(is_near(predict_fps(&model, &row, stages), 1 / (30e6 * each[i]), 1e-9));
    }
    row.addresses = 100; /* not a power of two: the other curve adds 1/1e9 - 1/4.25e9 */
    assert_true(is_near(predict_fps(&model, &row, stages), 1 / (30e6 * (2e-9 - 1 / 4.25e9)), 1e-9));
    /* Stage textures: 30 reads of addresses, here of 128x128 texels, and 30 of 32x32 texels. At
     * x = 7, the ceiling is 2.375e9. */
    row.addresses = 128;
    row.reads = 90;
    row.texture = 32;
    assert_true(is_near(predict_fps(&model, &row, 1u << MODEL_BASE | 1u << MODEL_TEXTURES),
                        1 / (30e6 / 4.25e9 + 30e6 / 2.375e9), 1e-9));
    model_fini(&model);
}

/* A frame of 1e6 fragments takes 1 ms in the base stage and at least 4 ms for its textures. Its
 * triangles halve the frame rate. In the usual order, the ceiling applies to 2 ms. In the other
 * order, the triangles double 4 ms. */
static void
stages_apply_in_order(void **state)
{
    static const struct spline ceiling = {.knots = 2, .x = {1, 9}, .y = {0.25e9, 0.25e9}};
    static const struct spline size = {.knots = 2, .x = {1, 10}, .y = {1, 2}};
    static const struct {
        const char *stages;
        double seconds;
    } orders[] = {{"base triangles textures dependent", 4e-3},
                  {"base, textures, triangles", 8e-3},
                  {"base triangles", 2e-3},
                  {"base", 1e-3}};
    static const struct {
        const char *stages, *words;
    } bad[] = {{"triangles base", "must be base"},
               {"base triangles triangles", "triangles occurs twice"},
               {"base rop", "unknown stage 'rop'"},
               {" ,", "expected base and other stages"}};
    struct model model = {0}, again;
    struct error err = {""};
    struct model_prediction prediction;
    char path[] = "/tmp/aetius-order-XXXXXX";
    struct model_row row = {.rate = 1e9,
                            .cycles = 1,
                            .fragments = 1e6,
                            .triangles = 5e5,
                            .texture = 64,
                            .reads = 1,
                            .format = "RGBA8"};
    close(mkstemp(path));
    model_set_factor(&model, "start", 0, 0);
    model_set_factor(&model, "rate", 1e9, 0);
    model_set_curve(&model, "textures RGBA8 powers", &ceiling);
    model_set_curve(&model, "triangles 640", &size);
    assert_true(is_near(predict_fps(&model, &row, all_stages), 250, 1e-9));
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        assert_true(model_order_parse(&model, orders[i].stages, &err));
        assert_true(model_write(&model, path, &err));
        if (!model_read(&again, path, &err))
            fail_msg("%s", err.text);
        assert_true(is_near(predict_fps(&again, &row, all_stages), 1 / orders[i].seconds, 1e-9));
        model_fini(&again);
    }
    /* without the stage triangles, both sides of a branch execute */
    assert_true(model_order_parse(&model, "base", &err));
    row.if_cycles = row.else_cycles = 3;
    assert_true(is_near(predict_fps(&model, &row, all_stages), 1000.0 / 7, 1e-9));
    row.if_cycles = row.else_cycles = 0;
    assert_true(model_order_parse(&model, "base textures triangles", &err));
    assert_true(model_predict(&prediction, &model, &row, all_stages, &err));
    assert_true(prediction.ordered == 3 && prediction.order[1] == MODEL_TEXTURES);
    assert_true(is_near(prediction.stages[MODEL_TEXTURES].seconds, 4e-3, 1e-9));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(model_order_parse(&model, bad[i].stages, &err));
        assert_non_null(strstr(err.text, bad[i].words));
    }
    unlink(path);
    model_fini(&model);
}

/* ---- curves ---- */

static double
noise(uint64_t *state)
{
    double sum = 0;
    for (uint32_t i = 0; i < 12; i++) { /* about normal, with standard deviation 1 */
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 40) / (1 << 24);
    }
    return sum - 6;
}

/* 10 up to x = 20, falling to 4 at x = 40, and constant after that; or a straight line. */
static double
truth(double x, bool bent)
{
    if (!bent)
        return 5 + x / 10;
    return x < 20 ? 10 : x > 40 ? 4 : 10 - 0.3 * (x - 20);
}

static void
segments_are_chosen(void **state)
{
    uint32_t right = 0, single = 0, held = 0, knots = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double x[61], y[61];
        uint64_t random = seed * 77;
        struct spline spline;
        for (uint32_t bent = 0; bent < 2; bent++) {
            for (uint32_t i = 0; i <= 60; i++) {
                x[i] = i;
                y[i] = truth(i, bent) * (1 + 0.02 * noise(&random));
            }
            assert_true(spline_fit(&spline, x, y, NULL, 61, false, NULL));
            if (!bent) {
                single += spline.knots == 2;
                for (uint32_t k = 0; k < spline.knots; k++, knots++)
                    held += fabs(spline.y[k] - truth(spline.x[k], false)) <= spline.half[k];
                continue;
            }
            right += spline.knots == 4;
            for (uint32_t i = 0; i <= 60; i++)
                assert_true(is_near(spline_at(&spline, i), truth(i, true), 0.06));
        }
    }
    /* sometimes noise adds a segment, but no segment is ever missing */
    assert_true(right >= 40);
    assert_true(single >= 40);
    /* nominally 95 %; choosing a bend by noise reduces it */
    assert_true(held >= knots * 88 / 100);
}

/* Fits 2 + 3 u without noise, then with a duplicate column. */
static void
squares(void **state)
{
    const double a[] = {1, 0, 1, 1, 1, 2, 1, 3}, b[] = {2, 5, 8, 11};
    const double twice[] = {1, 1, 2, 2, 3, 3}, same[] = {1, 2, 3};
    double factors[2], half[2];
    assert_true(least_squares(a, b, 4, 2, factors, half));
    assert_true(is_near(factors[0], 2, 1e-9) && is_near(factors[1], 3, 1e-9));
    assert_true(half[0] < 1e-6 && half[1] < 1e-6);
    assert_false(least_squares(twice, same, 3, 2, factors, half));
    /* for 1, 2, 3, 6 the mean is 3 and the variance 14 / 3; the mean has a deviation of sqrt(14 /
     * 12), and t has 3 degrees of freedom */
    const double ones[] = {1, 1, 1, 1}, values[] = {1, 2, 3, 6};
    assert_true(least_squares(ones, values, 4, 1, factors, half));
    assert_true(is_near(factors[0], 3, 1e-9));
    assert_true(is_near(half[0], 3.182 * sqrt(14.0 / 12), 1e-6));
}

static void
curves_are_refused(void **state)
{
    const double x[] = {1, 1, 2, 3, 3}, y[] = {1, 1, 2, 3, 3};
    struct spline spline;
    struct error err = {""};
    assert_false(spline_fit(&spline, x, y, NULL, 5, false, &err));
    assert_non_null(strstr(err.text, "3 points"));
}

/* ---- an artificial GPU ---- */

static const double made_rate = 5e9, made_start = 20e-6;

static double
made_mixed(double block)
{
    return block <= 8 ? 1 : block >= 128 ? 0 : (log2(128) - log2(block)) / 4;
}

static double
made_seconds(const struct model_row *row)
{
    const double side = (row->if_cycles + row->else_cycles) / 2;
    const double agreed = row->cycles + row->branch_cycles + side;
    double cycles = fmax(agreed + (row->block > 0 ? side * made_mixed(row->block) : 0), 3);
    double seconds = row->fragments * cycles / made_rate;
    if (row->triangles > 2)
        seconds *= 1 + 40 * row->triangles / row->fragments;
    if (row->texture > 0 && !row->dependent)
        seconds = fmax(seconds, row->fragments * row->reads * fmax(row->texture / 128, 1) / 2e9);
    return made_start + seconds;
}

static struct model_row *
add_row(struct model_rows *rows, const char *sweep, double fragments, double cycles)
{
    struct model_row row = {.fragments = fragments, .cycles = cycles, .triangles = 2};
    strcpy(row.sweep, sweep);
    strcpy(row.renderer, "made up");
    VEC_PUSH(rows, row);
    return &rows->items[rows->count - 1];
}

static void
make_rows(struct model_rows *rows, double spread)
{
    uint64_t random = 5;
    for (double n = 1e4; n < 2e6; n *= 1.7)
        add_row(rows, "fragments", n, 20);
    for (double cycles = 1; cycles < 120; cycles *= 1.3)
        add_row(rows, "length", 1e6, cycles);
    for (double block = 1; block < 600; block *= 1.4)
        add_row(rows, "coherence", 4e5, 6)->block = block;
    for (double block = 2; block < 600; block *= 4)
        for (double cell = 2; cell < 3e4; cell *= 2) {
            struct model_row *row = add_row(rows, "triangles", 4e5, 6);
            row->block = block;
            row->triangles = 4e5 / cell;
        }
    for (double size = 2; size <= 4096; size *= 2) {
        struct model_row *row = add_row(rows, "textures", 2e5, 4);
        row->texture = size;
        row->reads = 4;
        strcpy(row->format, "RGBA8");
    }
    for (size_t i = 0; i < rows->count; i++) {
        struct model_row *row = &rows->items[i];
        if (row->block > 0)
            row->branch_cycles = 6, row->if_cycles = row->else_cycles = 20;
        row->seconds = made_seconds(row) * (1 + spread * noise(&random));
    }
}

/* Half of the measurements take 1 s per frame, the others 1.4 s. The squared relative error of a
 * constant f is least at f = (1 + w / 1.4) / (1 + w / 1.4^2), if the others have the weight w. */
static void
spread_weighs_less(void **state)
{
    static const struct {
        double spread, weight;
    } cases[] = {{0, 1}, {0.1, 0.5}, {0.9, 0.25}};
    struct error err = {""};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct model_rows rows = {0};
        struct model model;
        for (uint32_t i = 0; i < 400; i++) {
            struct model_row *row = add_row(&rows, "length", 1e6, 1 + i);
            row->seconds = i % 2 ? 1.4 : 1;
            row->spread = i % 2 ? 1.4 * cases[c].spread : 0;
        }
        if (!model_fit(&model, &rows, NULL, 1e6, &err))
            fail_msg("%s", err.text);
        const double w = cases[c].weight, found = spline_at(model_curve(&model, "base"), 200);
        const double expected = (1 + w / 1.4) / (1 + w / (1.4 * 1.4));
        if (!is_near(found, expected, 0.005))
            fail_msg("spread %g: %g instead of %g", cases[c].spread, found, expected);
        model_fini(&model);
        VEC_FREE(&rows);
    }
}

/* The fit finds the coefficients of the artificial GPU. On the held-out half each stage is within
 * its limit. */
static void
coefficients_come_back(void **state)
{
    struct model_rows rows = {0};
    struct model model;
    struct model_check check;
    struct error err = {""};
    make_rows(&rows, 0.01);
    bool *fitted = model_split(&rows);
    size_t seen = 0;
    for (size_t i = 0; i < rows.count; i++)
        seen += fitted[i];
    assert_in_range(seen * 100 / rows.count, 48, 60);
    if (!model_fit(&model, &rows, fitted, 0, &err))
        fail_msg("%s", err.text);
    assert_true(is_near(model_factor(&model, "rate"), made_rate, 0.02));
    assert_true(is_near(model_factor(&model, "start"), made_start, 0.2));
    assert_true(is_near(spline_at(model_curve(&model, "base"), 50), 50, 0.03));
    assert_true(is_near(spline_at(model_curve(&model, "base"), 1), 3, 0.03)); /* constant below */
    assert_true(
        is_near(spline_at(model_curve(&model, "textures RGBA8 powers"), log2(32)), 2e9, .05));
    if (!model_check_rows(&check, &model, &rows, all_stages, false, &err))
        fail_msg("%s", err.text);
    for (uint32_t s = 0; s < MODEL_DEPENDENT; s++) {
        assert_true(check.stages[s].held_out.count > 2);
        assert_true(check.stages[s].held_out.mean < MODEL_STAGE_BUDGET);
    }
    assert_true(check.held_out.mean < 0.05);
    model_check_fini(&check);
    /* in another program with shorter branches, a mixed group costs less */
    struct model_row other = {.fragments = 4e5,
                              .triangles = 2,
                              .cycles = 60,
                              .branch_cycles = 6,
                              .if_cycles = 10,
                              .else_cycles = 10,
                              .block = 2};
    assert_true(is_near(predict_fps(&model, &other, all_stages), 1 / made_seconds(&other), 0.06));
    free(fitted);
    model_fini(&model);
    VEC_FREE(&rows);
}

static bool
is_extrapolated(const struct model *model, const struct model_row *row)
{
    struct model_prediction prediction;
    struct error err = {""};
    if (!model_predict(&prediction, model, row, all_stages, &err))
        fail_msg("%s", err.text);
    assert_true(prediction.stages[MODEL_TRIANGLES].counts);
    return prediction.stages[MODEL_TRIANGLES].extrapolated;
}

/* The sweep of triangles ends at 122,880 fragments per triangle. Other sweeps draw two triangles of
 * up to 960,000 fragments, so those sizes are not extrapolated. */
static void
large_triangles_were_measured(void **state)
{
    struct model_rows rows = {0};
    struct model model;
    struct error err = {""};
    uint32_t coherence = 0;
    if (!model_rows_read(&rows, AETIUS_SOURCE_DIR "/docs/studies/model/reference-2008.csv", &err) ||
        !model_fit(&model, &rows, NULL, 0, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < rows.count; i++) {
        const struct model_row *row = &rows.items[i];
        if (strcmp(row->sweep, "coherence") != 0)
            continue;
        assert_true(row->triangles == 2 && row->fragments > 245760);
        assert_false(is_extrapolated(&model, row));
        coherence++;
    }
    assert_int_equal(coherence, 30);
    struct model_row two = {.fragments = 1920000, .triangles = 2, .cycles = 40};
    assert_false(is_extrapolated(&model, &two));
    two.fragments = 1930000;
    assert_true(is_extrapolated(&model, &two));
    two.fragments = 2; /* below the smallest of the sweep */
    assert_true(is_extrapolated(&model, &two));
    model_fini(&model);
    VEC_FREE(&rows);
}

static double
triangles_error(const struct model *model, const struct model_rows *rows, uint32_t *count,
                uint32_t *fitted)
{
    struct model_check check;
    struct error err = {""};
    if (!model_check_rows(&check, model, rows, all_stages, false, &err))
        fail_msg("%s", err.text);
    const double mean = check.stages[MODEL_TRIANGLES].held_out.mean;
    *count = check.stages[MODEL_TRIANGLES].held_out.count;
    *fitted = check.fitted.count;
    model_check_fini(&check);
    return mean;
}

/* A chip of the same shape is three times as fast in everything. Its program has three times the
 * cycles before the branches. The model's times for triangles are correct for this chip, although
 * the fit contains none of its rows. */
static void
another_chip_is_judged_by_its_rate(void **state)
{
    struct model_rows rows = {0};
    struct model model;
    struct error err = {""};
    uint32_t count, fitted;
    make_rows(&rows, 0);
    for (size_t i = 0; i < rows.count; i++)
        rows.items[i].rate = made_rate;
    bool *seen = model_split(&rows);
    if (!model_fit(&model, &rows, seen, 0, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < rows.count; i++) {
        struct model_row *row = &rows.items[i];
        if (row->block > 0)
            row->cycles *= 3;
        row->seconds = made_start + (made_seconds(row) - made_start) / 3;
        row->rate *= 3;
        strcpy(row->renderer, "another");
    }
    const double other = triangles_error(&model, &rows, &count, &fitted);
    assert_int_equal(fitted, 0);
    assert_true(count > 60);
    if (!(other < 0.05))
        fail_msg("triangles are %.1f %% off", 100 * other);
    free(seen);
    model_fini(&model);
    VEC_FREE(&rows);
}

/* Returns the last cell of the row of a stage. */
static const char *
verdict_of(const struct text_table *sheet, const char *stage)
{
    for (size_t row = 1; row < text_table_rows(sheet); row++)
        if (!strcmp(text_table_at(sheet, row, 0), stage))
            return text_table_at(sheet, row, sheet->columns - 1);
    fail_msg("no line '%s'", stage);
    return NULL;
}

/* A mean of 20 % is within the limit of three stages. The total still fails if one stage exceeds
 * its own limit of 10 %. */
static void
in_all_is_each_stage_too(void **state)
{
    struct model_check check = {.held_out = {.count = 9, .mean = 0.2}};
    for (uint32_t off = 0; off < 2; off++) {
        struct text_table sheet = {0};
        for (uint32_t s = 0; s < MODEL_STAGES; s++)
            check.stages[s].held_out = (struct model_errors){.count = 3, .mean = 0.05};
        check.stages[MODEL_TEXTURES].held_out.mean = off ? 0.11 : 0.09;
        model_stages_sheet(&sheet, &check);
        assert_string_equal(verdict_of(&sheet, "triangles"), "yes");
        assert_string_equal(verdict_of(&sheet, "textures"), off ? "no" : "yes");
        assert_string_equal(verdict_of(&sheet, "in all"), off ? "no" : "yes");
        text_table_fini(&sheet);
    }
}

/* A chip with two shader units, caches of 8 KB, a second level of 32 KB and two memory channels. */
static double
made_dependent(const struct model_row *row, bool has_second)
{
    const uint32_t side = (uint32_t)row->texture;
    const double far =
        channel_misses_of(row->pattern, side, (struct cache_shape){2, 64, 16, 32}, 1);
    const double near = misses_of(row->pattern, side, (struct cache_shape){2, 64, 16, 8});
    return 1e-9 * (1 + far * 2 + (has_second ? near : 0));
}

/* The fit uses all sizes with half of the patterns each. The predictions for the other half are
 * correct, with one cache level and with two. */
static void
dependent_caches_come_back(void **state)
{
    for (int two = 0; two < 2; two++) {
        struct model_rows rows = {0};
        struct model model = {0};
        struct error err = {""};
        for (double size = 8; size <= 1024; size *= 2)
            for (uint32_t p = 0; pattern_name(p); p++)
                for (int other = 0; other < 2; other++) {
                    struct model_row *row = add_row(&rows, "dependent", 2e5, 4);
                    row->texture = other ? size * 1.25 : size;
                    row->dependent = 1;
                    strcpy(row->pattern, pattern_name(p));
                    row->seconds = made_start + row->fragments * made_dependent(row, two);
                }
        bool *fitted = model_split(&rows);
        size_t seen = 0;
        for (size_t i = 0; i < rows.count; i++)
            seen += fitted[i];
        assert_in_range(seen, rows.count * 4 / 10, rows.count * 6 / 10);
        model_set_factor(&model, "start", made_start, 0);
        if (!model_fit_dependent(&model, &rows, fitted, &err))
            fail_msg("%s", err.text);
        if (!two) { /* with two levels, other shapes explain the rows equally well */
            assert_true(model_factor(&model, "dependent.units") == 2);
            assert_true(model_factor(&model, "dependent.sets") == 16);
            assert_true(model_factor(&model, "dependent.channels") == 2);
        }
        assert_int_equal(!isnan(model_factor(&model, "dependent.second.ways")), two);
        double sum = 0;
        for (size_t i = 0; i < rows.count; i++) {
            struct model_dependent found;
            assert_true(model_dependent_find(&found, &model, &rows.items[i], &err));
            sum += fabs(found.seconds / made_dependent(&rows.items[i], two) - 1);
        }
        if (!(sum < 0.005 * (double)rows.count))
            fail_msg("%d levels: %g on average", two + 1, sum / (double)rows.count);
        free(fitted);
        model_fini(&model);
        VEC_FREE(&rows);
    }
}

/* A stored model predicts the same after loading. It marks extrapolated values. */
static void
models_are_kept(void **state)
{
    struct model_rows rows = {0};
    struct model model, again;
    struct model_prediction prediction;
    struct error err = {""};
    char path[] = "/tmp/aetius-model-XXXXXX";
    close(mkstemp(path));
    make_rows(&rows, 0);
    assert_true(model_fit(&model, &rows, NULL, made_rate, &err));
    assert_true(model_write(&model, path, &err));
    if (!model_read(&again, path, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < rows.count; i++)
        assert_true(is_near(predict_fps(&again, &rows.items[i], all_stages),
                            predict_fps(&model, &rows.items[i], all_stages), 1e-6));
    struct model_row row = {.fragments = 1e6, .cycles = 5000, .triangles = 2};
    assert_true(model_predict(&prediction, &model, &row, all_stages, &err));
    assert_true(prediction.stages[MODEL_BASE].extrapolated);
    assert_true(is_near(prediction.seconds, 1e6 * 5000 / made_rate, 0.05));
    row.cycles = 50;
    assert_true(model_predict(&prediction, &model, &row, all_stages, &err));
    assert_false(prediction.stages[MODEL_BASE].extrapolated);
    row.texture = 8192;
    row.reads = 1;
    strcpy(row.format, "RGBA8");
    assert_true(model_predict(&prediction, &model, &row, all_stages, &err));
    assert_true(prediction.stages[MODEL_TEXTURES].extrapolated);
    strcpy(row.format, "RGB565");
    assert_false(model_predict(&prediction, &model, &row, all_stages, &err));
    assert_non_null(strstr(err.text, "RGB565"));
    /* no warning if the stage is not included */
    assert_true(model_predict(&prediction, &model, &row, 1u << MODEL_BASE, &err));
    unlink(path);
    model_fini(&model);
    model_fini(&again);
    VEC_FREE(&rows);
}

static void
bad_models(void **state)
{
    static const char *const texts[] = {
        "",
        "[model]\n",
        "[model]\nschema = 1\n",
        "[model]\nschema = 99\n[factors]\nrate = 1 0\n",
        "[model]\nschema = 1\n[factors]\nrate = -1 0\nstart = 0\n",
        "[model]\nschema = 1\n[factors]\nrate = 1 0\n",
        "[model]\nschema = 1\n[factors]\nrate = 1 0\nstart = -1\n",
        "[model]\nschema = 1\n[factors]\nrate = 1 0\n[curve base]\nx = 1 2\n",
        "[model]\nschema = 1\n[factors]\nrate = 1 0\n[curve base]\nx = 2 1\ny = 1 1\n",
        "[model]\nschema = 1\n[factors]\nrate = 1 0\n[curve base]\nx = 1 2\ny = 1 2 3\n",
        "[model]\nschema = 1\n[factors]\nrate = 1 0\n[curve base]\nx = 1 2\ny = 1 0\n",
        "[model]\nschema = 1\n[factors]\nrate = 1 0\n[curve base]\n",
        "[model]\nschema = 1\n[factors]\nrate = one\n",
        "[machine]\n",
        "rate = 1\n"};
    char path[] = "/tmp/aetius-model-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct model model;
        struct error err = {""};
        assert_true(file_write(path, texts[i], strlen(texts[i]), &err));
        if (model_read(&model, path, &err))
            fail_msg("taken: %s", texts[i]);
        assert_true(*err.text);
    }
    unlink(path);
}

/* ---- tables of measurements ---- */

static void
labels(void **state)
{
    struct model_row row = {.fragments = 307200, .cycles = 12.5, .block = 3}, again;
    char label[256];
    strcpy(row.sweep, "coherence");
    strcpy(row.variant, "all-loop");
    model_row_label(&row, label, sizeof label);
    assert_true(model_row_from_label(&again, label));
    assert_memory_equal(&row, &again, sizeof row);
    assert_true(model_row_from_label(&again, "model sweep=length /fragments=3 "));
    assert_true(again.fragments == 3);
    assert_false(model_row_from_label(&again, "shadows/trees"));
    assert_false(model_row_from_label(&again, "model airplane"));
    assert_false(model_row_from_label(&again, "model sweep=length fragments=-3"));
}

static void
bad_tables(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {{"", "empty"},
                 {"sweep,fragments\nlength,3\n", "seconds"},
                 {"fragments,seconds\n3,1\n", "sweep"},
                 {"sweep,seconds\nlength,1\n", "fragments"},
                 {"sweep,fragments,seconds,colour\n", "colour"},
                 {"sweep,fragments,seconds,seconds\n", "twice"},
                 {"sweep,fragments,seconds\nlength,many,1\n", "many"},
                 {"sweep,fragments,seconds\nlength,3,1e999\n", "1e999"},
                 {"sweep,fragments,seconds\nlength,3,-1\n", "-1"},
                 {"sweep,fragments,seconds\nlength,0,1\n", "above 0"},
                 {"sweep,fragments,seconds\nlength,3\n", "2 fields"},
                 {"sweep,fragments,seconds\nlength,3,1,1\n", "more fields"},
                 {"sweep,fragments,fps\nlength,3,0\n", "fps"},
                 {"sweep,fragments,seconds\n,3,1\n", "sweep is empty"},
                 {"sweep,fragments,seconds\nlength,3,1\n", "length has no value for cycles"},
                 {"sweep,fragments,cycles,seconds\nlenght,3,1,1\n", "unknown sweep 'lenght'"},
                 {"sweep,fragments,cycles,seconds\ntriangles,3,1,1\n", "no value for triangles"},
                 {"sweep,fragments,cycles,texture,reads,seconds\ntextures,3,1,8,4,1\n",
                  "textures has no value for format"},
                 {"sweep,fragments,pattern,texture,reads,seconds\ndependent,3,ramp,8,2,1\n",
                  "no value for dependent"}};
    char path[] = "/tmp/aetius-rows-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_rows rows = {0};
        struct error err = {""};
        assert_true(file_write(path, cases[i].text, strlen(cases[i].text), &err));
        if (model_rows_read(&rows, path, &err) || !strstr(err.text, cases[i].message))
            fail_msg("%s: %s", cases[i].text, err.text);
        VEC_FREE(&rows);
    }
    struct model_rows rows = {0};
    struct error err = {""};
    const char *good = "sweep,fragments,cycles,fps\r\nlength,3,1,50\r\n\r\n";
    assert_true(file_write(path, good, strlen(good), &err));
    assert_true(model_rows_read(&rows, path, &err));
    assert_true(rows.count == 1 && is_near(rows.items[0].seconds, 0.02, 1e-12));
    VEC_FREE(&rows);
    unlink(path);
}

/* Two measurements at the same point are both fitted or both held out. The rows of a fit belong to
 * one machine. */
static void
rows_belong_together(void **state)
{
    struct model_rows rows = {0};
    struct model model;
    struct error err = {""};
    for (uint32_t twice = 0; twice < 2; twice++)
        for (uint32_t i = 1; i <= 9; i++)
            add_row(&rows, "length", 1e5, i)->seconds = 1e-3 * i + 1e-5 * twice;
    bool *fitted = model_split(&rows);
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(fitted[i], i % 2 == 0);
        assert_int_equal(fitted[i], fitted[9 + i]);
    }
    rows.items[3].rate = 5;
    assert_false(model_fit(&model, &rows, fitted, 1e9, &err));
    assert_non_null(strstr(err.text, "two rates"));
    strcpy(rows.items[4].renderer, "another");
    rows.items[3].rate = 0;
    assert_false(model_fit(&model, &rows, fitted, 1e9, &err));
    assert_non_null(strstr(err.text, "of two machines, 'made up' and 'another'"));
    free(fitted);
    VEC_FREE(&rows);
}

static void
too_few(void **state)
{
    struct model_rows rows = {0};
    struct model model;
    struct error err = {""};
    add_row(&rows, "fragments", 1e5, 20)->seconds = 1e-3;
    assert_false(model_fit(&model, &rows, NULL, 1e9, &err));
    assert_non_null(strstr(err.text, "length"));
    for (uint32_t i = 1; i <= 3; i++)
        add_row(&rows, "length", 1e5, i)->seconds = 1e-3 * i;
    assert_false(model_fit(&model, &rows, NULL, 1e9, &err));
    assert_non_null(strstr(err.text, "3 points"));
    add_row(&rows, "length", 1e5, 4)->seconds = 4e-3;
    assert_true(model_fit(&model, &rows, NULL, 1e9, &err));
    model_fini(&model);
    VEC_FREE(&rows);
}

/* ---- frames ---- */

static const struct {
    const char *name;
    double value;
} frame_factors[] = {{"texture", 1.3}, {"color", 0.5}, {"z", 0.3},    {"attribute", 1.2},
                     {"memory", 1.25}, {"fetch", 1.4}, {"drain", 80}, {"bus", 0.125},
                     {"swap", 0.9},    {"blit", 0.4},  {"vertex", 3}, {"raster", 1},
                     {"beside", 0.2},  {"show", 500}};

static void
set_frame_factors(struct model *model)
{
    model_set_factor(model, "rate", 8e9, 0);
    model_set_factor(model, "start", 0, 0);
    model_set_factor(model, "clock", 500e6, 0);
    for (size_t k = 0; k < sizeof frame_factors / sizeof frame_factors[0]; k++) {
        char name[32];
        snprintf(name, sizeof name, "frames.%s", frame_factors[k].name);
        model_set_factor(model, name, frame_factors[k].value, 0);
    }
}

/* Makes draws bound by memory, by the Streamer and by fragments, and uploads, blits and pictures.
 */
static void
make_work(struct trace_work *work)
{
    *work = (struct trace_work){.memory_rate = 64};
    for (uint32_t f = 0; f < 60; f++) {
        struct trace_frame_work frame = {.shown_bytes = 1e5 * (f % 5), .blitted = 1e4 * (f % 3)};
        for (uint32_t d = 0; d <= f % 4 * 5; d++) {
            struct trace_draw draw = {.frame = f, .number = d, .latency = 20 + 30 * (d % 3)};
            draw.units[UNIT_fragment] = f % 3 == 0 ? 9000.0 * (1 + f % 7) : 100;
            draw.units[UNIT_fetch] = f % 3 == 1 ? 5000.0 * (1 + f % 4) : 100;
            draw.bytes[f % TRACE_CLIENT_COUNT] = f % 3 == 2 ? 2e5 * (1 + f % 5) : 1000;
            draw.buffer_bytes = f % 6 == 5 ? 4e4 : 0;
            VEC_PUSH(&work->draws, draw);
        }
        VEC_PUSH(&work->frames, frame);
    }
}

/* The calculated cycles of one frame. The draw takes 80 + 20 + 9000 and 0.2 of the second unit,
 * plus 640 bytes of the command stream. The picture and the dirty cache lines take 0.9 x 128000 /
 * 64, plus 500. Another frame is bound by a vertex program and reuses half of its vertices. It
 * takes 1 + 0.5 x (3 - 1) times as long. */
static void
frames_by_hand(void **state)
{
    struct model model = {0};
    struct trace_work work = {.memory_rate = 64};
    struct trace_draw draw = {.latency = 20, .buffer_bytes = 800, .stream_bytes = 640};
    const struct trace_frame_work frame = {
        .shown_bytes = 100000, .dirty_bytes = 28000, .clears = 2};
    const double rest = 100 + 80 + 80 + 20 + 1800 + 500 + 30;
    struct frame_prediction prediction;
    set_frame_factors(&model);
    draw.units[UNIT_fragment] = 9000;
    draw.bytes[ASKED_color] = 64000; /* 0.5 x 1.25 x 1000: less than the time of the fragments */
    VEC_PUSH(&work.draws, draw);
    VEC_PUSH(&work.frames, frame);
    model_predict_frame(&prediction, &model, &work, 0);
    assert_true(is_near(prediction.cycles, rest + 9000 + 0.2 * 625, 1e-9));
    assert_true(is_near(prediction.seconds, prediction.cycles / 500e6, 1e-9));
    assert_string_equal(frame_bound_name(prediction.bound), "fragment");
    work.draws.items[0].bytes[ASKED_color] = 64e6;
    model_predict_frame(&prediction, &model, &work, 0);
    assert_true(is_near(prediction.cycles, rest + 625000 + 0.2 * 9000, 1e-9));
    assert_string_equal(frame_bound_name(prediction.bound), "memory");
    work.draws.items[0].bytes[ASKED_color] = 0;
    work.draws.items[0].units[UNIT_vertex] = 10000;
    work.draws.items[0].reused = 0.5;
    model_predict_frame(&prediction, &model, &work, 0);
    assert_true(is_near(prediction.cycles, rest + 20000 + 0.2 * 9000, 1e-9));
    assert_string_equal(frame_bound_name(prediction.bound), "vertex");
    work.unified = true; /* vertices and fragments run one after the other on the same units */
    model_predict_frame(&prediction, &model, &work, 0);
    assert_true(is_near(prediction.cycles, rest + 29000, 1e-9));
    assert_string_equal(frame_bound_name(prediction.bound), "fragment");
    trace_work_fini(&work);
    model_fini(&model);
}

static void
frame_factors_come_back(void **state)
{
    struct model made = {0}, fitted = {0};
    struct trace_work work;
    struct frame_lessons lessons = {0};
    struct error err = {""};
    set_frame_factors(&made);
    make_work(&work);
    for (uint32_t f = 0; f < work.frames.count; f++) {
        struct frame_prediction prediction;
        struct frame_lesson lesson = {.frame = f, .weight = 1, .work = &work};
        model_predict_frame(&prediction, &made, &work, f);
        lesson.cycles = prediction.cycles;
        for (size_t d = 0; d < work.draws.count; d++)
            for (uint32_t c = 0; c < TRACE_CLIENT_COUNT && work.draws.items[d].frame == f; c++)
                lesson.bytes[c] += frame_factors[c].value * work.draws.items[d].bytes[c];
        VEC_PUSH(&lessons, lesson);
    }
    assert_false(model_has_frames(&fitted));
    if (!model_fit_frames(&fitted, &lessons, &err))
        fail_msg("%s", err.text);
    assert_true(model_has_frames(&fitted));
    model_set_factor(&fitted, "clock", 500e6, 0);
    for (size_t i = 0; i < lessons.count; i++) {
        struct frame_prediction prediction;
        model_predict_frame(&prediction, &fitted, &work, lessons.items[i].frame);
        assert_true(is_near(prediction.cycles, lessons.items[i].cycles, 0.03));
    }
    assert_true(is_near(model_factor(&fitted, "frames.memory"), 1.25, 0.05));
    assert_true(is_near(model_factor(&fitted, "frames.fetch"), 1.4, 0.05));
    assert_true(isnan(model_factor(&fitted, "frames.error"))); /* one run cannot predict itself */
    /* Two runs of the same machine predict each other. If all frames of the first take twice the
     * cycles of the second, a prediction of one run by the other is half of it, or twice as much.
     */
    struct trace_work twin = work;
    for (size_t i = lessons.count / 2; i < lessons.count; i++)
        lessons.items[i].work = &twin;
    model_fini(&fitted);
    fitted = (struct model){0};
    assert_true(model_fit_frames(&fitted, &lessons, &err));
    assert_true(model_factor(&fitted, "frames.error") < 0.05);
    for (size_t i = 0; i < lessons.count / 2; i++)
        lessons.items[i].cycles *= 2;
    model_fini(&fitted);
    fitted = (struct model){0};
    assert_true(model_fit_frames(&fitted, &lessons, &err));
    assert_true(model_factor(&fitted, "frames.error") > 0.4);
    lessons.count = 15;
    assert_false(model_fit_frames(&fitted, &lessons, &err));
    trace_work_fini(&work);
    VEC_FREE(&lessons);
    model_fini(&made);
    model_fini(&fitted);
}

/* ---- the command ---- */

static void
commands(void **state)
{
    struct model_rows rows = {0};
    struct error err = {""};
    char *csv = in_dir("rows.csv"), *text;
    size_t size;
    make_rows(&rows, 0.01);
    FILE *file = open_memstream(&text, &size);
    model_rows_header(file);
    for (size_t i = 0; i < rows.count; i++)
        model_row_print(&rows.items[i], file);
    fclose(file);
    assert_true(file_write(csv, text, size, &err));
    free(text);
    VEC_FREE(&rows);
    assert_int_equal(RUN("model", "fit", "@rows.csv", "-o", "@model"), 0);
    assert_false(reports("spread"));
    put_text("noisy.csv", "sweep,fragments,seconds,spread,cycles\nlength,1000,1,0.3,1\n"
                          "length,1000,2,0.1,2\nlength,1000,3,0.1,3\nlength,1000,4,0.41,4\n");
    assert_int_equal(RUN("model", "fit", "@noisy.csv", "--rate", "1000", "--all", "-o", "@noisy"),
                     0);
    assert_true(
        reports("2 of 4 measurements have a spread above 10 % of their time, the largest 30 %"));
    put_text("some.csv", "sweep,fragments,seconds,cycles\nlength,1000,1,1\nlength,1000,2,2\n"
                         "length,1000,,3\nlength,1000,4,4\nlength,1000,5,5\nlength,1000,,6\n");
    assert_int_equal(RUN("model", "fit", "@some.csv", "--rate", "1000", "--all", "-o", "@some"), 0);
    assert_true(reports("sweep length: 2 of 6 points have no time, the first in line 4"));
    assert_true(reports("no measurements of sweep dependent (stage dependent)"));
    assert_int_equal(RUN("model", "check", "@some", "@some.csv"), 1);
    assert_true(reports("some.csv:4: seconds must be above 0"));
    put_text("none.csv", "sweep,fragments,seconds,fps,cycles\nlength,1000,,,1\n");
    assert_int_equal(RUN("model", "fit", "@none.csv", "-o", "@none"), 1);
    assert_true(reports("no measurement has a time"));
    assert_int_equal(RUN("model", "template", "--sweep", "length", "-o", "@points.csv"), 0);
    assert_int_equal(RUN("model", "template", "--sweep", "length", "-o", "@points.csv"), 1);
    assert_true(reports("points.csv exists; --force overwrites it"));
    assert_int_equal(RUN("model", "fit", "@points.csv", "-o", "@none"), 1);
    assert_int_equal(RUN("model", "from-datasheet", "clock=1e9", "pipes=4", "-o", "@sheet"), 0);
    assert_int_equal(RUN("model", "from-datasheet", "clock=1e9", "pipes=4", "-o", "@sheet"), 1);
    assert_int_equal(RUN("model", "from-datasheet", "clock=1e9", "-o", "@sheet"), 2);
    assert_int_equal(
        RUN("model", "predict", "@sheet", "--set", "fragments=1000", "--set", "cycles=4"), 0);
    assert_int_equal(RUN("model", "check", "@model", "@rows.csv", "--fail-over", "5"), 0);
    assert_int_equal(RUN("model", "check", "@model", "@rows.csv", "--fail-over", "0.001"), 3);
    assert_int_equal(RUN("model", "check", "@model", "@rows.csv", "--fail-over", "few"), 2);
    assert_int_equal(RUN("model", "check", "@model", "@rows.csv", "--fail-over", "nan"), 2);
    assert_int_equal(RUN("model", "fit", "@rows.csv", "-o", "@rows.csv"), 2);
    assert_true(reports("is one of the measurement files"));
    assert_int_equal(RUN("model", "fit", "@rows.csv", "--all", "-o", "@all"), 0);
    assert_int_equal(RUN("model", "check", "@all", "@rows.csv", "--json"), 0);
    text = file_text("out");
    cJSON *all = cJSON_Parse(text);
    const cJSON *held = cJSON_GetObjectItem(all, "held_out");
    assert_int_equal(cJSON_GetObjectItem(held, "rows")->valueint, 0);
    cJSON_Delete(all);
    free(text);
    assert_int_equal(RUN("model", "bench", "--sweep", "colors", "-o", "@other"), 2);
    assert_true(reports("unknown sweep 'colors'"));
    assert_int_equal(RUN("model", "predict", "@model", "--trace", TINY, "--workload", "x"), 2);
    assert_int_equal(RUN("model", "predict", "@model", "--frames", "0"), 2);
    assert_int_equal(
        RUN("model", "predict", "@model", "--set", "fragments=1e6", "--set", "cycles=50", "--json"),
        0);
    text = file_text("out");
    cJSON *root = cJSON_Parse(text);
    assert_true(is_near(cJSON_GetObjectItem(root, "fps")->valuedouble, 100, 0.03));
    cJSON_Delete(root);
    free(text);
    assert_int_equal(RUN("model", "predict", "@model", "--set", "fragments=1e6"), 1);
    assert_true(reports("cycles"));
    put_text("pipes.csv", "sweep,fragments,seconds,cycles,pipes\nlength,1000,1,1,2\n");
    assert_int_equal(RUN("model", "fit", "@pipes.csv", "-o", "@other"), 1);
    assert_true(reports("'pipes' is not a column of measurements"));
    assert_int_equal(RUN("model", "predict", "--set", "cycles=1", "--set", "fragments=1"), 1);
    assert_true(reports("rate"));
    assert_int_equal(RUN("model", "predict", "@model", "--set", "cycles"), 1);
    assert_int_equal(RUN("model", "predict", "@model", "--set", "fragments=1e6", "--set",
                         "cycles=5", "--set", "reads=2", "--set", "dependent=3"),
                     1);
    assert_true(reports("more dependent reads than reads"));
    assert_int_equal(RUN("model", "predict", "@model", "--set", "fragments=1e6", "--set",
                         "cycles=5", "--set", "reads=2"),
                     1);
    assert_true(reports("reads require the size"));
    assert_int_equal(RUN("model", "predict", "--set", "fragments=1e308", "--set", "cycles=1e308",
                         "--set", "rate=1"),
                     1);
    assert_true(reports("has no frame rate"));
    assert_int_equal(
        RUN("model", "predict", "@model", "--set", "fragments=1e9", "--set", "cycles=5"), 0);
    text = file_text("out");
    assert_non_null(strstr(text, "extrapolated"));
    free(text);
    assert_int_equal(RUN("model", "predict", "@model", "--without", "base"), 1);
    assert_int_equal(RUN("model", "guess"), 2);
    assert_int_equal(RUN("model", "fit", "@model", "-o", "@other"), 1);
    assert_int_equal(RUN("model", "rows", "@nowhere", "-o", "@other"), 1);
    assert_false(is_there("other"));
    assert_int_equal(RUN("model", "predict", "@model", "--trace", TINY), 1);
    assert_true(reports("no frame stages"));
    struct model frames = {0};
    char *path = in_dir("frames");
    set_frame_factors(&frames);
    assert_true(model_write(&frames, path, &err));
    assert_int_equal(RUN("model", "predict", "@frames", "--trace", TINY, "--frames", "0"), 0);
    assert_int_equal(RUN("model", "predict", "@frames", "--trace", TINY, "--frames", "99"), 1);
    assert_int_equal(RUN("model", "predict", "@frames", "--trace", TINY, "--preset", "g70-like"),
                     1);
    assert_true(reports("another machine"));
    assert_int_equal(RUN("sim", TINY, "-o", "@run", "--model", "@frames"), 0);
    char *shown = file_text("out");
    assert_true(strstr(shown, "the staged model") && strstr(shown, "bound by"));
    free(shown);
    assert_int_equal(RUN("model", "predict", "@frames", "--trace", TINY, "--against", "@run"), 0);
    assert_int_equal(RUN("model", "predict", "@frames", "--trace", WORKLOADS, "--against", "@run"),
                     1);
    assert_true(reports("it is a run of tiny, but the trace is of workloads"));
    assert_int_equal(RUN("sim", TINY, "-o", "@run", "--force", "--preset", "g70-like"), 0);
    assert_int_equal(RUN("model", "predict", "@frames", "--trace", TINY, "--against", "@run"), 1);
    assert_true(reports("another machine"));
    assert_int_equal(RUN("sim", TINY, "-o", "@none", "--model", "@frames", "--json"), 2);
    assert_int_equal(RUN("sim", TINY, "-o", "@none", "--model", "@model"), 1);
    assert_true(reports("no frame stages") && !is_there("none"));
    model_fini(&frames);
    free(path);
    free(csv);
}

static double
counted(const char *column)
{
    struct error err = {""};
    char *path = in_dir("machine/stats.frames.csv.gz");
    double sum;
    if (!csv_read_sum(path, column, &sum, &err))
        fail_msg("%s", err.text);
    free(path);
    return sum;
}

/* The work predicted from a trace equals the counts of the machine. */
static void
work_is_the_machines(void **state)
{
    struct trace_work work;
    struct trace_reader *reader;
    struct params params;
    struct error err = {""};
    const struct frame_set all = {0};
    double bytes = 0, setup = 0;
    params_init(&params);
    assert_int_equal(RUN("sim", TINY, "-o", "@machine"), 0);
    assert_true(trace_reader_open(&reader, TINY, &err));
    if (!trace_work_find(&work, reader, &all, &params, FILE_MEMORY_BYTES, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < work.draws.count; i++) {
        bytes += work.draws.items[i].stream_bytes;
        setup += work.draws.items[i].units[UNIT_setup];
    }
    /* 16 bytes per constant (four numbers), and 16 per instruction */
    assert_true(is_near(
        bytes, 16 * (counted("cmdproc.constants") + counted("cmdproc.program_instructions")),
        1e-9));
    /* A setup unit takes a triangle every SetupStartLatency cycles, including culled ones.
     * Triangles that the Clipper removes do not arrive. */
    const double each = (double)params.RASTERIZER.SetupStartLatency / params.RASTERIZER.SetupUnits;
    assert_true(setup >= each * counted("setup.primitives_in"));
    assert_true(trace_work_draws(&work, 0) && !trace_work_draws(&work, 99));
    /* the tiles of the picture have at most the pixels of the picture, and at least the pixels
     * written */
    for (size_t f = 0; f < work.frames.count; f++) {
        const double most = 4.0 * trace_frame(reader, (uint32_t)f)->width *
                            trace_frame(reader, (uint32_t)f)->height;
        assert_true(work.frames.items[f].shown_bytes > 0);
        assert_true(work.frames.items[f].shown_bytes <= most);
    }
    trace_work_fini(&work);
    trace_reader_close(reader);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas),
        cmocka_unit_test(workload_files),
        cmocka_unit_test(dependent_reads),
        cmocka_unit_test(addresses_are_read_too),
        cmocka_unit_test(stages_apply_in_order),
        cmocka_unit_test(caches_miss_as_counted),
        cmocka_unit_test(few_channels_take_longer),
        cmocka_unit_test(dependent_caches_come_back),
        cmocka_unit_test(patterns),
        cmocka_unit_test(segments_are_chosen),
        cmocka_unit_test(squares),
        cmocka_unit_test(curves_are_refused),
        cmocka_unit_test(spread_weighs_less),
        cmocka_unit_test(coefficients_come_back),
        cmocka_unit_test(large_triangles_were_measured),
        cmocka_unit_test(another_chip_is_judged_by_its_rate),
        cmocka_unit_test(in_all_is_each_stage_too),
        cmocka_unit_test(models_are_kept),
        cmocka_unit_test(bad_models),
        cmocka_unit_test(labels),
        cmocka_unit_test(bad_tables),
        cmocka_unit_test(rows_belong_together),
        cmocka_unit_test(too_few),
        cmocka_unit_test(frames_by_hand),
        cmocka_unit_test(frame_factors_come_back),
        cmocka_unit_test_teardown(commands, clean),
        cmocka_unit_test_teardown(work_is_the_machines, clean),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
