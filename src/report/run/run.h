/* What a run leaves for readers: run.json (docs/design/report.md, Run folder) and a summary for a
 * person. */
#ifndef AETIUS_REPORT_RUN_H
#define AETIUS_REPORT_RUN_H

#include "report/compare/ideals.h"
#include "report/run/metrics.h"

#include <stdio.h>

struct run_frame {
    uint32_t number; /* as counted in the trace that was run */
    uint32_t client;
    uint64_t cycles;
    uint64_t upload_cycles; /* of these, those that belong to uploads (sim/work_accounting.h) */
    uint64_t hash;          /* of the picture */
    uint32_t memory_bytes;  /* that the simulated memory has grown to; 0: not timed */
};

/* Of a run of frames that stand for more (analysis/sampling.h). */
struct run_sample {
    uint32_t frames;      /* that they stand for; 0: the run is no sample */
    double cycles, half;  /* of all of them, estimated: cycles - half to cycles + half in 95 % */
    double known_seconds; /* that looking at all frames took */
};

struct run_facts {
    const char *program, *trace; /* either may be NULL */
    const char *preset, *mode;   /* "reference-2008"; "timed" or "functional" */
    uint32_t width, height;
    uint32_t first_frame; /* of the program, that is frame 0 here */
    const struct run_frame *frames;
    uint32_t frame_count;
    uint64_t cycles;       /* of all frames, and of the work after the last */
    uint64_t picture_hash; /* over all frames */
    uint32_t memory_bytes; /* of the simulated GPU, as large as it became */
    bool complete;         /* false after Ctrl-C */
    struct run_sample sample;
    /* The fields that may differ between two runs. */
    double wall_seconds;
    double timed_seconds;    /* of these, on the machine */
    uint64_t peak_rss_bytes; /* of several processes: the largest */
};

/* The text of run.json; the caller frees. */
char *run_to_json(const struct run_facts *facts, const struct totals *totals);

/* How fast the simulator was. Busy cycles are those in which a shader, a texture unit or a ROP
 * was busy; fragments are those shaded; wall time is that spent on the machine, or all of it when
 * nothing was timed. */
struct speed {
    double busy_cycles, fragments;
    double cycles_per_second, busy_cycles_per_second;
    double wall_ms_per_frame, wall_ns_per_fragment;
};
struct speed run_speed(const struct run_facts *facts, const struct totals *totals);

/* Frames of a run that is under way: those whose uploads take less than half of the cycles. The
 * others load what is drawn later, and say nothing of how fast it is drawn. */
struct steady {
    uint32_t frames;
    uint64_t cycles, upload_cycles;
};
struct steady run_steady(const struct run_facts *facts);

/* Under 45 lines for a person (report/run/summary.c); `gains` may be NULL. */
void run_print_summary(const struct run_facts *facts, const struct totals *totals,
                       const struct ideal_gains *gains, FILE *out);

/* The totals of a set for the metrics: its counters, and "cycles" and "frames" from the facts.
 * The arrays are the caller's to free by totals_free(); the names stay the set's. */
struct totals run_totals(const struct run_facts *facts, const struct stat_set *set,
                         const uint64_t *values, const struct params *params);
void totals_free(struct totals *totals);

#endif
