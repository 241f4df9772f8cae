#include "trace/tee.h"

/* Written before it is drawn: a trace of what a renderer refuses is worth having. */
static bool
tee_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
         struct error *err)
{
    struct tee *tee = data;
    message_sink_hand_on(tee->renderer, &tee->sink);
    if (!tee->done) {
        if (!trace_writer_add(tee->writer, message, err))
            return false;
        tee->done =
            tee->last_frame != UINT32_MAX && trace_writer_frames(tee->writer) > tee->last_frame;
    }
    return tee->renderer->take(tee->renderer->data, message, out, out_bytes, err);
}

void
tee_init(struct tee *tee, struct trace_writer *writer, struct message_sink *renderer,
         uint32_t last_frame)
{
    *tee = (struct tee){.sink = {.data = tee, .take = tee_take},
                        .writer = writer,
                        .renderer = renderer,
                        .last_frame = last_frame};
}
