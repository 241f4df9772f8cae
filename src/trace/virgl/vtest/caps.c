/* Capabilities of the virtual GPU. docs/design/capabilities.md explains each field and its use in
 * Mesa 22.3 (virgl_screen.c). The wire layout is virgl_caps_v2 (virgl_hw.h). */
#include "trace/virgl/vtest/caps.h"

#include "state/format.h"
#include "gfx/samples.h"
#include "state/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_GLSL_LEVEL = 130 }; /* first level with integers */

static const struct {
    const char *name;         /* value of --gl */
    const char *desktop, *es; /* highest versions that Mesa derives */
    /* Capabilities beyond OpenGL 2.1: texture arrays, stream output, and the formats of OpenGL 3.0;
     * blend states per draw buffer; uniform blocks; GLSL 1.40 and buffer textures; GLSL 1.50 and
     * geometry programs; GLSL 3.30, a second source color, R10G10B10A2_UINT, and clamped polygon
     * offsets. */
    bool gl3, blends_each, blocks, gl31, gl32, gl33;
} offers[GL_OFFER_COUNT] = {
    [GL_OFFER_2_1] = {"2.1", "2.1", "2.0", false, false, false, false, false, false},
    [GL_OFFER_3_0] = {"3.0", "3.0", "2.0", true, true, false, false, false, false},
    [GL_OFFER_3_1] = {"3.1", "3.1", "3.0", true, true, true, true, false, false},
    [GL_OFFER_3_2] = {"3.2", "3.2", "3.0", true, true, true, true, true, false},
    [GL_OFFER_3_3] = {"3.3", "3.3", "3.0", true, true, true, true, true, true},
    [GL_OFFER_ES_2] = {"es2", "2.1", "2.0", false, false, false, false, false, false},
    [GL_OFFER_ES_3] = {"es3", "2.1", "3.0", true, false, true, false, false, false},
};

bool
gl_offer_parse(const char *name, enum gl_offer *offer, struct error *err)
{
    char known[64] = "";
    for (size_t i = 0; i < GL_OFFER_COUNT; i++) {
        if (!name || !strcmp(name, offers[i].name)) {
            *offer = name ? (enum gl_offer)i : GL_OFFER_DEFAULT;
            return true;
        }
        const size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", offers[i].name);
    }
    return fail(err, "--gl '%s': expected one of %s", name, known);
}

const char *
gl_offer_name(enum gl_offer offer)
{
    return offers[offer].name;
}

const char *
gl_offer_version(enum gl_offer offer, bool is_es)
{
    return is_es ? offers[offer].es : offers[offer].desktop;
}

const char *
gl_offer_with(double version, bool is_es)
{
    for (enum gl_offer i = 0; i < GL_OFFER_COUNT; i++)
        if (strtod(gl_offer_version(i, is_es), NULL) >= version)
            return offers[i].name;
    return NULL;
}

static void
offer(struct caps_formats *formats, uint32_t number)
{
    if (number / 32 < CAPS_FORMAT_WORDS)
        formats->bits[number / 32] |= 1u << number % 32;
}

/* Formats that this GPU supports but does not offer. The reference renderer (virgl_test_server
 * 0.10.4 with llvmpipe) rejects resources of these formats, and every trace must run on both. Mesa
 * uses similar formats instead: S8_UINT_Z24 for depth with stencil, RGBA for luminance with
 * alpha. */
static const uint16_t unknown_to_reference[] = {
    FORMAT_I8_UNORM,           FORMAT_L8A8_UNORM,     FORMAT_Z24_UNORM_S8_UINT,
    FORMAT_X8Z24_UNORM,        FORMAT_X8B8G8R8_UNORM, FORMAT_L8A8_SRGB,
    FORMAT_A8B8G8R8_SRGB,      FORMAT_X8B8G8R8_SRGB,  FORMAT_A8R8G8B8_SRGB,
    FORMAT_X8R8G8B8_SRGB,      FORMAT_L4A4_UNORM,     FORMAT_L16A16_UNORM,
    FORMAT_I16_UNORM,          FORMAT_LATC1_UNORM,    FORMAT_LATC1_SNORM,
    FORMAT_LATC2_UNORM,        FORMAT_LATC2_SNORM,    FORMAT_A8_SNORM,
    FORMAT_L8A8_SNORM,         FORMAT_I8_SNORM,       FORMAT_A16_SNORM,
    FORMAT_L16A16_SNORM,       FORMAT_I16_SNORM,      FORMAT_L16A16_FLOAT,
    FORMAT_I16_FLOAT,          FORMAT_L32A32_FLOAT,   FORMAT_I32_FLOAT,
    FORMAT_R32G32B32X32_FLOAT,
};

static bool
offered(uint32_t number)
{
    /* Integers in alpha, luminance and intensity. Mesa uses them for buffer textures, without a
     * query of the masks. */
    if (number >= FORMAT_A8_UINT && number <= FORMAT_L32A32_SINT)
        return false;
    size_t count = sizeof unknown_to_reference / sizeof unknown_to_reference[0];
    for (size_t i = 0; i < count; i++)
        if (unknown_to_reference[i] == number)
            return false;
    return true;
}

/* Formats of OpenGL 3.0: integers, and those below. */
static bool
is_of_gl3(const struct format_info *format)
{
    return format->is_integer || format->number == FORMAT_R11G11B10_FLOAT ||
           format->number == FORMAT_R9G9B9E5_FLOAT || format->number == FORMAT_Z32_FLOAT_S8X24_UINT;
}

/* Mesa also uses the sampler mask to check depth formats. If the readback or scanout mask is zero,
 * Mesa uses the sampler mask instead. */
static void
fill_formats(struct caps_v2 *caps, bool gl3)
{
    for (size_t i = 0; i < format_count(); i++) {
        const struct format_info *f = format_at(i);
        if (is_of_gl3(f) && !gl3)
            continue;
        if (f->uses & FORMAT_VERTEX)
            offer(&caps->v1.vertex, f->number);
        if (!offered(f->number))
            continue;
        if (f->uses & FORMAT_TEXTURE) {
            offer(&caps->v1.sampler, f->number);
            offer(&caps->readback, f->number);
        }
        if (f->uses & FORMAT_COLOR)
            offer(&caps->v1.render, f->number);
        if (f->uses & FORMAT_DEPTH)
            offer(&caps->v1.depth_stencil, f->number);
        if (f->uses & (FORMAT_COLOR | FORMAT_DEPTH))
            offer(&caps->multisample, f->number);
        if (f->uses & FORMAT_COLOR && f->block_bytes == 4 && !f->is_float && !f->is_integer)
            offer(&caps->scanout, f->number);
    }
}

static void
fill_v1(struct caps_v1 *caps)
{
    caps->max_version = 2;
    /* Without CAPS_COLOR_CLAMPING, Mesa clamps in the shaders. With it, the reference renderer
     * would not clamp at all, because virgl_test_server has a core profile. Mesa uses polygon
     * stipple even if it is not offered. */
    caps->features = CAPS_CONDITIONAL_RENDER | CAPS_PRIMITIVE_RESTART | CAPS_BLEND_EQ_SEP |
                     CAPS_OCCLUSION_QUERY | CAPS_FRAGMENT_COORD_CONVENTIONS |
                     CAPS_DEPTH_CLIP_DISABLE | CAPS_POLY_STIPPLE | CAPS_MIRROR_CLAMP |
                     CAPS_TEXTURE_MULTISAMPLE;
    caps->glsl_level = LEAST_GLSL_LEVEL; /* the context stays GL 2.1 and ES 2.0, as with 120 */
    caps->max_texture_array_layers = 0;
    caps->max_streamout_buffers = 0;
    caps->max_dual_source_render_targets = 0;
    caps->max_render_targets = MAX_COLOR_BUFFERS;
    caps->max_samples = 4; /* as in the reference renderer; with 1, Mesa emulates it */
    caps->prim_mask = (1u << PRIM_QUADS) - 1;
    caps->max_tbo_size = 0;
    caps->max_uniform_blocks = 1; /* only constant buffer 0; more would offer UBOs */
    caps->max_viewports = 1;
    caps->max_texture_gather_components = 0;
}

static void
fill_limits(struct caps_v2 *caps)
{
    caps->min_aliased_point_size = caps->min_smooth_point_size = 1;
    caps->max_aliased_point_size = caps->max_smooth_point_size = MAX_POINT_SIZE;
    caps->min_aliased_line_width = caps->min_smooth_line_width = 1;
    caps->max_aliased_line_width = caps->max_smooth_line_width = MAX_LINE_WIDTH;
    caps->max_texture_lod_bias = 16;
    caps->min_texel_offset = -8;
    caps->max_texel_offset = 7;
    caps->max_vertex_outputs = OFFERED_VARYINGS;
    caps->max_vertex_attribs = MAX_ATTRIBUTES; /* below GLSL level 150 this also limits varyings */
    caps->uniform_buffer_offset_alignment = 256;
    caps->max_vertex_attrib_stride = 2048;
    caps->max_texture_2d_size = 4096;
    caps->max_texture_3d_size = 512;
    caps->max_texture_cube_size = 4096;
    caps->max_anisotropy = 16;
    caps->max_shader_sampler_views = MAX_SAMPLERS;
    for (int stage = 0; stage < CAPS_STAGES; stage++)
        caps->max_const_buffer_size[stage] = OFFERED_CONSTANTS * 4 * sizeof(float);
    caps->max_uniform_block_size = OFFERED_CONSTANTS * 4 * sizeof(float);
}

/* One byte per sample, with four bits each for x and y in 1/16 pixel from the corner of the pixel.
 * Word 0 is for 2 samples, word 1 for 4, words 2 and 3 for 8. */
static void
fill_sample_locations(struct caps_v2 *caps)
{
    for (uint32_t samples = 2; samples <= MAX_SAMPLES; samples *= 2) {
        const struct sample_position *at = sample_positions(samples);
        uint32_t *words = &caps->sample_locations[samples == 8 ? 2 : samples / 4];
        for (uint32_t s = 0; s < samples; s++) {
            const uint32_t x = (uint32_t)(at[s].x + SAMPLE_UNITS / 2);
            const uint32_t y = (uint32_t)(at[s].y + SAMPLE_UNITS / 2);
            words[s / 4] |= (x << 4 | y) << (8 * (s % 4));
        }
    }
}

/* Capabilities beyond those of OpenGL 2.1. */
static void
fill_gl3(struct caps_v2 *caps, enum gl_offer offer)
{
    if (offers[offer].gl3) {
        caps->v1.max_texture_array_layers = 512;
        caps->v1.max_streamout_buffers = MAX_SO_BUFFERS;
        caps->v1.features |= CAPS_STREAMOUT_PAUSE_RESUME;
    }
    if (offers[offer].blends_each)
        caps->v1.features |= CAPS_INDEP_BLEND_ENABLE;
    if (offers[offer].blocks)
        caps->v1.max_uniform_blocks = MAX_CONSTANT_BUFFERS;
    if (offers[offer].gl31) {
        caps->v1.glsl_level = 140;
        caps->v1.max_tbo_size = MAX_BUFFER_TEXELS;
    }
    if (offers[offer].gl32) {
        caps->v1.glsl_level = 150;
        caps->v1.features |= CAPS_SEAMLESS_CUBE_MAP;
        for (uint32_t p = PRIM_LINES_ADJACENCY; p <= PRIM_TRIANGLE_STRIP_ADJACENCY; p++)
            caps->v1.prim_mask |= 1u << p;
        caps->max_geom_output_vertices = MAX_EMITTED_VERTICES;
        caps->max_geom_total_output_components = MAX_EMITTED_OUTPUTS;
    }
    if (offers[offer].gl33) {
        caps->v1.glsl_level = 330;
        caps->v1.max_dual_source_render_targets = 1;
        caps->v1.features |= CAPS_POLYGON_OFFSET_CLAMP; /* Wine requires it for Direct3D 10 */
    }
}

void
caps_fill(struct caps_v2 *caps, enum gl_offer offer)
{
    /* The following features are not offered, so their fields stay zero: tessellation, shader
     * buffers, images, atomics, compute, video, texture views, copy transfers. */
    memset(caps, 0, sizeof *caps);
    fill_v1(&caps->v1);
    fill_limits(caps);
    fill_formats(caps, offers[offer].gl3);
    fill_sample_locations(caps);
    fill_gl3(caps, offer);
    caps->capability_bits = CAPS_SRGB_WRITE_CONTROL | CAPS_MIXED_COLOR_FORMATS;
    caps->capability_bits_v2 = CAPS_STRING_MARKER;
    /* Mesa uses the mask of multisampled formats only if this is at least 9. It uses the TEXCOORD
     * and PCOORD semantics from 10, constant sizes per stage from 12, and the block size from
     * 13. */
    caps->host_feature_check_version = 13;
    strcpy(caps->renderer, "aetius");
}

bool
caps_find_offer(const struct caps_v2 *caps, enum gl_offer *offer)
{
    for (size_t i = 0; i < GL_OFFER_COUNT; i++) {
        struct caps_v2 known;
        *offer = (enum gl_offer)i;
        caps_fill(&known, *offer);
        if (!memcmp(&known, caps, sizeof known))
            return true;
    }
    *offer = GL_OFFER_DEFAULT;
    return false;
}

bool
caps_check_level(uint32_t glsl_level, const char *path, struct error *err)
{
    return glsl_level >= LEAST_GLSL_LEVEL ||
           fail(err,
                "%s was captured at GLSL level %u, whose shaders have no true integers for "
                "addresses; capture it again",
                path, glsl_level);
}
