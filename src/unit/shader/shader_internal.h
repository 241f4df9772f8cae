/* Inside of the shader unit: shared by shader*.c, by nobody else. */
#ifndef AETIUS_UNIT_SHADER_INTERNAL_H
#define AETIUS_UNIT_SHADER_INTERNAL_H

#include "unit/shader/thread_source.h"

static inline const struct program *
group_program(const struct group *group)
{
    return group->source->program(group->draw);
}

static inline void
shader_wait(struct shader *shader, struct group *group, enum group_wait wait)
{
    INVARIANT(&shader->module, shader->waiting[group->wait] > 0);
    shader->waiting[group->wait]--;
    shader->waiting[wait]++;
    group->wait = wait;
}

/* The group sleeps until its next instruction may issue, which is behind `earliest` - 1; `wait`
 * says what it waits for if that is not operands. */
void shader_schedule(struct shader *shader, struct group *group, uint64_t earliest,
                     enum group_wait wait);
/* The rules of issue, which the static cost (static_cost.c) goes by too.
 *
 * When the instruction may issue as far as registers go: what it reads is there, and what it writes
 * comes later than what is on its way to the same register. */
uint64_t shader_operands_ready(const struct shader *shader, const struct group *group,
                               const struct instruction *instruction);
/* Whether the group's next instruction may join those that it issues now: SLOT_ISSUED, or why not.
 */
enum slot_fate shader_can_issue(struct shader *shader, const struct group *group,
                                const struct issue *issue, uint64_t now);
/* It does, in this cycle; returns the cycles in which its passes issue. */
uint64_t shader_take_slot(struct shader *shader, const struct group *group, struct issue *issue,
                          uint64_t now);
/* What it writes can be read from then on. */
void shader_reserve_results(const struct shader *shader, struct group *group,
                            const struct instruction *instruction, uint64_t now);
/* Registers that a thread of the program holds: the live temporaries in pairs, at least a pair. */
static inline uint32_t
shader_thread_registers(const struct program *program)
{
    const uint32_t pairs = (program->live_temps + 1) / 2;
    return pairs ? 2 * pairs : 2;
}
/* Issues what this cycle allows; true when an instruction issued. */
bool shader_issue(struct shader *shader, uint64_t now);
/* In the turn that goes on an instruction issued: not all of it are replays. */
static inline bool
shader_holds_alus(const struct shader *shader)
{
    return shader->issue_slots[SLOT_ISSUED] > 0;
}
/* Texture requests go out; true when one did. */
bool shader_send_texture(struct shader *shader, uint64_t now);
/* END is a mark on the instruction before it, which does not cost an issue. */
static inline bool
shader_at_end(const struct group *group)
{
    return group->exec->program->instructions[group->exec->pc].opcode == OP_END;
}

/* The program is over: what it wrote leaves the registers. */
void shader_finish(struct shader *shader, struct group *group, uint64_t now);

/* Fates of slots, and occupancy, up to `now`. */
void shader_account(struct shader *shader, uint64_t now);
/* module.settle */
void shader_settle(void *self, uint64_t now);

#endif
