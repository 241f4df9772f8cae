/* Kernels of a program as measured by NVIDIA's profilers. Reads and merges any number of files.
 * Files of nvprof are plain text or CSV (summaries, GPU traces, times). Files of ncu are plain text
 * or CSV (long, wide with --page raw, summaries).
 *
 * The n-th launch of a kernel in one file is matched with its n-th launch in another file. The
 * launch gets the values that it lacks. Names are compared without spaces. If no value is missing,
 * the second file is from another run and its launches are added. */
#ifndef AETIUS_ANALYSIS_PROFILE_H
#define AETIUS_ANALYSIS_PROFILE_H

#include "analysis/nvidia.h"
#include "base/mem.h"

struct profile_device {
    char *name;                                 /* "" if only the capability is known */
    const struct nvidia_capability *capability; /* NULL: unknown */
};

struct profile_launch {
    struct nvidia_counts counts;
    double *stalls[FAMILIES]; /* storage for counts.stalls */
    uint64_t invocations;     /* 1, or the number of invocations averaged */
    uint32_t kernel, device;
    bool is_time_only; /* from a trace: only the duration is known */
};

struct profile_kernel {
    char *name;      /* as first read */
    uint32_t device; /* PROFILE_ANY_DEVICE: from a table without devices */
    double table_ns; /* all calls, from a table of times; NAN: unknown */
    uint64_t calls;
    uint64_t invocations;   /* sum over all launches */
    VEC(uint32_t) launches; /* in launch order */
};

enum { PROFILE_ANY_DEVICE = UINT32_MAX };

struct profile_index; /* kernels by name */

struct profile {
    VEC(struct profile_device) devices;
    VEC(struct profile_kernel) kernels;
    VEC(struct profile_launch) launches; /* in the order of the first file that contains them */
    VEC(char *) notes;                   /* oddities found, one line each */
    /* number of times that the profiler ran a kernel, at most, from its messages; 0: unknown */
    uint32_t passes;
    struct profile_index *index;
};

void profile_init(struct profile *profile);
void profile_fini(struct profile *profile);
/* Reads and merges the files. `given` is a chip that overrides the chips named in the files, or
 * NULL. Returns false if a file is unreadable, is malformed (the message names line and column), or
 * has no table of either tool. */
bool profile_read(struct profile *profile, const char *const *paths, uint32_t count,
                  const struct nvidia_capability *given, struct error *err);
bool profile_same_device(const struct profile_device *a, const struct profile_device *b);

/* For the readers of files (profile_read.c, profile_text.c): */
uint32_t profile_add_device(struct profile *profile, const char *name,
                            const struct nvidia_capability *capability);
/* Index of the kernel with this name on this device. Adds the kernel if needed. Spaces in names are
 * ignored. */
uint32_t profile_add_kernel(struct profile *profile, const char *name, uint32_t device);
/* Returns UINT32_MAX if there is no such kernel. */
uint32_t profile_find_kernel(const struct profile *profile, const char *name, uint32_t device);
struct profile_launch *profile_add_launch(struct profile *profile, uint32_t kernel,
                                          uint64_t invocations);
/* Sets a value that is not set yet. Otherwise returns false and keeps the old value. */
bool profile_launch_set(struct profile_launch *launch, const struct nvidia_metric *metric,
                        double value);
bool profile_launch_has(const struct profile_launch *launch, const struct nvidia_metric *metric);
void profile_add_time(struct profile *profile, uint32_t kernel, double ns, uint64_t calls);
/* Adds a note, unless the same note exists. */
void profile_note(struct profile *profile, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
