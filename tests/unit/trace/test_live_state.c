/* The host memory of a trace's live state. A message of each kind that enlarges the state is
 * refused before the state exceeds the budget. Further tests check the selected sub-context after
 * another one is destroyed. */
#include "trace/virgl/live_state.h"
#include "trace/virgl/packets.h"

#include "base/mem.h"
#include "state/context.h"
#include "rigs/stream.h"
#include "trace/virgl/protocol.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MB = 1 << 20, BUDGET = 32 * MB, NAME = MB, ROUNDS = 4000000 };

static size_t
bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static struct message
submit(struct stream *s, uint32_t round)
{
    struct message message = stream_message(s, 1 + round % GPU_MOST_CLIENTS);
    s->count = 0;
    return message;
}

/* These functions return message number `round` of each kind. */

static struct message
client_begin(struct stream *s, uint32_t round)
{
    static uint8_t name[NAME];
    (void)s;
    return (struct message){.kind = MESSAGE_CLIENT_BEGIN,
                            .client = 2 + round,
                            .bytes = name,
                            .size_bytes = sizeof name};
}

static struct message
resource_create(struct stream *s, uint32_t round)
{
    (void)s;
    return (struct message){
        .kind = MESSAGE_RESOURCE_CREATE, .client = 1, .resource = {.handle = 1 + round}};
}

/* All resources have the same handle. So each one replaces the previous one, which stays as a
 * ghost. */
static struct message
resource_replace(struct stream *s, uint32_t round)
{
    (void)s;
    (void)round;
    return (struct message){
        .kind = MESSAGE_RESOURCE_CREATE, .client = 1, .resource = {.handle = 1}};
}

static struct message
object_create(struct stream *s, uint32_t round)
{
    CREATE(s, VOBJ_BLEND, 1 + round, 0);
    return submit(s, 0);
}

static struct message
object_replace(struct stream *s, uint32_t round)
{
    (void)round;
    CREATE(s, VOBJ_BLEND, 1, 0);
    return submit(s, 0);
}

static struct message
shader_continue(struct stream *s, uint32_t round)
{
    CREATE(s, VOBJ_SHADER, 1, VSTAGE_VERTEX, round ? SHADER_CONTINUES : 64, 300, 0, 0);
    return submit(s, 0);
}

static struct message
query_begin(struct stream *s, uint32_t round)
{
    CREATE(s, VOBJ_QUERY, 1 + round, QUERY_OCCLUSION_COUNTER, 0, 0);
    PACKET(s, CMD_BEGIN_QUERY, 1 + round);
    return submit(s, 0);
}

/* Creates the maximum number of clients, each with as many sub-contexts as possible. */
static struct message
sub_context_create(struct stream *s, uint32_t round)
{
    if (round < GPU_MOST_CLIENTS)
        return (struct message){.kind = MESSAGE_CLIENT_BEGIN, .client = 1 + round};
    PACKET(s, CMD_CREATE_SUB_CTX, 1 + round / GPU_MOST_CLIENTS);
    PACKET(s, CMD_SET_SUB_CTX, 1 + round / GPU_MOST_CLIENTS);
    CREATE(s, VOBJ_BLEND, 1, 0);
    stream_bind(s, VOBJ_BLEND, 1);
    return submit(s, round);
}

static struct message
constants_set(struct stream *s, uint32_t round)
{
    static const uint32_t zeroes[2000];
    const uint32_t header = CMD_SET_CONSTANT_BUFFER | (uint32_t)(2 + sizeof zeroes / sizeof *zeroes)
                                                          << 16;
    const uint32_t at[2] = {round / 256 % 256, round % 256};
    stream_dwords(s, &header, 1);
    stream_dwords(s, at, 2);
    stream_dwords(s, zeroes, sizeof zeroes / sizeof *zeroes);
    return submit(s, 0);
}

static const struct {
    const char *name;
    struct message (*make)(struct stream *s, uint32_t round);
} kinds[] = {
    {"CLIENT_BEGIN", client_begin},
    {"RESOURCE_CREATE", resource_create},
    {"RESOURCE_CREATE over another", resource_replace},
    {"CREATE_OBJECT", object_create},
    {"CREATE_OBJECT over another", object_replace},
    {"CREATE_OBJECT of a shader, continued", shader_continue},
    {"BEGIN_QUERY", query_begin},
    {"CREATE_SUB_CTX", sub_context_create},
    {"SET_CONSTANT_BUFFER", constants_set},
};

/* Under AddressSanitizer mallinfo2() reports nothing, so only the refusal is tested. While a vector
 * grows, its old and new items coexist. A map needs up to 1.5 times its content. So the test
 * permits 1.5 times the budget, and 1 MiB for the last message. */
static void
each_kind_of_message_is_within_the_budget(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct budget budget = {BUDGET, 0, "--memory"};
        struct live_state *live = live_state_create(&budget);
        struct stream *s = calloc(1, sizeof *s);
        struct error err = {""};
        const size_t before = bytes_in_use();
        uint32_t round = 0;
        const struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
        assert_true(live_state_take(live, &begin, &err));
        while (round < ROUNDS && bytes_in_use() - before < 4ul * BUDGET) {
            const struct message message = kinds[k].make(s, round++);
            if (!live_state_take(live, &message, &err))
                break;
        }
        const size_t used = bytes_in_use() - before;
        if (!strstr(err.text, "raise --memory") || used > BUDGET + BUDGET / 2 + MB)
            fail_msg("%s: %zu bytes after %u messages: \"%s\"", kinds[k].name, used, round,
                     err.text);
        live_state_destroy(live);
        assert_int_equal(budget.used_bytes, 0);
        free(s);
    }
}

/* A device refuses clients above a limit. The live state does not follow these clients either. */
static void
clients_have_an_end(void **state)
{
    (void)state;
    struct live_state *live = live_state_create(NULL);
    struct error err;
    for (uint32_t i = 1; i <= GPU_MOST_CLIENTS + 1; i++) {
        const struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = i};
        const struct message create = {
            .kind = MESSAGE_RESOURCE_CREATE, .client = i, .resource = {.handle = 5}};
        assert_true(live_state_take(live, &begin, &err));
        assert_true(live_state_take(live, &create, &err));
    }
    assert_non_null(live_state_resource(live, GPU_MOST_CLIENTS, 5));
    assert_null(live_state_resource(live, GPU_MOST_CLIENTS + 1, 5));
    live_state_destroy(live);
}

/* A renderer that receives a written state. It records the sub-context of each created object, and
 * the sub-context that is selected at the end. */
struct heard {
    struct decoder *decoder;
    struct {
        uint32_t sub_context, handle;
    } objects[8];
    uint32_t count, chosen;
};

static bool
hear(void *data, const struct message *message, struct error *err)
{
    struct heard *heard = data;
    struct gpu_cmd cmd;
    enum decode_result result;
    decoder_begin(heard->decoder, message);
    while ((result = decoder_next(heard->decoder, &cmd, err)) == DECODE_COMMAND) {
        heard->chosen = cmd.op == GPU_SET_SUB_CTX ? cmd.sub_ctx.value : cmd.sub_context;
        if (cmd.op != GPU_CREATE_OBJECT)
            continue;
        assert_true(heard->count < sizeof heard->objects / sizeof *heard->objects);
        heard->objects[heard->count].sub_context = cmd.sub_context;
        heard->objects[heard->count++].handle = cmd.create.handle;
    }
    return result == DECODE_DONE;
}

static bool
hear_contents(void *data, const struct live_resource *resource, struct error *err)
{
    (void)data, (void)resource, (void)err;
    return true;
}

static bool
hear_result(void *data, const struct live_query *query, struct error *err)
{
    (void)data, (void)query, (void)err;
    return true;
}

static void
make_blend(struct stream *s, uint32_t handle)
{
    stream_blend(s, handle, 0);
}

/* Sub-contexts 3 and 4 have an object each, and 3 is selected. A destroyed sub-context loses its
 * object. The next object is created in 3, or in 0 if 3 was destroyed. */
static void
destroyed_sub_contexts(void **state)
{
    static const struct {
        uint32_t destroyed, then; /* sub-context that is destroyed; the one selected after that */
    } cases[] = {{4, 3}, {3, 0}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const uint32_t destroyed = cases[i / 2].destroyed, then = cases[i / 2].then;
        const bool in_one_message = i % 2;
        struct live_state *live = live_state_create(NULL);
        struct stream *s = calloc(1, sizeof *s);
        struct error err = {""};
        const struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
        assert_true(live_state_take(live, &begin, &err));
        make_blend(s, 10);
        PACKET(s, CMD_CREATE_SUB_CTX, 3);
        PACKET(s, CMD_CREATE_SUB_CTX, 4);
        PACKET(s, CMD_SET_SUB_CTX, 4);
        make_blend(s, 14);
        PACKET(s, CMD_SET_SUB_CTX, 3);
        make_blend(s, 13);
        PACKET(s, CMD_DESTROY_SUB_CTX, destroyed);
        if (!in_one_message) {
            const struct message message = submit(s, 0);
            assert_true(live_state_take(live, &message, &err));
        }
        make_blend(s, 20);
        const struct message message = submit(s, 0);
        assert_true(live_state_take(live, &message, &err));

        struct heard heard = {.decoder = decoder_create()};
        const struct live_writer writer = {&heard, hear, hear_contents, hear_result};
        if (!live_state_write(live, &writer, &err))
            fail_msg("%s", err.text);
        const uint32_t left = destroyed == 3 ? 4 : 3;
        uint32_t handles = 0;
        assert_int_equal(heard.count, 3);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t handle = heard.objects[k].handle;
            const uint32_t where = heard.objects[k].sub_context;
            handles += handle;
            assert_int_equal(where, handle == 10 ? 0 : handle == 20 ? then : left);
        }
        assert_int_equal(handles, 10 + 10 + left + 20);
        assert_int_equal(heard.chosen, then);
        decoder_destroy(heard.decoder);
        live_state_destroy(live);
        free(s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_message_is_within_the_budget),
        cmocka_unit_test(clients_have_an_end),
        cmocka_unit_test(destroyed_sub_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
