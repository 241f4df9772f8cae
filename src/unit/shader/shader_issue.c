/* Issue stage of a shader unit: selects the groups and instructions that issue in a cycle. shader.c
 * lists the rules. */
#include "unit/shader/shader_internal.h"
#include "unit/shader/shader_profile.h"

#include <string.h>

static const struct instruction *
next_instruction(const struct group *group)
{
    return &group->exec->program->instructions[group->exec->pc];
}

static enum unit_kind
kind_of(const struct instruction *instruction)
{
    return opcode_infos[instruction->opcode].kind;
}

/* Latency of the instruction's constants of uniform blocks, if they are cached. */
static uint32_t
constant_latency(const struct shader *shader, const struct instruction *instruction)
{
    return instruction->block_sources && !shader->instant ? shader->constants.latency : 0;
}

/* Number of cycles from the issue of the instruction's last pass until its result can be read. */
static uint32_t
latency_of(const struct shader *shader, const struct instruction *instruction)
{
    return shader->instant ? 1
                           : shader->to_execution + constant_latency(shader, instruction) +
                                 opcode_infos[instruction->opcode].latency + shader->to_registers;
}

static uint32_t
passes_of(const struct shader *shader, const struct instruction *instruction)
{
    return shader->instant ? 1 : instruction_issue_cycles(instruction);
}

/* Extra ALU cycles of flow control per thread. They are due at the beginning of a construct, and at
 * the return from a subroutine. */
static uint32_t
flow_cost(const struct shader *shader, const struct program *program,
          const struct instruction *instruction)
{
    switch (instruction->opcode) {
    case OP_IF:
    case OP_UIF:
        return program->instructions[instruction->label].opcode == OP_ELSE
                   ? shader->flow_cost.if_else_endif
                   : shader->flow_cost.if_endif;
    case OP_CAL: return shader->flow_cost.call;
    case OP_RET:
    case OP_ENDSUB: return shader->flow_cost.ret;
    case OP_BGNLOOP: return shader->flow_cost.loop;
    default: return 0;
    }
}

/* Cycle in which the last of these temporaries is written. */
static uint64_t
temps_ready(const struct group *group, uint64_t temps)
{
    uint64_t ready = 0;
    for (; temps; temps &= temps - 1) {
        uint64_t cycle = group->temp_ready[__builtin_ctzll(temps)];
        ready = cycle > ready ? cycle : ready;
    }
    return ready;
}

uint64_t
shader_operands_ready(const struct shader *shader, const struct group *group,
                      const struct instruction *instruction)
{
    uint64_t read = temps_ready(group, instruction->temps_read);
    uint64_t written = temps_ready(group, instruction->temps_written);
    if (instruction->reads_address && group->address_ready > read)
        read = group->address_ready;
    if (instruction->writes_address && group->address_ready > written)
        written = group->address_ready;
    uint32_t latency = latency_of(shader, instruction);
    written = written >= latency ? written - latency + 1 : 0;
    return read > written ? read : written;
}

void
shader_schedule(struct shader *shader, struct group *group, uint64_t earliest, enum group_wait wait)
{
    const struct instruction *instruction = next_instruction(group);
    uint64_t ready = shader->replay ? 0 : shader_operands_ready(shader, group, instruction);
    if (ready > earliest)
        wait = WAIT_RESULT;
    group->ready_cycle = ready > earliest ? ready : earliest;
    shader_wait(shader, group, wait);
    ready_sleep(&shader->ready, group->slot, group->ready_cycle,
                kind_of(instruction) == KIND_TEXTURE);
}

/* Write ports in use in a cycle. Threads write results in turn: thread_rate threads in each of
 * issue_cycles cycles. */
static struct port_use *
port_use(struct shader *shader, uint64_t cycle)
{
    struct port_use *use = &shader->port_use[cycle & shader->port_mask];
    if (use->cycle != cycle)
        *use = (struct port_use){.cycle = cycle};
    return use;
}

static uint64_t
first_result(const struct shader *shader, const struct instruction *instruction, uint64_t now)
{
    return now + (uint64_t)(passes_of(shader, instruction) - 1) * shader->issue_cycles +
           latency_of(shader, instruction);
}

static bool
writes_result(const struct shader *shader, const struct instruction *instruction)
{
    return shader->write_ports && opcode_infos[instruction->opcode].destinations &&
           kind_of(instruction) != KIND_TEXTURE;
}

static bool
has_write_ports(struct shader *shader, const struct instruction *instruction, uint64_t now)
{
    if (!writes_result(shader, instruction))
        return true;
    uint64_t first = first_result(shader, instruction, now);
    for (uint32_t i = 0; i < shader->issue_cycles; i++)
        if (port_use(shader, first + i)->results == shader->write_ports)
            return false;
    return true;
}

static void
use_write_ports(struct shader *shader, const struct instruction *instruction, uint64_t now)
{
    if (!writes_result(shader, instruction))
        return;
    uint64_t first = first_result(shader, instruction, now);
    for (uint32_t i = 0; i < shader->issue_cycles; i++)
        port_use(shader, first + i)->results++;
}

static bool
texture_is_free(struct shader *shader, uint64_t now)
{
    return !shader->sending && queue_space(shader->texture[shader->texunit], now) > 0;
}

/* Whether the instruction could ever issue together with those in `issue`. */
static bool
can_coissue(const struct shader *shader, const struct group *group, const struct issue *issue,
            const struct instruction *instruction)
{
    const enum unit_kind kind = kind_of(instruction);
    if (shader->scalar_alu && issue->kinds & 1u << (kind == KIND_SCALAR))
        return false;
    return passes_of(shader, instruction) == 1 &&
           !(kind == KIND_FLOW && flow_cost(shader, group->exec->program, instruction));
}

enum slot_fate
shader_can_issue(struct shader *shader, const struct group *group, const struct issue *issue,
                 uint64_t now)
{
    const struct instruction *instruction = next_instruction(group);
    const enum unit_kind kind = kind_of(instruction);
    const bool joins = !issue->count || can_coissue(shader, group, issue, instruction);
    if (shader->replay && !joins)
        return SLOT_PAIR; /* fetch checks kinds of instructions, but not operands */
    if ((shader->replay || issue->count) && shader_operands_ready(shader, group, instruction) > now)
        return SLOT_RESULT;
    if (!joins)
        return SLOT_PAIR;
    if (issue->count && shader->read_ports &&
        issue->reads + instruction->port_count > shader->read_ports)
        return SLOT_PORTS;
    if (kind == KIND_TEXTURE && !texture_is_free(shader, now))
        return SLOT_TEXTURE_QUEUE;
    return has_write_ports(shader, instruction, now) ? SLOT_ISSUED : SLOT_PORTS;
}

static void
count_instruction(struct shader *shader, const struct group *group,
                  const struct instruction *instruction)
{
    struct shader_stats *stats = &shader->stats;
    stats->instructions++;
    const uint32_t active = exec_active_lanes(group->exec);
    const uint32_t helpers = exec_helper_lanes(group->exec);
    stats->lanes_active += active - helpers;
    stats->lanes_helper += helpers;
    stats->lanes_diverged += group_lanes(group) - active;
    stats->lane_slots += shader->group_threads;
    stats->lanes_empty += shader->group_threads - group_lanes(group);
    stats->kind_instructions[group->source->kind]++;
    switch (kind_of(instruction)) {
    case KIND_SIMD: stats->simd_instructions++; break;
    case KIND_SCALAR: stats->scalar_instructions++; break;
    case KIND_TEXTURE: stats->texture_instructions++; break;
    case KIND_FLOW: stats->flow_instructions++; break;
    }
}

void
shader_reserve_results(const struct shader *shader, struct group *group,
                       const struct instruction *instruction, uint64_t now)
{
    const uint64_t ready = first_result(shader, instruction, now);
    for (uint64_t temps = instruction->temps_written; temps; temps &= temps - 1)
        group->temp_ready[__builtin_ctzll(temps)] = ready;
    if (instruction->writes_address)
        group->address_ready = ready;
    const uint64_t all = ready + shader->issue_cycles - 1;
    if (opcode_infos[instruction->opcode].destinations && all > group->results_ready)
        group->results_ready = all;
}

/* The first quad, from `quad` on, that has a thread that requests texels. */
static uint32_t
next_request(const struct group *group, uint32_t quad)
{
    const uint32_t quads = (group_lanes(group) + 3) / 4;
    while (quad < quads &&
           !(group_block(group, quad)->request.mask >> quad % QUADS_IN_BLOCK * 4 & 15))
        quad++;
    return quad;
}

/* Blocks the group until all its texels have arrived. */
static void
request_texture(struct shader *shader, struct group *group, uint64_t first_cycle)
{
    const uint32_t quads = (group_lanes(group) + 3) / 4;
    group->texels_missing = 0;
    for (uint32_t q = next_request(group, 0); q < quads; q = next_request(group, q + 1))
        group->texels_missing++;
    shader->stats.texture_quads += group->texels_missing;
    shader->sending = group;
    shader->next_quad = next_request(group, 0);
    shader->send_cycle = first_cycle;
    shader_wait(shader, group, WAIT_TEXELS);
}

/* Number of cycles from a group's first thread to the last thread of a quad. */
static uint32_t
cycles_to_quad(const struct shader *shader, const struct group *group, uint32_t quad)
{
    const uint32_t threads = group_lanes(group), last = quad * 4 + 3;
    return shader->instant ? 0 : (last < threads ? last : threads - 1) / shader->thread_rate;
}

/* Sends TextureRequestRate requests per cycle. TextureRequestGroup consecutive requests go to the
 * same Texture Unit. */
bool
shader_send_texture(struct shader *shader, uint64_t now)
{
    uint32_t sent = 0;
    while (shader->sending && sent < shader->request_rate) {
        struct group *group = shader->sending;
        struct queue *texture = shader->texture[shader->texunit];
        uint64_t ready = shader->send_cycle + cycles_to_quad(shader, group, shader->next_quad);
        if (ready > now) {
            module_wake_at(&shader->module, ready);
            break;
        }
        if (!queue_space(texture, now))
            break;
        shader->request_port.cp_ref = group->path_end.cp_ref;
        *(struct texture_item *)queue_push(texture, now) =
            (struct texture_item){group, shader->next_quad};
        sent++;
        shader->next_quad = next_request(group, shader->next_quad + 1);
        if (shader->next_quad >= (group_lanes(group) + 3) / 4)
            shader->sending = NULL;
        if (++shader->texunit_requests >= shader->request_group) {
            shader->texunit_requests = 0;
            shader->texunit = (shader->texunit + 1) % shader->texture_units;
        }
    }
    return sent > 0;
}

/* Whether an instruction other than the next one in the text may follow. */
static bool
is_jump(const struct instruction *instruction)
{
    switch (instruction->opcode) {
    case OP_KILL:
    case OP_KILL_IF:
    case OP_ENDIF:
    case OP_BGNLOOP:
    case OP_BGNSUB:
    case OP_NOP: return false;
    default: return kind_of(instruction) == KIND_FLOW;
    }
}

/* Critical path: an instruction issues as soon as its group is ready and the ALUs are free. */
static void
record_issue(struct shader *shader, struct group *group, uint64_t cycles, uint64_t now)
{
    const enum path_cause cause = group->source->cause;
    cp_ref predecessor = group->path_end.cp_ref;
    if (shader->alus.cycle > group->ready_cycle)
        predecessor = shader->alus.cp_ref;
    else if (predecessor % PATH_CAUSES == cause)
        predecessor =
            module_step(&shader->module, predecessor, CAUSE_result, group->path_end.cycle);
    group->path_end =
        (struct cp_stamp){module_step(&shader->module, predecessor, cause, now), now + cycles};
    shader->alus = group->path_end;
    shader->module.stage.cp_ref = group->path_end.cp_ref; /* no queue uses this stage */
}

/* Cycles in which the ALUs wait for the constants of an instruction. The unit reads
 * ConstantCacheRate different constants per cycle. */
static uint64_t
constant_cycles(const struct shader *shader, const struct group *group,
                const struct instruction *instruction)
{
    if (!instruction->block_sources || shader->instant)
        return 0;
    const uint64_t rate = shader->constants.rate;
    const uint64_t reads = (group->constants.used + rate - 1) / rate;
    const uint64_t passes = (uint64_t)passes_of(shader, instruction) * shader->issue_cycles;
    return reads > passes ? reads - passes : 0;
}

uint64_t
shader_take_slot(struct shader *shader, const struct group *group, struct issue *issue,
                 uint64_t now)
{
    const struct instruction *instruction = next_instruction(group);
    const enum unit_kind kind = kind_of(instruction);
    const uint64_t cycles = (uint64_t)passes_of(shader, instruction) * shader->issue_cycles +
                            constant_cycles(shader, group, instruction);
    const uint64_t flow =
        kind == KIND_FLOW
            ? (uint64_t)flow_cost(shader, group->exec->program, instruction) * shader->issue_cycles
            : 0;
    use_write_ports(shader, instruction, now);
    issue->count++;
    issue->reads += instruction->port_count;
    issue->kinds |= 1u << (kind == KIND_SCALAR);
    issue->jumps = is_jump(instruction);
    issue->passes = cycles > issue->passes ? cycles : issue->passes;
    issue->takes = cycles + flow > issue->takes ? cycles + flow : issue->takes;
    return cycles;
}

/* Records an endless program. The run fails once this draw is the oldest in flight. The group ends
 * with its current values, so that earlier draws can end. */
static void
note_endless(struct shader *shader, const struct group *group)
{
    const struct draw *known = shader->endless.draw;
    if (!known || group->draw->number < known->number) {
        shader->endless.draw = group->draw;
        shader->endless.stage = group->stage;
    }
    clock_halt(shader->module.clock);
}

/* Issues the group's next instruction. Returns whether the group could issue another one in this
 * cycle. */
static bool
issue_next(struct shader *shader, struct group *group, struct issue *issue, uint64_t now)
{
    const struct instruction *instruction = next_instruction(group);
    const enum unit_kind kind = kind_of(instruction);
    count_instruction(shader, group, instruction);
    if (PROFILED(shader))
        shader_profile_issued(shader, group);
    const bool is_first = !issue->count;
    shader->stats.paired_instructions += !is_first;
    const uint64_t cycles = shader_take_slot(shader, group, issue, now);
    const uint64_t reads = constant_cycles(shader, group, instruction);
    shader->stats.constant_cycles += reads;
    if (is_first)
        record_issue(shader, group, cycles, now);
    enum exec_event event = exec_step(group->exec);
    if (event != EXEC_TEXTURE)
        shader_reserve_results(shader, group, instruction, now + reads);
    if (event == EXEC_ENDLESS)
        note_endless(shader, group);
    if (event == EXEC_END || event == EXEC_ENDLESS ||
        (event == EXEC_NEXT && shader_at_end(group))) {
        shader_finish(shader, group, now + shader->to_execution + cycles);
        return false;
    }
    if (event == EXEC_TEXTURE) {
        request_texture(shader, group,
                        now + shader->to_execution + constant_latency(shader, instruction) +
                            cycles - shader->issue_cycles);
        return false;
    }
    return kind != KIND_FLOW;
}

/* Schedules the group's next fetch: no sooner than cycle `known`, and no sooner than FetchDelay
 * allows. */
static void
fetch_next(struct shader *shader, struct group *group, uint64_t known, uint64_t now)
{
    const uint64_t delayed = now + (shader->fetch_delay ? shader->fetch_delay : 1);
    shader_schedule(shader, group, delayed > known ? delayed : known, WAIT_DELAY);
}

/* Takes the turn from a group whose instruction cannot issue. The group is fetched again. */
static enum slot_fate
replay(struct shader *shader, struct group *group, uint64_t now, uint64_t *busy_cycles)
{
    ready_take(&shader->ready, group->slot);
    shader->stats.replays++;
    shader->issue_slots[SLOT_REPLAY] += shader->fetch_rate;
    if (PROFILED(shader))
        shader_profile_turn(shader, group, &(struct issue){0}, SLOT_REPLAY, shader->fetch_rate);
    if (shader->issue_cycles > *busy_cycles)
        *busy_cycles = shader->issue_cycles;
    fetch_next(shader, group, now + 1 + shader->to_issue, now);
    return SLOT_REPLAY;
}

/* As shader_can_issue(). If only constants of uniform blocks are missing, the first instruction of
 * a turn waits for them. */
static enum slot_fate
can_issue_with_constants(struct shader *shader, struct group *group, const struct issue *issue,
                         uint64_t now)
{
    const enum slot_fate fate = shader_can_issue(shader, group, issue, now);
    if (fate != SLOT_ISSUED || !next_instruction(group)->block_sources)
        return fate;
    return shader_read_constants(shader, group, !issue->count, now) ? fate : SLOT_CONSTANTS;
}

/* Issues up to fetch_rate instructions of the group. Returns SLOT_ISSUED if at least the first
 * issued, SLOT_REPLAY if the group lost its turn, or the reason why none issued. */
static enum slot_fate
issue_group(struct shader *shader, struct group *group, uint64_t now, uint64_t *busy_cycles)
{
    struct issue issue = {0};
    enum slot_fate fate = can_issue_with_constants(shader, group, &issue, now);
    if (fate != SLOT_ISSUED)
        return shader->replay && fate != SLOT_CONSTANTS ? replay(shader, group, now, busy_cycles)
                                                        : fate;
    bool more = true;
    while (more && fate == SLOT_ISSUED && issue.count < shader->fetch_rate) {
        more = issue_next(shader, group, &issue, now);
        fate = !more ? SLOT_PAIR
               : issue.count < shader->fetch_rate
                   ? can_issue_with_constants(shader, group, &issue, now)
                   : SLOT_ISSUED;
    }
    ready_take(&shader->ready, group->slot);
    const bool again = shader->replay && fate != SLOT_ISSUED && fate != SLOT_PAIR;
    if (again) {
        fate = SLOT_REPLAY;
        shader->stats.replays++;
    }
    shader->issue_slots[SLOT_ISSUED] += issue.count;
    shader->issue_slots[fate] += shader->fetch_rate - issue.count;
    if (PROFILED(shader))
        shader_profile_turn(shader, group, &issue, fate, shader->fetch_rate - issue.count);
    *busy_cycles = issue.takes > *busy_cycles ? issue.takes : *busy_cycles;
    if (now + issue.passes > shader->passes_until)
        shader->passes_until = now + issue.passes;
    if (group->wait != WAIT_TEXELS && group->wait != WAIT_OUTPUT) {
        /* cycle in which the program counter is known */
        uint64_t known = more ? now + 1 : now + issue.takes;
        if (again)
            known += shader->to_issue;
        else if (issue.jumps)
            known += shader->to_execution + shader->to_issue;
        fetch_next(shader, group, known, now);
    }
    return SLOT_ISSUED;
}

/* Fate of the issue slots when all groups of the unit wait. */
static enum slot_fate
fate_of_waiting(struct shader *shader)
{
    static const struct {
        enum group_wait wait;
        enum slot_fate fate;
    } order[] = {
        {WAIT_RESULT, SLOT_RESULT},       {WAIT_DELAY, SLOT_DELAY}, {WAIT_TEXELS, SLOT_TEXELS},
        {WAIT_CONSTANTS, SLOT_CONSTANTS}, {WAIT_LOAD, SLOT_LOAD},   {WAIT_OUTPUT, SLOT_OUTPUT},
    };
    shader->waiter = NULL;
    for (uint32_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (shader->waiting[order[i].wait])
            return order[i].fate;
    return SLOT_STARVED;
}

static enum slot_fate
fate_of_group(const struct group *group)
{
    switch (group->wait) {
    case WAIT_RESULT: return SLOT_RESULT;
    case WAIT_LOAD: return SLOT_LOAD;
    case WAIT_TEXELS: return SLOT_TEXELS;
    case WAIT_CONSTANTS: return SLOT_CONSTANTS;
    case WAIT_OUTPUT: return SLOT_OUTPUT;
    default: return SLOT_DELAY;
    }
}

/* Whether the group had its turn: it issued or lost its slots. */
static bool
uses_turn(enum slot_fate fate)
{
    return fate == SLOT_ISSUED || fate == SLOT_REPLAY;
}

/* Strict order of arrival: only the group whose turn it is may issue. Groups whose inputs are being
 * loaded are skipped. With SwapOnBlock, a group keeps its turn until it is blocked. */
static enum slot_fate
issue_in_order(struct shader *shader, uint64_t now, uint64_t *busy_cycles)
{
    uint32_t slot = shader->sticky ? shader->last_fetched : shader->after[shader->last_fetched];
    for (uint32_t i = 0; i < shader->running; i++) {
        if (shader->groups[slot]->wait != WAIT_LOAD)
            break;
        slot = shader->after[slot];
    }
    if (!shader->running || shader->groups[slot]->wait == WAIT_LOAD)
        return fate_of_waiting(shader);
    struct group *group = shader->groups[slot];
    shader->waiter = group;
    if (!ready_has(&shader->ready, slot))
        return fate_of_group(group);
    enum slot_fate fate = issue_group(shader, group, now, busy_cycles);
    if (uses_turn(fate) && group->wait != WAIT_OUTPUT) {
        shader->last_fetched = slot;
        shader->sticky = shader->swap_on_block && group->wait != WAIT_TEXELS;
    }
    return fate;
}

/* Selects any ready group, round robin. With SwapOnBlock, selects the same group until it is
 * blocked. */
static enum slot_fate
issue_from_window(struct shader *shader, uint64_t now, uint64_t *busy_cycles)
{
    if (shader->sticky) {
        struct group *group = shader->groups[shader->last_fetched];
        shader->waiter = group;
        if (!ready_has(&shader->ready, shader->last_fetched))
            return fate_of_group(group);
        enum slot_fate fate = issue_group(shader, group, now, busy_cycles);
        if (uses_turn(fate))
            shader->sticky = group->wait != WAIT_TEXELS && group->wait != WAIT_OUTPUT;
        return fate;
    }
    enum slot_fate worst = SLOT_STARVED;
    bool unmarked = false;
    uint32_t from = shader->last_fetched + 1 == shader->max_groups ? 0 : shader->last_fetched + 1;
    int32_t first = -1;
    for (;;) {
        int32_t slot = ready_find(&shader->ready, from, unmarked);
        if (slot < 0 || slot == first)
            return worst == SLOT_STARVED ? fate_of_waiting(shader) : worst;
        struct group *group = shader->groups[slot];
        enum slot_fate fate = issue_group(shader, group, now, busy_cycles);
        if (uses_turn(fate)) {
            shader->last_fetched = (uint32_t)slot;
            shader->sticky =
                shader->swap_on_block && group->wait != WAIT_TEXELS && group->wait != WAIT_OUTPUT;
            return fate;
        }
        if (worst == SLOT_STARVED) {
            worst = fate;
            shader->waiter = group;
        }
        if (fate == SLOT_TEXTURE_QUEUE)
            unmarked = true; /* no other texture instruction may issue either */
        else if (first < 0 && fate != SLOT_CONSTANTS) /* that group is no longer ready */
            first = slot;
        from = (uint32_t)slot + 1 == shader->max_groups ? 0 : (uint32_t)slot + 1;
    }
}

bool
shader_issue(struct shader *shader, uint64_t now)
{
    if (shader->issue_free_cycle > now)
        return false;
    uint64_t busy_cycles = 0;
    uint32_t picked = 0;
    enum slot_fate fate = SLOT_ISSUED;
    memset(shader->issue_slots, 0, sizeof shader->issue_slots);
    shader->passes_until = 0;
    if (PROFILED(shader))
        shader_profile_begin(shader);
    for (; picked < shader->picks; picked++) {
        fate = shader->window ? issue_from_window(shader, now, &busy_cycles)
                              : issue_in_order(shader, now, &busy_cycles);
        if (!uses_turn(fate))
            break;
    }
    if (fate == SLOT_PORTS)
        module_wake_at(&shader->module, now + 1);
    shader->idle = fate;
    if (PROFILED(shader))
        shader_profile_idle(shader, fate, (shader->picks - picked) * shader->fetch_rate);
    if (!picked)
        return false;
    shader->issue_slots[fate] += (shader->picks - picked) * shader->fetch_rate;
    shader->issue_until = now + shader->issue_cycles;
    shader->issue_free_cycle = now + busy_cycles;
    return shader_holds_alus(shader);
}
