/* The timed machine: builds the units and queues of machine.def, and executes commands on them,
 * cycle by cycle. */
#ifndef AETIUS_SIM_MACHINE_H
#define AETIUS_SIM_MACHINE_H

#include "sim/functional.h"
#include "sim/command_stream.h"
#include "sim/hazards.h"
#include "sim/identities.h"
#include "sim/work_accounting.h"

#define UNIT_HEADERS
#include "machine.def"

struct machine {
    struct params params;
    struct gpu_device *device;     /* not owned */
    struct functional *functional; /* not owned: state, queries, and values of blits */
    struct clock clock;
    struct pools pools;
    uint32_t shaders, texunits, rops;

#define UNIT(name, count)                                                                          \
    struct name *name;                                                                             \
    uint32_t name##_count;
#define QUEUE_11(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    struct queue *name##_queue;                                                                    \
    uint32_t name##_queue_count;
#define QUEUE_1N QUEUE_11
#define QUEUE_N1 QUEUE_11
#define QUEUE_NN QUEUE_11
#define QUEUE_NG QUEUE_11
#define QUEUE_GN QUEUE_11
#define MEMORY(name, unit, port, client, traffic, width, who)                                      \
    struct queue *name##_requests, *name##_replies;                                                \
    uint32_t name##_count;
#include "machine.def"

    struct stat_set stats;
    struct identities *identities;            /* between them */
    struct blocks color_blocks, depth_blocks; /* states of all surfaces drawn into in the frame */
    /* Surfaces that work goes to: the ROP caches may hold what memory does not. */
    struct bound_surface color[MAX_COLOR_BUFFERS], depth;
    uint32_t color_count;
    bool is_dirty; /* since they were written back last, something was drawn or cleared */
    struct hazards hazards;
    struct command_stream stream;
    struct upload { /* one that is on its way */
        uint64_t number;
        struct cmdproc_move *moves;
        struct arena bytes;
    } uploads[HAZARD_UPLOADS];
    uint32_t upload_count;
    struct arena draws;           /* baked draws of the frame */
    const struct draw *last_draw; /* the last one that was sent since all had ended; NULL: none */

    bool failed; /* when a resource's memory was to be given back: how */
    struct error ending;

    struct work_accounting accounting; /* `on_row_end` is for whoever observes it */
};

/* Whether such a machine can be built; the message names parameters, and what is allowed. */
bool machine_params_check(const struct params *params, struct error *err);

/* `device` and `functional` belong to the caller and outlive the machine. NULL: the parameters name
 * a machine that cannot be built. machine_destroy() frees all units and queues. */
struct machine *machine_create(const struct params *params, struct gpu_device *device,
                               struct functional *functional, struct error *err);
void machine_destroy(struct machine *machine);
/* Warns of queues that are too short for the items a cycle that they are given; the machine's name
 * comes first, unless it is NULL. */
void machine_warn(const struct machine *machine, const char *name);

/* As functional_execute(), in time. SWAP fills `out` with what the DAC read. false: the command is
 * invalid, memory is exhausted, a program does not end, the machine is deadlocked, or a signal
 * came; the machine must not be used further. */
bool machine_execute(struct machine *machine, const struct gpu_cmd *cmd, uint8_t *out,
                     uint32_t out_bytes, struct error *err);

/* Runs until nothing is on its way: what was uploaded is in memory, what was drawn in memory or in
 * the ROP caches. */
bool machine_drain(struct machine *machine, struct error *err);
void machine_forget_uploads(struct machine *machine); /* for machine_destroy() */

/* After a swap: everything is written to memory and forgotten, so that the next frame starts
 * drained and does not depend on this one. */
void machine_settle(struct machine *machine);
/* Its part of that: memory holds the bytes of every surface, and no block has a state. */
void machine_forget_surfaces(struct machine *machine);

/* Identities that hold whenever the machine is drained: states sum to cycles, queues are empty, and
 * those between statistics since their last rebase. */
bool machine_check(const struct machine *machine, struct error *err);

#endif
