/* The renderer that a command requests: the functional renderer, or the reference. */
#ifndef AETIUS_CMD_RENDERER_H
#define AETIUS_CMD_RENDERER_H

#include "sim/render_sink.h"
#include "trace/virgl/force_samples.h"
#include "trace/virgl/vtest/passthrough.h"

struct renderer {
    struct passthrough *reference;
    struct force_samples
        *force; /* in front of the reference; NULL: samples as the program requests */
    struct render_sink *ours;
    struct message_sink *sink;
};

/* `reference` is NULL for the functional renderer, otherwise "", llvmpipe or softpipe.
 * `forced_samples`: samples of display targets and renderbuffers; 0: as the program
 * requests. */
bool renderer_init(struct renderer *renderer, const char *reference, uint32_t forced_samples,
                   struct error *err);
void renderer_fini(struct renderer *renderer);

#endif
