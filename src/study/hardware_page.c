#include "study/hardware.h"

#include "base/json.h"
#include "base/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Errors of at least this size need an explanation. */
#define LARGE 0.2

static const struct {
    const char *name, *what;
} bounds[] = {
    {"rop", "pixels per cycle into the frame buffer (at least 90 % of ROPs x clock)"},
    {"z", "depths per cycle"},
    {"memory", "bytes per second to and from memory"},
    {"texture", "texels per cycle"},
    {"shader", "instructions per cycle"},
    {"given", "costs of flow control: parameters of the machine, not predictions"},
    {"variant", "the same, with another interpretation of the published data"},
};
enum { BOUNDS = sizeof bounds / sizeof bounds[0] };

static void
score_row(struct text_table *table, const char *name, const char *what, struct hardware_score score)
{
    text_table_cell(table, "%s", name);
    text_table_cell(table, "%u", score.lines);
    text_table_cell(table, "%.1f", 100 * score.mean);
    text_table_cell(table, "%.1f", 100 * score.median);
    text_table_cell(table, "%+.1f", 100 * score.offset);
    text_table_cell(table, "%s", what);
    text_table_end_row(table);
}

static void
put_scores(const struct hardware *hardware, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(&table, "bound by|lines|mean error %|median error %|mean signed error %|work");
    text_table_end_row(&table);
    for (uint32_t b = 0; b < BOUNDS; b++) {
        const struct hardware_score score = hardware_score(hardware, bounds[b].name);
        if (score.lines)
            score_row(&table, bounds[b].name, bounds[b].what, score);
    }
    score_row(&table, "all except given, variant", "", hardware_score(hardware, NULL));
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

static void
put_lines(const struct hardware *hardware, enum text_table_style style, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(
        &table, "card|MHz|test|unit|measured|simulated|error %|bound by|machine bound by|source");
    text_table_end_row(&table);
    for (size_t i = 0; i < hardware->lines.count; i++) {
        const struct hardware_line *line = &hardware->lines.items[i];
        if (!hardware_is_modelled(line))
            continue;
        text_table_cell(&table, "%s", line->card);
        text_table_cell(&table, "%g/%g", line->core_mhz, line->memory_mhz);
        text_table_cell(&table, "%s", line->test);
        text_table_cell(&table, "%s", line->unit);
        text_table_cell(&table, "%g", line->value);
        text_table_cell(&table, "%.*f", line->value < 200 ? 1 : 0, line->simulated);
        text_table_cell(&table, "%+.1f", 100 * hardware_error(line));
        text_table_cell(&table, "%s", line->bound);
        text_table_cell(&table, "%s", line->verdict);
        text_table_cell(&table, "%s", line->source);
        text_table_end_row(&table);
    }
    text_table_put(&table, style, out);
}

static void
put_reasons(const struct hardware *hardware, FILE *out)
{
    for (size_t i = 0; i < hardware->lines.count; i++) {
        const struct hardware_line *line = &hardware->lines.items[i];
        if (!hardware_is_modelled(line) || fabs(hardware_error(line)) < LARGE)
            continue;
        fprintf(out,
                "- %s, %s: %+.1f %%. The machine is bound by %s; %.1f %% of the work's cycles are "
                "attributed to %s",
                line->card, line->test, 100 * hardware_error(line), line->verdict,
                100 * line->shares[0], line->causes[0]);
        if (line->shares[1] > 0.01)
            fprintf(out, ", %.1f %% to %s", 100 * line->shares[1], line->causes[1]);
        fputs(".\n", out);
    }
}

static void
put_unmodelled(const struct hardware *hardware, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(&table, "card|test|measured|unit|source|reason");
    text_table_end_row(&table);
    for (size_t i = 0; i < hardware->lines.count; i++) {
        const struct hardware_line *line = &hardware->lines.items[i];
        if (hardware_is_modelled(line))
            continue;
        text_table_cell(&table, "%s", line->card);
        text_table_cell(&table, "%s", line->test);
        text_table_cell(&table, "%g", line->value);
        text_table_cell(&table, "%s", line->unit);
        text_table_cell(&table, "%s", line->source);
        text_table_cell(&table, "%s", line->note);
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

static void
put_machines(const struct hardware *hardware, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(&table, "machine|preset|MHz|fragment pipes|ROPs|bytes per cycle|GB/s");
    text_table_end_row(&table);
    for (size_t i = 0; i < hardware->machines.count; i++) {
        const struct hardware_machine *machine = &hardware->machines.items[i];
        text_table_cell(&table, "%s", machine->name);
        text_table_cell(&table, "%s", machine->preset);
        text_table_cell(&table, "%g", machine->clock_mhz);
        text_table_cell(&table, "%u", machine->pipes);
        text_table_cell(&table, "%u", machine->rops);
        text_table_cell(&table, "%g", machine->bytes);
        text_table_cell(&table, "%.1f", machine->bytes * machine->clock_mhz / 1000);
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

static void
put_notes(const struct hardware *hardware, FILE *out)
{
    for (size_t i = 0; i < hardware->lines.count; i++) {
        const struct hardware_line *line = &hardware->lines.items[i];
        if (hardware_is_modelled(line) && *line->note)
            fprintf(out, "- %s, %s: %s.\n", line->card, line->test, line->note);
    }
}

static void
put_sources(const struct hardware *hardware, FILE *out)
{
    const struct text_table *sources = &hardware->sources;
    for (size_t row = 1; row < text_table_rows(sources); row++) {
        fprintf(out, "- **%s**: %s. %s, %s.", text_table_at(sources, row, 0),
                text_table_at(sources, row, 1), text_table_at(sources, row, 2),
                text_table_at(sources, row, 3));
        if (*text_table_at(sources, row, 4))
            fprintf(out, " <%s>.", text_table_at(sources, row, 4));
        fprintf(out, " Read: %s.\n", text_table_at(sources, row, 5));
    }
}

void
hardware_page(const struct hardware *hardware, FILE *out)
{
    fputs("# Real cards\n\n"
          "`aetius study hardware` generates this page. It compares published measurements of "
          "graphics\n"
          "cards with simulations of machines that have the same clocks and widths.\n\n"
          "`studies/data/hardware.csv` holds the measurements, each with its source and, if the "
          "page was\n"
          "read, the place on it. `studies/hardware.ini` defines the machines, with the sources of "
          "their\n"
          "clocks and widths. A *variant* shows the effect of another group size.\n\n"
          "An input (`benchmarks/gl/rates`) renders full-screen layers of one kind of work. The "
          "last frame\n"
          "has twice as many layers as the frame before. The difference of their times is the "
          "time of\n"
          "the work. *Error* is (simulated - measured) / measured; the first mean and the median "
          "are of\n"
          "its absolute value.\n\n",
          out);
    put_scores(hardware, out);
    if (hardware->has_plot)
        fputs("\n![measured and simulated](measured.svg)\n", out);
    fputs("\n## Measurements\n\n"
          "*Bound by*: the limit of the card, from its source or from its widths and clocks.\n"
          "*Machine bound by*: the verdict of `aetius topdown` for the last frame, that is, the "
          "resource\n"
          "with the largest expected gain.\n\n",
          out);
    put_lines(hardware, TEXT_TABLE_MARKDOWN, out);
    fputs("\n", out);
    put_notes(hardware, out);
    fprintf(out,
            "\n## Errors of %.0f %% and more\n\n"
            "`docs/topdown.md` explains the causes. The notes above explain known differences.\n\n",
            100 * LARGE);
    put_reasons(hardware, out);
    fputs("\n## What is not modelled\n\n", out);
    put_unmodelled(hardware, out);
    fputs("\n## Machines\n\n", out);
    put_machines(hardware, out);
    fputs("\n## Sources\n\n", out);
    put_sources(hardware, out);
}

void
hardware_csv(const struct hardware *hardware, FILE *out)
{
    put_lines(hardware, TEXT_TABLE_CSV, out);
}

static cJSON *
score_json(struct hardware_score score)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "lines", score.lines);
    cJSON_AddItemToObject(object, "mean", json_decimals(score.mean, 4));
    cJSON_AddItemToObject(object, "median", json_decimals(score.median, 4));
    cJSON_AddItemToObject(object, "signed", json_decimals(score.offset, 4));
    return object;
}

static cJSON *
line_json(const struct hardware_line *line)
{
    cJSON *object = cJSON_CreateObject();
    const struct {
        const char *name, *text;
    } texts[] = {{"card", line->card},       {"test", line->test},
                 {"unit", line->unit},       {"bound_by", line->bound},
                 {"machine", line->machine}, {"machine_bound_by", line->verdict},
                 {"source", line->source}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cJSON_AddStringToObject(object, texts[i].name, texts[i].text);
    cJSON_AddNumberToObject(object, "measured", line->value);
    cJSON_AddItemToObject(object, "simulated", json_decimals(line->simulated, 4));
    cJSON_AddItemToObject(object, "error", json_decimals(hardware_error(line), 4));
    return object;
}

void
hardware_json(const struct hardware *hardware, FILE *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON_AddItemToObject(root, "all", score_json(hardware_score(hardware, NULL)));
    for (uint32_t b = 0; b < BOUNDS; b++)
        cJSON_AddItemToObject(root, bounds[b].name,
                              score_json(hardware_score(hardware, bounds[b].name)));
    cJSON *measurements = cJSON_AddArrayToObject(root, "measurements");
    for (size_t i = 0; i < hardware->lines.count; i++)
        if (hardware_is_modelled(&hardware->lines.items[i]))
            cJSON_AddItemToArray(measurements, line_json(&hardware->lines.items[i]));
    json_put(root, out);
    putc('\n', out);
}
