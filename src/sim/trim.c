/* Reads the trace in three passes. The first finds the draws whose results are needed. The second
 * finds the resources that the frames use. The third renders up to the first frame, writes the
 * state there, copies the frames, and continues up to the last part.
 *
 * Contents read back from the renderer that captured the frames (trace/virgl/read_back.h) need no
 * rendering. The third pass writes them to memory at the start of their range. Addresses, cleared
 * states and the shown surface still come from executed commands.
 *
 * The output lacks two things. One is the count so far of a time or primitive query that is open at
 * the first frame; occlusion queries are kept. The other is bytes of resources that no command of
 * the frames can read. */
#include "sim/trim.h"

#include "base/log.h"
#include "base/plural.h"
#include "sim/executor.h"
#include "sim/functional.h"
#include "state/cleared.h"
#include "trace/virgl/live_state.h"
#include "trace/virgl/needed_draws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_BYTES (64u << 20) /* initial simulated memory; grows on demand */

struct part { /* frames to extract */
    uint32_t first, last;
    const char *path;
    struct live_used used; /* resources that its frames use */
};

/* List of resource names for a message, truncated to the size of `text`. */
struct note {
    char text[160];
    uint32_t count;
};

struct trim {
    struct trace_reader *reader, *read_back; /* read_back may be NULL: all draws are executed */
    struct part *parts;                      /* sorted by frame */
    uint32_t part_count, last;
    struct needed_draws *needed;
    uint64_t draws, drawn; /* draws so far; executed draws */

    struct gpu_device device;
    struct functional renderer;
    struct executor_sink executor;
    struct live_state *state;
    struct trace_writer *writer;  /* output of the current part, or NULL */
    const struct live_used *used; /* resources that the current part uses */
    uint32_t part;                /* index of the current part */
    struct live_used restored;    /* resources read back for the current part */
    struct note lost, repeated;   /* not read back: overwritten before use; rendered again */
};

/* Position of a pass: in frame `frame`, in or before part `at`. If `started` is true, messages
 * belong to that part. */
struct walk {
    uint32_t frame, at;
    bool restoring, started;
};

/* Whether a part begins with this message. If the trace itself begins with state messages, the part
 * begins after them, so that the state is complete. */
static bool
begins_here(const struct trim *trim, const struct walk *walk, const struct message *message)
{
    return !walk->started && walk->at < trim->part_count &&
           walk->frame == trim->parts[walk->at].first && !walk->restoring &&
           message->kind != MESSAGE_STATE;
}

/* Advances the walk over the message. Returns whether a part ended with the message. */
static bool
trim_message(const struct trim *trim, struct walk *walk, const struct message *message)
{
    if (message->kind == MESSAGE_STATE)
        walk->restoring = message->state.begins;
    walk->frame += message_ends_frame(message);
    if (!walk->started || walk->frame <= trim->parts[walk->at].last)
        return false;
    walk->started = false;
    walk->at++;
    return true;
}

static bool
find_used(struct trim *trim, struct error *err)
{
    struct live_state *state = live_state_create(trace_reader_budget(trim->reader));
    struct walk walk = {0};
    struct message message;
    bool end = false, ok = true;
    while (ok && !end && walk.frame <= trim->last) {
        ok = trace_reader_next(trim->reader, &message, &end, err);
        if (!ok || end)
            break;
        if (begins_here(trim, &walk, &message)) {
            walk.started = true;
            live_state_watch(state, &trim->parts[walk.at].used);
        }
        ok = live_state_take(state, &message, err);
        if (trim_message(trim, &walk, &message))
            live_state_watch(state, NULL);
    }
    live_state_destroy(state);
    return ok && trace_reader_rewind(trim->reader, err);
}

static bool
execute_trimmed(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
                struct error *err)
{
    struct trim *trim = data;
    if (cmd->op == GPU_DRAW && !needed_draws_has(trim->needed, trim->draws++)) {
        gpu_skip_draw(&trim->device, cmd);
        return true;
    }
    trim->drawn += cmd->op == GPU_DRAW;
    return functional_execute(&trim->renderer, cmd, out, out_bytes, err);
}

static bool
write_message(void *data, const struct message *message, struct error *err)
{
    struct trim *trim = data;
    return trace_writer_add(trim->writer, message, err);
}

/* `now` is the device's resource, or NULL if the resource no longer exists there. */
static bool
write_level(struct trim *trim, const struct live_resource *live, const struct resource *res,
            const struct resource *now, uint32_t level, struct error *err)
{
    const struct resource_level *l = &res->levels[level];
    struct message message = {.kind = MESSAGE_CONTENTS, .client = live->client};
    bool buffer = res->desc.target == TARGET_BUFFER;
    struct budget_share share = {.budget = trace_reader_budget(trim->reader)};
    const uint32_t size = resource_level_bytes(res, level);
    if (!budget_set(&share, size, err))
        return fail_prefix(err, "level %u of resource %u", level, live->desc.handle);
    uint8_t *bytes = mem_alloc((size_t)size + 1);
    resource_read_level(res, &trim->device.memory, level, bytes);
    message.contents.handle = live->desc.handle;
    message.contents.level = level;
    if (now)
        message.contents.cleared = cleared_encode(now, level);
    if (now && level == 0)
        message.contents.shown = gpu_shown_state(&trim->device, live->client, now);
    message.contents.width = buffer ? l->width : l->tiles_x * TILE_SIZE * res->format->block_width;
    message.contents.height = buffer ? 1 : l->tiles_y * TILE_SIZE * res->format->block_height;
    message.contents.slices = l->slices;
    message.bytes = bytes;
    message.size_bytes = size;
    bool ok = trace_writer_add(trim->writer, &message, err);
    free(bytes);
    budget_move(&share, NULL);
    return ok;
}

/* Notes a used resource that may have been rendered to and was not read back. */
static void
note_resource(struct trim *trim, const struct live_resource *live, const struct resource *res)
{
    if (!trim->read_back || !live->written || live_used_has(&trim->restored, live->number))
        return;
    const bool seen = needed_draws_is_live(trim->needed, trim->part, live->number);
    struct note *note = seen ? &trim->repeated : &trim->lost;
    const size_t at = strlen(note->text);
    if (note->count++ > 2)
        return;
    snprintf(note->text + at, sizeof note->text - at, "%s%u (%s, %ux%u%s)", at ? ", " : "",
             live->desc.handle, res->format ? res->format->name : "a buffer", live->desc.width,
             live->desc.height, live->desc.samples > 1 ? ", multisampled" : "");
}

static void
report_note(const struct trim *trim, const struct note *note, const char *what)
{
    if (note->count)
        log_note("frame %u: resource%s %s%s cannot be read back: %s",
                 trace_first_frame(trim->reader) + trim->parts[trim->part].first,
                 note->count > 1 ? "s" : "", note->text, note->count > 3 ? " and others" : "",
                 what);
}

/* Logs one line per kind of resource. */
static void
report_notes(struct trim *trim)
{
    char drawn[96];
    snprintf(drawn, sizeof drawn, "Aetius draws %s again (%llu draw%s so far)",
             trim->repeated.count > 1 ? "them" : "it", (unsigned long long)trim->drawn,
             plural(trim->drawn));
    report_note(trim, &trim->lost,
                trim->lost.count > 1 ? "omitted, because they are overwritten before they are read"
                                     : "omitted, because it is overwritten before it is read");
    report_note(trim, &trim->repeated, drawn);
    trim->lost = trim->repeated = (struct note){0};
}

/* Builds a temporary resource from the description and address, because the device cannot look up a
 * resource without a handle. */
static bool
write_contents(void *data, const struct live_resource *live, struct error *err)
{
    struct trim *trim = data;
    struct resource res;
    if (!live_used_has(trim->used, live->number))
        return true;
    if (!resource_init(&res, &live->desc, err))
        return false;
    res.address = live->address;
    note_resource(trim, live, &res);
    const struct resource *now =
        live->dropped ? NULL : gpu_resource(&trim->device, live->client, live->desc.handle);
    for (uint32_t level = 0; level <= res.desc.last_level; level++)
        if (!write_level(trim, live, &res, now, level, err))
            return false;
    return true;
}

static bool
write_result(void *data, const struct live_query *query, struct error *err)
{
    struct trim *trim = data;
    const struct gpu_cmd cmd = {.client = query->client, .sub_context = query->sub_context};
    const struct gpu_query *found = gpu_find_query(&trim->device, &cmd, query->handle);
    const struct gpu_stream *stream = gpu_find_stream(&trim->device, &cmd, query->handle);
    struct message message = {.kind = MESSAGE_RESULT, .client = query->client};
    if (!(found && found->result) && !(stream && stream->begun))
        return true;
    const uint64_t result =
        found ? found->result : stream->written | (uint64_t)stream->vertex_bytes << 32;
    message.result.sub_context = query->sub_context;
    message.result.handle = query->handle;
    message.result.low = (uint32_t)result;
    message.result.high = (uint32_t)(result >> 32);
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

/* Executes a message that precedes the frames, and tracks its effect on the state. */
static bool
run_message(struct trim *trim, const struct message *message, struct error *err)
{
    struct live_resource *made;
    if (!trim->executor.sink.take(trim->executor.sink.data, message, NULL, 0, err))
        return false;
    if (!live_state_take(trim->state, message, err))
        return false;
    if ((made = live_state_new_resource(trim->state)))
        made->address = gpu_resource(&trim->device, made->client, made->desc.handle)->address;
    return true;
}

/* Writes the contents that were read back for the part to memory. Cleared states and the shown
 * surface stay as the commands left them. */
static bool
restore_contents(struct trim *trim, struct error *err)
{
    struct message message;
    bool end = false;
    VEC_FREE(&trim->restored);
    while (trim->read_back) {
        if (!trace_reader_next(trim->read_back, &message, &end, err))
            return false;
        if (end || message.kind == MESSAGE_SWAP)
            break;
        const struct live_resource *live =
            live_state_resource(trim->state, message.client, message.transfer.handle);
        const struct resource *res =
            gpu_resource(&trim->device, message.client, message.transfer.handle);
        if (!live || !res || message.transfer.level > res->desc.last_level ||
            !resource_box_ok(res, message.transfer.level, &message.transfer.box) ||
            message.size_bytes != resource_box_bytes(res, &message.transfer.box))
            return fail(err, "the readback of resource %u does not match its shape",
                        message.transfer.handle);
        resource_write_box(res, &trim->device.memory, message.transfer.level, &message.transfer.box,
                           message.bytes);
        live_used_add(&trim->restored, live->number);
    }
    return true;
}

static bool
begin_part(struct trim *trim, struct part *part, struct error *err)
{
    trim->used = &part->used;
    trim->part = (uint32_t)(part - trim->parts);
    return restore_contents(trim, err) &&
           trace_writer_create_part(&trim->writer, part->path, trim->reader,
                                    trace_first_frame(trim->reader) + part->first, err) &&
           ((part->first == 0 && !live_state_holds_client(trim->state)) ||
            (write_state(trim, err) && (report_notes(trim), true)));
}

/* `ok`: the part is complete. An incomplete part leaves no file. */
static bool
end_part(struct trim *trim, bool ok, struct error *err)
{
    struct trace_writer *writer = trim->writer;
    trim->writer = NULL;
    if (ok && writer)
        return trace_writer_close(writer, err);
    if (writer)
        trace_writer_discard(writer);
    return ok;
}

/* Copies the message if it belongs to a part. Also executes it if another part follows, because
 * that part's state depends on it. */
static bool
cut_message(struct trim *trim, struct walk *walk, const struct message *message, struct error *err)
{
    if (begins_here(trim, walk, message)) {
        walk->started = true;
        if (!begin_part(trim, &trim->parts[walk->at], err))
            return false;
    }
    if (walk->started && !trace_writer_add(trim->writer, message, err))
        return false;
    const uint32_t next = walk->at + walk->started;
    if (next < trim->part_count && !run_message(trim, message, err))
        return false;
    return !trim_message(trim, walk, message) || end_part(trim, true, err);
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
        const uint32_t frame = walk.frame;
        ok = trace_reader_next(trim->reader, &message, &end, err);
        if (!ok || end)
            break;
        if (!(ok = cut_message(trim, &walk, &message, err)))
            fail_at(err, "frame %u", frame);
        progress_at(&progress, walk.frame, NULL);
    }
    progress_end(&progress);
    return end_part(trim, ok, err);
}

bool
trim_in_order(const struct frame_set *frames, struct error *err)
{
    for (uint32_t i = 1; i < frames->count; i++)
        if (frames->ranges[i].first <= frames->ranges[i - 1].last)
            return fail(err, "expected ascending ranges of frames without overlap");
    return true;
}

bool
trim_check(const struct trace_reader *reader, const struct frame_set *frames, struct error *err)
{
    return trim_in_order(frames, err) &&
           (frame_set_last(frames) < trace_frame_count(reader) ||
            fail(err, "the trace has %u frame%s", trace_frame_count(reader),
                 plural(trace_frame_count(reader))));
}

static bool
check_paths(const struct trim *trim, struct error *err)
{
    for (uint32_t i = 0; i < trim->part_count; i++)
        if (trace_is_at(trim->reader, trim->parts[i].path))
            return fail(err, "the output file is the input trace: choose another name");
    return true;
}

/* Warns in advance, because rendering may take long. */
static void
report_needed(const struct trim *trim)
{
    const uint64_t count = needed_draws_count(trim->needed);
    if (count)
        log_note("some contents cannot be read back: Aetius draws %llu earlier draws again (with "
                 "--warm-up N: only those of the last N frames)",
                 (unsigned long long)count);
}

static bool
find_and_cut(struct trim *trim, const struct frame_set *frames, uint32_t warm_up, struct error *err)
{
    if (!gpu_device_init(&trim->device, MEMORY_BYTES, err))
        return false;
    gpu_device_limit(&trim->device, trace_reader_budget(trim->reader));
    functional_init(&trim->renderer, &trim->device);
    struct executor executor = {.data = trim, .device = &trim->device, .execute = execute_trimmed};
    executor_sink_init(&trim->executor, &executor);
    trim->state = live_state_create(trace_reader_budget(trim->reader));
    bool ok = gpu_memory_let_grow(&trim->device.memory, err) &&
              needed_draws_find_states(&trim->needed, trim->reader, frames, warm_up,
                                       trim->read_back, err);
    if (ok && trim->read_back)
        report_needed(trim);
    ok = ok && find_used(trim, err) && cut(trim, err);
    needed_draws_destroy(trim->needed);
    live_state_destroy(trim->state);
    VEC_FREE(&trim->restored);
    executor_sink_fini(&trim->executor);
    functional_fini(&trim->renderer);
    gpu_device_fini(&trim->device);
    return ok;
}

bool
trim_trace(struct trace_reader *reader, const struct frame_set *frames, uint32_t warm_up,
           struct trace_reader *read_back, const char *const *paths, struct error *err)
{
    struct trim trim = {.reader = reader, .read_back = read_back, .part_count = frames->count};
    trim.last = frame_set_last(frames);
    trim.parts = mem_array(frames->count, sizeof *trim.parts);
    for (uint32_t i = 0; i < frames->count; i++)
        trim.parts[i] = (struct part){
            .first = frames->ranges[i].first, .last = frames->ranges[i].last, .path = paths[i]};
    bool ok = trim_check(reader, frames, err) && check_paths(&trim, err) &&
              find_and_cut(&trim, frames, warm_up, err);
    for (uint32_t i = 0; i < frames->count; i++)
        VEC_FREE(&trim.parts[i].used);
    free(trim.parts);
    return ok;
}
