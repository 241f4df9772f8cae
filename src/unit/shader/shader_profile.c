#include "unit/shader/shader_profile.h"

#include "unit/shader/thread_source.h"

#include <stdlib.h>
#include <string.h>

const char *const profile_count_names[PROFILE_COUNTS] = {
    [SLOT_ISSUED] = "shader.slots_issued",
    [SLOT_PASSES] = "shader.slots_passes",
    [SLOT_FLOW] = "shader.slots_flow",
    [SLOT_PAIR] = "shader.slots_pair",
    [SLOT_RESULT] = "shader.slots_result",
    [SLOT_REPLAY] = "shader.slots_replayed",
    [SLOT_DELAY] = "shader.slots_delay",
    [SLOT_PORTS] = "shader.slots_ports",
    [SLOT_TEXTURE_QUEUE] = "shader.slots_texture_queue",
    [SLOT_TEXELS] = "shader.slots_texels",
    [SLOT_CONSTANTS] = "shader.slots_constants",
    [SLOT_LOAD] = "shader.slots_load",
    [SLOT_OUTPUT] = "shader.slots_output",
    [SLOT_STARVED] = "shader.slots_starved",
    [PROFILE_INSTRUCTIONS] = "shader.instructions",
    [PROFILE_ACTIVE] = "shader.lanes_active",
    [PROFILE_HELPER] = "shader.lanes_helper",
    [PROFILE_DIVERGED] = "shader.lanes_diverged",
    [PROFILE_EMPTY] = "shader.lanes_empty",
};

/* Slots per cycle with one fate, in the current turn of the unit. */
struct slot_use {
    struct profiled_instruction *instruction;
    enum slot_fate fate;
    uint32_t slots;
};

struct unit_profile {
    struct shader_profile *profile;
    struct slot_use *uses; /* of the current turn */
    uint32_t use_count;
    /* Instructions that occupy the ALUs longest, with and without flow-control costs. */
    struct profiled_instruction *flow, *passes;
    uint64_t flow_cycles, passes_cycles;
    struct profiled_instruction *idle; /* gets the slots with the fate shader->idle */
};

struct shader_profile *
shader_profile_create(void)
{
    return mem_alloc(sizeof(struct shader_profile));
}

void
shader_profile_destroy(struct shader_profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->programs.capacity; i++)
        for (struct profiled_program *p = profile->programs.slots[i].value, *next; p; p = next) {
            next = p->next;
            free(p->text);
            free(p->instructions);
            free(p);
        }
    handle_map_fini(&profile->programs);
    VEC_FREE(&profile->touched);
    free(profile);
}

void
shader_profile_attach(struct shader_profile *profile, struct shader *shader)
{
    struct unit_profile *unit = mem_alloc(sizeof *unit);
    unit->profile = profile;
    unit->idle = &profile->no_group;
    /* A group uses at most fetch_rate slots for instructions, and one entry for the rest. */
    unit->uses =
        mem_array((size_t)shader->picks * (shader->fetch_rate + 1) + 1, sizeof *unit->uses);
    shader->profile = unit;
}

void
shader_profile_detach(struct shader *shader)
{
    if (shader->profile)
        free(shader->profile->uses);
    free(shader->profile);
}

static int
compare_touched(const void *a, const void *b)
{
    const struct profiled_instruction *x = *(struct profiled_instruction *const *)a;
    const struct profiled_instruction *y = *(struct profiled_instruction *const *)b;
    const uint32_t i = x->program ? x->program->number + 1 : 0;
    const uint32_t j = y->program ? y->program->number + 1 : 0;
    return i != j ? (i > j) - (i < j) : (x->number > y->number) - (x->number < y->number);
}

void
shader_profile_sort(struct shader_profile *profile)
{
    if (profile->touched.count)
        qsort(profile->touched.items, profile->touched.count, sizeof *profile->touched.items,
              compare_touched);
}

void
shader_profile_clear(struct shader_profile *profile)
{
    for (size_t i = 0; i < profile->touched.count; i++) {
        struct profiled_instruction *instruction = profile->touched.items[i];
        memset(instruction->counts, 0, sizeof instruction->counts);
        instruction->is_touched = false;
    }
    profile->touched.count = 0;
}

static void
add(struct shader_profile *profile, struct profiled_instruction *instruction, uint32_t count,
    uint64_t more)
{
    if (!more)
        return;
    instruction->counts[count] += more;
    if (!instruction->is_touched)
        VEC_PUSH(&profile->touched, instruction);
    instruction->is_touched = true;
}

static struct profiled_program *
make_program(struct shader_profile *profile, const struct program *program)
{
    struct profiled_program *made = mem_alloc(sizeof *made);
    made->next = handle_map_get(&profile->programs, (uint32_t)program->hash);
    made->hash = program->hash;
    made->number = profile->program_count++;
    made->stage = program->stage;
    made->text = mem_strdup(program->text);
    made->instructions = mem_array(program->instruction_count, sizeof *made->instructions);
    for (uint32_t i = 0; i < program->instruction_count; i++)
        made->instructions[i] = (struct profiled_instruction){.program = made, .number = i};
    while (program->instructions[made->end].opcode != OP_END)
        made->end++;
    handle_map_put(&profile->programs, (uint32_t)program->hash, made);
    return made;
}

void
shader_profile_start(struct shader *shader, struct group *group)
{
    struct shader_profile *profile = shader->profile->profile;
    struct profiled_program *known =
        handle_map_get(&profile->programs, (uint32_t)group->program->hash);
    while (known && known->hash != group->program->hash)
        known = known->next;
    group->profiled = known ? known : make_program(profile, group->program);
    group->profiled->slots_cycle = shader->slots_cycle;
}

void
shader_profile_begin(struct shader *shader)
{
    struct unit_profile *unit = shader->profile;
    unit->use_count = 0;
    unit->passes = unit->flow = NULL;
    unit->passes_cycles = unit->flow_cycles = 0;
}

static void
use_slots(struct unit_profile *unit, struct profiled_instruction *instruction, enum slot_fate fate,
          uint32_t slots)
{
    if (slots)
        unit->uses[unit->use_count++] = (struct slot_use){instruction, fate, slots};
}

void
shader_profile_issued(struct shader *shader, const struct group *group)
{
    struct shader_profile *profile = shader->profile->profile;
    struct profiled_instruction *instruction = &group->profiled->instructions[group->exec->pc];
    const uint32_t lanes = group_lanes(group), active = exec_active_lanes(group->exec);
    const uint32_t helpers = exec_helper_lanes(group->exec);
    use_slots(shader->profile, instruction, SLOT_ISSUED, 1);
    add(profile, instruction, PROFILE_INSTRUCTIONS, 1);
    add(profile, instruction, PROFILE_ACTIVE, active - helpers);
    add(profile, instruction, PROFILE_HELPER, helpers);
    add(profile, instruction, PROFILE_DIVERGED, lanes - active);
    add(profile, instruction, PROFILE_EMPTY, shader->group_threads - lanes);
}

/* The instruction at which the group waits. */
static struct profiled_instruction *
waits_at(const struct group *group, enum slot_fate fate)
{
    struct profiled_program *program = group->profiled;
    switch (fate) {
    case SLOT_OUTPUT: return &program->instructions[program->end];
    /* The program counter is already at the instruction after the texture instruction. */
    case SLOT_TEXELS: return &program->instructions[group->exec->pc - 1];
    default: return &program->instructions[group->exec->pc];
    }
}

void
shader_profile_turn(struct shader *shader, const struct group *group, const struct issue *issue,
                    enum slot_fate fate, uint32_t slots)
{
    struct unit_profile *unit = shader->profile;
    struct profiled_instruction *last = NULL;
    if (issue->count) {
        struct profiled_instruction *first = unit->uses[unit->use_count - issue->count].instruction;
        last = unit->uses[unit->use_count - 1].instruction;
        /* An instruction with several passes or flow-control costs is the first of its turn. */
        if (issue->passes > unit->passes_cycles)
            unit->passes = first;
        if (issue->takes > unit->flow_cycles)
            unit->flow = first;
        unit->passes_cycles =
            issue->passes > unit->passes_cycles ? issue->passes : unit->passes_cycles;
        unit->flow_cycles = issue->takes > unit->flow_cycles ? issue->takes : unit->flow_cycles;
    }
    use_slots(unit, fate == SLOT_PAIR ? last : waits_at(group, fate), fate, slots);
}

/* The oldest group that waits for this reason; NULL: none. */
static const struct group *
oldest_waiting(const struct shader *shader, enum slot_fate fate)
{
    static const enum group_wait waits[SLOT_COUNT] = {[SLOT_RESULT] = WAIT_RESULT,
                                                      [SLOT_DELAY] = WAIT_DELAY,
                                                      [SLOT_TEXELS] = WAIT_TEXELS,
                                                      [SLOT_CONSTANTS] = WAIT_CONSTANTS,
                                                      [SLOT_LOAD] = WAIT_LOAD};
    uint32_t slot = shader->oldest;
    if (fate == SLOT_OUTPUT)
        return shader->groups[shader->finished[shader->finished_ring.head]];
    for (uint32_t i = 0; i < shader->running; i++, slot = shader->after[slot])
        if (shader->groups[slot]->wait == waits[fate])
            return shader->groups[slot];
    return NULL;
}

void
shader_profile_idle(struct shader *shader, enum slot_fate fate, uint32_t slots)
{
    struct unit_profile *unit = shader->profile;
    unit->idle = &unit->profile->no_group;
    /* SLOT_ISSUED and SLOT_REPLAY: all slots had a turn, and the unit is clocked again before it
     * idles. */
    if (fate == SLOT_STARVED || fate == SLOT_ISSUED || fate == SLOT_REPLAY)
        return use_slots(unit, unit->idle, fate, slots);
    const struct group *group = shader->waiter ? shader->waiter : oldest_waiting(shader, fate);
    BUG_ON(!group, "shader profile: no group waits");
    unit->idle = waits_at(group, fate);
    use_slots(unit, unit->idle, fate, slots);
}

void
shader_profile_account(struct shader *shader, uint64_t issuing, uint64_t passes, uint64_t flow,
                       uint64_t idle)
{
    const struct unit_profile *unit = shader->profile;
    for (uint32_t i = 0; issuing && i < unit->use_count; i++)
        add(unit->profile, unit->uses[i].instruction, unit->uses[i].fate,
            issuing * unit->uses[i].slots);
    add(unit->profile, unit->passes, SLOT_PASSES, passes);
    add(unit->profile, unit->flow, SLOT_FLOW, flow);
    add(unit->profile, unit->idle, shader->idle, idle);
}
