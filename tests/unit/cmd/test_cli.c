/* The command line as users see it: files, refusals and messages of the commands
 * (docs/commands.md). */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"
#include "trace/file.h"
#include "rigs/command.h"
#include "rigs/folder.h"
#include "rigs/needs.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define TINY  AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"
#define X0    AETIUS_SOURCE_DIR "/tests/golden/x0.blocks.color"
#define X4    AETIUS_SOURCE_DIR "/tests/golden/x4.blocks.color"
#define SMALL "--preset", "reference-2005", "--set", "MEMORYCONTROLLER.MemorySize=8388608"

static char dir[] = "/tmp/aetius-cli-XXXXXX";

static void
put(const char *name)
{
    char *path = mem_printf("%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("x", file);
    fclose(file);
    free(path);
}

static bool
is_there(const char *name)
{
    char *path = mem_printf("%s/%s", dir, name);
    const bool there = file_exists(path);
    free(path);
    return there;
}

static void
clean(void)
{
    char *command = mem_printf("rm -rf %s/*", dir);
    assert_int_equal(system(command), 0);
    free(command);
}

/* --force removes those files of an earlier run that the new run does not write. It keeps the
 * user's files. */
static void
force_removes_the_run_before(void **state)
{
    static const char *const others[] = {"notes.txt", "frames/mine.png", "frames/frame-x.png",
                                         "parts/part.step", "maps/frame-0000-mine.png"};
    static const char *const old[] = {"frames/frame-0007.png", "signals.vcd",
                                      "frames/frame-12345.png", "parts/0001-2.csv.gz.0",
                                      "stats.draws.dac.csv.gz"};
    struct command_result *cmd = *state;
    RUN(cmd, "sim", TINY, SMALL, "--map", "overdraw,misses", "--pixel", "9,9", "-o", dir);
    assert_int_equal(cmd->status, 0);
    assert_true(is_there("maps/frame-0001-misses.png") && is_there("pixel.json"));
    RUN(cmd, "sim", TINY, SMALL, "-o", dir);
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "--force"));

    char *parts = mem_printf("%s/parts", dir);
    mkdir(parts, 0777);
    free(parts);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        put(others[i]);
    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++)
        put(old[i]);
    RUN(cmd, "sim", TINY, SMALL, "--frames", "1", "--force", "-o", dir);
    assert_int_equal(cmd->status, 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_true(is_there(others[i]));
    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++)
        assert_false(is_there(old[i]));
    assert_false(is_there("maps/frame-0001-misses.png") || is_there("pixel.json"));
    assert_false(is_there("frames/frame-0000.png"));
    assert_true(is_there("frames/frame-0001.png") && is_there("run.json"));
    clean();
}

/* The picture of frame 0 has more than 8000 bytes, machine.ini fewer. */
static void
a_full_disk_is_reported(void **state)
{
    struct command_result *cmd = *state;
    RUN_WITHIN(8000, "sim", TINY, SMALL, "-o", dir);
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "frame-0000.png"));
    assert_non_null(strstr(cmd->err, "frame 0"));
    assert_null(strstr(cmd->err, "frame 1"));
    assert_non_null(strstr(cmd->out, "no frame was drawn"));
    assert_false(is_there("frames/frame-0000.png"));
    clean();
    RUN_WITHIN(1000, "replay", TINY, "-o", dir);
    assert_int_equal(cmd->status, 1);
    clean();
    /* the timeline of the frames has more than 20,000 bytes, every other file of the run fewer */
    char *timeline = mem_printf("%s/x.pftrace", dir);
    RUN_WITHIN(20000, "sim", TINY, SMALL, "--perfetto", timeline, "-o", dir);
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "x.pftrace"));
    assert_false(is_there("x.pftrace") || is_there("x.pftrace.part"));
    free(timeline);
    clean();
    RUN_WITHIN(100, "params");
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "standard output"));
    RUN_WITHIN(100, "--help");
    assert_int_equal(cmd->status, 1);
}

/* A parameter without effect on the machine gives a warning of one line in every command. */
static void
idle_parameters_are_warned_of(void **state)
{
#define IDLE                                                                                       \
    "aetius: warning: RASTERIZER.BoundingBoxTest has no effect: it requires "                      \
    "RASTERIZER.Generator=seven-level\n"
    static const char box[] = "RASTERIZER.BoundingBoxTest=FALSE";
    static const char ini[] = "[RASTERIZER]\nBoundingBoxTest = FALSE\n";
    struct command_result *cmd = *state;
    struct error err;
    char *file = mem_printf("%s/box.ini", dir), *run = mem_printf("%s/run", dir);
    assert_true(file_write(file, ini, strlen(ini), &err));
    RUN(cmd, "params", "--set", box);
    assert_string_equal(cmd->err, IDLE);
    assert_non_null(strstr(cmd->out, "only with RASTERIZER.Generator=seven-level: unused"));
    RUN(cmd, "stats", "--set", box);
    assert_string_equal(cmd->err, IDLE);
    RUN(cmd, "sim", TINY, "-o", run, "--config", file, "--set", box);
    assert_string_equal(cmd->err, IDLE);
    RUN(cmd, "params", "--config", file, "--set", "RASTERIZER.Generator=seven-level");
    assert_string_equal(cmd->err, "");
    assert_null(strstr(cmd->out, "only with RASTERIZER.Generator=seven-level: unused"));
    RUN(cmd, "params", "--preset", "g70-like");
    assert_string_equal(cmd->err, "");
    free(file);
    free(run);
    clean();
}

/* A queue that is too shallow causes a warning, except for the queues that are also too shallow in
 * a preset. */
static void
presets_have_no_warnings(void **state)
{
    static const char *const presets[] = {"reference-2008",     "reference-2005", "nv40-like",
                                          "g70-like",           "r420-like",      "r580-like",
                                          "semi-cycle-accurate"};
    struct command_result *cmd = *state;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        RUN(cmd, "stats", "--preset", presets[i]);
        assert_int_equal(cmd->status, 0);
        assert_string_equal(cmd->err, "");
    }
    RUN(cmd, "stats", "--preset", "g70-like", "--set", "MEMORYCONTROLLER.ClientRequestQueueSize=1");
    assert_int_equal(cmd->status, 0);
    assert_non_null(strstr(cmd->err, "warning: the queue index_memory_requests"));
    assert_null(strstr(cmd->err, "groups["));
}

/* An output that was requested for cycles after the end of the run gives a warning. */
static void
what_is_missed_is_warned_of(void **state)
{
    struct command_result *cmd = *state;
    RUN(cmd, "sim", TINY, SMALL, "--vcd", "900000000-900000100", "-o", dir);
    assert_int_equal(cmd->status, 0);
    assert_non_null(strstr(cmd->err, "warning"));
    assert_non_null(strstr(cmd->err, "900000000"));
    RUN(cmd, "sim", TINY, SMALL, "--vcd", "100-200", "--force", "-o", dir);
    assert_null(strstr(cmd->err, "signals.vcd"));
    clean();
}

static void
pictures_are_verified(void **state)
{
    struct command_result *cmd = *state;
    RUN(cmd, "sim", TINY, SMALL, "--verify", "--jobs", "2", "-o", dir);
    assert_int_equal(cmd->status, 0);
    assert_non_null(strstr(cmd->err, "2 pictures identical to drawing without timing"));
    RUN(cmd, "sim", TINY, SMALL, "--verify", "--frames", "1", "--force", "-o", dir);
    assert_int_equal(cmd->status, 0);
    assert_non_null(strstr(cmd->err, "1 picture identical to drawing without timing"));
    clean();
}

/* For frames of 128x128, a pixel outside is refused before a frame is simulated. */
static void
pixels_are_inside(void **state)
{
    static const char *const outside[] = {"128,5", "5,128", "1000,1000"};
    struct command_result *cmd = *state;
    clean();
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        for (uint32_t jobs = 1; jobs <= 2; jobs++) {
            RUN(cmd, "sim", TINY, SMALL, "--pixel", outside[i], "--jobs", jobs == 1 ? "1" : "2",
                "-o", dir);
            assert_int_equal(cmd->status, 1);
            assert_non_null(strstr(cmd->err, outside[i]));
            assert_non_null(strstr(cmd->err, "128x128"));
            assert_ptr_equal(strchr(cmd->err, '\n') + 1, cmd->err + strlen(cmd->err));
            assert_string_equal(cmd->out, "");
            assert_false(is_there("run.json"));
        }
    RUN(cmd, "sim", TINY, SMALL, "--pixel", "127,127", "--jobs", "2", "-o", dir);
    assert_int_equal(cmd->status, 0);
    assert_null(strstr(cmd->err, "warning"));
    clean();
}

/* Pictures of selected frames are also correct, whatever was skipped in the others. */
static void
some_frames_are_verified(void **state)
{
    static const char *const frames[] = {"0", "1", "0-1", "0,1"};
    struct command_result *cmd = *state;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
        for (uint32_t jobs = 1; jobs <= 2; jobs++) {
            clean();
            RUN(cmd, "sim", TINY, SMALL, "--frames", frames[i], "--verify", "--jobs",
                jobs == 1 ? "1" : "2", "-o", dir);
            assert_int_equal(cmd->status, 0);
            assert_non_null(strstr(cmd->err, "identical to drawing without timing"));
        }
    clean();
}

/* Each error gives its exit status, and a message with the expected text. */
static void
errors_name_their_cause(void **state)
{
    static const struct {
        const char *words[8];
        int status;
        const char *word;
    } cases[] = {
        {{"sim", TINY, "-o", dir, "--jobs", "0"}, 2, "--jobs expects a number from 1"},
        {{"compress", X0, "--jobs", "0"}, 2, "--jobs expects a number from 1"},
        {{"study", "compression", "--jobs", "0"}, 2, "--jobs expects a number from 1"},
        {{"sim", TINY, "run"}, 2, "the output folder requires -o: aetius sim " TINY " -o run"},
        {{"sim", "-o", dir}, 2, "expected one trace FILE"},
        {{"sim", TINY, "-o", dir, "--frames", "3-1"}, 2, "the range 3-1 has no frame"},
        {{"trim", TINY, "-o", dir}, 2, "--frames A-B is missing"},
        {{"capture", "-o", dir, "glxgears"}, 2, "PROGRAM must follow"},
        {{"capture", "-o", dir, "--frames", "5,1", "--", "true"}, 2, "ascending ranges of frames"},
        {{"sim", TINY, "-o", dir, "--follow", "0:0"}, 2, "expected FRAME:DRAW:TRIANGLE"},
        {{"sim", TINY, "-o", dir, "--follow", "0:0:-1"}, 2, "expected FRAME:DRAW:TRIANGLE"},
        {{"sim", TINY, "-o", dir, "--follow", "9:0:0"}, 1, "tiny.trace has 2 frames"},
        {{"sim", TINY, "-o", dir, "--follow", "1:9:0"}, 1, "frame 1 has 9 draws"},
        {{"sim", TINY, "-o", dir, "--frames=1", "--follow", "0:0:0"}, 1, "not among the --frames"},
        {{"sim", TINY, "-o", dir, "--follow=0:0:0", "--jobs=2"}, 2, "timed run with --jobs 1"},
        {{"sim", TINY, "-o", dir, "--perfetto"}, 2, "--perfetto requires a value"},
        {{"report"}, 2, "expected RUNs"},
        {{"report", "/aetius-is-not-there", "-o", "x.html"},
         1,
         "/aetius-is-not-there does not exist"},
        {{"report", dir, "-o", "x.html"}, 1, "is not a folder of a run, a sweep or a study"},
        {{"replay", TINY, "-o", dir, "--warm-up", "all"}, 2, "--warm-up expects a number"},
        {{"trim", TINY, "-o", dir, "--frames=1", "--warm-up=-1"}, 2, "--warm-up expects"},
        {{"trim", TINY, "-o", "/tmp/aetius-is-not-there", "--frames=1", "--through=me"},
         1,
         "renderer 'me'"},
        {{"compress", TINY}, 1, "is not a block file"},
        {{"compare", TINY, TINY}, 1, "is not a valid PNG file"},
        {{"compare", dir, "/tmp/aetius-is-not-there"},
         1,
         "/tmp/aetius-is-not-there does not exist"},
        {{"study", "compression", X0, "-o", dir}, 1, "is not an aetius trace"},
        {{"params", "GPU", "RASTERIZER"}, 2, "expected at most one SECTION"},
        {{"params", "GPX"}, 2, "unknown section 'GPX'; did you mean GPU?"},
        {{"params", "GPU", "--section", "GPU"}, 2, "cannot be combined"},
        {{"topdwon"}, 2, "unknown command 'topdwon'; did you mean topdown?"},
        {{"draw"}, 2, "unknown command 'draw'; did you mean draws?"},
        {{"help", "sym"}, 2, "unknown command 'sym'; did you mean sim?"},
        {{"quaternions"}, 2, "unknown command 'quaternions'; `aetius --help` lists"},
        {{"stats", "--set", "GPU.NumVertexShaders=32"}, 1, "1 to 31"},
        {{"stats", "--set", "GPU.NumVertexShaders=31", "--set", "GPU.UnifiedShader=FALSE"},
         1,
         "GPU.NumFragmentShaders = 4: at most 32"},
        {{"stats", "--set", "ZSTENCILTEST.ZCacheStampsPerLine=8"},
         1,
         "ZSTENCILTEST.ZCacheStampsPerLine = 8"},
        {{"stats", "--set", "ZSTENCILTEST.ZCacheWays=1024", "--set",
          "ZSTENCILTEST.ZCacheLines=65536"},
         1,
         "ZCacheLines = 65536"},
    };
    struct command_result *cmd = *state;
    clean(); /* removes the folder of the run */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_within(cmd, 0, cases[i].words);
        assert_int_equal(cmd->status, cases[i].status);
        assert_non_null(strstr(cmd->err, cases[i].word));
        assert_string_equal(cmd->out, "");
        if (cases[i].status == 1)
            assert_ptr_equal(strchr(cmd->err, '\n') + 1, cmd->err + strlen(cmd->err));
    }
    assert_false(is_there("run.json"));
}

/* Without -o, outputs are named after the input, in the current folder. An existing output is kept
 * without --force. */
static void
outputs_have_default_names(void **state)
{
    static const struct {
        const char *words[8], *output;
    } cases[] = {
        {{"sim", TINY, SMALL}, "tiny.run/run.json"},
        {{"report", "tiny.run"}, "tiny.html"},
        {{"replay", TINY}, "tiny.frames/frames/frame-0001.png"},
    };
    struct command_result *cmd = *state;
    char *before = getcwd(NULL, 0);
    clean();
    assert_int_equal(chdir(dir), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *words = cases[i].words;
        run_within(cmd, 0, words);
        if (cmd->status || !is_there(cases[i].output))
            fail_msg("%s: no %s: %s", words[0], cases[i].output, cmd->err);
        run_within(cmd, 0, words);
        assert_int_equal(cmd->status, 1);
        assert_non_null(strstr(cmd->err, "--force"));
        const char *forced[10] = {words[0], "--force"};
        for (size_t k = 1; words[k]; k++)
            forced[k + 1] = words[k];
        run_within(cmd, 0, forced);
        assert_int_equal(cmd->status, 0);
    }
    RUN(cmd, "report", "./tiny.run/");
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "tiny.html already exists; --force overwrites it"));
    RUN(cmd, "report", "tiny.run", "-o", "tiny.html");
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "tiny.html already exists; --force overwrites it"));
    RUN(cmd, "report", "tiny.run", "-o", "/dev/null");
    assert_int_equal(cmd->status, 0);
    RUN(cmd, "capture", "--frames", "0-1", "--", "/nowhere/game", "-x");
    assert_int_equal(cmd->status, 1);
    put("game.trace");
    RUN(cmd, "capture", "--", "/nowhere/game", "-x");
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "game.trace already exists; --force overwrites it"));
    assert_int_equal(chdir(before), 0);
    free(before);
    clean();
}

/* The short and long forms of a request print the same output. */
static void
short_forms_equal_long_forms(void **state)
{
    static const struct {
        const char *one[5], *other[5];
    } pairs[] = {
        {{"-h"}, {"--help"}},
        {{"help"}, {"--help"}},
        {{"-V"}, {"--version"}},
        {{"help", "sim"}, {"sim", "--help"}},
        {{"sim", "-h"}, {"sim", "--help"}},
        {{"help", "sweep", "query"}, {"sweep", "query", "--help"}},
        {{"model", "fit", "-h"}, {"model", "fit", "--help"}},
        {{"params", "gpu"}, {"params", "--section", "GPU"}},
        {{"params", "--set", "SIMULATOR.StatisticsRate=2e3"},
         {"params", "--set", "SIMULATOR.StatisticsRate=2000"}},
    };
    struct command_result *cmd = *state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        run_within(cmd, 0, pairs[i].other);
        assert_int_equal(cmd->status, 0);
        char *expected = mem_strdup(cmd->out);
        run_within(cmd, 0, pairs[i].one);
        assert_int_equal(cmd->status, 0);
        assert_string_equal(cmd->out, expected);
        assert_true(*expected);
        free(expected);
    }
}

/* Whether `compress --json` prints a color ratio for this codec. */
static bool
has_ratio(const char *json, const char *codec)
{
    char *name = mem_printf("\"name\":\t\"%s\"", codec);
    const char *at = strstr(json, name);
    free(name);
    assert_non_null(at);
    at = strstr(at, "\"color_ratio\":");
    assert_non_null(at);
    return strncmp(at + strlen("\"color_ratio\":\t"), "null", 4) != 0;
}

static void
every_color_codec_has_a_ratio(void **state)
{
    struct command_result *cmd = *state;
    RUN(cmd, "compress", "--json", X0);
    assert_int_equal(cmd->status, 0);
    assert_true(has_ratio(cmd->out, "msaa"));
    assert_true(has_ratio(cmd->out, "hilo"));
    assert_null(strstr(cmd->err, "every block"));
    RUN(cmd, "compress", "--check", X0);
    assert_int_equal(cmd->status, 0);
    assert_non_null(strstr(cmd->err, "every codec restored every block"));
    RUN(cmd, "compress", "--json", X4);
    assert_true(has_ratio(cmd->out, "msaa"));
}

/* The dump has N blocks of a header and eight lines each, and nothing else. */
static void
a_dump_is_blocks_alone(void **state)
{
    struct command_result *cmd = *state;
    uint32_t lines = 0;
    RUN(cmd, "blocks", "--dump", "2", X0, X4);
    assert_int_equal(cmd->status, 0);
    for (const char *at = cmd->out; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 18);
}

static void
a_unit_lists_its_statistics(void **state)
{
    struct command_result *cmd = *state;
    RUN(cmd, "explain", "cmdproc", "--json");
    assert_int_equal(cmd->status, 0);
    cJSON *root = cJSON_Parse(cmd->out);
    const cJSON *statistics = cJSON_GetObjectItem(root, "statistics"), *statistic;
    uint32_t draws = 0;
    cJSON_ArrayForEach(statistic, statistics) draws +=
        !strcmp(cJSON_GetObjectItem(statistic, "name")->valuestring, "draws");
    assert_int_equal(draws, 1);
    cJSON_Delete(root);
}

/* The largest quad (8 samples of 8 bytes) has 256 bytes. All its lines must be in the cache at
 * once; otherwise the quad would wait forever. Lines of 4, 8 and 16 quads have 64, 128 and 256
 * bytes. */
static void
small_caches_hold_a_quad_or_are_refused(void **state)
{
    static const struct {
        const char *section, *cache;
    } kinds[] = {{"COLORWRITE", "ColorCache"}, {"ZSTENCILTEST", "ZCache"}};
    struct command_result *cmd = *state;
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t n = 0; n < 3 * 4 * 2; n++) {
            const uint32_t stamps = 4u << n / 8, ways = 1 + n % 4, sets = 1 + n / 4 % 2;
            const char *section = kinds[k].section, *cache = kinds[k].cache;
            char *w = mem_printf("%s.%sWays=%u", section, cache, ways);
            char *l = mem_printf("%s.%sLines=%u", section, cache, sets);
            char *q = mem_printf("%s.%sStampsPerLine=%u", section, cache, stamps);
            char *raw = mem_printf("%s.DisableCompression=TRUE", section);
            RUN(cmd, "verify", TINY, "--set", "SIMULATOR.ForceMSAA=TRUE", "--set",
                "SIMULATOR.MSAASamples=8", "--set", w, "--set", l, "--set", q, "--set", raw);
            const bool holds = ways * sets * stamps * 16 >= 256;
            if (cmd->status != !holds || (!holds && !strstr(cmd->err, cache)))
                fail_msg("%s, %s, %s: %s", w, l, q, cmd->err);
            free(w);
            free(l);
            free(q);
            free(raw);
        }
}

/* ESC as C0 and as C1 in UTF-8, a single C1 byte, and DEL. Terminals interpret all of them. */
#define EVIL "x\x1b[31m\xc2\x9b\x9b\x7f"

static void
write_evil_trace(const char *path)
{
    struct trace_writer *writer;
    struct error err;
    struct message message = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
    assert_true(trace_writer_create(&writer, path, EVIL, &err));
    trace_writer_add(writer, &message, &err);
    message.kind = MESSAGE_RESOURCE_CREATE;
    message.resource = (struct resource_desc){.handle = 1,
                                              .target = TARGET_2D,
                                              .format = FORMAT_B8G8R8A8_UNORM,
                                              .bind = BIND_RENDER_TARGET | BIND_DISPLAY_TARGET,
                                              .width = 8,
                                              .height = 8,
                                              .depth = 1,
                                              .array_size = 1};
    trace_writer_add(writer, &message, &err);
    message.kind = MESSAGE_SWAP;
    message.transfer.handle = 1;
    message.transfer.box = (struct box){0, 0, 0, 8, 8, 1};
    trace_writer_add(writer, &message, &err);
    assert_true(trace_writer_close(writer, &err));
}

/* Writes an export of ncu with renamed kernels. */
static void
write_evil_profile(const char *path)
{
    struct error err;
    char *text, *at;
    size_t size;
    assert_true(file_read(AETIUS_SOURCE_DIR "/tests/golden/profiler/ncu-wide.csv", FILE_MOST_TEXT,
                          &text, &size, &err));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (char *from = text; (at = strstr(from, "vector_add")); from = at + 10)
        fprintf(file, "%.*s" EVIL, (int)(at - from), from);
    fclose(file);
    free(text);
}

static void
check_is_printable(const char *text, const char *what)
{
    char *shown = mem_printable(text);
    if (strcmp(text, shown) != 0)
        fail_msg("%s: '%s'", what, shown);
    free(shown);
}

/* Commands escape control characters from files and from the command line. */
static void
terminals_are_left_alone(void **state)
{
    struct command_result *cmd = *state;
    char *trace = mem_printf("%s/" EVIL ".trace", dir), *profile = mem_printf("%s/" EVIL, dir);
    char *run = mem_printf("%s/" EVIL "run", dir), *other = mem_printf("%s/" EVIL "other", dir);
    const char *const commands[][8] = {
        {"info", trace},
        {"info", trace, "--commands"},
        {"sim", trace, "-o", run},
        {"sim", trace, "-o", run},
        {"sim", trace, "-o", other},
        {"compare", run, other},
        {"compare", run, other, run},
        {"topdown", run},
        {"topdown", run, "--diff", other},
        {"verify", trace},
        {"draws", run},
        {"topdown", "--ncu", profile},
        {"topdown", "--ncu", EVIL "=" AETIUS_SOURCE_DIR "/tests/golden/profiler/ncu-wide.csv"},
        {"topdown", "--ncu", "a=" AETIUS_SOURCE_DIR "/tests/golden/profiler/ncu-wide.csv", profile},
        {EVIL},
        {"sim", "--" EVIL},
        {"sim", trace, "--frames", EVIL},
        {"sim", trace, "-o", run, "--set", EVIL},
        {"explain", EVIL},
        {"params", "--section", EVIL},
        {"blocks", profile},
        {"trim", EVIL, "--frames", "0", "-o", EVIL},
    };
    write_evil_trace(trace);
    write_evil_profile(profile);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        run_within(cmd, 0, commands[i]);
        check_is_printable(cmd->out, commands[i][0]);
        check_is_printable(cmd->err, commands[i][0]);
        assert_true(*cmd->out || *cmd->err);
    }
    free(trace);
    free(profile);
    free(run);
    free(other);
    clean();
}

/* The diagram has the units and queues of reference-2008 with the counts of that machine. Queues of
 * orders are drawn only on request. */
static void
diagram_has_units_and_queues(void **state)
{
    struct command_result *cmd = *state;
    RUN(cmd, "diagram");
    assert_int_equal(cmd->status, 0);
    assert_non_null(strstr(cmd->out, "shader [label=\"shader x4\\nShader"));
    assert_non_null(strstr(cmd->out, "clipper [label=\"clipper\\n"));
    assert_non_null(strstr(cmd->out, "primasm -> clipper [label=\"primitives\\n"));
    assert_non_null(strstr(cmd->out, "colorwrite -> memctl [label=\"color_memory\\n"));
    assert_null(strstr(cmd->out, "_orders"));
    RUN(cmd, "diagram", "--all", "--set", "GPU.NumFragmentShaders=2");
    assert_non_null(strstr(cmd->out, "shader [label=\"shader x2\\n"));
    assert_non_null(strstr(cmd->out, "cmdproc -> hz [label=\"hz_orders\\n"));
    assert_non_null(strstr(cmd->out, "hz -> cmdproc [label=\"hz_done\\n"));
}

/* If standard output and error go to the same file, the error is the last line. */
static void
error_comes_after_the_output(void **state)
{
    char line[256], last[256] = "";
    char *command = mem_printf("%s sim %s --follow 1:0:9999 -o %s --force 2>&1", aetius, TINY, dir);
    FILE *run = popen(command, "r");
    bool has_summary = false;
    (void)state;
    assert_non_null(run);
    while (fgets(line, sizeof line, run)) {
        has_summary |= strstr(line, "bound by") != NULL;
        memcpy(last, line, sizeof last);
    }
    assert_int_equal(WEXITSTATUS(pclose(run)), 1);
    assert_true(has_summary);
    assert_non_null(strstr(last, "aetius: --follow 1:0:9999: draw 0 has 2 triangles"));
    free(command);
    clean();
}

/* The levels of the seven-level generator are a chain in the box of their unit. No other generator
 * has parts. */
static void
diagram_has_the_levels_of_the_generator(void **state)
{
    struct command_result *cmd = *state;
    RUN(cmd, "diagram", "--preset", "semi-cycle-accurate", "--set", "RASTERIZER.LevelQueueSize=9");
    assert_non_null(strstr(cmd->out, "subgraph cluster_fraggen {"));
    assert_non_null(
        strstr(cmd->out, "level1 [label=\"level1\\nsplits 128x128 pixels into 64x64\"]"));
    assert_non_null(strstr(cmd->out, "fraggen -> level1 [label=\"9 deep\"]"));
    assert_non_null(strstr(cmd->out, "level6 -> level7 [label=\"9 deep\"]"));
    assert_non_null(strstr(cmd->out, "level7 -> fraggen ["));
    assert_null(strstr(cmd->out, "level8"));
    RUN(cmd, "diagram", "--preset", "reference-2008");
    assert_null(strstr(cmd->out, "level1"));
}

/* hilo has 256 bytes in, its first stage once, comparisons per level, and 10 cycles in total. */
static void
diagram_has_the_stages_of_a_codec(void **state)
{
    struct command_result *cmd = *state;
    RUN(cmd, "diagram", "--codec", "hilo");
    assert_int_equal(cmd->status, 0);
    assert_non_null(strstr(cmd->out, "latency 10 cycles"));
    assert_non_null(strstr(cmd->out, "block\\n256 bytes"));
    assert_non_null(strstr(cmd->out, "64, 128, 192, or 256 bytes"));
    assert_non_null(strstr(cmd->out, "s0_0 [label=\"min and max of the block\\n6 cycles\"]"));
    assert_null(strstr(cmd->out, "s0_1 [label"));
    assert_non_null(strstr(cmd->out, "s0_0 -> s1_2;"));
    assert_non_null(strstr(cmd->out, "s1_2 -> s2_2;"));
    assert_null(strstr(cmd->out, "s1_2 -> s2_1;"));
    assert_non_null(strstr(cmd->out, "s2_2 -> s3_0;"));
    assert_non_null(strstr(cmd->out, "s4_0 -> out;"));
    RUN(cmd, "diagram", "--codec", "huffman");
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "--codec: unknown codec 'huffman'"));
}

/* Draws the machine into a file with this ending. The file starts with `start`. */
static void
expect_diagram(struct command_result *cmd, const char *ending, const char *start)
{
    struct error err;
    char *path = mem_printf("%s/machine.%s", dir, ending), *bytes;
    size_t size;
    RUN(cmd, "diagram", "-o", path);
    assert_int_equal(cmd->status, 0);
    assert_true(file_read(path, FILE_MOST_TEXT, &bytes, &size, &err));
    assert_true(size > strlen(start));
    assert_memory_equal(bytes, start, strlen(start));
    free(bytes);
    free(path);
}

/* Graphviz draws the diagram in the format of the file name. Without Graphviz the message names its
 * package. DOT needs no Graphviz. */
static void
diagram_is_drawn_by_graphviz(void **state)
{
    struct command_result *cmd = *state;
    char *path = mem_printf("%s/machine.svg", dir), *kept = mem_strdup(getenv("PATH"));
    char *other = mem_printf("%s/machine.jpg", dir);
    setenv("PATH", "/nowhere", 1);
    RUN(cmd, "diagram", "-o", path);
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "graphviz"));
    assert_false(file_exists(path));
    expect_diagram(cmd, "dot", "digraph machine {");
    setenv("PATH", kept, 1);
    RUN(cmd, "diagram", "-o", other);
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, "machine.jpg: expected a name with the ending .svg"));
    assert_false(file_exists(other));
    RUN(cmd, "diagram", "--dot", "-o", other);
    assert_int_equal(cmd->status, 0);
    assert_true(file_exists(other));
    free(other);
    free(path);
    free(kept);
    needs_program("dot");
    expect_diagram(cmd, "svg", "<?xml");
    expect_diagram(cmd, "png", "\x89PNG");
    expect_diagram(cmd, "pdf", "%PDF");
    clean();
}

static void
what_is_printable(void **state)
{
    static const char *const examples[][2] = {
        {"a\tb\n~", "a\tb\n~"},
        {"\x1b[m\r\x7f", "\\x1b[m\\x0d\\x7f"},
        {"\u00a0\u00e4\u2014\U0001f642", "\u00a0\u00e4\u2014\U0001f642"},
        {"\xc2\x9b\xc2\x80", "\\xc2\\x9b\\xc2\\x80"},             /* C1 */
        {"\x9b\xe2\x80", "\\x9b\\xe2\\x80"},                      /* truncated */
        {"\xc0\x9b\xe0\x82\x9b", "\\xc0\\x9b\\xe0\\x82\\x9b"},    /* overlong encodings */
        {"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80"}, /* next to the surrogates */
        {"\xed\xa0\x80\xed\xbf\xbf", "\\xed\\xa0\\x80\\xed\\xbf\\xbf"},
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"}, /* U+10FFFF, the last code point */
        {"\xf4\x90\x80\x80\xf5\x80\x80\x80", "\\xf4\\x90\\x80\\x80\\xf5\\x80\\x80\\x80"},
        /* XML does not permit U+FFFE */
        {"\xef\xbf\xbd\xef\xbf\xbe", "\xef\xbf\xbd\\xef\\xbf\\xbe"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char *shown = mem_printable(examples[i][0]);
        assert_string_equal(shown, examples[i][1]);
        free(shown);
    }
}

int
main(int argc, char **argv)
{
    static struct command_result cmd;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(force_removes_the_run_before, &cmd),
        cmocka_unit_test_prestate(a_full_disk_is_reported, &cmd),
        cmocka_unit_test_prestate(idle_parameters_are_warned_of, &cmd),
        cmocka_unit_test_prestate(presets_have_no_warnings, &cmd),
        cmocka_unit_test_prestate(what_is_missed_is_warned_of, &cmd),
        cmocka_unit_test_prestate(pictures_are_verified, &cmd),
        cmocka_unit_test_prestate(pixels_are_inside, &cmd),
        cmocka_unit_test_prestate(some_frames_are_verified, &cmd),
        cmocka_unit_test_prestate(outputs_have_default_names, &cmd),
        cmocka_unit_test_prestate(short_forms_equal_long_forms, &cmd),
        cmocka_unit_test_prestate(errors_name_their_cause, &cmd),
        cmocka_unit_test_prestate(a_unit_lists_its_statistics, &cmd),
        cmocka_unit_test_prestate(terminals_are_left_alone, &cmd),
        cmocka_unit_test_prestate(diagram_has_units_and_queues, &cmd),
        cmocka_unit_test(error_comes_after_the_output),
        cmocka_unit_test_prestate(diagram_has_the_levels_of_the_generator, &cmd),
        cmocka_unit_test_prestate(diagram_has_the_stages_of_a_codec, &cmd),
        cmocka_unit_test_prestate(diagram_is_drawn_by_graphviz, &cmd),
        cmocka_unit_test(what_is_printable),
        cmocka_unit_test_prestate(small_caches_hold_a_quad_or_are_refused, &cmd),
        cmocka_unit_test_prestate(a_dump_is_blocks_alone, &cmd),
        cmocka_unit_test_prestate(every_color_codec_has_a_ratio, &cmd),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    assert_non_null(mkdtemp(dir));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const bool removed = remove_folder(dir);
    return failed || !removed;
}
