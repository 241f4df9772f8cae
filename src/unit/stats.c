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

/* The lines of stats.def, in order. */
static const struct line {
    const struct stat_group *group; /* the group that begins on this line, or NULL */
    /* question of the statistics that follow; NULL: the line is a statistic */
    const char *question;
} lines[] = {
#define GROUP(unit, section, doc)                  {&unit##_stat_group, NULL},
#define ASK(unit, text)                            {NULL, text},
#define STAT(unit, name, measure, doc)             {NULL, NULL},
#define MEMBER(unit, array, i, name, measure, doc) {NULL, NULL},
#include "unit/stats.def"
};

const char *
unit_question(const struct stat_group *group, size_t index)
{
    const struct stat_group *of = NULL;
    const char *question = NULL;
    for (size_t i = 0, passed = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (lines[i].group)
            of = lines[i].group;
        else if (of == group && lines[i].question)
            question = lines[i].question;
        else if (of == group && passed++ == index)
            return question;
    }
    return NULL;
}
