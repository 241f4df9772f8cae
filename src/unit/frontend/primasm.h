/* Primitive Assembly: assembles vertices into points, lines and triangles (docs/design/machine.md,
 * Primitive Assembly).
 *
 * Input: struct vertex_item in index order. Output: struct primitive_item, which owns one reference
 * per vertex. The primitives of a draw with a geometry program go to Geometry Assembly; the Clipper
 * gets only an item of kind ITEM_RESTART. The unit holds a reference to each vertex that the
 * assembler may still use. The machine owns the unit and its queues. primasm_init() cannot fail. */
#ifndef AETIUS_UNIT_PRIMASM_H
#define AETIUS_UNIT_PRIMASM_H

#include "params/params.h"
#include "unit/env.h"
#include "unit/frontend/stream_writer.h"
#include "unit/frontend/held_vertices.h"
#include "unit/items.h"
#include "unit/stats.h"

struct primasm {
    struct module module;
    struct primasm_stats stats;
    struct pools *pools;
    struct stream_writer stream;
    struct queue *in, *out;
    struct queue *geometry; /* to Geometry Assembly */
    uint32_t vertices_cycle, triangles_cycle;
    const struct draw *draw;
    struct assembler assembler;
    uint32_t number;   /* number of the next primitive in the draw */
    uint32_t instance; /* of the last vertex */
    struct held_vertices held;
    struct primitive_item pending[4]; /* primitives that are assembled but not sent */
    uint32_t pending_count, pending_sent;
};

void primasm_init(struct primasm *primasm, const struct unit_env *env, uint32_t index);

#endif
