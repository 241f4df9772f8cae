/* Version 2 of the vtest protocol, which Mesa's virpipe driver uses over a Unix socket
 * (docs/design/frontend.md, Socket). A message consists of a dword with the length, a dword with
 * the command, and the payload. Lengths are in dwords unless noted otherwise. */
#ifndef AETIUS_TRACE_VTEST_PROTOCOL_H
#define AETIUS_TRACE_VTEST_PROTOCOL_H

#include <stdint.h>

enum vtest_command {
    VTEST_GET_CAPS = 1, /* the length of the reply is its bytes + 1 */
    VTEST_CREATE = 2,   /* version 0 */
    VTEST_UNREF = 3,
    VTEST_GET = 4, /* version 0 */
    VTEST_PUT = 5, /* version 0 */
    VTEST_SUBMIT = 6,
    VTEST_BUSY_WAIT = 7,
    VTEST_CREATE_RENDERER = 8, /* length in bytes: the program's name with its NUL */
    VTEST_GET_CAPS2 = 9,       /* the length of the reply is its bytes + 1 */
    VTEST_PING = 10,
    VTEST_VERSION = 11,
    VTEST_CREATE2 = 12, /* the reply includes a memfd (SCM_RIGHTS) if the size is not 0 */
    VTEST_GET2 = 13,
    VTEST_PUT2 = 14, /* the length includes data that is never sent */
};

enum {
    VTEST_HEADER_BYTES = 8,
    VTEST_PROTOCOL = 2,
    VTEST_WAIT_FLAG = 1, /* BUSY_WAIT: reply once the resource is idle */

    VTEST_NAME_MAX = 4096,
    VTEST_SUBMIT_MAX_DWORDS = 1 << 20,
};

/* Offsets and lengths of the payload fields, in dwords. */
enum { VTEST_UNREF_HANDLE, VTEST_UNREF_DWORDS };
enum { VTEST_WAIT_HANDLE, VTEST_WAIT_FLAGS, VTEST_BUSY_WAIT_DWORDS };
enum { VTEST_VERSION_NUMBER, VTEST_VERSION_DWORDS };
enum {                    /* CREATE2 */
       VTEST_CREATE_DESC, /* fields of struct resource_desc, in order */
       VTEST_CREATE_MEMORY_BYTES = 10,
       VTEST_CREATE2_DWORDS,
};
enum { /* GET2, PUT2 */
       VTEST_TRANSFER_HANDLE,
       VTEST_TRANSFER_LEVEL,
       VTEST_TRANSFER_BOX,
       VTEST_TRANSFER_DATA_BYTES = VTEST_TRANSFER_BOX + 6,
       VTEST_TRANSFER_OFFSET, /* offset in the resource's memory */
       VTEST_TRANSFER2_DWORDS,
};

/* Start of a query's buffer, in the layout that Mesa reads. */
struct vtest_query_result {
    uint32_t state; /* enum vtest_query_state */
    uint32_t size_bytes;
    uint64_t result;
};
enum vtest_query_state { VTEST_QUERY_DONE = 1, VTEST_QUERY_WAITS = 2 };

#endif
