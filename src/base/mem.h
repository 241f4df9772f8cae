/* Memory: allocation that never returns NULL, growing arrays, and a bump arena. */
#ifndef AETIUS_BASE_MEM_H
#define AETIUS_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/* Returns zeroed memory. If the host is out of memory, prints one line and exits. */
void *mem_alloc(size_t bytes);
/* Returns zeroed memory for `count` items of `bytes` bytes each. Exits if the product exceeds
 * SIZE_MAX. */
void *mem_array(size_t count, size_t bytes);
void *mem_realloc(void *old, size_t bytes); /* new bytes are not zeroed */
void *mem_resize(void *old, size_t count, size_t bytes);
char *mem_strdup(const char *text);
/* Reports that the host is out of memory for `what`, in one line, and exits. */
_Noreturn void mem_exhausted(const char *what);
/* Returns the length in bytes of the UTF-8 character at `text`. Returns 0 at the end of the text
 * and for a character that some decoders reject: surrogates, values above U+10FFFF, overlong forms,
 * and U+FFFE and U+FFFF (invalid in XML). */
uint32_t mem_utf8_bytes(const char *text);
/* Returns a copy of the text that is safe to print on a terminal; the caller frees it. Control
 * characters other than newline and tab, and invalid UTF-8, become escapes like \x1b. */
char *mem_printable(const char *text);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Marks a block, and all memory reachable from it, as deliberately not freed because the process is
 * about to exit. */
void mem_leave(void *block);

/* Growing array:
 *
 *     struct { struct foo *items; size_t count, capacity; } foos = {0};
 *     VEC_PUSH(&foos, foo);  ...  VEC_FREE(&foos); */
#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, capacity;                                                                    \
    }
#define VEC_RESERVE(vec, n)                                                                        \
    ((n) > (vec)->capacity ? (void)((vec)->items = vec_grow((vec)->items, &(vec)->capacity, (n),   \
                                                            sizeof *(vec)->items))                 \
                           : (void)0)
#define VEC_PUSH(vec, value)                                                                       \
    (VEC_RESERVE(vec, (vec)->count + 1), (void)((vec)->items[(vec)->count++] = (value)))
#define VEC_FREE(vec) vec_free_items((void **)&(vec)->items, &(vec)->count, &(vec)->capacity)

void *vec_grow(void *items, size_t *capacity, size_t wanted, size_t item_bytes);
void vec_free_items(void **items, size_t *count, size_t *capacity);

/* Bump allocator. All its memory is released at once. Blocks never move. */
struct arena {
    struct arena_block *head;
    size_t used_bytes; /* bytes allocated since the last reset */
};

void arena_init(struct arena *arena);
void arena_fini(struct arena *arena);
void arena_reset(struct arena *arena);                /* keeps the blocks for reuse */
void *arena_alloc(struct arena *arena, size_t bytes); /* zeroed, aligned to 64 bytes */

#endif
