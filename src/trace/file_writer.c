/* Writes a trace. Messages are collected in a buffer. At the end of a frame, or above
 * TRACE_CHUNK_TARGET, the buffer is compressed and written as a chunk. A capture that is killed
 * therefore keeps its complete frames. */
#include "trace/file.h"

#include "base/mem.h"
#include "base/new_file.h"
#include "base/plural.h"
#include "trace/features.h"
#include "trace/file_format.h"
#include "trace/virgl/submit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

struct trace_writer {
    struct new_file file;
    bool is_part;    /* the file gets its final name only when it is closed */
    uint64_t offset; /* end of the last complete chunk in the file */
    ZSTD_CCtx *zstd;
    VEC(uint8_t) raw;
    VEC(uint8_t) packed;
    struct trace_chunk chunk; /* header of the current chunk */
    /* Features of all messages so far, and those that the file lists; one bit each. */
    uint32_t features, listed;
    struct trace_frame frame;
    VEC(struct trace_frame) frames;
    struct budget_share share; /* largest size of both buffers so far */
    struct error failure;      /* first failure, after which nothing is written */
};

static uint32_t
crc_of(const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(0, bytes, size);
}

/* Writes all bytes. On failure sets writer->failure. The file may then end with an incomplete
 * chunk. */
static bool
write_all(struct trace_writer *writer, const void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = write(writer->file.fd, (const uint8_t *)bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        done += (size_t)n;
    }
    if (done == size)
        return true;
    fail(&writer->failure, "cannot write %s: %s (contains %zu complete frame%s)", writer->file.path,
         strerror(errno), writer->frames.count, plural(writer->frames.count));
    return false;
}

static bool
write_header(struct trace_writer *writer, const char *program, const struct caps_v2 *caps,
             uint32_t first_frame)
{
    uint8_t bytes[TRACE_HEADER_BYTES + TRACE_PROGRAM_MAX + sizeof *caps];
    uint32_t n = (uint32_t)strnlen(program, TRACE_PROGRAM_MAX), behind = n + (uint32_t)sizeof *caps;
    uint32_t fields[4] = {TRACE_VERSION, first_frame, n, sizeof *caps};
    memcpy(bytes, TRACE_MAGIC, 8);
    memcpy(bytes + 8, fields, sizeof fields);
    memcpy(bytes + TRACE_HEADER_BYTES, program, n);
    memcpy(bytes + TRACE_HEADER_BYTES + n, caps, sizeof *caps);
    uint32_t crc =
        (uint32_t)crc32_z(crc_of(bytes, TRACE_HEADER_CRC_AT), bytes + TRACE_HEADER_BYTES, behind);
    memcpy(bytes + TRACE_HEADER_CRC_AT, &crc, 4);
    if (!write_all(writer, bytes, TRACE_HEADER_BYTES + behind))
        return false;
    writer->offset = TRACE_HEADER_BYTES + behind;
    return true;
}

static void
writer_destroy(struct trace_writer *writer)
{
    new_file_discard(&writer->file);
    ZSTD_freeCCtx(writer->zstd);
    VEC_FREE(&writer->raw);
    VEC_FREE(&writer->packed);
    VEC_FREE(&writer->frames);
    budget_move(&writer->share, NULL);
    free(writer);
}

static bool
writer_create(struct trace_writer **out, const char *path, const char *program,
              const struct caps_v2 *caps, uint32_t first_frame, struct error *err)
{
    struct trace_writer *writer = mem_alloc(sizeof *writer);
    if (!new_file_open(&writer->file, path, err)) {
        free(writer);
        return false;
    }
    writer->zstd = ZSTD_createCCtx();
    BUG_ON(!writer->zstd, "zstd: cannot create a context");
    if (!write_header(writer, program, caps, first_frame)) {
        if (err)
            *err = writer->failure;
        writer_destroy(writer);
        return false;
    }
    *out = writer;
    return true;
}

bool
trace_writer_create(struct trace_writer **out, const char *path, const char *program,
                    struct error *err)
{
    return trace_writer_create_for(out, path, program, GL_OFFER_DEFAULT, err);
}

bool
trace_writer_create_for(struct trace_writer **out, const char *path, const char *program,
                        enum gl_offer offer, struct error *err)
{
    struct caps_v2 caps;
    caps_fill(&caps, offer);
    return writer_create(out, path, program, &caps, 0, err);
}

bool
trace_writer_create_part(struct trace_writer **out, const char *path,
                         const struct trace_reader *whole, uint32_t first_frame, struct error *err)
{
    if (!writer_create(out, path, trace_program(whole), trace_caps(whole), first_frame, err))
        return false;
    budget_move(&(*out)->share, trace_reader_budget(whole));
    (*out)->is_part = true;
    return true;
}

static void
end_chunk(struct trace_writer *writer)
{
    struct trace_chunk *chunk = &writer->chunk;
    uint64_t packed = sizeof *chunk + chunk->packed_bytes;
    writer->offset += packed;
    writer->frame.messages += chunk->messages;
    writer->frame.draws += chunk->draws;
    writer->frame.chunks++;
    writer->frame.packed_bytes += packed;
    if (chunk->ends_frame) {
        writer->frame.client = chunk->client;
        writer->frame.width = chunk->width;
        writer->frame.height = chunk->height;
        VEC_PUSH(&writer->frames, writer->frame);
        writer->frame = (struct trace_frame){0};
    }
    *chunk = (struct trace_chunk){0};
    writer->raw.count = 0;
}

/* Lists the features that the current chunk is the first to use. */
static bool
write_features(struct trace_writer *writer)
{
    for (uint32_t new = writer->features & ~writer->listed; new; new &= new - 1) {
        const char *name = trace_feature_names[__builtin_ctz(new)];
        uint8_t bytes[sizeof(struct trace_feature_head) + TRACE_FEATURE_MAX];
        struct trace_feature_head head = {.magic = TRACE_FEATURE_MAGIC,
                                          .name_bytes = (uint32_t)strlen(name)};
        const size_t size = sizeof head + head.name_bytes;
        head.crc = (uint32_t)crc32_z(crc_of(&head, offsetof(struct trace_feature_head, crc)),
                                     (const uint8_t *)name, head.name_bytes);
        memcpy(bytes, &head, sizeof head);
        memcpy(bytes + sizeof head, name, head.name_bytes);
        if (!write_all(writer, bytes, size))
            return false;
        writer->offset += size;
    }
    writer->listed = writer->features;
    return true;
}

static bool
flush_writer(struct trace_writer *writer)
{
    struct trace_chunk *chunk = &writer->chunk;
    if (writer->raw.count == 0)
        return true;
    size_t bound = ZSTD_compressBound(writer->raw.count);
    VEC_RESERVE(&writer->packed, bound + sizeof *chunk);
    size_t packed = ZSTD_compressCCtx(writer->zstd, writer->packed.items + sizeof *chunk, bound,
                                      writer->raw.items, writer->raw.count, 3);
    if (ZSTD_isError(packed))
        mem_exhausted("zstd");
    chunk->magic = TRACE_CHUNK_MAGIC;
    chunk->packed_bytes = (uint32_t)packed;
    chunk->raw_bytes = (uint32_t)writer->raw.count;
    chunk->payload_crc = crc_of(writer->packed.items + sizeof *chunk, packed);
    chunk->header_crc = crc_of(chunk, offsetof(struct trace_chunk, header_crc));
    memcpy(writer->packed.items, chunk, sizeof *chunk);
    if (!write_features(writer) ||
        !write_all(writer, writer->packed.items, sizeof *chunk + packed)) {
        /* Remove the incomplete chunk, which would look like damage. A full disk causes one. */
        if (ftruncate(writer->file.fd, (off_t)writer->offset))
            fail_prefix(&writer->failure, "the file ends with an incomplete chunk");
        return false;
    }
    const bool has_frame = chunk->ends_frame;
    end_chunk(writer);
    return !has_frame || writer->is_part || new_file_commit(&writer->file, &writer->failure);
}

static void
put_bytes(struct trace_writer *writer, const void *bytes, size_t size)
{
    size_t padded = (size + 3) & ~(size_t)3;
    VEC_RESERVE(&writer->raw, writer->raw.count + padded);
    uint8_t *to = writer->raw.items + writer->raw.count;
    if (size)
        memcpy(to, bytes, size);
    memset(to + size, 0, padded - size);
    writer->raw.count += padded;
}

static void
put_message(struct trace_writer *writer, const struct message *message)
{
    uint32_t head[2] = {message->kind, message->client};
    put_bytes(writer, head, sizeof head);
    switch (message->kind) {
    case MESSAGE_CLIENT_END: break;
    case MESSAGE_CLIENT_BEGIN:
    case MESSAGE_SUBMIT: put_bytes(writer, &message->size_bytes, 4); break;
    case MESSAGE_RESOURCE_CREATE: put_bytes(writer, &message->resource, 40); break;
    case MESSAGE_RESOURCE_UNREF: put_bytes(writer, &message->resource.handle, 4); break;
    case MESSAGE_GET:
    case MESSAGE_SWAP:
    case MESSAGE_FRAME: put_bytes(writer, &message->transfer, 32); break;
    case MESSAGE_STATE: put_bytes(writer, &message->state, 4); break;
    case MESSAGE_ADDRESS: put_bytes(writer, &message->placement, 4); break;
    case MESSAGE_RESULT: put_bytes(writer, &message->result, 16); break;
    case MESSAGE_PUT:
        put_bytes(writer, &message->transfer, 32);
        put_bytes(writer, &message->size_bytes, 4);
        break;
    case MESSAGE_CONTENTS:
        put_bytes(writer, &message->contents, 40);
        put_bytes(writer, &message->size_bytes, 4);
        break;
    }
    put_bytes(writer, message->bytes, message->size_bytes);
}

_Static_assert(sizeof(struct resource_desc) == 40, "written as 10 dwords");
_Static_assert(sizeof((struct message){0}.transfer) == 32, "written as 8 dwords");
_Static_assert(sizeof((struct message){0}.contents) == 40, "written as 10 dwords");

/* Reserves budget for `raw_bytes` of messages in the chunk, and for their maximum compressed
 * size. */
static bool
make_room(struct trace_writer *writer, uint64_t raw_bytes, struct error *err)
{
    const uint64_t bytes = raw_bytes + ZSTD_compressBound(raw_bytes) + sizeof writer->chunk;
    return bytes <= writer->share.bytes || budget_set(&writer->share, bytes, err) ||
           fail_prefix(err, "%s: chunk of %llu bytes", writer->file.path,
                       (unsigned long long)raw_bytes);
}

static void
count_message(struct trace_chunk *chunk, const struct message *message)
{
    chunk->messages++;
    if (message->kind == MESSAGE_SUBMIT)
        chunk->draws += submit_count_draws(message->bytes, message->size_bytes);
    if (!message_ends_frame(message))
        return;
    chunk->ends_frame = 1;
    chunk->client = message->client;
    chunk->width = (uint32_t)message->transfer.box.width;
    chunk->height = (uint32_t)message->transfer.box.height;
}

bool
trace_writer_add(struct trace_writer *writer, const struct message *message, struct error *err)
{
    const uint64_t bytes = message_bytes(message);
    if (!writer->failure.text[0] && bytes > TRACE_RAW_MAX)
        fail(&writer->failure,
             "%s: a message of %llu bytes exceeds the %d bytes of a chunk (contains %zu complete "
             "frame%s)",
             writer->file.path, (unsigned long long)bytes, TRACE_RAW_MAX, writer->frames.count,
             plural(writer->frames.count));
    if (writer->failure.text[0] ||
        (writer->raw.count + bytes > TRACE_RAW_MAX && !flush_writer(writer)))
        return fail(err, "%s", writer->failure.text);
    if (!make_room(writer, writer->raw.count + bytes, err))
        return false;
    put_message(writer, message);
    writer->features |= trace_features_of(message);
    count_message(&writer->chunk, message);
    return (!writer->chunk.ends_frame && writer->raw.count < TRACE_CHUNK_TARGET) ||
           flush_writer(writer) || fail(err, "%s", writer->failure.text);
}

uint64_t
trace_writer_draws(const struct trace_writer *writer)
{
    uint64_t draws = writer->frame.draws + writer->chunk.draws;
    for (size_t i = 0; i < writer->frames.count; i++)
        draws += writer->frames.items[i].draws;
    return draws;
}

uint64_t
trace_writer_bytes(const struct trace_writer *writer)
{
    return writer->offset;
}

uint32_t
trace_writer_frames(const struct trace_writer *writer)
{
    return (uint32_t)writer->frames.count;
}

static bool
write_index(struct trace_writer *writer)
{
    size_t entries = writer->frames.count * sizeof writer->frames.items[0];
    struct trace_index index = {.magic = TRACE_INDEX_MAGIC,
                                .frames = (uint32_t)writer->frames.count,
                                .payload_crc = crc_of(writer->frames.items, entries)};
    index.header_crc = crc_of(&index, offsetof(struct trace_index, header_crc));
    struct trace_end end = {.magic = TRACE_END_MAGIC,
                            .offset_low = (uint32_t)writer->offset,
                            .offset_high = (uint32_t)(writer->offset >> 32)};
    end.crc = crc_of(&end, offsetof(struct trace_end, crc));
    return write_all(writer, &index, sizeof index) &&
           write_all(writer, writer->frames.items, entries) && write_all(writer, &end, sizeof end);
}

_Static_assert(sizeof(struct trace_frame) == 32, "written as it lies in memory");

bool
trace_writer_close(struct trace_writer *writer, struct error *err)
{
    bool ok = !writer->failure.text[0] && flush_writer(writer) && write_index(writer) &&
              new_file_close(&writer->file, &writer->failure);
    if (!ok)
        fail(err, "%s", writer->failure.text);
    writer_destroy(writer);
    return ok;
}

void
trace_writer_discard(struct trace_writer *writer)
{
    writer_destroy(writer);
}
