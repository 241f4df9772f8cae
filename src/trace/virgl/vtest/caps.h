/* Capabilities that this GPU offers to Mesa, one set for each value of --gl. Mesa derives the
 * versions of OpenGL and OpenGL ES from them. The GLSL level is 130 or more: below 130, Mesa
 * represents integers as floats but computes array addresses with integer opcodes. For one value of
 * --gl, the capabilities are the same in all modes and for all renderers. Therefore, a trace never
 * uses features that this GPU lacks. */
#ifndef AETIUS_TRACE_CAPS_H
#define AETIUS_TRACE_CAPS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CAPS_FORMAT_WORDS = 16,
    CAPS_STAGES = 6,
};

struct caps_formats {
    uint32_t bits[CAPS_FORMAT_WORDS];
};

/* Replies to GET_CAPS and GET_CAPS2, in the wire layout. virgl_caps_v1 has 308 bytes and is the
 * start of virgl_caps_v2. Mesa zeroes the fields that are missing in a shorter v2. */
struct caps_v1 {
    uint32_t max_version;
    struct caps_formats sampler, render, depth_stencil, vertex;
    uint32_t features; /* enum caps_feature */
    uint32_t glsl_level, max_texture_array_layers, max_streamout_buffers;
    uint32_t max_dual_source_render_targets, max_render_targets, max_samples, prim_mask;
    uint32_t max_tbo_size, max_uniform_blocks, max_viewports, max_texture_gather_components;
};

struct caps_v2 {
    struct caps_v1 v1;
    float min_aliased_point_size, max_aliased_point_size;
    float min_smooth_point_size, max_smooth_point_size;
    float min_aliased_line_width, max_aliased_line_width;
    float min_smooth_line_width, max_smooth_line_width;
    float max_texture_lod_bias;
    uint32_t max_geom_output_vertices, max_geom_total_output_components;
    uint32_t max_vertex_outputs, max_vertex_attribs, max_shader_patch_varyings;
    int32_t min_texel_offset, max_texel_offset;
    int32_t min_texture_gather_offset, max_texture_gather_offset;
    uint32_t texture_buffer_offset_alignment, uniform_buffer_offset_alignment;
    uint32_t shader_buffer_offset_alignment;
    uint32_t capability_bits;
    uint32_t sample_locations[8];
    uint32_t max_vertex_attrib_stride;
    uint32_t max_shader_buffer_frag_compute, max_shader_buffer_other_stages;
    uint32_t max_shader_image_frag_compute, max_shader_image_other_stages, max_image_samples;
    uint32_t max_compute_work_group_invocations, max_compute_shared_memory_size;
    uint32_t max_compute_grid_size[3], max_compute_block_size[3];
    uint32_t max_texture_2d_size, max_texture_3d_size, max_texture_cube_size;
    uint32_t max_combined_shader_buffers;
    uint32_t max_atomic_counters[CAPS_STAGES], max_atomic_counter_buffers[CAPS_STAGES];
    uint32_t max_combined_atomic_counters, max_combined_atomic_counter_buffers;
    uint32_t host_feature_check_version;
    struct caps_formats readback, scanout;
    uint32_t capability_bits_v2, max_video_memory;
    char renderer[64];
    float max_anisotropy;
    uint32_t max_shader_sampler_views;
    struct caps_formats multisample;
    uint32_t max_const_buffer_size[CAPS_STAGES];
    uint32_t num_video_caps, video_caps[32][4], max_uniform_block_size;
};

_Static_assert(sizeof(struct caps_v1) == 308, "the version-1 reply is exactly 308 bytes");

/* Bits of caps_v1.features. */
enum caps_feature {
    CAPS_INDEP_BLEND_ENABLE = 1 << 0,
    CAPS_INDEP_BLEND_FUNC = 1 << 1,
    CAPS_CUBE_MAP_ARRAY = 1 << 2,
    CAPS_STENCIL_EXPORT = 1 << 3,
    CAPS_CONDITIONAL_RENDER = 1 << 4,
    CAPS_START_INSTANCE = 1 << 5,
    CAPS_PRIMITIVE_RESTART = 1 << 6,
    CAPS_BLEND_EQ_SEP = 1 << 7,
    CAPS_INSTANCE_ID = 1 << 8,
    CAPS_INSTANCE_DIVISOR = 1 << 9,
    CAPS_SEAMLESS_CUBE_MAP = 1 << 10,
    CAPS_OCCLUSION_QUERY = 1 << 11,
    CAPS_TIMER_QUERY = 1 << 12,
    CAPS_STREAMOUT_PAUSE_RESUME = 1 << 13,
    CAPS_TEXTURE_MULTISAMPLE = 1 << 14,
    CAPS_FRAGMENT_COORD_CONVENTIONS = 1 << 15,
    CAPS_DEPTH_CLIP_DISABLE = 1 << 16,
    CAPS_SEAMLESS_CUBE_MAP_PER_TEXTURE = 1 << 17,
    CAPS_UBO = 1 << 18,
    CAPS_COLOR_CLAMPING = 1 << 19,
    CAPS_POLY_STIPPLE = 1 << 20,
    CAPS_MIRROR_CLAMP = 1 << 21,
    CAPS_TEXTURE_QUERY_LOD = 1 << 22,
    CAPS_POLYGON_OFFSET_CLAMP = 1 << 30,
};

/* Bits of caps_v2.capability_bits. */
enum caps_capability {
    /* EXT_framebuffer_sRGB: a surface can enable or disable the sRGB conversion. */
    CAPS_SRGB_WRITE_CONTROL = 1 << 15,
    /* A framebuffer may have color buffers with different formats. */
    CAPS_MIXED_COLOR_FORMATS = 1 << 18,
};

/* Bits of caps_v2.capability_bits_v2. */
enum caps_capability_v2 {
    CAPS_STRING_MARKER = 1 << 4, /* names of draws, from the program (shim/labels.c) */
};

/* Values of --gl. */
enum gl_offer {
    GL_OFFER_2_1,
    GL_OFFER_3_0,
    GL_OFFER_3_1,
    GL_OFFER_3_2,
    GL_OFFER_3_3,
    GL_OFFER_ES_2,
    GL_OFFER_ES_3,
    GL_OFFER_COUNT,
    GL_OFFER_DEFAULT = GL_OFFER_3_3
};

/* Finds the offer with a name, e.g. "2.1". NULL is the default. */
bool gl_offer_parse(const char *name, enum gl_offer *offer, struct error *err);
/* Returns the value of --gl. */
const char *gl_offer_name(enum gl_offer offer);
/* Returns the highest version of OpenGL, or of OpenGL ES, with these capabilities: "2.1". */
const char *gl_offer_version(enum gl_offer offer, bool is_es);
/* Returns the argument of --gl that offers this version or a later one, e.g. 3.0; NULL: none does.
 */
const char *gl_offer_with(double version, bool is_es);

void caps_fill(struct caps_v2 *caps, enum gl_offer offer);
/* Finds the offer with exactly these capabilities. Returns false if this version of Aetius has
 * none; *offer is then the default. */
bool caps_find_offer(const struct caps_v2 *caps, enum gl_offer *offer);
/* Returns whether the trace at `path` can be executed, which requires that its program was captured
 * with a sufficient GLSL level. Otherwise sets an error. */
bool caps_check_level(uint32_t glsl_level, const char *path, struct error *err);

/* In caps_fields.c: access to the capabilities field by field. */
enum caps_kind { CAPS_NUMBER, CAPS_REAL, CAPS_BITS };

struct caps_field {
    const char *name;
    enum caps_kind kind;
    size_t offset, size_bytes;
};
extern const struct caps_field caps_fields[];
extern const size_t caps_field_count;

bool caps_field_differs(const struct caps_field *field, const struct caps_v2 *a,
                        const struct caps_v2 *b);
/* Formats a field as a number or as hexadecimal flags. A longer field is formatted as a checksum
 * (#...). */
void caps_field_text(const struct caps_field *field, const struct caps_v2 *caps, char *text,
                     size_t size);
/* Returns a checksum of all capabilities, for comparing two traces. */
uint32_t caps_digest(const struct caps_v2 *caps);

#endif
