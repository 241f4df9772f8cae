#include "analysis/nvidia.h"

#include "base/mem.h"
#include "base/memory_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUM NAN
/* The share of the lost slots that a stall reason causes; NAN if no reasons were reported. */
#define STALLED(reason) lost_to(x, x->stall[REASON_##reason])

static double
lost_to(const struct nvidia_counters *x, double stall)
{
    return x->has_reasons ? x->lost * stall / (x->stall_sum > 0 ? x->stall_sum : 1) : (double)NAN;
}

static const struct topdown_node nodes[NVIDIA_NODES] = {
#define NODE(name, parent, formula, threshold, is_loss, doc, advice)                               \
    {#name, NVIDIA_##parent, is_loss, threshold, doc, advice, NULL},
#define STALL(name, parent, tool, names, need, from, to, threshold, doc, advice)                   \
    {#name, NVIDIA_##parent, true, threshold, doc, advice, NULL},
#include "analysis/nvidia.def"
};

const struct topdown_shape nvidia_shape = {nodes, NVIDIA_NODES, "ipc"};

static const struct nvidia_capability capabilities[] = {
#define CAPABILITY(major, minor, family, schedulers, width, cores)                                 \
    {major, minor, family, (schedulers) * (width), 32, schedulers, cores},
#include "analysis/nvidia.def"
};
enum { CAPABILITIES = sizeof capabilities / sizeof capabilities[0] };

static const struct {
    const char *part;
    uint32_t major, minor;
} devices[] = {
#define DEVICE(part, major, minor) {part, major, minor},
#include "analysis/nvidia.def"
};

static const struct {
    const char *names[NVIDIA_TOOLS]; /* alternatives, separated by bars */
    const char *description;         /* in nvprof */
    double scale;
} figures[FIGURES] = {
#define FIGURE(name, nvprof, description, ncu, scale) {{nvprof, ncu}, description, scale},
#include "analysis/nvidia.def"
};

static const struct {
    enum nvidia_tool tool;
    const char *names;
    enum { MUST, MAY } need;
    uint32_t from, to;
} reasons[REASONS] = {
#define STALL(name, parent, tool, names, need, from, to, threshold, doc, advice)                   \
    {tool, names, need, from, to},
#include "analysis/nvidia.def"
};

const struct nvidia_capability *
nvidia_capability(uint32_t major, uint32_t minor)
{
    for (uint32_t i = 0; i < CAPABILITIES; i++)
        if (capabilities[i].major == major && capabilities[i].minor == minor)
            return &capabilities[i];
    return NULL;
}

const struct nvidia_capability *
nvidia_capability_parse(const char *text, struct error *err)
{
    unsigned major, minor;
    int end = 0;
    if (sscanf(text, "%3u.%3u%n", &major, &minor, &end) < 2 || text[end]) {
        fail(err, "compute capability '%.40s': expected X.Y, e.g. 8.6", text);
        return NULL;
    }
    const struct nvidia_capability *found = nvidia_capability(major, minor);
    if (!found)
        fail(err, "unknown compute capability %u.%u: expected %u.%u to %u.%u", major, minor,
             capabilities[0].major, capabilities[0].minor, capabilities[CAPABILITIES - 1].major,
             capabilities[CAPABILITIES - 1].minor);
    return found;
}

const struct nvidia_capability *
nvidia_capability_of_device(const char *device)
{
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (strcasestr(device, devices[i].part))
            return nvidia_capability(devices[i].major, devices[i].minor);
    return NULL;
}

enum nvidia_tool
nvidia_tool_for(const struct nvidia_capability *capability)
{
    return capability->major * 10 + capability->minor < 72 ? NVPROF : NCU;
}

/* Whether the first `length` characters of `name` equal one of the alternatives. */
static bool
is_one_of(const char *alternatives, const char *name, size_t length)
{
    while (alternatives) {
        const char *end = strchrnul(alternatives, '|');
        if ((size_t)(end - alternatives) == length && !strncmp(alternatives, name, length))
            return true;
        alternatives = *end ? end + 1 : NULL;
    }
    return false;
}

static struct nvidia_metric
stall_metric(enum nvidia_tool tool, enum nvidia_family family, const char *name, size_t length)
{
    struct nvidia_metric metric = {.kind = METRIC_STALL, .tool = tool, .family = family};
    for (uint32_t i = 0; i < REASONS; i++)
        if (reasons[i].tool == tool && is_one_of(reasons[i].names, name, length)) {
            metric.reason = i;
            return metric;
        }
    if (is_one_of("selected", name, length))
        metric.reason = REASON_selected;
    else if (is_one_of("not_selected|Not Selected", name, length))
        metric.reason = REASON_not_selected;
    else
        metric.kind = METRIC_UNKNOWN_STALL;
    return metric;
}

static const char *
after(const char *text, const char *start)
{
    const size_t n = strlen(start);
    return strncmp(text, start, n) ? NULL : text + n;
}

/* Parses ncu's names of stalls. The tables list the text before and after the reason. */
static struct nvidia_metric
ncu_stall(const char *name)
{
    static const struct {
        const char *start;
        const char *ends; /* alternatives */
        enum nvidia_family family;
    } forms[] = {
        {"smsp__average_warps_issue_stalled_",
         "_per_issue_active.ratio|_per_issue_active|_per_issue_active.avg.ratio", FAMILY_RATIO},
        {"smsp__average_warp_latency_issue_stalled_", ".ratio|.avg.ratio|", FAMILY_LATENCY},
        {"smsp__warp_issue_stalled_", "_per_warp_active.pct|_per_warp_active.avg.pct",
         FAMILY_PERCENT},
        {"smsp__warps_issue_stalled_", "_per_warp_active.pct|_per_warp_active.avg.pct",
         FAMILY_PERCENT},
        {"smsp__average_warps_issue_stalled_", "_per_warp_active.pct|_per_warp_active.avg.pct",
         FAMILY_PERCENT},
        {"smsp__average_warp_latency_issue_stalled_",
         "_per_warp_active.pct|_per_warp_active.avg.pct", FAMILY_PERCENT},
        {"smsp__pcsamp_warps_issue_stalled_", "|.sum", FAMILY_SAMPLES},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const char *reason = after(name, forms[i].start);
        if (!reason || strstr(reason, "_not_issued"))
            continue;
        const size_t length = strlen(reason);
        for (const char *end = forms[i].ends; end;) {
            const size_t n = (size_t)(strchrnul(end, '|') - end);
            if (length > n && !strncmp(reason + length - n, end, n) &&
                (n || !strpbrk(reason, ".")) && (n || !strstr(reason, "_per_")))
                return stall_metric(NCU, forms[i].family, reason, length - n);
            end = end[n] ? end + n + 1 : NULL;
        }
    }
    return (struct nvidia_metric){.kind = METRIC_NONE};
}

struct nvidia_metric
nvidia_metric(const char *name)
{
    const size_t length = strlen(name);
    const char *reason;
    for (uint32_t i = 0; i < FIGURES; i++)
        for (uint32_t tool = 0; tool < NVIDIA_TOOLS; tool++)
            if (is_one_of(figures[i].names[tool], name, length) ||
                (tool == NVPROF && is_one_of(figures[i].description, name, length)))
                return (struct nvidia_metric){.kind = METRIC_FIGURE,
                                              .tool = tool,
                                              .figure = i,
                                              .scale = tool == NCU ? figures[i].scale : 1};
    if ((reason = after(name, "stall_")))
        return stall_metric(NVPROF, FAMILY_PERCENT, reason, strlen(reason));
    if ((reason = after(name, "Issue Stall Reasons (")))
        return stall_metric(NVPROF, FAMILY_PERCENT, reason, strcspn(reason, ")"));
    return ncu_stall(name);
}

static enum nvidia_node
node_of(uint32_t reason)
{
    static const enum nvidia_node of[REASONS] = {
#define STALL(name, ...) NVIDIA_##name,
#include "analysis/nvidia.def"
    };
    return of[reason];
}

static bool
is_below(uint32_t node, uint32_t ancestor)
{
    return topdown_is_below(&nvidia_shape, node, ancestor);
}

void
nvidia_tree(const struct nvidia_counters *x, struct topdown_tree *tree)
{
    topdown_tree_init(tree, &nvidia_shape);
#define NODE(name, parent, formula, threshold, is_loss, doc, advice)                               \
    tree->values[NVIDIA_##name] = formula;
#define STALL(name, parent, tool, names, need, from, to, threshold, doc, advice)                   \
    tree->values[NVIDIA_##name] = STALLED(name);
#include "analysis/nvidia.def"
    double rest = lost_to(x, x->rest);
    for (uint32_t i = 0; x->rest_of && i < REASONS; i++)
        if (is_below(node_of(i), x->rest_of) && topdown_tree_has(tree, node_of(i))) {
            rest += tree->values[node_of(i)];
            tree->values[node_of(i)] = NAN;
        }
    if (x->rest_of)
        tree->values[x->rest_of] = rest;
    topdown_tree_sum(tree);
}

/* Whether the chip has this reason and the tool reports it. For an unknown chip: whether most chips
 * have it. */
static bool
has_reason(const struct nvidia_capability *capability, enum nvidia_tool tool, uint32_t reason)
{
    const uint32_t number = capability ? capability->major * 10 + capability->minor : 0;
    return reasons[reason].tool == tool &&
           (capability ? number >= reasons[reason].from && number <= reasons[reason].to
                       : reasons[reason].need == MUST);
}

/* State of one family's reasons in a launch. `missing`: number of required reasons without a value.
 * `optional`: number of other reasons without a value. */
struct family_state {
    uint32_t present, missing, optional;
    double sum, all; /* sum: of the losses; all: including reasons that are not stalls */
};

static struct family_state
state_of(const struct nvidia_counts *counts, enum nvidia_family family,
         const struct nvidia_capability *capability)
{
    const double *stalls = counts->stalls[family];
    struct family_state state = {0};
    for (uint32_t i = 0; stalls && i < REASON_VALUES; i++) {
        if (!isnan(stalls[i])) {
            state.present += i < REASONS;
            state.sum += i < REASONS ? stalls[i] : 0;
            state.all += stalls[i];
        } else if (i < REASONS && has_reason(capability, counts->tool, i)) {
            state.missing += reasons[i].need == MUST;
            state.optional += reasons[i].need == MAY;
        }
    }
    /* If the percentages add up to 100, the missing reasons are 0. */
    if (family == FAMILY_PERCENT && fabs(state.all - 100) <= 0.5)
        state.missing = state.optional = 0;
    return state;
}

/* The family with the fewest missing reasons. Returns FAMILIES if no family has any reason. */
static enum nvidia_family
best_family(const struct nvidia_counts *counts, const struct nvidia_capability *capability)
{
    enum nvidia_family best = FAMILIES;
    struct family_state state = {0};
    for (uint32_t i = 0; i < FAMILIES; i++) {
        const struct family_state s = state_of(counts, i, capability);
        if (s.present && (best == FAMILIES || s.missing < state.missing)) {
            best = i;
            state = s;
        }
    }
    return best;
}

/* The first value that is not NAN. */
static double
either(double a, double b)
{
    return isnan(a) ? b : a;
}

static bool
is_leaf(enum nvidia_node node)
{
    return node >= NVIDIA_inst_fetch; /* the stall reasons follow the other nodes */
}

/* Returns the lowest common ancestor of all missing reasons, or the reason itself if only one is
 * missing. */
static enum nvidia_node
node_above_missing(const struct nvidia_counts *counts, const double *stalls,
                   const struct nvidia_capability *capability)
{
    uint32_t above = NVIDIA_NODES;
    for (uint32_t i = 0; i < REASONS; i++) {
        if (!isnan(stalls[i]) || !has_reason(capability, counts->tool, i))
            continue;
        above = above == NVIDIA_NODES ? node_of(i) : above;
        while (!is_below(node_of(i), above))
            above = nodes[above].parent;
    }
    return above;
}

/* Sum of the reasons that are not there, from the sum of all; NAN if that is unknown. nvprof has no
 * reason `selected`; in the family of ratios it is 1 by definition. */
static double
rest_of_stalls(const struct nvidia_counts *counts, enum nvidia_family family)
{
    const double *stalls = counts->stalls[family];
    double rest = family == FAMILY_PERCENT ? 100
                  : family == FAMILY_RATIO ? counts->figures[FIGURE_warp_cycles]
                                           : (double)NAN;
    rest -= stalls[REASON_not_selected];
    if (counts->tool == NCU)
        rest -=
            family == FAMILY_RATIO ? either(stalls[REASON_selected], 1) : stalls[REASON_selected];
    for (uint32_t i = 0; i < REASONS; i++)
        rest -= either(stalls[i], 0);
    return rest < 0 ? 0 : rest;
}

static uint32_t
take_stalls(const struct nvidia_counts *counts, const struct nvidia_capability *capability,
            struct nvidia_counters *x)
{
    const enum nvidia_family family = best_family(counts, capability);
    for (uint32_t i = 0; i < REASONS; i++)
        x->stall[i] = NAN;
    if (family == FAMILIES)
        return NVIDIA_NO_REASONS;
    const struct family_state state = state_of(counts, family, capability);
    if (state.missing) {
        x->rest = rest_of_stalls(counts, family);
        x->rest_of = node_above_missing(counts, counts->stalls[family], capability);
        if (isnan(x->rest) || x->rest_of == NVIDIA_all)
            return NVIDIA_NO_REASONS;
    }
    for (uint32_t i = 0; i < REASONS; i++) { /* a missing reason is 0 if the other reasons add up */
        x->stall[i] = counts->stalls[family][i];
        if (isnan(x->stall[i]) && reasons[i].need == MUST && !state.missing &&
            has_reason(capability, counts->tool, i))
            x->stall[i] = 0;
    }
    x->stall_sum = state.sum + x->rest;
    x->has_reasons = x->stall_sum > 0 || x->lost <= 0;
    return (x->has_reasons ? 0 : NVIDIA_NO_REASONS) |
           (!state.missing && state.optional ? NVIDIA_PERHAPS_MORE : 0) |
           (x->rest_of && !is_leaf(x->rest_of) ? NVIDIA_SHALLOW : 0);
}

/* Mean over the SMs: from the sum if it equals the mean after rounding to two decimals. The sum has
 * more digits. */
static double
mean_of(const double *counts, enum nvidia_figure mean, enum nvidia_figure sum)
{
    const double exact = counts[sum] / counts[FIGURE_sms];
    return fabs(exact - counts[mean]) <= 0.005 + 1e-9 ? exact : counts[mean];
}

uint32_t
nvidia_counters(const struct nvidia_counts *counts, const struct nvidia_capability *capability,
                struct nvidia_counters *x)
{
    const double *f = counts->figures;
    uint32_t problems = NVIDIA_FINE;
    *x = (struct nvidia_counters){.ipc_max = capability->ipc_max};
    /* `replays` is per executed instruction */
    const double replays =
        either(f[FIGURE_replays], f[FIGURE_issued_count] / f[FIGURE_executed_count] - 1);
    x->issued = either(mean_of(f, FIGURE_issued, FIGURE_issued_sum), f[FIGURE_issued_partition]);
    /* a scheduler that issues one instruction per cycle uses its slot for it */
    if (capability->ipc_max == capability->schedulers)
        x->issued = either(x->issued, f[FIGURE_slots] / 100 * x->ipc_max);
    x->ipc = either(either(mean_of(f, FIGURE_ipc, FIGURE_ipc_sum), f[FIGURE_ipc_partition]),
                    x->issued / (1 + replays));
    x->efficiency = either(f[FIGURE_efficiency] / 100, f[FIGURE_threads] / capability->warp_size);
    problems |= isnan(x->ipc) ? NVIDIA_NO_IPC : 0;
    problems |= isnan(x->efficiency) ? NVIDIA_NO_EFFICIENCY : 0;
    x->issued = either(x->issued, x->ipc * (1 + replays));
    x->has_issued = !isnan(x->issued);
    problems |= x->has_issued ? 0 : NVIDIA_NO_ISSUED;
    if (fabs(x->issued - x->ipc * (1 + f[FIGURE_replays])) > 0.05 * x->issued)
        problems |= NVIDIA_UNSTEADY;
    if (x->issued < x->ipc) {
        problems |= x->issued < 0.98 * x->ipc ? NVIDIA_BELOW_EXECUTED : 0;
        x->issued = x->ipc;
    }
    const double busy = either(x->issued, x->ipc);
    if (busy > x->ipc_max * (1 + 1e-9) || x->efficiency > 1 + 1e-9 || busy < 0 || x->efficiency < 0)
        problems |= NVIDIA_ABOVE_MAXIMUM;
    x->lost = x->ipc_max - busy;
    return problems | take_stalls(counts, capability, x);
}

/* Whether the study assigns a reason to a part of the tree (its tables 4.7, 4.8, 4.11 and 4.12). */
static bool
is_listed(uint32_t reason)
{
    return reason != REASON_texture && reason != REASON_asleep && reason != REASON_mio_throttle &&
           reason != REASON_short_scoreboard && reason != REASON_wait && reason != REASON_gmma;
}

uint32_t
nvidia_publish(const struct nvidia_counts *counts, const struct nvidia_capability *capability,
               uint32_t problems, struct nvidia_counters *x)
{
    const enum nvidia_family family = best_family(counts, capability);
    x->is_published = x->has_reasons && !x->rest_of;
    if (!x->is_published) { /* the rest has listed and unlisted reasons */
        x->has_reasons = false;
        x->rest_of = NVIDIA_all;
        return (problems & ~(uint32_t)NVIDIA_SHALLOW) | NVIDIA_NO_REASONS;
    }
    const double *stalls = counts->stalls[family];
    if (family == FAMILY_PERCENT)
        x->stall_sum = 100;
    else
        x->stall_sum += either(stalls[REASON_selected], family == FAMILY_RATIO) +
                        either(stalls[REASON_not_selected], 0);
    x->unlisted = x->stall_sum;
    for (uint32_t i = 0; i < REASONS; i++) {
        x->stall[i] = is_listed(i) ? x->stall[i] : NAN;
        x->unlisted -= either(x->stall[i], 0);
    }
    return problems & ~(uint32_t)NVIDIA_PERHAPS_MORE;
}

struct nvidia_measures
nvidia_measures(const struct nvidia_counts *counts, const struct nvidia_capability *capability)
{
    struct nvidia_measures measures = {.family = best_family(counts, capability)};
    struct nvidia_counters x;
    nvidia_counters(counts, capability, &x);
    /* x.issued is at least x.ipc, even if the profiler reported less */
    const double *f = counts->figures;
    const double issued = either(
        either(mean_of(f, FIGURE_issued, FIGURE_issued_sum), f[FIGURE_issued_partition]), x.issued);
    measures.values[MEASURE_ipc] = x.ipc;
    measures.values[MEASURE_issued_ipc] = issued;
    measures.values[MEASURE_warp_efficiency] = 100 * x.efficiency;
    measures.values[MEASURE_issue_slots] = 100 * issued / x.ipc_max;
    for (uint32_t i = 0; i < REASON_VALUES; i++)
        measures.values[MEASURE_STALLS + i] =
            measures.family == FAMILIES ? NAN : counts->stalls[measures.family][i];
    return measures;
}

const char *
nvidia_measure_name(uint32_t measure)
{
    static const char *const names[MEASURES] = {
        [MEASURE_ipc] = "ipc",
        [MEASURE_issued_ipc] = "issued_ipc",
        [MEASURE_warp_efficiency] = "warp_execution_efficiency",
        [MEASURE_issue_slots] = "issue_slots_used",
#define STALL(name, ...) [MEASURE_STALLS + REASON_##name] = "stall_" #name,
#include "analysis/nvidia.def"
        [MEASURE_STALLS + REASON_selected] = "stall_selected",
        [MEASURE_STALLS + REASON_not_selected] = "stall_not_selected",
    };
    return names[measure];
}

const char *
nvidia_measure_unit(uint32_t measure, enum nvidia_family family)
{
    static const char *const of_family[FAMILIES + 1] = {
        "%", "cycles per issued instruction", "cycles per instruction of a warp", "samples", ""};
    return measure >= MEASURE_STALLS            ? of_family[family]
           : measure >= MEASURE_warp_efficiency ? "%"
                                                : "ipc";
}

double
nvidia_measure_share(const struct nvidia_measures *measures, uint32_t measure)
{
    double sum = 0;
    for (uint32_t i = MEASURE_STALLS; i < MEASURE_STALLS + REASONS; i++)
        sum += isnan(measures->values[i]) ? 0 : measures->values[i];
    return measure >= MEASURE_STALLS && measure < MEASURE_STALLS + REASONS && sum > 0
               ? measures->values[measure] / sum
               : (double)NAN;
}

static void
put_name(FILE *out, uint32_t *count, const char *format, const char *names)
{
    fprintf(out, "%s", (*count)++ ? ", " : "");
    char first[80];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(names, "|"), names);
    fprintf(out, format, first);
}

#define NCU_STALL "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"

char *
nvidia_missing(const struct nvidia_counts *counts, const struct nvidia_capability *capability,
               uint32_t problems)
{
    static const struct {
        uint32_t problem;
        const char *names[NVIDIA_TOOLS];
    } asked[] = {
        {NVIDIA_NO_IPC, {"ipc", "sm__inst_executed.avg.per_cycle_active"}},
        {NVIDIA_NO_EFFICIENCY,
         {"warp_execution_efficiency", "smsp__thread_inst_executed_per_inst_executed.ratio"}},
        {NVIDIA_NO_ISSUED, {"issued_ipc", "sm__inst_issued.avg.per_cycle_active"}},
    };
    struct memory_text text;
    uint32_t count = 0;
    FILE *out = memory_text_open(&text);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (problems & asked[i].problem)
            put_name(out, &count, "%s", asked[i].names[counts->tool]);
    const enum nvidia_family family = capability ? best_family(counts, capability) : FAMILY_PERCENT;
    const double *stalls = family == FAMILIES ? NULL : counts->stalls[family];
    for (uint32_t i = 0; i < REASONS; i++) {
        const uint32_t problem = NVIDIA_NO_REASONS | NVIDIA_SHALLOW |
                                 (reasons[i].need == MUST ? 0 : NVIDIA_PERHAPS_MORE);
        if (problems & problem && has_reason(capability, counts->tool, i) &&
            (!stalls || isnan(stalls[i])))
            put_name(out, &count, counts->tool == NVPROF ? "stall_%s" : NCU_STALL,
                     reasons[i].names);
    }
    return memory_text_take(&text);
}

/* Whether the tree down to `level` needs the reason. The largest part of a level gets the rest of
 * all stalls, so its reasons need not be measured. */
static bool
is_needed(uint32_t reason, uint32_t level)
{
    return level == 1   ? !is_below(node_of(reason), NVIDIA_backend)
           : level == 2 ? !is_below(node_of(reason), NVIDIA_memory_bound)
                        : true;
}

/* Names of the metrics that the equations need, separated by commas. */
static char *
metrics_for(const struct nvidia_capability *capability, uint32_t level)
{
    const enum nvidia_tool tool = nvidia_tool_for(capability);
    struct memory_text text;
    bool has_rest = false;
    FILE *out = memory_text_open(&text);
    fputs(tool == NVPROF ? "ipc,issued_ipc,warp_execution_efficiency,stall_not_selected"
                         : "gpu__time_duration.sum,sm__inst_executed.avg.per_cycle_active,"
                           "sm__inst_issued.avg.per_cycle_active,"
                           "smsp__thread_inst_executed_per_inst_executed.ratio,"
                           "profiler__replayer_passes,device__attribute_multiprocessor_count,"
                           "device__attribute_clock_rate,device__attribute_memory_clock_rate,"
                           "device__attribute_global_memory_bus_width,"
                           "device__attribute_total_memory,device__attribute_l2_cache_size",
          out);
    for (uint32_t i = 0; i < REASONS; i++) {
        char name[80];
        if (!has_reason(capability, tool, i))
            continue;
        has_rest |= !is_needed(i, level);
        if (!is_needed(i, level))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(reasons[i].names, "|"), reasons[i].names);
        fputc(',', out);
        fprintf(out, tool == NVPROF ? "stall_%s" : NCU_STALL, name);
    }
    if (has_rest && tool == NCU)
        fprintf(out, ",smsp__average_warp_latency_per_inst_issued.ratio," NCU_STALL,
                "not_selected");
    return memory_text_take(&text);
}

/* The function in a kernel's name, without its scope, template arguments and parameters: f in
 * "void a::f<int>(int*)". "" if there is none. The caller frees it. */
static char *
function_of(const char *kernel)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t begin = 0, end = 0;
    for (size_t at = 0; kernel[at] && (end == 0 || !strchr("(<", kernel[at]));) {
        const size_t length = strspn(kernel + at, letters);
        if (length) {
            begin = at;
            end = at + length;
        }
        at += length ? length : 1;
    }
    const bool is_name = kernel[begin] < '0' || kernel[begin] > '9';
    return mem_printf("%.*s", is_name ? (int)(end - begin) : 0, kernel + begin);
}

/* Appends a regular expression for the numbers from 1 to `last`: 1 to 120 is
 * "[1-9]|[1-9][0-9]|1[0-1][0-9]|120". */
static void
put_numbers(FILE *out, uint64_t last)
{
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%" PRIu64, last);
    for (int length = 1; length < count; length++) { /* all shorter numbers */
        fputs("[1-9]", out);
        for (int i = 1; i < length; i++)
            fputs("[0-9]", out);
        fputc('|', out);
    }
    for (int at = 0; at < count; at++) { /* numbers that are less from digit `at` on */
        const char least = at ? '0' : '1';
        if (digits[at] <= least)
            continue;
        fprintf(out, "%.*s", at, digits);
        if (digits[at] - 1 == least)
            fputc(least, out);
        else
            fprintf(out, "[%c-%c]", least, digits[at] - 1);
        for (int i = at + 1; i < count; i++)
            fputs("[0-9]", out);
        fputc('|', out);
    }
    fputs(digits, out);
}

/* The kernels to profile, as nvprof's and ncu's option takes them: context:stream:name:number of
 * the launch of this kernel, where empty means all. NULL: all kernels. */
static char *
kernels_for(enum nvidia_tool tool, const struct nvidia_request *request)
{
    char *function = function_of(request->kernel ? request->kernel : "");
    struct memory_text memory;
    FILE *out = memory_text_open(&memory);
    fprintf(out, "::%s%s:", *function && tool == NCU ? "regex:" : "", function);
    if (request->launches) {
        fputs("^(", out);
        put_numbers(out, request->launches);
        fputs(")$", out);
    }
    char *text = memory_text_take(&memory);
    const bool is_all = !*function && !request->launches;
    free(function);
    if (is_all)
        free(text);
    return is_all ? NULL : text;
}

char **
nvidia_command(const struct nvidia_capability *capability, const struct nvidia_request *request)
{
    const enum nvidia_tool tool = nvidia_tool_for(capability);
    char **command = mem_array(16, sizeof *command);
    char *kernels = kernels_for(tool, request);
    uint32_t count = 0;
#define WORD(word) (command[count++] = mem_strdup(word))
    WORD(tool == NVPROF ? "nvprof" : "ncu");
    WORD("--csv");
    if (tool == NCU) {
        WORD("--page");
        WORD("raw");
    } else if (request->each_launch) {
        WORD("--print-gpu-trace");
    }
    WORD("--log-file");
    WORD(request->log);
    if (kernels) { /* nvprof applies it to the events and metrics that follow */
        WORD(tool == NVPROF ? "--kernels" : "--kernel-id");
        command[count++] = kernels;
    }
    if (tool == NVPROF) {
        WORD("--events");
        WORD("elapsed_cycles_sm");
    }
    WORD("--metrics");
    command[count++] = metrics_for(capability, request->level);
#undef WORD
    return command;
}

void
nvidia_command_free(char **words)
{
    for (uint32_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}
