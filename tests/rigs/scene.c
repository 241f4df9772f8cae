/* Packets of a complete draw. */
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
    {RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET, 64, 32,
     1, 1, 0, 0},
    {RES_DEPTH, TARGET_2D, FORMAT_Z24_UNORM_S8_UINT, BIND_DEPTH_STENCIL, 64, 40, 1, 1, 0, 0},
    {RES_TEXTURE, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_SAMPLER_VIEW, 16, 16, 1, 1, 4, 0},
    {RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, 1024, 1, 1, 1, 0, 0},
    {RES_INDICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_INDEX_BUFFER, 64, 1, 1, 1, 0, 0},
    {RES_QUERY, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_CUSTOM, 64, 1, 1, 1, 0, 0},
};

void
scene_states(struct stream *s, uint32_t rasterizer)
{
    stream_blend(s, OBJ_BLEND, BLEND_WRITES);
    CREATE(s, VOBJ_RASTERIZER, OBJ_RASTERIZER,
           RASTERIZER_DEPTH_CLIP | RASTERIZER_HALF_PIXEL_CENTER | rasterizer, float_bits(1), 0, 0,
           float_bits(1), 0, 0, 0);
    stream_depth(s, OBJ_DSA, FUNC_LESS);
}

void
scene_shaders(struct stream *s, const char *vs, const char *fs)
{
    stream_shader(s, OBJ_VS, VSTAGE_VERTEX, vs);
    stream_shader(s, OBJ_FS, VSTAGE_FRAGMENT, fs);
}

void
scene_bind(struct stream *s)
{
    stream_bind(s, VOBJ_BLEND, OBJ_BLEND);
    stream_bind(s, VOBJ_RASTERIZER, OBJ_RASTERIZER);
    stream_bind(s, VOBJ_DSA, OBJ_DSA);
    stream_bind(s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS);
    stream_bind_shader(s, OBJ_VS, VSTAGE_VERTEX);
    stream_bind_shader(s, OBJ_FS, VSTAGE_FRAGMENT);
}

void
scene_surfaces(struct stream *s, uint32_t color_format, uint32_t depth_format)
{
    stream_surface(s, OBJ_COLOR, RES_COLOR, color_format);
    if (depth_format)
        stream_surface(s, OBJ_DEPTH, RES_DEPTH, depth_format);
    PACKET(s, CMD_SET_FRAMEBUFFER_STATE, 1, depth_format ? OBJ_DEPTH : 0, OBJ_COLOR);
}

void
scene_viewport(struct stream *s, float width, float height)
{
    PACKET(s, CMD_SET_VIEWPORT_STATE, 0, float_bits(width / 2), float_bits(height / 2),
           float_bits(.5f), float_bits(width / 2), float_bits(height / 2), float_bits(.5f));
}

void
scene_objects(struct stream *s)
{
    scene_states(s, 0);
    scene_shaders(s, scene_vs, scene_fs);
    CREATE(s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT, 16, 0, 0,
           FORMAT_R32G32B32A32_FLOAT);
    stream_view(s, OBJ_VIEW, RES_TEXTURE, FORMAT_B8G8R8A8_UNORM, 4);
    stream_sampler(s, OBJ_SAMPLER, FILTER_LINEAR);
    scene_surfaces(s, FORMAT_B8G8R8A8_UNORM, FORMAT_Z24_UNORM_S8_UINT);
    CREATE(s, VOBJ_QUERY, OBJ_QUERY, QUERY_OCCLUSION_COUNTER, 16, RES_QUERY);
}

void
scene_bindings(struct stream *s)
{
    scene_bind(s);
    PACKET(s, CMD_SET_FRAMEBUFFER_STATE, 1, OBJ_DEPTH, OBJ_COLOR);
    PACKET(s, CMD_SET_VERTEX_BUFFERS, 32, 64, RES_VERTICES);
    PACKET(s, CMD_SET_INDEX_BUFFER, RES_INDICES, 2, 6);
    PACKET(s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_VIEW);
    PACKET(s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 0, OBJ_SAMPLER);
    PACKET(s, CMD_SET_CONSTANT_BUFFER, VSTAGE_VERTEX, 0, 1, 2, 3, 4, 5);
    PACKET(s, CMD_SET_VIEWPORT_STATE, 0, float_bits(32), float_bits(-16), float_bits(.5f),
           float_bits(32), float_bits(16), float_bits(.5f));
    PACKET(s, CMD_SET_SCISSOR_STATE, 0, 4 | 8 << 16, 100 | 20 << 16);
}

void
scene_draw(struct stream *s, uint32_t mode, bool indexed)
{
    PACKET(s, CMD_DRAW_VBO, 3, 6, mode, indexed, 1, 0, 0, 0, 0, 0, ~0u, 0);
}
