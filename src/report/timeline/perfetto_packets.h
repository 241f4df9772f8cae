/* Writes a file of Perfetto's trace format, limited to tracks, slices and counters. The format is
 * protos/perfetto/trace/trace.proto and its includes, of https://github.com/google/perfetto.
 * Packets go to a temporary file, which is renamed when it is complete. */
#ifndef AETIUS_REPORT_PERFETTO_PACKETS_H
#define AETIUS_REPORT_PERFETTO_PACKETS_H

#include "base/error.h"
#include "base/protobuf.h"

#include <stdio.h>

struct packets {
    FILE *file;
    char *path, *part;
    uint32_t mhz; /* frequency of the clock that counts the cycles */
    uint64_t frame_start;
    uint64_t tracks, names; /* numbers assigned so far; they start at 1 */
    struct proto out;       /* the packet being encoded */
};

bool packets_open(struct packets *packets, const char *path, uint32_t mhz, struct error *err);
/* Leaves no file if the file could not be written completely. */
bool packets_close(struct packets *packets, struct error *err);

/* Adds a track and returns its number. Tracks with the same parent (0: the top) are shown in
 * creation order. Tracks with equal names are merged. `unit`: unit of a counter, or NULL for a
 * track of slices. */
uint64_t packets_track(struct packets *packets, uint64_t parent, const char *name,
                       const char *unit);
/* Adds a name for slices and returns its number. */
uint64_t packets_name(struct packets *packets, const char *name);

/* A property of a slice, listed by the viewer. */
struct packets_fact {
    const char *name, *value;
};
/* Adds a slice from the start of cycle `from` to the start of cycle `to`. Slices of one track must
 * not overlap and must be written in time order. */
void packets_slice(struct packets *packets, uint64_t track, uint64_t name, uint64_t from,
                   uint64_t to, const struct packets_fact *facts, uint32_t count);
/* Sets a counter's value, beginning with the start of the cycle. */
void packets_counter(struct packets *packets, uint64_t track, uint64_t cycle, uint64_t value);

#endif
