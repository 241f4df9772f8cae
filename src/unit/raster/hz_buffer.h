/* The memory of Hierarchical Z. It consists of a buffer with the far depths of several surfaces,
 * and a cache of this buffer. This file also defines the update that a z test sends. */
#ifndef AETIUS_UNIT_HZ_BUFFER_H
#define AETIUS_UNIT_HZ_BUFFER_H

#include "params/params.h"
#include "state/draw.h"
#include "unit/replacement.h"
#include "unit/stats.h"

enum {
    HZ_SURFACES = 16,
    HZ_LINE_BLOCKS = 64,     /* maximum number of blocks per line */
    HZ_FARTHEST = UINT16_MAX /* unknown: all depths are possible */
};

/* Division of a depth surface into blocks. Each block has one entry. */
struct hz_cut {
    uint32_t elements; /* number of samples per block */
    /* blocks per z cache line, blocks per tile, lines per tile */
    uint32_t line_blocks, tile_blocks, tile_lines;
    uint32_t group_quads;  /* number of quads that share the same blocks */
    uint32_t group_blocks; /* number of blocks that these quads occupy */
};

/* Update from a z test to Hierarchical Z. It contains the far depths of all blocks in one line that
 * left the z cache. */
struct hz_update {
    uint64_t resource; /* resource.created */
    uint32_t offset;   /* offset of the surface in its resource */
    uint32_t line;     /* index of the z cache line in the surface */
    uint32_t generation;
    uint16_t far[HZ_LINE_BLOCKS];
};

struct hz_surface {
    bool used;
    uint64_t resource;
    uint32_t offset; /* offset from the resource's address; selects level and layer */
    uint32_t tiles_x;
    uint32_t first, entries; /* range in the buffer; later blocks have no entry */
    bool has_depths;         /* some entry may be nearer than HZ_FARTHEST */
    struct hz_cut cut;
};

struct hz_cache_line {
    uint32_t line; /* number of the line in the buffer */
    bool valid;
    uint32_t locks;       /* number of tiles that will read the line */
    uint64_t ready_cycle; /* cycle in which the entries become available */
};

struct hz_buffer {
    uint32_t block_stamps, entry_bits, z_line_bytes;
    uint16_t *far;
    uint32_t entries, next_entry;
    struct hz_surface surfaces[HZ_SURFACES];
    uint32_t next_surface;
    /* the cache, which is fully associative */
    struct hz_cache_line *lines;
    uint16_t *cached;
    int32_t *line_of; /* cache line that holds each buffer line, or -1 */
    uint32_t line_count, line_blocks, buffer_lines;
    struct replacement replacement;
    bool fault_keep_lines; /* fault injection: a fill leaves the cache unchanged */
    uint32_t fault_block;  /* fault injection: offset added to updated entries */
};

void hz_buffer_init(struct hz_buffer *buffer, const struct params *params);
void hz_buffer_fini(struct hz_buffer *buffer);
/* Removes all surfaces. */
void hz_buffer_reset(struct hz_buffer *buffer);
/* Removes the surfaces of a resource. */
void hz_buffer_remove(struct hz_buffer *buffer, uint64_t resource);

/* Divides the surfaces of a resource into blocks of `stamps` quads. The z tests report far depths
 * per line of `line_bytes` bytes. */
struct hz_cut hz_cut(const struct resource *res, uint32_t line_bytes, uint32_t stamps);
/* Converts a depth to a far depth with `bits` bits (8 to 16), rounded away from the eye. The result
 * is on a scale of 16 bits: 0 is the depth 0, and HZ_FARTHEST is the depth 1. */
uint16_t hz_entry(float depth, uint32_t bits);

/* Offset of the surface in its resource. */
uint32_t hz_surface_offset(const struct bound_surface *surface);
/* The surface's record, or NULL if the surface is not in the buffer. */
struct hz_surface *hz_buffer_find(struct hz_buffer *buffer, uint64_t resource, uint32_t offset);
/* Adds the surface. The caller must fill its entries. Removes surfaces whose entries it
 * overwrites. */
struct hz_surface *hz_buffer_add(struct hz_buffer *buffer, const struct bound_surface *surface);
void hz_buffer_fill(struct hz_buffer *buffer, struct hz_surface *surface, uint16_t far);
/* Stores an update in the buffer and in the cache. Returns false if the surface is not in the
 * buffer. */
bool hz_buffer_update(struct hz_buffer *buffer, const struct hz_update *update);

/* Locks the cache line that holds, or will hold, the buffer's line. Returns the cache line, or -1
 * if there is none. */
int32_t hz_cache_lock(struct hz_buffer *buffer, uint32_t line);
/* Total number of locks on all cache lines. */
uint32_t hz_buffer_locks(const struct hz_buffer *buffer);
/* Allocates and locks a cache line for a buffer line. The cache line becomes available at
 * `ready_cycle`. Returns its index, or -1 if all cache lines are locked. */
int32_t hz_cache_read(struct hz_buffer *buffer, uint32_t line, uint64_t ready_cycle);

#endif
