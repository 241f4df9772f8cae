#include "unit/frontend/stream_writer.h"

#include <string.h>

enum { VALUE_BYTES = 4 };

void
stream_writer_add(void *data, uint32_t buffer, uint32_t address, const float *values,
                  uint32_t count)
{
    struct stream_writer *writer = data;
    for (uint32_t i = 0; i < count; i++) {
        struct stream_value *value = &writer->values[ring_push(&writer->ring)];
        value->address = address + i * VALUE_BYTES;
        value->buffer = buffer;
        memcpy(&value->bits, &values[i], sizeof value->bits);
    }
}

bool
stream_writer_is_open(const struct stream_writer *writer)
{
    bool open = writer->in_flight > 0;
    for (uint32_t b = 0; b < MAX_SO_BUFFERS; b++)
        open |= writer->collected[b].bytes_written != 0;
    return open;
}

static bool
send(struct stream_writer *writer, struct memory_request *collected, struct primasm_stats *stats,
     uint64_t now)
{
    if (!queue_space(writer->port.requests, now))
        return false;
    *(struct memory_request *)queue_push(writer->port.requests, now) = *collected;
    stats->stream_bytes += bits_count(collected->bytes_written);
    collected->bytes_written = 0;
    writer->in_flight++;
    return true;
}

bool
stream_writer_store(struct stream_writer *writer, struct primasm_stats *stats, uint64_t now)
{
    uint32_t budget = writer->rate;
    for (; budget && stream_writer_is_busy(writer); budget--) {
        const struct stream_value *value = &writer->values[ring_at(&writer->ring, 0)];
        struct memory_request *to = &writer->collected[value->buffer];
        const uint32_t at = value->address % TRANSACTION_BYTES;
        if (to->bytes_written && to->address != value->address - at &&
            !send(writer, to, stats, now))
            break;
        if (!to->bytes_written)
            *to = (struct memory_request){.address = value->address - at, .write = true};
        memcpy(to->data + at, &value->bits, VALUE_BYTES);
        to->bytes_written |= transaction_bytes(at, VALUE_BYTES);
        ring_pop(&writer->ring);
    }
    return budget < writer->rate;
}

bool
stream_writer_flush(struct stream_writer *writer, struct primasm_stats *stats, uint64_t now)
{
    for (uint32_t b = 0; b < MAX_SO_BUFFERS; b++)
        if (writer->collected[b].bytes_written)
            return send(writer, &writer->collected[b], stats, now);
    return false;
}

bool
stream_writer_take_replies(struct stream_writer *writer, uint64_t now)
{
    bool worked = false;
    while (queue_front(writer->port.replies, now)) {
        queue_pop(writer->port.replies, now);
        writer->in_flight--;
        worked = true;
    }
    return worked;
}
