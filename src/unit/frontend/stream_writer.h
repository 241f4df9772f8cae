/* Stream output of Primitive Assembly, or of Geometry Assembly for draws with a geometry program:
 * writes the stored values to memory.
 *
 * The unit stores StreamOutputRate values of 4 bytes per cycle, in the order of the primitives.
 * Each buffer has one transaction of 64 bytes in which values are collected. The transaction is
 * sent when a value belongs to another one, or at the end of the draw. Requests leave in order, one
 * per cycle. Latency: that of memory. Source: an assumption; the default rate is one output of four
 * components per cycle. Not modelled: a limit on the values of the two primitives that one vertex
 * completes. */
#ifndef AETIUS_UNIT_STREAM_WRITER_H
#define AETIUS_UNIT_STREAM_WRITER_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/items.h"

enum {
    STREAM_VALUES = 2048
}; /* at least two triangles with MAX_SO_OUTPUTS, and the largest rate */

struct stream_value {
    uint32_t address, buffer, bits;
};

struct stream_writer {
    struct memory_port port;
    struct module *module;    /* the unit; its stage is on the critical path */
    uint64_t *bytes, *cycles; /* statistics: bytes sent; cycles in which it stored or waited */
    uint32_t rate;
    struct stream_value values[STREAM_VALUES];       /* values that are not stored yet */
    struct ring ring;                                /* of `values` */
    struct memory_request collected[MAX_SO_BUFFERS]; /* bytes_written 0: empty */
    uint32_t in_flight;                              /* writes without a reply */
};

void stream_writer_init(struct stream_writer *writer, struct module *module,
                        const struct params *params, uint64_t *bytes, uint64_t *cycles);
/* Lists the values of a primitive with v[0] to v[vertices - 1], to be stored. */
void stream_writer_add(struct stream_writer *writer, const struct draw *draw, uint32_t vertices,
                       const struct vertex *const v[3]);
/* Whether values wait to be stored. */
static inline bool
stream_writer_is_busy(const struct stream_writer *writer)
{
    return writer->ring.count > 0;
}
/* Whether the unit may take another vertex: the next cycle can store all values. */
static inline bool
stream_writer_has_room(const struct stream_writer *writer)
{
    return writer->ring.count <= writer->rate;
}
/* Whether collected values or writes without a reply are left. */
bool stream_writer_is_open(const struct stream_writer *writer);
/* Stores as many values as the rate and the queue to memory allow. If none is left and the draw
 * ends, sends one collected transaction. Returns whether it did any work. */
bool stream_writer_clock(struct stream_writer *writer, bool draw_ends, uint64_t now);
/* Takes the replies to writes. Returns whether there was one. */
bool stream_writer_take_replies(struct stream_writer *writer, uint64_t now);

#endif
