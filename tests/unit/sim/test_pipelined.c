/* Overlapping batches (PipelinedBatchRendering). Many small draws create every hazard: another
 * surface, a sampled surface, blits between draws, a change of early or late z test, depth moved
 * away, programs destroyed during use, and queries. Pictures, depths and query results equal those
 * of the functional renderer in any clocking order. The frame takes fewer cycles. */
#include "rigs/player.h"
#include "rigs/scene.h"

#include <stdlib.h>

enum {
    WIDTH = 64,
    HEIGHT = 32,
    BYTES = WIDTH * HEIGHT * 4,
    DRAWS = 120,
    QUERIES = 6,
    RES_OTHER = 20,
    OBJ_OTHER = 200, /* surface of RES_OTHER */
    OBJ_VIEWS,       /* first of the views of RES_COLOR */
    OBJ_BLENDING,
    OBJ_ALWAYS,
    OBJ_ALPHA,  /* LESS with an alpha test, so the z test is late */
    OBJ_EQUALS, /* LEQUAL */
    OBJ_TEXTURED,
    OBJ_KILLS,
    OBJ_FIRST_PROGRAM = 300,
    OBJ_FIRST_QUERY = 500,
};

static const char vs[] =
    "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n"
    "  0: MOV OUT[0], IN[0]\n  1: MOV OUT[1], IN[1]\n  2: END\n";
#define FS_HEAD                                                                                    \
    "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL IN[0], GENERIC[0], PERSPECTIVE\n"            \
    "DCL OUT[0], COLOR\n"
static const char plain_fs[] = FS_HEAD "  0: MOV OUT[0], IN[0]\n  1: END\n";
static const char textured_fs[] = FS_HEAD "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n"
                                          "  0: TEX TEMP[0], IN[0], SAMP[0], 2D\n"
                                          "  1: MUL OUT[0], TEMP[0], IN[0]\n  2: END\n";
static const char kills_fs[] = FS_HEAD "DCL TEMP[0]\nIMM[0] FLT32 {0.5, 0.5, 0.5, 0.5}\n"
                                       "  0: ADD TEMP[0], IN[0].xxxx, -IMM[0]\n"
                                       "  1: KILL_IF TEMP[0]\n  2: MOV OUT[0], IN[0]\n  3: END\n";

struct fixture {
    struct player player;
    uint32_t random, batches;
    uint64_t cycles;
    uint8_t color[BYTES], other[BYTES], depth[BYTES], queries[QUERIES * 16];
};

static uint32_t
next(struct fixture *f, uint32_t limit)
{
    f->random = f->random * 1664525u + 1013904223u;
    return (f->random >> 16) % limit;
}

static void
create_all(struct fixture *f)
{
    struct stream s = {0};
    const struct resource_desc surface = {RES_COLOR,
                                          TARGET_2D,
                                          FORMAT_B8G8R8A8_UNORM,
                                          BIND_RENDER_TARGET | BIND_SAMPLER_VIEW,
                                          WIDTH,
                                          HEIGHT,
                                          1,
                                          1,
                                          0,
                                          0};
    struct resource_desc other = surface;
    other.handle = RES_OTHER;
    player_create(&f->player, surface);
    player_create(&f->player, other);
    player_create(&f->player,
                  (struct resource_desc){RES_DEPTH, TARGET_2D, FORMAT_Z24_UNORM_S8_UINT,
                                         BIND_DEPTH_STENCIL, WIDTH, HEIGHT, 1, 1, 0, 0});
    player_create(&f->player,
                  (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_VERTEX_BUFFER, DRAWS * 6 * 32, 1, 1, 1, 0, 0});
    player_create(&f->player, (struct resource_desc){RES_QUERY, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                     BIND_CUSTOM, QUERIES * 16, 1, 1, 1, 0, 0});
    scene_states(&s, 0);
    /* source alpha and one minus source alpha: the order of draws matters */
    stream_blend(&s, OBJ_BLENDING, blend_of(FACTOR_SRC_ALPHA, FACTOR_INV_SRC_ALPHA));
    stream_depth(&s, OBJ_ALWAYS, FUNC_ALWAYS);
    stream_depth(&s, OBJ_EQUALS, FUNC_LEQUAL);
    CREATE(&s, VOBJ_DSA, OBJ_ALPHA,
           DSA_DEPTH_TEST | DSA_DEPTH_WRITE | FUNC_LESS * DSA_DEPTH_FUNC | DSA_ALPHA_TEST |
               FUNC_GREATER * DSA_ALPHA_FUNC,
           0, 0, float_bits(.5f));
    stream_shader(&s, OBJ_VS, VSTAGE_VERTEX, vs);
    stream_shader(&s, OBJ_TEXTURED, VSTAGE_FRAGMENT, textured_fs);
    stream_shader(&s, OBJ_KILLS, VSTAGE_FRAGMENT, kills_fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT, 16, 0, 0,
           FORMAT_R32G32B32A32_FLOAT);
    stream_view(&s, OBJ_VIEWS, RES_COLOR, FORMAT_B8G8R8A8_UNORM, 0);
    stream_sampler(&s, OBJ_SAMPLER, FILTER_NEAREST);
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, FORMAT_Z24_UNORM_S8_UINT);
    stream_surface(&s, OBJ_OTHER, RES_OTHER, FORMAT_B8G8R8A8_UNORM);
    for (uint32_t q = 0; q < QUERIES; q++)
        CREATE(&s, VOBJ_QUERY, OBJ_FIRST_QUERY + q, QUERY_OCCLUSION_COUNTER, q * 16, RES_QUERY);
    stream_bind(&s, VOBJ_RASTERIZER, OBJ_RASTERIZER);
    stream_bind(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS);
    stream_bind_shader(&s, OBJ_VS, VSTAGE_VERTEX);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 32, 0, RES_VERTICES);
    PACKET(&s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_VIEWS);
    PACKET(&s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 0, OBJ_SAMPLER);
    scene_viewport(&s, WIDTH, HEIGHT);
    stream_clear(&s, CLEAR_ALL, NULL, 1, 0);
    player_submit(&f->player, &s);
}

static void
put_vertices(struct fixture *f)
{
    static const float corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    static float vertices[DRAWS][6][8];
    for (uint32_t i = 0; i < DRAWS; i++) {
        float x = (float)next(f, 20) / 10 - 1, y = (float)next(f, 20) / 10 - 1;
        float width = (float)(1 + next(f, 10)) / 10, height = (float)(1 + next(f, 10)) / 10;
        float z = (float)next(f, 16) / 8 - 1;
        float rgba[4];
        for (uint32_t c = 0; c < 4; c++)
            rgba[c] = (float)next(f, 9) / 8;
        for (uint32_t v = 0; v < 6; v++) {
            const float vertex[8] = {x + corners[v][0] * width,
                                     y + corners[v][1] * height,
                                     z,
                                     1,
                                     rgba[0],
                                     rgba[1],
                                     rgba[2],
                                     rgba[3]};
            memcpy(vertices[i][v], vertex, sizeof vertex);
        }
    }
    player_put(&f->player, RES_VERTICES, vertices, sizeof vertices);
}

/* Blits a part of one surface to the other one, scaled and possibly filtered. Alternatively copies
 * a region, or moves depth within its surface. */
static void
blit(struct fixture *f, struct stream *s)
{
    const uint32_t from = next(f, 2) ? RES_COLOR : RES_OTHER;
    const uint32_t to = from == RES_COLOR ? RES_OTHER : RES_COLOR;
    const uint32_t x = next(f, 40), y = next(f, 20), filter = next(f, 2) * BLIT_FILTER;
    switch (next(f, 3)) {
    case 0:
        stream_blit(s, BLIT_COLOR | filter,
                    (struct blit_side){to, 0, FORMAT_B8G8R8A8_UNORM, {x, y, 0, 24, 12, 1}},
                    (struct blit_side){from, 0, FORMAT_B8G8R8A8_UNORM, {y, 2, 0, 31, 29, 1}});
        break;
    case 1:
        PACKET(s, CMD_RESOURCE_COPY_REGION, to, 0, x, y, 0, from, 0, x / 2, y / 2, 0, 16, 8, 1);
        break;
    case 2:
        stream_blit(
            s, BLIT_DEPTH | BLIT_STENCIL,
            (struct blit_side){RES_DEPTH, 0, FORMAT_Z24_UNORM_S8_UINT, {x, y, 0, 20, 10, 1}},
            (struct blit_side){RES_DEPTH, 0, FORMAT_Z24_UNORM_S8_UINT, {7, 5, 0, 20, 10, 1}});
        break;
    }
}

/* Sets random state for draw `i`; `wild` permits hazards. The draw gets a separate plain program,
 * which is destroyed while the draw may be in flight. */
static void
draw(struct fixture *f, uint32_t i, bool wild)
{
    static const uint32_t tests[] = {OBJ_DSA, OBJ_DSA, OBJ_DSA, OBJ_EQUALS, OBJ_ALWAYS, OBJ_ALPHA};
    struct stream s = {0};
    uint32_t program = OBJ_FIRST_PROGRAM + i, kind = wild ? next(f, 8) : 0;
    bool other = wild && next(f, 6) == 0;
    stream_shader(&s, program, VSTAGE_FRAGMENT, plain_fs);
    stream_bind_shader(&s,
                       kind == 1   ? OBJ_TEXTURED
                       : kind == 2 ? OBJ_KILLS
                                   : program,
                       VSTAGE_FRAGMENT);
    stream_bind(&s, VOBJ_BLEND, next(f, 2) ? OBJ_BLENDING : OBJ_BLEND);
    stream_bind(&s, VOBJ_DSA, tests[wild ? next(f, 6) : 0]);
    if (wild) /* a textured draw writes to the other surface */
        PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 1, OBJ_DEPTH,
               other || kind == 1 ? OBJ_OTHER : OBJ_COLOR);
    stream_draw(&s, PRIM_TRIANGLES, i * 6, 6);
    if (wild && next(f, 8) == 0)
        blit(f, &s);
    stream_destroy(&s, VOBJ_SHADER, program);
    player_submit(&f->player, &s);
}

static void
on_row(void *data, uint32_t frame, const struct work *row)
{
    struct fixture *f = data;
    (void)frame;
    if (row->kind != WORK_DRAW)
        return;
    assert_int_equal(row->baked->number, f->batches); /* draws end in order */
    f->batches++;
}

enum mode { FUNCTIONAL, DRAINED, PIPELINED };

static struct fixture *
draw_all(enum mode mode, const char *preset, bool wild, uint32_t seed, uint64_t shuffle)
{
    struct fixture *f = mem_alloc(sizeof *f);
    struct simulation_listener listener = {.data = f, .work = on_row};
    struct params params;
    struct error err = {""};
    struct stream ask = {0};
    f->random = seed;
    assert_true(params_load_preset(&params, preset, &err));
    params.MEMORYCONTROLLER.MemorySize = 4 << 20;
    params.ZSTENCILTEST.ZCacheLines = 1; /* lines are evicted soon and update Hierarchical Z */
    params.COMMANDPROCESSOR.PipelinedBatchRendering = mode == PIPELINED;
    player_start(&f->player, &params, mode != FUNCTIONAL, &listener);
    if (shuffle)
        clock_shuffle(&f->player.sim.machine->clock, shuffle);
    create_all(f);
    put_vertices(f);
    uint64_t before = mode == FUNCTIONAL ? 0 : f->player.sim.machine->clock.now;
    for (uint32_t i = 0; i < DRAWS; i++) {
        const uint32_t query = i * QUERIES / DRAWS;
        struct stream s = {0};
        if (i % (DRAWS / QUERIES) == 0) {
            if (i)
                PACKET(&s, CMD_END_QUERY, OBJ_FIRST_QUERY + query - 1);
            PACKET(&s, CMD_BEGIN_QUERY, OBJ_FIRST_QUERY + query);
            player_submit(&f->player, &s);
        }
        draw(f, i, wild);
    }
    PACKET(&ask, CMD_END_QUERY, OBJ_FIRST_QUERY + QUERIES - 1);
    for (uint32_t q = 0; q < QUERIES; q++)
        PACKET(&ask, CMD_GET_QUERY_RESULT, OBJ_FIRST_QUERY + q, 0);
    player_submit(&f->player, &ask);
    f->cycles = mode == FUNCTIONAL ? 0 : f->player.sim.machine->clock.now - before;
    if (mode != FUNCTIONAL)
        assert_int_equal(f->batches, DRAWS);
    player_get(&f->player, RES_COLOR, WIDTH, HEIGHT, f->color);
    player_get(&f->player, RES_OTHER, WIDTH, HEIGHT, f->other);
    player_get(&f->player, RES_DEPTH, WIDTH, HEIGHT, f->depth);
    memcpy(f->queries,
           f->player.sim.device.memory.bytes +
               gpu_resource(&f->player.sim.device, 1, RES_QUERY)->address,
           sizeof f->queries);
    if (mode != FUNCTIONAL && !machine_check(f->player.sim.machine, &err))
        fail_msg("%s", err.text);
    player_end(&f->player);
    return f;
}

static void
assert_same(const struct fixture *a, const struct fixture *b)
{
    assert_memory_equal(a->queries, b->queries, sizeof a->queries);
    assert_memory_equal(a->depth, b->depth, BYTES);
    assert_memory_equal(a->color, b->color, BYTES);
    assert_memory_equal(a->other, b->other, BYTES);
}

static void
run(const char *preset, bool wild, uint32_t seed)
{
    struct fixture *functional = draw_all(FUNCTIONAL, preset, wild, seed, 0);
    struct fixture *drained = draw_all(DRAINED, preset, wild, seed, 0);
    struct fixture *pipelined = draw_all(PIPELINED, preset, wild, seed, 0);
    struct fixture *shuffled = draw_all(PIPELINED, preset, wild, seed, 7);
    assert_same(drained, functional);
    assert_same(pipelined, functional);
    assert_same(shuffled, functional);
    assert_true(pipelined->cycles < drained->cycles);
    assert_int_equal(shuffled->cycles, pipelined->cycles);
    if (!wild) /* other draws hide the latency of a draw */
        assert_true(2 * pipelined->cycles < drained->cycles);
    free(functional);
    free(drained);
    free(pipelined);
    free(shuffled);
}

static void
without_hazards(void **state)
{
    (void)state;
    run("reference-2005", false, 1);
    run("reference-2008", false, 2);
}

static void
with_hazards(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        run("reference-2005", true, seed);
        run("reference-2008", true, seed);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_hazards),
        cmocka_unit_test(with_hazards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
