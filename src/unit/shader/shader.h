/* Shader unit: runs thread groups. shader.c takes them in and gives them out, shader_issue.c issues
 * their instructions, shader_slots.c says what became of every issue slot. */
#ifndef AETIUS_UNIT_SHADER_H
#define AETIUS_UNIT_SHADER_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/shader/ready.h"
#include "unit/stats.h"

enum { SHADER_MAX_GROUPS = 65536 };

/* Which units run a stage's threads, in which groups. */
struct shader_role {
    uint32_t first_unit, unit_count;
    uint32_t group_threads, group_limit; /* threads of a group; groups that a unit may have */
};
/* Unified: the same units for both stages. Else the vertex shaders come behind the others. */
void shader_roles(const struct params *params, struct shader_role roles[STAGE_COUNT]);
uint32_t shader_unit_count(const struct params *params);
bool shader_check_params(const struct params *params, struct error *err);

/* What a group waits for. */
enum group_wait {
    WAIT_TURN,   /* its next instruction may issue */
    WAIT_LOAD,   /* its inputs come in */
    WAIT_RESULT, /* operands of its next instruction */
    WAIT_DELAY,  /* the time between two fetches from a group */
    WAIT_TEXELS,
    WAIT_OUTPUT, /* it has ended */
    WAIT_COUNT,
};

/* Instructions that issue in one cycle. */
struct issue {
    uint32_t count, reads;  /* instructions of the group in hand, registers that they read */
    uint32_t kinds;         /* a bit for each ALU in use */
    uint64_t takes, passes; /* cycles until the ALUs are free, of them not for flow control */
    bool jumps;             /* what comes next is known when the last of them has executed */
};

struct shader {
    struct module module;
    struct shader_stats stats;
    struct pools *pools;
    struct queue *in, *out; /* from and to the scheduler */
    struct queue *texture[MAX_TEXTURE_UNITS], *texels[MAX_TEXTURE_UNITS]; /* to, from texunits */
    uint32_t index;
    /* parameters */
    uint32_t group_threads, thread_rate;
    uint32_t issue_cycles; /* cycles in which an instruction of a group issues */
    uint32_t fetch_rate, fetch_delay;
    uint32_t to_issue;     /* stages, in cycles: from fetch to issue */
    uint32_t to_execution; /* ... on to execution */
    uint32_t to_registers; /* ... from its end until results can be read */
    uint32_t picks;        /* groups that issue in a cycle */
    uint32_t slots_cycle;  /* issue slots in a cycle: picks x fetch_rate */
    uint32_t max_groups, registers, inputs_cycle, outputs_cycle;
    uint32_t read_ports, write_ports; /* 0: as many as it takes */
    struct {
        uint32_t if_endif, if_else_endif, call, ret, loop;
    } flow_cost;
    uint32_t texture_units, request_rate, request_group;
    bool scalar_alu, window, swap_on_block, replay, instant;
    /* groups that are here, by slot */
    struct group **groups;
    uint64_t *free_slots; /* a bit each */
    uint32_t group_count, thread_count, registers_used;
    uint32_t waiting[WAIT_COUNT]; /* how many wait for what */
    struct ready_set ready;
    /* those that have not ended, in a circle in the order of their arrival */
    uint32_t *after, *before;
    uint32_t running, oldest;
    uint32_t last_fetched; /* the slot that was fetched from last; in order: that has its turn */
    bool sticky;           /* the unit stays with it */
    uint32_t *finished;    /* ended: their slots */
    struct ring finished_ring;
    uint64_t load_free_cycle, output_free_cycle;   /* when the ports are free again */
    uint64_t issue_free_cycle;                     /* when the ALUs take the next instruction */
    struct group *sending;                         /* its texture requests are on their way out */
    uint32_t next_quad, texunit, texunit_requests; /* to which unit, in which turn */
    uint64_t send_cycle;                           /* its first thread's coordinates are there */
    struct port_use {                              /* results written in a cycle: a ring */
        uint64_t cycle;
        uint32_t results;
    } * port_use;
    uint32_t port_mask;
    /* shader_slots.c: fates of the slots from `accounted` on */
    uint64_t accounted;
    uint64_t issue_until, passes_until;      /* first[] holds before, then PASSES, then FLOW ... */
    uint32_t issue_slots[SLOT_COUNT];        /* slots of a cycle */
    enum slot_fate idle;                     /* ... then this, once the ALUs are free */
    bool refused_threads, refused_registers; /* a group at the door finds no slot */
    /* critical path: the ALUs, the ports and what goes to the texture units do one after the other
     */
    struct cp_stage group_port, request_port, finish_port, texel_port;
    struct cp_stamp alus, load_port;
    cp_ref freed; /* of the group that made room last */
    bool was_refused;
    /* a program of these that does not end (EXEC_ENDLESS), of the earliest draw; draw NULL: none */
    struct {
        const struct draw *draw;
        enum shader_stage stage;
    } endless;
};

void shader_init(struct shader *shader, const struct unit_env *env, uint32_t index);

#endif
