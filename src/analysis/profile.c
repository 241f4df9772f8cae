#include "analysis/profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hash table with open addressing. A slot contains the kernel's index + 1; 0: free slot. */
struct profile_index {
    uint32_t *slots;
    uint32_t size; /* a power of two */
};

void
profile_init(struct profile *profile)
{
    *profile = (struct profile){.index = mem_alloc(sizeof *profile->index)};
    profile->index->size = 64;
    profile->index->slots = mem_array(64, sizeof(uint32_t));
}

void
profile_fini(struct profile *profile)
{
    for (size_t i = 0; i < profile->devices.count; i++)
        free(profile->devices.items[i].name);
    for (size_t i = 0; i < profile->kernels.count; i++) {
        free(profile->kernels.items[i].name);
        VEC_FREE(&profile->kernels.items[i].launches);
    }
    for (size_t i = 0; i < profile->launches.count; i++)
        for (uint32_t f = 0; f < FAMILIES; f++)
            free(profile->launches.items[i].stalls[f]);
    for (size_t i = 0; i < profile->notes.count; i++)
        free(profile->notes.items[i]);
    VEC_FREE(&profile->devices);
    VEC_FREE(&profile->kernels);
    VEC_FREE(&profile->launches);
    VEC_FREE(&profile->notes);
    free(profile->index->slots);
    free(profile->index);
}

void
profile_note(struct profile *profile, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (size_t i = 0; i < profile->notes.count; i++)
        if (!strcmp(profile->notes.items[i], text))
            return;
    VEC_PUSH(&profile->notes, mem_strdup(text));
}

bool
profile_same_device(const struct profile_device *a, const struct profile_device *b)
{
    const bool same_name = !*a->name || !*b->name || !strcmp(a->name, b->name);
    return same_name && (a->capability == b->capability || !a->capability || !b->capability);
}

uint32_t
profile_add_device(struct profile *profile, const char *name,
                   const struct nvidia_capability *capability)
{
    const struct profile_device device = {(char *)(uintptr_t)name, capability};
    for (uint32_t i = 0; i < profile->devices.count; i++) {
        struct profile_device *there = &profile->devices.items[i];
        if (!profile_same_device(there, &device))
            continue;
        if (!*there->name && *name) {
            free(there->name);
            there->name = mem_strdup(name);
        }
        if (!there->capability)
            there->capability = capability;
        return i;
    }
    const struct profile_device added = {mem_strdup(name), capability};
    VEC_PUSH(&profile->devices, added);
    return (uint32_t)profile->devices.count - 1;
}

/* FNV-1a hash of the name without spaces. */
static uint32_t
hash_of(const char *name, uint32_t device)
{
    uint32_t hash = 2166136261U ^ (device * 2654435761U);
    for (; *name; name++)
        if (*name != ' ')
            hash = (hash ^ (uint8_t)*name) * 16777619U;
    return hash;
}

static bool
same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == ' ')
            a++;
        while (*b == ' ')
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}

/* The slot of the kernel, or the free slot where it belongs. */
static uint32_t *
slot_of(const struct profile *profile, const char *name, uint32_t device)
{
    const struct profile_index *index = profile->index;
    for (uint32_t at = hash_of(name, device);; at++) {
        uint32_t *slot = &index->slots[at & (index->size - 1)];
        const struct profile_kernel *kernel = *slot ? &profile->kernels.items[*slot - 1] : NULL;
        if (!kernel || (kernel->device == device && same_name(kernel->name, name)))
            return slot;
    }
}

static void
grow(struct profile *profile)
{
    struct profile_index *index = profile->index;
    free(index->slots);
    index->size *= 2;
    index->slots = mem_array(index->size, sizeof *index->slots);
    for (uint32_t i = 0; i < profile->kernels.count; i++)
        *slot_of(profile, profile->kernels.items[i].name, profile->kernels.items[i].device) = i + 1;
}

uint32_t
profile_add_kernel(struct profile *profile, const char *name, uint32_t device)
{
    uint32_t *slot = slot_of(profile, name, device);
    if (*slot)
        return *slot - 1;
    const struct profile_kernel kernel = {
        .name = mem_strdup(name), .device = device, .table_ns = NAN};
    VEC_PUSH(&profile->kernels, kernel);
    const uint32_t number = (uint32_t)profile->kernels.count;
    *slot = number;
    if (number * 2 > profile->index->size)
        grow(profile);
    return number - 1;
}

uint32_t
profile_find_kernel(const struct profile *profile, const char *name, uint32_t device)
{
    return *slot_of(profile, name, device) - 1;
}

struct profile_launch *
profile_add_launch(struct profile *profile, uint32_t kernel, uint64_t invocations)
{
    struct profile_launch launch = {.kernel = kernel, .invocations = invocations};
    for (uint32_t i = 0; i < FIGURES; i++)
        launch.counts.figures[i] = NAN;
    const uint32_t number = (uint32_t)profile->launches.count;
    VEC_PUSH(&profile->launches, launch);
    VEC_PUSH(&profile->kernels.items[kernel].launches, number);
    profile->kernels.items[kernel].invocations += invocations;
    return &profile->launches.items[number];
}

static double *
metric_slot(struct profile_launch *launch, const struct nvidia_metric *metric)
{
    if (metric->kind == METRIC_FIGURE)
        return &launch->counts.figures[metric->figure];
    double **stalls = &launch->stalls[metric->family];
    if (!*stalls) {
        *stalls = mem_array(REASON_VALUES, sizeof **stalls);
        for (uint32_t i = 0; i < REASON_VALUES; i++)
            (*stalls)[i] = NAN;
        launch->counts.stalls[metric->family] = *stalls;
    }
    return &(*stalls)[metric->reason];
}

bool
profile_launch_has(const struct profile_launch *launch, const struct nvidia_metric *metric)
{
    const double *stalls = launch->stalls[metric->family];
    return metric->kind == METRIC_FIGURE ? !isnan(launch->counts.figures[metric->figure])
                                         : stalls && !isnan(stalls[metric->reason]);
}

bool
profile_launch_set(struct profile_launch *launch, const struct nvidia_metric *metric, double value)
{
    double *place = metric_slot(launch, metric);
    if (!isnan(*place))
        return false;
    launch->counts.tool = metric->tool;
    *place = value;
    return true;
}

void
profile_add_time(struct profile *profile, uint32_t kernel, double ns, uint64_t calls)
{
    struct profile_kernel *k = &profile->kernels.items[kernel];
    k->table_ns = (isnan(k->table_ns) ? 0 : k->table_ns) + ns;
    k->calls += calls;
}
