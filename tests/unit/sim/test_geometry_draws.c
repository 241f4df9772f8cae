/* Draws with a geometry program, with and without timing. Expected pixels and counts follow from
 * the programs. */
#include "rigs/player.h"
#include "rigs/scene.h"
#include "rigs/settings.h"

#include <string.h>

enum { SIZE = 16, OBJ_GS = 140, RES_BLOCK = 30 };

/* Programs whose outputs are OUT[0], POSITION and OUT[1] to OUT[last]. Output OUT[last] has the
 * number `generic`, which is last - 1. */
struct programs {
    const char *vs, *gs, *fs;
};

/* The vertex program passes (0.2, 0.4, 0, 1). */
#define FACTOR_VS(last)                                                                            \
    "VERT\n"                                                                                       \
    "DCL IN[0]\n"                                                                                  \
    "DCL OUT[0], POSITION\n"                                                                       \
    "DCL OUT[1.." last "], GENERIC[0]\n"                                                           \
    "IMM[0] FLT32 {0.2, 0.4, 0.0, 1.0}\n"                                                          \
    "  0: MOV OUT[0], IN[0]\n"                                                                     \
    "  1: MOV OUT[" last "], IMM[0]\n"                                                             \
    "  2: END\n"
#define PLAIN_VS "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n"
#define TINT_FS(generic)                                                                           \
    "FRAG\n"                                                                                       \
    "DCL IN[0], GENERIC[" generic "], CONSTANT\n"                                                  \
    "DCL OUT[0], COLOR\n"                                                                          \
    "  0: MOV OUT[0], IN[0]\n"                                                                     \
    "  1: END\n"
#define EMIT_CORNER(swizzle, last)                                                                 \
    "ADD OUT[0], TEMP[1], IMM[0]." swizzle "\n"                                                    \
    "MOV OUT[" last "], TEMP[0]\n"                                                                 \
    "EMIT IMM[1].xxxx\n"

/* Each point at a corner becomes the square of its quarter: half the position, plus or minus 0.5.
 * Red is the number of the primitive / 5, green is 0.4. */
#define QUARTERS_GS(last, constants, color)                                                        \
    "GEOM\n"                                                                                       \
    "PROPERTY GS_INPUT_PRIMITIVE POINTS\n"                                                         \
    "PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"                                                \
    "PROPERTY GS_MAX_OUTPUT_VERTICES 4\n"                                                          \
    "PROPERTY GS_INVOCATIONS 1\n"                                                                  \
    "DCL IN[][0], POSITION\n"                                                                      \
    "DCL IN[][1], PRIM_ID\n"                                                                       \
    "DCL IN[][2.." last "], GENERIC[1]\n"                                                          \
    "DCL OUT[0], POSITION\n"                                                                       \
    "DCL OUT[1.." last "], GENERIC[0]\n" constants "DCL TEMP[0..1]\n"                              \
    "IMM[0] FLT32 {0.5, -0.5, 0.0, 1.0}\n"                                                         \
    "IMM[1] UINT32 {0, 0, 0, 0}\n" color                                                           \
    "MUL TEMP[1], IN[0][0], IMM[0].xxzw\n" EMIT_CORNER("yyzz", last) EMIT_CORNER("xyzz", last)     \
        EMIT_CORNER("yxzz", last) EMIT_CORNER("xxzz", last) "END\n"

/* Sets TEMP[0] to the color of the primitive. */
#define FROM_INPUT(last)                                                                           \
    "U2F TEMP[0].x, IN[1].xxxx\n"                                                                  \
    "MOV TEMP[0].yzw, IMM[0].wwww\n"                                                               \
    "MUL TEMP[0], TEMP[0], IN[0][" last "]\n"
#define BLOCK_CONSTANTS                                                                            \
    "DCL CONST[1][0..3]\n"                                                                         \
    "DCL ADDR[0]\n"
#define FROM_BLOCK                                                                                 \
    "UARL ADDR[0].x, IN[1].xxxx\n"                                                                 \
    "MOV TEMP[0], CONST[1][ADDR[0].x]\n"

/* With few outputs, with as many as a program may have (MAX_VARYINGS), and with colors from a
 * uniform block. */
static const struct programs variants[] = {
    {FACTOR_VS("2"), QUARTERS_GS("2", "", FROM_INPUT("2")), TINT_FS("1")},
    {FACTOR_VS("39"), QUARTERS_GS("39", "", FROM_INPUT("39")), TINT_FS("38")},
    {FACTOR_VS("2"), QUARTERS_GS("2", BLOCK_CONSTANTS, FROM_BLOCK), TINT_FS("1")},
};

static void
draw(struct player *player, const struct programs *programs, uint32_t pixels[SIZE * SIZE])
{
    static const float corners[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    static const float block[4][4] = {
        {0, 0.4f, 0, 1}, {0.2f, 0.4f, 0, 1}, {0.4f, 0.4f, 0, 1}, {0.6f, 0.4f, 0, 1}};
    struct stream s = {0};
    player_create(player,
                  (struct resource_desc){RES_BLOCK, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_CONSTANT_BUFFER, sizeof block, 1, 1, 1, 0, 0});
    player_put(player, RES_BLOCK, block, sizeof block);
    player_scene(player, &s, programs->vs, programs->fs, corners, sizeof corners, SIZE);
    stream_shader(&s, OBJ_GS, VSTAGE_GEOMETRY, programs->gs);
    stream_bind_shader(&s, OBJ_GS, VSTAGE_GEOMETRY);
    PACKET(&s, CMD_SET_UNIFORM_BUFFER, VSTAGE_GEOMETRY, 1, 0, sizeof block, RES_BLOCK);
    stream_clear(&s, MASK_COLOR0, NULL, 0, 0);
    /* primitive numbers start again in each instance, so the second instance changes nothing */
    PACKET(&s, CMD_DRAW_VBO, 0, 4, PRIM_POINTS, 0, 2, 0, 0, 0, 0, 0, ~0u, 0);
    player_submit(player, &s);
    player_get(player, RES_COLOR, SIZE, SIZE, pixels);
}

static void
check_variant(const struct programs *programs, bool timed, const char *preset, const char *settings)
{
    struct params params;
    struct error err = {""};
    struct player player = {0};
    uint32_t pixels[SIZE * SIZE];
    assert_true(params_load_preset(&params, preset, &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 21;
    settings_apply(&params, NULL, settings);
    player_start(&player, &params, timed, NULL);
    draw(&player, programs, pixels);
    for (uint32_t p = 0; p < SIZE * SIZE; p++) {
        const uint32_t x = p % SIZE, y = p / SIZE;
        /* the viewport keeps the orientation: y = -1 is row 0 */
        const uint32_t id = x / (SIZE / 2) + 2 * (y / (SIZE / 2));
        const uint32_t expected = 0xff006600 | (id * 51) << 16;
        if (pixels[p] != expected)
            fail_msg("%s %s: pixel %u,%u is %08x, not %08x", preset, settings, x, y, pixels[p],
                     expected);
    }
    player_end(&player);
}

static void
check(bool timed, const char *preset, const char *settings)
{
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++)
        check_variant(&variants[v], timed, preset, settings);
}

/* A program that emits three of its inputs as a triangle. */
#define INPUTS_GS(primitive, a, b, c)                                                              \
    "GEOM\n"                                                                                       \
    "PROPERTY GS_INPUT_PRIMITIVE " primitive "\n"                                                  \
    "PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"                                                \
    "PROPERTY GS_MAX_OUTPUT_VERTICES 3\n"                                                          \
    "PROPERTY GS_INVOCATIONS 1\n"                                                                  \
    "DCL IN[][0], POSITION\n"                                                                      \
    "DCL OUT[0], POSITION\n"                                                                       \
    "IMM[0] UINT32 {0, 0, 0, 0}\n"                                                                 \
    "MOV OUT[0], IN[" a "][0]\nEMIT IMM[0].xxxx\nMOV OUT[0], IN[" b                                \
    "][0]\nEMIT IMM[0].xxxx\nMOV OUT[0], IN[" c "][0]\nEMIT IMM[0].xxxx\nEND\n"
/* Corners of a triangle that covers the view, and a vertex that is not emitted. */
#define LEFT                                                                                       \
    {                                                                                              \
        -1, -1, 0, 1                                                                               \
    }
#define RIGHT                                                                                      \
    {                                                                                              \
        3, -1, 0, 1                                                                                \
    }
#define TOP                                                                                        \
    {                                                                                              \
        -1, 3, 0, 1                                                                                \
    }
#define OTHER                                                                                      \
    {                                                                                              \
        0, 0, 0, 1                                                                                 \
    }

static const struct adjacency {
    enum primitive mode;
    const char *gs;
    uint32_t count;
    float vertices[6][4];
} inputs_of_modes[] = {
    {PRIM_LINES_ADJACENCY,
     INPUTS_GS("LINES_ADJACENCY", "0", "1", "3"),
     4,
     {LEFT, RIGHT, OTHER, TOP}},
    {PRIM_LINES_ADJACENCY,
     INPUTS_GS("LINES_ADJACENCY", "0", "2", "3"),
     4,
     {LEFT, OTHER, RIGHT, TOP}},
    {PRIM_TRIANGLES_ADJACENCY,
     INPUTS_GS("TRIANGLES_ADJACENCY", "1", "3", "5"),
     6,
     {OTHER, LEFT, OTHER, RIGHT, OTHER, TOP}},
    {PRIM_TRIANGLES_ADJACENCY,
     INPUTS_GS("TRIANGLES_ADJACENCY", "0", "2", "4"),
     6,
     {LEFT, OTHER, RIGHT, OTHER, TOP, OTHER}},
    /* the modes whose primitives a program with this input accepts */
    {PRIM_LINE_STRIP_ADJACENCY,
     INPUTS_GS("LINES_ADJACENCY", "0", "1", "3"),
     4,
     {LEFT, RIGHT, OTHER, TOP}},
    {PRIM_TRIANGLE_STRIP_ADJACENCY,
     INPUTS_GS("TRIANGLES_ADJACENCY", "0", "2", "4"),
     6,
     {LEFT, OTHER, RIGHT, OTHER, TOP, OTHER}},
    {PRIM_TRIANGLES, INPUTS_GS("TRIANGLES", "0", "1", "2"), 3, {LEFT, RIGHT, TOP}},
    {PRIM_TRIANGLE_STRIP, INPUTS_GS("TRIANGLES", "0", "1", "2"), 3, {LEFT, RIGHT, TOP}},
    {PRIM_TRIANGLE_FAN, INPUTS_GS("TRIANGLES", "0", "1", "2"), 3, {LEFT, RIGHT, TOP}},
};

static void
draw_adjacency(struct player *player, const struct adjacency *a, uint32_t pixels[SIZE * SIZE])
{
    static const char fs[] = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\n"
                             "  0: MOV OUT[0], IMM[0]\n  1: END\n";
    struct stream s = {0};
    player_scene(player, &s, PLAIN_VS, fs, a->vertices, sizeof a->vertices, SIZE);
    stream_shader(&s, OBJ_GS, VSTAGE_GEOMETRY, a->gs);
    stream_bind_shader(&s, OBJ_GS, VSTAGE_GEOMETRY);
    stream_clear(&s, MASK_COLOR0, NULL, 0, 0);
    stream_draw(&s, a->mode, 0, a->count);
    player_submit(player, &s);
    player_get(player, RES_COLOR, SIZE, SIZE, pixels);
}

/* The inputs of a program are the vertices in the order of the draw. */
static void
adjacent_vertices(void **state)
{
    struct params params;
    struct error err = {""};
    (void)state;
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    for (size_t i = 0; i < 2 * sizeof inputs_of_modes / sizeof inputs_of_modes[0]; i++) {
        struct player player = {0};
        uint32_t pixels[SIZE * SIZE];
        player_start(&player, &params, i % 2 == 1, NULL);
        draw_adjacency(&player, &inputs_of_modes[i / 2], pixels);
        for (uint32_t p = 0; p < SIZE * SIZE; p++)
            if (pixels[p] != 0xffffffff)
                fail_msg("case %zu: pixel %u is %08x", i, p, pixels[p]);
        player_end(&player);
    }
}

/* A program takes only draws with primitives of its kind (OpenGL 3.2, 2.12.1). */
static void
modes_have_a_kind(void **state)
{
    static const struct {
        const char *input;
        enum primitive modes[3];
        uint32_t count;
    } kinds[] = {
        {"POINTS", {PRIM_POINTS}, 1},
        {"LINES", {PRIM_LINES, PRIM_LINE_LOOP, PRIM_LINE_STRIP}, 3},
        {"LINES_ADJACENCY", {PRIM_LINES_ADJACENCY, PRIM_LINE_STRIP_ADJACENCY}, 2},
        {"TRIANGLES", {PRIM_TRIANGLES, PRIM_TRIANGLE_STRIP, PRIM_TRIANGLE_FAN}, 3},
        {"TRIANGLES_ADJACENCY", {PRIM_TRIANGLES_ADJACENCY, PRIM_TRIANGLE_STRIP_ADJACENCY}, 2},
    };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    static const float corners[6][4] = {LEFT, RIGHT, TOP, LEFT, RIGHT, TOP};
    struct params params;
    struct error err = {""};
    (void)state;
    assert_true(params_load_preset(&params, "reference-2008", &err));
    for (uint32_t k = 0; k < KINDS; k++) {
        char gs[512];
        struct player player = {0};
        struct stream s = {0};
        snprintf(gs, sizeof gs, INPUTS_GS("%s", "0", "0", "0"), kinds[k].input);
        player_start(&player, &params, false, NULL);
        player_scene(&player, &s, PLAIN_VS, TINT_FS("0"), corners, sizeof corners, SIZE);
        stream_shader(&s, OBJ_GS, VSTAGE_GEOMETRY, gs);
        stream_bind_shader(&s, OBJ_GS, VSTAGE_GEOMETRY);
        player_submit(&player, &s);
        for (uint32_t m = 0; m < 3 * KINDS; m++) {
            if (m % 3 >= kinds[m / 3].count)
                continue;
            stream_draw(&s, kinds[m / 3].modes[m % 3], 0, 6);
            const struct message message = stream_message(&s, 1);
            const bool taken =
                player.sink.sink.take(player.sink.sink.data, &message, NULL, 0, &err);
            s.count = 0;
            if (taken != (m / 3 == k))
                fail_msg("%s, mode %u: %d", kinds[k].input, kinds[m / 3].modes[m % 3], taken);
        }
        player_end(&player);
    }
}

/* A fragment program reads the number of the primitive, which no earlier program writes: red is the
 * number / 5, and the other components are 0. */
static void
numbers_reach_fragments(void **state)
{
    static const char fs[] = "FRAG\nDCL IN[0], PRIM_ID, CONSTANT\nDCL OUT[0], COLOR\n"
                             "DCL TEMP[0]\nIMM[0] FLT32 {0.2, 1, 1, 1}\n"
                             "  0: U2F TEMP[0], IN[0]\n  1: MUL OUT[0], TEMP[0], IMM[0]\n"
                             "  2: END\n";
    enum { POINTS = 4 };
    float positions[POINTS][4];
    struct params params;
    struct error err = {""};
    (void)state;
    for (uint32_t i = 0; i < POINTS; i++) /* the center of pixel i of row 0 */
        memcpy(positions[i], (float[]){(2.0f * (float)i + 1) / SIZE - 1, 1.0f / SIZE - 1, 0, 1},
               sizeof positions[i]);
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    for (int timed = 0; timed < 2; timed++) {
        struct player player = {0};
        struct stream s = {0};
        uint32_t pixels[SIZE * SIZE];
        player_start(&player, &params, timed, NULL);
        player_scene(&player, &s, PLAIN_VS, fs, positions, sizeof positions, SIZE);
        stream_clear(&s, MASK_COLOR0, NULL, 0, 0);
        stream_draw(&s, PRIM_POINTS, 0, POINTS);
        player_submit(&player, &s);
        player_get(&player, RES_COLOR, SIZE, SIZE, pixels);
        for (uint32_t i = 0; i < POINTS; i++)
            assert_int_equal(pixels[i], (i * 51) << 16);
        player_end(&player);
    }
}

enum { LAYERS = 3, RES_LAYERS = 31, OBJ_LAYERS = 141 };

#define LAYER_CORNER(swizzle)                                                                      \
    "MOV OUT[0], IMM[0]." swizzle "\nMOV OUT[1].x, IN[1].xxxx\nMOV OUT[2], TEMP[0]\n"              \
    "EMIT IMM[2].xxxx\n"
/* Point i becomes a triangle that covers layer i, with red (i + 1) / 5. */
static const char layers_gs[] = "GEOM\n"
                                "PROPERTY GS_INPUT_PRIMITIVE POINTS\n"
                                "PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
                                "PROPERTY GS_MAX_OUTPUT_VERTICES 3\n"
                                "PROPERTY GS_INVOCATIONS 1\n"
                                "DCL IN[][0], POSITION\n"
                                "DCL IN[][1], PRIM_ID\n"
                                "DCL OUT[0], POSITION\n"
                                "DCL OUT[1], LAYER\n"
                                "DCL OUT[2], GENERIC[0]\n"
                                "DCL TEMP[0]\n"
                                "IMM[0] FLT32 {-1, 3, 0, 1}\n"
                                "IMM[1] FLT32 {0.2, 0, 0, 1}\n"
                                "IMM[2] UINT32 {0, 0, 0, 0}\n"
                                "U2F TEMP[0], IN[1].xxxx\n"
                                "ADD TEMP[0], TEMP[0], IMM[0].wwww\n"
                                "MUL TEMP[0], TEMP[0], IMM[1]\n" LAYER_CORNER("xxzw")
                                    LAYER_CORNER("yxzw") LAYER_CORNER("xyzw") "END\n";

static void
draw_layers(struct player *player, uint32_t pixels[LAYERS * SIZE * SIZE])
{
    static const float positions[LAYERS][4];
    struct stream s = {0};
    player_create(player, (struct resource_desc){RES_LAYERS, TARGET_2D_ARRAY, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_RENDER_TARGET, SIZE, SIZE, 1, LAYERS, 0, 0});
    player_scene(player, &s, PLAIN_VS, TINT_FS("0"), positions, sizeof positions, SIZE);
    stream_shader(&s, OBJ_GS, VSTAGE_GEOMETRY, layers_gs);
    stream_bind_shader(&s, OBJ_GS, VSTAGE_GEOMETRY);
    CREATE(&s, VOBJ_SURFACE, OBJ_LAYERS, RES_LAYERS, FORMAT_B8G8R8A8_UNORM, 0, (LAYERS - 1) << 16);
    PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 1, 0, OBJ_LAYERS);
    stream_draw(&s, PRIM_POINTS, 0, LAYERS);
    player_submit(player, &s);
    player_take(player,
                (struct message){.kind = MESSAGE_GET,
                                 .transfer = {RES_LAYERS, 0, {0, 0, 0, SIZE, SIZE, LAYERS}}},
                pixels, LAYERS * SIZE * SIZE * 4);
}

static void
primitives_select_layers(void **state)
{
    struct params params;
    struct error err = {""};
    (void)state;
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    for (int timed = 0; timed < 2; timed++) {
        struct player player = {0};
        uint32_t pixels[LAYERS * SIZE * SIZE];
        player_start(&player, &params, timed, NULL);
        draw_layers(&player, pixels);
        for (uint32_t p = 0; p < LAYERS * SIZE * SIZE; p++) {
            const uint32_t layer = p / (SIZE * SIZE);
            if (pixels[p] != (0xff000000 | (layer + 1) * 51 << 16))
                fail_msg("timed %d: layer %u has %08x", timed, layer, pixels[p]);
        }
        player_end(&player);
    }
}

static void
functional(void **state)
{
    (void)state;
    check(false, "reference-2008", "");
}

#define IN_MEMORY "GEOMETRYASSEMBLY.OnChipPrimitives=65536"

/* On unified shader units, and on separate vertex units. Emitted vertices stay on chip, or go to
 * memory, with room for one vertex or for one primitive. */
static void
machine(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "GEOMETRYASSEMBLY.OnChipPrimitives=0",
        "GEOMETRYASSEMBLY.OnChipPrimitives=0 GEOMETRYASSEMBLY.Entries=1",
        IN_MEMORY,
        IN_MEMORY " GEOMETRYASSEMBLY.BufferSize=1024 GEOMETRYASSEMBLY.OverflowSize=64",
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        check(true, "reference-2008", settings[i]);
        check(true, "reference-2005", settings[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functional),
                                       cmocka_unit_test(machine),
                                       cmocka_unit_test(adjacent_vertices),
                                       cmocka_unit_test(modes_have_a_kind),
                                       cmocka_unit_test(numbers_reach_fragments),
                                       cmocka_unit_test(primitives_select_layers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
