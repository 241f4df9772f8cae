/* Reference renderer: a private virgl_test_server, which executes the clients' messages on llvmpipe
 * or softpipe. Each client has a separate connection. */
#ifndef AETIUS_TRACE_PASSTHROUGH_H
#define AETIUS_TRACE_PASSTHROUGH_H

#include "trace/message.h"

/* Turns off llvmpipe's 8-bit fixed-point filtering of 8-bit textures (docs/design/reference.md,
 * virgl_test_server). Other drivers ignore the variable. */
#define LLVMPIPE_FILTER_SETTING "GALLIVM_PERF=no_aos_sampling"

struct passthrough;

/* Starts the server and waits until it accepts connections. `driver` is "llvmpipe" or
 * "softpipe". */
bool passthrough_create(struct passthrough **passthrough, const char *driver, struct error *err);
/* Ends the server and frees `passthrough`. */
void passthrough_destroy(struct passthrough *passthrough);

struct message_sink *passthrough_sink(struct passthrough *passthrough);

/* Returns whether a GET returns resources of this format exactly as the GPU stores them. It does
 * not for Z24X8: the server reads depth without stencil as floats, which have less precision. */
bool passthrough_keeps(uint32_t format);

#endif
