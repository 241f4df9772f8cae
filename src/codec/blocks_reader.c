/* Reads block files (codec/blocks_file.h), one segment at a time. */
#include "codec/blocks_format.h"

#include "base/interrupt.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

struct blocks_reader {
    int fd;
    struct error why; /* the read error */
    char *path;
    ZSTD_DCtx *zstd;
    enum codec_kind kind;
    uint64_t size; /* 0: unknown */
    uint64_t position;
    struct blocks_totals totals; /* read so far */
    VEC(uint8_t) packed;
    VEC(uint8_t) raw;
};

static bool
read_some(struct blocks_reader *reader, void *bytes, size_t size, size_t *got)
{
    const ssize_t n = interrupt_read(reader->fd, bytes, size, &reader->why);
    *got = n < 0 ? 0 : (size_t)n;
    reader->position += *got;
    return *got == size;
}

static bool
cut_off(const struct blocks_reader *reader, struct error *err)
{
    if (*reader->why.text)
        return fail(err, "cannot read %s: %s", reader->path, reader->why.text);
    return fail(err, "%s is truncated: its first %llu transfers can be read", reader->path,
                (unsigned long long)reader->totals.transfers);
}

static bool
damaged(const struct blocks_reader *reader, const char *what, struct error *err)
{
    return fail(err, "%s is damaged before byte %llu (%s): its first %llu transfers can be read",
                reader->path, (unsigned long long)reader->position, what,
                (unsigned long long)reader->totals.transfers);
}

static bool
read_header(struct blocks_reader *reader, struct error *err)
{
    struct blocks_header header;
    size_t got;
    const bool is_long = read_some(reader, &header, sizeof header, &got);
    if (*reader->why.text)
        return cut_off(reader, err);
    if (!is_long || memcmp(header.magic, BLOCKS_MAGIC, sizeof header.magic))
        return fail(err, "%s is not a block file (from `aetius sim --capture-blocks`)",
                    reader->path);
    if (header.version != BLOCKS_VERSION)
        return fail(err, "%s is a block file of version %u; this aetius reads version %d",
                    reader->path, header.version, BLOCKS_VERSION);
    if (header.crc != blocks_crc(&header, offsetof(struct blocks_header, crc)) ||
        (header.kind != CODEC_COLOR && header.kind != CODEC_DEPTH))
        return damaged(reader, "header", err);
    reader->kind = (enum codec_kind)header.kind;
    return true;
}

bool
blocks_reader_open(struct blocks_reader **out, const char *path, struct error *err)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(err, "cannot open %s: %s", path, strerror(errno));
    struct blocks_reader *reader = mem_alloc(sizeof *reader);
    reader->fd = fd;
    reader->path = mem_strdup(path);
    reader->zstd = ZSTD_createDCtx();
    BUG_ON(!reader->zstd, "zstd: cannot create a context");
    if (!fstat(fd, &st) && S_ISREG(st.st_mode))
        reader->size = (uint64_t)st.st_size;
    if (!read_header(reader, err)) {
        blocks_reader_close(reader);
        return false;
    }
    *out = reader;
    return true;
}

void
blocks_reader_close(struct blocks_reader *reader)
{
    close(reader->fd);
    ZSTD_freeDCtx(reader->zstd);
    VEC_FREE(&reader->packed);
    VEC_FREE(&reader->raw);
    free(reader->path);
    free(reader);
}

enum codec_kind
blocks_reader_kind(const struct blocks_reader *reader)
{
    return reader->kind;
}

uint64_t
blocks_reader_position(const struct blocks_reader *reader, uint64_t *size)
{
    *size = reader->size;
    return reader->position;
}

static bool
is_count_sound(const struct block_count *count, uint32_t blocks)
{
    const struct block_tag *tag = &count->tag;
    return count->block < blocks && count->count && tag->moved_bytes <= CODEC_BLOCK_BYTES &&
           tag->samples && tag->samples <= 8 && !(tag->samples & (tag->samples - 1)) &&
           !(tag->flags & ~(BLOCK_WRITE | BLOCK_IS_CLEARED | BLOCK_IS_PLAIN));
}

static bool
unpack(struct blocks_reader *reader, const struct blocks_chunk *chunk,
       struct blocks_segment *segment, struct error *err)
{
    const size_t raw = blocks_raw_bytes(chunk->blocks, chunk->counts);
    VEC_RESERVE(&reader->raw, raw);
    size_t size = ZSTD_decompressDCtx(reader->zstd, reader->raw.items, raw, reader->packed.items,
                                      chunk->packed_bytes);
    if (ZSTD_isError(size) || size != raw)
        return damaged(reader, "packed bytes", err);
    const uint8_t *counts = reader->raw.items + blocks_raw_bytes(chunk->blocks, 0);
    *segment = (struct blocks_segment){(const void *)reader->raw.items, (const void *)counts,
                                       chunk->blocks, chunk->counts};
    uint64_t transfers = 0;
    for (uint32_t i = 0; i < chunk->counts; i++) {
        if (!is_count_sound(&segment->counts[i], chunk->blocks))
            return damaged(reader, "counts", err);
        transfers += segment->counts[i].count;
    }
    reader->totals.segments++;
    reader->totals.blocks += chunk->blocks;
    reader->totals.transfers += transfers;
    return true;
}

static bool
take_chunk(struct blocks_reader *reader, const struct blocks_chunk *chunk,
           struct blocks_segment *segment, struct error *err)
{
    size_t got;
    if (chunk->magic != BLOCKS_CHUNK_MAGIC ||
        chunk->header_crc != blocks_crc(chunk, offsetof(struct blocks_chunk, header_crc)) ||
        !chunk->blocks || chunk->blocks > BLOCKS_SEGMENT_BLOCKS || !chunk->counts ||
        chunk->counts > BLOCKS_SEGMENT_COUNTS ||
        chunk->packed_bytes > ZSTD_compressBound(blocks_raw_bytes(chunk->blocks, chunk->counts)))
        return damaged(reader, "header of a segment", err);
    VEC_RESERVE(&reader->packed, chunk->packed_bytes);
    if (!read_some(reader, reader->packed.items, chunk->packed_bytes, &got))
        return cut_off(reader, err);
    if (chunk->payload_crc != blocks_crc(reader->packed.items, chunk->packed_bytes))
        return damaged(reader, "checksum", err);
    return unpack(reader, chunk, segment, err);
}

/* Reads the rest of the end record and checks the totals. `head` holds its first bytes, which were
 * read as the head of a segment. */
static bool
take_end(struct blocks_reader *reader, const struct blocks_chunk *head, struct error *err)
{
    struct blocks_end end;
    uint8_t more;
    size_t got;
    memcpy(&end, head, sizeof *head);
    if (!read_some(reader, (uint8_t *)&end + sizeof *head, sizeof end - sizeof *head, &got))
        return cut_off(reader, err);
    if (end.crc_of_totals != blocks_crc(&end.totals, sizeof end.totals) ||
        memcmp(&end.totals, &reader->totals, sizeof end.totals))
        return damaged(reader, "totals", err);
    if (interrupt_read(reader->fd, &more, 1, &reader->why) == 1)
        return damaged(reader, "bytes after the end", err);
    return true;
}

_Static_assert(sizeof(struct blocks_chunk) < sizeof(struct blocks_end), "read in this order");

bool
blocks_reader_next(struct blocks_reader *reader, struct blocks_segment *segment, bool *end,
                   struct error *err)
{
    struct blocks_chunk chunk;
    size_t got;
    *end = false;
    if (!read_some(reader, &chunk, sizeof chunk, &got))
        return cut_off(reader, err);
    *end = chunk.magic == BLOCKS_END_MAGIC;
    return *end ? take_end(reader, &chunk, err) : take_chunk(reader, &chunk, segment, err);
}
