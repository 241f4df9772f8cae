/* Shader unit: runs thread groups. Groups enter and leave the unit in shader.c. Their instructions
 * issue in shader_issue.c. The fates of the issue slots are counted in shader_slots.c. */
#ifndef AETIUS_UNIT_SHADER_H
#define AETIUS_UNIT_SHADER_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/shader/constants.h"
#include "unit/shader/ready.h"
#include "unit/stats.h"

enum { SHADER_MAX_GROUPS = 65536 };
enum { OWN_PARTS = 1024 }; /* unit of shader->own_parts: 1 / OWN_PARTS of a cycle */

/* The shader units that run a stage's threads, and the size of its groups. */
struct shader_role {
    uint32_t first_unit, unit_count;
    uint32_t group_threads, group_limit; /* threads per group; groups per unit */
};
/* Finds the units of each stage. In a unified machine all stages use the same units. Otherwise the
 * vertex shaders follow the fragment shaders in the list of units, and also run geometry
 * programs. */
void shader_roles(const struct params *params, struct shader_role roles[STAGE_COUNT]);
uint32_t shader_unit_count(const struct params *params);
bool shader_check_params(const struct params *params, struct error *err);

/* Reasons why a group waits. */
enum group_wait {
    WAIT_TURN,   /* does not wait: its next instruction may issue */
    WAIT_LOAD,   /* waits until its inputs are loaded */
    WAIT_RESULT, /* waits for operands of its next instruction */
    WAIT_DELAY,  /* waits for the minimum time between two fetches of a group */
    WAIT_TEXELS,
    WAIT_CONSTANTS, /* waits for constants of uniform blocks */
    WAIT_OUTPUT,    /* has ended and waits to leave */
    WAIT_COUNT,
};

/* Instructions of one group that issue in the same cycle. */
struct issue {
    uint32_t count, reads;  /* instructions so far; registers that they read */
    uint32_t kinds;         /* ALUs in use, one bit each */
    uint64_t takes, passes; /* ALU cycles with and without flow-control costs */
    bool jumps;             /* the next instruction is known only after the last one has executed */
};

struct shader {
    struct module module;
    struct shader_stats stats;
    struct pools *pools;
    struct queue *in, *out; /* from and to the Scheduler */
    struct queue *texture[MAX_TEXTURE_UNITS],
        *texels[MAX_TEXTURE_UNITS]; /* to and from the Texture Units */
    struct constants constants;
    uint32_t index;
    /* parameters */
    bool vertices_only; /* the unit shades no fragments */
    uint32_t group_threads, thread_rate;
    uint32_t issue_cycles; /* cycles that an instruction takes to issue for a whole group */
    uint32_t fetch_rate, fetch_delay;
    uint32_t to_issue;     /* cycles of the stages from fetch to issue */
    uint32_t to_execution; /* cycles of the stages from issue to execution */
    uint32_t to_registers; /* cycles from the end of execution until results can be read */
    uint32_t picks;        /* number of groups that issue per cycle */
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
    uint64_t *free_slots; /* free slots, one bit each */
    uint32_t group_count, thread_count, registers_used;
    uint32_t occupied; /* share of max_groups, or of the registers if larger: 0 to OWN_PARTS */
    uint32_t waiting[WAIT_COUNT]; /* number of groups that wait for each reason */
    struct ready_set ready;
    /* Running groups, linked in a circle in order of arrival. */
    uint32_t *after, *before;
    uint32_t running, oldest;
    /* slot of the last fetch; without ThreadWindow, the next slot in the circle has its turn */
    uint32_t last_fetched;
    bool sticky;        /* SwapOnBlock: the next fetch uses the same slot */
    uint32_t *finished; /* slots of groups that have ended */
    struct ring finished_ring;
    struct group_port {
        uint64_t free_cycle;   /* cycle in which the port takes the next group */
        uint64_t cycle;        /* cycle of the last group */
        uint32_t count, limit; /* groups in that cycle; largest number, at least 1 */
    } load_free, output_free;
    uint64_t issue_free_cycle; /* cycle in which the ALUs take the next instruction */
    struct group *sending;     /* group whose texture requests are being sent */
    /* next request: its quad, its unit, requests sent to that unit */
    uint32_t next_quad, texunit, texunit_requests;
    uint64_t send_cycle; /* cycle in which its first coordinates are ready */
    struct port_use {    /* ring: number of results written per cycle */
        uint64_t cycle;
        uint32_t results;
    } * port_use;
    uint32_t port_mask;
    /* Fates of the issue slots (shader_slots.c), from cycle `accounted` on: issue_slots[] until
     * `issue_until`, SLOT_PASSES until `passes_until`, SLOT_FLOW until `issue_free_cycle`, then
     * `idle`. */
    uint64_t accounted;
    uint64_t own_parts; /* stats.own_cycles, in cycles / OWN_PARTS */
    uint64_t issue_until, passes_until;
    uint32_t issue_slots[SLOT_COUNT]; /* number of slots per cycle with each fate */
    enum slot_fate idle;              /* fate once the ALUs are free again */
    /* The group that determined the fate of the slots without a turn; NULL: all groups wait. */
    const struct group *waiter;
    struct unit_profile *profile; /* shader_profile.h; NULL: no profile */
    /* a group waits for free threads, or for free registers */
    bool refused_threads, refused_registers;
    /* Critical path. Each resource that handles items one after another has one stage. */
    struct cp_stage group_port, request_port, finish_port, texel_port;
    struct cp_stamp alus, load_port;
    cp_ref freed; /* critical path: the last group that made room */
    bool was_refused;
    /* Endless program (EXEC_ENDLESS) of the earliest draw that has one. draw NULL: none. */
    struct {
        const struct draw *draw;
        enum shader_stage stage;
    } endless;
};

void shader_init(struct shader *shader, const struct unit_env *env, uint32_t index);

#endif
