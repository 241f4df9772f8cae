/* A machine with a surface of 64x64 pixels, its depth buffer and one red material, drawn on by
 * hand-made streams: for tests that reckon what each unit does. reference-2005, whose parameters a
 * test may change before rig_start(). */
#ifndef AETIUS_TESTS_RIG_H
#define AETIUS_TESTS_RIG_H

#include "stream.h"

#include "sim/executor.h"
#include "sim/simulation.h"
#include "trace/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
    SIZE = 64,
    FORMAT_BGRA8 = 1,
    FORMAT_Z24S8 = 19,
    FORMAT_BYTES = 64,
    FORMAT_RGBA_FLOAT = 31,
    RES_COLOR = 1,
    RES_DEPTH,
    RES_VERTICES,
    RES_INDICES,
    OBJ_BLEND = 101,
    OBJ_RASTERIZER,
    OBJ_DSA,
    OBJ_VS,
    OBJ_FS,
    OBJ_ELEMENTS,
    OBJ_COLOR,
    OBJ_DEPTH,
    MODE_TRIANGLES = 4,
    MODE_STRIP = 5,
    CLEAR_DEPTH = 1,
    CLEAR_COLOR = 4,
};

static const char rig_vs[] = "VERT\n"
                             "DCL IN[0]\n"
                             "DCL OUT[0], POSITION\n"
                             "  0: MOV OUT[0], IN[0]\n"
                             "  1: END\n";
static const char rig_fs[] = "FRAG\n"
                             "DCL OUT[0], COLOR\n"
                             "IMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\n"
                             "  0: MOV OUT[0], IMM[0]\n"
                             "  1: END\n";

struct rig {
    struct params params;
    struct frame_set frames;     /* that are timed; empty: all */
    struct trace_writer *writer; /* takes all messages too, or NULL */
    struct simulation sim;
    struct executor_sink sink;
    struct stream stream;
    uint64_t *values;             /* of the frame */
    uint32_t pixels[SIZE * SIZE]; /* of the frame, RGBA as one number */
    void *data;                   /* the test's own, from malloc, or NULL */
};

static inline bool
rig_take_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct rig *rig = data;
    (void)err;
    if (!frame->timed)
        return true;
    memcpy(rig->pixels, frame->picture->rgba, sizeof rig->pixels);
    stat_set_snapshot(&rig->sim.machine->stats, rig->values);
    return true;
}

static inline void
rig_take(struct rig *rig, struct message message)
{
    struct error err;
    message.client = 1;
    if (rig->writer && !trace_writer_add(rig->writer, &message, &err))
        fail_msg("%s", err.text);
    if (!rig->sink.sink.take(rig->sink.sink.data, &message, NULL, 0, &err))
        fail_msg("%s", err.text);
}

static inline void
rig_submit(struct rig *rig)
{
    rig_take(rig, stream_message(&rig->stream, 1));
    rig->stream.count = 0;
}

static inline void
rig_create(struct rig *rig, uint32_t handle, uint32_t target, uint32_t format, uint32_t bind,
           uint32_t width, uint32_t height)
{
    rig_take(rig, (struct message){
                      .kind = MESSAGE_RESOURCE_CREATE,
                      .resource = {handle, target, format, bind, width, height, 1, 1, 0, 0}});
}

static inline void
rig_upload(struct rig *rig, uint32_t handle, const void *bytes, uint32_t size)
{
    struct message message = {.kind = MESSAGE_PUT, .bytes = bytes, .size_bytes = size};
    message.transfer.handle = handle;
    message.transfer.box = (struct box){0, 0, 0, (int32_t)size, 1, 1};
    rig_take(rig, message);
}

/* Depth test LESS; a viewport that makes NDC -1..1 the pixels 0..SIZE, row 0 at -1. */
static inline void
rig_set_state(struct rig *rig)
{
    struct stream *s = &rig->stream;
    PACKET(s, 1, 1, OBJ_BLEND, 0, 0, 15u << 27, 0, 0, 0, 0, 0, 0, 0);
    PACKET(s, 1, 2, OBJ_RASTERIZER, 1 << 1 | 1 << 29, float_bits(1), 0, 0, float_bits(1), 0, 0, 0);
    PACKET(s, 1, 3, OBJ_DSA, 1 | 1 << 1 | FUNC_LESS << 2, 0, 0, 0);
    stream_shader(s, OBJ_VS, 0, rig_vs);
    stream_shader(s, OBJ_FS, 1, rig_fs);
    PACKET(s, 1, 5, OBJ_ELEMENTS, 0, 0, 0, FORMAT_RGBA_FLOAT);
    PACKET(s, 1, 8, OBJ_COLOR, RES_COLOR, FORMAT_BGRA8, 0, 0);
    PACKET(s, 1, 8, OBJ_DEPTH, RES_DEPTH, FORMAT_Z24S8, 0, 0);
    PACKET(s, 2, 1, OBJ_BLEND);
    PACKET(s, 2, 2, OBJ_RASTERIZER);
    PACKET(s, 2, 3, OBJ_DSA);
    PACKET(s, 2, 5, OBJ_ELEMENTS);
    PACKET(s, 31, 0, OBJ_VS, 0);
    PACKET(s, 31, 0, OBJ_FS, 1);
    PACKET(s, 5, 0, 1, OBJ_DEPTH, OBJ_COLOR);
    PACKET(s, 6, 0, 16, 0, RES_VERTICES);
    PACKET(s, 4, 0, 0, float_bits(SIZE / 2), float_bits(SIZE / 2), float_bits(.5f),
           float_bits(SIZE / 2), float_bits(SIZE / 2), float_bits(.5f));
    rig_submit(rig);
}

static inline void
rig_start(struct rig *rig)
{
    struct simulation_listener listener = {.data = rig, .frame = rig_take_frame};
    struct error err;
    if (!simulation_init(&rig->sim, &rig->params, &rig->frames, &listener, &err))
        fail_msg("%s", err.text);
    rig->values = calloc(rig->sim.machine->stats.count, sizeof *rig->values);
    executor_sink_init(&rig->sink, &rig->sim.executor);
    rig_take(rig, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    rig_create(rig, RES_COLOR, TARGET_2D, FORMAT_BGRA8, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET,
               SIZE, SIZE);
    rig_create(rig, RES_DEPTH, TARGET_2D, FORMAT_Z24S8, BIND_DEPTH_STENCIL, SIZE, SIZE);
    rig_create(rig, RES_VERTICES, TARGET_BUFFER, FORMAT_BYTES, BIND_VERTEX_BUFFER, 4096, 1);
    rig_create(rig, RES_INDICES, TARGET_BUFFER, FORMAT_BYTES, BIND_INDEX_BUFFER, 4096, 1);
    rig_set_state(rig);
}

static inline int
rig_set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct error err;
    if (!params_load_preset(&rig->params, "reference-2005", &err))
        return -1;
    rig->params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    *state = rig;
    return 0;
}

static inline int
rig_tear_down(void **state)
{
    struct rig *rig = *state;
    if (rig->values) {
        executor_sink_fini(&rig->sink);
        simulation_fini(&rig->sim);
    }
    free(rig->values);
    free(rig->data);
    free(rig);
    return 0;
}

static inline void
rig_clear(struct rig *rig, uint32_t buffers, double depth)
{
    uint32_t words[2];
    memcpy(words, &depth, sizeof words);
    PACKET(&rig->stream, 7, 0, buffers, 0, 0, 0, 0, words[0], words[1], 0);
    rig_submit(rig);
}

static inline void
rig_draw(struct rig *rig, uint32_t mode, uint32_t count, uint32_t index_bytes)
{
    if (index_bytes)
        PACKET(&rig->stream, 11, 0, RES_INDICES, index_bytes, 0);
    PACKET(&rig->stream, 8, 0, 0, count, mode, index_bytes != 0, 1, 0, 0, 0, 0, 0, ~0u, 0);
    rig_submit(rig);
}

static inline void
rig_swap(struct rig *rig)
{
    struct message message = {.kind = MESSAGE_SWAP};
    message.transfer.handle = RES_COLOR;
    message.transfer.box = (struct box){0, 0, 0, SIZE, SIZE, 1};
    rig_take(rig, message);
}

static inline uint64_t
rig_figure(const struct rig *rig, const char *name)
{
    uint64_t value;
    if (!stat_set_sum(&rig->sim.machine->stats, rig->values, name, &value))
        fail_msg("there is no %s", name);
    return value;
}

static inline void
rig_assert_figure(const struct rig *rig, const char *name, uint64_t expected)
{
    const uint64_t value = rig_figure(rig, name);
    if (value != expected)
        fail_msg("%s is %llu, not %llu", name, (unsigned long long)value,
                 (unsigned long long)expected);
}

/* The triangle with a corner in pixel 0, 0 and legs of `size` pixels along the row and column. */
static inline void
rig_upload_corner(struct rig *rig, float size, float z)
{
    const float far = size / (SIZE / 2) - 1;
    const float vertices[3][4] = {{-1, -1, z, 1}, {far, -1, z, 1}, {-1, far, z, 1}};
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
}

#endif
