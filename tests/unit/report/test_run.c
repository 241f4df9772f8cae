/* Folders of runs. run.json contains the fields that readers need, and two runs can be compared. */
#include "model/collect.h"
#include "report/compare/compare_runs.h"
#include "report/run/csv.h"
#include "report/run/run_json.h"
#include "report/run/table.h"
#include "report/run/run.h"

#include "base/file.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct folder {
    char dir[32], json[64], ini[64], csv[64], units_csv[64];
};

/* Creates a run of two frames. Two units counted `things` in total, and memory moved `bytes`. */
static void
make_run(struct folder *f, const char *setting, uint64_t things, uint64_t bytes, uint64_t cycles)
{
    struct stat_set set;
    struct params params;
    struct error err;
    uint64_t counters[3] = {0, 0, 0};
    strcpy(f->dir, "/tmp/aetius-run-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->json, sizeof f->json, "%s/run.json", f->dir);
    snprintf(f->ini, sizeof f->ini, "%s/machine.ini", f->dir);
    snprintf(f->csv, sizeof f->csv, "%s/stats.frames.csv.gz", f->dir);
    snprintf(f->units_csv, sizeof f->units_csv, "%s/stats.frames.unit.csv.gz", f->dir);
    stat_set_init(&set);
    stat_set_add_counter(&set, "unit[0].things", "things", "things done", &counters[0]);
    stat_set_add_counter(&set, "unit[1].things", "things", "things done", &counters[1]);
    stat_set_add_counter(&set, "memctl.read_bytes", "bytes", "bytes read", &counters[2]);

    params_init(&params);
    assert_true(params_set(&params, setting, &err));
    struct table_layout *layout = table_layout_create(&set, &params);
    struct table table;
    const struct table_kind kind = {"frame", "", false};
    assert_true(table_open(&table, f->csv, &kind, layout, &err));
    table_row(&table, "0", "", (uint64_t[]){1, 1, 0}, 1);
    table_row(&table, "1", "", (uint64_t[]){things - 3, 1, bytes}, 1);
    assert_true(table_close(&table, true, &err));
    table_layout_destroy(layout);
    char *ini = params_to_ini(&params, NULL);
    assert_true(file_write(f->ini, ini, strlen(ini), &err));
    free(ini);

    struct run_frame frames[2] = {{.number = 4, .cycles = 100, .hash = 0xabc},
                                  {.number = 5, .cycles = cycles - 100, .hash = 1}};
    struct run_facts facts = {.program = "glxgears",
                              .frames = frames,
                              .frame_count = 2,
                              .width = 640,
                              .height = 480,
                              .cycles = cycles,
                              .picture_hash = 0x123456789abcdef0,
                              .complete = true,
                              .wall_seconds = 2,
                              .timed_seconds = 0.5,
                              .peak_rss_bytes = 4096};
    uint64_t values[3] = {things - 2, 2, bytes};
    struct totals totals = run_totals(&facts, &set, values, &params);
    char *json = run_to_json(&facts, &totals);
    assert_true(file_write(f->json, json, strlen(json), &err));
    free(json);
    totals_free(&totals);
    stat_set_fini(&set);
}

static void
remove_run(struct folder *f)
{
    unlink(f->json);
    unlink(f->ini);
    unlink(f->csv);
    unlink(f->units_csv);
    rmdir(f->dir);
}

static void
run_json_holds_what_readers_rely_on(void **state)
{
    static const char *const fields[] = {
        "busy_cycles",    "fragments",    "metrics",      "wall_ms_per_frame",
        "program",        "trace",        "frames",       "cycles",
        "width",          "height",       "wall_seconds", "cycles_per_second",
        "peak_rss_bytes", "picture_hash", "version",      "complete",
        "schema"};
    struct folder f;
    struct error err;
    char *text = NULL;
    size_t size = 0;
    make_run(&f, "GPU.ClockMHz=1000", 10, 64, 300);
    assert_true(file_read(f.json, SIZE_MAX, &text, &size, &err));
    cJSON *root = cJSON_Parse(text);
    assert_non_null(root);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        assert_non_null(cJSON_GetObjectItemCaseSensitive(root, fields[i]));
    assert_string_equal(cJSON_GetObjectItem(root, "picture_hash")->valuestring, "123456789abcdef0");
    assert_float_equal(cJSON_GetObjectItem(root, "cycles_per_second")->valuedouble, 600, 1e-9);
    const cJSON *second = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "per_frame"), 1);
    assert_int_equal(cJSON_GetObjectItem(second, "frame")->valueint, 5);
    assert_int_equal(cJSON_GetObjectItem(second, "cycles")->valueint, 200);
    assert_string_equal(cJSON_GetObjectItem(second, "hash")->valuestring, "0000000000000001");
    /* 300 cycles at 1000 MHz are 0.0003 ms; a metric whose counters are missing has no value */
    const cJSON *metrics = cJSON_GetObjectItem(root, "metrics");
    assert_float_equal(cJSON_GetObjectItem(metrics, "time")->valuedouble, 0.0003, 1e-12);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(metrics, "hz_culled")));
    cJSON_Delete(root);
    free(text);
    remove_run(&f);
}

static void
run_json_is_read_with_all_fields(void **state)
{
    struct folder f;
    struct error err;
    struct run_json run;
    double value;
    make_run(&f, "GPU.ClockMHz=1000", 10, 64, 300);
    assert_true(run_json_read(&run, f.dir, &err));
    assert_string_equal(run.program, "glxgears");
    assert_null(run.trace);
    assert_null(run.preset);
    assert_null(run.mode);
    assert_true(run.is_complete);
    assert_true(run.frames == 2 && run.first_frame == 0 && run.cycles == 300);
    assert_true(run.width == 640 && run.height == 480);
    assert_int_equal(run.per_frame_count, 2);
    assert_true(run.per_frame[0].number == 4 && run.per_frame[0].cycles == 100);
    assert_true(run.per_frame[1].number == 5 && run.per_frame[1].cycles == 200);
    assert_string_equal(run.per_frame[1].hash, "0000000000000001");
    assert_true(run_json_metric(&run, f.dir, "time", &value, &err));
    assert_float_equal(value, 0.0003, 1e-12);
    assert_true(run_json_metric(&run, f.dir, "hz_culled", &value, &err) && isnan(value));
    assert_true(run_json_metric(&run, f.dir, "none", &value, &err) && isnan(value));
    run_json_fini(&run);
    remove_run(&f);
}

static void
run_json_is_refused_by_all_readers(void **state)
{
    static const struct {
        const char *text, *message; /* NULL: the text is accepted */
    } rows[] = {
        {"", "run.json is not valid JSON"},
        {"{\"cycles\":1", "run.json is not valid JSON"},
        {"[{\"schema\":1}]", "run.json does not describe a run"},
        {"1", "run.json does not describe a run"},
        {"{\"schema\":99,\"trace\":\"t\"}", "run.json has schema 99"},
        {"{\"trace\":\"t\",\"cycles\":\"1\"}", "run.json: cycles is not a number"},
        {"{\"trace\":\"t\",\"frames\":[]}", "run.json: frames is not a number"},
        {"{\"trace\":\"t\",\"first_frame\":1e999}", "run.json: first_frame is not a number"},
        {"{\"trace\":\"t\",\"width\":true}", "run.json: width is not a number"},
        {"{\"trace\":\"t\",\"height\":{}}", "run.json: height is not a number"},
        {"{\"per_frame\":[{},{\"frame\":\"0\"}]}", "run.json: frame is not a number"},
        {"{\"per_frame\":[{\"cycles\":\"0\"}]}", "run.json: cycles is not a number"},
        {"{\"trace\":\"t\",\"cycles\":null,\"per_frame\":[{}]}", NULL},
        {"{\"schema\":1,\"trace\":\"t\"}", NULL},
    };
    struct folder f;
    make_run(&f, "GPU.ClockMHz=1000", 10, 64, 300);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run_json run;
        struct error err[3] = {{""}, {""}, {""}};
        bool complete;
        assert_true(file_write(f.json, rows[i].text, strlen(rows[i].text), &err[0]));
        const bool ok = run_json_read(&run, f.dir, &err[0]);
        const bool is_told = run_is_complete(f.dir, &complete, &err[1]);
        char *trace = run_trace(f.dir, &err[2]);
        for (size_t e = 0; rows[i].message && e < 3; e++)
            if (!strstr(err[e].text, rows[i].message))
                fail_msg("%s: '%s'", rows[i].text, err[e].text);
        assert_true(ok == !rows[i].message && is_told == ok && !trace == !ok);
        if (ok) {
            assert_true(isnan(run.cycles) && isnan(run.frames) && isnan(run.width));
            assert_false(run.is_complete || complete);
            assert_string_equal(trace, "t");
            run_json_fini(&run);
        }
        free(trace);
    }
    remove_run(&f);
}

static void
two_runs_are_compared(void **state)
{
    struct folder a, b;
    struct run_comparison comparison;
    struct error err;
    make_run(&a, "GPU.NumStampPipes=2", 10, 1000000, 300);
    make_run(&b, "SHADER.Mode=instant", 40, 1000100, 330);
    assert_true(is_run_folder(a.dir));
    assert_true(compare_runs(a.dir, b.dir, &comparison, &err));
    assert_float_equal(comparison.cycles_a, 300, 0);
    assert_float_equal(comparison.cycles_b, 330, 0);
    assert_int_equal(comparison.machine_count, 2);
    assert_string_equal(comparison.machine[0].name, "GPU.NumStampPipes");
    assert_string_equal(comparison.machine[0].a, "2");
    assert_string_equal(comparison.machine[0].b, "4");
    assert_string_equal(comparison.machine[1].b, "instant");
    /* the common metrics of both runs: the time of 330 cycles is 1.1 times that of 300 */
    assert_string_equal(comparison.metrics[0].name, "time");
    assert_float_equal(comparison.metrics[0].b / comparison.metrics[0].a, 1.1, 1e-9);
    /* sum of both units; 30 of 40 is a larger change than 100 of a million */
    assert_int_equal(comparison.moved, 2);
    assert_string_equal(comparison.moves[0].name, "unit.things");
    assert_int_equal(comparison.moves[0].a, 10);
    assert_int_equal(comparison.moves[0].b, 40);
    assert_int_equal(comparison.moves[1].b, 1000100);
    run_comparison_fini(&comparison);
    remove_run(&a);
    remove_run(&b);
}

/* Rewrites the table of frames with two frames, which have the items of a queue and these peaks. */
static void
write_queue(const struct folder *f, uint64_t first_peak, uint64_t second_peak)
{
    struct error err;
    unlink(f->csv);
    struct csv *csv = csv_create(f->csv, "frame,queue.occupancy_peak,queue.items_in", &err);
    assert_non_null(csv);
    const uint64_t peaks[] = {first_peak, second_peak};
    for (uint32_t i = 0; i < 2; i++) {
        csv_number(csv, i);
        csv_number(csv, peaks[i]);
        csv_number(csv, 5);
        csv_end_row(csv);
    }
    assert_true(csv_destroy(csv, &err));
}

/* The peaks of the frames are 3 and 9 items, or 4 and 9. So both runs have the peak 9. */
static void
peaks_are_not_added(void **state)
{
    (void)state;
    struct folder a, b;
    struct run_comparison comparison;
    struct error err;
    make_run(&a, "GPU.NumStampPipes=2", 10, 64, 300);
    make_run(&b, "GPU.NumStampPipes=2", 10, 64, 300);
    write_queue(&a, 3, 9);
    write_queue(&b, 4, 9);
    assert_true(compare_runs(a.dir, b.dir, &comparison, &err));
    assert_int_equal(comparison.moved, 0);
    assert_int_equal(comparison.move_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const bool is_peak = !strcmp(comparison.moves[i].name, "queue.occupancy_peak");
        assert_int_equal(comparison.moves[i].a, is_peak ? 9 : 10);
        assert_int_equal(comparison.moves[i].b, is_peak ? 9 : 10);
    }
    run_comparison_fini(&comparison);
    remove_run(&a);
    remove_run(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks_are_not_added),
        cmocka_unit_test(run_json_holds_what_readers_rely_on),
        cmocka_unit_test(run_json_is_read_with_all_fields),
        cmocka_unit_test(run_json_is_refused_by_all_readers),
        cmocka_unit_test(two_runs_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
