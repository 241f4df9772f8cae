/* Geometry Assembly: sends primitives to the shader units, which run the geometry program, and
 * collects in order what they emit (docs/design/machine.md, Geometry Assembly). Draws that emit
 * much keep their vertices in memory until their turn (unit/frontend/overflow.h).
 *
 * Input: struct primitive_item from Primitive Assembly, of draws with a geometry program. Output:
 * struct primitive_item to the Clipper: the primitives that are assembled from emitted vertices.
 * The unit keeps one entry per primitive in flight, from its arrival until its last vertex is
 * collected. The machine owns the unit and its queues. geomasm_init() cannot fail. */
#ifndef AETIUS_UNIT_GEOMASM_H
#define AETIUS_UNIT_GEOMASM_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/frontend/held_vertices.h"
#include "unit/frontend/overflow.h"
#include "unit/frontend/stream_writer.h"
#include "unit/items.h"
#include "unit/stall.h"
#include "unit/stats.h"

enum {
    GEOMASM_LATENCY = 2, /* cycles from the unit to the Clipper, like from Primitive Assembly */
};

struct geomasm {
    struct module module;
    struct geomasm_stats stats;
    const struct params *params;
    struct pools *pools;
    struct stream_writer stream;
    struct queue *in, *out;      /* from Primitive Assembly, to the Clipper */
    struct queue *jobs, *shaded; /* to and from the Scheduler */
    uint32_t primitives_cycle;   /* primitives accepted per cycle */
    uint32_t vertices_cycle;     /* emitted vertices collected per cycle */
    uint32_t buffer_bytes;
    struct geometry_job *entries; /* ring, in order of arrival */
    struct ring ring;
    uint32_t shaded_entries;      /* primitives whose threads have ended */
    uint32_t reserved;            /* bytes of the buffer; not of primitives in memory */
    struct overflow overflow;     /* emitted vertices in memory */
    uint32_t reading;             /* position in the ring of the primitive that is read back */
    uint64_t *input_stall_reason; /* counter for a primitive that waits; NULL: none */
    struct stall input_stall, output_stall;
    /* The oldest entry: its draw, its next vertex, and the assembler of the emitted vertices. */
    const struct draw *draw;
    uint32_t next_vertex, number;
    struct assembler assembler;
    struct held_vertices held;
};

void geomasm_init(struct geomasm *geomasm, const struct unit_env *env, uint32_t index);
/* Returns the size of the ring in memory that a draw needs for the vertices that its geometry
 * program emits; 0 if they stay on chip, or if `program` is NULL. The caller allocates the ring
 * before the draw, and sets it with geomasm_use_memory(). No other draw may then be in flight. */
uint32_t geomasm_memory_bytes(const struct params *params, const struct program *program);
void geomasm_use_memory(struct geomasm *geomasm, uint32_t address, uint32_t bytes);

#endif
