#include "sim/simulation.h"

#include "base/log.h"
#include "gfx/transfer.h"
#include "core/clock_stats.h"
#include "unit/shader/shader_profile.h"
#include "unit/watch.h"

#include <string.h>

static bool simulate_command(void *data, const struct gpu_cmd *cmd, uint8_t *out,
                             uint32_t out_bytes, struct error *err);

static void
on_row(void *data, const struct work *row)
{
    struct simulation *sim = data;
    sim->machine->cmdproc->stats.overlap_cycles +=
        overlap_end_row(&sim->machine->overlap, row->kind);
    memctl_end_row(sim->machine->memctl);
    if (sim->listener.work)
        sim->listener.work(sim->listener.data, sim->frame, row);
}

static void
on_interval(void *data, uint64_t now)
{
    struct simulation *sim = data;
    clock_settle(&sim->machine->clock);
    clock_charge_so_far(&sim->machine->clock);
    sim->machine->clock.sample_cycle = now + sim->interval_cycles;
    sim->listener.interval(sim->listener.data, sim->frame, now - sim->frame_start);
}

static void
force_samples(struct gpu_device *device, const struct params *params)
{
    if (params->SIMULATOR.ForceMSAA)
        device->forced_samples = params->SIMULATOR.MSAASamples;
}

void
simulation_shape_device(struct gpu_device *device, const struct params *params)
{
    force_samples(device, params);
    device->squares = true;
    if (params->MEMORYCONTROLLER.SystemMemory)
        device->mapped_limit_bytes = params->MEMORYCONTROLLER.MappedMemorySize;
    device->square_log2 = params->FRAGMENTSHADER.TextureBlockDimension +
                          params->FRAGMENTSHADER.TextureSuperBlockDimension;
}

static bool
let_grow(struct simulation *sim, struct error *err)
{
    struct error why;
    if (gpu_memory_let_grow(&sim->device.memory, &why))
        return true;
    return fail(err,
                "%.400s: MEMORYCONTROLLER.MemoryGrows=FALSE reserves only the %u MB of MemorySize",
                why.text, sim->device.memory.size_bytes >> 20);
}

bool
simulation_init(struct simulation *sim, const struct params *params, const struct frame_set *timed,
                const struct simulation_listener *listener, struct error *err)
{
    memset(sim, 0, sizeof *sim);
    if (listener)
        sim->listener = *listener;
    const uint32_t memory_bytes =
        timed ? params->MEMORYCONTROLLER.MemorySize : FUNCTIONAL_MEMORY_BYTES;
    if (!gpu_device_init(&sim->device, memory_bytes, err))
        return false;
    sim->device.memory.option = timed ? "MEMORYCONTROLLER.MemorySize" : NULL;
    if (timed && params->MEMORYCONTROLLER.MemoryGrows && !let_grow(sim, err)) {
        gpu_device_fini(&sim->device);
        return false;
    }
    force_samples(&sim->device, params);
    functional_init(&sim->functional, &sim->device);
    sim->executor = (struct executor){sim, &sim->device, simulate_command};
    if (!timed) {
        sim->device.pages = true;
        sim->all_functional = true;
        return true;
    }
    sim->timed = *timed;
    sim->end = UINT32_MAX;
    simulation_shape_device(&sim->device, params);
    sim->machine = machine_create(params, &sim->device, &sim->functional, err);
    if (!sim->machine) {
        simulation_fini(sim);
        return false;
    }
    sim->machine->accounting.on_row_end = on_row;
    sim->machine->accounting.data = sim;
    sim->interval_cycles = params->SIMULATOR.StatisticsRate;
    if (sim->listener.interval && sim->interval_cycles) {
        sim->machine->clock.sample = on_interval;
        sim->machine->clock.sample_data = sim;
    }
    return true;
}

void
simulation_warn(const struct simulation *sim, const char *preset, const char *name)
{
    const struct frame_set all = {0};
    struct simulation own;
    struct params params;
    struct error ignored;
    if (!sim->machine || !machine_has_shallow_queues(sim->machine))
        return;
    const bool has_own = params_load_preset(&params, preset, &ignored) &&
                         simulation_init(&own, &params, &all, NULL, &ignored);
    machine_warn(sim->machine, has_own ? own.machine : NULL, name);
    if (has_own)
        simulation_fini(&own);
}

void
simulation_fini(struct simulation *sim)
{
    machine_destroy(sim->machine);
    functional_fini(&sim->functional);
    gpu_device_fini(&sim->device);
    memset(sim, 0, sizeof *sim);
}

static bool
is_timed(const struct simulation *sim)
{
    return !sim->all_functional && sim->frame >= sim->first && sim->frame < sim->end &&
           frame_set_has(&sim->timed, sim->frame);
}

static void
open_frame(struct simulation *sim)
{
    if (sim->frame_open)
        return;
    struct clock *clock = &sim->machine->clock;
    sim->frame_open = true;
    sim->frame_start = clock->now;
    clock->sample_cycle = clock->now + sim->interval_cycles;
    clock_settle(clock);
    overlap_begin(&sim->machine->overlap);
    path_begin(&clock->path, clock->now);
    sim->machine->cmdproc->module.stage.cp_ref = clock->path.end;
    stat_set_rebase(&sim->machine->stats);
    clock_begin_peaks(clock);
    if (sim->machine->pools.watch)
        watch_begin_frame(sim->machine->pools.watch, sim->frame);
    if (sim->machine->profile)
        shader_profile_clear(sim->machine->profile);
}

void
simulation_leave_frame(struct simulation *sim)
{
    machine_sync_memory(sim->machine);
    sim->frame_open = false;
}

/* Takes the picture of a frame: the bytes that the DAC read after a timed swap, otherwise the
 * surface in memory. */
static void
take_picture(struct simulation *sim, const struct gpu_cmd *cmd, bool timed, struct picture *picture)
{
    const struct resource *res = gpu_resource(&sim->device, cmd->client, cmd->transfer.resource);
    if (cmd->op == GPU_FRAME) {
        picture_of_read(picture, res, &sim->device.memory, cmd->transfer.level, &cmd->transfer.box);
        return;
    }
    if (!timed) {
        picture_of_resource(picture, res, &sim->device.memory);
        return;
    }
    const struct dac *dac = sim->machine->dac;
    struct resource local = *res;
    struct gpu_memory shown = {.bytes = dac->bytes, .size_bytes = dac->size_bytes};
    local.address = 0;
    picture_of_resource(picture, &local, &shown);
}

static bool
end_frame(struct simulation *sim, const struct gpu_cmd *cmd, bool timed, struct error *err)
{
    struct picture picture = {0};
    struct simulation_frame frame = {
        .number = sim->frame,
        .client = cmd->client,
        .timed = timed,
        .shown = gpu_resource(&sim->device, cmd->client, cmd->transfer.resource)};
    if (timed) {
        frame.cycles = sim->machine->clock.now - sim->frame_start;
        clock_charge_so_far(&sim->machine->clock);
        work_accounting_close(&sim->machine->accounting, sim->machine->clock.now);
        if (!machine_check(sim->machine, err))
            return fail_prefix(err, "frame %u", sim->frame);
    }
    if (timed || sim->all_functional) {
        take_picture(sim, cmd, timed, &picture);
        picture.has_alpha = false; /* windows are opaque */
        frame.picture = &picture;
    }
    bool ok = !sim->listener.frame || sim->listener.frame(sim->listener.data, &frame, err);
    picture_fini(&picture);
    if (timed)
        machine_sync_memory(sim->machine);
    sim->frame += ok; /* the number stays if the frame could not be stored */
    sim->frame_open = false;
    return ok;
}

static bool
execute_one(struct simulation *sim, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
            struct error *err)
{
    /* Commands that a swap itself adds belong to no frame. A trace extracted from that frame begins
     * after them. */
    bool timed = is_timed(sim) && !sim->device.restoring && cmd->op != GPU_STATE && !cmd->shows;
    const bool whole = timed || (sim->whole && frame_set_has(sim->whole, sim->frame));
    if (cmd->op == GPU_DRAW && !needed_draws_has(sim->needed, sim->draws++) && !whole) {
        gpu_skip_draw(&sim->device, cmd);
        return true;
    }
    if (timed) {
        open_frame(sim);
        double began = wall_seconds();
        bool ok = machine_execute(sim->machine, cmd, out, out_bytes, err);
        sim->timed_seconds += wall_seconds() - began;
        if (!ok)
            return false;
    } else if (!functional_execute(&sim->functional, cmd, out, out_bytes, err)) {
        return false;
    }
    if (cmd->op == GPU_SWAP && sim->machine)
        dac_show(sim->machine->dac,
                 gpu_resource(&sim->device, cmd->client, cmd->transfer.resource));
    return !gpu_op_ends_frame(cmd->op) || end_frame(sim, cmd, timed, err);
}

/* A command interrupted by `stop` has not failed. */
static bool
simulate_command(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
                 struct error *err)
{
    struct simulation *sim = data;
    sim->stopped = sim->stopped || (sim->stop && sim->stop());
    if (sim->stopped)
        return true;
    const bool ok = execute_one(sim, cmd, out, out_bytes, err);
    sim->stopped = !ok && sim->stop && sim->stop();
    return ok || sim->stopped;
}
