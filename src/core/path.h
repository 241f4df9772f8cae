/* The critical path, kept while the machine runs: to which cause each cycle of the frame is charged
 * (after Fields, Rubin, Bodik: Focusing processor policies via critical-path prediction, ISCA 2001,
 * there for instructions of a processor).
 *
 * Every event fires when its last dependency is ready: an item, a free slot of a queue, the unit
 * itself. A cp_ref names the last node of a chain of causes that reaches back to the start of the
 * frame. Each node has the cycle from which time went by for its cause. Units carry cp_refs as they
 * carry items. path_charge() charges each cycle of one chain, that of the end of the work, to
 * exactly one cause. All other chains are dropped: what happened on them delayed nothing.
 *
 * Queues do most of it (core/queue.h). If an item is taken in the cycle in which it arrives, the
 * receiver was waiting: the chain follows the sender. Otherwise the receiver was busy: the chain
 * stays with it. If a push was refused before, the chain follows the unit that freed the slot.
 * Units do the rest: thread groups, transactions and lines that overtake each other. */
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
    PATH_NODES = 1 << 18, /* a power of two; those before are forgotten */
    PATH_CAUSES = 256,    /* a cp_ref's number is its node's times this, plus its cause */
};

/* Number of the last node times PATH_CAUSES, plus the cause for which time goes by since. */
typedef uint64_t cp_ref;

struct path_node {
    uint64_t since;     /* cycle from which time goes by for the cp_ref's cause */
    cp_ref parent;      /* before */
    uint32_t hop;       /* cycles between the two, for hop_cause */
    uint32_t hop_cause; /* enum path_cause */
};

/* What does one thing after the other: the last one, and the cause of time that it takes. */
struct cp_stage {
    cp_ref cp_ref;
    uint64_t free_cycle; /* of stages that begin things by module_begin(): done with the last one */
    enum path_cause cause;
};

/* When something came to be, and by which way. */
struct cp_stamp {
    cp_ref cp_ref;
    uint64_t cycle;
};

struct path {
    struct path_node *nodes; /* ring */
    uint64_t node_count;     /* nodes so far */
    uint64_t charged;        /* cycles before this one have been given to their causes */
    uint64_t charged_at;     /* nodes made then */
    cp_ref end;              /* of what left the machine last */
    uint64_t ended;          /* in this cycle ... */
    uint32_t ended_by;       /* ... by the unit of this number */
    uint64_t cycles[CAUSE_COUNT];
    uint64_t unset; /* of these, along a cp_ref that nobody had set: 0 in a machine that is whole */
};

void path_init(struct path *path);
void path_fini(struct path *path);
/* A frame begins: no cycle before `now` is charged any more. */
void path_begin(struct path *path, uint64_t now);
/* Gives the cycles from the last charge up to `now` to the causes on the way. */
void path_charge(struct path *path, cp_ref way, uint64_t now);
/* Something leaves the machine: where several units let something go in a cycle, the one of the
 * highest number tells, in whatever order they are clocked. */
static inline void
path_leave(struct path *path, cp_ref way, uint32_t unit, uint64_t now)
{
    if (path->ended == now && path->ended_by > unit)
        return;
    path->end = way;
    path->ended = now;
    path->ended_by = unit;
}

/* Where there is no end of work yet: along the way of what left the machine last, if anything has
 * since the last charge, up to where it left; from there up to `now` along `work`, that of some
 * work in the machine (0: there is none). */
void path_charge_so_far(struct path *path, cp_ref work, uint64_t now);

/* Whether it is time to charge, between two cycles, before nodes are overwritten. */
static inline bool
path_is_full(const struct path *path)
{
    return path->node_count - path->charged_at >= PATH_NODES / 2;
}

/* The cp_ref that goes on from `from` for another cause; the last `hop` cycles before `now` went by
 * for hop_cause. */
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

/* Of two things that both had to be there, the later; where both came at once, the other. */
static inline struct cp_stamp
path_later(struct cp_stamp mark, struct cp_stamp other)
{
    return other.cycle >= mark.cycle ? other : mark;
}

/* The end of the last thing that the stage did. */
static inline struct cp_stamp
path_last(const struct cp_stage *stage)
{
    return (struct cp_stamp){stage->cp_ref, stage->free_cycle};
}

/* The path to the stage's next event, given `arrival` and the end of the previous one. */
static inline cp_ref
path_next(const struct cp_stage *stage, struct cp_stamp arrival)
{
    return path_later(path_last(stage), arrival).cp_ref;
}

/* Name, description and place in the tree of the causes; parents stand before their children. */
struct path_branch {
    const char *name, *parent; /* parent "cycles": the root */
    const char *what;
    int32_t cause; /* -1: a node above */
};
const struct path_branch *path_branches(uint32_t *count);

#endif
