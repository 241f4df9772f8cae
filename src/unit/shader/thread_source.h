/* Sources of work for the shader units (thread_sources.def): what a source's items are, how they
 * become thread groups, what of them a shader unit loads and stores, and what becomes of them. The
 * scheduler (unit/shader/sched.c) and the shader unit (unit/shader/shader.c) know nothing else of
 * vertices and quads. */
#ifndef AETIUS_UNIT_THREAD_SOURCE_H
#define AETIUS_UNIT_THREAD_SOURCE_H

#include "unit/shader/sched.h"

struct thread_source {
    enum shader_stage
        stage;             /* whose constants and textures they use, and on which units they run */
    uint32_t item_threads; /* threads of an item */
    const struct program *(*program)(const struct draw *draw);
    /* In the shader unit: inputs into the registers of a group that starts, and what the program of
     * one that has ended left there. */
    void (*load)(struct group *group, const struct program *program);
    void (*store)(struct group *group, struct shader_stats *stats);
    /* In the scheduler: items come and are put into groups (sched_send_if_due(), sched_dispatch()),
     * as many as fit a cycle. */
    bool (*take)(struct sched *sched, uint64_t now);
    /* The unit that a group goes to now, or -1. */
    int32_t (*assign)(struct sched *sched, const struct group *group, uint64_t now);
    /* Whether the units that a group may go to have enough to do: then it may go on filling. */
    bool (*is_busy)(const struct sched *sched, const struct group *group);
    /* A group that was run comes back; false when there is no room for it. */
    bool (*finish)(struct sched *sched, const struct group *group);
    /* Items leave; *blocked when one could but its queue is full. */
    bool (*leave)(struct sched *sched, uint64_t now, bool *blocked);
};

#define THREAD_SOURCE(name) extern const struct thread_source thread_##name;
#include "unit/shader/thread_sources.def"

static inline uint32_t
group_lanes(const struct group *group)
{
    return group->count * group->source->item_threads;
}

struct group *sched_new_group(struct sched *sched, const struct thread_source *source,
                              const struct draw *draw);
/* An item enters. If it had to wait, the critical path continues at the group that finished last.
 */
void sched_unblock(struct sched *sched, uint64_t now);
/* Sends the group to its unit and sets *group to NULL; false: no unit or queue has room. */
bool sched_dispatch(struct sched *sched, struct group **group, uint64_t now);
/* The same for a group being filled, when it is full or has lingered since its last addition. */
bool sched_send_if_due(struct sched *sched, struct group **group, uint64_t since, uint64_t now);

#endif
