/* The socket of the virtual GPU. The client implements the other end of the protocol
 * (trace/virgl/vtest/vtest_wire.h), or sends raw bytes. The tests cover snapshots, readbacks, the
 * rule for swaps, query results, and clients that misbehave. */
#include "base/mem.h"
#include "trace/virgl/vtest/caps.h"
#include "trace/virgl/vtest/vtest_protocol.h"
#include "trace/virgl/vtest/vtest_server.h"
#include "trace/virgl/vtest/vtest_wire.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

enum { LOG_MAX = 64 };

struct bench {
    char path[64];
    struct message_sink sink;
    struct vtest_server *server;
    pthread_t thread;
    atomic_bool done;
    /* messages that the sink received; the test reads them only after the server has answered or
     * ended */
    struct message log[LOG_MAX];
    uint8_t first_byte[LOG_MAX];
    atomic_uint logged;
    char failure[1024];
};

static bool
log_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
         struct error *err)
{
    struct bench *bench = data;
    uint32_t n = bench->logged;
    if (n < LOG_MAX) {
        bench->log[n] = *message;
        bench->first_byte[n] = message->size_bytes ? message->bytes[0] : 0;
    }
    for (uint32_t i = 0; i < out_bytes; i++)
        out[i] = (uint8_t)(0x80 + i);
    if (message->kind == MESSAGE_SUBMIT) {
        const uint32_t result[4] = {VTEST_QUERY_DONE, 8, 77, 0};
        bench->sink.write_back(bench->sink.listener, message->client, 1, 0, result, sizeof result);
        bench->sink.write_back(bench->sink.listener, message->client, 1, 60, result, sizeof result);
    }
    bench->logged = n + 1;
    return true;
}

static void *
serve(void *data)
{
    struct bench *bench = data;
    struct error err;
    while (!bench->done && vtest_server_poll(bench->server, -1, 5, &err)) {
    }
    return NULL;
}

static int
set_up(void **state)
{
    struct bench *bench = mem_alloc(sizeof *bench);
    struct error err;
    snprintf(bench->path, sizeof bench->path, "/tmp/aetius-test-%d", (int)getpid());
    bench->sink.data = bench;
    bench->sink.take = log_take;
    if (!vtest_server_create(&bench->server, bench->path, GL_OFFER_DEFAULT, &bench->sink, &err))
        return -1;
    *state = bench;
    return pthread_create(&bench->thread, NULL, serve, bench);
}

static int
tear_down(void **state)
{
    struct bench *bench = *state;
    bench->done = true;
    pthread_join(bench->thread, NULL);
    vtest_server_destroy(bench->server);
    free(bench);
    return 0;
}

static int
client(struct bench *bench)
{
    struct error err;
    int fd = wire_connect(bench->path, "tester", &err);
    if (fd < 0)
        fail_msg("%s", err.text);
    return fd;
}

static void
await(struct bench *bench, uint32_t messages)
{
    for (int i = 0; bench->logged < messages && i < 2000; i++)
        usleep(1000);
    assert_int_equal(bench->logged, messages);
}

static uint8_t *
create(int fd, uint32_t handle, uint32_t bind, uint32_t bytes)
{
    struct resource_desc desc = {.handle = handle,
                                 .target = TARGET_2D,
                                 .format = FORMAT_B8G8R8A8_UNORM,
                                 .bind = bind,
                                 .width = 4,
                                 .height = 4,
                                 .depth = 1,
                                 .array_size = 1};
    uint8_t *mapping;
    assert_true(wire_create(fd, &desc, bytes, &mapping, NULL));
    return mapping;
}

static struct message
box_of(uint32_t handle, struct box box)
{
    struct message m = {.kind = MESSAGE_GET};
    m.transfer.handle = handle;
    m.transfer.box = box;
    return m;
}

static const struct box whole = {0, 0, 0, 4, 4, 1};

static void
test_transfers(void **state)
{
    struct bench *bench = *state;
    int fd = client(bench);
    uint8_t *memory = create(fd, 1, 0, 64);
    memory[20] = 42; /* texel (1, 1) */
    struct message m = box_of(1, (struct box){1, 1, 0, 2, 2, 1});
    assert_true(wire_transfer(fd, true, &m, 20, NULL));
    assert_true(wire_wait(fd, 1, true, NULL));
    memory[20] = 43;
    await(bench, 3); /* the messages of begin, create and put */
    assert_int_equal(bench->log[2].kind, MESSAGE_PUT);
    assert_int_equal(bench->log[2].size_bytes, 16);
    assert_int_equal(bench->first_byte[2], 42);
    assert_true(wire_transfer(fd, false, &m, 20, NULL));
    assert_true(wire_wait(fd, 1, true, NULL));
    assert_int_equal(bench->log[3].kind, MESSAGE_GET); /* not a display target, so never a swap */
    assert_int_equal(memory[20], 0x80);
    /* a row has 16 bytes in memory; the message has 8 bytes per row without padding */
    assert_int_equal(memory[36], 0x88);
    assert_int_equal(memory[28], 0);
    /* a box that extends beyond its texture is clipped */
    m = box_of(1, (struct box){2, 3, 0, 9, 9, 1});
    assert_true(wire_transfer(fd, false, &m, 56, NULL));
    assert_true(wire_wait(fd, 1, true, NULL));
    await(bench, 5);
    const struct box left = {2, 3, 0, 2, 1, 1};
    assert_memory_equal(&bench->log[4].transfer.box, &left, sizeof left);
    assert_int_equal(memory[56], 0x80);
    assert_int_equal(memory[63], 0x87);
    munmap(memory, 64);
    close(fd);
    await(bench, 6);
    assert_int_equal(bench->log[5].kind, MESSAGE_CLIENT_END);
}

static void
test_swap_rule(void **state)
{
    struct bench *bench = *state;
    int fd = client(bench);
    uint8_t *memory = create(fd, 7, BIND_DISPLAY_TARGET, 64);
    struct message get = box_of(7, whole);
    const enum message_kind expected[] = {MESSAGE_SWAP, MESSAGE_GET, MESSAGE_SWAP, MESSAGE_GET};
    /* a swap, a readback, and then a swap whose GET follows the wait of the readback */
    assert_true(wire_transfer(fd, false, &get, 0, NULL) && wire_wait(fd, 7, true, NULL));
    assert_true(wire_wait(fd, 7, true, NULL));
    assert_true(wire_transfer(fd, false, &get, 0, NULL) && wire_wait(fd, 7, true, NULL));
    assert_true(wire_transfer(fd, false, &get, 0, NULL) && wire_wait(fd, 7, true, NULL));
    /* a GET without a wait */
    assert_true(wire_transfer(fd, false, &get, 0, NULL) && wire_wait(fd, 9, true, NULL));
    await(bench, 6);
    for (int i = 0; i < 4; i++)
        assert_int_equal(bench->log[2 + i].kind, expected[i]);
    assert_int_equal(memory[63], 0x80 + 63);
    munmap(memory, 64);
    close(fd);
}

static void
test_query_results(void **state)
{
    struct bench *bench = *state;
    int fd = client(bench);
    uint8_t *memory = create(fd, 1, BIND_CUSTOM, 64);
    const uint32_t nothing = 0;
    memset(memory, 0xee, 64);
    assert_true(wire_submit(fd, (const uint8_t *)&nothing, 4, NULL));
    assert_true(wire_wait(fd, 1, true, NULL));
    const uint32_t result[4] = {1, 8, 77, 0};
    assert_memory_equal(memory, result, sizeof result);
    assert_int_equal(memory[62], 0xee); /* bytes beyond the memory are not written */
    munmap(memory, 64);
    close(fd);
}

static void
test_no_memory_of_size_0(void **state)
{
    struct bench *bench = *state;
    int fd = client(bench);
    assert_null(create(fd, 1, 0, 0));
    assert_true(wire_wait(fd, 1, true, NULL));
    assert_true(wire_unref(fd, 1, NULL));
    await(bench, 4 - 1);
    assert_int_equal(bench->log[2].kind, MESSAGE_RESOURCE_UNREF);
    assert_int_equal(bench->log[2].resource.handle, 1);
    close(fd);
}

static void
test_two_at_once(void **state)
{
    struct bench *bench = *state;
    int a = client(bench), b = client(bench);
    uint8_t *of_b = create(b, 1, 0, 64), *of_a = create(a, 1, 0, 64);
    await(bench, 4);
    assert_int_equal(bench->log[0].client, 1);
    assert_int_equal(bench->log[1].client, 2);
    assert_int_equal(bench->log[2].client, 2);
    assert_int_equal(bench->log[3].client, 1);
    assert_int_equal(bench->log[3].resource.handle, 1);
    munmap(of_a, 64);
    munmap(of_b, 64);
    close(a);
    close(b);
}

static void
test_caps(void **state)
{
    struct bench *bench = *state;
    int fd = client(bench);
    const uint32_t ask[4] = {0, VTEST_GET_CAPS2, 0, VTEST_GET_CAPS};
    uint32_t header[2];
    struct caps_v2 caps;
    assert_int_equal(send(fd, ask, sizeof ask, 0), sizeof ask);
    assert_int_equal(recv(fd, header, 8, MSG_WAITALL), 8);
    assert_int_equal(header[1], 2);
    assert_int_equal(header[0] - 1, sizeof caps);
    assert_int_equal(recv(fd, &caps, sizeof caps, MSG_WAITALL), sizeof caps);
    assert_int_equal(caps.v1.glsl_level, 330);              /* OpenGL 3.3 is the default */
    assert_true(caps.v1.features & CAPS_PRIMITIVE_RESTART); /* NV_primitive_restart */
    /* otherwise Mesa leaves clamping to the renderer, and the reference renderer does not support
     * it */
    assert_false(caps.v1.features & CAPS_COLOR_CLAMPING);
    assert_int_equal(caps.v1.max_render_targets, 8);
    assert_true(caps.capability_bits & CAPS_MIXED_COLOR_FORMATS);
    assert_int_equal(recv(fd, header, 8, MSG_WAITALL), 8);
    assert_int_equal(header[0], 309);
    assert_int_equal(header[1], 1);
    assert_int_equal(recv(fd, &caps.v1, 308, MSG_WAITALL), 308);
    close(fd);
}

/* Each offer is found again from its capabilities. The default is that of no option. */
static void
test_offers(void **state)
{
    /* 130 is the lowest level with integers */
    static const struct {
        const char *name;
        uint32_t glsl_level;
    } offers[] = {{"2.1", 130}, {"3.0", 130}, {"3.1", 140}, {"3.2", 150},
                  {"3.3", 330}, {"es2", 130}, {"es3", 130}};
    struct error err = {""};
    enum gl_offer offer, found;
    struct caps_v2 caps;
    (void)state;
    for (size_t i = 0; i < sizeof offers / sizeof *offers; i++) {
        assert_true(gl_offer_parse(offers[i].name, &offer, &err));
        assert_string_equal(gl_offer_name(offer), offers[i].name);
        caps_fill(&caps, offer);
        assert_int_equal(caps.v1.glsl_level, offers[i].glsl_level);
        assert_int_equal((caps.v1.features & CAPS_POLYGON_OFFSET_CLAMP) != 0,
                         !strcmp(offers[i].name, "3.3"));
        assert_true(caps_find_offer(&caps, &found));
        assert_string_equal(gl_offer_version(found, false), gl_offer_version(offer, false));
        assert_string_equal(gl_offer_version(found, true), gl_offer_version(offer, true));
    }
    caps.v1.max_samples++;
    assert_false(caps_find_offer(&caps, &found));
    assert_true(gl_offer_parse(NULL, &offer, &err));
    assert_string_equal(gl_offer_version(offer, false), "3.3");
    assert_string_equal(gl_offer_version(offer, true), "3.0");
    assert_false(gl_offer_parse("2", &offer, &err));
    assert_string_equal(err.text, "--gl '2': expected one of 2.1, 3.0, 3.1, 3.2, 3.3, es2, es3");
}

/* The server disconnects each of these clients, and serves the next one. */
static void
test_bad_clients(void **state)
{
    struct bench *bench = *state;
    static const uint32_t bad[][13] = {
        {3, VTEST_UNREF, 1, 2, 3},           /* wrong length */
        {1, VTEST_UNREF, 5},                 /* no such resource */
        {0xffffffff, VTEST_SUBMIT},          /* excessive length */
        {0xffffffff, VTEST_CREATE_RENDERER}, /* excessive length */
        {0, 99},                             /* unknown command */
        {10, VTEST_CREATE, 1, 2},            /* version 0 */
        {10, VTEST_GET2, 8, 0, 0, 0, 0, 4, 4, 1, 0, 0},
        {11, VTEST_CREATE2, 1, 2, FORMAT_B8G8R8A8_UNORM, 0, 0, 4, 1, 1, 0, 0, 64},
        {11, VTEST_CREATE2, 1, 2, FORMAT_B8G8R8A8_UNORM, 0, 4, 4, 1, 1, 0, 0,
         63}, /* too little memory */
        {11, VTEST_CREATE2, 0, 2, FORMAT_B8G8R8A8_UNORM, 0, 4, 4, 1, 1, 0, 0, 64},
        {1, VTEST_VERSION, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char byte;
        int fd = client(bench);
        assert_int_equal(send(fd, bad[i], sizeof bad[i], MSG_NOSIGNAL), sizeof bad[i]);
        while (recv(fd, &byte, 1, 0) > 0) {
        }
        close(fd);
    }
    /* one offset is outside of the memory, the other one above the level */
    for (uint32_t offset = 0; offset <= 4; offset += 4) {
        int fd = client(bench);
        uint8_t *memory = create(fd, 1, 0, 64);
        struct message m = box_of(1, whole);
        m.transfer.level = offset ? 0 : 1;
        assert_true(wire_transfer(fd, true, &m, offset, NULL));
        assert_false(wire_wait(fd, 1, true, NULL));
        munmap(memory, 64);
        close(fd);
    }
    close(client(bench));
}

static void
test_death_in_a_message(void **state)
{
    struct bench *bench = *state;
    int fd = client(bench);
    const uint32_t half[3] = {100, VTEST_SUBMIT, 1};
    assert_int_equal(send(fd, half, sizeof half, 0), sizeof half);
    close(fd);
    await(bench, 2);
    assert_int_equal(bench->log[1].kind, MESSAGE_CLIENT_END);
    fd = client(bench);
    await(bench, 3);
    assert_int_equal(bench->log[2].client, 2);
    close(fd);
}

/* Stores a complete conversation as bytes. Returns its length. */
static size_t
conversation(uint8_t *out)
{
    static const uint32_t words[] = {
        4,
        VTEST_CREATE_RENDERER,
        0x00676f64,
        11,
        VTEST_CREATE2,
        1,
        2,
        FORMAT_B8G8R8A8_UNORM,
        BIND_DISPLAY_TARGET,
        4,
        4,
        1,
        1,
        0,
        0,
        64,
        11,
        VTEST_CREATE2,
        2,
        0,
        FORMAT_R8_UNORM,
        BIND_CUSTOM,
        16,
        1,
        1,
        1,
        0,
        0,
        16,
        10,
        VTEST_PUT2,
        1,
        0,
        1,
        1,
        0,
        2,
        2,
        1,
        0,
        20,
        3,
        VTEST_SUBMIT,
        1u << 16 | 21,
        5,
        0,
        10,
        VTEST_GET2,
        1,
        0,
        0,
        0,
        0,
        4,
        4,
        1,
        0,
        0,
        2,
        VTEST_BUSY_WAIT,
        1,
        1,
        1,
        VTEST_UNREF,
        2,
        0,
        VTEST_GET_CAPS2,
        0,
        VTEST_GET_CAPS,
    };
    memcpy(out, words, sizeof words);
    return sizeof words;
}

/* The server survives conversations with flipped bits, and truncated ones. */
static void
test_garbled_clients(void **state)
{
    struct bench *bench = *state;
    uint64_t random = 1;
    int errors = dup(STDERR_FILENO);
    assert_non_null(freopen("/dev/null", "w", stderr));
    for (int seed = 0; seed < 400; seed++) {
        uint8_t bytes[512], answer[512];
        struct error err;
        size_t size = conversation(bytes);
        for (int flips = 0; flips < 1 + seed % 3; flips++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            bytes[(random >> 40) % size] ^= (uint8_t)(1u << (random >> 35 & 7));
        }
        size -= seed % 5 ? 0 : (random >> 50) % size;
        int fd = wire_connect_raw(bench->path, &err);
        assert_true(fd >= 0);
        send(fd, bytes, size, MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        while (recv(fd, answer, sizeof answer, 0) > 0) {
        }
        close(fd);
    }
    fflush(stderr);
    dup2(errors, STDERR_FILENO);
    close(errors);
    close(client(bench));
}

/* Returns whether the server closes the connection within two seconds. */
static bool
is_dropped(int fd)
{
    uint8_t byte;
    const struct timeval most = {2, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    return recv(fd, &byte, 1, 0) <= 0 && errno != EAGAIN;
}

/* The number of simultaneous clients is limited. A client that ends makes room for another one. */
static void
test_many_clients(void **state)
{
    enum { MOST = 256 };
    struct bench *bench = *state;
    struct error err;
    int all[MOST + 1];
    for (uint32_t i = 0; i <= MOST; i++) {
        all[i] = wire_connect_raw(bench->path, &err);
        assert_true(all[i] >= 0);
    }
    errno = 0;
    assert_true(is_dropped(all[MOST]));
    close(all[MOST]);
    close(all[0]);
    for (int i = 0; vtest_server_clients(bench->server) == MOST && i < 2000; i++)
        usleep(1000);
    close(client(bench));
    for (uint32_t i = 1; i < MOST; i++)
        close(all[i]);
}

/* A program that connects repeatedly cannot fill a log. The server reports the first failures and,
 * when it ends, the number of remaining ones. */
static void
test_failures_are_counted(void **state)
{
    enum { TIMES = 100, SHOWN = 16 };
    static const uint32_t garbled[2] = {0, 9999};
    struct bench *bench = *state;
    struct error err;
    char path[] = "/tmp/aetius-failures-XXXXXX", text[8192] = "";
    const int file = mkstemp(path), kept = dup(STDERR_FILENO);
    uint32_t lines = 0;
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    for (uint32_t i = 0; i < TIMES; i++) {
        const int fd = wire_connect_raw(bench->path, &err);
        assert_int_equal(send(fd, garbled, sizeof garbled, MSG_NOSIGNAL), sizeof garbled);
        assert_true(is_dropped(fd));
        close(fd);
    }
    tear_down(state);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    close(file);
    unlink(path);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, SHOWN + 1);
    assert_non_null(strstr(text, "84 more clients were disconnected")); /* TIMES - SHOWN */
}

/* Clients send incomplete messages of 4 MB each. The server keeps at most 64 MiB of them. It does
 * not disconnect a client whose incomplete message is small. */
static void
test_unfinished_messages(void **state)
{
    enum { COUNT = 20, DWORDS = 1 << 20, BYTES = 4 * DWORDS };
    static const uint32_t header[2] = {DWORDS, VTEST_SUBMIT};
    struct bench *bench = *state;
    struct error err;
    uint8_t *bytes = mem_alloc(BYTES);
    int all[COUNT];
    uint32_t dropped = 0;
    memcpy(bytes, header, sizeof header);
    for (uint32_t i = 0; i < COUNT; i++) {
        all[i] = wire_connect_raw(bench->path, &err);
        assert_true(all[i] >= 0);
        for (ssize_t sent = 0, n = 0; sent < BYTES && n >= 0; sent += n)
            n = send(all[i], bytes + sent, (size_t)(BYTES - sent), MSG_NOSIGNAL);
    }
    int small = wire_connect_raw(bench->path, &err);
    assert_int_equal(send(small, header, sizeof header, MSG_NOSIGNAL), sizeof header);
    close(client(bench));
    for (int i = 0; vtest_server_clients(bench->server) > 17 && i < 2000; i++)
        usleep(1000);
    dropped = COUNT + 1 - vtest_server_clients(bench->server);
    assert_in_range(dropped, COUNT - 16, COUNT - 15);
    usleep(20000);
    assert_int_equal(send(small, header, sizeof header, MSG_NOSIGNAL), sizeof header);
    close(small);
    for (uint32_t i = 0; i < COUNT; i++)
        close(all[i]);
    free(bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_transfers),
        TEST(test_swap_rule),
        TEST(test_query_results),
        TEST(test_no_memory_of_size_0),
        TEST(test_two_at_once),
        TEST(test_caps),
        TEST(test_offers),
        TEST(test_bad_clients),
        TEST(test_death_in_a_message),
        TEST(test_garbled_clients),
        TEST(test_many_clients),
        TEST(test_unfinished_messages),
        cmocka_unit_test_setup(test_failures_are_counted, set_up),
    };
    return cmocka_run_group_tests_name("vtest server", tests, NULL, NULL);
}
