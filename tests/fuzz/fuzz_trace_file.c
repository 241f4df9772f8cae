#include "fuzz_trace.h"

#include "base/mem.h"
#include "trace/file_format.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { FILE_HEAD_BYTES = TRACE_HEADER_BYTES + sizeof(struct caps_v2) };

void
memory_file_init(struct memory_file *file, const uint8_t *bytes, size_t size)
{
    file->fd = memfd_create("fuzz", MFD_CLOEXEC);
    BUG_ON(file->fd < 0, "no memory file");
    for (size_t done = 0; done < size;) {
        ssize_t n = write(file->fd, bytes + done, size - done);
        BUG_ON(n <= 0, "a memory file takes no bytes");
        done += (size_t)n;
    }
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
}

void
memory_file_fini(struct memory_file *file)
{
    close(file->fd);
}

static uint32_t
crc_of(const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(0, bytes, size);
}

/* A header without a name, of what is offered now, and one chunk that ends a frame; without an
 * index the reader warns and uses the frame. */
static size_t
fill_file(uint8_t *file, const uint8_t *messages, size_t size)
{
    struct caps_v2 caps;
    uint32_t fields[4] = {TRACE_VERSION, 0, 0, sizeof caps}, crc;
    caps_fill(&caps);
    memcpy(file, TRACE_MAGIC, 8);
    memcpy(file + 8, fields, sizeof fields);
    memcpy(file + TRACE_HEADER_BYTES, &caps, sizeof caps);
    crc = (uint32_t)crc32_z(crc_of(file, TRACE_HEADER_CRC_AT), (const uint8_t *)&caps, sizeof caps);
    memcpy(file + TRACE_HEADER_CRC_AT, &crc, 4);
    uint8_t *payload = file + FILE_HEAD_BYTES + sizeof(struct trace_chunk);
    size_t packed = ZSTD_compress(payload, ZSTD_compressBound(size), messages, size, 1);
    struct trace_chunk chunk = {.magic = TRACE_CHUNK_MAGIC,
                                .ends_frame = 1,
                                .packed_bytes = (uint32_t)packed,
                                .raw_bytes = (uint32_t)size,
                                .payload_crc = crc_of(payload, packed)};
    chunk.header_crc = crc_of(&chunk, offsetof(struct trace_chunk, header_crc));
    memcpy(file + FILE_HEAD_BYTES, &chunk, sizeof chunk);
    return FILE_HEAD_BYTES + sizeof chunk + packed;
}

struct trace_reader *
reader_of_messages(struct memory_file *file, const uint8_t *messages, size_t size)
{
    struct trace_reader *reader = NULL;
    struct error warning, err = {""};
    uint8_t *bytes =
        mem_alloc(FILE_HEAD_BYTES + sizeof(struct trace_chunk) + ZSTD_compressBound(size));
    memory_file_init(file, bytes, fill_file(bytes, messages, size));
    free(bytes);
    bool ok = trace_reader_open(&reader, file->path, &warning, &err);
    BUG_ON(!ok && !err.text[0], "a trace is refused without a word");
    return ok ? reader : NULL;
}
