/* Refusals of the simulation, a reference or the system. One line reports each of them in time. */
#include "rigs/rig.h"
#include "rigs/command.h"
#include "rigs/folder.h"
#include "sim/command_checker.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static char dir[] = "/tmp/aetius-refusals-XXXXXX";

static void
begin_trace(struct player *player, const char *path, const struct params *params)
{
    struct error err;
    assert_true(trace_writer_create(&player->writer, path, "test", &err));
    player_start(player, params, false, NULL);
}

static void
end_trace(struct player *player)
{
    struct error err;
    assert_true(trace_writer_close(player->writer, &err));
    player_end(player);
}

/* Time queries differ between a machine and an untimed renderer, so verify ignores their results.
 * It compares counts. */
static void
verify_leaves_time_out(void **state)
{
    static struct command_result cmd;
    const uint32_t types[] = {QUERY_TIME_ELAPSED, QUERY_TIMESTAMP, QUERY_OCCLUSION_COUNTER};
    struct rig *rig = *state;
    struct player *player = &rig->player;
    struct stream *s = &rig->stream;
    char path[64];
    struct error err;
    snprintf(path, sizeof path, "%s/time.trace", dir);
    assert_true(trace_writer_create(&player->writer, path, "test", &err));
    struct trace_writer *writer = player->writer;
    rig_start(rig);
    player_create(player, (struct resource_desc){RES_QUERY, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_CUSTOM, 64, 1, 1, 1, 0, 0});
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1.0);
    rig_upload_corner(rig, 16, 0);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t query = OBJ_QUERY + i;
        CREATE(s, VOBJ_QUERY, query, types[i], i * 16, RES_QUERY);
        if (types[i] != QUERY_TIMESTAMP)
            PACKET(s, CMD_BEGIN_QUERY, query);
        rig_submit(rig);
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        PACKET(s, CMD_END_QUERY, query);
        PACKET(s, CMD_GET_QUERY_RESULT, query, 1);
        rig_submit(rig);
    }
    rig_swap(rig);
    assert_true(trace_writer_close(writer, &err));
    player->writer = NULL;
    RUN(&cmd, "verify", path);
    assert_string_equal(cmd.err, "");
    assert_int_equal(cmd.status, 0);
    assert_string_equal(
        cmd.out, "1 frame, 0 readbacks, 1 query result: 0 differ; not compared: 2 time queries\n");
    RUN(&cmd, "verify", "--json", path);
    assert_non_null(strstr(cmd.out, "\"times_not_compared\":\t2"));
    unlink(path);
}

/* Without a frame, there is no next step. */
static void
a_trace_without_frames_has_no_next_step(void **state)
{
    static struct command_result cmd;
    struct rig *rig = *state;
    struct error err;
    char path[64], run[64];
    snprintf(path, sizeof path, "%s/none.trace", dir);
    snprintf(run, sizeof run, "%s/none.run", dir);
    assert_true(trace_writer_create(&rig->player.writer, path, "test", &err));
    rig_start(rig);
    rig_clear(rig, MASK_COLOR0, 1.0);
    rig_submit(rig);
    assert_true(trace_writer_close(rig->player.writer, &err));
    rig->player.writer = NULL;
    RUN(&cmd, "sim", path, "-o", run);
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "no frame was drawn"));
    assert_null(strstr(cmd.out, "next:"));
    assert_true(remove_folder(run));
    unlink(path);
}

static void
softpipe_has_one_sample(void **state)
{
    static struct command_result cmd;
    struct rig *rig = *state;
    struct player player = {0};
    char path[64], out[64], command[256];
    if (access("/usr/bin/virgl_test_server", X_OK))
        skip();
    snprintf(path, sizeof path, "%s/samples.trace", dir);
    snprintf(out, sizeof out, "%s/pictures", dir);
    begin_trace(&player, path, &rig->params);
    player_create(&player, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                  BIND_RENDER_TARGET, 64, 64, 1, 1, 0, 4});
    end_trace(&player);
    RUN(&cmd, "replay", path, "--reference=softpipe", "-o", out);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "softpipe has one sample per pixel"));
    assert_non_null(strstr(cmd.err, "--single-sampled"));
    assert_null(strstr(cmd.err, "connection"));
    RUN(&cmd, "replay", path, "--reference=softpipe", "--single-sampled", "-o", out);
    assert_int_equal(cmd.status, 0);
    snprintf(command, sizeof command, "rm -rf %s %s", path, out);
    assert_int_equal(system(command), 0);
}

static void
copy_file(const char *from, const char *to)
{
    char command[256];
    snprintf(command, sizeof command, "cp %s %s", from, to);
    assert_int_equal(system(command), 0);
}

/* A program with the setgid bit is reported. Only users who may change the owner of files can
 * create such a program. */
static void
a_setgid_program_is_reported(void **state)
{
    static struct command_result cmd;
    char program[64];
    if (geteuid() != 0)
        skip();
    snprintf(program, sizeof program, "%s/program", dir);
    setenv("DISPLAY", ":77", 1); /* no X server is needed */
    copy_file("/bin/true", program);
    RUN(&cmd, "run", "--functional", "--", program);
    assert_int_equal(cmd.status, 1);
    assert_null(strstr(cmd.err, "LD_PRELOAD"));
    assert_int_equal(chown(program, 0, getegid() + 1), 0);
    assert_int_equal(chmod(program, 02755), 0);
    RUN(&cmd, "run", "--functional", "--", program);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "it is setgid"));
    assert_non_null(strstr(cmd.err, "run a copy"));
    assert_null(strstr(cmd.err, "linked statically"));
    unlink(program);
    unsetenv("DISPLAY");
}

struct ear {
    struct message_sink sink;
    uint32_t heard;
};

static bool
listen(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
       struct error *err)
{
    struct ear *ear = data;
    ear->heard++;
    return true;
}

static void
deliver(struct command_checker *checker, struct message message)
{
    message.client = 1;
    assert_true(checker->sink.take(checker->sink.data, &message, NULL, 0, NULL));
}

static void
deliver_stream(struct command_checker *checker, struct stream *stream)
{
    deliver(checker, stream_message(stream, 1));
    stream->count = 0;
}

static void
checker_start(struct command_checker *checker, struct ear *ear, struct stream *stream,
              uint32_t format)
{
    struct error err;
    *ear = (struct ear){.sink = {.data = ear, .take = listen}};
    assert_true(command_checker_init(checker, &ear->sink, &err));
    deliver(checker, (struct message){.kind = MESSAGE_CLIENT_BEGIN,
                                      .bytes = (const uint8_t *)"test",
                                      .size_bytes = 4});
    for (size_t i = 0; i < sizeof scene_resources / sizeof scene_resources[0]; i++)
        deliver(checker,
                (struct message){.kind = MESSAGE_RESOURCE_CREATE, .resource = scene_resources[i]});
    scene_states(stream, 0);
    scene_shaders(stream, rig_vs, rig_fs);
    CREATE(stream, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, format);
    scene_surfaces(stream, FORMAT_B8G8R8A8_UNORM, FORMAT_Z24_UNORM_S8_UINT);
    scene_bind(stream);
    PACKET(stream, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(stream, 64, 32);
    deliver_stream(checker, stream);
}

static void
draw(struct command_checker *checker, struct stream *stream)
{
    stream_draw(stream, PRIM_TRIANGLES, 0, 3);
    deliver_stream(checker, stream);
}

/* The program reports each kind of refusal once. Drawing commands still reach the next renderer. */
static void
refusals_are_reported_once(void **state)
{
    static struct command_checker checker;
    static struct stream stream;
    struct ear ear;
    struct message swap = {.kind = MESSAGE_SWAP};
    swap.transfer.handle = RES_COLOR;
    swap.transfer.box = (struct box){0, 0, 0, 64, 32, 1};

    checker_start(&checker, &ear, &stream, FORMAT_R32G32B32A32_FLOAT);
    draw(&checker, &stream);
    deliver(&checker, swap);
    assert_int_equal(checker.warnings, 0);
    assert_int_equal(checker.frame, 1);
    const uint32_t before = ear.heard;
    deliver(&checker, (struct message){.kind = MESSAGE_RESOURCE_CREATE,
                                       .resource = {200, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                    BIND_DISPLAY_TARGET, 8192, 8192, 1, 1, 0, 0}});
    assert_int_equal(checker.warnings, 1);
    deliver(&checker, (struct message){.kind = MESSAGE_RESOURCE_CREATE,
                                       .resource = {201, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                    BIND_DISPLAY_TARGET, 8192, 8192, 1, 1, 0, 0}});
    assert_int_equal(checker.warnings, 1);
    assert_int_equal(ear.heard, before + 2);
    command_checker_fini(&checker);

    checker_start(&checker, &ear, &stream, 292); /* ASTC */
    for (int i = 0; i < 5; i++)
        draw(&checker, &stream);
    assert_int_equal(checker.warnings, 1);
    assert_non_null(strstr(checker.refusals[0], "cannot be fetched"));
    stream_blit(&stream, BLIT_COLOR,
                (struct blit_side){999, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, 8, 8, 1}},
                (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, 8, 8, 1}});
    deliver_stream(&checker, &stream);
    assert_int_equal(checker.warnings, 2);
    command_checker_fini(&checker);
}

/* If a file repeats the same error, the program prints the first few lines and a count. */
static void
repeated_names_are_counted(void **state)
{
    enum { TIMES = 50000, SHOWN = 8 };
    static struct command_result cmd;
    char path[64], more[96];
    uint32_t lines = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/repeated.ini", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("[GPU]\n", file);
    for (uint32_t i = 0; i < TIMES; i++)
        fputs("ClockMHz = 500\n", file);
    fclose(file);
    RUN(&cmd, "stats", "--config", path);
    assert_int_equal(cmd.status, 0);
    for (const char *at = cmd.err; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, SHOWN + 1);
    snprintf(more, sizeof more, "%s: %d more warnings", path, TIMES - 1 - SHOWN);
    assert_non_null(strstr(cmd.err, more));
    unlink(path);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verify_leaves_time_out, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(a_trace_without_frames_has_no_next_step, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(softpipe_has_one_sample, rig_set_up, rig_tear_down),
        cmocka_unit_test(a_setgid_program_is_reported),
        cmocka_unit_test(refusals_are_reported_once),
        cmocka_unit_test(repeated_names_are_counted),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    assert_non_null(mkdtemp(dir));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(dir);
    return failed;
}
