/* Memory: allocation that never returns NULL, growing arrays, and a bump arena. */
#ifndef AETIUS_BASE_MEM_H
#define AETIUS_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory; ends the program with one line when the host has none left. */
void *mem_alloc(size_t bytes);
void *
mem_array(size_t count,
          size_t bytes); /* so many items of so many bytes: also a product above SIZE_MAX ends it */
void *mem_realloc(void *old, size_t bytes); /* new bytes are not zeroed */
void *mem_resize(void *old, size_t count, size_t bytes);
char *mem_strdup(const char *text);
/* How many bytes the UTF-8 character at `text` has, of which none is the end; 0: it is none that
 * every reader takes (surrogates, above U+10FFFF, longer than need be; U+FFFE and U+FFFF, which no
 * XML may hold). */
uint32_t mem_utf8_bytes(const char *text);
/* The text as a terminal may have it: control characters, but for new lines and tabs, and what is
 * no UTF-8 as \x1b. */
char *mem_printable(const char *text);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A block that is not freed, with all that it points to, because the process is about to end. */
void mem_leave(void *block);

/* A growing array:  struct { struct foo *items; size_t count, capacity; } foos = {0};
 *                   VEC_PUSH(&foos, foo);  ...  VEC_FREE(&foos); */
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

/* Memory given out in order and given back all at once; blocks never move. */
struct arena {
    struct arena_block *head;
    size_t used_bytes; /* given out since the last reset */
};

void arena_init(struct arena *arena);
void arena_fini(struct arena *arena);
void arena_reset(struct arena *arena);                /* keeps the blocks for reuse */
void *arena_alloc(struct arena *arena, size_t bytes); /* zeroed, aligned to 64 bytes */

#endif
