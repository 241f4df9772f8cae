/* The renderer that a command requests: our own, or the reference. */
#ifndef AETIUS_CMD_RENDERER_H
#define AETIUS_CMD_RENDERER_H

#include "sim/render_sink.h"
#include "trace/virgl/force_samples.h"
#include "trace/virgl/vtest/passthrough.h"

struct renderer {
    struct passthrough *reference;
    struct force_samples
        *force; /* placed before the reference; NULL: samples as the program asks */
    struct render_sink *ours;
    struct message_sink *sink;
};

/* `reference`: NULL for our own, "" or llvmpipe, or softpipe. `forced_samples`: of display targets
 * and their depth buffers; 0: as the program asks. */
bool renderer_init(struct renderer *renderer, const char *reference, uint32_t forced_samples,
                   struct error *err);
void renderer_fini(struct renderer *renderer);

#endif
