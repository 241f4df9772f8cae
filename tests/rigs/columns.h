/* Columns of the table of draws (stats.draws.csv.gz), for tests that predict gains of rows. */
#ifndef AETIUS_TESTS_COLUMNS_H
#define AETIUS_TESTS_COLUMNS_H

/* Calls `add` for "frame", "cycles", each statistic in unit/stats.def, the busy cycles of each
 * unit, and "lost.CAUSE" for each cause. `name` is valid during the call only. */
void columns_add(void (*add)(void *to, const char *name), void *to);

#endif
