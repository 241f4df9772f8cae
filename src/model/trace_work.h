/* Work of a trace's draws on each unit of a machine: the cycles that the unit needs at its full
 * rate. The functional renderer finds this work without timing. */
#ifndef AETIUS_MODEL_TRACE_WORK_H
#define AETIUS_MODEL_TRACE_WORK_H

#include "model/trace_caches.h"
#include "params/params.h"
#include "sim/inspect.h"

/* Cycles of a draw per unit. Units work in parallel. */
#define TRACE_UNITS(X)                                                                             \
    X(fetch)    /* indices and attributes through the Streamer */                                  \
    X(vertex)   /* vertex programs on their units */                                               \
    X(setup)    /* triangles */                                                                    \
    X(raster)   /* tiles and quads up to the interpolator */                                       \
    X(fragment) /* fragment programs, in whole groups */                                           \
    X(texture)  /* texture requests */                                                             \
    X(depth)    /* z and stencil tests */                                                          \
    X(color)    /* color writes */

enum trace_unit {
#define TRACE_UNIT(name) UNIT_##name,
    TRACE_UNITS(TRACE_UNIT)
#undef TRACE_UNIT
        TRACE_UNIT_COUNT
};
extern const char *const trace_unit_names[TRACE_UNIT_COUNT];
enum { TRACE_MOST_UPLOADS = 64 }; /* in flight */

/* An upload over the Command Processor's bus. Uploads are in command order. */
struct trace_upload {
    uint32_t frame;
    uint32_t draw; /* number of draws of the frame before the upload */
    double bytes;
    bool waits; /* the draw before it reads the memory that it changes */
};

struct trace_draw {
    uint32_t frame, number;
    double units[TRACE_UNIT_COUNT];
    double bytes[TRACE_CLIENT_COUNT]; /* between caches and memory */
    double attribute_bytes;           /* as trace_caches_attribute_bytes() */
    double skew;                      /* of the memory channels (trace_caches_skew()) */
    double waits;                     /* number of clients that read memory */
    double quads;                     /* shaded */
    double reused;                    /* fraction of the indices whose vertices can be reused */
    /* Latency of one vertex group and one fragment group on an idle machine. `units` contains the
     * other groups. */
    double latency;
    double stream_bytes;        /* constants and programs needed before the draw can begin */
    uint32_t first_need, needs; /* uploads that it reads: entries of trace_work.needs */
};

/* Work of a frame outside its draws. */
struct trace_frame_work {
    double clears;
    double blit_cycles; /* of blits and copies at the full rate of the Blitter and the memory */
    double shown_bytes; /* bytes that the scan-out reads */
    double dirty_bytes; /* bytes that the ROP caches hold after the last draw */
};

struct trace_work {
    double memory_rate;                  /* bytes per cycle of the machine's memory */
    double bus_rate;                     /* bytes per cycle of the Command Processor's bus */
    uint32_t upload_limit;               /* uploads in flight, 1 to TRACE_MOST_UPLOADS */
    bool unified;                        /* vertex and fragment programs share their units */
    VEC(struct trace_draw) draws;        /* in trace order */
    VEC(struct trace_upload) uploads;    /* in trace order */
    VEC(uint32_t) needs;                 /* indices of uploads */
    VEC(struct trace_frame_work) frames; /* all frames up to the last one rendered */
    double seconds;                      /* host time for replay and analysis */
};

/* Replays the frames (all if count is 0) and finds their work. `params` must be a valid machine. */
bool trace_work_find(struct trace_work *work, struct trace_reader *reader,
                     const struct frame_set *frames, const struct params *params,
                     uint64_t memory_bytes, struct error *err);
/* Whether a frame has draws. */
bool trace_work_draws(const struct trace_work *work, uint32_t frame);
void trace_work_fini(struct trace_work *work);

#endif
