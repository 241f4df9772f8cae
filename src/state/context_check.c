/* Checks commands before their work: handles and boxes of transfers, blits and copies must be
 * valid, and the pipeline must support the state of a draw. */
#include "state/context_internal.h"
#include "state/upload_history.h"

static bool
check_level(const struct resource *res, uint32_t level, struct error *err)
{
    if (level <= res->desc.last_level)
        return true;
    return fail(err, "level %u of resource %u exceeds %u", level, res->desc.handle,
                res->desc.last_level);
}

static bool
check_box(const struct resource *res, uint32_t level, const struct box *box, struct error *err)
{
    if (!check_level(res, level, err))
        return false;
    if (resource_box_ok(res, level, box))
        return true;
    return fail(err, "box (%d, %d, %d) of %d x %d x %d is not inside level %u of resource %u",
                box->x, box->y, box->z, box->width, box->height, box->depth, level,
                res->desc.handle);
}

static bool
check_transfer(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct resource *res = find_resource(device, cmd, cmd->transfer.resource, err);
    if (!res || !check_box(res, cmd->transfer.level, &cmd->transfer.box, err))
        return false;
    if (cmd->op == GPU_FRAME &&
        (!res->format || !format_is_shown(res->format) || cmd->transfer.box.depth != 1))
        return fail(err, "resource %u is not a texture that can be shown", cmd->transfer.resource);
    if (cmd->op != GPU_PUT)
        return page_in(device, res, err);
    uint32_t wanted = resource_box_bytes(res, &cmd->transfer.box);
    if (cmd->transfer.size_bytes < wanted || cmd->transfer.size_bytes - wanted > 3)
        return fail(err, "%u bytes for a box of %u bytes", cmd->transfer.size_bytes, wanted);
    if (!page_for_put(device, res, cmd, err))
        return false;
    cleared_note_write(res, true);
    res->uploaded = device->frame + 1;
    if (device->uploads) {
        budget_move(&device->uploads->share, device->objects.budget);
        device->put_repeats = upload_history_add(device->uploads, device->frame, res, cmd);
    }
    return true;
}

/* Returns whether the end of an extent fits into 32 bits. A negative extent is mirrored. The box
 * may reach outside the level, because the driver clips a scaled blit with the scissor to preserve
 * the scale. */
static bool
span_ok(int32_t origin, int32_t extent)
{
    const int64_t end = (int64_t)origin + extent;
    return end >= INT32_MIN && end <= INT32_MAX;
}

static bool
check_blit_side(struct gpu_device *device, const struct gpu_cmd *cmd, const struct blit_side *side,
                struct error *err)
{
    struct resource *res = find_resource(device, cmd, side->resource, err);
    const struct box *box = &side->box;
    if (!res)
        return false;
    if (!span_ok(box->x, box->width) || !span_ok(box->y, box->height) ||
        !span_ok(box->z, box->depth))
        return fail(err, "box of %d x %d x %d reaches outside resource %u", side->box.width,
                    side->box.height, side->box.depth, side->resource);
    const struct format_info *format = format_get(side->format);
    if (!format || format->block_bytes != res->format->block_bytes ||
        format->block_width != res->format->block_width)
        return fail(err, "format %u does not fit resource %u of format %s", side->format,
                    side->resource, res->format->name);
    return check_level(res, side->level, err) && page_in(device, res, err);
}

static bool
check_copy(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct resource *src = find_resource(device, cmd, cmd->copy.src, err);
    struct resource *dst = src ? find_resource(device, cmd, cmd->copy.dst, err) : NULL;
    if (!dst || !check_box(src, cmd->copy.src_level, &cmd->copy.src_box, err))
        return false;
    if (cmd->copy.dst_x > INT32_MAX || cmd->copy.dst_y > INT32_MAX || cmd->copy.dst_z > INT32_MAX)
        return fail(err, "destination (%u, %u, %u) is out of range", cmd->copy.dst_x,
                    cmd->copy.dst_y, cmd->copy.dst_z);
    if ((src->desc.target == TARGET_BUFFER) != (dst->desc.target == TARGET_BUFFER) ||
        src->format->block_bytes != dst->format->block_bytes ||
        src->format->block_width != dst->format->block_width ||
        (src->samples != dst->samples && !src->forced_samples && !dst->forced_samples))
        return fail(err, "resources %u and %u have different shapes", cmd->copy.src, cmd->copy.dst);
    struct box box = cmd->copy.src_box;
    box.x = (int32_t)cmd->copy.dst_x;
    box.y = (int32_t)cmd->copy.dst_y;
    box.z = (int32_t)cmd->copy.dst_z;
    dst->drawn = true;
    cleared_note_write(dst, true);
    return check_box(dst, cmd->copy.dst_level, &box, err) && page_in(device, src, err) &&
           page_in(device, dst, err);
}

bool
check_work(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct gpu_state *state;
    struct object *query;
    switch (cmd->op) {
    case GPU_PUT:
    case GPU_GET:
    case GPU_SWAP:
    case GPU_FRAME: return check_transfer(device, cmd, err);
    case GPU_COPY_REGION: return check_copy(device, cmd, err);
    case GPU_BLIT:
        note_blit(gpu_resource(device, cmd->client, cmd->blit.src.resource),
                  gpu_resource(device, cmd->client, cmd->blit.dst.resource));
        return check_blit_side(device, cmd, &cmd->blit.dst, err) &&
               check_blit_side(device, cmd, &cmd->blit.src, err) &&
               find_state(device, cmd, err) != NULL;
    case GPU_GET_QUERY_RESULT:
        state = find_state(device, cmd, err);
        query = state ? find_object(state, OBJECT_QUERY, cmd->query_result.handle, err) : NULL;
        return query && page_in(device, query->res, err);
    default: return find_state(device, cmd, err) != NULL; /* DRAW and CLEAR: checked when baked */
    }
}

/* With a second source color, the protocol supports only one render target. */
static bool
has_more_targets(const struct draw *draw)
{
    for (uint32_t i = 1; i < draw->color_count; i++)
        if (draw->color[i].res && (draw_uses_source1(draw, 0) || draw_uses_source1(draw, i)))
            return true;
    return false;
}

static uint32_t
quad_bytes_most(const struct draw *draw)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i <= draw->color_count; i++) {
        const struct bound_surface *s = i < draw->color_count ? &draw->color[i] : &draw->depth;
        const uint32_t bytes = s->res ? 4u * s->format->block_bytes * s->samples : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

bool
gpu_check_executable(const struct draw *draw, struct error *err)
{
    const struct {
        bool wanted;
        const char *what;
    } not_executed[] = {
        {quad_bytes_most(draw) > MAX_QUAD_BYTES, "16-byte pixels of 8 samples"},
        {has_more_targets(draw), "blending of several targets with a second source color"},
    };
    for (size_t i = 0; i < sizeof not_executed / sizeof *not_executed; i++)
        if (not_executed[i].wanted)
            return fail(err, "this GPU does not execute %s", not_executed[i].what);
    return true;
}
