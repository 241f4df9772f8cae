#include "trace/tee.h"

#include "trace/snapshot.h"

/* Before the first message of the first frame. */
static bool
start(struct tee *tee, struct error *err)
{
    bool ok = snapshot_write(tee->live, tee->renderer, tee->writer, &tee->lost, err);
    live_state_destroy(tee->live);
    tee->live = NULL;
    tee->failed = tee->stop = !ok;
    return ok;
}

static bool
record(struct tee *tee, const struct message *message, struct error *err)
{
    if (!trace_writer_add(tee->writer, message, err)) {
        tee->failed = tee->stop = true;
        return false;
    }
    tee->written = tee->last_frame != UINT32_MAX && tee->frame > tee->last_frame;
    tee->stop = tee->written && tee->ends_at_last;
    return true;
}

/* Written before it is drawn: a trace of what a renderer refuses is worth having. */
static bool
tee_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
         struct error *err)
{
    struct tee *tee = data;
    message_sink_hand_on(tee->renderer, &tee->sink);
    if (tee->failed && message->kind != MESSAGE_CLIENT_END)
        return fail(err, "the trace could not be written");
    if (tee->live && tee->frame == tee->first_frame && !start(tee, err))
        return false;
    tee->frame += message->kind == MESSAGE_SWAP;
    if (tee->live)
        live_state_take(tee->live, message);
    else if (!tee->failed && !tee->written && !record(tee, message, err))
        return false;
    return tee->renderer->take(tee->renderer->data, message, out, out_bytes, err);
}

void
tee_init(struct tee *tee, struct trace_writer *writer, struct message_sink *renderer,
         uint32_t first_frame, uint32_t last_frame, bool ends_at_last)
{
    *tee = (struct tee){.sink = {.data = tee, .take = tee_take},
                        .writer = writer,
                        .renderer = renderer,
                        .live = first_frame ? live_state_create() : NULL,
                        .first_frame = first_frame,
                        .last_frame = last_frame,
                        .ends_at_last = ends_at_last};
}

void
tee_fini(struct tee *tee)
{
    live_state_destroy(tee->live);
    tee->live = NULL;
}
