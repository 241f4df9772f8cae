/* Decodes every command of the stream except the objects (test_decode_objects.c). The test writes
 * the dwords in the protocol's layout. */
#include "rigs/decode_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

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
small_states(void **data)
{
    struct decode_rig *f = *data;
    PACKET(&f->s, CMD_SET_VIEWPORT_STATE, 0, float_bits(1), float_bits(2), float_bits(3),
           float_bits(4), float_bits(5), float_bits(6));
    decode_expect(f, GPU_SET_VIEWPORT);
    assert_true(f->cmd.viewport.scale[2] == 3 && f->cmd.viewport.translate[0] == 4);
    /* no program can select viewport 1 */
    PACKET(&f->s, CMD_SET_VIEWPORT_STATE, 1, 0, 0, 0, 0, 0, 0);
    decode_expect_nothing(f);
    PACKET(&f->s, CMD_SET_VIEWPORT_STATE, 0, 0, 0);
    decode_expect_error(
        f, "SUBMIT at dword 0: SET_VIEWPORT_STATE: length 3 is not 1 plus a multiple of 6");
    PACKET(&f->s, CMD_SET_STENCIL_REF, 0x2211);
    decode_expect(f, GPU_SET_STENCIL_REF);
    assert_int_equal(f->cmd.stencil_ref.ref[0], 0x11);
    assert_int_equal(f->cmd.stencil_ref.ref[1], 0x22);
    PACKET(&f->s, CMD_SET_BLEND_COLOR, float_bits(1), float_bits(2), float_bits(3), float_bits(4));
    decode_expect(f, GPU_SET_BLEND_COLOR);
    assert_true(f->cmd.blend_color.rgba[3] == 4);
    PACKET(&f->s, CMD_SET_SCISSOR_STATE, 0, 1 | 2 << 16, 3 | 4 << 16);
    decode_expect(f, GPU_SET_SCISSOR);
    assert_int_equal(f->cmd.scissor.min_x, 1);
    assert_int_equal(f->cmd.scissor.min_y, 2);
    assert_int_equal(f->cmd.scissor.max_x, 3);
    assert_int_equal(f->cmd.scissor.max_y, 4);
    PACKET(&f->s, CMD_SET_SAMPLE_MASK, 0xf);
    decode_expect(f, GPU_SET_SAMPLE_MASK);
    assert_int_equal(f->cmd.sample_mask.value, 0xf);
    PACKET(&f->s, CMD_SET_MIN_SAMPLES, 4);
    decode_expect(f, GPU_SET_MIN_SAMPLES);
    uint32_t words[32];
    for (uint32_t i = 0; i < 32; i++)
        words[i] = float_bits((float)i);
    stream_packet(&f->s, CMD_SET_CLIP_STATE, 0, words, 32);
    decode_expect(f, GPU_SET_CLIP);
    assert_true(f->cmd.clip.planes[7][3] == 31 && f->cmd.clip.planes[1][0] == 4);
    stream_packet(&f->s, CMD_SET_POLYGON_STIPPLE, 0, words, 32);
    decode_expect(f, GPU_SET_POLYGON_STIPPLE);
    assert_int_equal(f->cmd.stipple.rows[31], words[31]);
}

static void
bindings(void **data)
{
    struct decode_rig *f = *data;
    PACKET(&f->s, CMD_SET_FRAMEBUFFER_STATE, 2, 9, 7, 0);
    decode_expect(f, GPU_SET_FRAMEBUFFER);
    assert_int_equal(f->cmd.framebuffer.color_count, 2);
    assert_int_equal(f->cmd.framebuffer.depth, 9);
    assert_int_equal(f->cmd.framebuffer.color[0], 7);
    PACKET(&f->s, CMD_SET_FRAMEBUFFER_STATE, 3, 9, 7, 0);
    decode_expect_error(f, "SUBMIT at dword 0: SET_FRAMEBUFFER_STATE: length 4 is not 5");
    PACKET(&f->s, CMD_SET_VERTEX_BUFFERS, 16, 4, 3, 32, 8, 5);
    decode_expect(f, GPU_SET_VERTEX_BUFFERS);
    assert_int_equal(f->cmd.vertex_buffers.count, 2);
    assert_int_equal(f->cmd.vertex_buffers.items[1].stride, 32);
    assert_int_equal(f->cmd.vertex_buffers.items[1].offset, 8);
    assert_int_equal(f->cmd.vertex_buffers.items[1].resource, 5);
    PACKET(&f->s, CMD_SET_INDEX_BUFFER, 6, 2, 100);
    decode_expect(f, GPU_SET_INDEX_BUFFER);
    assert_int_equal(f->cmd.index_buffer.index_bytes, 2);
    assert_int_equal(f->cmd.index_buffer.offset, 100);
    PACKET(&f->s, CMD_SET_INDEX_BUFFER, 6, 3, 100);
    decode_expect_error(f, "SUBMIT at dword 0: SET_INDEX_BUFFER: index size 3 is not 1, 2 or 4");
    PACKET(&f->s, CMD_SET_INDEX_BUFFER, 0);
    decode_expect(f, GPU_SET_INDEX_BUFFER);
    PACKET(&f->s, CMD_SET_CONSTANT_BUFFER, VSTAGE_FRAGMENT, 0, 10, 11, 12, 13);
    decode_expect(f, GPU_SET_CONSTANT_BUFFER);
    assert_int_equal(f->cmd.constants.stage, 1);
    assert_int_equal(f->cmd.constants.count, 4);
    assert_int_equal(f->cmd.constants.values[3], 13);
    /* constants of absent stages are ignored */
    PACKET(&f->s, CMD_SET_CONSTANT_BUFFER, VSTAGE_TESS_CONTROL, 0);
    decode_expect_nothing(f);
    PACKET(&f->s, CMD_SET_CONSTANT_BUFFER, 6, 0);
    decode_expect_error(
        f, "SUBMIT at dword 0: SET_CONSTANT_BUFFER: shader stage 6 is not one of 0 .. 5");
    PACKET(&f->s, CMD_SET_UNIFORM_BUFFER, VSTAGE_VERTEX, 1, 16, 64, 5);
    decode_expect(f, GPU_SET_UNIFORM_BUFFER);
    assert_int_equal(f->cmd.uniform_buffer.index, 1);
    assert_int_equal(f->cmd.uniform_buffer.length, 64);
    PACKET(&f->s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 2, 7, 0, 8);
    decode_expect(f, GPU_SET_SAMPLER_VIEWS);
    assert_int_equal(f->cmd.samplers.start, 2);
    assert_int_equal(f->cmd.samplers.count, 3);
    assert_int_equal(f->cmd.samplers.handles[2], 8);
    PACKET(&f->s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 15, 7, 8);
    decode_expect_error(f, "SUBMIT at dword 0: BIND_SAMPLER_STATES: slot 16 exceeds 15");
    PACKET(&f->s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 33);
    decode_expect_error(f, "SUBMIT at dword 0: BIND_SAMPLER_STATES: slots 33 + 0 exceed 32");
    stream_bind_shader(&f->s, 4, VSTAGE_FRAGMENT);
    decode_expect(f, GPU_BIND_SHADER);
    assert_int_equal(f->cmd.object.handle, 4);
    assert_int_equal(f->cmd.object.stage, 1);
    /* Mesa unbinds the tessellation stage in this way */
    stream_bind_shader(&f->s, 0, VSTAGE_TESS_CONTROL);
    decode_expect_nothing(f);
    stream_bind_shader(&f->s, 4, VSTAGE_TESS_CONTROL);
    decode_expect_error(
        f, "SUBMIT at dword 0: BIND_SHADER: program of the tessellation control shader "
           "stage: this GPU has no such stage");
    PACKET(&f->s, CMD_SET_STREAMOUT_TARGETS, 1, 4, 0);
    decode_expect(f, GPU_SET_STREAMOUT_TARGETS);
    assert_int_equal(f->cmd.streamout.count, 2);
    PACKET(&f->s, CMD_SET_RENDER_CONDITION, 4, 1, 2);
    decode_expect(f, GPU_SET_RENDER_CONDITION);
    assert_int_equal(f->cmd.render_condition.mode, 2);
}

static void
draws_and_clears(void **data)
{
    struct decode_rig *f = *data;
    PACKET(&f->s, CMD_DRAW_VBO, 3, 6, PRIM_TRIANGLES, 1, 2, (uint32_t)-5, 7, 1, 0xffff, 8, 9, 0);
    decode_expect(f, GPU_DRAW);
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
    decode_expect_error(f, "SUBMIT at dword 0: DRAW_VBO: primitive 14 is not one of 0 .. 13");
    double depth = .75;
    uint64_t depth_bits;
    memcpy(&depth_bits, &depth, 8);
    PACKET(&f->s, CMD_CLEAR, 7, float_bits(1), 0, 0, float_bits(.5f), (uint32_t)depth_bits,
           (uint32_t)(depth_bits >> 32), 3);
    decode_expect(f, GPU_CLEAR);
    assert_int_equal(f->cmd.clear.buffers, MASK_DEPTH | MASK_STENCIL | MASK_COLOR0);
    assert_true(f->cmd.clear.depth == .75 && f->cmd.clear.rgba[3] == .5f);
    assert_int_equal(f->cmd.clear.stencil, 3);
}

static void
blits_copies_writes(void **data)
{
    struct decode_rig *f = *data;
    PACKET(&f->s, CMD_BLIT, 0x3f | 1 << 8 | 1 << 10, 1 | 2 << 16, 3 | 4 << 16, /* */
           10, 1, 2, 5, 6, 7, 8, 9, 1,                                         /* */
           11, 0, 1, 20, 21, 0, (uint32_t)-8, 9, 1);
    decode_expect(f, GPU_BLIT);
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
    decode_expect(f, GPU_COPY_REGION);
    assert_int_equal(f->cmd.copy.dst_z, 5);
    assert_int_equal(f->cmd.copy.src, 6);
    assert_int_equal(f->cmd.copy.src_level, 7);
    assert_int_equal(f->cmd.copy.src_box.x, 8);
    assert_int_equal(f->cmd.copy.src_box.depth, 13);
    PACKET(&f->s, CMD_RESOURCE_INLINE_WRITE, 3, 0, 0, 0, 0, 16, 0, 0, 6, 1, 1, 0x44332211, 0x6655);
    decode_expect(f, GPU_PUT);
    assert_int_equal(f->cmd.transfer.resource, 3);
    assert_int_equal(f->cmd.transfer.box.x, 16);
    assert_int_equal(f->cmd.transfer.box.width, 6);
    assert_int_equal(f->cmd.transfer.size_bytes, 8);
    assert_int_equal(f->cmd.transfer.bytes[0], 0x11);
}

static void
queries_and_sub_contexts(void **data)
{
    struct decode_rig *f = *data;
    PACKET(&f->s, CMD_BEGIN_QUERY, 5);
    decode_expect(f, GPU_BEGIN_QUERY);
    assert_int_equal(f->cmd.object.handle, 5);
    PACKET(&f->s, CMD_END_QUERY, 5);
    decode_expect(f, GPU_END_QUERY);
    PACKET(&f->s, CMD_GET_QUERY_RESULT, 5, 1);
    decode_expect(f, GPU_GET_QUERY_RESULT);
    assert_int_equal(f->cmd.query_result.wait, 1);
    PACKET(&f->s, CMD_CREATE_SUB_CTX, 3);
    decode_expect(f, GPU_CREATE_SUB_CTX);
    PACKET(&f->s, CMD_SET_SUB_CTX, 3);
    decode_expect(f, GPU_SET_SUB_CTX);
    assert_int_equal(f->cmd.sub_ctx.value, 3);
    PACKET(&f->s, CMD_SET_SAMPLE_MASK, 1); /* later messages continue in the same sub-context */
    decode_expect(f, GPU_SET_SAMPLE_MASK);
    assert_int_equal(f->cmd.sub_context, 3);
    PACKET(&f->s, CMD_DESTROY_SUB_CTX, 3);
    decode_expect(f, GPU_DESTROY_SUB_CTX);
    PACKET(&f->s, CMD_SET_SAMPLE_MASK, 1);
    decode_expect(f, GPU_SET_SAMPLE_MASK);
    assert_int_equal(f->cmd.sub_context, 0);
}

static void
skipped_and_refused(void **data)
{
    struct decode_rig *f = *data;
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
    decode_expect_nothing(f);
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
    decode_expect_error(f, "SUBMIT at dword 0: TRANSFER3D: its bytes are in memory shared with the "
                           "client, which a SUBMIT does not contain");
    PACKET(&f->s, CMD_SET_FRAMEBUFFER_STATE_NO_ATTACH, 1, 2);
    decode_expect_error(
        f, "SUBMIT at dword 0: SET_FRAMEBUFFER_STATE_NO_ATTACH: this GPU does not execute "
           "it");
    PACKET(&f->s, 99, 1);
    decode_expect_error(f, "SUBMIT at dword 0: unknown command 99");
    f->s.dw[0] = 5 << 16;
    f->s.count = 3;
    decode_expect_error(f, "SUBMIT at dword 0: NOP: length 5 exceeds the remaining 2 dwords");
}

static void
messages(void **data)
{
    struct decode_rig *f = *data;
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
    struct decode_rig *f = *data;
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
send_part(struct decode_rig *f, uint32_t sub_context, uint32_t offlen)
{
    enum { TEXT = 3000 };
    static uint32_t text[TEXT];
    const uint32_t header = CMD_CREATE_OBJECT | VOBJ_SHADER << 8 | (5 + TEXT) << 16;
    const uint32_t words[5] = {7, VSTAGE_VERTEX, offlen, 300, 0};
    PACKET(&f->s, CMD_SET_SUB_CTX, sub_context);
    decode_expect(f, GPU_SET_SUB_CTX);
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
    struct decode_rig *f = *data;
    decoder_limit(f->decoder, &budget);
    for (uint32_t i = 0; i < PARTS; i++) {
        send_part(f, 1 + i, 2 * PART);
        decode_expect_nothing(f);
        assert_int_equal(budget.used_bytes, (i + 1) * PART);
    }
    send_part(f, 1 + PARTS, 2 * PART);
    assert_int_equal(decode_first(f), DECODE_ERROR);
    assert_non_null(strstr(f->err.text, "CREATE_OBJECT: shader: "));
    assert_non_null(strstr(f->err.text, "raise --memory"));
    PACKET(&f->s, CMD_DESTROY_SUB_CTX, 1);
    decode_expect(f, GPU_DESTROY_SUB_CTX);
    assert_int_equal(budget.used_bytes, (PARTS - 1) * PART);
    send_part(f, 2, 0x80000000u | PART);
    decode_expect(f, GPU_CREATE_OBJECT);
    assert_int_equal(budget.used_bytes, (PARTS - 2) * PART);
    decoder_begin(f->decoder, &end);
    assert_int_equal(decoder_next(f->decoder, &f->cmd, &f->err), DECODE_COMMAND);
    assert_int_equal(budget.used_bytes, 0);
    decoder_limit(f->decoder, NULL);
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, decode_setup, decode_teardown)
    const struct CMUnitTest tests[] = {
        CASE(numbers_of_the_protocol),
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
