/* Fuzz target: the trace reader. An input that begins with the magic of a trace is a file. The
 * target corrects the checksums of its chunks and features, because a fuzzer does not guess them.
 * Any other input is the unpacked content of a chunk. Accepted messages update the live state,
 * which is then written as `aetius trim` writes it. */
#include "fuzz_trace.h"

#include "base/mem.h"
#include "trace/file_format.h"
#include "trace/virgl/live_state.h"

#include <stddef.h>
#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t
crc_of(const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(0, bytes, size);
}

/* Corrects the CRC of a feature. Returns its size in bytes, or 0 if there is none. */
static size_t
repair_feature(uint8_t *bytes, size_t size)
{
    struct trace_feature_head head;
    if (size < sizeof head)
        return 0;
    memcpy(&head, bytes, sizeof head);
    if (head.magic != TRACE_FEATURE_MAGIC || head.name_bytes > size - sizeof head)
        return 0;
    head.crc = (uint32_t)crc32_z(crc_of(&head, offsetof(struct trace_feature_head, crc)),
                                 bytes + sizeof head, head.name_bytes);
    memcpy(bytes, &head, sizeof head);
    return sizeof head + head.name_bytes;
}

static void
repair(uint8_t *bytes, size_t size)
{
    uint32_t name, caps, crc;
    struct trace_chunk chunk;
    if (size < TRACE_HEADER_BYTES)
        return;
    memcpy(&name, bytes + 16, 4);
    memcpy(&caps, bytes + 20, 4);
    if (name > size - TRACE_HEADER_BYTES || caps > size - TRACE_HEADER_BYTES - name)
        return;
    crc = (uint32_t)crc32_z(crc_of(bytes, TRACE_HEADER_CRC_AT), bytes + TRACE_HEADER_BYTES,
                            (size_t)name + caps);
    memcpy(bytes + TRACE_HEADER_CRC_AT, &crc, 4);
    for (size_t at = TRACE_HEADER_BYTES + (size_t)name + caps; size - at >= sizeof chunk;) {
        const size_t feature = repair_feature(bytes + at, size - at);
        if (feature) {
            at += feature;
            continue;
        }
        memcpy(&chunk, bytes + at, sizeof chunk);
        if (chunk.magic != TRACE_CHUNK_MAGIC || chunk.packed_bytes > size - at - sizeof chunk)
            return;
        chunk.raw_bytes &= (1u << 20) - 1; /* below 1 MiB, because clearing memory is slow */
        chunk.payload_crc = crc_of(bytes + at + sizeof chunk, chunk.packed_bytes);
        chunk.header_crc = crc_of(&chunk, offsetof(struct trace_chunk, header_crc));
        memcpy(bytes + at, &chunk, sizeof chunk);
        at += sizeof chunk + chunk.packed_bytes;
    }
}

static bool
write_message(void *data, const struct message *message, struct error *err)
{
    uint32_t *sum = data;
    (void)err;
    *sum += crc_of(message->bytes, message->size_bytes);
    return true;
}

static bool
write_contents(void *data, const struct live_resource *resource, struct error *err)
{
    uint32_t *sum = data;
    (void)err;
    *sum += resource->number;
    return true;
}

static bool
write_result(void *data, const struct live_query *query, struct error *err)
{
    uint32_t *sum = data;
    (void)err;
    *sum += query->handle;
    return true;
}

static void
read_all(struct trace_reader *reader)
{
    struct live_state *state = live_state_create(NULL);
    struct message message;
    struct error err = {""};
    bool end = false;
    uint32_t sum = 0, frames = 0;
    while (trace_reader_next(reader, &message, &end, &err) && !end &&
           live_state_take(state, &message, &err)) {
        sum += crc_of(message.bytes, message.size_bytes);
        frames += message_ends_frame(&message);
    }
    BUG_ON(frames > trace_frame_count(reader), "more frames than the trace has");
    BUG_ON(!end && !err.text[0], "a message is refused without a message");
    const struct live_writer writer = {&sum, write_message, write_contents, write_result};
    live_state_write(state, &writer, &err);
    live_state_destroy(state);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file;
    struct trace_reader *reader = NULL;
    struct error err = {""};
    if (size >= 8 && !memcmp(data, TRACE_MAGIC, 8)) {
        uint8_t *copy = mem_alloc(size);
        memcpy(copy, data, size);
        repair(copy, size);
        memory_file_init(&file, copy, size);
        free(copy);
        if (!trace_reader_open(&reader, file.path, &err))
            reader = NULL;
        BUG_ON(!reader && !err.text[0], "a trace is refused without a message");
    } else {
        reader = reader_of_messages(&file, data, size);
    }
    if (reader) {
        read_all(reader);
        trace_reader_close(reader);
    }
    memory_file_fini(&file);
    return 0;
}
