/* Common interface of the functional renderer and the timed machine. A message sink in front of it
 * decodes messages and executes their commands. */
#ifndef AETIUS_SIM_EXECUTOR_H
#define AETIUS_SIM_EXECUTOR_H

#include "state/context.h"
#include "trace/virgl/decode.h"

struct executor {
    void *data;
    struct gpu_device *device;
    /* Executes any state or work command. GET and SWAP fill `out` with tightly packed rows, unless
     * `out` is NULL. */
    bool (*execute)(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
                    struct error *err);
};

struct executor_sink {
    struct message_sink sink; /* passed to the vtest server, or driven from a trace */
    struct executor executor;
    struct decoder *decoder;
    uint64_t messages; /* messages received so far; for error messages */
};

void executor_sink_init(struct executor_sink *sink, const struct executor *executor);
void executor_sink_fini(struct executor_sink *sink);

#endif
