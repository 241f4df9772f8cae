/* The simulated memory: an mmap without reserved swap, and a first-fit allocator whose sorted free
 * list is kept apart from the bytes. */
#include "gfx/memory.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_range { /* free; sorted by address, never adjacent to the next */
    uint32_t address, bytes;
    struct memory_range *next;
};

static uint32_t
round_up(uint32_t bytes)
{
    return bytes == 0 ? MEMORY_ALIGN : (bytes + MEMORY_ALIGN - 1) & ~(MEMORY_ALIGN - 1);
}

static struct memory_range *
range_create(uint32_t address, uint32_t bytes, struct memory_range *next)
{
    struct memory_range *range = mem_alloc(sizeof *range);
    *range = (struct memory_range){address, bytes, next};
    return range;
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
        return fail(err, "this host cannot map %u bytes of simulated memory", size_bytes);
    memory->bytes = bytes;
    memory->size_bytes = memory->limit_bytes = size_bytes;
    /* The first line is never given out, so that address 0 means nothing. */
    memory->free_list = range_create(MEMORY_ALIGN, size_bytes - MEMORY_ALIGN, NULL);
    return true;
}

/* All addresses are set aside, so that the bytes need not move; those behind the memory's end may
 * not be touched. */
bool
gpu_memory_let_grow(struct gpu_memory *memory, struct error *err)
{
    void *bytes =
        mmap(NULL, MEMORY_MAX_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED || mprotect(bytes, memory->size_bytes, PROT_READ | PROT_WRITE))
        return fail(err, "this host cannot set %u bytes aside for simulated memory",
                    MEMORY_MAX_BYTES);
    munmap(memory->bytes, memory->size_bytes);
    memory->bytes = bytes;
    memory->limit_bytes = MEMORY_MAX_BYTES;
    return true;
}

void
gpu_memory_fini(struct gpu_memory *memory)
{
    for (struct memory_range *range = memory->free_list, *next; range; range = next) {
        next = range->next;
        free(range);
    }
    if (memory->bytes)
        munmap(memory->bytes, memory->limit_bytes);
    memset(memory, 0, sizeof *memory);
}

/* Whole pages are given back to the host, which hands out zeroed ones when they are touched; where
 * there are few, faults would cost more than they save. */
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

/* Cuts `bytes` at `address` out of the free range at *link. */
static void
take_out(struct gpu_memory *memory, struct memory_range **link, uint32_t address, uint32_t bytes)
{
    struct memory_range *range = *link;
    uint32_t before = address - range->address, after = range->bytes - before - bytes;
    if (after)
        range->next = range_create(address + bytes, after, range->next);
    range->bytes = before;
    if (before == 0) {
        *link = range->next;
        free(range);
    }
    memory->used_bytes += bytes;
    if (memory->used_bytes > memory->peak_bytes)
        memory->peak_bytes = memory->used_bytes;
}

/* Whether a range has `bytes` at a multiple of `align`, a power of two. */
static bool
fits(const struct memory_range *range, uint32_t bytes, uint32_t align)
{
    const uint32_t lead = -range->address & (align - 1);
    return range->bytes >= bytes && range->bytes - bytes >= lead;
}

static struct memory_range *
last_range(const struct gpu_memory *memory)
{
    struct memory_range *last = memory->free_list;
    while (last && last->next)
        last = last->next;
    return last;
}

/* Where the memory has to end for `bytes` more at its end. */
static uint64_t
end_with(const struct gpu_memory *memory, uint32_t bytes, uint32_t align)
{
    const struct memory_range *last = last_range(memory);
    const bool is_free = last && last->address + last->bytes == memory->size_bytes;
    const uint64_t start = is_free ? last->address : memory->size_bytes;
    return (start + align - 1) / align * align +
           ((uint64_t)bytes + MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN;
}

/* Grows so far that it ends there or later; false when it may not. */
static bool
grow(struct gpu_memory *memory, uint64_t end)
{
    const uint64_t step = 16u << 20, whole = (end + step - 1) / step * step;
    const uint32_t old = memory->size_bytes;
    const uint32_t size = whole < memory->limit_bytes ? (uint32_t)whole : memory->limit_bytes;
    if (end <= old || end > memory->limit_bytes ||
        mprotect(memory->bytes, size, PROT_READ | PROT_WRITE))
        return false;
    struct memory_range *last = last_range(memory);
    if (last && last->address + last->bytes == old)
        last->bytes += size - old;
    else
        *(last ? &last->next : &memory->free_list) = range_create(old, size - old, NULL);
    memory->size_bytes = size;
    return true;
}

bool
gpu_memory_take(struct gpu_memory *memory, uint32_t bytes, uint32_t align, uint32_t *address)
{
    struct memory_range **link = &memory->free_list;
    if (bytes > memory->limit_bytes)
        return false;
    bytes = round_up(bytes);
    while (*link && !fits(*link, bytes, align))
        link = &(*link)->next;
    if (!*link)
        return grow(memory, end_with(memory, bytes, align)) &&
               gpu_memory_take(memory, bytes, align, address);
    *address = (*link)->address + (-(*link)->address & (align - 1));
    take_out(memory, link, *address, bytes);
    return true;
}

bool
gpu_memory_exhausted(const struct gpu_memory *memory, uint32_t bytes, struct error *err)
{
    uint32_t largest = 0;
    for (const struct memory_range *range = memory->free_list; range; range = range->next)
        largest = range->bytes > largest ? range->bytes : largest;
    return fail(err,
                MEMORY_EXHAUSTED ": no %u bytes in a row, %u of %u are in use, %u is the largest "
                                 "free part: raise MEMORYCONTROLLER.MemorySize, to %llu at least",
                bytes, memory->used_bytes, memory->size_bytes, largest,
                (unsigned long long)end_with(memory, bytes, MEMORY_ALIGN));
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
    struct memory_range **link = &memory->free_list;
    const uint64_t end = (uint64_t)address + round_up(bytes);
    grow(memory, end); /* if that is outside, and it may */
    while (*link && (uint64_t)(*link)->address + (*link)->bytes < end)
        link = &(*link)->next;
    if (bytes > memory->size_bytes || address % MEMORY_ALIGN || !*link ||
        (*link)->address > address)
        return fail(err,
                    "%u bytes at 0x%x of the simulated memory of %u are not free (if it is smaller "
                    "than the trace's: raise MEMORYCONTROLLER.MemorySize)",
                    bytes, address, memory->size_bytes);
    take_out(memory, link, address, round_up(bytes));
    gpu_memory_zero(memory, address, round_up(bytes));
    return true;
}

void
gpu_memory_free(struct gpu_memory *memory, uint32_t address, uint32_t bytes)
{
    uint32_t rounded = round_up(bytes);
    struct memory_range *before = NULL, *after = memory->free_list;
    while (after && after->address < address) {
        before = after;
        after = after->next;
    }
    BUG_ON(address < MEMORY_ALIGN || address % MEMORY_ALIGN != 0 ||
               rounded > memory->size_bytes - address || rounded > memory->used_bytes ||
               (before && before->address + before->bytes > address) ||
               (after && address + rounded > after->address),
           "freeing %u bytes at 0x%x, which are not in use", bytes, address);
    memory->used_bytes -= rounded;
    struct memory_range *range = before;
    if (before && before->address + before->bytes == address) {
        before->bytes += rounded;
    } else {
        range = range_create(address, rounded, after);
        *(before ? &before->next : &memory->free_list) = range;
    }
    if (after && range->address + range->bytes == after->address) {
        range->bytes += after->bytes;
        range->next = after->next;
        free(after);
    }
}
