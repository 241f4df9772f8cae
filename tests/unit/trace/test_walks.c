/* Passes over a trace that the decoder has not yet checked: needed draws, contents of the opening
 * state, and live objects. The traces are hostile. Each pass ends within the budget and after a
 * signal, and reads no invalid data. */
#include "rigs/stream.h"

#include "base/mem.h"
#include "sim/render_sink.h"
#include "state/cmd.h"
#include "trace/virgl/protocol.h"
#include "trace/virgl/lost_samples.h"
#include "trace/virgl/needed_draws_internal.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/interrupt.h"

enum { CLIENT = 1, TARGET = 5, SURFACE = 9, SIDE = 16, RGBA = 67, MB = 1 << 20 };

/* A list of dwords that grows to a SUBMIT of any length. */
struct dwords {
    uint32_t *items;
    size_t count, capacity;
};

static void
add_packet(struct dwords *dwords, uint32_t command, uint32_t object, uint32_t length,
           const uint32_t *payload)
{
    VEC_PUSH(dwords, command | object << 8 | length << 16);
    for (uint32_t i = 0; i < length; i++)
        VEC_PUSH(dwords, payload[i]);
}
#define ADD(dwords, command, object, ...)                                                          \
    add_packet(dwords, command, object, sizeof((const uint32_t[]){__VA_ARGS__}) / 4,               \
               (const uint32_t[]){__VA_ARGS__})

static struct message
submit_of(const struct dwords *dwords)
{
    return (struct message){.kind = MESSAGE_SUBMIT,
                            .client = CLIENT,
                            .bytes = (const uint8_t *)dwords->items,
                            .size_bytes = (uint32_t)dwords->count * 4};
}

static void
add_resource_of(struct trace_writer *writer, uint32_t handle, uint32_t samples)
{
    write_message(writer, CLIENT,
                  (struct message){.kind = MESSAGE_RESOURCE_CREATE,
                                   .resource = {handle, TARGET_2D, RGBA, BIND_RENDER_TARGET, SIDE,
                                                SIDE, 1, 1, 0, samples}});
}

static void
add_frame_of(struct trace_writer *writer, enum message_kind kind)
{
    write_message(
        writer, CLIENT,
        (struct message){.kind = kind, .transfer = {TARGET, 0, {0, 0, 0, SIDE, SIDE, 1}}});
}

static struct trace_writer *
begin_trace(char *path)
{
    struct trace_writer *writer;
    struct error err;
    close(mkstemp(path));
    assert_true(trace_writer_create(&writer, path, "hostile", &err));
    return writer;
}

static struct trace_reader *
end_trace(struct trace_writer *writer, const char *path)
{
    struct trace_reader *reader;
    struct error err;
    assert_true(trace_writer_close(writer, &err));
    assert_true(trace_reader_open(&reader, path, &err));
    unlink(path);
    return reader;
}

/* Creates a trace of two frames. The commands are in the first one. */
static struct trace_reader *
trace_of(const struct dwords *dwords)
{
    char path[] = "/tmp/aetius-walks-XXXXXX";
    struct trace_writer *writer = begin_trace(path);
    write_message(writer, CLIENT, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    add_resource_of(writer, TARGET, 0);
    write_message(writer, CLIENT, submit_of(dwords));
    add_frame_of(writer, MESSAGE_SWAP);
    add_frame_of(writer, MESSAGE_SWAP);
    return end_trace(writer, path);
}

static const struct frame_set frame_1 = {.ranges = {{1, 1}}, .count = 1};

/* All frames of this trace are in its opening state, so that no range of frames begins. Unknown
 * contents count as read. */
static void
a_state_that_never_ends(void **state)
{
    enum { RESOURCES = 3000, SAMPLES = 4 };
    static const uint8_t bytes[SIDE * SIDE * 4 * SAMPLES];
    static const struct frame_set all = {.ranges = {{0, 1}}, .count = 1};
    char path[] = "/tmp/aetius-walks-XXXXXX";
    struct trace_writer *writer = begin_trace(path);
    struct needed_draws *needed;
    struct error lost, err;
    (void)state;
    write_message(writer, CLIENT, (struct message){.kind = MESSAGE_STATE, .state.begins = 1});
    write_message(writer, CLIENT, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    for (uint32_t i = 1; i <= RESOURCES; i++)
        add_resource_of(writer, i, SAMPLES);
    write_message(writer, CLIENT,
                  (struct message){
                      .kind = MESSAGE_CONTENTS,
                      .contents = {.handle = RESOURCES, .width = SIDE, .height = SIDE, .slices = 1},
                      .bytes = bytes,
                      .size_bytes = sizeof bytes});
    add_frame_of(writer, MESSAGE_SWAP);
    add_frame_of(writer, MESSAGE_SWAP);
    struct trace_reader *reader = end_trace(writer, path);
    assert_true(lost_samples_find(reader, 0, &lost, &err));
    assert_non_null(strstr(lost.text, "the frames may see what resource 3000"));
    assert_true(needed_draws_find_states(&needed, reader, &all, WARM_UP_ALL, NULL, &err));
    assert_true(needed_draws_is_live(needed, 0, 0));
    assert_true(needed_draws_is_live(needed, 0, RESOURCES - 1));
    assert_true(needed_draws_is_live(needed, 0, RESOURCES));
    assert_true(needed_draws_is_live(needed, UINT32_MAX, UINT32_MAX));
    needed_draws_destroy(needed);
    trace_reader_close(reader);
}

/* A trace without resources has no planes to follow. */
static void
a_trace_without_resources(void **state)
{
    char path[] = "/tmp/aetius-walks-XXXXXX";
    struct trace_writer *writer = begin_trace(path);
    struct needed_draws *needed;
    struct error err;
    (void)state;
    add_frame_of(writer, MESSAGE_SWAP);
    add_frame_of(writer, MESSAGE_SWAP);
    struct trace_reader *reader = end_trace(writer, path);
    assert_true(needed_draws_find(&needed, reader, &frame_1, WARM_UP_ALL, &err));
    assert_int_equal(needed_draws_count(needed), 0);
    needed_draws_destroy(needed);
    trace_reader_close(reader);
}

/* Clears all colors with a surface bound `count` times. Each binding is a plane, but bindings that
 * the decoder refuses are ignored. */
static void
framebuffers_that_are_refused_are_not_followed(void **state)
{
    enum { CLEARS = 3, ALL_COLORS = MASK_COLOR0 * 0xff };
    static const uint32_t colors[] = {1, MAX_COLOR_BUFFERS, MAX_COLOR_BUFFERS + 1, 60, 2000, 65533};
    (void)state;
    for (size_t k = 0; k < sizeof colors / sizeof *colors; k++) {
        const uint32_t count = colors[k], wanted = count <= MAX_COLOR_BUFFERS ? count : 0;
        struct dwords dwords = {0};
        struct access_list list;
        struct error err;
        size_t planes = 0;
        ADD(&dwords, CMD_CREATE_OBJECT, VOBJ_SURFACE, SURFACE, TARGET, RGBA, 0, 0);
        VEC_PUSH(&dwords, CMD_SET_FRAMEBUFFER_STATE | (2 + count) << 16);
        VEC_PUSH(&dwords, count);
        VEC_PUSH(&dwords, 0);
        for (uint32_t i = 0; i < count; i++)
            VEC_PUSH(&dwords, SURFACE);
        for (uint32_t i = 0; i < CLEARS; i++)
            ADD(&dwords, CMD_CLEAR, 0, ALL_COLORS, 0, 0, 0, 0, 0, 0, 0);
        struct trace_reader *reader = trace_of(&dwords);
        assert_true(access_list_make(&list, reader, &frame_1, false, NULL, &err));
        for (size_t i = 0; i < list.accesses.count; i++)
            planes +=
                list.accesses.items[i].kind == ACCESS_CLEAR ? list.accesses.items[i].count : 0;
        /* a clear of n bindings of one surface finds n planes for each binding */
        assert_int_equal(planes, CLEARS * wanted * wanted);
        access_list_fini(&list);
        trace_reader_close(reader);
        VEC_FREE(&dwords);
    }
}

static void
add_begun_queries(struct dwords *dwords, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++) {
        ADD(dwords, CMD_CREATE_OBJECT, VOBJ_QUERY, i, QUERY_OCCLUSION_COUNTER, 0, 0);
        ADD(dwords, CMD_BEGIN_QUERY, 0, i);
    }
}

/* Many queries count one draw. The changes of a single draw are not limited by its size. */
static void
a_draw_that_many_queries_count(void **state)
{
    enum { QUERIES = 66000 };
    static const uint32_t asked[] = {0, 1, QUERIES}; /* none, the first, the last */
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        char path[] = "/tmp/aetius-walks-XXXXXX";
        struct trace_writer *writer = begin_trace(path);
        struct dwords dwords = {0};
        struct needed_draws *needed;
        struct error err = {""};
        (void)state;
        write_message(writer, CLIENT, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
        add_resource_of(writer, TARGET, 0);
        add_begun_queries(&dwords, QUERIES);
        ADD(&dwords, CMD_DRAW_VBO, 0, 0, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
        write_message(writer, CLIENT, submit_of(&dwords));
        add_frame_of(writer, MESSAGE_SWAP);
        dwords.count = 0;
        if (asked[k])
            ADD(&dwords, CMD_GET_QUERY_RESULT, 0, asked[k], 1);
        write_message(writer, CLIENT, submit_of(&dwords));
        add_frame_of(writer, MESSAGE_SWAP);
        struct trace_reader *reader = end_trace(writer, path);
        if (!needed_draws_find(&needed, reader, &frame_1, WARM_UP_ALL, &err))
            fail_msg("%s", err.text);
        assert_int_equal(needed_draws_has(needed, 0), asked[k] != 0);
        needed_draws_destroy(needed);
        trace_reader_close(reader);
        VEC_FREE(&dwords);
    }
}

/* Many queries count many draws, and the list of changes is full. The time must not include a pass
 * over all queries for each draw. */
static void
a_full_list_costs_nothing(void **state)
{
    enum { QUERIES = 60000, DRAWS = 40000, MOST_SECONDS = 4 };
    struct budget budget = {64 * MB, 0, "--memory"};
    struct dwords dwords = {0};
    struct needed_draws *needed;
    struct error err = {""};
    (void)state;
    add_begun_queries(&dwords, QUERIES);
    for (uint32_t i = 0; i < DRAWS; i++)
        ADD(&dwords, CMD_DRAW_VBO, 0, 0, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    struct trace_reader *reader = trace_of(&dwords);
    trace_reader_limit(reader, &budget);
    const clock_t start = clock();
    assert_false(needed_draws_find(&needed, reader, &frame_1, WARM_UP_ALL, &err));
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_non_null(strstr(err.text, "raise --memory"));
    assert_null(needed);
    if (seconds > MOST_SECONDS)
        fail_msg("%.1f s for a list that was full early", seconds);
    trace_reader_close(reader);
    VEC_FREE(&dwords);
}

static void
send_signal(void *data, const struct live_work *work)
{
    uint32_t *packets = data;
    (void)work;
    if (!(*packets)++)
        raise(SIGTERM);
}

/* Runs a check in a child process that records signals. The exit status is the result. */
static void
check_apart(int (*check)(void))
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        interrupt_watch();
        _exit(check());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The first of many packets of a SUBMIT raises a signal. No further packet is followed. */
static int
follow_with_a_signal(void)
{
    const struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = CLIENT};
    struct live_state *live = live_state_create(NULL);
    struct dwords dwords = {0};
    struct error err = {""};
    uint32_t packets = 0;
    for (uint32_t i = 0; i < 100; i++)
        ADD(&dwords, CMD_CREATE_SUB_CTX, 0, 1 + i);
    const struct message submit = submit_of(&dwords);
    const bool begins = live_state_take(live, &begin, &err);
    live->work = send_signal;
    live->work_data = &packets;
    const bool goes_on = live_state_take(live, &submit, &err);
    live_state_destroy(live);
    VEC_FREE(&dwords);
    return !begins || goes_on || packets != 1 || strcmp(err.text, "interrupted") != 0;
}

static void
a_signal_ends_a_submit(void **state)
{
    (void)state;
    check_apart(follow_with_a_signal);
}

/* After a signal the renderer stops even before the first command. */
static int
render_after_a_signal(void)
{
    const struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = CLIENT};
    struct render_sink *render;
    struct error err = {""};
    if (!render_sink_create(&render, MB, 0, &err))
        return 1;
    struct message_sink *sink = render_sink_sink(render);
    raise(SIGTERM);
    const bool begins = sink->take(sink->data, &begin, NULL, 0, &err);
    render_sink_destroy(render);
    return begins || !strstr(err.text, "interrupted");
}

static void
a_signal_ends_commands(void **state)
{
    (void)state;
    check_apart(render_after_a_signal);
}

/* Writes a trace of many resources in many frames. The backward pass over the list takes most of
 * the time. */
static struct trace_reader *
long_walk(void)
{
    enum { RESOURCES = 8000, FRAMES = 400 };
    char path[] = "/tmp/aetius-walks-XXXXXX";
    struct trace_writer *writer = begin_trace(path);
    write_message(writer, CLIENT, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    for (uint32_t i = 1; i <= RESOURCES; i++)
        add_resource_of(writer, i, 0);
    for (uint32_t i = 0; i < FRAMES; i++)
        add_frame_of(writer, MESSAGE_FRAME);
    return end_trace(writer, path);
}

/* A signal may arrive at any time of the pass. The result is either complete or absent. */
static void
nothing_is_left_of_an_interrupted_walk(void **state)
{
    enum { TRIES = 20 };
    static const struct frame_set all = {.count = 0};
    struct trace_reader *reader = long_walk();
    struct needed_draws *needed;
    struct error err = {""};
    struct timespec from, to;
    uint32_t interrupted = 0;
    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert_true(needed_draws_find_later(&needed, reader, &all, WARM_UP_ALL, &err));
    clock_gettime(CLOCK_MONOTONIC, &to);
    needed_draws_destroy(needed);
    const int64_t us = (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000;
    for (int64_t i = 0; i < TRIES; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            const int64_t wait_us = us * i / TRIES + 1;
            interrupt_watch();
            const pid_t parent = getpid(), killer = fork();
            if (killer == 0) {
                usleep((useconds_t)wait_us);
                kill(parent, SIGTERM);
                _exit(0);
            }
            const bool ok = needed_draws_find_later(&needed, reader, &all, WARM_UP_ALL, &err);
            waitpid(killer, NULL, 0);
            _exit(ok ? 0 : needed ? 2 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 2);
        interrupted += WEXITSTATUS(status) == 1;
    }
    print_message("%u of %d walks were interrupted\n", interrupted, TRIES);
    trace_reader_close(reader);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_that_never_ends),
        cmocka_unit_test(a_trace_without_resources),
        cmocka_unit_test(framebuffers_that_are_refused_are_not_followed),
        cmocka_unit_test(a_draw_that_many_queries_count),
        cmocka_unit_test(a_full_list_costs_nothing),
        cmocka_unit_test(a_signal_ends_a_submit),
        cmocka_unit_test(a_signal_ends_commands),
        cmocka_unit_test(nothing_is_left_of_an_interrupted_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
