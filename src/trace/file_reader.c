/* Reads a trace. trace_reader_open() reads all chunks and checks their CRCs. Damage is therefore
 * detected and reported before the first message, and the reader omits the damaged end of the file.
 * The index at the end only proves that the file was closed. The reader calls pread() instead of
 * mapping the file, so that truncation during reading causes an error and not a SIGBUS. */
#include "trace/file.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "trace/features.h"
#include "trace/file_format.h"
#include "trace/virgl/submit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

struct trace_reader {
    char *path;
    int fd;
    uint64_t size_bytes;
    dev_t device; /* device and inode identify the file independently of its path */
    ino_t inode;
    char *program;
    struct caps_v2 caps;
    uint32_t version, first_frame;
    uint64_t chunks_begin, chunks_end; /* range of the readable chunks */
    VEC(struct trace_frame) frames;
    struct trace_frame rest;
    struct error damage; /* trace_damage() */

    int why;                 /* errno of the first failed read, or 0 */
    uint64_t at;             /* offset of the next chunk */
    uint32_t frame;          /* frame of the current message */
    struct trace_frame read; /* messages, draws and chunks of that frame so far */
    VEC(uint8_t) packed;
    VEC(uint8_t) raw;
    uint32_t raw_at;
    uint32_t most_packed, most_raw; /* largest sizes of the chunks so far */
    struct budget_share share;      /* share of both buffers */
};

static uint32_t
crc_of(const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(0, bytes, size);
}

/* Copies bytes from the file. Returns false if the file is too short or a read fails;
 * check_readable() distinguishes the two. */
static bool
peek(struct trace_reader *reader, uint64_t offset, void *out, size_t size)
{
    if (offset > reader->size_bytes || size > reader->size_bytes - offset)
        return false;
    for (size_t done = 0; done < size;) {
        const ssize_t n =
            pread(reader->fd, (uint8_t *)out + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno != EINTR)
            reader->why = errno;
        if (n == 0 || reader->why)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Returns false with an error if a read has failed. The end of the file is unknown in that case. */
static bool
check_readable(const struct trace_reader *reader, struct error *err)
{
    return !reader->why || fail(err, "cannot read %s: %s", reader->path, strerror(reader->why));
}

/* Extends *crc with a range of the file. Returns false if the file is too short or a signal
 * arrives. */
static bool
crc_at(struct trace_reader *reader, uint64_t offset, uint64_t size, uint32_t *crc)
{
    uint8_t block[1 << 16];
    while (size && !interrupt_pending()) {
        const size_t n = size < sizeof block ? size : sizeof block;
        if (!peek(reader, offset, block, n))
            return false;
        *crc = (uint32_t)crc32_z(*crc, block, n);
        offset += n;
        size -= n;
    }
    return size == 0;
}

static bool
open_file(struct trace_reader *reader, struct error *err)
{
    struct stat st;
    reader->fd = file_open(reader->path, err);
    if (reader->fd < 0)
        return false;
    if (fstat(reader->fd, &st))
        return fail(err, "cannot read %s: %s", reader->path, strerror(errno));
    reader->size_bytes = (uint64_t)st.st_size;
    reader->device = st.st_dev;
    reader->inode = st.st_ino;
    return true;
}

/* Version 1 does not store the capabilities. Programs captured with it always saw GLSL level
 * 120. */
static bool
check_version(const struct trace_reader *reader, uint32_t version, struct error *err)
{
    if (version == 1)
        return caps_check_level(120, reader->path, err);
    return (version >= TRACE_OLDEST_VERSION && version <= TRACE_VERSION) ||
           fail(err, "%s is a trace of version %u; this aetius reads versions %d to %d",
                reader->path, version, TRACE_OLDEST_VERSION, TRACE_VERSION);
}

/* Reads the program's name and the capabilities. The capabilities of a later version may be longer;
 * the excess is ignored. */
static bool
take_names(struct trace_reader *reader, const uint8_t *names, uint32_t program_bytes,
           uint32_t caps_bytes, struct error *err)
{
    reader->program = mem_alloc(program_bytes + 1);
    memcpy(reader->program, names, program_bytes);
    memcpy(&reader->caps, names + program_bytes,
           caps_bytes < sizeof reader->caps ? caps_bytes : sizeof reader->caps);
    reader->chunks_begin = TRACE_HEADER_BYTES + program_bytes + caps_bytes;
    return caps_check_level(reader->caps.v1.glsl_level, reader->path, err);
}

static bool
read_header(struct trace_reader *reader, struct error *err)
{
    uint8_t head[TRACE_HEADER_BYTES], names[TRACE_PROGRAM_MAX + TRACE_CAPS_MAX];
    uint32_t fields[5]; /* version, first frame, size of the name, size of the capabilities, CRC */
    if (!peek(reader, 0, head, 12) || memcmp(head, TRACE_MAGIC, 8))
        return check_readable(reader, err) && fail(err, "%s is not an aetius trace", reader->path);
    memcpy(fields, head + 8, 4);
    if (!check_version(reader, fields[0], err))
        return false;
    if (!peek(reader, 0, head, sizeof head))
        return check_readable(reader, err) &&
               fail(err, "%s: the header is damaged (the file ends inside it)", reader->path);
    memcpy(fields, head + 8, sizeof fields);
    uint32_t n = fields[2], caps = fields[3];
    if (n > TRACE_PROGRAM_MAX || caps > TRACE_CAPS_MAX ||
        !peek(reader, TRACE_HEADER_BYTES, names, n + caps))
        return check_readable(reader, err) &&
               fail(
                   err,
                   "%s: the header is damaged (program name of %u bytes, capabilities of %u bytes)",
                   reader->path, n, caps);
    if ((uint32_t)crc32_z(crc_of(head, TRACE_HEADER_CRC_AT), names, n + caps) != fields[4])
        return fail(err, "%s: the header is damaged (wrong checksum)", reader->path);
    reader->version = fields[0];
    reader->first_frame = fields[1];
    return take_names(reader, names, n, caps, err);
}

/* Returns the size of the feature at an offset, and its name. Returns 0 if there is no complete
 * feature with the right CRC. */
static uint64_t
peek_feature(struct trace_reader *reader, uint64_t offset, char name[TRACE_FEATURE_MAX + 1])
{
    struct trace_feature_head head;
    if (reader->version < 3 || !peek(reader, offset, &head, sizeof head) ||
        head.magic != TRACE_FEATURE_MAGIC || head.name_bytes > TRACE_FEATURE_MAX ||
        !peek(reader, offset + sizeof head, name, head.name_bytes))
        return 0;
    name[head.name_bytes] = 0;
    const uint32_t crc = (uint32_t)crc32_z(crc_of(&head, offsetof(struct trace_feature_head, crc)),
                                           (const uint8_t *)name, head.name_bytes);
    return crc == head.crc ? sizeof head + head.name_bytes : 0;
}

/* Advances *at past the features. Returns false with an error if one is unknown. */
static bool
check_features(struct trace_reader *reader, uint64_t *at, struct error *err)
{
    char name[TRACE_FEATURE_MAX + 1];
    for (uint64_t size; (size = peek_feature(reader, *at, name)); *at += size)
        if (trace_feature_find(name) == FEATURE_COUNT)
            return fail(err, "%s uses the feature \"%s\", which this aetius does not know",
                        reader->path, name);
    return true;
}

/* Checks that the chunk at an offset is complete and has the right CRCs. Otherwise returns false,
 * with the damage as the error. */
static bool
check_chunk(struct trace_reader *reader, uint64_t offset, struct trace_chunk *chunk,
            struct error *err)
{
    uint32_t crc = 0;
    if (!interrupt_check(err))
        return false;
    if (!peek(reader, offset, chunk, sizeof *chunk))
        return fail(err, "the file ends inside it");
    if (chunk->magic != TRACE_CHUNK_MAGIC ||
        chunk->header_crc != crc_of(chunk, offsetof(struct trace_chunk, header_crc)))
        return fail(err, "its header is damaged");
    if (chunk->raw_bytes > TRACE_RAW_MAX)
        return fail(err, "it contains %u bytes, more than %d", chunk->raw_bytes, TRACE_RAW_MAX);
    if (chunk->packed_bytes > reader->size_bytes - offset - sizeof *chunk ||
        !crc_at(reader, offset + sizeof *chunk, chunk->packed_bytes, &crc))
        return interrupt_check(err) && fail(err, "the file ends inside it");
    return crc == chunk->payload_crc || fail(err, "wrong checksum");
}

/* Returns whether the index at an offset matches the chunks, and whether the end marker follows at
 * the end of the file. */
static bool
index_ok(struct trace_reader *reader, uint64_t offset)
{
    struct trace_index index;
    struct trace_end end;
    uint64_t entries = reader->frames.count * sizeof(struct trace_frame);
    uint32_t crc = 0;
    return peek(reader, offset, &index, sizeof index) && index.magic == TRACE_INDEX_MAGIC &&
           index.header_crc == crc_of(&index, offsetof(struct trace_index, header_crc)) &&
           index.frames == reader->frames.count &&
           offset + sizeof index + entries + sizeof end == reader->size_bytes &&
           crc_at(reader, offset + sizeof index, entries, &crc) && index.payload_crc == crc &&
           peek(reader, reader->size_bytes - sizeof end, &end, sizeof end) &&
           end.magic == TRACE_END_MAGIC &&
           end.crc == crc_of(&end, offsetof(struct trace_end, crc)) &&
           (end.offset_low | (uint64_t)end.offset_high << 32) == offset;
}

static void
count_chunk(struct trace_reader *reader, const struct trace_chunk *chunk)
{
    struct trace_frame *frame = &reader->rest;
    frame->messages += chunk->messages;
    frame->draws += chunk->draws;
    frame->chunks++;
    frame->packed_bytes += sizeof *chunk + chunk->packed_bytes;
    if (!chunk->ends_frame)
        return;
    frame->client = chunk->client;
    frame->width = chunk->width;
    frame->height = chunk->height;
    VEC_PUSH(&reader->frames, *frame);
    *frame = (struct trace_frame){0};
}

/* Scans the chunks. If one is damaged, limits the readable range to the frames that were completed
 * before it. */
static bool
scan(struct trace_reader *reader, struct error *err)
{
    uint64_t at = reader->chunks_begin, frame_end = at;
    uint32_t number = 0;
    struct trace_chunk chunk;
    struct error why = {""};
    for (;; number++) {
        uint32_t magic = 0;
        if (!check_features(reader, &at, err))
            return false;
        if (at == reader->size_bytes || (peek(reader, at, &magic, 4) && magic == TRACE_INDEX_MAGIC))
            break;
        if (!check_chunk(reader, at, &chunk, &why))
            break;
        count_chunk(reader, &chunk);
        at += sizeof chunk + chunk.packed_bytes;
        if (chunk.ends_frame)
            frame_end = at;
    }
    reader->chunks_end = at;
    if (!why.text[0] && index_ok(reader, at))
        return true;
    if (!interrupt_check(err) || !check_readable(reader, err))
        return false;
    size_t frames = reader->frames.count;
    if (why.text[0])
        fail(&reader->damage,
             "%s: chunk %u at byte %llu: %s; only the %zu complete frame%s before it can be read",
             reader->path, number, (unsigned long long)at, why.text, frames, plural(frames));
    else
        fail(&reader->damage,
             at == reader->size_bytes
                 ? "%s: the file was not closed (no index at byte %llu); only its %zu complete "
                   "frame%s can be read"
                 : "%s: the index at byte %llu is damaged, or bytes follow it; only the %zu "
                   "complete frame%s before it can be read",
             reader->path, (unsigned long long)at, frames, plural(frames));
    if (!frames)
        return fail(err, "%s: no complete frame remains (chunk %u at byte %llu: %s)", reader->path,
                    number, (unsigned long long)at, why.text[0] ? why.text : "end of file");
    reader->chunks_end = frame_end;
    reader->rest = (struct trace_frame){0};
    return true;
}

bool
trace_reader_open(struct trace_reader **out, const char *path, struct error *err)
{
    struct trace_reader *reader = mem_alloc(sizeof *reader);
    reader->path = mem_strdup(path);
    reader->share.most_bytes = FILE_MEMORY_BYTES;
    if (!open_file(reader, err) || !read_header(reader, err) || !scan(reader, err)) {
        trace_reader_close(reader);
        return false;
    }
    reader->at = reader->chunks_begin;
    *out = reader;
    return true;
}

bool
trace_reader_open_warn(struct trace_reader **reader, const char *path, struct error *err)
{
    if (!trace_reader_open(reader, path, err))
        return false;
    if (*trace_damage(*reader))
        log_warning("%s", trace_damage(*reader));
    return true;
}

const char *
trace_damage(const struct trace_reader *reader)
{
    return reader->damage.text;
}

void
trace_reader_close(struct trace_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    VEC_FREE(&reader->frames);
    VEC_FREE(&reader->packed);
    VEC_FREE(&reader->raw);
    budget_move(&reader->share, NULL);
    free(reader->program);
    free(reader->path);
    free(reader);
}

void
trace_reader_limit(struct trace_reader *reader, struct budget *budget)
{
    budget_move(&reader->share, budget);
}

struct budget *
trace_reader_budget(const struct trace_reader *reader)
{
    return reader->share.budget;
}

const char *
trace_program(const struct trace_reader *reader)
{
    return reader->program;
}

const struct caps_v2 *
trace_caps(const struct trace_reader *reader)
{
    return &reader->caps;
}

uint32_t
trace_frame_count(const struct trace_reader *reader)
{
    return (uint32_t)reader->frames.count;
}

uint32_t
trace_first_frame(const struct trace_reader *reader)
{
    return reader->first_frame;
}

const struct trace_frame *
trace_frame(const struct trace_reader *reader, uint32_t index)
{
    BUG_ON(index >= reader->frames.count, "frame %u of %zu", index, reader->frames.count);
    return &reader->frames.items[index];
}

const struct trace_frame *
trace_rest(const struct trace_reader *reader)
{
    return &reader->rest;
}

uint64_t
trace_bytes(const struct trace_reader *reader)
{
    return reader->size_bytes;
}

static bool
make_room(struct trace_reader *reader, const struct trace_chunk *chunk, struct error *err)
{
    if (chunk->packed_bytes > reader->most_packed)
        reader->most_packed = chunk->packed_bytes;
    if (chunk->raw_bytes > reader->most_raw)
        reader->most_raw = chunk->raw_bytes;
    return budget_set(&reader->share, (uint64_t)reader->most_packed + reader->most_raw, err) ||
           fail_prefix(err, "%s: chunk of %u bytes", reader->path, chunk->raw_bytes);
}

static bool
unpack(struct trace_reader *reader, struct error *err)
{
    struct trace_chunk chunk;
    if (!check_features(reader, &reader->at, err))
        return false;
    const unsigned long long at = reader->at;
    if (!peek(reader, at, &chunk, sizeof chunk))
        return check_readable(reader, err) &&
               fail(err, "%s: the file ends before byte %llu: it became shorter", reader->path, at);
    if (chunk.magic != TRACE_CHUNK_MAGIC || chunk.raw_bytes > TRACE_RAW_MAX)
        return fail(err, "%s: the chunk at byte %llu has changed", reader->path, at);
    if (!make_room(reader, &chunk, err))
        return false;
    VEC_RESERVE(&reader->packed, (size_t)chunk.packed_bytes + 1);
    VEC_RESERVE(&reader->raw, (size_t)chunk.raw_bytes + 1);
    if (!peek(reader, at + sizeof chunk, reader->packed.items, chunk.packed_bytes))
        return check_readable(reader, err) &&
               fail(err, "%s: the file ends inside the chunk at byte %llu", reader->path, at);
    size_t n = ZSTD_decompress(reader->raw.items, chunk.raw_bytes, reader->packed.items,
                               chunk.packed_bytes);
    if (ZSTD_isError(n) || n != chunk.raw_bytes)
        return fail(err, "%s: cannot decompress the chunk at byte %llu: %s", reader->path, at,
                    ZSTD_isError(n) ? ZSTD_getErrorName(n) : "it is too short");
    reader->raw.count = n;
    reader->raw_at = 0;
    reader->at += sizeof chunk + chunk.packed_bytes;
    reader->read.chunks++;
    return true;
}

static uint32_t
dwords_of(const struct trace_reader *reader, uint32_t kind)
{
    return kind == MESSAGE_CONTENTS && reader->version == 2 ? TRACE_V2_CONTENTS_DWORDS
                                                            : message_dwords(kind);
}

/* Copies the fields of CONTENTS. In version 2, `shown` is a number: bit 0 is `drawn`, bit 1 is
 * `is_last`, and the others are `twin`. */
static void
parse_contents(const struct trace_reader *reader, const uint32_t *fields, struct message *message)
{
    uint32_t named[10];
    if (reader->version == 2) {
        memcpy(named, fields, 4 * sizeof *fields);
        named[4] = fields[4] & 1;
        named[5] = fields[4] >> 1 & 1;
        named[6] = fields[4] >> 2;
        memcpy(named + 7, fields + 5, 3 * sizeof *fields);
        fields = named;
    }
    memcpy(&message->contents, fields, sizeof named);
}

/* Parses the message at raw_at. Returns false if the chunk is too short or the kind of message is
 * unknown. */
static bool
parse(struct trace_reader *reader, struct message *message)
{
    uint32_t head[2 + 11] = {0};
    size_t left = reader->raw.count - reader->raw_at;
    const uint8_t *from = reader->raw.items + reader->raw_at;
    if (left < 8)
        return false;
    memcpy(head, from, 8);
    uint32_t n = dwords_of(reader, head[0]);
    if (head[0] < MESSAGE_CLIENT_BEGIN || head[0] > MESSAGE_LAST || left < 8 + n * 4)
        return false;
    memcpy(head + 2, from + 8, n * 4);
    memset(message, 0, sizeof *message);
    message->kind = head[0];
    message->client = head[1];
    uint32_t size = 0;
    switch (message->kind) {
    case MESSAGE_CLIENT_BEGIN:
    case MESSAGE_SUBMIT: size = head[2]; break;
    case MESSAGE_RESOURCE_CREATE:
    case MESSAGE_RESOURCE_UNREF: memcpy(&message->resource, head + 2, n * 4); break;
    case MESSAGE_GET:
    case MESSAGE_SWAP:
    case MESSAGE_FRAME: memcpy(&message->transfer, head + 2, 32); break;
    case MESSAGE_STATE: memcpy(&message->state, head + 2, 4); break;
    case MESSAGE_ADDRESS: memcpy(&message->placement, head + 2, 4); break;
    case MESSAGE_RESULT: memcpy(&message->result, head + 2, 16); break;
    case MESSAGE_PUT:
        memcpy(&message->transfer, head + 2, 32);
        size = head[10];
        break;
    case MESSAGE_CONTENTS:
        parse_contents(reader, head + 2, message);
        size = head[1 + n];
        break;
    case MESSAGE_CLIENT_END: break;
    }
    left -= 8 + n * 4;
    uint64_t padded = ((uint64_t)size + 3) & ~3ull;
    if (padded > left)
        return false;
    message->bytes = from + 8 + n * 4;
    message->size_bytes = size;
    reader->raw_at += 8 + n * 4 + (uint32_t)padded;
    return true;
}

bool
trace_is_at(const struct trace_reader *reader, const char *path)
{
    struct stat st;
    return !stat(path, &st) && st.st_dev == reader->device && st.st_ino == reader->inode;
}

static bool
as_many(const struct trace_frame *a, const struct trace_frame *b)
{
    return a->messages == b->messages && a->draws == b->draws && a->chunks == b->chunks;
}

/* Returns whether the messages of the frame match the counts in its chunk headers, because callers
 * rely on these counts. Also checks that a frame ends at the end of a chunk. */
static bool
as_announced(struct trace_reader *reader, const struct message *message)
{
    const struct box *box = &message->transfer.box;
    struct trace_frame *read = &reader->read;
    read->messages++;
    if (message->kind == MESSAGE_SUBMIT)
        read->draws += submit_count_draws(message->bytes, message->size_bytes);
    if (!message_ends_frame(message))
        return true;
    if (reader->frame == reader->frames.count || reader->raw_at != reader->raw.count)
        return false;
    const struct trace_frame *announced = &reader->frames.items[reader->frame++];
    const bool same = as_many(read, announced) && message->client == announced->client &&
                      (uint32_t)box->width == announced->width &&
                      (uint32_t)box->height == announced->height;
    *read = (struct trace_frame){0};
    return same;
}

static bool
fail_announced(const struct trace_reader *reader, struct error *err)
{
    return fail(err, "%s: the messages before byte %llu differ from those in the chunk headers",
                reader->path, (unsigned long long)reader->at);
}

bool
trace_reader_next(struct trace_reader *reader, struct message *message, bool *end,
                  struct error *err)
{
    *end = false;
    if (!interrupt_check(err))
        return false;
    while (reader->raw_at == reader->raw.count) {
        if (reader->at >= reader->chunks_end) {
            *end = true;
            return (reader->frame == reader->frames.count &&
                    as_many(&reader->read, &reader->rest)) ||
                   fail_announced(reader, err);
        }
        if (!unpack(reader, err))
            return false;
    }
    if (!parse(reader, message))
        return fail(err, "%s: the chunk before byte %llu has no message at its byte %u",
                    reader->path, (unsigned long long)reader->at, reader->raw_at);
    return as_announced(reader, message) || fail_announced(reader, err);
}

bool
trace_reader_rewind(struct trace_reader *reader, struct error *err)
{
    reader->at = reader->chunks_begin;
    reader->raw.count = 0;
    reader->raw_at = 0;
    reader->frame = 0;
    reader->read = (struct trace_frame){0};
    return true;
}
