/* Common interface of the functional renderer and the timed machine, and the message sink in front
 * of it, which decodes messages and executes their commands. */
#ifndef AETIUS_SIM_EXECUTOR_H
#define AETIUS_SIM_EXECUTOR_H

#include "state/context.h"
#include "trace/virgl/decode.h"

struct executor {
    void *data;
    struct gpu_device *device;
    /* Executes any command, state or work. GET and SWAP fill `out` (tight rows) if it is not
     * NULL. */
    bool (*execute)(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
                    struct error *err);
};

struct executor_sink {
    struct message_sink sink; /* pass &sink to the vtest server, or drive it from a trace */
    struct executor executor;
    struct decoder *decoder;
    uint64_t messages; /* taken so far; for error messages */
};

void executor_sink_init(struct executor_sink *sink, const struct executor *executor);
void executor_sink_fini(struct executor_sink *sink);

#endif
