/* Data that the GPU wrote is read back exactly at the start of requested frames. The renderer is
 * the functional renderer and, if installed, virgl_test_server. */
#include "rigs/stream.h"

#include "base/mem.h"
#include "state/cmd.h"
#include "sim/render_sink.h"
#include "trace/virgl/vtest/caps.h"
#include "trace/file.h"
#include "trace/file_format.h"
#include "trace/virgl/vtest/guest.h"
#include "trace/virgl/vtest/passthrough.h"
#include "trace/virgl/read_back.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { CLIENT = 1, RES_SHOWN = 1, RES_UPLOADED, RES_WRITTEN, RES_SAMPLES };

struct rig {
    struct message_sink *renderer;
    struct read_back *read_back;
    char path[32];
    uint32_t random;
};

static const struct frame_set frames_1_and_2 = {.ranges = {{1, 1}, {2, 2}}, .count = 2};

static void
deliver(struct rig *rig, struct message message)
{
    struct message_sink *sink = read_back_sink(rig->read_back);
    struct error err = {""};
    message.client = CLIENT;
    if (!sink->take(sink->data, &message, NULL, 0, &err))
        fail_msg("%s", err.text);
}

static void
create(struct rig *rig, struct resource_desc desc, uint32_t handle)
{
    desc.handle = handle;
    deliver(rig, (struct message){.kind = MESSAGE_RESOURCE_CREATE, .resource = desc});
}

static void
swap(struct rig *rig)
{
    struct message message = {.kind = MESSAGE_SWAP};
    message.transfer.handle = RES_SHOWN;
    message.transfer.box = (struct box){0, 0, 0, 8, 8, 1};
    deliver(rig, message);
}

static void
begin(struct rig *rig, struct message_sink *renderer, bool ours)
{
    struct error err = {""};
    const struct resource_desc shown = {
        0, TARGET_2D, FORMAT_B8G8R8X8_UNORM, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET, 8, 8, 1, 1,
        0, 0};
    *rig = (struct rig){.renderer = renderer, .path = "/tmp/aetius-contents-XXXXXX", .random = 1};
    close(mkstemp(rig->path));
    if (!read_back_create(&rig->read_back, rig->path, &frames_1_and_2, renderer, ours, &err))
        fail_msg("%s", err.text);
    deliver(rig, (struct message){.kind = MESSAGE_CLIENT_BEGIN,
                                  .bytes = (const uint8_t *)"test",
                                  .size_bytes = 4});
    create(rig, shown, RES_SHOWN);
}

static uint8_t
next_byte(struct rig *rig)
{
    rig->random = rig->random * 1664525u + 1013904223u;
    return (uint8_t)(rig->random >> 24);
}

/* Fills an element with random bytes of its format. If not all byte values are valid, fills it with
 * numbers from 0 to 1. */
static void
fill_element(struct rig *rig, const struct format_info *format, uint8_t *to)
{
    float rgba[4];
    for (uint32_t i = 0; i < format->block_bytes; i++)
        to[i] = next_byte(rig);
    if (!format->pack || (format->depth_bits && !format->is_float))
        return;
    for (uint32_t c = 0; c < 4; c++)
        rgba[c] = (float)next_byte(rig) / 255.0f;
    format->pack(rgba, to);
}

/* Returns a message with the box of a slice of a level. Its data is the next part of `bytes`, in
 * the order of the levels. */
static struct message
slice(const struct resource_desc *desc, uint32_t handle, uint32_t level, uint32_t z, uint8_t *bytes,
      uint32_t *at)
{
    struct guest_layout layout;
    struct guest_region region;
    struct error err;
    struct message message = {.kind = MESSAGE_PUT, .bytes = bytes + *at};
    assert_true(guest_layout_init(&layout, desc, &err));
    message.transfer.handle = handle;
    message.transfer.level = level;
    message.transfer.box = (struct box){
        0, 0, (int32_t)z, (int32_t)layout.levels[level].width, (int32_t)layout.levels[level].height,
        1};
    assert_true(guest_region_init(&region, &layout, level, &message.transfer.box, &err));
    message.size_bytes = region.tight_bytes;
    *at += region.tight_bytes;
    return message;
}

static uint32_t
slices_of(const struct resource_desc *desc, uint32_t level)
{
    struct guest_layout layout;
    struct error err;
    assert_true(guest_layout_init(&layout, desc, &err));
    return layout.levels[level].slices;
}

/* Uploads random bytes to a resource. The GPU then copies the whole resource to a second one. */
static void
upload_and_copy(struct rig *rig, struct resource_desc desc, uint8_t *bytes)
{
    static struct stream s;
    uint32_t at = 0;
    desc.handle = RES_UPLOADED;
    create(rig, desc, RES_UPLOADED);
    create(rig, desc, RES_WRITTEN);
    s.count = 0;
    for (uint32_t level = 0; level <= desc.last_level; level++)
        for (uint32_t z = 0; z < slices_of(&desc, level); z++) {
            const struct message put = slice(&desc, RES_UPLOADED, level, z, bytes, &at);
            const struct box *box = &put.transfer.box;
            deliver(rig, put);
            PACKET(&s, CMD_RESOURCE_COPY_REGION, RES_WRITTEN, level, 0, 0, z, RES_UPLOADED, level,
                   0, 0, z, (uint32_t)box->width, (uint32_t)box->height, 1);
        }
    deliver(rig, stream_message(&s, CLIENT));
}

static void
drop(struct rig *rig, uint32_t handle)
{
    struct message message = {.kind = MESSAGE_RESOURCE_UNREF};
    message.resource.handle = handle;
    deliver(rig, message);
}

static struct trace_reader *
end(struct rig *rig)
{
    struct trace_reader *reader = NULL;
    struct error err = {""};
    assert_true(read_back_done(rig->read_back));
    if (!read_back_close(rig->read_back, &err) || !trace_reader_open(&reader, rig->path, &err))
        fail_msg("%s", err.text);
    unlink(rig->path);
    return reader;
}

static struct message
next(struct trace_reader *reader)
{
    struct message message;
    struct error err;
    bool is_end;
    assert_true(trace_reader_next(reader, &message, &is_end, &err) && !is_end);
    return message;
}

/* Tests one kind of resource. The content read at frame 1 equals the upload, and at frame 2 the
 * resource no longer exists. `bytes` has room for the largest resource. */
static void
check_kind(struct message_sink *renderer, bool ours, const struct resource_desc *desc)
{
    static uint8_t bytes[1 << 16];
    struct rig rig;
    const struct format_info *format = format_get(desc->format);
    uint32_t at = 0;
    begin(&rig, renderer, ours);
    for (uint32_t i = 0; i + format->block_bytes <= sizeof bytes; i += format->block_bytes)
        fill_element(&rig, format, bytes + i);
    upload_and_copy(&rig, *desc, bytes);
    swap(&rig);
    drop(&rig, RES_WRITTEN);
    swap(&rig);
    deliver(&rig, (struct message){.kind = MESSAGE_CLIENT_END});
    struct trace_reader *reader = end(&rig);
    for (uint32_t level = 0; level <= desc->last_level; level++)
        for (uint32_t z = 0; z < slices_of(desc, level); z++) {
            const struct message wanted = slice(desc, RES_WRITTEN, level, z, bytes, &at);
            const struct message got = next(reader);
            assert_int_equal(got.kind, MESSAGE_PUT);
            assert_int_equal(got.transfer.handle, RES_WRITTEN);
            assert_memory_equal(&got.transfer, &wanted.transfer, sizeof got.transfer);
            assert_int_equal(got.size_bytes, wanted.size_bytes);
            for (uint32_t i = 0; i < got.size_bytes; i++)
                if (got.bytes[i] != wanted.bytes[i])
                    fail_msg("%s level %u slice %u: byte %u is %02x, not %02x", format->name, level,
                             z, i, got.bytes[i], wanted.bytes[i]);
        }
    assert_int_equal(next(reader).kind, MESSAGE_SWAP);
    assert_int_equal(next(reader).kind, MESSAGE_SWAP);
    trace_reader_close(reader);
}

static void
check_all(struct message_sink *renderer, bool ours)
{
    const struct resource_desc shapes[] = {
        {0, TARGET_CUBE, FORMAT_R8G8B8A8_UNORM, BIND_RENDER_TARGET, 8, 8, 1, 6, 2, 0},
        {0, TARGET_1D, FORMAT_R8G8B8A8_UNORM, BIND_RENDER_TARGET, 16, 1, 1, 1, 3, 0},
        {0, TARGET_RECT, FORMAT_R8G8B8A8_UNORM, BIND_RENDER_TARGET, 7, 5, 1, 1, 0, 0},
        {0, TARGET_3D, FORMAT_R8G8B8A8_UNORM, BIND_RENDER_TARGET, 8, 4, 4, 1, 1, 0},
        {0, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, 1000, 1, 1, 1, 0, 0},
    };
    struct caps_v2 caps;
    caps_fill(&caps, GL_OFFER_DEFAULT);
    for (size_t i = 0; i < format_count(); i++) {
        const struct format_info *format = format_at(i);
        const uint32_t drawn = format->depth_bits || format->stencil_bits ? BIND_DEPTH_STENCIL
                               : format->uses & FORMAT_COLOR              ? BIND_RENDER_TARGET
                                                                          : 0;
        const struct resource_desc desc = {
            0, TARGET_2D, format->number, BIND_SAMPLER_VIEW | drawn, 20, 12, 1, 1, 2, 0};
        if ((caps.v1.sampler.bits[format->number / 32] >> format->number % 32 & 1) &&
            (ours || passthrough_keeps(format->number)))
            check_kind(renderer, ours, &desc);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check_kind(renderer, ours, &shapes[i]);
}

static void
test_our_own(void **state)
{
    struct render_sink *render;
    struct error err;
    (void)state;
    assert_true(render_sink_create(&render, 64 << 20, 0, &err));
    check_all(render_sink_sink(render), true);
    render_sink_destroy(render);
}

/* The test writes a buffer repeatedly, in overlapping or separate parts. GPU copies between the
 * writes must read the content at that time, even if they are executed late. */
static void
check_puts(struct message_sink *renderer)
{
    enum { PART = 256, PUTS = 400 };
    static uint8_t got[PART * PUTS], part[PART];
    static struct stream s;
    const struct resource_desc desc = {
        0, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, sizeof got, 1, 1, 1, 0, 0};
    struct message put = {.kind = MESSAGE_PUT, .bytes = part, .size_bytes = PART};
    struct message get = {.kind = MESSAGE_GET, .client = CLIENT};
    struct error err = {""};
    struct rig rig;
    begin(&rig, renderer, true);
    create(&rig, desc, RES_UPLOADED);
    create(&rig, desc, RES_WRITTEN);
    for (uint32_t i = 0; i < PUTS; i++) {
        const uint32_t from = i % 3 * (PART / 2);
        memset(part, (int)(i & 0xff), PART);
        put.transfer.handle = RES_UPLOADED;
        put.transfer.box = (struct box){(int32_t)from, 0, 0, PART, 1, 1};
        deliver(&rig, put);
        s.count = 0;
        PACKET(&s, CMD_RESOURCE_COPY_REGION, RES_WRITTEN, 0, i * PART, 0, 0, RES_UPLOADED, 0, from,
               0, 0, PART, 1, 1);
        deliver(&rig, stream_message(&s, CLIENT));
    }
    get.transfer.handle = RES_WRITTEN;
    get.transfer.box = (struct box){0, 0, 0, sizeof got, 1, 1};
    if (!renderer->take(renderer->data, &get, got, sizeof got, &err))
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < sizeof got; i++)
        assert_int_equal(got[i], i / PART & 0xff);
    swap(&rig);
    swap(&rig);
    deliver(&rig, (struct message){.kind = MESSAGE_CLIENT_END});
    trace_reader_close(end(&rig));
}

static void
test_the_reference(void **state)
{
    struct passthrough *passthrough;
    struct error err;
    (void)state;
    if (!passthrough_create(&passthrough, "llvmpipe", &err)) {
        print_message("%s\n", err.text);
        skip();
    }
    check_all(passthrough_sink(passthrough), false);
    check_puts(passthrough_sink(passthrough));
    passthrough_destroy(passthrough);
}

/* The initial contents of a trace are padded to tiles. They reach all slices and faces. */
static void
check_contents(struct message_sink *renderer, struct resource_desc desc)
{
    enum { SIDE = 5, PADDED = 8, ELEMENT = 4, MOST = 6 };
    static uint8_t bytes[MOST * PADDED * PADDED * ELEMENT], row[SIDE * SIDE * ELEMENT];
    const uint32_t slices = slices_of(&desc, 0);
    struct message message = {.kind = MESSAGE_RESOURCE_CREATE, .client = CLIENT, .resource = desc};
    struct error err;
    assert_in_range(slices, 1, MOST);
    assert_int_equal(desc.width, SIDE);
    if (!renderer->take(renderer->data, &message, NULL, 0, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 31 + i / 256);
    message = (struct message){
        .kind = MESSAGE_CONTENTS,
        .client = CLIENT,
        .contents = {.handle = desc.handle, .width = PADDED, .height = PADDED, .slices = slices},
        .bytes = bytes,
        .size_bytes = slices * PADDED * PADDED * ELEMENT};
    if (!renderer->take(renderer->data, &message, NULL, 0, &err))
        fail_msg("%s", err.text);
    for (uint32_t z = 0; z < slices; z++) {
        message = (struct message){.kind = MESSAGE_GET,
                                   .client = CLIENT,
                                   .transfer = {desc.handle, 0, {0, 0, (int32_t)z, SIDE, SIDE, 1}}};
        if (!renderer->take(renderer->data, &message, row, sizeof row, &err))
            fail_msg("%s", err.text);
        for (size_t y = 0; y < SIDE; y++)
            assert_memory_equal(row + y * SIDE * ELEMENT,
                                bytes + (z * PADDED + y) * PADDED * ELEMENT, SIDE * ELEMENT);
    }
}

static void
test_contents_of_slices(void **state)
{
    const uint32_t bind = BIND_SAMPLER_VIEW;
    const struct resource_desc descs[] = {
        {1, TARGET_2D, FORMAT_R8G8B8A8_UNORM, bind, 5, 5, 1, 1, 0, 0},
        {2, TARGET_CUBE, FORMAT_R8G8B8A8_UNORM, bind, 5, 5, 1, 6, 0, 0},
        {3, TARGET_3D, FORMAT_R8G8B8A8_UNORM, bind, 5, 5, 3, 1, 0, 0},
        {4, TARGET_2D_ARRAY, FORMAT_R8G8B8A8_UNORM, bind, 5, 5, 1, 4, 0, 0},
    };
    struct message begin = {.kind = MESSAGE_CLIENT_BEGIN,
                            .client = CLIENT,
                            .bytes = (const uint8_t *)"test",
                            .size_bytes = 4};
    struct passthrough *passthrough;
    struct error err;
    (void)state;
    if (!passthrough_create(&passthrough, "llvmpipe", &err)) {
        print_message("%s\n", err.text);
        skip();
    }
    struct message_sink *renderer = passthrough_sink(passthrough);
    assert_true(renderer->take(renderer->data, &begin, NULL, 0, &err));
    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++)
        check_contents(renderer, descs[i]);
    passthrough_destroy(passthrough);
}

/* Contents are not read back if they were only uploaded, if they are samples, or if the reference
 * renderer rounds them. */
static void
test_what_is_not_read(void **state)
{
    static struct stream s;
    static uint8_t bytes[1 << 16];
    struct render_sink *render;
    struct error err;
    struct resource_desc desc = {0, TARGET_2D, FORMAT_Z24X8_UNORM, BIND_DEPTH_STENCIL, 8, 8, 1, 1,
                                 0, 0};
    (void)state;
    assert_false(passthrough_keeps(FORMAT_Z24X8_UNORM));
    for (int ours = 0; ours < 2; ours++) {
        struct rig rig;
        assert_true(render_sink_create(&render, 64 << 20, 0, &err));
        begin(&rig, render_sink_sink(render), ours);
        upload_and_copy(&rig, desc, bytes);
        create(&rig,
               (struct resource_desc){0, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, 8, 8,
                                      1, 1, 0, 4},
               RES_SAMPLES);
        s.count = 0;
        stream_surface(&s, 5, RES_SAMPLES, FORMAT_B8G8R8A8_UNORM);
        deliver(&rig, stream_message(&s, CLIENT));
        swap(&rig);
        swap(&rig);
        struct trace_reader *reader = end(&rig);
        if (ours)
            assert_int_equal(next(reader).transfer.handle, RES_WRITTEN);
        assert_int_equal(next(reader).kind, MESSAGE_SWAP);
        trace_reader_close(reader);
        render_sink_destroy(render);
    }
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

static bool
create_on_a_full_disk(const char *path)
{
    static const struct frame_set frame_0 = {.ranges = {{0, 0}}, .count = 1};
    const rlim_t header = TRACE_HEADER_BYTES + strlen("contents") + sizeof(struct caps_v2);
    const struct rlimit limit = {header, header};
    struct message_sink renderer = {.take = take_all};
    struct read_back *read_back;
    struct error err = {""};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    return read_back_create(&read_back, path, &frame_0, &renderer, true, &err) || read_back ||
           !strstr(err.text, "File too large");
}

/* A range that begins immediately is recorded in the file. If the disk is full, the writer and the
 * file are removed. The test runs in a child process with a limited file size. */
static void
nothing_is_left_of_what_did_not_begin(void **state)
{
    char path[] = "/tmp/aetius-contents-XXXXXX", unfinished[64];
    int status;
    (void)state;
    close(mkstemp(path));
    unlink(path);
    snprintf(unfinished, sizeof unfinished, "%s.unfinished", path);
    const int lowest = dup(0);
    close(lowest);
    const pid_t child = fork();
    if (child == 0) {
        const bool wrong = create_on_a_full_disk(path);
        _exit(wrong ? 1 : dup(0) != lowest ? 2 : 0); /* no file descriptor is left open */
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(unfinished, F_OK), -1);
}

/* The user sees why a resource cannot be created. */
static void
refusals_name_the_reason(void **state)
{
    static const struct {
        uint32_t width, format;
        const char *why;
    } cases[] = {{0, FORMAT_R8G8B8A8_UNORM, "resource 7 has the extents 0x8x1, 1 layers"},
                 {8, 100000, "resource 7 has the format 100000, which this GPU does not offer"},
                 {8, FORMAT_R8G8B8A8_UNORM, NULL},
                 {8, FORMAT_R8G8B8A8_UNORM, "resource 7 already exists"}};
    struct passthrough *passthrough;
    struct error err = {""};
    (void)state;
    if (!passthrough_create(&passthrough, "llvmpipe", &err)) {
        print_message("%s\n", err.text);
        skip();
    }
    struct message_sink *sink = passthrough_sink(passthrough);
    const struct message begin = {.kind = MESSAGE_CLIENT_BEGIN,
                                  .client = CLIENT,
                                  .bytes = (const uint8_t *)"x",
                                  .size_bytes = 1};
    assert_true(sink->take(sink->data, &begin, NULL, 0, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct message create = {.kind = MESSAGE_RESOURCE_CREATE,
                                       .client = CLIENT,
                                       .resource = {.handle = 7,
                                                    .target = TARGET_2D,
                                                    .format = cases[i].format,
                                                    .bind = BIND_SAMPLER_VIEW,
                                                    .width = cases[i].width,
                                                    .height = 8,
                                                    .depth = 1,
                                                    .array_size = 1}};
        assert_int_equal(sink->take(sink->data, &create, NULL, 0, &err), !cases[i].why);
        if (cases[i].why)
            assert_string_equal(err.text, cases[i].why);
    }
    passthrough_destroy(passthrough);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_our_own),
        cmocka_unit_test(test_the_reference),
        cmocka_unit_test(refusals_name_the_reason),
        cmocka_unit_test(test_contents_of_slices),
        cmocka_unit_test(test_what_is_not_read),
        cmocka_unit_test(nothing_is_left_of_what_did_not_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
