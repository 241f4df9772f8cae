/* Features of OpenGL 3.0, 3.1 and ES 3.0, one draw each, with and without timing. Expected pixels
 * are computed here.
 *
 *     test_gl3 FOLDER    writes a trace of each feature (tools/golden.sh) */
#include "rigs/player.h"
#include "rigs/scene.h"

#include "base/mem.h"

#include <stdlib.h>

enum { SIZE = 16, RES_BLOCK = 30, RES_STREAM, RES_SECOND, OBJ_STREAM = 140, OBJ_COUNTS = 150 };

/* A draw of the square -1..1 into a target of SIZE x SIZE pixels, which is cleared to 0. */
struct feature {
    const char *name, *vs, *fs;
    /* Creates the resources and binds what the programs need; or NULL. */
    void (*prepare)(struct player *player, struct stream *s);
    uint32_t (*expected)(uint32_t x, uint32_t y); /* element of the target */
    uint32_t format;                              /* of the target, 4 bytes; 0: B8G8R8A8_UNORM */
    bool as_list; /* draws 6 vertices as triangles, not 4 as a strip */
};

static const char plain_vs[] = "VERT\n"
                               "DCL IN[0]\n"
                               "DCL OUT[0], POSITION\n"
                               "  0: MOV OUT[0], IN[0]\n"
                               "  1: END\n";

static void
put_box(struct player *player, uint32_t handle, struct box box, const void *bytes,
        uint32_t size_bytes)
{
    player_take(player,
                (struct message){.kind = MESSAGE_PUT,
                                 .transfer = {handle, 0, box},
                                 .bytes = bytes,
                                 .size_bytes = size_bytes},
                NULL, 0);
}

/* ---- uniform blocks ---- */

/* The color is vec4 1 of block 3, plus one of block 1 that an address selects, plus the one of
 * buffer 0. The vertex program moves the square by the offset in block 2. */
static const char blocks_vs[] = "VERT\n"
                                "DCL IN[0]\n"
                                "DCL OUT[0], POSITION\n"
                                "DCL CONST[2][0..1]\n"
                                "  0: ADD OUT[0], IN[0], CONST[2][1]\n"
                                "  1: END\n";
static const char blocks_fs[] = "FRAG\n"
                                "DCL OUT[0], COLOR\n"
                                "DCL CONST[0][0]\n"
                                "DCL CONST[1][0..3]\n"
                                "DCL CONST[3][0..1]\n"
                                "DCL TEMP[0]\n"
                                "DCL ADDR[0]\n"
                                "IMM[0] UINT32 {2, 0, 0, 0}\n"
                                "  0: UARL ADDR[0].x, IMM[0].xxxx\n"
                                "  1: ADD TEMP[0], CONST[0][0], CONST[3][1]\n"
                                "  2: ADD OUT[0], TEMP[0], CONST[1][ADDR[0].x+1]\n"
                                "  3: END\n";

static void
prepare_blocks(struct player *player, struct stream *s)
{
    /* Vec4s of the buffer: the blocks begin at vec4 0, 16 and 32. Block 3 holds vec4 1, but not
     * vec4 2, which is 0. */
    static float vec4s[64][4];
    vec4s[3][0] = 0.2f;  /* block 1, vec4 3: red */
    vec4s[17][0] = 1.0f; /* block 2, vec4 1: right half */
    vec4s[33][1] = 0.4f; /* block 3, vec4 1: green */
    player_create(player,
                  (struct resource_desc){RES_BLOCK, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_CONSTANT_BUFFER, sizeof vec4s, 1, 1, 1, 0, 0});
    player_put(player, RES_BLOCK, vec4s, sizeof vec4s);
    PACKET(s, CMD_SET_CONSTANT_BUFFER, VSTAGE_FRAGMENT, 0, 0, 0, float_bits(0.6f), float_bits(1));
    PACKET(s, CMD_SET_UNIFORM_BUFFER, VSTAGE_FRAGMENT, 1, 0, 64, RES_BLOCK);
    PACKET(s, CMD_SET_UNIFORM_BUFFER, VSTAGE_VERTEX, 2, 256, 32, RES_BLOCK);
    PACKET(s, CMD_SET_UNIFORM_BUFFER, VSTAGE_FRAGMENT, 3, 512, 32, RES_BLOCK);
    /* A block that the programs do not read may be unbound, in either way. */
    PACKET(s, CMD_SET_UNIFORM_BUFFER, VSTAGE_FRAGMENT, 13, 0, 0, 0);
    PACKET(s, CMD_SET_CONSTANT_BUFFER, VSTAGE_FRAGMENT, 2);
}

static uint32_t
expected_blocks(uint32_t x, uint32_t y)
{
    (void)y;
    return x < SIZE / 2 ? 0 : 0xff336699;
}

/* ---- integer textures and targets ---- */

/* Red is the texel that TXF reads, green its negation, read by TEX with a linear filter. Blue and
 * alpha are the missing channels of the texture. */
static const char integers_fs[] = "FRAG\n"
                                  "DCL IN[0], POSITION, LINEAR\n"
                                  "DCL OUT[0], COLOR\n"
                                  "DCL SAMP[0]\n"
                                  "DCL SVIEW[0], 2D, SINT\n"
                                  "DCL TEMP[0..1]\n"
                                  "IMM[0] FLT32 {0.0625, 0.0, 0.0, 0.0}\n"
                                  "IMM[1] INT32 {0, 0, 0, 0}\n"
                                  "  0: F2I TEMP[0].xy, IN[0].xyyy\n"
                                  "  1: MOV TEMP[0].zw, IMM[1].xxxx\n"
                                  "  2: TXF TEMP[0], TEMP[0], SAMP[0], 2D\n"
                                  "  3: MUL TEMP[1].xy, IN[0].xyyy, IMM[0].xxxx\n"
                                  "  4: TEX TEMP[1], TEMP[1], SAMP[0], 2D\n"
                                  "  5: MOV OUT[0].x, TEMP[0].xxxx\n"
                                  "  6: INEG OUT[0].y, TEMP[1].xxxx\n"
                                  "  7: MOV OUT[0].zw, TEMP[1].xywz\n"
                                  "  8: END\n";

static int32_t
integer_texel(uint32_t x, uint32_t y)
{
    return (int32_t)(x + SIZE * y) - 140;
}

static void
prepare_integers(struct player *player, struct stream *s)
{
    int32_t texels[SIZE * SIZE];
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        texels[i] = integer_texel(i % SIZE, i / SIZE);
    player_create(player, (struct resource_desc){RES_TEXTURE, TARGET_2D, FORMAT_R32_SINT,
                                                 BIND_SAMPLER_VIEW, SIZE, SIZE, 1, 1, 0, 0});
    put_box(player, RES_TEXTURE, (struct box){0, 0, 0, SIZE, SIZE, 1}, texels, sizeof texels);
    stream_view(s, OBJ_VIEW, RES_TEXTURE, FORMAT_R32_SINT, 0);
    stream_sampler(s, OBJ_SAMPLER, FILTER_LINEAR);
    PACKET(s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_VIEW);
    PACKET(s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 0, OBJ_SAMPLER);
}

static uint32_t
byte_of(int32_t value)
{
    return (uint32_t)(value < -128 ? -128 : value > 127 ? 127 : value) & 0xff;
}

static uint32_t
expected_integers(uint32_t x, uint32_t y)
{
    const int32_t value = integer_texel(x, y);
    return byte_of(value) | byte_of(-value) << 8 | 1u << 16;
}

/* ---- stream output ---- */

/* Stores the position and one more value in a buffer, and the second value in another buffer. */
static const char stores_vs[] = "VERT\n"
                                "DCL IN[0]\n"
                                "DCL OUT[0], POSITION\n"
                                "DCL OUT[1], GENERIC[0]\n"
                                "IMM[0] FLT32 {7.0, 0.4, 0.0, 0.0}\n"
                                "  0: MOV OUT[0], IN[0]\n"
                                "  1: MOV OUT[1], IMM[0]\n"
                                "  2: END\n";
static const char stored_vs[] = "VERT\n"
                                "DCL IN[0]\n"
                                "DCL IN[1]\n"
                                "DCL OUT[0], POSITION\n"
                                "DCL OUT[1], GENERIC[0]\n"
                                "  0: MOV OUT[0], IN[0]\n"
                                "  1: MOV OUT[1], IN[1]\n"
                                "  2: END\n";
/* Red: primitives generated * 0.12. Green: primitives stored / 5. Blue: the stored value. */
static const char stored_fs[] = "FRAG\n"
                                "DCL IN[0], GENERIC[0], CONSTANT\n"
                                "DCL OUT[0], COLOR\n"
                                "DCL CONST[1][0]\n"
                                "DCL CONST[2][0]\n"
                                "DCL TEMP[0]\n"
                                "IMM[0] FLT32 {0.12, 0.2, 1.0, 0.0}\n"
                                "  0: U2F TEMP[0].x, CONST[1][0].zzzz\n"
                                "  1: U2F TEMP[0].y, CONST[2][0].zzzz\n"
                                "  2: MUL OUT[0].xy, TEMP[0].xyyy, IMM[0].xyyy\n"
                                "  3: MOV OUT[0].z, IN[0].xxxx\n"
                                "  4: MOV OUT[0].w, IMM[0].zzzz\n"
                                "  5: END\n";

/* Two draws of two triangles each. The second one continues the buffers, which hold three
 * triangles. The rasterizer discards the primitives. */
static void
prepare_streams(struct player *player, struct stream *s)
{
    enum { VERTEX_BYTES = 20, ROOM = 9 };
    player_create(player, (struct resource_desc){RES_STREAM, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_STREAM_OUTPUT | BIND_VERTEX_BUFFER, 1024, 1,
                                                 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_SECOND, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_STREAM_OUTPUT, 256, 1, 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_BLOCK, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_CONSTANT_BUFFER, 64, 1, 1, 1, 0, 0});
    static const uint32_t outputs[] = {STREAMED(0, 0, 4, 0, 0), 0, STREAMED(1, 1, 1, 0, 4), 0,
                                       STREAMED(1, 0, 1, 1, 0), 0};
    stream_storing_shader(s, OBJ_STREAM, VSTAGE_VERTEX, stores_vs, (const uint32_t[]){5, 1, 0, 0},
                          outputs, 3);
    CREATE(s, VOBJ_STREAMOUT_TARGET, OBJ_STREAM + 1, RES_STREAM, 64, ROOM * VERTEX_BYTES);
    CREATE(s, VOBJ_STREAMOUT_TARGET, OBJ_STREAM + 2, RES_SECOND, 0, 256);
    CREATE(s, VOBJ_RASTERIZER, OBJ_STREAM + 3,
           RASTERIZER_DEPTH_CLIP | RASTERIZER_HALF_PIXEL_CENTER | RASTERIZER_DISCARD, float_bits(1),
           0, 0, float_bits(1), 0, 0, 0);
    CREATE(s, VOBJ_QUERY, OBJ_COUNTS, QUERY_PRIMITIVES_GENERATED, 0, RES_BLOCK);
    CREATE(s, VOBJ_QUERY, OBJ_COUNTS + 1, QUERY_PRIMITIVES_EMITTED, 16, RES_BLOCK);
    stream_bind_shader(s, OBJ_STREAM, VSTAGE_VERTEX);
    stream_bind(s, VOBJ_RASTERIZER, OBJ_STREAM + 3);
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0, OBJ_STREAM + 1, OBJ_STREAM + 2);
    PACKET(s, CMD_BEGIN_QUERY, OBJ_COUNTS);
    PACKET(s, CMD_BEGIN_QUERY, OBJ_COUNTS + 1);
    stream_draw(s, PRIM_TRIANGLE_STRIP, 0, 4);
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0);
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0, OBJ_STREAM + 1, OBJ_STREAM + 2);
    stream_draw(s, PRIM_TRIANGLE_STRIP, 0, 4);
    /* The 9 stored vertices count as three more primitives, which are not stored. */
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0);
    PACKET(s, CMD_DRAW_VBO, 0, 0, PRIM_TRIANGLES, 0, 1, 0, 0, 0, 0, 0, ~0u, ROOM * VERTEX_BYTES);
    PACKET(s, CMD_END_QUERY, OBJ_COUNTS);
    PACKET(s, CMD_END_QUERY, OBJ_COUNTS + 1);
    PACKET(s, CMD_GET_QUERY_RESULT, OBJ_COUNTS, 1);
    PACKET(s, CMD_GET_QUERY_RESULT, OBJ_COUNTS + 1, 1);
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0);
    stream_bind(s, VOBJ_RASTERIZER, OBJ_RASTERIZER);
    stream_bind_shader(s, OBJ_VS, VSTAGE_VERTEX);
    PACKET(s, CMD_SET_UNIFORM_BUFFER, VSTAGE_FRAGMENT, 1, 0, 16, RES_BLOCK);
    PACKET(s, CMD_SET_UNIFORM_BUFFER, VSTAGE_FRAGMENT, 2, 16, 16, RES_BLOCK);
    CREATE(s, VOBJ_VERTEX_ELEMENTS, OBJ_STREAM + 4, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT, 16, 0, 0,
           FORMAT_R32_FLOAT);
    stream_bind(s, VOBJ_VERTEX_ELEMENTS, OBJ_STREAM + 4);
    PACKET(s, CMD_SET_VERTEX_BUFFERS, VERTEX_BYTES, 64, RES_STREAM);
}

/* The stored triangles cover the square: 7 generated, 3 stored, and 0.4. */
static uint32_t
expected_streams(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return 0xffd69966;
}

/* ---- a count of an earlier target ---- */

static const char white_fs[] = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\n"
                               "  0: MOV OUT[0], IMM[0]\n  1: END\n";

/* The first target stores two triangles, which cover the square, the second one a triangle. The
 * draw takes its count from the first target, although the second one was bound last. */
static void
prepare_counts(struct player *player, struct stream *s)
{
    enum { VERTEX_BYTES = 16, FIRST_BYTES = 256, SECOND_BYTES = 128 };
    static const uint32_t outputs[] = {STREAMED(0, 0, 4, 0, 0), 0};
    player_create(player, (struct resource_desc){RES_STREAM, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_STREAM_OUTPUT | BIND_VERTEX_BUFFER,
                                                 FIRST_BYTES + SECOND_BYTES, 1, 1, 1, 0, 0});
    stream_storing_shader(s, OBJ_STREAM, VSTAGE_VERTEX, plain_vs, (const uint32_t[]){4, 0, 0, 0},
                          outputs, 1);
    CREATE(s, VOBJ_STREAMOUT_TARGET, OBJ_STREAM + 1, RES_STREAM, 0, FIRST_BYTES);
    CREATE(s, VOBJ_STREAMOUT_TARGET, OBJ_STREAM + 2, RES_STREAM, FIRST_BYTES, SECOND_BYTES);
    stream_bind_shader(s, OBJ_STREAM, VSTAGE_VERTEX);
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0, OBJ_STREAM + 1);
    stream_draw(s, PRIM_TRIANGLE_STRIP, 0, 4);
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0, OBJ_STREAM + 2);
    stream_draw(s, PRIM_TRIANGLES, 0, 3);
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0);
    stream_bind_shader(s, OBJ_VS, VSTAGE_VERTEX);
    PACKET(s, CMD_SET_VERTEX_BUFFERS, VERTEX_BYTES, 0, RES_STREAM);
    stream_clear(s, MASK_COLOR0, NULL, 0, 0);
    PACKET(s, CMD_DRAW_VBO, 0, 0, PRIM_TRIANGLES, 0, 1, 0, 0, 0, 0, 0, ~0u, FIRST_BYTES);
}

static uint32_t
expected_white(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return 0xffffffff;
}

/* ---- buffer textures ---- */

enum { FIRST_TEXEL = 3, TEXELS = SIZE * SIZE };

/* Red is the texel of the pixel, blue is the number of texels / 1280. Negative texels discard the
 * fragment. */
static const char texels_fs[] = "FRAG\n"
                                "DCL IN[0], POSITION, LINEAR\n"
                                "DCL OUT[0], COLOR\n"
                                "DCL SAMP[0]\n"
                                "DCL SVIEW[0], BUFFER, FLOAT\n"
                                "DCL TEMP[0..1]\n"
                                "IMM[0] INT32 {16, 0, 0, 0}\n"
                                "IMM[1] FLT32 {0.00078125, 0.0, 0.0, 1.0}\n"
                                "  0: F2I TEMP[0].xy, IN[0].xyyy\n"
                                "  1: UMAD TEMP[0].x, TEMP[0].yyyy, IMM[0].xxxx, TEMP[0].xxxx\n"
                                "  2: TXF TEMP[0], TEMP[0].xxxx, SAMP[0], BUFFER\n"
                                "  3: KILL_IF TEMP[0].xxxx\n"
                                "  4: TXQ TEMP[1].x, IMM[0].yyyy, SAMP[0], BUFFER\n"
                                "  5: I2F TEMP[1].x, TEMP[1].xxxx\n"
                                "  6: MOV OUT[0].x, TEMP[0].xxxx\n"
                                "  7: MOV OUT[0].y, TEMP[0].yyyy\n"
                                "  8: MUL OUT[0].z, TEMP[1].xxxx, IMM[1].xxxx\n"
                                "  9: MOV OUT[0].w, TEMP[0].wwww\n"
                                " 10: END\n";

/* Old texels are drawn, then changed, and drawn again. The new texels of the left half are
 * negative. */
static void
prepare_texels(struct player *player, struct stream *s)
{
    float texels[FIRST_TEXEL + TEXELS + 1] = {0};
    player_create(player, (struct resource_desc){RES_TEXTURE, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_SAMPLER_VIEW, sizeof texels, 1, 1, 1, 0, 0});
    for (uint32_t i = 0; i < TEXELS; i++)
        texels[FIRST_TEXEL + i] = (float)i / 255.0f;
    player_put(player, RES_TEXTURE, texels, sizeof texels);
    CREATE(s, VOBJ_SAMPLER_VIEW, OBJ_VIEW, RES_TEXTURE, FORMAT_R32_FLOAT, FIRST_TEXEL,
           FIRST_TEXEL + TEXELS - 1, 0 | 4 << 3 | 4 << 6 | 5 << 9);
    PACKET(s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_VIEW);
    stream_draw(s, PRIM_TRIANGLE_STRIP, 0, 4);
    player_submit(player, s);
    for (uint32_t i = 0; i < TEXELS; i++)
        texels[FIRST_TEXEL + i] = i % SIZE < SIZE / 2 ? -1 : (float)(255 - i) / 255.0f;
    player_put(player, RES_TEXTURE, texels, sizeof texels);
}

static uint32_t
expected_texels(uint32_t x, uint32_t y)
{
    const uint32_t i = x + SIZE * y;
    return 0xff000033 | (x < SIZE / 2 ? i : 255 - i) << 16;
}

/* ---- texture arrays ---- */

enum { LAYERS = 4 };

/* The pixel x, y reads texel x, y of layer x % 4. */
static const char layers_fs[] = "FRAG\n"
                                "DCL IN[0], POSITION, LINEAR\n"
                                "DCL OUT[0], COLOR\n"
                                "DCL SAMP[0]\n"
                                "DCL SVIEW[0], 2D_ARRAY, FLOAT\n"
                                "DCL TEMP[0]\n"
                                "IMM[0] UINT32 {3, 0, 0, 0}\n"
                                "  0: F2I TEMP[0].xy, IN[0].xyyy\n"
                                "  1: AND TEMP[0].z, TEMP[0].xxxx, IMM[0].xxxx\n"
                                "  2: MOV TEMP[0].w, IMM[0].yyyy\n"
                                "  3: TXF OUT[0], TEMP[0], SAMP[0], 2D_ARRAY\n"
                                "  4: END\n";

static uint32_t
layer_texel(uint32_t layer, uint32_t x, uint32_t y)
{
    return 0xff000000 | (layer + 1) << 16 | x << 8 | y;
}

static void
prepare_layers(struct player *player, struct stream *s)
{
    uint32_t texels[LAYERS * SIZE * SIZE];
    for (uint32_t i = 0; i < LAYERS * SIZE * SIZE; i++)
        texels[i] = layer_texel(i / (SIZE * SIZE), i % SIZE, i / SIZE % SIZE);
    player_create(player,
                  (struct resource_desc){RES_TEXTURE, TARGET_2D_ARRAY, FORMAT_B8G8R8A8_UNORM,
                                         BIND_SAMPLER_VIEW, SIZE, SIZE, 1, LAYERS, 0, 0});
    put_box(player, RES_TEXTURE, (struct box){0, 0, 0, SIZE, SIZE, LAYERS}, texels, sizeof texels);
    CREATE(s, VOBJ_SAMPLER_VIEW, OBJ_VIEW, RES_TEXTURE,
           FORMAT_B8G8R8A8_UNORM | TARGET_2D_ARRAY << 24, (LAYERS - 1) << 16, 0,
           0 | 1 << 3 | 2 << 6 | 3 << 9);
    PACKET(s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_VIEW);
}

static uint32_t
expected_layers(uint32_t x, uint32_t y)
{
    return layer_texel(x % LAYERS, x, y);
}

/* ---- conditional rendering ---- */

/* Makes a query that counts no samples. */
static void
count_nothing(struct player *player, struct stream *s)
{
    player_create(player, (struct resource_desc){RES_BLOCK, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_CUSTOM, 16, 1, 1, 1, 0, 0});
    CREATE(s, VOBJ_QUERY, OBJ_COUNTS, QUERY_OCCLUSION_COUNTER, 0, RES_BLOCK);
    PACKET(s, CMD_BEGIN_QUERY, OBJ_COUNTS);
    PACKET(s, CMD_END_QUERY, OBJ_COUNTS);
}

/* The condition is that the query has counted some samples (`value` 0) or none (1). */
static void
set_condition(struct player *player, struct stream *s, uint32_t value)
{
    count_nothing(player, s);
    PACKET(s, CMD_SET_RENDER_CONDITION, OBJ_COUNTS, value, 0);
}

static void
prepare_condition(struct player *player, struct stream *s)
{
    set_condition(player, s, 0);
}

static void
prepare_inverted(struct player *player, struct stream *s)
{
    set_condition(player, s, 1);
}

static uint32_t
expected_nothing(uint32_t x, uint32_t y)
{
    (void)x;
    (void)y;
    return 0;
}

static const struct feature features[] = {
    {"uniform blocks", blocks_vs, blocks_fs, prepare_blocks, expected_blocks, 0, false},
    {"integers", plain_vs, integers_fs, prepare_integers, expected_integers, FORMAT_R8G8B8A8_SINT,
     false},
    {"stream output", stored_vs, stored_fs, prepare_streams, expected_streams, 0, true},
    {"counts", plain_vs, white_fs, prepare_counts, expected_white, 0, false},
    {"buffer textures", plain_vs, texels_fs, prepare_texels, expected_texels, 0, false},
    {"texture arrays", plain_vs, layers_fs, prepare_layers, expected_layers, 0, false},
    {"conditions", plain_vs, white_fs, prepare_condition, expected_nothing, 0, false},
    {"inverted conditions", plain_vs, white_fs, prepare_inverted, expected_white, 0, false},
};

static void
draw(struct player *player, const struct feature *f, uint32_t pixels[SIZE * SIZE])
{
    static const float square[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    const uint32_t format = f->format ? f->format : FORMAT_B8G8R8A8_UNORM;
    struct stream s = {0};
    player_create(player, (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_VERTEX_BUFFER, sizeof square, 1, 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_COLOR, TARGET_2D, format, BIND_RENDER_TARGET,
                                                 SIZE, SIZE, 1, 1, 0, 0});
    player_put(player, RES_VERTICES, square, sizeof square);
    scene_states(&s, 0);
    scene_shaders(&s, f->vs, f->fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(&s, format, 0);
    scene_bind(&s);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(&s, SIZE, SIZE);
    stream_clear(&s, MASK_COLOR0, NULL, 0, 0);
    if (f->prepare)
        f->prepare(player, &s);
    stream_draw(&s, f->as_list ? PRIM_TRIANGLES : PRIM_TRIANGLE_STRIP, 0, f->as_list ? 6 : 4);
    player_submit(player, &s);
    player_get(player, RES_COLOR, SIZE, SIZE, pixels);
}

static void
check_all(bool timed)
{
    struct params params;
    struct error err = {""};
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        struct player player = {0};
        uint32_t pixels[SIZE * SIZE];
        player_start(&player, &params, timed, NULL);
        draw(&player, &features[i], pixels);
        for (uint32_t p = 0; p < SIZE * SIZE; p++) {
            const uint32_t x = p % SIZE, y = p / SIZE, expected = features[i].expected(x, y);
            if (pixels[p] != expected)
                fail_msg("%s: pixel %u,%u is %08x, not %08x", features[i].name, x, y, pixels[p],
                         expected);
        }
        player_end(&player);
    }
}

static void
functional(void **state)
{
    (void)state;
    check_all(false);
}

static void
machine(void **state)
{
    (void)state;
    check_all(true);
}

/* A clear that the next one overwrites is left out. It is not if the next one has a condition that
 * is false. */
static void
conditions_keep_held_clears(void **state)
{
    (void)state;
    static const float white[4] = {1, 1, 1, 1};
    for (uint32_t conditional = 0; conditional < 2; conditional++) {
        struct player player = {0};
        struct stream s = {0};
        struct params params;
        struct error err;
        uint32_t pixels[SIZE * SIZE];
        assert_true(params_load_preset(&params, "reference-2008", &err));
        player_start(&player, &params, true, NULL);
        player.sim.machine->no_repeated_clears = true;
        player_create(&player, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                      BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0});
        scene_states(&s, 0);
        scene_shaders(&s, plain_vs, white_fs);
        CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
        scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, 0);
        scene_bind(&s);
        count_nothing(&player, &s);
        stream_clear(&s, MASK_COLOR0, white, 0, 0);
        if (conditional)
            PACKET(&s, CMD_SET_RENDER_CONDITION, OBJ_COUNTS, 0, 0);
        stream_clear(&s, MASK_COLOR0, NULL, 0, 0);
        player_submit(&player, &s);
        player_get(&player, RES_COLOR, SIZE, SIZE, pixels);
        for (uint32_t p = 0; p < SIZE * SIZE; p++)
            assert_int_equal(pixels[p], conditional ? 0xffffffff : 0);
        assert_int_equal(player.sim.machine->cmdproc->stats.clears, 1);
        player_end(&player);
    }
}

/* Writes a trace of each feature to an existing folder, as seeds of the fuzz targets. */
static void
write_traces(const char *folder)
{
    struct params params;
    struct error err = {""};
    BUG_ON(!params_load_preset(&params, "reference-2008", &err), "%s", err.text);
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        struct player player = {0};
        uint32_t pixels[SIZE * SIZE];
        char *path = mem_printf("%s/%s", folder, features[i].name);
        player_record(&player, path);
        player_start(&player, &params, false, NULL);
        draw(&player, &features[i], pixels);
        player_end_record(&player, RES_COLOR, SIZE, SIZE);
        player_end(&player);
        free(path);
    }
}

int
main(int argc, char **argv)
{
    if (argc == 2) {
        write_traces(argv[1]);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(functional), cmocka_unit_test(machine),
                                       cmocka_unit_test(conditions_keep_held_clears)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
