/* Stream output (transform feedback): stores the outputs of the vertex program in buffers,
 * primitive by primitive, before clipping (OpenGL 3.0 specification, 2.15). A primitive that does
 * not fit into each of its buffers is not stored. Also counts the primitives for queries. */
#ifndef AETIUS_GFX_STREAM_OUT_H
#define AETIUS_GFX_STREAM_OUT_H

#include "gfx/vertex.h"

/* Stores `count` values of 4 bytes in a buffer, at an address in memory. */
typedef void stream_store_fn(void *data, uint32_t buffer, uint32_t address, const float *values,
                             uint32_t count);

/* A stream_store_fn whose `data` is a struct gpu_memory: stores the values at once. */
void stream_store(void *memory, uint32_t buffer, uint32_t address, const float *values,
                  uint32_t count);

/* Processes the next primitive of a draw with `streams_out`. v[0] to v[vertices - 1] are its
 * vertices. */
void stream_out(const struct draw *draw, uint32_t vertices, const struct vertex *const v[3],
                stream_store_fn *store, void *data);

#endif
