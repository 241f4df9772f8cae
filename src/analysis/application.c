#include "analysis/application.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weight of a launch; NAN if it is unknown. */
static double
weight_of(const struct application *application, const struct profile_launch *launch,
          enum application_weight kind)
{
    const double invocations = (double)launch->invocations;
    const struct profile *profile = application->profile;
    if (kind == WEIGHT_LAUNCHES)
        return invocations;
    const double figure = launch->counts.figures[FIGURE_FIRST_WEIGHT + (uint32_t)kind];
    if (kind != WEIGHT_TIME || !isnan(figure))
        return figure * invocations;
    const struct profile_kernel *kernel = &profile->kernels.items[launch->kernel];
    return isnan(kernel->table_ns) ? NAN
                                   : kernel->table_ns * invocations / (double)kernel->invocations;
}

const char *
application_weight_unit(const struct application *application)
{
    return application->weight_kind == WEIGHT_TIME       ? "ns"
           : application->weight_kind == WEIGHT_LAUNCHES ? "launches"
                                                         : "cycles";
}

static uint32_t
counters_of(const struct application *application, const struct profile_launch *launch,
            struct nvidia_counters *counters)
{
    if (!application->capability)
        return NVIDIA_NO_IPC | NVIDIA_NO_EFFICIENCY | NVIDIA_NO_ISSUED | NVIDIA_NO_REASONS;
    uint32_t problems = nvidia_counters(&launch->counts, application->capability, counters);
    if (application->is_published)
        problems = nvidia_publish(&launch->counts, application->capability, problems, counters);
    const bool is_deep_enough =
        application->level && topdown_level(&nvidia_shape, counters->rest_of) >= application->level;
    return is_deep_enough ? problems & ~(uint32_t)NVIDIA_SHALLOW : problems;
}

bool
application_launch(const struct application *application, uint32_t number, double *weight,
                   struct topdown_tree *tree, uint32_t *problems)
{
    const struct profile_launch *launch = &application->profile->launches.items[number];
    struct nvidia_counters counters;
    *weight = weight_of(application, launch, application->weight_kind);
    const uint32_t found = counters_of(application, launch, &counters);
    if (problems)
        *problems = found;
    if (found & NVIDIA_NO_TREE)
        return false;
    nvidia_tree(&counters, tree);
    return true;
}

bool
application_launch_measures(const struct application *application, uint32_t number,
                            struct nvidia_measures *measures)
{
    if (application->capability)
        *measures = nvidia_measures(&application->profile->launches.items[number].counts,
                                    application->capability);
    return application->capability != NULL;
}

struct nvidia_measures
application_mean_measures(const struct application_mean *mean)
{
    struct nvidia_measures measures = {.family = mean->family};
    for (uint32_t i = 0; i < MEASURES; i++)
        measures.values[i] = mean->weights[i] > 0 ? mean->sums[i] / mean->weights[i] : (double)NAN;
    return measures;
}

/* Adds the measures times their weights. Stalls of another family are left out. */
static void
add_measures(struct application_mean *mean, const struct nvidia_measures *measures, double weight)
{
    if (mean->family == FAMILIES)
        mean->family = measures->family;
    const uint32_t count = mean->family == measures->family ? MEASURES : MEASURE_STALLS;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(measures->values[i]) && weight > 0) {
            mean->sums[i] += weight * measures->values[i];
            mean->weights[i] += weight;
        }
}

double
application_gpu(const struct application *application, enum nvidia_figure figure)
{
    double found = NAN;
    for (size_t i = 0; isnan(found) && i < application->profile->launches.count; i++)
        if (application->has_launch[i])
            found = application->profile->launches.items[i].counts.figures[figure];
    return found;
}

uint32_t
application_passes(const struct application *application)
{
    const struct profile *profile = application->profile;
    double most = 0;
    for (size_t i = 0; i < profile->launches.count; i++)
        if (application->has_launch[i])
            most = fmax(most, profile->launches.items[i].counts.figures[FIGURE_passes]);
    return most > 0 && most < UINT32_MAX ? (uint32_t)most : profile->passes;
}

char *
application_missing(const struct application *application, const struct application_kernel *kernel)
{
    const struct nvidia_capability *capability = application->capability;
    struct nvidia_counts none = {.tool = capability ? nvidia_tool_for(capability) : NVPROF};
    return nvidia_missing(kernel->troubled == UINT32_MAX
                              ? &none
                              : &application->profile->launches.items[kernel->troubled].counts,
                          capability, kernel->problems);
}

/* ---- selection of kernels ---- */

/* Compares `text` with `wanted`, ignoring spaces. `text` may continue after `wanted` if the next
 * character is in `end`. */
static bool
same_until(const char *text, const char *wanted, const char *end)
{
    for (;; text++, wanted++) {
        while (*text == ' ')
            text++;
        while (*wanted == ' ')
            wanted++;
        if (!*wanted)
            return !*text || strchr(end, *text);
        if (*text != *wanted)
            return false;
    }
}

/* Quality of a name's match. 3: full name. 2: name without parameters. 1: substring. 0: no
 * match. */
static uint32_t
likeness(const char *name, const char *wanted)
{
    const char *base = strncmp(name, "void ", 5) ? name : name + 5;
    if (same_until(name, wanted, ""))
        return 3;
    if (same_until(name, wanted, "(<") || same_until(base, wanted, "(<"))
        return 2;
    return strstr(name, wanted) != NULL;
}

static bool
is_of(const struct application *application, const struct profile_kernel *kernel, bool is_only)
{
    if (kernel->device == application->device)
        return true;
    if (kernel->device != PROFILE_ANY_DEVICE)
        return false;
    /* The kernel is known only from a table of times, which names no device. */
    for (uint32_t d = 0; d < application->profile->devices.count; d++)
        if (profile_find_kernel(application->profile, kernel->name, d) != UINT32_MAX)
            return false;
    return is_only;
}

/* Takes the first launches of a kernel, at least `most` (0: all); a mean of several is taken as a
 * whole. Returns how many. */
static uint64_t
take_launches(struct application *application, const struct profile_kernel *kernel, uint64_t most)
{
    uint64_t taken = 0;
    for (size_t i = 0; i < kernel->launches.count && (!most || taken < most); i++) {
        const uint32_t number = kernel->launches.items[i];
        application->has_launch[number] = true;
        taken += application->profile->launches.items[number].invocations;
    }
    return taken;
}

static void
add_kernels(struct application *application, const struct application_filter *filter)
{
    const char *wanted = filter->kernel;
    const struct profile *profile = application->profile;
    const bool is_only = profile->devices.count <= 1;
    uint32_t best = 1;
    application->has_launch = mem_alloc(profile->launches.count + 1);
    for (uint32_t i = 0; wanted && i < profile->kernels.count; i++)
        if (is_of(application, &profile->kernels.items[i], is_only)) {
            const uint32_t like = likeness(profile->kernels.items[i].name, wanted);
            best = like > best ? like : best;
        }
    for (uint32_t i = 0; i < profile->kernels.count; i++) {
        const struct profile_kernel *k = &profile->kernels.items[i];
        if (!is_of(application, k, is_only) || (wanted && likeness(k->name, wanted) < best))
            continue;
        struct application_kernel kernel = {.name = k->name, .kernel = i, .troubled = UINT32_MAX};
        kernel.mean.family = FAMILIES;
        kernel.launches =
            k->launches.count ? take_launches(application, k, filter->launches) : k->calls;
        VEC_PUSH(&application->kernels, kernel);
    }
}

/* ---- trees of kernels ---- */

/* Whether all relevant launches have this weight and the sum is positive. `has_trees`: only
 * launches with a tree are relevant. Sets *count to the number of relevant launches. */
static bool
has_weights(const struct application *application, enum application_weight kind, bool has_trees,
            uint32_t *count)
{
    const struct profile *profile = application->profile;
    double sum = 0;
    *count = 0;
    for (size_t k = 0; k < application->kernels.count; k++) {
        const struct profile_kernel *kernel =
            &profile->kernels.items[application->kernels.items[k].kernel];
        for (size_t i = 0; i < kernel->launches.count; i++) {
            const struct profile_launch *launch =
                &profile->launches.items[kernel->launches.items[i]];
            struct nvidia_counters counters;
            if (!application->has_launch[kernel->launches.items[i]])
                continue;
            if (has_trees && counters_of(application, launch, &counters) & NVIDIA_NO_TREE)
                continue;
            sum += weight_of(application, launch, kind); /* a NAN makes the sum NAN */
            ++*count;
        }
    }
    return sum > 0;
}

static enum application_weight
choose_weight(const struct application *application)
{
    uint32_t count;
    has_weights(application, WEIGHT_LAUNCHES, true, &count);
    const bool has_trees = count > 0;
    for (enum application_weight kind = WEIGHT_TIME; kind < WEIGHT_LAUNCHES; kind++)
        if (has_weights(application, kind, has_trees, &count) || !count)
            return kind;
    return WEIGHT_LAUNCHES;
}

/* Computes the weighted means of the launches' trees and measures. */
static void
sum_kernel(struct application *application, struct application_kernel *kernel)
{
    const struct profile *profile = application->profile;
    const struct profile_kernel *k = &profile->kernels.items[kernel->kernel];
    double with_trees = 0;
    if (!k->launches.count)
        kernel->problems =
            NVIDIA_NO_IPC | NVIDIA_NO_EFFICIENCY | NVIDIA_NO_ISSUED | NVIDIA_NO_REASONS;
    for (size_t i = 0; i < k->launches.count; i++) {
        struct topdown_tree tree;
        struct nvidia_measures measures;
        double weight;
        uint32_t problems;
        if (!application->has_launch[k->launches.items[i]])
            continue;
        const bool has_tree =
            application_launch(application, k->launches.items[i], &weight, &tree, &problems);
        if (application_launch_measures(application, k->launches.items[i], &measures)) {
            add_measures(&kernel->mean, &measures, weight);
            add_measures(&application->mean, &measures, weight);
        }
        kernel->weight += isnan(weight) ? 0 : weight;
        if (problems && kernel->troubled == UINT32_MAX)
            kernel->troubled = k->launches.items[i];
        kernel->problems |= problems;
        if (!has_tree)
            continue;
        if (!kernel->has_tree)
            topdown_tree_init(&kernel->tree, tree.shape);
        kernel->has_tree = true;
        topdown_tree_add(&kernel->tree, &tree, weight);
        with_trees += weight;
        topdown_tree_fini(&tree);
    }
    if (!k->launches.count && application->weight_kind == WEIGHT_TIME && !isnan(k->table_ns))
        kernel->weight = k->table_ns;
    if (kernel->has_tree && !(with_trees > 0)) /* all weights are 0 */
        topdown_tree_fini(&kernel->tree);
    kernel->has_tree = kernel->has_tree && with_trees > 0;
    if (kernel->has_tree)
        topdown_tree_scale(&kernel->tree, 1 / with_trees);
}

static int
longer_first(const void *a, const void *b)
{
    const struct application_kernel *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

static void
sum_application(struct application *application)
{
    for (size_t i = 0; i < application->kernels.count; i++) {
        struct application_kernel *kernel = &application->kernels.items[i];
        sum_kernel(application, kernel);
        application->problems |= kernel->problems;
        if (!kernel->has_tree || kernel->weight <= 0)
            continue;
        if (!application->has_tree)
            topdown_tree_init(&application->tree, kernel->tree.shape);
        application->has_tree = true;
        topdown_tree_add(&application->tree, &kernel->tree, kernel->weight);
        application->weight += kernel->weight;
    }
    if (application->has_tree)
        topdown_tree_scale(&application->tree, 1 / application->weight);
    if (application->kernels.count)
        qsort(application->kernels.items, application->kernels.count,
              sizeof *application->kernels.items, longer_first);
}

static void
application_fini(struct application *application)
{
    for (size_t i = 0; i < application->kernels.count; i++)
        if (application->kernels.items[i].has_tree)
            topdown_tree_fini(&application->kernels.items[i].tree);
    VEC_FREE(&application->kernels);
    free(application->has_launch);
    if (application->has_tree)
        topdown_tree_fini(&application->tree);
}

static bool
has_measures(const struct application *application)
{
    for (size_t i = 0; i < application->profile->launches.count; i++)
        if (application->profile->launches.items[i].device == application->device &&
            !application->profile->launches.items[i].is_time_only)
            return true;
    return false;
}

bool
application_list_add(application_list *list, const struct profile *profile, const char *name,
                     const struct application_filter *filter, struct error *err)
{
    const size_t before = list->count;
    const uint32_t devices = profile->devices.count ? (uint32_t)profile->devices.count : 1;
    for (uint32_t d = 0; d < devices; d++) {
        struct application application = {.profile = profile,
                                          .name = name,
                                          .device = d,
                                          .level = filter->level,
                                          .is_published = filter->published};
        application.mean.family = FAMILIES;
        application.device_name = profile->devices.count ? profile->devices.items[d].name : "";
        application.capability =
            profile->devices.count ? profile->devices.items[d].capability : NULL;
        if (!application.capability && has_measures(&application))
            return fail(err, "%s: unknown compute capability of %s: give it with --cc X.Y", name,
                        *application.device_name ? application.device_name : "the device");
        add_kernels(&application, filter);
        if (!application.kernels.count) {
            application_fini(&application);
            continue;
        }
        application.weight_kind = choose_weight(&application);
        sum_application(&application);
        VEC_PUSH(list, application);
    }
    if (list->count == before && filter->kernel)
        return fail(err, "%s: no kernel is named %s", name, filter->kernel);
    return list->count > before || fail(err, "%s: the profile contains no kernel", name);
}

void
application_list_fini(application_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        application_fini(&list->items[i]);
    VEC_FREE(list);
}
