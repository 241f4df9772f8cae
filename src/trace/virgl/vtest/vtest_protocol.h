/* The vtest protocol, version 2, as Mesa's virpipe driver speaks it over a Unix socket (spec:
 * frontend.md, "The socket"). A message is a dword length, a dword command, and the payload;
 * lengths are in dwords except where noted. */
#ifndef AETIUS_TRACE_VTEST_PROTOCOL_H
#define AETIUS_TRACE_VTEST_PROTOCOL_H

#include <stdint.h>

enum vtest_command {
    VTEST_GET_CAPS = 1, /* the reply's length is bytes + 1 */
    VTEST_CREATE = 2,   /* version 0 */
    VTEST_UNREF = 3,
    VTEST_GET = 4, /* version 0 */
    VTEST_PUT = 5, /* version 0 */
    VTEST_SUBMIT = 6,
    VTEST_BUSY_WAIT = 7,
    VTEST_CREATE_RENDERER = 8, /* the length is in bytes: the program's name with its NUL */
    VTEST_GET_CAPS2 = 9,       /* the reply's length is bytes + 1 */
    VTEST_PING = 10,
    VTEST_VERSION = 11,
    VTEST_CREATE2 = 12, /* answered with a memfd (SCM_RIGHTS) when the size is not 0 */
    VTEST_GET2 = 13,
    VTEST_PUT2 = 14, /* the length counts data that is never sent */
};

enum {
    VTEST_HEADER_BYTES = 8,
    VTEST_PROTOCOL = 2,
    VTEST_WAIT_FLAG = 1, /* BUSY_WAIT: answer when the resource is idle */

    VTEST_UNREF_DWORDS = 1,
    VTEST_BUSY_WAIT_DWORDS = 2, /* handle, flags */
    VTEST_VERSION_DWORDS = 1,
    VTEST_CREATE2_DWORDS = 11,   /* resource_desc's fields in their order, bytes of memory */
    VTEST_TRANSFER2_DWORDS = 10, /* handle, level, box, data size, offset in the memory */

    VTEST_NAME_MAX = 4096,
    VTEST_SUBMIT_MAX_DWORDS = 1 << 20,
};

/* What Mesa finds at the start of a query's buffer. */
struct vtest_query_result {
    uint32_t state; /* enum vtest_query_state */
    uint32_t size_bytes;
    uint64_t result;
};
enum vtest_query_state { VTEST_QUERY_DONE = 1, VTEST_QUERY_WAITS = 2 };

#endif
