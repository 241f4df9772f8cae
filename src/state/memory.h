/* The memory of the simulated GPU: one flat space of MemorySize bytes for all resources. The
 * functional renderer and the timed machine share it, so that either can continue after the other.
 * For example, frames are rendered without timing, then others are simulated with timing.
 *
 * Addresses are 32-bit byte offsets. Address 0 is never allocated. Allocation is first fit by
 * address, aligned to 256 bytes (a ROP cache line), and depends only on the order of calls. A
 * memory that grows therefore allocates the same addresses as one that has its final size from the
 * start. */
#ifndef AETIUS_STATE_MEMORY_H
#define AETIUS_STATE_MEMORY_H

#include "base/budget.h"
#include "state/free_ranges.h"

#include <stdint.h>

#define MEMORY_ALIGN     256u
#define MEMORY_MAX_BYTES (UINT32_MAX - MEMORY_ALIGN + 1) /* whole lines */

struct gpu_memory {
    uint8_t *bytes; /* mmap'd, initially zero; only touched pages use host memory */
    uint32_t size_bytes, limit_bytes; /* the memory may grow up to limit_bytes */
    uint32_t used_bytes, peak_bytes;
    struct free_ranges free;
    /* Mapped lines of MEMORY_ALIGN bytes, one bit each; NULL: none. Their contents are in system
     * memory, and the GPU accesses them over a bus. */
    uint8_t *mapped;
    struct budget_share share; /* size_bytes, counted against the budget of host memory */
    const char *option;        /* option that increases the size, for messages; NULL: none */
    /* Makes gpu_memory_free() do nothing, because the whole memory is about to be unmapped. */
    bool ending;
};

bool gpu_memory_init(struct gpu_memory *memory, uint32_t size_bytes, struct error *err);
/* Makes the memory grow on demand, up to MEMORY_MAX_BYTES. Must be called before the first
 * allocation. */
bool gpu_memory_let_grow(struct gpu_memory *memory, struct error *err);
/* Makes the budget count the whole size and limit growth. Must be called before the first
 * allocation. */
void gpu_memory_limit(struct gpu_memory *memory, struct budget *budget);
void gpu_memory_fini(struct gpu_memory *memory);

#define MEMORY_EXHAUSTED "simulated memory is exhausted" /* start of the error message */
/* Allocates a zeroed range. On failure, the error begins with MEMORY_EXHAUSTED and names the option
 * to increase. */
bool gpu_memory_alloc(struct gpu_memory *memory, uint32_t bytes, uint32_t *address,
                      struct error *err);
/* Allocates the range at `address`. Returns false if it is not free. */
bool gpu_memory_alloc_at(struct gpu_memory *memory, uint32_t address, uint32_t bytes,
                         struct error *err);
/* Steps of gpu_memory_alloc(). gpu_memory_take() allocates at a multiple of `align`, a power of
 * two, and keeps the old contents. gpu_memory_zero() clears a range. gpu_memory_exhausted() sets
 * the error and returns false. */
bool gpu_memory_take(struct gpu_memory *memory, uint32_t bytes, uint32_t align, uint32_t *address);
void gpu_memory_zero(struct gpu_memory *memory, uint32_t address, uint32_t bytes);
bool gpu_memory_exhausted(const struct gpu_memory *memory, uint32_t bytes, struct error *err);
void gpu_memory_free(struct gpu_memory *memory, uint32_t address, uint32_t bytes);
/* Sets whether an allocated range is mapped. */
void gpu_memory_map(struct gpu_memory *memory, uint32_t address, uint32_t bytes, bool mapped);
static inline bool
gpu_memory_is_mapped(const struct gpu_memory *memory, uint32_t address)
{
    const uint32_t line = address / MEMORY_ALIGN;
    return memory->mapped && memory->mapped[line / 8] >> line % 8 & 1;
}

#endif
