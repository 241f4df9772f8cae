/* Command processor.
 *
 * The machine (sim/machine.c) holds the state and turns each command into steps: orders to units
 * (flush, clear, invalidate, show), a draw, or memory transactions of uploads and copies. The
 * command processor takes the steps in order. A draw is sent when fewer than BatchesInFlight are on
 * their way; every other step waits until all draws have ended, and for its own end. Without
 * PipelinedBatchRendering the machine asks for the end of each draw before the next command; with
 * it, only where a hazard between draws demands it. Ends come from every ROP in the order of the
 * draws, so that the n-th from a ROP is the n-th draw's. Simplified: the values of copies and blits
 * are computed at once (gfx/transfer.h), their transactions, reads of the source and writes of the
 * destination, are timed behind it; a readback takes its values from memory when its reads are
 * done.
 *
 * Transactions go at CommandProcessorBusWidth bytes a cycle, up to TransactionsInFlight of them on
 * their way. Source: machine.md (units; order and hazards). Not modelled: the command stream
 * itself, which ATTILA too takes from the system's bus, not from memory. */
#include "unit/frontend/cmdproc.h"

#include <string.h>

static enum unit_state cmdproc_clock(void *self, uint64_t now);

void
cmdproc_init(struct cmdproc *cmdproc, struct clock *clock, const struct params *params,
             uint32_t texunits, uint32_t rops)
{
    memset(cmdproc, 0, sizeof *cmdproc);
    clock_add_module(clock, &cmdproc->module, "cmdproc", -1, cmdproc, cmdproc_clock);
    cmdproc->module.stage.cause = CAUSE_orders;
    cmdproc->texunits = texunits;
    cmdproc->rops = rops;
    uint32_t width = params->MEMORYCONTROLLER.CommandProcessorBusWidth;
    cmdproc->move_cycles = (TRANSACTION_BYTES + width - 1) / width;
    cmdproc->batch_limit = params->COMMANDPROCESSOR.BatchesInFlight;
    cmdproc->move_limit = params->COMMANDPROCESSOR.TransactionsInFlight;
    cmdproc->stop = true;
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

bool
cmdproc_is_done(const struct cmdproc *cmdproc)
{
    return cmdproc->step == cmdproc->step_count && !(cmdproc->drains && cmdproc->batch_count);
}

void
cmdproc_start(struct cmdproc *cmdproc, bool drains)
{
    cmdproc->drains = drains;
    cmdproc->stop = cmdproc_is_done(cmdproc);
    if (!cmdproc->stop)
        module_wake_at(&cmdproc->module, cmdproc->module.clock->now);
}

struct cmdproc_batch
cmdproc_take_finished(struct cmdproc *cmdproc)
{
    struct cmdproc_batch finished = cmdproc->finished;
    cmdproc->finished.draw = NULL;
    cmdproc->stop = cmdproc_is_done(cmdproc);
    return finished;
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
send_draw(struct cmdproc *cmdproc, const struct cmdproc_step *step, uint64_t now)
{
    uint32_t at = (cmdproc->batch_head + cmdproc->batch_count++) % CMDPROC_MAX_BATCHES;
    *(struct draw_item *)queue_push(cmdproc->draws, now) = (struct draw_item){step->draw};
    cmdproc->batches[at] = (struct cmdproc_batch){.draw = step->draw, .work = step->work};
    cmdproc->stats.draws++;
}

/* Sends the step's orders; false when it has to wait for draws before it. */
static bool
send(struct cmdproc *cmdproc, const struct cmdproc_step *step, uint64_t now)
{
    if (step->kind == STEP_DRAW) {
        if (cmdproc->batch_count == cmdproc->batch_limit || !queue_space(cmdproc->draws, now))
            return false;
        send_draw(cmdproc, step, now);
    } else if (cmdproc->batch_count) {
        return false;
    } else if (step->kind == STEP_CONTROL) {
        send_control(cmdproc, step, now);
    } else {
        cmdproc->module.stage.cause = CAUSE_bus;
        cmdproc->module.stage.strand =
            path_step(&cmdproc->module.clock->path, cmdproc->module.stage.strand, CAUSE_bus, now);
        cmdproc->moves_sent = 0;
        cmdproc->moves_missing = step->move_count;
    }
    return cmdproc->sent = true;
}

static bool
take_done(struct cmdproc *cmdproc, struct queue *queue, uint64_t now)
{
    if (!queue_front(queue, now))
        return false;
    BUG_ON(cmdproc->awaited == 0, "command processor: nobody waits for what %s says", queue->name);
    cmdproc->awaited--;
    queue_pop(queue, now);
    return true;
}

/* From a color write: the end of an order, or of the oldest draw that it has not ended yet. */
static bool
take_color_done(struct cmdproc *cmdproc, uint32_t rop, uint64_t now)
{
    const struct done_item *item = queue_front(cmdproc->color_done[rop], now);
    if (!item || !item->is_draw_end)
        return take_done(cmdproc, cmdproc->color_done[rop], now);
    uint32_t place = cmdproc->rop_ends[rop]++;
    BUG_ON(place >= cmdproc->batch_count, "command processor: ROP %u ends a draw too many", rop);
    struct cmdproc_batch *batch =
        &cmdproc->batches[(cmdproc->batch_head + place) % CMDPROC_MAX_BATCHES];
    batch->samples_passed += item->samples_passed;
    batch->ends++;
    queue_pop(cmdproc->color_done[rop], now);
    return true;
}

/* The oldest draw is over when every ROP has ended it. */
static void
finish_batch(struct cmdproc *cmdproc)
{
    const struct cmdproc_batch *first = &cmdproc->batches[cmdproc->batch_head];
    if (!cmdproc->batch_count || first->ends < cmdproc->rops)
        return;
    cmdproc->finished = *first;
    cmdproc->batch_head = (cmdproc->batch_head + 1) % CMDPROC_MAX_BATCHES;
    cmdproc->batch_count--;
    for (uint32_t r = 0; r < cmdproc->rops; r++)
        cmdproc->rop_ends[r]--;
}

static bool
take_all_done(struct cmdproc *cmdproc, uint64_t now)
{
    bool worked = take_done(cmdproc, cmdproc->streamer_done, now);
    worked |= take_done(cmdproc, cmdproc->hz_done, now);
    worked |= take_done(cmdproc, cmdproc->dac_done, now);
    for (uint32_t r = 0; r < cmdproc->rops; r++) {
        worked |= take_done(cmdproc, cmdproc->z_done[r], now);
        worked |= take_color_done(cmdproc, r, now);
    }
    for (uint32_t s = 0; s < cmdproc->texunits; s++)
        worked |= take_done(cmdproc, cmdproc->texunit_done[s], now);
    finish_batch(cmdproc);
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
    if (in_flight == cmdproc->move_limit || !cmdproc->moves_missing)
        cmdproc->module.stage.strand = cmdproc->memory.came.strand;
    if (cmdproc->moves_sent == step->move_count || in_flight == cmdproc->move_limit)
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

/* Goes on with the step in hand; true when something was done. */
static bool
do_step(struct cmdproc *cmdproc, uint64_t now)
{
    const struct cmdproc_step *step = &cmdproc->steps[cmdproc->step];
    bool worked = false, done = false;
    if (!cmdproc->sent && !(worked = send(cmdproc, step, now)))
        return false;
    switch (step->kind) {
    case STEP_DRAW: done = true; break;
    case STEP_CONTROL: done = cmdproc->awaited == 0; break;
    case STEP_MOVE:
        worked |= move(cmdproc, step, now);
        done = cmdproc->moves_missing == 0;
        break;
    }
    if (done) {
        cmdproc->module.stage.cause = CAUSE_orders;
        cmdproc->sent = false;
        if (++cmdproc->step == cmdproc->step_count)
            cmdproc->step = cmdproc->step_count = 0;
    }
    return worked || done;
}

static enum unit_state
cmdproc_clock(void *self, uint64_t now)
{
    struct cmdproc *cmdproc = self;
    bool worked = take_all_done(cmdproc, now);
    if (cmdproc->step < cmdproc->step_count)
        worked |= do_step(cmdproc, now);
    cmdproc->stop = cmdproc->finished.draw || cmdproc_is_done(cmdproc);
    if (worked)
        return UNIT_BUSY;
    return cmdproc->step_count || cmdproc->batch_count ? UNIT_WAITING : UNIT_STARVED;
}
