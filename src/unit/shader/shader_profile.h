/* Profile of shader programs: issues, lanes and issue slots per instruction, over all shader units.
 * Only `aetius sim --shader-profile` creates one; otherwise, shader->profile is NULL. The profile
 * affects neither results nor timing.
 *
 * Every slot and every lane is attributed to one instruction, under the same fate as in the unit's
 * statistics. The sums over all instructions are therefore the statistics shader.slots_* and
 * shader.lanes_*. docs/design/topdown.md, Shader slots, states which instruction gets which slot.
 */
#ifndef AETIUS_UNIT_SHADER_PROFILE_H
#define AETIUS_UNIT_SHADER_PROFILE_H

#include "base/handles.h"
#include "base/mem.h"
#include "unit/shader/shader.h"

/* Counts of an instruction. The first SLOT_COUNT are the slots by enum slot_fate. */
enum {
    PROFILE_INSTRUCTIONS = SLOT_COUNT, /* times that the instruction issued for a group */
    PROFILE_ACTIVE,                    /* lanes of these issues, by state */
    PROFILE_HELPER,
    PROFILE_DIVERGED,
    PROFILE_EMPTY,
    PROFILE_COUNTS,
};
/* Each count has the name of the statistic that it adds up to: "shader.slots_issued". */
extern const char *const profile_count_names[PROFILE_COUNTS];

struct profiled_instruction {
    struct profiled_program *program; /* NULL: slots of units without a group */
    uint32_t number;                  /* index in program->instructions */
    bool is_touched;                  /* in shader_profile.touched */
    uint64_t counts[PROFILE_COUNTS];
};

struct profiled_program {
    struct profiled_program *next; /* other program whose hash has the same low 32 bits */
    uint64_t hash;
    uint32_t number; /* programs are numbered in the order in which they first run */
    enum shader_stage stage;
    char *text;
    bool is_stored;       /* for the observer: the text is in the run folder */
    uint32_t end;         /* index of END */
    uint32_t slots_cycle; /* issue slots per cycle of a unit that runs the program */
    struct profiled_instruction *instructions;
};

struct shader_profile {
    struct handle_map programs; /* by the low 32 bits of the hash; each value is a list */
    uint32_t program_count;
    struct profiled_instruction no_group;
    VEC(struct profiled_instruction *) touched; /* instructions with counts */
};

struct shader_profile *shader_profile_create(void);
void shader_profile_destroy(struct shader_profile *profile); /* accepts NULL */
/* The unit frees its part of the profile. `profile` must outlive the unit. */
void shader_profile_attach(struct shader_profile *profile, struct shader *shader);
/* Sorts `touched` by program and instruction. */
void shader_profile_sort(struct shader_profile *profile);
/* Sets all counts to 0, and empties `touched`. */
void shader_profile_clear(struct shader_profile *profile);

/* ---- for the shader unit ---- */

#define PROFILED(shader) __builtin_expect((shader)->profile != NULL, 0)

void shader_profile_detach(struct shader *shader);
/* A group starts its program. */
void shader_profile_start(struct shader *shader, struct group *group);
/* shader_issue() begins. */
void shader_profile_begin(struct shader *shader);
/* The group's next instruction issues. */
void shader_profile_issued(struct shader *shader, const struct group *group);
/* The group's turn ends. `fate`: the fate of the `slots` slots that it left. */
void shader_profile_turn(struct shader *shader, const struct group *group,
                         const struct issue *issue, enum slot_fate fate, uint32_t slots);
/* shader_issue() ends. `fate`: the fate of the remaining `slots` slots, and of all slots once the
 * ALUs are free again. */
void shader_profile_idle(struct shader *shader, enum slot_fate fate, uint32_t slots);
/* Attributes slots: `issuing` cycles as issued, then slots of passes, flow control and idling. */
void shader_profile_account(struct shader *shader, uint64_t issuing, uint64_t passes, uint64_t flow,
                            uint64_t idle);

#endif
