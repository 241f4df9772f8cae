/* The identity of a draw: changes that alter it, and changes that do not. */
#include "rigs/scene.h"

#include "sim/executor.h"
#include "state/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

struct fixture {
    struct gpu_device device;
    struct arena arena;
    struct draw *draw;
};

static bool
execute(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct fixture *f = data;
    (void)out;
    (void)out_bytes;
    return gpu_apply(&f->device, cmd, err) &&
           (cmd->op != GPU_DRAW || gpu_bake_draw(&f->device, cmd, &f->arena, &f->draw, err));
}

/* Bakes the last draw of a stream in a separate device. */
static void
bake(struct fixture *f, const struct stream *objects, const char *marker)
{
    struct executor_sink sink;
    struct error err = {""};
    const struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
    struct stream s = *objects;
    memset(f, 0, sizeof *f);
    arena_init(&f->arena);
    assert_true(gpu_device_init(&f->device, 1 << 20, &err));
    executor_sink_init(&sink, &(struct executor){f, &f->device, execute});
    assert_true(sink.sink.take(&sink, &begin, NULL, 0, &err));
    for (uint32_t i = 0; i < sizeof scene_resources / sizeof *scene_resources; i++) {
        const struct message create = {
            .kind = MESSAGE_RESOURCE_CREATE, .client = 1, .resource = scene_resources[i]};
        assert_true(sink.sink.take(&sink, &create, NULL, 0, &err));
    }
    if (marker) {
        uint32_t words[64] = {(uint32_t)strlen(marker)};
        memcpy(&words[1], marker, strlen(marker));
        stream_packet(&s, CMD_SEND_STRING_MARKER, 0, words, 1 + (words[0] + 3) / 4);
    }
    scene_draw(&s, PRIM_TRIANGLES, false);
    const struct message submit = stream_message(&s, 1);
    if (!sink.sink.take(&sink, &submit, NULL, 0, &err))
        fail_msg("%s", err.text);
    assert_non_null(f->draw);
    executor_sink_fini(&sink);
}

static void
make_scene(struct stream *s)
{
    s->count = 0;
    scene_objects(s);
    scene_bindings(s);
}

static void
end(struct fixture *f)
{
    arena_fini(&f->arena);
    gpu_device_fini(&f->device);
}

static uint64_t
hash_of(const struct draw *draw)
{
    struct draw_identity identity;
    draw_identify(draw, &identity);
    return identity.hash;
}

/* A draw and the objects that it references. */
struct parts {
    struct draw draw;
    struct program fs;
    struct resource texture;
};
struct change {
    const char *field;
    size_t offset, size;
    const void *value;
};
#define TYPE_OF(path) __typeof__(((struct parts *)0)->path)
#define CHANGE(path, to)                                                                           \
    .field = #path, .offset = offsetof(struct parts, path), .size = sizeof(TYPE_OF(path)),         \
    .value = &(const TYPE_OF(path))                                                                \
    {                                                                                              \
        to                                                                                         \
    }

/* Returns whether the change gives the draw another identity. */
static bool
is_other(const struct draw *draw, const struct change *change)
{
    struct parts parts = {*draw, *draw->program[STAGE_FRAGMENT],
                          *draw->views[STAGE_FRAGMENT][0].res};
    void *field = (uint8_t *)&parts + change->offset;
    parts.draw.program[STAGE_FRAGMENT] = &parts.fs;
    parts.draw.views[STAGE_FRAGMENT][0].res = &parts.texture;
    assert_true(hash_of(&parts.draw) == hash_of(draw)); /* the same content at other addresses */
    if (!memcmp(field, change->value, change->size))
        fail_msg("%s has this value", change->field);
    memcpy(field, change->value, change->size);
    return hash_of(&parts.draw) != hash_of(draw);
}

static void
check_changes(const struct change *changes, size_t count, bool expected)
{
    struct stream s;
    struct fixture f;
    make_scene(&s);
    bake(&f, &s, NULL);
    for (size_t i = 0; i < count; i++)
        if (is_other(f.draw, &changes[i]) != expected)
            fail_msg("%s", changes[i].field);
    end(&f);
}

static const struct change counts[] = {
    /* programs and geometry */
    {CHANGE(fs.hash, 7)},
    {CHANGE(draw.params.mode, PRIM_TRIANGLE_FAN)},
    {CHANGE(draw.params.count, 7)},
    {CHANGE(draw.params.instance_count, 2)},
    {CHANGE(draw.attributes[0].stride, 64)},
    {CHANGE(draw.attributes[0].divisor, 1)},
    {CHANGE(draw.attributes[1].format, NULL)},
    /* textures */
    {CHANGE(texture.desc.width, 32)},
    {CHANGE(texture.desc.last_level, 1)},
    {CHANGE(draw.views[STAGE_FRAGMENT][0].view.format, FORMAT_B8G8R8X8_UNORM)},
    {CHANGE(draw.views[STAGE_FRAGMENT][0].view.first_level, 1)},
    {CHANGE(draw.views[STAGE_FRAGMENT][0].sampler.wrap_s, WRAP_CLAMP)},
    {CHANGE(draw.views[STAGE_FRAGMENT][0].sampler.max_anisotropy, 4)},
    {CHANGE(draw.views[STAGE_FRAGMENT][0].res, NULL)},
    /* targets and state */
    {CHANGE(draw.color[0].width, 32)},
    {CHANGE(draw.color[0].samples, 4)},
    {CHANGE(draw.depth.res, NULL)},
    {CHANGE(draw.blend.rt[0].enable, true)},
    {CHANGE(draw.blend.rt[0].colormask, 7)},
    {CHANGE(draw.blend.logicop_enable, true)},
    {CHANGE(draw.dsa.depth_func, FUNC_EQUAL)},
    {CHANGE(draw.dsa.depth_write, false)},
    {CHANGE(draw.dsa.alpha_enable, true)},
    {CHANGE(draw.dsa.stencil[0].enabled, true)},
    {CHANGE(draw.rasterizer.cull, CULL_BACK)},
    {CHANGE(draw.rasterizer.fill_front, FILL_LINE)},
};

static void
test_what_counts(void **state)
{
    struct stream s;
    struct fixture f;
    (void)state;
    check_changes(counts, sizeof counts / sizeof *counts, true);
    make_scene(&s);
    bake(&f, &s, NULL);
    struct draw indexed = *f.draw;
    indexed.params.indexed = true;
    indexed.index_bytes = 2;
    assert_true(hash_of(&indexed) != hash_of(f.draw));
    end(&f);
}

/* Values that change from frame to frame, and addresses. */
static const struct change does_not_count[] = {
    {CHANGE(draw.number, 7)},
    {CHANGE(draw.client, 2)},
    {CHANGE(draw.params.start, 300)},
    {CHANGE(draw.params.min_index, 300)},
    {CHANGE(draw.attributes[0].address, 4096)},
    {CHANGE(draw.attributes[0].end, 4096)},
    {CHANGE(fs.id, 99)},
    {CHANGE(texture.desc.handle, 77)},
    {CHANGE(texture.address, 1 << 16)},
    {CHANGE(draw.views[STAGE_FRAGMENT][0].view.resource, 77)},
    {CHANGE(draw.constants[STAGE_VERTEX], NULL)},
    {CHANGE(draw.viewport.scale[0], 5)},
    {CHANGE(draw.bounds.min_x, 3)},
    {CHANGE(draw.blend_color[0], .5f)},
    {CHANGE(draw.stencil_ref[0], 3)},
    {CHANGE(draw.dsa.alpha_ref, .5f)},
    {CHANGE(draw.clip_planes[0][0], 1)},
    {CHANGE(draw.blend.rt[0].rgb_src, FACTOR_ZERO)}, /* no effect without blending */
    {CHANGE(draw.dsa.stencil[0].func, FUNC_EQUAL)},  /* no effect without a stencil test */
};

static void
test_what_does_not_count(void **state)
{
    (void)state;
    check_changes(does_not_count, sizeof does_not_count / sizeof *does_not_count, false);
}

/* The identity is the same in another device with other addresses, and with a label for the draw.
 */
static void
test_other_run(void **state)
{
    struct stream s;
    struct fixture a, b;
    (void)state;
    make_scene(&s);
    bake(&a, &s, NULL);
    bake(&b, &s, "shadows/trees\nprogram water\nnonsense\ntarget lake");
    assert_true(hash_of(a.draw) == hash_of(b.draw));
    assert_string_equal(a.draw->names->label, "");
    assert_string_equal(b.draw->names->label, "shadows/trees");
    assert_string_equal(b.draw->names->program, "water");
    assert_string_equal(b.draw->names->target, "lake");
    end(&b);
    bake(&b, &s, "no \xff UTF-8 \xc3\xa9\xc3");
    assert_string_equal(b.draw->names->label, "no ? UTF-8 \xc3\xa9?");
    end(&a);
    end(&b);
}

static uint64_t
hash_of_text(const char *instruction)
{
    struct error err;
    char text[256];
    snprintf(text, sizeof text,
             "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], PERSPECTIVE\n"
             "DCL OUT[0], COLOR\nDCL SAMP[0..1]\nDCL TEMP[0..1]\n 0: %s\n 1: END\n",
             instruction);
    struct program *program = program_create(STAGE_FRAGMENT, text, NULL, &err);
    if (!program)
        fail_msg("%s", err.text);
    assert_string_equal(program->text, text);
    const uint64_t hash = program->hash;
    program_destroy(program);
    return hash;
}

/* The hash of a program depends only on its function. Mesa prints unused channels differently in
 * different runs. */
static void
test_programs(void **state)
{
    static const struct {
        const char *a, *b;
        bool is_same;
    } cases[] = {
        {"MUL OUT[0].xyz, IN[0].xyzx, IN[1]", "MUL OUT[0].xyz, IN[0].xyzz, IN[1].xyzy", true},
        {"MOV TEMP[0].z, IN[0].xyxw", "MOV TEMP[0].z, IN[0].xxxx", true},
        {"DP3 OUT[0], IN[0].xyzw, IN[1]", "DP3 OUT[0], IN[0].xyzx, IN[1]", true},
        {"RCP OUT[0], IN[0].yyyy", "RCP OUT[0], IN[0].yxzw", true},
        {"TEX OUT[0], IN[0].xyzw, SAMP[0], 2D", "TEX OUT[0], IN[0].xyxx, SAMP[0], 2D", true},
        {"MOV TEMP[0].z, IN[0].xyxw", "MOV TEMP[0].z, IN[0].xyyw", false},
        {"MOV TEMP[0].z, IN[0].xyxw", "MOV TEMP[0].y, IN[0].xxxx", false},
        {"DP3 OUT[0], IN[0].xyzw, IN[1]", "DP4 OUT[0], IN[0].xyzw, IN[1]", false},
        {"RCP OUT[0], IN[0].yyyy", "RCP OUT[0], IN[1].yyyy", false},
        {"RCP OUT[0], IN[0].yyyy", "RCP OUT[0], -IN[0].yyyy", false},
        {"RCP OUT[0], IN[0].yyyy", "RCP_SAT OUT[0], IN[0].yyyy", false},
        {"TEX OUT[0], IN[0].xyzw, SAMP[0], 2D", "TEX OUT[0], IN[0].xyzw, SAMP[1], 2D", false},
        {"TEX OUT[0], IN[0].xyzw, SAMP[0], 2D", "TEX OUT[0], IN[0].xyzw, SAMP[0], RECT", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if ((hash_of_text(cases[i].a) == hash_of_text(cases[i].b)) != cases[i].is_same)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
}

/* The text of a marker is longer than its packet. */
static void
test_damaged_marker(void **state)
{
    struct decoder *decoder = decoder_create();
    struct stream s = {.count = 0};
    struct gpu_cmd cmd;
    struct error err;
    (void)state;
    PACKET(&s, CMD_SEND_STRING_MARKER, 5, 0x41414141);
    const struct message message = stream_message(&s, 1);
    decoder_begin(decoder, &message);
    assert_int_equal(decoder_next(decoder, &cmd, &err), DECODE_ERROR);
    decoder_destroy(decoder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_counts),    cmocka_unit_test(test_what_does_not_count),
        cmocka_unit_test(test_other_run),      cmocka_unit_test(test_programs),
        cmocka_unit_test(test_damaged_marker),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
