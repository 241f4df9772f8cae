/* Removes the multisampling that the program requested, before messages reach a renderer.
 *
 * New resources are created with one sample. The initial contents of a trimmed trace are resolved:
 * colors to the average of a pixel's samples, depth and stencil to its first sample. */
#ifndef AETIUS_TRACE_SINGLE_SAMPLE_H
#define AETIUS_TRACE_SINGLE_SAMPLE_H

#include "trace/message.h"

struct single_sample;

/* The caller keeps ownership of `renderer`. */
struct single_sample *single_sample_create(struct message_sink *renderer);
void single_sample_destroy(struct single_sample *single);
struct message_sink *single_sample_sink(struct single_sample *single);

#endif
