/* Command processor.
 *
 * The machine (sim/machine.c) holds the state and turns each command into steps: orders to units
 * (flush, clear, invalidate, show), a draw, or memory transactions of uploads and copies. The
 * command processor takes the steps in order and waits for each to be done, so batches are not
 * pipelined (PipelinedBatchRendering = FALSE) and every hazard between draws is met by draining.
 * Simplified: the values of copies and blits are computed at once (gfx/transfer.h), their
 * transactions, reads of the source and writes of the destination, are timed behind it; a readback
 * takes its values from memory when its reads are done.
 *
 * Transactions go at CommandProcessorBusWidth bytes a cycle, up to 16 of them in flight. Source:
 * machine.md (units; order and hazards). Not modelled: the reading of the command stream itself. */
#include "unit/cmdproc.h"

#include <string.h>

static enum unit_state cmdproc_clock(void *self, uint64_t now);

void
cmdproc_init(struct cmdproc *cmdproc, struct clock *clock, const struct params *params,
             uint32_t texunits, uint32_t rops)
{
    memset(cmdproc, 0, sizeof *cmdproc);
    clock_add_module(clock, &cmdproc->module, "cmdproc", -1, cmdproc, cmdproc_clock);
    cmdproc->texunits = texunits;
    cmdproc->rops = rops;
    uint32_t width = params->MEMORYCONTROLLER.CommandProcessorBusWidth;
    cmdproc->move_cycles = (TRANSACTION_BYTES + width - 1) / width;
    cmdproc->idle = true;
}

struct cmdproc_step *
cmdproc_add(struct cmdproc *cmdproc, enum step_kind kind)
{
    BUG_ON(cmdproc->step_count == CMDPROC_MAX_STEPS, "command processor: too many steps");
    struct cmdproc_step *step = &cmdproc->steps[cmdproc->step_count++];
    memset(step, 0, sizeof *step);
    step->kind = kind;
    return step;
}

void
cmdproc_start(struct cmdproc *cmdproc)
{
    cmdproc->step = 0;
    cmdproc->sent = false;
    cmdproc->idle = cmdproc->step_count == 0;
    cmdproc->samples_passed = 0;
    if (!cmdproc->idle)
        module_wake_at(&cmdproc->module, cmdproc->module.clock->now);
}

static void
order(struct cmdproc *cmdproc, struct queue *queue, const struct control_item *control,
      uint64_t now)
{
    BUG_ON(!queue_space(queue, now), "command processor: control queue %s is full", queue->name);
    *(struct control_item *)queue_push(queue, now) = *control;
    cmdproc->awaited++;
}

static void
send_control(struct cmdproc *cmdproc, const struct cmdproc_step *step, uint64_t now)
{
    const struct control_item *control = &step->control;
    if (step->targets & STEP_STREAMER)
        order(cmdproc, cmdproc->streamer_control, control, now);
    if (step->targets & STEP_HZ)
        order(cmdproc, cmdproc->hz_control, control, now);
    if (step->targets & STEP_DAC)
        order(cmdproc, cmdproc->dac_control, control, now);
    for (uint32_t r = 0; r < cmdproc->rops; r++) {
        if (step->targets & STEP_ZSTENCIL)
            order(cmdproc, cmdproc->z_control[r], control, now);
        if (step->targets & STEP_COLOR)
            order(cmdproc, cmdproc->color_control[r], control, now);
    }
    for (uint32_t s = 0; s < cmdproc->texunits && (step->targets & STEP_TEXUNIT); s++)
        order(cmdproc, cmdproc->texunit_control[s], control, now);
}

static void
send(struct cmdproc *cmdproc, const struct cmdproc_step *step, uint64_t now)
{
    cmdproc->sent = true;
    cmdproc->awaited = 0;
    switch (step->kind) {
    case STEP_CONTROL: send_control(cmdproc, step, now); break;
    case STEP_DRAW:
        BUG_ON(!queue_space(cmdproc->draws, now), "command processor: draw queue is full");
        *(struct draw_item *)queue_push(cmdproc->draws, now) = (struct draw_item){step->draw};
        cmdproc->awaited = cmdproc->rops;
        cmdproc->stats.draws++;
        break;
    case STEP_MOVE:
        cmdproc->moves_sent = 0;
        cmdproc->moves_missing = step->move_count;
        break;
    }
}

static bool
take_done(struct cmdproc *cmdproc, struct queue *queue, uint64_t now)
{
    const struct done_item *item = queue_front(queue, now);
    if (!item)
        return false;
    cmdproc->samples_passed += item->samples_passed;
    cmdproc->awaited--;
    queue_pop(queue, now);
    return true;
}

static bool
take_all_done(struct cmdproc *cmdproc, uint64_t now)
{
    bool worked = take_done(cmdproc, cmdproc->streamer_done, now);
    worked |= take_done(cmdproc, cmdproc->hz_done, now);
    worked |= take_done(cmdproc, cmdproc->dac_done, now);
    for (uint32_t r = 0; r < cmdproc->rops; r++) {
        worked |= take_done(cmdproc, cmdproc->z_done[r], now);
        worked |= take_done(cmdproc, cmdproc->color_done[r], now);
    }
    for (uint32_t s = 0; s < cmdproc->texunits; s++)
        worked |= take_done(cmdproc, cmdproc->texunit_done[s], now);
    return worked;
}

static bool
move(struct cmdproc *cmdproc, const struct cmdproc_step *step, uint64_t now)
{
    bool worked = false;
    while (queue_front(cmdproc->memory.replies, now)) {
        queue_pop(cmdproc->memory.replies, now);
        cmdproc->moves_missing--;
        worked = true;
    }
    uint32_t in_flight = cmdproc->moves_sent - (step->move_count - cmdproc->moves_missing);
    if (cmdproc->moves_sent == step->move_count || in_flight == CMDPROC_READS_IN_FLIGHT)
        return worked;
    if (now < cmdproc->move_free_cycle) {
        module_wake_at(&cmdproc->module, cmdproc->move_free_cycle);
        return worked;
    }
    if (!queue_space(cmdproc->memory.requests, now))
        return worked;
    const struct cmdproc_move *m = &step->moves[cmdproc->moves_sent++];
    struct memory_request *request = queue_push(cmdproc->memory.requests, now);
    request->address = m->address;
    request->tag = 0;
    request->write = m->write;
    request->bytes_written = m->bytes_written;
    if (m->write)
        memcpy(request->data, m->bytes, TRANSACTION_BYTES);
    cmdproc->stats.transactions++;
    cmdproc->move_free_cycle = now + cmdproc->move_cycles;
    return true;
}

static enum unit_state
cmdproc_clock(void *self, uint64_t now)
{
    struct cmdproc *cmdproc = self;
    if (cmdproc->idle)
        return UNIT_STARVED;
    const struct cmdproc_step *step = &cmdproc->steps[cmdproc->step];
    bool worked = false;
    if (!cmdproc->sent) {
        send(cmdproc, step, now);
        worked = true;
    }
    worked |= take_all_done(cmdproc, now);
    if (step->kind == STEP_MOVE)
        worked |= move(cmdproc, step, now);
    bool done = step->kind == STEP_MOVE ? cmdproc->moves_missing == 0 : cmdproc->awaited == 0;
    if (done) {
        cmdproc->sent = false;
        if (++cmdproc->step == cmdproc->step_count) {
            cmdproc->idle = true;
            cmdproc->step_count = 0;
        }
        return UNIT_BUSY;
    }
    return worked ? UNIT_BUSY : UNIT_WAITING;
}
