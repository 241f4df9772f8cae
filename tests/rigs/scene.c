/* Packets of a whole draw. */
#include "rigs/scene.h"

static const char scene_vs[] = "VERT\n"
                               "DCL IN[0]\n"
                               "DCL IN[1]\n"
                               "DCL OUT[0], POSITION\n"
                               "DCL OUT[1], COLOR\n"
                               "DCL OUT[2], BCOLOR\n"
                               "DCL OUT[3], GENERIC[5]\n"
                               "DCL CONST[0][0..1]\n"
                               "  0: MOV OUT[0], IN[0]\n"
                               "  1: MOV OUT[1], IN[1]\n"
                               "  2: MOV OUT[2], CONST[0][1]\n"
                               "  3: MOV OUT[3], IN[1]\n"
                               "  4: END\n";

static const char scene_fs[] = "FRAG\n"
                               "PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n"
                               "DCL IN[0], GENERIC[5], PERSPECTIVE\n"
                               "DCL IN[1], COLOR, COLOR\n"
                               "DCL IN[2], GENERIC[6], LINEAR\n"
                               "DCL OUT[0], COLOR\n"
                               "DCL SAMP[0]\n"
                               "DCL SVIEW[0], 2D, FLOAT\n"
                               "DCL TEMP[0]\n"
                               "  0: TEX TEMP[0], IN[0], SAMP[0], 2D\n"
                               "  1: MUL TEMP[0], TEMP[0], IN[2]\n"
                               "  2: MUL OUT[0], TEMP[0], IN[1]\n"
                               "  3: END\n";

const struct resource_desc scene_resources[] = {
    {RES_COLOR, TARGET_2D, 1, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET, 64, 32, 1, 1, 0, 0},
    {RES_DEPTH, TARGET_2D, 19, BIND_DEPTH_STENCIL, 64, 40, 1, 1, 0, 0},
    {RES_TEXTURE, TARGET_2D, 1, BIND_SAMPLER_VIEW, 16, 16, 1, 1, 4, 0},
    {RES_VERTICES, TARGET_BUFFER, 64, BIND_VERTEX_BUFFER, 1024, 1, 1, 1, 0, 0},
    {RES_INDICES, TARGET_BUFFER, 64, BIND_INDEX_BUFFER, 64, 1, 1, 1, 0, 0},
    {RES_QUERY, TARGET_BUFFER, 64, BIND_CUSTOM, 64, 1, 1, 1, 0, 0},
};

void
scene_states(struct stream *s, uint32_t rasterizer)
{
    PACKET(s, 1, 1, OBJ_BLEND, 0, 0, 15u << 27, 0, 0, 0, 0, 0, 0, 0);
    PACKET(s, 1, 2, OBJ_RASTERIZER, 1 << 1 | 1 << 29 | rasterizer, float_bits(1), 0, 0,
           float_bits(1), 0, 0, 0);
    PACKET(s, 1, 3, OBJ_DSA, 1 | 1 << 1 | FUNC_LESS << 2, 0, 0, 0);
}

void
scene_shaders(struct stream *s, const char *vs, const char *fs)
{
    stream_shader(s, OBJ_VS, 0, vs);
    stream_shader(s, OBJ_FS, 1, fs);
}

void
scene_bind(struct stream *s)
{
    PACKET(s, 2, 1, OBJ_BLEND);
    PACKET(s, 2, 2, OBJ_RASTERIZER);
    PACKET(s, 2, 3, OBJ_DSA);
    PACKET(s, 2, 5, OBJ_ELEMENTS);
    PACKET(s, 31, 0, OBJ_VS, 0);
    PACKET(s, 31, 0, OBJ_FS, 1);
}

void
scene_surfaces(struct stream *s, uint32_t color_format, uint32_t depth_format)
{
    PACKET(s, 1, 8, OBJ_COLOR, RES_COLOR, color_format, 0, 0);
    if (depth_format)
        PACKET(s, 1, 8, OBJ_DEPTH, RES_DEPTH, depth_format, 0, 0);
    PACKET(s, 5, 0, 1, depth_format ? OBJ_DEPTH : 0, OBJ_COLOR);
}

void
scene_viewport(struct stream *s, float width, float height)
{
    PACKET(s, 4, 0, 0, float_bits(width / 2), float_bits(height / 2), float_bits(.5f),
           float_bits(width / 2), float_bits(height / 2), float_bits(.5f));
}

void
scene_objects(struct stream *s)
{
    scene_states(s, 0);
    scene_shaders(s, scene_vs, scene_fs);
    PACKET(s, 1, 5, OBJ_ELEMENTS, 0, 0, 0, 31, 16, 0, 0, 31);
    PACKET(s, 1, 6, OBJ_VIEW, RES_TEXTURE, 1, 0, 4 << 8, 0 | 1 << 3 | 2 << 6 | 3 << 9);
    PACKET(s, 1, 7, OBJ_SAMPLER, 1 << 9 | 1 << 13, 0, 0, float_bits(9), 0, 0, 0, 0);
    scene_surfaces(s, 1, 19);
    PACKET(s, 1, 9, OBJ_QUERY, 0, 16, RES_QUERY);
}

void
scene_bindings(struct stream *s)
{
    scene_bind(s);
    PACKET(s, 5, 0, 1, OBJ_DEPTH, OBJ_COLOR);
    PACKET(s, 6, 0, 32, 64, RES_VERTICES);
    PACKET(s, 11, 0, RES_INDICES, 2, 6);
    PACKET(s, 10, 0, 1, 0, OBJ_VIEW);
    PACKET(s, 18, 0, 1, 0, OBJ_SAMPLER);
    PACKET(s, 12, 0, 0, 0, 1, 2, 3, 4, 5);
    PACKET(s, 4, 0, 0, float_bits(32), float_bits(-16), float_bits(.5f), float_bits(32),
           float_bits(16), float_bits(.5f));
    PACKET(s, 15, 0, 0, 4 | 8 << 16, 100 | 20 << 16);
}

void
scene_draw(struct stream *s, uint32_t mode, bool indexed)
{
    PACKET(s, 8, 0, 3, 6, mode, indexed, 1, 0, 0, 0, 0, 0, ~0u, 0);
}
