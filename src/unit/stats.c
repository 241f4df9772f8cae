#include "unit/stats.h"

#define UNIT(unit, section, doc)       static const struct stat_info unit##_infos[] = {
#define STAT(unit, name, measure, doc) {#name, measure, doc, offsetof(struct unit##_stats, name)},
#define END_UNIT(unit)                                                                             \
    }                                                                                              \
    ;
#include "unit/stats.def"

#define UNIT(unit, section, doc)                                                                   \
    const struct stat_group unit##_stat_group = {#unit, unit##_infos,                              \
                                                 sizeof unit##_infos / sizeof unit##_infos[0]};
#include "unit/stats.def"

static const struct unit_doc docs[] = {
#define UNIT(unit, section, doc) {&unit##_stat_group, #section, doc},
#include "unit/stats.def"
};

const struct unit_doc *
unit_docs(size_t *count)
{
    *count = sizeof docs / sizeof docs[0];
    return docs;
}
