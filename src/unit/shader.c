/* Shader unit (unified: vertices and fragments; else a vertex shader or a fragment shader).
 *
 * Holds thread groups that share a program counter each, as many as its threads (ExecutableThreads
 * + InputBuffers) and registers (ThreadResources; a thread takes the live temporaries of its
 * program, in pairs) allow. Every cycle it issues up to FetchRate instructions from ready groups,
 * looked at in turn: in order within a group, the second one scalar when ScalarALU is set. An
 * instruction computes its values for all lanes when it issues and reserves its results until its
 * latency has passed; a later instruction that reads or writes them waits (scoreboard). A group of
 * more threads than ThreadRate takes several cycles an instruction; so do opcodes that hardware of
 * the time split (isa.def). A texture instruction sends the group's quads to the texture unit and
 * blocks the group until all texels are back.
 *
 * In instant mode (SHADER.Mode, rasterizer.md) a unit runs one whole instruction of one group a
 * cycle and its result is there in the next.
 *
 * Latency: inputs are loaded at InputsPerCycle registers a cycle and lane quad; results leave
 * OutputLatency later, on the queue to the scheduler. Source: machine.md (shader unit). Not
 * modelled: fetch and decode stages as such (an issued instruction was fetched), register ports,
 * instruction memory, LockedExecutionMode, SwapOnBlock, the cost of flow control beyond its issue.
 */
#include "unit/shader.h"

#include "base/mem.h"
#include "unit/watch.h"

#include <stdlib.h>
#include <string.h>

/* Instructions a group may run: a program that loops for ever ends here, with what it has. */
#define MAX_STEPS 1048576u

static enum unit_state shader_clock(void *self, uint64_t now);

void
shader_roles(const struct params *params, struct shader_role roles[STAGE_COUNT])
{
    uint32_t fragment_units = params->GPU.NumFragmentShaders;
    uint32_t threads = params->FRAGMENTSHADER.ThreadGroup / 4 * 4;
    struct shader_role role = {0, fragment_units, threads < 4 ? 4 : threads, 0};
    if (role.group_threads > EXEC_MAX_LANES)
        role.group_threads = EXEC_MAX_LANES;
    role.group_limit =
        (params->FRAGMENTSHADER.ExecutableThreads + params->FRAGMENTSHADER.InputBuffers) /
        role.group_threads;
    roles[STAGE_VERTEX] = roles[STAGE_FRAGMENT] = role;
    if (params->GPU.UnifiedShader)
        return;
    role = (struct shader_role){fragment_units, params->GPU.NumVertexShaders,
                                params->VERTEXSHADER.ThreadGroup, 0};
    if (role.group_threads > EXEC_MAX_LANES)
        role.group_threads = EXEC_MAX_LANES;
    role.group_limit =
        (params->VERTEXSHADER.ExecutableThreads + params->VERTEXSHADER.InputBuffers) /
        role.group_threads;
    roles[STAGE_VERTEX] = role;
}

uint32_t
shader_unit_count(const struct params *params)
{
    return params->GPU.NumFragmentShaders +
           (params->GPU.UnifiedShader ? 0 : params->GPU.NumVertexShaders);
}

/* The parameters that both sections have. */
#define CONFIGURE(shader, section)                                                                 \
    do {                                                                                           \
        uint32_t rate = (section).ThreadRate;                                                      \
        (shader)->issue_cycles = ((section).ThreadGroup + rate - 1) / rate;                        \
        (shader)->fetch_rate = (section).FetchRate;                                                \
        (shader)->scalar_alu = (section).ScalarALU;                                                \
        (shader)->registers = (section).ThreadResources;                                           \
        (shader)->inputs_cycle = (section).InputsPerCycle;                                         \
    } while (0)

void
shader_init(struct shader *shader, struct clock *clock, const struct params *params,
            struct pools *pools, uint32_t index)
{
    struct shader_role roles[STAGE_COUNT];
    memset(shader, 0, sizeof *shader);
    clock_add_module(clock, &shader->module, "shader", (int32_t)index, shader, shader_clock);
    shader->module.is_core = true;
    shader->pools = pools;
    shader->index = index;
    shader_roles(params, roles);
    bool vertices_only = index >= params->GPU.NumFragmentShaders;
    const struct shader_role *role = &roles[vertices_only ? STAGE_VERTEX : STAGE_FRAGMENT];
    if (vertices_only)
        CONFIGURE(shader, params->VERTEXSHADER);
    else
        CONFIGURE(shader, params->FRAGMENTSHADER);
    shader->texture_units = params->FRAGMENTSHADER.TextureUnits;
    shader->request_rate = params->FRAGMENTSHADER.TextureRequestRate;
    shader->request_group = params->FRAGMENTSHADER.TextureRequestGroup;
    shader->instant = params->SHADER.Mode == SHADER_INSTANT;
    if (shader->instant)
        shader->issue_cycles = shader->fetch_rate = 1;
    shader->group_threads = role->group_threads;
    shader->max_groups =
        role->group_limit < SHADER_MAX_GROUPS ? role->group_limit : SHADER_MAX_GROUPS;
}

void
shader_reset(struct shader *shader)
{
    shader->turn = shader->texunit = shader->sent_in_turn = 0;
}

static const struct program *
program_of(const struct group *group)
{
    return group->stage == STAGE_VERTEX ? group->draw->vs : group->draw->fs;
}

/* Registers that a group holds: the live temporaries in pairs, at least one pair, a thread. */
static uint32_t
registers_of(const struct shader *shader, const struct group *group)
{
    uint32_t a_thread = (program_of(group)->live_temps + 1) / 2 * 2;
    return (a_thread ? a_thread : 2) * shader->group_threads;
}

static void
load_fragment_inputs(struct group *group, const struct program *program)
{
    uint32_t lanes = group->exec.lanes;
    for (uint32_t q = 0; q < group->count; q++) {
        const struct quad *quad = group->quads[q];
        for (uint32_t c = 0; c < program->input_count * 4; c++)
            memcpy(group->exec.inputs + (size_t)c * lanes + q * 4, quad->inputs + c * 4,
                   4 * sizeof(float));
        for (uint32_t c = 0; c < program->system_count * 4; c++)
            memcpy(group->exec.systems + (size_t)c * lanes + q * 4, quad->systems + c * 4,
                   4 * sizeof(float));
    }
}

static void
load_vertex_inputs(struct group *group, const struct program *program)
{
    uint32_t lanes = group->exec.lanes;
    for (uint32_t v = 0; v < group->count; v++) {
        const struct pooled_vertex *vertex = group->vertices[v];
        for (uint32_t c = 0; c < program->input_count * 4; c++)
            group->exec.inputs[(size_t)c * lanes + v] =
                c / 4 < group->draw->attribute_count ? vertex->inputs[c / 4][c % 4] : c % 4 == 3;
        for (uint32_t s = 0; s < program->system_count; s++) {
            uint32_t value = vertex->instance;
            if (program->systems[s].semantic == SEMANTIC_VERTEXID)
                value = vertex->index;
            else if (program->systems[s].semantic == SEMANTIC_BASEVERTEX)
                value = (uint32_t)group->draw->params.index_bias;
            memcpy(&group->exec.systems[(size_t)s * 4 * lanes + v], &value, sizeof value);
        }
    }
}

/* A group may issue from this cycle on. */
static void
expect_ready(struct shader *shader, uint64_t cycle)
{
    if (cycle < shader->next_ready)
        shader->next_ready = cycle;
}

static void
start(struct shader *shader, struct group *group, uint64_t now)
{
    const struct program *program = program_of(group);
    bool fragments = group->stage == STAGE_FRAGMENT;
    uint32_t lanes = fragments ? group->count * 4 : (group->count + 3) / 4 * 4;
    uint32_t active = fragments ? lanes : group->count;
    uint32_t bytes = exec_size(program, lanes);
    if (bytes > group->register_bytes) {
        free(group->registers);
        group->register_bytes = bytes;
        group->registers = aligned_alloc(64, (bytes + 63) / 64 * 64);
        BUG_ON(!group->registers, "no memory for registers");
    }
    exec_begin(&group->exec, program, group->draw->constants[group->stage],
               group->draw->constant_count[group->stage], lanes,
               active == 64 ? ~0ull : (1ull << active) - 1, group->registers);
    if (fragments)
        load_fragment_inputs(group, program);
    else
        load_vertex_inputs(group, program);
    memset(group->temp_ready, 0, sizeof group->temp_ready);
    group->address_ready = 0;
    group->steps = 0;
    group->finished = false;
    uint32_t loads = program->input_count * (lanes / 4);
    group->ready_cycle = now + 1 + (loads + shader->inputs_cycle - 1) / shader->inputs_cycle;
    shader->registers_used += registers_of(shader, group);
    shader->groups[shader->group_count++] = group;
    expect_ready(shader, group->ready_cycle);
    shader->stats.groups++;
    WATCH_GROUP(shader->pools, group);
    *(fragments ? &shader->stats.fragment_groups : &shader->stats.vertex_groups) += 1;
}

static bool
take_group(struct shader *shader, uint64_t now)
{
    const struct group_item *item = queue_front(shader->in, now);
    if (!item || shader->group_count == shader->max_groups)
        return false;
    if (shader->group_count &&
        shader->registers_used + registers_of(shader, item->group) > shader->registers)
        return false;
    start(shader, item->group, now);
    queue_pop(shader->in, now);
    return true;
}

static bool
take_texels(struct shader *shader, struct queue *texels, uint64_t now)
{
    bool worked = false;
    for (const struct texture_item *item; (item = queue_front(texels, now));) {
        struct group *group = item->group;
        if (--group->texels_missing == 0) {
            exec_texture_done(&group->exec, group->texels);
            group->ready_cycle = now + 1;
            expect_ready(shader, now + 1);
        }
        queue_pop(texels, now);
        worked = true;
    }
    return worked;
}

/* What the program wrote, to the quads: colors, and depth where it replaces the triangle's. */
static void
store_fragments(struct shader *shader, struct group *group)
{
    const struct draw *draw = group->draw;
    struct exec *exec = &group->exec;
    for (uint32_t q = 0; q < group->count; q++) {
        struct quad *quad = group->quads[q];
        const struct triangle *triangle = &quad->triangle->triangle;
        uint32_t before = quad_fragments(quad->mask), mask_before = quad->mask;
        if (triangle->smooth.shape != SMOOTH_NONE)
            shaded_coverage(triangle, quad->x, quad->y, exec, q * 4);
        quad->mask = shaded_mask(draw, exec, q * 4, quad->mask);
        WATCH_SHADED(quad, mask_before);
        for (uint32_t t = 0; t < draw->color_count; t++)
            shaded_color(draw, exec, q * 4, t, quad->color[t]);
        if (draw->depth_output >= 0)
            for (uint32_t s = 0; s < draw->samples; s++)
                memcpy(quad->z[s],
                       exec->outputs + ((size_t)draw->depth_output * 4 + 2) * exec->lanes + q * 4,
                       sizeof quad->z[s]);
        uint32_t left = quad_fragments(quad->mask);
        shader->stats.fragments_out += left;
        shader->stats.fragments_killed += before - left;
    }
}

static void
store_vertices(struct group *group)
{
    for (uint32_t v = 0; v < group->count; v++)
        vertex_store(group->draw, &group->exec, v, &group->vertices[v]->vertex);
}

static void
remove_group(struct shader *shader, uint32_t i)
{
    shader->registers_used -= registers_of(shader, shader->groups[i]);
    shader->group_count--;
    memmove(&shader->groups[i], &shader->groups[i + 1],
            (shader->group_count - i) * sizeof shader->groups[0]);
}

/* Finished groups leave; *blocked when one could not. */
static bool
send_finished(struct shader *shader, uint64_t now, bool *blocked)
{
    for (uint32_t i = 0; i < shader->group_count && shader->finished_count; i++) {
        struct group *group = shader->groups[i];
        if (!group->finished || group->ready_cycle > now)
            continue;
        if (!queue_space(shader->out, now)) {
            *blocked = true;
            return false;
        }
        remove_group(shader, i);
        shader->finished_count--;
        *(struct group_item *)queue_push(shader->out, now) = (struct group_item){group};
        return true;
    }
    return false;
}

/* When the instruction at the group's program counter has its operands. */
static uint64_t
operands_ready(const struct group *group)
{
    const struct instruction *instruction = &group->exec.program->instructions[group->exec.pc];
    uint64_t ready = group->address_ready;
    uint64_t temps = instruction->temps_read | instruction->temps_written;
    if (instruction->temps_above)
        temps = ~0ull;
    for (; temps; temps &= temps - 1) {
        uint64_t cycle = group->temp_ready[__builtin_ctzll(temps)];
        ready = cycle > ready ? cycle : ready;
    }
    return ready;
}

static void
count_instruction(struct shader *shader, const struct group *group,
                  const struct instruction *instruction)
{
    uint64_t lanes = (uint64_t)__builtin_popcountll(group->exec.active);
    shader->stats.instructions++;
    shader->stats.lane_instructions += lanes;
    shader->stats.lane_slots += group->exec.lanes;
    if (group->stage == STAGE_VERTEX)
        shader->stats.vertex_instructions++;
    else
        shader->stats.fragment_instructions++;
    switch (opcode_infos[instruction->opcode].kind) {
    case KIND_SIMD: shader->stats.simd_instructions++; break;
    case KIND_SCALAR: shader->stats.scalar_instructions++; break;
    case KIND_TEXTURE: shader->stats.texture_instructions++; break;
    case KIND_FLOW: shader->stats.flow_instructions++; break;
    }
}

static void
reserve_results(struct group *group, const struct instruction *instruction, uint64_t ready)
{
    uint64_t temps = instruction->temps_above ? ~0ull : instruction->temps_written;
    for (; temps; temps &= temps - 1)
        group->temp_ready[__builtin_ctzll(temps)] = ready;
    for (uint32_t d = 0; d < opcode_infos[instruction->opcode].destinations; d++)
        if (instruction->dst[d].file == FILE_ADDRESS)
            group->address_ready = ready;
}

static void
begin_texture_requests(struct shader *shader, struct group *group)
{
    uint32_t quads = group->exec.lanes / 4;
    group->texels_missing = quads;
    group->ready_cycle = CYCLE_NEVER;
    shader->sending = group;
    shader->next_quad = 0;
    shader->stats.texture_quads += quads;
}

/* TextureRequestRate requests a cycle, TextureRequestGroup in a row to a texture unit. */
static bool
send_texture_requests(struct shader *shader, uint64_t now, bool *blocked)
{
    uint32_t sent = 0;
    while (shader->sending && sent < shader->request_rate) {
        struct queue *texture = shader->texture[shader->texunit];
        if (!queue_space(texture, now)) {
            *blocked = true;
            break;
        }
        *(struct texture_item *)queue_push(texture, now) =
            (struct texture_item){shader->sending, shader->next_quad++};
        sent++;
        if (shader->next_quad == shader->sending->exec.lanes / 4)
            shader->sending = NULL;
        if (++shader->sent_in_turn >= shader->request_group) {
            shader->sent_in_turn = 0;
            shader->texunit = (shader->texunit + 1) % shader->texture_units;
        }
    }
    return sent > 0;
}

static void
finish(struct shader *shader, struct group *group, uint64_t now)
{
    if (group->stage == STAGE_FRAGMENT)
        store_fragments(shader, group);
    else
        store_vertices(group);
    group->finished = true;
    shader->finished_count++;
    group->ready_cycle = now + 1;
    shader->stats.groups_finished++;
}

/* Issues the group's next instruction. */
static void
issue(struct shader *shader, struct group *group, uint64_t now)
{
    const struct instruction *instruction = &group->exec.program->instructions[group->exec.pc];
    const struct opcode_info *info = &opcode_infos[instruction->opcode];
    count_instruction(shader, group, instruction);
    uint64_t takes = (uint64_t)shader->issue_cycles *
                     (shader->instant ? 1 : instruction_issue_cycles(instruction));
    enum exec_event event = exec_step(&group->exec);
    if (event == EXEC_END || ++group->steps >= MAX_STEPS) {
        finish(shader, group, now);
        return;
    }
    shader->issue_free_cycle = now + takes;
    if (event == EXEC_TEXTURE) {
        begin_texture_requests(shader, group);
        return;
    }
    reserve_results(group, instruction, now + takes - 1 + (shader->instant ? 1 : info->latency));
    group->ready_cycle = operands_ready(group);
    if (group->ready_cycle < now)
        group->ready_cycle = now;
    if (info->kind == KIND_FLOW && group->ready_cycle <= now)
        group->ready_cycle = now + 1; /* the next program counter is known then */
}

/* Whether the group may issue now as the n-th of this cycle. A texture instruction waits until the
 * requests of the one before are sent. */
static bool
may_issue(const struct shader *shader, const struct group *group, uint32_t n, uint64_t now)
{
    if (group->finished || group->ready_cycle > now)
        return false;
    const struct instruction *instruction = &group->exec.program->instructions[group->exec.pc];
    enum unit_kind kind = opcode_infos[instruction->opcode].kind;
    if (n > 0 && shader->scalar_alu && kind != KIND_SCALAR)
        return false;
    if (n > 0 && instruction_issue_cycles(instruction) > 1)
        return false;
    return kind != KIND_TEXTURE || !shader->sending;
}

/* The first cycle in which a group that has instructions left may be ready. */
static uint64_t
first_ready(const struct shader *shader)
{
    uint64_t first = CYCLE_NEVER;
    for (uint32_t i = 0; i < shader->group_count; i++) {
        const struct group *group = shader->groups[i];
        if (!group->finished && group->ready_cycle < first)
            first = group->ready_cycle;
    }
    return first;
}

static uint32_t
issue_some(struct shader *shader, uint64_t now)
{
    uint32_t issued = 0, count = shader->group_count;
    if (shader->issue_free_cycle > now) {
        module_wake_at(&shader->module, shader->issue_free_cycle);
        return 0;
    }
    if (shader->next_ready > now)
        return 0;
    uint32_t at = count ? shader->turn % count : 0;
    for (uint32_t i = 0; i < count && issued < shader->fetch_rate; i++) {
        struct group *group = shader->groups[at];
        at = at + 1 == count ? 0 : at + 1;
        while (issued < shader->fetch_rate && may_issue(shader, group, issued, now)) {
            issue(shader, group, now);
            issued++;
        }
    }
    if (issued)
        shader->turn++;
    else
        shader->next_ready = first_ready(shader);
    return issued;
}

static enum unit_state
shader_clock(void *self, uint64_t now)
{
    struct shader *shader = self;
    bool blocked = false;
    bool worked = send_finished(shader, now, &blocked);
    for (uint32_t i = 0; i < shader->texture_units; i++)
        worked |= take_texels(shader, shader->texels[i], now);
    uint32_t issued = issue_some(shader, now);
    worked |= send_texture_requests(shader, now, &blocked);
    worked |= take_group(shader, now);
    shader->stats.issue_cycles += issued > 0;
    if (issued || shader->issue_free_cycle > now + 1) {
        module_wake_at(&shader->module, now + 1);
        return UNIT_BUSY;
    }
    if (worked)
        return UNIT_BUSY;
    if (!shader->group_count)
        return UNIT_STARVED;
    if (!blocked)
        module_wake_at(&shader->module, shader->next_ready);
    return blocked ? UNIT_BLOCKED : UNIT_WAITING;
}
