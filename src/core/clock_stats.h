/* Statistics of every module and queue (core/clock.def). Their names begin with the name of the
 * module or queue: "clipper.busy_cycles", "clipper_setup.items_in". */
#ifndef AETIUS_CORE_CLOCK_STATS_H
#define AETIUS_CORE_CLOCK_STATS_H

#include "core/clock.h"
#include "core/stats.h"

/* Adds modules, their parts and queues. Must be called after all of them are added. The caller must
 * settle the clock and its queues before each snapshot. */
void stat_set_add_clock(struct stat_set *set, const struct clock *clock);

/* Resets the peaks at the start of a frame. */
void clock_begin_peaks(struct clock *clock);

/* Questions that the statistics of a module and of a queue answer. */
#define MODULE_QUESTION "How does the unit spend its cycles: busy, starved, blocked or waiting?"
#define QUEUE_QUESTION  "Is the queue deep enough, or too deep?"

/* Infos for `aetius stats`, which lists them without a machine. Their offsets are meaningless. */
extern const struct stat_group module_stat_group, queue_stat_group;

#endif
