/* Raw blocks from a stream (analysis/compression.h). */
#include "analysis/compression.h"

#include "base/interrupt.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 16384 };

struct raw_blocks {
    FILE *stream;
    uint32_t (*blocks)[CODEC_WORDS];
    struct block_count *counts;
};

struct raw_blocks *
raw_blocks_create(void *stream, const struct block_tag *tag)
{
    struct raw_blocks *raw = mem_alloc(sizeof *raw);
    raw->stream = stream;
    raw->blocks = mem_alloc(AT_ONCE * sizeof *raw->blocks);
    raw->counts = mem_alloc(AT_ONCE * sizeof *raw->counts);
    for (uint32_t i = 0; i < AT_ONCE; i++)
        raw->counts[i] = (struct block_count){*tag, i, 1};
    return raw;
}

bool
raw_blocks_next(struct raw_blocks *raw, struct blocks_segment *segment, bool *end,
                struct error *err)
{
    size_t bytes = fread(raw->blocks, 1, AT_ONCE * sizeof *raw->blocks, raw->stream);
    if (!interrupt_check(err))
        return false;
    if (ferror(raw->stream))
        return fail(err, "cannot read raw blocks: %s", strerror(errno));
    if (bytes % CODEC_BLOCK_BYTES)
        return fail(err, "raw blocks have %d bytes each; the last one has %zu", CODEC_BLOCK_BYTES,
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
