/* The functional renderer executes commands at once, without timing. Its results are the reference
 * for the machine. A simulation also uses it to fast-forward to the first timed frame. */
#ifndef AETIUS_SIM_FUNCTIONAL_H
#define AETIUS_SIM_FUNCTIONAL_H

#include "state/context.h"

/* Size of simulated memory if no machine sets one. The host allocates only touched pages. */
#define FUNCTIONAL_MEMORY_BYTES (4095u << 20)

struct functional;
struct texture_request; /* isa/exec.h */

/* Observer of draws, called before and after each draw. Any function may be NULL. */
struct draw_watch {
    void *data;
    bool (*before)(void *data, const struct functional *renderer, const struct draw *draw,
                   struct error *err);
    bool (*after)(void *data, const struct functional *renderer, const struct draw *draw,
                  struct error *err);
    /* A frame is complete. `shown`: the displayed surface, or NULL. */
    void (*frame)(void *data, const struct functional *renderer, const struct resource *shown);
    /* Fragments of the quad at (x, y) that passed all tests, one bit per fragment. */
    void (*fragments)(void *data, uint32_t x, uint32_t y, uint32_t mask);

    /* Memory that the draw in progress uses, in the order of use. */
    void (*vertex)(void *data, const struct draw *draw, uint32_t vertex, uint32_t instance);
    /* A fragment program samples a texture: the quad at (x, y), lanes 4 * quad to 4 * quad + 3. */
    void (*texels)(void *data, const struct draw *draw, const struct texture_request *request,
                   uint32_t quad, uint32_t x, uint32_t y);
    /* The depth and stencil of the quad at (x, y) are tested. */
    void (*tested)(void *data, const struct draw *draw, uint32_t x, uint32_t y);

    /* The program uploads into the box. */
    void (*upload)(void *data, const struct resource *res, const struct box *box);
};

/* Counts of the work done so far. All members are uint64_t. */
struct functional_work {
    uint64_t vertices;           /* shaded */
    uint64_t triangles;          /* after setup */
    uint64_t fragments;          /* fragments of triangles, before any test */
    uint64_t generated;          /* quads with a fragment, before any test */
    uint64_t quads;              /* shaded */
    uint64_t hidden;             /* shaded quads without a fragment left after the late tests */
    uint64_t accepted;           /* primitives not outside the view volume */
    uint64_t texels;             /* texture requests, one per thread */
    uint64_t lanes[STAGE_COUNT]; /* lanes executed, including those that fill up a batch */
    uint64_t steps[STAGE_COUNT]; /* instructions of all lanes; a batch runs in lockstep */
    uint64_t written;            /* fragments with a color that passed all tests */
    uint64_t written_quads;      /* quads with such a fragment */
    uint64_t clears;
    uint64_t blitted; /* words of 4 bytes written by blits and copies */
};

struct functional {
    struct gpu_device *device;      /* not owned */
    const struct draw_watch *watch; /* not owned; may be NULL */
    struct arena draws;             /* baked draws, reset at each swap */
    struct functional_scratch *scratch;
    struct functional_work work, before_draw; /* before_draw: when the last draw began */
    uint64_t time_ns;                         /* of the next time query */
};

void functional_init(struct functional *renderer, struct gpu_device *device);
void functional_fini(struct functional *renderer);

/* Differences of all counts. `before` holds earlier counts of the same renderer. */
struct functional_work functional_work_since(const struct functional_work *now,
                                             const struct functional_work *before);

/* Sets the time for time queries, unless it has already passed. Without this call, each reading of
 * the time is 1 ns after the one before. */
void functional_set_time(struct functional *renderer, uint64_t ns);

/* Executes any state or work command. GET and SWAP fill `out` with tightly packed rows, unless
 * `out` is NULL. Query results are written to their resource in memory. */
bool functional_execute(struct functional *renderer, const struct gpu_cmd *cmd, uint8_t *out,
                        uint32_t out_bytes, struct error *err);

#endif
