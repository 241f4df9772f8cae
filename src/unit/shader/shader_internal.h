/* Internals of the shader unit, shared by shader*.c and static_cost.c. */
#ifndef AETIUS_UNIT_SHADER_INTERNAL_H
#define AETIUS_UNIT_SHADER_INTERNAL_H

#include "unit/shader/thread_source.h"

static inline void
shader_wait(struct shader *shader, struct group *group, enum group_wait wait)
{
    INVARIANT(&shader->module, shader->waiting[group->wait] > 0);
    shader->waiting[group->wait]--;
    shader->waiting[wait]++;
    group->wait = wait;
}

/* Puts the group to sleep until its next instruction may issue, in cycle `earliest` or later.
 * `wait` is the reason, unless the group waits longer for operands. */
void shader_schedule(struct shader *shader, struct group *group, uint64_t earliest,
                     enum group_wait wait);
/* The following functions implement the rules of issue. The static cost (static_cost.c) also uses
 * them.
 *
 * Returns the cycle from which the instruction may issue as far as registers are concerned. Its
 * operands must be ready, and its result must come later than pending results for the same
 * register. */
uint64_t shader_operands_ready(const struct shader *shader, const struct group *group,
                               const struct instruction *instruction);
/* Whether the group's next instruction may issue together with those in `issue`. Returns
 * SLOT_ISSUED, or the reason why it may not. */
enum slot_fate shader_can_issue(struct shader *shader, const struct group *group,
                                const struct issue *issue, uint64_t now);
/* Issues the group's next instruction in this cycle. Returns the number of cycles in which its
 * passes issue. */
uint64_t shader_take_slot(struct shader *shader, const struct group *group, struct issue *issue,
                          uint64_t now);
/* Sets the cycle from which the instruction's results can be read. */
void shader_reserve_results(const struct shader *shader, struct group *group,
                            const struct instruction *instruction, uint64_t now);
/* Number of registers per thread of the program. It is the number of live temporaries, rounded up
 * to pairs, and at least one pair. */
static inline uint32_t
shader_thread_registers(const struct program *program)
{
    const uint32_t pairs = (program->live_temps + 1) / 2;
    return pairs ? 2 * pairs : 2;
}
/* Issues as many instructions as this cycle allows. Returns whether an instruction issued. */
bool shader_issue(struct shader *shader, uint64_t now);
/* Whether an instruction issued in the current turn. Replays do not count. */
static inline bool
shader_holds_alus(const struct shader *shader)
{
    return shader->issue_slots[SLOT_ISSUED] > 0;
}
/* Reads the constants of uniform blocks that the group's next instruction needs. Returns whether
 * the group has them all. Otherwise, if `may_wait` is true, the group waits until it has them. */
bool shader_read_constants(struct shader *shader, struct group *group, bool may_wait, uint64_t now);
/* Continues the fills of the constant cache, and wakes groups whose constants have arrived. Returns
 * whether it did any work. */
bool shader_take_constants(struct shader *shader, uint64_t now);
/* Sends texture requests. Returns whether it sent at least one. */
bool shader_send_texture(struct shader *shader, uint64_t now);
/* Whether the group's program has ended. END is only a mark on the preceding instruction, so it
 * costs no issue slot. */
static inline bool
shader_at_end(const struct group *group)
{
    return group->exec->program->instructions[group->exec->pc].opcode == OP_END;
}

/* Ends the program. Its outputs can leave from cycle `now` on. */
void shader_finish(struct shader *shader, struct group *group, uint64_t now);

/* Counts the fates of slots, and occupancy, up to `now`. */
void shader_account(struct shader *shader, uint64_t now);
/* The module's `settle` function. */
void shader_settle(void *self, uint64_t now);

#endif
