/* Messages of damaged or hostile traces are refused with a reason before virgl_test_server receives
 * them. Tests that need this program are skipped if it is not installed. */
#include "base/interrupt.h"
#include "trace/frames.h"
#include "trace/virgl/vtest/passthrough.h"
#include "trace/virgl/vtest/vtest_wire.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { CLIENT = 1, TARGET = 5, SIDE = 16, RGBA = 67, BYTES = 64 };

static const struct message begin = {
    .kind = MESSAGE_CLIENT_BEGIN, .client = CLIENT, .bytes = (const uint8_t *)"x", .size_bytes = 1};
static const struct message create_target = {.kind = MESSAGE_RESOURCE_CREATE,
                                             .client = CLIENT,
                                             .resource = {TARGET, TARGET_2D, RGBA,
                                                          BIND_RENDER_TARGET | BIND_DISPLAY_TARGET,
                                                          SIDE, SIDE, 1, 1, 0, 0}};
/* Two resources with the same handle. */
static const struct message create_buffer = {
    .kind = MESSAGE_RESOURCE_CREATE,
    .client = CLIENT,
    .resource = {TARGET, TARGET_BUFFER, BYTES, BIND_VERTEX_BUFFER, 1024, 1, 1, 1, 0, 0}};
static const struct message swap_4x1 = {
    .kind = MESSAGE_SWAP, .client = CLIENT, .transfer = {TARGET, 0, {0, 0, 0, 4, 1, 1}}};

static void
expect(struct message_sink *sink, const struct message *message, const char *refusal)
{
    struct error err = {""};
    if (sink->take(sink->data, message, NULL, 0, &err) != !refusal)
        fail_msg("kind %u: \"%s\"", message->kind, err.text);
    if (refusal && !strstr(err.text, refusal))
        fail_msg("\"%s\" has no \"%s\"", err.text, refusal);
}

/* Returns the reference renderer, or NULL if it is not installed. */
static struct passthrough *
start(void)
{
    struct passthrough *passthrough;
    struct error err;
    if (passthrough_create(&passthrough, "llvmpipe", &err))
        return passthrough;
    print_message("%s\n", err.text);
    return NULL;
}

/* A level of 16x16 pixels of 4 bytes has 1024 bytes. */
static const struct {
    uint32_t size_bytes;
    uint32_t width, height;
    bool is_whole;
} contents[] = {
    {1024, 16, 16, true},         {0, 1u << 31, 1u << 31, false}, /* 2^31 x 2^31 x 4 = 2^64 */
    {0, 1 << 30, 1 << 30, false}, {0, 0, 0, false},
    {1024, 0, 16, false},         {1024, 16, -16u, false},
    {1024, 32, 8, false},         {2048, 32, 16, false},
    {1023, 16, 16, false},        {1025, 16, 16, false},
};

static void
contents_are_those_of_the_level(void **state)
{
    static const uint8_t bytes[2048];
    struct passthrough *passthrough = start();
    (void)state;
    if (!passthrough)
        skip();
    struct message_sink *sink = passthrough_sink(passthrough);
    expect(sink, &begin, NULL);
    expect(sink, &create_target, NULL);
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        const struct message message = {.kind = MESSAGE_CONTENTS,
                                        .client = CLIENT,
                                        .contents = {.handle = TARGET,
                                                     .width = contents[i].width,
                                                     .height = contents[i].height,
                                                     .slices = 1},
                                        .bytes = bytes,
                                        .size_bytes = contents[i].size_bytes};
        expect(sink, &message, contents[i].is_whole ? NULL : "are not valid contents of level 0");
    }
    passthrough_destroy(passthrough);
}

static void
contents_need_a_level(void **state)
{
    static const uint8_t bytes[4];
    static const struct {
        uint32_t handle, level;
        const char *error;
    } missing[] = {{TARGET, 1, "resource 5 has no level 1"}, {99, 0, "resource 99 has no level 0"}};
    struct passthrough *passthrough = start();
    (void)state;
    if (!passthrough)
        skip();
    struct message_sink *sink = passthrough_sink(passthrough);
    expect(sink, &begin, NULL);
    expect(sink, &create_target, NULL);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        const struct message message = {.kind = MESSAGE_CONTENTS,
                                        .client = CLIENT,
                                        .contents = {.handle = missing[i].handle,
                                                     .level = missing[i].level,
                                                     .width = 1,
                                                     .height = 1,
                                                     .slices = 1},
                                        .bytes = bytes,
                                        .size_bytes = sizeof bytes};
        expect(sink, &message, missing[i].error);
    }
    passthrough_destroy(passthrough);
}

/* The server receives only whole dwords. A partial dword would become part of the next header. */
static void
commands_are_whole_dwords(void **state)
{
    static const uint32_t nops[2];
    struct passthrough *passthrough = start();
    (void)state;
    if (!passthrough)
        skip();
    struct message_sink *sink = passthrough_sink(passthrough);
    expect(sink, &begin, NULL);
    for (uint32_t size = 0; size <= sizeof nops; size++) {
        const struct message submit = {.kind = MESSAGE_SUBMIT,
                                       .client = CLIENT,
                                       .bytes = (const uint8_t *)nops,
                                       .size_bytes = size};
        expect(sink, &submit, size % 4 ? "is not a multiple of 4 bytes" : NULL);
    }
    expect(sink, &create_target, NULL); /* the server still interprets messages correctly */
    passthrough_destroy(passthrough);
}

/* A client must not begin twice, because its handles could then name other resources. */
static void
a_client_begins_once(void **state)
{
    struct passthrough *passthrough = start();
    struct frames frames;
    (void)state;
    if (!passthrough)
        skip();
    frames_init(&frames, passthrough_sink(passthrough), NULL, NULL);
    expect(&frames.sink, &begin, NULL);
    expect(&frames.sink, &create_target, NULL);
    expect(&frames.sink, &begin, "client 1 is already connected");
    frames_fini(&frames);
    passthrough_destroy(passthrough);
}

/* A readback into a buffer that is too small is refused. */
static void
a_readback_has_the_size_of_its_box(void **state)
{
    struct passthrough *passthrough = start();
    uint8_t out[64];
    struct error err = {""};
    (void)state;
    if (!passthrough)
        skip();
    struct message_sink *sink = passthrough_sink(passthrough);
    expect(sink, &begin, NULL);
    expect(sink, &create_target, NULL);
    assert_true(sink->take(sink->data, &swap_4x1, out, 16, &err));
    assert_false(sink->take(sink->data, &swap_4x1, out, 4, &err));
    assert_non_null(strstr(err.text, "a readback of 4 bytes, but the box of resource 5 has 16"));
    passthrough_destroy(passthrough);
}

static bool
take_all(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
         struct error *err)
{
    (void)data;
    (void)message;
    (void)out;
    (void)out_bytes;
    (void)err;
    return true;
}

/* A frame shows the resource that its handle currently names, whatever the renderer accepts. */
static void
frames_forget_what_a_handle_named(void **state)
{
    const struct message end = {.kind = MESSAGE_CLIENT_END, .client = CLIENT};
    const struct message unref = {
        .kind = MESSAGE_RESOURCE_UNREF, .client = CLIENT, .resource = {.handle = TARGET}};
    const struct message *const forgets[] = {&create_buffer, &begin, &end, &unref};
    (void)state;
    for (size_t i = 0; i < sizeof forgets / sizeof *forgets; i++) {
        struct message_sink renderer = {.take = take_all};
        struct frames frames;
        frames_init(&frames, &renderer, NULL, NULL);
        expect(&frames.sink, &begin, NULL);
        expect(&frames.sink, &create_target, NULL);
        expect(&frames.sink, &swap_4x1, NULL);
        expect(&frames.sink, forgets[i], NULL);
        expect(&frames.sink, &swap_4x1, "which is not a display target");
        frames_fini(&frames);
    }
}

static bool
is_interrupted(bool ok, struct error *err)
{
    const bool message = !ok && !strcmp(err->text, "interrupted");
    *err = (struct error){""};
    return message;
}

/* The server has closed the connection, and a signal has arrived. The message must give the signal
 * as the reason. The test runs in a child process, which records the signal. */
static void
a_signal_is_a_reason(void **state)
{
    int ends[2], status;
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    close(ends[1]);
    const pid_t child = fork();
    if (child == 0) {
        struct error err = {""};
        interrupt_watch();
        raise(SIGTERM);
        const bool sends = is_interrupted(wire_unref(ends[0], TARGET, &err), &err);
        const bool connects = is_interrupted(wire_connect_raw("/none", &err) >= 0, &err);
        _exit(!(sends && connects));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ends[0]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_are_those_of_the_level),
        cmocka_unit_test(contents_need_a_level),
        cmocka_unit_test(commands_are_whole_dwords),
        cmocka_unit_test(a_client_begins_once),
        cmocka_unit_test(a_readback_has_the_size_of_its_box),
        cmocka_unit_test(frames_forget_what_a_handle_named),
        cmocka_unit_test(a_signal_is_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
