/* Reference renderer: a private virgl_test_server, which draws the messages of clients on llvmpipe
 * or softpipe. Each client has a separate connection. */
#ifndef AETIUS_TRACE_PASSTHROUGH_H
#define AETIUS_TRACE_PASSTHROUGH_H

#include "trace/message.h"

struct passthrough;

/* Starts the server and waits until it listens. `driver` is llvmpipe or softpipe. */
bool passthrough_create(struct passthrough **passthrough, const char *driver, struct error *err);
/* Ends the server and frees `passthrough`. */
void passthrough_destroy(struct passthrough *passthrough);

struct message_sink *passthrough_sink(struct passthrough *passthrough);

/* Returns whether a GET returns this format exactly as the GPU stores it. Z24X8 does not qualify:
 * the server reads depth without stencil as floats, which have less precision. */
bool passthrough_keeps(uint32_t format);

#endif
