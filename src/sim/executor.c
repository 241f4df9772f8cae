/* The message sink in front of an executor decodes messages and executes their commands. The sink
 * also copies query results to the client's copy of their buffer (docs/design/frontend.md, Fences
 * and queries). */
#include "sim/executor.h"

#include "base/interrupt.h"

#include <string.h>

static void
send_query_result(struct executor_sink *sink, const struct gpu_cmd *cmd)
{
    struct gpu_device *device = sink->executor.device;
    struct gpu_query *query = gpu_find_query(device, cmd, cmd->query_result.handle);
    if (!sink->sink.write_back || !query)
        return;
    sink->sink.write_back(sink->sink.listener, cmd->client, query->resource, query->offset,
                          device->memory.bytes + query->res->address + query->offset,
                          sizeof(struct gpu_query_record));
}

static bool
execute_decoded(struct executor_sink *sink, const struct gpu_cmd *cmd, uint8_t *out,
                uint32_t out_bytes, struct error *err)
{
    struct executor *executor = &sink->executor;
    struct gpu_cmd shows[2];
    if (!executor->execute(executor->data, cmd, out, out_bytes, err))
        return false;
    if (cmd->op == GPU_GET_QUERY_RESULT)
        send_query_result(sink, cmd);
    if (cmd->op != GPU_SWAP && cmd->op != GPU_RESOURCE_CREATE)
        return true;
    const uint32_t count = gpu_present(executor->device, cmd, shows);
    for (uint32_t i = 0; i < count; i++) {
        if (!executor->execute(executor->data, &shows[i], NULL, 0, err))
            return false;
        gpu_presented(executor->device, &shows[i]);
    }
    return true;
}

/* Executes the next command of the message. */
static enum decode_result
execute_next(struct executor_sink *sink, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct gpu_cmd cmd;
    if (!interrupt_check(err))
        return DECODE_ERROR;
    const enum decode_result result = decoder_next(sink->decoder, &cmd, err);
    return result == DECODE_COMMAND && !execute_decoded(sink, &cmd, out, out_bytes, err)
               ? DECODE_ERROR
               : result;
}

static bool
executor_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
              struct error *err)
{
    struct executor_sink *sink = data;
    enum decode_result result;
    uint64_t number = sink->messages++;
    decoder_limit(sink->decoder, sink->executor.device->objects.budget);
    decoder_begin(sink->decoder, message);
    do
        result = execute_next(sink, out, out_bytes, err);
    while (result == DECODE_COMMAND);
    if (result == DECODE_ERROR)
        return fail_at(err, "message %llu of client %u", (unsigned long long)number,
                       message->client);
    return true;
}

void
executor_sink_init(struct executor_sink *sink, const struct executor *executor)
{
    memset(sink, 0, sizeof *sink);
    sink->sink.data = sink;
    sink->sink.take = executor_take;
    sink->executor = *executor;
    sink->decoder = decoder_create();
}

void
executor_sink_fini(struct executor_sink *sink)
{
    decoder_destroy(sink->decoder);
    memset(sink, 0, sizeof *sink);
}
