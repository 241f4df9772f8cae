/* Shader unit: runs thread groups. shader.c takes groups in and sends them out, shader_issue.c
 * issues their instructions, and shader_slots.c counts the fate of every issue slot. */
#ifndef AETIUS_UNIT_SHADER_H
#define AETIUS_UNIT_SHADER_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/shader/ready.h"
#include "unit/stats.h"

enum { SHADER_MAX_GROUPS = 65536 };

/* The units that run a stage's threads, and the size of its groups. */
struct shader_role {
    uint32_t first_unit, unit_count;
    uint32_t group_threads, group_limit; /* threads per group; groups per unit */
};
/* Unified: the same units for both stages. Otherwise vertex shaders have the indices after the
 * fragment shaders. */
void shader_roles(const struct params *params, struct shader_role roles[STAGE_COUNT]);
uint32_t shader_unit_count(const struct params *params);
bool shader_check_params(const struct params *params, struct error *err);

/* Reasons for which a group waits. */
enum group_wait {
    WAIT_TURN,   /* none: its next instruction may issue */
    WAIT_LOAD,   /* its inputs are being loaded */
    WAIT_RESULT, /* operands of its next instruction */
    WAIT_DELAY,  /* minimum time between two fetches from a group */
    WAIT_TEXELS,
    WAIT_OUTPUT, /* it has ended and waits to leave */
    WAIT_COUNT,
};

/* Instructions of one group that issue in one cycle. */
struct issue {
    uint32_t count, reads;  /* instructions so far; registers that they read */
    uint32_t kinds;         /* one bit per ALU in use */
    uint64_t takes, passes; /* cycles of the ALUs: with, without flow-control costs */
    bool jumps;             /* the next instruction is known when the last of these has executed */
};

struct shader {
    struct module module;
    struct shader_stats stats;
    struct pools *pools;
    struct queue *in, *out; /* from and to the Scheduler */
    struct queue *texture[MAX_TEXTURE_UNITS],
        *texels[MAX_TEXTURE_UNITS]; /* to and from the Texture Units */
    uint32_t index;
    /* parameters */
    uint32_t group_threads, thread_rate;
    uint32_t issue_cycles; /* cycles that an instruction of a group takes to issue */
    uint32_t fetch_rate, fetch_delay;
    uint32_t to_issue;     /* cycles of the stages from fetch to issue */
    uint32_t to_execution; /* ... from issue to execution */
    uint32_t to_registers; /* ... from the end of execution until results can be read */
    uint32_t picks;        /* groups that issue per cycle */
    uint32_t slots_cycle;  /* issue slots per cycle: picks x fetch_rate */
    uint32_t max_groups, registers, inputs_cycle, outputs_cycle;
    uint32_t read_ports, write_ports; /* 0: unlimited */
    struct {
        uint32_t if_endif, if_else_endif, call, ret, loop;
    } flow_cost;
    uint32_t texture_units, request_rate, request_group;
    bool scalar_alu, window, swap_on_block, replay, instant;
    /* groups in the unit, by slot */
    struct group **groups;
    uint64_t *free_slots; /* one bit each */
    uint32_t group_count, thread_count, registers_used;
    uint32_t waiting[WAIT_COUNT]; /* number of groups per reason */
    struct ready_set ready;
    /* running groups, in a circle in order of arrival */
    uint32_t *after, *before;
    uint32_t running, oldest;
    uint32_t last_fetched; /* slot; in order of arrival, the one after it has the turn */
    bool sticky;           /* SwapOnBlock: fetches from the same slot again */
    uint32_t *finished;    /* slots of groups that have ended */
    struct ring finished_ring;
    uint64_t load_free_cycle, output_free_cycle;   /* when the ports are free again */
    uint64_t issue_free_cycle;                     /* when the ALUs take the next instruction */
    struct group *sending;                         /* its texture requests are being sent */
    uint32_t next_quad, texunit, texunit_requests; /* next request: its quad, unit, turn count */
    uint64_t send_cycle;                           /* when its first coordinates are ready */
    struct port_use {                              /* ring: results written per cycle */
        uint64_t cycle;
        uint32_t results;
    } * port_use;
    uint32_t port_mask;
    /* shader_slots.c: fates of the slots from cycle `accounted` on. issue_slots[] applies until
     * `issue_until`, SLOT_PASSES until `passes_until`, SLOT_FLOW until `issue_free_cycle`, then
     * `idle`. */
    uint64_t accounted;
    uint64_t issue_until, passes_until;
    uint32_t issue_slots[SLOT_COUNT];        /* slots per cycle */
    enum slot_fate idle;                     /* fate once the ALUs are free again */
    bool refused_threads, refused_registers; /* a waiting group found no place */
    /* critical path: one stage per resource that handles items one after another */
    struct cp_stage group_port, request_port, finish_port, texel_port;
    struct cp_stamp alus, load_port;
    cp_ref freed; /* critical path: the group that made room last */
    bool was_refused;
    /* program that does not end (EXEC_ENDLESS), of the earliest such draw; draw NULL: none */
    struct {
        const struct draw *draw;
        enum shader_stage stage;
    } endless;
};

void shader_init(struct shader *shader, const struct unit_env *env, uint32_t index);

#endif
