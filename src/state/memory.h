/* The simulated GPU's memory: one flat space of MemorySize bytes that holds every resource, shared
 * by the functional renderer and the timed machine, so that either can go on from where the other
 * stopped (frames skipped functionally, then simulated in time).
 *
 * Addresses are 32-bit byte offsets; an address of 0 is never given out. Allocation is first fit
 * in the order of addresses, 256-byte aligned (a ROP cache line), and depends on the order of calls
 * alone. So a memory that grows gives out the addresses of one that had its last size from the
 * start. */
#ifndef AETIUS_STATE_MEMORY_H
#define AETIUS_STATE_MEMORY_H

#include "base/budget.h"
#include "state/free_ranges.h"

#include <stdint.h>

#define MEMORY_ALIGN     256u
#define MEMORY_MAX_BYTES (UINT32_MAX - MEMORY_ALIGN + 1) /* whole lines */

struct gpu_memory {
    uint8_t *bytes; /* mmap'd, zero at first, only touched pages take host memory */
    uint32_t size_bytes, limit_bytes; /* it may grow up to the limit */
    uint32_t used_bytes, peak_bytes;
    struct free_ranges free;
    struct budget_share share; /* its size, of what a trace gets of the host */
    const char *option;        /* what gives it more, for the messages; NULL: nothing does */
    bool ending;               /* gpu_memory_free() does nothing: all of it goes in a moment */
};

bool gpu_memory_init(struct gpu_memory *memory, uint32_t size_bytes, struct error *err);
/* From the start: where nothing fits any more, it grows, up to MEMORY_MAX_BYTES. */
bool gpu_memory_let_grow(struct gpu_memory *memory, struct error *err);
/* From the start: all of its size is of the budget, and one that grows does so only within it. */
void gpu_memory_limit(struct gpu_memory *memory, struct budget *budget);
void gpu_memory_fini(struct gpu_memory *memory);

#define MEMORY_EXHAUSTED "simulated memory is exhausted" /* how that message starts */
/* false: "simulated memory is exhausted: ...", and what to raise. Zeroes the range. */
bool gpu_memory_alloc(struct gpu_memory *memory, uint32_t bytes, uint32_t *address,
                      struct error *err);
/* The same at an address of the caller's: false when something lies there. */
bool gpu_memory_alloc_at(struct gpu_memory *memory, uint32_t address, uint32_t bytes,
                         struct error *err);
/* The parts of gpu_memory_alloc(): a range at a multiple of `align`, a power of two, that holds
 * what it held; zeroes in it; the message when there is none. */
bool gpu_memory_take(struct gpu_memory *memory, uint32_t bytes, uint32_t align, uint32_t *address);
void gpu_memory_zero(struct gpu_memory *memory, uint32_t address, uint32_t bytes);
bool gpu_memory_exhausted(const struct gpu_memory *memory, uint32_t bytes, struct error *err);
void gpu_memory_free(struct gpu_memory *memory, uint32_t address, uint32_t bytes);

#endif
