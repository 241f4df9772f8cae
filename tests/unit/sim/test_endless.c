/* An endless program stops the run with one line. The line is the same on the timed machine and in
 * the functional renderer, for every group size. A program that ends within EXEC_THREAD_LIMIT
 * instructions per thread runs on both. */
#include "base/file.h"
#include "isa/exec.h"
#include "trace/file.h"

#include "rigs/rig.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

enum { OBJ_TRIED = 500, LIMIT = 1 << 20 };

/* A loop that counts to n. A thread executes MOV and BGNLOOP, then n times SGE, IF, ADD and
 * ENDLOOP. After that it executes SGE, IF and BRK, and the MOV to its output. These are 4 n + 6
 * instructions, plus those of PAD. */
#define LOOP(n)                                                                                    \
    "MOV TEMP[0], IMM[0].xxxx\nBGNLOOP\nSGE TEMP[1].x, TEMP[0].xxxx, " n "\nIF TEMP[1].xxxx\n"     \
    "BRK\nENDIF\nADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\n"
#define PAD      "MOV TEMP[3], IMM[0]\n"
#define FOREVER  "BGNLOOP\nENDLOOP\n"
#define DECLARED "DCL TEMP[0..3]\n"
#define NUMBERS  "IMM[0] FLT32 {0.0, 1.0, 262142.0, 262141.0}\nIMM[1] FLT32 {0.5, 1.0, 0.0, 1.0}\n"
#define VERTEX   "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n" DECLARED NUMBERS
#define FRAGMENT "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\n" DECLARED NUMBERS
#define PLACED   "MOV OUT[0], IN[0]\nEND\n"
#define COLORED  "MOV OUT[0], IMM[1]\nEND\n"
/* Computes 262141 in odd columns and 0 in even ones, with four instructions. */
#define OF_COLUMN                                                                                  \
    "MUL TEMP[2].x, IN[0].xxxx, IMM[1].xxxx\nFRC TEMP[2].x, TEMP[2].xxxx\n"                        \
    "SGE TEMP[2].x, TEMP[2].xxxx, IMM[1].xxxx\nMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].wwww\n"
/* Kills the fragments of even columns, which then loop endlessly as helpers of their quad. */
#define KILLS                                                                                      \
    "MUL TEMP[2].x, IN[0].xxxx, IMM[1].xxxx\nFRC TEMP[2].x, TEMP[2].xxxx\n"                        \
    "SLT TEMP[2].x, TEMP[2].xxxx, IMM[1].xxxx\nKILL_IF -TEMP[2].xxxx\n"                            \
    "IF TEMP[2].xxxx\n" FOREVER "ENDIF\n"

struct tried {
    enum shader_stage stage;
    const char *text; /* lines without numbers */
    bool ends;
};

static const struct tried tried[] = {
    {STAGE_FRAGMENT, FRAGMENT FOREVER COLORED, false},
    {STAGE_VERTEX, VERTEX FOREVER PLACED, false},
    {STAGE_FRAGMENT, FRAGMENT LOOP("IMM[0].zzzz") PAD PAD COLORED, true},
    {STAGE_FRAGMENT, FRAGMENT LOOP("IMM[0].zzzz") PAD PAD PAD COLORED, false},
    {STAGE_FRAGMENT, FRAGMENT OF_COLUMN LOOP("TEMP[2].xxxx") PAD PAD COLORED, true},
    {STAGE_FRAGMENT, FRAGMENT OF_COLUMN LOOP("TEMP[2].xxxx") PAD PAD PAD COLORED, false},
    {STAGE_VERTEX, VERTEX LOOP("IMM[0].zzzz") PAD PAD PLACED, true},
    {STAGE_VERTEX, VERTEX LOOP("IMM[0].zzzz") PAD PAD PAD PLACED, false},
    {STAGE_FRAGMENT, FRAGMENT KILLS COLORED, false},
};

/* Numbers the lines from the first instruction on. */
static void
number_lines(const char *text, char *out, size_t size)
{
    int line = 0;
    size_t used = 0;
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "\n");
        const bool declares = at == text || !strncmp(at, "DCL", 3) || !strncmp(at, "IMM", 3);
        used += (size_t)(declares
                             ? snprintf(out + used, size - used, "%.*s\n", (int)n, at)
                             : snprintf(out + used, size - used, "%d: %.*s\n", line++, (int)n, at));
        at += n + 1;
    }
}

/* A scene with a red draw, followed by one draw per program. */
struct scenery {
    struct player player;
    struct error err;
    bool ok;
};

static void
take(struct scenery *scenery, struct message message)
{
    message.client = 1;
    if (scenery->player.writer &&
        !trace_writer_add(scenery->player.writer, &message, &scenery->err))
        fail_msg("%s", scenery->err.text);
    scenery->ok = scenery->ok && scenery->player.sink.sink.take(scenery->player.sink.sink.data,
                                                                &message, NULL, 0, &scenery->err);
}

static void
submit(struct scenery *scenery, struct stream *s)
{
    take(scenery, stream_message(s, 1));
    s->count = 0;
}

static void
add_draw(struct stream *s)
{
    stream_draw(s, PRIM_TRIANGLES, 0, 3);
}

static void
add_states(struct stream *s)
{
    scene_states(s, 0);
    scene_shaders(s, rig_vs, rig_fs);
    CREATE(s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(s, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(s);
    PACKET(s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(s, SIZE, SIZE);
}

/* Plays the scene with each of these programs. Writes a trace of the scene to `path`, unless NULL.
 */
static struct error
play(const struct params *params, bool timed, const struct tried *const *programs, const char *path,
     bool *ok)
{
    static const float corner[3][4] = {{-1, -1, 0, 1}, {-.9f, -1, 0, 1}, {-1, -.9f, 0, 1}};
    static const struct simulation_listener none;
    struct scenery scenery = {.ok = true, .err = {""}};
    struct stream s = {0};
    char text[2048];
    if (path && !trace_writer_create(&scenery.player.writer, path, "endless", &scenery.err))
        fail_msg("%s", scenery.err.text);
    player_start(&scenery.player, params, timed, &none);
    player_create(&scenery.player,
                  (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                         BIND_RENDER_TARGET | BIND_DISPLAY_TARGET, SIZE, SIZE, 1, 1,
                                         0, 0});
    player_create(&scenery.player,
                  (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_VERTEX_BUFFER, 4096, 1, 1, 1, 0, 0});
    player_put(&scenery.player, RES_VERTICES, corner, sizeof corner);
    add_states(&s);
    add_draw(&s);
    submit(&scenery, &s);
    for (uint32_t i = 0; programs[i]; i++) {
        const enum virgl_stage stage =
            programs[i]->stage == STAGE_VERTEX ? VSTAGE_VERTEX : VSTAGE_FRAGMENT;
        number_lines(programs[i]->text, text, sizeof text);
        stream_shader(&s, OBJ_TRIED + i, stage, text);
        stream_bind_shader(&s, OBJ_VS, VSTAGE_VERTEX);
        stream_bind_shader(&s, OBJ_FS, VSTAGE_FRAGMENT);
        stream_bind_shader(&s, OBJ_TRIED + i, stage);
        add_draw(&s);
        submit(&scenery, &s);
    }
    take(&scenery, (struct message){.kind = MESSAGE_SWAP,
                                    .transfer = {RES_COLOR, 0, {0, 0, 0, SIZE, SIZE, 1}}});
    player_end(&scenery.player);
    if (path && !trace_writer_close(scenery.player.writer, &scenery.err))
        fail_msg("%s", scenery.err.text);
    *ok = scenery.ok;
    return scenery.err;
}

/* Formats the expected line for a program in draw number `draw`. */
static void
expect_line(char *line, size_t size, const struct tried *program, uint32_t draw)
{
    char text[2048];
    struct error err;
    number_lines(program->text, text, sizeof text);
    struct program *made = program_create(program->stage, text, NULL, &err);
    if (!made)
        fail_msg("%s in\n%s", err.text, text);
    snprintf(line, size,
             "frame 0, draw %u: %s program %016llx does not terminate: a thread has executed %d "
             "instructions",
             draw, program->stage == STAGE_VERTEX ? "vertex" : "fragment",
             (unsigned long long)made->hash, LIMIT);
    program_destroy(made);
}

static struct params
params_of(const char *assignments)
{
    struct params params;
    char copy[512], *rest = NULL;
    struct error err;
    if (!params_load_preset(&params, "reference-2008", &err))
        fail_msg("%s", err.text);
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    snprintf(copy, sizeof copy, "%s", assignments);
    for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        if (!params_set(&params, one, &err))
            fail_msg("%s", err.text);
    return params;
}

static void
check(const struct tried *program, const char *settings, bool timed)
{
    const struct params params = params_of(settings);
    const struct tried *const programs[] = {program, NULL};
    char line[256];
    bool ok;
    const struct error err = play(&params, timed, programs, NULL, &ok);
    expect_line(line, sizeof line, program, 1);
    if (ok != program->ends || (!ok && strcmp(err.text, line)))
        fail_msg("%s, %s: %s\nnot: %s\n%s", settings, timed ? "timed" : "functional",
                 ok ? "it runs" : err.text, program->ends ? "it runs" : line, program->text);
}

static void
functional(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
        check(&tried[i], "", false);
}

/* One instruction of a group issues per cycle, so that a million instructions take the least time.
 */
#define INSTANT "SHADER.Mode=instant "

static void
timed(void **state)
{
    static const char *const settings[] = {
        INSTANT "FRAGMENTSHADER.ThreadGroup=4",
        INSTANT "FRAGMENTSHADER.ThreadGroup=16",
        INSTANT "FRAGMENTSHADER.ThreadGroup=256",
        INSTANT "FRAGMENTSHADER.ThreadGroup=16 FRAGMENTSHADER.LockedExecutionMode=FALSE",
        INSTANT "GPU.UnifiedShader=FALSE",
    };
    (void)state;
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++)
        for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
            check(&tried[i], settings[s], true);
    check(&tried[4], "", true);
    check(&tried[5], "", true);
}

/* Draws overlap. The first endless draw is reported, as without overlap. The vertices of the second
 * draw reach the limit before the fragments of the first one. */
static void
first_of_two(void **state)
{
    const struct params params =
        params_of("SHADER.Mode=instant COMMANDPROCESSOR.PipelinedBatchRendering=TRUE");
    const struct tried *const slow = &tried[5], *const fast = &tried[1];
    const struct tried *const both[] = {slow, fast, NULL};
    char line[256];
    (void)state;
    expect_line(line, sizeof line, slow, 1);
    for (uint32_t is_timed = 0; is_timed < 2; is_timed++) {
        bool ok;
        const struct error err = play(&params, is_timed, both, NULL, &ok);
        assert_false(ok);
        assert_string_equal(err.text, line);
    }
}

/* Commands print the line and exit with status 1. */
static void
commands(void **state)
{
    struct command_result *cmd = *state;
    const struct params params = params_of("");
    const struct tried *const programs[] = {&tried[0], NULL};
    char line[256], wanted[300], dir[] = "/tmp/aetius-endless-XXXXXX", trace[64], run[64];
    bool ok;
    assert_non_null(mkdtemp(dir));
    snprintf(trace, sizeof trace, "%s/endless.trace", dir);
    snprintf(run, sizeof run, "%s/run", dir);
    play(&params, false, programs, trace, &ok);
    expect_line(line, sizeof line, &tried[0], 1);
    snprintf(wanted, sizeof wanted, "aetius: %s\n", line);
    RUN(cmd, "sim", trace, "-o", run);
    assert_int_equal(cmd->status, 1);
    assert_string_equal(cmd->err, wanted);
    RUN(cmd, "sim", trace, "-o", run, "--force", "--set", "SHADER.Mode=instant", "--jobs", "2");
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, line));
    RUN(cmd, "replay", trace, "-o", run);
    assert_int_equal(cmd->status, 1);
    assert_non_null(strstr(cmd->err, wanted)); /* the line follows a count of pictures */
    assert_true(remove_folder(dir));
}

static int
set_up(void **state)
{
    *state = calloc(1, sizeof(struct command_result));
    return *state ? 0 : -1;
}

static int
tear_down(void **state)
{
    free(*state);
    return 0;
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functional),
        cmocka_unit_test(timed),
        cmocka_unit_test(first_of_two),
        cmocka_unit_test_setup_teardown(commands, set_up, tear_down),
    };
    aetius = argc > 1 ? argv[1] : "aetius";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
