/* `aetius info --commands`: each command has a line with its frame, draw, bytes and arguments. The
 * expected bytes are the lengths of the packets and messages that the test writes. */
#include "rigs/scene.h"

#include "base/build.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <cjson/cJSON.h>

enum { CLIENT = 3, FRAMES = 2 };

static char dir[] = "/tmp/aetius-commands-XXXXXX";

static struct trace_writer *
begin_trace(const char *path)
{
    struct trace_writer *writer;
    struct error err;
    assert_true(trace_writer_create(&writer, path, "commands", &err));
    write_message(writer, CLIENT,
                  (struct message){.kind = MESSAGE_CLIENT_BEGIN,
                                   .bytes = (const uint8_t *)"commands",
                                   .size_bytes = 8});
    for (size_t i = 0; i < sizeof scene_resources / sizeof *scene_resources; i++)
        write_message(
            writer, CLIENT,
            (struct message){.kind = MESSAGE_RESOURCE_CREATE, .resource = scene_resources[i]});
    return writer;
}

static void
write_swap(struct trace_writer *writer)
{
    struct message swap = {.kind = MESSAGE_SWAP};
    swap.transfer.handle = RES_COLOR;
    swap.transfer.box = (struct box){0, 0, 0, 64, 32, 1};
    write_message(writer, CLIENT, swap);
}

/* Frame 0 draws twice and has a draw without vertices. Frame 1 draws once. One draw follows. The
 * first stream ends with a packet that the decoder ignores, before the last draw. */
static void
write_commands(const char *path, uint32_t stream_bytes[FRAMES + 1])
{
    static struct stream s;
    struct trace_writer *writer = begin_trace(path);
    struct error err;
    s.count = 0;
    scene_objects(&s);
    scene_bindings(&s);
    scene_draw(&s, PRIM_TRIANGLES, true);
    stream_draw(&s, PRIM_POINTS, 7, 0);
    stream_clear(&s, MASK_DEPTH | MASK_COLOR0, (const float[]){0.5f, 1, 0, 0.25f}, 0.75, 9);
    PACKET(&s, CMD_TEXTURE_BARRIER, 0);
    stream_draw(&s, PRIM_LINES, 2, 4);
    stream_view(&s, 201, RES_TEXTURE, FORMAT_B8G8R8A8_UNORM, 2);
    CREATE(&s, VOBJ_SAMPLER_VIEW, 202, RES_VERTICES, FORMAT_R32_FLOAT, 3, 258, 0);
    for (uint32_t frame = 0; frame <= FRAMES; frame++) {
        write_message(writer, CLIENT, stream_message(&s, CLIENT));
        stream_bytes[frame] = s.count * 4;
        if (frame < FRAMES)
            write_swap(writer);
        s.count = 0;
        stream_draw(&s, PRIM_TRIANGLE_FAN, 1, 3);
    }
    assert_true(trace_writer_close(writer, &err));
}

static void
expect_lines(const char *text, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strstr(text, lines[i]))
            fail_msg("missing: %s", lines[i]);
}

static void
text_has_frame_draw_bytes_and_arguments(void **state)
{
    static struct command_result cmd;
    uint32_t bytes[FRAMES + 1];
    char *trace = mem_printf("%s/text.trace", dir);
    /* bytes: 4 for the header, and 4 per dword */
    static const char *const lines[] = {
        "\n    0             3  CLIENT_BEGIN                  8  commands\n",
        "\n    0             3  RESOURCE_CREATE               0  #3 2d 16x16x1 B8G8R8A8_UNORM, 5 "
        "levels\n",
        "\n    0             3  CREATE_OBJECT                40  vertex elements 106: buffer 0 "
        "offset 0 R32G32B32A32_FLOAT, buffer 0 offset 16 R32G32B32A32_FLOAT\n",
        "\n    0             3  SET_INDEX_BUFFER             16  #5, 2 bytes per index, offset 6\n",
        "\n    0             3  SET_VERTEX_BUFFERS           16  #4 stride 32 offset 64\n",
        "\n    0             3  SET_CONSTANT_BUFFER          32  vertex 0, 5 floats\n",
        "\n    0     0       3  DRAW                         52  triangles 6 indexed, start 3\n",
        "\n    0             3  DRAW                         52  points 0, start 7\n",
        "\n    0             3  CLEAR                        36  color 0.5 1 0 0.25, depth 0.75\n",
        "\n    0     1       3  DRAW                         60  lines 4, start 2\n",
        "\n    0             3  CREATE_OBJECT                28  sampler view 201: #3 "
        "B8G8R8A8_UNORM, levels 0-2\n",
        "\n    0             3  CREATE_OBJECT                28  sampler view 202: #4 R32_FLOAT, "
        "elements 3-258\n",
        "\n    0             3  SWAP                          0  #1 level 0, 64x32x1 at 0,0,0\n",
        "\n    1     0       3  DRAW                         52  triangle_fan 3, start 1\n",
        "\n    2     0       3  DRAW                         52  triangle_fan 3, start 1\n",
    };
    (void)state;
    write_commands(trace, bytes);
    RUN(&cmd, "info", trace, "--commands");
    assert_int_equal(cmd.status, 0);
    expect_lines(cmd.out, lines, sizeof lines / sizeof *lines);
    RUN(&cmd, "info", trace, "--commands", "--frame", "1");
    assert_int_equal(cmd.status, 0);
    assert_string_equal(cmd.out,
                        "frame  draw  client  command                   bytes  arguments\n"
                        "    1     0       3  DRAW                         52  triangle_fan 3, "
                        "start 1\n"
                        "    1             3  SWAP                          0  #1 level 0, "
                        "64x32x1 at 0,0,0\n");
    RUN(&cmd, "info", trace, "--commands", "--draws");
    assert_int_equal(cmd.status, 2);
    free(trace);
}

static const char *
text_of(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItem(object, name)->valuestring;
}

/* The bytes of all commands of a stream add up to the stream. */
static void
bytes_add_up(void **state)
{
    static struct command_result cmd;
    uint32_t bytes[FRAMES + 1];
    char *trace = mem_printf("%s/json.trace", dir);
    double sums[FRAMES + 1] = {0};
    const cJSON *command;
    (void)state;
    write_commands(trace, bytes);
    RUN(&cmd, "info", trace, "--commands", "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *json = cJSON_Parse(cmd.out);
    assert_true(cJSON_GetObjectItem(json, "schema")->valuedouble == 1);
    cJSON_ArrayForEach(command, cJSON_GetObjectItem(json, "commands"))
    {
        const int frame = cJSON_GetObjectItem(command, "frame")->valueint;
        assert_in_range(frame, 0, FRAMES);
        assert_int_equal(cJSON_GetObjectItem(command, "client")->valueint, CLIENT);
        if (strcmp(text_of(command, "command"), "CLIENT_BEGIN") != 0)
            sums[frame] += cJSON_GetObjectItem(command, "bytes")->valuedouble;
    }
    for (uint32_t frame = 0; frame <= FRAMES; frame++)
        assert_true(sums[frame] == bytes[frame]);
    cJSON_Delete(json);
    free(trace);
}

/* A draw has the number, primitive and vertices listed by --draws (which renders the trace). */
static void
draws_have_the_numbers_of_the_renderer(void **state)
{
    static const char trace[] = AETIUS_SOURCE_DIR "/tests/golden/tiny.trace";
    static struct command_result cmd;
    uint32_t found = 0;
    const cJSON *command;
    (void)state;
    RUN(&cmd, "info", trace, "--draws", "--json");
    cJSON *rendered = cJSON_Parse(cmd.out);
    RUN(&cmd, "info", trace, "--commands", "--json");
    cJSON *listed = cJSON_Parse(cmd.out);
    cJSON_ArrayForEach(command, cJSON_GetObjectItem(listed, "commands"))
    {
        const cJSON *number = cJSON_GetObjectItem(command, "draw");
        assert_int_equal(number != NULL, !strcmp(text_of(command, "command"), "DRAW"));
        if (!number)
            continue;
        const cJSON *frame = cJSON_GetArrayItem(cJSON_GetObjectItem(rendered, "per_frame"),
                                                cJSON_GetObjectItem(command, "frame")->valueint);
        const cJSON *draw =
            cJSON_GetArrayItem(cJSON_GetObjectItem(frame, "draw_list"), number->valueint);
        char *wanted = mem_printf("%s %d", text_of(draw, "primitive"),
                                  cJSON_GetObjectItem(draw, "vertices")->valueint);
        assert_int_equal(strncmp(text_of(command, "arguments"), wanted, strlen(wanted)), 0);
        free(wanted);
        found++;
    }
    assert_int_equal(found, 18);
    cJSON_Delete(rendered);
    cJSON_Delete(listed);
}

#ifndef SANITIZED /* sanitizers take additional memory */
/* Returns the peak memory in KiB for a trace with this many commands. */
static long
memory_of(uint32_t commands, const char *form)
{
    static struct command_result cmd;
    static struct stream s;
    char *trace = mem_printf("%s/many.trace", dir);
    struct trace_writer *writer = begin_trace(trace);
    struct error err;
    s.count = 0;
    while (s.count + 2 <= sizeof s.dw / sizeof *s.dw)
        PACKET(&s, CMD_SET_SAMPLE_MASK, s.count);
    for (uint32_t i = 0; i < commands; i += s.count / 2)
        write_message(writer, CLIENT, stream_message(&s, CLIENT));
    write_swap(writer);
    assert_true(trace_writer_close(writer, &err));
    RUN(&cmd, "info", trace, "--commands", form);
    assert_int_equal(cmd.status, 0);
    free(trace);
    return cmd.rss_kb;
}

/* Lists are printed command by command: 100 times as many commands need no more memory. A cJSON
 * node has 64 bytes, so a tree of 200,000 commands has more than 64 MiB. */
static void
memory_does_not_grow_with_the_list(void **state)
{
    (void)state;
    for (uint32_t json = 0; json < 2; json++) {
        const char *form = json ? "--json" : "--frame=0";
        const long few = memory_of(2000, form), many = memory_of(200000, form);
        if (many - few > 4 << 10)
            fail_msg("%s: %ld KiB, then %ld KiB", form, few, many);
    }
}
#endif

/* The list ends at a command that this GPU does not execute. */
static void
error_names_the_frame(void **state)
{
    static struct command_result cmd;
    static struct stream s;
    char *trace = mem_printf("%s/compute.trace", dir);
    struct trace_writer *writer = begin_trace(trace);
    struct error err;
    (void)state;
    write_swap(writer);
    s.count = 0;
    PACKET(&s, CMD_SET_SAMPLE_MASK, 15);
    PACKET(&s, CMD_LAUNCH_GRID, 0, 0, 0, 0, 0, 0, 0, 0);
    write_message(writer, CLIENT, stream_message(&s, CLIENT));
    write_swap(writer);
    assert_true(trace_writer_close(writer, &err));
    RUN(&cmd, "info", trace, "--commands");
    assert_int_equal(cmd.status, 1);
    assert_non_null(
        strstr(cmd.out, "\n    1             3  SET_SAMPLE_MASK               8  0xf\n"));
    assert_non_null(strstr(cmd.err, "frame 1: SUBMIT at dword 2: LAUNCH_GRID: "));
    free(trace);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_frame_draw_bytes_and_arguments),
        cmocka_unit_test(bytes_add_up),
        cmocka_unit_test(draws_have_the_numbers_of_the_renderer),
#ifndef SANITIZED
        cmocka_unit_test(memory_does_not_grow_with_the_list),
#endif
        cmocka_unit_test(error_names_the_frame),
    };
    aetius = argc > 1 ? argv[1] : "aetius";
    if (!mkdtemp(dir))
        return 2;
    const int failed = cmocka_run_group_tests_name("commands", tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
