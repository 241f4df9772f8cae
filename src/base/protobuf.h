/* Encodes Protocol Buffers messages (wire format: varints, 64-bit numbers and length-prefixed
 * bytes) into memory, field by field.
 *
 *     proto_uint(&out, 8, cycle);
 *     size_t event = proto_begin(&out, 11);  proto_uint(&out, 9, 1);  proto_end(&out, event);
 *     fwrite(out.items, 1, out.count, file);  out.count = 0; */
#ifndef AETIUS_BASE_PROTOBUF_H
#define AETIUS_BASE_PROTOBUF_H

#include "base/mem.h"

struct proto {
    uint8_t *items; /* members of a VEC, with `count` and `capacity` */
    size_t count, capacity;
};

void proto_uint(struct proto *out, uint32_t field, uint64_t value);
void proto_fixed64(struct proto *out, uint32_t field, uint64_t value);
void proto_text(struct proto *out, uint32_t field, const char *text);
/* Encode a nested message, which consists of the fields written between the two calls. proto_end()
 * takes the value that proto_begin() returned. */
size_t proto_begin(struct proto *out, uint32_t field);
void proto_end(struct proto *out, size_t begin);

#endif
