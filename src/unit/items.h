/* Items of the machine's queues. Items are small and passed by value. Vertices, triangles, quads
 * and thread groups live in pools; an item holds pointers to them. The unit that creates an object
 * initializes it. After that, only the unit that currently holds the object modifies it.
 *
 * ITEM_RESTART ends a strip of vertices. Among primitives, it announces to the Clipper that the
 * primitives of its draw come from Geometry Assembly.
 *
 * ITEM_END marks the end of a draw. It follows the draw's last item through every unit. Each ROP
 * returns it to the Command Processor. The pipeline is drained when every ROP has returned it. */
#ifndef AETIUS_UNIT_ITEMS_H
#define AETIUS_UNIT_ITEMS_H

#include "base/bits.h"
#include "gfx/fragment.h"
#include "gfx/triangle.h"
#include "isa/exec.h"
#include "core/queue.h"

enum {
    MAX_ROPS = 16,
    MAX_SHADERS = 32,
    MAX_TEXTURE_UNITS = 8, /* per shader unit */
    MAX_TEXUNITS = 64,     /* in total */
    MAX_GROUP_THREADS = EXEC_MAX_LANES * EXEC_MAX_BLOCKS,
    QUADS_IN_BLOCK = EXEC_MAX_LANES / 4,
    SOURCE1 = 1, /* blending with a second source color has one target */
};

enum item_kind { ITEM_DATA, ITEM_RESTART, ITEM_END };

struct draw_item {
    const struct draw *draw;
    bool invalidate_inputs; /* the Streamer's cache is stale: a buffer has changed */
};

struct pooled_vertex {
    struct pooled_vertex *next_free;
    uint32_t references;
    bool shaded;
    uint32_t index, instance; /* VERTEXID and INSTANCEID of the program */
    float inputs[MAX_ATTRIBUTES][4];
    struct vertex vertex;
};

struct vertex_item {
    enum item_kind kind;
    const struct draw *draw;
    struct pooled_vertex *vertex; /* DATA: owns one reference */
};

struct primitive_item {
    enum item_kind kind; /* DATA or END */
    const struct draw *draw;
    uint32_t number; /* number of the primitive within its draw, from 0 */
    struct primitive_out primitive;
    struct pooled_vertex *v[3];        /* owns one reference to each */
    enum clip_result clip;             /* set by the Clipper */
    struct pooled_vertex *adjacent[3]; /* likewise; only on the way to Geometry Assembly */
};

/* Emitted vertices of a primitive in the ring of memory (unit/frontend/overflow.h). Counts are
 * transactions. */
struct overflow_range {
    uint32_t start;    /* offset in the ring */
    uint32_t reserved; /* bytes */
    uint32_t count;    /* transactions of the emitted vertices */
    uint32_t sent, requested, arrived, freed;
    uint32_t capacity;
    bool *has_arrived; /* for each transaction; `arrived` counts those without a gap before them */
};

/* A primitive for which a geometry program runs. Geometry Assembly owns it. */
struct geometry_job {
    enum item_kind kind; /* DATA or END */
    const struct draw *draw;
    uint32_t number; /* of the primitive within the draw */
    struct primitive_out primitive;
    /* Inputs, in the order of the program; owns one reference to each until it is shaded. */
    struct pooled_vertex *v[MAX_PRIMITIVE_VERTICES];
    bool shaded;
    bool in_memory; /* emitted vertices go to memory and back (unit/frontend/overflow.h) */
    struct overflow_range range;
    /* Set by the shader unit. ends[]: whether the vertex is the last one of its strip. */
    uint32_t emitted_count, capacity;
    struct vertex *emitted;
    bool *ends;
};

struct geometry_item {
    const struct draw *draw; /* NULL on the way back */
    struct geometry_job *job;
};

struct pooled_triangle {
    struct pooled_triangle *next_free;
    uint32_t references;
    uint32_t number; /* number of its primitive within the draw */
    bool set_up;     /* TriangleSetupOnShader: the shader units have set it up */
    struct triangle triangle;
};

struct triangle_item {
    enum item_kind kind;
    const struct draw *draw;
    struct pooled_triangle *triangle; /* owns one reference */
};

/* Number of triangle store entries that have become free. */
struct triangle_credit {
    uint32_t triangles;
};

struct tile_item {
    enum item_kind kind;
    const struct draw *draw;
    struct pooled_triangle *triangle; /* owns one reference */
    uint16_t x, y;                    /* position of the tile's first pixel */
    uint64_t mask;                    /* fragments with a covered sample, in Morton order */
    uint64_t samples[MAX_SAMPLES];    /* the same mask for each sample */
};

struct quad {
    struct quad *next_free;
    struct pooled_triangle *triangle; /* owns one reference */
    uint16_t x, y;
    uint32_t mask; /* live samples (gfx/samples.h) */
    bool shaded;
    struct watched_quad *watched; /* unit/watch.h; NULL: not watched */
    /* Thousands of quads are in flight. Fields that are used together therefore share a cache line
     * of the host. */
    float z[MAX_SAMPLES][4]; /* [sample][fragment] */
    /* [target][fragment][channel]; [SOURCE1] is also the second source color */
    float color[MAX_COLOR_BUFFERS][4][4] __attribute__((aligned(64)));
    float inputs[MAX_VARYINGS * 4 * 4]; /* [input][channel][fragment] */
    float systems[8 * 4 * 4];           /* system values, in the same layout */
};

struct quad_item {
    enum item_kind kind;
    const struct draw *draw;
    struct quad *quad;
    uint64_t samples_passed; /* END: number of samples that passed the z test */
};

/* A thread group: threads that share a program counter. It contains vertices, quads,
 * triangles or primitives. Block b contains lanes 64b .. 64b + 63 (isa/exec.h). */
struct group {
    uint64_t number;           /* number of the group in the run, from 0; for observers */
    struct group *next_of_all; /* link in the list of all groups */
    struct group *next_free;
    const struct draw *draw;
    const struct thread_source *source;
    const struct program *program;
    enum shader_stage stage; /* stage of the group's threads */
    uint32_t count;          /* number of vertices, quads, triangles or primitives */
    union {                  /* capacity: maximum number of threads per group */
        struct pooled_vertex **vertices;
        struct quad **quads;
        struct pooled_triangle **triangles;
        struct geometry_job **primitives;
    };
    uint32_t unit; /* shader unit that runs the group */
    /* The shader unit uses the remaining members. */
    struct exec *exec;                  /* one per block */
    float (*texels)[4][EXEC_MAX_LANES]; /* one per block */
    void *registers;                    /* registers of all blocks */
    uint32_t register_bytes;
    uint32_t slot;           /* index of the group's slot in the unit */
    uint32_t wait;           /* enum group_wait (shader.h) */
    uint64_t ready_cycle;    /* cycle from which its next instruction may issue */
    uint64_t temp_ready[64]; /* cycle in which each temporary is written */
    /* cycles in which the address registers and all results are written */
    uint64_t address_ready, results_ready;
    struct {
        uint64_t *pending;    /* constants that the next instruction needs and has not read; bits */
        uint32_t words;       /* allocated size of `pending` */
        uint32_t used;        /* number of different constants that the instruction reads */
        uint32_t misses;      /* lines that were requested for them */
        bool ready;           /* all have been read after a miss */
    } constants;              /* of uniform blocks (shader/constants.h) */
    uint32_t texels_missing;  /* number of quads whose texels have not arrived */
    struct cp_stamp path_end; /* critical path up to the next issue of the group */
    struct profiled_program *profiled; /* its program in the shader profile, if there is one */
};

static inline struct exec *
group_block(const struct group *group, uint32_t quad)
{
    return &group->exec[quad / QUADS_IN_BLOCK];
}

/* The four texel values of one channel in the reply to a quad's request. */
static inline float *
group_texels(const struct group *group, uint32_t quad, uint32_t channel)
{
    return &group->texels[quad / QUADS_IN_BLOCK][channel][quad % QUADS_IN_BLOCK * 4];
}

struct group_item {
    struct group *group;
};

/* Texture request of one quad. The exec of the quad's block holds the coordinates. The texture unit
 * writes the texels to the group's `texels`. */
struct texture_item {
    struct group *group;
    uint32_t quad;
};

/* Orders of the Command Processor. They travel separately from the stream of draws. */
enum control_kind {
    CONTROL_FLUSH,   /* write back dirty lines, but keep them cached */
    CONTROL_RESOLVE, /* ROPs: make `surface` (or `parts`) raw in memory, and drop its lines */
    CONTROL_BEGIN,   /* ROPs: `surface` is already cleared; set its block states at no cost */
    CONTROL_CLEAR,   /* ROPs: clear `surface` */
    /* drop cached lines; ROPs: only lines of the surface's resource, without write-back */
    CONTROL_INVALIDATE,
    CONTROL_SHOW, /* DAC: read `surface` as a frame; Color Write: send block states to the DAC */
};

enum surface_part {
    PART_STAYS,
    PART_RAW,         /* must be raw in memory */
    PART_OVERWRITTEN, /* will be overwritten entirely, so its content is not needed */
};

struct control_item {
    enum control_kind kind;
    struct bound_surface surface;
    const uint8_t *line; /* BEGIN: content of one line of the cleared surface */
    /* RESOLVE: one enum surface_part per block, for a surface that is not bound. NULL: the order
     * covers the whole surface. */
    const uint8_t *parts;
    uint32_t buffers; /* CLEAR of a depth surface: MASK_DEPTH, MASK_STENCIL */
    float rgba[4];
    double depth;
    uint32_t stencil;
};

struct blit_plan; /* gfx/transfer.h */
struct blit_item {
    const struct blit_plan *plan; /* valid until the order has been executed */
};

struct done_item {
    bool is_draw_end;
    uint64_t samples_passed;
};

/* Memory: aligned transactions of 64 bytes. */
enum { TRANSACTION_BYTES = 64 };

struct memory_request {
    uint32_t address;
    uint32_t tag; /* returned in the reply */
    bool write;
    uint64_t bytes_written; /* one bit for each byte of the transaction that a write changes */
    uint8_t data[TRANSACTION_BYTES];
};

/* Mask of `count` bytes from byte `first` on. */
static inline uint64_t
transaction_bytes(uint32_t first, uint32_t count)
{
    return (count == TRANSACTION_BYTES ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
}

struct memory_reply {
    uint32_t address; /* of the request; for observers */
    uint32_t tag;
    bool write;
    uint8_t data[TRANSACTION_BYTES]; /* data of a read */
};

struct memory_port {
    struct queue *requests, *replies;
    struct cp_stage arrival; /* critical path: arrival of the last reply */
};

/* Number of the quad's fragments that have a live sample. */
static inline uint32_t
quad_fragments(uint32_t mask)
{
    return bits_count(mask_fragments(mask));
}

/* Index of the ROP that owns the pixels of a tile. */
static inline uint32_t
rop_of_tile(uint32_t tile_x, uint32_t tile_y, uint32_t rops)
{
    return (tile_x + tile_y) % rops;
}

/* Pools of objects. A pointer to an object is valid until its last reference is released. */
struct pools {
    const char *name;
    const struct clock *clock;
    struct pooled_vertex *vertices; /* free objects of each kind */
    struct pooled_triangle *triangles;
    struct quad *quads;
    struct group *groups, *all_groups; /* free groups; all groups */
    /* objects created, whether free or in use */
    uint32_t vertex_count, triangle_count, quad_count, group_count;
    uint64_t group_number;  /* number of the next group */
    uint32_t group_threads; /* threads in the largest group of this machine */
    struct arena *memory;   /* holds all objects of the pools */
    struct watch *watch;    /* NULL: no watch */
};

void pools_init(struct pools *pools, const struct clock *clock);
void pools_fini(struct pools *pools);
/* Checks at the end of a frame that every vertex, triangle, quad and group is free. */
void pools_reset(const struct pools *pools);
struct pooled_vertex *vertex_create(struct pools *pools);
/* vertex_hold() and triangle_hold() add a reference to an object that already has one. */
static inline void
vertex_hold(const struct pools *pools, struct pooled_vertex *vertex)
{
    INVARIANT(pools, vertex->references > 0);
    vertex->references++;
}
void vertex_release(struct pools *pools, struct pooled_vertex *vertex);
struct pooled_triangle *triangle_create(struct pools *pools);
static inline void
triangle_hold(const struct pools *pools, struct pooled_triangle *triangle)
{
    INVARIANT(pools, triangle->references > 0);
    triangle->references++;
}
void triangle_release(struct pools *pools, struct pooled_triangle *triangle);
struct quad *quad_create(struct pools *pools, struct pooled_triangle *triangle);
void quad_release(struct pools *pools, struct quad *quad);
struct group *group_create(struct pools *pools);
void group_release(struct pools *pools, struct group *group);

#endif
