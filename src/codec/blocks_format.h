/* Byte format of a block file, shared by its writer and its reader. All numbers are little endian.
 * CRCs are zlib's crc32.
 *
 *  header    magic, version, kind, CRC of these
 *  segments  struct blocks_chunk, then a zstd frame: the blocks (256 bytes each), then the
 *            counts (struct block_count, 16 bytes each)
 *  end       struct blocks_end: totals of the file */
#ifndef AETIUS_CODEC_BLOCKS_FORMAT_H
#define AETIUS_CODEC_BLOCKS_FORMAT_H

#include "codec/blocks_file.h"

#include <zlib.h>

#define BLOCKS_MAGIC "AETBLK\x1a\n"

enum {
    BLOCKS_VERSION = 1,
    BLOCKS_CHUNK_MAGIC = 0x534b4c42, /* "BLKS" */
    BLOCKS_END_MAGIC = 0x21444e45,   /* "END!" */
};

struct blocks_header {
    char magic[8];
    uint32_t version, kind, crc;
};
_Static_assert(sizeof(struct blocks_header) == 20, "no padding");

struct blocks_chunk {
    uint32_t magic, blocks, counts, packed_bytes, payload_crc, header_crc;
};

struct blocks_end {
    uint32_t magic, crc_of_totals;
    struct blocks_totals totals;
};
_Static_assert(sizeof(struct blocks_end) == 32, "no padding");
_Static_assert(sizeof(struct block_count) == 16, "written as it lies in memory");

static inline size_t
blocks_raw_bytes(uint32_t blocks, uint32_t counts)
{
    return (size_t)blocks * CODEC_BLOCK_BYTES + (size_t)counts * sizeof(struct block_count);
}

static inline uint32_t
blocks_crc(const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(0, bytes, size);
}

#endif
