/* Stream output of Primitive Assembly: writes the stored values to memory.
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
#include "unit/stats.h"

enum {
    STREAM_VALUES = 2048
}; /* at least two triangles with MAX_SO_OUTPUTS, and the largest rate */

struct stream_value {
    uint32_t address, buffer, bits;
};

struct stream_writer {
    struct memory_port port;
    uint32_t rate;
    struct stream_value values[STREAM_VALUES];       /* values that are not stored yet */
    struct ring ring;                                /* of `values` */
    struct memory_request collected[MAX_SO_BUFFERS]; /* bytes_written 0: empty */
    uint32_t in_flight;                              /* writes without a reply */
};

/* Adds a value to store. A callback of stream_out(). */
void stream_writer_add(void *writer, uint32_t buffer, uint32_t address, const float *values,
                       uint32_t count);
/* Whether values wait to be stored. */
static inline bool
stream_writer_is_busy(const struct stream_writer *writer)
{
    return writer->ring.count > 0;
}
/* Whether Primitive Assembly may take another vertex: the next cycle can store all values. */
static inline bool
stream_writer_has_room(const struct stream_writer *writer)
{
    return writer->ring.count <= writer->rate;
}
/* Whether collected values or writes without a reply are left. */
bool stream_writer_is_open(const struct stream_writer *writer);
/* Stores as many values as the rate and the queue to memory allow. Returns whether it stored any.
 */
bool stream_writer_store(struct stream_writer *writer, struct primasm_stats *stats, uint64_t now);
/* Sends one collected transaction. Returns whether it sent one. */
bool stream_writer_flush(struct stream_writer *writer, struct primasm_stats *stats, uint64_t now);
/* Takes the replies to writes. Returns whether there was one. */
bool stream_writer_take_replies(struct stream_writer *writer, uint64_t now);

#endif
