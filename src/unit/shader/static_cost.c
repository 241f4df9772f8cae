#include "unit/shader/static_cost.h"

#include "base/mem.h"
#include "unit/shader/shader_internal.h"

#include <stdlib.h>
#include <string.h>

/* A shader unit with one group. Only the program counter of the group moves; no values are
 * computed. */
struct walk {
    struct clock clock;
    struct pools pools;
    struct module texture_end; /* receiver of the queue to a Texture Unit; the queue stays empty */
    struct queue texture;
    struct shader shader;
    struct exec exec;
    struct group group;
    const struct params *params;
    struct static_cost *cost;
};

static enum unit_state
no_clock(void *self, uint64_t now)
{
    (void)self;
    (void)now;
    return UNIT_STARVED;
}

static const struct module_ops no_ops = {.clock = no_clock};

static void
walk_init(struct walk *w, const struct program *program, const struct params *params)
{
    const bool vertex = program->stage != STAGE_FRAGMENT && !params->GPU.UnifiedShader;
    w->params = params;
    clock_init(&w->clock);
    pools_init(&w->pools, &w->clock);
    const struct unit_env env = {.clock = &w->clock, .params = params, .pools = &w->pools};
    shader_init(&w->shader, &env, vertex ? params->GPU.NumFragmentShaders : 0);
    clock_add_module(&w->clock, &w->texture_end, "texture", -1, w, &no_ops);
    queue_init(&w->texture, &w->clock, "texture", -1, &w->shader.module, &w->texture_end,
               sizeof(struct texture_item), 1, 1, 1);
    w->shader.texture[0] = &w->texture;
    w->shader.replay = false; /* a group that is alone loses no slots to others */
    w->exec.program = program;
    w->group.exec = &w->exec;
    w->group.stage = program->stage;
}

static void
walk_fini(struct walk *w)
{
    queue_fini(&w->texture);
    module_fini(&w->shader.module);
    pools_fini(&w->pools);
    clock_fini(&w->clock);
}

static const struct instruction *
next(const struct walk *w)
{
    return &w->exec.program->instructions[w->exec.pc];
}

static bool
at_end(const struct walk *w)
{
    return w->exec.pc == w->exec.program->instruction_count || shader_at_end(&w->group);
}

/* Cycle in which the last texels arrive. Quads are sent as their threads finish and as fast as the
 * unit sends. A quad's texels arrive after the address and filter latencies. */
static uint64_t
texels_back(const struct walk *w, uint64_t first_cycle)
{
    const struct shader *s = &w->shader;
    const uint32_t quads = (s->group_threads + 3) / 4;
    uint64_t sent = 0;
    for (uint32_t q = 0; q < quads; q++) {
        const uint64_t last = q * 4 + 3 < s->group_threads ? q * 4 + 3 : s->group_threads - 1;
        const uint64_t through = first_cycle + (s->instant ? 0 : last / s->thread_rate);
        const uint64_t turn = q >= s->request_rate ? sent + (q % s->request_rate == 0) : 0;
        sent = through > turn ? through : turn;
    }
    return sent + w->params->FRAGMENTSHADER.AddressALULatency +
           w->params->FRAGMENTSHADER.FilterALULatency;
}

/* Issues the instructions of cycle `now`. Returns the cycle from which the group's next instruction
 * may issue, as far as fetch and texels are concerned. */
static uint64_t
issue_turn(struct walk *w, uint64_t now)
{
    struct shader *s = &w->shader;
    struct issue issue = {0};
    uint64_t next_cycle = 0;
    bool more = true;
    while (more && !at_end(w) && issue.count < s->fetch_rate &&
           shader_can_issue(s, &w->group, &issue, now) == SLOT_ISSUED) {
        const struct instruction *instruction = next(w);
        const enum unit_kind kind = opcode_infos[instruction->opcode].kind;
        const uint64_t before = issue.takes;
        const uint64_t cycles = shader_take_slot(s, &w->group, &issue, now);
        struct static_issue *result = &w->cost->issues[w->exec.pc++];
        result->cycle = (uint32_t)now;
        result->takes = (uint32_t)(issue.takes - before);
        w->cost->instructions++;
        w->cost->kinds[kind]++;
        shader_reserve_results(s, &w->group, instruction, now);
        more = kind != KIND_FLOW && kind != KIND_TEXTURE;
        if (kind == KIND_TEXTURE) { /* texels are written as they arrive */
            next_cycle = texels_back(w, now + s->to_execution + cycles - s->issue_cycles);
            w->group.results_ready = next_cycle;
            for (uint64_t temps = instruction->temps_written; temps; temps &= temps - 1)
                w->group.temp_ready[__builtin_ctzll(temps)] = next_cycle;
        }
    }
    w->cost->turns += (uint32_t)(issue.takes / s->issue_cycles);
    w->cost->alu_cycles += (uint32_t)issue.takes;
    const uint64_t known = more ? now + 1 : now + issue.takes;
    const uint64_t delayed = now + (s->fetch_delay ? s->fetch_delay : 1);
    if (issue.jumps && known + s->to_execution + s->to_issue > next_cycle)
        next_cycle = known + s->to_execution + s->to_issue;
    else if (next_cycle)
        next_cycle += s->to_issue;
    next_cycle = known > next_cycle ? known : next_cycle;
    next_cycle = delayed > next_cycle ? delayed : next_cycle;
    return now + issue.takes > next_cycle ? now + issue.takes : next_cycle;
}

static void
walk_text(struct walk *w)
{
    const struct issue none = {0};
    uint64_t now = 0;
    while (!at_end(w) || w->exec.pc + 1 < w->exec.program->instruction_count) {
        if (at_end(w)) { /* the main program has ended; subroutines follow */
            w->exec.pc++;
            continue;
        }
        const uint64_t ready = shader_operands_ready(&w->shader, &w->group, next(w));
        now = ready > now ? ready : now;
        while (shader_can_issue(&w->shader, &w->group, &none, now) != SLOT_ISSUED)
            now++; /* no port is free */
        now = issue_turn(w, now);
    }
    w->cost->latency_cycles =
        (uint32_t)(w->group.results_ready > now ? w->group.results_ready : now);
}

void
static_cost_find(struct static_cost *cost, const struct program *program,
                 const struct params *params)
{
    struct shader_role roles[STAGE_COUNT];
    struct walk *w = mem_alloc(sizeof *w);
    memset(cost, 0, sizeof *cost);
    cost->issues = mem_array(program->instruction_count, sizeof *cost->issues);
    w->cost = cost;
    walk_init(w, program, params);
    walk_text(w);
    shader_roles(params, roles);
    const struct shader_role *role = &roles[program->stage];
    cost->group_threads = role->group_threads;
    cost->units = role->unit_count;
    cost->thread_registers = shader_thread_registers(program);
    const uint32_t fit = w->shader.registers / (cost->thread_registers * role->group_threads);
    cost->limit_threads = role->group_limit * role->group_threads;
    cost->threads = (fit < role->group_limit ? fit : role->group_limit) * role->group_threads;
    walk_fini(w);
    free(w);
}

void
static_cost_fini(struct static_cost *cost)
{
    free(cost->issues);
    memset(cost, 0, sizeof *cost);
}

struct static_cost
static_costs_of(struct static_costs *costs, const struct program *program,
                const struct params *params)
{
    for (size_t i = 0; i < costs->programs.count; i++) {
        const struct program_static_cost *known = &costs->programs.items[i];
        if (known->hash == program->hash && known->stage == program->stage)
            return known->cost;
    }
    struct program_static_cost found = {.hash = program->hash, .stage = program->stage};
    static_cost_find(&found.cost, program, params);
    VEC_PUSH(&costs->programs, found);
    return found.cost;
}

void
static_costs_fini(struct static_costs *costs)
{
    for (size_t i = 0; i < costs->programs.count; i++)
        static_cost_fini(&costs->programs.items[i].cost);
    VEC_FREE(&costs->programs);
}
