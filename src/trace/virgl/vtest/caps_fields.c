/* Capabilities by name, for displaying and comparing the capabilities of traces. */
#include "trace/virgl/vtest/caps.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define FIELD(kind, member)                                                                        \
    {                                                                                              \
#member, CAPS_##kind, offsetof(struct caps_v2, member),                                    \
            sizeof(((struct caps_v2 *)NULL)->member)                                               \
    }
#define FIELD_V1(kind, member)                                                                     \
    {                                                                                              \
#member, CAPS_##kind, offsetof(struct caps_v2, v1.member),                                 \
            sizeof(((struct caps_v2 *)NULL)->v1.member)                                            \
    }

/* All fields of struct caps_v2, in order. */
const struct caps_field caps_fields[] = {
    FIELD_V1(NUMBER, max_version),
    FIELD_V1(BITS, sampler),
    FIELD_V1(BITS, render),
    FIELD_V1(BITS, depth_stencil),
    FIELD_V1(BITS, vertex),
    FIELD_V1(BITS, features),
    FIELD_V1(NUMBER, glsl_level),
    FIELD_V1(NUMBER, max_texture_array_layers),
    FIELD_V1(NUMBER, max_streamout_buffers),
    FIELD_V1(NUMBER, max_dual_source_render_targets),
    FIELD_V1(NUMBER, max_render_targets),
    FIELD_V1(NUMBER, max_samples),
    FIELD_V1(BITS, prim_mask),
    FIELD_V1(NUMBER, max_tbo_size),
    FIELD_V1(NUMBER, max_uniform_blocks),
    FIELD_V1(NUMBER, max_viewports),
    FIELD_V1(NUMBER, max_texture_gather_components),
    FIELD(REAL, min_aliased_point_size),
    FIELD(REAL, max_aliased_point_size),
    FIELD(REAL, min_smooth_point_size),
    FIELD(REAL, max_smooth_point_size),
    FIELD(REAL, min_aliased_line_width),
    FIELD(REAL, max_aliased_line_width),
    FIELD(REAL, min_smooth_line_width),
    FIELD(REAL, max_smooth_line_width),
    FIELD(REAL, max_texture_lod_bias),
    FIELD(NUMBER, max_geom_output_vertices),
    FIELD(NUMBER, max_geom_total_output_components),
    FIELD(NUMBER, max_vertex_outputs),
    FIELD(NUMBER, max_vertex_attribs),
    FIELD(NUMBER, max_shader_patch_varyings),
    FIELD(NUMBER, min_texel_offset),
    FIELD(NUMBER, max_texel_offset),
    FIELD(NUMBER, min_texture_gather_offset),
    FIELD(NUMBER, max_texture_gather_offset),
    FIELD(NUMBER, texture_buffer_offset_alignment),
    FIELD(NUMBER, uniform_buffer_offset_alignment),
    FIELD(NUMBER, shader_buffer_offset_alignment),
    FIELD(BITS, capability_bits),
    FIELD(BITS, sample_locations),
    FIELD(NUMBER, max_vertex_attrib_stride),
    FIELD(NUMBER, max_shader_buffer_frag_compute),
    FIELD(NUMBER, max_shader_buffer_other_stages),
    FIELD(NUMBER, max_shader_image_frag_compute),
    FIELD(NUMBER, max_shader_image_other_stages),
    FIELD(NUMBER, max_image_samples),
    FIELD(NUMBER, max_compute_work_group_invocations),
    FIELD(NUMBER, max_compute_shared_memory_size),
    FIELD(BITS, max_compute_grid_size),
    FIELD(BITS, max_compute_block_size),
    FIELD(NUMBER, max_texture_2d_size),
    FIELD(NUMBER, max_texture_3d_size),
    FIELD(NUMBER, max_texture_cube_size),
    FIELD(NUMBER, max_combined_shader_buffers),
    FIELD(BITS, max_atomic_counters),
    FIELD(BITS, max_atomic_counter_buffers),
    FIELD(NUMBER, max_combined_atomic_counters),
    FIELD(NUMBER, max_combined_atomic_counter_buffers),
    FIELD(NUMBER, host_feature_check_version),
    FIELD(BITS, readback),
    FIELD(BITS, scanout),
    FIELD(BITS, capability_bits_v2),
    FIELD(NUMBER, max_video_memory),
    FIELD(BITS, renderer),
    FIELD(REAL, max_anisotropy),
    FIELD(NUMBER, max_shader_sampler_views),
    FIELD(BITS, multisample),
    FIELD(BITS, max_const_buffer_size),
    FIELD(NUMBER, num_video_caps),
    FIELD(BITS, video_caps),
    FIELD(NUMBER, max_uniform_block_size),
};
const size_t caps_field_count = sizeof caps_fields / sizeof *caps_fields;

bool
caps_field_differs(const struct caps_field *field, const struct caps_v2 *a, const struct caps_v2 *b)
{
    return memcmp((const char *)a + field->offset, (const char *)b + field->offset,
                  field->size_bytes) != 0;
}

void
caps_field_text(const struct caps_field *field, const struct caps_v2 *caps, char *text, size_t size)
{
    const char *from = (const char *)caps + field->offset;
    int32_t number;
    float real;
    memcpy(&number, from, sizeof number);
    memcpy(&real, from, sizeof real);
    switch (field->kind) {
    case CAPS_NUMBER: snprintf(text, size, "%d", number); break;
    case CAPS_REAL: snprintf(text, size, "%g", (double)real); break;
    case CAPS_BITS:
        if (field->size_bytes == 4)
            snprintf(text, size, "0x%x", (uint32_t)number);
        else /* too long to print */
            snprintf(text, size, "#%08x",
                     (uint32_t)crc32_z(0, (const Bytef *)from, field->size_bytes));
        break;
    }
}

uint32_t
caps_digest(const struct caps_v2 *caps)
{
    return (uint32_t)crc32_z(0, (const Bytef *)caps, sizeof *caps);
}
