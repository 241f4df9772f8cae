/* Depth surfaces of different shape that get the same memory after each other: what Hierarchical Z
 * knew of the first must not cull in the second. The machine draws what the functional renderer
 * does. */
#include "scene.h"
#include "sim/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h> /* behind our own headers: it has a macro fail() */

enum { LONG = 256, SHORT = 32, BYTES = LONG * SHORT * 4, QUADS = 32, MAX_FLOATS = QUADS * 6 * 4 };

static const char plain_vs[] = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n"
                               "  0: MOV OUT[0], IN[0]\n  1: MOV OUT[1], IN[0]\n  2: END\n";
static const char plain_fs[] = "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n"
                               "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n"
                               "  0: MOV OUT[0], IN[0].zzzz\n  1: END\n";

enum { OBJ_ALWAYS = 200 };

struct fixture {
    struct simulation sim;
    struct executor_sink sink;
    float vertices[MAX_FLOATS];
    uint32_t count; /* floats */
    uint8_t color[BYTES], depth[BYTES];
};

static void
take(struct fixture *f, const struct message *message, uint8_t *out, uint32_t out_bytes)
{
    struct error err = {""};
    if (!f->sink.sink.take(f->sink.sink.data, message, out, out_bytes, &err))
        fail_msg("%s", err.text);
}

static void
create(struct fixture *f, struct resource_desc desc)
{
    take(f, &(struct message){.kind = MESSAGE_RESOURCE_CREATE, .client = 1, .resource = desc}, NULL,
         0);
}

static void
submit(struct fixture *f, const struct stream *s)
{
    const struct message message = stream_message(s, 1);
    take(f, &message, NULL, 0);
}

static void
start(struct fixture *f, bool timed)
{
    static const struct frame_set all;
    struct params params;
    struct stream s = {0};
    struct error err = {""};
    assert_true(params_load_preset(&params, "reference-2005", &err));
    params.MEMORYCONTROLLER.MemorySize = 4 << 20;
    params.ZSTENCILTEST.ZCacheLines = 1; /* lines leave soon, and tell Hierarchical Z */
    assert_true(simulation_init(&f->sim, &params, timed ? &all : NULL, NULL, &err));
    executor_sink_init(&f->sink, &f->sim.executor);
    take(f,
         &(struct message){.kind = MESSAGE_CLIENT_BEGIN,
                           .client = 1,
                           .bytes = (const uint8_t *)"test",
                           .size_bytes = 4},
         NULL, 0);
    create(f, (struct resource_desc){RES_VERTICES, TARGET_BUFFER, 64, BIND_VERTEX_BUFFER,
                                     sizeof f->vertices, 1, 1, 1, 0, 0});
    PACKET(&s, 1, 1, OBJ_BLEND, 0, 0, 15u << 27, 0, 0, 0, 0, 0, 0, 0);
    PACKET(&s, 1, 2, OBJ_RASTERIZER, 1 << 1 | 1 << 29, float_bits(1), 0, 0, float_bits(1), 0, 0, 0);
    PACKET(&s, 1, 3, OBJ_DSA, 1 | 1 << 1 | FUNC_LESS << 2, 0, 0, 0);
    PACKET(&s, 1, 3, OBJ_ALWAYS, 1 | 1 << 1 | FUNC_ALWAYS << 2, 0, 0, 0);
    stream_shader(&s, OBJ_VS, 0, plain_vs);
    stream_shader(&s, OBJ_FS, 1, plain_fs);
    PACKET(&s, 1, 5, OBJ_ELEMENTS, 0, 0, 0, 31);
    PACKET(&s, 2, 1, OBJ_BLEND);
    PACKET(&s, 2, 2, OBJ_RASTERIZER);
    PACKET(&s, 2, 5, OBJ_ELEMENTS);
    PACKET(&s, 31, 0, OBJ_VS, 0);
    PACKET(&s, 31, 0, OBJ_FS, 1);
    PACKET(&s, 6, 0, 16, 0, RES_VERTICES);
    submit(f, &s);
}

/* A color and a depth buffer of this shape, bound; returns where the depth lies. */
static uint32_t
bind_surfaces(struct fixture *f, uint32_t width, uint32_t height)
{
    struct stream s = {0};
    create(f, (struct resource_desc){RES_DEPTH, TARGET_2D, 19, BIND_DEPTH_STENCIL, width, height, 1,
                                     1, 0, 0});
    create(f, (struct resource_desc){RES_COLOR, TARGET_2D, 1, BIND_RENDER_TARGET, width, height, 1,
                                     1, 0, 0});
    PACKET(&s, 1, 8, OBJ_COLOR, RES_COLOR, 1, 0, 0);
    PACKET(&s, 1, 8, OBJ_DEPTH, RES_DEPTH, 19, 0, 0);
    PACKET(&s, 5, 0, 1, OBJ_DEPTH, OBJ_COLOR);
    PACKET(&s, 4, 0, 0, float_bits((float)width / 2), float_bits((float)height / 2),
           float_bits(.5f), float_bits((float)width / 2), float_bits((float)height / 2),
           float_bits(.5f));
    submit(f, &s);
    return gpu_resource(&f->sim.device, 1, RES_DEPTH)->address;
}

static void
drop_surfaces(struct fixture *f)
{
    struct message unref = {.kind = MESSAGE_RESOURCE_UNREF, .client = 1};
    struct stream s = {0};
    PACKET(&s, 5, 0, 0, 0);
    PACKET(&s, 3, 8, OBJ_COLOR);
    PACKET(&s, 3, 8, OBJ_DEPTH);
    submit(f, &s);
    unref.resource.handle = RES_COLOR;
    take(f, &unref, NULL, 0);
    unref.resource.handle = RES_DEPTH;
    take(f, &unref, NULL, 0);
}

static void
add_quad(struct fixture *f, float x, float y, float width, float height, float z)
{
    const float corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < 6; i++) {
        const float vertex[4] = {x + corners[i][0] * width, y + corners[i][1] * height, z, 1};
        memcpy(f->vertices + f->count, vertex, sizeof vertex);
        f->count += 4;
    }
}

static void
draw_quads(struct fixture *f, uint32_t dsa, bool clear)
{
    struct stream s = {0};
    uint32_t bytes = f->count * 4;
    take(f,
         &(struct message){.kind = MESSAGE_PUT,
                           .client = 1,
                           .transfer = {RES_VERTICES, 0, {0, 0, 0, (int32_t)bytes, 1, 1}},
                           .bytes = (const uint8_t *)f->vertices,
                           .size_bytes = bytes},
         NULL, 0);
    if (clear)
        PACKET(&s, 7, 0, 1 | 2 | 4, 0, 0, 0, 0, 0, 0x3ff00000, 0);
    PACKET(&s, 2, 3, dsa);
    PACKET(&s, 8, 0, 0, f->count / 4, PRIM_TRIANGLES, 0, 1, 0, 0, 0, 0, 0, ~0u, 0);
    submit(f, &s);
    f->count = 0;
}

static void
get(struct fixture *f, uint32_t handle, uint8_t *out)
{
    take(f,
         &(struct message){
             .kind = MESSAGE_GET, .client = 1, .transfer = {handle, 0, {0, 0, 0, LONG, SHORT, 1}}},
         out, BYTES);
}

/* A tall surface filled with near depths; then a wide one in its place, without a clear: far
 * everywhere, then tiles at many depths in front of that, then one depth between theirs: it is
 * culled where they are nearer, and only there. */
static struct fixture *
draw_both(bool timed)
{
    struct fixture *f = mem_alloc(sizeof *f);
    start(f, timed);
    uint32_t tall = bind_surfaces(f, SHORT, LONG);
    for (int i = 0; i < 4; i++)
        add_quad(f, -1, -1, 2, 2, -.5f - .1f * (float)i);
    draw_quads(f, OBJ_DSA, true);
    drop_surfaces(f);
    assert_int_equal(bind_surfaces(f, LONG, SHORT), tall);
    add_quad(f, -1, -1, 2, 2, .9f);
    draw_quads(f, OBJ_ALWAYS, false);
    for (int i = 0; i < QUADS; i++)
        add_quad(f, -1 + (float)(i % 16) / 8, i < 16 ? -1 : 0, .125f, 1,
                 .5f - .1f * (float)(i * 7 % 11));
    draw_quads(f, OBJ_DSA, false);
    add_quad(f, -1, -1, 2, 2, 0);
    draw_quads(f, OBJ_DSA, false);
    get(f, RES_COLOR, f->color);
    get(f, RES_DEPTH, f->depth);
    executor_sink_fini(&f->sink);
    simulation_fini(&f->sim);
    return f;
}

static void
another_shape_in_the_same_memory(void **state)
{
    struct fixture *functional = draw_both(false), *timed = draw_both(true);
    assert_memory_equal(timed->color, functional->color, BYTES);
    assert_memory_equal(timed->depth, functional->depth, BYTES);
    /* nothing is left behind depth 0: half of 24 bits */
    for (uint32_t i = 0; i < BYTES; i += 4) {
        uint32_t depth;
        memcpy(&depth, functional->depth + i, 4);
        assert_true((depth & 0xffffff) <= 0x800000);
    }
    free(functional);
    free(timed);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_shape_in_the_same_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
