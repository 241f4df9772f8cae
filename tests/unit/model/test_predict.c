/* Predictions of workloads by formulas and by the misses of caches, with numbers of the source or
 * worked out by hand. */
#include "base/file.h"
#include "base/mem.h"
#include "model/cache_shape.h"
#include "model/check.h"
#include "model/model.h"
#include "model/pattern.h"
#include "rigs/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint32_t all_stages = (1u << MODEL_STAGES) - 1;

/* ---- formulas ---- */

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
    /* three calls: 2 cycles for each call and 2 for each return, or 7 in all */
    row.calls = 3;
    assert_true(is_near(predict_fps(NULL, &row, all_stages), 5.6e9 / (323 * 131072.0), 1e-12));
    row.call_cycles = 7;
    assert_true(is_near(predict_fps(NULL, &row, all_stages), 5.6e9 / (332 * 131072.0), 1e-12));
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

/* A fragment with one read has the ceiling of one read, if it was measured. */
static void
one_read_has_a_ceiling(void **state)
{
    static const struct spline four = {.knots = 2, .x = {1, 9}, .y = {4e9, 4e9}};
    static const struct spline one = {.knots = 2, .x = {1, 12}, .y = {1e9, 1e9}};
    struct model model = {0};
    struct model_row row = {.rate = 1e15,
                            .cycles = 1,
                            .fragments = 1e6,
                            .reads = 1,
                            .texture = 64,
                            .format = "RGBX8"}; /* stored as RGBA8 */
    const uint32_t stages = 1u << MODEL_BASE | 1u << MODEL_TEXTURES;
    model_set_factor(&model, "start", 0, 0);
    model_set_curve(&model, "textures RGBA8 powers", &four);
    assert_true(is_near(predict_fps(&model, &row, stages), 4000, 1e-9));
    model_set_curve(&model, "textures RGBA8 powers 1", &one);
    assert_true(is_near(predict_fps(&model, &row, stages), 1000, 1e-9));
    row.texture = 65; /* no curve for such sizes */
    assert_true(is_near(predict_fps(&model, &row, stages), 1000, 1e-9));
    row.reads = 2;
    assert_true(is_near(predict_fps(&model, &row, stages), 2000, 1e-9));
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas),
        cmocka_unit_test(workload_files),
        cmocka_unit_test(dependent_reads),
        cmocka_unit_test(addresses_are_read_too),
        cmocka_unit_test(one_read_has_a_ceiling),
        cmocka_unit_test(stages_apply_in_order),
        cmocka_unit_test(caches_miss_as_counted),
        cmocka_unit_test(few_channels_take_longer),
        cmocka_unit_test(patterns),
    };
    return cmocka_run_group_tests_name("predict", tests, NULL, NULL);
}
