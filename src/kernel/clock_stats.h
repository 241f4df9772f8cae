/* The statistics that the kernel keeps for every module and queue (kernel/clock.def), under the
 * module's and the queue's name: "clipper.busy_cycles", "clipper_setup.items_in". */
#ifndef AETIUS_KERNEL_CLOCK_STATS_H
#define AETIUS_KERNEL_CLOCK_STATS_H

#include "kernel/clock.h"
#include "kernel/stats.h"

/* To be called when all modules and queues are there; before each snapshot the clock must be
 * settled, and its queues too. */
void stat_set_add_clock(struct stat_set *set, const struct clock *clock);

/* For `aetius stats`: the infos without a machine (offsets are meaningless). */
extern const struct stat_group module_stat_group, queue_stat_group;

#endif
