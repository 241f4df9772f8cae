/* Walks the commands of a SUBMIT without decoding them. */
#ifndef AETIUS_TRACE_SUBMIT_H
#define AETIUS_TRACE_SUBMIT_H

#include <stdbool.h>
#include <stdint.h>

struct submit_walk {
    const uint8_t *bytes;
    uint32_t dwords, at;
    /* the command found */
    uint32_t command, object, length;
};

static inline struct submit_walk
submit_walk(const uint8_t *bytes, uint32_t size_bytes)
{
    return (struct submit_walk){.bytes = bytes, .dwords = size_bytes / 4};
}

/* Goes to the next command; false at the end, or where a command is longer than what is left. */
bool submit_walk_next(struct submit_walk *walk);

/* Dword i of the command's payload, 0 <= i < length; and a field of one (packets.h). */
struct bit_field;
uint32_t submit_walk_dword(const struct submit_walk *walk, uint32_t i);
uint32_t submit_walk_field(const struct submit_walk *walk, struct bit_field field);

/* The resource that the command writes, or lets later ones write as a surface or by stream-out; 0:
 * none. Results of queries are no such. */
uint32_t submit_walk_target(const struct submit_walk *walk);

uint32_t submit_count_draws(const uint8_t *bytes, uint32_t size_bytes);

#endif
