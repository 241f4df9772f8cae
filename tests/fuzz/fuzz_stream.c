/* Fuzz target: decoder, context and functional renderer. The input is the unpacked content of a
 * trace chunk. The target skips expensive commands, so that an input takes milliseconds. */
#include "fuzz_trace.h"

#include "base/mem.h"
#include "sim/executor.h"
#include "sim/functional.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MEMORY_BYTES = 8 << 20,
    SIDE_LIMIT = 64,
    VERTEX_LIMIT = 64,
    DRAW_LIMIT = 6,
    COMMAND_LIMIT = 1000,
};

struct target {
    struct gpu_device device;
    struct functional renderer;
    uint32_t draws, commands;
};

static bool
is_small(const struct resource_desc *d)
{
    if (d->target == TARGET_BUFFER)
        return d->width <= 1 << 16;
    return d->width <= SIDE_LIMIT && d->height <= SIDE_LIMIT && d->depth <= 8 &&
           d->array_size <= 12;
}

static bool
box_is_small(const struct box *box)
{
    const int32_t v[3] = {box->width, box->height, box->depth};
    for (int i = 0; i < 3; i++)
        if (v[i] > 256 || v[i] < -256)
            return false;
    return true;
}

/* Returns whether to execute the command; expensive commands are skipped. */
static bool
is_cheap(struct target *target, const struct gpu_cmd *cmd)
{
    if (target->commands++ >= COMMAND_LIMIT)
        return false;
    switch (cmd->op) {
    case GPU_RESOURCE_CREATE: return is_small(&cmd->resource);
    case GPU_DRAW:
        return target->draws++ < DRAW_LIMIT && cmd->draw.count <= VERTEX_LIMIT &&
               cmd->draw.instance_count <= 4;
    case GPU_BLIT: return box_is_small(&cmd->blit.dst.box) && box_is_small(&cmd->blit.src.box);
    case GPU_COPY_REGION: return box_is_small(&cmd->copy.src_box);
    default: return true;
    }
}

static bool
execute(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct target *target = data;
    struct error unheard = {""};
    (void)err;
    if (!is_cheap(target, cmd))
        return true;
    bool ok = functional_execute(&target->renderer, cmd, out, out_bytes, &unheard);
    BUG_ON(!ok && !unheard.text[0], "a command is refused without a message");
    return true; /* an error of one command does not end the stream */
}

static void
run(struct target *target, struct trace_reader *reader)
{
    struct executor executor = {.data = target, .device = &target->device, .execute = execute};
    struct executor_sink sink;
    struct message message;
    struct error err = {""};
    bool end = false;
    executor_sink_init(&sink, &executor);
    while (trace_reader_next(reader, &message, &end, &err) && !end)
        if (!sink.sink.take(sink.sink.data, &message, NULL, 0, &err))
            break;
    executor_sink_fini(&sink);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file;
    struct target target = {0};
    struct error err;
    struct trace_reader *reader = reader_of_messages(&file, data, size);
    if (reader) {
        BUG_ON(!gpu_device_init(&target.device, MEMORY_BYTES, &err), "%s", err.text);
        functional_init(&target.renderer, &target.device);
        run(&target, reader);
        functional_fini(&target.renderer);
        gpu_device_fini(&target.device);
        trace_reader_close(reader);
    }
    memory_file_fini(&file);
    return 0;
}
