/* One draw of the functional renderer (functional_draw.c). The working memory is reused from draw
 * to draw, so that rendering allocates nothing. */
#ifndef AETIUS_SIM_FUNCTIONAL_DRAW_H
#define AETIUS_SIM_FUNCTIONAL_DRAW_H

#include "gfx/fragment.h"
#include "sim/functional.h"

enum {
    VERTEX_SLOTS = 1024, /* capacity for shaded vertices */
    VERTEX_HASH = 1024,  /* entries of the direct-mapped table from vertex numbers to slots */
    VERTEX_CHUNK = 256,  /* vertices processed at a time */
    TRIANGLE_SLOTS = 96, /* triangles with quads in the batch, plus those of one more primitive */
    BATCH_QUADS = EXEC_MAX_LANES / 4,
};

struct functional_quad {
    const struct triangle *triangle;
    uint32_t x, y, mask; /* mask: gfx/samples.h */
    float z[MAX_SAMPLES][4];
};

struct functional_program { /* a program that runs, and the memory of its registers */
    struct exec exec;
    uint8_t *registers; /* 64-byte aligned */
    void *registers_memory;
    uint32_t registers_bytes;
};

struct functional_scratch {
    struct vertex vertices[VERTEX_SLOTS];
    uint32_t slot_vertex[VERTEX_SLOTS]; /* vertex number in each slot */
    uint32_t slot_chunk[VERTEX_SLOTS];  /* last chunk that used the slot; 0: slot is empty */
    uint16_t hash[VERTEX_HASH];         /* slot for each entry of the table */
    uint32_t chunk, next_slot;

    struct triangle triangles[TRIANGLE_SLOTS];
    uint32_t triangle_count;
    struct functional_quad quads[BATCH_QUADS];
    uint32_t quad_count;

    struct functional_program program; /* the vertex or fragment program in progress */
    struct geometry_batch *geometry;   /* NULL until a draw has a geometry program */
    uint32_t geometry_count;           /* primitives in the batch */
    uint64_t samples_passed;           /* for queries */
};

struct functional_run { /* state of the draw in progress */
    struct functional *renderer;
    struct functional_scratch *scratch;
    struct gpu_memory *memory;
    const struct draw *draw;
    uint32_t instance;
    struct setup_state *setup;
    bool shade_fragments; /* false: the fragment program has no visible effect */
    struct error *err;
};

/* Runs a program for lanes whose inputs and systems the caller fills in between. */
void functional_begin_program(const struct functional_run *run, struct functional_program *state,
                              const struct program *program, uint32_t lanes);
bool functional_finish_program(const struct functional_run *run, struct functional_program *state);

/* The pipeline after the last program before the rasterizer. */
bool functional_primitive(const struct functional_run *run, const struct primitive_out *primitive,
                          const struct vertex *const v[3]);

/* functional_geometry.c: adds a primitive with primitive_input_count() vertices to the batch of the
 * geometry program, or ends the batch. */
bool geometry_primitive(const struct functional_run *run, const struct primitive_out *primitive,
                        const struct vertex *const v[MAX_PRIMITIVE_VERTICES]);
bool geometry_flush(const struct functional_run *run);
void geometry_destroy(struct functional_scratch *scratch);

struct functional_scratch *functional_scratch_create(void);
void functional_scratch_destroy(struct functional_scratch *scratch);

bool functional_draw(struct functional *renderer, const struct draw *draw, struct error *err);

/* Mean depth in the window of the draw's vertices, from 0 to 1. Shades at most EXEC_MAX_LANES of
 * them, evenly spaced. Vertices behind the eye count as 0. The renderer's counts do not change. */
bool functional_draw_depth(struct functional *renderer, const struct draw *draw, float *depth,
                           struct error *err);

#endif
