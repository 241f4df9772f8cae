/* Stands for render_sink.c in a build without the functional renderer. */
#include "sim/render_sink.h"

bool
render_sink_create(struct render_sink **render, uint32_t memory_bytes, struct error *err)
{
    return fail(err, "this build has no renderer of its own; use --reference");
}

void
render_sink_destroy(struct render_sink *render)
{
}

struct message_sink *
render_sink_sink(struct render_sink *render)
{
    return NULL;
}
