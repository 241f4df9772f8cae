/* Writes a file in Perfetto's trace format, limited to tracks, slices, flows and counters. The
 * format is defined by protos/perfetto/trace/trace.proto and the files it imports, from
 * https://github.com/google/perfetto. Packets go to a temporary file, which is renamed when it is
 * complete. */
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

/* Slices that may overlap. Each lane is a track. All lanes have the same name, so the viewer shows
 * one track with rows. */
struct packets_lane {
    uint64_t track, free; /* free: first cycle without a slice */
};
struct packets_lanes {
    const char *name;
    uint64_t parent;
    VEC(struct packets_lane) lanes;
};
/* Returns the track of the first lane without a slice after the start of `from`, and occupies it up
 * to `to`. Adds a lane if there is none. */
uint64_t packets_lane(struct packets *packets, struct packets_lanes *lanes, uint64_t from,
                      uint64_t to);

/* A property of a slice, listed by the viewer: a text, or a number if `value` is NULL. */
struct packets_fact {
    const char *name, *value;
    uint64_t number;
};
/* The viewer connects slices with the same flow by arrows, in chronological order. A slice that
 * `ends` a flow is its last one. */
struct packets_flow {
    uint64_t id; /* 0: no flow */
    bool ends;
};
/* Adds a slice from the start of cycle `from` to the start of cycle `to`. Slices of one track must
 * not overlap and must be written in time order. */
void packets_slice(struct packets *packets, uint64_t track, uint64_t name, uint64_t from,
                   uint64_t to, const struct packets_fact *facts, uint32_t count,
                   struct packets_flow flow);
/* Sets a counter's value, beginning with the start of the cycle. */
void packets_counter(struct packets *packets, uint64_t track, uint64_t cycle, uint64_t value);

#endif
