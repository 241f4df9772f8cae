/* Applications that ran on NVIDIA's GPUs, as trees: of each kernel, and of the whole, weighted with
 * the time of each launch. The kernels of a profile that ran on several devices are several
 * applications. */
#ifndef AETIUS_ANALYSIS_APPLICATION_H
#define AETIUS_ANALYSIS_APPLICATION_H

#include "analysis/profile.h"

/* By what launches are weighted: the first that all of them have. */
enum application_weight {
    WEIGHT_TIME, /* nanoseconds; then the figures of cycles in nvidia.def's order */
    WEIGHT_LAUNCHES = FIGURES - FIGURE_FIRST_WEIGHT /* nothing else is known: all alike */
};

struct application_kernel {
    const char *name;
    uint32_t kernel; /* of the profile */
    uint64_t launches;
    double weight; /* 0: not known */
    bool has_tree;
    struct topdown_tree tree; /* the mean of its launches */
    uint32_t problems;        /* nvidia_problem of any launch */
    uint32_t troubled;        /* a launch with problems; UINT32_MAX: none */
};

struct application {
    const struct profile *profile;
    const char *name;
    uint32_t device;
    const char *device_name;
    const struct nvidia_capability *capability; /* NULL: not known, and nothing told but times */
    enum application_weight weight_kind;
    double weight; /* of the kernels that have trees */
    bool has_tree;
    struct topdown_tree tree;
    VEC(struct application_kernel) kernels; /* that take most of the time first */
    uint32_t problems;
    bool *has_kernel; /* of the profile's kernels */
};

typedef VEC(struct application) application_list;

/* The applications of a profile, which must outlive them; `core`: only kernels of that name
 * (whole, without the parameters, or a part of it), or NULL. false: none has it, or a compute
 * capability is not known. */
bool application_list_add(application_list *list, const struct profile *profile, const char *name,
                          const char *kernel, struct error *err);
void application_list_fini(application_list *list);

/* "ns", "cycles" or "launches". */
const char *application_weight_unit(const struct application *application);
/* The weight of a launch (its number in the profile), and its tree. false: it has none, and
 * *problems says why. */
bool application_launch(const struct application *application, uint32_t launch, double *weight,
                        struct topdown_tree *tree, uint32_t *problems);
/* Names of the metrics that the kernel lacks, "" none; the caller frees. */
char *application_missing(const struct application *application,
                          const struct application_kernel *kernel);

#endif
