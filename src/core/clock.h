/* Module, Queue, Clock: the model of simulated time (docs/design/machine.md, Modules and queues).
 *
 * A module is one hardware unit. Its clock function does at most one cycle of work and returns the
 * state of that cycle: BUSY, STARVED (no input), BLOCKED (no room for output) or WAITING (for
 * memory or for the module's own latency). A module without work sleeps until one of its queues or
 * its timer wakes it. When all modules sleep, the clock jumps to the next wake. Cycles are counted
 * when the state changes, so the four counts of a module add up to the simulated cycles.
 *
 * A queue connects two modules. Queues are the only path of data between modules. A module sees a
 * queue's space and items as they were at the start of the cycle. An item pushed in a cycle arrives
 * `latency` (at least 1) cycles later. A slot freed in a cycle can be filled in the next one.
 * Therefore results do not depend on the order in which modules are clocked. `depth` counts the
 * receiver's slots. The wire holds (latency - 1) x width more items, unless queue_reserve() assigns
 * each item its slot at the push. A queue sustains its width if depth >= 2 x width. */
#ifndef AETIUS_CORE_CLOCK_H
#define AETIUS_CORE_CLOCK_H

#include "base/invariant.h"
#include "core/path.h"

#include <stdint.h>

#define CYCLE_NEVER UINT64_MAX

enum unit_state { UNIT_BUSY, UNIT_STARVED, UNIT_BLOCKED, UNIT_WAITING, UNIT_STATES };
extern const char *const unit_state_names[UNIT_STATES];

struct clock;
struct queue;

typedef enum unit_state module_clock_fn(void *self, uint64_t now);

/* Functions of one kind of module. All except `clock` may be NULL. */
struct module_ops {
    module_clock_fn *clock;
    void (*wire)(void *self);                 /* called once, after the queues are connected */
    void (*settle)(void *self, uint64_t now); /* brings the module's counters up to `now` */
    /* Determines the states of the module's parts in cycle `now`, and their counts before it. */
    void (*view)(void *self, uint64_t now);
    void (*reset)(void *self); /* called between frames, when no work is in flight */
    void (*fini)(void *self);  /* frees the members of `self`, not `self` */
};

/* A stage inside a module that has its own state, such as a level of the seven-level generator. */
struct module_part {
    char name[16];  /* "level1" */
    uint32_t depth; /* of the queue before the part, in items */
    enum unit_state state;
    uint64_t cycles[UNIT_STATES];
};

struct module {
    char name[32]; /* "clipper", "shader[1]" */
    void *self;
    const struct module_ops *ops;
    module_clock_fn *clock_fn; /* copy of ops->clock: saves a load per cycle */
    struct clock *clock;
    uint32_t slot; /* index in clock.modules, the clocking order */
    enum unit_state state;
    uint64_t since;               /* cycle in which `state` last changed */
    uint64_t cycles[UNIT_STATES]; /* complete after clock_settle() */
    /* Since the last clock_mark(): first cycle with work (CYCLE_NEVER: none). Last cycle in which
     * the module became STARVED. */
    uint64_t first_work, last_end;
    const struct queue *refused; /* last queue that refused a push, for the watchdog */
    /* The module sets its own wake even when BUSY, so it is not clocked every cycle. */
    bool keeps_time;
    bool is_core; /* its BUSY cycles count towards clock.core_busy_cycles */
    /* Default stage of the critical path for all queues of the module. */
    struct cp_stage stage;
    struct module_part *parts; /* valid after module_view(); the module's object owns them */
    uint32_t part_count;
};

enum { CLOCK_MAX_MODULES = 256, CLOCK_MAX_QUEUES = 1024, CLOCK_MAX_OBSERVERS = 4 };

/* Observer, which must not change the machine. The clock calls it at the end of each cycle from
 * `first` to `last` in which at least one module was clocked. All pushes of the cycle are complete,
 * and their items are still in the queues. */
struct clock_observer {
    void (*cycle)(void *data, uint64_t now);
    void *data;
    uint64_t first, last;
};

struct clock {
    uint64_t now;
    uint32_t module_count, queue_count;
    struct module *modules[CLOCK_MAX_MODULES]; /* in clocking order */
    struct queue *queues[CLOCK_MAX_QUEUES];
    struct path path;
    uint64_t wake[CLOCK_MAX_MODULES]; /* per module: next cycle in which to clock it */
    bool sleepless;                   /* clock every module in every cycle; for tests */
    bool is_halted;                   /* set by clock_halt() */
    uint32_t busy_cores;              /* number of core units that are BUSY */
    uint64_t core_busy_cycles;        /* cycles in which a core unit was BUSY */
    /* Called between cycles when `now` reaches sample_cycle, which the callback must advance. May
     * be NULL. */
    void (*sample)(void *data, uint64_t now);
    void *sample_data;
    uint64_t sample_cycle;
    uint32_t observer_count;
    struct clock_observer observers[CLOCK_MAX_OBSERVERS];
};

void clock_init(struct clock *clock);
void clock_fini(struct clock *clock); /* the caller owns modules and queues */

/* Modules must be added in pipeline order. The clock calls them from the last to the first. */
void clock_add_module(struct clock *clock, struct module *module, const char *name, int32_t index,
                      void *self, const struct module_ops *ops);
/* Randomizes the clocking order, which must not change results; for tests. */
void clock_shuffle(struct clock *clock, uint64_t seed);

void clock_observe(struct clock *clock, struct clock_observer observer);
void clock_unobserve(struct clock *clock, const void *data); /* removes the one with this `data` */

/* Runs until *stop is true (checked between cycles) or a unit calls clock_halt(). Returns false
 * with a report of the waiting units on a deadlock. A deadlock means that no module will ever wake,
 * or that no module was BUSY and no queue moved for `limit` cycles. */
bool clock_run(struct clock *clock, const bool *stop, uint64_t limit, struct error *err);
/* Ends the run after this cycle, so that the caller of clock_run() can act. For clock functions. */
void clock_halt(struct clock *clock);
/* Charges the critical path up to `now`, before its work has ended. */
void clock_charge_so_far(struct clock *clock);
/* Brings the state counts and the counters of all modules up to `now`. */
void clock_settle(struct clock *clock);
/* Begins a span in which modules record when they have work (module.first_work). */
void clock_mark(struct clock *clock);
/* Prints to stderr which unit waits for which queue, since when, and the queue's contents. A BUG()
 * while the clock runs prints the same. */
void clock_print(const struct clock *clock);

static inline void
module_wire(struct module *module)
{
    if (module->ops->wire)
        module->ops->wire(module->self);
}

static inline void
module_view(const struct module *module, uint64_t now)
{
    if (module->part_count)
        module->ops->view(module->self, now);
}

static inline void
module_reset(struct module *module)
{
    if (module->ops->reset)
        module->ops->reset(module->self);
}

static inline void
module_fini(struct module *module)
{
    if (module->ops->fini)
        module->ops->fini(module->self);
}

/* Wakes the module at `cycle`, if it does not wake earlier. For clock functions. */
static inline void
module_wake_at(struct module *module, uint64_t cycle)
{
    uint64_t *wake = &module->clock->wake[module->slot];
    if (cycle < *wake)
        *wake = cycle;
}

/* path_step() on the critical path of the module's clock. */
static inline cp_ref
module_step(const struct module *module, cp_ref from, enum path_cause cause, uint64_t now)
{
    return path_step(&module->clock->path, from, cause, now);
}

/* Continues the stage at `now` with an item whose cp_ref is `way`. */
static inline void
module_resume(const struct module *module, struct cp_stage *stage, cp_ref way, uint64_t now)
{
    stage->cp_ref = module_step(module, way, stage->cause, now);
}

/* Like module_resume(), for an item that occupies the stage for `cycles`. */
static inline void
module_begin(const struct module *module, struct cp_stage *stage, cp_ref way, uint64_t now,
             uint64_t cycles)
{
    module_resume(module, stage, way, now);
    stage->free_cycle = now + cycles;
}

#endif
