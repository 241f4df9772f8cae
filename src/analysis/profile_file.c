#include "analysis/profile_file.h"

#include "base/csv_reader.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Largest record in bytes. A longer record has a quote that is never closed. */
enum { MOST_RECORD = 1 << 24 };

bool
profile_file_fail(const struct profile_file *file, size_t at, struct error *err, const char *fmt,
                  ...)
{
    char what[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    uint64_t line = file->record_line;
    size_t start = 0;
    for (size_t i = 0; i < at && i < file->length; i++)
        if (file->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    return fail(err, "%s:%llu:%zu: %s", file->path, (unsigned long long)line, at - start + 1, what);
}

/* Detects binary files of these tools by their first bytes. */
static bool
is_text(const struct profile_file *file, struct error *err)
{
    const char *text = file->text;
    if (file->length >= 4 && !memcmp(text, "NVR\0", 4))
        return fail(err, "%s is an ncu report: convert it with `ncu --csv --page raw -i %s`",
                    file->path, file->path);
    if (file->length >= 6 && !memcmp(text, "SQLite", 6))
        return fail(err, "%s is an nvprof database: convert it with `nvprof --csv -i %s`",
                    file->path, file->path);
    if (file->length >= 2 && (!memcmp(text, "\377\376", 2) || !memcmp(text, "\376\377", 2)))
        return fail(err, "%s is UTF-16: convert it with `iconv -f UTF-16 -t UTF-8 %s`", file->path,
                    file->path);
    return true;
}

bool
profile_file_open(struct profile_file *file, const char *path, struct error *err)
{
    const int fd = file_open(path, err);
    if (fd < 0)
        return false;
    *file = (struct profile_file){.path = path,
                                  .text_kernel = -1,
                                  .text_launch = -1,
                                  .names = mem_array(PROFILE_NAMES, sizeof *file->names)};
    file->in = fdopen(fd, "r");
    if (!file->in)
        mem_exhausted("file");
    return true;
}

void
profile_file_close(struct profile_file *file)
{
    fclose(file->in);
    free(file->text);
    VEC_FREE(&file->cells);
    for (size_t i = 0; i < file->columns.count; i++)
        free(file->columns.items[i].name);
    VEC_FREE(&file->columns);
    for (uint32_t i = 0; i < PROFILE_NAMES; i++)
        free(file->names[i].name);
    free(file->names);
    free(file->keys);
}

/* Appends a line to the record. */
static bool
read_more(struct profile_file *file, struct error *err)
{
    static const char *const none = "";
    char *line = NULL;
    size_t capacity = 0;
    /* A new record is read directly into its buffer, without a copy. */
    const bool is_new = file->length == 0;
    errno = 0;
    const ssize_t n = is_new ? getline(&file->text, &file->capacity, file->in)
                             : getline(&line, &capacity, file->in);
    if (n < 0) {
        free(line);
        if (ferror(file->in))
            return fail(err, "%s: %s", file->path, strerror(errno));
        snprintf(err->text, sizeof err->text, "%s", none);
        return false;
    }
    if (!is_new) {
        if (file->length + (size_t)n + 1 > file->capacity) {
            file->capacity = 2 * (file->length + (size_t)n + 1);
            file->text = mem_realloc(file->text, file->capacity);
        }
        memcpy(file->text + file->length, line, (size_t)n + 1);
        free(line);
    }
    file->length += (size_t)n;
    file->line++;
    return true;
}

bool
profile_file_line(struct profile_file *file, struct error *err)
{
    file->length = 0;
    if ((file->line & 0xfff) == 0 && !interrupt_check(err))
        return false;
    if (!read_more(file, err))
        return false;
    file->record_line = file->line;
    if (file->line == 1) {
        if (!is_text(file, err))
            return false;
        if (file->length >= 3 && !memcmp(file->text, "\357\273\277", 3)) {
            file->length -= 3;
            memmove(file->text, file->text + 3, file->length + 1);
        }
    }
    while (file->length &&
           (file->text[file->length - 1] == '\n' || file->text[file->length - 1] == '\r'))
        file->text[--file->length] = '\0';
    /* Replaces embedded NULs, which would end the text early. */
    for (char *nul = file->text; (nul = memchr(nul, 0, file->length - (size_t)(nul - file->text)));)
        *nul = ' ';
    return true;
}

/* Finds the closing quote of a cell that opened before `at`. Reads more lines as needed. */
static bool
find_quote(struct profile_file *file, size_t at, struct profile_cell *cell, struct error *err)
{
    for (;;) {
        const char *quote =
            csv_closing_quote(file->text + at, file->text + file->length, &cell->has_quotes);
        if (!quote) {
            const size_t length = file->length;
            struct error end;
            if (length < MOST_RECORD) {
                file->text[file->length++] = '\n'; /* replaces the NUL at the end */
                if (read_more(file, &end)) {
                    while (file->text[file->length - 1] == '\n' ||
                           file->text[file->length - 1] == '\r')
                        file->length--;
                    file->text[file->length] = '\0';
                    at = length;
                    continue;
                }
                file->text[file->length = length] = '\0';
            }
            return profile_file_fail(file, cell->begin - 1, err, "unclosed quote");
        }
        cell->end = (size_t)(quote - file->text);
        return true;
    }
}

bool
profile_file_cells(struct profile_file *file, size_t at, struct error *err)
{
    file->cells.count = 0;
    for (;; at++) {
        struct profile_cell cell = {.begin = at};
        if (at < file->length && file->text[at] == '"') {
            cell.begin = at + 1;
            if (!find_quote(file, cell.begin, &cell, err))
                return false;
            at = cell.end + 1;
            if (at < file->length && file->text[at] != ',')
                return profile_file_fail(file, at, err, "expected a comma after the closing quote");
        } else {
            const char *comma = memchr(file->text + at, ',', file->length - at);
            at = comma ? (size_t)(comma - file->text) : file->length;
            cell.end = at;
        }
        VEC_PUSH(&file->cells, cell);
        if (at >= file->length)
            return true;
    }
}

void
profile_file_end_cells(struct profile_file *file)
{
    for (size_t i = 0; i < file->cells.count; i++) {
        struct profile_cell *cell = &file->cells.items[i];
        file->text[cell->end] = '\0';
        if (cell->has_quotes)
            csv_unquote(file->text + cell->begin);
    }
}

const char *
profile_file_cell(const struct profile_file *file, int32_t cell)
{
    return cell < 0 || (size_t)cell >= file->cells.count
               ? ""
               : file->text + file->cells.items[cell].begin;
}

const char *
profile_file_banner(const struct profile_file *file)
{
    static const char *const words[] = {"NVPROF is profiling", "Profiling ",  "Event result",
                                        "Metric result",       "API calls",   "Unified Memory",
                                        "Generated result",    "Some kernel", "Warning"};
    const char *text = file->text;
    if (!strncmp(text, "==", 2))
        return text;
    while ((text = strstr(text, "=="))) {
        const char *start = text;
        const size_t digits = strspn(text += 2, "0123456789");
        if (!digits || strncmp(text + digits, "== ", 3))
            continue;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (!strncmp(text + digits + 3, words[i], strlen(words[i])))
                return start;
    }
    return NULL;
}

struct profile *
profile_file_part(struct profile_file *file)
{
    if (file->parts.count == 0)
        profile_file_new_part(file);
    return file->parts.items[file->parts.count - 1];
}

void
profile_file_new_part(struct profile_file *file)
{
    const size_t n = file->parts.count;
    if (file->key_count)
        memset(file->keys, 0, file->key_slots * sizeof *file->keys);
    file->key_count = 0;
    file->text_kernel = file->text_launch = -1;
    file->text_device = 0;
    if (n && file->parts.items[n - 1]->kernels.count == 0)
        return;
    struct profile *part = mem_alloc(sizeof *part);
    profile_init(part);
    VEC_PUSH(&file->parts, part);
    profile_add_device(part, "", file->given); /* device 0: for rows without a device */
}

static struct nvidia_metric
find_metric(struct profile_file *file, const char *name)
{
    uint32_t hash = 2166136261U;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619U;
    for (uint32_t i = 0; i < PROFILE_NAMES; i++) {
        struct profile_name *slot = &file->names[(hash + i) & (PROFILE_NAMES - 1)];
        if (slot->name && strcmp(slot->name, name))
            continue;
        if (!slot->name) {
            const struct nvidia_metric metric = nvidia_metric(name);
            if (metric.kind == METRIC_UNKNOWN_STALL)
                profile_note(profile_file_part(file), "%s: unknown stall reason in %s; ignored",
                             file->path, name);
            if (file->name_count == PROFILE_NAMES / 2)
                return metric; /* the cache is half full: this name is looked up each time */
            file->name_count++;
            *slot = (struct profile_name){mem_strdup(name), metric};
        }
        return slot->metric;
    }
    BUG("no free slot in a hash table that is half full");
}

struct nvidia_metric
profile_file_metric(struct profile_file *file, const char *name)
{
    const struct nvidia_metric metric = find_metric(file, name);
    /* nvprof has an event and a metric `inst_executed`. The event is not a repeated metric. */
    if (file->is_events && metric.kind == METRIC_FIGURE && metric.figure == FIGURE_executed_count)
        return (struct nvidia_metric){.kind = METRIC_NONE};
    return metric;
}

/* Whether the number style of `text` agrees with that of the file. */
static bool
check_style(struct profile_file *file, const char *text, struct error *err)
{
    const enum number_style style = number_style_of(text);
    if (style == NUMBER_EITHER)
        file->is_ambiguous = true;
    if (style != NUMBER_POINT && style != NUMBER_COMMA)
        return true;
    if (style == file->style) {
        if (!file->style_line)
            file->style_line = file->record_line;
        return true;
    }
    if (!file->style_line && file->style == NUMBER_POINT) {
        file->is_other_style = true;
        return fail(err, "read again");
    }
    const size_t at =
        text >= file->text && text < file->text + file->capacity ? (size_t)(text - file->text) : 0;
    return profile_file_fail(file, at, err, "number format of '%.40s' differs from line %llu", text,
                             (unsigned long long)file->style_line);
}

/* Factor for a figure of the GPU in this unit. Clocks without a unit are in kHz. */
static double
scale_of_gpu(enum nvidia_figure figure, const char *unit)
{
    if (!*unit)
        return figure == FIGURE_clock_hz || figure == FIGURE_memory_clock_hz ? 1e3 : 1;
    return *unit == 'K' ? 1e3 : *unit == 'M' ? 1e6 : *unit == 'G' ? 1e9 : 1;
}

/* Factor that converts this unit for a figure; 0: unknown unit. */
static double
scale_of(const struct nvidia_metric *metric, const char *unit)
{
    static const struct {
        const char *name;
        double scale;
    } cycles[] = {{"", 1},         {"cycle", 1},    {"cycles", 1},
                  {"Kcycle", 1e3}, {"Mcycle", 1e6}, {"Gcycle", 1e9}};
    if (metric->kind != METRIC_FIGURE || metric->figure < FIGURE_sms)
        return 1;
    if (metric->figure < FIGURE_FIRST_WEIGHT)
        return scale_of_gpu(metric->figure, unit);
    if (metric->figure == FIGURE_time_ns)
        return number_time_unit(unit);
    for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++)
        if (!strcmp(cycles[i].name, unit))
            return cycles[i].scale;
    return 0;
}

bool
profile_file_value(struct profile_file *file, struct profile_launch *launch,
                   const struct nvidia_metric *metric, const char *name, const char *text,
                   const char *unit, struct error *err)
{
    const char *rest;
    double value;
    text += strspn(text, " ");
    if (!isdigit((unsigned char)*text) && *text != '.' && *text != ',')
        return true; /* n/a, nan, empty or negative: not measured */
    if (!check_style(file, text, err))
        return false;
    const bool is_number = number_parse(text, file->style, &value, &rest);
    if (is_number && !*unit && metric->kind == METRIC_FIGURE && metric->figure == FIGURE_time_ns)
        unit = rest;
    else if (is_number && !strcmp(rest, "%"))
        rest = "";
    const double scale = scale_of(metric, unit);
    if (!is_number || (*rest && rest != unit) || scale == 0) {
        profile_note(profile_file_part(file), "%s: cannot parse '%.40s' of %s%s%.20s; ignored",
                     file->path, text, name, *unit ? " in " : "", unit);
        return true;
    }
    value *= scale * (metric->kind == METRIC_FIGURE ? metric->scale : 1);
    profile_launch_set(launch, metric, value);
    return true;
}

void
profile_file_cut_number(char *name)
{
    char *open = strrchr(name, '[');
    if (open && open > name + 1 && open[-1] == ' ' && isdigit((unsigned char)open[1]) &&
        !strcmp(open + 1 + strspn(open + 1, "0123456789"), "]"))
        open[-1] = '\0';
}
