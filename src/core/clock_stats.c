#include "core/clock_stats.h"

#include "core/queue.h"

static const struct stat_info module_infos[] = {
#define MODULE_STAT(field, name, measure, doc)                                                     \
    {#name, measure, doc, offsetof(struct module, field), false},
#include "core/clock.def"
};

static const struct stat_info part_infos[] = {
#define MODULE_STAT(field, name, measure, doc)                                                     \
    {#name, measure, doc, offsetof(struct module_part, field), false},
#include "core/clock.def"
};

static const struct stat_info queue_infos[] = {
#define QUEUE_STAT(field, name, measure, doc)                                                      \
    {#name, measure, doc, offsetof(struct queue, field), false},
#define QUEUE_PEAK(field, name, measure, doc)                                                      \
    {#name, measure, doc, offsetof(struct queue, field), true},
#include "core/clock.def"
};

const struct stat_group module_stat_group = {"UNIT", module_infos,
                                             sizeof module_infos / sizeof module_infos[0]};
const struct stat_group queue_stat_group = {"QUEUE", queue_infos,
                                            sizeof queue_infos / sizeof queue_infos[0]};

void
clock_begin_peaks(struct clock *clock)
{
    for (uint32_t i = 0; i < clock->queue_count; i++)
        clock->queues[i]->peak = clock->queues[i]->count;
}

void
stat_set_add_clock(struct stat_set *set, const struct clock *clock)
{
    for (uint32_t i = 0; i < clock->module_count; i++) {
        const struct module *module = clock->modules[i];
        struct stat_group group = {NULL, part_infos, sizeof part_infos / sizeof part_infos[0]};
        /* Modules are in reverse pipeline order, and so are their parts. */
        for (uint32_t part = module->part_count; part-- > 0;) {
            group.unit = module->parts[part].name;
            stat_set_add(set, &group, -1, &module->parts[part]);
        }
        group = module_stat_group;
        group.unit = module->name;
        stat_set_add(set, &group, -1, module);
    }
    for (uint32_t i = 0; i < clock->queue_count; i++) {
        struct stat_group group = queue_stat_group;
        group.unit = clock->queues[i]->name;
        stat_set_add(set, &group, -1, clock->queues[i]);
    }
}
