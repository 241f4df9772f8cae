/* Forced multisampling: the messages that the renderer receives. The expected streams follow the
 * layout of the protocol's packets. */
#include "base/mem.h"
#include "rigs/stream.h"
#include "trace/virgl/force_samples.h"
#include "trace/virgl/protocol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    TWIN = 0x40000000,
    COLOR = 3,
    DEPTH = 4,
    PLAIN = 5,
    RENDERBUFFER = 6,
    SURFACE = 10,
    SIDE = 16
};

struct heard {
    uint32_t kind, handle, samples, bind; /* of a create message */
    struct stream stream;                 /* of a SUBMIT message */
};

struct ear {
    struct message_sink sink;
    uint32_t count;
    struct heard heard[8];
    uint32_t fails_at; /* number of the message that fails, from 1; 0: none */
};

static bool
hear(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct ear *ear = data;
    struct heard *heard = &ear->heard[ear->count++];
    (void)out;
    (void)out_bytes;
    assert_in_range(ear->count, 1, 8);
    if (ear->count == ear->fails_at)
        return (fail)(err, "lost");
    memset(heard, 0, sizeof *heard);
    heard->kind = message->kind;
    if (message->kind == MESSAGE_SUBMIT) {
        stream_dwords(&heard->stream, message->bytes, message->size_bytes / 4);
    } else if (message->kind == MESSAGE_RESOURCE_CREATE) {
        heard->handle = message->resource.handle;
        heard->samples = message->resource.samples;
        heard->bind = message->resource.bind;
    } else if (message->kind == MESSAGE_RESOURCE_UNREF) {
        heard->handle = message->resource.handle;
    } else {
        heard->handle = message->transfer.handle;
    }
    return true;
}

static void
deliver(struct ear *ear, struct force_samples *force, const struct message *message)
{
    struct error err;
    struct message_sink *sink = force_samples_sink(force);
    ear->count = 0;
    assert_true(sink->take(sink->data, message, NULL, 0, &err));
}

static void
deliver_stream(struct ear *ear, struct force_samples *force, const struct stream *s)
{
    const struct message message = stream_message(s, 1);
    deliver(ear, force, &message);
    assert_int_equal(ear->count, 1);
    assert_int_equal(ear->heard[0].kind, MESSAGE_SUBMIT);
}

static void
assert_stream(const struct heard *heard, const struct stream *expected)
{
    assert_int_equal(heard->kind, MESSAGE_SUBMIT);
    assert_int_equal(heard->stream.count, expected->count);
    assert_memory_equal(heard->stream.dw, expected->dw, expected->count * 4);
}

static void
create(struct ear *ear, struct force_samples *force, uint32_t handle, uint32_t format,
       uint32_t bind)
{
    deliver(
        ear, force,
        &(struct message){.kind = MESSAGE_RESOURCE_CREATE,
                          .client = 1,
                          .resource = {handle, TARGET_2D, format, bind, SIDE, SIDE, 1, 1, 0, 0}});
}

static void
add_blit(struct stream *s, uint32_t to, uint32_t from, uint32_t format, uint32_t mask)
{
    stream_blit(s, mask, (struct blit_side){to, 0, format, {0, 0, 0, SIDE, SIDE, 1}},
                (struct blit_side){from, 0, format, {0, 0, 0, SIDE, SIDE, 1}});
}

/* Creates a display target (format 1), a depth buffer (format 20, with stencil) and a texture that
 * is drawn into. Creates a surface for each of them. */
static struct force_samples *
start(struct ear *ear)
{
    *ear = (struct ear){.sink = {.data = ear, .take = hear}};
    struct force_samples *force = force_samples_create(&ear->sink, 4);
    deliver(ear, force,
            &(struct message){.kind = MESSAGE_CLIENT_BEGIN,
                              .client = 1,
                              .bytes = (const uint8_t *)"test",
                              .size_bytes = 4});
    create(ear, force, COLOR, 1, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET);
    assert_int_equal(ear->count, 2);
    assert_int_equal(ear->heard[0].samples, 0);
    assert_int_equal(ear->heard[1].handle, COLOR | TWIN);
    assert_int_equal(ear->heard[1].samples, 4);
    assert_int_equal(ear->heard[1].bind, BIND_RENDER_TARGET);
    create(ear, force, DEPTH, 20, BIND_DEPTH_STENCIL);
    assert_int_equal(ear->count, 2);
    assert_int_equal(ear->heard[1].bind, BIND_DEPTH_STENCIL);
    create(ear, force, PLAIN, 1, BIND_RENDER_TARGET | BIND_SAMPLER_VIEW);
    assert_int_equal(ear->count, 1);

    struct stream s = {0}, expected = {0};
    stream_surface(&s, SURFACE + COLOR, COLOR, FORMAT_B8G8R8A8_UNORM);
    stream_surface(&s, SURFACE + DEPTH, DEPTH, FORMAT_S8_UINT_Z24_UNORM);
    stream_surface(&s, SURFACE + PLAIN, PLAIN, FORMAT_B8G8R8A8_UNORM);
    deliver_stream(ear, force, &s);
    stream_surface(&expected, SURFACE + COLOR, COLOR, FORMAT_B8G8R8A8_UNORM);
    stream_surface(&expected, (SURFACE + COLOR) | TWIN, COLOR | TWIN, FORMAT_B8G8R8A8_UNORM);
    stream_surface(&expected, SURFACE + DEPTH, DEPTH, FORMAT_S8_UINT_Z24_UNORM);
    stream_surface(&expected, (SURFACE + DEPTH) | TWIN, DEPTH | TWIN, FORMAT_S8_UINT_Z24_UNORM);
    stream_surface(&expected, SURFACE + PLAIN, PLAIN, FORMAT_B8G8R8A8_UNORM);
    assert_stream(&ear->heard[0], &expected);
    return force;
}

/* Draws go to the multisampled twins. The twins are resolved once, before the swap. */
static void
swap_resolves(void **state)
{
    struct ear *ear = mem_alloc(sizeof *ear);
    struct force_samples *force = start(ear);
    struct stream s = {0}, expected = {0};
    const struct message swap = {
        .kind = MESSAGE_SWAP, .client = 1, .transfer = {COLOR, 0, {0, 0, 0, SIDE, SIDE, 1}}};
    (void)state;
    PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 1, SURFACE + DEPTH, SURFACE + COLOR);
    stream_clear(&s, CLEAR_ALL, NULL, 1, 0);
    deliver_stream(ear, force, &s);
    PACKET(&expected, CMD_SET_FRAMEBUFFER_STATE, 1, (SURFACE + DEPTH) | TWIN,
           (SURFACE + COLOR) | TWIN);
    stream_clear(&expected, CLEAR_ALL, NULL, 1, 0);
    assert_stream(&ear->heard[0], &expected);

    deliver(ear, force, &swap);
    assert_int_equal(ear->count, 2);
    expected.count = 0;
    add_blit(&expected, COLOR, COLOR | TWIN, 1, 15);
    assert_stream(&ear->heard[0], &expected);
    assert_int_equal(ear->heard[1].kind, MESSAGE_SWAP);
    assert_int_equal(ear->heard[1].handle, COLOR);
    deliver(ear, force, &swap);
    assert_int_equal(ear->count, 1);
    force_samples_destroy(force);
    free(ear);
}

/* If the color target is a texture, the draw uses the original depth buffer with the content of its
 * twin. */
static void
texture_keeps_one_sample(void **state)
{
    struct ear *ear = mem_alloc(sizeof *ear);
    struct force_samples *force = start(ear);
    struct stream s = {0}, expected = {0};
    (void)state;
    PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 1, SURFACE + DEPTH, SURFACE + COLOR);
    stream_clear(&s, CLEAR_ALL, NULL, 1, 0);
    deliver_stream(ear, force, &s);
    s.count = 0;
    PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 1, SURFACE + DEPTH, SURFACE + PLAIN);
    deliver_stream(ear, force, &s);
    add_blit(&expected, DEPTH, DEPTH | TWIN, 20, 16 | 32);
    PACKET(&expected, CMD_SET_FRAMEBUFFER_STATE, 1, SURFACE + DEPTH, SURFACE + PLAIN);
    assert_stream(&ear->heard[0], &expected);
    force_samples_destroy(force);
    free(ear);
}

/* A renderbuffer also gets a multisampled twin, which draws use. */
static void
renderbuffer_is_multisampled(void **state)
{
    struct ear *ear = mem_alloc(sizeof *ear);
    struct force_samples *force = start(ear);
    struct stream s = {0}, expected = {0};
    (void)state;
    create(ear, force, RENDERBUFFER, 1, BIND_RENDER_TARGET);
    assert_int_equal(ear->count, 2);
    assert_int_equal(ear->heard[1].handle, RENDERBUFFER | TWIN);
    assert_int_equal(ear->heard[1].samples, 4);
    stream_surface(&s, SURFACE + RENDERBUFFER, RENDERBUFFER, FORMAT_B8G8R8A8_UNORM);
    deliver_stream(ear, force, &s);
    s.count = 0;
    PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 1, SURFACE + DEPTH, SURFACE + RENDERBUFFER);
    deliver_stream(ear, force, &s);
    PACKET(&expected, CMD_SET_FRAMEBUFFER_STATE, 1, (SURFACE + DEPTH) | TWIN,
           (SURFACE + RENDERBUFFER) | TWIN);
    assert_stream(&ear->heard[0], &expected);
    force_samples_destroy(force);
    free(ear);
}

/* An upload to the resource reaches all samples of its twin. Both are destroyed together. */
static void
upload_is_spread(void **state)
{
    static const uint8_t bytes[SIDE * SIDE * 4];
    struct ear *ear = mem_alloc(sizeof *ear);
    struct force_samples *force = start(ear);
    struct stream expected = {0};
    (void)state;
    deliver(ear, force,
            &(struct message){.kind = MESSAGE_PUT,
                              .client = 1,
                              .transfer = {COLOR, 0, {0, 0, 0, SIDE, SIDE, 1}},
                              .bytes = bytes,
                              .size_bytes = sizeof bytes});
    assert_int_equal(ear->count, 2);
    assert_int_equal(ear->heard[0].kind, MESSAGE_PUT);
    add_blit(&expected, COLOR | TWIN, COLOR, 1, 15);
    assert_stream(&ear->heard[1], &expected);

    deliver(ear, force,
            &(struct message){
                .kind = MESSAGE_RESOURCE_UNREF, .client = 1, .resource = {.handle = COLOR}});
    assert_int_equal(ear->count, 2);
    assert_int_equal(ear->heard[0].handle, COLOR);
    assert_int_equal(ear->heard[1].handle, COLOR | TWIN);
    force_samples_destroy(force);
    free(ear);
}

/* If a message to the renderer fails, so does the message that caused it. */
static void
failures_are_passed_on(void **state)
{
    const struct message unref = {
        .kind = MESSAGE_RESOURCE_UNREF, .client = 1, .resource = {.handle = COLOR}};
    (void)state;
    for (uint32_t n = 1; n <= 2; n++) {
        struct ear *ear = mem_alloc(sizeof *ear);
        struct force_samples *force = start(ear);
        struct message_sink *sink = force_samples_sink(force);
        struct error err;
        ear->count = 0;
        ear->fails_at = n;
        assert_false(sink->take(sink->data, &unref, NULL, 0, &err));
        assert_string_equal(err.text, "lost");
        assert_int_equal(ear->count, n);
        force_samples_destroy(force);
        free(ear);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swap_resolves),
        cmocka_unit_test(texture_keeps_one_sample),
        cmocka_unit_test(renderbuffer_is_multisampled),
        cmocka_unit_test(upload_is_spread),
        cmocka_unit_test(failures_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
