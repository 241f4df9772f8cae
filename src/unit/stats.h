/* From unit/stats.def: `struct clipper_stats` and `clipper_stat_group` of every unit. */
#ifndef AETIUS_UNIT_STATS_H
#define AETIUS_UNIT_STATS_H

#include "core/stats.h"
#include "state/state.h"

/* Numbers by which statistics are reached (STATS in unit/stats.def). */

/* What became of an issue slot: every slot of every cycle is exactly one of these. */
enum slot_fate {
    SLOT_ISSUED,
    SLOT_PASSES, /* a further pass of an instruction that takes several */
    SLOT_FLOW,   /* the cost of flow control */
    SLOT_PAIR,   /* beside an instruction that lets no other one of its group issue with it */
    SLOT_RESULT, /* the next instruction waits for a result */
    SLOT_REPLAY, /* an instruction was fetched in vain, and is fetched again */
    SLOT_DELAY,  /* no group may be fetched from so soon again */
    SLOT_PORTS,  /* register ports do not suffice */
    SLOT_TEXTURE_QUEUE, /* a texture instruction finds the way to the texture unit full */
    SLOT_TEXELS,
    SLOT_LOAD,
    SLOT_OUTPUT,  /* all groups have ended, and wait to leave */
    SLOT_STARVED, /* no group */
    SLOT_COUNT,
};

/* Of which kind a work is (sim/work_accounting.h). */
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

/* All units, in the order of the pipeline. */
struct unit_doc {
    const struct stat_group *group;
    const char *section; /* of its parameters */
    const char *doc;
};
const struct unit_doc *unit_docs(size_t *count);
/* What the statistic is for (ASK in unit/stats.def); "index" counts in the group. */
const char *unit_question(const struct stat_group *group, size_t index);

#endif
