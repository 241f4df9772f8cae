/* Work of a trace's draws on each unit of a machine: the cycles that the unit needs at its full
 * rate. The functional renderer finds this work without timing. */
#ifndef AETIUS_MODEL_TRACE_WORK_H
#define AETIUS_MODEL_TRACE_WORK_H

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

/* Bytes of a draw per memory client, before caches and compression. */
#define TRACE_CLIENTS(X)                                                                           \
    X(texture) /* not read by neighbours before */                                                 \
    X(color)                                                                                       \
    X(z)                                                                                           \
    X(attribute) /* including indices */

enum trace_unit {
#define TRACE_UNIT(name) UNIT_##name,
    TRACE_UNITS(TRACE_UNIT)
#undef TRACE_UNIT
        TRACE_UNIT_COUNT
};
extern const char *const trace_unit_names[TRACE_UNIT_COUNT];
enum trace_client {
#define TRACE_CLIENT(name) ASKED_##name,
    TRACE_CLIENTS(TRACE_CLIENT)
#undef TRACE_CLIENT
        TRACE_CLIENT_COUNT
};
extern const char *const trace_client_names[TRACE_CLIENT_COUNT];

struct trace_draw {
    uint32_t frame, number;
    double units[TRACE_UNIT_COUNT], bytes[TRACE_CLIENT_COUNT];
    double reused; /* share of the draw's indices whose vertices can be reused */
    /* Latency of one vertex group and one fragment group on an idle machine. `units` contains the
     * other groups. */
    double latency;
    double stream_bytes; /* constants and programs needed before the draw can begin */
    /* Bytes uploaded since the previous draw: to textures, and to buffers. */
    double put_bytes, buffer_bytes;
};

/* Work of a frame besides its draws. */
struct trace_frame_work {
    double put_bytes, buffer_bytes; /* uploaded after the last draw */
    double clears, blitted;
    double shown_bytes; /* bytes of the displayed picture that the frame wrote */
    double dirty_bytes; /* bytes that the ROP caches may hold after the last draw */
};

struct trace_work {
    double memory_rate;                  /* bytes per cycle of the machine */
    bool unified;                        /* vertex and fragment programs share their units */
    VEC(struct trace_draw) draws;        /* in trace order */
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
