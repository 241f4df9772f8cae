/* Executes commands on the timed machine. Each command becomes steps of the command processor, and
 * the clock runs until the steps are executed. This file implements the order of flushes,
 * invalidations and waits in docs/design/machine.md, Order and hazards. */
#include "sim/machine_internal.h"

#include "base/file.h"
#include "gfx/transfer.h"
#include "state/cleared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WATCHDOG_CYCLES 100000u

static void
free_upload(struct upload *upload)
{
    free(upload->moves);
    arena_fini(&upload->bytes);
}

void
machine_forget_uploads(struct machine *m)
{
    while (m->upload_count)
        free_upload(&m->uploads[--m->upload_count]);
}

/* Removes uploads that have ended, and draws that have read their buffers or have ended. */
static void
note_progress(struct machine *m)
{
    for (uint32_t i = m->upload_count; i-- > 0;) {
        if (!cmdproc_has_ended(m->cmdproc, m->uploads[i].number))
            continue;
        hazards_end_upload(&m->hazards, m->uploads[i].number);
        free_upload(&m->uploads[i]);
        m->uploads[i] = m->uploads[--m->upload_count];
        work_accounting_end_upload(&m->accounting, m->clock.now);
    }
    hazards_end_fetch(&m->hazards, m->cmdproc->draws_fetched);
    hazards_end_draws(&m->hazards, m->cmdproc->draws_ended);
}

/* Fails if a shader unit found an endless program in the oldest draw in flight. All earlier draws
 * have ended by then, so the error names the same draw as an execution without overlap. */
static bool
check_endless(const struct machine *m, struct error *err)
{
    const struct draw *oldest = cmdproc_oldest(m->cmdproc);
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        for (uint32_t s = 0; s < m->shaders; s++)
            if (oldest && m->shader[s].endless.draw == oldest &&
                m->shader[s].endless.stage == (enum shader_stage)stage)
                return draw_fail_endless(oldest, m->device->frame, (enum shader_stage)stage, err);
    return true;
}

/* Runs until the event of the command processor. A draw that ends meanwhile is accounted in the
 * cycle in which it ends. */
bool
machine_run_until(struct machine *m, enum cmdproc_event event, uint64_t number, struct error *err)
{
    cmdproc_start(m->cmdproc, (struct cmdproc_goal){event, number});
    do {
        if (!clock_run(&m->clock, &m->cmdproc->stop, WATCHDOG_CYCLES, err))
            return false;
        clock_settle(&m->clock);
        if (m->cmdproc->finished.draw || !m->cmdproc->batch_ring.count)
            path_charge(&m->clock.path, m->cmdproc->module.stage.cp_ref, m->clock.now);
        note_progress(m);
        const struct cmdproc_batch batch = cmdproc_take_finished(m->cmdproc);
        if (batch.draw && batch.draw->query)
            batch.draw->query->result += batch.samples_passed;
        if (batch.draw)
            work_accounting_end(&m->accounting, m->clock.now);
        if (!check_endless(m, err))
            return false;
    } while (!cmdproc_is_done(m->cmdproc));
    if (m->last_draw && m->cmdproc->batch_ring.count == 0) {
        m->last_draw = NULL;
        gpu_device_release(m->device);
    }
    return true;
}

/* Pending commands, such as invalidations, count toward a flush if no other work is in progress. */
bool
machine_drain(struct machine *m, struct error *err)
{
    const struct work_accounting *accounting = &m->accounting;
    if (m->cmdproc->step_count && !accounting->ring.count && !accounting->uploads)
        return machine_run_work(m, WORK_FLUSH, CMDPROC_ALL, err);
    return machine_run_until(m, CMDPROC_ALL, 0, err);
}

/* Ends the oldest work at the event. CMDPROC_SENT: its orders are executed. CMDPROC_ALL: nothing
 * else is in flight. */
static bool
finish_work(struct machine *m, enum cmdproc_event event, struct error *err)
{
    if (!machine_run_until(m, event, 0, err))
        return false;
    work_accounting_end(&m->accounting, m->clock.now);
    return true;
}

bool
machine_run_work(struct machine *m, enum work_kind kind, enum cmdproc_event event,
                 struct error *err)
{
    work_accounting_begin(&m->accounting, kind, NULL, m->clock.now);
    return finish_work(m, event, err);
}

void
machine_add_control(struct machine *m, enum control_kind kind, uint32_t targets)
{
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_CONTROL);
    step->control.kind = kind;
    step->targets = targets;
}

void
machine_invalidate_textures(struct machine *m)
{
    machine_add_control(m, CONTROL_INVALIDATE, STEP_TEXUNIT);
    hazards_forget_textures(&m->hazards);
}

/* Makes Hierarchical Z discard its far depths of the resource, because something other than the z
 * test will change its depths. */
static void
forget_far_depths(struct machine *m, const struct resource *res)
{
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_CONTROL);
    step->control.kind = CONTROL_INVALIDATE;
    step->control.surface.res = res;
    step->targets = STEP_HZ;
}

static bool
samples_live_surface(const struct machine *m, const struct draw *draw)
{
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        for (uint32_t i = 0; i < MAX_SAMPLERS; i++)
            if (draw->views[stage][i].res && machine_is_live(m, draw->views[stage][i].res))
                return true;
    return false;
}

/* Whether the draw may start before the previous one has ended. Both must test z at the same point
 * (early or late). The previous draw may only bring depths nearer, because updates with farther
 * depths reach Hierarchical Z too late. (Orders to leave surfaces wait for draws by themselves.) */
static bool
may_overlap(const struct machine *m, const struct draw *draw)
{
    const struct draw *last = m->last_draw;
    return !last || (last->early_z == draw->early_z && !draw_moves_depth_away(last));
}

/* Waits until all uploads into the resource have ended. */
static bool
await_resource(struct machine *m, const struct resource *res, struct error *err)
{
    for (uint64_t upload; res && (upload = hazards_before_use(&m->hazards, res));)
        if (!machine_run_until(m, CMDPROC_TRANSFER, upload, err))
            return false;
    return true;
}

/* The device calls this before the memory of a resource gets a new owner. On return, no work in
 * flight uses the memory, and no ROP cache holds lines of it. `failed` and `ending` keep a failure
 * until the command ends. */
void
machine_end_resource(void *data, const struct resource *res)
{
    struct machine *m = data;
    uint64_t draw;
    bool ok = await_resource(m, res, &m->ending);
    if (ok && (draw = hazards_before_end(&m->hazards, res)))
        ok = machine_run_until(m, CMDPROC_ENDED, draw, &m->ending);
    if (ok && (draw = hazards_before_buffer_changes(&m->hazards, hazard_range_of_all(res))))
        ok = machine_run_until(m, CMDPROC_FETCHED, draw, &m->ending);
    m->failed |= !ok || !machine_discard_surfaces(m, res, &m->ending);
}

/* Program addresses are synthetic: fetch traffic is modelled, contents are ignored. The program's
 * number spreads the addresses over the memory. */
static uint32_t
program_address(const struct machine *m, const struct program *program)
{
    enum { APART = 4096 };
    const uint64_t address = (uint64_t)program->id * APART;
    const uint64_t bytes = (uint64_t)program->instruction_count * INSTRUCTION_BYTES;
    const uint64_t most = m->device->memory.size_bytes - TRANSACTION_BYTES;
    return bytes > most ? 0 : (uint32_t)(address % (most - bytes + 1)) / APART * APART;
}

/* Runs a transfer that the command processor waits for. */
static bool
run_transfer(struct machine *m, struct move_list *list, struct error *err)
{
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_MOVE);
    step->moves = list->moves.items;
    step->move_count = (uint32_t)list->moves.count;
    const bool ok = machine_run_until(m, CMDPROC_TRANSFER, m->cmdproc->transfers_added, err);
    VEC_FREE(&list->moves);
    return ok;
}

/* Reads programs that are not in the instruction memory. Before it evicts programs, it waits for
 * the draws in flight that may still run them. */
static bool
load_programs(struct machine *m, const struct draw *draw, struct error *err)
{
    struct move_list list = {0};
    bool alone = !m->params.COMMANDPROCESSOR.PipelinedBatchRendering;
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        const struct program *program = draw->program[stage];
        const uint32_t count =
            program ? command_stream_take_program(&m->stream, program, &alone) : 0;
        if (!count)
            continue;
        machine_list_bytes(m, program_address(m, program), count * INSTRUCTION_BYTES, false, &list);
        m->cmdproc->stats.program_loads++;
        m->cmdproc->stats.program_instructions += count;
    }
    if (!list.moves.count)
        return true;
    if (alone && !machine_run_until(m, CMDPROC_DRAWS, 0, err)) {
        VEC_FREE(&list.moves);
        return false;
    }
    return run_transfer(m, &list, err);
}

/* Clears the constants of uniform blocks. The shader units read them from memory. */
static void
clear_blocks(struct machine *m, const struct draw *draw)
{
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        if (!draw_has_blocks(draw, stage))
            continue;
        const uint32_t first = draw->program[stage]->constant_buffers[0].count;
        memset(draw->constants[stage] + first, 0,
               (draw->constant_count[stage] - first) * sizeof *draw->constants[stage]);
        memctl_join(m->memctl);
    }
}

/* Sends the draw after the uploads that it uses have ended. */
static bool
send_draw(struct machine *m, const struct draw *draw, struct error *err)
{
    for (uint64_t upload; (upload = hazards_before_draw(&m->hazards, draw));)
        if (!machine_run_until(m, CMDPROC_TRANSFER, upload, err))
            return false;
    work_accounting_begin(&m->accounting, WORK_DRAW, draw, m->clock.now);
    if (!load_programs(m, draw, err))
        return false;
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_DRAW);
    step->draw = draw;
    step->constants = command_stream_take_constants(&m->stream, draw);
    clear_blocks(m, draw);
    step->invalidate_inputs = m->hazards.buffers_changed;
    m->hazards.buffers_changed = false;
    hazards_note_draw(&m->hazards, m->cmdproc->draws_added, draw);
    if (!m->last_draw) /* the device now keeps programs and textures that draws in flight use */
        gpu_device_hold(m->device);
    m->last_draw = draw;
    m->is_dirty = true;
    return machine_run_until(m, CMDPROC_SENT, 0, err);
}

/* Waits for uploads into buffers that baking the draw will read. */
static bool
await_baked(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    const struct resource *read[GPU_BAKE_READS_MOST];
    const uint32_t count = m->upload_count ? gpu_bake_reads(m->device, cmd, read) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (!await_resource(m, read[i], err))
            return false;
    return true;
}

/* Invalidates the lines of the resource's memory in the read-only caches. */
static void
forget_lines(struct machine *m, const struct resource *res)
{
    if (res->desc.target == TARGET_BUFFER)
        hazards_note_change(&m->hazards, res);
    else if (hazards_is_sampled(&m->hazards, res))
        machine_invalidate_textures(m);
}

bool
machine_forget_blocks(struct machine *m, const struct resource *res, struct error *err)
{
    if (!hazards_is_block(&m->hazards, res))
        return true;
    if (!machine_run_until(m, CMDPROC_DRAWS, 0, err))
        return false;
    for (uint32_t s = 0; s < m->shaders; s++)
        constants_reset(&m->shader[s].constants);
    hazards_forget_blocks(&m->hazards);
    return true;
}

static bool
has_streams(const struct draw *draw)
{
    for (uint32_t i = 0; i < MAX_SO_BUFFERS; i++)
        if (draw->streams[i])
            return true;
    return false;
}

/* Sends a draw with stream output, which overlaps no other work. When it has ended, its vertices
 * are in memory. */
static bool
send_streaming_draw(struct machine *m, const struct draw *draw, struct error *err)
{
    memctl_join(m->memctl);
    if (!machine_drain(m, err) || !send_draw(m, draw, err) || !machine_drain(m, err))
        return false;
    for (uint32_t i = 0; i < MAX_SO_BUFFERS; i++) {
        const struct gpu_stream *stream = draw->streams[i];
        if (!stream)
            continue;
        forget_lines(m, stream->res);
        if (!machine_forget_blocks(m, stream->res, err))
            return false;
    }
    return true;
}

/* Reserves the record of the draws in front if the draw changes it. */
static bool
reserve_cover(struct machine *m, const struct draw *draw, struct error *err)
{
    const struct bound_surface *depth = &draw->depth;
    if (!draw->depth_write || !((draw->opaque && draw->early_z) || m->cover.draws))
        return true;
    budget_move(&m->cover.share, m->device->objects.budget);
    return cover_reserve(&m->cover, depth->res, 4u * depth->format->block_bytes * draw->samples,
                         err);
}

/* Sends a draw. One whose emitted vertices go to memory overlaps no other draw, and has the memory
 * until it ends. Later allocations therefore have the same addresses as without timing. */
static bool
send_any_draw(struct machine *m, const struct draw *draw, struct error *err)
{
    struct gpu_memory *memory = &m->device->memory;
    const uint32_t bytes = geomasm_memory_bytes(&m->params, draw->program[STAGE_GEOMETRY]);
    uint32_t address;
    if (!bytes)
        return has_streams(draw) ? send_streaming_draw(m, draw, err) : send_draw(m, draw, err);
    if (!machine_run_until(m, CMDPROC_DRAWS, 0, err) ||
        !gpu_memory_alloc(memory, bytes, &address, err))
        return false;
    geomasm_use_memory(m->geomasm, address, bytes);
    memctl_join(m->memctl);
    const bool ok =
        (has_streams(draw) ? send_streaming_draw(m, draw, err) : send_draw(m, draw, err)) &&
        machine_run_until(m, CMDPROC_DRAWS, 0, err);
    gpu_memory_free(memory, address, bytes);
    return ok;
}

bool
machine_place_draw(struct machine *m, const struct draw *draw, struct error *err)
{
    if (!may_overlap(m, draw) && !machine_run_until(m, CMDPROC_DRAWS, 0, err))
        return false;
    if (samples_live_surface(m, draw) && !machine_leave_surfaces(m, err))
        return false;
    if (hazards_samples_changed(&m->hazards, draw))
        machine_invalidate_textures(m);
    if (draw_is_layered(draw) && draw_moves_depth_away(draw))
        forget_far_depths(m, draw->depth.res);
    return machine_use_surfaces(m, draw->color, draw->color_count, &draw->depth, err) &&
           reserve_cover(m, draw, err) && send_any_draw(m, draw, err);
}

/* Whether the command changes only state that later draws are baked from. (create_command() drains
 * if a new surface moves a texture.) */
static bool
is_state(const struct gpu_cmd *cmd)
{
    const enum gpu_op op = cmd->op;
    return !gpu_op_is_work(op) && op != GPU_CLIENT_END && op != GPU_DESTROY_SUB_CTX &&
           op != GPU_BEGIN_QUERY && op != GPU_RESULT && op != GPU_CONTENTS;
}

/* Counts draws whose only results are in the bound framebuffer. */
static void
note_unread(struct machine *m, const struct draw *draw)
{
    struct unread_draws *unread = &m->unread;
    if (draw->streams_out || draw->query || samples_live_surface(m, draw)) {
        *unread = (struct unread_draws){.client = unread->client};
        machine_forget_clears(m);
        return;
    }
    machine_note_part(m, draw);
    unread->count++;
    unread->clears = unread->cleared = 0;
    for (uint32_t i = 0; i < draw->color_count; i++)
        if (draw_writes_color(draw, i))
            unread->buffers |= (uint32_t)MASK_COLOR0 << i;
    unread->buffers |=
        (draw->depth_write ? MASK_DEPTH : 0) | (draw->stencil_write ? MASK_STENCIL : 0);
}

/* Returns the number of draws whose results the clear erases. */
static uint32_t
take_erased(struct machine *m, const struct gpu_cmd *cmd)
{
    struct unread_draws *unread = &m->unread;
    const uint32_t count = unread->count;
    if (unread->buffers & ~cmd->clear.buffers)
        return 0;
    unread->count = unread->buffers = 0;
    return count;
}

/* Returns the number of earlier clears that this clear overwrites. */
static uint32_t
take_replaced(struct machine *m, const struct gpu_cmd *cmd)
{
    struct unread_draws *unread = &m->unread;
    const bool replaces = !(unread->cleared & ~cmd->clear.buffers);
    const uint32_t replaced = replaces ? unread->clears : 0;
    unread->clears += 1 - replaced;
    unread->cleared |= cmd->clear.buffers;
    return replaced;
}

/* Whether the command neither reads the framebuffer nor changes it to another. */
static bool
leaves_unread(const struct gpu_cmd *cmd)
{
    const enum gpu_op op = cmd->op;
    return op == GPU_DRAW || op == GPU_CLEAR || op == GPU_PUT || op == GPU_RESOURCE_CREATE ||
           (op != GPU_SET_FRAMEBUFFER && op != GPU_SET_SUB_CTX && is_state(cmd));
}

/* Counts the textures of the draw into which the frame has uploaded. */
static uint32_t
count_uploaded(const struct machine *m, const struct draw *draw)
{
    uint32_t count = 0;
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        const struct program *program = draw->program[stage];
        for (uint32_t i = 0; i < MAX_SAMPLERS && program; i++) {
            const struct resource *res = draw->views[stage][i].res;
            count +=
                program->samplers_used >> i & 1 && res && res->uploaded == m->device->frame + 1;
        }
    }
    return count;
}

static bool
draw_command(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    struct draw *draw = NULL;
    if (!await_baked(m, cmd, err) || !gpu_bake_draw(m->device, cmd, &m->draws, &draw, err))
        return false;
    if (!draw)
        return true;
    note_unread(m, draw);
    if (m->index_order && !machine_order_indices(m, draw, err))
        return false;
    draw->textures_uploaded = count_uploaded(m, draw);
    machine_note_continued(m, draw);
    return m->front_to_back || m->merge_draws ? machine_hold_draw(m, draw, err)
                                              : machine_place_draw(m, draw, err);
}

/* Adds a clear of depth and stencil. If all elements have the same known stencil value, a clear of
 * depth alone is treated as a clear of both. */
static void
add_depth_clear(struct machine *m, const struct bound_surface *depth, const struct gpu_cmd *cmd)
{
    const struct resource_cleared *cleared = &depth->res->cleared;
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_CONTROL);
    step->targets = STEP_ZSTENCIL | STEP_HZ;
    step->control.kind = CONTROL_CLEAR;
    step->control.surface = *depth;
    step->control.buffers = cmd->clear.buffers & (MASK_DEPTH | MASK_STENCIL);
    step->control.depth = cmd->clear.depth;
    step->control.stencil = cmd->clear.stencil;
    if (step->control.buffers == MASK_DEPTH && cleared->has_stencil &&
        depth->format == depth->res->format) {
        step->control.buffers |= MASK_STENCIL;
        step->control.stencil = cleared->stencil;
    }
    if (step->control.buffers & MASK_DEPTH)
        cover_forget(&m->cover);
}

static void
add_color_clear(struct machine *m, const struct bound_surface *color, const struct gpu_cmd *cmd)
{
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_CONTROL);
    step->targets = STEP_COLOR;
    step->control.kind = CONTROL_CLEAR;
    step->control.surface = *color;
    memcpy(step->control.rgba, cmd->clear.rgba, sizeof step->control.rgba);
}

static bool
clear_command(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    struct bound_surface color[MAX_COLOR_BUFFERS], depth;
    uint32_t count;
    if (!gpu_render_condition(m->device, cmd))
        return true;
    if (!gpu_bake_framebuffer(m->device, cmd, color, &count, &depth, err))
        return false;
    if (!machine_use_surfaces(m, color, count, &depth, err) || !await_resource(m, depth.res, err))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!await_resource(m, color[i].res, err))
            return false;
        if (!color[i].res || !(cmd->clear.buffers & (uint32_t)MASK_COLOR0 << i))
            continue;
        for (; color[i].layers; color[i].layers--, color[i].layer++)
            add_color_clear(m, &color[i], cmd);
    }
    for (; depth.res && cmd->clear.buffers & (MASK_DEPTH | MASK_STENCIL) && depth.layers;
         depth.layers--, depth.layer++)
        add_depth_clear(m, &depth, cmd);
    gpu_note_clear(m->device, cmd);
    m->is_dirty = true;
    m->accounting.erases = take_erased(m, cmd);
    m->accounting.clears_repeated = take_replaced(m, cmd);
    m->accounting.clears_unneeded = machine_note_clear(m, cmd);
    work_accounting_begin(&m->accounting, WORK_CLEAR, NULL, m->clock.now);
    m->cmdproc->stats.clears++;
    return finish_work(m, CMDPROC_SENT, err);
}

/* Sends the held clear, unless the command replaces it, or leaves the framebuffer as it is. */
static bool
release_clear(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    const bool same = cmd->client == m->held_clear.client;
    const bool replaces =
        same && cmd->op == GPU_CLEAR && !(m->held_clear.clear.buffers & ~cmd->clear.buffers);
    const bool waits = same && cmd->op != GPU_DRAW && cmd->op != GPU_CLEAR && cmd->op != GPU_PUT &&
                       cmd->op != GPU_SET_RENDER_CONDITION && leaves_unread(cmd);
    if (!m->holds_clear || waits)
        return true;
    m->holds_clear = false;
    return replaces || clear_command(m, &m->held_clear, err);
}

static bool
hold_clear(struct machine *m, const struct gpu_cmd *cmd)
{
    m->held_clear = *cmd;
    m->holds_clear = true;
    return true;
}

void
machine_invalidate_readers(struct machine *m, const struct resource *res)
{
    forget_lines(m, res);
    if (res->format && res->format->depth_bits)
        forget_far_depths(m, res);
}

static bool
swap_command(struct machine *m, const struct gpu_cmd *cmd, uint8_t *out, struct error *err)
{
    const struct resource *res = gpu_resource(m->device, cmd->client, cmd->transfer.resource);
    const struct bound_surface surface = {.res = res,
                                          .format = res->format,
                                          .width = res->levels[0].width,
                                          .height = res->levels[0].height,
                                          .samples = res->samples,
                                          .cleared = cleared_is(res, 0, 0)};
    if (surface.cleared && !machine_begin_surface(m, &surface, true, err))
        return false;
    machine_add_control(m, CONTROL_FLUSH, STEP_ZSTENCIL);
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_CONTROL);
    step->targets = STEP_COLOR | STEP_DAC;
    step->control.kind = CONTROL_SHOW;
    step->control.surface = surface;
    if (!machine_run_work(m, WORK_SWAP, CMDPROC_ALL, err))
        return false;
    if (out) {
        struct resource local = *res;
        local.address = 0;
        struct gpu_memory shown = {.bytes = m->dac->bytes, .size_bytes = m->dac->size_bytes};
        resource_read_box(&local, &shown, 0, &cmd->transfer.box, out);
    }
    return true;
}

/* Ends a frame whose picture the program read back. The ROPs first write back the resource, in
 * simulated time. Taking the picture costs no simulated time. The block states end with the
 * frame. */
static bool
frame_command(struct machine *m, const struct gpu_cmd *cmd, uint8_t *out, struct error *err)
{
    const struct resource *res = gpu_resource(m->device, cmd->client, cmd->transfer.resource);
    if (!machine_write_back(m, res, err) || !machine_run_work(m, WORK_SWAP, CMDPROC_ALL, err))
        return false;
    machine_sync_surfaces(m, res);
    if (out)
        resource_read_box(res, &m->device->memory, cmd->transfer.level, &cmd->transfer.box, out);
    return true;
}

/* The functional renderer writes the result to memory at once. The machine then writes the same
 * bytes again to model the traffic. */
static bool
query_command(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    enum { RESULT_BYTES = 16 };
    struct move_list list = {0};
    if (!functional_execute(m->functional, cmd, NULL, 0, err))
        return false;
    const struct gpu_query *query = gpu_find_query(m->device, cmd, cmd->query_result.handle);
    const struct resource *res = gpu_resource(m->device, cmd->client, query->resource);
    forget_lines(m, res);
    if (!machine_forget_blocks(m, res, err))
        return false;
    if (!m->params.COMMANDPROCESSOR.QueryTraffic)
        return true;
    machine_list_bytes(m, res->address + query->offset, RESULT_BYTES, true, &list);
    return machine_run_moves(m, &list, WORK_READBACK, err);
}

/* Creating a surface may move a texture to a layout that the ROPs can render to. The move costs no
 * simulated time: a driver that knows the whole program would have used that layout from the
 * start. */
static bool
create_command(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    const struct resource *res = NULL;
    if (cmd->create.type == OBJECT_SURFACE)
        res = gpu_resource(m->device, cmd->client, cmd->create.surface.resource);
    if (!res || !res->sampled_only)
        return functional_execute(m->functional, cmd, NULL, 0, err);
    /* Draws that sample the texture must end first. The move makes cached lines of the texture
     * stale. */
    machine_invalidate_textures(m);
    return machine_run_work(m, WORK_FLUSH, CMDPROC_ALL, err) &&
           functional_execute(m->functional, cmd, NULL, 0, err);
}

/* The new resource is filled with zeros, but caches may still hold lines of the memory's previous
 * owner. */
static bool
create_resource(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    if (!functional_execute(m->functional, cmd, NULL, 0, err))
        return false;
    const struct resource *res = gpu_resource(m->device, cmd->client, cmd->resource.handle);
    forget_lines(m, res);
    if (!machine_forget_blocks(m, res, err))
        return false;
    return !m->cmdproc->step_count || machine_run_work(m, WORK_FLUSH, CMDPROC_SENT, err);
}

/* Draws, uploads and the release of a resource wait later, and only for the work that they depend
 * on. A clear waits here for draws. All other work waits here until nothing is in flight. */
static bool
wait_for_earlier(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    if (cmd->op == GPU_DRAW || cmd->op == GPU_PUT || cmd->op == GPU_RESOURCE_UNREF || is_state(cmd))
        return true;
    return machine_run_until(m, cmd->op == GPU_CLEAR ? CMDPROC_DRAWS : CMDPROC_ALL, 0, err);
}

static bool
execute_machine_command(struct machine *m, const struct gpu_cmd *cmd, uint8_t *out,
                        uint32_t out_bytes, struct error *err)
{
    bool checked = cmd->op == GPU_DRAW || cmd->op == GPU_CLEAR || cmd->op == GPU_PUT ||
                   cmd->op == GPU_GET || gpu_op_ends_frame(cmd->op);
    m->cmdproc->stats.commands +=
        cmd->op != GPU_FRAME && cmd->op != GPU_SET_LABEL; /* markers, not commands of the GPU */
    if (m->held.count && !machine_passes_held(m, cmd) && !machine_send_held(m, err))
        return false;
    machine_end_continued(m, cmd);
    if (!release_clear(m, cmd, err))
        return false;
    if (!leaves_unread(cmd) || cmd->client != m->unread.client) {
        m->unread = (struct unread_draws){.client = cmd->client};
        machine_forget_clears(m);
    }
    if (!wait_for_earlier(m, cmd, err))
        return false;
    if (checked && !gpu_apply(m->device, cmd, err))
        return false;
    switch (cmd->op) {
    case GPU_DRAW: return draw_command(m, cmd, err);
    case GPU_CLEAR: return m->no_repeated_clears ? hold_clear(m, cmd) : clear_command(m, cmd, err);
    case GPU_PUT: return machine_put(m, cmd, err);
    case GPU_GET: return machine_get(m, cmd, out, err);
    case GPU_SWAP: return swap_command(m, cmd, out, err);
    case GPU_FRAME: return frame_command(m, cmd, out, err);
    case GPU_BLIT:
    case GPU_COPY_REGION: return machine_blit(m, cmd, err);
    case GPU_RESOURCE_CREATE: return create_resource(m, cmd, err);
    case GPU_CLIENT_END:
        return machine_resolve_surfaces(m, err) &&
               functional_execute(m->functional, cmd, out, out_bytes, err);
    case GPU_BEGIN_QUERY:
    case GPU_END_QUERY: /* all earlier work has ended */
        functional_set_time(m->functional, m->clock.now * 1000 / m->params.GPU.ClockMHz);
        return functional_execute(m->functional, cmd, out, out_bytes, err);
    case GPU_GET_QUERY_RESULT: return query_command(m, cmd, err);
    case GPU_CREATE_OBJECT: return create_command(m, cmd, err);
    case GPU_SET_FRAMEBUFFER:
        if (gpu_changes_samples(m->device, cmd) &&
            !(machine_resolve_surfaces(m, err) && machine_drain(m, err)))
            return false;
        return functional_execute(m->functional, cmd, out, out_bytes, err);
    default: return functional_execute(m->functional, cmd, out, out_bytes, err);
    }
}

bool
machine_execute(struct machine *m, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
                struct error *err)
{
    if (!execute_machine_command(m, cmd, out, out_bytes, err))
        return false;
    if (m->failed)
        *err = m->ending;
    return !m->failed;
}

void
machine_sync_memory(struct machine *m)
{
    for (uint32_t i = 0; i < m->clock.module_count; i++)
        module_reset(m->clock.modules[i]);
    pools_reset(&m->pools);
    INVARIANT(&m->cmdproc->module, !m->upload_count && !m->last_draw);
    machine_forget_surfaces(m);
    for (uint32_t q = 0; q < m->clock.queue_count; q++)
        queue_reset(m->clock.queues[q]);
    m->color_count = 0;
    m->depth.res = NULL;
    cover_forget(&m->cover);
    m->copies.count = 0;
    work_accounting_reset(&m->accounting, m->clock.now);
    hazards_reset(&m->hazards);
    command_stream_reset(&m->stream);
    machine_free_merged(m);
    arena_reset(&m->draws);
}
