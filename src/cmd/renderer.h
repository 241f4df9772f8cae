/* The renderer that a command asked for: our own, or the reference. */
#ifndef AETIUS_CMD_RENDERER_H
#define AETIUS_CMD_RENDERER_H

#include "sim/render_sink.h"
#include "trace/passthrough.h"

struct renderer {
    struct passthrough *reference;
    struct render_sink *ours;
    struct message_sink *sink;
};

/* `reference`: NULL for our own, "" or llvmpipe, or softpipe. */
bool renderer_init(struct renderer *renderer, const char *reference, struct error *err);
void renderer_fini(struct renderer *renderer);

#endif
