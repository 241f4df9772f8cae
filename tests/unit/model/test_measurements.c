/* Measurement tables for the staged model: labels, malformed tables, related rows, and fits to
 * incomplete tables. */
#include "rigs/endings.h"
#include "rigs/model.h"
#include "model/tables.h"

#include <cjson/cJSON.h>

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
                 {"sweep,fragment,seconds\n", "'fragment' is not a column of measurements; did you "
                                              "mean fragments?"},
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

#define LENGTHS                                                                                    \
    "sweep,fragments,seconds,cycles,texture,reads,format,dependent,pattern\n"                      \
    "length,1000,1,1,,,,,\nlength,1000,2,2,,,,,\nlength,1000,3,3,,,,,\nlength,1000,4,4,,,,,\n"     \
    "length,1000,5,5,,,,,\nlength,1000,6,6,,,,,\nlength,1000,7,7,,,,,\n"

/* A sweep that the user did not measure leaves the other stages to check. An invalid point that the
 * fit does not use ends the command before it writes the model. */
static void
fit_checks_what_it_can(void **state)
{
    put_text("part.csv", LENGTHS "springs,1000,9,5,64,2,RGBA8,,\n");
    assert_int_equal(RUN("model", "fit", "@part.csv", "--rate", "1000", "-o", "@part", "--json"),
                     0);
    assert_true(reports("1 of 8 measurements have no total error: the model lacks stage textures "
                        "for 'RGBA8'"));
    char *text = file_text("out");
    cJSON *root = cJSON_Parse(text);
    const cJSON *rows = cJSON_GetObjectItem(root, "rows"), *springs = cJSON_GetArrayItem(rows, 7);
    const cJSON *held = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "held_out"), "rows");
    assert_int_equal(held->valueint, 3); /* every other program, without both ends */
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 0), "error")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(springs, "error")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(springs, "predicted_fps")));
    cJSON_Delete(root);
    free(text);
    assert_int_equal(RUN("model", "check", "@part", "@part.csv"), 1);
    assert_true(reports("row 8: the model has no measurements of stage textures for 'RGBA8'"));

    put_text("bad.csv", LENGTHS "springs,1000,9,5,64,2,RGBA8,3,ramp\n");
    assert_int_equal(RUN("model", "fit", "@bad.csv", "--rate", "1000", "-o", "@bad"), 1);
    assert_true(reports("row 8: more dependent reads than reads"));
    assert_false(is_there("bad"));
}

/* A warning lists eight points without a time; JSON lists all. */
static void
fit_lists_points_without_a_time(void **state)
{
    put_text("gaps.csv", LENGTHS "length,1000,,8,,,,,\nlength,1000,,9,,,,,\n"
                                 "length,1000,,10,,,,,\nlength,1000,,11,,,,,\n"
                                 "length,1000,,12,,,,,\nlength,1000,,13,,,,,\n"
                                 "length,1000,,14,,,,,\nlength,1000,,15,,,,,\n"
                                 "length,1000,,16,,,,,\nlength,1000,,17,,,,,\n");
    assert_int_equal(RUN("model", "fit", "@gaps.csv", "--rate", "1000", "-o", "@gaps", "--json"),
                     0);
    assert_true(reports("sweep length: 10 of 17 points have no time: "));
    assert_true(reports("gaps.csv:16 and 2 more (--json lists all)"));
    assert_false(reports("gaps.csv:17"));
    char *text = file_text("out");
    cJSON *root = cJSON_Parse(text);
    const cJSON *missing = cJSON_GetObjectItem(root, "missing");
    assert_int_equal(cJSON_GetArraySize(missing), 10);
    const cJSON *last = cJSON_GetArrayItem(missing, 9);
    assert_int_equal(cJSON_GetObjectItem(last, "line")->valueint, 18);
    assert_non_null(strstr(cJSON_GetObjectItem(last, "file")->valuestring, "gaps.csv"));
    assert_string_equal(cJSON_GetObjectItem(last, "what")->valuestring,
                        "sweep=length fragments=1000 cycles=17");
    cJSON_Delete(root);
    free(text);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels),
        cmocka_unit_test(bad_tables),
        cmocka_unit_test(rows_belong_together),
        cmocka_unit_test(too_few),
        cmocka_unit_test_teardown(fit_checks_what_it_can, clean),
        cmocka_unit_test_teardown(fit_lists_points_without_a_time, clean),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
