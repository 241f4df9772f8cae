/* The memory of hierarchical Z: far depths of several surfaces in one buffer, a cache over it, and
 * the update that a z test sends. */
#ifndef AETIUS_UNIT_HZ_BUFFER_H
#define AETIUS_UNIT_HZ_BUFFER_H

#include "params/params.h"
#include "state/draw.h"
#include "unit/replacement.h"
#include "unit/stats.h"

enum {
    HZ_SURFACES = 16,
    HZ_LINE_BLOCKS = 64,     /* the most blocks that such a line has */
    HZ_FARTHEST = UINT16_MAX /* an entry under which anything may lie */
};

/* How a depth surface is cut into blocks, an entry each. */
struct hz_cut {
    uint32_t elements;                             /* samples of a block */
    uint32_t line_blocks, tile_blocks, tile_lines; /* lines of the z cache, tiles of 8x8 pixels */
    uint32_t group_quads;                          /* quads that lie in the same blocks */
    uint32_t group_blocks;                         /* blocks that they lie in */
};

/* Far depths of the blocks of a line that left the z cache, for struct hz_update. */
struct hz_update {
    uint64_t resource; /* resource.created */
    uint32_t offset;   /* of the surface from the resource's address */
    uint32_t line;     /* of the z cache, in the surface */
    uint32_t generation;
    uint16_t far[HZ_LINE_BLOCKS];
};

struct hz_surface {
    bool used;
    uint64_t resource;
    uint32_t offset; /* from the resource's address: which level and layer */
    uint32_t tiles_x;
    uint32_t first, entries; /* in the buffer; blocks behind `entries` have none */
    bool knows;              /* some entry may be nearer than HZ_FARTHEST */
    struct hz_cut cut;
};

struct hz_cache_line {
    uint32_t line; /* of the buffer */
    bool valid;
    uint32_t locks;       /* tiles that will read it */
    uint64_t ready_cycle; /* its entries have come */
};

struct hz_buffer {
    uint32_t block_stamps, z_line_bytes;
    uint16_t *far;
    uint32_t entries, next_entry;
    struct hz_surface surfaces[HZ_SURFACES];
    uint32_t next_surface;
    /* the cache: fully associative */
    struct hz_cache_line *lines;
    uint16_t *cached;
    int32_t *line_of; /* for each line of the buffer: the cache line that holds it, or -1 */
    uint32_t line_count, line_blocks, buffer_lines;
    struct replacement replacement;
    bool fault_keep_lines; /* fault injection: a fill leaves the cache as it is */
    uint32_t fault_block;  /* fault injection: updates go this many entries too far */
};

void hz_buffer_init(struct hz_buffer *buffer, const struct params *params);
void hz_buffer_fini(struct hz_buffer *buffer);
/* Forgets all surfaces. */
void hz_buffer_reset(struct hz_buffer *buffer);
/* Forgets the surfaces of a resource. */
void hz_buffer_forget(struct hz_buffer *buffer, uint64_t resource);

/* How a resource's surfaces are cut when a block has `stamps` quads and a line of the z cache, by
 * which far depths are reported, `line_bytes`. */
struct hz_cut hz_cut(const struct resource *res, uint32_t line_bytes, uint32_t stamps);
/* The entry of a far depth: 16 bits, rounded away from the eye. */
uint16_t hz_entry(float depth);

/* Where a surface lies in its resource. */
uint32_t hz_surface_offset(const struct bound_surface *surface);
/* The surface's place in the buffer, NULL when it has none. */
struct hz_surface *hz_buffer_find(struct hz_buffer *buffer, uint64_t resource, uint32_t offset);
/* Gives it one, with entries still to be filled; surfaces that were there are forgotten. */
struct hz_surface *hz_buffer_add(struct hz_buffer *buffer, const struct bound_surface *surface);
void hz_buffer_fill(struct hz_buffer *buffer, struct hz_surface *surface, uint16_t far);
/* Stores an update, in the buffer and in the cache; false when the surface has no place. */
bool hz_buffer_update(struct hz_buffer *buffer, const struct hz_update *update);

/* The cache line that holds or will hold a line of the buffer, locked; -1 when it is not there. */
int32_t hz_cache_lock(struct hz_buffer *buffer, uint32_t line);
/* Locks on all lines. */
uint32_t hz_buffer_locks(const struct hz_buffer *buffer);
/* Takes a cache line for a line of the buffer, to be there at `ready_cycle`, and locks it; -1 when
 * all are locked. */
int32_t hz_cache_read(struct hz_buffer *buffer, uint32_t line, uint64_t ready_cycle);

#endif
