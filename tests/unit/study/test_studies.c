/* Each study of src/study/studies.def starts with an empty folder and a relative output path. Each
 * runs with its plan, whose programs are replaced by small traces, with traces of the user, and on
 * one machine. Each table has rows, or a message states why the study omits it. Each link leads to
 * a file. The tables in docs/studies have the columns that the command writes. */
#include "rigs/endings.h"
#include "study/study.h"
#include "sweep/capture.h"

#include <cjson/cJSON.h>
#include <glob.h>
#include <math.h>

static const char *gl; /* folder of the programs of benchmarks/gl */

enum { STUDY_MS = 600000 };

static void
capture(const char *trace, const char *const *words)
{
    const char *all[WORDS] = {"capture", "-o", trace, "--"};
    char *program = mem_printf("%s/%s", gl, words[0]);
    uint32_t count = 4;
    all[count++] = program;
    for (uint32_t i = 1; words[i]; i++)
        all[count++] = words[i];
    if (await(start(all, 0), STUDY_MS) != 0) {
        char *text = file_text("err");
        fail_msg("%s: %s", trace, text);
    }
    free(program);
}

/* Captures traces that the studies hardware and model accept. */
static int
capture_inputs(void **state)
{
    static const char *const rates[] = {"rates", "--kind",   "color", "--size",
                                        "64x64", "--layers", "2",     NULL};
    static const char *const model[] = {"model",     "--sweep", "length", "--divide",  "16",
                                        "--samples", "1",       "--csv",  "/dev/null", NULL};
    static const char *const frames[] = {"frames", NULL};
    capture("@rates.trace", rates);
    capture("@sweeps.trace", model);
    capture("@all.trace", frames);
    assert_int_equal(RUN("trim", "@all.trace", "--frames", "0-39", "-o", "@frames.trace"), 0);
    assert_int_equal(RUN("trim", TINY, "--frames", "0", "-o", "@tiny.trace"), 0);
    return 0;
}

static void
copy_file(const char *from, const char *to)
{
    char *path = in_dir(to), *bytes;
    struct error err;
    size_t size;
    if (!file_read(from, SIZE_MAX, &bytes, &size, &err) || !file_write(path, bytes, size, &err))
        fail_msg("%s", err.text);
    free(bytes);
    free(path);
}

/* Copies a plan without its `simulate` lines: the captures of this test have few frames. */
static void
copy_plan(const char *from, const char *to)
{
    char *bytes, *line;
    struct error err;
    size_t size;
    if (!file_read(from, SIZE_MAX, &bytes, &size, &err))
        fail_msg("%s", err.text);
    while ((line = strstr(bytes, "\nsimulate = "))) {
        const char *rest = strchr(line + 1, '\n');
        memmove(line, rest, strlen(rest) + 1);
    }
    put_text(to, bytes);
    free(bytes);
}

/* Returns a trace that could come from the program of an input. */
static const char *
trace_for(const char *study, const char *input, const struct sweep_plan *plan)
{
    if (!strcmp(study, "hardware"))
        return "rates.trace";
    if (strcmp(study, "model") != 0)
        return "tiny.trace";
    if (word_list_has(sweep_plan_words(plan, "sweeps"), input) ||
        word_list_has(sweep_plan_words(plan, "columns"), input))
        return "sweeps.trace";
    return strcmp(input, "frames") ? "tiny.trace" : "frames.trace";
}

/* Stores captures in the folder of the study. */
static void
put_captures(const char *study, const struct sweep_plan *plan, const struct sweep_input *input)
{
    struct frame_set set;
    struct error err;
    assert_true(frame_set_parse(&set, input->frames, &err));
    char *source = capture_source(plan, input);
    char *file = mem_printf("new/own/traces/%s.source", input->name);
    put_text(file, source);
    free(file);
    free(source);
    for (uint32_t r = 0; r < set.count; r++) {
        char *name = capture_name(input, &set, r);
        char *link = mem_printf("%s/new/own/traces/%s.trace", dir, name);
        char *trace = in_dir(trace_for(study, name, plan));
        assert_int_equal(symlink(trace, link), 0);
        free(trace);
        free(link);
        free(name);
    }
}

/* Writes the plan of the study to p.ini, and creates a folder new/own with the captures of its
 * programs. */
static void
put_plan(const char *study)
{
    char *path = mem_printf("%s/studies/%s.ini", AETIUS_SOURCE_DIR, study);
    char *data = in_dir("data"), *to = in_dir("p.ini"), *traces = in_dir("new/own/traces");
    struct sweep_plan plan;
    struct error err;
    assert_true(dir_create(traces, &err));
    put_text("new/own/sweep.json", "{}"); /* marks the folder as that of a sweep */
    copy_plan(path, "p.ini");
    if (!is_there("data"))
        assert_int_equal(symlink(AETIUS_SOURCE_DIR "/studies/data", data), 0);
    assert_true(sweep_plan_load(&plan, to, &err));
    for (size_t i = 0; i < plan.inputs.count; i++)
        put_captures(study, &plan, &plan.inputs.items[i]);
    sweep_plan_fini(&plan);
    free(traces);
    free(data);
    free(to);
    free(path);
}

/* Checks that the links of the page lead to files of the study, relative to its folder. */
static void
check_links(const char *study, const char *page, const char *out)
{
    for (const char *at = page; (at = strstr(at, "]("));) {
        at += 2;
        const char *name = at + (*at == '<');
        if (!strncmp(name, "http", 4))
            continue;
        char *file = mem_printf("%s/%.*s", out, (int)strcspn(name, ")>"), name);
        if (!is_there(file))
            fail_msg("study %s links to %s, which is not there", study, file);
        free(file);
    }
}

/* Checks that every Markdown table has a row after its line of dashes. */
static void
check_rows(const char *study, const char *page)
{
    for (const char *line = page; *line;) {
        const char *next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (!strncmp(line, "| ---", 5) && *next != '|')
            fail_msg("study %s has a table without rows:\n%s", study, page);
        line = next;
    }
}

/* Returns the number of CSV files of a table in the plan: NAME.csv, or NAME-VALUE.csv with `split`.
 */
static size_t
count_files(const char *out, const char *table)
{
    char *pattern = mem_printf("%s/%s/%s{,-*}.csv", dir, out, table);
    glob_t found = {0};
    size_t count = 0;
    if (!glob(pattern, GLOB_BRACE, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct text_table rows = {0};
            struct error err;
            if (!text_table_read(&rows, found.gl_pathv[i], &err))
                fail_msg("%s", err.text);
            count += text_table_rows(&rows) > 1;
            text_table_fini(&rows);
        }
    globfree(&found);
    free(pattern);
    return count;
}

/* Checks that each table is either written, or omitted with a message. */
static void
check_tables(const char *study, const char *out)
{
    char *path = mem_printf("%s/studies/%s.ini", AETIUS_SOURCE_DIR, study),
         *text = file_text("err");
    struct sweep_plan plan;
    struct error err;
    assert_true(sweep_plan_load(&plan, path, &err));
    for (size_t i = 0; i < plan.tables.count; i++) {
        char *line = mem_printf("[table %s] is omitted: ", plan.tables.items[i].name);
        const bool made = count_files(out, plan.tables.items[i].name), listed = strstr(text, line);
        if (made == listed)
            fail_msg("study %s: table %s is %s\n%s", study, plan.tables.items[i].name,
                     made ? "made and left out" : "neither made nor left out with a line", text);
        free(line);
    }
    sweep_plan_fini(&plan);
    free(text);
    free(path);
}

static char *
read_page(const char *study, const char *out)
{
    char *name = mem_printf("%s/%s.md", out, study);
    char *page = file_text(name);
    free(name);
    return page;
}

/* Checks the files of a successful study. Returns its page. */
static char *
check_study(const char *study, const char *out, int status)
{
    if (status != 0) {
        char *text = file_text("err");
        fail_msg("study %s ended with %d:\n%s", study, status, text);
    }
    char *page = read_page(study, out), *printed = file_text("out");
    assert_string_equal(page, printed);
    free(printed);
    check_links(study, page, out);
    check_rows(study, page);
    check_tables(study, out);
    return page;
}

/* Compares the stored tables that are in the plan. */
static void
check_kept(const char *study, const char *out)
{
    char *pattern = mem_printf("%s/docs/studies/%s/*.csv", AETIUS_SOURCE_DIR, study);
    glob_t kept = {0};
    if (glob(pattern, 0, NULL, &kept))
        fail_msg("%s: none", pattern);
    for (size_t i = 0; i < kept.gl_pathc; i++) {
        struct text_table a = {0}, b = {0};
        struct error err;
        char *made = mem_printf("%s/%s%s", dir, out, strrchr(kept.gl_pathv[i], '/'));
        if (!text_table_read(&a, kept.gl_pathv[i], &err) || !text_table_read(&b, made, &err))
            fail_msg("%s", err.text);
        assert_int_equal(a.columns, b.columns);
        for (uint32_t c = 0; c < a.columns; c++)
            if (strcmp(text_table_at(&a, 0, c), text_table_at(&b, 0, c)) != 0)
                fail_msg("%s: %s instead of %s", made, text_table_at(&b, 0, c),
                         text_table_at(&a, 0, c));
        text_table_fini(&a);
        text_table_fini(&b);
        free(made);
    }
    globfree(&kept);
    free(pattern);
}

static void
own_plans(void **state)
{
    for (size_t k = 0; k < study_kind_count; k++) {
        const char *study = study_kinds[k].name;
        const char *const words[] = {"study", study, "--plan", "p.ini", "-o", "new/own", NULL};
        put_plan(study);
        free(check_study(study, "new/own", await(start(words, 0), STUDY_MS)));
        if (!strcmp(study, "rasterizer") || !strcmp(study, "shader") || !strcmp(study, "texture"))
            check_kept(study, "new/own");
        char *command = mem_printf("rm -rf %s/new", dir);
        assert_int_equal(system(command), 0);
        free(command);
    }
}

/* Returns the name of the first machine of the plan. */
static char *
first_machine(const char *study)
{
    char *path = mem_printf("%s/studies/%s.ini", AETIUS_SOURCE_DIR, study);
    struct sweep_plan plan;
    struct error err;
    assert_true(sweep_plan_load(&plan, path, &err));
    char *name = mem_strdup(plan.machines.items[0].name);
    sweep_plan_fini(&plan);
    free(path);
    return name;
}

/* Returns the expected message if a user's trace alone is not sufficient for the study, otherwise
 * NULL. */
static const char *
lacks(const char *study, const char *machine)
{
    return !strcmp(study, "model")      ? "has frames to predict, but no sweeps"
           : !strcmp(study, "hardware") ? "no measurement uses these inputs on these machines"
           : machine && !strcmp(study, "texture") /* the tables of this study compare machines */
               ? "texture.ini uses these machines and inputs"
               : NULL;
}

/* Runs a study with output in the folder `out`; machine NULL: all machines. */
static int
ask(const char *study, const char *machine, const char *trace, const char *out)
{
    const char *words[WORDS] = {"study", study, "-o", out, "--frames", "0-2"};
    uint32_t count = 6;
    words[count++] = trace;
    if (machine) {
        words[count++] = "--machines";
        words[count++] = machine;
    }
    return await(start(words, 0), STUDY_MS);
}

static void
check_own_trace(const char *study, const char *machine)
{
    char *out = mem_printf("new/%s-%s", study, machine ? machine : "all");
    const int status = ask(study, machine, "mine.trace", out);
    const char *says_so = lacks(study, machine);
    if (says_so) {
        assert_int_equal(status, 1);
        assert_true(reports(says_so));
    } else {
        char *page = check_study(study, out, status);
        if (!strstr(page, "mine"))
            fail_msg("study %s on %s says nothing of the user's trace:\n%s", study,
                     machine ? machine : "all", page);
        free(page);
    }
    free(out);
}

static void
own_traces(void **state)
{
    copy_file(WORKLOADS, "mine.trace");
    for (size_t k = 0; k < study_kind_count; k++)
        check_own_trace(study_kinds[k].name, NULL);
}

static void
one_machine(void **state)
{
    copy_file(WORKLOADS, "mine.trace");
    for (size_t k = 0; k < study_kind_count; k++) {
        char *machine = first_machine(study_kinds[k].name);
        check_own_trace(study_kinds[k].name, machine);
        free(machine);
    }
}

/* A file is not a capture if its name only resembles that of one. */
static void
names_with_numbers(void **state)
{
    copy_file(TINY, "mine-3.trace");
    copy_file(TINY, "mine-4.trace");
    free(check_study("shader", "new/numbers",
                     RUN("study", "shader", "mine-3.trace", "mine-4.trace", "--machines", "unified",
                         "-o", "new/numbers")));
    assert_true(is_there("new/numbers/fragments-mine-3.csv"));
    assert_false(is_there("new/numbers/fragments-mine.csv"));
}

static double
number_in(const char *file, uint32_t row, const char *column)
{
    struct text_table rows = {0};
    struct error err;
    char *path = in_dir(file);
    if (!text_table_read(&rows, path, &err))
        fail_msg("%s", err.text);
    double number = NAN;
    for (uint32_t c = 0; c < rows.columns; c++)
        if (!strcmp(text_table_at(&rows, 0, c), column))
            number = strtod(text_table_at(&rows, row, c), NULL);
    text_table_fini(&rows);
    free(path);
    return number;
}

/* Figures of several frames are per frame, and a verdict over several frames states so. The page
 * names the other preset. */
static void
several_frames(void **state)
{
    copy_file(TINY, "mine.trace");
    free(check_study("rasterizer", "new/frames",
                     RUN("study", "rasterizer", "mine.trace", "-o", "new/frames")));
    assert_int_equal(
        RUN("sweep", "query", "@new/frames",
            "SELECT cycles, frames, \"fraggen.fragments\" FROM results WHERE machine = "
            "'seven-level'",
            "--csv"),
        0);
    char *text = file_text("out");
    double cycles, frames, fragments;
    assert_int_equal(sscanf(text, "%*s %lf,%lf,%lf", &cycles, &frames, &fragments), 3);
    free(text);
    assert_true(frames == 2);
    assert_float_equal(number_in("new/frames/cycles.csv", 1, "frame, seven levels"), cycles / 2, 1);
    assert_float_equal(number_in("new/frames/scenes.csv", 1, "fragments"), fragments / 2, 1);
    char *page = check_study("verdicts", "new/verdicts",
                             RUN("study", "verdicts", "mine.trace", "--machines", "g70-like",
                                 "--preset", "nv40-like", "-o", "new/verdicts"));
    assert_non_null(strstr(page, "| mine (2 frames) | nv40-like |"));
    char *err = file_text("err");
    assert_null(strstr(err, "warning")); /* the preset has shallow queues */
    free(err);
    assert_non_null(
        strstr(page, "\n\nRun with: `mine.trace --machines g70-like --preset nv40-like`\n\n"));
    free(page);
}

/* The two studies that need specific traces. */
static void
traces_that_fit(void **state)
{
    char *rates = in_dir("rates.trace");
    copy_file(rates, "color.trace");
    free(check_study("hardware", "new/h", ask("hardware", "7800-gtx", "color.trace", "new/h")));
    assert_int_equal(
        RUN("study", "hardware", "color.trace", "--machines", "7800-gtx", "-o", "new/h", "--json"),
        0);
    char *json = file_text("out");
    cJSON *root = cJSON_Parse(json);
    const cJSON *line, *lines = cJSON_GetObjectItem(root, "measurements");
    assert_true(cJSON_GetArraySize(lines) > 0);
    cJSON_ArrayForEach(line, lines)
    {
        const double measured = cJSON_GetObjectItem(line, "measured")->valuedouble;
        const double simulated = cJSON_GetObjectItem(line, "simulated")->valuedouble;
        assert_string_equal(cJSON_GetObjectItem(line, "machine")->valuestring, "7800-gtx");
        assert_float_equal(cJSON_GetObjectItem(line, "error")->valuedouble,
                           simulated / measured - 1, 1e-4);
    }
    cJSON_Delete(root);
    free(json);
    const char *const words[] = {"study",    "model", "sweeps.trace", "--machines",
                                 "g70-like", "-o",    "new/m",        NULL};
    free(check_study("model", "new/m", await(start(words, 0), STUDY_MS)));
    free(rates);
}

/* The command finds the error before it simulates. */
static void
columns_of_another_program(void **state)
{
    char *plan = mem_printf("[study]\nsweeps = s\ncolumns = c\n[input s]\nfile = sweeps.trace\n"
                            "[input c]\nfile = %s\nframes = 0\n",
                            TINY);
    put_text("p.ini", plan);
    assert_int_equal(RUN("study", "model", "--plan", "p.ini", "-o", "new/columns"), 1);
    assert_true(reports("[study] columns: [input c]: ") && reports("no draw has a label"));
    assert_false(is_there("new/columns/results.db"));
    free(plan);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_plans),
        cmocka_unit_test(own_traces),
        cmocka_unit_test(one_machine),
        cmocka_unit_test(names_with_numbers),
        cmocka_unit_test(several_frames),
        cmocka_unit_test(traces_that_fit),
        cmocka_unit_test(columns_of_another_program),
    };
    BUG_ON(argc < 3, "usage: test_studies AETIUS MODEL [PATTERN]");
    aetius = argv[1];
    gl = argv[2];
    if (argc > 3)
        cmocka_set_test_filter(argv[3]);
    assert_non_null(mkdtemp(dir));
    const int failed = cmocka_run_group_tests(tests, capture_inputs, NULL);
    char *command = mem_printf("rm -rf %s", dir);
    const int removed = system(command);
    free(command);
    return failed || removed;
}
