/* Iterates over the commands of a SUBMIT without decoding them. */
#ifndef AETIUS_TRACE_SUBMIT_H
#define AETIUS_TRACE_SUBMIT_H

#include <stdbool.h>
#include <stdint.h>

struct submit_walk {
    const uint8_t *bytes;
    uint32_t dwords, at;
    /* current command */
    uint32_t command, object, length;
};

static inline struct submit_walk
submit_walk(const uint8_t *bytes, uint32_t size_bytes)
{
    return (struct submit_walk){.bytes = bytes, .dwords = size_bytes / 4};
}

/* Advances to the next command. Returns false at the end, or if a command exceeds the remaining
 * dwords. */
bool submit_walk_next(struct submit_walk *walk);

/* Return dword `i` of the command's payload (0 <= i < length), or a field of the payload
 * (packets.h). */
struct bit_field;
uint32_t submit_walk_dword(const struct submit_walk *walk, uint32_t i);
uint32_t submit_walk_field(const struct submit_walk *walk, struct bit_field field);

/* Returns the resource that the command writes, or binds for later writes as a surface or
 * stream-out target; 0: none. Query results do not count. */
uint32_t submit_walk_target(const struct submit_walk *walk);

/* Whether the commands bind targets of stream output, and uniform blocks. */
void submit_find_bindings(const uint8_t *bytes, uint32_t size_bytes, bool *streams, bool *blocks);
uint32_t submit_count_draws(const uint8_t *bytes, uint32_t size_bytes);

#endif
