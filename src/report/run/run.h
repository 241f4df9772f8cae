/* Final results of a run: run.json (docs/design/report.md, Run folder) and a text summary. */
#ifndef AETIUS_REPORT_RUN_H
#define AETIUS_REPORT_RUN_H

#include "report/compare/ideals.h"
#include "report/run/metrics.h"

#include <stdio.h>

struct run_frame {
    uint32_t number; /* frame number in the trace */
    uint32_t client;
    uint64_t cycles;
    /* Cycles attributed to uploads, part of `cycles` (sim/work_accounting.h). */
    uint64_t upload_cycles;
    uint64_t hash;         /* hash of the frame's pixels */
    uint32_t memory_bytes; /* current size of the simulated memory; 0: frame not timed */
};

/* Estimate from a representative sample of frames (analysis/sampling.h). */
struct run_sample {
    uint32_t frames; /* number of frames that the sample represents; 0: the run is not a sample */
    double cycles, half;  /* estimated total; cycles +- half is the 95 % confidence interval */
    double known_seconds; /* time spent on finding the figures of all frames for the sample */
};

struct run_facts {
    const char *program, *trace; /* either may be NULL */
    const char *preset, *mode;   /* "reference-2008"; "timed" or "functional" */
    uint32_t width, height;
    uint32_t first_frame; /* frame number in the program of this run's frame 0 */
    const struct run_frame *frames;
    uint32_t frame_count;
    uint64_t cycles;       /* cycles of all frames, and of the work after the last frame */
    uint64_t picture_hash; /* hash over all frames */
    uint32_t memory_bytes; /* peak size of the simulated memory */
    bool complete;         /* false after Ctrl-C */
    struct run_sample sample;
    /* Fields that may differ between two equal runs. */
    double wall_seconds;
    double timed_seconds;    /* part of wall_seconds spent in timed simulation */
    uint64_t peak_rss_bytes; /* with several processes, that of the largest process */
};

/* Returns the text of run.json. The caller frees it. */
char *run_to_json(const struct run_facts *facts, const struct totals *totals);

/* Speed of the simulator. A cycle is busy if a shader, a Texture Unit or a ROP was busy.
 * `fragments` are shaded fragments. Rates use the time spent in timed simulation, or the whole wall
 * time if nothing was timed. */
struct speed {
    double busy_cycles, fragments;
    double cycles_per_second, busy_cycles_per_second;
    double wall_ms_per_frame, wall_ns_per_fragment;
};
struct speed run_speed(const struct run_facts *facts, const struct totals *totals);

/* Steady frames of a run so far: frames in which uploads take less than half of the cycles. The
 * other frames load data, so their cycles do not represent the rendering speed. */
struct steady {
    uint32_t frames;
    uint64_t cycles, upload_cycles;
};
struct steady run_steady(const struct run_facts *facts);

/* Prints the summary (report/run/summary.c): the verdict, the results and the most expensive draws.
 * `units`: also prints the states of the units, memory traffic and hit rates. `totals`, `gains` and
 * `draws` may be NULL. */
struct draws;
void run_print_summary(const struct run_facts *facts, const struct totals *totals,
                       const struct ideal_gains *gains, const struct draws *draws, bool units,
                       FILE *out);
/* Prints the summary of a run folder, without the simulator's speed. */
bool run_print_folder(const char *dir, bool units, FILE *out, struct error *err);
/* Prints a list of the most expensive draws, after an empty line. */
void run_print_draws(const struct draws *draws, FILE *out);

/* Collects totals for the metrics: the counters of a set, plus "cycles" and "frames" from the
 * facts. totals_free() frees the arrays. The set owns the names. */
struct totals run_totals(const struct run_facts *facts, const struct stat_set *set,
                         const uint64_t *values, const struct params *params);
void totals_free(struct totals *totals);

#endif
