/* Binary layout of a trace file, shared by writer and reader and described in
 * docs/design/file-formats.md, Trace. All numbers are little-endian. CRCs are zlib's crc32. */
#ifndef AETIUS_TRACE_FILE_FORMAT_H
#define AETIUS_TRACE_FILE_FORMAT_H

#include "trace/message.h"

#include <string.h>

#define TRACE_MAGIC "AETIUS\x1a\n"

enum {
    TRACE_VERSION = 3,
    TRACE_OLDEST_VERSION = 2, /* the oldest version that the reader accepts */
    TRACE_PROGRAM_MAX = 4096,
    TRACE_CAPS_MAX = 65536,
    /* Magic, version, first frame, size of the program's name, size of the capabilities, CRC. The
     * name and the capabilities follow. */
    TRACE_HEADER_BYTES = 28,
    TRACE_HEADER_CRC_AT = 24,

    TRACE_CHUNK_MAGIC = 0x4b4e4843,   /* "CHNK" */
    TRACE_FEATURE_MAGIC = 0x54414546, /* "FEAT" */
    TRACE_FEATURE_MAX = 64,           /* bytes of the name */
    TRACE_INDEX_MAGIC = 0x58444e49,   /* "INDX" */
    TRACE_END_MAGIC = 0x21444e45,     /* "END!" */

    /* A chunk is also written within a frame when the collected messages exceed this size in
     * bytes. */
    TRACE_CHUNK_TARGET = 4 << 20,
    TRACE_PUT_HEAD_BYTES = 44, /* size of a PUT message without its payload */
    /* Maximum size of the messages in a chunk, in bytes. */
    TRACE_RAW_MAX = (int)RESOURCE_MOST_BYTES + TRACE_PUT_HEAD_BYTES,

    TRACE_INDEX_ENTRY_BYTES = 32,
    TRACE_END_BYTES = 16, /* magic, offset of the index, CRC of both */
};

/* Header of a chunk, which its zstd frame follows. The fields are stored in this order. */
struct trace_chunk {
    uint32_t magic;
    uint32_t ends_frame; /* 1: the last message is a SWAP or FRAME */
    uint32_t packed_bytes, raw_bytes;
    uint32_t messages, draws;
    uint32_t client, width, height; /* client and shown box of that message */
    uint32_t payload_crc;           /* CRC of the compressed bytes */
    uint32_t header_crc;            /* CRC of the fields above */
};
_Static_assert(sizeof(struct trace_chunk) == 44, "no padding");

/* A feature, before the first chunk that uses it. The bytes of its name follow. */
struct trace_feature_head {
    uint32_t magic, name_bytes;
    uint32_t crc; /* of the fields above and of the name */
};

/* Header of the index. One entry per frame follows, with the fields of struct trace_frame in
 * order. */
struct trace_index {
    uint32_t magic, frames, payload_crc, header_crc;
};

struct trace_end {
    uint32_t magic, offset_low, offset_high, crc;
};

/* Returns the number of dwords of a message in a chunk, not counting its kind, client and payload.
 * These dwords are between the client and the payload:
 *   CLIENT_END: none
 *   CLIENT_BEGIN, SUBMIT: size of the payload
 *   RESOURCE_CREATE: resource_desc
 *   RESOURCE_UNREF: handle
 *   GET, SWAP, FRAME, STATE, ADDRESS, RESULT: the fields in the union
 *   PUT, CONTENTS: the fields in the union, then the size of the payload
 * The payload follows, padded to a dword. */
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
    case MESSAGE_PUT: return 9;
    case MESSAGE_CONTENTS: return 11;
    case MESSAGE_STATE:
    case MESSAGE_ADDRESS: return 1;
    case MESSAGE_RESULT: return 4;
    default: return 0;
    }
}

/* CONTENTS of version 2 has 9 dwords: one number holds the three fields of `shown`. */
enum { TRACE_V2_CONTENTS_DWORDS = 9 };

/* Returns the size in bytes of a complete message in a chunk. */
static inline uint64_t
message_bytes(const struct message *message)
{
    return 8 + 4 * message_dwords(message->kind) + (((uint64_t)message->size_bytes + 3) & ~3ull);
}

#endif
