/* Reads plain-text output of nvprof and ncu: columns separated by spaces. */
#include "analysis/profile_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 64 };

/* Words of a line, separated by spaces. The line is not modified. */
struct words {
    const char *begin[MOST_WORDS];
    size_t length[MOST_WORDS];
    uint32_t count;
};

static struct words
split_words(const char *text)
{
    struct words words = {.count = 0};
    while (words.count < MOST_WORDS) {
        text += strspn(text, " \t");
        if (!*text)
            break;
        words.begin[words.count] = text;
        text += words.length[words.count++] = strcspn(text, " \t");
    }
    return words;
}

static void
copy_word(const struct words *words, uint32_t number, char *out, size_t size)
{
    snprintf(out, size, "%.*s", (int)words->length[number], words->begin[number]);
}

/* ---- nvprof: events and metrics ---- */

/* Parses the line: Device "Tesla K40c (0)". */
static void
take_device(struct profile_file *file)
{
    char name[128];
    snprintf(name, sizeof name, "%s", strchr(file->text, '"') + 1);
    name[strcspn(name, "\"")] = '\0';
    char *number = strrchr(name, '(');
    if (number && number > name && number[-1] == ' ')
        number[-1] = '\0';
    file->text_device =
        profile_add_device(profile_file_part(file), name,
                           file->given ? file->given : nvidia_capability_of_device(name));
    file->text_kernel = -1;
}

/* Parses "1   stall_sync   Issue Stall Reasons (Synchronization)   0.00%   0.00%   0.00%". An
 * event's row has the total over all SMs after the average. */
static bool
take_nvprof_row(struct profile_file *file, struct error *err)
{
    const struct words words = split_words(file->text);
    const uint32_t behind = file->text_table == TEXT_NVPROF_TOTAL ? 2 : 1;
    char name[96], value[64], number[24];
    if (words.count < 4 + behind || file->text_kernel < 0 ||
        !isdigit((unsigned char)words.begin[0][0]))
        return true;
    copy_word(&words, 0, number, sizeof number);
    copy_word(&words, 1, name, sizeof name);
    copy_word(&words, words.count - behind, value, sizeof value);
    const struct nvidia_metric metric = profile_file_metric(file, name);
    struct profile *part = profile_file_part(file);
    struct profile_kernel *kernel = &part->kernels.items[file->text_kernel];
    struct profile_launch *launch =
        kernel->launches.count
            ? &part->launches.items[kernel->launches.items[kernel->launches.count - 1]]
            : NULL;
    if (!launch || (metric.kind == METRIC_FIGURE && profile_launch_has(launch, &metric))) {
        const unsigned long long count = strtoull(number, NULL, 10);
        launch = profile_add_launch(part, (uint32_t)file->text_kernel, count ? count : 1);
        launch->device = file->text_device;
        launch->counts.tool = NVPROF;
    }
    if (metric.kind != METRIC_FIGURE && metric.kind != METRIC_STALL)
        return true;
    return profile_file_value(file, launch, &metric, name, value, "", err);
}

/* ---- nvprof: times ---- */

static double
time_word(const struct words *words, uint32_t number)
{
    char text[48];
    const char *unit;
    double value;
    copy_word(words, number, text, sizeof text);
    if (!number_parse(text, NUMBER_POINT, &value, &unit) || number_time_unit(unit) == 0)
        return NAN;
    return value * number_time_unit(unit);
}

/* Parses "GPU activities:   20.11%  186.82ms  103  1.8138ms  928ns  62.362ms  name". */
static void
take_time_row(struct profile_file *file)
{
    const char *text = file->text + strspn(file->text, " ");
    if (!strncmp(text, "API calls:", 10) || !strncmp(text, "OpenACC", 7))
        file->text_table = TEXT_NONE;
    if (!strncmp(text, "GPU activities:", 15))
        text += 15;
    const struct words words = split_words(text);
    if (file->text_table == TEXT_NONE || words.count < 7 || file->is_api ||
        words.begin[0][words.length[0] - 1] != '%' || *words.begin[6] == '[')
        return;
    const double ns = time_word(&words, 1);
    const unsigned long long calls = strtoull(words.begin[2], NULL, 10);
    struct profile *part = profile_file_part(file);
    if (!isnan(ns) && calls)
        profile_add_time(part, profile_add_kernel(part, words.begin[6], PROFILE_ANY_DEVICE), ns,
                         calls);
}

/* Parses "309.24ms  1.6783ms  (32768 1 1) ... name [128]". The name starts in the column of its
 * title. */
static void
take_trace_row(struct profile_file *file)
{
    const struct words words = split_words(file->text);
    if (words.count < 4 || file->length <= file->name_column || *words.begin[2] != '(')
        return;
    const double ns = time_word(&words, 1);
    char *name = file->text + file->name_column;
    if (isnan(ns) || *name == '[' || *name == ' ')
        return;
    profile_file_cut_number(name);
    struct profile *part = profile_file_part(file);
    struct profile_launch *launch = profile_add_launch(part, profile_add_kernel(part, name, 0), 1);
    launch->counts.figures[FIGURE_time_ns] = ns;
    launch->is_time_only = true;
}

/* ---- ncu ---- */

/* Parses "  name(int) (196, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 7.5". A date may
 * replace the sizes. The device may be missing. */
static void
take_ncu_kernel(struct profile_file *file)
{
    char *name = file->text + strspn(file->text, " ");
    char *context = strstr(name, ", Context ");
    const char *cc = strstr(context, ", CC ");
    const struct nvidia_capability *capability = file->given;
    struct error ignored;
    if (!capability && cc)
        capability = nvidia_capability_parse(cc + 5, &ignored);
    *context = '\0';
    char *sizes = strstr(name, ")x(");
    if (sizes) {
        while (sizes > name && *sizes != '(')
            sizes--;
        if (sizes > name && sizes[-1] == ' ')
            sizes[-1] = '\0';
    } else {
        char *date = strrchr(name, ')');
        if (date && date[1] == ',')
            date[1] = '\0';
    }
    struct profile *part = profile_file_part(file);
    const uint32_t device = profile_add_device(part, "", capability);
    file->text_launch = (int64_t)part->launches.count;
    struct profile_launch *launch =
        profile_add_launch(part, profile_add_kernel(part, name, device), 1);
    launch->device = device;
    launch->counts.tool = NCU;
    file->text_table = TEXT_NCU;
    file->has_table = true;
}

/* Parses "    sm__inst_issued.avg.per_cycle_active   inst/cycle   0.22". A title of several words
 * may replace the metric's name. */
static bool
take_ncu_row(struct profile_file *file, struct error *err)
{
    const struct words words = split_words(file->text);
    if (words.count < 2 || file->text_launch < 0)
        return true;
    struct profile *part = profile_file_part(file);
    for (uint32_t n = words.count - 1; n >= 1 && n + 2 >= words.count; n--) {
        char name[96], unit[24] = "", value[64];
        const char *end = words.begin[n - 1] + words.length[n - 1];
        snprintf(name, sizeof name, "%.*s", (int)(end - words.begin[0]), words.begin[0]);
        if (n + 2 == words.count)
            copy_word(&words, n, unit, sizeof unit);
        copy_word(&words, words.count - 1, value, sizeof value);
        const struct nvidia_metric metric = profile_file_metric(file, name);
        if (metric.kind == METRIC_FIGURE || metric.kind == METRIC_STALL)
            return profile_file_value(file, &part->launches.items[file->text_launch], &metric, name,
                                      value, unit, err);
    }
    return true;
}

/* ---- classification of lines ---- */

/* Recognizes headers: "Invocations   Metric Name   ...   Avg", "Time(%)   Time   Calls ...", "Start
 * Duration ...". */
static bool
take_header(struct profile_file *file)
{
    const char *text = file->text;
    const char *name = strstr(text, "  Name");
    if (strstr(text, "Invocations ") &&
        (strstr(text, " Metric Name") || strstr(text, " Event Name")))
        file->text_table = strstr(text, " Total") ? TEXT_NVPROF_TOTAL : TEXT_NVPROF;
    else if (strstr(text, "Time(%)") && strstr(text, " Calls ") && name)
        file->text_table = TEXT_TIMES;
    else if (strstr(text, "Start ") && strstr(text, " Duration ") && name)
        file->text_table = TEXT_TRACE;
    else
        return false;
    if (file->text_table == TEXT_TRACE)
        profile_file_new_part(file);
    file->is_events = strstr(text, " Event Name");
    file->name_column = name ? (size_t)(name + 2 - text) : 0;
    file->has_table = true;
    return true;
}

/* Takes the number of passes from a message of nvprof, Replaying kernel "f(int*)" (1 of 3), or of
 * ncu, ==PROF== Profiling "f" - 0: 0%....50%....100% - 8 passes. */
static void
take_passes(struct profile_file *file)
{
    struct profile *part = profile_file_part(file);
    unsigned number, passes;
    for (const char *at = file->text; (at = strstr(at, "\" (")); at++)
        if (strstr(file->text, "Replaying kernel \"") &&
            sscanf(at, "\" (%u of %9u)", &number, &passes) == 2 && passes > part->passes)
            part->passes = passes;
    /* output of the program may precede the message */
    const char *end = strstr(file->text, "==PROF== Profiling \"");
    end = end ? strstr(end, "100% - ") : NULL;
    if (end && sscanf(end, "100%% - %9u pass", &passes) == 1 && passes > part->passes)
        part->passes = passes;
}

/* Handles the profilers' messages between tables. */
static void
take_chatter(struct profile_file *file, const char *text)
{
    if (strstr(text, "NVPROF is profiling"))
        profile_file_new_part(file);
    if (strncmp(text, "==PROF==", 8)) {
        file->text_table = TEXT_NONE;
        file->is_api = strstr(text, "API calls") != NULL;
    }
}

bool
profile_file_text_line(struct profile_file *file, struct error *err)
{
    const char *text = file->text, *banner = profile_file_banner(file);
    take_passes(file);
    if (banner) {
        take_chatter(file, banner);
        return true;
    }
    if (strstr(text, ", Context ") && strstr(text, ", Stream ")) {
        take_ncu_kernel(file);
        return true;
    }
    if (take_header(file))
        return true;
    const bool is_nvprof = file->text_table == TEXT_NVPROF || file->text_table == TEXT_NVPROF_TOTAL;
    if (is_nvprof && !strncmp(text, "Device \"", 8)) {
        take_device(file);
    } else if (is_nvprof && !strncmp(text, "    Kernel: ", 12)) {
        file->text_kernel =
            profile_add_kernel(profile_file_part(file), text + 12, file->text_device);
    } else if (is_nvprof) {
        return take_nvprof_row(file, err);
    } else if (file->text_table == TEXT_TIMES) {
        take_time_row(file);
    } else if (file->text_table == TEXT_TRACE) {
        take_trace_row(file);
    } else if (file->text_table == TEXT_NCU) {
        return take_ncu_row(file, err);
    }
    return true;
}
