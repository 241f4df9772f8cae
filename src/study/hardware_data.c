#include "study/hardware.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct field {
    const char *name;
    size_t offset;
    bool is_number;
} fields[] = {
#define TEXT(name)                                                                                 \
    {                                                                                              \
#name, offsetof(struct hardware_line, name), false                                         \
    }
#define NUMBER(name)                                                                               \
    {                                                                                              \
#name, offsetof(struct hardware_line, name), true                                          \
    }
    TEXT(card),   NUMBER(core_mhz), NUMBER(memory_mhz), TEXT(test),    NUMBER(value),
    TEXT(unit),   TEXT(bound),      TEXT(input),        TEXT(against), NUMBER(per_pixel),
    NUMBER(peak), TEXT(machine),    TEXT(source),       TEXT(place),   TEXT(note),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* Reads a number. An empty text is 0. */
static bool
read_number(const char *text, double *number)
{
    char *end;
    *number = *text ? strtod(text, &end) : 0;
    return !*text || (end != text && !*end && isfinite(*number) && *number >= 0);
}

static bool
check_line(const struct hardware *hardware, const struct hardware_line *line, const char *place,
           struct error *err)
{
    static const struct {
        const char *unit;
        bool against, per_pixel, peak;
    } units[] = {{"Mpixel/s", false, false, false},
                 {"%", true, false, false},
                 {"% of peak", false, true, true},
                 {"cycles", true, true, false}};
    size_t s = 1, u = 0;
    while (s < text_table_rows(&hardware->sources) &&
           strcmp(text_table_at(&hardware->sources, s, 0), line->source) != 0)
        s++;
    if (s == text_table_rows(&hardware->sources))
        return fail(err, "%s: unknown source '%s'", place, line->source);
    if (!hardware_is_modelled(line))
        return *line->note ||
               fail(err, "%s: a line without a machine requires a note with the reason", place);
    while (u < sizeof units / sizeof units[0] && strcmp(units[u].unit, line->unit) != 0)
        u++;
    if (u == sizeof units / sizeof units[0])
        return fail(err, "%s: unit '%s': expected Mpixel/s, %%, %% of peak or cycles", place,
                    line->unit);
    if (!*line->input || !(line->value > 0) || !(line->core_mhz > 0))
        return fail(err, "%s: a line with a machine requires an input, a value and core_mhz",
                    place);
    return (units[u].against == (*line->against != '\0') &&
            units[u].per_pixel == (line->per_pixel > 0) && units[u].peak == (line->peak > 0)) ||
           fail(err, "%s: against, per_pixel and peak do not match the unit '%s'", place,
                line->unit);
}

static bool
take_line(struct hardware *hardware, size_t row, const int32_t *columns, const char *path,
          struct error *err)
{
    struct hardware_line line = {.simulated = (double)NAN, .verdict = ""};
    char *place = mem_printf("%s, line %zu", path, row + 1);
    bool ok = true;
    for (uint32_t f = 0; ok && f < FIELDS; f++) {
        const char *text = text_table_at(&hardware->data, row, (uint32_t)columns[f]);
        void *to = (char *)&line + fields[f].offset;
        if (!fields[f].is_number)
            *(const char **)to = text;
        else
            ok = read_number(text, to) || fail(err, "%s: %s: '%s' is not a number of at least 0",
                                               place, fields[f].name, text);
    }
    ok = ok && check_line(hardware, &line, place, err);
    if (ok)
        VEC_PUSH(&hardware->lines, line);
    free(place);
    return ok;
}

bool
hardware_read(struct hardware *hardware, const char *data, const char *sources, struct error *err)
{
    int32_t columns[FIELDS];
    bool ok = text_table_read(&hardware->sources, sources, err) &&
              text_table_read(&hardware->data, data, err);
    if (ok && hardware->sources.columns != 6)
        return fail(err, "%s: expected source, title, site, year, address and seen", sources);
    for (uint32_t f = 0; ok && f < FIELDS; f++) {
        columns[f] = text_table_column(&hardware->data, fields[f].name);
        ok = columns[f] >= 0 || fail(err, "%s: no column '%s'", data, fields[f].name);
    }
    for (size_t row = 1; ok && row < text_table_rows(&hardware->data); row++)
        ok = take_line(hardware, row, columns, data, err);
    return ok;
}

void
hardware_fini(struct hardware *hardware)
{
    for (size_t i = 0; i < hardware->machines.count; i++) {
        free(hardware->machines.items[i].name);
        free(hardware->machines.items[i].preset);
    }
    VEC_FREE(&hardware->machines);
    VEC_FREE(&hardware->lines);
    text_table_fini(&hardware->data);
    text_table_fini(&hardware->sources);
}

double
hardware_error(const struct hardware_line *line)
{
    return line->simulated / line->value - 1;
}

static int
by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct hardware_score
hardware_score(const struct hardware *hardware, const char *bound)
{
    struct hardware_score score = {0};
    double *errors = mem_array(hardware->lines.count + 1, sizeof *errors);
    for (size_t i = 0; i < hardware->lines.count; i++) {
        const struct hardware_line *line = &hardware->lines.items[i];
        const bool counts = bound ? !strcmp(line->bound, bound)
                                  : strcmp(line->bound, "given") && strcmp(line->bound, "variant");
        if (!hardware_is_modelled(line) || !counts)
            continue;
        score.offset += hardware_error(line);
        score.mean += fabs(hardware_error(line));
        errors[score.lines++] = fabs(hardware_error(line));
    }
    qsort(errors, score.lines, sizeof *errors, by_size);
    if (score.lines) {
        score.mean /= score.lines;
        score.offset /= score.lines;
        score.median = (errors[score.lines / 2] + errors[(score.lines - 1) / 2]) / 2;
    }
    free(errors);
    return score;
}
