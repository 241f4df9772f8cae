/* Compares two run folders: machines, cycles, metrics, and the statistics with the largest
 * changes. */
#ifndef AETIUS_REPORT_COMPARE_RUNS_H
#define AETIUS_REPORT_COMPARE_RUNS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct machine_difference {
    char name[96]; /* "SECTION.Name" */
    char a[128], b[128];
};

struct metric_move { /* a metric of report/run/metrics.def */
    const char *name, *unit;
    double a, b;
};

struct stat_move { /* a statistic, summed over the instances of its unit or queue */
    char *name;    /* "unit.statistic" */
    uint64_t a, b;
    double weight; /* |b - a| / max * log2(1 + max): relative change, weighted by magnitude */
};

struct run_comparison {
    struct machine_difference *machine;
    size_t machine_count;
    struct metric_move *metrics; /* metrics with a value in both runs */
    size_t metric_count, metrics_moved;
    struct stat_move *moves;  /* statistics of both runs, largest weight first */
    size_t move_count, moved; /* moved: number of statistics that differ */
    double cycles_a, cycles_b, frames_a, frames_b;
    bool complete_a, complete_b;
    /* reason why the runs are not comparable: "of the programs a and b"; "": comparable */
    char unlike[256];
    bool has_machines, has_stats; /* whether both folders have the files */
};

bool compare_runs(const char *dir_a, const char *dir_b, struct run_comparison *out,
                  struct error *err);
/* Whether the machines differ although cycles and all statistics are equal. */
bool run_comparison_is_no_effect(const struct run_comparison *comparison);
void run_comparison_fini(struct run_comparison *comparison);

#endif
