/* The bytes of a trace file, for its writer and its reader; in words: docs/design/file-formats.md,
 * Trace. Everything is little endian; CRCs are zlib's crc32. */
#ifndef AETIUS_TRACE_FILE_FORMAT_H
#define AETIUS_TRACE_FILE_FORMAT_H

#include "trace/message.h"

#include <string.h>

#define TRACE_MAGIC "AETIUS\x1a\n"

enum {
    TRACE_VERSION = 2,
    TRACE_PROGRAM_MAX = 4096,
    TRACE_CAPS_MAX = 65536,
    /* magic, version, first frame, bytes of the program and of the capabilities, CRC; both */
    TRACE_HEADER_BYTES = 28,
    TRACE_HEADER_CRC_AT = 24,

    TRACE_CHUNK_MAGIC = 0x4b4e4843, /* "CHNK" */
    TRACE_INDEX_MAGIC = 0x58444e49, /* "INDX" */
    TRACE_END_MAGIC = 0x21444e45,   /* "END!" */

    TRACE_CHUNK_TARGET = 4 << 20, /* raw bytes after which a chunk is written within a frame */
    TRACE_PUT_HEAD_BYTES = 44,    /* of a PUT, in front of what it puts */
    TRACE_RAW_MAX = (int)RESOURCE_MOST_BYTES + TRACE_PUT_HEAD_BYTES, /* raw bytes of a chunk */

    TRACE_INDEX_ENTRY_BYTES = 32,
    TRACE_END_BYTES = 16, /* magic, the index's offset, CRC of these */
};

/* In front of a chunk's zstd frame; its fields are on disk in this order. */
struct trace_chunk {
    uint32_t magic;
    uint32_t ends_frame; /* 1: its last message is a SWAP or FRAME */
    uint32_t packed_bytes, raw_bytes;
    uint32_t messages, draws;
    uint32_t client, width, height; /* of that message */
    uint32_t payload_crc;           /* of the packed bytes */
    uint32_t header_crc;            /* of the fields above */
};
_Static_assert(sizeof(struct trace_chunk) == 44, "no padding");

/* In front of the index: an entry a frame (struct trace_frame's fields in their order). */
struct trace_index {
    uint32_t magic, frames, payload_crc, header_crc;
};

struct trace_end {
    uint32_t magic, offset_low, offset_high, crc;
};

/* Dwords of a message in a chunk, after its kind and client: none (CLIENT_END), the bytes' size
 * (CLIENT_BEGIN, SUBMIT), resource_desc (RESOURCE_CREATE), handle (RESOURCE_UNREF), the union's own
 * fields (GET, SWAP, FRAME, STATE, ADDRESS, RESULT), the same and the bytes' size (PUT, CONTENTS).
 * The bytes follow, padded to a dword. */
static inline uint32_t
message_dwords(uint32_t kind)
{
    switch (kind) {
    case MESSAGE_CLIENT_BEGIN:
    case MESSAGE_SUBMIT:
    case MESSAGE_RESOURCE_UNREF: return 1;
    case MESSAGE_RESOURCE_CREATE: return 10;
    case MESSAGE_GET:
    case MESSAGE_SWAP:
    case MESSAGE_FRAME: return 8;
    case MESSAGE_PUT:
    case MESSAGE_CONTENTS: return 9;
    case MESSAGE_STATE:
    case MESSAGE_ADDRESS: return 1;
    case MESSAGE_RESULT: return 4;
    default: return 0;
    }
}

/* Of the whole message in a chunk. */
static inline uint64_t
message_bytes(const struct message *message)
{
    return 8 + 4 * message_dwords(message->kind) + (((uint64_t)message->size_bytes + 3) & ~3ull);
}

#endif
