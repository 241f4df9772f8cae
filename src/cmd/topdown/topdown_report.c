/* Output of `aetius topdown` for profiled applications, as text. topdown_tables.c prints JSON and
 * CSV, topdown_figure.c draws. */
#include "analysis/topdown_print.h"
#include "base/log.h"
#include "base/memory_text.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "cmd/topdown/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_SHOWN = 20, NAME_LENGTH = 40 };

/* Children of the root that have a column in tables. */
static const enum nvidia_node columns[] = {NVIDIA_retire, NVIDIA_divergence, NVIDIA_frontend,
                                           NVIDIA_backend};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

uint32_t
report_level(const struct topdown_request *request)
{
    return request->level ? request->level : TOPDOWN_LEVELS;
}

const struct topdown_tree *
report_tree(const struct application_kernel *kernel)
{
    return kernel->has_tree ? &kernel->tree : NULL;
}

bool
report_has_launch(const struct application *application, uint32_t number)
{
    return application->has_launch[number] &&
           application->profile->launches.items[number].invocations == 1;
}

/* ---- missing data ---- */

char *
report_means(const struct application *application, const struct topdown_request *request)
{
    uint64_t count = 0;
    for (uint32_t i = 0; request->over_time && i < application->profile->launches.count; i++) {
        const struct profile_launch *launch = &application->profile->launches.items[i];
        if (application->has_launch[i] && launch->invocations > 1)
            count += launch->invocations;
    }
    return count ? mem_printf(
                       "%" PRIu64
                       " launches are known only by their average, without an order: to list each "
                       "launch, use nvprof --print-gpu-trace, or ncu without --print-summary",
                       count)
                 : NULL;
}

/* Logs the text of note_means() if standard output contains a table or figure. */
static void
log_means(const application_list *applications, const struct topdown_request *request)
{
    for (size_t i = 0; i < applications->count; i++) {
        char *note = report_means(&applications->items[i], request);
        if (note)
            log_note("%s: %s", applications->items[i].name, note);
        free(note);
    }
}

/* Returns the most expensive kernel with any of the `problems`, or NULL. Sets *count to the number
 * of kernels with such a problem. */
static const struct application_kernel *
first_with(const struct application *application, uint32_t problems, size_t *count)
{
    const struct application_kernel *first = NULL;
    *count = 0;
    for (size_t i = 0; i < application->kernels.count; i++)
        if (application->kernels.items[i].problems & problems) {
            first = first ? first : &application->kernels.items[i];
            ++*count;
        }
    return first;
}

char *
report_shorten(const char *name, size_t most)
{
    if (!strncmp(name, "void ", 5))
        name += 5;
    const size_t length = strlen(name);
    char *label = length <= most ? mem_strdup(name) : mem_printf("%.*s...", (int)most - 3, name);
    char *shown = mem_printable(label);
    free(label);
    return shown;
}

/* Prints an empty line and a paragraph. */
#define SAY(...) (putchar('\n'), print_wrapped(stdout, line_width(stdout), 0, 2, __VA_ARGS__))

static void
print_missing(const struct application *application, const struct topdown_request *request)
{
    size_t count;
    const uint32_t lacks = NVIDIA_NO_IPC | NVIDIA_NO_EFFICIENCY | NVIDIA_NO_ISSUED |
                           NVIDIA_NO_REASONS | NVIDIA_SHALLOW;
    const struct application_kernel *kernel = first_with(application, lacks, &count);
    if (!kernel && !(kernel = first_with(application, NVIDIA_PERHAPS_MORE, &count)))
        return;
    char *missing = application_missing(application, kernel);
    char *name = report_shorten(kernel->name, NAME_LENGTH);
    if (kernel->problems & lacks)
        SAY("%zu of %zu kernel%s lack%s counters; %s lacks:", count, application->kernels.count,
            plural(application->kernels.count), count == 1 ? "s" : "", name);
    else
        SAY("missing, and therefore distributed over the other reasons:");
    free(name);
    print_wrapped(stdout, topdown_style_of(stdout).width, 2, 2, "%s", missing);
    free(missing);
    if (application->capability) {
        fputs("collect it with\n  ", stdout);
        const struct nvidia_request asks = topdown_asks(request, REPORT_LOG);
        topdown_print_command(application->capability, &asks, NULL, stdout);
        putchar('\n');
    } else {
        puts("print the command that collects it with: --print-command --cc X.Y");
    }
}

/* Reports the kernels with an odd figure: their number, the text `before`, the name of one kernel,
 * and the text `behind`. */
static void
print_problem(const struct application *application, uint32_t problem, const char *before,
              const char *behind)
{
    size_t count;
    const struct application_kernel *kernel = first_with(application, problem, &count);
    if (!kernel)
        return;
    char *name = report_shorten(kernel->name, NAME_LENGTH);
    SAY("%zu kernel%s %s, e.g. %s: %s", count, plural(count), before, name, behind);
    free(name);
}

static void
print_oddities(const struct application *application, const struct topdown_request *request)
{
    char *more =
        application->capability
            ? mem_printf("with more issued instructions than compute capability %u.%u allows",
                         application->capability->major, application->capability->minor)
            : mem_strdup("with more issued instructions than the chip allows");
    print_problem(application, NVIDIA_ABOVE_MAXIMUM, more, "another GPU's file? (--cc)");
    free(more);
    print_problem(application, NVIDIA_BELOW_EXECUTED,
                  "with fewer issued than executed instructions", "replay is assumed to be 0");
    print_problem(
        application, NVIDIA_UNSTEADY, "with inconsistent measurement passes",
        "issued_ipc / ipc differs from 1 + inst_replay_overhead; replay and the stalls are as "
        "inexact as that");
    if (application->weight_kind == WEIGHT_LAUNCHES && application->has_tree &&
        (application->kernels.count > 1 || application->kernels.items[0].launches > 1))
        SAY("no times: all launches have equal weight in the total");
    char *means = report_means(application, request);
    if (means)
        SAY("%s", means);
    free(means);
    if (application->profile->notes.count)
        putchar('\n');
    for (size_t i = 0; i < application->profile->notes.count; i++)
        print_wrapped(stdout, line_width(stdout), 0, 2, "note: %s",
                      application->profile->notes.items[i]);
}

/* ---- text ---- */

static void
put_amount(char *text, size_t size, double weight, const char *unit)
{
    if (strcmp(unit, "ns"))
        snprintf(text, size, "%.0f %s", weight, unit);
    else if (weight >= 1e9)
        snprintf(text, size, "%.3f s", weight / 1e9);
    else if (weight >= 1e6)
        snprintf(text, size, "%.3f ms", weight / 1e6);
    else
        snprintf(text, size, "%.3f us", weight / 1e3);
}

/* Appends the part of a line about the GPU, if the figure is known. */
static void
put_gpu(FILE *out, const struct application *application, enum nvidia_figure figure, double unit,
        const char *format)
{
    const double value = application_gpu(application, figure);
    if (!isnan(value))
        fprintf(out, format, value / unit);
}

static void
print_gpu(const struct application *application)
{
    struct memory_text line;
    FILE *out = memory_text_open(&line);
    put_gpu(out, application, FIGURE_sms, 1, "%.0f ");
    fprintf(out, "SMs with %u schedulers and %u cores each", application->capability->schedulers,
            application->capability->cores);
    put_gpu(out, application, FIGURE_clock_hz, 1e6, ", %.0f MHz");
    put_gpu(out, application, FIGURE_memory_bytes, 1e9, "; memory: %.1f GB");
    put_gpu(out, application, FIGURE_bus_bits, 1, ", %.0f bits");
    put_gpu(out, application, FIGURE_memory_clock_hz, 1e6, " at %.0f MHz");
    put_gpu(out, application, FIGURE_l2_bytes, 1 << 20, "; L2: %.1f MiB");
    char *text = memory_text_take(&line);
    print_wrapped(stdout, line_width(stdout), 0, 2, "GPU: %s", text);
    free(text);
}

double
report_overhead(const struct application *application)
{
    return application->seconds_profiled / application->seconds_alone;
}

static void
print_heading(const struct application *application)
{
    uint64_t launches = 0;
    char amount[64];
    for (size_t i = 0; i < application->kernels.count; i++)
        launches += application->kernels.items[i].launches;
    put_amount(amount, sizeof amount, application->weight, application_weight_unit(application));
    char device[256] = "", chip[128] = "";
    if (*application->device_name)
        snprintf(device, sizeof device, " on %s", application->device_name);
    if (application->capability)
        snprintf(chip, sizeof chip, ", compute capability %u.%u (%s), IPC at most %u",
                 application->capability->major, application->capability->minor,
                 application->capability->family, application->capability->ipc_max);
    const bool has_amount = application->has_tree && application->weight_kind != WEIGHT_LAUNCHES;
    print_wrapped(
        stdout, line_width(stdout), 0, 2, "%s: %zu kernel%s, %" PRIu64 " launch%s%s%s%s%s",
        application->name, application->kernels.count, plural(application->kernels.count), launches,
        launches == 1 ? "" : "es", device, chip, has_amount ? ", " : "", has_amount ? amount : "");
}

/* Appends the measures from `from` to `end`: "name value, ...". Omits stalls of 0.00 unless
 * `shows_all`. */
static void
put_measures(FILE *out, const struct nvidia_measures *measures, uint32_t from, uint32_t end,
             bool shows_all)
{
    const char *before = "";
    for (uint32_t i = from; i < end; i++) {
        const double value = measures->values[i], share = nvidia_measure_share(measures, i);
        if (isnan(value) || (i >= MEASURE_STALLS && value < 0.005 && !shows_all))
            continue;
        if (i >= MEASURE_STALLS)
            fprintf(out, "%s%s %.2f", before, nvidia_measure_name(i) + strlen("stall_"), value);
        else if (!strcmp(nvidia_measure_unit(i, measures->family), "%"))
            fprintf(out, "%s%s %.1f %%", before, nvidia_measure_name(i), value);
        else
            fprintf(out, "%s%s %.4f", before, nvidia_measure_name(i), value);
        if (!isnan(share))
            fprintf(out, " (%.1f %%)", 100 * share);
        before = ", ";
    }
}

static void
print_measures(const struct application *application, bool shows_all)
{
    const struct nvidia_measures measures = application_mean_measures(&application->mean);
    const uint32_t ends[] = {0, MEASURE_STALLS, MEASURES};
    const uint32_t passes = application_passes(application);
    for (uint32_t part = 0; part < 2; part++) {
        struct memory_text line;
        FILE *out = memory_text_open(&line);
        put_measures(out, &measures, ends[part], ends[part + 1], shows_all);
        char *text = memory_text_take(&line);
        if (line.size && part == 0 && passes)
            SAY("measured in %u pass%s per launch: %s", passes, passes == 1 ? "" : "es", text);
        else if (line.size && part == 0)
            SAY("measured: %s", text);
        else if (line.size)
            print_wrapped(stdout, line_width(stdout), 0, 2, "stalls, %s (share of all stalls): %s",
                          nvidia_measure_unit(MEASURE_STALLS, measures.family), text);
        free(text);
    }
}

/* Node of the column after `node`; 0 after the last. The columns of the whole tree are `columns`,
 * those of a branch its node and the node's children. Starts and ends with 0. */
static uint32_t
next_column(uint32_t branch, uint32_t node)
{
    const uint32_t level = topdown_level(&nvidia_shape, branch) + 1;
    for (size_t c = 0; !branch && c < COLUMNS; c++)
        if (node == (c ? columns[c - 1] : 0))
            return columns[c];
    if (!branch)
        return 0;
    if (!node)
        return branch;
    while ((node = topdown_next(&nvidia_shape, node)) &&
           topdown_is_below(&nvidia_shape, node, branch))
        if (topdown_level(&nvidia_shape, node) == level)
            return node;
    return 0;
}

static void
put_shares(struct text_table *table, const struct topdown_tree *tree, uint32_t branch)
{
    for (uint32_t n = 0; (n = next_column(branch, n));)
        if (tree && topdown_tree_has(tree, n))
            text_table_cell(table, "%.1f %%", 100 * topdown_tree_share(tree, n));
        else
            text_table_cell(table, "-");
    const uint32_t verdict = tree ? topdown_tree_verdict(tree) : 0;
    text_table_cell(table, "%s", verdict ? tree->shape->nodes[verdict].name : "-");
}

static void
put_titles(struct text_table *table, uint32_t branch)
{
    for (uint32_t n = 0; (n = next_column(branch, n));)
        text_table_cell(table, "%s", nvidia_shape.nodes[n].name);
    text_table_cell(table, "bound by");
    text_table_end_row(table);
}

/* Prints the columns that fit the terminal. Column `name` may be truncated. Column `first` is
 * dropped first, then columns of the tree, which start at `shares`. The verdict is always shown. */
static void
print_table(struct text_table *table, uint32_t name, uint32_t first, uint32_t shares)
{
    const uint32_t spare[] = {first, shares + 1, shares + 2, shares, shares + 3};
    text_table_fit(table, line_width(stdout), name, spare, sizeof spare / sizeof spare[0]);
    text_table_put(table, TEXT_TABLE_TEXT, stdout);
}

static double
sum_of_weights(const struct application *application)
{
    double sum = 0;
    for (size_t i = 0; i < application->kernels.count; i++)
        sum += application->kernels.items[i].weight;
    return sum;
}

static const char *
title_of(const struct application *application)
{
    return application->weight_kind == WEIGHT_TIME ? "time" : application_weight_unit(application);
}

static void
print_kernels(const struct application *application, const struct topdown_request *request)
{
    struct text_table table = {0};
    const double all = sum_of_weights(application);
    const size_t count = request->shows_all || application->kernels.count <= KERNELS_SHOWN
                             ? application->kernels.count
                             : KERNELS_SHOWN;
    text_table_cells(&table, "kernel|launches");
    text_table_cell(&table, "%% of %s", title_of(application));
    put_titles(&table, request->node);
    for (size_t i = 0; i < count; i++) {
        const struct application_kernel *kernel = &application->kernels.items[i];
        char *name = report_shorten(kernel->name, NAME_LENGTH);
        text_table_cell(&table, "%s", name);
        free(name);
        text_table_cell(&table, "%" PRIu64, kernel->launches);
        if (all > 0)
            text_table_cell(&table, "%.1f", 100 * kernel->weight / all);
        else
            text_table_cell(&table, "-");
        put_shares(&table, report_tree(kernel), request->node);
        text_table_end_row(&table);
    }
    puts("");
    print_table(&table, 0, 1, 3);
    if (count < application->kernels.count)
        printf("  and %zu more (--all)\n", application->kernels.count - count);
}

/* Returns false if the profile has no individual launches. */
static bool
print_launches(const struct application *application, uint32_t branch)
{
    struct text_table table = {0};
    const struct profile *profile = application->profile;
    bool has_launches = false;
    text_table_cells(&table, "launch|kernel");
    text_table_cell(&table, "%s", application_weight_unit(application));
    put_titles(&table, branch);
    for (uint32_t i = 0; i < profile->launches.count; i++) {
        struct topdown_tree tree;
        double weight;
        if (!report_has_launch(application, i))
            continue;
        has_launches = true;
        const bool has_tree = application_launch(application, i, &weight, &tree, NULL);
        char *name = report_shorten(profile->kernels.items[profile->launches.items[i].kernel].name,
                                    NAME_LENGTH);
        text_table_cell(&table, "%u", i);
        text_table_cell(&table, "%s", name);
        free(name);
        if (isnan(weight))
            text_table_cell(&table, "-");
        else
            text_table_cell(&table, "%.0f", weight);
        put_shares(&table, has_tree ? &tree : NULL, branch);
        text_table_end_row(&table);
        if (has_tree)
            topdown_tree_fini(&tree);
    }
    if (!has_launches) {
        text_table_fini(&table);
        return false;
    }
    puts("");
    print_table(&table, 1, 2, 3);
    return true;
}

static void
print_application(const struct application *application, const struct topdown_request *request)
{
    struct topdown_style style = topdown_style_of(stdout);
    style.shows_all = request->shows_all;
    style.level = report_level(request);
    style.node = request->node;
    print_heading(application);
    if (application->capability)
        print_gpu(application);
    if (application->has_tree &&
        (!style.node || topdown_tree_has(&application->tree, style.node))) {
        puts("");
        topdown_print(&application->tree, &style, stdout);
        puts("");
        topdown_print_verdict(&application->tree, stdout);
    }
    print_measures(application, request->shows_all);
    if (!(request->over_time && print_launches(application, request->node)) &&
        (application->kernels.count > 1 || !application->has_tree))
        print_kernels(application, request);
    print_missing(application, request);
    print_oddities(application, request);
    if (application->seconds_alone > 0)
        SAY("with the profiler %.2f s, without it %.2f s: %.1f times as long",
            application->seconds_profiled, application->seconds_alone,
            report_overhead(application));
}

static void
print_side_by_side(const application_list *applications, uint32_t branch)
{
    struct text_table table = {0};
    bool has_overhead = false;
    for (size_t i = 0; i < applications->count; i++)
        has_overhead |= applications->items[i].seconds_alone > 0;
    text_table_cells(&table, has_overhead ? "application|device|alone|profiled|overhead"
                                          : "application|device");
    put_titles(&table, branch);
    for (size_t i = 0; i < applications->count; i++) {
        const struct application *application = &applications->items[i];
        text_table_cell(&table, "%s", application->name);
        text_table_cell(&table, "%s", *application->device_name ? application->device_name : "-");
        if (has_overhead && application->seconds_alone > 0) {
            text_table_cell(&table, "%.2f s", application->seconds_alone);
            text_table_cell(&table, "%.2f s", application->seconds_profiled);
            text_table_cell(&table, "%.1f x", report_overhead(application));
        } else if (has_overhead) {
            text_table_cells(&table, "-|-|-");
        }
        put_shares(&table, application->has_tree ? &application->tree : NULL, branch);
        text_table_end_row(&table);
    }
    print_table(&table, 0, 1, has_overhead ? 5 : 2);
}

static void
print_text(const application_list *applications, const struct topdown_request *request)
{
    for (size_t i = 0; i < applications->count; i++) {
        print_application(&applications->items[i], request);
        if (applications->count > 1)
            puts("");
    }
    if (applications->count > 1)
        print_side_by_side(applications, request->node);
}

bool
topdown_report(const application_list *applications, const struct topdown_request *request,
               struct error *err)
{
    if (request->json)
        report_json(applications, request);
    else if (request->csv)
        report_csv(applications, request);
    else
        print_text(applications, request);
    if (request->csv)
        log_means(applications, request);
    return !request->svg || report_draw(applications, request, err);
}
