/* Decoded state objects. Hashes of draws (state/identity.h) include the numbers of the
 * enumerations, so never renumber a member. */
#ifndef AETIUS_STATE_STATE_H
#define AETIUS_STATE_STATE_H

#include "isa/program.h"

enum {
    MAX_ATTRIBUTES = 16, /* also the maximum number of vertex buffers */
    MAX_COLOR_BUFFERS = 8,
    MAX_CLIP_PLANES = 8,
    MAX_POINT_SIZE = 255, /* pixels; a larger size, also of a shader, is drawn with this size */
    MAX_LINE_WIDTH = 255,
};

enum compare_func {
    FUNC_NEVER,
    FUNC_LESS,
    FUNC_EQUAL,
    FUNC_LEQUAL,
    FUNC_GREATER,
    FUNC_NOTEQUAL,
    FUNC_GEQUAL,
    FUNC_ALWAYS,
};

enum stencil_op {
    STENCIL_KEEP,
    STENCIL_ZERO,
    STENCIL_REPLACE,
    STENCIL_INCR,
    STENCIL_DECR,
    STENCIL_INCR_WRAP,
    STENCIL_DECR_WRAP,
    STENCIL_INVERT,
};

enum blend_factor {
    FACTOR_ONE = 0x1,
    FACTOR_SRC_COLOR = 0x2,
    FACTOR_SRC_ALPHA = 0x3,
    FACTOR_DST_ALPHA = 0x4,
    FACTOR_DST_COLOR = 0x5,
    FACTOR_SRC_ALPHA_SATURATE = 0x6,
    FACTOR_CONST_COLOR = 0x7,
    FACTOR_CONST_ALPHA = 0x8,
    FACTOR_SRC1_COLOR = 0x9,
    FACTOR_SRC1_ALPHA = 0xa,
    FACTOR_ZERO = 0x11,
    FACTOR_INV_SRC_COLOR = 0x12,
    FACTOR_INV_SRC_ALPHA = 0x13,
    FACTOR_INV_DST_ALPHA = 0x14,
    FACTOR_INV_DST_COLOR = 0x15,
    FACTOR_INV_CONST_COLOR = 0x17,
    FACTOR_INV_CONST_ALPHA = 0x18,
    FACTOR_INV_SRC1_COLOR = 0x19,
    FACTOR_INV_SRC1_ALPHA = 0x1a,
};

enum blend_func { BLEND_ADD, BLEND_SUBTRACT, BLEND_REVERSE_SUBTRACT, BLEND_MIN, BLEND_MAX };

struct blend_target {
    bool enable;
    uint8_t rgb_func, rgb_src, rgb_dst;
    uint8_t alpha_func, alpha_src, alpha_dst;
    uint8_t colormask; /* 1 R, 2 G, 4 B, 8 A */
};

struct blend_state {
    bool independent, logicop_enable, dither, alpha_to_coverage, alpha_to_one;
    uint8_t logicop; /* CLEAR 0, NOR 1, ... COPY 12, ... SET 15 (gfx/blend.c) */
    struct blend_target rt[MAX_COLOR_BUFFERS]; /* all are filled, even if not `independent` */
};

struct stencil_face {
    bool enabled;
    uint8_t func, fail_op, zpass_op, zfail_op, valuemask, writemask;
};

struct dsa_state {
    bool depth_enable, depth_write, alpha_enable;
    uint8_t depth_func, alpha_func;
    float alpha_ref;
    struct stencil_face stencil[2]; /* [1].enabled: two-sided stencil */
};

enum cull_face { CULL_NONE, CULL_FRONT, CULL_BACK, CULL_BOTH };
enum fill_mode { FILL_FILL, FILL_LINE, FILL_POINT };

struct rasterizer_state {
    bool flatshade, depth_clip, clip_halfz, discard, flatshade_first, light_twoside;
    bool sprite_coord_upper_left; /* set if sprite_coord_mode is 0 */
    bool point_quad, scissor, front_ccw;
    bool offset_line, offset_point, offset_tri, poly_smooth, poly_stipple, point_smooth;
    bool point_size_per_vertex, multisample, line_smooth, line_stipple, line_last_pixel;
    bool half_pixel_center, bottom_edge_rule, force_persample;
    uint8_t cull, fill_front, fill_back;
    uint8_t clip_plane_enable;
    uint32_t sprite_coord_enable;
    uint16_t line_stipple_pattern;
    uint16_t line_stipple_factor; /* 1..256 */
    float point_size, line_width, offset_units, offset_scale, offset_clamp;
};

struct vertex_element {
    uint32_t offset, divisor, buffer, format;
};
struct vertex_elements {
    uint32_t count;
    struct vertex_element items[MAX_ATTRIBUTES];
};

enum wrap_mode {
    WRAP_REPEAT,
    WRAP_CLAMP,
    WRAP_CLAMP_TO_EDGE,
    WRAP_CLAMP_TO_BORDER,
    WRAP_MIRROR_REPEAT,
    WRAP_MIRROR_CLAMP,
    WRAP_MIRROR_CLAMP_TO_EDGE,
    WRAP_MIRROR_CLAMP_TO_BORDER,
};
enum img_filter { FILTER_NEAREST, FILTER_LINEAR };
enum mip_filter { MIP_NEAREST, MIP_LINEAR, MIP_NONE };

struct sampler_state {
    uint8_t wrap_s, wrap_t, wrap_r;
    uint8_t min_filter, mip_filter, mag_filter;
    bool compare, seamless_cube;
    uint8_t compare_func, max_anisotropy; /* max_anisotropy: 0 and 1 mean none */
    float lod_bias, min_lod, max_lod;
    uint32_t border[4]; /* raw: floats, or integers for integer formats */
};

struct sampler_view {                  /* view of a resource */
    uint32_t resource, format, target; /* target: enum gpu_target */
    uint32_t first_layer, last_layer, first_level, last_level;
    uint32_t first_element, last_element; /* buffers only */
    uint8_t swizzle[4];                   /* 0..3 RGBA, 4 zero, 5 one */
};

enum { MAX_BUFFER_TEXELS = 1 << 27 }; /* of a buffer texture */

/* Number of texels of a buffer texture. */
static inline uint32_t
view_elements(const struct sampler_view *view)
{
    return view->last_element - view->first_element + 1;
}

struct surface { /* a level and layers of a resource, used as a render target */
    uint32_t resource, format, level, first_layer, last_layer, samples;
};

struct viewport_state {
    float scale[3], translate[3];
};
struct scissor_state {
    uint16_t min_x, min_y, max_x, max_y; /* max is exclusive */
};

struct so_target {
    uint32_t resource, offset, size;
};
/* Buffers to clear. */
enum buffer_mask {
    MASK_DEPTH = 1 << 0,
    MASK_STENCIL = 1 << 1,
    MASK_COLOR0 = 1 << 2, /* up to MASK_COLOR0 << 7 */
};

#endif
