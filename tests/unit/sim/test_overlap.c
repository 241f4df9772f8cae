/* Uploads that overlap draws and clears (COMMANDPROCESSOR.UploadsInFlight). Pictures equal those of
 * the functional renderer, whatever is uploaded and whichever draws use it. An upload to an unused
 * resource takes the time of the upload or of the overlapping draws, whichever is longer. */
#include "rigs/player.h"
#include "rigs/scene.h"

#include <stdlib.h>

enum {
    WIDTH = 64,
    HEIGHT = 32,
    BYTES = WIDTH * HEIGHT * 4,
    STEPS = 150,
    TEXTURES = 3,
    TEXELS = 32, /* texels per side */
    QUADS = 7,   /* contiguous in the vertex buffer, so that cache lines contain several quads */
    QUAD_BYTES = 4 * 8 * 4,
    LARGE_BYTES = 8192,
    LONG = 240,         /* vertices of a long draw */
    LONG_INDICES = 900, /* indices of a long draw, 2 bytes each */
    RES_OTHER = 20,
    RES_UNIFORMS,
    RES_LARGE,
    RES_LONG,         /* vertices of a draw with a long fetch */
    RES_LONG_INDICES, /* indices of such a draw */
    RES_TEXELS,       /* of a buffer texture */
    RES_TEXTURES,     /* first of several handles */
    OBJ_OTHER = 200,
    OBJ_BLENDING,
    OBJ_LINES,
    OBJ_PLAIN,
    OBJ_TEXTURED,
    OBJ_LARGE,
    OBJ_FETCHING,
    OBJ_TEXELS,
    OBJ_VIEWS, /* first of several handles */
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

static const char fetching_fs[] = FS_HEAD "DCL IN[1], POSITION, LINEAR\nDCL SAMP[0]\n"
                                          "DCL SVIEW[0], BUFFER, FLOAT\nDCL TEMP[0]\n"
                                          "  0: F2I TEMP[0].x, IN[1].xxxx\n"
                                          "  1: TXF TEMP[0], TEMP[0].xxxx, SAMP[0], BUFFER\n"
                                          "  2: MUL OUT[0], TEMP[0], IN[0]\n  3: END\n";

static const uint8_t large[LARGE_BYTES];

struct fixture {
    struct player player;
    uint32_t random;
    uint64_t cycles, seen; /* hash of the pictures read during the test */
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

/* Uploads a whole texture or surface, or a corner of it. */
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

/* Uploads a quad with random position and colors. */
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

/* Uploads the indices of two triangles: either a split quad, whose diagonal is not drawn as an
 * edge, or two other triangles. */
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

/* Uploads some texels of the buffer texture. */
static void
put_buffer_texels(struct fixture *f)
{
    uint32_t texels[WIDTH];
    const uint32_t first = next(f, WIDTH), count = 1 + next(f, WIDTH - first);
    for (uint32_t i = 0; i < count; i++)
        texels[i] = 0xff000000u | next(f, 256) << 16 | next(f, 256) << 8 | next(f, 256);
    put(f, RES_TEXELS, (struct box){(int32_t)first * 4, 0, 0, (int32_t)count * 4, 1, 1}, texels,
        count * 4);
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
    create(f, RES_LONG, BIND_VERTEX_BUFFER, LONG * 32, 0);
    create(f, RES_LONG_INDICES, BIND_INDEX_BUFFER, LONG_INDICES * 2, 0);
    /* the index buffer is large, so that the uniforms are in other cache lines */
    create(f, RES_INDICES, BIND_INDEX_BUFFER, 1024, 0);
    create(f, RES_TEXELS, BIND_SAMPLER_VIEW, WIDTH * 4, 0);
    create(f, RES_UNIFORMS, BIND_CONSTANT_BUFFER, 64, 0);
    scene_states(&s, 0);
    CREATE(&s, VOBJ_RASTERIZER, OBJ_LINES,
           RASTERIZER_DEPTH_CLIP | FILL_LINE * RASTERIZER_FILL_FRONT |
               FILL_LINE * RASTERIZER_FILL_BACK | RASTERIZER_HALF_PIXEL_CENTER,
           float_bits(1), 0, 0, float_bits(1), 0, 0, 0);
    /* source alpha and one minus source alpha: the order of draws matters */
    stream_blend(&s, OBJ_BLENDING, blend_of(FACTOR_SRC_ALPHA, FACTOR_INV_SRC_ALPHA));
    stream_shader(&s, OBJ_VS, VSTAGE_VERTEX, vs);
    stream_shader(&s, OBJ_PLAIN, VSTAGE_FRAGMENT, plain_fs);
    stream_shader(&s, OBJ_TEXTURED, VSTAGE_FRAGMENT, textured_fs);
    stream_shader(&s, OBJ_FETCHING, VSTAGE_FRAGMENT, fetching_fs);
    CREATE(&s, VOBJ_SAMPLER_VIEW, OBJ_TEXELS, RES_TEXELS, FORMAT_R8G8B8A8_UNORM, 0, WIDTH - 1,
           0 | 1 << 3 | 2 << 6 | 3 << 9);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT, 16, 0, 0,
           FORMAT_R32G32B32A32_FLOAT);
    stream_sampler(&s, OBJ_SAMPLER, FILTER_NEAREST);
    for (uint32_t t = 0; t < TEXTURES; t++) {
        create(f, RES_TEXTURES + t, BIND_SAMPLER_VIEW, TEXELS, TEXELS);
        stream_view(&s, OBJ_VIEWS + t, RES_TEXTURES + t, FORMAT_B8G8R8A8_UNORM, 0);
    }
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, 0);
    stream_surface(&s, OBJ_OTHER, RES_OTHER, FORMAT_B8G8R8A8_UNORM);
    stream_bind(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS);
    stream_bind_shader(&s, OBJ_VS, VSTAGE_VERTEX);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 32, 0, RES_VERTICES);
    PACKET(&s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 0, OBJ_SAMPLER);
    PACKET(&s, CMD_SET_UNIFORM_BUFFER, VSTAGE_FRAGMENT, 0, 0, 16, RES_UNIFORMS);
    scene_viewport(&s, WIDTH, HEIGHT);
    player_submit(&f->player, &s);
    for (uint32_t i = 0; i < QUADS; i++)
        put_quad(f, i);
    put_indices(f);
    put_uniforms(f);
}

/* Draws a quad, as a strip of vertices or with indices, filled or as lines. */
static void
draw(struct fixture *f, uint32_t quad, bool lines)
{
    struct stream s = {0};
    const uint32_t texture = next(f, 2 * TEXTURES);
    const bool textured = texture < TEXTURES;
    const bool indexed = lines || next(f, 3) == 0;
    stream_bind(&s, VOBJ_BLEND, next(f, 2) ? OBJ_BLENDING : OBJ_BLEND);
    stream_bind(&s, VOBJ_RASTERIZER, lines ? OBJ_LINES : OBJ_RASTERIZER);
    stream_bind_shader(&s, textured ? OBJ_TEXTURED : OBJ_PLAIN, VSTAGE_FRAGMENT);
    if (textured)
        PACKET(&s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_VIEWS + texture);
    PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 1, 0, next(f, 8) ? OBJ_COLOR : OBJ_OTHER);
    if (indexed)
        PACKET(&s, CMD_SET_INDEX_BUFFER, RES_INDICES, 2, 0);
    PACKET(&s, CMD_DRAW_VBO, indexed ? 0 : quad * 4, indexed ? 6 : 4,
           indexed ? PRIM_TRIANGLES : PRIM_TRIANGLE_STRIP, indexed, 1, indexed ? quad * 4 : 0, 0, 0,
           0, 0, ~0u, 0);
    player_submit(&f->player, &s);
}

/* Draws a quad with the colors of the buffer texture, then changes some of its texels. */
static void
draw_texels(struct fixture *f)
{
    struct stream s = {0};
    stream_bind(&s, VOBJ_BLEND, OBJ_BLEND);
    stream_bind(&s, VOBJ_RASTERIZER, OBJ_RASTERIZER);
    stream_bind_shader(&s, OBJ_FETCHING, VSTAGE_FRAGMENT);
    PACKET(&s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_TEXELS);
    stream_draw(&s, PRIM_TRIANGLE_STRIP, next(f, QUADS) * 4, 4);
    player_submit(&f->player, &s);
    if (next(f, 2))
        put_buffer_texels(f);
}

/* Draws triangles with many vertices or many indices. Then uploads new data over the last ones. */
static void
draw_long(struct fixture *f, bool indexed)
{
    static float vertices[LONG][8];
    static uint16_t indices[LONG_INDICES];
    struct stream s = {0};
    for (uint32_t i = 0; i < LONG; i++)
        for (uint32_t c = 0; c < 8; c++)
            vertices[i][c] = c == 3 ? 1 : c == 2 ? 0 : (float)next(f, 21) / 10 - 1;
    for (uint32_t i = 0; i < LONG_INDICES; i++)
        indices[i] = (uint16_t)next(f, LONG);
    put(f, RES_LONG, (struct box){0, 0, 0, sizeof vertices, 1, 1}, vertices, sizeof vertices);
    put(f, RES_LONG_INDICES, (struct box){0, 0, 0, sizeof indices, 1, 1}, indices, sizeof indices);
    stream_bind(&s, VOBJ_BLEND, OBJ_BLEND);
    stream_bind(&s, VOBJ_RASTERIZER, OBJ_RASTERIZER);
    stream_bind_shader(&s, OBJ_PLAIN, VSTAGE_FRAGMENT);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 32, 0, RES_LONG);
    PACKET(&s, CMD_SET_INDEX_BUFFER, RES_LONG_INDICES, 2, 0);
    PACKET(&s, CMD_DRAW_VBO, 0, indexed ? LONG_INDICES : LONG, PRIM_TRIANGLES, indexed, 1, 0, 0, 0,
           0, 0, ~0u, 0);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 32, 0, RES_VERTICES);
    player_submit(&f->player, &s);
    if (indexed)
        put(f, RES_LONG_INDICES, (struct box){sizeof indices - 128, 0, 0, 128, 1, 1}, indices, 128);
    else
        put(f, RES_LONG, (struct box){sizeof vertices - 512, 0, 0, 512, 1, 1}, vertices, 512);
}

/* Reads the pictures and adds them to the hash. */
static void
look(struct fixture *f)
{
    player_get(&f->player, RES_COLOR, WIDTH, HEIGHT, f->color);
    player_get(&f->player, RES_OTHER, WIDTH, HEIGHT, f->other);
    for (uint32_t i = 0; i < BYTES; i++)
        f->seen = (f->seen ^ f->color[i] ^ (uint64_t)f->other[i] << 8) * 0x100000001b3u;
}

static void
step(struct fixture *f)
{
    struct stream s = {0};
    if (next(f, 3) == 0) /* the resource is unused, and the next upload waits for this one */
        put(f, RES_LARGE, (struct box){0, 0, 0, LARGE_BYTES, 1, 1}, large, LARGE_BYTES);
    switch (next(f, 18)) {
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
        stream_clear(&s, MASK_COLOR0, (float[]){.25f, 0, (float)next(f, 5) / 4, 0}, 0, 0);
        player_submit(&f->player, &s);
        break;
    case 10: /* neighbors in a line of the Streamer's cache: one changes, the other is drawn */
        put_quad(f, 1);
        draw(f, 0, false);
        draw(f, 1, false);
        break;
    case 11: draw_long(f, next(f, 2)); break;
    case 12: /* the indices determine which edges are drawn as lines */
        put_indices(f);
        draw(f, next(f, QUADS), true);
        look(f); /* other draws soon cover the thin lines */
        break;
    case 13: draw_texels(f); break;
    case 14: put_buffer_texels(f); break;
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
    create(f, RES_LARGE, BIND_VERTEX_BUFFER, LARGE_BYTES, 0);
    create_all(f);
    const uint64_t before = timed ? f->player.sim.machine->clock.now : 0;
    for (uint32_t i = 0; i < STEPS; i++)
        step(f);
    look(f);
    f->cycles = timed ? f->player.sim.machine->clock.now - before : 0;
    if (timed && !machine_check(f->player.sim.machine, &err))
        fail_msg("%s", err.text);
    player_end(&f->player);
    return f;
}

static void
assert_same(const struct fixture *f, const struct fixture *functional, const char *settings,
            uint32_t seed)
{
    if (f->seen != functional->seen)
        fail_msg("seed %u, %s: not the functional renderer's picture", seed, settings);
}

static const char *const machines[] = {
    "COMMANDPROCESSOR.UploadsInFlight=0",
    "COMMANDPROCESSOR.UploadsInFlight=1",
    "COMMANDPROCESSOR.UploadsInFlight=2",
    "COMMANDPROCESSOR.UploadsInFlight=64 COMMANDPROCESSOR.PipelinedBatchRendering=TRUE",
    "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE COMMANDPROCESSOR.BatchesInFlight=64",
    "COMMANDPROCESSOR.TransactionsInFlight=1 STREAMER.InputCacheLines=64",
    "MEMORYCONTROLLER.CommandProcessorBusWidth=64 COMMANDPROCESSOR.PipelinedBatchRendering=TRUE",
};

static void
any_order_is_right(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
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

/* A megabyte is uploaded while draws run. The bus takes 8 cycles per 64 bytes. So the upload takes
 * 131,072 cycles plus the memory latency of the last reply. */

enum {
    MEGABYTE = 1 << 20,
    BUS_CYCLES = MEGABYTE / 8,
    LATENCY = 100,
    PARTS = 128,
    DRAWS_A_PART = 5
};

enum scene_upload { NO_UPLOAD, AT_ONCE, IN_PARTS };

struct scene {
    enum scene_upload upload;
    bool draws;       /* the scene has draws, which sample texture A */
    bool draws_use_b; /* the draws also sample texture B, the destination of the upload */
    const char *settings;
};

static void
put_rows(struct fixture *f, uint32_t first, uint32_t rows)
{
    static const uint8_t texels[MEGABYTE];
    put(f, RES_LARGE, (struct box){0, (int32_t)first, 0, 512, (int32_t)rows, 1}, texels,
        rows * 512 * 4);
}

static uint64_t
scene_cycles(const struct scene *scene)
{
    struct fixture *f = mem_alloc(sizeof *f);
    struct stream s = {0};
    struct params params;
    struct error err = {""};
    assert_true(params_load_preset(&params, "reference-2005", &err));
    params.MEMORYCONTROLLER.MemorySize = 4 << 20;
    assert_true(!*scene->settings || params_set(&params, scene->settings, &err));
    player_start(&f->player, &params, true, NULL);
    create(f, RES_LARGE, BIND_SAMPLER_VIEW, 512, 512);
    create_all(f);
    stream_view(&s, OBJ_LARGE, RES_LARGE, FORMAT_B8G8R8A8_UNORM, 0);
    stream_bind(&s, VOBJ_BLEND, OBJ_BLEND);
    stream_bind(&s, VOBJ_RASTERIZER, OBJ_RASTERIZER);
    stream_bind_shader(&s, OBJ_TEXTURED, VSTAGE_FRAGMENT);
    PACKET(&s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0,
           scene->draws_use_b ? OBJ_LARGE : OBJ_VIEWS);
    player_submit(&f->player, &s);
    assert_true(machine_drain(f->player.sim.machine, &err));
    const uint64_t before = f->player.sim.machine->clock.now;
    if (scene->upload == AT_ONCE)
        put_rows(f, 0, 512);
    for (uint32_t i = 0; i < PARTS; i++) {
        if (scene->upload == IN_PARTS) /* a row of 4x4 texel blocks of 64 bytes */
            put_rows(f, 4 * i, 4);
        for (uint32_t k = 0; k < DRAWS_A_PART && scene->draws; k++)
            stream_draw(&s, PRIM_TRIANGLE_STRIP, 0, 4);
        player_submit(&f->player, &s);
    }
    assert_true(machine_drain(f->player.sim.machine, &err));
    const uint64_t cycles = f->player.sim.machine->clock.now - before;
    player_end(&f->player);
    free(f);
    return cycles;
}

static void
assert_between(uint64_t value, double low, double high)
{
    if ((double)value < low || (double)value > high)
        fail_msg("%llu cycles, not %.0f to %.0f", (unsigned long long)value, low, high);
}

static void
an_upload_is_hidden_behind_draws(void **state)
{
    static const char alone[] = "COMMANDPROCESSOR.UploadsInFlight=0";
    (void)state;
    const uint64_t upload = scene_cycles(&(struct scene){AT_ONCE, false, false, ""});
    const uint64_t parts = scene_cycles(&(struct scene){IN_PARTS, false, false, ""});
    const uint64_t draws = scene_cycles(&(struct scene){NO_UPLOAD, true, false, ""});
    const double longer = draws > BUS_CYCLES ? (double)draws : BUS_CYCLES;
    assert_between(upload, BUS_CYCLES, BUS_CYCLES + LATENCY);
    /* the bus is never idle between two parts */
    assert_between(parts, BUS_CYCLES, BUS_CYCLES + LATENCY);
    assert_between(scene_cycles(&(struct scene){AT_ONCE, true, false, ""}), longer, 1.1 * longer);
    assert_between(scene_cycles(&(struct scene){IN_PARTS, true, false, ""}), longer, 1.1 * longer);
    /* no overlap: either the parameter disables it, or the draws use the destination */
    const double both = (double)(draws + BUS_CYCLES);
    assert_between(scene_cycles(&(struct scene){AT_ONCE, true, false, alone}), both, 1.1 * both);
    assert_between(scene_cycles(&(struct scene){IN_PARTS, true, false, alone}), both, 1.2 * both);
    const uint64_t of_b = scene_cycles(&(struct scene){NO_UPLOAD, true, true, ""});
    assert_between(scene_cycles(&(struct scene){AT_ONCE, true, true, ""}),
                   .99 * (double)of_b + BUS_CYCLES, 1.01 * (double)of_b + BUS_CYCLES + LATENCY);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_is_right),
        cmocka_unit_test(an_upload_is_hidden_behind_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
