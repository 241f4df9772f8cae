/* What the draws of a trace ask of the units of a machine, told by drawing without time: the cycles
 * that each unit would need at its full rate. */
#ifndef AETIUS_MODEL_TRACE_WORK_H
#define AETIUS_MODEL_TRACE_WORK_H

#include "params/params.h"
#include "sim/inspect.h"

/* Cycles of a draw, of units that work side by side. */
#define TRACE_UNITS(X)                                                                             \
    X(fetch)    /* indices and attributes through the streamer */                                  \
    X(vertex)   /* vertex programs on their units */                                               \
    X(setup)    /* triangles */                                                                    \
    X(raster)   /* tiles and quads until the interpolator */                                       \
    X(fragment) /* fragment programs, in whole groups */                                           \
    X(texture)  /* texture requests */                                                             \
    X(depth)    /* z and stencil tests */                                                          \
    X(color)    /* color writes */

/* Bytes of a draw through the memory, before caches and compression, by the client's name. */
#define TRACE_CLIENTS(X)                                                                           \
    X(texture) /* what neighbours have not read before */                                          \
    X(color)                                                                                       \
    X(z)                                                                                           \
    X(attribute) /* and indices */

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
    double reused; /* of its indices, the share whose vertices are there already */
    double
        latency; /* of one vertex and one fragment group that are alone; units count the others */
    double stream_bytes;            /* constants and programs, before it can begin */
    double put_bytes, buffer_bytes; /* uploaded since the draw before into textures, into buffers */
};

/* A frame's work beside its draws. */
struct trace_frame_work {
    double put_bytes, buffer_bytes; /* behind the last draw */
    double clears, blitted;
    double shown_bytes; /* of the picture that is shown, as far as it was drawn into */
    double dirty_bytes; /* that the ROPs' caches may hold behind the last draw */
};

struct trace_work {
    double memory_rate;                  /* bytes a cycle of the machine */
    bool unified;                        /* vertex and fragment programs share their units */
    VEC(struct trace_draw) draws;        /* in order */
    VEC(struct trace_frame_work) frames; /* all up to the last that was drawn */
    double seconds;                      /* that drawing took, with the look at it */
};

/* Draws the frames (all: count 0), and what they need. `params` is a machine that can be built. */
bool trace_work_find(struct trace_work *work, struct trace_reader *reader,
                     const struct frame_set *frames, const struct params *params,
                     uint64_t memory_bytes, struct error *err);
/* Whether a frame draws anything. */
bool trace_work_draws(const struct trace_work *work, uint32_t frame);
void trace_work_fini(struct trace_work *work);

#endif
