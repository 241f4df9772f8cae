/* Reads comma-separated tables of nvprof and ncu, mixed with other output. */
#include "analysis/profile_file.h"
#include "base/plural.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns that identify a kind of table, and their roles. Bars separate alternative titles. A kind
 * matches if the header has all required columns. The first match counts. */
static const struct {
    enum profile_table table;
    struct {
        enum profile_role role;
        const char *names;
        bool must;
    } columns[10];
} kinds[] = {
    {TABLE_NCU_LONG,
     {{ROLE_KERNEL, "Kernel Name", true},
      {ROLE_METRIC, "Metric Name", true},
      {ROLE_VALUE, "Metric Value", true},
      {ROLE_UNIT, "Metric Unit", false},
      {ROLE_ID, "ID", false},
      {ROLE_PROCESS, "Process ID", false},
      {ROLE_CC, "CC", false}}},
    {TABLE_NCU_SUMMARY,
     {{ROLE_KERNEL, "Kernel Name", true},
      {ROLE_METRIC, "Metric Name", true},
      {ROLE_VALUE, "Average", true},
      {ROLE_INVOCATIONS, "Invocations", true},
      {ROLE_UNIT, "Metric Unit", false},
      {ROLE_CC, "CC", false}}},
    {TABLE_NCU_WIDE,
     {{ROLE_KERNEL, "Kernel Name", true},
      {ROLE_ID, "ID", true},
      {ROLE_CC, "CC", false},
      {ROLE_CC_MAJOR, "device__attribute_compute_capability_major", false},
      {ROLE_CC_MINOR, "device__attribute_compute_capability_minor", false},
      {ROLE_DEVICE, "device__attribute_display_name", false}}},
    {TABLE_NVPROF_LONG,
     {{ROLE_KERNEL, "Kernel", true},
      {ROLE_METRIC, "Metric Name|Event Name", true},
      {ROLE_VALUE, "Avg", true},
      {ROLE_INVOCATIONS, "Invocations", true},
      {ROLE_DEVICE, "Device", false}}},
    {TABLE_NVPROF_WIDE,
     {{ROLE_KERNEL, "Kernel", true}, {ROLE_DEVICE, "Device", true}, {ROLE_ID, "Stream", true}}},
    {TABLE_TIMES,
     {{ROLE_KERNEL, "Name", true},
      {ROLE_VALUE, "Time", true},
      {ROLE_INVOCATIONS, "Calls", true},
      {ROLE_METRIC, "Time(%)", true},
      {ROLE_TYPE, "Type", false}}},
    {TABLE_TRACE,
     {{ROLE_KERNEL, "Name", true},
      {ROLE_VALUE, "Duration", true},
      {ROLE_METRIC, "Start", true},
      {ROLE_GRID, "Grid X", true},
      {ROLE_DEVICE, "Device", false}}},
};

static bool
is_named(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (;;) {
        const size_t n = strcspn(names, "|");
        if (n == length && !strncmp(names, name, n))
            return true;
        if (!names[n])
            return false;
        names += n + 1;
    }
}

static int32_t
find_column(const struct profile_file *file, const char *names)
{
    for (size_t i = 0; i < file->cells.count; i++)
        if (is_named(names, profile_file_cell(file, (int32_t)i)))
            return (int32_t)i;
    return -1;
}

/* Finds the columns with metrics. If several columns have the same meaning (nvprof repeats names),
 * the first one counts. */
static void
find_metrics(struct profile_file *file)
{
    for (size_t i = 0; i < file->columns.count; i++)
        free(file->columns.items[i].name);
    file->columns.count = 0;
    for (uint32_t i = 0; i < file->cells.count; i++) {
        const char *name = profile_file_cell(file, (int32_t)i);
        struct profile_column column = {.cell = i, .metric = profile_file_metric(file, name)};
        bool is_there =
            column.metric.kind == METRIC_NONE || column.metric.kind == METRIC_UNKNOWN_STALL;
        for (size_t k = 0; !is_there && k < file->columns.count; k++)
            is_there =
                !memcmp(&file->columns.items[k].metric, &column.metric, sizeof column.metric);
        if (is_there)
            continue;
        column.name = mem_strdup(name);
        VEC_PUSH(&file->columns, column);
    }
}

/* If the cells are the header of a known table, makes it the current table and returns true. */
static bool
begin_table(struct profile_file *file)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        bool fits = true;
        int32_t roles[ROLES];
        for (uint32_t r = 0; r < ROLES; r++)
            roles[r] = -1;
        for (size_t c = 0; kinds[k].columns[c].names; c++) {
            const int32_t at = find_column(file, kinds[k].columns[c].names);
            roles[kinds[k].columns[c].role] = at;
            fits = fits && (at >= 0 || !kinds[k].columns[c].must);
        }
        if (!fits)
            continue;
        const bool is_wide =
            kinds[k].table == TABLE_NCU_WIDE || kinds[k].table == TABLE_NVPROF_WIDE;
        if (is_wide || kinds[k].table == TABLE_TRACE)
            profile_file_new_part(file);
        memcpy(file->roles, roles, sizeof roles);
        file->table = kinds[k].table;
        file->cell_count = (uint32_t)file->cells.count;
        file->is_first_row = true;
        file->has_table = true;
        file->is_events = find_column(file, "Event Name") >= 0;
        if (is_wide)
            find_metrics(file);
        return true;
    }
    return false;
}

/* ---- rows ---- */

static const char *
role_text(const struct profile_file *file, enum profile_role role)
{
    return profile_file_cell(file, file->roles[role]);
}

static uint64_t
role_count(const struct profile_file *file, enum profile_role role)
{
    const unsigned long long count = strtoull(role_text(file, role), NULL, 10);
    return count ? count : 1;
}

/* Device of a row, as an index in the part. */
static uint32_t
device_of(struct profile_file *file)
{
    const struct nvidia_capability *capability = file->given;
    char cc[16];
    snprintf(cc, sizeof cc, "%s", role_text(file, ROLE_CC));
    if (file->roles[ROLE_CC_MAJOR] >= 0)
        snprintf(cc, sizeof cc, "%.4s.%.4s", role_text(file, ROLE_CC_MAJOR),
                 role_text(file, ROLE_CC_MINOR));
    struct profile *part = profile_file_part(file);
    struct error err;
    if (!capability && *cc && !(capability = nvidia_capability_parse(cc, &err)))
        profile_note(part, "%s: %s", file->path, err.text);
    char name[128];
    snprintf(name, sizeof name, "%s", role_text(file, ROLE_DEVICE));
    if (file->table == TABLE_NVPROF_LONG || file->table == TABLE_NVPROF_WIDE ||
        file->table == TABLE_TRACE) {
        char *number = strrchr(name, '(');
        if (number && number > name && number[-1] == ' ')
            number[-1] = '\0';
        if (!capability)
            capability = nvidia_capability_of_device(name);
    }
    return profile_add_device(part, name, capability);
}

/* Adds a launch for a row that starts one. */
static struct profile_launch *
new_launch(struct profile_file *file, uint64_t invocations)
{
    struct profile *part = profile_file_part(file);
    const uint32_t device = device_of(file);
    /* The text is in this file's buffer, so this function may modify it. */
    char *name = (char *)(uintptr_t)role_text(file, ROLE_KERNEL);
    profile_file_cut_number(name);
    const uint32_t kernel = profile_add_kernel(part, name, device);
    struct profile_launch *launch = profile_add_launch(part, kernel, invocations);
    launch->device = device;
    launch->counts.tool = file->table >= TABLE_NCU_LONG ? NCU : NVPROF;
    return launch;
}

/* The entry of the launch with this hash, or the free entry for it. */
static struct profile_key *
key_slot(struct profile_file *file, uint64_t hash)
{
    for (uint64_t at = hash;; at++) {
        struct profile_key *slot = &file->keys[at & (file->key_slots - 1)];
        if (slot->hash == hash || slot->hash == 0)
            return slot;
    }
}

static void
grow_keys(struct profile_file *file)
{
    struct profile_key *old = file->keys;
    const uint32_t count = file->key_slots;
    file->key_slots = count ? count * 2 : 1024;
    file->keys = mem_array(file->key_slots, sizeof *file->keys);
    for (uint32_t i = 0; i < count; i++)
        if (old[i].hash)
            *key_slot(file, old[i].hash) = old[i];
    free(old);
}

static uint64_t
hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 1099511628211U;
    return (hash ^ 0xff) * 1099511628211U;
}

/* Hash of the kernel and IDs that identify the launch of a row in a long table. */
static uint64_t
row_hash(const struct profile_file *file)
{
    uint64_t hash = 14695981039346656037U;
    hash = hash_text(hash, role_text(file, ROLE_KERNEL));
    hash = hash_text(hash, role_text(file, ROLE_ID));
    hash = hash_text(hash, role_text(file, ROLE_PROCESS));
    hash = hash_text(hash, role_text(file, ROLE_DEVICE));
    return hash ? hash : 1;
}

/* The launch of a row in a long table. Rows of a summary have no IDs. There, a repeated metric
 * starts another launch with a different grid size. `metric` may be NULL: the kernel's last
 * launch. */
static struct profile_launch *
long_launch(struct profile_file *file, const struct nvidia_metric *metric)
{
    struct profile *part = profile_file_part(file);
    if (file->key_count * 2 >= file->key_slots)
        grow_keys(file);
    struct profile_key *slot = key_slot(file, row_hash(file));
    if (slot->hash) {
        struct profile_launch *launch = &part->launches.items[slot->launch];
        if (!metric || file->roles[ROLE_ID] >= 0 || !profile_launch_has(launch, metric))
            return launch;
    } else {
        file->key_count++;
    }
    slot->hash = row_hash(file);
    slot->launch = (uint32_t)part->launches.count;
    return new_launch(file, role_count(file, ROLE_INVOCATIONS));
}

static bool
take_long_row(struct profile_file *file, struct error *err)
{
    const char *name = role_text(file, ROLE_METRIC);
    const struct nvidia_metric metric = profile_file_metric(file, name);
    const bool is_wanted = metric.kind == METRIC_FIGURE || metric.kind == METRIC_STALL;
    struct profile_launch *launch = long_launch(file, is_wanted ? &metric : NULL);
    return !is_wanted ||
           profile_file_value(file, launch, &metric, name, role_text(file, ROLE_VALUE),
                              role_text(file, ROLE_UNIT), err);
}

static bool
take_wide_row(struct profile_file *file, struct error *err)
{
    if (!*role_text(file, ROLE_KERNEL)) { /* the row with units */
        for (size_t i = 0; i < file->columns.count; i++)
            snprintf(file->columns.items[i].unit, sizeof file->columns.items[i].unit, "%.23s",
                     profile_file_cell(file, (int32_t)file->columns.items[i].cell));
        return true;
    }
    struct profile_launch *launch = new_launch(file, 1);
    for (size_t i = 0; i < file->columns.count; i++) {
        const struct profile_column *column = &file->columns.items[i];
        const char *text = profile_file_cell(file, (int32_t)column->cell);
        if (*text && !profile_file_value(file, launch, &column->metric, column->name, text,
                                         column->unit, err))
            return false;
    }
    return true;
}

/* Time in nanoseconds; NAN if the text is not a time. */
static double
time_of(struct profile_file *file, const char *text)
{
    const char *rest;
    double value;
    if (!number_parse(text, NUMBER_POINT, &value, &rest) || value < 0)
        return NAN;
    const double unit = number_time_unit(*rest ? rest : file->columns.items[0].unit);
    if (unit == 0)
        profile_note(profile_file_part(file), "%s: times without a unit are ignored", file->path);
    return unit > 0 ? value * unit : NAN;
}

/* Stores the column's time unit in columns[0]. */
static void
keep_time_unit(struct profile_file *file)
{
    struct profile_column column = {0};
    for (size_t i = 0; i < file->columns.count; i++)
        free(file->columns.items[i].name);
    file->columns.count = 0;
    const char *unit = role_text(file, ROLE_VALUE);
    if (number_time_unit(unit) > 0)
        snprintf(column.unit, sizeof column.unit, "%.23s", unit);
    VEC_PUSH(&file->columns, column);
}

static bool
take_time_row(struct profile_file *file)
{
    struct profile *part = profile_file_part(file);
    if (file->is_first_row)
        keep_time_unit(file);
    char *name = (char *)(uintptr_t)role_text(file, ROLE_KERNEL);
    const double ns = time_of(file, role_text(file, ROLE_VALUE));
    const char *type = role_text(file, ROLE_TYPE);
    if (isnan(ns) || !*name || *name == '[' || (*type && strcmp(type, "GPU activities")) ||
        file->is_api)
        return true; /* units, copies or API calls */
    if (file->table == TABLE_TIMES) {
        profile_add_time(part, profile_add_kernel(part, name, PROFILE_ANY_DEVICE), ns,
                         role_count(file, ROLE_INVOCATIONS));
    } else if (*role_text(file, ROLE_GRID)) {
        struct profile_launch *launch = new_launch(file, 1);
        launch->counts.figures[FIGURE_time_ns] = ns;
        launch->is_time_only = true;
    }
    return true;
}

static bool
take_row(struct profile_file *file, struct error *err)
{
    bool ok = true;
    switch (file->table) {
    case TABLE_NCU_LONG:
    case TABLE_NCU_SUMMARY:
    case TABLE_NVPROF_LONG: ok = take_long_row(file, err); break;
    case TABLE_NCU_WIDE:
    case TABLE_NVPROF_WIDE: ok = take_wide_row(file, err); break;
    case TABLE_TIMES:
    case TABLE_TRACE: ok = take_time_row(file); break;
    case TABLE_NONE:
    case TABLES: BUG("a row outside of a table");
    }
    file->is_first_row = false;
    return ok;
}

/* ---- detection of rows ---- */

/* Start of a possible header in the line. Outside tables, it may follow program output without a
 * line terminator. */
static const char *
header_start(const struct profile_file *file)
{
    static const char *const quoted[] = {"\"ID\",",      "\"Process ID\",", "\"Device\",",
                                         "\"Time(%)\",", "\"Type\",",       "\"Start\","};
    static const char *const plain[] = {"ID,",   "Process ID,", "Device,", "Time(%),",
                                        "Type,", "Start,",      ",ID,"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof quoted / sizeof quoted[0]; i++) {
        const char *at = file->table == TABLE_NONE ? strstr(file->text, quoted[i]) : file->text;
        if (at && !strncmp(at, quoted[i], strlen(quoted[i])) && (!first || at < first))
            first = at;
    }
    if (first)
        return first;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (!strncmp(file->text, plain[i], strlen(plain[i])))
            return file->text;
    return NULL;
}

/* Recognizes other pages of NVIDIA's tools by words in their header. */
static const char *
find_page(const char *text)
{
    static const struct {
        const char *words[2], *is;
    } pages[] = {
        {{"\"Source\"", "\"Address\""},
         "the source page of ncu, with counters per instruction: export a table of kernels with "
         "`ncu --csv --page raw -i REPORT`"},
        {{"\"Source\"", "Sampling"},
         "the source page of ncu, with counters per source line: export a table of kernels with "
         "`ncu --csv --page raw -i REPORT`"},
        {{"Total Time (ns)", "Instances"},
         "a summary of nsys, which contains times but no counters: use `ncu --csv --page raw`"},
    };
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        if (strstr(text, pages[i].words[0]) && strstr(text, pages[i].words[1]))
            return pages[i].is;
    return NULL;
}

/* ---- unknown tables ---- */

void
profile_file_end_other(struct profile_file *file)
{
    const unsigned long long first = file->other_first, last = file->other_last;
    if (!first)
        return;
    char lines[64], what[256];
    if (first == last)
        snprintf(lines, sizeof lines, "line %llu is", first);
    else
        snprintf(lines, sizeof lines, "lines %llu to %llu are", first, last);
    if (file->other_page)
        snprintf(what, sizeof what, "%s", file->other_page);
    else
        snprintf(what, sizeof what, "a table with a column %s, not from nvprof or ncu",
                 file->other_column);
    profile_note(profile_file_part(file), "%s: %s %s; ignored", file->path, lines, what);
    file->other_first = 0;
}

/* Starts an unknown table. If its header has another number of cells than the current table, the
 * current table continues after it, because programs may print between rows. */
static void
begin_other(struct profile_file *file, bool ends_table)
{
    const struct profile_cell *first = &file->cells.items[0];
    if (ends_table || file->cells.count == file->cell_count)
        file->table = TABLE_NONE;
    if (!file->other_first) {
        file->other_first = file->record_line;
        snprintf(file->other_column, sizeof file->other_column, "%.*s",
                 (int)(first->end - first->begin), file->text + first->begin);
        file->other_page = find_page(file->text);
    }
    file->other_last = file->line;
}

/* Whether the cells may be column titles: all cells are words. The cells are not yet terminated. */
static bool
are_titles(const struct profile_file *file)
{
    for (size_t i = 0; i < file->cells.count; i++) {
        const struct profile_cell *cell = &file->cells.items[i];
        if (cell->begin == cell->end || strchr("0123456789+-., %", file->text[cell->begin]))
            return false;
    }
    return file->cells.count >= 2;
}

/* Whether the first cell looks like the first column of the current table. That column may be a
 * device of nvprof ("Tesla K40c (0)"), a type of times, or a kernel. In all other tables it is a
 * number. The cells are not yet terminated. */
static bool
begins_as_row(const struct profile_file *file)
{
    const struct profile_cell *cell = &file->cells.items[0];
    char first[160];
    snprintf(first, sizeof first, "%.*s", (int)(cell->end - cell->begin), file->text + cell->begin);
    if (file->roles[ROLE_KERNEL] == 0)
        return true;
    if (file->roles[ROLE_TYPE] == 0)
        return !strcmp(first, "GPU activities") || !strcmp(first, "API calls") ||
               !strncmp(first, "Open", 4);
    if (file->roles[ROLE_DEVICE] == 0) {
        const char *number = strrchr(first, '(');
        return number && !strcmp(number + 1 + strspn(number + 1, "0123456789"), ")");
    }
    return isdigit((unsigned char)*first) || (file->is_first_row && number_time_unit(first) > 0);
}

/* Whether a quote is open at the end of the line. */
static bool
has_open_quote(const struct profile_file *file)
{
    bool is_open = false;
    for (size_t i = 0; i < file->length; i++)
        is_open ^= file->text[i] == '"';
    return is_open;
}

/* Start of a possible row in the line, or NULL. */
static const char *
row_start(const struct profile_file *file)
{
    const char *text = file->text;
    if (*text == '"')
        return text;
    if (!file->is_quoted || file->table == TABLE_TIMES || file->table == TABLE_TRACE)
        return strchr(text, ',') ? text : NULL;
    const char *quote = has_open_quote(file) ? NULL : strstr(text, "\",\"");
    /* nvprof does not quote the values of its rows. */
    const bool is_nvprof = file->table == TABLE_NVPROF_LONG || file->table == TABLE_NVPROF_WIDE;
    return quote && (is_nvprof || text[file->length - 1] == '"') ? strchr(text, '"') : NULL;
}

/* Splits a row. Sets *is_row if the row has as many cells as the header. A malformed row is an
 * error, unless it may belong to an unknown table. */
static bool
split_row(struct profile_file *file, size_t at, bool *is_row, struct error *err)
{
    const bool is_glued = at > 0, is_other = file->other_first > 0;
    if (is_other && has_open_quote(file))
        return true;
    if (!profile_file_cells(file, at, err))
        return is_glued || is_other;
    const size_t count = file->cells.count;
    /* Unquoted names may contain commas. */
    const int32_t name = file->roles[ROLE_KERNEL];
    if (!file->is_quoted && file->table == TABLE_TIMES && count > file->cell_count &&
        (uint32_t)name + 1 == file->cell_count) {
        file->cells.items[name].end = file->length;
        file->cells.count = file->cell_count;
    }
    const bool is_title = are_titles(file) && !begins_as_row(file);
    if (is_title && !is_glued)
        begin_other(file, false);
    *is_row =
        !is_title && file->cells.count == file->cell_count && (!is_glued || begins_as_row(file));
    const char first = file->text[at];
    if (*is_row || is_title || is_glued || is_other ||
        (first != '"' && !isdigit((unsigned char)first)))
        return true;
    size_t end = file->length; /* position of the missing cell or of the first extra cell */
    if (count > file->cell_count) {
        end = file->cells.items[file->cell_count].begin;
        end -= file->text[end - 1] == '"';
    }
    return profile_file_fail(file, end, err, "%zu cell%s, but the header has %u", count,
                             plural(count), file->cell_count);
}

bool
profile_file_table_line(struct profile_file *file, bool *taken, struct error *err)
{
    const char *header = header_start(file);
    *taken = true;
    if (header) {
        const size_t at = (size_t)(header - file->text);
        const bool is_quoted = *header == '"';
        if (!profile_file_cells(file, at, err))
            return false;
        profile_file_end_cells(file);
        if (begin_table(file)) {
            profile_file_end_other(file);
            file->is_quoted = is_quoted;
        } else if (at == 0 && are_titles(file)) {
            begin_other(file, true);
        } else {
            file->table = TABLE_NONE;
        }
        return true;
    }
    const char *banner = profile_file_banner(file);
    if (!file->text[0] || banner) {
        /* nvprof's messages and empty lines end its tables. ncu prints messages between rows. */
        if (banner ? isdigit((unsigned char)banner[2]) : file->table < TABLE_NCU_LONG)
            file->table = TABLE_NONE;
        profile_file_end_other(file);
        *taken = false;
        return true;
    }
    if (file->table == TABLE_NONE && !file->page)
        file->page = find_page(file->text);
    const char *start = file->table == TABLE_NONE ? NULL : row_start(file);
    bool is_row = false;
    if (start && !split_row(file, (size_t)(start - file->text), &is_row, err))
        return false;
    if (file->other_first && !is_row && strchr(file->text, ',')) {
        file->other_last = file->line;
        return true;
    }
    profile_file_end_other(file);
    *taken = is_row;
    if (!is_row)
        return true;
    profile_file_end_cells(file);
    return take_row(file, err);
}
