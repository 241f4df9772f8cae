/* The staged performance model: the numbers of its source, fits to measurements that the test makes
 * from known coefficients, workloads, and refusals. */
#include "rigs/endings.h"
#include "rigs/model.h"
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
    if (!model_rows_read(&rows, AETIUS_SOURCE_DIR "/tests/golden/model-points.csv", &err) ||
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

/* The reads of a second format have a separate cost without misses. */
static void
formats_have_separate_costs(void **state)
{
    struct model_rows rows = {0};
    struct model model = {0};
    struct model_dependent found;
    struct error err = {""};
    for (double size = 8; size <= 512; size *= 2)
        for (uint32_t p = 0; pattern_name(p); p++)
            for (int bytes = 0; bytes < 2; bytes++) {
                if (bytes && size > 32) /* 4 KB: no misses */
                    continue;
                struct model_row *row = add_row(&rows, "dependent", 2e5, 4);
                row->texture = size;
                row->dependent = 1;
                strcpy(row->pattern, pattern_name(p));
                strcpy(row->format, bytes ? "RGBX8" : "RGBA32F");
                row->seconds =
                    made_start + row->fragments * (bytes ? 0.25e-9 : made_dependent(row, false));
            }
    model_set_factor(&model, "start", made_start, 0);
    if (!model_fit_dependent(&model, &rows, NULL, &err))
        fail_msg("%s", err.text);
    assert_true(is_near(model_factor(&model, "dependent.flat"), 1e-9, 0.01));
    assert_true(is_near(model_factor(&model, "dependent.flat.4"), 0.25e-9, 0.01));
    struct model_row asked = {.texture = 16, .dependent = 1, .format = "RGBX8", .pattern = "ramp"};
    assert_true(model_dependent_find(&found, &model, &asked, &err));
    assert_true(is_near(found.seconds, 0.25e-9, 0.01) && !found.extrapolated);
    strcpy(asked.format, "RGBA16F"); /* not measured: the cost of the first format */
    assert_true(model_dependent_find(&found, &model, &asked, &err));
    assert_true(is_near(found.seconds, 1e-9, 0.01) && found.extrapolated);
    model_fini(&model);
    VEC_FREE(&rows);
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
    assert_int_equal(RUN("model", "fit", "@rows.csv", "-o", "@model"), 1);
    assert_true(reports("model already exists; --force overwrites it"));
    assert_int_equal(RUN("model", "fit", "@rows.csv", "--force", "-o", "@model"), 0);
    put_text("noisy.csv", "sweep,fragments,seconds,spread,cycles\nlength,1000,1,0.3,1\n"
                          "length,1000,2,0.1,2\nlength,1000,3,0.1,3\nlength,1000,4,0.41,4\n");
    assert_int_equal(RUN("model", "fit", "@noisy.csv", "--rate", "1000", "--all", "-o", "@noisy"),
                     0);
    assert_true(
        reports("2 of 4 measurements have a spread above 10 % of their time, the largest 30 %"));
    put_text("some.csv", "sweep,fragments,seconds,cycles\nlength,1000,1,1\nlength,1000,2,2\n"
                         "length,1000,,3\nlength,1000,4,4\nlength,1000,5,5\nlength,1000,,6\n");
    assert_int_equal(RUN("model", "fit", "@some.csv", "--rate", "1000", "--all", "-o", "@some"), 0);
    char *some = in_dir("some.csv");
    char *points = mem_printf("sweep length: 2 of 6 points have no time: %s:4, %s:7\n", some, some);
    assert_true(reports(points));
    free(points);
    free(some);
    assert_true(reports("no measurements of sweep dependent (stage dependent)"));
    assert_int_equal(RUN("model", "check", "@some", "@some.csv"), 1);
    assert_true(reports("some.csv:4: seconds must be above 0"));
    put_text("none.csv", "sweep,fragments,seconds,fps,cycles\nlength,1000,,,1\n");
    assert_int_equal(RUN("model", "fit", "@none.csv", "-o", "@none"), 1);
    assert_true(reports("no measurement has a time"));
    assert_int_equal(RUN("model", "template", "--sweep", "length", "-o", "@points.csv"), 0);
    assert_int_equal(RUN("model", "template", "--sweep", "length", "-o", "@points.csv"), 1);
    assert_true(reports("points.csv already exists; --force overwrites it"));
    assert_int_equal(
        RUN("model", "template", "--sweep", "triangles", "--large", "-o", "@large.csv"), 0);
    text = file_text("large.csv");
    assert_non_null(strstr(text, ",1920000,2,")); /* 960,000 fragments per triangle */
    free(text);
    assert_int_equal(
        RUN("model", "template", "--sweep", "textures", "--large", "-o", "@large.csv", "--force"),
        0);
    text = file_text("large.csv");
    assert_non_null(strstr(text, "textures,RGBA32F,,,,196608,2,8,,,,,,,,,,4096,4,"));
    assert_non_null(strstr(text, "textures,RGBA32F,,,,1920000,2,8,,,,,,,,,,4096,1,"));
    free(text);
    assert_int_equal(
        RUN("model", "template", "--sweep", "dependent", "--large", "-o", "@large.csv", "--force"),
        0);
    text = file_text("large.csv");
    assert_non_null(strstr(text, "dependent,RGBX8,ramp,,,786432,2,4,,,,,,,,,,2048,2,1,32,"));
    free(text);
    assert_int_equal(RUN("model", "bench", "--step", "2", "-o", "@large"), 2);
    assert_true(reports("--step expects --large"));
    assert_int_equal(RUN("model", "bench", "--large", "--step", "0", "-o", "@large"), 2);
    assert_true(reports("--step expects --large, and a number from 1 to 2048"));
    assert_int_equal(RUN("model", "bench", "--patterns", "ramp,nonesuch", "-o", "@large"), 1);
    assert_true(reports("aetius: --patterns: 'nonesuch' is not an address pattern"));
    assert_false(reports("doctor") || reports("wrong options"));
    put_text("short.raw", "abc");
    char *raw = in_dir("short.raw");
    assert_int_equal(RUN("model", "bench", "--native", "--patterns", raw, "-o", "@large"), 1);
    assert_true(reports("short.raw is neither a PNG file nor an address texture: 3 bytes"));
    free(raw);
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
    assert_int_equal(RUN("model", "predict", "@model", "--set", "cycles=1", "--set", "cycle=1"), 1);
    assert_true(reports("did you mean cycles?"));
    assert_int_equal(RUN("model", "predict", "@model", "--set", "fragments=1e6", "--set",
                         "cycles=1", "--set", "reads=2", "--set", "texture=64"),
                     1);
    assert_true(reports("set `format`"));
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
    assert_int_equal(RUN("model", "rows", "@nowhere", "-o", "@model"), 1);
    assert_true(reports("model already exists; --force overwrites it"));
    assert_int_equal(RUN("model", "rows", "@nowhere", "-o", "@model", "--force"), 1);
    assert_true(reports("nowhere"));
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
    assert_true(is_near(setup, each * counted("setup.primitives_in"), 1e-9));
    assert_true(trace_work_draws(&work, 0) && !trace_work_draws(&work, 99));
    /* the caches and codecs are those of the machine */
    double texture = 0, shown = 0;
    for (size_t i = 0; i < work.draws.count; i++)
        texture += work.draws.items[i].bytes[CACHED_texture];
    for (size_t f = 0; f < work.frames.count; f++)
        shown += work.frames.items[f].shown_bytes;
    assert_true(is_near(texture, counted("memctl.texture_bytes_read"), 0.05));
    assert_true(is_near(shown, counted("memctl.dac_bytes_read"), 0.01));
    trace_work_fini(&work);
    trace_reader_close(reader);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_caches_come_back),
        cmocka_unit_test(formats_have_separate_costs),
        cmocka_unit_test(spread_weighs_less),
        cmocka_unit_test(coefficients_come_back),
        cmocka_unit_test(large_triangles_were_measured),
        cmocka_unit_test(another_chip_is_judged_by_its_rate),
        cmocka_unit_test(in_all_is_each_stage_too),
        cmocka_unit_test(models_are_kept),
        cmocka_unit_test(bad_models),
        cmocka_unit_test_teardown(commands, clean),
        cmocka_unit_test_teardown(work_is_the_machines, clean),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
