#include "base/protobuf.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, MAX_VARINT = 10 };

static uint32_t
encode(uint64_t value, uint8_t bytes[MAX_VARINT])
{
    uint32_t n = 0;
    for (; value > 0x7f; value >>= 7)
        bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    return n;
}

static void
append_bytes(struct proto *out, const void *bytes, size_t count)
{
    VEC_RESERVE(out, out->count + count);
    memcpy(out->items + out->count, bytes, count);
    out->count += count;
}

static void
put_varint(struct proto *out, uint64_t value)
{
    uint8_t bytes[MAX_VARINT];
    append_bytes(out, bytes, encode(value, bytes));
}

void
proto_uint(struct proto *out, uint32_t field, uint64_t value)
{
    put_varint(out, (uint64_t)field << 3 | WIRE_VARINT);
    put_varint(out, value);
}

void
proto_fixed64(struct proto *out, uint32_t field, uint64_t value)
{
    uint8_t bytes[8];
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    put_varint(out, (uint64_t)field << 3 | WIRE_FIXED64);
    append_bytes(out, bytes, sizeof bytes);
}

void
proto_text(struct proto *out, uint32_t field, const char *text)
{
    const size_t length = strlen(text);
    put_varint(out, (uint64_t)field << 3 | WIRE_BYTES);
    put_varint(out, length);
    append_bytes(out, text, length);
}

size_t
proto_begin(struct proto *out, uint32_t field)
{
    put_varint(out, (uint64_t)field << 3 | WIRE_BYTES);
    return out->count;
}

/* Inserts the length in front of the nested message. The encoded size of the length depends on its
 * value, so no fixed space can be reserved for it. */
void
proto_end(struct proto *out, size_t begin)
{
    uint8_t bytes[MAX_VARINT];
    const size_t length = out->count - begin;
    const uint32_t n = encode(length, bytes);
    VEC_RESERVE(out, out->count + n);
    memmove(out->items + begin + n, out->items + begin, length);
    memcpy(out->items + begin, bytes, n);
    out->count += n;
}
