/* The critical path, kept while the machine runs: which cause each cycle of the work's end goes
 * back to (after Fields, Rubin, Bodik: Focusing processor policies via critical-path prediction,
 * ISCA 2001, there for instructions of a processor).
 *
 * Whatever happens in the machine happens as soon as the last thing that it needs is there: an
 * item, a place in a queue, the unit itself. A strand is the way that led there, from last thing to
 * last thing back to the beginning of the frame: a chain of nodes, each with the cycle from which
 * on time went by for its cause. Units carry strands as they carry items. Of the end of the work's
 * strand, path_charge() gives each cycle to exactly one cause; all other strands are forgotten:
 * what happened on them held nobody up.
 *
 * Queues do most of it (kernel/queue.h): an item that is taken in the cycle in which it arrives was
 * waited for, one that is taken later waited itself; a push that was refused before waited for the
 * place. Units tell the rest: of thread groups, transactions and lines that pass each other. */
#ifndef AETIUS_KERNEL_PATH_H
#define AETIUS_KERNEL_PATH_H

#include <stdbool.h>
#include <stdint.h>

enum path_cause {
#define CAUSE(name, parent, what) CAUSE_##name,
#include "causes.def"
    CAUSE_COUNT
};

enum {
    PATH_NODES = 1 << 18, /* a power of two; those before are forgotten */
    PATH_CAUSES = 256,    /* a strand's number is its node's times this, plus its cause */
};

/* The number of its node, and what time goes by for at its end. */
typedef uint64_t strand;

struct path_node {
    uint64_t since;     /* cycle from which time goes by for the strand's cause */
    strand parent;      /* before */
    uint32_t hop;       /* cycles between the two, for hop_cause */
    uint32_t hop_cause; /* enum path_cause */
};

/* What does one thing after the other, with the strand of the last one. */
struct path_stage {
    strand strand;
    enum path_cause cause;
};

/* When something came to be, and by which way. */
struct path_mark {
    strand strand;
    uint64_t cycle;
};

struct path {
    struct path_node *nodes; /* ring */
    uint64_t made;           /* nodes so far */
    uint64_t charged;        /* cycles before this one have been given to their causes */
    uint64_t charged_at;     /* nodes made then */
    strand end;              /* of what left the machine last */
    uint64_t ended;          /* in this cycle ... */
    uint32_t ended_by;       /* ... by the unit of this number */
    uint64_t cycles[CAUSE_COUNT];
    uint64_t unset; /* of these, along a strand that nobody had set: 0 in a machine that is whole */
};

void path_init(struct path *path);
void path_fini(struct path *path);
/* A frame begins: no cycle before `now` is charged any more. */
void path_begin(struct path *path, uint64_t now);
/* Gives the cycles from the last charge up to `now` to the causes on the way. */
void path_charge(struct path *path, strand way, uint64_t now);
/* Something leaves the machine: where several units let something go in a cycle, the one of the
 * highest number tells, in whatever order they are clocked. */
static inline void
path_leave(struct path *path, strand way, uint32_t unit, uint64_t now)
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
void path_charge_so_far(struct path *path, strand work, uint64_t now);

/* Whether it is time to charge, between two cycles, before nodes are overwritten. */
static inline bool
path_is_full(const struct path *path)
{
    return path->made - path->charged_at >= PATH_NODES / 2;
}

/* The strand that goes on from `from` for another cause; the last `hop` cycles before `now` went by
 * for hop_cause. */
static inline strand
path_add(struct path *path, strand from, uint32_t hop, enum path_cause hop_cause,
         enum path_cause cause, uint64_t now)
{
    const uint64_t number = ++path->made;
    path->nodes[number % PATH_NODES] = (struct path_node){now, from, hop, hop_cause};
    return number * PATH_CAUSES + cause;
}

static inline strand
path_step(struct path *path, strand from, enum path_cause cause, uint64_t now)
{
    return from % PATH_CAUSES == cause ? from : path_add(path, from, 0, cause, cause, now);
}

/* Of two things that both had to be there, the later; where both came at once, the other. */
static inline struct path_mark
path_later(struct path_mark mark, struct path_mark other)
{
    return other.cycle >= mark.cycle ? other : mark;
}

/* Name, description and place in the tree of the causes; parents stand before their children. */
struct path_branch {
    const char *name, *parent; /* parent "cycles": the root */
    const char *what;
    int32_t cause; /* -1: a node above */
};
const struct path_branch *path_branches(uint32_t *count);

#endif
