/* The Top-Down method on the counters of NVIDIA's profilers: nvprof (compute capability below 7.2)
 * and ncu (from there on). Source: the study that carried Yasin's method (ISPASS 2014) over to
 * these chips; docs/topdown.md says what is counted differently here and why. The chips, the
 * counters' names, the equations and the reasons of stalls stand in nvidia.def. */
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
    REASONS,                   /* of a loss */
    REASON_selected = REASONS, /* a warp that issued, and one that might have: no stalls */
    REASON_not_selected,
    REASONS_TOLD
};

enum nvidia_figure {
#define FIGURE(name, ...) FIGURE_##name,
#include "analysis/nvidia.def"
    FIGURES,
    FIGURE_FIRST_WEIGHT = FIGURE_time_ns
};

/* In what a file tells stalls; a family's numbers compare with each other only. */
enum nvidia_family {
    FAMILY_PERCENT, /* of the time of active warps */
    FAMILY_RATIO,   /* cycles a warp spends so for each instruction issued */
    FAMILY_LATENCY, /* the same for each instruction of a warp */
    FAMILY_SAMPLES, /* of the program counter */
    FAMILIES
};

struct nvidia_capability {
    uint32_t major, minor;
    const char *family;
    uint32_t ipc_max, warp_size;
};

/* NULL: not known. */
const struct nvidia_capability *nvidia_capability(uint32_t major, uint32_t minor);
/* Of "X.Y". */
const struct nvidia_capability *nvidia_capability_parse(const char *text, struct error *err);
/* Of a device's name as nvprof prints it ("Tesla K40c (0)"); NULL: not known, or not one chip. */
const struct nvidia_capability *nvidia_capability_of_device(const char *device);
enum nvidia_tool nvidia_tool_for(const struct nvidia_capability *capability);

/* What a profiler's name of a counter stands for. */
struct nvidia_metric {
    enum { METRIC_NONE, METRIC_FIGURE, METRIC_STALL, METRIC_UNKNOWN_STALL } kind;
    enum nvidia_tool tool;
    enum nvidia_figure figure;
    double scale; /* of a figure: what a value is multiplied with */
    enum nvidia_family family;
    enum nvidia_reason reason;
};
/* `name` is a metric, an event, or the title of a column in a wide table. */
struct nvidia_metric nvidia_metric(const char *name);

/* What was counted of one launch; NAN where it was not. */
struct nvidia_counts {
    double figures[FIGURES];
    const double *stalls[FAMILIES]; /* REASONS_TOLD each; NULL: nothing of the family */
    enum nvidia_tool tool;
};

/* The counters of the equations, in instructions a cycle of an SM. */
struct nvidia_counters {
    double ipc_max, ipc, issued, efficiency; /* efficiency: 0 to 1 */
    double lost;                      /* ipc_max - issued, or - ipc where that is not known */
    double stall[REASONS], stall_sum; /* any unit */
    bool has_issued, has_reasons;
};

extern const struct topdown_shape nvidia_shape;

/* The tree of these counters. */
void nvidia_tree(const struct nvidia_counters *counters, struct topdown_tree *tree);

enum nvidia_problem {
    NVIDIA_FINE = 0,
    NVIDIA_NO_IPC = 1, /* without these two there is no tree */
    NVIDIA_NO_EFFICIENCY = 2,
    NVIDIA_NO_ISSUED = 4,      /* replay is not known */
    NVIDIA_NO_REASONS = 8,     /* stall is not divided */
    NVIDIA_ABOVE_MAXIMUM = 16, /* more is issued than the chip can: another chip's file; no tree */
    NVIDIA_BELOW_EXECUTED =
        32,                   /* less issued than executed, by the profiler's error: replay is 0 */
    NVIDIA_PERHAPS_MORE = 64, /* reasons that the chip may have are not told; the rest is divided */
    NVIDIA_UNSTEADY = 128     /* issued / executed is not what the replays are told to be: the
                               * profiler's passes differ */
};
enum { NVIDIA_NO_TREE = NVIDIA_NO_IPC | NVIDIA_NO_EFFICIENCY | NVIDIA_ABOVE_MAXIMUM };

/* Makes counters of counts; returns what is wrong with them, a set of nvidia_problem. */
uint32_t nvidia_counters(const struct nvidia_counts *counts,
                         const struct nvidia_capability *capability,
                         struct nvidia_counters *counters);
/* The names of the metrics that a set of problems asks for, with ", " between; `capability` may be
 * NULL. The caller frees. */
char *nvidia_missing(const struct nvidia_counts *counts, const struct nvidia_capability *capability,
                     uint32_t problems);

/* The words of the command line that collects what the equations need on such a chip (at every
 * level the same: a level-1 part is a share of all reasons); the profiler writes into the file
 * `log`, and the program and its arguments come after them. each_launch: of every launch; else
 * nvprof tells the means of a kernel's launches (ncu always tells every launch). NULL-terminated;
 * free with nvidia_command_free(). */
char **nvidia_command(const struct nvidia_capability *capability, const char *log,
                      bool each_launch);
void nvidia_command_free(char **words);

#endif
