#include "sim/memory_need.h"

#include "sim/executor.h"
#include "sim/machine_internal.h"
#include "sim/simulation.h"

#include <string.h>

/* Frees the host pages of a new resource, because this pass never reads contents. */
static void
forget_bytes(struct gpu_memory *memory)
{
    gpu_memory_zero(memory, 0, memory->size_bytes);
}

struct layout {
    struct gpu_device device;
    const struct params *params;
};

/* Allocates memory that one command needs while it runs. */
static bool
lay_out_temporary(struct gpu_memory *memory, uint32_t bytes, struct error *err)
{
    uint32_t address;
    if (!bytes)
        return true;
    if (!gpu_memory_alloc(memory, bytes, &address, err))
        return false;
    gpu_memory_free(memory, address, bytes);
    return true;
}

/* Allocates the temporary copy that some blits need. */
static bool
lay_out_blit(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    uint32_t bytes;
    return gpu_apply(device, cmd, err) && machine_blit_copy(device, cmd, &bytes, err) &&
           lay_out_temporary(&device->memory, bytes, err);
}

static bool
lay_out(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct layout *layout = data;
    struct gpu_device *device = &layout->device;
    const uint32_t step = 64u << 20, used_bytes = device->memory.used_bytes;
    if (cmd->op == GPU_RESOURCE_CREATE) {
        const bool ok = gpu_apply(device, cmd, err);
        if (ok && device->memory.used_bytes / step != used_bytes / step)
            forget_bytes(&device->memory);
        return ok;
    }
    if (cmd->op == GPU_BLIT || cmd->op == GPU_COPY_REGION)
        return lay_out_blit(device, cmd, err);
    if (cmd->op != GPU_DRAW)
        return gpu_apply(device, cmd, err);
    return lay_out_temporary(&device->memory,
                             geomasm_memory_bytes(layout->params, gpu_skip_draw(device, cmd)), err);
}

static bool
walk(struct executor_sink *sink, struct trace_reader *reader, uint32_t last, struct error *err)
{
    struct message message;
    bool end = false;
    for (uint32_t frame = 0; frame <= last;) {
        if (!trace_reader_next(reader, &message, &end, err))
            return false;
        if (end)
            break;
        if (!sink->sink.take(sink->sink.data, &message, NULL, 0, err))
            return false;
        frame += message_ends_frame(&message);
    }
    return true;
}

bool
memory_need_find(struct memory_need *need, struct trace_reader *reader, const struct params *params,
                 uint32_t last, struct error *err)
{
    struct layout layout = {.params = params};
    struct gpu_device *device = &layout.device;
    struct executor_sink sink;
    if (!trace_reader_rewind(reader, err) || !gpu_device_init(device, 1 << 20, err))
        return false;
    budget_move(&device->objects, trace_reader_budget(reader));
    simulation_shape_device(device, params);
    const struct executor executor = {&layout, device, lay_out};
    executor_sink_init(&sink, &executor);
    bool ok = gpu_memory_let_grow(&device->memory, err) && walk(&sink, reader, last, err);
    *need = (struct memory_need){device->memory.size_bytes, device->memory.peak_bytes};
    executor_sink_fini(&sink);
    gpu_device_fini(device);
    return ok;
}

void
memory_need_explain(struct trace_reader *reader, const struct params *params, uint32_t last,
                    struct error *err)
{
    struct memory_need need;
    struct error longer, unheard;
    if (!strstr(err->text, MEMORY_EXHAUSTED) || !strstr(err->text, "MemorySize") ||
        !memory_need_find(&need, reader, params, last, &unheard))
        return;
    fail(&longer, "%.800s (%u is enough: the frames use at most %u bytes)", err->text,
         need.size_bytes, need.used_bytes);
    *err = longer;
}
