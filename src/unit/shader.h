/* Shader unit: runs thread groups. */
#ifndef AETIUS_UNIT_SHADER_H
#define AETIUS_UNIT_SHADER_H

#include "kernel/params.h"
#include "unit/items.h"
#include "unit/stats.h"

enum { SHADER_MAX_GROUPS = 1024 };

/* Which units run a stage's threads, in which groups. */
struct shader_role {
    uint32_t first_unit, unit_count;
    uint32_t group_threads, group_limit; /* threads of a group; groups that a unit may have */
};
/* Unified: the same units for both stages. Else the vertex shaders come behind the others. */
void shader_roles(const struct params *params, struct shader_role roles[STAGE_COUNT]);
uint32_t shader_unit_count(const struct params *params);

struct shader {
    struct module module;
    struct shader_stats stats;
    struct pools *pools;
    struct queue *in, *out; /* from and to the scheduler */
    struct queue *texture[MAX_TEXTURE_UNITS], *texels[MAX_TEXTURE_UNITS]; /* to, from texunits */
    uint32_t index;
    /* parameters */
    uint32_t group_threads, issue_cycles; /* cycles in which a group's instruction issues */
    uint32_t fetch_rate, max_groups, registers, inputs_cycle;
    bool scalar_alu, instant;
    /* the group whose texture requests are being sent, or NULL; to which unit, in which turn */
    struct group *sending;
    uint32_t next_quad, texunit, sent_in_turn;
    uint32_t texture_units, request_rate, request_group; /* parameters */
    /* groups that are here, oldest first */
    struct group *groups[SHADER_MAX_GROUPS];
    uint32_t group_count, finished_count;
    uint64_t next_ready; /* before this cycle no group has an instruction to issue */
    uint32_t registers_used;
    uint64_t issue_free_cycle; /* the ALUs take the next instruction then */
    uint32_t turn;             /* the group that is looked at first */
};

void shader_init(struct shader *shader, struct clock *clock, const struct params *params,
                 struct pools *pools, uint32_t index);
/* Forgets whose turn it is, between frames. */
void shader_reset(struct shader *shader);

#endif
