/* Figures of `aetius topdown` for profiled applications. */
#include "analysis/plot.h"
#include "analysis/topdown_chart.h"
#include "cmd/topdown/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_DRAWN = 24, LAUNCHES_DRAWN = 120, LABEL_LENGTH = 24 };

typedef VEC(struct topdown_bar) bar_list;

static bool
draw(bar_list *bars, const char *title, const struct topdown_request *request, struct error *err)
{
    const uint32_t below = topdown_level(&nvidia_shape, request->node) + 1;
    bool has_node = !request->node;
    for (size_t i = 0; i < bars->count; i++)
        has_node = has_node || topdown_tree_has(bars->items[i].tree, request->node);
    char *name = request->node ? mem_printf("%s: %s", title, nvidia_shape.nodes[request->node].name)
                               : mem_strdup(title);
    const bool ok =
        has_node ? topdown_chart(name, bars->items, (uint32_t)bars->count, request->node,
                                 request->level > below ? request->level : below, request->svg, err)
                 : fail(err, "%s: no tree has the node %s", request->svg,
                        nvidia_shape.nodes[request->node].name);
    free(name);
    for (size_t i = 0; i < bars->count; i++)
        free((char *)(uintptr_t)bars->items[i].label);
    VEC_FREE(bars);
    return ok;
}

static void
add_bar(bar_list *bars, char *label, const struct topdown_tree *tree)
{
    const struct topdown_bar bar = {label, tree};
    VEC_PUSH(bars, bar);
}

static bool
draw_applications(const application_list *applications, const struct topdown_request *request,
                  struct error *err)
{
    bar_list bars = {0};
    for (size_t i = 0; i < applications->count; i++) {
        const struct application *application = &applications->items[i];
        char *name = report_shorten(application->name, LABEL_LENGTH);
        if (application->has_tree)
            add_bar(&bars,
                    *application->device_name ? mem_printf("%s, %s", name, application->device_name)
                                              : mem_strdup(name),
                    &application->tree);
        free(name);
    }
    return draw(&bars, "Top-Down of applications", request, err);
}

static bool
draw_kernels(const struct application *application, const struct topdown_request *request,
             struct error *err)
{
    bar_list bars = {0};
    if (application->has_tree)
        add_bar(&bars, mem_strdup("all kernels"), &application->tree);
    for (size_t i = 0; i < application->kernels.count && i < KERNELS_DRAWN; i++)
        if (application->kernels.items[i].has_tree)
            add_bar(&bars, report_shorten(application->kernels.items[i].name, LABEL_LENGTH),
                    &application->kernels.items[i].tree);
    return draw(&bars, "Top-Down of kernels", request, err);
}

static bool
fail_launches(const struct application *application, const struct topdown_request *request,
              struct error *err)
{
    char *means = report_means(application, request);
    fail(err, "%s: %s", application->name, means ? means : "no launches to draw");
    free(means);
    return false;
}

/* Draws launches in order. If there are more launches than bars, each bar covers several
 * consecutive launches. */
static bool
draw_launches(const struct application *application, const struct topdown_request *request,
              struct error *err)
{
    const struct profile *profile = application->profile;
    bar_list bars = {0};
    struct topdown_tree trees[LAUNCHES_DRAWN];
    uint32_t count = 0, used = 0, at = 0;
    for (uint32_t i = 0; i < profile->launches.count; i++)
        count += report_has_launch(application, i);
    if (!count)
        return fail_launches(application, request, err);
    const uint32_t together = (count + LAUNCHES_DRAWN - 1) / LAUNCHES_DRAWN;
    double sum = 0;
    for (uint32_t i = 0; i < profile->launches.count; i++) {
        struct topdown_tree tree;
        double weight;
        if (!report_has_launch(application, i))
            continue;
        if (application_launch(application, i, &weight, &tree, NULL)) {
            if (sum == 0)
                topdown_tree_init(&trees[used], tree.shape);
            topdown_tree_add(&trees[used], &tree, weight);
            sum += weight;
            topdown_tree_fini(&tree);
        }
        if (++at % together && at < count)
            continue;
        if (sum > 0) {
            topdown_tree_scale(&trees[used], 1 / sum);
            add_bar(&bars, mem_printf("%u", i), &trees[used]);
            used++;
        }
        sum = 0;
    }
    const bool ok = draw(&bars, "Top-Down of launches in order", request, err);
    for (uint32_t i = 0; i < used; i++)
        topdown_tree_fini(&trees[i]);
    return ok;
}

/* Draws how many times as long each program took under the profiler. */
static bool
draw_overhead(const application_list *applications, const struct topdown_request *request,
              struct error *err)
{
    struct plot plot;
    plot_init(&plot, PLOT_BARS, "Overhead of profiling", "times the run without the profiler");
    plot.extra = "set yrange [0:*]";
    plot_add_series(&plot, "run with the profiler");
    for (size_t i = 0; i < applications->count; i++) {
        const struct application *application = &applications->items[i];
        const bool is_again = i && applications->items[i - 1].profile == application->profile;
        if (!(application->seconds_alone > 0) || is_again) /* again: its other GPU */
            continue;
        char *name = report_shorten(application->name, LABEL_LENGTH);
        plot_add(&plot, name, (double[]){report_overhead(application)});
        free(name);
    }
    const bool ok = plot_draw(&plot, request->svg, err);
    plot_fini(&plot);
    return ok;
}

bool
report_draw(const application_list *applications, const struct topdown_request *request,
            struct error *err)
{
    if (request->overhead)
        return draw_overhead(applications, request, err);
    if (applications->count > 1)
        return request->over_time ? fail(err, "--svg --over-time draws one application, not %zu",
                                         applications->count)
                                  : draw_applications(applications, request, err);
    return request->over_time ? draw_launches(&applications->items[0], request, err)
                              : draw_kernels(&applications->items[0], request, err);
}
