/* The reference renderer: a private virgl_test_server, which draws on llvmpipe or softpipe what the
 * clients say. Each client is a connection to it. */
#ifndef AETIUS_TRACE_PASSTHROUGH_H
#define AETIUS_TRACE_PASSTHROUGH_H

#include "trace/message.h"

struct passthrough;

/* `driver`: llvmpipe or softpipe. Starts the server and waits until it listens. */
bool passthrough_create(struct passthrough **passthrough, const char *driver, struct error *err);
/* Ends the server. */
void passthrough_destroy(struct passthrough *passthrough);

struct message_sink *passthrough_sink(struct passthrough *passthrough);

/* Whether a GET gives what the GPU holds of this format bit by bit. Z24X8 does not: the server
 * reads depth alone as floats of less precision. */
bool passthrough_keeps(uint32_t format);

#endif
