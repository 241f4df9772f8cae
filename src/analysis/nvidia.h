/* The Top-Down method on counters of NVIDIA's profilers: nvprof (compute capability below 7.2) and
 * ncu (7.2 and above). Source: the study that adapted Yasin's method (ISPASS 2014) to these chips.
 * docs/topdown.md lists the differences and their reasons. nvidia.def lists the chips, counters,
 * equations and stall reasons. */
#ifndef AETIUS_ANALYSIS_NVIDIA_H
#define AETIUS_ANALYSIS_NVIDIA_H

#include "analysis/topdown.h"
#include "base/error.h"

#include <stddef.h>

enum nvidia_tool { NVPROF, NCU, NVIDIA_TOOLS };

enum nvidia_node {
#define NODE(name, ...)  NVIDIA_##name,
#define STALL(name, ...) NVIDIA_##name,
#include "analysis/nvidia.def"
    NVIDIA_NODES
};

enum nvidia_reason {
#define STALL(name, ...) REASON_##name,
#include "analysis/nvidia.def"
    REASONS,                   /* number of reasons that are losses */
    REASON_selected = REASONS, /* a warp that issued or was eligible: not a stall */
    REASON_not_selected,
    REASON_VALUES
};

enum nvidia_figure {
#define FIGURE(name, ...) FIGURE_##name,
#include "analysis/nvidia.def"
    FIGURES,
    FIGURE_FIRST_WEIGHT = FIGURE_time_ns
};

/* Unit in which a file reports stalls. Only numbers of the same family are comparable. */
enum nvidia_family {
    FAMILY_PERCENT, /* percent of the time of active warps */
    FAMILY_RATIO,   /* cycles per warp and issued instruction */
    FAMILY_LATENCY, /* cycles per instruction of a warp */
    FAMILY_SAMPLES, /* samples of the program counter */
    FAMILIES
};

struct nvidia_capability {
    uint32_t major, minor;
    const char *family;
    uint32_t ipc_max, warp_size;
    uint32_t schedulers, cores; /* per SM */
};

/* Returns NULL for an unknown capability. */
const struct nvidia_capability *nvidia_capability(uint32_t major, uint32_t minor);
/* Parses "X.Y". */
const struct nvidia_capability *nvidia_capability_parse(const char *text, struct error *err);
/* Capability of a device, by its name as nvprof prints it ("Tesla K40c (0)"). Returns NULL if the
 * name is unknown or ambiguous. */
const struct nvidia_capability *nvidia_capability_of_device(const char *device);
enum nvidia_tool nvidia_tool_for(const struct nvidia_capability *capability);

/* Meaning of a profiler's counter name. */
struct nvidia_metric {
    enum { METRIC_NONE, METRIC_FIGURE, METRIC_STALL, METRIC_UNKNOWN_STALL } kind;
    enum nvidia_tool tool;
    enum nvidia_figure figure;
    double scale; /* factor for the values of a figure */
    enum nvidia_family family;
    enum nvidia_reason reason;
};
/* Looks up a metric, an event, or the title of a column in a wide table. */
struct nvidia_metric nvidia_metric(const char *name);

/* Measured values of one launch. NAN: not measured. */
struct nvidia_counts {
    double figures[FIGURES];
    /* REASON_VALUES values per family; NULL: the family was not measured */
    const double *stalls[FAMILIES];
    enum nvidia_tool tool;
};

/* Inputs of the equations, in instructions per cycle and SM. */
struct nvidia_counters {
    double ipc_max, ipc, issued, efficiency; /* efficiency: 0 to 1 */
    double lost;                      /* ipc_max - issued, or ipc_max - ipc if issued is unknown */
    double stall[REASONS], stall_sum; /* in any unit */
    /* Stalls of all reasons that were not measured, and the node that contains these reasons. The
     * nodes below it are unknown. NVIDIA_all: every reason was measured. */
    double rest;
    enum nvidia_node rest_of;
    bool has_issued, has_reasons;
    bool is_published; /* nvidia_publish() was called */
    double unlisted;   /* published equations: what belongs to no part */
};

/* Values as measured, after conversion to the units of nvidia_measure_unit(). */
enum nvidia_measure {
    MEASURE_ipc,
    MEASURE_issued_ipc,
    MEASURE_warp_efficiency, /* active threads per executed instruction */
    MEASURE_issue_slots,     /* issued instructions, of those that the SM can issue */
    MEASURE_STALLS,          /* from here on one per reason */
    MEASURES = MEASURE_STALLS + REASON_VALUES
};

struct nvidia_measures {
    double values[MEASURES];   /* NAN: not measured */
    enum nvidia_family family; /* of the stalls; FAMILIES: none was measured */
};

/* "ipc", "stall_long_scoreboard". */
const char *nvidia_measure_name(uint32_t measure);
const char *nvidia_measure_unit(uint32_t measure, enum nvidia_family family);
struct nvidia_measures nvidia_measures(const struct nvidia_counts *counts,
                                       const struct nvidia_capability *capability);
/* Share of a stall reason in all stalls, 0 to 1, as the equations use it. NAN for other measures
 * and for reasons that are not stalls. */
double nvidia_measure_share(const struct nvidia_measures *measures, uint32_t measure);

extern const struct topdown_shape nvidia_shape;

/* Computes the tree. The caller finalizes it. */
void nvidia_tree(const struct nvidia_counters *counters, struct topdown_tree *tree);

enum nvidia_problem {
    NVIDIA_FINE = 0,
    NVIDIA_NO_IPC = 1, /* no IPC: no tree */
    NVIDIA_NO_EFFICIENCY = 2,
    NVIDIA_NO_ISSUED = 4,  /* replay is unknown */
    NVIDIA_NO_REASONS = 8, /* the stall node has no children */
    /* The launch issues more than the chip can, so the file is from another chip. There is no
     * tree. */
    NVIDIA_ABOVE_MAXIMUM = 16,
    /* issued is below executed, an error of the profiler; replay is 0 */
    NVIDIA_BELOW_EXECUTED = 32,
    /* optional reasons are missing; stalls are divided among the others */
    NVIDIA_PERHAPS_MORE = 64,
    /* issued / executed contradicts the reported replays: the profiler's passes differ */
    NVIDIA_UNSTEADY = 128,
    NVIDIA_SHALLOW = 256 /* the tree ends above its last level at nvidia_counters.rest_of */
};
enum { NVIDIA_NO_TREE = NVIDIA_NO_IPC | NVIDIA_NO_EFFICIENCY | NVIDIA_ABOVE_MAXIMUM };

/* Computes the counters. Returns the detected problems as nvidia_problem bits. */
uint32_t nvidia_counters(const struct nvidia_counts *counts,
                         const struct nvidia_capability *capability,
                         struct nvidia_counters *counters);
/* Changes the counters to those of the published equations: a part of the stalls is its percentage
 * of a warp's time, and reasons that the tables of the study do not assign belong to no part.
 * Returns the problems; `problems` are those of nvidia_counters(). */
uint32_t nvidia_publish(const struct nvidia_counts *counts,
                        const struct nvidia_capability *capability, uint32_t problems,
                        struct nvidia_counters *counters);
/* Names of the metrics that would solve these problems, separated by ", ". `capability` may be
 * NULL. The caller frees the text. */
char *nvidia_missing(const struct nvidia_counts *counts, const struct nvidia_capability *capability,
                     uint32_t problems);

/* What a profiler is asked for. */
struct nvidia_request {
    const char *log;  /* file for the profiler's tables */
    bool each_launch; /* values per launch, otherwise nvprof reports means per kernel */
    uint32_t level;   /* deepest level of the tree; 0: all */
    const char
        *kernel;       /* only kernels whose function's name contains that of this one; NULL: all */
    uint64_t launches; /* only the first launches of each kernel; 0: all */
};

/* Command line that collects the counters that the equations need down to a level, on such a chip.
 * The caller appends the program and its arguments. NULL-terminated; free it with
 * nvidia_command_free(). */
char **nvidia_command(const struct nvidia_capability *capability,
                      const struct nvidia_request *request);
void nvidia_command_free(char **words);

#endif
