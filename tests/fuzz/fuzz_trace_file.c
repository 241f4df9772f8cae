#include "fuzz_trace.h"

#include "base/mem.h"
#include "trace/file_format.h"
#include "trace/virgl/submit.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

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

typedef VEC(uint8_t) bytes_vec;

static void
append(bytes_vec *file, const void *bytes, size_t size)
{
    if (!size)
        return;
    VEC_RESERVE(file, file->count + size);
    memcpy(file->items + file->count, bytes, size);
    file->count += size;
}

/* Appends a trace header without a name, with the current capabilities. */
static void
append_header(bytes_vec *file)
{
    struct caps_v2 caps;
    uint8_t head[TRACE_HEADER_BYTES];
    uint32_t fields[4] = {TRACE_VERSION, 0, 0, sizeof caps}, crc;
    caps_fill(&caps, GL_OFFER_DEFAULT);
    memcpy(head, TRACE_MAGIC, 8);
    memcpy(head + 8, fields, sizeof fields);
    crc = (uint32_t)crc32_z(crc_of(head, TRACE_HEADER_CRC_AT), (const uint8_t *)&caps, sizeof caps);
    memcpy(head + TRACE_HEADER_CRC_AT, &crc, 4);
    append(file, head, sizeof head);
    append(file, &caps, sizeof caps);
}

/* Adds the message at `at` to the counts in the header of the chunk. Returns the size of the
 * message in bytes, or 0 if the message is incomplete or invalid. */
static size_t
count_message(struct trace_chunk *chunk, const uint8_t *at, size_t left)
{
    uint32_t head[10] = {0}, size = 0;
    if (left < 8)
        return 0;
    memcpy(head, at, left < sizeof head ? left : sizeof head);
    const size_t fields = 8 + 4 * message_dwords(head[0]);
    if (head[0] < MESSAGE_CLIENT_BEGIN || head[0] > MESSAGE_LAST || left < fields)
        return 0;
    if (head[0] == MESSAGE_CLIENT_BEGIN || head[0] == MESSAGE_SUBMIT || head[0] == MESSAGE_PUT ||
        head[0] == MESSAGE_CONTENTS)
        memcpy(&size, at + fields - 4, 4);
    const size_t bytes = fields + (((size_t)size + 3) & ~(size_t)3);
    if (bytes > left)
        return 0;
    chunk->messages++;
    if (head[0] == MESSAGE_SUBMIT)
        chunk->draws += submit_count_draws(at + fields, size);
    chunk->ends_frame = head[0] == MESSAGE_SWAP || head[0] == MESSAGE_FRAME;
    if (chunk->ends_frame) {
        chunk->client = head[1];
        chunk->width = head[7];
        chunk->height = head[8];
    }
    return bytes;
}

static void
append_chunk(bytes_vec *file, struct trace_chunk chunk, const uint8_t *messages, size_t size)
{
    const size_t bound = ZSTD_compressBound(size);
    uint8_t *packed = mem_alloc(bound);
    const size_t packed_bytes = ZSTD_compress(packed, bound, messages, size, 1);
    chunk.magic = TRACE_CHUNK_MAGIC;
    chunk.packed_bytes = (uint32_t)packed_bytes;
    chunk.raw_bytes = (uint32_t)size;
    chunk.payload_crc = crc_of(packed, packed_bytes);
    chunk.header_crc = crc_of(&chunk, offsetof(struct trace_chunk, header_crc));
    append(file, &chunk, sizeof chunk);
    append(file, packed, packed_bytes);
    free(packed);
}

/* Appends the messages as chunks. The reader uses only whole frames, so the function appends a
 * frame end if the messages have none. The file has no index, so the reader warns. Bytes that are
 * not a message go into the last chunk. */
static void
append_chunks(bytes_vec *file, const uint8_t *messages, size_t size)
{
    static const uint32_t end[10] = {MESSAGE_FRAME};
    struct trace_chunk chunk = {0};
    bytes_vec raw = {0};
    size_t at = 0;
    for (size_t bytes = 1; bytes;) {
        bytes = count_message(&chunk, messages + at, size - at);
        append(&raw, messages + at, bytes ? bytes : size - at);
        at += bytes;
        if (bytes && chunk.ends_frame) {
            append_chunk(file, chunk, raw.items, raw.count);
            chunk = (struct trace_chunk){0};
            raw.count = 0;
        }
    }
    append(&raw, end, sizeof end);
    count_message(&chunk, (const uint8_t *)end, sizeof end);
    append_chunk(file, chunk, raw.items, raw.count);
    VEC_FREE(&raw);
}

struct trace_reader *
reader_of_messages(struct memory_file *file, const uint8_t *messages, size_t size)
{
    struct trace_reader *reader = NULL;
    struct error err = {""};
    bytes_vec bytes = {0};
    append_header(&bytes);
    append_chunks(&bytes, messages, size);
    memory_file_init(file, bytes.items, bytes.count);
    VEC_FREE(&bytes);
    bool ok = trace_reader_open(&reader, file->path, &err);
    BUG_ON(!ok && !err.text[0], "a trace is refused without a message");
    return ok ? reader : NULL;
}
