/* The functional renderer executes commands at once, without time. It is the reference of the
 * machine, and fast-forwards to a frame. */
#ifndef AETIUS_SIM_FUNCTIONAL_H
#define AETIUS_SIM_FUNCTIONAL_H

#include "state/context.h"

/* Simulated memory if no machine sets a size. The host allocates only touched pages. */
#define FUNCTIONAL_MEMORY_BYTES (4095u << 20)

struct functional;

/* Observer of draws, called before and after each. Any function may be NULL. */
struct draw_watch {
    void *data;
    bool (*before)(void *data, const struct functional *renderer, const struct draw *draw,
                   struct error *err);
    bool (*after)(void *data, const struct functional *renderer, const struct draw *draw,
                  struct error *err);
    /* A frame is complete. */
    void (*frame)(void *data, const struct functional *renderer);
    /* Fragments of the quad at (x, y) that passed all tests, one bit each. */
    void (*fragments)(void *data, uint32_t x, uint32_t y, uint32_t mask);
};

/* Counts of the work done so far. */
struct functional_work {
    uint64_t vertices;           /* shaded */
    uint64_t triangles;          /* set up */
    uint64_t fragments;          /* fragments of triangles, before any test */
    uint64_t quads;              /* shaded */
    uint64_t hidden;             /* of these, quads without a fragment left after the late tests */
    uint64_t texels;             /* texture requests, one per thread */
    uint64_t texel_bytes;        /* read for the first time; estimate from one quad per batch */
    uint64_t lanes[STAGE_COUNT]; /* executed, with those that fill up a batch */
    uint64_t steps[STAGE_COUNT]; /* instructions of all lanes; a batch runs in lockstep */
    uint64_t written;            /* fragments that passed all tests and have a color */
    uint64_t put_bytes, buffer_put_bytes; /* uploaded, and of these into buffers */
    uint64_t clears;
    uint64_t blitted; /* pixels written by blits */
};

struct functional {
    struct gpu_device *device;      /* not owned */
    const struct draw_watch *watch; /* not owned; may be NULL */
    struct arena draws;             /* baked draws, reset at each swap */
    struct functional_scratch *scratch;
    struct functional_work work;
};

void functional_init(struct functional *renderer, struct gpu_device *device);
void functional_fini(struct functional *renderer);

/* Executes any command, state or work. GET and SWAP fill `out` (tight rows) if it is not NULL.
 * Query results are written to their resource in memory. */
bool functional_execute(struct functional *renderer, const struct gpu_cmd *cmd, uint8_t *out,
                        uint32_t out_bytes, struct error *err);

#endif
