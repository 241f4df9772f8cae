/* Files of captured frame-buffer blocks: every line that crossed between the ROP caches and memory
 * (docs/design/compression.md, Offline). DIR/blocks.color and DIR/blocks.z hold one kind each. A
 * block is what codec.h says; equal blocks of a segment are stored once, with a count for each tag.
 *
 * Writing takes bounded memory, all of it allocated at the start: a segment gathers up to
 * BLOCKS_SEGMENT_BLOCKS different blocks, is compressed (zstd) and goes to the file; then equal
 * blocks are looked for anew. A writer that dies leaves whole segments behind. */
#ifndef AETIUS_CODEC_BLOCKS_FILE_H
#define AETIUS_CODEC_BLOCKS_FILE_H

#include "base/error.h"
#include "codec/codec.h"

enum {
    BLOCKS_SEGMENT_BLOCKS = 1 << 17, /* 32 MiB of different blocks */
    BLOCKS_SEGMENT_COUNTS = 1 << 18,
};

enum block_flags {
    BLOCK_WRITE = 1,      /* to memory; else from it */
    BLOCK_IS_CLEARED = 2, /* known by its block state alone: nothing moved */
    BLOCK_IS_PLAIN = 4,   /* memory holds it as it is, whatever the codec: it was put there by other
                           * means than a ROP's write-back, or its format is not one of 4 bytes */
};

struct block_tag {
    uint32_t frame;
    uint16_t moved_bytes; /* that the memory controller counted for it, 0 to 256; of a plain block
                           * that was written under a mask (COLORWRITE.ReadBeforeWrite=FALSE) less
                           * than 256, and its other words mean nothing */
    uint8_t samples;      /* of a pixel: 1, 2, 4 or 8 */
    uint8_t flags;        /* enum block_flags, or'ed */
};

struct block_count {
    struct block_tag tag;
    uint32_t block; /* of the segment */
    uint32_t count; /* transfers with this tag, at least 1 */
};

struct blocks_segment {
    const uint32_t (*blocks)[CODEC_WORDS];
    const struct block_count *counts;
    uint32_t block_count, count_count;
};

/* What a whole file holds. */
struct blocks_totals {
    uint64_t segments, blocks, transfers; /* blocks: stored */
};

struct blocks_writer;
/* `kind`: CODEC_COLOR or CODEC_DEPTH. Replaces a file that is there. */
bool blocks_writer_create(struct blocks_writer **writer, const char *path, enum codec_kind kind,
                          struct error *err);
/* One transfer of a block (64 words). Allocates nothing. After a failure to write every later call
 * fails with the same words. */
bool blocks_writer_add(struct blocks_writer *writer, const uint32_t *block,
                       const struct block_tag *tag, struct error *err);
/* The same for many transfers that are alike. */
bool blocks_writer_add_many(struct blocks_writer *writer, const uint32_t *block,
                            const struct block_tag *tag, uint32_t count, struct error *err);
/* Ends the file; frees the writer in any case. */
bool blocks_writer_close(struct blocks_writer *writer, struct error *err);

struct blocks_reader;
bool blocks_reader_open(struct blocks_reader **reader, const char *path, struct error *err);
enum codec_kind blocks_reader_kind(const struct blocks_reader *reader);
/* The next segment, which lives until the next call; *end after the last one. A file that is cut
 * off or damaged fails here, when all its segments before that have been given out: the message
 * says how much that was. */
bool blocks_reader_next(struct blocks_reader *reader, struct blocks_segment *segment, bool *end,
                        struct error *err);
/* Bytes of the file read so far, and in all, for progress. */
uint64_t blocks_reader_position(const struct blocks_reader *reader, uint64_t *size);
void blocks_reader_close(struct blocks_reader *reader);

#endif
