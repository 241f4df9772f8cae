/* Forced multisampling (SIMULATOR.ForceMSAA) for a renderer other than ours: a sink in front of a
 * pass-through (docs/design/stream.md, Walking without execution).
 *
 * Each resource that our machine would multisample by force gets a twin with samples, and each
 * surface on it a twin surface: a framebuffer whose color is a display target's is bound with the
 * twins. A blit resolves the twin before anything reads the resource (a swap, a readback, a blit or
 * copy), and spreads it over the twin's samples after anything wrote to it. Sampler views of a
 * display target are not followed. */
#ifndef AETIUS_TRACE_FORCE_SAMPLES_H
#define AETIUS_TRACE_FORCE_SAMPLES_H

#include "trace/message.h"

struct force_samples;

/* `renderer` stays the caller's. */
struct force_samples *force_samples_create(struct message_sink *renderer, uint32_t samples);
void force_samples_destroy(struct force_samples *force);
struct message_sink *force_samples_sink(struct force_samples *force);

#endif
