/* Hostile streams: valid streams with dwords changed, removed, repeated and moved. Each stream is
 * executed, or refused with an error that names a command or message. The decoder must not crash,
 * hang or read outside its data. Run the test with ASan and UBSan. */
#include "rigs/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SEEDS = 4000 };

static uint32_t
random_next(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * 0x2545f4914f6cdd1dull >> 32);
}

static uint32_t
interesting(uint64_t *state)
{
    static const uint32_t values[] = {
        0,          1,          2,          3,          8,        16,         31,
        32,         255,        256,        0xffff,     0x10000,  0x7fffffff, 0x80000000,
        0xfffffff0, 0xffffffff, 0x7f800000, 0x7fc00000, OBJ_VIEW, OBJ_FS,     RES_TEXTURE,
    };
    uint32_t r = random_next(state);
    return r & 1 ? values[(r >> 1) % (sizeof values / 4)] : random_next(state);
}

static void
mutate(struct stream *s, uint64_t *state)
{
    uint32_t count = 1 + random_next(state) % 4;
    for (uint32_t i = 0; i < count && s->count > 8; i++) {
        uint32_t at = random_next(state) % s->count;
        switch (random_next(state) % 6) {
        case 0: s->dw[at] = interesting(state); break;
        case 1: s->dw[at] ^= 1u << (random_next(state) & 31); break;
        case 2: s->dw[at] += random_next(state) % 5 - 2; break;
        case 3: s->count = at; break;
        case 4: /* remove a dword */
            memmove(s->dw + at, s->dw + at + 1, (s->count - at - 1) * 4);
            s->count--;
            break;
        default: { /* repeat a part elsewhere */
            uint32_t n = random_next(state) % 16, to = random_next(state) % s->count;
            if (at + n <= s->count && to + n <= s->count)
                memmove(s->dw + to, s->dw + at, n * 4);
        }
        }
    }
}

/* A draw with a uniform block, stream output, and queries of its primitives; then a draw of as many
 * vertices as are stored. */
static void
stream_stores(struct stream *s)
{
    enum { OBJ_STORE = 130, OBJ_TARGET, OBJ_GENERATED, OBJ_STORED, TARGET_BYTES = 256 };
    static const char vs[] = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[3][0..1]\n"
                             "0: ADD OUT[0], IN[0], CONST[3][1]\n1: END\n";
    static const uint32_t outputs[] = {STREAMED(0, 0, 4, 0, 0), 0, STREAMED(0, 1, 2, 0, 5), 0};
    stream_storing_shader(s, OBJ_STORE, VSTAGE_VERTEX, vs, (const uint32_t[]){8, 0, 0, 0}, outputs,
                          2);
    CREATE(s, VOBJ_STREAMOUT_TARGET, OBJ_TARGET, RES_VERTICES, 512, TARGET_BYTES);
    CREATE(s, VOBJ_QUERY, OBJ_GENERATED, QUERY_PRIMITIVES_GENERATED, 16, RES_QUERY);
    CREATE(s, VOBJ_QUERY, OBJ_STORED, QUERY_PRIMITIVES_EMITTED, 32, RES_QUERY);
    stream_bind_shader(s, OBJ_STORE, VSTAGE_VERTEX);
    PACKET(s, CMD_SET_UNIFORM_BUFFER, VSTAGE_VERTEX, 3, 256, 32, RES_VERTICES);
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0, OBJ_TARGET);
    PACKET(s, CMD_BEGIN_QUERY, OBJ_GENERATED);
    PACKET(s, CMD_BEGIN_QUERY, OBJ_STORED);
    scene_draw(s, PRIM_TRIANGLES, false);
    PACKET(s, CMD_END_QUERY, OBJ_STORED);
    PACKET(s, CMD_END_QUERY, OBJ_GENERATED);
    PACKET(s, CMD_SET_STREAMOUT_TARGETS, 0);
    PACKET(s, CMD_DRAW_VBO, 0, 0, PRIM_TRIANGLES, 0, 1, 0, 0, 0, 0, 0, ~0u, TARGET_BYTES);
    stream_bind_shader(s, OBJ_VS, VSTAGE_VERTEX);
}

static void
valid_stream(struct stream *s)
{
    s->count = 0;
    PACKET(s, CMD_CREATE_SUB_CTX, 1);
    PACKET(s, CMD_SET_SUB_CTX, 1);
    scene_objects(s);
    scene_bindings(s);
    stream_clear(s, CLEAR_ALL, NULL, 1, 0);
    PACKET(s, CMD_BEGIN_QUERY, OBJ_QUERY);
    scene_draw(s, PRIM_TRIANGLES, false);
    scene_draw(s, PRIM_TRIANGLE_STRIP, true);
    PACKET(s, CMD_END_QUERY, OBJ_QUERY);
    PACKET(s, CMD_GET_QUERY_RESULT, OBJ_QUERY, 1);
    PACKET(s, CMD_SET_RENDER_CONDITION, OBJ_QUERY, 1, 0);
    PACKET(s, CMD_RESOURCE_INLINE_WRITE, RES_VERTICES, 0, 0, 0, 0, 16, 0, 0, 8, 1, 1, 1, 2);
    stream_blit(s, BLIT_COLOR,
                (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, 8, 8, 1}},
                (struct blit_side){RES_TEXTURE, 0, FORMAT_B8G8R8A8_UNORM, {0, 8, 0, 8, -8, 1}});
    PACKET(s, CMD_RESOURCE_COPY_REGION, RES_COLOR, 0, 56, 0, 0, RES_TEXTURE, 0, 0, 0, 0, 8, 8, 1);
    PACKET(s, CMD_SET_UNIFORM_BUFFER, VSTAGE_VERTEX, 0, 16, 64, RES_VERTICES);
    scene_draw(s, PRIM_LINES, false);
    stream_stores(s);
    stream_destroy(s, VOBJ_SAMPLER_VIEW, OBJ_VIEW);
    stream_destroy(s, VOBJ_SURFACE, OBJ_COLOR);
    stream_destroy(s, VOBJ_QUERY, OBJ_QUERY);
    scene_draw(s, PRIM_TRIANGLE_FAN, true);
    PACKET(s, CMD_DESTROY_SUB_CTX, 1);
}

/* Checks that all addresses of a baked draw are inside memory. */
static void
check_draw(const struct draw *draw, const struct gpu_device *device)
{
    uint32_t size = device->memory.size_bytes;
    for (uint32_t i = 0; i < draw->attribute_count; i++)
        assert_true(draw->attributes[i].address <= draw->attributes[i].end &&
                    draw->attributes[i].end <= size);
    assert_true(draw->index_address <= draw->index_end && draw->index_end <= size);
    assert_true(draw->bounds.min_x <= draw->bounds.max_x && draw->bounds.max_x <= draw->width);
    assert_true(draw->bounds.min_y <= draw->bounds.max_y && draw->bounds.max_y <= draw->height);
    for (uint32_t i = 0; i < draw->color_count; i++)
        if (draw->color[i].res)
            assert_true(draw->color[i].res->address + draw->color[i].res->size_bytes <= size);
    for (uint32_t i = 0; i < MAX_SO_BUFFERS; i++) {
        const struct gpu_stream *stream = draw->streams[i];
        if (stream)
            assert_true((uint64_t)stream->res->address + stream->offset + stream->size <= size &&
                        stream->written <= stream->size);
    }
    float sum = 0;
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        for (uint32_t i = 0; i < draw->constant_count[stage]; i++)
            sum += draw->constants[stage][i][0];
    (void)sum;
}

static bool
feed(struct gpu_device *device, struct decoder *decoder, struct arena *arena,
     const struct message *message, struct error *err)
{
    struct gpu_cmd cmd;
    enum decode_result result;
    decoder_begin(decoder, message);
    while ((result = decoder_next(decoder, &cmd, err)) == DECODE_COMMAND) {
        if (!gpu_apply(device, &cmd, err))
            return false;
        struct draw *draw = NULL;
        if (cmd.op == GPU_DRAW && !gpu_bake_draw(device, &cmd, arena, &draw, err))
            return false;
        if (draw)
            check_draw(draw, device);
    }
    return result == DECODE_DONE;
}

static bool
names_a_place(const char *text)
{
    return strstr(text, " at dword ") || strncmp(text, "SUBMIT: ", 8) == 0;
}

/* One client connects, creates its resources, submits, continues after errors, and ends. Returns
 * whether all commands succeeded. */
static bool
run_stream(const struct stream *s, const struct stream *again)
{
    struct gpu_device device;
    struct arena arena;
    struct error err;
    assert_true(gpu_device_init(&device, 1 << 20, &err));
    struct decoder *decoder = decoder_create();
    arena_init(&arena);
    struct message m = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
    assert_true(feed(&device, decoder, &arena, &m, &err));
    for (uint32_t i = 0; i < sizeof scene_resources / sizeof *scene_resources; i++) {
        m = (struct message){
            .kind = MESSAGE_RESOURCE_CREATE, .client = 1, .resource = scene_resources[i]};
        assert_true(feed(&device, decoder, &arena, &m, &err));
    }
    m = stream_message(s, 1);
    bool well = feed(&device, decoder, &arena, &m, &err);
    if (!well && !names_a_place(err.text))
        fail_msg("no place in: %s", err.text);
    m = stream_message(again, 1);
    feed(&device, decoder, &arena, &m, &err);
    m = (struct message){.kind = MESSAGE_CLIENT_END, .client = 1};
    assert_true(feed(&device, decoder, &arena, &m, &err));
    assert_int_equal(device.memory.used_bytes, 0);
    gpu_device_fini(&device);
    decoder_destroy(decoder);
    arena_fini(&arena);
    return well;
}

static void
the_stream_itself_is_well(void **data)
{
    struct stream *s = malloc(sizeof *s);
    valid_stream(s);
    assert_true(run_stream(s, s));
    free(s);
}

static void
mutated_streams(void **data)
{
    struct stream *valid = malloc(sizeof *valid), *s = malloc(sizeof *s);
    valid_stream(valid);
    uint32_t wrong = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t state = seed * 0x9e3779b97f4a7c15ull;
        *s = *valid;
        mutate(s, &state);
        wrong += !run_stream(s, valid);
    }
    assert_true(wrong > SEEDS / 4 && wrong < SEEDS); /* many streams are damaged, but not all */
    free(valid);
    free(s);
}

/* Changes only dwords that are not headers, because these changes get further than damaged packets.
 */
static void
mutated_fields(void **data)
{
    struct stream *valid = malloc(sizeof *valid), *s = malloc(sizeof *s);
    valid_stream(valid);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t state = seed * 0xd1342543de82ef95ull;
        uint32_t target = random_next(&state) % valid->count;
        *s = *valid;
        for (uint32_t at = 0; at < s->count; at += 1 + (s->dw[at] >> 16))
            if (target > at && target <= at + (s->dw[at] >> 16))
                s->dw[target] = interesting(&state);
        run_stream(s, valid);
    }
    free(valid);
    free(s);
}

static void
random_resources(void **data)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t state = seed * 0x9e3779b97f4a7c15ull;
        struct gpu_device device;
        struct error err;
        struct gpu_cmd cmd = {.op = GPU_CLIENT_BEGIN, .client = 1};
        assert_true(gpu_device_init(&device, 1 << 20, &err));
        assert_true(gpu_apply(&device, &cmd, &err));
        for (uint32_t i = 0; i < 8; i++) {
            cmd = (struct gpu_cmd){.op = GPU_RESOURCE_CREATE, .client = 1};
            uint32_t words[10] = {i + 1, TARGET_2D, 1, 0, 16, 16, 1, 1, 0, 0};
            words[random_next(&state) % 10] = interesting(&state);
            memcpy(&cmd.resource, words, sizeof words);
            gpu_apply(&device, &cmd, &err);
        }
        gpu_device_fini(&device);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stream_itself_is_well),
        cmocka_unit_test(mutated_streams),
        cmocka_unit_test(mutated_fields),
        cmocka_unit_test(random_resources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
