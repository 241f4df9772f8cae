#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mman.h>

/* A large arena uses huge pages, which reduce TLB misses. */
#define ARENA_BLOCK_BYTES ((size_t)1 << 18)
#define ARENA_LARGE_BYTES ((size_t)1 << 21)
#define ARENA_ALIGN       64

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    unsigned char *bytes;
};

static noreturn void
out_of_memory(size_t count, size_t bytes)
{
    if (count == 1)
        fprintf(stderr, "aetius: out of memory: cannot allocate %zu bytes\n", bytes);
    else
        fprintf(stderr, "aetius: out of memory: cannot allocate %zu times %zu bytes\n", count,
                bytes);
    exit(1);
}

void *
mem_array(size_t count, size_t bytes)
{
    /* calloc() checks the product for overflow */
    void *p = calloc(count ? count : 1, bytes ? bytes : 1);
    if (!p)
        out_of_memory(count, bytes);
    return p;
}

void
mem_exhausted(const char *what)
{
    fprintf(stderr, "aetius: out of memory (%s)\n", what);
    exit(1);
}

void *
mem_alloc(size_t bytes)
{
    return mem_array(1, bytes);
}

void *
mem_resize(void *old, size_t count, size_t bytes)
{
    void *p = reallocarray(old, count ? count : 1, bytes ? bytes : 1);
    if (!p)
        out_of_memory(count, bytes);
    return p;
}

void *
mem_realloc(void *old, size_t bytes)
{
    return mem_resize(old, 1, bytes);
}

char *
mem_strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(mem_alloc(n), text, n);
}

/* Keeps a reference to the block, so that leak checkers do not report it. */
void
mem_leave(void *block)
{
    static struct left {
        struct left *next;
        void *block;
    } * left;
    struct left *one = mem_alloc(sizeof *one);
    *one = (struct left){left, block};
    left = one;
}

uint32_t
mem_utf8_bytes(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    if (*at < 0x80)
        return *at != 0;
    const uint32_t bytes = *at >= 0xf8   ? 0
                           : *at >= 0xf0 ? 4
                           : *at >= 0xe0 ? 3
                           : *at >= 0xc0 ? 2
                                         : 0;
    uint32_t character = bytes ? *at & (0x7f >> bytes) : 0;
    for (uint32_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (at[i] & 0x3f);
    }
    const bool surrogate = character >= 0xd800 && character <= 0xdfff;
    if (surrogate || character == 0xfffe || character == 0xffff || character > 0x10ffff)
        return 0;
    return character >= least[bytes] ? bytes : 0;
}

/* Returns the length of the character at `text` if it is safe to print on a terminal, else 0.
 * `text` must not be at its end. Unsafe are C0, DEL and C1 control characters, and invalid UTF-8. A
 * UTF-8 terminal treats C1 characters as escapes. Other terminals may interpret invalid UTF-8 as
 * C1. */
static uint32_t
printable_bytes(const char *text)
{
    const unsigned char first = (unsigned char)*text, second = (unsigned char)text[1];
    if (first < 0x80)
        return (first >= ' ' && first != 0x7f) || first == '\n' || first == '\t';
    return first == 0xc2 && second < 0xa0 ? 0 : mem_utf8_bytes(text);
}

char *
mem_printable(const char *text)
{
    char *out = mem_alloc(4 * strlen(text) + 1);
    size_t n = 0;
    while (*text) {
        const uint32_t bytes = printable_bytes(text);
        if (bytes)
            memcpy(out + n, text, bytes);
        else
            sprintf(out + n, "\\x%02x", (unsigned char)*text);
        n += bytes ? bytes : 4;
        text += bytes ? bytes : 1;
    }
    out[n] = '\0';
    return out;
}

char *
mem_printf(const char *fmt, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        out_of_memory(1, strlen(fmt));
    va_end(args);
    return text;
}

void *
vec_grow(void *items, size_t *capacity, size_t wanted, size_t item_bytes)
{
    size_t n = *capacity ? *capacity : 16;
    while (n < wanted)
        n = n <= SIZE_MAX / 2 ? n * 2 : wanted;
    *capacity = n;
    return mem_resize(items, n, item_bytes);
}

void
vec_free_items(void **items, size_t *count, size_t *capacity)
{
    free(*items);
    *items = NULL;
    *count = *capacity = 0;
}

void
arena_init(struct arena *arena)
{
    memset(arena, 0, sizeof *arena);
}

void
arena_fini(struct arena *arena)
{
    for (struct arena_block *b = arena->head, *next; b; b = next) {
        next = b->next;
        free(b->bytes);
        free(b);
    }
    memset(arena, 0, sizeof *arena);
}

void
arena_reset(struct arena *arena)
{
    for (struct arena_block *b = arena->head; b; b = b->next)
        b->used = 0;
    arena->used_bytes = 0;
}

static struct arena_block *
arena_block_with(struct arena *arena, size_t bytes)
{
    for (struct arena_block *b = arena->head; b; b = b->next)
        if (b->size - b->used >= bytes)
            return b;
    struct arena_block *b = mem_alloc(sizeof *b);
    const bool large = arena->used_bytes >= ARENA_LARGE_BYTES;
    const size_t least = large ? ARENA_LARGE_BYTES : ARENA_BLOCK_BYTES;
    b->size = (bytes + least - 1) / least * least;
    b->bytes = aligned_alloc(large ? ARENA_LARGE_BYTES : ARENA_ALIGN, b->size);
    if (!b->bytes)
        out_of_memory(1, b->size);
    /* Only a hint: without huge pages the run is merely slower. */
    if (large)
        madvise(b->bytes, b->size, MADV_HUGEPAGE);
    b->next = arena->head;
    arena->head = b;
    return b;
}

void *
arena_alloc(struct arena *arena, size_t bytes)
{
    bytes = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    struct arena_block *b = arena_block_with(arena, bytes);
    void *p = b->bytes + b->used;
    b->used += bytes;
    arena->used_bytes += bytes;
    return memset(p, 0, bytes);
}
