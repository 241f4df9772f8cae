/* Decodes every command of the stream. The test writes the dwords in the protocol's layout. */
#include "rigs/stream.h"
#include "trace/virgl/decode_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

struct fixture {
    struct decoder *decoder;
    struct stream s;
    struct gpu_cmd cmd;
    struct error err;
};

static int
setup(void **data)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->decoder = decoder_create();
    *data = f;
    return 0;
}

static int
teardown(void **data)
{
    struct fixture *f = *data;
    decoder_destroy(f->decoder);
    free(f);
    return 0;
}

static enum decode_result
decode_first(struct fixture *f)
{
    struct message message = stream_message(&f->s, 1);
    decoder_begin(f->decoder, &message);
    enum decode_result result = decoder_next(f->decoder, &f->cmd, &f->err);
    f->s.count = 0;
    return result;
}

static void
expect(struct fixture *f, enum gpu_op op)
{
    enum decode_result result = decode_first(f);
    if (result == DECODE_ERROR)
        print_error("%s\n", f->err.text);
    assert_int_equal(result, DECODE_COMMAND);
    assert_int_equal(f->cmd.op, op);
    assert_int_equal(f->cmd.client, 1);
}

static void
expect_error(struct fixture *f, const char *text)
{
    assert_int_equal(decode_first(f), DECODE_ERROR);
    assert_string_equal(f->err.text, text);
}

static void
expect_nothing(struct fixture *f)
{
    assert_int_equal(decode_first(f), DECODE_DONE);
}

/* Checks the numbers of the protocol. The tests below use only the names. */
static void
numbers_of_the_protocol(void **data)
{
    static const enum virgl_command commands[] = {CMD_NOP,
                                                  CMD_CREATE_OBJECT,
                                                  CMD_BIND_OBJECT,
                                                  CMD_DESTROY_OBJECT,
                                                  CMD_SET_VIEWPORT_STATE,
                                                  CMD_SET_FRAMEBUFFER_STATE,
                                                  CMD_SET_VERTEX_BUFFERS,
                                                  CMD_CLEAR,
                                                  CMD_DRAW_VBO,
                                                  CMD_RESOURCE_INLINE_WRITE,
                                                  CMD_SET_SAMPLER_VIEWS,
                                                  CMD_SET_INDEX_BUFFER,
                                                  CMD_SET_CONSTANT_BUFFER,
                                                  CMD_SET_STENCIL_REF,
                                                  CMD_SET_BLEND_COLOR,
                                                  CMD_SET_SCISSOR_STATE,
                                                  CMD_BLIT,
                                                  CMD_RESOURCE_COPY_REGION,
                                                  CMD_BIND_SAMPLER_STATES,
                                                  CMD_BEGIN_QUERY,
                                                  CMD_END_QUERY,
                                                  CMD_GET_QUERY_RESULT,
                                                  CMD_SET_POLYGON_STIPPLE,
                                                  CMD_SET_CLIP_STATE,
                                                  CMD_SET_SAMPLE_MASK,
                                                  CMD_SET_STREAMOUT_TARGETS,
                                                  CMD_SET_RENDER_CONDITION,
                                                  CMD_SET_UNIFORM_BUFFER,
                                                  CMD_SET_SUB_CTX,
                                                  CMD_CREATE_SUB_CTX,
                                                  CMD_DESTROY_SUB_CTX,
                                                  CMD_BIND_SHADER,
                                                  CMD_SET_TESS_STATE,
                                                  CMD_SET_MIN_SAMPLES,
                                                  CMD_SET_SHADER_BUFFERS,
                                                  CMD_SET_SHADER_IMAGES,
                                                  CMD_MEMORY_BARRIER,
                                                  CMD_LAUNCH_GRID,
                                                  CMD_SET_FRAMEBUFFER_STATE_NO_ATTACH,
                                                  CMD_TEXTURE_BARRIER,
                                                  CMD_SET_ATOMIC_BUFFERS,
                                                  CMD_SET_DEBUG_FLAGS,
                                                  CMD_GET_QUERY_RESULT_QBO,
                                                  CMD_TRANSFER3D,
                                                  CMD_END_TRANSFERS,
                                                  CMD_COPY_TRANSFER3D,
                                                  CMD_SET_TWEAKS,
                                                  CMD_CLEAR_TEXTURE,
                                                  CMD_PIPE_RESOURCE_CREATE,
                                                  CMD_PIPE_RESOURCE_SET_TYPE,
                                                  CMD_GET_MEMORY_INFO,
                                                  CMD_SEND_STRING_MARKER,
                                                  CMD_LINK_SHADER,
                                                  CMD_CREATE_VIDEO_CODEC,
                                                  CMD_DESTROY_VIDEO_CODEC,
                                                  CMD_CREATE_VIDEO_BUFFER,
                                                  CMD_DESTROY_VIDEO_BUFFER,
                                                  CMD_BEGIN_FRAME,
                                                  CMD_DECODE_MACROBLOCK,
                                                  CMD_DECODE_BITSTREAM,
                                                  CMD_ENCODE_BITSTREAM,
                                                  CMD_END_FRAME};
    static const enum virgl_object_type objects[] = {
        VOBJ_BLEND,           VOBJ_RASTERIZER,       VOBJ_DSA,           VOBJ_SHADER,
        VOBJ_VERTEX_ELEMENTS, VOBJ_SAMPLER_VIEW,     VOBJ_SAMPLER_STATE, VOBJ_SURFACE,
        VOBJ_QUERY,           VOBJ_STREAMOUT_TARGET, VOBJ_MSAA_SURFACE};
    static const enum virgl_stage stages[] = {VSTAGE_VERTEX,          VSTAGE_FRAGMENT,
                                              VSTAGE_GEOMETRY,        VSTAGE_TESS_CONTROL,
                                              VSTAGE_TESS_EVALUATION, VSTAGE_COMPUTE};
    (void)data;
    assert_int_equal(sizeof commands / sizeof *commands, 62);
    for (uint32_t i = 0; i < 62; i++)
        assert_int_equal(commands[i], i);
    for (uint32_t i = 0; i < 11; i++)
        assert_int_equal(objects[i], i + 1);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(stages[i], i);
}

static void
blend_object(void **data)
{
    struct fixture *f = *data;
    /* enable, ADD, SRC_ALPHA, INV_SRC_ALPHA; alpha REVERSE_SUBTRACT, ONE, ZERO; mask RGB */
    uint32_t rt = 1 | 0 << 1 | 0x3 << 4 | 0x13 << 9 | 2 << 14 | 1 << 17 | 0x11 << 22 | 7u << 27;
    CREATE(&f->s, VOBJ_BLEND, 77, 1 << 1 | 1 << 3, 12, rt, 0, 0, 0, 0, 0, 0, 0);
    expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.type, OBJECT_BLEND);
    assert_int_equal(f->cmd.create.handle, 77);
    const struct blend_state *b = &f->cmd.create.blend;
    assert_false(b->independent);
    assert_true(b->logicop_enable);
    assert_true(b->alpha_to_coverage);
    assert_int_equal(b->logicop, 12);
    for (uint32_t i = 0; i < 8; i += 7) { /* without independent blending target 0 applies to all */
        assert_true(b->rt[i].enable);
        assert_int_equal(b->rt[i].rgb_src, FACTOR_SRC_ALPHA);
        assert_int_equal(b->rt[i].rgb_dst, FACTOR_INV_SRC_ALPHA);
        assert_int_equal(b->rt[i].alpha_func, BLEND_REVERSE_SUBTRACT);
        assert_int_equal(b->rt[i].alpha_dst, FACTOR_ZERO);
        assert_int_equal(b->rt[i].colormask, 7);
    }
    CREATE(&f->s, VOBJ_BLEND, 78, 1, 0, rt, 15u << 27, 0, 0, 0, 0, 0, 0);
    expect(f, GPU_CREATE_OBJECT);
    assert_false(f->cmd.create.blend.rt[1].enable);
    assert_int_equal(f->cmd.create.blend.rt[1].colormask, 15);
    CREATE(&f->s, VOBJ_BLEND, 79, 0, 0, 1 | 5 << 1, 0, 0, 0, 0, 0, 0, 0);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: blend: target 0: function 5 or 0 is not one "
                    "of 0 .. 4");
    CREATE(&f->s, VOBJ_BLEND, 79, 0, 0, 1 | 0x16 << 4, 0, 0, 0, 0, 0, 0, 0);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: blend: target 0: unknown factor 0x16");
}

static void
rasterizer_object(void **data)
{
    struct fixture *f = *data;
    uint32_t s0 = 1 | 1 << 1 | 1 << 5 | 1 << 6 | 2 << 8 | 0 << 10 | 1 << 12 | 1 << 14 | 1 << 15 |
                  1 << 20 | 1 << 24 | 1 << 29 | 1u << 31;
    CREATE(&f->s, VOBJ_RASTERIZER, 5, s0, float_bits(3), 0x81, 0xf0f0 | 4 << 16 | 0x21u << 24,
           float_bits(2), float_bits(-1), float_bits(.5f), float_bits(.25f));
    expect(f, GPU_CREATE_OBJECT);
    const struct rasterizer_state *r = &f->cmd.create.rasterizer;
    assert_true(r->flatshade && r->depth_clip && r->light_twoside && r->scissor && r->front_ccw);
    assert_true(r->offset_tri && r->point_size_per_vertex && r->half_pixel_center);
    assert_true(r->force_persample);
    assert_false(r->clip_halfz || r->discard || r->flatshade_first || r->point_quad);
    assert_false(r->sprite_coord_upper_left || r->offset_line || r->multisample);
    assert_int_equal(r->cull, CULL_BACK);
    assert_int_equal(r->fill_front, FILL_FILL);
    assert_int_equal(r->fill_back, FILL_LINE);
    assert_true(r->point_size == 3 && r->line_width == 2 && r->offset_units == -1);
    assert_true(r->offset_scale == .5f && r->offset_clamp == .25f);
    assert_int_equal(r->sprite_coord_enable, 0x81);
    assert_int_equal(r->line_stipple_pattern, 0xf0f0);
    assert_int_equal(r->line_stipple_factor, 5); /* stored minus 1 */
    assert_int_equal(r->clip_plane_enable, 0x21);
    CREATE(&f->s, VOBJ_RASTERIZER, 5, 3 << 10, 0, 0, 0, 0, 0, 0, 0);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: rasterizer: fill mode 3 is not one of "
                    "0 .. 2");
}

static void
dsa_object(void **data)
{
    struct fixture *f = *data;
    uint32_t face = 1 | FUNC_EQUAL << 1 | STENCIL_REPLACE << 4 | STENCIL_INCR << 7 |
                    STENCIL_INVERT << 10 | 0xa5 << 13 | 0x3cu << 21;
    CREATE(&f->s, VOBJ_DSA, 9, 1 | 1 << 1 | FUNC_LEQUAL << 2 | 1 << 8 | FUNC_GREATER << 9, face, 0,
           float_bits(.5f));
    expect(f, GPU_CREATE_OBJECT);
    const struct dsa_state *d = &f->cmd.create.dsa;
    assert_true(d->depth_enable && d->depth_write && d->alpha_enable);
    assert_int_equal(d->depth_func, FUNC_LEQUAL);
    assert_int_equal(d->alpha_func, FUNC_GREATER);
    assert_true(d->alpha_ref == .5f);
    assert_true(d->stencil[0].enabled);
    assert_false(d->stencil[1].enabled);
    assert_int_equal(d->stencil[0].func, FUNC_EQUAL);
    assert_int_equal(d->stencil[0].fail_op, STENCIL_REPLACE);
    assert_int_equal(d->stencil[0].zpass_op, STENCIL_INCR);
    assert_int_equal(d->stencil[0].zfail_op, STENCIL_INVERT);
    assert_int_equal(d->stencil[0].valuemask, 0xa5);
    assert_int_equal(d->stencil[0].writemask, 0x3c);
    CREATE(&f->s, VOBJ_DSA, 9, 0, 0, 0);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: length 4 is not 5");
}

/* The bits of Mesa's virgl_protocol.h, each in a separate packet. */
#define CREATED(field) offsetof(struct gpu_cmd, create.field)
static const struct flag {
    uint32_t command, object, length, dword, bit;
    size_t offset; /* offset of the bool in struct gpu_cmd */
} flags[] = {
    {CMD_CREATE_OBJECT, VOBJ_BLEND, 11, 1, 0, CREATED(blend.independent)},
    {CMD_CREATE_OBJECT, VOBJ_BLEND, 11, 1, 1, CREATED(blend.logicop_enable)},
    {CMD_CREATE_OBJECT, VOBJ_BLEND, 11, 1, 2, CREATED(blend.dither)},
    {CMD_CREATE_OBJECT, VOBJ_BLEND, 11, 1, 3, CREATED(blend.alpha_to_coverage)},
    {CMD_CREATE_OBJECT, VOBJ_BLEND, 11, 1, 4, CREATED(blend.alpha_to_one)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 0, CREATED(rasterizer.flatshade)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 1, CREATED(rasterizer.depth_clip)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 2, CREATED(rasterizer.clip_halfz)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 3, CREATED(rasterizer.discard)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 4, CREATED(rasterizer.flatshade_first)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 5, CREATED(rasterizer.light_twoside)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 7, CREATED(rasterizer.point_quad)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 14, CREATED(rasterizer.scissor)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 15, CREATED(rasterizer.front_ccw)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 18, CREATED(rasterizer.offset_line)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 19, CREATED(rasterizer.offset_point)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 20, CREATED(rasterizer.offset_tri)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 21, CREATED(rasterizer.poly_smooth)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 22, CREATED(rasterizer.poly_stipple)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 23, CREATED(rasterizer.point_smooth)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 24, CREATED(rasterizer.point_size_per_vertex)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 25, CREATED(rasterizer.multisample)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 26, CREATED(rasterizer.line_smooth)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 27, CREATED(rasterizer.line_stipple)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 28, CREATED(rasterizer.line_last_pixel)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 29, CREATED(rasterizer.half_pixel_center)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 30, CREATED(rasterizer.bottom_edge_rule)},
    {CMD_CREATE_OBJECT, VOBJ_RASTERIZER, 9, 1, 31, CREATED(rasterizer.force_persample)},
    {CMD_CREATE_OBJECT, VOBJ_DSA, 5, 1, 0, CREATED(dsa.depth_enable)},
    {CMD_CREATE_OBJECT, VOBJ_DSA, 5, 1, 1, CREATED(dsa.depth_write)},
    {CMD_CREATE_OBJECT, VOBJ_DSA, 5, 1, 8, CREATED(dsa.alpha_enable)},
    {CMD_CREATE_OBJECT, VOBJ_DSA, 5, 2, 0, CREATED(dsa.stencil[0].enabled)},
    {CMD_CREATE_OBJECT, VOBJ_DSA, 5, 3, 0, CREATED(dsa.stencil[1].enabled)},
    {CMD_CREATE_OBJECT, VOBJ_SAMPLER_STATE, 9, 1, 15, CREATED(sampler.compare)},
    {CMD_CREATE_OBJECT, VOBJ_SAMPLER_STATE, 9, 1, 19, CREATED(sampler.seamless_cube)},
    {CMD_BLIT, 0, 21, 0, 10, offsetof(struct gpu_cmd, blit.scissor_enable)},
    {CMD_BLIT, 0, 21, 0, 11, offsetof(struct gpu_cmd, blit.render_condition)},
    {CMD_BLIT, 0, 21, 0, 12, offsetof(struct gpu_cmd, blit.alpha_blend)},
};

static void
each_flag_has_its_bit(void **data)
{
    struct fixture *f = *data;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const struct flag *set = &flags[i];
        uint32_t dw[21] = {0};
        if (set->command == CMD_BLIT)
            dw[5] = dw[14] = 1; /* numbers of formats */
        else
            dw[0] = 1; /* a handle */
        dw[set->dword] |= 1u << set->bit;
        stream_packet(&f->s, set->command, set->object, dw, set->length);
        assert_int_equal(decode_first(f), DECODE_COMMAND);
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (flags[k].command == set->command && flags[k].object == set->object)
                assert_int_equal(*((const uint8_t *)&f->cmd + flags[k].offset), k == i);
    }
}

static void
vertex_elements_object(void **data)
{
    struct fixture *f = *data;
    CREATE(&f->s, VOBJ_VERTEX_ELEMENTS, 3, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT, 16, 2, 1,
           FORMAT_R8G8B8A8_UNORM);
    expect(f, GPU_CREATE_OBJECT);
    const struct vertex_elements *e = &f->cmd.create.elements;
    assert_int_equal(e->count, 2);
    assert_int_equal(e->items[0].format, 31);
    assert_int_equal(e->items[1].offset, 16);
    assert_int_equal(e->items[1].divisor, 2);
    assert_int_equal(e->items[1].buffer, 1);
    assert_int_equal(e->items[1].format, 67);
    CREATE(&f->s, VOBJ_VERTEX_ELEMENTS, 3, 0, 0, 0);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: vertex elements: length 4 is not 1 plus a "
                    "multiple of 4");
    CREATE(&f->s, VOBJ_VERTEX_ELEMENTS, 3, 0, 0, 0, 322);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: format 322 is not one of 1 .. 321");
    CREATE(&f->s, VOBJ_VERTEX_ELEMENTS, 3, 0, 0, 16, FORMAT_R32G32B32A32_FLOAT);
    expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: vertex elements: buffer 16 of element 0 exceeds 15");
}

static void
texture_objects(void **data)
{
    struct fixture *f = *data;
    CREATE(&f->s, VOBJ_SAMPLER_VIEW, 4, 12, 1 | 4u << 24, 1 | 5 << 16, 2 | 7 << 8,
           2 | 1 << 3 | 4 << 6 | 5 << 9);
    expect(f, GPU_CREATE_OBJECT);
    const struct sampler_view *v = &f->cmd.create.view;
    assert_int_equal(v->resource, 12);
    assert_int_equal(v->format, 1);
    assert_int_equal(v->target, TARGET_CUBE);
    assert_int_equal(v->first_layer, 1);
    assert_int_equal(v->last_layer, 5);
    assert_int_equal(v->first_level, 2);
    assert_int_equal(v->last_level, 7);
    assert_int_equal(v->swizzle[0], 2);
    assert_int_equal(v->swizzle[1], 1);
    assert_int_equal(v->swizzle[2], 4);
    assert_int_equal(v->swizzle[3], 5);

    uint32_t s0 = WRAP_CLAMP | WRAP_MIRROR_REPEAT << 3 | WRAP_CLAMP_TO_EDGE << 6 |
                  FILTER_LINEAR << 9 | MIP_LINEAR << 11 | FILTER_NEAREST << 13 | 1 << 15 |
                  FUNC_LEQUAL << 16 | 1 << 19 | 8 << 20;
    CREATE(&f->s, VOBJ_SAMPLER_STATE, 4, s0, float_bits(-.5f), float_bits(1), float_bits(9), 1, 2,
           3, 4);
    expect(f, GPU_CREATE_OBJECT);
    const struct sampler_state *s = &f->cmd.create.sampler;
    assert_int_equal(s->wrap_s, WRAP_CLAMP);
    assert_int_equal(s->wrap_t, WRAP_MIRROR_REPEAT);
    assert_int_equal(s->wrap_r, WRAP_CLAMP_TO_EDGE);
    assert_int_equal(s->min_filter, FILTER_LINEAR);
    assert_int_equal(s->mip_filter, MIP_LINEAR);
    assert_int_equal(s->mag_filter, FILTER_NEAREST);
    assert_true(s->compare && s->seamless_cube);
    assert_int_equal(s->compare_func, FUNC_LEQUAL);
    assert_int_equal(s->max_anisotropy, 8);
    assert_true(s->lod_bias == -.5f && s->min_lod == 1 && s->max_lod == 9);
    assert_int_equal(s->border[3], 4);
    CREATE(&f->s, VOBJ_SAMPLER_STATE, 4, 3 << 11, 0, 0, 0, 0, 0, 0, 0);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: sampler state: mipmap filter 3 is not one "
                    "of 0 .. 2");
}

static void
other_objects(void **data)
{
    struct fixture *f = *data;
    CREATE(&f->s, VOBJ_SURFACE, 4, 12, 1, 3, 2 | 6 << 16);
    expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.surface.resource, 12);
    assert_int_equal(f->cmd.create.surface.level, 3);
    assert_int_equal(f->cmd.create.surface.first_layer, 2);
    assert_int_equal(f->cmd.create.surface.last_layer, 6);
    CREATE(&f->s, VOBJ_QUERY, 4, QUERY_TIME_ELAPSED | 1 << 16, 32, 13);
    expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.query.type, QUERY_TIME_ELAPSED);
    assert_int_equal(f->cmd.create.query.index, 1);
    assert_int_equal(f->cmd.create.query.offset, 32);
    assert_int_equal(f->cmd.create.query.resource, 13);
    CREATE(&f->s, VOBJ_STREAMOUT_TARGET, 4, 14, 64, 128);
    expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.so_target.offset, 64);
    assert_int_equal(f->cmd.create.so_target.size, 128);
    CREATE(&f->s, VOBJ_MSAA_SURFACE, 4, 14, 64, 128);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: object type 11 (multisampled surface) is "
                    "not one of 1 .. 10");
    stream_bind(&f->s, VOBJ_BLEND, 0);
    expect(f, GPU_BIND_OBJECT);
    assert_int_equal(f->cmd.object.handle, 0);
    stream_bind(&f->s, VOBJ_SURFACE, 3);
    expect_error(
        f,
        "SUBMIT at dword 0: BIND_OBJECT: object type 8 (surface) cannot be bound by this command");
    stream_destroy(&f->s, VOBJ_SURFACE, 3);
    expect(f, GPU_DESTROY_OBJECT);
    assert_int_equal(f->cmd.object.type, OBJECT_SURFACE);
    assert_int_equal(f->cmd.object.handle, 3);
}

static void
shader_in_one_packet(void **data)
{
    struct fixture *f = *data;
    stream_shader(&f->s, 8, VSTAGE_FRAGMENT, "FRAG\nEND\n");
    expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.shader.stage, STAGE_FRAGMENT);
    assert_string_equal(f->cmd.create.shader.text, "FRAG\nEND\n");
    /* "VERT" with its terminating NUL; 2 stream-out registers, strides 4 and 8 */
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 5, 10, 2, 4, 8, 0, 0, 1 | 4 << 10, 0,
           2 | 1 << 8 | 3 << 10 | 1 << 13 | 7 << 16, 2, 0x54524556, 0);
    expect(f, GPU_CREATE_OBJECT);
    const struct so_info *so = &f->cmd.create.shader.so;
    assert_int_equal(so->count, 2);
    assert_int_equal(so->stride[1], 8);
    assert_int_equal(so->outputs[0].register_index, 1);
    assert_int_equal(so->outputs[0].num_components, 4);
    assert_int_equal(so->outputs[1].start_component, 1);
    assert_int_equal(so->outputs[1].buffer, 1);
    assert_int_equal(so->outputs[1].dst_offset, 7);
    assert_int_equal(so->outputs[1].stream, 2);
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 4, 10, 0, 0x54524556);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: shader: no NUL within the 4 bytes of its "
                    "text");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 5 << 20, 10, 0, 0x54524556);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: shader: text of 5242880 bytes is not within "
                    "1 .. 4194304");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_COMPUTE, 5, 10, 0, 0x54524556, 0);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: program of the compute shader stage: this "
                    "GPU has no such stage");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_GEOMETRY, 5, 10, 0, 0x4d4f4547, 0);
    expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.shader.stage, STAGE_GEOMETRY);
}

/* Three packets of two messages contain the text "VERTVERTVE". A message of another client is
 * between them. */
static void
shader_in_parts(void **data)
{
    struct fixture *f = *data;
    const uint32_t more = 1u << 31;
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 11, 10, 0, 0x54524556);
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 4 | more, 10, 0, 0x54524556);
    expect_nothing(f);
    stream_shader(&f->s, 8, VSTAGE_VERTEX, "VERT other\n");
    struct message other = stream_message(&f->s, 2);
    decoder_begin(f->decoder, &other);
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
    assert_string_equal(f->cmd.create.shader.text, "VERT other\n");
    f->s.count = 0;
    CREATE(&f->s, VOBJ_SHADER, 9, VSTAGE_VERTEX, 8 | more, 10, 0, 0x00004556);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: shader: 9 continues, but 8 was started");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 4 | more, 10, 0, 0x00004556);
    expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: shader: part at byte 4, but 8 bytes have arrived");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 8 | more, 10, 0, 0x00004556, 0);
    expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: shader: part of 8 bytes exceeds the announced 11");
    CREATE(&f->s, VOBJ_SHADER, 7, VSTAGE_VERTEX, 5, 10, 0, 0x54524556, 0);
    expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: shader: 7 begins while the text of 8 is incomplete");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 8 | more, 10, 0, 0x00004556);
    expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.handle, 8);
    assert_string_equal(f->cmd.create.shader.text, "VERTVERTVE");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 8 | more, 10, 0, 0);
    expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: shader: 8 continues, but was not started");
}

static void
small_states(void **data)
{
    struct fixture *f = *data;
    PACKET(&f->s, CMD_SET_VIEWPORT_STATE, 0, float_bits(1), float_bits(2), float_bits(3),
           float_bits(4), float_bits(5), float_bits(6));
    expect(f, GPU_SET_VIEWPORT);
    assert_true(f->cmd.viewport.scale[2] == 3 && f->cmd.viewport.translate[0] == 4);
    /* no program can select viewport 1 */
    PACKET(&f->s, CMD_SET_VIEWPORT_STATE, 1, 0, 0, 0, 0, 0, 0);
    expect_nothing(f);
    PACKET(&f->s, CMD_SET_VIEWPORT_STATE, 0, 0, 0);
    expect_error(f,
                 "SUBMIT at dword 0: SET_VIEWPORT_STATE: length 3 is not 1 plus a multiple of 6");
    PACKET(&f->s, CMD_SET_STENCIL_REF, 0x2211);
    expect(f, GPU_SET_STENCIL_REF);
    assert_int_equal(f->cmd.stencil_ref.ref[0], 0x11);
    assert_int_equal(f->cmd.stencil_ref.ref[1], 0x22);
    PACKET(&f->s, CMD_SET_BLEND_COLOR, float_bits(1), float_bits(2), float_bits(3), float_bits(4));
    expect(f, GPU_SET_BLEND_COLOR);
    assert_true(f->cmd.blend_color.rgba[3] == 4);
    PACKET(&f->s, CMD_SET_SCISSOR_STATE, 0, 1 | 2 << 16, 3 | 4 << 16);
    expect(f, GPU_SET_SCISSOR);
    assert_int_equal(f->cmd.scissor.min_x, 1);
    assert_int_equal(f->cmd.scissor.min_y, 2);
    assert_int_equal(f->cmd.scissor.max_x, 3);
    assert_int_equal(f->cmd.scissor.max_y, 4);
    PACKET(&f->s, CMD_SET_SAMPLE_MASK, 0xf);
    expect(f, GPU_SET_SAMPLE_MASK);
    assert_int_equal(f->cmd.sample_mask.value, 0xf);
    PACKET(&f->s, CMD_SET_MIN_SAMPLES, 4);
    expect(f, GPU_SET_MIN_SAMPLES);
    uint32_t words[32];
    for (uint32_t i = 0; i < 32; i++)
        words[i] = float_bits((float)i);
    stream_packet(&f->s, CMD_SET_CLIP_STATE, 0, words, 32);
    expect(f, GPU_SET_CLIP);
    assert_true(f->cmd.clip.planes[7][3] == 31 && f->cmd.clip.planes[1][0] == 4);
    stream_packet(&f->s, CMD_SET_POLYGON_STIPPLE, 0, words, 32);
    expect(f, GPU_SET_POLYGON_STIPPLE);
    assert_int_equal(f->cmd.stipple.rows[31], words[31]);
}

static void
bindings(void **data)
{
    struct fixture *f = *data;
    PACKET(&f->s, CMD_SET_FRAMEBUFFER_STATE, 2, 9, 7, 0);
    expect(f, GPU_SET_FRAMEBUFFER);
    assert_int_equal(f->cmd.framebuffer.color_count, 2);
    assert_int_equal(f->cmd.framebuffer.depth, 9);
    assert_int_equal(f->cmd.framebuffer.color[0], 7);
    PACKET(&f->s, CMD_SET_FRAMEBUFFER_STATE, 3, 9, 7, 0);
    expect_error(f, "SUBMIT at dword 0: SET_FRAMEBUFFER_STATE: length 4 is not 5");
    PACKET(&f->s, CMD_SET_VERTEX_BUFFERS, 16, 4, 3, 32, 8, 5);
    expect(f, GPU_SET_VERTEX_BUFFERS);
    assert_int_equal(f->cmd.vertex_buffers.count, 2);
    assert_int_equal(f->cmd.vertex_buffers.items[1].stride, 32);
    assert_int_equal(f->cmd.vertex_buffers.items[1].offset, 8);
    assert_int_equal(f->cmd.vertex_buffers.items[1].resource, 5);
    PACKET(&f->s, CMD_SET_INDEX_BUFFER, 6, 2, 100);
    expect(f, GPU_SET_INDEX_BUFFER);
    assert_int_equal(f->cmd.index_buffer.index_bytes, 2);
    assert_int_equal(f->cmd.index_buffer.offset, 100);
    PACKET(&f->s, CMD_SET_INDEX_BUFFER, 6, 3, 100);
    expect_error(f, "SUBMIT at dword 0: SET_INDEX_BUFFER: index size 3 is not 1, 2 or 4");
    PACKET(&f->s, CMD_SET_INDEX_BUFFER, 0);
    expect(f, GPU_SET_INDEX_BUFFER);
    PACKET(&f->s, CMD_SET_CONSTANT_BUFFER, VSTAGE_FRAGMENT, 0, 10, 11, 12, 13);
    expect(f, GPU_SET_CONSTANT_BUFFER);
    assert_int_equal(f->cmd.constants.stage, 1);
    assert_int_equal(f->cmd.constants.count, 4);
    assert_int_equal(f->cmd.constants.values[3], 13);
    /* constants of absent stages are ignored */
    PACKET(&f->s, CMD_SET_CONSTANT_BUFFER, VSTAGE_TESS_CONTROL, 0);
    expect_nothing(f);
    PACKET(&f->s, CMD_SET_CONSTANT_BUFFER, 6, 0);
    expect_error(f, "SUBMIT at dword 0: SET_CONSTANT_BUFFER: shader stage 6 is not one of 0 .. 5");
    PACKET(&f->s, CMD_SET_UNIFORM_BUFFER, VSTAGE_VERTEX, 1, 16, 64, 5);
    expect(f, GPU_SET_UNIFORM_BUFFER);
    assert_int_equal(f->cmd.uniform_buffer.index, 1);
    assert_int_equal(f->cmd.uniform_buffer.length, 64);
    PACKET(&f->s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 2, 7, 0, 8);
    expect(f, GPU_SET_SAMPLER_VIEWS);
    assert_int_equal(f->cmd.samplers.start, 2);
    assert_int_equal(f->cmd.samplers.count, 3);
    assert_int_equal(f->cmd.samplers.handles[2], 8);
    PACKET(&f->s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 15, 7, 8);
    expect_error(f, "SUBMIT at dword 0: BIND_SAMPLER_STATES: slot 16 exceeds 15");
    PACKET(&f->s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 33);
    expect_error(f, "SUBMIT at dword 0: BIND_SAMPLER_STATES: slots 33 + 0 exceed 32");
    stream_bind_shader(&f->s, 4, VSTAGE_FRAGMENT);
    expect(f, GPU_BIND_SHADER);
    assert_int_equal(f->cmd.object.handle, 4);
    assert_int_equal(f->cmd.object.stage, 1);
    /* Mesa unbinds the tessellation stage in this way */
    stream_bind_shader(&f->s, 0, VSTAGE_TESS_CONTROL);
    expect_nothing(f);
    stream_bind_shader(&f->s, 4, VSTAGE_TESS_CONTROL);
    expect_error(f, "SUBMIT at dword 0: BIND_SHADER: program of the tessellation control shader "
                    "stage: this GPU has no such stage");
    PACKET(&f->s, CMD_SET_STREAMOUT_TARGETS, 1, 4, 0);
    expect(f, GPU_SET_STREAMOUT_TARGETS);
    assert_int_equal(f->cmd.streamout.count, 2);
    PACKET(&f->s, CMD_SET_RENDER_CONDITION, 4, 1, 2);
    expect(f, GPU_SET_RENDER_CONDITION);
    assert_int_equal(f->cmd.render_condition.mode, 2);
}

static void
draws_and_clears(void **data)
{
    struct fixture *f = *data;
    PACKET(&f->s, CMD_DRAW_VBO, 3, 6, PRIM_TRIANGLES, 1, 2, (uint32_t)-5, 7, 1, 0xffff, 8, 9, 0);
    expect(f, GPU_DRAW);
    const struct draw_params *d = &f->cmd.draw;
    assert_int_equal(d->start, 3);
    assert_int_equal(d->count, 6);
    assert_int_equal(d->mode, PRIM_TRIANGLES);
    assert_true(d->indexed && d->primitive_restart);
    assert_int_equal(d->instance_count, 2);
    assert_int_equal(d->index_bias, -5);
    assert_int_equal(d->start_instance, 7);
    assert_int_equal(d->restart_index, 0xffff);
    assert_int_equal(d->max_index, 9);
    PACKET(&f->s, CMD_DRAW_VBO, 0, 3, 14, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    expect_error(f, "SUBMIT at dword 0: DRAW_VBO: primitive 14 is not one of 0 .. 13");
    double depth = .75;
    uint64_t depth_bits;
    memcpy(&depth_bits, &depth, 8);
    PACKET(&f->s, CMD_CLEAR, 7, float_bits(1), 0, 0, float_bits(.5f), (uint32_t)depth_bits,
           (uint32_t)(depth_bits >> 32), 3);
    expect(f, GPU_CLEAR);
    assert_int_equal(f->cmd.clear.buffers, MASK_DEPTH | MASK_STENCIL | MASK_COLOR0);
    assert_true(f->cmd.clear.depth == .75 && f->cmd.clear.rgba[3] == .5f);
    assert_int_equal(f->cmd.clear.stencil, 3);
}

static void
blits_copies_writes(void **data)
{
    struct fixture *f = *data;
    PACKET(&f->s, CMD_BLIT, 0x3f | 1 << 8 | 1 << 10, 1 | 2 << 16, 3 | 4 << 16, /* */
           10, 1, 2, 5, 6, 7, 8, 9, 1,                                         /* */
           11, 0, 1, 20, 21, 0, (uint32_t)-8, 9, 1);
    expect(f, GPU_BLIT);
    assert_int_equal(f->cmd.blit.mask, 0x3f);
    assert_int_equal(f->cmd.blit.filter, 1);
    assert_true(f->cmd.blit.scissor_enable && !f->cmd.blit.render_condition);
    assert_int_equal(f->cmd.blit.scissor.max_y, 4);
    assert_int_equal(f->cmd.blit.dst.resource, 10);
    assert_int_equal(f->cmd.blit.dst.level, 1);
    assert_int_equal(f->cmd.blit.dst.format, 2);
    assert_int_equal(f->cmd.blit.dst.box.z, 7);
    assert_int_equal(f->cmd.blit.src.resource, 11);
    assert_int_equal(f->cmd.blit.src.box.width, -8);
    PACKET(&f->s, CMD_RESOURCE_COPY_REGION, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
    expect(f, GPU_COPY_REGION);
    assert_int_equal(f->cmd.copy.dst_z, 5);
    assert_int_equal(f->cmd.copy.src, 6);
    assert_int_equal(f->cmd.copy.src_level, 7);
    assert_int_equal(f->cmd.copy.src_box.x, 8);
    assert_int_equal(f->cmd.copy.src_box.depth, 13);
    PACKET(&f->s, CMD_RESOURCE_INLINE_WRITE, 3, 0, 0, 0, 0, 16, 0, 0, 6, 1, 1, 0x44332211, 0x6655);
    expect(f, GPU_PUT);
    assert_int_equal(f->cmd.transfer.resource, 3);
    assert_int_equal(f->cmd.transfer.box.x, 16);
    assert_int_equal(f->cmd.transfer.box.width, 6);
    assert_int_equal(f->cmd.transfer.size_bytes, 8);
    assert_int_equal(f->cmd.transfer.bytes[0], 0x11);
}

static void
queries_and_sub_contexts(void **data)
{
    struct fixture *f = *data;
    PACKET(&f->s, CMD_BEGIN_QUERY, 5);
    expect(f, GPU_BEGIN_QUERY);
    assert_int_equal(f->cmd.object.handle, 5);
    PACKET(&f->s, CMD_END_QUERY, 5);
    expect(f, GPU_END_QUERY);
    PACKET(&f->s, CMD_GET_QUERY_RESULT, 5, 1);
    expect(f, GPU_GET_QUERY_RESULT);
    assert_int_equal(f->cmd.query_result.wait, 1);
    PACKET(&f->s, CMD_CREATE_SUB_CTX, 3);
    expect(f, GPU_CREATE_SUB_CTX);
    PACKET(&f->s, CMD_SET_SUB_CTX, 3);
    expect(f, GPU_SET_SUB_CTX);
    assert_int_equal(f->cmd.sub_ctx.value, 3);
    PACKET(&f->s, CMD_SET_SAMPLE_MASK, 1); /* later messages continue in the same sub-context */
    expect(f, GPU_SET_SAMPLE_MASK);
    assert_int_equal(f->cmd.sub_context, 3);
    PACKET(&f->s, CMD_DESTROY_SUB_CTX, 3);
    expect(f, GPU_DESTROY_SUB_CTX);
    PACKET(&f->s, CMD_SET_SAMPLE_MASK, 1);
    expect(f, GPU_SET_SAMPLE_MASK);
    assert_int_equal(f->cmd.sub_context, 0);
}

static void
skipped_and_refused(void **data)
{
    struct fixture *f = *data;
    static const uint32_t harmless[] = {
        CMD_NOP,
        CMD_SET_TESS_STATE,
        CMD_MEMORY_BARRIER,
        CMD_TEXTURE_BARRIER,
        CMD_SET_DEBUG_FLAGS,
        CMD_END_TRANSFERS,
        CMD_SET_TWEAKS,
        CMD_LINK_SHADER,
    };
    for (uint32_t i = 0; i < sizeof harmless / 4; i++)
        PACKET(&f->s, harmless[i], 1, 2);
    expect_nothing(f);
    static const uint32_t refused[] = {
        CMD_SET_SHADER_BUFFERS,
        CMD_SET_SHADER_IMAGES,
        CMD_LAUNCH_GRID,
        CMD_SET_FRAMEBUFFER_STATE_NO_ATTACH,
        CMD_SET_ATOMIC_BUFFERS,
        CMD_GET_QUERY_RESULT_QBO,
        CMD_TRANSFER3D,
        CMD_COPY_TRANSFER3D,
        CMD_CLEAR_TEXTURE,
        CMD_PIPE_RESOURCE_CREATE,
        CMD_PIPE_RESOURCE_SET_TYPE,
        CMD_GET_MEMORY_INFO,
        CMD_CREATE_VIDEO_CODEC,
        CMD_END_FRAME,
    };
    for (uint32_t i = 0; i < sizeof refused / 4; i++) {
        PACKET(&f->s, CMD_NOP, 0);
        PACKET(&f->s, refused[i], 1, 2);
        assert_int_equal(decode_first(f), DECODE_ERROR);
        assert_non_null(strstr(f->err.text, "SUBMIT at dword 2: "));
    }
    PACKET(&f->s, CMD_TRANSFER3D, 1);
    expect_error(f, "SUBMIT at dword 0: TRANSFER3D: its bytes are in memory shared with the "
                    "client, which a SUBMIT does not contain");
    PACKET(&f->s, CMD_SET_FRAMEBUFFER_STATE_NO_ATTACH, 1, 2);
    expect_error(f, "SUBMIT at dword 0: SET_FRAMEBUFFER_STATE_NO_ATTACH: this GPU does not execute "
                    "it");
    PACKET(&f->s, 99, 1);
    expect_error(f, "SUBMIT at dword 0: unknown command 99");
    f->s.dw[0] = 5 << 16;
    f->s.count = 3;
    expect_error(f, "SUBMIT at dword 0: NOP: length 5 exceeds the remaining 2 dwords");
}

static void
messages(void **data)
{
    struct fixture *f = *data;
    struct message m = {.kind = MESSAGE_CLIENT_BEGIN,
                        .client = 4,
                        .bytes = (const uint8_t *)"gears",
                        .size_bytes = 5};
    decoder_begin(f->decoder, &m);
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
    assert_int_equal(f->cmd.op, GPU_CLIENT_BEGIN);
    assert_int_equal(f->cmd.client, 4);
    assert_string_equal(f->cmd.client_begin.program, "gears");
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_DONE);
    m = (struct message){
        .kind = MESSAGE_PUT, .client = 4, .bytes = (const uint8_t *)"abcd", .size_bytes = 4};
    m.transfer.handle = 9;
    m.transfer.box.width = 4;
    decoder_begin(f->decoder, &m);
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
    assert_int_equal(f->cmd.op, GPU_PUT);
    assert_int_equal(f->cmd.transfer.resource, 9);
    assert_int_equal(f->cmd.transfer.bytes[3], 'd');
    m = (struct message){.kind = MESSAGE_RESOURCE_UNREF, .client = 4, .resource.handle = 9};
    decoder_begin(f->decoder, &m);
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
    assert_int_equal(f->cmd.unref.handle, 9);
    m = (struct message){
        .kind = MESSAGE_SUBMIT, .client = 4, .bytes = (const uint8_t *)"abc", .size_bytes = 3};
    decoder_begin(f->decoder, &m);
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_ERROR);
}

/* The decoder keeps memory only for clients that have selected a sub-context, and only as long as
 * it is selected. */
static void
clients_by_the_thousand(void **data)
{
    struct fixture *f = *data;
    for (uint32_t client = 1; client <= 100000; client++) {
        PACKET(&f->s, CMD_NOP, 0);
        const struct message message = stream_message(&f->s, client);
        decoder_begin(f->decoder, &message);
        assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_DONE);
        f->s.count = 0;
    }
    assert_int_equal(f->decoder->sub_contexts.count, 0);
    for (uint32_t client = 1; client <= 2; client++) {
        PACKET(&f->s, CMD_SET_SUB_CTX, 7 + client);
        PACKET(&f->s, CMD_SET_SUB_CTX, 3 - client);
        const struct message message = stream_message(&f->s, client);
        decoder_begin(f->decoder, &message);
        assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
        assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
        assert_int_equal(f->cmd.sub_context, 7 + client);
        f->s.count = 0;
    }
    assert_int_equal(f->decoder->sub_contexts.count, 2);
    const struct message end = {.kind = MESSAGE_CLIENT_END, .client = 1};
    decoder_begin(f->decoder, &end);
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
    assert_int_equal(f->decoder->sub_contexts.count, 1);
}

static void
every_op_has_a_name(void **data)
{
    for (uint32_t op = 0; op < GPU_OP_COUNT; op++)
        assert_non_null(gpu_op_name((enum gpu_op)op));
}

/* Sends a part of a vertex shader's text (3000 dwords) in a sub-context. */
static void
send_part(struct fixture *f, uint32_t sub_context, uint32_t offlen)
{
    enum { TEXT = 3000 };
    static uint32_t text[TEXT];
    const uint32_t header = CMD_CREATE_OBJECT | VOBJ_SHADER << 8 | (5 + TEXT) << 16;
    const uint32_t words[5] = {7, VSTAGE_VERTEX, offlen, 300, 0};
    PACKET(&f->s, CMD_SET_SUB_CTX, sub_context);
    expect(f, GPU_SET_SUB_CTX);
    stream_dwords(&f->s, &header, 1);
    stream_dwords(&f->s, words, 5);
    stream_dwords(&f->s, text, TEXT);
}

/* The text of an incomplete shader counts against the budget. The decoder releases the text when it
 * is complete, or when the client ends. */
static void
half_sent_shaders_are_within_the_budget(void **data)
{
    enum { PART = 12000, PARTS = 8 };
    const struct message end = {.kind = MESSAGE_CLIENT_END, .client = 1};
    struct budget budget = {PARTS * PART + PART / 2, 0, "--memory"};
    struct fixture *f = *data;
    decoder_limit(f->decoder, &budget);
    for (uint32_t i = 0; i < PARTS; i++) {
        send_part(f, 1 + i, 2 * PART);
        expect_nothing(f);
        assert_int_equal(budget.used_bytes, (i + 1) * PART);
    }
    send_part(f, 1 + PARTS, 2 * PART);
    assert_int_equal(decode_first(f), DECODE_ERROR);
    assert_non_null(strstr(f->err.text, "CREATE_OBJECT: shader: "));
    assert_non_null(strstr(f->err.text, "raise --memory"));
    PACKET(&f->s, CMD_DESTROY_SUB_CTX, 1);
    expect(f, GPU_DESTROY_SUB_CTX);
    assert_int_equal(budget.used_bytes, (PARTS - 1) * PART);
    send_part(f, 2, 0x80000000u | PART);
    expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(budget.used_bytes, (PARTS - 2) * PART);
    decoder_begin(f->decoder, &end);
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
    assert_int_equal(budget.used_bytes, 0);
    decoder_limit(f->decoder, NULL);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(numbers_of_the_protocol),
        CASE(blend_object),
        CASE(rasterizer_object),
        CASE(dsa_object),
        CASE(each_flag_has_its_bit),
        CASE(vertex_elements_object),
        CASE(texture_objects),
        CASE(other_objects),
        CASE(shader_in_one_packet),
        CASE(shader_in_parts),
        CASE(small_states),
        CASE(bindings),
        CASE(draws_and_clears),
        CASE(blits_copies_writes),
        CASE(queries_and_sub_contexts),
        CASE(skipped_and_refused),
        CASE(messages),
        CASE(clients_by_the_thousand),
        CASE(half_sent_shaders_are_within_the_budget),
        CASE(every_op_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
