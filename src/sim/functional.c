/* The functional renderer executes every command at once, without timing. gpu_apply() executes
 * state commands. This file executes work commands: transfers, clears, blits and queries.
 * functional_draw.c executes draws.
 *
 * Each time query returns one nanosecond more than the one before, or the later time that
 * functional_set_time() states. */
#include "sim/functional.h"

#include "gfx/transfer.h"
#include "sim/functional_draw.h"

#include <stdlib.h>
#include <string.h>

void
functional_init(struct functional *renderer, struct gpu_device *device)
{
    memset(renderer, 0, sizeof *renderer);
    renderer->device = device;
    renderer->scratch = functional_scratch_create();
    arena_init(&renderer->draws);
}

void
functional_fini(struct functional *renderer)
{
    functional_scratch_destroy(renderer->scratch);
    arena_fini(&renderer->draws);
    memset(renderer, 0, sizeof *renderer);
}

struct functional_work
functional_work_since(const struct functional_work *now, const struct functional_work *before)
{
    enum { COUNTS = sizeof(struct functional_work) / sizeof(uint64_t) };
    uint64_t a[COUNTS], b[COUNTS];
    struct functional_work work;
    memcpy(a, now, sizeof a);
    memcpy(b, before, sizeof b);
    for (size_t i = 0; i < COUNTS; i++)
        a[i] -= b[i];
    memcpy(&work, a, sizeof work);
    return work;
}

/* gpu_apply() has checked that the resource exists and contains the box. */
static const struct resource *
transfer_resource(struct functional *renderer, const struct gpu_cmd *cmd)
{
    const struct resource *res =
        gpu_resource(renderer->device, cmd->client, cmd->transfer.resource);
    BUG_ON(!res, "transfer of resource %u, which no longer exists", cmd->transfer.resource);
    return res;
}

static bool
put_into_resource(struct functional *renderer, const struct gpu_cmd *cmd, struct error *err)
{
    const struct resource *res = transfer_resource(renderer, cmd);
    const uint32_t wanted = resource_box_bytes(res, &cmd->transfer.box);
    if (cmd->transfer.size_bytes < wanted)
        return fail(err, "resource %u: %u bytes are written to a box of %u bytes",
                    cmd->transfer.resource, cmd->transfer.size_bytes, wanted);
    gpu_put(renderer->device, cmd);
    if (renderer->watch && renderer->watch->upload)
        renderer->watch->upload(renderer->watch->data, res, &cmd->transfer.box);
    return true;
}

static bool
get(struct functional *renderer, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
    struct error *err)
{
    const struct resource *res = transfer_resource(renderer, cmd);
    const uint32_t wanted = resource_box_bytes(res, &cmd->transfer.box);
    if (out && out_bytes < wanted)
        return fail(err, "resource %u: a box of %u bytes is read into a buffer of %u bytes",
                    cmd->transfer.resource, wanted, out_bytes);
    if (out)
        resource_read_box(res, &renderer->device->memory, cmd->transfer.level, &cmd->transfer.box,
                          out);
    return true;
}

static bool
draw_command(struct functional *renderer, const struct gpu_cmd *cmd, struct error *err)
{
    struct draw *draw = NULL;
    const struct draw_watch *watch = renderer->watch;
    renderer->before_draw = renderer->work;
    if (!gpu_bake_draw(renderer->device, cmd, &renderer->draws, &draw, err))
        return false;
    if (!draw)
        return true;
    return (!watch || !watch->before || watch->before(watch->data, renderer, draw, err)) &&
           functional_draw(renderer, draw, err) &&
           (!watch || !watch->after || watch->after(watch->data, renderer, draw, err));
}

/* Clears all layers of a surface. */
static void
clear_layers(struct functional *renderer, const struct gpu_cmd *cmd, struct bound_surface surface,
             bool is_depth)
{
    struct gpu_memory *memory = &renderer->device->memory;
    for (uint32_t left = surface.layers; left; left--, surface.layer++)
        if (is_depth)
            clear_depth(&surface, memory, cmd->clear.buffers & (MASK_DEPTH | MASK_STENCIL),
                        cmd->clear.depth, cmd->clear.stencil);
        else
            clear_color(&surface, memory, cmd->clear.rgba);
}

static bool
functional_clear(struct functional *renderer, const struct gpu_cmd *cmd, struct error *err)
{
    struct bound_surface color[MAX_COLOR_BUFFERS], depth;
    const uint32_t buffers = cmd->clear.buffers;
    uint32_t count;

    if (!gpu_render_condition(renderer->device, cmd))
        return true;
    if (!gpu_bake_framebuffer(renderer->device, cmd, color, &count, &depth, err))
        return false;
    gpu_note_clear(renderer->device, cmd);
    renderer->work.clears++;
    for (uint32_t i = 0; i < count; i++)
        if (color[i].res && buffers & (uint32_t)MASK_COLOR0 << i)
            clear_layers(renderer, cmd, color[i], false);
    if (depth.res && buffers & (MASK_DEPTH | MASK_STENCIL))
        clear_layers(renderer, cmd, depth, true);
    return true;
}

/* Counts the words that a blit or copy writes. */
static void
count_words(struct functional *renderer, const struct gpu_cmd *cmd)
{
    struct blit_plan plan;
    if (!blit_plan_init(&plan, renderer->device, cmd, NULL))
        return;
    const uint64_t elements = (uint64_t)(plan.x.last - plan.x.first) *
                              (uint64_t)(plan.y.last - plan.y.first) *
                              (uint64_t)(plan.z.last - plan.z.first);
    const uint32_t samples = plan.dst.res->samples;
    renderer->work.blitted += elements * samples * ((blit_element_bytes(&plan) + 3) / 4);
}

static bool
blit_command(struct functional *renderer, const struct gpu_cmd *cmd, struct error *err)
{
    if (cmd->blit.render_condition && !gpu_render_condition(renderer->device, cmd))
        return true;
    count_words(renderer, cmd);
    return blit(renderer->device, cmd, err);
}

static bool
copy_command(struct functional *renderer, const struct gpu_cmd *cmd, struct error *err)
{
    count_words(renderer, cmd);
    return copy_region(renderer->device, cmd, err);
}

static bool
end_frame(struct functional *renderer, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
          struct error *err)
{
    arena_reset(&renderer->draws);
    if (renderer->watch && renderer->watch->frame)
        renderer->watch->frame(renderer->watch->data, renderer,
                               cmd->op == GPU_SWAP ? transfer_resource(renderer, cmd) : NULL);
    return get(renderer, cmd, out, out_bytes, err);
}

void
functional_set_time(struct functional *renderer, uint64_t ns)
{
    if (renderer->time_ns < ns)
        renderer->time_ns = ns;
}

/* Value of the query's counter. Time passes from each reading to the next, so that a program can
 * divide by a difference. */
static uint64_t
query_count(struct functional *renderer, const struct gpu_query *query)
{
    const bool is_time = query->type == QUERY_TIMESTAMP || query->type == QUERY_TIME_ELAPSED;
    return is_time ? renderer->time_ns++ : 0;
}

static bool
find_query(struct functional *renderer, const struct gpu_cmd *cmd, uint32_t handle,
           struct gpu_query **query, struct error *err)
{
    *query = gpu_find_query(renderer->device, cmd, handle);
    return *query || fail(err, "query %u does not exist", handle);
}

/* Until it ends, a counting query stores its start value. Occlusion queries start at 0, and draws
 * add to them. */
static bool
begin_query(struct functional *renderer, const struct gpu_cmd *cmd, struct error *err)
{
    struct gpu_query *query;
    if (!find_query(renderer, cmd, cmd->object.handle, &query, err))
        return false;
    query->result = query_count(renderer, query);
    return true;
}

static bool
end_query(struct functional *renderer, const struct gpu_cmd *cmd, struct error *err)
{
    struct gpu_query *query;
    if (!find_query(renderer, cmd, cmd->object.handle, &query, err))
        return false;
    query->active = false;
    switch (query->type) {
    case QUERY_TIMESTAMP: query->result = query_count(renderer, query); break;
    case QUERY_TIME_ELAPSED: query->result = query_count(renderer, query) - query->result; break;
    case QUERY_OCCLUSION_PREDICATE:
    case QUERY_OCCLUSION_PREDICATE_CONSERVATIVE: query->result = query->result != 0; break;
    default: break;
    }
    return true;
}

static bool
get_query_result(struct functional *renderer, const struct gpu_cmd *cmd, struct error *err)
{
    struct {
        uint32_t state, size;
        uint64_t result;
    } answer = {.state = 1, .size = 8};
    struct gpu_query *query;

    if (!find_query(renderer, cmd, cmd->query_result.handle, &query, err))
        return false;
    const struct resource *res = gpu_resource(renderer->device, cmd->client, query->resource);
    if (!res || res->size_bytes < sizeof answer || query->offset > res->size_bytes - sizeof answer)
        return fail(err, "query %u has no buffer for its result", cmd->query_result.handle);
    answer.result = query->result;
    memcpy(renderer->device->memory.bytes + res->address + query->offset, &answer, sizeof answer);
    return true;
}

bool
functional_execute(struct functional *renderer, const struct gpu_cmd *cmd, uint8_t *out,
                   uint32_t out_bytes, struct error *err)
{
    if (!gpu_apply(renderer->device, cmd, err))
        return false;
    switch (cmd->op) {
    case GPU_PUT: return put_into_resource(renderer, cmd, err);
    case GPU_GET: return get(renderer, cmd, out, out_bytes, err);
    case GPU_SWAP:
    case GPU_FRAME: return end_frame(renderer, cmd, out, out_bytes, err);
    case GPU_DRAW: return draw_command(renderer, cmd, err);
    case GPU_CLEAR: return functional_clear(renderer, cmd, err);
    case GPU_BLIT: return blit_command(renderer, cmd, err);
    case GPU_COPY_REGION: return copy_command(renderer, cmd, err);
    case GPU_BEGIN_QUERY: return begin_query(renderer, cmd, err);
    case GPU_END_QUERY: return end_query(renderer, cmd, err);
    case GPU_GET_QUERY_RESULT: return get_query_result(renderer, cmd, err);
    default: return true; /* state commands, already executed by gpu_apply() */
    }
}
