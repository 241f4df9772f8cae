#include "model/row.h"

#include "base/csv_reader.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/plural.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct field {
    const char *name;
    size_t offset;
    bool is_text;
} fields[] = {
#define MODEL_TEXT(name, doc)         {#name, offsetof(struct model_row, name), true},
#define MODEL_NUMBER(name, unit, doc) {#name, offsetof(struct model_row, name), false},
#include "model/row.def"
#undef MODEL_TEXT
#undef MODEL_NUMBER
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static const char label_start[] = "model ";

const struct model_sweep_info model_sweeps[MODEL_SWEEPS] = {
#define MODEL_SWEEP(name, stage, chart, ...) {#name, stage, chart, {__VA_ARGS__}},
#include "model/sweeps.def"
#undef MODEL_SWEEP
};

static const struct field *
field_find(const char *name)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (!strcmp(fields[i].name, name))
            return &fields[i];
    return NULL;
}

static double *
number_of(const struct model_row *row, const struct field *field)
{
    return (double *)((char *)(uintptr_t)row + field->offset);
}

static char *
text_of(const struct model_row *row, const struct field *field)
{
    return (char *)(uintptr_t)row + field->offset;
}

/* Whether the field is absent from a draw's label: the renderer and the times. */
static bool
is_measured(const struct field *field)
{
    return field->offset == offsetof(struct model_row, renderer) ||
           field->offset == offsetof(struct model_row, rate) ||
           field->offset == offsetof(struct model_row, clock) ||
           field->offset == offsetof(struct model_row, seconds) ||
           field->offset == offsetof(struct model_row, spread);
}

/* Whether the field is no column of measurements. */
static bool
is_of_workloads(const struct field *field)
{
    return field->offset == offsetof(struct model_row, pipes);
}

static bool
complain(const char *name, bool of_workloads, struct error *err)
{
    struct nearest nearest = {.wanted = name};
    for (size_t i = 0; i < FIELDS; i++)
        if (of_workloads || !is_of_workloads(&fields[i]))
            nearest_offer(&nearest, fields[i].name);
    const bool found = nearest_found(&nearest);
    return fail(err, "'%.40s' is not a column of measurements%s%s%s", name,
                found ? "; did you mean " : "", found ? nearest.best : "", found ? "?" : "");
}

enum model_sweep
model_sweep_find(const char *name)
{
    enum model_sweep sweep = 0;
    while (sweep < MODEL_SWEEPS && strcmp(model_sweeps[sweep].name, name) != 0)
        sweep++;
    return sweep;
}

bool
model_row_is_of(const struct model_row *row, enum model_sweep sweep)
{
    return !strcmp(row->sweep, model_sweeps[sweep].name);
}

bool
model_sweep_check(const char *name, struct error *err)
{
    char names[128] = "";
    for (size_t i = 0, at = 0; i < MODEL_SWEEPS && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "",
                               model_sweeps[i].name);
    return model_sweep_find(name) < MODEL_SWEEPS ||
           fail(err, "unknown sweep '%.40s': expected one of %s", name, names);
}

bool
model_is_power_of_two(double size)
{
    int exponent;
    return frexp(size, &exponent) == 0.5;
}

bool
model_row_set(struct model_row *row, const char *name, const char *value, struct error *err)
{
    const struct field *field = field_find(name);
    if (!field)
        return complain(name, true, err);
    if (field->is_text) {
        if (strlen(value) >= MODEL_TEXT_BYTES || strpbrk(value, ",\"\n"))
            return fail(err, "%s: expected a text of at most %d bytes without commas and quotes",
                        name, MODEL_TEXT_BYTES - 1);
        strcpy(text_of(row, field), value);
        return true;
    }
    char *end;
    const double number = *value ? strtod(value, &end) : 0;
    if (*value && (*end || end == value || !isfinite(number) || number < 0))
        return fail(err, "%s: '%.40s' is not a number of at least 0", name, value);
    *number_of(row, field) = number;
    return true;
}

void
model_row_label(const struct model_row *row, char *label, size_t size)
{
    size_t at = (size_t)snprintf(label, size, "%s", label_start);
    for (size_t i = 0; i < FIELDS && at < size; i++) {
        const struct field *field = &fields[i];
        if (is_measured(field) || is_of_workloads(field))
            continue;
        if (field->is_text && *text_of(row, field))
            at +=
                (size_t)snprintf(label + at, size - at, "%s=%s ", field->name, text_of(row, field));
        else if (!field->is_text && *number_of(row, field) > 0)
            at += (size_t)snprintf(label + at, size - at, "%s=%.9g ", field->name,
                                   *number_of(row, field));
    }
}

bool
model_row_from_label(struct model_row *row, const char *label)
{
    *row = (struct model_row){0};
    if (strncmp(label, label_start, strlen(label_start)) != 0)
        return false;
    char *copy = mem_strdup(label + strlen(label_start)), *rest = copy;
    bool ok = true;
    for (char *word; ok && (word = strsep(&rest, " /"));) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = '\0';
        ok = model_row_set(row, word, value, NULL);
    }
    free(copy);
    return ok && *row->sweep;
}

void
model_rows_header(FILE *out)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (!is_of_workloads(&fields[i]))
            fprintf(out, "%s%s", i ? "," : "", fields[i].name);
    putc('\n', out);
}

void
model_row_print(const struct model_row *row, FILE *out)
{
    for (size_t i = 0; i < FIELDS; i++) {
        if (is_of_workloads(&fields[i]))
            continue;
        if (i)
            putc(',', out);
        if (fields[i].is_text)
            fputs(text_of(row, &fields[i]), out);
        else if (*number_of(row, &fields[i]) > 0)
            fprintf(out, "%.9g", *number_of(row, &fields[i]));
    }
    putc('\n', out);
}

void
model_rows_print(const struct model_rows *rows, FILE *out)
{
    model_rows_header(out);
    for (size_t i = 0; i < rows->count; i++)
        model_row_print(&rows->items[i], out);
}

/* ---- CSV ---- */

/* Maps the columns of the first line to fields; NULL means `fps`. */
static bool
read_header(const struct csv_reader *reader, const struct field **columns, uint32_t *count,
            struct error *err)
{
    bool has_sweep = false, has_fragments = false, has_time = false;
    *count = 0;
    for (size_t i = 0; i < reader->cells.count; i++) {
        const char *name = reader->cells.items[i];
        const bool is_fps = !strcmp(name, "fps");
        if (*count == FIELDS + 1)
            return fail(err, "more than %d columns", FIELDS + 1);
        const struct field *field = is_fps ? NULL : field_find(name);
        if (!is_fps && (!field || is_of_workloads(field)))
            return complain(name, false, err);
        for (uint32_t c = 0; c < *count; c++)
            if (columns[c] == field)
                return fail(err, "the column %s occurs twice", name);
        columns[(*count)++] = field;
        has_sweep = has_sweep || !strcmp(name, "sweep");
        has_fragments = has_fragments || !strcmp(name, "fragments");
        has_time = has_time || is_fps || !strcmp(name, "seconds");
    }
    return (has_sweep && has_fragments && has_time) || fail(err, "the column %s is missing",
                                                            !has_sweep       ? "sweep"
                                                            : !has_fragments ? "fragments"
                                                                             : "seconds (or fps)");
}

static bool
set_rate(struct model_row *row, const char *value, struct error *err)
{
    char *end;
    const double rate = strtod(value, &end);
    if (!*value)
        return true;
    if (*end || !isfinite(rate) || !(rate > 0))
        return fail(err, "fps: '%.40s' is not a number above 0", value);
    row->seconds = 1 / rate;
    return true;
}

static bool
has_columns(const struct model_row *row, struct error *err)
{
    const enum model_sweep sweep = model_sweep_find(row->sweep);
    if (sweep == MODEL_SWEEPS)
        return model_sweep_check(row->sweep, err);
    for (uint32_t i = 0; i < MODEL_SWEEP_COLUMNS && model_sweeps[sweep].columns[i]; i++) {
        const struct field *field = field_find(model_sweeps[sweep].columns[i]);
        if (field->is_text ? !*text_of(row, field) : !(*number_of(row, field) > 0))
            return fail(err, "a row of sweep %s has no value for %s", row->sweep, field->name);
    }
    return true;
}

static bool
read_row(struct model_row *row, const struct csv_reader *reader, const struct field *const *columns,
         uint32_t count, struct error *err)
{
    const size_t cells = reader->cells.count;
    *row = (struct model_row){0};
    for (uint32_t at = 0; at < cells; at++) {
        const char *value = reader->cells.items[at];
        if (at == count)
            return fail(err, "more fields than columns");
        if (columns[at] ? !model_row_set(row, columns[at]->name, value, err)
                        : !set_rate(row, value, err))
            return false;
    }
    if (cells < count)
        return fail(err, "%zu field%s, but %u column%s", cells, plural(cells), count,
                    plural(count));
    if (!*row->sweep)
        return fail(err, "sweep is empty");
    if (!(row->fragments > 0))
        return fail(err, "fragments must be above 0");
    return has_columns(row, err);
}

/* Whether all cells of the row for a time are empty. */
static bool
lacks_time(const struct csv_reader *reader, const struct field *const *columns, uint32_t count)
{
    for (uint32_t at = 0; at < count; at++) {
        const bool is_time =
            !columns[at] || columns[at]->offset == offsetof(struct model_row, seconds);
        if (is_time && *reader->cells.items[at])
            return false;
    }
    return true;
}

/* Adds a row of the file `path` to the measurements or to the missing points. */
static bool
add_row(struct model_rows *rows, struct model_missing *missing, const char *path,
        const struct csv_reader *reader, const struct field *const *columns, uint32_t count,
        struct error *err)
{
    struct model_row row;
    if (!read_row(&row, reader, columns, count, err))
        return false;
    if (missing && lacks_time(reader, columns, count)) {
        const struct model_point point = {path, (uint32_t)reader->line, row};
        VEC_PUSH(missing, point);
        return true;
    }
    if (!(row.seconds > 0))
        return fail(err, "seconds must be above 0");
    VEC_PUSH(rows, row);
    return true;
}

static bool
is_blank(const struct csv_reader *reader)
{
    const char *cell = reader->cells.items[0];
    return reader->cells.count == 1 && !cell[strspn(cell, " \r")];
}

bool
model_rows_read(struct model_rows *rows, const char *path, struct error *err)
{
    return model_rows_read_some(rows, NULL, path, err);
}

bool
model_rows_read_some(struct model_rows *rows, struct model_missing *missing, const char *path,
                     struct error *err)
{
    const struct field *columns[FIELDS + 1];
    uint32_t count = 0;
    char *text;
    size_t size;
    if (!file_read(path, FILE_MOST_FACTS, &text, &size, err))
        return false;
    bool ok = strlen(text) == size || fail(err, "%s is not a text file", path);
    ok = ok && (size || fail(err, "%s is empty", path));
    struct csv_reader reader = csv_reader_of(text, size);
    enum csv_record is;
    while (ok && (is = csv_reader_next(&reader)) != CSV_END) {
        if (is == CSV_BAD_QUOTE)
            ok = fail(err, "misplaced quote");
        else if (reader.line == 1)
            ok = read_header(&reader, columns, &count, err);
        else if (!is_blank(&reader))
            ok = add_row(rows, missing, path, &reader, columns, count, err);
        if (!ok)
            fail_prefix(err, "%s:%llu", path, (unsigned long long)reader.line);
    }
    csv_reader_fini(&reader);
    free(text);
    return ok;
}
