/* Decodes the packets that create objects: states, views, surfaces, queries and shaders. The test
 * writes the dwords in the protocol's layout. */
#include "rigs/decode_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void
blend_object(void **data)
{
    struct decode_rig *f = *data;
    /* enable, ADD, SRC_ALPHA, INV_SRC_ALPHA; alpha REVERSE_SUBTRACT, ONE, ZERO; mask RGB */
    uint32_t rt = 1 | 0 << 1 | 0x3 << 4 | 0x13 << 9 | 2 << 14 | 1 << 17 | 0x11 << 22 | 7u << 27;
    CREATE(&f->s, VOBJ_BLEND, 77, 1 << 1 | 1 << 3, 12, rt, 0, 0, 0, 0, 0, 0, 0);
    decode_expect(f, GPU_CREATE_OBJECT);
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
    decode_expect(f, GPU_CREATE_OBJECT);
    assert_false(f->cmd.create.blend.rt[1].enable);
    assert_int_equal(f->cmd.create.blend.rt[1].colormask, 15);
    CREATE(&f->s, VOBJ_BLEND, 79, 0, 0, 1 | 5 << 1, 0, 0, 0, 0, 0, 0, 0);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: blend: target 0: function 5 or 0 is not one "
           "of 0 .. 4");
    CREATE(&f->s, VOBJ_BLEND, 79, 0, 0, 1 | 0x16 << 4, 0, 0, 0, 0, 0, 0, 0);
    decode_expect_error(f,
                        "SUBMIT at dword 0: CREATE_OBJECT: blend: target 0: unknown factor 0x16");
}

static void
rasterizer_object(void **data)
{
    struct decode_rig *f = *data;
    uint32_t s0 = 1 | 1 << 1 | 1 << 5 | 1 << 6 | 2 << 8 | 0 << 10 | 1 << 12 | 1 << 14 | 1 << 15 |
                  1 << 20 | 1 << 24 | 1 << 29 | 1u << 31;
    CREATE(&f->s, VOBJ_RASTERIZER, 5, s0, float_bits(3), 0x81, 0xf0f0 | 4 << 16 | 0x21u << 24,
           float_bits(2), float_bits(-1), float_bits(.5f), float_bits(.25f));
    decode_expect(f, GPU_CREATE_OBJECT);
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
    decode_expect_error(f,
                        "SUBMIT at dword 0: CREATE_OBJECT: rasterizer: fill mode 3 is not one of "
                        "0 .. 2");
}

static void
dsa_object(void **data)
{
    struct decode_rig *f = *data;
    uint32_t face = 1 | FUNC_EQUAL << 1 | STENCIL_REPLACE << 4 | STENCIL_INCR << 7 |
                    STENCIL_INVERT << 10 | 0xa5 << 13 | 0x3cu << 21;
    CREATE(&f->s, VOBJ_DSA, 9, 1 | 1 << 1 | FUNC_LEQUAL << 2 | 1 << 8 | FUNC_GREATER << 9, face, 0,
           float_bits(.5f));
    decode_expect(f, GPU_CREATE_OBJECT);
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
    decode_expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: length 4 is not 5");
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
    struct decode_rig *f = *data;
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
    struct decode_rig *f = *data;
    CREATE(&f->s, VOBJ_VERTEX_ELEMENTS, 3, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT, 16, 2, 1,
           FORMAT_R8G8B8A8_UNORM);
    decode_expect(f, GPU_CREATE_OBJECT);
    const struct vertex_elements *e = &f->cmd.create.elements;
    assert_int_equal(e->count, 2);
    assert_int_equal(e->items[0].format, 31);
    assert_int_equal(e->items[1].offset, 16);
    assert_int_equal(e->items[1].divisor, 2);
    assert_int_equal(e->items[1].buffer, 1);
    assert_int_equal(e->items[1].format, 67);
    CREATE(&f->s, VOBJ_VERTEX_ELEMENTS, 3, 0, 0, 0);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: vertex elements: length 4 is not 1 plus a "
           "multiple of 4");
    CREATE(&f->s, VOBJ_VERTEX_ELEMENTS, 3, 0, 0, 0, 322);
    decode_expect_error(f, "SUBMIT at dword 0: CREATE_OBJECT: format 322 is not one of 1 .. 321");
    CREATE(&f->s, VOBJ_VERTEX_ELEMENTS, 3, 0, 0, 16, FORMAT_R32G32B32A32_FLOAT);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: vertex elements: buffer 16 of element 0 exceeds 15");
}

static void
texture_objects(void **data)
{
    struct decode_rig *f = *data;
    CREATE(&f->s, VOBJ_SAMPLER_VIEW, 4, 12, 1 | 4u << 24, 1 | 5 << 16, 2 | 7 << 8,
           2 | 1 << 3 | 4 << 6 | 5 << 9);
    decode_expect(f, GPU_CREATE_OBJECT);
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
    decode_expect(f, GPU_CREATE_OBJECT);
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
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: sampler state: mipmap filter 3 is not one "
           "of 0 .. 2");
}

static void
other_objects(void **data)
{
    struct decode_rig *f = *data;
    CREATE(&f->s, VOBJ_SURFACE, 4, 12, 1, 3, 2 | 6 << 16);
    decode_expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.surface.resource, 12);
    assert_int_equal(f->cmd.create.surface.level, 3);
    assert_int_equal(f->cmd.create.surface.first_layer, 2);
    assert_int_equal(f->cmd.create.surface.last_layer, 6);
    CREATE(&f->s, VOBJ_QUERY, 4, QUERY_TIME_ELAPSED | 1 << 16, 32, 13);
    decode_expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.query.type, QUERY_TIME_ELAPSED);
    assert_int_equal(f->cmd.create.query.index, 1);
    assert_int_equal(f->cmd.create.query.offset, 32);
    assert_int_equal(f->cmd.create.query.resource, 13);
    CREATE(&f->s, VOBJ_STREAMOUT_TARGET, 4, 14, 64, 128);
    decode_expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.so_target.offset, 64);
    assert_int_equal(f->cmd.create.so_target.size, 128);
    CREATE(&f->s, VOBJ_MSAA_SURFACE, 4, 14, 64, 128);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: object type 11 (multisampled surface) is "
           "not one of 1 .. 10");
    stream_bind(&f->s, VOBJ_BLEND, 0);
    decode_expect(f, GPU_BIND_OBJECT);
    assert_int_equal(f->cmd.object.handle, 0);
    stream_bind(&f->s, VOBJ_SURFACE, 3);
    decode_expect_error(
        f,
        "SUBMIT at dword 0: BIND_OBJECT: object type 8 (surface) cannot be bound by this command");
    stream_destroy(&f->s, VOBJ_SURFACE, 3);
    decode_expect(f, GPU_DESTROY_OBJECT);
    assert_int_equal(f->cmd.object.type, OBJECT_SURFACE);
    assert_int_equal(f->cmd.object.handle, 3);
}

static void
shader_in_one_packet(void **data)
{
    struct decode_rig *f = *data;
    stream_shader(&f->s, 8, VSTAGE_FRAGMENT, "FRAG\nEND\n");
    decode_expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.shader.stage, STAGE_FRAGMENT);
    assert_string_equal(f->cmd.create.shader.text, "FRAG\nEND\n");
    /* "VERT" with its terminating NUL; 2 stream-out registers, strides 4 and 8 */
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 5, 10, 2, 4, 8, 0, 0, 1 | 4 << 10, 0,
           2 | 1 << 8 | 3 << 10 | 1 << 13 | 7 << 16, 2, 0x54524556, 0);
    decode_expect(f, GPU_CREATE_OBJECT);
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
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: shader: no NUL within the 4 bytes of its "
           "text");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 5 << 20, 10, 0, 0x54524556);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: shader: text of 5242880 bytes is not within "
           "1 .. 4194304");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_COMPUTE, 5, 10, 0, 0x54524556, 0);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: program of the compute shader stage: this "
           "GPU has no such stage");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_GEOMETRY, 5, 10, 0, 0x4d4f4547, 0);
    decode_expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.shader.stage, STAGE_GEOMETRY);
}

/* Three packets of two messages contain the text "VERTVERTVE". A message of another client is
 * between them. */
static void
shader_in_parts(void **data)
{
    struct decode_rig *f = *data;
    const uint32_t more = 1u << 31;
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 11, 10, 0, 0x54524556);
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 4 | more, 10, 0, 0x54524556);
    decode_expect_nothing(f);
    stream_shader(&f->s, 8, VSTAGE_VERTEX, "VERT other\n");
    struct message other = stream_message(&f->s, 2);
    decoder_begin(f->decoder, &other);
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
    assert_string_equal(f->cmd.create.shader.text, "VERT other\n");
    f->s.count = 0;
    CREATE(&f->s, VOBJ_SHADER, 9, VSTAGE_VERTEX, 8 | more, 10, 0, 0x00004556);
    decode_expect_error(f,
                        "SUBMIT at dword 0: CREATE_OBJECT: shader: 9 continues, but 8 was started");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 4 | more, 10, 0, 0x00004556);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: shader: part at byte 4, but 8 bytes have arrived");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 8 | more, 10, 0, 0x00004556, 0);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: shader: part of 8 bytes exceeds the announced 11");
    CREATE(&f->s, VOBJ_SHADER, 7, VSTAGE_VERTEX, 5, 10, 0, 0x54524556, 0);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: shader: 7 begins while the text of 8 is incomplete");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 8 | more, 10, 0, 0x00004556);
    decode_expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(f->cmd.create.handle, 8);
    assert_string_equal(f->cmd.create.shader.text, "VERTVERTVE");
    CREATE(&f->s, VOBJ_SHADER, 8, VSTAGE_VERTEX, 8 | more, 10, 0, 0);
    decode_expect_error(
        f, "SUBMIT at dword 0: CREATE_OBJECT: shader: 8 continues, but was not started");
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, decode_setup, decode_teardown)
    const struct CMUnitTest tests[] = {
        CASE(blend_object),          CASE(rasterizer_object),      CASE(dsa_object),
        CASE(each_flag_has_its_bit), CASE(vertex_elements_object), CASE(texture_objects),
        CASE(other_objects),         CASE(shader_in_one_packet),   CASE(shader_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
