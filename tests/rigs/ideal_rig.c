/* Frames in which one unit does all the work. */
#include "rigs/ideal_rig.h"
#include "rigs/settings.h"

void
rig_set(struct rig *rig, const char *assignments)
{
    settings_apply(&rig->params, NULL, assignments);
}

void
rig_make_ideal(struct rig *rig, int real)
{
    struct error err;
    for (int i = 0; i < IDEALS; i++)
        if (i != real && i != IDEAL_drain && !ideal_apply(&ideals[i], &rig->params, &err))
            fail_msg("%s", err.text);
    rig_set(rig, "MEMORYCONTROLLER.MemorySize=8388608 " NO_STAGES);
}

struct rig *
rig_create_ideal(int real, const char *settings)
{
    struct rig *rig = rig_create();
    rig_make_ideal(rig, real);
    rig_set(rig, settings);
    rig_start(rig);
    return rig;
}

void
rig_draw_triangles(struct rig *rig, const float corners[3][4], uint32_t count)
{
    uint16_t indices[2048];
    assert_true(3 * count <= 2048);
    for (uint32_t i = 0; i < 3 * count; i++)
        indices[i] = (uint16_t)(i % 3);
    rig_upload(rig, RES_VERTICES, corners, 48);
    rig_upload(rig, RES_INDICES, indices, 3 * count * sizeof indices[0]);
    rig_draw(rig, PRIM_TRIANGLES, 3 * count, sizeof indices[0]);
    rig_swap(rig);
}

void
frame_unseen_triangles(struct rig *rig)
{
    static const float corners[3][4] = {
        {0.002f, 0.002f, 0, 1}, {0.008f, 0.002f, 0, 1}, {0.002f, 0.008f, 0, 1}};
    rig_draw_triangles(rig, corners, TRIANGLES);
    rig_assert_figure(rig, "fraggen.fragments", 0);
}

void
rig_set_layers(struct rig *rig)
{
    enum { OBJ_LAYER_BLEND = 300, OBJ_LAYER_DSA };
    struct stream *s = &rig->stream;
    stream_blend(s, OBJ_LAYER_BLEND, blend_of(FACTOR_SRC_ALPHA, FACTOR_INV_SRC_ALPHA));
    stream_depth(s, OBJ_LAYER_DSA, FUNC_LEQUAL);
    stream_bind(s, VOBJ_BLEND, OBJ_LAYER_BLEND);
    stream_bind(s, VOBJ_DSA, OBJ_LAYER_DSA);
    rig_submit(rig);
}

static void
draw_layers(struct rig *rig, uint32_t count)
{
    static const float corners[3][4] = {{-1, -1, -1, 1}, {3, -1, -1, 1}, {-1, 3, -1, 1}};
    rig_set_layers(rig);
    rig_draw_triangles(rig, corners, count);
    rig_assert_figure(rig, "fraggen.quads", count * PIXELS / 4);
}

void
frame_layers(struct rig *rig)
{
    draw_layers(rig, LAYERS);
}

void
rig_draw_quads(struct rig *rig, uint32_t count)
{
    static const float corners[3][4] = {
        {-1, -1, -1, 1}, {-1 + 4.f / SIZE, -1, -1, 1}, {-1, -1 + 4.f / SIZE, -1, 1}};
    rig_set_layers(rig);
    rig_draw_triangles(rig, corners, count);
    rig_assert_figure(rig, "fraggen.quads", count);
}

void
frame_quad(struct rig *rig)
{
    rig_draw_quads(rig, 1);
}

void
frame_quad_many_times(struct rig *rig)
{
    rig_draw_quads(rig, TRIANGLES);
}

void
rig_set_program(struct rig *rig, uint32_t stage, bool chain)
{
    char text[8192];
    int at = snprintf(text, sizeof text,
                      stage ? "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0..15]\nDCL TEMP[0..63]\n"
                              "IMM[0] FLT32 {1.0, 0.5, 0.25, 1.0}\n"
                            : "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..63]\n"
                              "IMM[0] FLT32 {1.0, 0.5, 0.25, 1.0}\n");
    int line = 0;
    for (; line < INSTRUCTIONS - 1; line++)
        if (chain && line)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "%d: ADD TEMP[0], TEMP[0], IMM[0]\n", line);
        else
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "%d: ADD TEMP[%d], IMM[0], IMM[0]\n", line, chain ? 0 : line);
    snprintf(text + at, sizeof text - (size_t)at, "%d: MOV OUT[0], %s\n%d: END\n", line,
             stage ? "TEMP[0]" : "IN[0]", line + 1);
    stream_shader(&rig->stream, OBJ_PROGRAM, stage, text);
    stream_bind_shader(&rig->stream, OBJ_PROGRAM, stage);
    rig_submit(rig);
}

void
frame_long_fragments(struct rig *rig)
{
    rig_set_program(rig, 1, false);
    draw_layers(rig, 1);
}

void
frame_two_with_constants(struct rig *rig)
{
    enum { CONSTANTS = 16 };
    static const float corners[3][4] = {{-1, -1, -1, 1}, {3, -1, -1, 1}, {-1, 3, -1, 1}};
    rig_set_program(rig, 1, false);
    rig_set_layers(rig);
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t words[2 + 4 * CONSTANTS] = {1};
        for (uint32_t w = 2; w < 2 + 4 * CONSTANTS; w++)
            words[w] = float_bits((float)(w + i));
        stream_packet(&rig->stream, CMD_SET_CONSTANT_BUFFER, 0, words, 2 + 4 * CONSTANTS);
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    }
    rig_swap(rig);
    rig_assert_figure(rig, "cmdproc.constants", 2 * CONSTANTS);
}

void
frame_vertices(struct rig *rig)
{
    float corners[VERTICES][4];
    for (uint32_t i = 0; i < VERTICES; i++)
        memcpy(corners[i], (float[]){0.002f, 0.002f, 0, 1}, sizeof corners[i]);
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
    rig_draw(rig, PRIM_TRIANGLES, VERTICES, 0);
    rig_swap(rig);
}

void
frame_long_vertices(struct rig *rig)
{
    rig_set_program(rig, 0, false);
    frame_vertices(rig);
}

void
frame_chain(struct rig *rig)
{
    rig_set_program(rig, 1, true);
    frame_quad(rig);
}

/* A vertex program with four varyings, which makes the interpolator the limiting unit. */
static const char varying_vs[] = "VERT\n"
                                 "DCL IN[0]\n"
                                 "DCL OUT[0], POSITION\n"
                                 "DCL OUT[1..4], GENERIC[0]\n"
                                 "  0: MOV OUT[0], IN[0]\n"
                                 "  1: MOV OUT[1], IN[0]\n"
                                 "  2: MOV OUT[2], IN[0]\n"
                                 "  3: MOV OUT[3], IN[0]\n"
                                 "  4: MOV OUT[4], IN[0]\n"
                                 "  5: END\n";

static const char varying_fs[] = "FRAG\n"
                                 "DCL IN[0..3], GENERIC[0], PERSPECTIVE\n"
                                 "DCL OUT[0], COLOR\n"
                                 "DCL TEMP[0]\n"
                                 "  0: ADD TEMP[0], IN[0], IN[1]\n"
                                 "  1: ADD TEMP[0], TEMP[0], IN[2]\n"
                                 "  2: ADD OUT[0], TEMP[0], IN[3]\n"
                                 "  3: END\n";

/* A fragment program with eight samples per fragment, all of the same texel. */
static const char texels_fs[] = "FRAG\n"
                                "DCL OUT[0], COLOR\n"
                                "DCL SAMP[0]\n"
                                "DCL SVIEW[0], 2D, FLOAT\n"
                                "DCL TEMP[0..7]\n"
                                "IMM[0] FLT32 {0.03, 0.03, 0.0, 1.0}\n"
                                "  0: TEX TEMP[0], IMM[0], SAMP[0], 2D\n"
                                "  1: TEX TEMP[1], IMM[0], SAMP[0], 2D\n"
                                "  2: TEX TEMP[2], IMM[0], SAMP[0], 2D\n"
                                "  3: TEX TEMP[3], IMM[0], SAMP[0], 2D\n"
                                "  4: TEX TEMP[4], IMM[0], SAMP[0], 2D\n"
                                "  5: TEX TEMP[5], IMM[0], SAMP[0], 2D\n"
                                "  6: TEX TEMP[6], IMM[0], SAMP[0], 2D\n"
                                "  7: TEX TEMP[7], IMM[0], SAMP[0], 2D\n"
                                "  8: MOV OUT[0], TEMP[7]\n"
                                "  9: END\n";

void
frame_outputs(struct rig *rig)
{
    rig_use_programs(rig, varying_vs, varying_fs);
    frame_unseen_triangles(rig);
}

void
frame_varied_vertices(struct rig *rig)
{
    rig_use_programs(rig, varying_vs, varying_fs);
    frame_vertices(rig);
}

void
frame_varyings(struct rig *rig)
{
    rig_use_programs(rig, varying_vs, varying_fs);
    draw_layers(rig, LAYERS);
}

void
rig_set_texels(struct rig *rig)
{
    struct stream *s = &rig->stream;
    player_create(&rig->player,
                  (struct resource_desc){RES_TEXTURE, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                         BIND_SAMPLER_VIEW, 16, 16, 1, 1, 0, 0});
    stream_view(s, OBJ_VIEW, RES_TEXTURE, FORMAT_B8G8R8A8_UNORM, 0);
    stream_sampler(s, OBJ_SAMPLER, FILTER_LINEAR);
    PACKET(s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_VIEW);
    PACKET(s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 0, OBJ_SAMPLER);
    rig_use_programs(rig, rig_vs, texels_fs);
}

void
frame_texels(struct rig *rig)
{
    rig_set_texels(rig);
    draw_layers(rig, 2);
}

void
frame_texel_chain(struct rig *rig)
{
    rig_set_texels(rig);
    frame_quad(rig);
}

void
frame_swap_alone(struct rig *rig)
{
    rig_swap(rig);
}

/* Blits a square of the surface, starting at column x, to another surface. */
static void
blit_square(struct rig *rig, uint32_t x, uint32_t size)
{
    enum { RES_COPY = 90 };
    player_create(&rig->player, (struct resource_desc){RES_COPY, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                       BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0});
    stream_blit(&rig->stream, BLIT_COLOR,
                (struct blit_side){RES_COPY, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, size, size, 1}},
                (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {x, 0, 0, size, size, 1}});
    rig_submit(rig);
    rig_swap(rig);
}

void
frame_blit(struct rig *rig)
{
    blit_square(rig, 0, SIZE);
}

void
frame_shifted_blit(struct rig *rig)
{
    blit_square(rig, 4, 32);
}

void
frame_small_blit(struct rig *rig)
{
    blit_square(rig, 0, 8);
}

void
frame_uploads(struct rig *rig)
{
    static uint8_t bytes[4096];
    for (uint32_t i = 0; i < 16; i++)
        rig_upload(rig, RES_VERTICES, bytes, sizeof bytes);
    rig_swap(rig);
}
