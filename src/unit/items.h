/* What travels through the queues of the machine. Items are small and go by value; vertices,
 * triangles, quads and thread groups are handles into pools, filled where they are made and not
 * changed behind the back of the unit that holds them.
 *
 * ITEM_END marks the end of a draw; it follows the draw's last item through every unit and comes
 * back to the command processor from every ROP: the pipeline is then drained. */
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
    MAX_TEXTURE_UNITS = 8, /* of a shader unit */
    MAX_TEXUNITS = 64,     /* in all */
    MAX_GROUP_THREADS = EXEC_MAX_LANES * EXEC_MAX_BLOCKS,
    QUADS_IN_BLOCK = EXEC_MAX_LANES / 4,
};

enum item_kind { ITEM_DATA, ITEM_RESTART, ITEM_END };

struct draw_item {
    const struct draw *draw;
    bool invalidate_inputs; /* of what the streamer's cache holds: buffers have changed since the
                               draw before */
};

struct pooled_vertex {
    struct pooled_vertex *next_free;
    uint32_t references;
    bool shaded;
    uint32_t index, instance; /* what the program sees as VERTEXID and INSTANCEID */
    float inputs[MAX_ATTRIBUTES][4];
    struct vertex vertex;
};

struct vertex_item {
    enum item_kind kind;
    const struct draw *draw;
    struct pooled_vertex *vertex; /* DATA: holds one reference */
};

struct primitive_item {
    enum item_kind kind; /* DATA, END */
    const struct draw *draw;
    uint32_t number; /* in its draw, of those that were assembled: 0, 1, ... */
    struct primitive_out primitive;
    struct pooled_vertex *v[3]; /* a reference each */
    enum clip_result clip;      /* from the clipper on */
};

struct pooled_triangle {
    struct pooled_triangle *next_free;
    uint32_t references;
    uint32_t number; /* of its primitive */
    struct triangle triangle;
};

struct triangle_item {
    enum item_kind kind;
    const struct draw *draw;
    struct pooled_triangle *triangle; /* holds one reference */
};

/* Places in the store of triangles that are free again. */
struct triangle_credit {
    uint32_t triangles;
};

struct tile_item {
    enum item_kind kind;
    const struct draw *draw;
    struct pooled_triangle *triangle; /* holds one reference */
    uint16_t x, y;                    /* pixel of the 8x8 tile's corner */
    uint64_t mask;                    /* fragments, Morton order: some sample is covered */
    uint64_t samples[MAX_SAMPLES];    /* the same of each sample */
};

struct quad {
    struct quad *next_free;
    struct pooled_triangle *triangle; /* holds one reference */
    uint16_t x, y;
    uint32_t mask; /* samples alive (gfx/samples.h) */
    bool shaded;
    struct watched_quad *watched; /* unit/watch.h; NULL: it is not */
    /* thousands are on their way, so what is used together shares a line of the host's cache */
    float z[MAX_SAMPLES][4];             /* [sample][fragment] */
    float color[MAX_COLOR_BUFFERS][4][4] /* [target][fragment][channel] */
        __attribute__((aligned(64)));
    float inputs[MAX_VARYINGS * 4 * 4]; /* [input][channel][fragment] */
    float systems[8 * 4 * 4];           /* system values, likewise */
};

struct quad_item {
    enum item_kind kind;
    const struct draw *draw;
    struct quad *quad;
    uint64_t samples_passed; /* END: what the z test let through */
};

/* Threads that share a program counter: vertices, or fragments in quads. Lanes 64b .. 64b + 63 are
 * those of block b (isa/exec.h). */
struct group {
    struct group *next_of_all; /* of all there are */
    struct group *next_free;
    const struct draw *draw;
    const struct thread_source *source;
    enum shader_stage stage; /* the source's */
    uint32_t count;          /* vertices or quads */
    union {                  /* as many as the machine's groups have threads */
        struct pooled_vertex **vertices;
        struct quad **quads;
    };
    uint32_t unit; /* the shader unit that runs it */
    /* used by the shader unit */
    struct exec *exec;                  /* blocks */
    float (*texels)[4][EXEC_MAX_LANES]; /* of each block */
    void *registers;                    /* of all blocks */
    uint32_t register_bytes;
    uint32_t slot;                         /* its place in the unit */
    uint32_t wait;                         /* enum group_wait (shader.h) */
    uint64_t ready_cycle;                  /* when its next instruction may issue */
    uint64_t temp_ready[64];               /* when each temporary is written */
    uint64_t address_ready, results_ready; /* the address registers; everything */
    uint32_t texels_missing;               /* quads that the texture unit still has */
    struct cp_stamp way;                   /* to where its next instruction may issue */
};

static inline struct exec *
group_block(const struct group *group, uint32_t quad)
{
    return &group->exec[quad / QUADS_IN_BLOCK];
}

/* Four texels of a quad's answer, of one channel. */
static inline float *
group_texels(const struct group *group, uint32_t quad, uint32_t channel)
{
    return &group->texels[quad / QUADS_IN_BLOCK][channel][quad % QUADS_IN_BLOCK * 4];
}

struct group_item {
    struct group *group;
};

/* A quad's texture request: coordinates are in the request of its block; texels come back in the
 * group's texels. */
struct texture_item {
    struct group *group;
    uint32_t quad;
};

/* Orders from the command processor, outside the stream of draws, and their completion. */
enum control_kind {
    CONTROL_FLUSH,      /* write back what is dirty; blocks stay as they are in the cache */
    CONTROL_RESOLVE,    /* ROPs: make `surface` (or `parts`) whole in memory, keep no lines of it */
    CONTROL_BEGIN,      /* ROPs: `surface` is cleared, its states are set so without an effort */
    CONTROL_CLEAR,      /* ROPs: clear `surface` */
    CONTROL_INVALIDATE, /* forget what is cached; ROPs: of the surface's resource, unwritten */
    CONTROL_SHOW,       /* DAC: read `surface` out as a frame; colorwrite: send block states */
};

enum surface_part {
    PART_STAYS,
    PART_RAW,         /* to be whole in memory */
    PART_OVERWRITTEN, /* all of its bytes will be: what it holds does not matter */
};

struct control_item {
    enum control_kind kind;
    struct bound_surface surface;
    const uint8_t *line; /* BEGIN: a line of the cleared surface */
    /* RESOLVE: of each block an enum surface_part; NULL: all of the surface. Else it is not bound.
     */
    const uint8_t *parts;
    uint32_t buffers; /* CLEAR of depth: MASK_DEPTH, MASK_STENCIL */
    float rgba[4];
    double depth;
    uint32_t stencil;
};

struct blit_plan; /* gfx/transfer.h */
struct blit_item {
    const struct blit_plan *plan; /* lives until the order is executed */
};

struct done_item {
    bool is_draw_end;
    uint64_t samples_passed;
};

/* Memory: transactions of 64 bytes, aligned. */
enum { TRANSACTION_BYTES = 64 };

struct memory_request {
    uint32_t address;
    uint32_t tag; /* comes back in the reply */
    bool write;
    uint64_t bytes_written; /* a bit for each byte of the transaction that a write changes */
    uint8_t data[TRANSACTION_BYTES];
};

/* The bits of `count` bytes from `first` on. */
static inline uint64_t
transaction_bytes(uint32_t first, uint32_t count)
{
    return (count == TRANSACTION_BYTES ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
}

struct memory_reply {
    uint32_t tag;
    bool write;
    uint8_t data[TRANSACTION_BYTES]; /* reads */
};

struct memory_port {
    struct queue *requests, *replies;
    struct cp_stage arrival; /* cp_ref: of the last reply */
};

/* Fragments of the quad of which a sample is alive. */
static inline uint32_t
quad_fragments(uint32_t mask)
{
    return bits_count(mask_fragments(mask));
}

/* Which ROP owns the pixels of a tile. */
static inline uint32_t
rop_of_tile(uint32_t tile_x, uint32_t tile_y, uint32_t rops)
{
    return (tile_x + tile_y) % rops;
}

/* Pools: handles live until their last reference goes. */
struct pools {
    const char *name;
    const struct clock *clock;
    struct pooled_vertex *vertices; /* free */
    struct pooled_triangle *triangles;
    struct quad *quads;
    struct group *groups, *all_groups;                              /* free, all */
    uint32_t vertex_count, triangle_count, quad_count, group_count; /* of all */
    uint32_t group_threads; /* the most in a group of this machine */
    struct arena *memory;   /* behind all of them */
    struct watch *watch;    /* or NULL */
};

void pools_init(struct pools *pools, const struct clock *clock);
void pools_fini(struct pools *pools);
/* A frame is over: every vertex, triangle, quad and group is free again. */
void pools_reset(const struct pools *pools);
struct pooled_vertex *vertex_create(struct pools *pools);
/* Another reference, beside one that there is. */
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
