/* Statistics of units. Each unit of unit/stats.def has a `struct NAME_stats` and a
 * `NAME_stat_group`. */
#ifndef AETIUS_UNIT_STATS_H
#define AETIUS_UNIT_STATS_H

#include "core/stats.h"
#include "state/state.h"

/* The enums below index statistics that are stored in arrays (STATS in unit/stats.def). */

/* Fate of an issue slot. Every slot of every cycle has exactly one fate. */
enum slot_fate {
    SLOT_ISSUED,
    SLOT_PASSES,        /* a further pass of a multi-pass instruction */
    SLOT_FLOW,          /* time spent on flow control */
    SLOT_PAIR,          /* empty: no further instruction of the group can join the issued one */
    SLOT_RESULT,        /* the next instruction waits for a result */
    SLOT_REPLAY,        /* a fetched instruction could not issue and is fetched again */
    SLOT_DELAY,         /* the minimum time between two fetches of a group has not passed */
    SLOT_PORTS,         /* too few register ports */
    SLOT_TEXTURE_QUEUE, /* the queue to the texture unit is full */
    SLOT_TEXELS,
    SLOT_CONSTANTS, /* all groups wait for constants of uniform blocks */
    SLOT_LOAD,
    SLOT_OUTPUT,  /* all groups have ended and wait to leave */
    SLOT_STARVED, /* no group */
    SLOT_COUNT,
};

/* Kinds of thread groups: THREADS_vertices, ... */
enum thread_kind {
#define THREAD_SOURCE(name) THREADS_##name,
#include "unit/shader/thread_sources.def"
    THREAD_KINDS,
};

/* Kinds of work (sim/work_accounting.h). */
enum work_kind {
    WORK_DRAW,
    WORK_UPLOAD,
    WORK_READBACK,
    WORK_CLEAR,
    WORK_BLIT,
    WORK_FLUSH,
    WORK_SWAP,
    WORK_KINDS,
};

enum memory_client { /* CLIENT_command, ... */
#define MEMORY(name, unit, port, client, traffic, width, who) CLIENT_##client,
#include "machine.def"
                     CLIENT_KINDS
};

#define GROUP(unit, section, doc)      struct unit##_stats {
#define STAT(unit, name, measure, doc) uint64_t name;
#define STATS(unit, array, count)      uint64_t array[count];
#define END_GROUP(unit)                                                                            \
    }                                                                                              \
    ;
#include "unit/stats.def"

#define GROUP(unit, section, doc) extern const struct stat_group unit##_stat_group;
#include "unit/stats.def"

/* Documentation of all units, in pipeline order. */
struct unit_doc {
    const struct stat_group *group;
    const char *section; /* parameter section of the unit */
    const char *doc;
};
const struct unit_doc *unit_docs(size_t *count);
/* The question that the statistic answers (ASK in unit/stats.def). `index` is its index in the
 * group. */
const char *unit_question(const struct stat_group *group, size_t index);

#endif
