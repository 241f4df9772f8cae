/* Lists of the draws of a run, and joins of the draws of two runs. The tests use artificial tables
 * and the tables of a simulated run. */
#include "report/draw/draws.h"

#include "base/build.h"
#include "base/file.h"
#include "params/params.h"
#include "report/draw/describe_draw.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <math.h>
#include <string.h>

static char dir[] = "/tmp/aetius-draws-XXXXXX";

/* A draw of an artificial run. The hash covers all members. */
struct made {
    const char *fs, *textures;
    uint32_t vertices, cycles;
};

static char *
path_of(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

static void
make_row(struct csv *csv, uint32_t frame, uint32_t draw, const struct made *d)
{
    char *hash = d ? mem_printf("%s/%s/%u", d->fs, strchr(d->textures, ' '), d->vertices) : NULL;
    char *facts = d ? mem_printf("%s,v,%s,triangles,%u,1,8x4 RGBA,%s,,,,,0,,0,,,,,", hash, d->fs,
                                 d->vertices, d->textures)
                    : mem_strdup(",,,,,,,,,,,,,,,,,,,");
    csv_number(csv, 1);
    csv_number(csv, frame);
    csv_number(csv, draw);
    csv_text(csv, d ? "draw" : "swap");
    csv_text(csv, facts);
    csv_number(csv, d ? d->cycles : 50);
    for (uint32_t i = 0; i < 5; i++) /* fragments, written, bytes, texture misses */
        csv_number(csv, d ? (uint64_t[]){70, 64, 100, 28, 3}[i] : 0);
    csv_end_row(csv);
    free(hash);
    free(facts);
}

/* Creates the folder of a run with one frame, which has these draws and a swap. */
static char *
make_run(const char *name, const struct made *made, uint32_t count)
{
    char *run = path_of(name), *ini = mem_printf("%s/machine.ini", run);
    char *table = mem_printf("%s/stats.draws.csv.gz", run);
    struct params params;
    struct error err;
    params_init(&params);
    char *text = params_to_ini(&params, NULL);
    assert_true(dir_create(run, &err) && file_write(ini, text, strlen(text), &err));
    struct csv *csv =
        csv_create(table,
                   "schema,frame,draw,work," DRAW_FACTS
                   ",cycles,fraggen.fragments,colorwrite.fragments_in,memctl.bytes_read,"
                   "memctl.bytes_written,texunit.cache_misses",
                   &err);
    assert_non_null(csv);
    for (uint32_t i = 0; i < count; i++)
        make_row(csv, 0, i, &made[i]);
    make_row(csv, 0, count, NULL);
    assert_true(csv_destroy(csv, &err));
    free(text);
    free(ini);
    free(table);
    return run;
}

static void
read_run(struct draws *draws, const char *name, const struct made *made, uint32_t count)
{
    struct error err;
    char *run = make_run(name, made, count);
    if (!draws_read(draws, run, UINT32_MAX, &err))
        fail_msg("%s", err.text);
    free(run);
}

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

static const struct made before[] = {
    {"sky", "#1 64x64 RGB", 6, 100},   {"wall", "#2 32x32 RGB", 36, 400},
    {"wall", "#3 32x32 RGB", 36, 300}, {"wall", "#4 32x32 RGB", 36, 200},
    {"man", "#5 16x16 RGB", 900, 500}, {"text", "#6 16x8 A8", 24, 10},
};

static void
test_list(void **state)
{
    struct draws draws;
    struct draws_list list;
    (void)state;
    read_run(&draws, "list", before, COUNT(before));
    assert_true(draws.total.cycles == 100 + 400 + 300 + 200 + 500 + 10 + 50);
    draws_list_make(&list, &draws, GROUP_NONE);
    assert_int_equal(list.lines.count, 6);
    assert_int_equal(list.lines.items[0].row->draw, 4); /* 500 cycles */
    assert_int_equal(list.lines.items[5].row->draw, 5);
    assert_true(list.lines.items[0].cost.bytes == 128);  /* read and written */
    assert_true(list.lines.items[0].cost.overdraw == 2); /* 64 fragments on 8x4 pixels */
    assert_int_equal(list.between.count, 1);
    assert_true(list.between.items[0].cost.cycles == 50);
    draws_list_fini(&list);
    draws_list_make(&list, &draws, GROUP_PROGRAM);
    assert_int_equal(list.lines.count, 4);
    assert_string_equal(list.lines.items[0].name, "v wall");
    assert_int_equal(list.lines.items[0].count, 3);
    assert_true(list.lines.items[0].cost.cycles == 900);
    assert_int_equal(list.lines.items[0].row->draw, 1); /* the most expensive of the equal draws */
    draws_list_fini(&list);
    draws_fini(&draws);
}

/* A draw counts once for each of its textures, even if it samples a texture twice. */
static void
test_textures(void **state)
{
    static const struct made made[] = {{"a", "#1 8x8 RGB; #2 4x4 A8; #1 8x8 RGB", 3, 100},
                                       {"a", "#2 4x4 A8", 3, 20},
                                       {"b", "none ", 3, 5}};
    struct draws draws;
    struct draws_list list;
    (void)state;
    read_run(&draws, "textures", made, COUNT(made));
    draws_list_make(&list, &draws, GROUP_TEXTURE);
    assert_int_equal(list.lines.count, 3);
    assert_string_equal(list.lines.items[0].name, "#2 4x4 A8");
    assert_true(list.lines.items[0].cost.cycles == 120);
    assert_string_equal(list.lines.items[1].name, "#1 8x8 RGB");
    assert_true(list.lines.items[1].cost.cycles == 100 && list.lines.items[1].count == 1);
    draws_list_fini(&list);
    draws_fini(&draws);
}

struct joined {
    struct draws a, b;
    struct draws_join join;
};

static void
join(struct joined *j, const struct made *now, uint32_t count)
{
    read_run(&j->a, "before", before, COUNT(before));
    read_run(&j->b, "now", now, count);
    draws_join_make(&j->join, &j->a, &j->b);
    assert_int_equal(j->join.draws_a, COUNT(before));
    assert_int_equal(j->join.draws_b, count);
}

static void
end(struct joined *j)
{
    draws_join_fini(&j->join);
    draws_fini(&j->a);
    draws_fini(&j->b);
}

static void
expect(const struct joined *j, uint32_t same, uint32_t changed, uint32_t only_a, uint32_t only_b)
{
    assert_int_equal(j->join.same_hash, same);
    assert_int_equal(j->join.changed, changed);
    assert_int_equal(j->join.only_a, only_a);
    assert_int_equal(j->join.only_b, only_b);
}

/* Returns the pair that contains draw `draw` of b. */
static const struct draws_pair *
pair_of(const struct joined *j, uint32_t draw)
{
    for (size_t i = 0; i < j->join.pairs.count; i++)
        if (j->join.pairs.items[i].b && j->join.pairs.items[i].b->draw == draw)
            return &j->join.pairs.items[i];
    fail_msg("draw %u is in no pair", draw);
    return NULL;
}

static void
expect_pair(const struct joined *j, uint32_t b, uint32_t a, const char *difference)
{
    const struct draws_pair *pair = pair_of(j, b);
    assert_non_null(pair->a);
    assert_int_equal(pair->a->draw, a);
    char *text = draws_pair_difference(pair);
    assert_string_equal(text, difference);
    free(text);
}

/* Handles of textures differ between runs, so the join ignores them. */
static void
test_same(void **state)
{
    struct made now[COUNT(before)];
    struct joined j;
    (void)state;
    memcpy(now, before, sizeof now);
    now[0].textures = "#17 64x64 RGB";
    join(&j, now, COUNT(now));
    expect(&j, 6, 0, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        expect_pair(&j, i, i, "");
    end(&j);
}

/* A different shader appears as a change of only that draw, even between identical draws. */
static void
test_changed_shader(void **state)
{
    struct made now[COUNT(before)];
    struct joined j;
    (void)state;
    for (uint32_t changed = 0; changed < COUNT(before); changed++) {
        memcpy(now, before, sizeof now);
        now[changed].fs = "new";
        join(&j, now, COUNT(now));
        expect(&j, 5, 1, 0, 0);
        for (uint32_t i = 0; i < 6; i++)
            expect_pair(&j, i, i, i == changed ? "fragment program" : "");
        end(&j);
    }
}

/* A draw with fewer vertices or a different texture is the same draw, changed. */
static void
test_changed_draw(void **state)
{
    struct made now[COUNT(before)];
    struct joined j;
    (void)state;
    memcpy(now, before, sizeof now);
    now[4].vertices = 600;
    now[5].textures = "#6 32x16 A8";
    join(&j, now, COUNT(now));
    expect(&j, 4, 2, 0, 0);
    expect_pair(&j, 4, 4, "vertices");
    expect_pair(&j, 5, 5, "textures");
    end(&j);
}

/* A new wall precedes the others. The others are matched in order, and one of the same kind is new.
 * A draw without a similar draw in the other run is removed or new. */
static void
test_new_and_gone(void **state)
{
    static const struct made more[] = {
        {"sky", "#1 64x64 RGB", 6, 100},   {"wall", "#9 32x32 RGB", 36, 250},
        {"wall", "#2 32x32 RGB", 36, 400}, {"wall", "#3 32x32 RGB", 36, 300},
        {"wall", "#4 32x32 RGB", 36, 200}, {"man", "#5 16x16 RGB", 900, 500},
        {"text", "#6 16x8 A8", 24, 10},
    };
    static const struct made fewer[] = {
        {"wall", "#2 32x32 RGB", 36, 400}, {"wall", "#3 32x32 RGB", 36, 300},
        {"wall", "#4 32x32 RGB", 36, 200}, {"man", "#5 16x16 RGB", 900, 500},
        {"text", "#6 16x8 A8", 24, 10},
    };
    struct joined j;
    (void)state;
    join(&j, more, COUNT(more));
    expect(&j, 6, 0, 0, 1);
    expect_pair(&j, 0, 0, "");
    expect_pair(&j, 5, 4, "");
    end(&j);
    join(&j, fewer, COUNT(fewer));
    expect(&j, 5, 0, 1, 0);
    expect_pair(&j, 0, 1, "");
    end(&j);
}

/* The programs of the two runs may draw in a different order. */
static void
test_other_order(void **state)
{
    static const struct made now[] = {
        {"man", "#5 16x16 RGB", 900, 500}, {"wall", "#2 32x32 RGB", 36, 400},
        {"text", "#6 16x8 A8", 24, 10},    {"wall", "#3 32x32 RGB", 36, 300},
        {"sky", "#1 64x64 RGB", 6, 100},   {"wall", "#4 32x32 RGB", 36, 200},
    };
    static const uint32_t was[] = {4, 1, 5, 2, 0, 3};
    struct joined j;
    (void)state;
    join(&j, now, COUNT(now));
    expect(&j, 6, 0, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        expect_pair(&j, i, was[i], "");
    end(&j);
}

/* Messages for a file that is not a table of draws. */
static void
test_faults(void **state)
{
    struct draws draws;
    struct error err;
    char *run = make_run("faults", before, COUNT(before));
    char *table = mem_printf("%s/stats.draws.csv.gz", run);
    (void)state;
    assert_false(draws_read(&draws, run, 7, &err));
    assert_non_null(strstr(err.text, "has frames 0"));
    assert_true(file_write(table, "frame,draw\n0,1\n", 15, &err));
    assert_false(draws_read(&draws, run, UINT32_MAX, &err));
    assert_non_null(strstr(err.text, "no column cycles"));
    free(run);
    free(table);
}

/* `show` accepts a run instead of its trace, and a draw without its frame if only one frame has it.
 * Both frames of the trace have 9 draws. `run` has both frames. */
static void
check_short_forms(const char *trace, const char *run)
{
    static struct command_result cmd;
    char *one = path_of("one");
    RUN(&cmd, "show", trace, "draw", "1:4");
    char *expected = mem_strdup(cmd.out);
    RUN(&cmd, "show", run, "draw", "1:4");
    assert_string_equal(cmd.out, expected);
    RUN(&cmd, "show", trace, "draw", "4");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "several frames have a draw 4: select one, e.g. 0:4"));
    RUN(&cmd, "show", trace, "draw", "84");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "no frame has a draw 84"));
    RUN(&cmd, "sim", trace, "--frames", "1", "--preset", "g70-like", "-o", one);
    RUN(&cmd, "show", one, "draw", "4");
    assert_int_equal(cmd.status, 0);
    assert_string_equal(cmd.out, expected);
    free(expected);
    /* the cost of a program is its cost on the run's machine, unless options name another */
    RUN(&cmd, "show", trace, "program", "--preset", "g70-like");
    expected = mem_strdup(cmd.out);
    RUN(&cmd, "show", one, "program");
    assert_string_equal(cmd.out, expected);
    RUN(&cmd, "show", run, "program");
    assert_int_equal(cmd.status, 0);
    assert_true(strcmp(cmd.out, expected));
    RUN(&cmd, "show", run, "program", "--preset", "g70-like");
    assert_string_equal(cmd.out, expected);
    free(expected);
    free(one);
}

/* In a simulated run the rows add up to all of its cycles. Three commands list a draw, show it, and
 * print its program. */
static void
test_commands(void **state)
{
    static const char trace[] = AETIUS_SOURCE_DIR "/tests/golden/tiny.trace";
    static struct command_result cmd;
    char *run = path_of("run"), *pictures = path_of("pictures"), *place, *hash;
    (void)state;
    RUN(&cmd, "sim", trace, "-o", run, "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *json = cJSON_Parse(cmd.out);
    const double cycles = cJSON_GetObjectItem(json, "cycles")->valuedouble;
    cJSON_Delete(json);

    RUN(&cmd, "draws", run, "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *draws = cJSON_Parse(cmd.out);
    const cJSON *line,
        *lists[] = {cJSON_GetObjectItem(draws, "draws"), cJSON_GetObjectItem(draws, "between")};
    double sum = 0, last = INFINITY;
    for (uint32_t i = 0; i < 2; i++)
        cJSON_ArrayForEach(line, lists[i]) sum += cJSON_GetObjectItem(line, "cycles")->valuedouble;
    assert_true(cycles > 0 && sum == cycles);
    assert_int_equal(cJSON_GetArraySize(lists[0]), 18); /* as many as in the output of info */
    cJSON_ArrayForEach(line, lists[0])
    {
        assert_true(cJSON_GetObjectItem(line, "cycles")->valuedouble <= last);
        last = cJSON_GetObjectItem(line, "cycles")->valuedouble;
    }
    line = cJSON_GetArrayItem(lists[0], 0);
    place = mem_printf("%d:%d", cJSON_GetObjectItem(line, "frame")->valueint,
                       cJSON_GetObjectItem(line, "draw")->valueint);
    hash = mem_strdup(cJSON_GetObjectItem(line, "hash")->valuestring);

    RUN(&cmd, "show", trace, "draw", place, "-o", pictures, "--json");
    assert_int_equal(cmd.status, 0);
    json = cJSON_Parse(cmd.out);
    assert_string_equal(cJSON_GetObjectItem(json, "hash")->valuestring, hash);
    const cJSON *file;
    cJSON_ArrayForEach(file, cJSON_GetObjectItem(json, "pictures"))
    {
        struct picture picture;
        struct error err;
        char *path = mem_printf("%s/%s", pictures, file->valuestring);
        if (!picture_read_png(&picture, path, &err))
            fail_msg("%s", err.text);
        picture_fini(&picture);
        free(path);
    }
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(json, "pictures")) >= 3);

    char *program = mem_printf("%.8s", cJSON_GetObjectItem(json, "fragment_program")->valuestring);
    RUN(&cmd, "show", trace, "program", program);
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "FRAG\n"));
    assert_non_null(strstr(cmd.out, "registers"));

    RUN(&cmd, "draws", run, "--over", run);
    assert_non_null(
        strstr(cmd.out, "18 matched (100.00 %): 18 with the same hash, 0 changed; 0 new, 0 gone"));
    RUN(&cmd, "show", trace, "draw", "0:99");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "frame 0 has no draw 99"));
    RUN(&cmd, "show", trace, "draw", "9:0");
    assert_int_equal(cmd.status, 1);
    static const char *const places[] = {"x", "4x", "0:", ":1", "a:1", "0:1x", "0:-1"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        RUN(&cmd, "show", trace, "draw", places[i]);
        assert_int_equal(cmd.status, 2);
        assert_non_null(strstr(cmd.err, "expected FRAME:DRAW"));
    }
    check_short_forms(trace, run);
    RUN(&cmd, "show", trace, "program", "xyz");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "draws", trace);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "aetius sim "));
    RUN(&cmd, "draws", dir);
    assert_non_null(strstr(cmd.err, "it has no run.json"));
    char *bare = path_of("bare");
    RUN(&cmd, "sim", trace, "--set", "SIMULATOR.PerBatchStatistics=FALSE", "-o", bare);
    RUN(&cmd, "draws", bare);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "PerBatchStatistics=TRUE"));
    free(bare);
    RUN(&cmd, "draws", run, "--over", trace);
    assert_non_null(strstr(cmd.err, "aetius sim "));
    RUN(&cmd, "show", trace, "program", "0123456789abcdef");
    assert_int_equal(cmd.status, 1);
    free(program);
    free(place);
    free(hash);
    free(run);
    free(pictures);
    cJSON_Delete(draws);
    cJSON_Delete(json);
}

/* A run that ended before all its frames were drawn is listed with a note. Draws without a target
 * have no overdraw. Overlapping groups give a note. */
static void
test_reported_text(void **state)
{
    static const char trace[] = AETIUS_SOURCE_DIR "/tests/golden/tiny.trace";
    static struct command_result cmd;
    char *run = path_of("cut"), *json = path_of("cut/run.json"), *text, *at;
    size_t size;
    struct error err;
    (void)state;
    RUN(&cmd, "sim", trace, "-o", run);
    RUN(&cmd, "draws", run);
    assert_int_equal(cmd.status, 0);
    assert_string_equal(cmd.err, "");
    at = strstr(cmd.out, "\n  all ");
    assert_non_null(at);
    assert_null(strstr(at, "0.000"));
    assert_non_null(strstr(at, " - "));
    assert_null(strstr(at, "several groups"));
    RUN(&cmd, "draws", run, "--group", "texture");
    assert_non_null(strstr(cmd.out, "several groups\n"));

    assert_true(file_read(json, SIZE_MAX, &text, &size, &err));
    at = strstr(text, "\"complete\":\ttrue");
    assert_non_null(at);
    memcpy(at, "\"complete\": null", 16);
    assert_true(file_write(json, text, size, &err));
    RUN(&cmd, "draws", run);
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.err, "is an interrupted run"));
    assert_non_null(strstr(cmd.out, "\n  all "));
    free(text);
    free(run);
    free(json);
}

/* A TGSI file is one program with one hash. */
static void
test_hash_of_file(void **state)
{
    static const char text[] = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\n"
                               "  0: MOV OUT[0], IMM[0]\n  1: END\n";
    static struct command_result cmd;
    char *path = path_of("red.tgsi");
    struct error err;
    (void)state;
    assert_true(file_write(path, text, strlen(text), &err));
    RUN(&cmd, "show", path, "program", "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *json = cJSON_Parse(cmd.out);
    const cJSON *program = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "programs"), 0);
    char *hash = mem_printf("%.5s", cJSON_GetObjectItem(program, "hash")->valuestring);
    RUN(&cmd, "show", path, "program", hash);
    assert_int_equal(cmd.status, 0);
    hash[0] = hash[0] == '0' ? '1' : '0';
    RUN(&cmd, "show", path, "program", hash);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, hash));
    assert_string_equal(cmd.out, "");
    cJSON_Delete(json);
    free(hash);
    free(path);
}

/* The cost of a program with a branch depends on the data. So the sum of both sides is not a bound.
 */
static void
test_bound_of_program(void **state)
{
    static const char straight[] = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n"
                                   "  0: MOV OUT[0], IN[0]\n  1: END\n";
    static const char branch[] = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n"
                                 "  0: UIF IN[0].xxxx :2\n  1:   MOV OUT[0], IN[0]\n"
                                 "  2: ENDIF\n  3: END\n";
    static struct command_result cmd;
    char *path = path_of("bound.tgsi");
    struct error err;
    (void)state;
    assert_true(file_write(path, straight, strlen(straight), &err));
    RUN(&cmd, "show", path, "program");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "at most "));
    assert_null(strstr(cmd.out, "branches"));
    assert_true(file_write(path, branch, strlen(branch), &err));
    RUN(&cmd, "show", path, "program");
    assert_int_equal(cmd.status, 0);
    assert_null(strstr(strstr(cmd.out, "ALUs"), "at most "));
    assert_non_null(strstr(cmd.out, "are no bounds\n"));
    free(path);
}

/* A scissor that covers the whole target is not listed. */
static void
test_scissor(void **state)
{
    static const struct {
        uint32_t min_x, min_y, max_x, max_y;
        const char *message;
    } cases[] = {{0, 0, 8, 4, NULL},
                 {1, 0, 8, 4, "scissor 1 0 8 4"},
                 {0, 2, 8, 4, "scissor 0 2 8 4"},
                 {0, 0, 7, 4, "scissor 0 0 7 4"},
                 {0, 0, 8, 3, "scissor 0 0 8 3"}};
    static struct draw draw;
    (void)state;
    draw.width = 8;
    draw.height = 4;
    draw.rasterizer.scissor = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        draw.bounds.min_x = cases[i].min_x;
        draw.bounds.min_y = cases[i].min_y;
        draw.bounds.max_x = cases[i].max_x;
        draw.bounds.max_y = cases[i].max_y;
        describe_state(&draw, out);
        fclose(out);
        if (cases[i].message)
            assert_non_null(strstr(text, cases[i].message));
        else
            assert_null(strstr(text, "scissor"));
        free(text);
    }
}

/* Returns the resource that bounds draw "FRAME:DRAW" in the output of topdown. */
static const char *
verdict_of(const cJSON *topdown, const char *place)
{
    const cJSON *draw;
    cJSON_ArrayForEach(draw, cJSON_GetObjectItem(topdown, "draws"))
    {
        if (!strcmp(cJSON_GetObjectItem(draw, "draw")->valuestring, place))
            return cJSON_GetObjectItem(cJSON_GetObjectItem(draw, "verdict"), "name")->valuestring;
    }
    fail_msg("topdown has no draw %s", place);
    return NULL;
}

/* "bound by" of a draw equals the verdict of topdown, in text, CSV and JSON. A join of two runs
 * lists all figures of a draw. */
static void
test_bound_by(void **state)
{
    static const char trace[] = AETIUS_SOURCE_DIR "/tests/golden/tiny.trace";
    static const char *const figures[] = {"cycles",   "share", "fragments",
                                          "overdraw", "bytes", "texture_misses"};
    static struct command_result cmd;
    char *run = path_of("bound");
    const cJSON *line;
    (void)state;
    RUN(&cmd, "sim", trace, "-o", run);
    RUN(&cmd, "topdown", run, "--draws", "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *topdown = cJSON_Parse(cmd.out);
    RUN(&cmd, "draws", run, "--json");
    cJSON *draws = cJSON_Parse(cmd.out);
    RUN(&cmd, "draws", run, "--csv");
    assert_non_null(strstr(cmd.out, ",texture_misses,bound_by,hash,"));
    cJSON_ArrayForEach(line, cJSON_GetObjectItem(draws, "draws"))
    {
        const char *bound = cJSON_GetObjectItem(line, "bound_by")->valuestring;
        const char *hash = cJSON_GetObjectItem(line, "hash")->valuestring;
        char *place = mem_printf("%d:%d", cJSON_GetObjectItem(line, "frame")->valueint,
                                 cJSON_GetObjectItem(line, "draw")->valueint);
        char *field = mem_printf(",%s,%s,", bound, hash);
        assert_true(*bound);
        assert_string_equal(bound, verdict_of(topdown, place));
        assert_non_null(strstr(cmd.out, field));
        free(place);
        free(field);
    }
    RUN(&cmd, "draws", run);
    assert_non_null(strstr(cmd.out, " bound by "));
    assert_non_null(strstr(cmd.out, "2 times between draws\n")); /* one swap per frame */
    cJSON_Delete(draws);
    RUN(&cmd, "draws", run, "--over", run, "--json");
    draws = cJSON_Parse(cmd.out);
    line = cJSON_GetArrayItem(cJSON_GetObjectItem(draws, "draws"), 0);
    for (uint32_t side = 0; side < 2; side++)
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
            assert_true(cJSON_IsNumber(
                cJSON_GetObjectItem(cJSON_GetObjectItem(line, side ? "b" : "a"), figures[i])));
    assert_true(*cJSON_GetObjectItem(cJSON_GetObjectItem(line, "a"), "bound_by")->valuestring);
    cJSON_Delete(draws);
    cJSON_Delete(topdown);
    free(run);
}

/* "bound by" of all draws of a frame equals topdown's verdict for the frame. Here it is the drain
 * between draws, which no single draw has. */
static void
test_bound_by_drain(void **state)
{
    static const char trace[] = AETIUS_SOURCE_DIR "/tests/golden/workloads.trace";
    static struct command_result cmd;
    char *run = path_of("drained");
    (void)state;
    RUN(&cmd, "sim", trace, "--frames", "4", "-o", run);
    RUN(&cmd, "topdown", run);
    assert_non_null(strstr(cmd.out, "bound by drain: "));
    /* more than half of the draws have one pair of programs */
    assert_non_null(strstr(cmd.out, "% of the cycles, with a drain between them ("));
    RUN(&cmd, "draws", run);
    const char *all = strstr(cmd.out, "\n  all ");
    assert_non_null(all);
    assert_non_null(strstr(all, " drain "));
    free(run);
}

/* A run without counters of lost cycles has no "bound by". */
static void
test_bound_by_nothing(void **state)
{
    struct draws draws;
    (void)state;
    read_run(&draws, "unbound", before, COUNT(before));
    assert_string_equal(draw_cost_bound_by(&draws.rows.items[0].cost), "");
    assert_string_equal(draw_cost_bound_by(&draws.total), "");
    draws_fini(&draws);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),           cmocka_unit_test(test_textures),
        cmocka_unit_test(test_same),           cmocka_unit_test(test_changed_shader),
        cmocka_unit_test(test_changed_draw),   cmocka_unit_test(test_new_and_gone),
        cmocka_unit_test(test_other_order),    cmocka_unit_test(test_faults),
        cmocka_unit_test(test_commands),       cmocka_unit_test(test_reported_text),
        cmocka_unit_test(test_scissor),        cmocka_unit_test(test_bound_by),
        cmocka_unit_test(test_bound_by_drain), cmocka_unit_test(test_bound_by_nothing),
        cmocka_unit_test(test_hash_of_file),   cmocka_unit_test(test_bound_of_program),
    };
    aetius = argc > 1 ? argv[1] : "aetius";
    if (!mkdtemp(dir))
        return 2;
    const int failed = cmocka_run_group_tests_name("draws", tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
