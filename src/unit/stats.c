#include "unit/stats.h"

#define GROUP(unit, section, doc) static const struct stat_info unit##_infos[] = {
#define STAT(unit, name, measure, doc)                                                             \
    {#name, measure, doc, offsetof(struct unit##_stats, name), false},
#define MEMBER(unit, array, index, name, measure, doc)                                             \
    {#name, measure, doc, offsetof(struct unit##_stats, array[index]), false},
#define END_GROUP(unit)                                                                            \
    }                                                                                              \
    ;
#include "unit/stats.def"

#define GROUP(unit, section, doc)                                                                  \
    const struct stat_group unit##_stat_group = {#unit, unit##_infos,                              \
                                                 sizeof unit##_infos / sizeof unit##_infos[0]};
#include "unit/stats.def"

static const struct unit_doc docs[] = {
#define GROUP(unit, section, doc) {&unit##_stat_group, #section, doc},
#include "unit/stats.def"
};

const struct unit_doc *
unit_docs(size_t *count)
{
    *count = sizeof docs / sizeof docs[0];
    return docs;
}

static const struct question {
    const struct stat_group *group;
    size_t offset; /* of the first statistic in the unit's struct */
    const char *text;
} questions[] = {
#define ASK(unit, first, text) {&unit##_stat_group, offsetof(struct unit##_stats, first), text},
#include "unit/questions.def"
};

const char *
unit_question(const struct stat_group *group, size_t index)
{
    const char *found = NULL;
    size_t nearest = 0;
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const struct question *q = &questions[i];
        if (q->group != group || q->offset > group->infos[index].offset)
            continue;
        if (!found || q->offset >= nearest) {
            found = q->text;
            nearest = q->offset;
        }
    }
    return found;
}
