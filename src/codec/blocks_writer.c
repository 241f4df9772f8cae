/* Writes block files (codec/blocks_file.h). The blocks of the current segment are in order of first
 * appearance. A hash table finds equal blocks. A linked list per block finds the count of a tag. */
#include "codec/blocks_format.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
    SLOTS = 2 * BLOCKS_SEGMENT_BLOCKS, /* hash table entries; a power of two */
    /* fast: captures are large, and the simulation waits for it */
    ZSTD_LEVEL = 1,
    NONE = -1,
    FRAME_BLOCKS =
        /* At a new frame, a segment with more blocks than this is written, so that a crash loses
         * little. */
    8192,
};

struct blocks_writer {
    int fd;
    char *path;
    ZSTD_CCtx *zstd;
    /* Payload of the segment: blocks, then counts. Counts are moved next to the blocks before
     * compression. */
    uint8_t *raw, *packed;
    size_t packed_limit;
    struct block_count *counts;
    uint32_t block_count, count_count, frame; /* frame: of the last block */
    int32_t *slots;                           /* index of a block, or NONE */
    uint32_t *hashes;
    int32_t *first_count, *next_count; /* per block; per count */
    struct blocks_totals totals;
    struct error failure; /* the first one; nothing is written after it */
};

static bool
write_all(struct blocks_writer *writer, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(writer->fd, (const uint8_t *)bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(&writer->failure, "cannot write %s: %s", writer->path, strerror(errno));
        done += (size_t)n;
    }
    return true;
}

/* Network file systems and quotas may report a write error only at close. */
static bool
close_file(struct blocks_writer *writer)
{
    const int fd = writer->fd;
    writer->fd = -1;
    return !close(fd) ||
           fail(&writer->failure, "cannot write %s: %s", writer->path, strerror(errno));
}

static void
writer_destroy(struct blocks_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    ZSTD_freeCCtx(writer->zstd);
    free(writer->raw);
    free(writer->packed);
    free(writer->counts);
    free(writer->slots);
    free(writer->hashes);
    free(writer->first_count);
    free(writer->next_count);
    free(writer->path);
    free(writer);
}

static void
forget(struct blocks_writer *writer)
{
    memset(writer->slots, 0xff, SLOTS * sizeof *writer->slots);
    writer->block_count = writer->count_count = 0;
}

static void
allocate(struct blocks_writer *writer)
{
    const size_t raw = blocks_raw_bytes(BLOCKS_SEGMENT_BLOCKS, BLOCKS_SEGMENT_COUNTS);
    writer->packed_limit = ZSTD_compressBound(raw);
    writer->raw = mem_alloc(raw);
    writer->packed = mem_alloc(writer->packed_limit);
    writer->counts = mem_array(BLOCKS_SEGMENT_COUNTS, sizeof *writer->counts);
    writer->slots = mem_array(SLOTS, sizeof *writer->slots);
    writer->hashes = mem_array(BLOCKS_SEGMENT_BLOCKS, sizeof *writer->hashes);
    writer->first_count = mem_array(BLOCKS_SEGMENT_BLOCKS, sizeof *writer->first_count);
    writer->next_count = mem_array(BLOCKS_SEGMENT_COUNTS, sizeof *writer->next_count);
    writer->zstd = ZSTD_createCCtx();
    BUG_ON(!writer->zstd, "zstd: cannot create a context");
    forget(writer);
}

bool
blocks_writer_create(struct blocks_writer **out, const char *path, enum codec_kind kind,
                     struct error *err)
{
    struct blocks_header header = {
        .magic = BLOCKS_MAGIC, .version = BLOCKS_VERSION, .kind = (uint32_t)kind};
    const int fd = file_make(path, err);
    if (fd < 0)
        return false;
    struct blocks_writer *writer = mem_alloc(sizeof *writer);
    writer->fd = fd;
    writer->path = mem_strdup(path);
    allocate(writer);
    header.crc = blocks_crc(&header, offsetof(struct blocks_header, crc));
    if (!write_all(writer, &header, sizeof header)) {
        if (err)
            *err = writer->failure;
        writer_destroy(writer);
        return false;
    }
    *out = writer;
    return true;
}

/* Writes the current segment and starts a new one. */
static bool
flush_blocks(struct blocks_writer *writer)
{
    if (writer->count_count == 0)
        return true;
    const size_t blocks = blocks_raw_bytes(writer->block_count, 0);
    const size_t raw = blocks_raw_bytes(writer->block_count, writer->count_count);
    memcpy(writer->raw + blocks, writer->counts, raw - blocks);
    size_t packed = ZSTD_compressCCtx(writer->zstd, writer->packed, writer->packed_limit,
                                      writer->raw, raw, ZSTD_LEVEL);
    BUG_ON(ZSTD_isError(packed), "zstd: %s", ZSTD_getErrorName(packed));
    struct blocks_chunk chunk = {
        .magic = BLOCKS_CHUNK_MAGIC,
        .blocks = writer->block_count,
        .counts = writer->count_count,
        .packed_bytes = (uint32_t)packed,
        .payload_crc = blocks_crc(writer->packed, packed),
    };
    chunk.header_crc = blocks_crc(&chunk, offsetof(struct blocks_chunk, header_crc));
    if (!write_all(writer, &chunk, sizeof chunk) || !write_all(writer, writer->packed, packed))
        return false;
    writer->totals.segments++;
    writer->totals.blocks += writer->block_count;
    forget(writer);
    return true;
}

static uint32_t
hash_of(const uint32_t *block)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < CODEC_WORDS; i += 2) {
        uint64_t pair = (uint64_t)block[i + 1] << 32 | block[i];
        hash = (hash ^ pair) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* Index of the block in the segment; appends the block if it is new. */
static uint32_t
find_block(struct blocks_writer *writer, const uint32_t *block)
{
    uint32_t hash = hash_of(block), slot = hash & (SLOTS - 1);
    for (; writer->slots[slot] != NONE; slot = (slot + 1) & (SLOTS - 1)) {
        uint32_t i = (uint32_t)writer->slots[slot];
        if (writer->hashes[i] == hash &&
            !memcmp(writer->raw + blocks_raw_bytes(i, 0), block, CODEC_BLOCK_BYTES))
            return i;
    }
    uint32_t i = writer->block_count++;
    memcpy(writer->raw + blocks_raw_bytes(i, 0), block, CODEC_BLOCK_BYTES);
    writer->slots[slot] = (int32_t)i;
    writer->hashes[i] = hash;
    writer->first_count[i] = NONE;
    return i;
}

static void
count_block(struct blocks_writer *writer, uint32_t block, const struct block_tag *tag,
            uint32_t count)
{
    int32_t i = writer->first_count[block];
    for (; i != NONE; i = writer->next_count[i]) {
        struct block_count *entry = &writer->counts[i];
        if (!memcmp(&entry->tag, tag, sizeof *tag) && entry->count <= UINT32_MAX - count) {
            entry->count += count;
            return;
        }
    }
    i = (int32_t)writer->count_count++;
    writer->counts[i] = (struct block_count){*tag, block, count};
    writer->next_count[i] = writer->first_count[block];
    writer->first_count[block] = i;
}

bool
blocks_writer_add_many(struct blocks_writer *writer, const uint32_t *block,
                       const struct block_tag *tag, uint32_t count, struct error *err)
{
    bool full = writer->block_count == BLOCKS_SEGMENT_BLOCKS ||
                writer->count_count == BLOCKS_SEGMENT_COUNTS ||
                (writer->block_count >= FRAME_BLOCKS && tag->frame != writer->frame);
    writer->frame = tag->frame;
    if (writer->failure.text[0] || (full && !flush_blocks(writer)))
        return fail(err, "%s", writer->failure.text);
    if (count) {
        count_block(writer, find_block(writer, block), tag, count);
        writer->totals.transfers += count;
    }
    return true;
}

bool
blocks_writer_add(struct blocks_writer *writer, const uint32_t *block, const struct block_tag *tag,
                  struct error *err)
{
    return blocks_writer_add_many(writer, block, tag, 1, err);
}

bool
blocks_writer_close(struct blocks_writer *writer, struct error *err)
{
    bool ok = !writer->failure.text[0] && flush_blocks(writer);
    if (ok) {
        struct blocks_end end = {BLOCKS_END_MAGIC, 0, writer->totals};
        end.crc_of_totals = blocks_crc(&end.totals, sizeof end.totals);
        ok = write_all(writer, &end, sizeof end) && close_file(writer);
    }
    if (!ok)
        fail(err, "%s", writer->failure.text);
    writer_destroy(writer);
    return ok;
}
