#include "sim/render_sink.h"

#include "base/mem.h"
#include "sim/executor.h"
#include "sim/functional.h"
#include "trace/virgl/needed_draws.h"

#include <stdlib.h>

struct render_sink {
    struct gpu_device device;
    struct functional renderer;
    struct executor_sink executor;
    const struct needed_draws *needed; /* NULL: all draws */
    uint64_t draws;                    /* draws so far */
};

static bool
render_command(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
               struct error *err)
{
    struct render_sink *render = data;
    if (cmd->op == GPU_DRAW && !needed_draws_has(render->needed, render->draws++)) {
        gpu_skip_draw(&render->device, cmd);
        return true;
    }
    return functional_execute(&render->renderer, cmd, out, out_bytes, err);
}

bool
render_sink_create(struct render_sink **out, uint32_t memory_bytes, uint32_t forced_samples,
                   struct error *err)
{
    struct render_sink *render = mem_alloc(sizeof *render);
    if (!gpu_device_init(&render->device, memory_bytes, err)) {
        free(render);
        return false;
    }
    render->device.pages = true;
    render->device.forced_samples = forced_samples;
    functional_init(&render->renderer, &render->device);
    struct executor executor = {
        .data = render, .device = &render->device, .execute = render_command};
    executor_sink_init(&render->executor, &executor);
    *out = render;
    return true;
}

void
render_sink_need(struct render_sink *render, const struct needed_draws *needed)
{
    render->needed = needed;
}

void
render_sink_limit(struct render_sink *render, struct budget *budget)
{
    gpu_device_limit(&render->device, budget);
}

void
render_sink_watch(struct render_sink *render, const struct draw_watch *watch)
{
    render->renderer.watch = watch;
}

void
render_sink_destroy(struct render_sink *render)
{
    executor_sink_fini(&render->executor);
    functional_fini(&render->renderer);
    gpu_device_fini(&render->device);
    free(render);
}

struct message_sink *
render_sink_sink(struct render_sink *render)
{
    return &render->executor.sink;
}
