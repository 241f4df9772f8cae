/* One sample a pixel for a renderer, whatever the program asked for: a sink that stands before it.
 *
 * Resources lose their samples when they are made. Contents that a trace begins with are resolved:
 * the mean of a pixel's colors, the first of its depths and stencils. */
#ifndef AETIUS_TRACE_SINGLE_SAMPLE_H
#define AETIUS_TRACE_SINGLE_SAMPLE_H

#include "trace/message.h"

struct single_sample;

/* `renderer` stays the caller's. */
struct single_sample *single_sample_create(struct message_sink *renderer);
void single_sample_destroy(struct single_sample *single);
struct message_sink *single_sample_sink(struct single_sample *single);

#endif
