/* Command Processor.
 *
 * The machine (sim/machine.c) holds the state and converts each command into steps. A step is an
 * order to units (flush, clear, invalidate, show, blit), a draw, or a transfer. A transfer consists
 * of the memory transactions of an upload or a readback. The Command Processor takes the steps in
 * order. It sends a draw when fewer than BatchesInFlight draws are in flight (without
 * PipelinedBatchRendering: when none is). A step of orders first waits until all draws have ended,
 * and then until the orders are executed. A transfer continues after its step. At most
 * UploadsInFlight transfers take turns on the bus. The machine prevents hazards: it adds a step
 * only when all work that the step could disturb has ended.
 *
 * Every ROP reports the ends of draws in draw order. The n-th end from a ROP therefore belongs to
 * the n-th draw. The Streamer reports when a draw has read its vertices and indices. Simplified: a
 * readback takes its values from memory when its reads are done, and decodes them in zero time.
 * Transactions that memory saves because of a block's state still use the bus.
 *
 * Transactions use a bus of CommandProcessorBusWidth bytes per cycle. At most TransactionsInFlight
 * are in flight. Source: docs/design/machine.md, Command Processor. As in ATTILA's driver, uploads
 * overlap with draws that do not use the written data. If a draw changes constants, each takes 16
 * bytes on the bus before the draw is sent. Programs and results of queries are transfers
 * (sim/command_stream.h). The rest of the command stream (state and commands) is free; ATTILA reads
 * it from the system bus at one register per cycle. A cache of constants is not modelled, because
 * the units' register files hold all constants that a program declares. */
#include "unit/frontend/cmdproc.h"

#include <string.h>

static enum unit_state cmdproc_clock(void *self, uint64_t now);

static void
cmdproc_wire(void *self)
{
    struct cmdproc *cmdproc = self;
    cmdproc->carrier.cause = CAUSE_bus;
    cmdproc->memory.requests->from = &cmdproc->carrier;
}

static void
cmdproc_reset(void *self)
{
    const struct cmdproc *cmdproc = self;
    const struct module *module = &cmdproc->module;
    INVARIANT(module, !cmdproc->step_count && !cmdproc->awaited);
    INVARIANT(module, !cmdproc->batch_ring.count && !cmdproc->finished.draw);
    INVARIANT(module, cmdproc->draws_fetched == cmdproc->draws_added);
    INVARIANT(module, cmdproc->draws_ended == cmdproc->draws_added);
    INVARIANT(module, !cmdproc->transfer_count && !cmdproc->synthetic);
    INVARIANT(module, cmdproc->transfers_begun == cmdproc->transfers_added);
    INVARIANT(module, cmdproc->moves_in_flight == 0);
    for (uint32_t r = 0; r < cmdproc->rops; r++)
        INVARIANT(module, cmdproc->rop_ends[r] == 0);
}

static const struct module_ops ops = {
    .clock = cmdproc_clock,
    .wire = cmdproc_wire,
    .reset = cmdproc_reset,
};

void
cmdproc_init(struct cmdproc *cmdproc, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(cmdproc, 0, sizeof *cmdproc);
    clock_add_module(env->clock, &cmdproc->module, "cmdproc", -1, cmdproc, &ops);
    cmdproc->module.stage.cause = CAUSE_orders;
    cmdproc->texunits = env->texunits;
    cmdproc->rops = env->rops;
    uint32_t width = params->MEMORYCONTROLLER.CommandProcessorBusWidth;
    cmdproc->move_cycles = (TRANSACTION_BYTES + width - 1) / width;
    cmdproc->bus_bytes = width;
    const bool pipelined = params->COMMANDPROCESSOR.PipelinedBatchRendering;
    cmdproc->batch_ring.capacity = pipelined ? params->COMMANDPROCESSOR.BatchesInFlight : 1;
    const uint32_t uploads = params->COMMANDPROCESSOR.UploadsInFlight;
    cmdproc->transfer_limit = uploads ? uploads : 1;
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
    cmdproc->draws_added += kind == STEP_DRAW;
    cmdproc->transfers_added += kind == STEP_MOVE;
    return step;
}

bool
cmdproc_has_ended(const struct cmdproc *cmdproc, uint64_t transfer)
{
    for (uint32_t i = 0; i < cmdproc->transfer_limit; i++)
        if (cmdproc->transfers[i].number == transfer)
            return false;
    return transfer <= cmdproc->transfers_begun;
}

bool
cmdproc_is_done(const struct cmdproc *cmdproc)
{
    const bool sent = cmdproc->step == cmdproc->step_count;
    switch (cmdproc->goal.event) {
    case CMDPROC_SENT: return sent;
    case CMDPROC_DRAWS: return sent && !cmdproc->batch_ring.count;
    case CMDPROC_ALL: return sent && !cmdproc->batch_ring.count && !cmdproc->transfer_count;
    case CMDPROC_FETCHED: return cmdproc->draws_fetched >= cmdproc->goal.number;
    case CMDPROC_ENDED: return cmdproc->draws_ended >= cmdproc->goal.number;
    case CMDPROC_TRANSFER: return cmdproc_has_ended(cmdproc, cmdproc->goal.number);
    }
    return true;
}

void
cmdproc_start(struct cmdproc *cmdproc, struct cmdproc_goal goal)
{
    cmdproc->goal = goal;
    cmdproc->stop = cmdproc_is_done(cmdproc);
    if (!cmdproc->stop)
        module_wake_at(&cmdproc->module, cmdproc->module.clock->now);
}

const struct draw *
cmdproc_oldest(const struct cmdproc *cmdproc)
{
    return cmdproc->batch_ring.count ? cmdproc->batches[cmdproc->batch_ring.head].draw : NULL;
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
    *(struct draw_item *)queue_push(cmdproc->draws, now) =
        (struct draw_item){step->draw, step->invalidate_inputs};
    cmdproc->batches[ring_push(&cmdproc->batch_ring)] = (struct cmdproc_batch){.draw = step->draw};
    cmdproc->stats.draws++;
    cmdproc->stats.vertex_program_length += step->draw->program[STAGE_VERTEX]->instruction_count;
    cmdproc->stats.fragment_program_length +=
        step->draw->program[STAGE_FRAGMENT]->instruction_count;
}

static void
send_blit(struct cmdproc *cmdproc, const struct blit_plan *plan, uint64_t now)
{
    for (uint32_t r = 0; r < cmdproc->rops; r++) {
        struct queue *queue = cmdproc->blitter_control[r];
        BUG_ON(!queue_space(queue, now), "command processor: queue %s is full", queue->name);
        *(struct blit_item *)queue_push(queue, now) = (struct blit_item){plan};
        cmdproc->awaited++;
    }
    cmdproc->stats.blits++;
}

/* Begins a transfer in a free entry. A transfer without moves ends at once. */
static void
begin_transfer(struct cmdproc *cmdproc, const struct cmdproc_step *step)
{
    struct cmdproc_transfer *t = cmdproc->transfers;
    cmdproc->transfers_begun++;
    if (!step->move_count)
        return;
    while (t->number)
        t++;
    *t = (struct cmdproc_transfer){
        .number = cmdproc->transfers_begun,
        .after = step->after,
        .moves = step->moves,
        .count = step->move_count,
        .missing = step->move_count,
        .begun = {cmdproc->module.stage.cp_ref, cmdproc->module.clock->now},
    };
    cmdproc->transfer_count++;
}

/* Whether the draw's constants have arrived. They use the bus before the next transaction. */
static bool
take_constants(struct cmdproc *cmdproc, const struct cmdproc_step *step, uint64_t now)
{
    enum { CONSTANT_BYTES = 16 };
    if (!step->constants)
        return true;
    if (!cmdproc->stream_begun) {
        const uint64_t bytes = (uint64_t)step->constants * CONSTANT_BYTES;
        const uint64_t start = now > cmdproc->bus_free_cycle ? now : cmdproc->bus_free_cycle;
        const cp_ref predecessor =
            start > now ? cmdproc->carrier.cp_ref : cmdproc->module.stage.cp_ref;
        cmdproc->carrier.cp_ref = cmdproc->module.stage.cp_ref =
            module_step(&cmdproc->module, predecessor, CAUSE_bus, start);
        cmdproc->stream_end = start + (bytes + cmdproc->bus_bytes - 1) / cmdproc->bus_bytes;
        cmdproc->bus_free_cycle = cmdproc->stream_end;
        cmdproc->stream_begun = true;
        cmdproc->stats.constants += step->constants;
    }
    if (now < cmdproc->stream_end)
        module_wake_at(&cmdproc->module, cmdproc->stream_end);
    return now >= cmdproc->stream_end;
}

/* Sends the step's orders. Returns false if the step must wait for earlier work. */
static bool
send_step(struct cmdproc *cmdproc, const struct cmdproc_step *step, uint64_t now)
{
    switch (step->kind) {
    case STEP_DRAW:
        if (cmdproc->batch_ring.capacity == 1 && cmdproc->batch_ring.count)
            return false; /* the draw's constants must wait, too */
        if (!take_constants(cmdproc, step, now) || ring_is_full(&cmdproc->batch_ring) ||
            !queue_space(cmdproc->draws, now))
            return false;
        cmdproc->stream_begun = false;
        send_draw(cmdproc, step, now);
        break;
    case STEP_CONTROL:
        if (cmdproc->batch_ring.count)
            return false;
        send_control(cmdproc, step, now);
        break;
    case STEP_BLIT:
        if (cmdproc->batch_ring.count)
            return false;
        send_blit(cmdproc, step->blit, now);
        break;
    case STEP_MOVE:
        if (cmdproc->transfer_count == cmdproc->transfer_limit)
            return false;
        begin_transfer(cmdproc, step);
        break;
    }
    return cmdproc->sent = true;
}

static bool
take_done(struct cmdproc *cmdproc, struct queue *queue, uint64_t now)
{
    if (!queue_front(queue, now))
        return false;
    BUG_ON(cmdproc->awaited == 0, "command processor: unexpected message from %s", queue->name);
    cmdproc->awaited--;
    queue_pop(queue, now);
    return true;
}

/* Takes a message from Color Write: the end of an order, or the end of the oldest draw that this
 * ROP has not ended yet. */
static bool
take_color_done(struct cmdproc *cmdproc, uint32_t rop, uint64_t now)
{
    const struct done_item *item = queue_front(cmdproc->color_done[rop], now);
    if (!item || !item->is_draw_end)
        return take_done(cmdproc, cmdproc->color_done[rop], now);
    uint32_t index = cmdproc->rop_ends[rop]++;
    BUG_ON(index >= cmdproc->batch_ring.count,
           "command processor: ROP %u ends more draws than it began", rop);
    struct cmdproc_batch *batch = &cmdproc->batches[ring_at(&cmdproc->batch_ring, index)];
    batch->samples_passed += item->samples_passed;
    batch->ends++;
    queue_pop(cmdproc->color_done[rop], now);
    return true;
}

/* Ends the oldest draw when every ROP has ended it. */
static void
finish_batch(struct cmdproc *cmdproc)
{
    const struct cmdproc_batch *first = &cmdproc->batches[cmdproc->batch_ring.head];
    if (!cmdproc->batch_ring.count || first->ends < cmdproc->rops)
        return;
    cmdproc->finished = *first;
    ring_pop(&cmdproc->batch_ring);
    cmdproc->draws_ended++;
    for (uint32_t r = 0; r < cmdproc->rops; r++) {
        INVARIANT(&cmdproc->module, cmdproc->rop_ends[r] > 0);
        cmdproc->rop_ends[r]--;
    }
}

static bool
take_all_done(struct cmdproc *cmdproc, uint64_t now)
{
    bool worked = take_done(cmdproc, cmdproc->streamer_done, now);
    if (queue_front(cmdproc->fetched, now)) {
        queue_pop(cmdproc->fetched, now);
        cmdproc->draws_fetched++;
        worked = true;
    }
    worked |= take_done(cmdproc, cmdproc->hz_done, now);
    worked |= take_done(cmdproc, cmdproc->dac_done, now);
    for (uint32_t r = 0; r < cmdproc->rops; r++) {
        worked |= take_done(cmdproc, cmdproc->z_done[r], now);
        worked |= take_color_done(cmdproc, r, now);
        worked |= take_done(cmdproc, cmdproc->blitter_done[r], now);
    }
    for (uint32_t s = 0; s < cmdproc->texunits; s++)
        worked |= take_done(cmdproc, cmdproc->texunit_done[s], now);
    finish_batch(cmdproc);
    return worked;
}

static void
end_move(struct cmdproc *cmdproc, struct cmdproc_transfer *t)
{
    const struct module *module = &cmdproc->module;
    INVARIANT(module, t->number && t->missing && cmdproc->transfer_count);
    if (--t->missing)
        return;
    INVARIANT(module, t->sent == t->count);
    t->number = 0;
    cmdproc->transfer_count--;
}

/* Ends a synthetic move when the bus has carried its data. */
static bool
end_synthetic_move(struct cmdproc *cmdproc, uint64_t now)
{
    if (!cmdproc->synthetic)
        return false;
    if (now < cmdproc->synthetic_end) {
        module_wake_at(&cmdproc->module, cmdproc->synthetic_end);
        return false;
    }
    end_move(cmdproc, cmdproc->synthetic);
    cmdproc->synthetic = NULL;
    return true;
}

static bool
cmdproc_take_replies(struct cmdproc *cmdproc, uint64_t now)
{
    bool worked = false;
    for (const struct memory_reply *reply; (reply = queue_front(cmdproc->memory.replies, now));) {
        end_move(cmdproc, &cmdproc->transfers[reply->tag]);
        INVARIANT(&cmdproc->module, cmdproc->moves_in_flight > 0);
        cmdproc->moves_in_flight--;
        queue_pop(cmdproc->memory.replies, now);
        worked = true;
    }
    return worked;
}

/* Critical path: a transaction waits until its transfer has begun, the bus is free, and enough
 * earlier transactions have ended. */
static void
note_carried(struct cmdproc *cmdproc, struct cp_stamp begun, uint64_t now)
{
    const cp_ref predecessor =
        cmdproc->carrier_waits
            ? cmdproc->memory.arrival.cp_ref
            : path_later((struct cp_stamp){cmdproc->carrier.cp_ref, cmdproc->bus_free_cycle}, begun)
                  .cp_ref;
    cmdproc->carrier_waits = false;
    module_resume(&cmdproc->module, &cmdproc->carrier, predecessor, now);
}

/* Whether an older transfer that must be sent before `t` still has transactions to send. */
static bool
comes_later(const struct cmdproc *cmdproc, const struct cmdproc_transfer *t)
{
    for (uint32_t i = 0; i < cmdproc->transfer_limit && t->after; i++) {
        const struct cmdproc_transfer *other = &cmdproc->transfers[i];
        if (other->number && other->number <= t->after && other->sent < other->count)
            return true;
    }
    return false;
}

/* The transfer whose turn it is, or NULL if no transfer can send a transaction. */
static struct cmdproc_transfer *
next_transfer(struct cmdproc *cmdproc)
{
    for (uint32_t i = 0; i < cmdproc->transfer_limit && cmdproc->transfer_count; i++) {
        const uint32_t index = (cmdproc->transfer_rr + i) % cmdproc->transfer_limit;
        struct cmdproc_transfer *t = &cmdproc->transfers[index];
        if (!t->number || t->sent == t->count || comes_later(cmdproc, t))
            continue;
        cmdproc->transfer_rr = index;
        return t;
    }
    return NULL;
}

static void
send_memory_request(struct cmdproc *cmdproc, const struct cmdproc_transfer *t,
                    const struct cmdproc_move *m, uint64_t now)
{
    struct memory_request *request = queue_push(cmdproc->memory.requests, now);
    request->address = m->address;
    request->tag = (uint32_t)(t - cmdproc->transfers);
    request->write = m->write;
    request->bytes_written = m->bytes_written;
    if (m->write)
        memcpy(request->data, m->bytes, TRANSACTION_BYTES);
    cmdproc->moves_in_flight++;
    INVARIANT(&cmdproc->module, cmdproc->moves_in_flight <= cmdproc->move_limit);
    cmdproc->stats.transactions++;
    cmdproc->repeated += m->repeats;
}

/* Sends the next transaction. Transfers take turns. */
static bool
move(struct cmdproc *cmdproc, uint64_t now)
{
    struct cmdproc_transfer *t = next_transfer(cmdproc);
    if (!t)
        return false;
    if (cmdproc->moves_in_flight == cmdproc->move_limit) {
        cmdproc->carrier_waits = true;
        return false;
    }
    if (now < cmdproc->bus_free_cycle) {
        module_wake_at(&cmdproc->module, cmdproc->bus_free_cycle);
        return false;
    }
    if (!queue_space(cmdproc->memory.requests, now))
        return false;
    note_carried(cmdproc, t->begun, now);
    const struct cmdproc_move *m = &t->moves[t->sent++];
    cmdproc->bus_free_cycle = now + cmdproc->move_cycles;
    cmdproc->transfer_rr++;
    if (m->synthetic) {
        cmdproc->synthetic = t;
        cmdproc->synthetic_end = cmdproc->bus_free_cycle;
        module_wake_at(&cmdproc->module, cmdproc->synthetic_end);
    } else {
        send_memory_request(cmdproc, t, m, now);
    }
    return true;
}

/* Continues the current step. Returns whether it did any work. */
static bool
do_step(struct cmdproc *cmdproc, uint64_t now)
{
    const struct cmdproc_step *step = &cmdproc->steps[cmdproc->step];
    bool worked = false;
    if (!cmdproc->sent && !(worked = send_step(cmdproc, step, now)))
        return false;
    if ((step->kind == STEP_CONTROL || step->kind == STEP_BLIT) && cmdproc->awaited)
        return worked;
    cmdproc->sent = false;
    if (++cmdproc->step == cmdproc->step_count)
        cmdproc->step = cmdproc->step_count = 0;
    return true;
}

static enum unit_state
cmdproc_clock(void *self, uint64_t now)
{
    struct cmdproc *cmdproc = self;
    const uint32_t transfers = cmdproc->transfer_count;
    bool worked = take_all_done(cmdproc, now);
    /* If draws do not overlap, the caller must take the ended draw before the next one starts. */
    if (cmdproc->step < cmdproc->step_count &&
        !(cmdproc->finished.draw && cmdproc->batch_ring.capacity == 1))
        worked |= do_step(cmdproc, now);
    worked |= cmdproc_take_replies(cmdproc, now);
    worked |= end_synthetic_move(cmdproc, now);
    worked |= move(cmdproc, now);
    if (cmdproc->transfer_count < transfers && cmdproc_is_done(cmdproc))
        cmdproc->module.stage.cp_ref = cmdproc->synthetic_end == now
                                           ? cmdproc->carrier.cp_ref
                                           : cmdproc->memory.arrival.cp_ref;
    cmdproc->stop = cmdproc->finished.draw || cmdproc_is_done(cmdproc);
    if (worked)
        return UNIT_BUSY;
    const bool waits = cmdproc->step_count || cmdproc->batch_ring.count || cmdproc->transfer_count;
    return waits ? UNIT_WAITING : UNIT_STARVED;
}
