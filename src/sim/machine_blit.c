/* Prepares blits and copies for the blitter of the timed machine (unit/blit/blitter.c). The ROPs
 * write back dirty lines and drop lines of the destination. Units that read the destination drop
 * their lines of it. A destination that the ROPs can render to gets block states, so that it stays
 * compressed. These states do not displace those of other surfaces. A blit from a level onto itself
 * uses a temporary copy of the level if the two boxes may share lines. */
#include "gfx/transfer.h"
#include "sim/machine_internal.h"

#include <string.h>

static void
add_blit(struct machine *m, const struct blit_plan *plan)
{
    cmdproc_add(m->cmdproc, STEP_BLIT)->blit = plan;
}

/* Assigns block states to the destination's slices if there is room. */
static void
give_states(struct machine *m, const struct blit_plan *plan)
{
    const struct resource *dst = plan->dst.res;
    struct blocks *blocks = machine_blocks(m, !dst->format->depth_bits);
    if (dst->desc.target == TARGET_BUFFER || dst->sampled_only ||
        dst->tile_bytes < blocks->block_bytes)
        return;
    for (int32_t z = plan->z.first; z < plan->z.last; z++) {
        const struct resource_level *level = &dst->levels[plan->dst.level];
        const struct bound_surface surface = {.res = dst,
                                              .format = dst->format,
                                              .level = plan->dst.level,
                                              .layer = (uint32_t)z,
                                              .width = level->width,
                                              .height = level->height,
                                              .samples = dst->samples};
        if (blocks_find(blocks, &surface) || !blocks_have_room(blocks, &surface))
            continue;
        blocks_touch(blocks, blocks_add(blocks, &surface));
    }
}

/* Writes back or invalidates cached lines of source and destination. */
static bool
flush_caches(struct machine *m, const struct blit_plan *plan, struct error *err)
{
    if ((machine_is_live(m, plan->src.res) || machine_is_live(m, plan->dst.res)) &&
        !machine_leave_surfaces(m, err))
        return false;
    if (machine_surfaces_of(m, plan->dst.res)) {
        struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_CONTROL);
        step->targets = STEP_ZSTENCIL | STEP_COLOR;
        step->control.kind = CONTROL_INVALIDATE;
        step->control.surface.res = plan->dst.res;
    }
    machine_invalidate_readers(m, plan->dst.res);
    return machine_forget_blocks(m, plan->dst.res, err);
}

/* Whether the rows of squares that the source positions may touch overlap those of the destination.
 * The source range includes the neighbors that a linear filter reads. */
static bool
rows_meet(const struct blit_plan *plan)
{
    const struct blit_axis *y = &plan->y;
    const uint32_t k = plan->dst.res->levels[plan->dst.level].square_log2;
    const double a = y->start, b = y->start + y->step * (double)(y->last - y->origin);
    const double low = (a < b ? a : b) - 1, high = (a < b ? b : a) + 1;
    const double first = (double)(y->first >> k << k), end = (double)(((y->last - 1) >> k) + 1);
    const double side = (double)(1u << k);
    return high + side > first && low - side < end * side;
}

/* Whether the blit may write a line that it later reads as source. */
static bool
may_overlap(const struct blit_plan *plan)
{
    if (!blit_in_place(plan))
        return false;
    if (plan->copies) {
        const int32_t *shift = plan->shift;
        const int32_t k = (int32_t)plan->dst.res->levels[plan->dst.level].square_log2;
        const int32_t rows = plan->y.last - plan->y.first + (1 << k);
        return !(shift[2] >= plan->z.last - plan->z.first ||
                 shift[2] <= plan->z.first - plan->z.last || shift[1] >= rows || shift[1] <= -rows);
    }
    return rows_meet(plan);
}

bool
machine_blit_copy(struct gpu_device *device, const struct gpu_cmd *cmd, uint32_t *bytes,
                  struct error *err)
{
    struct blit_plan plan;
    if (!blit_plan_init(&plan, device, cmd, err))
        return false;
    *bytes = may_overlap(&plan) ? plan.src.res->size_bytes : 0;
    return true;
}

/* Plan that copies the whole level unchanged to `copy`. */
static struct blit_plan
plan_of_copy(const struct blit_plan *plan, const struct resource *copy)
{
    const struct resource_level *level = &copy->levels[plan->src.level];
    const bool bytes = copy->desc.target == TARGET_BUFFER;
    const int32_t width = bytes ? 1 : (int32_t)plan->src.format->block_width;
    const int32_t height = bytes ? 1 : (int32_t)plan->src.format->block_height;
    return (struct blit_plan){.dst = {copy, copy->format, plan->src.level},
                              .src = {plan->src.res, plan->src.res->format, plan->src.level},
                              .x = {.last = ((int32_t)level->width + width - 1) / width},
                              .y = {.last = ((int32_t)level->height + height - 1) / height},
                              .z = {.last = (int32_t)level->slices},
                              .copies = true};
}

static bool
blit_through_copy(struct machine *m, struct blit_plan *plan, struct error *err)
{
    struct gpu_memory *memory = &m->device->memory;
    struct resource copy = *plan->src.res;
    if (!gpu_memory_alloc(memory, copy.size_bytes, &copy.address, err))
        return false;
    const struct blit_plan first = plan_of_copy(plan, &copy);
    plan->src.res = &copy;
    add_blit(m, &first);
    add_blit(m, plan);
    bool ok = machine_run_work(m, WORK_BLIT, CMDPROC_ALL, err);
    gpu_memory_free(memory, copy.address, copy.size_bytes);
    return ok;
}

/* A copy that does not write its whole box, or depends on a query, is no `struct work_copy`. */
static struct work_copy
copy_of(struct machine *m, const struct gpu_cmd *cmd)
{
    const struct box *from = &cmd->copy.src_box;
    if (cmd->op == GPU_BLIT &&
        (cmd->blit.scissor_enable || cmd->blit.alpha_blend ||
         (cmd->blit.render_condition && gpu_has_render_condition(m->device, cmd)) ||
         cmd->blit.mask & ~BLIT_COLOR))
        return (struct work_copy){.to = 0};
    if (cmd->op == GPU_BLIT)
        return (struct work_copy){cmd->blit.src.resource, cmd->blit.dst.resource,
                                  cmd->blit.dst.level, cmd->blit.dst.box, cmd->blit.mask};
    return (struct work_copy){cmd->copy.src,
                              cmd->copy.dst,
                              cmd->copy.dst_level,
                              {(int32_t)cmd->copy.dst_x, (int32_t)cmd->copy.dst_y,
                               (int32_t)cmd->copy.dst_z, from->width, from->height, from->depth},
                              BLIT_COLOR};
}

static bool
same_box(const struct box *a, const struct box *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z && a->width == b->width &&
           a->height == b->height && a->depth == b->depth;
}

static bool
same_side(const struct blit_side *a, const struct blit_side *b)
{
    return a->level == b->level && a->format == b->format && same_box(&a->box, &b->box);
}

/* Whether two copies between the same resources store the same values. */
static bool
same_copy(const struct gpu_cmd *a, const struct gpu_cmd *b)
{
    const struct scissor_state *s = &a->blit.scissor, *t = &b->blit.scissor;
    if (a->op != b->op)
        return false;
    if (a->op == GPU_COPY_REGION)
        return a->copy.src_level == b->copy.src_level && a->copy.dst_level == b->copy.dst_level &&
               a->copy.dst_x == b->copy.dst_x && a->copy.dst_y == b->copy.dst_y &&
               a->copy.dst_z == b->copy.dst_z && same_box(&a->copy.src_box, &b->copy.src_box);
    return a->blit.mask == b->blit.mask && a->blit.filter == b->blit.filter &&
           a->blit.scissor_enable == b->blit.scissor_enable &&
           (!a->blit.scissor_enable || (s->min_x == t->min_x && s->min_y == t->min_y &&
                                        s->max_x == t->max_x && s->max_y == t->max_y)) &&
           same_side(&a->blit.src, &b->blit.src) && same_side(&a->blit.dst, &b->blit.dst);
}

/* Whether the result of a copy depends only on its source. Writes into buffers are not counted. */
static bool
can_be_repeated(struct machine *m, const struct gpu_cmd *cmd, const struct resource *from,
                const struct resource *to)
{
    return from && to && from != to && from->desc.target != TARGET_BUFFER && !cmd->shows &&
           (cmd->op == GPU_COPY_REGION ||
            (!cmd->blit.alpha_blend &&
             !(cmd->blit.render_condition && gpu_has_render_condition(m->device, cmd))));
}

/* Executes the command's checks. Sets *repeated to whether an identical copy was made earlier
 * in the frame and both resources are unchanged since then. */
static bool
apply_copy(struct machine *m, const struct gpu_cmd *cmd, bool *repeated, struct error *err)
{
    const bool blits = cmd->op == GPU_BLIT;
    const struct resource *from =
        gpu_resource(m->device, cmd->client, blits ? cmd->blit.src.resource : cmd->copy.src);
    const struct resource *to =
        gpu_resource(m->device, cmd->client, blits ? cmd->blit.dst.resource : cmd->copy.dst);
    struct made_copy *made = NULL;
    *repeated = false;
    if (!can_be_repeated(m, cmd, from, to))
        return gpu_apply(m->device, cmd, err);
    for (size_t i = 0; i < m->copies.count && !made; i++)
        if (m->copies.items[i].to == to->created)
            made = &m->copies.items[i];
    *repeated = made && made->from == from->created && made->from_writes == from->writes &&
                made->to_writes == to->writes && same_copy(&made->cmd, cmd);
    if (!gpu_apply(m->device, cmd, err))
        return false;
    if (!made) {
        VEC_PUSH(&m->copies, (struct made_copy){.to = to->created});
        made = &m->copies.items[m->copies.count - 1];
    }
    *made = (struct made_copy){*cmd, from->created, to->created, from->writes, to->writes};
    return true;
}

bool
machine_blit(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    struct blit_plan plan;
    bool repeated;
    if (!apply_copy(m, cmd, &repeated, err))
        return false;
    if (repeated && m->no_repeated_copies)
        return true;
    if (cmd->op == GPU_BLIT && cmd->blit.render_condition && !gpu_render_condition(m->device, cmd))
        return true;
    if (!blit_plan_init(&plan, m->device, cmd, err))
        return false;
    if (!flush_caches(m, &plan, err))
        return false;
    give_states(m, &plan);
    m->accounting.copy = copy_of(m, cmd);
    m->accounting.copies_repeated = repeated;
    if (may_overlap(&plan))
        return blit_through_copy(m, &plan, err);
    add_blit(m, &plan);
    return machine_run_work(m, WORK_BLIT, CMDPROC_ALL, err);
}
