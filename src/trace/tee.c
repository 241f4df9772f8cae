#include "trace/tee.h"

#include <stdio.h>

static void
show_progress(const struct tee *tee)
{
    char size[32];
    snprintf(size, sizeof size, "%.1f MB", (double)trace_writer_bytes(tee->writer) / 1e6);
    progress_at(tee->progress, tee->frame, size);
}

static bool
record(struct tee *tee, const struct message *message, struct error *err)
{
    if (!trace_writer_add(tee->writer, message, err)) {
        tee->failed = tee->stop = true;
        return false;
    }
    tee->frame += message_ends_frame(message);
    if (tee->progress && message_ends_frame(message))
        show_progress(tee);
    tee->written = tee->last_frame != UINT32_MAX && tee->frame > tee->last_frame;
    tee->stop = tee->written && tee->ends_at_last;
    return true;
}

/* Records each message before the renderer executes it, so that the trace includes a message that
 * the renderer rejects. */
static bool
tee_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
         struct error *err)
{
    struct tee *tee = data;
    const double begin = wall_seconds();
    message_sink_share_listener(tee->renderer, &tee->sink);
    if (tee->failed && message->kind != MESSAGE_CLIENT_END)
        return fail(err, "cannot write the trace");
    if (!tee->failed && !tee->written && !record(tee, message, err))
        return false;
    const bool ok = tee->renderer->take(tee->renderer->data, message, out, out_bytes, err);
    const double end = wall_seconds();
    tee->waiting_since = message_ends_frame(message) ? end : tee->waiting_since + end - begin;
    return ok;
}

void
tee_init(struct tee *tee, struct trace_writer *writer, struct message_sink *renderer,
         uint32_t last_frame, bool ends_at_last)
{
    *tee = (struct tee){.sink = {.data = tee, .take = tee_take},
                        .writer = writer,
                        .renderer = renderer,
                        .last_frame = last_frame,
                        .ends_at_last = ends_at_last,
                        .waiting_since = wall_seconds()};
}
