/* Tests which draws must be executed for the requested frames. */
#include "rigs/scene.h"

#include "state/cmd.h"
#include "trace/file.h"
#include "trace/virgl/needed_draws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

enum { CLIENT = 3 };

/* Creates a trace with the resources of the scene. */
static struct trace_writer *
create_scene_trace(const char *path)
{
    struct trace_writer *writer;
    struct error err;
    assert_true(trace_writer_create(&writer, path, "scene", &err));
    write_message(writer, CLIENT, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    for (uint32_t i = 0; i < sizeof scene_resources / sizeof scene_resources[0]; i++)
        write_message(
            writer, CLIENT,
            (struct message){.kind = MESSAGE_RESOURCE_CREATE, .resource = scene_resources[i]});
    return writer;
}

/* A trace of two frames with one draw each. The members describe the work before the second draw.
 */
struct past {
    uint32_t clear;     /* the buffers that a clear covers */
    int32_t blit, copy; /* columns, of 64, that a blit or copy from the texture covers */
    uint32_t blit_mask; /* 0: all color channels */
    bool stencil;       /* whether the stencil test is enabled */
    /* a query counts the samples of the first draw; its result enables or disables the second one
     */
    bool query, condition;
    bool result; /* whether the result is read */
};

static void
write_first_frame(struct stream *s, const struct past *past)
{
    s->count = 0;
    scene_objects(s);
    scene_bindings(s);
    if (past->stencil) {
        CREATE(s, VOBJ_DSA, OBJ_DSA, DSA_DEPTH_TEST | DSA_DEPTH_WRITE | FUNC_LESS * DSA_DEPTH_FUNC,
               1, 0, 0);
        stream_bind(s, VOBJ_DSA, OBJ_DSA);
    }
    if (past->query)
        PACKET(s, CMD_BEGIN_QUERY, OBJ_QUERY);
    scene_draw(s, PRIM_TRIANGLES, true);
    if (past->query)
        PACKET(s, CMD_END_QUERY, OBJ_QUERY);
}

static void
write_second_frame(struct stream *s, const struct past *past)
{
    const uint32_t mask = past->blit_mask ? past->blit_mask : BLIT_COLOR;
    s->count = 0;
    if (past->condition)
        PACKET(s, CMD_SET_RENDER_CONDITION, OBJ_QUERY, 0, 0);
    if (past->clear)
        stream_clear(s, past->clear, NULL, 1, 0);
    if (past->blit)
        stream_blit(
            s, mask,
            (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {0, 32, 0, past->blit, -32, 1}},
            (struct blit_side){RES_TEXTURE, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, 16, 16, 1}});
    if (past->copy)
        PACKET(s, CMD_RESOURCE_COPY_REGION, RES_COLOR, 0, 0, 0, 0, RES_TEXTURE, 0, 0, 0, 0,
               (uint32_t)past->copy, 32, 1);
    if (past->result)
        PACKET(s, CMD_GET_QUERY_RESULT, OBJ_QUERY, 1);
    scene_draw(s, PRIM_TRIANGLES, true);
}

static void
write_two_frames(const char *path, const struct past *past)
{
    static struct stream s;
    struct trace_writer *writer = create_scene_trace(path);
    struct error err;
    struct message swap = {.kind = MESSAGE_SWAP};
    swap.transfer.handle = RES_COLOR;
    swap.transfer.box = (struct box){0, 0, 0, 64, 32, 1};
    write_first_frame(&s, past);
    write_message(writer, CLIENT, stream_message(&s, CLIENT));
    write_message(writer, CLIENT, swap);
    write_second_frame(&s, past);
    write_message(writer, CLIENT, stream_message(&s, CLIENT));
    write_message(writer, CLIENT, swap);
    assert_true(trace_writer_close(writer, &err));
}

static const struct frame_set frame_1 = {.ranges = {{1, 1}}, .count = 1};

static bool
first_draw_needed(struct past past, uint32_t warm_up)
{
    char path[] = "/tmp/aetius-trim-XXXXXX";
    struct needed_draws *needed;
    struct trace_reader *reader;
    struct error err;
    close(mkstemp(path));
    write_two_frames(path, &past);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_true(needed_draws_find(&needed, reader, &frame_1, warm_up, &err));
    const bool first = needed_draws_has(needed, 0);
    assert_true(needed_draws_has(needed, 1));
    needed_draws_destroy(needed);
    /* a reader at the end of the trace gives the same answer */
    struct message message;
    for (bool end = false; !end;)
        assert_true(trace_reader_next(reader, &message, &end, &err));
    assert_true(needed_draws_find(&needed, reader, &frame_1, warm_up, &err));
    assert_int_equal(needed_draws_has(needed, 0), first);
    needed_draws_destroy(needed);
    trace_reader_close(reader);
    unlink(path);
    return first;
}

#define NEEDED(...) first_draw_needed((struct past){__VA_ARGS__}, WARM_UP_ALL)

/* A draw before the frame is skipped only if the frame clears everything that the draw writes. This
 * is color, depth, and also stencil if the stencil test is enabled. */
static void
test_needed_draws(void **state)
{
    (void)state;
    for (uint32_t clear = 0; clear < 8; clear++) {
        assert_int_equal(NEEDED(.clear = clear), (clear & 5) != 5);
        assert_int_equal(NEEDED(.clear = clear, .stencil = true), clear != CLEAR_ALL);
    }
    assert_false(first_draw_needed((struct past){0}, 0));
    assert_true(first_draw_needed((struct past){0}, 1));
}

/* A blit or a copy that covers the whole surface has the same effect as a clear. */
static void
test_what_lies_under_a_blit_is_not_needed(void **state)
{
    (void)state;
    assert_false(NEEDED(.clear = MASK_DEPTH, .blit = 64));
    assert_true(NEEDED(.clear = 0, .blit = 64));
    assert_true(NEEDED(.clear = MASK_DEPTH, .blit = 63));
    assert_true(NEEDED(.clear = MASK_DEPTH, .blit = 64, .blit_mask = BLIT_COLOR & ~BLIT_ALPHA));
    assert_true(NEEDED(.clear = MASK_DEPTH, .blit = 64, .blit_mask = BLIT_COLOR | BLIT_SCISSOR));
    assert_false(NEEDED(.clear = MASK_DEPTH, .blit = 64, .blit_mask = BLIT_COLOR | BLIT_CONDITION));
    assert_true(NEEDED(.clear = MASK_DEPTH, .blit = 64, .blit_mask = BLIT_COLOR | BLIT_CONDITION,
                       .query = true, .condition = true));
    assert_false(NEEDED(.clear = MASK_DEPTH, .copy = 64));
    assert_true(NEEDED(.clear = MASK_DEPTH, .copy = 63));
}

/* A draw whose samples are counted is needed if the count is read or enables a draw. */
static void
test_draws_that_are_counted(void **state)
{
    (void)state;
    assert_false(NEEDED(.clear = CLEAR_ALL, .query = true));
    assert_true(NEEDED(.clear = CLEAR_ALL, .query = true, .result = true));
    assert_true(NEEDED(.clear = CLEAR_ALL, .query = true, .condition = true));
    assert_false(NEEDED(.clear = CLEAR_ALL, .result = true));
}

/* Writes a file of contents as read back for frame 1. It contains the color surface if `color`,
 * otherwise nothing. */
static struct trace_reader *
write_read_back(const char *path, bool color)
{
    static const uint8_t bytes[64 * 32 * 4];
    struct trace_writer *writer;
    struct trace_reader *reader;
    struct error err;
    struct message put = {.kind = MESSAGE_PUT, .bytes = bytes, .size_bytes = sizeof bytes};
    assert_true(trace_writer_create(&writer, path, "contents", &err));
    put.transfer.handle = RES_COLOR;
    put.transfer.box = (struct box){0, 0, 0, 64, 32, 1};
    if (color)
        write_message(writer, CLIENT, put);
    write_message(writer, CLIENT, (struct message){.kind = MESSAGE_SWAP});
    assert_true(trace_writer_close(writer, &err));
    assert_true(trace_reader_open(&reader, path, &err));
    return reader;
}

static bool
needed_for_state(uint32_t clear, bool read_back, bool color, bool *sees_depth)
{
    enum { DEPTH_NUMBER = 1 }; /* index in scene_resources */
    char path[] = "/tmp/aetius-trim-XXXXXX", contents[] = "/tmp/aetius-trim-XXXXXX";
    const struct past past = {.clear = clear};
    struct needed_draws *needed;
    struct trace_reader *reader, *reading;
    struct error err;
    close(mkstemp(path));
    close(mkstemp(contents));
    write_two_frames(path, &past);
    reading = write_read_back(contents, color);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_true(needed_draws_find_states(&needed, reader, &frame_1, WARM_UP_ALL,
                                         read_back ? reading : NULL, &err));
    const bool first = needed_draws_has(needed, 0);
    assert_false(needed_draws_has(needed, 1)); /* the draw after the state */
    *sees_depth = needed_draws_is_live(needed, 0, DEPTH_NUMBER);
    needed_draws_destroy(needed);
    trace_reader_close(reader);
    trace_reader_close(reading);
    unlink(path);
    unlink(contents);
    return first;
}

/* If the state at the start of a frame is stored, all of memory is needed. If contents were read
 * back, only data that they lack and that the frame reads is needed. */
static void
test_draws_that_a_state_needs(void **state)
{
    bool depth;
    (void)state;
    assert_true(needed_for_state(7, false, false, &depth) && depth);
    assert_false(needed_for_state(7, true, false, &depth) || depth);
    assert_true(needed_for_state(1, true, false, &depth) && !depth);
    assert_false(needed_for_state(1, true, true, &depth) || depth);
    assert_true(needed_for_state(0, true, true, &depth) && depth);
}

enum { RES_FRONT = 100 };

/* Frame 0 draws into the back surface. Frame 1 clears the back surface and shows the front surface,
 * which has the picture of frame 0. The front surface is created before frame 0 is shown, or later.
 */
static void
write_front(const char *path, bool made_later, bool other_window)
{
    static struct stream s;
    struct trace_writer *writer = create_scene_trace(path);
    struct error err;
    struct message swap = {.kind = MESSAGE_SWAP};
    struct message front = {.kind = MESSAGE_RESOURCE_CREATE, .resource = scene_resources[0]};
    front.resource.handle = RES_FRONT;
    front.resource.height += other_window;
    swap.transfer.handle = RES_COLOR;
    swap.transfer.box = (struct box){0, 0, 0, 64, 32, 1};
    if (!made_later)
        write_message(writer, CLIENT, front);
    s.count = 0;
    scene_objects(&s);
    scene_bindings(&s);
    scene_draw(&s, PRIM_TRIANGLES, true);
    write_message(writer, CLIENT, stream_message(&s, CLIENT));
    write_message(writer, CLIENT, swap);
    if (made_later)
        write_message(writer, CLIENT, front);
    s.count = 0;
    stream_clear(&s, CLEAR_ALL, NULL, 1, 0);
    write_message(writer, CLIENT, stream_message(&s, CLIENT));
    swap.transfer.handle = RES_FRONT;
    write_message(writer, CLIENT, swap);
    assert_true(trace_writer_close(writer, &err));
}

static bool
needed_for_front(bool made_later, bool other_window, bool later)
{
    char path[] = "/tmp/aetius-trim-XXXXXX";
    struct needed_draws *needed;
    struct trace_reader *reader;
    struct error err;
    close(mkstemp(path));
    write_front(path, made_later, other_window);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_true(later ? needed_draws_find_later(&needed, reader, &frame_1, WARM_UP_ALL, &err)
                      : needed_draws_find(&needed, reader, &frame_1, WARM_UP_ALL, &err));
    const bool result = needed_draws_has(needed, 0);
    needed_draws_destroy(needed);
    trace_reader_close(reader);
    unlink(path);
    return result;
}

/* At a swap the GPU copies the shown surface into the front surface of the same window. So later
 * frames may read the picture there. */
static void
test_draws_that_the_front_surface_shows(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        assert_true(needed_for_front(false, false, later));
        assert_true(needed_for_front(true, false, later));
        assert_false(needed_for_front(false, true, later));
    }
}

/* Two requested frames, each drawn separately. The run that skips the first frame still needs its
 * draw, unless the second frame clears everything that the draw wrote. No run skips the last frame.
 */
static void
test_draws_that_later_frames_see(void **state)
{
    (void)state;
    for (uint32_t clear = 0; clear < 8; clear += 7) {
        char path[] = "/tmp/aetius-trim-XXXXXX";
        struct frame_set wanted = {.count = 0};
        struct needed_draws *needed;
        struct trace_reader *reader;
        struct error err;
        close(mkstemp(path));
        write_two_frames(path, &(struct past){.clear = clear});
        assert_true(trace_reader_open(&reader, path, &err));
        assert_true(needed_draws_find_later(&needed, reader, &wanted, WARM_UP_ALL, &err));
        assert_int_equal(needed_draws_has(needed, 0), clear == 0);
        assert_false(needed_draws_has(needed, 1));
        needed_draws_destroy(needed);
        assert_true(needed_draws_find(&needed, reader, &wanted, WARM_UP_ALL, &err));
        assert_true(needed_draws_has(needed, 0) && needed_draws_has(needed, 1));
        needed_draws_destroy(needed);
        trace_reader_close(reader);
        unlink(path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needed_draws),
        cmocka_unit_test(test_what_lies_under_a_blit_is_not_needed),
        cmocka_unit_test(test_draws_that_are_counted),
        cmocka_unit_test(test_draws_that_a_state_needs),
        cmocka_unit_test(test_draws_that_the_front_surface_shows),
        cmocka_unit_test(test_draws_that_later_frames_see),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
