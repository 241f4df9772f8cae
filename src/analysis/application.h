/* Top-Down trees of applications on NVIDIA GPUs: one tree per kernel, and one for the application
 * that weights each launch by its time. A profile with kernels on several devices has one
 * application per device. */
#ifndef AETIUS_ANALYSIS_APPLICATION_H
#define AETIUS_ANALYSIS_APPLICATION_H

#include "analysis/profile.h"

/* Weight of a launch. An application uses the first kind that all its launches have. */
enum application_weight {
    WEIGHT_TIME, /* in nanoseconds; the cycle figures follow in the order of nvidia.def */
    WEIGHT_LAUNCHES = FIGURES - FIGURE_FIRST_WEIGHT /* equal weights, if no figure is known */
};

/* Weighted mean of the launches' measures. */
struct application_mean {
    double sums[MEASURES], weights[MEASURES];
    enum nvidia_family family; /* of the first launch that has stall reasons */
};

struct application_kernel {
    const char *name;
    uint32_t kernel; /* index in the profile */
    uint64_t launches;
    double weight; /* 0: unknown */
    bool has_tree;
    struct topdown_tree tree; /* weighted mean of its launches */
    uint32_t problems;        /* nvidia_problem bits of all launches */
    uint32_t troubled;        /* first launch with problems; UINT32_MAX: no launch has problems */
    struct application_mean mean;
};

struct application {
    const struct profile *profile;
    const char *name;
    uint32_t device, level; /* level: as in the filter */
    bool is_published;      /* as in the filter */
    const char *device_name;
    const struct nvidia_capability *capability; /* NULL: unknown; only times are reported then */
    enum application_weight weight_kind;
    double weight; /* sum over the kernels that have trees */
    bool has_tree;
    struct topdown_tree tree;
    VEC(struct application_kernel) kernels; /* sorted by decreasing time */
    uint32_t problems;
    struct application_mean mean;           /* over all launches */
    double seconds_alone, seconds_profiled; /* wall time of the program; 0: not measured */
    bool *has_launch;                       /* indexed by the profile's launches */
};

typedef VEC(struct application) application_list;

/* What to take of a profile. */
struct application_filter {
    /* selects kernels by full name, by name without parameters, or by a substring; NULL: all */
    const char *kernel;
    uint64_t launches; /* only the first launches of each kernel; 0: all */
    uint32_t level;    /* deepest level that is wanted; 0: all */
    bool published;    /* nvidia_publish() */
};

/* Adds the applications of a profile, which must outlive them. Returns false if no kernel matches
 * or a compute capability is unknown. */
bool application_list_add(application_list *list, const struct profile *profile, const char *name,
                          const struct application_filter *filter, struct error *err);
void application_list_fini(application_list *list);

/* "ns", "cycles" or "launches". */
const char *application_weight_unit(const struct application *application);
/* Returns the weight and the tree of a launch (index in the profile). The caller finalizes the
 * tree. Returns false if the launch has no tree. *problems (if not NULL) gets what is missing for
 * the tree. */
bool application_launch(const struct application *application, uint32_t launch, double *weight,
                        struct topdown_tree *tree, uint32_t *problems);
/* What was measured of a launch; false if its chip is unknown. */
bool application_launch_measures(const struct application *application, uint32_t launch,
                                 struct nvidia_measures *measures);
struct nvidia_measures application_mean_measures(const struct application_mean *mean);
/* A figure of the GPU (nvidia.def); NAN if no launch has it. */
double application_gpu(const struct application *application, enum nvidia_figure figure);
/* Number of times that the profiler ran a kernel, the maximum over all launches. 0: unknown. */
uint32_t application_passes(const struct application *application);
/* Names of the metrics that the kernel lacks; "" if no metric is missing. The caller frees the
 * text. */
char *application_missing(const struct application *application,
                          const struct application_kernel *kernel);

#endif
