/* The simulated memory: an mmap without reserved swap, and a first-fit allocator. The free ranges
 * are stored outside the simulated bytes. */
#include "state/memory.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t
round_up(uint32_t bytes)
{
    return bytes == 0 ? MEMORY_ALIGN : (bytes + MEMORY_ALIGN - 1) & ~(MEMORY_ALIGN - 1);
}

bool
gpu_memory_init(struct gpu_memory *memory, uint32_t size_bytes, struct error *err)
{
    memset(memory, 0, sizeof *memory);
    size_bytes &= ~(MEMORY_ALIGN - 1);
    if (size_bytes < 2 * MEMORY_ALIGN)
        return fail(err, "simulated memory of %u bytes is too small", size_bytes);
    void *bytes = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return fail(err, "out of host memory: cannot map %u bytes of simulated memory", size_bytes);
    memory->bytes = bytes;
    memory->size_bytes = memory->limit_bytes = size_bytes;
    /* The first line is never allocated, so that address 0 can mean "none". */
    free_ranges_add(&memory->free, MEMORY_ALIGN, size_bytes - MEMORY_ALIGN);
    return true;
}

/* Reserves the whole address range, so that growth never moves the bytes. Bytes after the current
 * end are not accessible. */
bool
gpu_memory_let_grow(struct gpu_memory *memory, struct error *err)
{
    void *bytes =
        mmap(NULL, MEMORY_MAX_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED || mprotect(bytes, memory->size_bytes, PROT_READ | PROT_WRITE))
        return fail(
            err,
            "out of host memory: cannot reserve %u bytes of address space for the simulated "
            "memory (`ulimit -v`)",
            MEMORY_MAX_BYTES);
    munmap(memory->bytes, memory->size_bytes);
    memory->bytes = bytes;
    memory->limit_bytes = MEMORY_MAX_BYTES;
    return true;
}

void
gpu_memory_limit(struct gpu_memory *memory, struct budget *budget)
{
    memory->share.bytes = memory->size_bytes;
    budget_move(&memory->share, budget);
}

void
gpu_memory_map(struct gpu_memory *memory, uint32_t address, uint32_t bytes, bool mapped)
{
    if (!memory->mapped)
        memory->mapped = mem_array(MEMORY_MAX_BYTES / MEMORY_ALIGN / 8 + 1, 1);
    const uint32_t first = address / MEMORY_ALIGN, count = round_up(bytes) / MEMORY_ALIGN;
    for (uint32_t line = first; line < first + count; line++) {
        const uint8_t bit = (uint8_t)(1 << line % 8);
        memory->mapped[line / 8] = (uint8_t)(memory->mapped[line / 8] & ~bit) | (mapped ? bit : 0);
    }
}

void
gpu_memory_fini(struct gpu_memory *memory)
{
    free(memory->mapped);
    free_ranges_fini(&memory->free);
    budget_move(&memory->share, NULL);
    if (memory->bytes)
        munmap(memory->bytes, memory->limit_bytes);
    memset(memory, 0, sizeof *memory);
}

/* Returns whole pages to the host, which supplies zeroed pages when they are next touched. Small
 * ranges are cleared instead, because page faults would cost more. */
void
gpu_memory_zero(struct gpu_memory *memory, uint32_t address, uint32_t bytes)
{
    enum { FEW_BYTES = 1 << 15 };
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = (uint64_t)address + bytes;
    uint64_t first = (address + page - 1) / page * page, last = end / page * page;
    if (bytes < FEW_BYTES || first >= last ||
        madvise(memory->bytes + first, last - first, MADV_DONTNEED) != 0) {
        memset(memory->bytes + address, 0, bytes);
        return;
    }
    memset(memory->bytes + address, 0, first - address);
    memset(memory->bytes + last, 0, end - last);
}

/* Removes `bytes` at `address` from the free range. */
static void
take_out(struct gpu_memory *memory, struct free_range range, uint32_t address, uint32_t bytes)
{
    const uint32_t before = address - range.address, after = range.bytes - before - bytes;
    free_ranges_remove(&memory->free, range.address);
    if (before)
        free_ranges_add(&memory->free, range.address, before);
    if (after)
        free_ranges_add(&memory->free, address + bytes, after);
    memory->used_bytes += bytes;
    if (memory->used_bytes > memory->peak_bytes)
        memory->peak_bytes = memory->used_bytes;
}

/* Finds the free range at the end of the memory. Returns false if there is none. */
static bool
find_last(const struct gpu_memory *memory, struct free_range *last)
{
    return free_ranges_before(&memory->free, UINT32_MAX, last) &&
           last->address + last->bytes == memory->size_bytes;
}

/* Returns the new end of the memory if `bytes` more are allocated at its end. */
static uint64_t
end_with(const struct gpu_memory *memory, uint32_t bytes, uint32_t align)
{
    struct free_range last;
    const uint64_t start = find_last(memory, &last) ? last.address : memory->size_bytes;
    return (start + align - 1) / align * align +
           ((uint64_t)bytes + MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN;
}

/* Grows the memory to at least `end`. Returns false if the limit or the budget forbids it. */
static bool
grow(struct gpu_memory *memory, uint64_t end)
{
    const uint64_t step = 16u << 20, whole = (end + step - 1) / step * step;
    const uint32_t old = memory->size_bytes;
    const uint32_t size = whole < memory->limit_bytes ? (uint32_t)whole : memory->limit_bytes;
    if (end <= old || end > memory->limit_bytes || !budget_set(&memory->share, size, NULL))
        return false;
    if (mprotect(memory->bytes, size, PROT_READ | PROT_WRITE))
        return budget_set(&memory->share, old, NULL) && false;
    struct free_range last = {old, 0};
    if (find_last(memory, &last))
        free_ranges_remove(&memory->free, last.address);
    else
        last = (struct free_range){old, 0};
    free_ranges_add(&memory->free, last.address, last.bytes + size - old);
    memory->size_bytes = size;
    return true;
}

bool
gpu_memory_take(struct gpu_memory *memory, uint32_t bytes, uint32_t align, uint32_t *address)
{
    struct free_range range;
    if (bytes > memory->limit_bytes)
        return false;
    bytes = round_up(bytes);
    if (!free_ranges_fit(&memory->free, bytes, align, &range))
        return grow(memory, end_with(memory, bytes, align)) &&
               gpu_memory_take(memory, bytes, align, address);
    *address = range.address + (-range.address & (align - 1));
    take_out(memory, range, *address, bytes);
    return true;
}

/* Returns the name of the option that must be increased to permit this end, or NULL. */
static const char *
option_for(const struct gpu_memory *memory, uint64_t end)
{
    const bool is_dear = memory->share.budget && !budget_fits(&memory->share, end);
    return is_dear ? memory->share.budget->option : memory->option;
}

bool
gpu_memory_exhausted(const struct gpu_memory *memory, uint32_t bytes, struct error *err)
{
    const uint64_t end = end_with(memory, bytes, MEMORY_ALIGN);
    const char *option = option_for(memory, end);
    char advice[128] = "";
    if (option)
        snprintf(advice, sizeof advice, ": raise %s to at least %llu", option,
                 (unsigned long long)end);
    return fail(
        err,
        MEMORY_EXHAUSTED
        ": %u contiguous bytes are not free; %u of %u are in use, the largest free range has %u%s",
        bytes, memory->used_bytes, memory->size_bytes, free_ranges_largest(&memory->free), advice);
}

bool
gpu_memory_alloc(struct gpu_memory *memory, uint32_t bytes, uint32_t *address, struct error *err)
{
    if (!gpu_memory_take(memory, bytes, MEMORY_ALIGN, address))
        return gpu_memory_exhausted(memory, bytes, err);
    gpu_memory_zero(memory, *address, round_up(bytes));
    return true;
}

bool
gpu_memory_alloc_at(struct gpu_memory *memory, uint32_t address, uint32_t bytes, struct error *err)
{
    struct free_range range;
    const uint64_t end = (uint64_t)address + round_up(bytes);
    grow(memory, end); /* has no effect if growth is unnecessary or forbidden */
    if (bytes > memory->size_bytes || address % MEMORY_ALIGN ||
        !free_ranges_before(&memory->free, address, &range) ||
        (uint64_t)range.address + range.bytes < end) {
        const char *option = end > memory->size_bytes ? option_for(memory, end) : NULL;
        return fail(err, "%u bytes at 0x%x of the simulated memory of %u are not free%s%s", bytes,
                    address, memory->size_bytes, option ? ": raise " : "", option ? option : "");
    }
    take_out(memory, range, address, round_up(bytes));
    gpu_memory_zero(memory, address, round_up(bytes));
    return true;
}

void
gpu_memory_free(struct gpu_memory *memory, uint32_t address, uint32_t bytes)
{
    const uint32_t freed = round_up(bytes);
    uint32_t rounded = freed;
    struct free_range before, after;
    if (memory->ending)
        return;
    const bool has_before = free_ranges_before(&memory->free, address, &before);
    const bool has_after = free_ranges_after(&memory->free, address, &after);
    BUG_ON(address < MEMORY_ALIGN || address % MEMORY_ALIGN != 0 ||
               rounded > memory->size_bytes - address || rounded > memory->used_bytes ||
               (has_before && before.address + before.bytes > address) ||
               (has_after && address + rounded > after.address),
           "freeing %u bytes at 0x%x, which are not in use", bytes, address);
    memory->used_bytes -= freed;
    if (has_before && before.address + before.bytes == address) {
        free_ranges_remove(&memory->free, before.address);
        address = before.address;
        rounded += before.bytes;
    }
    if (has_after && address + rounded == after.address) {
        free_ranges_remove(&memory->free, after.address);
        rounded += after.bytes;
    }
    free_ranges_add(&memory->free, address, rounded);
}
