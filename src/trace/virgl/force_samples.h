/* Forced multisampling (SIMULATOR.ForceMSAA) for an external renderer: a sink that forwards to a
 * pass-through (docs/design/stream.md, Reading without execution).
 *
 * Each resource on which the simulator would force samples gets a multisampled twin. Each surface
 * of such a resource gets a surface of the twin. A framebuffer is bound with the twins if all of
 * its surfaces have twins and at least one of them is a color surface. Before a command reads the
 * resource (swap, readback, blit or copy), a blit resolves the twin into it. After a command has
 * written to the resource, a blit copies it to all samples of the twin. Reads through sampler views
 * do not cause a resolve. */
#ifndef AETIUS_TRACE_FORCE_SAMPLES_H
#define AETIUS_TRACE_FORCE_SAMPLES_H

#include "trace/message.h"

struct force_samples;

/* The caller keeps ownership of `renderer`. */
struct force_samples *force_samples_create(struct message_sink *renderer, uint32_t samples);
void force_samples_destroy(struct force_samples *force);
struct message_sink *force_samples_sink(struct force_samples *force);

#endif
