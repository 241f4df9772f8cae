/* From unit/stats.def: `struct clipper_stats` and `clipper_stat_group` of every unit. */
#ifndef AETIUS_UNIT_STATS_H
#define AETIUS_UNIT_STATS_H

#include "kernel/stats.h"

#define UNIT(unit, section, doc)       struct unit##_stats {
#define STAT(unit, name, measure, doc) uint64_t name;
#define STATS(unit, array, count)      uint64_t array[count];
#define END_UNIT(unit)                                                                             \
    }                                                                                              \
    ;
#include "unit/stats.def"

#define UNIT(unit, section, doc) extern const struct stat_group unit##_stat_group;
#include "unit/stats.def"

/* All units, in the order of the pipeline. */
struct unit_doc {
    const struct stat_group *group;
    const char *section; /* of its parameters */
    const char *doc;
};
const struct unit_doc *unit_docs(size_t *count);
/* What the statistic is for (unit/questions.def); "index" counts in the group. */
const char *unit_question(const struct stat_group *group, size_t index);

#endif
