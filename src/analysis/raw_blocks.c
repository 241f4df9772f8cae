/* Reads raw blocks from a stream (analysis/compression.h). */
#include "analysis/compression.h"

#include "base/interrupt.h"
#include "base/mem.h"

#include <stdlib.h>

enum { AT_ONCE = 16384 };

struct raw_blocks {
    int fd;
    uint32_t (*blocks)[CODEC_WORDS];
    struct block_count *counts;
};

struct raw_blocks *
raw_blocks_create(int fd, const struct block_tag *tag)
{
    struct raw_blocks *raw = mem_alloc(sizeof *raw);
    raw->fd = fd;
    raw->blocks = mem_array(AT_ONCE, sizeof *raw->blocks);
    raw->counts = mem_array(AT_ONCE, sizeof *raw->counts);
    for (uint32_t i = 0; i < AT_ONCE; i++)
        raw->counts[i] = (struct block_count){*tag, i, 1};
    return raw;
}

bool
raw_blocks_next(struct raw_blocks *raw, struct blocks_segment *segment, bool *end,
                struct error *err)
{
    const ssize_t bytes = interrupt_read(raw->fd, raw->blocks, AT_ONCE * sizeof *raw->blocks, err);
    if (bytes < 0)
        return fail_prefix(err, "cannot read raw blocks");
    if (bytes % CODEC_BLOCK_BYTES)
        return fail(err, "a raw block has %d bytes, but the last one has %zd", CODEC_BLOCK_BYTES,
                    bytes % CODEC_BLOCK_BYTES);
    const uint32_t count = (uint32_t)(bytes / CODEC_BLOCK_BYTES);
    *segment = (struct blocks_segment){(const void *)raw->blocks, raw->counts, count, count};
    *end = !count;
    return true;
}

void
raw_blocks_destroy(struct raw_blocks *raw)
{
    free(raw->blocks);
    free(raw->counts);
    free(raw);
}
