/* Primitive Assembly: assembles vertices into points, lines and triangles (docs/design/machine.md,
 * Primitive Assembly).
 *
 * Input: struct vertex_item in index order. Output: struct primitive_item, which owns one reference
 * per vertex. The unit holds up to 8 vertices, with one reference each, while the assembler may
 * still use them. The machine owns the unit and its queues. primasm_init() cannot fail. */
#ifndef AETIUS_UNIT_PRIMASM_H
#define AETIUS_UNIT_PRIMASM_H

#include "params/params.h"
#include "unit/env.h"
#include "unit/frontend/stream_writer.h"
#include "unit/items.h"
#include "unit/stats.h"

struct primasm {
    struct module module;
    struct primasm_stats stats;
    struct pools *pools;
    struct stream_writer stream;
    struct queue *in, *out;
    uint32_t vertices_cycle, triangles_cycle;
    const struct draw *draw;
    struct assembler assembler;
    uint32_t number; /* number of the next primitive in the draw */
    /* Vertices that the assembler may still use, found by handle. The unit owns one reference
     * each. */
    struct pooled_vertex *held[8];
    uint32_t held_handles[8], held_count;
    uint32_t next_handle;
    struct primitive_item pending[3]; /* primitives that are assembled but not sent */
    uint32_t pending_count, pending_sent;
};

void primasm_init(struct primasm *primasm, const struct unit_env *env, uint32_t index);

#endif
