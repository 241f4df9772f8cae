/* Studies: their plans, and compression totals compared with calculated results. The test runs the
 * command with a small trace, resumes it after a kill, and compares it with `aetius compress`. */
#include "rigs/endings.h"
#include "rigs/needs.h"
#include "base/file.h"
#include "study/codec_study.h"
#include "study/model_study.h"
#include "study/study.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>

/* Checks that the message about a missing program of a study names the source of the program. */
static void
has_source(const char *program)
{
    static const char *const all[][2] = {
#define PROGRAM(path, from) {path, from},
#include "sweep/programs.def"
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const size_t length = strlen(all[i][0]);
        if (!strncmp(program, all[i][0], length) &&
            (all[i][0][length - 1] == '/' || !program[length]))
            return;
    }
    fail_msg("src/sweep/programs.def does not say where %s comes from", program);
}

/* Checks the plans that are part of aetius. */
static void
test_own_plans(void **state)
{
    for (size_t k = 0; k < study_kind_count; k++) {
        char *path = mem_printf("%s/studies/%s.ini", AETIUS_SOURCE_DIR, study_kinds[k].name);
        struct word_list known = {0};
        struct sweep_plan plan;
        struct error err;
        if (!sweep_plan_load(&plan, path, &err))
            fail_msg("%s", err.text);
        word_list_split(&known, study_kinds[k].words);
        for (size_t i = 0; i < plan.study.count; i++)
            assert_true(word_list_has(&known, plan.study.items[i].name));
        for (size_t i = 0; i < plan.inputs.count; i++)
            if (plan.inputs.items[i].program.count)
                has_source(plan.inputs.items[i].program.items[0]);
        assert_int_equal(plan.clock, 60); /* reproducible figures */
        assert_ptr_equal(study_find(study_kinds[k].name), &study_kinds[k]);
        word_list_fini(&known);
        sweep_plan_fini(&plan);
        free(path);
    }
    assert_null(study_find("depth"));
}

/* The page of the staged model contains the results of the stored measurements. */
static void
test_model_page(void **state)
{
    static const char *const machines[] = {"g70-like", "r580-like", "reference-2008"};
    char *page, *page_path = mem_printf("%s/docs/studies/model.md", AETIUS_SOURCE_DIR);
    size_t size;
    struct error err = {""};
    assert_true(file_read(page_path, FILE_MOST_TEXT, &page, &size, &err));
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        struct model_machine machine = {.name = machines[i]};
        struct coherence_widths widths;
        char *path = mem_printf("%s/docs/studies/model/%s.csv", AETIUS_SOURCE_DIR, machines[i]);
        char *text;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        if (!model_rows_read(&machine.rows, path, &err) || !model_machine_fit(&machine, &err))
            fail_msg("%s", err.text);
        model_machine_tables(&machine, out);
        fclose(out);
        if (!strstr(page, text))
            fail_msg("%s is not that of %s: `aetius study model`\n%s", page_path, path, text);
        /* flat at the minimum, then above it, and never above the value for full agreement */
        assert_true(coherence_find(&widths, &machine));
        assert_true(widths.flat >= 1 && widths.flat < widths.half);
        assert_true(widths.least < 0.7 * widths.all);
        free(text);
        free(path);
        model_machine_fini(&machine);
    }
    free(page);
    free(page_path);
}

/* Sets the block counts of every codec that applies: `small` blocks at 64 bytes and `raw`
 * uncompressed ones. */
static void
set_blocks(struct codec_study_result *result, uint32_t kind, uint64_t small, uint64_t raw)
{
    const enum codec_kind applies = kind == COMPRESSION_COLOR ? CODEC_COLOR : CODEC_DEPTH;
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++) {
        struct compression_kind *tally = &result->buses[bus].kinds[kind];
        result->buses[bus].bus = bus;
        tally->transfers = small + raw + 5;
        tally->cleared = 5;
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            for (uint32_t l = 0; l < codecs[c]->levels[bus].count; l++)
                if ((codecs[c]->applies & applies) && codecs[c]->levels[bus].bytes[l] == 64) {
                    tally->fits[c][l] = small;
                    tally->raw[c] = raw;
                    break;
                }
    }
}

/* Sets the counts so that hilo compresses no block. */
static void
fit_nothing(struct codec_study_result *result, uint32_t kind)
{
    struct compression_kind *tally = &result->buses[0].kinds[kind];
    tally->raw[CODEC_ID_hilo] += tally->fits[CODEC_ID_hilo][0];
    tally->fits[CODEC_ID_hilo][0] = 0;
}

static void
test_means(void **state)
{
    struct word_list traces = {0}, machines = {0}, over = {0};
    struct codec_study_result plain[4], machine[4];
    word_list_split(&traces, "a b");
    word_list_split(&machines, "x0 x4");
    word_list_split(&over, "x0");
    memset(plain, 0, sizeof plain);
    memset(machine, 0, sizeof machine);
    struct codec_study study = {.traces = &traces,
                                .machines = &machines,
                                .chosen_over = &over,
                                .wanted = {"best", "best"},
                                .plain = plain,
                                .machine = machine};
    /* a at x0: 8 of 8 blocks at 64 bytes, ratio 4. b: none of 8, ratio 1. At x4 all blocks of both:
     * ratio 4. */
    set_blocks(&plain[0], COMPRESSION_COLOR, 8, 0);
    set_blocks(&plain[2], COMPRESSION_COLOR, 0, 8);
    set_blocks(&plain[1], COMPRESSION_COLOR, 8, 0);
    set_blocks(&plain[3], COMPRESSION_COLOR, 8, 0);
    fit_nothing(&plain[1], COMPRESSION_COLOR);
    const uint32_t color = COMPRESSION_COLOR, comp = CODEC_ID_comp, hilo = CODEC_ID_hilo;
    assert_float_equal(codec_study_ratio(&study, 0, 0, CODEC_BUS_64, color, comp), 4, 1e-9);
    assert_float_equal(codec_study_geometric(&study, 0, CODEC_BUS_64, color, comp), 2, 1e-9);
    assert_float_equal(codec_study_arithmetic(&study, 0, CODEC_BUS_64, color, comp), 2.5, 1e-9);
    assert_float_equal(codec_study_geometric(&study, 1, CODEC_BUS_64, color, comp), 4, 1e-9);
    assert_float_equal(codec_study_overall(&study, CODEC_BUS_64, color, comp), sqrt(8), 1e-9);
    /* hilo at x4: ratios 1 and 4 */
    assert_float_equal(codec_study_geometric(&study, 1, CODEC_BUS_64, color, hilo), 2, 1e-9);
    assert_int_equal(codec_study_place(&study, 1, CODEC_BUS_64, color, comp), 1);
    uint32_t better = 0; /* every other color codec: ratio 4 */
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        better += c != hilo && (codecs[c]->applies & CODEC_COLOR) != 0;
    assert_int_equal(codec_study_place(&study, 1, CODEC_BUS_64, color, hilo), better + 1);
    assert_int_equal(codec_study_place(&study, 0, CODEC_BUS_64, color, hilo), 1);
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = codec_study_rank(&study, CODEC_BUS_64, color, codec_of);
    assert_int_equal(codec_of[count - 1], CODEC_ID_hilo);
    /* no z blocks moved: null for all codecs */
    assert_float_equal(codec_study_geometric(&study, 0, CODEC_BUS_64, COMPRESSION_DEPTH, hilo), 0,
                       0);
    codec_study_choose(&study, codec_study_fits);
    assert_non_null(study.chosen[COMPRESSION_COLOR]);
    assert_null(study.chosen[COMPRESSION_DEPTH]);
    word_list_fini(&traces);
    word_list_fini(&machines);
    word_list_fini(&over);
}

/* Sets the color blocks of a codec: `small` at 64 bytes and `raw` uncompressed. */
static void
set_codec(struct codec_study_result *result, uint32_t codec, uint64_t small, uint64_t raw)
{
    struct compression_kind *tally = &result->buses[CODEC_BUS_64].kinds[COMPRESSION_COLOR];
    memset(tally->fits[codec], 0, sizeof tally->fits[codec]);
    for (uint32_t l = 0; l < codecs[codec]->levels[CODEC_BUS_64].count; l++)
        if (codecs[codec]->levels[CODEC_BUS_64].bytes[l] == 64) {
            tally->fits[codec][l] = small;
            break;
        }
    tally->raw[codec] = raw;
}

/* At x0 the published order is hilore4ref, hilorebi, hilore, comp, hilo, msaa (table 4.6). Here
 * msaa compresses most blocks and comp fewest, so each of the others is better than comp, and msaa
 * better than all. The machine "big" has no published ratio. */
static void
test_published(void **state)
{
    static const uint32_t best_first[] = {CODEC_ID_msaa,   CODEC_ID_hilore4ref, CODEC_ID_hilorebi,
                                          CODEC_ID_hilore, CODEC_ID_hilo,       CODEC_ID_comp};
    struct word_list traces = {0}, machines = {0};
    struct codec_study_result plain[2];
    word_list_split(&traces, "a");
    word_list_split(&machines, "big x0");
    memset(plain, 0, sizeof plain);
    struct codec_study study = {.traces = &traces, .machines = &machines, .plain = plain};
    set_blocks(&plain[0], COMPRESSION_COLOR, 8, 0);
    set_blocks(&plain[1], COMPRESSION_COLOR, 8, 0);
    for (uint32_t i = 0; i < 6; i++)
        set_codec(&plain[1], best_first[i], 7 - i, 1 + i);
    struct memory_text text;
    codec_study_print_published(&study, memory_text_open(&text));
    char *page = memory_text_take(&text);
    /* msaa: 7 of 8 blocks at 64 bytes: 2048 / (7 * 64 + 256) = 2.91 */
    assert_non_null(strstr(page, "| msaa       | 1.46 (6) | 2.91 (1) |      2.91 |\n"));
    /* comp: 2 of 8: 2048 / (2 * 64 + 6 * 256) = 1.23 */
    assert_non_null(strstr(page, "| comp       | 1.83 (4) | 1.23 (6) |      1.23 |\n"));
    assert_non_null(strstr(page, " hilore4ref, hilorebi, hilore, comp, hilo, msaa |"));
    assert_non_null(strstr(page, " msaa, hilore4ref, hilorebi, hilore, hilo, comp |"));
    assert_non_null(strstr(page, "| hilo > comp, msaa > hilo, msaa > hilore, msaa > hilorebi, "
                                 "msaa > hilore4ref, msaa > comp |\n"));
    assert_null(strstr(page, "big"));
    assert_null(strstr(page, "x2"));
    free(page);
    word_list_fini(&traces);
    word_list_fini(&machines);
}

static void
test_counts_file(void **state)
{
    struct codec_study_result result = {.frames = 3};
    struct compression back[CODEC_BUSES];
    struct error err;
    char *path = in_dir("compression.json");
    set_blocks(&result, COMPRESSION_COLOR, 6, 2);
    set_blocks(&result, COMPRESSION_DEPTH, 1, 0);
    assert_true(compression_write(result.buses, dir, &err));
    assert_true(compression_read(back, dir, &err));
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
        assert_memory_equal(back[bus].kinds, result.buses[bus].kinds, sizeof back[bus].kinds);
    assert_int_equal(truncate(path, 300), 0);
    assert_false(compression_read(back, dir, &err));
    assert_non_null(strstr(err.text, "compression.json is not valid JSON"));
    assert_true(file_write(path, "{\"schema\":1}", 12, &err));
    assert_false(compression_read(back, dir, &err));
    assert_non_null(strstr(err.text, "is damaged"));
    assert_int_equal(unlink(path), 0);
    assert_false(compression_read(back, dir, &err));
    free(path);
}

/* Of 8 raw blocks of color, comp compresses 6 to 64 bytes. There is one block of z. */
static void
test_counts_against_bytes(void **state)
{
    struct codec_study_result result = {.frames = 3};
    const struct codec *none[COMPRESSION_KINDS] = {NULL}, *comp[] = {&codec_comp, NULL};
    struct error err;
    set_blocks(&result, COMPRESSION_COLOR, 6, 2);
    set_blocks(&result, COMPRESSION_DEPTH, 1, 0);
    result.bytes[TRAFFIC_COLOR] = 8 * 256;
    result.bytes[TRAFFIC_Z] = 256;
    assert_true(codec_study_result_check(&result, none, &err));
    assert_false(codec_study_result_check(&result, comp, &err));
    result.bytes[TRAFFIC_COLOR] = 6 * 64 + 2 * 256;
    assert_true(codec_study_result_check(&result, comp, &err));
    result.bytes[TRAFFIC_Z] += 64;
    assert_false(codec_study_result_check(&result, comp, &err));
    assert_non_null(strstr(err.text, "z"));
}

static double
number_at(const cJSON *object, const char *a, const char *b)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, a);
    number = b ? cJSON_GetObjectItemCaseSensitive(number, b) : number;
    assert_true(cJSON_IsNumber(number));
    return number->valuedouble;
}

/* Returns the folder of the run of a machine, as a path of the test. */
static char *
run_folder(const char *machine)
{
    char *sql = mem_printf("SELECT key FROM runs WHERE machine LIKE '%s'", machine);
    assert_int_equal(RUN("sweep", "query", "@s", sql, "--csv"), 0);
    char *text = file_text("out");
    char *folder = mem_printf("@s/runs/%.32s", text + strlen("key\n"));
    free(text);
    free(sql);
    return folder;
}

/* Checks the blocks of a run with `aetius compress`: for the codec of the run, the bytes equal the
 * counted ones. */
static void
compare_with_compress(const char *machine, const cJSON *of)
{
    char *folder = run_folder(machine);
    assert_int_equal(RUN("compress", "--json", folder), 0);
    free(folder);
    char *text = file_text("out");
    cJSON *root = cJSON_Parse(text);
    free(text);
    static const char *const kinds[] = {"color", "z"};
    for (uint32_t k = 0; k < 2; k++) {
        char name[32];
        double bytes = number_at(root, kinds[k], "bytes_in");
        snprintf(name, sizeof name, "%s_codec", kinds[k]);
        const char *codec = cJSON_GetObjectItemCaseSensitive(of, name)->valuestring;
        const cJSON *one;
        snprintf(name, sizeof name, "%s_bytes", kinds[k]);
        cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(root, "codecs"))
        {
            if (!strcmp(cJSON_GetObjectItemCaseSensitive(one, "name")->valuestring, codec))
                bytes = number_at(one, name, NULL);
        }
        assert_true(bytes > 0);
        assert_float_equal(bytes, number_at(of, "bytes", kinds[k]), 0);
    }
    cJSON_Delete(root);
}

/* Writes a plan of the study whose runs keep their blocks. */
static void
put_plan(void)
{
    struct error err;
    char *plan;
    size_t size;
    assert_true(
        file_read(AETIUS_SOURCE_DIR "/studies/compression.ini", SIZE_MAX, &plan, &size, &err));
    char *line = strstr(plan, "blocks = count\n");
    assert_non_null(line);
    memcpy(line, "blocks = keep \n", strlen("blocks = keep \n"));
    put_text("keep.ini", plan);
    free(plan);
}

/* Returns the number of finished runs, and stores the time of the oldest one. */
static uint32_t
count_runs(int64_t *oldest)
{
    char *path = in_dir("s/runs");
    DIR *runs = opendir(path);
    uint32_t count = 0;
    *oldest = INT64_MAX;
    for (const struct dirent *entry; runs && (entry = readdir(runs));) {
        struct stat st;
        char *facts = mem_printf("%s/%s/sweep.json", path, entry->d_name);
        if (strlen(entry->d_name) == 32 && !stat(facts, &st)) {
            const int64_t time = st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec;
            *oldest = time < *oldest ? time : *oldest;
            count++;
        }
        free(facts);
    }
    if (runs)
        closedir(runs);
    free(path);
    return count;
}

static void
check_results(const char *json)
{
    cJSON *root = cJSON_Parse(json), *machine = cJSON_GetObjectItem(root, "machine");
    const cJSON *runs = cJSON_GetObjectItem(root, "runs");
    assert_int_equal(cJSON_GetArraySize(runs), 2);
    assert_int_equal(cJSON_GetArraySize(machine), 2);
    compare_with_compress("x0", cJSON_GetArrayItem(runs, 0));
    compare_with_compress("x4", cJSON_GetArrayItem(runs, 1));
    compare_with_compress("x0,%", cJSON_GetArrayItem(machine, 0));
    compare_with_compress("x4,%", cJSON_GetArrayItem(machine, 1));
    /* four samples move more bytes than one, and fewer with the codecs */
    const double x0 = number_at(cJSON_GetArrayItem(runs, 0), "bytes", "color");
    const double x4 = number_at(cJSON_GetArrayItem(runs, 1), "bytes", "color");
    assert_true(x4 > 2 * x0);
    assert_true(number_at(cJSON_GetArrayItem(machine, 1), "bytes", "color") < x4);
    cJSON_Delete(root);
}

enum { STUDY_MS = 300000 };
#define STUDY(...)                                                                                 \
    start((const char *const[]){"study", "compression", WORKLOADS, "-o", "@s", "--plan",           \
                                "@keep.ini", __VA_ARGS__, NULL},                                   \
          0)
#define TWO_FRAMES "--frames", "0-1", "--jobs", "1", "--machines", "x0,x4", "--json"

/* The test kills the command after the first run. The same command then continues without repeating
 * that run. */
static void
test_command(void **state)
{
    static const char *const left[] = {"compression.md",
                                       "traffic.csv",
                                       "levels.csv",
                                       "ratios.csv",
                                       "traffic-workloads.svg",
                                       "traffic-workloads.dat",
                                       "traffic-workloads.gnuplot",
                                       "ratios-z-32.svg",
                                       "levels-color-64.svg",
                                       "machine-gain.svg",
                                       "published.csv",
                                       "curves.csv",
                                       "traces.md",
                                       "charts-64/workloads-x4-traffic.svg",
                                       "charts-32/workloads-x0-blocks.svg"};
    int status;
    int64_t first, oldest;
    put_plan();
    const pid_t child = STUDY(TWO_FRAMES);
    while (!count_runs(&first) && !waitpid(child, &status, WNOHANG))
        pause_ms(2);
    assert_int_equal(kill(child, SIGKILL), 0);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(count_runs(&first), 1);

    assert_int_equal(await(STUDY(TWO_FRAMES), STUDY_MS), 0);
    assert_int_equal(count_runs(&oldest), 4);
    assert_true(oldest == first);
    char *json = file_text("s/compression.json"), *printed = file_text("out");
    assert_int_equal(strncmp(printed, json, strlen(json)), 0);
    check_results(json);

    /* all runs exist: the command repeats none, and the output is the same */
    assert_int_equal(await(STUDY(TWO_FRAMES), STUDY_MS), 0);
    assert_int_equal(count_runs(&oldest), 4);
    char *again = file_text("s/compression.json");
    assert_string_equal(again, json);
    free(again);
    free(json);
    free(printed);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        char *name = mem_printf("s/%s", left[i]);
        assert_true(is_there(name) || (strstr(name, ".svg") && !has_program("gnuplot")));
        free(name);
    }

    /* different frames need new runs */
    assert_int_equal(await(STUDY("--frames", "0", "--machines", "x0"), STUDY_MS), 0);
    assert_int_equal(count_runs(&oldest), 6);
}

/* Returns the first number of a query's result. */
static double
ask(const char *sql)
{
    assert_int_equal(RUN("sweep", "query", "@t", sql, "--csv"), 0);
    char *text = file_text("out");
    const size_t header = strcspn(text, "\n");
    assert_int_equal(text[header], '\n');
    const double number = strtod(text + header + 1, NULL);
    free(text);
    return number;
}

/* The bytes by client and by frame add up to those that the Memory Controller counted. */
static void
test_traffic(void **state)
{
    static const char *const left[] = {"traffic.md", "traffic.csv", "curve-workloads.svg",
                                       "clients-workloads.svg"};
    static const char *const machines[] = {"x0", "x4"};
    double all[2] = {0, 0}, color[2];
    assert_int_equal(RUN("study", "traffic", WORKLOADS, "-o", "@t", "--frames", "0-1", "--machines",
                         "x0,x4", "--json"),
                     0);
    char *text = file_text("out");
    cJSON *root = cJSON_Parse(text);
    cJSON *game = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "games"), "workloads");
    for (uint32_t m = 0; m < 2; m++) {
        const cJSON *client, *bytes;
        char *sql = mem_printf("SELECT \"memctl.bytes_read\" + \"memctl.bytes_written\" FROM "
                               "results WHERE machine = '%s'",
                               machines[m]);
        cJSON_ArrayForEach(client, cJSON_GetObjectItem(game, machines[m]))
        {
            assert_int_equal(cJSON_GetArraySize(client), 2);
            cJSON_ArrayForEach(bytes, client) all[m] += bytes->valuedouble;
        }
        assert_float_equal(all[m], ask(sql), 0);
        const cJSON *of = cJSON_GetObjectItem(cJSON_GetObjectItem(game, machines[m]), "color");
        color[m] = cJSON_GetArrayItem(of, 0)->valuedouble + cJSON_GetArrayItem(of, 1)->valuedouble;
        free(sql);
    }
    /* Four samples per pixel have about four times the color bytes. Cleared and shared lines change
     * this factor. */
    assert_true(color[1] > 2 * color[0] && color[1] < 8 * color[0]);
    cJSON_Delete(root);
    free(text);
    text = file_text("t/traffic.csv");
    /* the table has the same columns as the stored table */
    struct error err;
    char *kept;
    size_t size;
    assert_true(file_read(AETIUS_SOURCE_DIR "/docs/studies/traffic/traffic.csv", SIZE_MAX, &kept,
                          &size, &err));
    assert_int_equal(strncmp(kept, text, strcspn(text, "\n") + 1), 0);
    free(kept);
    uint32_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 2 * 2);
    free(text);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        char *name = mem_printf("t/%s", left[i]);
        assert_true(is_there(name) || (strstr(name, ".svg") && !has_program("gnuplot")));
        free(name);
    }
}

/* The command finds errors in a plan before it starts any work. */
static void
test_refusals(void **state)
{
#define MACHINES "[machine x0]\nset = COLORWRITE.ReadBeforeWrite=TRUE\n"
#define INPUT    "[input w]\nfile = " WORKLOADS "\n"
#define COUNTS   "[sweep]\nblocks = count\n" INPUT
    static const struct {
        const char *study, *plan, *message;
    } cases[] = {
        {"compression", INPUT MACHINES, "expected blocks = count in [sweep]"},
        {"compression", COUNTS "[machine x0]\n",
         "ReadBeforeWrite=TRUE and no CompressionAlgorithm"},
        {"compression", COUNTS MACHINES "[study]\ncolor = hello\n", "unknown codec 'hello'"},
        {"compression", COUNTS MACHINES "[study]\ninputs = v\n", "unknown input 'v'"},
        {"compression", COUNTS MACHINES "[study]\nmachines = x1\n", "unknown machine 'x1'"},
        {"compression", INPUT MACHINES "[study]\ncolour = z\n", "[study] has no 'colour'"},
        {"verdicts", INPUT "[study]\ndevelop = v\n", "unknown input 'v'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_text("p.ini", cases[i].plan);
        assert_int_equal(RUN("study", cases[i].study, "--plan", "p.ini", "-o", "@s"), 1);
        assert_true(reports(cases[i].message));
    }
}

static void
test_arguments(void **state)
{
    static const struct {
        const char *words[8];
        int status;
    } cases[] = {
        {{"study"}, 2},
        {{"study", "--help"}, 0},
        {{"study", "depth"}, 2},
        {{"study", "compression", "--frames", "x"}, 2},
        {{"study", "compression", "--jobs", "0"}, 2},
        {{"study", "compression", "--machines", "x3"}, 2},
        {{"study", "compression", "--plan", "/nowhere.ini"}, 1},
        {{"study", "compression", "/nowhere.trace", "-o", "@none"}, 1},
        {{"study", "compression", WORKLOADS, "-o", "@none", "--set", "A.B=1"}, 1},
        {{"study", "compression", WORKLOADS, "-o", "/dev/null/study"}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int status = await(start(cases[i].words, 0), STUDY_MS);
        if (status != cases[i].status)
            fail_msg("case %zu: exit status %d, not %d", i, status, cases[i].status);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_plans),
        cmocka_unit_test(test_model_page),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_counts_file),
        cmocka_unit_test(test_counts_against_bytes),
        cmocka_unit_test_teardown(test_command, clean),
        cmocka_unit_test_teardown(test_traffic, clean),
        cmocka_unit_test_teardown(test_refusals, clean),
        cmocka_unit_test_teardown(test_arguments, clean),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
