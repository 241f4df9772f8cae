/* The state and baked draws: linkage, addresses, bounds, decisions, lifetimes, refusals. */
#include "rigs/scene.h"

#include "sim/executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

struct fixture {
    struct gpu_device device;
    struct decoder *decoder;
    struct arena arena;
    struct stream s;
    struct draw *draw; /* the last baked draw */
    struct error err;
};

static bool
apply_message(struct fixture *f, const struct message *message)
{
    struct gpu_cmd cmd;
    enum decode_result result;
    decoder_begin(f->decoder, message);
    while ((result = decoder_next(f->decoder, &cmd, &f->err)) == DECODE_COMMAND) {
        if (!gpu_apply(&f->device, &cmd, &f->err))
            return false;
        if (cmd.op == GPU_DRAW && !gpu_bake_draw(&f->device, &cmd, &f->arena, &f->draw, &f->err))
            return false;
    }
    return result == DECODE_DONE;
}

static bool
apply(struct fixture *f)
{
    struct message message = stream_message(&f->s, 1);
    bool well = apply_message(f, &message);
    f->s.count = 0;
    return well;
}

static void
must(struct fixture *f)
{
    bool well = apply(f);
    if (!well)
        print_error("%s\n", f->err.text);
    assert_true(well);
}

static void
must_fail(struct fixture *f, const char *part)
{
    assert_false(apply(f));
    if (!strstr(f->err.text, part))
        print_error("%s\n", f->err.text);
    assert_non_null(strstr(f->err.text, part));
}

static void
unref(struct fixture *f, uint32_t handle)
{
    struct message m = {.kind = MESSAGE_RESOURCE_UNREF, .client = 1, .resource.handle = handle};
    assert_true(apply_message(f, &m));
}

static int
setup_with(void **data, uint32_t memory_bytes)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_true(gpu_device_init(&f->device, memory_bytes, &f->err));
    f->decoder = decoder_create();
    arena_init(&f->arena);
    struct message m = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
    assert_true(apply_message(f, &m));
    for (uint32_t i = 0; i < sizeof scene_resources / sizeof *scene_resources; i++) {
        m = (struct message){
            .kind = MESSAGE_RESOURCE_CREATE, .client = 1, .resource = scene_resources[i]};
        assert_true(apply_message(f, &m));
    }
    scene_objects(&f->s);
    scene_bindings(&f->s);
    must(f);
    *data = f;
    return 0;
}

static int
setup(void **data)
{
    return setup_with(data, 4 << 20);
}

static int
setup_large(void **data)
{
    return setup_with(data, 256 << 20);
}

static int
teardown(void **data)
{
    struct fixture *f = *data;
    struct message m = {.kind = MESSAGE_CLIENT_END, .client = 1};
    assert_true(apply_message(f, &m));
    assert_int_equal(f->device.memory.used_bytes, 0);
    assert_null(f->device.clients);
    gpu_device_fini(&f->device);
    decoder_destroy(f->decoder);
    arena_fini(&f->arena);
    free(f);
    return 0;
}

static uint32_t
address_of(struct fixture *f, uint32_t handle)
{
    return gpu_resource(&f->device, 1, handle)->address;
}

static void
a_draw_is_baked(void **data)
{
    struct fixture *f = *data;
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    const struct draw *d = f->draw;
    assert_non_null(d);
    assert_int_equal(d->number, 0);
    assert_int_equal(d->params.start, 3);
    uint32_t vertices = address_of(f, RES_VERTICES);
    assert_int_equal(d->attribute_count, 2);
    assert_int_equal(d->attributes[0].address, vertices + 64);
    assert_int_equal(d->attributes[1].address, vertices + 64 + 16);
    assert_int_equal(d->attributes[1].end, vertices + 1024);
    assert_int_equal(d->attributes[1].stride, 32);
    assert_int_equal(d->attributes[1].format->number, 31);
    /* 5 floats are set, and 2 vec4 are declared, so missing values are 0 */
    assert_int_equal(d->constant_count[STAGE_VERTEX], 2);
    const uint32_t *words = (const uint32_t *)d->constants[STAGE_VERTEX];
    const uint32_t expected[8] = {1, 2, 3, 4, 5, 0, 0, 0};
    assert_memory_equal(words, expected, sizeof expected);
    assert_int_equal(d->constant_count[STAGE_FRAGMENT], 0);
    /* color 64x32, depth 64x40 */
    assert_int_equal(d->width, 64);
    assert_int_equal(d->height, 32);
    assert_int_equal(d->samples, 1);
    assert_int_equal(d->bounds.min_x, 0);
    assert_int_equal(d->bounds.max_x, 64);
    assert_int_equal(d->bounds.max_y, 32);
    assert_true(d->depth_test && d->depth_write && !d->stencil_test && !d->stencil_write);
    assert_true(d->color_write && d->early_z && !d->occlusion);
    assert_ptr_equal(d->views[STAGE_FRAGMENT][0].res, gpu_resource(&f->device, 1, RES_TEXTURE));
    assert_int_equal(d->views[STAGE_FRAGMENT][0].sampler.min_filter, FILTER_LINEAR);
    assert_true(d->viewport.scale[0] == 32);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_int_equal(f->draw->number, 1);
}

static void
indices_ignore_start(void **data)
{
    struct fixture *f = *data;
    scene_draw(&f->s, PRIM_TRIANGLES, true);
    must(f);
    assert_int_equal(f->draw->index_address, address_of(f, RES_INDICES) + 6);
    assert_int_equal(f->draw->index_end, address_of(f, RES_INDICES) + 64);
    assert_int_equal(f->draw->index_bytes, 2);
    assert_int_equal(f->draw->params.start, 0);
    PACKET(&f->s, CMD_SET_INDEX_BUFFER, RES_INDICES, 2, 65);
    must_fail(f, "SET_INDEX_BUFFER at dword 0: offset 65 is beyond the buffer's 64 bytes");
    PACKET(&f->s, CMD_SET_INDEX_BUFFER, 0);
    scene_draw(&f->s, PRIM_TRIANGLES, true);
    must_fail(f, "an indexed draw has no index buffer");
}

static void
linkage(void **data)
{
    struct fixture *f = *data;
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    const struct varying *v = f->draw->varyings;
    assert_int_equal(f->draw->position_slot, 0);
    assert_int_equal(f->draw->psize_slot, -1);
    assert_int_equal(f->draw->varying_count, 3);
    assert_int_equal(v[0].source, VARYING_VERTEX);
    assert_int_equal(v[0].slot, 3);
    assert_int_equal(v[0].back_slot, 3);
    assert_int_equal(v[0].interpolation, INTERPOLATE_PERSPECTIVE);
    assert_int_equal(v[1].slot, 1);
    assert_int_equal(v[1].back_slot, 1); /* one-sided lighting */
    assert_int_equal(v[1].interpolation, INTERPOLATE_PERSPECTIVE);
    assert_int_equal(v[2].source, VARYING_NONE);
    assert_int_equal(v[2].interpolation, INTERPOLATE_LINEAR);
    assert_int_equal(f->draw->color_output[0], 0);
    assert_int_equal(f->draw->color_output[1], 0xff);
    assert_int_equal(f->draw->depth_output, -1);
    /* flat and two-sided */
    CREATE(&f->s, VOBJ_RASTERIZER, 200, RASTERIZER_FLATSHADE | RASTERIZER_LIGHT_TWOSIDE, 0, 0, 0, 0,
           0, 0, 0);
    stream_bind(&f->s, VOBJ_RASTERIZER, 200);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    v = f->draw->varyings;
    assert_int_equal(v[0].interpolation, INTERPOLATE_PERSPECTIVE);
    assert_int_equal(v[1].interpolation, INTERPOLATE_CONSTANT);
    assert_int_equal(v[1].back_slot, 2);
}

static void
sprites(void **data)
{
    struct fixture *f = *data;
    static const char fs[] = "FRAG\n"
                             "DCL IN[0], PCOORD, PERSPECTIVE\n"
                             "DCL IN[1], TEXCOORD[2], PERSPECTIVE\n"
                             "DCL IN[2], GENERIC[5], PERSPECTIVE\n"
                             "DCL IN[3], FACE, CONSTANT\n"
                             "DCL IN[4], POSITION, LINEAR\n"
                             "DCL OUT[0], COLOR\n"
                             "  0: MOV OUT[0], IN[1]\n"
                             "  1: END\n";
    stream_shader(&f->s, 201, VSTAGE_FRAGMENT, fs);
    stream_bind_shader(&f->s, 201, VSTAGE_FRAGMENT);
    CREATE(&f->s, VOBJ_RASTERIZER, 200, RASTERIZER_POINT_QUAD, 0, 1 << 2 | 1 << 5, 0, 0, 0, 0, 0);
    stream_bind(&f->s, VOBJ_RASTERIZER, 200);
    scene_draw(&f->s, PRIM_POINTS, false);
    must(f);
    const struct varying *v = f->draw->varyings;
    assert_int_equal(v[0].source, VARYING_SPRITE);
    assert_int_equal(v[1].source, VARYING_SPRITE);
    assert_int_equal(v[2].source, VARYING_VERTEX); /* not a texture coordinate */
    assert_int_equal(v[3].source, VARYING_FACE);
    assert_int_equal(v[4].source, VARYING_POSITION);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    /* triangles have no point sprites */
    assert_int_equal(f->draw->varyings[1].source, VARYING_NONE);
    for (uint32_t mode = FILL_FILL; mode <= FILL_POINT; mode++) {
        const bool points = mode == FILL_POINT; /* the corners of back faces are drawn as points */
        CREATE(&f->s, VOBJ_RASTERIZER, 300 + mode,
               RASTERIZER_POINT_QUAD | mode * RASTERIZER_FILL_BACK, 0, 1 << 2 | 1 << 5, 0, 0, 0, 0,
               0);
        stream_bind(&f->s, VOBJ_RASTERIZER, 300 + mode);
        scene_draw(&f->s, PRIM_TRIANGLES, false);
        must(f);
        assert_int_equal(f->draw->varyings[1].source, points ? VARYING_SPRITE : VARYING_NONE);
    }
}

static void
scissor_cuts_the_bounds(void **data)
{
    struct fixture *f = *data;
    CREATE(&f->s, VOBJ_RASTERIZER, 200, RASTERIZER_SCISSOR, 0, 0, 0, 0, 0, 0, 0);
    stream_bind(&f->s, VOBJ_RASTERIZER, 200);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_int_equal(f->draw->bounds.min_x, 4);
    assert_int_equal(f->draw->bounds.min_y, 8);
    assert_int_equal(f->draw->bounds.max_x, 64);
    assert_int_equal(f->draw->bounds.max_y, 20);
    /* a box outside the target is empty, not inverted */
    PACKET(&f->s, CMD_SET_SCISSOR_STATE, 0, 90 | 90 << 16, 100 | 100 << 16);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_true(f->draw->bounds.min_x == f->draw->bounds.max_x);
}

static void
late_z(void **data)
{
    struct fixture *f = *data;
    static const char kill[] = "FRAG\nDCL IN[0], GENERIC[5], PERSPECTIVE\nDCL OUT[0], COLOR\n"
                               "  0: KILL_IF IN[0]\n  1: MOV OUT[0], IN[0]\n  2: END\n";
    static const char depth[] = "FRAG\nDCL IN[0], GENERIC[5], PERSPECTIVE\nDCL OUT[0], POSITION\n"
                                "DCL OUT[1], COLOR\n  0: MOV OUT[0].z, IN[0].xxxx\n"
                                "  1: MOV OUT[1], IN[0]\n  2: END\n";
    /* alpha test with LESS, then with ALWAYS, which never fails */
    CREATE(&f->s, VOBJ_DSA, 200, DSA_DEPTH_TEST | DSA_ALPHA_TEST | FUNC_LESS * DSA_ALPHA_FUNC, 0, 0,
           0);
    stream_bind(&f->s, VOBJ_DSA, 200);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_false(f->draw->early_z);
    assert_true(f->draw->depth_test && !f->draw->depth_write);
    CREATE(&f->s, VOBJ_DSA, 201, DSA_DEPTH_TEST | DSA_ALPHA_TEST | FUNC_ALWAYS * DSA_ALPHA_FUNC, 0,
           0, 0);
    stream_bind(&f->s, VOBJ_DSA, 201);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_true(f->draw->early_z);
    stream_shader(&f->s, 202, VSTAGE_FRAGMENT, kill);
    stream_bind_shader(&f->s, 202, VSTAGE_FRAGMENT);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_false(f->draw->early_z);
    stream_shader(&f->s, 203, VSTAGE_FRAGMENT, depth);
    stream_bind_shader(&f->s, 203, VSTAGE_FRAGMENT);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_false(f->draw->early_z);
    assert_int_equal(f->draw->depth_output, 0);
    assert_int_equal(f->draw->color_output[0], 1);
    /* the alpha test uses the first color output, even without a color buffer */
    PACKET(&f->s, CMD_SET_FRAMEBUFFER_STATE, 0, OBJ_DEPTH);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_int_equal(f->draw->color_output[0], 0xff);
    assert_int_equal(f->draw->alpha_output, 1);
    PACKET(&f->s, CMD_SET_FRAMEBUFFER_STATE, 1, OBJ_DEPTH, OBJ_COLOR);
    stream_bind_shader(&f->s, OBJ_FS, VSTAGE_FRAGMENT);
    CREATE(&f->s, VOBJ_BLEND, 204, BLEND_ALPHA_TO_COVERAGE, 0, BLEND_WRITES, 0, 0, 0, 0, 0, 0, 0);
    stream_bind(&f->s, VOBJ_BLEND, 204);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_false(f->draw->early_z);
}

static void
stencil_decisions(void **data)
{
    struct fixture *f = *data;
    CREATE(&f->s, VOBJ_DSA, 200, 0,
           FACE_ENABLE | FUNC_ALWAYS * FACE_FUNC | 0xff * FACE_VALUEMASK | 0xff * FACE_WRITEMASK, 0,
           0);
    stream_bind(&f->s, VOBJ_DSA, 200);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_true(f->draw->stencil_test && !f->draw->stencil_write && !f->draw->depth_test);
    CREATE(&f->s, VOBJ_DSA, 201, 0,
           FACE_ENABLE | FUNC_ALWAYS * FACE_FUNC | STENCIL_REPLACE * FACE_ZPASS_OP |
               1 * FACE_WRITEMASK,
           0, 0);
    stream_bind(&f->s, VOBJ_DSA, 201);
    PACKET(&f->s, CMD_SET_STENCIL_REF, 0x0201);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_true(f->draw->stencil_write);
    assert_int_equal(f->draw->stencil_ref[1], 2);
    PACKET(&f->s, CMD_SET_FRAMEBUFFER_STATE, 1, 0, OBJ_COLOR); /* no depth or stencil surface */
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_false(f->draw->stencil_test);
}

static void
what_is_missing(void **data)
{
    struct fixture *f = *data;
    PACKET(&f->s, CMD_SET_VERTEX_BUFFERS, 0, 0, 0); /* without a vertex buffer: 0, 0, 0, 1 */
    PACKET(&f->s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, 0);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_null(f->draw->attributes[0].format);
    assert_null(f->draw->views[STAGE_FRAGMENT][0].res);
    /* a buffer whose begin is after its end reads nothing */
    PACKET(&f->s, CMD_SET_VERTEX_BUFFERS, 32, 5000, RES_VERTICES);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_int_equal(f->draw->attributes[0].address, f->draw->attributes[0].end);
    stream_bind_shader(&f->s, 0, VSTAGE_FRAGMENT);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must_fail(f, "no fragment program is bound");
    PACKET(&f->s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, 999);
    must_fail(f, "sampler view 999 does not exist");
    PACKET(&f->s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_SAMPLER);
    must_fail(f, "object 108 is a sampler state, not a sampler view");
    stream_bind_shader(&f->s, OBJ_VS, VSTAGE_FRAGMENT);
    must_fail(f, "belongs to another stage");
    PACKET(&f->s, CMD_SET_VERTEX_BUFFERS, 32, 0, RES_TEXTURE);
    must_fail(f, "is a texture, but a buffer is required");
    CREATE(&f->s, VOBJ_SURFACE, 300, RES_COLOR, FORMAT_B8G8R8A8_UNORM, 1, 0);
    must_fail(f, "surface 300: level 1 exceeds 0");
    CREATE(&f->s, VOBJ_SAMPLER_VIEW, 300, RES_TEXTURE, FORMAT_B8G8R8A8_UNORM, 1 << 16, 0, 0);
    must_fail(f, "sampler view 300: layers 0 .. 1 are not within 0 .. 0");
    CREATE(&f->s, VOBJ_QUERY, 300, QUERY_OCCLUSION_COUNTER, 56, RES_QUERY);
    must_fail(f, "query 300: its 16 bytes at 56 are not in a buffer of 64");
    CREATE(&f->s, VOBJ_SAMPLER_STATE, OBJ_BLEND, 0, 0, 0, 0, 0, 0, 0, 0);
    must_fail(f, "object 101 already exists");
}

static void
nothing_to_draw(void **data)
{
    struct fixture *f = *data;
    PACKET(&f->s, CMD_DRAW_VBO, 0, 0, PRIM_TRIANGLES, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    must(f);
    assert_null(f->draw);
    CREATE(&f->s, VOBJ_RASTERIZER, 200, RASTERIZER_DISCARD, 0, 0, 0, 0, 0, 0, 0);
    stream_bind(&f->s, VOBJ_RASTERIZER, 200);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_null(f->draw);
    assert_int_equal(f->device.draw_in_frame, 0);
}

static void
queries_and_conditions(void **data)
{
    struct fixture *f = *data;
    struct gpu_cmd cmd = {.client = 1};
    PACKET(&f->s, CMD_BEGIN_QUERY, OBJ_QUERY);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    struct gpu_query *query = gpu_find_query(&f->device, &cmd, OBJ_QUERY);
    assert_true(f->draw->occlusion && query->active);
    assert_ptr_equal(f->draw->query, query);
    PACKET(&f->s, CMD_BEGIN_QUERY, OBJ_QUERY);
    must_fail(f, "is already active");
    PACKET(&f->s, CMD_END_QUERY, OBJ_QUERY);
    PACKET(&f->s, CMD_SET_RENDER_CONDITION, OBJ_QUERY, 0, 0); /* draw if samples passed; none did */
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_null(f->draw);
    assert_false(gpu_render_condition(&f->device, &cmd));
    query->result = 3;
    assert_true(gpu_render_condition(&f->device, &cmd));
    PACKET(&f->s, CMD_SET_RENDER_CONDITION, OBJ_QUERY, 1, 0); /* inverted */
    must(f);
    assert_false(gpu_render_condition(&f->device, &cmd));
    PACKET(&f->s, CMD_SET_RENDER_CONDITION, 0, 0, 0);
    stream_destroy(&f->s, VOBJ_QUERY, OBJ_QUERY);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_false(f->draw->occlusion);
}

static void
references_keep_what_is_used(void **data)
{
    struct fixture *f = *data;
    struct resource *texture = gpu_resource(&f->device, 1, RES_TEXTURE);
    uint32_t used = f->device.memory.used_bytes, bytes = texture->size_bytes;
    assert_int_equal(texture->references, 2);
    unref(f, RES_TEXTURE);
    assert_null(gpu_resource(&f->device, 1, RES_TEXTURE));
    assert_int_equal(texture->references, 1);           /* the view holds a reference */
    stream_destroy(&f->s, VOBJ_SAMPLER_VIEW, OBJ_VIEW); /* the view is still bound */
    stream_destroy(&f->s, VOBJ_BLEND, OBJ_BLEND);
    stream_destroy(&f->s, VOBJ_SHADER, OBJ_FS);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_ptr_equal(f->draw->views[STAGE_FRAGMENT][0].res, texture);
    assert_int_equal(f->draw->blend.rt[0].colormask, 15);
    assert_int_equal(f->device.memory.used_bytes, used);
    PACKET(&f->s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, 0);
    must(f);
    assert_int_equal(f->device.memory.used_bytes, used - (bytes + 255) / 256 * 256);
}

static void
a_held_device_frees_later(void **data)
{
    struct fixture *f = *data;
    uint32_t used = f->device.memory.used_bytes;
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    gpu_device_hold(&f->device);
    const struct draw *draw = f->draw;
    stream_destroy(&f->s, VOBJ_SHADER, OBJ_FS);
    stream_bind_shader(&f->s, 0, VSTAGE_FRAGMENT);
    stream_destroy(&f->s, VOBJ_SAMPLER_VIEW, OBJ_VIEW);
    PACKET(&f->s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, 0);
    must(f);
    unref(f, RES_TEXTURE);
    /* the owner was notified of the end and waited; the references of the draw are still valid */
    assert_true(f->device.memory.used_bytes < used);
    used = f->device.memory.used_bytes;
    assert_int_equal(draw->program[STAGE_FRAGMENT]->input_count, 3);
    assert_int_equal(draw->views[STAGE_FRAGMENT][0].res->desc.handle, RES_TEXTURE);
    gpu_device_release(&f->device);
    assert_int_equal(f->device.memory.used_bytes, used);
}

static void
sub_contexts_are_apart(void **data)
{
    struct fixture *f = *data;
    PACKET(&f->s, CMD_CREATE_SUB_CTX, 7);
    PACKET(&f->s, CMD_SET_SUB_CTX, 7);
    /* the same handle in another sub-context */
    stream_blend(&f->s, OBJ_BLEND, 0);
    stream_surface(&f->s, 300, RES_COLOR, FORMAT_B8G8R8A8_UNORM); /* the same resources */
    must(f);
    stream_bind(&f->s, VOBJ_RASTERIZER, OBJ_RASTERIZER);
    must_fail(f, "rasterizer state 102 does not exist");
    PACKET(&f->s, CMD_DESTROY_SUB_CTX, 7);
    stream_bind(&f->s, VOBJ_RASTERIZER, OBJ_RASTERIZER);
    must(f);
    PACKET(&f->s, CMD_SET_SUB_CTX, 7);
    must_fail(f, "client 1 has no sub-context 7");
    stream_bind(&f->s, VOBJ_RASTERIZER, OBJ_RASTERIZER);
    must_fail(f, "client 1 has no sub-context 7");
    PACKET(&f->s, CMD_SET_SUB_CTX, 0);
    PACKET(&f->s, CMD_DESTROY_SUB_CTX, 0);
    must_fail(f, "sub-context 0 cannot be destroyed");
}

/* Creates a buffer of 4 KiB and returns whether it is mapped. */
static bool
makes_mapped(struct fixture *f, uint32_t handle, uint32_t bind)
{
    struct message m = {
        .kind = MESSAGE_RESOURCE_CREATE,
        .client = 1,
        .resource = {handle, TARGET_BUFFER, FORMAT_R8_UNORM, bind, 4096, 1, 1, 1, 0, 0}};
    assert_true(apply_message(f, &m));
    const uint32_t address = gpu_resource(&f->device, 1, handle)->address;
    const bool first = gpu_memory_is_mapped(&f->device.memory, address);
    assert_int_equal(gpu_memory_is_mapped(&f->device.memory, address + 4095), first);
    return first;
}

/* There is room for two mapped buffers. Uniform buffers stay in GPU memory. A destroyed buffer
 * makes room, and its memory is not mapped for its next owner. */
static void
mapped_buffers_have_a_limit(void **data)
{
    struct fixture *f = *data;
    assert_false(makes_mapped(f, 900, BIND_VERTEX_BUFFER));
    f->device.mapped_limit_bytes = 3 * 4096 - 1;
    assert_true(makes_mapped(f, 901, BIND_VERTEX_BUFFER));
    assert_false(makes_mapped(f, 902, BIND_CONSTANT_BUFFER));
    assert_true(makes_mapped(f, 903, BIND_INDEX_BUFFER));
    assert_false(makes_mapped(f, 904, BIND_VERTEX_BUFFER));
    const uint32_t address = gpu_resource(&f->device, 1, 901)->address;
    unref(f, 901);
    assert_false(makes_mapped(f, 905, BIND_CONSTANT_BUFFER));
    assert_int_equal(gpu_resource(&f->device, 1, 905)->address, address);
    assert_true(makes_mapped(f, 906, BIND_VERTEX_BUFFER));
}

/* OpenGL 3.1 requires 65,536 texels; this GPU has 2^27. */
static void
buffer_textures_have_a_limit(void **data)
{
    static const struct {
        uint32_t first, last, format;
        const char *refusal; /* NULL: accepted */
    } cases[] = {
        {0, (1u << 27) - 1, FORMAT_R8_UNORM, NULL},
        {16, (1u << 27) + 15, FORMAT_R8_UNORM, NULL},
        {0, 1u << 27, FORMAT_R8_UNORM, "134217729 texels; at most 134217728"},
        {0, (1u << 23), FORMAT_R32G32B32A32_FLOAT, NULL},
        {0, (1u << 23) + 1, FORMAT_R32G32B32A32_FLOAT, "are outside of the buffer"},
        {5, 4, FORMAT_R8_UNORM, "are outside of the buffer"},
        {0, 1, FORMAT_DXT1_RGB, "a buffer texture of format"},
    };
    struct fixture *f = *data;
    struct message m = {.kind = MESSAGE_RESOURCE_CREATE,
                        .client = 1,
                        .resource = {900, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_SAMPLER_VIEW,
                                     (1u << 27) + 16, 1, 1, 1, 0, 0}};
    assert_true(apply_message(f, &m));
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CREATE(&f->s, VOBJ_SAMPLER_VIEW, 400 + i, 900, cases[i].format, cases[i].first,
               cases[i].last, 0);
        if (cases[i].refusal)
            must_fail(f, cases[i].refusal);
        else
            must(f);
    }
}

static void
refusals_have_names(void **data)
{
    struct fixture *f = *data;
    CREATE(&f->s, VOBJ_VERTEX_ELEMENTS, 301, 0, 0, 0, 292); /* ASTC */
    stream_bind(&f->s, VOBJ_VERTEX_ELEMENTS, 301);
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must_fail(f, "cannot be fetched");
    PACKET(&f->s, CMD_DRAW_VBO, 0, ~0u, PRIM_TRIANGLES, 0, 2, 0, 0, 0, 0, 0, 0, 0);
    must_fail(f, "DRAW at dword 0");
}

static void
transfers_are_checked(void **data)
{
    struct fixture *f = *data;
    uint8_t bytes[64] = {0};
    struct message m = {.kind = MESSAGE_PUT, .client = 1, .bytes = bytes, .size_bytes = 64};
    m.transfer.handle = RES_COLOR;
    m.transfer.box = (struct box){0, 0, 0, 4, 4, 1};
    assert_true(apply_message(f, &m));
    m.size_bytes = 60;
    assert_false(apply_message(f, &m));
    m.size_bytes = 64;
    m.transfer.box.x = 61;
    assert_false(apply_message(f, &m));
    m.transfer.box.x = INT32_MAX;
    assert_false(apply_message(f, &m));
    m.transfer.box.x = 0;
    m.transfer.level = 1;
    assert_false(apply_message(f, &m));
    m.transfer.handle = 999;
    assert_false(apply_message(f, &m));
    m = (struct message){.kind = MESSAGE_SWAP, .client = 1};
    m.transfer.handle = RES_COLOR;
    m.transfer.box = (struct box){0, 0, 0, 64, 32, 1};
    scene_draw(&f->s, PRIM_TRIANGLES, false);
    must(f);
    assert_true(apply_message(f, &m));
    assert_int_equal(f->device.frame, 1);
    assert_int_equal(f->device.draw_in_frame, 0);
    /* mirrored blits: one inside the surface, one that is clipped, one with an integer overflow */
    stream_blit(&f->s, BLIT_COLOR,
                (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, 8, 8, 1}},
                (struct blit_side){RES_TEXTURE, 0, FORMAT_B8G8R8A8_UNORM, {0, 8, 0, 8, -8, 1}});
    must(f);
    stream_blit(&f->s, BLIT_COLOR,
                (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, 8, 8, 1}},
                (struct blit_side){RES_TEXTURE, 0, FORMAT_B8G8R8A8_UNORM, {0, 7, 0, 8, -8, 1}});
    must(f);
    stream_blit(
        &f->s, BLIT_COLOR,
        (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, 8, 8, 1}},
        (struct blit_side){RES_TEXTURE, 0, FORMAT_B8G8R8A8_UNORM, {0, INT32_MIN, 0, 8, -8, 1}});
    must_fail(f, "reaches outside resource 3");
    PACKET(&f->s, CMD_RESOURCE_COPY_REGION, RES_COLOR, 0, 56, 0, 0, RES_TEXTURE, 0, 0, 0, 0, 8, 8,
           1);
    must(f);
    PACKET(&f->s, CMD_RESOURCE_COPY_REGION, RES_COLOR, 0, 57, 0, 0, RES_TEXTURE, 0, 0, 0, 0, 8, 8,
           1);
    must_fail(f, "is not inside level 0 of resource 1");
}

/* The listener of the sink receives the record of a query. */
struct listener {
    uint32_t client, handle, offset, size_bytes;
    struct gpu_query_record record;
};

static void
listen(void *data, uint32_t client, uint32_t handle, uint32_t offset, const void *bytes,
       uint32_t size_bytes)
{
    struct listener *l = data;
    *l = (struct listener){client, handle, offset, size_bytes, {0}};
    memcpy(&l->record, bytes, sizeof l->record);
}

static bool
execute(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct gpu_device *device = data;
    if (!gpu_apply(device, cmd, err))
        return false;
    if (cmd->op == GPU_GET_QUERY_RESULT) {
        const struct gpu_query *query = gpu_find_query(device, cmd, cmd->query_result.handle);
        struct gpu_query_record record = {1, 8, 12345};
        memcpy(device->memory.bytes + query->res->address + query->offset, &record, sizeof record);
    }
    return true;
}

static void
query_results_go_back(void **data)
{
    struct fixture *f = *data;
    struct executor executor = {.data = &f->device, .device = &f->device, .execute = execute};
    struct executor_sink sink;
    struct listener listener = {0};
    executor_sink_init(&sink, &executor);
    sink.sink.write_back = listen;
    sink.sink.listener = &listener;
    PACKET(&f->s, CMD_GET_QUERY_RESULT, OBJ_QUERY, 1);
    struct message m = stream_message(&f->s, 1);
    assert_true(sink.sink.take(sink.sink.data, &m, NULL, 0, &f->err));
    assert_int_equal(listener.client, 1);
    assert_int_equal(listener.handle, RES_QUERY);
    assert_int_equal(listener.offset, 16);
    assert_int_equal(listener.size_bytes, 16);
    assert_int_equal(listener.record.state, 1);
    assert_int_equal(listener.record.result, 12345);
    PACKET(&f->s, CMD_GET_QUERY_RESULT, 999, 1);
    m = stream_message(&f->s, 1);
    assert_false(sink.sink.take(sink.sink.data, &m, NULL, 0, &f->err));
    assert_string_equal(
        f->err.text,
        "message 1 of client 1: GET_QUERY_RESULT at dword 3: query 999 does not exist");
    executor_sink_fini(&sink);
    f->s.count = 0;
}

int
main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_draw_is_baked),
        CASE(indices_ignore_start),
        CASE(linkage),
        CASE(sprites),
        CASE(scissor_cuts_the_bounds),
        CASE(late_z),
        CASE(stencil_decisions),
        CASE(what_is_missing),
        CASE(nothing_to_draw),
        CASE(queries_and_conditions),
        CASE(references_keep_what_is_used),
        CASE(a_held_device_frees_later),
        CASE(sub_contexts_are_apart),
        CASE(mapped_buffers_have_a_limit),
        cmocka_unit_test_setup_teardown(buffer_textures_have_a_limit, setup_large, teardown),
        CASE(refusals_have_names),
        CASE(transfers_are_checked),
        CASE(query_results_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
