/* The critical path, tracked while the machine runs. It charges each cycle of the frame to one
 * cause. The method follows Fields, Rubin, Bodik: Focusing processor policies via critical-path
 * prediction, ISCA 2001, which tracks the instructions of a processor.
 *
 * Every event fires when its last dependency is ready: an item, a free slot of a queue, or the unit
 * itself. A cp_ref names the last node of a chain of causes that reaches back to the start of the
 * frame. Each node holds the cycle from which time passes for its cause. Units carry cp_refs along
 * with items. path_charge() charges each cycle of one chain to exactly one cause. That chain ends
 * at the end of the work. All other chains are dropped, because their events delayed nothing.
 *
 * Queues build most of the chain (core/queue.h). If an item is taken in the cycle in which it
 * arrives, the receiver was waiting: the chain follows the sender. Otherwise the receiver was busy:
 * the chain stays with the receiver. If a push was refused before, the chain follows the unit that
 * freed the slot. Units handle the cases without queue order: thread groups, transactions and lines
 * that overtake each other. */
#ifndef AETIUS_CORE_PATH_H
#define AETIUS_CORE_PATH_H

#include <stdbool.h>
#include <stdint.h>

enum path_cause {
#define CAUSE(name, parent, what) CAUSE_##name,
#include "causes.def"
    CAUSE_COUNT
};

enum {
    PATH_NODES = 1 << 18, /* ring size, a power of two; older nodes are overwritten */
    PATH_CAUSES = 256,    /* cp_ref = node number x PATH_CAUSES + cause */
};

/* Number of the chain's last node times PATH_CAUSES, plus the cause for which time has passed since
 * that node. */
typedef uint64_t cp_ref;

struct path_node {
    uint64_t since;     /* cycle from which time passes for the cp_ref's cause */
    cp_ref parent;      /* previous node */
    uint32_t hop;       /* cycles between the two nodes, charged to hop_cause */
    uint32_t hop_cause; /* enum path_cause */
};

/* A stage does one item of work at a time. It keeps the cp_ref of its last work, and has one
 * cause. */
struct cp_stage {
    cp_ref cp_ref;
    uint64_t free_cycle; /* end of the last work; only for stages that use module_begin() */
    enum path_cause cause;
};

/* Cycle of an event, and the chain that led to it. */
struct cp_stamp {
    cp_ref cp_ref;
    uint64_t cycle;
};

struct path {
    struct path_node *nodes; /* ring */
    uint64_t node_count;     /* number of nodes added so far */
    uint64_t charged;        /* all cycles before this one have been charged */
    uint64_t charged_at;     /* node_count at the last charge */
    cp_ref end;              /* chain of the last work that left the machine */
    uint64_t ended;          /* cycle in which that work left */
    uint32_t ended_by;       /* number of the unit from which it left */
    uint64_t cycles[CAUSE_COUNT];
    /* Portion of `cycles` on chains without a set cp_ref. Must be 0 in a complete machine. */
    uint64_t unset;
};

void path_init(struct path *path);
void path_fini(struct path *path);
/* Starts a frame. Cycles before `now` are never charged. */
void path_begin(struct path *path, uint64_t now);
/* Charges the cycles from the last charge up to `now` to the causes along the chain `way`. */
void path_charge(struct path *path, cp_ref way, uint64_t now);
/* Records that work leaves the machine. If several units report this in one cycle, the highest
 * number wins, so that the result does not depend on the clocking order. */
static inline void
path_leave(struct path *path, cp_ref way, uint32_t unit, uint64_t now)
{
    if (path->ended == now && path->ended_by > unit)
        return;
    path->end = way;
    path->ended = now;
    path->ended_by = unit;
}

/* Returns the cycle of the chain's last node; 0 if there is none, or if it was overwritten. */
uint64_t path_since(const struct path *path, cp_ref way);
/* Charges up to `now` before the work has ended. If work has left the machine since the last
 * charge, its chain is charged up to the cycle in which it left. The remaining cycles are charged
 * along `work`, the chain of some work in flight. 0: the cause of the last work continues. */
void path_charge_so_far(struct path *path, cp_ref work, uint64_t now);

/* Returns whether to charge now, between two cycles, before the ring overwrites nodes that are
 * still needed. */
static inline bool
path_is_full(const struct path *path)
{
    return path->node_count - path->charged_at >= PATH_NODES / 2;
}

/* Returns a cp_ref that continues `from` with the cause `cause`. The last `hop` cycles before `now`
 * belong to `hop_cause`. */
static inline cp_ref
path_add(struct path *path, cp_ref from, uint32_t hop, enum path_cause hop_cause,
         enum path_cause cause, uint64_t now)
{
    const uint64_t number = ++path->node_count;
    path->nodes[number % PATH_NODES] = (struct path_node){now, from, hop, hop_cause};
    return number * PATH_CAUSES + cause;
}

static inline cp_ref
path_step(struct path *path, cp_ref from, enum path_cause cause, uint64_t now)
{
    return from % PATH_CAUSES == cause ? from : path_add(path, from, 0, cause, cause, now);
}

/* Returns the later of two events that were both needed, or `other` if both have the same cycle. */
static inline struct cp_stamp
path_later(struct cp_stamp mark, struct cp_stamp other)
{
    return other.cycle >= mark.cycle ? other : mark;
}

/* Returns the end of the stage's previous work. */
static inline struct cp_stamp
path_last(const struct cp_stage *stage)
{
    return (struct cp_stamp){stage->cp_ref, stage->free_cycle};
}

/* Returns the chain of the stage's next work, which starts at the later of `arrival` and the end of
 * the previous work. */
static inline cp_ref
path_next(const struct cp_stage *stage, struct cp_stamp arrival)
{
    return path_later(path_last(stage), arrival).cp_ref;
}

/* Node of the tree of causes. Parents precede their children in the table. */
struct path_branch {
    const char *name, *parent; /* parent "cycles": the root */
    const char *what;
    int32_t cause; /* enum path_cause; -1: an inner node */
};
const struct path_branch *path_branches(uint32_t *count);

#endif
