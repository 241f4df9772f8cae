/* What the z & stencil test and the color write share: a cache of 256-byte lines with a block-state
 * memory (cleared or uncompressed), fast and slow clears, flush and resolve.
 *
 * A cleared block is not read: its clear value is made on chip. A block stops being cleared when
 * its line is written back. */
#ifndef AETIUS_UNIT_ROP_H
#define AETIUS_UNIT_ROP_H

#include "unit/cache.h"

enum { ROP_LINE_BYTES = 256, ROP_MAX_SURFACES = 9, ROP_MAX_WAITING = 512 };

enum block_state { BLOCK_UNCOMPRESSED, BLOCK_CLEARED };

struct rop_surface { /* one whose blocks may be cleared: a slice of a resource's level */
    const struct resource *res;
    uint32_t first, end; /* addresses */
    uint32_t tiles_x, tiles_y;
    uint8_t clear_line[ROP_LINE_BYTES];
};

struct rop_waiting { /* a quad on its way through: its line is being read */
    struct quad_item item;
    int32_t line;    /* -1: no memory involved */
    uint32_t offset; /* of the quad's bytes in the line */
    uint32_t target; /* color buffer */
    bool last_target;
};

struct rop {
    uint32_t index, count; /* this ROP, of how many */
    struct cache cache;
    uint8_t *states; /* enum block_state of each 256-byte block of memory */
    uint32_t block_count;
    struct rop_surface surfaces[ROP_MAX_SURFACES];
    uint32_t surface_count;
    uint32_t blocks_cleared_cycle;

    struct rop_waiting *waiting; /* ring */
    uint32_t waiting_head, waiting_count, waiting_limit;

    /* the order in hand */
    bool obeying;
    struct control_item order;
    uint32_t step, walk;  /* of the order: phase; line or tile number */
    uint64_t free_cycle;  /* a fast clear is done then */
    uint32_t fault_state; /* fault injection: the next clear forgets this block (0: none) */

    uint32_t samples_cycle; /* samples of a quad's fragments that are handled in a cycle */
    uint64_t next_cycle;    /* a multisampled quad is being handled until then */

    /* statistics, copied by the owner */
    uint64_t accesses, hits, misses, lines_from_clear, blocks_cleared;
};

void rop_init(struct rop *rop, uint32_t index, uint32_t count, uint32_t lines, uint32_t ways,
              uint32_t waiting_limit, uint32_t blocks_cleared_cycle, uint32_t memory_bytes);
void rop_fini(struct rop *rop);
/* A new frame: nothing cached, all blocks uncompressed (memory holds them). */
void rop_reset(struct rop *rop);

/* The line that holds `address`, allocated and locked; -1 when there is no room now. */
int32_t rop_lock(struct rop *rop, uint32_t address);
void rop_unlock(struct rop *rop, int32_t line, bool wrote);

enum block_state rop_state(const struct rop *rop, uint32_t address);
/* What a cleared block of this ROP holds; NULL when the block is not cleared. */
const uint8_t *rop_clear_line(const struct rop *rop, uint32_t address);

/* Memory address of the quad at (x, y) of a surface (sample 0 of its first pixel). */
uint32_t rop_quad_address(const struct bound_surface *surface, uint32_t x, uint32_t y);

/* Goes on with the order in hand; returns true when it is done. `modify` changes a whole line for a
 * clear that is not a plain overwrite (depth without its stencil); `pattern` is the clear line,
 * NULL for such a clear. *worked says whether the cycle did something. */
typedef void rop_modify_fn(const struct control_item *order, uint8_t *line);
bool rop_obey(struct rop *rop, const uint8_t *pattern, rop_modify_fn *modify, uint64_t now,
              bool *worked);

/* Writes the clear value of every cleared block into memory, outside time: what a frame leaves for
 * the next one must be in memory (machine.md: each frame starts drained). */
void rop_settle_memory(struct rop *rop, struct gpu_memory *memory);

static inline struct rop_waiting *
rop_first_waiting(struct rop *rop)
{
    return rop->waiting_count ? &rop->waiting[rop->waiting_head] : NULL;
}
static inline bool
rop_has_room(const struct rop *rop)
{
    return rop->waiting_count < rop->waiting_limit;
}
/* Whether the next quad may be handled now; false asks for the cycle in which it may. */
static inline bool
rop_is_free(const struct rop *rop, struct module *module, uint64_t now)
{
    if (now >= rop->next_cycle)
        return true;
    module_wake_at(module, rop->next_cycle);
    return false;
}
/* A quad of several samples is handled, `quads_cycle` of one sample being the unit's rate. */
static inline void
rop_spend(struct rop *rop, uint32_t samples, uint32_t quads_cycle, uint64_t now)
{
    uint32_t a_cycle = rop->samples_cycle * quads_cycle;
    if (samples > 1)
        rop->next_cycle = now + (samples + a_cycle - 1) / a_cycle;
}
void rop_add_waiting(struct rop *rop, const struct rop_waiting *waiting);
void rop_drop_waiting(struct rop *rop);

#endif
