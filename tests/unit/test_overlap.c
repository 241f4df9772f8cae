/* Uploads that go on beside draws and clears (COMMANDPROCESSOR.UploadsInFlight): whatever is
 * uploaded, and whoever still reads it or is about to, the pictures are the functional renderer's;
 * and an upload into something that nobody uses takes no longer than itself or the draws beside
 * it. */
#include "player.h"
#include "scene.h"

#include <stdlib.h>

enum {
    WIDTH = 64,
    HEIGHT = 32,
    BYTES = WIDTH * HEIGHT * 4,
    STEPS = 150,
    TEXTURES = 3,
    TEXELS = 32, /* a side */
    QUADS = 7,   /* in the buffer of vertices, back to back: lines of a cache hold several */
    QUAD_BYTES = 4 * 8 * 4,
    LARGE_BYTES = 8192,
    RES_OTHER = 20,
    RES_UNIFORMS,
    RES_LARGE,
    RES_TEXTURES, /* and the next ones */
    OBJ_OTHER = 200,
    OBJ_BLENDING,
    OBJ_LINES,
    OBJ_PLAIN,
    OBJ_TEXTURED,
    OBJ_VIEWS, /* and the next ones */
};

static const char vs[] =
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n"
    "  0: MOV OUT[0], IN[0]\n  1: MOV OUT[1], IN[1]\n  2: END\n";
#define FS_HEAD                                                                                    \
    "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL IN[0], GENERIC[0], PERSPECTIVE\n"            \
    "DCL OUT[0], COLOR\n"
static const char plain_fs[] = FS_HEAD "DCL CONST[0][0]\n  0: MUL OUT[0], IN[0], CONST[0][0]\n"
                                       "  1: END\n";
static const char textured_fs[] = FS_HEAD "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n"
                                          "  0: TEX TEMP[0], IN[0], SAMP[0], 2D\n"
                                          "  1: MUL OUT[0], TEMP[0], IN[0]\n  2: END\n";

static const uint8_t large[LARGE_BYTES];

struct fixture {
    struct player player;
    uint32_t random;
    uint64_t cycles;
    uint8_t color[BYTES], other[BYTES];
};

static uint32_t
next(struct fixture *f, uint32_t limit)
{
    f->random = f->random * 1664525u + 1013904223u;
    return (f->random >> 16) % limit;
}

static void
put(struct fixture *f, uint32_t handle, struct box box, const void *bytes, uint32_t size)
{
    player_take(
        &f->player,
        (struct message){
            .kind = MESSAGE_PUT, .transfer = {handle, 0, box}, .bytes = bytes, .size_bytes = size},
        NULL, 0);
}

/* A texture or a surface, or a corner of it. */
static void
put_texels(struct fixture *f, uint32_t handle, uint32_t width, uint32_t height)
{
    static uint32_t texels[WIDTH * TEXELS];
    const uint32_t value = 0xff000000u | next(f, 256) << 16 | next(f, 256) << 8 | next(f, 256);
    const bool whole = next(f, 2);
    const uint32_t w = whole ? width : 1 + next(f, width), h = whole ? height : 1 + next(f, height);
    for (uint32_t i = 0; i < w * h; i++)
        texels[i] = value + i * 0x010203u;
    put(f, handle, (struct box){0, 0, 0, (int32_t)w, (int32_t)h, 1}, texels, w * h * 4);
}

/* A quad anywhere, in any colors. */
static void
put_quad(struct fixture *f, uint32_t quad)
{
    static const float corners[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    const float x = (float)next(f, 16) / 10 - 1, y = (float)next(f, 16) / 10 - 1;
    const float width = (float)(2 + next(f, 10)) / 10, height = (float)(2 + next(f, 10)) / 10;
    float v[4][8];
    for (uint32_t i = 0; i < 4; i++) {
        const float position[4] = {x + corners[i][0] * width, y + corners[i][1] * height, 0, 1};
        memcpy(v[i], position, sizeof position);
        for (uint32_t c = 0; c < 4; c++)
            v[i][4 + c] = (float)next(f, 9) / 8;
    }
    put(f, RES_VERTICES, (struct box){(int32_t)(quad * QUAD_BYTES), 0, 0, QUAD_BYTES, 1, 1}, v,
        sizeof v);
}

/* Two triangles: as a driver splits a quad, whose diagonal is then no line, or other ones. */
static void
put_indices(struct fixture *f)
{
    static const uint16_t lists[3][6] = {
        {0, 1, 3, 1, 2, 3}, {0, 1, 2, 1, 3, 2}, {2, 1, 0, 3, 2, 1}};
    put(f, RES_INDICES, (struct box){0, 0, 0, sizeof lists[0], 1, 1}, lists[next(f, 3)],
        sizeof lists[0]);
}

static void
put_uniforms(struct fixture *f)
{
    float color[4];
    for (uint32_t c = 0; c < 4; c++)
        color[c] = (float)(1 + next(f, 8)) / 8;
    put(f, RES_UNIFORMS, (struct box){0, 0, 0, sizeof color, 1, 1}, color, sizeof color);
}

static void
create(struct fixture *f, uint32_t handle, uint32_t bind, uint32_t width, uint32_t height)
{
    const bool buffer = height == 0;
    player_create(&f->player, (struct resource_desc){handle, buffer ? TARGET_BUFFER : TARGET_2D,
                                                     buffer ? 64 : 1, bind, width,
                                                     buffer ? 1 : height, 1, 1, 0, 0});
}

static void
create_all(struct fixture *f)
{
    struct stream s = {0};
    create(f, RES_COLOR, BIND_RENDER_TARGET, WIDTH, HEIGHT);
    create(f, RES_OTHER, BIND_RENDER_TARGET, WIDTH, HEIGHT);
    create(f, RES_VERTICES, BIND_VERTEX_BUFFER, QUADS * QUAD_BYTES, 0);
    create(f, RES_LARGE, BIND_VERTEX_BUFFER, LARGE_BYTES, 0);
    create(f, RES_INDICES, BIND_INDEX_BUFFER, 64, 0);
    create(f, RES_UNIFORMS, BIND_CONSTANT_BUFFER, 64, 0);
    scene_states(&s, 0);
    PACKET(&s, 1, 2, OBJ_LINES, 1 << 1 | 1 << 10 | 1 << 12 | 1 << 29, float_bits(1), 0, 0,
           float_bits(1), 0, 0, 0);
    /* source alpha and one less it: the order of draws matters */
    PACKET(&s, 1, 1, OBJ_BLENDING, 0, 0,
           15u << 27 | 1 | 3u << 4 | 0x13u << 9 | 3u << 17 | 0x13u << 22, 0, 0, 0, 0, 0, 0, 0);
    stream_shader(&s, OBJ_VS, 0, vs);
    stream_shader(&s, OBJ_PLAIN, 1, plain_fs);
    stream_shader(&s, OBJ_TEXTURED, 1, textured_fs);
    PACKET(&s, 1, 5, OBJ_ELEMENTS, 0, 0, 0, 31, 16, 0, 0, 31);
    PACKET(&s, 1, 7, OBJ_SAMPLER, 0, 0, 0, float_bits(9), 0, 0, 0, 0);
    for (uint32_t t = 0; t < TEXTURES; t++) {
        create(f, RES_TEXTURES + t, BIND_SAMPLER_VIEW, TEXELS, TEXELS);
        PACKET(&s, 1, 6, OBJ_VIEWS + t, RES_TEXTURES + t, 1, 0, 0, 0 | 1 << 3 | 2 << 6 | 3 << 9);
    }
    scene_surfaces(&s, 1, 0);
    PACKET(&s, 1, 8, OBJ_OTHER, RES_OTHER, 1, 0, 0);
    PACKET(&s, 2, 5, OBJ_ELEMENTS);
    PACKET(&s, 31, 0, OBJ_VS, 0);
    PACKET(&s, 6, 0, 32, 0, RES_VERTICES);
    PACKET(&s, 18, 0, 1, 0, OBJ_SAMPLER);
    PACKET(&s, 27, 0, 1, 0, 0, 16, RES_UNIFORMS);
    scene_viewport(&s, WIDTH, HEIGHT);
    player_submit(&f->player, &s);
    for (uint32_t i = 0; i < QUADS; i++)
        put_quad(f, i);
    put_indices(f);
    put_uniforms(f);
}

/* A quad, as a strip of its own vertices or by indices, filled or not. */
static void
draw(struct fixture *f, uint32_t quad, bool lines)
{
    struct stream s = {0};
    const uint32_t texture = next(f, 2 * TEXTURES);
    const bool textured = texture < TEXTURES;
    const bool indexed = lines || next(f, 3) == 0;
    PACKET(&s, 2, 1, next(f, 2) ? OBJ_BLENDING : OBJ_BLEND);
    PACKET(&s, 2, 2, lines ? OBJ_LINES : OBJ_RASTERIZER);
    PACKET(&s, 31, 0, textured ? OBJ_TEXTURED : OBJ_PLAIN, 1);
    if (textured)
        PACKET(&s, 10, 0, 1, 0, OBJ_VIEWS + texture);
    PACKET(&s, 5, 0, 1, 0, next(f, 8) ? OBJ_COLOR : OBJ_OTHER);
    if (indexed)
        PACKET(&s, 11, 0, RES_INDICES, 2, 0);
    PACKET(&s, 8, 0, indexed ? 0 : quad * 4, indexed ? 6 : 4, indexed ? PRIM_TRIANGLES : 5, indexed,
           1, indexed ? quad * 4 : 0, 0, 0, 0, 0, ~0u, 0);
    player_submit(&f->player, &s);
}

static void
step(struct fixture *f)
{
    struct stream s = {0};
    if (next(f, 3) == 0) /* what nobody uses: the next upload has to wait for its turn */
        put(f, RES_LARGE, (struct box){0, 0, 0, LARGE_BYTES, 1, 1}, large, LARGE_BYTES);
    switch (next(f, 16)) {
    case 0:
    case 1:
    case 2: put_texels(f, RES_TEXTURES + next(f, TEXTURES), TEXELS, TEXELS); break;
    case 3:
    case 4:
    case 5: put_quad(f, next(f, QUADS)); break;
    case 6: put_indices(f); break;
    case 7: put_uniforms(f); break;
    case 8: put_texels(f, next(f, 2) ? RES_COLOR : RES_OTHER, WIDTH, HEIGHT); break;
    case 9:
        PACKET(&s, 7, 0, 4, float_bits(.25f), 0, float_bits((float)next(f, 5) / 4), 0, 0, 0, 0);
        player_submit(&f->player, &s);
        break;
    case 10: /* neighbours in a line of the Streamer's cache: one changes, the other is drawn */
        put_quad(f, 1);
        draw(f, 0, false);
        draw(f, 1, false);
        break;
    case 11: /* what the last of several draws has yet to read */
        for (uint32_t i = 0; i < 4; i++)
            draw(f, i, false);
        put_quad(f, 3);
        break;
    case 12: /* which edges are lines follows from the indices */
        put_indices(f);
        draw(f, next(f, QUADS), true);
        break;
    default: draw(f, next(f, QUADS), false); break;
    }
}

static struct fixture *
play(bool timed, const char *preset, const char *settings, uint32_t seed, uint64_t shuffle)
{
    struct fixture *f = mem_alloc(sizeof *f);
    char text[256], *rest = text;
    struct params params;
    struct error err = {""};
    f->random = seed;
    assert_true(params_load_preset(&params, preset, &err));
    snprintf(text, sizeof text, "MEMORYCONTROLLER.MemorySize=4194304 %s", settings);
    for (char *word; (word = strsep(&rest, " "));)
        if (*word && !params_set(&params, word, &err))
            fail_msg("%s", err.text);
    player_start(&f->player, &params, timed, NULL);
    if (shuffle)
        clock_shuffle(&f->player.sim.machine->clock, shuffle);
    create_all(f);
    const uint64_t before = timed ? f->player.sim.machine->clock.now : 0;
    for (uint32_t i = 0; i < STEPS; i++)
        step(f);
    player_get(&f->player, RES_COLOR, WIDTH, HEIGHT, f->color);
    f->cycles = timed ? f->player.sim.machine->clock.now - before : 0;
    player_get(&f->player, RES_OTHER, WIDTH, HEIGHT, f->other);
    if (timed && !machine_check(f->player.sim.machine, &err))
        fail_msg("%s", err.text);
    player_end(&f->player);
    return f;
}

static void
assert_same(const struct fixture *f, const struct fixture *functional, const char *settings,
            uint32_t seed)
{
    if (memcmp(f->color, functional->color, BYTES) || memcmp(f->other, functional->other, BYTES))
        fail_msg("seed %u, %s: not the functional renderer's picture", seed, settings);
}

static const char *const machines[] = {
    "COMMANDPROCESSOR.UploadsInFlight=0",
    "COMMANDPROCESSOR.UploadsInFlight=1",
    "COMMANDPROCESSOR.UploadsInFlight=64 COMMANDPROCESSOR.PipelinedBatchRendering=TRUE",
    "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE COMMANDPROCESSOR.BatchesInFlight=64",
    "COMMANDPROCESSOR.TransactionsInFlight=1 STREAMER.InputCacheLines=64",
    "MEMORYCONTROLLER.CommandProcessorBusWidth=64 COMMANDPROCESSOR.PipelinedBatchRendering=TRUE",
};

static void
any_order_is_right(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        const char *preset = seed % 2 ? "reference-2005" : "reference-2008";
        struct fixture *functional = play(false, preset, "", seed, 0);
        for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
            struct fixture *timed = play(true, preset, machines[i], seed, 0);
            struct fixture *shuffled = play(true, preset, machines[i], seed, 5);
            assert_same(timed, functional, machines[i], seed);
            assert_same(shuffled, functional, machines[i], seed);
            assert_int_equal(timed->cycles, shuffled->cycles);
            free(timed);
            free(shuffled);
        }
        free(functional);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
