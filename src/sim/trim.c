/* Two walks over the trace: the first finds which resources the frames use, the second draws up to
 * the first frame, writes the state there, and copies the frames.
 *
 * Not kept: how much a query of time or of primitives that is open at the first frame had counted
 * (occlusion queries are), and bytes of resources that no command of the frames can read. */
#include "sim/trim.h"

#include "base/log.h"
#include "sim/executor.h"
#include "sim/functional.h"
#include "trace/live_state.h"
#include "trace/needed_draws.h"

#include <stdlib.h>

#define MEMORY_BYTES (1u << 30) /* simulated; only touched pages take host memory */

struct trim {
    struct trace_reader *reader;
    uint32_t first, last;
    struct needed_draws *needed;
    uint64_t draws;          /* so far */
    struct live_state *used; /* of the first walk: knows what the frames use */

    struct gpu_device device;
    struct functional renderer;
    struct executor_sink executor;
    struct live_state *state;
    struct trace_writer *writer;
};

/* Where a walk stands: in the frame `frame`; started: its messages belong to what is cut out. */
struct walk {
    uint32_t frame;
    bool restoring, started;
};

/* Whether the state is whole before this message, and the frames to cut out begin with it: behind
 * the state that the trace itself may begin with. */
static bool
begins_here(const struct trim *trim, const struct walk *walk, const struct message *message)
{
    return !walk->started && walk->frame == trim->first && !walk->restoring &&
           message->kind != MESSAGE_STATE;
}

static void
step(struct walk *walk, const struct message *message)
{
    if (message->kind == MESSAGE_STATE)
        walk->restoring = message->state.begins;
    walk->frame += message->kind == MESSAGE_SWAP;
}

static bool
find_used(struct trim *trim, struct error *err)
{
    struct walk walk = {0};
    struct message message;
    bool end = false;
    while (walk.frame <= trim->last) {
        if (!trace_reader_next(trim->reader, &message, &end, err))
            return false;
        if (end)
            break;
        if (begins_here(trim, &walk, &message)) {
            walk.started = true;
            live_state_watch(trim->used);
        }
        live_state_take(trim->used, &message);
        step(&walk, &message);
    }
    return trace_reader_rewind(trim->reader, err);
}

static bool
execute(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct trim *trim = data;
    if (cmd->op == GPU_DRAW && !needed_draws_has(trim->needed, trim->draws++))
        return true;
    return functional_execute(&trim->renderer, cmd, out, out_bytes, err);
}

static bool
write_message(void *data, const struct message *message, struct error *err)
{
    struct trim *trim = data;
    return trace_writer_add(trim->writer, message, err);
}

static bool
write_level(struct trim *trim, const struct live_resource *live, const struct resource *res,
            uint32_t level, struct error *err)
{
    const struct resource_level *l = &res->levels[level];
    struct message message = {.kind = MESSAGE_CONTENTS, .client = live->client};
    struct box *box = &message.transfer.box;
    bool buffer = res->desc.target == TARGET_BUFFER;
    uint8_t *bytes = mem_alloc(resource_level_bytes(res, level) + 1);
    resource_read_level(res, &trim->device.memory, level, bytes);
    message.transfer.handle = live->desc.handle;
    message.transfer.level = level;
    box->width = (int32_t)(buffer ? l->width : l->tiles_x * TILE_SIZE * res->format->block_width);
    box->height = (int32_t)(buffer ? 1 : l->tiles_y * TILE_SIZE * res->format->block_height);
    box->depth = (int32_t)l->slices;
    message.bytes = bytes;
    message.size_bytes = resource_level_bytes(res, level);
    bool ok = trace_writer_add(trim->writer, &message, err);
    free(bytes);
    return ok;
}

/* A resource without a handle has no struct of the device's to be found by: its address does. */
static bool
write_contents(void *data, const struct live_resource *live, struct error *err)
{
    struct trim *trim = data;
    struct resource res;
    if (!live_state_used(trim->used, live->number))
        return true;
    if (!resource_init(&res, &live->desc, err))
        return false;
    res.address = live->address;
    for (uint32_t level = 0; level <= res.desc.last_level; level++)
        if (!write_level(trim, live, &res, level, err))
            return false;
    return true;
}

static bool
write_result(void *data, const struct live_query *query, struct error *err)
{
    struct trim *trim = data;
    const struct gpu_cmd cmd = {.client = query->client, .sub_context = query->sub_context};
    const struct gpu_query *found = gpu_find_query(&trim->device, &cmd, query->handle);
    struct message message = {.kind = MESSAGE_RESULT, .client = query->client};
    if (!found || found->result == 0)
        return true;
    message.result.sub_context = query->sub_context;
    message.result.handle = query->handle;
    message.result.low = (uint32_t)found->result;
    message.result.high = (uint32_t)(found->result >> 32);
    return trace_writer_add(trim->writer, &message, err);
}

static bool
write_state(struct trim *trim, struct error *err)
{
    const struct live_writer writer = {trim, write_message, write_contents, write_result};
    struct message mark = {.kind = MESSAGE_STATE};
    mark.state.begins = 1;
    if (!trace_writer_add(trim->writer, &mark, err) || !live_state_write(trim->state, &writer, err))
        return false;
    mark.state.begins = 0;
    return trace_writer_add(trim->writer, &mark, err);
}

/* A message before the frames: drawn, and its part of the state noted. */
static bool
run_message(struct trim *trim, const struct message *message, struct error *err)
{
    struct live_resource *made;
    if (!trim->executor.sink.take(trim->executor.sink.data, message, NULL, 0, err))
        return false;
    live_state_take(trim->state, message);
    if ((made = live_state_new_resource(trim->state)))
        made->address = gpu_resource(&trim->device, made->client, made->desc.handle)->address;
    return true;
}

static bool
cut(struct trim *trim, struct error *err)
{
    struct walk walk = {0};
    struct progress progress;
    struct message message;
    bool end = false, ok = true;
    progress_begin(&progress, "trim: frame", trim->last + 1);
    while (ok && walk.frame <= trim->last) {
        ok = trace_reader_next(trim->reader, &message, &end, err);
        if (!ok || end)
            break;
        if (begins_here(trim, &walk, &message)) {
            walk.started = true;
            ok = (trim->first == 0 && !live_state_holds_client(trim->state)) ||
                 write_state(trim, err);
        }
        if (ok)
            ok = walk.started ? trace_writer_add(trim->writer, &message, err)
                              : run_message(trim, &message, err);
        if (!ok)
            fail_prefix(err, "frame %u", walk.frame);
        step(&walk, &message);
        progress_at(&progress, walk.frame, NULL);
    }
    progress_end(&progress);
    return ok;
}

bool
trim_trace(struct trace_reader *reader, uint32_t first, uint32_t last, const char *path,
           struct error *err)
{
    struct trim trim = {.reader = reader, .first = first, .last = last};
    struct error closing;
    if (last >= trace_frame_count(reader))
        return fail(err, "the trace has %u frames", trace_frame_count(reader));
    if (trace_is_at(reader, path))
        return fail(err, "the output is the trace itself");
    if (!gpu_device_init(&trim.device, MEMORY_BYTES, err))
        return false;
    functional_init(&trim.renderer, &trim.device);
    struct executor executor = {.data = &trim, .device = &trim.device, .execute = execute};
    executor_sink_init(&trim.executor, &executor);
    trim.used = live_state_create();
    trim.state = live_state_create();
    bool ok =
        find_used(&trim, err) && trace_writer_create_at(&trim.writer, path, trace_program(reader),
                                                        trace_first_frame(reader) + first, err);
    if (ok) {
        ok = cut(&trim, err);
        ok = trace_writer_close(trim.writer, ok ? err : &closing) && ok;
    }
    needed_draws_destroy(trim.needed);
    live_state_destroy(trim.used);
    live_state_destroy(trim.state);
    executor_sink_fini(&trim.executor);
    functional_fini(&trim.renderer);
    gpu_device_fini(&trim.device);
    return ok;
}
