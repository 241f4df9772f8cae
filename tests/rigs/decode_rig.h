/* A decoder and one packet stream. */
#ifndef AETIUS_TESTS_DECODE_RIG_H
#define AETIUS_TESTS_DECODE_RIG_H

#include "rigs/stream.h"
#include "trace/virgl/decode_internal.h"

struct decode_rig {
    struct decoder *decoder;
    struct stream s; /* packets for the next call; every call empties it */
    struct gpu_cmd cmd;
    struct error err;
};

/* Fixtures of cmocka: *data is a struct decode_rig. */
int decode_setup(void **data);
int decode_teardown(void **data);

/* Sends the stream as a message of client 1, and decodes up to the first command. */
enum decode_result decode_first(struct decode_rig *f);
/* The first command must have this operation. */
void decode_expect(struct decode_rig *f, enum gpu_op op);
void decode_expect_error(struct decode_rig *f, const char *text);
/* The stream must contain no command of the GPU. */
void decode_expect_nothing(struct decode_rig *f);

#endif
