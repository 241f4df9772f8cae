/* Shader unit. A unified unit runs vertices, fragments, and triangles (TriangleSetupOnShader).
 * Otherwise a unit is either a vertex shader or a fragment shader.
 *
 * The unit holds thread groups; the threads of a group share a program counter. The number of
 * groups is limited by threads (ExecutableThreads + InputBuffers) and registers (ThreadResources).
 * A thread occupies the live temporaries of its program, in pairs. The inputs of InputsPerCycle
 * threads are loaded per cycle. The outputs of OutputsPerCycle threads leave per cycle, and arrive
 * OutputLatency cycles later. If these rates are above the size of a group, several groups are
 * loaded, or leave, in one cycle. A group's outputs begin to leave when the Scheduler has a free
 * entry for the group (ShaderOutputQueueSize). From then on, the entry is occupied, and the group's
 * threads and registers are free.
 *
 * Issue: ThreadRate threads issue up to FetchRate instructions each per cycle, in order. A larger
 * group therefore takes several cycles (ThreadGroup / ThreadRate). Several smaller groups issue in
 * the same cycle. The instructions that a group issues in one cycle are of any kind, or one SIMD
 * and one scalar (ScalarALU). A texture or flow instruction is always the last of them. An
 * instruction with several passes (isa.def: instructions that hardware of the time split) or with a
 * flow-control cost is always the first. It occupies the ALUs for all its cycles. END is a mark on
 * the preceding instruction and is free.
 *
 * An instruction computes its values when it issues. Its results can be read `latency` cycles
 * (isa.def) after its last pass, thread by thread. A wide group can therefore hide this latency by
 * itself. An instruction issues only if its operands are ready. Its result must come after earlier
 * results for the same register. The scoreboard tracks each temporary separately, and all address
 * registers together. Only instructions that use an address register wait for address registers.
 * Per cycle, the results of WritePorts instructions per issue slot can be written. The instructions
 * of a group can read ReadPorts registers together. An instruction that exceeds these ports is
 * refused and tried again.
 *
 * The pipeline stages around execution take 0 cycles each unless SHADER sets more: an instruction
 * is fetched, is decoded (FetchStages), is issued (DecodeStages), and is executed (ReadStages). Its
 * result can be read WriteBackStages cycles after its latency. There is no forwarding: an
 * instruction that needs the result issues no sooner. Sequential instructions are fetched ahead. A
 * new fetch is needed when a group starts, after a jump has executed, and after texels have been
 * written.
 *
 * Replay: fetch does not check operands. Each group is fetched in its turn unless it is blocked. If
 * its instruction cannot issue (operands, ports, queue to the Texture Unit), the group loses the
 * slots of that turn. It is fetched again no sooner than FetchDelay allows, and issues one cycle
 * after the stages of fetch and decode. The same applies to a second instruction that cannot join
 * the first. A second instruction that could never join (ScalarALU, several passes) is not fetched
 * with the first.
 *
 * Choice of the group: with ThreadWindow, any ready group, round robin. Otherwise groups issue in
 * strict order of arrival, and the unit waits for the group whose turn it is. With SwapOnBlock, the
 * same group issues until it is blocked on texture or ends. No group is fetched twice within
 * FetchDelay cycles. A texture instruction sends the group's quads to the Texture Unit, each when
 * its four threads have executed. Only one texture instruction sends at a time. It blocks the group
 * until all texels have arrived.
 *
 * If LockedExecutionMode is off, each vertex, or each quad of fragments (needed for derivatives),
 * is a separate group.
 *
 * Instant mode (SHADER.Mode; docs/design/shader.md, Instant mode): the unit executes one whole
 * instruction of one group per cycle. The result is ready in the next cycle. There are no delays,
 * stages, replays, ports or flow-control costs.
 *
 * Source: docs/design/shader.md, Issue; ATTILA's shader fetch and decode (FetchStages = 1,
 * WriteBackStages = 1 and Replay, with other latencies). Not modelled: discarded fetches after a
 * jump or a texture instruction, forwarding, instruction memory. */
#include "unit/shader/shader_internal.h"

#include "base/mem.h"
#include "unit/shader/shader_profile.h"
#include "unit/watch.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state shader_clock(void *self, uint64_t now);

/* Role of a stage's units, from the section [FRAGMENTSHADER] or [VERTEXSHADER]. */
#define ROLE(section, first, count, least)                                                         \
    make_role(first, count,                                                                        \
              (section).LockedExecutionMode || (section).ThreadGroup < (least)                     \
                  ? (section).ThreadGroup                                                          \
                  : (least),                                                                       \
              (section).ExecutableThreads + (section).InputBuffers)

static struct shader_role
make_role(uint32_t first, uint32_t count, uint32_t group_threads, uint32_t threads)
{
    return (struct shader_role){first, count, group_threads, threads / group_threads};
}

void
shader_roles(const struct params *params, struct shader_role roles[STAGE_COUNT])
{
    const uint32_t fragment_units = params->GPU.NumFragmentShaders;
    const struct shader_role role = ROLE(params->FRAGMENTSHADER, 0, fragment_units, 4);
    roles[STAGE_VERTEX] = roles[STAGE_FRAGMENT] = role;
    if (!params->GPU.UnifiedShader)
        roles[STAGE_VERTEX] =
            ROLE(params->VERTEXSHADER, fragment_units, params->GPU.NumVertexShaders, 1);
    roles[STAGE_GEOMETRY] = roles[STAGE_VERTEX];
}

uint32_t
shader_unit_count(const struct params *params)
{
    return params->GPU.NumFragmentShaders +
           (params->GPU.UnifiedShader ? 0 : params->GPU.NumVertexShaders);
}

bool
shader_check_params(const struct params *params, struct error *err)
{
    struct shader_role roles[STAGE_COUNT];
    if (params->FRAGMENTSHADER.ThreadGroup % 4)
        return fail(err,
                    "FRAGMENTSHADER.ThreadGroup = %u: it must be a multiple of 4, because "
                    "fragments are grouped in quads",
                    params->FRAGMENTSHADER.ThreadGroup);
    if (params->RASTERIZER.TriangleSetupOnShader && !params->GPU.UnifiedShader)
        return fail(err, "RASTERIZER.TriangleSetupOnShader = TRUE: it requires "
                         "GPU.UnifiedShader = TRUE, because only unified units run triangles");
    shader_roles(params, roles);
    for (uint32_t s = 0; s < STAGE_COUNT; s++) {
        const bool own = s != STAGE_FRAGMENT && !params->GPU.UnifiedShader;
        const char *section = own ? "VERTEXSHADER" : "FRAGMENTSHADER";
        if (!roles[s].group_limit)
            return fail(err,
                        "%s: ExecutableThreads + InputBuffers must be at least ThreadGroup (%u)",
                        section, roles[s].group_threads);
        if (roles[s].group_limit > SHADER_MAX_GROUPS)
            return fail(
                err,
                "%s: ExecutableThreads + InputBuffers are %u groups of ThreadGroup = %u; at "
                "most %d are simulated",
                section, roles[s].group_limit, roles[s].group_threads, SHADER_MAX_GROUPS);
    }
    return true;
}

/* Copies the parameters that both sections have. */
#define CONFIGURE(shader, section)                                                                 \
    do {                                                                                           \
        (shader)->thread_rate = (section).ThreadRate;                                              \
        (shader)->fetch_rate = (section).FetchRate;                                                \
        (shader)->fetch_delay = (section).FetchDelay;                                              \
        (shader)->scalar_alu = (section).ScalarALU;                                                \
        (shader)->window = (section).ThreadWindow;                                                 \
        (shader)->swap_on_block = (section).SwapOnBlock;                                           \
        (shader)->registers = (section).ThreadResources;                                           \
        (shader)->inputs_cycle = (section).InputsPerCycle;                                         \
        (shader)->outputs_cycle = (section).OutputsPerCycle;                                       \
    } while (0)

static void
configure_issue(struct shader *shader, const struct params *params)
{
    const uint32_t threads = shader->group_threads, rate = shader->thread_rate;
    shader->instant = params->SHADER.Mode == SHADER_INSTANT;
    shader->load_free.limit = shader->inputs_cycle > threads ? shader->inputs_cycle / threads : 1;
    shader->output_free.limit =
        shader->outputs_cycle > threads ? shader->outputs_cycle / threads : 1;
    shader->picks = rate > threads ? rate / threads : 1;
    if (shader->instant) {
        shader->issue_cycles = shader->fetch_rate = 1;
        shader->fetch_delay = 0;
    } else {
        shader->issue_cycles = (threads + rate - 1) / rate;
        shader->flow_cost.if_endif = params->SHADER.IfCost;
        shader->flow_cost.if_else_endif = params->SHADER.IfElseCost;
        shader->flow_cost.call = params->SHADER.CallCost;
        shader->flow_cost.ret = params->SHADER.ReturnCost;
        shader->flow_cost.loop = params->SHADER.LoopCost;
        shader->read_ports = params->SHADER.ReadPorts;
        shader->to_issue = params->SHADER.FetchStages + params->SHADER.DecodeStages;
        shader->to_execution = params->SHADER.ReadStages;
        shader->to_registers = params->SHADER.WriteBackStages;
        shader->replay = params->SHADER.Replay;
        shader->write_ports = params->SHADER.WritePorts * shader->fetch_rate * shader->picks;
    }
    shader->slots_cycle = shader->fetch_rate * shader->picks;
}

/* Allocates the tables. A result comes after at most 16 passes (isa.def), a latency below 16 cycles
 * and the latency of constants. The pipeline stages delay all results equally, so they need no room
 * in the ring. */
static void
make_tables(struct shader *shader)
{
    const uint32_t slots = shader->max_groups;
    uint32_t ring = 1;
    while (ring < 16 * (shader->issue_cycles + 1) + shader->constants.latency)
        ring *= 2;
    shader->port_use = mem_array(ring, sizeof *shader->port_use);
    shader->port_mask = ring - 1;
    shader->groups = mem_array(slots, sizeof *shader->groups);
    shader->free_slots = mem_array((slots + 63) / 64, sizeof *shader->free_slots);
    for (uint32_t p = 0; p < slots; p++)
        shader->free_slots[p / 64] |= UINT64_C(1) << p % 64;
    shader->after = mem_array(slots, sizeof *shader->after);
    shader->before = mem_array(slots, sizeof *shader->before);
    shader->finished_ring.capacity = slots;
    shader->finished = mem_array(slots, sizeof *shader->finished);
    ready_init(&shader->ready, slots);
}

static void
shader_wire(void *self)
{
    struct shader *shader = self;
    shader->group_port.cause = shader->finish_port.cause = CAUSE_load;
    shader->request_port.cause = shader->texel_port.cause = CAUSE_address;
    shader->in->to = &shader->group_port;
    shader->out->from = &shader->finish_port;
    shader->out->hop_cause = CAUSE_load; /* models OutputLatency */
    shader->constants.cache.port.requests->from = &shader->constants.stage;
    queue_reserve(shader->out);
    for (uint32_t i = 0; i < shader->texture_units; i++) {
        shader->texture[i]->from = &shader->request_port;
        shader->texels[i]->to = &shader->texel_port;
        shader->texture[i]->hop_cause = shader->texels[i]->hop_cause = CAUSE_address;
    }
}

/* Checks that all threads, registers and slots are free. */
static void
check_idle(const struct shader *shader)
{
    const struct module *module = &shader->module;
    uint32_t free_slots = 0;
    INVARIANT(module, !shader->group_count && !shader->thread_count);
    INVARIANT(module, shader->registers_used == 0);
    INVARIANT(module, !shader->running && !shader->finished_ring.count);
    INVARIANT(module, shader->sending == NULL);
    for (uint32_t i = 0; i < WAIT_COUNT; i++)
        INVARIANT(module, shader->waiting[i] == 0);
    for (uint32_t i = 0; INVARIANTS && i < (shader->max_groups + 63) / 64; i++)
        free_slots += bits_count(shader->free_slots[i]);
    INVARIANT(module, free_slots == shader->max_groups);
}

static void
shader_reset(void *self)
{
    struct shader *shader = self;
    check_idle(shader);
    constants_reset(&shader->constants);
    shader->last_fetched = shader->texunit = shader->texunit_requests = 0;
    shader->own_parts -= shader->own_parts % OWN_PARTS; /* frames count whole cycles */
}

static void
shader_fini(void *self)
{
    struct shader *shader = self;
    shader_profile_detach(shader);
    constants_fini(&shader->constants);
    ready_fini(&shader->ready);
    free(shader->port_use);
    free(shader->groups);
    free(shader->free_slots);
    free(shader->after);
    free(shader->before);
    free(shader->finished);
}

static const struct module_ops ops = {
    .clock = shader_clock,
    .settle = shader_settle,
    .wire = shader_wire,
    .reset = shader_reset,
    .fini = shader_fini,
};

void
shader_init(struct shader *shader, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    struct shader_role roles[STAGE_COUNT];
    memset(shader, 0, sizeof *shader);
    clock_add_module(env->clock, &shader->module, "shader", (int32_t)index, shader, &ops);
    shader->module.is_core = true;
    shader->module.keeps_time = true;
    shader->pools = env->pools;
    shader->index = index;
    shader_roles(params, roles);
    const bool vertices_only = index >= params->GPU.NumFragmentShaders;
    shader->vertices_only = vertices_only;
    const struct shader_role *role = &roles[vertices_only ? STAGE_VERTEX : STAGE_FRAGMENT];
    if (vertices_only)
        CONFIGURE(shader, params->VERTEXSHADER);
    else
        CONFIGURE(shader, params->FRAGMENTSHADER);
    shader->group_threads = role->group_threads;
    shader->max_groups = role->group_limit;
    shader->texture_units = params->FRAGMENTSHADER.TextureUnits;
    shader->request_rate = params->FRAGMENTSHADER.TextureRequestRate;
    shader->request_group = params->FRAGMENTSHADER.TextureRequestGroup;
    configure_issue(shader, params);
    constants_init(&shader->constants, &shader->module, env, shader->max_groups);
    make_tables(shader);
}

/* Number of registers that a group occupies. */
static uint32_t
registers_of(const struct shader *shader, const struct group *group)
{
    return shader_thread_registers(group->program) * shader->group_threads;
}

static uint32_t
block_bytes(const struct program *program, uint32_t lanes)
{
    return (exec_size(program, lanes) + 63) / 64 * 64;
}

static uint64_t
first_lanes(uint32_t count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* Starts the group's program, and divides the group's registers into blocks. */
static void
begin_program(struct group *group)
{
    const struct program *program = group->program;
    const uint32_t threads = group_lanes(group), lanes = (threads + 3) / 4 * 4;
    const uint32_t full = lanes / EXEC_MAX_LANES, rest = lanes % EXEC_MAX_LANES;
    const uint32_t full_bytes = block_bytes(program, EXEC_MAX_LANES);
    const uint32_t bytes = full * full_bytes + (rest ? block_bytes(program, rest) : 0);
    if (bytes > group->register_bytes) {
        free(group->registers);
        group->register_bytes = bytes;
        group->registers = aligned_alloc(64, bytes);
        if (!group->registers)
            mem_exhausted("registers");
    }
    for (uint32_t b = 0; b < full + (rest > 0); b++)
        exec_begin(&group->exec[b], program, group->draw->constants[group->stage],
                   group->draw->constant_count[group->stage], b < full ? EXEC_MAX_LANES : rest,
                   first_lanes(threads - b * EXEC_MAX_LANES),
                   (uint8_t *)group->registers + (size_t)b * full_bytes);
    exec_join(group->exec, full + (rest > 0));
}

/* Updates the occupied fraction of the group slots, or of the registers if that fraction is larger.
 */
static void
update_occupied(struct shader *shader)
{
    const uint32_t groups = shader->group_count * OWN_PARTS / shader->max_groups;
    const uint64_t registers = (uint64_t)shader->registers_used * OWN_PARTS / shader->registers;
    shader->occupied = registers > OWN_PARTS ? OWN_PARTS : (uint32_t)registers;
    if (groups > shader->occupied)
        shader->occupied = groups;
}

/* Assigns the lowest free slot to the group, and appends the group to the circle. */
static void
add_group(struct shader *shader, struct group *group)
{
    uint32_t word = 0;
    while (!shader->free_slots[word])
        word++;
    const uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(shader->free_slots[word]);
    shader->free_slots[word] &= shader->free_slots[word] - 1;
    if (!shader->running) {
        shader->last_fetched = shader->after[slot] = shader->before[slot] = slot;
    } else {
        /* The circle begins with the oldest group, whichever group has its turn. */
        const uint32_t newest = shader->before[shader->oldest];
        shader->before[slot] = newest;
        shader->after[slot] = shader->oldest;
        shader->after[newest] = shader->before[shader->oldest] = slot;
    }
    if (!shader->running++)
        shader->oldest = slot;
    group->slot = slot;
    shader->groups[slot] = group;
    shader->group_count++;
    shader->thread_count += group_lanes(group);
    shader->registers_used += registers_of(shader, group);
    INVARIANT(&shader->module, shader->group_count <= shader->max_groups);
    INVARIANT(&shader->module,
              shader->registers_used <= shader->registers || shader->group_count == 1);
    update_occupied(shader);
}

static void
unlink_group(struct shader *shader, uint32_t slot)
{
    const uint32_t before = shader->before[slot], after = shader->after[slot];
    shader->after[before] = after;
    shader->before[after] = before;
    if (shader->oldest == slot)
        shader->oldest = after;
    if (shader->last_fetched == slot) {
        shader->last_fetched = before; /* the turn passes to the next group in the circle */
        shader->sticky = false;
    }
    shader->running--;
}

static void
remove_group(struct shader *shader, struct group *group)
{
    const struct module *module = &shader->module;
    INVARIANT(module, shader->groups[group->slot] == group);
    INVARIANT(module, shader->waiting[group->wait] > 0);
    INVARIANT(module, shader->thread_count >= group_lanes(group));
    INVARIANT(module, shader->registers_used >= registers_of(shader, group));
    shader->waiting[group->wait]--;
    shader->registers_used -= registers_of(shader, group);
    shader->thread_count -= group_lanes(group);
    shader->group_count--;
    shader->groups[group->slot] = NULL;
    shader->free_slots[group->slot / 64] |= UINT64_C(1) << group->slot % 64;
    update_occupied(shader);
}

/* The cycle in which the port takes the next group, from `now` on. */
static uint64_t
port_next_cycle(const struct group_port *port, uint64_t now)
{
    if (port->free_cycle <= now)
        return now;
    return port->cycle == now && port->count < port->limit ? now : port->free_cycle;
}

/* Passes a group's threads through the port, `rate` threads per cycle. Returns the cycles. */
static uint32_t
port_take(struct group_port *port, uint32_t threads, uint32_t rate, uint64_t now)
{
    const uint32_t cycles = (threads + rate - 1) / rate;
    port->count = port->cycle == now ? port->count + 1 : 1;
    port->cycle = now;
    port->free_cycle = now + cycles;
    return cycles;
}

static void
start(struct shader *shader, struct group *group, uint64_t now)
{
    begin_program(group);
    if (PROFILED(shader))
        shader_profile_start(shader, group);
    group->source->load(group);
    memset(group->temp_ready, 0, sizeof group->temp_ready);
    group->address_ready = group->results_ready = 0;
    group->constants.ready = false;
    group->wait = WAIT_LOAD;
    shader->waiting[WAIT_LOAD]++;
    add_group(shader, group);
    port_take(&shader->load_free, group_lanes(group), shader->inputs_cycle, now);
    shader_schedule(shader, group, shader->load_free.free_cycle + shader->to_issue, WAIT_LOAD);
    shader->stats.groups++;
    WATCH_GROUP(shader->pools, group);
    shader->stats.kind_groups[group->source->kind]++;
}

static bool
take_group(struct shader *shader, uint64_t now)
{
    shader->refused_threads = shader->refused_registers = false;
    const struct group_item *item = queue_front(shader->in, now);
    if (!item)
        return false;
    if (port_next_cycle(&shader->load_free, now) > now) {
        module_wake_at(&shader->module, shader->load_free.free_cycle);
        return false;
    }
    shader->refused_threads = shader->group_count == shader->max_groups;
    shader->refused_registers =
        !shader->refused_threads && shader->group_count &&
        shader->registers_used + registers_of(shader, item->group) > shader->registers;
    if (shader->refused_threads || shader->refused_registers) {
        shader->was_refused = true;
        return false;
    }
    struct group *group = item->group;
    cp_ref predecessor = queue_mark(shader->in).cycle == now ? shader->group_port.cp_ref
                         : shader->was_refused               ? shader->freed
                                                             : shader->load_port.cp_ref;
    shader->was_refused = false;
    start(shader, group, now);
    queue_pop(shader->in, now);
    shader->load_port.cp_ref = group->path_end.cp_ref =
        module_step(&shader->module, predecessor, CAUSE_load, now);
    shader->group_port.cp_ref = predecessor;
    return true;
}

static bool
take_texels(struct shader *shader, struct queue *texels, uint64_t now)
{
    bool worked = false;
    for (const struct texture_item *item; (item = queue_front(texels, now));) {
        struct group *group = item->group;
        INVARIANT(&shader->module, shader->groups[group->slot] == group);
        INVARIANT(&shader->module, group->texels_missing > 0);
        group->path_end.cp_ref = queue_mark(texels).cp_ref;
        if (--group->texels_missing == 0) {
            for (uint32_t b = 0; b < group->exec->blocks; b++)
                if (group->exec[b].request.mask)
                    exec_texture_done(&group->exec[b], group->texels[b]);
            const uint64_t written = now + 1 + shader->to_registers;
            if (shader_at_end(group))
                shader_finish(shader, group, written);
            else
                shader_schedule(shader, group, written + shader->to_issue, WAIT_TEXELS);
        }
        queue_pop(texels, now);
        worked = true;
    }
    return worked;
}

void
shader_finish(struct shader *shader, struct group *group, uint64_t cycle)
{
    group->source->store(group, &shader->stats);
    unlink_group(shader, group->slot);
    shader_wait(shader, group, WAIT_OUTPUT);
    group->ready_cycle = group->results_ready > cycle ? group->results_ready : cycle;
    shader->finished[ring_push(&shader->finished_ring)] = group->slot;
    shader->stats.groups_finished++;
}

/* Sends groups in the order in which they ended. Sets *blocked if a group could not leave. */
static bool
send_finished(struct shader *shader, uint64_t now, bool *blocked)
{
    if (!shader->finished_ring.count)
        return false;
    struct group *group = shader->groups[shader->finished[shader->finished_ring.head]];
    const uint64_t port_free = port_next_cycle(&shader->output_free, now);
    const uint64_t ready = group->ready_cycle > port_free ? group->ready_cycle : port_free;
    if (ready > now) {
        module_wake_at(&shader->module, ready);
        return false;
    }
    if (!queue_space(shader->out, now)) {
        *blocked = true;
        return false;
    }
    const uint32_t outputs =
        group->source->outputs ? group->source->outputs(group) : group_lanes(group);
    const bool was_late = group->ready_cycle > shader->output_free.free_cycle;
    const uint32_t cycles = port_take(&shader->output_free, outputs, shader->outputs_cycle, now);
    remove_group(shader, group);
    shader->finish_port.cp_ref =
        was_late || !shader->finish_port.cp_ref
            ? module_step(&shader->module, group->path_end.cp_ref, CAUSE_load, now)
            : shader->finish_port.cp_ref;
    ring_pop(&shader->finished_ring);
    *(struct group_item *)queue_push_later(shader->out, now, cycles - 1) =
        (struct group_item){group};
    shader->freed = shader->finish_port.cp_ref;
    return true;
}

/* State of a unit that did no work in this cycle. */
static enum unit_state
idle_state(const struct shader *shader, bool blocked)
{
    if (blocked || shader->idle == SLOT_TEXTURE_QUEUE)
        return UNIT_BLOCKED;
    return shader->group_count ? UNIT_WAITING : UNIT_STARVED;
}

static enum unit_state
shader_clock(void *self, uint64_t now)
{
    struct shader *shader = self;
    bool blocked = false;
    shader_account(shader, now);
    for (int32_t slot; (slot = ready_wake(&shader->ready, now)) >= 0;)
        shader_wait(shader, shader->groups[slot], WAIT_TURN);
    bool worked = false, more;
    do
        worked |= more = send_finished(shader, now, &blocked);
    while (more && shader->output_free.limit > 1);
    for (uint32_t i = 0; i < shader->texture_units; i++)
        worked |= take_texels(shader, shader->texels[i], now);
    shader_issue(shader, now);
    worked |= shader_send_texture(shader, now);
    if (shader->constants.waiting_count)
        worked |= shader_take_constants(shader, now);
    do
        worked |= more = take_group(shader, now);
    while (more && shader->load_free.limit > 1);
    if (worked)
        module_wake_at(&shader->module, now + 1);
    const bool occupied = shader->issue_free_cycle > now;
    /* While the ALUs are occupied, a group waits for texels only until its registers have them. */
    if (!occupied || shader->waiting[WAIT_TEXELS])
        module_wake_at(&shader->module, ready_next_cycle(&shader->ready));
    if (occupied) {
        module_wake_at(&shader->module, shader->issue_free_cycle);
        return worked || shader_holds_alus(shader) ? UNIT_BUSY : UNIT_WAITING;
    }
    return worked ? UNIT_BUSY : idle_state(shader, blocked);
}
