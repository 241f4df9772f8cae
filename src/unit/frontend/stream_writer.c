#include "unit/frontend/stream_writer.h"

#include "gfx/stream_out.h"

#include <string.h>

enum { VALUE_BYTES = 4 };

void
stream_writer_init(struct stream_writer *writer, struct module *module, const struct params *params,
                   uint64_t *bytes, uint64_t *cycles)
{
    writer->module = module;
    writer->rate = params->PRIMITIVEASSEMBLY.StreamOutputRate;
    writer->bytes = bytes;
    writer->cycles = cycles;
    writer->ring.capacity = STREAM_VALUES;
}

static void
add_values(void *data, uint32_t buffer, uint32_t address, const float *values, uint32_t count)
{
    struct stream_writer *writer = data;
    for (uint32_t i = 0; i < count; i++) {
        struct stream_value *value = &writer->values[ring_push(&writer->ring)];
        value->address = address + i * VALUE_BYTES;
        value->buffer = buffer;
        memcpy(&value->bits, &values[i], sizeof value->bits);
    }
}

void
stream_writer_add(struct stream_writer *writer, const struct draw *draw, uint32_t vertices,
                  const struct vertex *const v[3])
{
    struct module *module = writer->module;
    stream_out(draw, vertices, v, add_values, writer);
    if (stream_writer_is_busy(writer))
        module->stage.cp_ref =
            module_step(module, module->stage.cp_ref, CAUSE_store, module->clock->now);
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
send(struct stream_writer *writer, struct memory_request *collected, uint64_t now)
{
    if (!queue_space(writer->port.requests, now))
        return false;
    *(struct memory_request *)queue_push(writer->port.requests, now) = *collected;
    *writer->bytes += bits_count(collected->bytes_written);
    collected->bytes_written = 0;
    writer->in_flight++;
    return true;
}

/* Returns whether it stored any value. */
static bool
store(struct stream_writer *writer, uint64_t now)
{
    uint32_t budget = writer->rate;
    for (; budget && stream_writer_is_busy(writer); budget--) {
        const struct stream_value *value = &writer->values[ring_at(&writer->ring, 0)];
        struct memory_request *to = &writer->collected[value->buffer];
        const uint32_t at = value->address % TRANSACTION_BYTES;
        if (to->bytes_written && to->address != value->address - at && !send(writer, to, now))
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
stream_writer_clock(struct stream_writer *writer, bool draw_ends, uint64_t now)
{
    struct module *module = writer->module;
    if (stream_writer_is_busy(writer)) {
        const bool stored = store(writer, now);
        ++*writer->cycles;
        if (!stream_writer_is_busy(writer))
            module_resume(module, &module->stage, module->stage.cp_ref, now + 1);
        return stored;
    }
    for (uint32_t b = 0; draw_ends && b < MAX_SO_BUFFERS; b++)
        if (writer->collected[b].bytes_written)
            return send(writer, &writer->collected[b], now);
    return false;
}

bool
stream_writer_take_replies(struct stream_writer *writer, uint64_t now)
{
    bool worked = false;
    while (writer->in_flight && queue_front(writer->port.replies, now)) {
        queue_pop(writer->port.replies, now);
        writer->in_flight--;
        worked = true;
    }
    if (worked && !stream_writer_is_open(writer))
        module_resume(writer->module, &writer->module->stage, writer->port.arrival.cp_ref, now);
    return worked;
}
