/* Statistics. Counters are plain uint64_t fields of the units. A stat_set maps names to all
 * counters, for the reports (docs/design/report.md, Path of a statistic).
 *
 * A unit's counters are lines of an X-macro list (unit/stats.def). A header expands the list into
 * `struct clipper_stats { uint64_t tris_in; ... };`, and a source file expands it into the table of
 * infos:
 *
 *     stat_set_add(&set, &clipper_group, -1, &clipper->stats);          "clipper.tris_in", ...
 *     stat_set_add(&set, &shader_group, 2, &shader[2]->stats);          "shader[2].groups_run", ...
 *     stat_set_add_counter(&set, "clipper.busy_cycles", "cycles", "...", &module->cycles[0]);
 *     uint64_t *values = ...set.count...;  stat_set_snapshot(&set, values);
 *
 * The value of an entry is its counter minus the base that stat_set_rebase() stored. Values of
 * frames and batches are differences of snapshots, or counts since a rebase. The value of a peak is
 * the counter itself. Over several frames or instances a peak is the largest value. */
#ifndef AETIUS_CORE_STATS_H
#define AETIUS_CORE_STATS_H

#include "base/handles.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stat_info {
    const char *name;    /* "tris_in" */
    const char *measure; /* unit of measure: "triangles", "cycles", "bytes" */
    const char *doc;
    size_t offset; /* byte offset of the uint64_t in the unit's struct */
    bool is_peak;
};

struct stat_group {
    const char *unit; /* "clipper" */
    const struct stat_info *infos;
    size_t count;
};

struct stat_entry {
    char *name; /* "unit.statistic" or "unit[i].statistic" */
    const char *measure, *doc;
    const uint64_t *value;
    uint64_t base;
    uint32_t next; /* index + 1 of another entry whose name has the same hash, or 0 */
    bool is_peak;  /* high-water mark since its owner reset it: never difference or sum it */
};

struct stat_set {
    struct stat_entry *entries; /* in the order of the columns */
    uint32_t count, capacity;
    struct handle_map by_hash; /* from a name's hash to the index + 1 of the entry */
};

void stat_set_init(struct stat_set *set);
void stat_set_fini(struct stat_set *set);

/* `stats` points to the unit's struct of counters. `index` is -1 for a unit without instances. */
void stat_set_add(struct stat_set *set, const struct stat_group *group, int32_t index,
                  const void *stats);
/* Adds a counter whose name is created at run time (module states, queues). Copies `name`.
 * `measure` and `doc` must outlive the set. A duplicate name is a BUG. */
void stat_set_add_counter(struct stat_set *set, const char *name, const char *measure,
                          const char *doc, const uint64_t *value);

/* Writes set->count values, each the count since the last rebase. */
void stat_set_snapshot(const struct stat_set *set, uint64_t *values);
/* stat_set_subtract() computes the change between two snapshots. stat_set_accumulate() adds `more`
 * to `total`. Peaks are not subtracted or added; see above. */
void stat_set_subtract(const struct stat_set *set, uint64_t *delta, const uint64_t *now,
                       const uint64_t *before);
void stat_set_accumulate(const struct stat_set *set, uint64_t *total, const uint64_t *more);
/* Makes all counts start from 0. The counters themselves do not change. */
void stat_set_rebase(struct stat_set *set);

const struct stat_entry *stat_set_find(const struct stat_set *set, const char *name); /* or NULL */
/* Computes the value of `name`, or the sum over all its instances: "shader.x" is shader[0].x +
 * shader[1].x + ... `values` is a snapshot. Returns false if no entry matches. */
bool stat_set_sum(const struct stat_set *set, const uint64_t *values, const char *name,
                  uint64_t *sum);

/* Returns whether `name` is `family` or an instance of it: "shader[3].x" is an instance of
 * "shader.x". */
bool stat_is_instance(const char *name, const char *family);

#endif
