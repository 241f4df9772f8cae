/* Sources of work for the shader units (thread_sources.def). A source defines its items and how
 * they form thread groups. It also defines the inputs and outputs of a group in the shader unit,
 * and the destination of finished items. The Scheduler (unit/shader/sched.c) and the shader unit
 * (unit/shader/shader.c) contain no code that is specific to vertices, quads, triangles or
 * primitives. */
#ifndef AETIUS_UNIT_THREAD_SOURCE_H
#define AETIUS_UNIT_THREAD_SOURCE_H

#include "unit/shader/sched.h"

struct thread_source {
    enum thread_kind kind;
    enum shader_stage stage; /* selects constants, textures and units */
    uint32_t item_threads;   /* number of threads per item */
    enum path_cause cause;   /* cause of cycles in which its instructions issue */
    /* The shader unit calls load() to copy inputs into the registers of a group that starts. It
     * calls store() to take the outputs of a program that has ended. */
    void (*load)(struct group *group);
    void (*store)(struct group *group, struct shader_stats *stats);
    /* Number of results that take the unit's output port; NULL: one per thread. */
    uint32_t (*outputs)(const struct group *group);
    /* Called by the Scheduler: takes as many items as fit in a cycle, and adds them to groups
     * (sched_send_if_due(), sched_dispatch()). */
    bool (*take)(struct sched *sched, uint64_t now);
    /* The unit to which the group can be sent now, or -1. */
    int32_t (*assign)(struct sched *sched, const struct group *group, uint64_t now);
    /* Whether the units for the group have enough other groups, so that it may continue to fill. */
    bool (*is_busy)(const struct sched *sched, const struct group *group);
    /* Takes a finished group. Returns false if there is no room for its items. */
    bool (*finish)(struct sched *sched, const struct group *group);
    /* Sends finished items on. Sets *blocked if a queue is full. */
    bool (*leave)(struct sched *sched, uint64_t now, bool *blocked);
};

#define THREAD_SOURCE(name) extern const struct thread_source thread_##name;
#include "unit/shader/thread_sources.def"

static inline uint32_t
group_lanes(const struct group *group)
{
    return group->count * group->source->item_threads;
}

/* Whether all units of the group's stage have BusyGroups groups. */
bool sched_stage_is_busy(const struct sched *sched, const struct group *group);
struct group *sched_new_group(struct sched *sched, const struct thread_source *source,
                              const struct draw *draw, const struct program *program);
/* The unit of the group's stage with the fewest groups, or -1 if all queues are full. */
int32_t sched_least_loaded(struct sched *sched, const struct group *group, uint64_t now);
/* Records that an item enters. If the item had to wait, the critical path continues at the group
 * that finished last. */
void sched_unblock(struct sched *sched, uint64_t now);
/* Sends the group to its unit and sets *group to NULL. Returns false if no unit or queue has
 * room. */
bool sched_dispatch(struct sched *sched, struct group **group, uint64_t now);
/* Sends a group that is being filled if it is full, or if it has lingered since its last
 * addition. */
bool sched_send_if_due(struct sched *sched, struct group **group, uint64_t since, uint64_t now);

#endif
