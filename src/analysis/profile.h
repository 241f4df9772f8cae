/* What NVIDIA's profilers wrote of a program's kernels: any number of files of nvprof (CSV:
 * summaries, GPU traces, times; plain text) and ncu (CSV: long, wide as of --page raw, summaries;
 * plain text), read and put together. A launch of one file is matched with the launch of the same
 * kernel (by name, spaces apart) that has the same place among the kernel's launches in another
 * file, and takes from it what it lacks; where it lacks nothing, the file is of another run, whose
 * launches are added. */
#ifndef AETIUS_ANALYSIS_PROFILE_H
#define AETIUS_ANALYSIS_PROFILE_H

#include "analysis/nvidia.h"
#include "base/mem.h"

struct profile_device {
    char *name;                                 /* "" when only the capability is known */
    const struct nvidia_capability *capability; /* NULL: not known */
};

struct profile_launch {
    struct nvidia_counts counts;
    double *stalls[FAMILIES]; /* what counts.stalls points to */
    uint64_t invocations;     /* 1, or of how many these are the averages */
    uint32_t kernel, device;
    bool is_time_only; /* a line of a trace: nothing but its duration */
};

struct profile_kernel {
    char *name;      /* as first seen */
    uint32_t device; /* PROFILE_ANY_DEVICE: from a table without devices */
    double table_ns; /* all its calls, from a table of times; NAN: none */
    uint64_t calls;
    uint64_t invocations;   /* of all launches */
    VEC(uint32_t) launches; /* in order */
};

enum { PROFILE_ANY_DEVICE = UINT32_MAX };

struct profile_index; /* of kernels by name */

struct profile {
    VEC(struct profile_device) devices;
    VEC(struct profile_kernel) kernels;
    VEC(struct profile_launch) launches; /* in the order of the first file that has them */
    VEC(char *) notes;                   /* what was odd, a line each */
    struct profile_index *index;
};

void profile_init(struct profile *profile);
void profile_fini(struct profile *profile);
/* Reads the files and puts them together. `given` is the chip of files that do not tell (or NULL);
 * it also goes before what they tell. false: a file cannot be read, is malformed (with line and
 * column) or holds no table of either tool. */
bool profile_read(struct profile *profile, const char *const *paths, uint32_t count,
                  const struct nvidia_capability *given, struct error *err);
bool profile_same_device(const struct profile_device *a, const struct profile_device *b);

/* For readers of files (profile_read.c, profile_text.c): */
uint32_t profile_add_device(struct profile *profile, const char *name,
                            const struct nvidia_capability *capability);
/* The kernel of this name (spaces do not count) on this device, made if there is none. */
uint32_t profile_add_kernel(struct profile *profile, const char *name, uint32_t device);
/* UINT32_MAX: there is none. */
uint32_t profile_find_kernel(const struct profile *profile, const char *name, uint32_t device);
struct profile_launch *profile_add_launch(struct profile *profile, uint32_t kernel,
                                          uint64_t invocations);
/* Whether it was not there yet; what is there stays. */
bool profile_launch_set(struct profile_launch *launch, const struct nvidia_metric *metric,
                        double value);
bool profile_launch_has(const struct profile_launch *launch, const struct nvidia_metric *metric);
void profile_add_time(struct profile *profile, uint32_t kernel, double ns, uint64_t calls);
/* Once each. */
void profile_note(struct profile *profile, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
