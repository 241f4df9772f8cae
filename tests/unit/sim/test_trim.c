/* Trimmed traces. The live state brings a second device to the state of the first one, whatever was
 * set and reset before. A frame extracted from a trace has the same picture and statistics as in
 * the whole trace. */
#include "rigs/scene.h"
#include "rigs/tiny_run.h"
/* last, because cmocka.h defines a macro fail() */
#include "rigs/command.h"
#include "rigs/contents.h"
#include "rigs/folder.h"

#include "state/context.h"
#include "sim/trim.h"
#include "sweep/sweep.h"
#include "trace/virgl/live_state.h"
#include "trace/virgl/lost_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

/* Frame 1 of the tiny trace, extracted by an older aetius that wrote version 2. */
#define TRIMMED_2 AETIUS_SOURCE_DIR "/tests/golden/trimmed-2.trace"

enum { CLIENT = 3, OTHER = 7, LATE = 60, OBJ_VIEW2 = 200, OBJ_SAMPLER2 };

/* A device that receives messages, and its live state. */
struct side {
    struct gpu_device device;
    struct decoder *decoder;
    struct live_state *state; /* NULL: no live state */
    struct arena arena;
};

static void
side_init(struct side *side, bool live)
{
    struct error err;
    memset(side, 0, sizeof *side);
    assert_true(gpu_device_init(&side->device, 4 << 20, &err));
    side->decoder = decoder_create();
    side->state = live ? live_state_create(NULL) : NULL;
    arena_init(&side->arena);
}

static void
side_fini(struct side *side)
{
    arena_fini(&side->arena);
    live_state_destroy(side->state);
    decoder_destroy(side->decoder);
    gpu_device_fini(&side->device);
}

static bool
side_take(void *data, const struct message *message, struct error *err)
{
    struct side *side = data;
    struct gpu_cmd cmd;
    enum decode_result result;
    decoder_begin(side->decoder, message);
    while ((result = decoder_next(side->decoder, &cmd, err)) == DECODE_COMMAND)
        if (!gpu_apply(&side->device, &cmd, err))
            return false;
    if (result == DECODE_ERROR || !side->state)
        return result != DECODE_ERROR;
    if (!live_state_take(side->state, message, err))
        return false;
    struct live_resource *made = live_state_new_resource(side->state);
    if (made)
        made->address = gpu_resource(&side->device, made->client, made->desc.handle)->address;
    return true;
}

static void
deliver(struct side *side, const struct message *message)
{
    struct error err = {""};
    if (!side_take(side, message, &err))
        fail_msg("%s", err.text);
}

static void
deliver_stream(struct side *side, const struct stream *s)
{
    struct message message = stream_message(s, CLIENT);
    deliver(side, &message);
}

static void
make(struct side *side, uint32_t handle, uint32_t bytes)
{
    struct message message = {.kind = MESSAGE_RESOURCE_CREATE, .client = CLIENT};
    message.resource = (struct resource_desc){
        handle, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, bytes, 1, 1, 1, 0, 0};
    deliver(side, &message);
}

static void
drop(struct side *side, uint32_t handle)
{
    struct message message = {.kind = MESSAGE_RESOURCE_UNREF, .client = CLIENT};
    message.resource.handle = handle;
    deliver(side, &message);
}

static bool
no_contents(void *data, const struct live_resource *resource, struct error *err)
{
    (void)data, (void)resource, (void)err;
    return true;
}

static bool
no_result(void *data, const struct live_query *query, struct error *err)
{
    (void)data, (void)query, (void)err;
    return true;
}

static void
hand_over(struct side *from, struct side *to)
{
    const struct live_writer writer = {to, side_take, no_contents, no_result};
    struct error err = {""};
    if (!live_state_write(from->state, &writer, &err))
        fail_msg("%s", err.text);
}

static void
begin_scene(struct side *side)
{
    static struct stream s;
    struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = CLIENT};
    begin.bytes = (const uint8_t *)"scene";
    begin.size_bytes = 5;
    deliver(side, &begin);
    make(side, 90, 1000); /* destroyed later, to leave a gap below the live resources */
    for (uint32_t i = 0; i < sizeof scene_resources / sizeof scene_resources[0]; i++) {
        struct message create = {.kind = MESSAGE_RESOURCE_CREATE, .client = CLIENT};
        create.resource = scene_resources[i];
        deliver(side, &create);
    }
    s.count = 0;
    PACKET(&s, CMD_CREATE_SUB_CTX, 4);
    PACKET(&s, CMD_SET_SUB_CTX, 4);
    scene_objects(&s);
    scene_bindings(&s);
    deliver_stream(side, &s);
    drop(side, 90);
}

static struct draw *
bake(struct side *side)
{
    static struct stream s;
    struct error err = {""};
    struct gpu_cmd cmd;
    struct draw *draw = NULL;
    s.count = 0;
    scene_draw(&s, PRIM_TRIANGLES, true);
    struct message message = stream_message(&s, CLIENT);
    decoder_begin(side->decoder, &message);
    assert_int_equal(decoder_next(side->decoder, &cmd, &err), DECODE_COMMAND);
    if (!gpu_apply(&side->device, &cmd, &err) ||
        !gpu_bake_draw(&side->device, &cmd, &side->arena, &draw, &err))
        fail_msg("%s", err.text);
    assert_non_null(draw);
    return draw;
}

/* Compares the baked state of the next draw, and the address of the next resource. */
static void
check_same(struct side *a, struct side *b)
{
    struct draw *x = bake(a), *y = bake(b);
    assert_int_equal(x->index_address, y->index_address);
    assert_int_equal(x->attribute_count, y->attribute_count);
    for (uint32_t i = 0; i < x->attribute_count; i++)
        assert_int_equal(x->attributes[i].address, y->attributes[i].address);
    for (uint32_t i = 0; i < MAX_SAMPLERS; i++) {
        const struct resource *p = x->views[STAGE_FRAGMENT][i].res;
        const struct resource *q = y->views[STAGE_FRAGMENT][i].res;
        assert_int_equal(p != NULL, q != NULL);
        if (p)
            assert_int_equal(p->address, q->address);
    }
    assert_int_equal(x->color[0].res->address, y->color[0].res->address);
    assert_int_equal(x->depth.res->address, y->depth.res->address);
    assert_int_equal(x->constant_count[0], y->constant_count[0]);
    assert_memory_equal(x->constants[0], y->constants[0], x->constant_count[0] * 16);
    assert_memory_equal(&x->viewport, &y->viewport, sizeof x->viewport);
    assert_memory_equal(&x->bounds, &y->bounds, sizeof x->bounds);
    assert_int_equal(x->dsa.depth_func, y->dsa.depth_func);
    assert_int_equal(x->query != NULL, y->query != NULL);
    assert_int_equal(a->device.memory.used_bytes, b->device.memory.used_bytes);
    make(a, LATE, 700);
    make(b, LATE, 700);
    assert_int_equal(gpu_resource(&a->device, CLIENT, LATE)->address,
                     gpu_resource(&b->device, CLIENT, LATE)->address);
}

static void
check_hand_over(struct side *a)
{
    struct side b;
    side_init(&b, false);
    hand_over(a, &b);
    check_same(a, &b);
    side_fini(&b);
    side_fini(a);
}

static void
test_plain(void **state)
{
    struct side a;
    (void)state;
    side_init(&a, true);
    begin_scene(&a);
    check_hand_over(&a);
}

/* A bound view is destroyed, and so is its texture. Other objects then get both handles. */
static void
test_reused_handles(void **state)
{
    static struct stream s;
    struct side a;
    (void)state;
    side_init(&a, true);
    begin_scene(&a);
    s.count = 0;
    stream_destroy(&s, VOBJ_SAMPLER_VIEW, OBJ_VIEW);
    deliver_stream(&a, &s);
    drop(&a, RES_TEXTURE);
    struct message create = {.kind = MESSAGE_RESOURCE_CREATE, .client = CLIENT};
    create.resource = scene_resources[RES_TEXTURE - 1];
    deliver(&a, &create);
    s.count = 0;
    stream_view(&s, OBJ_VIEW, RES_TEXTURE, FORMAT_B8G8R8A8_UNORM, 4);
    PACKET(&s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 1, OBJ_VIEW);
    deliver_stream(&a, &s);
    struct message swap = {.kind = MESSAGE_SWAP, .client = CLIENT};
    swap.transfer.handle = RES_COLOR;
    swap.transfer.box = (struct box){0, 0, 0, 64, 32, 1};
    deliver(&a, &swap); /* collects garbage, which must not include bound objects */
    check_hand_over(&a);
}

/* Some slots are set together and later partly set again. Other packets repeat a state or leave a
 * query active. */
static void
test_later_packets_count(void **state)
{
    static struct stream s;
    struct side a;
    (void)state;
    side_init(&a, true);
    begin_scene(&a);
    s.count = 0;
    stream_view(&s, OBJ_VIEW2, RES_TEXTURE, FORMAT_B8G8R8A8_UNORM, 1);
    CREATE(&s, VOBJ_SAMPLER_STATE, OBJ_SAMPLER2, 0, 0, 0, float_bits(1), 0, 0, 0, 0);
    PACKET(&s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_VIEW2, OBJ_VIEW2, OBJ_VIEW2);
    PACKET(&s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 1, OBJ_VIEW);
    PACKET(&s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 0, OBJ_SAMPLER2, OBJ_SAMPLER2,
           OBJ_SAMPLER2);
    PACKET(&s, CMD_SET_CONSTANT_BUFFER, VSTAGE_VERTEX, 0, 9, 8, 7, 6, 5, 4, 3, 2);
    PACKET(&s, CMD_SET_SCISSOR_STATE, 0, 1 | 2 << 16, 60 | 30 << 16);
    PACKET(&s, CMD_BEGIN_QUERY, OBJ_QUERY);
    deliver_stream(&a, &s);
    check_hand_over(&a);
}

static void
test_a_client_that_left_is_not_there(void **state)
{
    struct side a;
    (void)state;
    side_init(&a, true);
    struct message other = {.kind = MESSAGE_CLIENT_BEGIN, .client = OTHER};
    deliver(&a, &other);
    begin_scene(&a);
    other.kind = MESSAGE_CLIENT_END;
    deliver(&a, &other);
    check_hand_over(&a);
}

/* Trimmed traces have special messages. Each is executed, and refused if it is invalid. */
static void
test_restoring(void **state)
{
    static uint8_t bytes[64 * 32 * 4];
    uint8_t row[64 * 4];
    const struct box second = {0, 1, 0, 64, 1, 1};
    struct message message = {.kind = MESSAGE_CONTENTS, .client = CLIENT};
    struct error err = {""};
    struct side a;
    (void)state;
    side_init(&a, false);
    begin_scene(&a);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    message.contents.handle = RES_COLOR;
    message.bytes = bytes;
    message.size_bytes = sizeof bytes;
    deliver(&a, &message);
    resource_read_box(gpu_resource(&a.device, CLIENT, RES_COLOR), &a.device.memory, 0, &second,
                      row);
    assert_memory_equal(row, bytes + 64 * 4, sizeof row);
    message.size_bytes -= 4;
    assert_false(side_take(&a, &message, &err));

    message = (struct message){.kind = MESSAGE_RESULT, .client = CLIENT};
    message.result.sub_context = 4;
    message.result.handle = OBJ_QUERY;
    message.result.low = 9;
    message.result.high = 1;
    deliver(&a, &message);
    struct gpu_cmd query = {.client = CLIENT};
    query.sub_context = 4;
    assert_true(gpu_find_query(&a.device, &query, OBJ_QUERY)->result == (1ull << 32) + 9);
    message.result.handle = OBJ_VIEW;
    assert_false(side_take(&a, &message, &err));

    message = (struct message){.kind = MESSAGE_ADDRESS, .client = CLIENT};
    message.placement.address = 1 << 20;
    deliver(&a, &message);
    make(&a, LATE, 100);
    assert_int_equal(gpu_resource(&a.device, CLIENT, LATE)->address, 1 << 20);
    deliver(&a, &message); /* the resource has the same address again */
    message = (struct message){.kind = MESSAGE_RESOURCE_CREATE, .client = CLIENT};
    message.resource = (struct resource_desc){LATE + 1, 0, 64, 0, 100, 1, 1, 1, 0, 0};
    assert_false(side_take(&a, &message, &err));
    side_fini(&a);
}

static void
trim_tiny(const char *from, uint32_t first, const char *to)
{
    struct trace_reader *reader;
    struct error err = {""};
    assert_true(trace_reader_open(&reader, from, &err));
    if (!trim_trace(reader, &(struct frame_set){.ranges = {{first, first}}, .count = 1}, UINT32_MAX,
                    NULL, &to, &err))
        fail_msg("%s", err.text);
    trace_reader_close(reader);
}

static void
check_frame(const struct tiny_run *whole, const char *path)
{
    struct tiny_run cut;
    tiny_init(&cut);
    cut.trace = path;
    tiny_go(&cut, false);
    if (!cut.ok)
        fail_msg("%s", cut.err.text);
    assert_int_equal(cut.frame_count, 1);
    assert_int_equal(cut.frame[0].bytes, whole->frame[1].bytes);
    assert_memory_equal(cut.frame[0].rgba, whole->frame[1].rgba, cut.frame[0].bytes);
    assert_int_equal(cut.frame[0].cycles, whole->frame[1].cycles);
    assert_int_equal(cut.values_count, whole->values_count);
    assert_memory_equal(cut.frame[0].values, whole->frame[1].values,
                        cut.values_count * sizeof(uint64_t));
    tiny_fini(&cut);
}

/* Frame 1 is extracted from the tiny trace, and then once more from the result. */
static void
test_same_pictures_and_statistics(void **state)
{
    char once[] = "/tmp/aetius-trim-XXXXXX", twice[] = "/tmp/aetius-trim-XXXXXX";
    struct tiny_run whole;
    struct trace_reader *reader;
    struct error err;
    (void)state;
    close(mkstemp(once));
    close(mkstemp(twice));
    tiny_init(&whole);
    whole.frames.count = 1;
    whole.frames.ranges[0].first = whole.frames.ranges[0].last = 1;
    tiny_go(&whole, false);
    assert_true(whole.ok);
    trim_tiny(TINY_TRACE, 1, once);
    trim_tiny(once, 0, twice);
    check_frame(&whole, once);
    check_frame(&whole, twice);
    check_frame(&whole, TRIMMED_2);
    trim_tiny(TRIMMED_2, 0, twice);
    check_frame(&whole, twice);
    for (int contents = CONTENTS_OURS; contents <= CONTENTS_NONE; contents++) {
        cut_with_contents(TINY_TRACE, (enum contents)contents, twice);
        check_frame(&whole, twice);
    }
    trim_tiny(once, 0, twice);
    assert_true(trace_reader_open(&reader, twice, &err));
    assert_int_equal(trace_first_frame(reader), 1);
    trace_reader_close(reader);
    tiny_fini(&whole);
    unlink(once);
    unlink(twice);
}

/* trim refuses to overwrite its input, also if the output has another name for it. A writer does
 * not change the bytes that an open reader sees. */
static void
test_a_trace_that_is_read_stays_whole(void **state)
{
    char path[] = "/tmp/aetius-trim-XXXXXX", other[64];
    struct trace_reader *reader;
    struct trace_writer *writer;
    struct message message;
    struct error err;
    bool end;
    (void)state;
    close(mkstemp(path));
    trim_tiny(TINY_TRACE, 0, path);
    snprintf(other, sizeof other, "%s.link", path);
    assert_int_equal(symlink(path, other), 0);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_true(trace_is_at(reader, other));
    assert_false(trace_is_at(reader, TINY_TRACE));
    const struct frame_set frame_0 = {.count = 1};
    assert_false(trim_trace(reader, &frame_0, UINT32_MAX, NULL, (const char *[]){path}, &err));
    assert_string_equal(err.text, "the output file is the input trace: choose another name");
    assert_false(trim_trace(reader, &frame_0, UINT32_MAX, NULL, (const char *[]){other}, &err));
    assert_true(trace_reader_next(reader, &message, &end, &err));
    assert_true(trace_writer_create(&writer, path, "another", &err));
    for (end = false; !end;)
        assert_true(trace_reader_next(reader, &message, &end, &err));
    assert_true(trace_writer_close(writer, &err));
    trace_reader_close(reader);
    unlink(path);
    unlink(other);
}

enum { RES_SAMPLES = 70, OBJ_SAMPLES = 210 };

/* Writes a frame that resolves a multisampled surface into the shown surface. If `clear`, the frame
 * first clears the multisampled surface to this red. */
static void
write_resolved(struct trace_writer *writer, float red, bool clear)
{
    static struct stream s;
    struct message swap = {.kind = MESSAGE_SWAP};
    swap.transfer.handle = RES_COLOR;
    swap.transfer.box = (struct box){0, 0, 0, 64, 32, 1};
    s.count = 0;
    if (clear)
        stream_clear(&s, MASK_COLOR0, (float[]){red, 0, 0, 1}, 0, 0);
    stream_blit(&s, BLIT_COLOR,
                (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, 64, 32, 1}},
                (struct blit_side){RES_SAMPLES, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, 64, 32, 1}});
    write_message(writer, CLIENT, stream_message(&s, CLIENT));
    write_message(writer, CLIENT, swap);
}

static void
write_multisampled(const char *path)
{
    static struct stream s;
    struct trace_writer *writer;
    struct error err;
    struct message create = {.kind = MESSAGE_RESOURCE_CREATE, .resource = scene_resources[0]};
    assert_true(trace_writer_create(&writer, path, "samples", &err));
    write_message(writer, CLIENT, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    write_message(writer, CLIENT, create);
    create.resource.handle = RES_SAMPLES;
    create.resource.bind = BIND_RENDER_TARGET;
    create.resource.samples = 4;
    write_message(writer, CLIENT, create);
    s.count = 0;
    stream_surface(&s, OBJ_SAMPLES, RES_SAMPLES, FORMAT_B8G8R8A8_UNORM);
    PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 1, 0, OBJ_SAMPLES);
    write_message(writer, CLIENT, stream_message(&s, CLIENT));
    write_resolved(writer, 1.0f, true);
    write_resolved(writer, 0.2f, true);
    write_resolved(writer, 0.0f, false);
    write_resolved(writer, 0.0f, false);
    assert_true(trace_writer_close(writer, &err));
}

static void
check_first(const char *path, uint32_t first)
{
    struct trace_reader *reader;
    struct error err;
    assert_true(trace_reader_open(&reader, path, &err));
    assert_int_equal(trace_first_frame(reader), first);
    trace_reader_close(reader);
}

static void
check_red(const char *path, uint32_t first, uint8_t red)
{
    struct tiny_run run;
    tiny_init(&run);
    run.trace = path;
    run.functional = true;
    tiny_go(&run, false);
    if (!run.ok)
        fail_msg("%s", run.err.text);
    assert_int_equal(run.frame_count, 1);
    assert_int_equal(run.frame[0].rgba[0], red);
    assert_memory_equal(run.frame[0].rgba, run.frame[0].rgba + 4, run.frame[0].bytes - 4);
    tiny_fini(&run);
    check_first(path, first);
}

/* Several frames are extracted in one pass. They show samples drawn before, which no transfer can
 * restore. */
static void
test_several_parts(void **state)
{
    char whole[] = "/tmp/aetius-trim-XXXXXX", one[] = "/tmp/aetius-trim-XXXXXX";
    char three[] = "/tmp/aetius-trim-XXXXXX";
    const struct frame_set in_order = {.ranges = {{1, 1}, {3, 3}}, .count = 2};
    const struct frame_set backwards = {.ranges = {{3, 3}, {1, 1}}, .count = 2};
    struct trace_reader *reader;
    struct error err;
    (void)state;
    close(mkstemp(whole));
    close(mkstemp(one));
    close(mkstemp(three));
    write_multisampled(whole);
    assert_true(trace_reader_open(&reader, whole, &err));
    assert_false(
        trim_trace(reader, &backwards, UINT32_MAX, NULL, (const char *[]){three, one}, &err));
    assert_true(trim_trace(reader, &in_order, 0, NULL, (const char *[]){one, three}, &err));
    trace_reader_close(reader);
    check_red(one, 1, 51);
    check_red(three, 3, 51);
    unlink(whole);
    unlink(one);
    unlink(three);
}

/* The parts are frames 1 to 3 and frames 2 to 3. Frame 1 clears the samples before it shows them.
 * Frame 2 shows earlier samples, which cannot be transferred to virgl_test_server. */
static void
test_samples_no_reference_can_be_given(void **state)
{
    static const char lost_text[] = "resource 70 (B8G8R8A8_UNORM, 64x32, 4 samples)";
    static struct command_result cmd;
    char dir[] = "/tmp/aetius-trim-XXXXXX", whole[64], one[64], two[64], out[64], cut[64];
    const struct frame_set first = {.ranges = {{1, 3}}, .count = 1};
    const struct frame_set last = {.ranges = {{2, 3}}, .count = 1};
    struct trace_reader *reader;
    struct error lost, err;
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(whole, sizeof whole, "%s/whole", dir);
    snprintf(one, sizeof one, "%s/one", dir);
    snprintf(two, sizeof two, "%s/two", dir);
    snprintf(cut, sizeof cut, "%s/cut", dir);
    snprintf(out, sizeof out, "%s/out", dir);
    write_multisampled(whole);
    assert_true(trace_reader_open(&reader, whole, &err));
    assert_true(lost_samples_find(reader, UINT32_MAX, &lost, &err));
    assert_string_equal(lost.text, ""); /* the whole trace needs no restored contents */
    assert_true(trim_trace(reader, &first, UINT32_MAX, NULL, (const char *[]){one}, &err));
    assert_true(trim_trace(reader, &last, UINT32_MAX, NULL, (const char *[]){two}, &err));
    trace_reader_close(reader);
    assert_true(trace_reader_open(&reader, one, &err));
    assert_true(lost_samples_find(reader, UINT32_MAX, &lost, &err));
    assert_string_equal(lost.text, "");
    trace_reader_close(reader);
    assert_true(trace_reader_open(&reader, two, &err));
    assert_true(lost_samples_find(reader, UINT32_MAX, &lost, &err));
    assert_non_null(strstr(lost.text, lost_text));
    trace_reader_close(reader);
    if (!access("/usr/bin/virgl_test_server", X_OK)) {
        RUN(&cmd, "replay", one, "--reference", "-o", out);
        assert_int_equal(cmd.status, 0);
        assert_null(strstr(cmd.err, "warning"));
        RUN(&cmd, "replay", two, "--reference", "--force", "-o", out);
        assert_int_equal(cmd.status, 0);
        assert_non_null(strstr(cmd.err, lost_text));
        RUN(&cmd, "replay", two, "--reference", "--single-sampled", "--force", "-o", out);
        assert_null(strstr(cmd.err, "warning"));
        RUN(&cmd, "trim", two, "--frames", "1", "--through=llvmpipe", "-o", cut);
        assert_int_equal(cmd.status, 1);
        assert_non_null(strstr(cmd.err, lost_text));
        RUN(&cmd, "trim", one, "--frames", "1", "--through=llvmpipe", "-o", cut);
        assert_int_equal(cmd.status, 0);
    }
    assert_true(remove_folder(dir));
}

/* Writes the tiny trace as if it were extracted from a longer trace. */
static void
write_part(const char *path, uint32_t first)
{
    struct trace_reader *reader;
    struct trace_writer *writer;
    struct error err;
    bool end = false;
    assert_true(trace_reader_open(&reader, TINY_TRACE, &err));
    assert_true(trace_writer_create_part(&writer, path, reader, first, &err));
    for (struct message message;;) {
        assert_true(trace_reader_next(reader, &message, &end, &err));
        if (end)
            break;
        assert_true(trace_writer_add(writer, &message, &err));
    }
    assert_true(trace_writer_close(writer, &err));
    trace_reader_close(reader);
}

static void
test_numbers_of_frames(void **state)
{
    static const struct {
        const char *text;
        uint32_t first, count;
        const char *becomes; /* NULL: the range is refused */
    } cases[] = {
        {"0-2", 300, 3, "0-2"},
        {"300-302", 300, 3, "0-2"},
        {"302,300", 300, 3, "2,0"},
        {"303", 300, 3, NULL},
        {"299-300", 300, 3, NULL},
        {"0,300", 300, 3, NULL},
        {"3", 300, 3, NULL},
        {"2-4", 1, 3, NULL},
        /* the trace's numbers have priority */
        {"1-2", 1, 3, "1-2"},
        {"3", 1, 3, "2"},
        {"2", 0, 3, "2"},
        {"3", 0, 3, NULL},
        {"4294967294", 4294967293, 2, "1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct frame_set set, wanted;
        struct error err;
        assert_true(frame_set_parse(&set, cases[i].text, &err));
        const bool ok = frame_set_locate(&set, cases[i].first, cases[i].count, "it", &err);
        if (ok != (cases[i].becomes != NULL))
            fail_msg("%s of %u from %u", cases[i].text, cases[i].count, cases[i].first);
        if (!ok) {
            assert_non_null(strstr(err.text, "it has 3 frames, 0-2"));
            assert_int_equal(strstr(err.text, "(300-302 of the program)") != NULL,
                             cases[i].first == 300);
            continue;
        }
        assert_true(frame_set_parse(&wanted, cases[i].becomes, &err));
        assert_int_equal(set.count, wanted.count);
        assert_memory_equal(set.ranges, wanted.ranges, set.count * sizeof set.ranges[0]);
    }
    struct frame_set all = {0};
    struct error err;
    assert_true(frame_set_locate(&all, 300, 3, "it", &err));
    assert_int_equal(all.count, 0);
}

/* Checks the messages of a command for frame 301, which is in the trace, and for frame 303, which
 * is not. The trace has the frames 300 and 301 of its program. In `words`, "%" is replaced by the
 * frame. */
static void
take_program_number(const char *const *words, const char *in, const char *out)
{
    static struct command_result cmd;
    for (int is_there = 1; is_there >= 0; is_there--) {
        const char *all[10] = {NULL};
        for (size_t w = 0; words[w]; w++)
            all[w] = strcmp(words[w], "%") ? words[w] : is_there ? in : out;
        run_within(&cmd, 0, all);
        const char *expected = is_there ? "frame 301 of the program is frame 1 "
                                        : "has 2 frames, 0-1 (300-301 of the program)";
        if (cmd.status != !is_there || !strstr(cmd.err, expected))
            fail_msg("%s: status %d: %s", words[0], cmd.status, cmd.err);
    }
}

/* For an extracted trace and for its runs, commands accept the frame numbers of the program. */
static void
test_numbers_of_the_program(void **state)
{
    static struct command_result cmd, own;
    char dir[] = "/tmp/aetius-trim-XXXXXX", part[64], run[64], cut[64];
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(part, sizeof part, "%s/part.trace", dir);
    snprintf(run, sizeof run, "%s/run", dir);
    snprintf(cut, sizeof cut, "%s/cut", dir);
    write_part(part, 300);
#define TAKE(in, out, ...) take_program_number((const char *const[]){__VA_ARGS__, NULL}, in, out)
    TAKE("301", "303", "sim", part, "--frames", "%", "-o", run, "-f");
    TAKE("301", "303", "sim", part, "--frames", "%", "-o", run, "-f", "-j2");
    TAKE("301:0:0", "303:0:0", "sim", part, "--follow", "%", "-o", run, "-f");
    TAKE("301", "303", "replay", part, "--frames", "%", "-o", run, "-f");
    TAKE("301", "303", "info", part, "--frame", "%");
    TAKE("301:0", "303:0", "show", part, "draw", "%");
    TAKE("301", "303", "trim", part, "--frames", "%", "-o", cut, "-f");
    check_first(cut, 301);
    struct sweep sweep;
    struct error err;
    sweep_init(&sweep, dir, NULL);
    assert_true(sweep_add_trace(&sweep, "part", part, "300-301", &err));
    assert_string_equal(sweep.traces.items[0].frames, "0-1");
    sweep_fini(&sweep);

    RUN(&cmd, "sim", part, "-o", run, "-f");
    assert_int_equal(cmd.status, 0);
    static const struct {
        const char *command, *option, *in, *own, *out;
    } of_run[] = {{"topdown", "--frame", "301", "1", "303"},
                  {"topdown", "--draw", "301:0", "1:0", "303:0"},
                  {"draws", "--frame", "301", "1", "303"}};
    for (size_t i = 0; i < sizeof of_run / sizeof of_run[0]; i++) {
        RUN(&cmd, of_run[i].command, run, of_run[i].option, of_run[i].in, "--json");
        RUN(&own, of_run[i].command, run, of_run[i].option, of_run[i].own, "--json");
        assert_int_equal(cmd.status, 0);
        assert_string_equal(cmd.out, own.out);
        RUN(&cmd, of_run[i].command, run, of_run[i].option, of_run[i].out);
        assert_int_equal(cmd.status, 1);
        if (!strstr(cmd.err, "has frames 0-1 (300-301 of the program)"))
            fail_msg("%s: %s", of_run[i].command, cmd.err);
    }

    /* if a number is valid for both, the command takes the trace's frame and prints a note */
    static const char note[] = "is frame 2 of the program; frames of ";
    write_part(part, 1);
    RUN(&cmd, "sim", part, "-o", run, "-f");
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "info", part, "--frame", "1");
    assert_non_null(strstr(cmd.err, note));
    RUN(&cmd, "draws", run, "--frame", "1");
    assert_non_null(strstr(cmd.err, note));
    RUN(&cmd, "draws", run, "--frame", "0");
    assert_null(strstr(cmd.err, "of the program"));
    assert_true(remove_folder(dir));
}

int
main(int argc, char **argv)
{
    assert_int_equal(argc, 2);
    aetius = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_reused_handles),
        cmocka_unit_test(test_later_packets_count),
        cmocka_unit_test(test_a_client_that_left_is_not_there),
        cmocka_unit_test(test_restoring),
        cmocka_unit_test(test_same_pictures_and_statistics),
        cmocka_unit_test(test_a_trace_that_is_read_stays_whole),
        cmocka_unit_test(test_several_parts),
        cmocka_unit_test(test_samples_no_reference_can_be_given),
        cmocka_unit_test(test_numbers_of_frames),
        cmocka_unit_test(test_numbers_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
