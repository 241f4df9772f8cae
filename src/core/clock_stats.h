/* The statistics that core keeps for every module and queue (core/clock.def), under the
 * module's and the queue's name: "clipper.busy_cycles", "clipper_setup.items_in". */
#ifndef AETIUS_CORE_CLOCK_STATS_H
#define AETIUS_CORE_CLOCK_STATS_H

#include "core/clock.h"
#include "core/stats.h"

/* To be called when all modules and queues are there; before each snapshot the clock must be
 * settled, and its queues too. */
void stat_set_add_clock(struct stat_set *set, const struct clock *clock);

/* From now on peaks are those of a new frame. */
void clock_begin_peaks(struct clock *clock);

/* What statistics of modules and of queues are for. */
#define MODULE_QUESTION                                                                            \
    "How does the unit spend its cycles: busy, starved, blocked or waiting?"
#define QUEUE_QUESTION "Is the queue deep enough, or too deep?"

/* For `aetius stats`: the infos without a machine (offsets are meaningless). */
extern const struct stat_group module_stat_group, queue_stat_group;

#endif
