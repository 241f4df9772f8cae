/* Files of captured frame-buffer blocks: every line transferred between the ROP caches and memory
 * (docs/design/compression.md, Offline). DIR/blocks.color and DIR/blocks.z hold one kind each. The
 * format of a block is that of codec.h. Equal blocks of a segment are stored once, with a count per
 * tag.
 *
 * Memory is bounded and allocated when the writer is created. A segment collects up to
 * BLOCKS_SEGMENT_BLOCKS distinct blocks, is compressed with zstd and written. Deduplication starts
 * again in each segment. If the process dies, all complete segments remain readable. */
#ifndef AETIUS_CODEC_BLOCKS_FILE_H
#define AETIUS_CODEC_BLOCKS_FILE_H

#include "base/error.h"
#include "codec/codec.h"

enum {
    BLOCKS_SEGMENT_BLOCKS = 1 << 17, /* 32 MiB of distinct blocks */
    BLOCKS_SEGMENT_COUNTS = 1 << 18,
};

enum block_flags {
    BLOCK_WRITE = 1,      /* written to memory; otherwise read */
    BLOCK_IS_CLEARED = 2, /* cleared by its block state alone: no bytes moved */
    /* Memory holds the block uncompressed, whatever the codec. Either something other than a ROP's
     * write-back wrote it, or its format does not have 4 bytes. */
    BLOCK_IS_PLAIN = 4,
};

struct block_tag {
    uint32_t frame;
    /* Bytes that the memory controller counted for the block, 0 to 256. A plain block written under
     * a mask (COLORWRITE.ReadBeforeWrite=FALSE) has less than 256; its words outside the mask are
     * undefined. */
    uint16_t moved_bytes;
    uint8_t samples; /* per pixel: 1, 2, 4 or 8 */
    uint8_t flags;   /* bits of enum block_flags */
};

struct block_count {
    struct block_tag tag;
    uint32_t block; /* index in the segment */
    uint32_t count; /* transfers with this tag, at least 1 */
};

struct blocks_segment {
    const uint32_t (*blocks)[CODEC_WORDS];
    const struct block_count *counts;
    uint32_t block_count, count_count;
};

/* Totals of a file. */
struct blocks_totals {
    uint64_t segments, blocks, transfers; /* blocks: as stored, without duplicates */
};

struct blocks_writer;
/* `kind`: CODEC_COLOR or CODEC_DEPTH. Replaces an existing file. */
bool blocks_writer_create(struct blocks_writer **writer, const char *path, enum codec_kind kind,
                          struct error *err);
/* Adds one transfer of a block (64 words). Allocates nothing. After a write error, every later call
 * fails with the same message. */
bool blocks_writer_add(struct blocks_writer *writer, const uint32_t *block,
                       const struct block_tag *tag, struct error *err);
/* The same for `count` identical transfers. */
bool blocks_writer_add_many(struct blocks_writer *writer, const uint32_t *block,
                            const struct block_tag *tag, uint32_t count, struct error *err);
/* Completes the file. Frees the writer, also on an error. */
bool blocks_writer_close(struct blocks_writer *writer, struct error *err);

struct blocks_reader;
bool blocks_reader_open(struct blocks_reader **reader, const char *path, struct error *err);
enum codec_kind blocks_reader_kind(const struct blocks_reader *reader);
/* Reads the next segment, which is valid until the next call. Sets *end after the last segment. A
 * truncated or damaged file fails only after all its intact segments were returned; the message
 * states how many. */
bool blocks_reader_next(struct blocks_reader *reader, struct blocks_segment *segment, bool *end,
                        struct error *err);
/* Bytes read so far. *size: size of the file, 0 if unknown. For progress. */
uint64_t blocks_reader_position(const struct blocks_reader *reader, uint64_t *size);
void blocks_reader_close(struct blocks_reader *reader);

#endif
