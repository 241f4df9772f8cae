/* Module, Queue, Clock: how time passes (docs/design/machine.md, Modules and queues).
 *
 * A module is one hardware unit. Its clock function does at most one cycle of work and says what
 * that cycle was: BUSY, STARVED (nothing came), BLOCKED (nowhere to put it) or WAITING (memory, or
 * the module's own latency). A module that did nothing sleeps until one of its queues or a timer of
 * its own wakes it; when all sleep the clock jumps. States are counted on change, so the four
 * counts of a module add up to the cycles simulated.
 *
 * A queue joins two modules and is the only way that data moves between them. Space and data are
 * judged by the state at the start of the cycle: what is pushed in a cycle arrives `latency` (at
 * least 1) cycles later, and a place freed in a cycle can be filled in the next one. So the order
 * in which modules are clocked carries no weight. `depth` counts the receiver's places; the wire
 * holds (latency - 1) x width items more, unless queue_reserve() gives every item its place from
 * the push on. A queue sustains its width when depth >= 2 x width. */
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

/* What a kind of module does. All but `clock` may be NULL. */
struct module_ops {
    module_clock_fn *clock;
    void (*wire)(void *self);                 /* once, when the module has its queues */
    void (*settle)(void *self, uint64_t now); /* brings its own counts up to `now` */
    void (*reset)(void *self);                /* between frames: nothing is under way */
    void (*fini)(void *self);                 /* frees what it allocated, but not `self` */
};

struct module {
    char name[32]; /* "clipper", "shader[1]" */
    void *self;
    const struct module_ops *ops;
    module_clock_fn *clock_fn; /* ops->clock, which every cycle needs */
    struct clock *clock;
    uint32_t slot; /* its place in the order in which modules are clocked */
    enum unit_state state;
    uint64_t since;               /* cycle from which `state` holds */
    uint64_t cycles[UNIT_STATES]; /* complete after clock_settle() */
    const struct queue *refused;  /* the queue that last had no room, for the watchdog */
    bool keeps_time;              /* wakes itself also when BUSY: is not clocked every cycle */
    bool is_core;                 /* its BUSY cycles count into clock.core_busy_cycles */
    struct cp_stage stage; /* of the critical path, for all of its queues unless they say else */
};

enum { CLOCK_MAX_MODULES = 256, CLOCK_MAX_QUEUES = 1024, CLOCK_MAX_OBSERVERS = 4 };

/* Looks on, and changes nothing: called at the end of each cycle in which some module was clocked,
 * from `first` to `last`. What was pushed in the cycle is then whole, and still in its queue. */
struct clock_observer {
    void (*cycle)(void *data, uint64_t now);
    void *data;
    uint64_t first, last;
};

struct clock {
    uint64_t now;
    uint32_t module_count, queue_count;
    struct module *modules[CLOCK_MAX_MODULES]; /* in the order in which they are clocked */
    struct queue *queues[CLOCK_MAX_QUEUES];
    struct path path;
    uint64_t wake[CLOCK_MAX_MODULES]; /* the cycle to clock each in */
    bool sleepless;                   /* clock every module every cycle: for tests */
    bool is_halted;                   /* by clock_halt() */
    uint32_t busy_cores;              /* core modules that are BUSY */
    uint64_t core_busy_cycles;        /* cycles in which some core module was BUSY */
    /* called between cycles when `now` reaches sample_cycle, which it moves on; NULL: never */
    void (*sample)(void *data, uint64_t now);
    void *sample_data;
    uint64_t sample_cycle;
    uint32_t observer_count;
    struct clock_observer observers[CLOCK_MAX_OBSERVERS];
};

void clock_init(struct clock *clock);
void clock_fini(struct clock *clock); /* forgets modules and queues; they are the caller's */

/* Modules are added in pipeline order and clocked from the last to the first. */
void clock_add_module(struct clock *clock, struct module *module, const char *name, int32_t index,
                      void *self, const struct module_ops *ops);
/* Any order gives the same results: a test asks for a random one. */
void clock_shuffle(struct clock *clock, uint64_t seed);

void clock_observe(struct clock *clock, struct clock_observer observer);
void clock_unobserve(struct clock *clock, const void *data); /* the one of this data */

/* Runs until *stop is true (judged between cycles) or a unit halts the clock; returns false with a
 * report of who waits for whom when no module will ever wake, or when `limit` cycles have passed in
 * which no module was BUSY and nothing moved on any queue. */
bool clock_run(struct clock *clock, const bool *stop, uint64_t limit, struct error *err);
/* From a clock function: the run ends after this cycle, since who runs the clock has to look. */
void clock_halt(struct clock *clock);
/* Charges the critical path where there is no end of work yet. */
void clock_charge_so_far(struct clock *clock);
/* Brings the counts of states, and what modules count for themselves, up to `now`. */
void clock_settle(struct clock *clock);
/* Who waits for which queue, since when, holding what; to stderr. A BUG() while the clock runs
 * prints it too. */
void clock_print(const struct clock *clock);

static inline void
module_wire(struct module *module)
{
    if (module->ops->wire)
        module->ops->wire(module->self);
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

/* From a clock function: clock me again at `cycle`, whatever comes. */
static inline void
module_wake_at(struct module *module, uint64_t cycle)
{
    uint64_t *wake = &module->clock->wake[module->slot];
    if (cycle < *wake)
        *wake = cycle;
}

/* path_step() on the critical path of the module's machine. */
static inline cp_ref
module_step(const struct module *module, cp_ref from, enum path_cause cause, uint64_t now)
{
    return path_step(&module->clock->path, from, cause, now);
}

/* A stage of the module goes on at `now` with what came by `way`. */
static inline void
module_resume(const struct module *module, struct cp_stage *stage, cp_ref way, uint64_t now)
{
    stage->cp_ref = module_step(module, way, stage->cause, now);
}

/* The same, with a thing that takes it so many cycles. */
static inline void
module_begin(const struct module *module, struct cp_stage *stage, cp_ref way, uint64_t now,
             uint64_t cycles)
{
    module_resume(module, stage, way, now);
    stage->free_cycle = now + cycles;
}

#endif
