/* Conversion to one sample per pixel: the messages that the renderer receives. The expected
 * averages are calculated. */
#include "base/mem.h"
#include "trace/single_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COLOR = 3, DEPTH = 4, PLAIN = 5, SIDE = 8, PIXELS = SIDE * SIDE, SAMPLES = 4 };

struct ear {
    struct message_sink sink;
    struct message message;
    uint8_t bytes[PIXELS * SAMPLES * 4];
};

static bool
hear(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct ear *ear = data;
    (void)out;
    (void)out_bytes;
    (void)err;
    ear->message = *message;
    if (message->kind == MESSAGE_CONTENTS) {
        assert_in_range(message->size_bytes, 1, sizeof ear->bytes);
        memcpy(ear->bytes, message->bytes, message->size_bytes);
    }
    return true;
}

static void
deliver(struct single_sample *single, const struct message *message)
{
    struct error err;
    struct message_sink *sink = single_sample_sink(single);
    assert_true(sink->take(sink->data, message, NULL, 0, &err));
}

static void
create(struct ear *ear, struct single_sample *single, uint32_t handle, uint32_t format,
       uint32_t bind, uint32_t samples)
{
    deliver(single, &(struct message){.kind = MESSAGE_RESOURCE_CREATE,
                                      .client = 1,
                                      .resource = {handle, TARGET_2D, format, bind, SIDE, SIDE, 1,
                                                   1, 0, samples}});
    assert_int_equal(ear->message.resource.handle, handle);
    assert_int_equal(ear->message.resource.samples, 0);
}

static void
begin(struct ear *ear, struct single_sample *single)
{
    deliver(single, &(struct message){.kind = MESSAGE_CLIENT_BEGIN, .client = 1});
    create(ear, single, COLOR, 67 /* R8G8B8A8_UNORM */, BIND_RENDER_TARGET, SAMPLES);
    create(ear, single, DEPTH, 20 /* S8_UINT_Z24_UNORM */, BIND_DEPTH_STENCIL, SAMPLES);
    create(ear, single, PLAIN, 67, BIND_RENDER_TARGET, 0);
}

static void
contents(struct single_sample *single, uint32_t handle, const void *bytes, uint32_t size_bytes)
{
    /* the resource is shown: drawn into, shown last, and twin of resource 9 */
    deliver(single, &(struct message){.kind = MESSAGE_CONTENTS,
                                      .client = 1,
                                      .contents = {.handle = handle,
                                                   .shown = {1, 1, 9},
                                                   .width = SIDE,
                                                   .height = SIDE,
                                                   .slices = 1},
                                      .bytes = bytes,
                                      .size_bytes = size_bytes});
}

static void
contents_are_resolved(void **state)
{
    struct ear *ear = mem_alloc(sizeof *ear);
    struct single_sample *single = single_sample_create(&ear->sink);
    static uint8_t colors[PIXELS * SAMPLES * 4];
    static uint32_t depths[PIXELS * SAMPLES];
    (void)state;
    ear->sink = (struct message_sink){.data = ear, .take = hear};
    begin(ear, single);
    for (uint32_t i = 0; i < PIXELS; i++)
        for (uint32_t s = 0; s < SAMPLES; s++) {
            uint8_t *sample = colors + ((size_t)i * SAMPLES + s) * 4;
            sample[0] = (uint8_t)i;            /* equal in all samples */
            sample[1] = s == 3 ? 204 : 0;      /* average 51 */
            sample[2] = (uint8_t)(10 + 2 * s); /* average 13 */
            sample[3] = s & 1 ? 100 : 200;     /* average 150 */
            depths[i * SAMPLES + s] = i << 24 | (1000 + i + s);
        }
    contents(single, COLOR, colors, sizeof colors);
    assert_int_equal(ear->message.size_bytes, PIXELS * 4);
    assert_int_equal(ear->message.contents.shown.drawn, 1);
    assert_int_equal(ear->message.contents.shown.is_last, 1);
    assert_int_equal(ear->message.contents.shown.twin, 0);
    for (uint32_t i = 0; i < PIXELS; i++)
        assert_memory_equal(ear->bytes + (size_t)i * 4, ((uint8_t[]){(uint8_t)i, 51, 13, 150}), 4);
    contents(single, DEPTH, depths, sizeof depths);
    assert_int_equal(ear->message.size_bytes, PIXELS * 4);
    for (uint32_t i = 0; i < PIXELS; i++)
        assert_memory_equal(ear->bytes + (size_t)i * 4, &depths[(size_t)i * SAMPLES], 4);
    single_sample_destroy(single);
    free(ear);
}

/* Single-sampled resources are unchanged, even if their handle belonged to a multisampled one
 * before. */
static void
others_stay(void **state)
{
    struct ear *ear = mem_alloc(sizeof *ear);
    struct single_sample *single = single_sample_create(&ear->sink);
    static uint8_t colors[PIXELS * 4];
    (void)state;
    ear->sink = (struct message_sink){.data = ear, .take = hear};
    begin(ear, single);
    for (uint32_t i = 0; i < sizeof colors; i++)
        colors[i] = (uint8_t)(i * 7);
    contents(single, PLAIN, colors, sizeof colors);
    assert_int_equal(ear->message.size_bytes, sizeof colors);
    assert_int_equal(ear->message.contents.shown.is_last, 1);
    assert_int_equal(ear->message.contents.shown.twin, 9);
    assert_memory_equal(ear->bytes, colors, sizeof colors);
    deliver(single, &(struct message){.kind = MESSAGE_RESOURCE_UNREF,
                                      .client = 1,
                                      .resource = {.handle = COLOR}});
    create(ear, single, COLOR, 67, BIND_RENDER_TARGET, 1);
    contents(single, COLOR, colors, sizeof colors);
    assert_int_equal(ear->message.size_bytes, sizeof colors);
    assert_memory_equal(ear->bytes, colors, sizeof colors);
    deliver(single, &(struct message){.kind = MESSAGE_CLIENT_END, .client = 1});
    single_sample_destroy(single);
    free(ear);
}

static bool
takes(struct single_sample *single, const struct message *message, const char *why)
{
    struct error err = {""};
    struct message_sink *sink = single_sample_sink(single);
    const bool ok = sink->take(sink->data, message, NULL, 0, &err);
    if (!ok && !strstr(err.text, why))
        fail_msg("\"%s\" has no \"%s\"", err.text, why);
    return ok;
}

/* A pixel of 2^30 samples of 4 bytes has 2^32 bytes. */
static void
impossible_samples_are_refused(void **state)
{
    static const uint32_t wrong[] = {3, 5, 16, 1u << 30, (1u << 30) + 1, UINT32_MAX};
    (void)state;
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ear *ear = mem_alloc(sizeof *ear);
        struct single_sample *single = single_sample_create(&ear->sink);
        ear->sink = (struct message_sink){.data = ear, .take = hear};
        begin(ear, single);
        const struct message create = {
            .kind = MESSAGE_RESOURCE_CREATE,
            .client = 1,
            .resource = {9, TARGET_2D, 67, BIND_RENDER_TARGET, SIDE, SIDE, 1, 1, 0, wrong[i]}};
        assert_false(takes(single, &create, "1, 2, 4 and 8 are supported"));
        /* the renderer does not receive the create message of the impossible resource */
        assert_int_equal(ear->message.resource.handle, PLAIN);
        single_sample_destroy(single);
        free(ear);
    }
}

/* Contents of a multisampled resource must consist of whole pixels; others are refused. */
static void
parts_of_pixels_are_refused(void **state)
{
    static uint8_t colors[PIXELS * SAMPLES * 4];
    struct ear *ear = mem_alloc(sizeof *ear);
    struct single_sample *single = single_sample_create(&ear->sink);
    struct message message = {
        .kind = MESSAGE_CONTENTS,
        .client = 1,
        .contents = {.handle = COLOR, .width = SIDE, .height = SIDE, .slices = 1},
        .bytes = colors};
    (void)state;
    ear->sink = (struct message_sink){.data = ear, .take = hear};
    begin(ear, single);
    for (message.size_bytes = 1; message.size_bytes < 4 * SAMPLES; message.size_bytes++)
        assert_false(takes(single, &message, "whole pixels"));
    assert_true(takes(single, &message, ""));
    single_sample_destroy(single);
    free(ear);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_are_resolved),
        cmocka_unit_test(others_stay),
        cmocka_unit_test(impossible_samples_are_refused),
        cmocka_unit_test(parts_of_pixels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
