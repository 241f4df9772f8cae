/* A file for Perfetto: packets of its trace format (protos/perfetto/trace/trace.proto and below it,
 * of https://github.com/google/perfetto), as far as tracks, slices and counters need them. Written
 * packet by packet beside the file's name, which it takes when it is whole. */
#ifndef AETIUS_REPORT_PERFETTO_PACKETS_H
#define AETIUS_REPORT_PERFETTO_PACKETS_H

#include "base/error.h"
#include "base/protobuf.h"

#include <stdio.h>

struct packets {
    FILE *file;
    char *path, *part;
    uint32_t mhz; /* of the clock whose cycles are given */
    uint64_t frame_start;
    uint64_t tracks, names; /* so far: numbers begin with 1 */
    struct proto out;       /* the packet in the making */
};

bool packets_open(struct packets *packets, const char *path, uint32_t mhz, struct error *err);
/* Where it could not be written whole, there is none. */
bool packets_close(struct packets *packets, struct error *err);

/* A new track: its number. Those of one parent (0: the top) are shown in the order in which they
 * were made; of one name, as one. `unit`: of a counter's values; NULL: it has slices. */
uint64_t packets_track(struct packets *packets, uint64_t parent, const char *name,
                       const char *unit);
/* A name for slices: its number. */
uint64_t packets_name(struct packets *packets, const char *name);

/* What is known of a slice, as the viewer lists it. */
struct packets_fact {
    const char *name, *value;
};
/* From the beginning of cycle `from` to that of cycle `to`. Slices of one track do not overlap, and
 * are written in the order in which they are. */
void packets_slice(struct packets *packets, uint64_t track, uint64_t name, uint64_t from,
                   uint64_t to, const struct packets_fact *facts, uint32_t count);
/* It holds from the beginning of the cycle on. */
void packets_counter(struct packets *packets, uint64_t track, uint64_t cycle, uint64_t value);

#endif
