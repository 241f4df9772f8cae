#include "study/tables.h"

#include "analysis/plot.h"
#include "base/log.h"
#include "base/schema.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct table {
    const char *name, *title, *text, *sql;
    const char *unit, *x_label, *extra;
    bool has_plot, has_rows;
    enum plot_kind kind;
    uint32_t labels;
    double mark;
};

static bool
parse_plot(struct table *table, const char *value, struct error *err)
{
    static const struct {
        const char *name;
        enum plot_kind kind;
    } kinds[] = {{"bars", PLOT_BARS},
                 {"stacked", PLOT_STACKED},
                 {"lines", PLOT_LINES},
                 {"points", PLOT_POINTS}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(value, kinds[i].name)) {
            table->kind = kinds[i].kind;
            table->has_plot = true;
            return true;
        }
    return fail(err, "plot = %s: expected bars, stacked, lines or points", value);
}

static bool
take(struct table *table, const char *key, const char *value, struct error *err)
{
    const struct {
        const char *key, **value;
    } texts[] = {{"title", &table->title}, {"text", &table->text}, {"sql", &table->sql},
                 {"unit", &table->unit},   {"x", &table->x_label}, {"gnuplot", &table->extra}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!strcmp(key, texts[i].key)) {
            *texts[i].value = value;
            return true;
        }
    if (!strcmp(key, "plot"))
        return parse_plot(table, value, err);
    if (!strcmp(key, "labels")) {
        table->labels = (uint32_t)strtoul(value, NULL, 10);
        return table->labels || fail(err, "labels = %s: expected a number of columns", value);
    }
    if (!strcmp(key, "mark")) {
        table->mark = strtod(value, NULL);
        return table->mark != 0 || fail(err, "mark = %s: expected a number", value);
    }
    if (!strcmp(key, "rows")) {
        table->has_rows = false;
        return !strcmp(value, "no") || fail(err, "rows = %s: 'no' is all it can be", value);
    }
    return fail(err,
                "there is no '%s': there are sql, title, text, plot, labels, unit, x, mark, "
                "gnuplot and rows",
                key);
}

static bool
read_table(const struct study *study, const struct sweep_table *from, struct table *table,
           struct error *err)
{
    *table = (struct table){.name = from->name, .has_rows = true, .labels = 1};
    bool ok = true;
    for (size_t e = 0; ok && e < from->entries.count; e += 2)
        ok = take(table, from->entries.items[e], from->entries.items[e + 1], err);
    ok = ok && (table->sql || fail(err, "sql = is wanted"));
    return ok || fail_prefix(err, "%s: [table %s]", study->plan->path, from->name);
}

/* NaN: the cell is no number. */
static double
number_of(const char *cell)
{
    char *end;
    const double number = strtod(cell, &end);
    return end != cell && !*end ? number : (double)NAN;
}

static char *
label_of(const struct sheet *rows, size_t row, uint32_t labels)
{
    char *label = mem_strdup(sheet_at(rows, row, 0));
    for (uint32_t c = 1; c < labels; c++) {
        char *longer = mem_printf("%s %s", label, sheet_at(rows, row, c));
        free(label);
        label = longer;
    }
    return label;
}

static bool
put_plot(const struct study *study, const struct table *table, const struct sheet *rows,
         struct error *err)
{
    const uint32_t labels = table->labels;
    double *values = mem_alloc((rows->columns + 1) * sizeof *values);
    struct plot plot;
    plot_init(&plot, table->kind, table->title, table->unit);
    plot.x_label = table->x_label;
    plot.extra = table->extra;
    plot.mark = table->mark;
    for (uint32_t c = labels; c < rows->columns; c++)
        plot_add_series(&plot, sheet_at(rows, 0, c));
    for (size_t r = 1; r < sheet_rows(rows); r++) {
        char *label = label_of(rows, r, labels);
        for (uint32_t c = labels; c < rows->columns; c++)
            values[c - labels] = number_of(sheet_at(rows, r, c));
        if (table->kind == PLOT_BARS || table->kind == PLOT_STACKED)
            plot_add(&plot, label, values);
        else
            plot_add_at(&plot, number_of(label), values);
        free(label);
    }
    const bool ok = plot_write(&plot, study->sweep.dir, table->name, err);
    plot_fini(&plot);
    free(values);
    return ok;
}

static void
add_json(cJSON *root, const struct table *table, const struct sheet *rows)
{
    cJSON *list = cJSON_AddArrayToObject(root, table->name);
    for (size_t r = 1; r < sheet_rows(rows); r++) {
        cJSON *row = cJSON_CreateObject();
        for (uint32_t c = 0; c < rows->columns; c++) {
            const char *cell = sheet_at(rows, r, c);
            const double number = number_of(cell);
            if (isfinite(number))
                cJSON_AddNumberToObject(row, sheet_at(rows, 0, c), number);
            else
                cJSON_AddStringToObject(row, sheet_at(rows, 0, c), cell);
        }
        cJSON_AddItemToArray(list, row);
    }
}

/* In the page. */
static void
put_section(const struct study *study, const struct table *table, const struct sheet *rows,
            FILE *page)
{
    fprintf(page, "\n## %s\n\n", table->title);
    if (table->text)
        fprintf(page, "%s\n\n", table->text);
    if (table->has_rows)
        sheet_write(rows, SHEET_MARKDOWN, page);
    if (table->has_plot)
        fprintf(page, "%s![%s](%s/%s.svg)\n", table->has_rows ? "\n" : "", table->title,
                study->kind->name, table->name);
}

static bool
put_table(const struct study *study, const char *common, const struct sweep_table *from, FILE *page,
          cJSON *root, struct error *err)
{
    struct sheet rows = {0};
    struct table table;
    if (!read_table(study, from, &table, err))
        return false;
    char *sql = mem_printf("%s%s", common, table.sql), *name = mem_printf("%s.csv", table.name);
    const bool ok = (study_query(study, sql, &rows, err) ||
                     fail_prefix(err, "%s: [table %s]", study->plan->path, table.name)) &&
                    study_write_sheet(study, name, &rows, SHEET_CSV, err) &&
                    (!table.has_plot || put_plot(study, &table, &rows, err));
    if (ok && table.title)
        put_section(study, &table, &rows, page);
    if (ok)
        add_json(root, &table, &rows);
    sheet_fini(&rows);
    free(name);
    free(sql);
    return ok;
}

static char *
common_of(const struct study *study)
{
    const struct word_list *words = study_words(study, "common");
    char *common = mem_strdup("");
    for (size_t i = 0; i < words->count; i++) {
        char *longer = mem_printf("%s%s ", common, words->items[i]);
        free(common);
        common = longer;
    }
    return common;
}

bool
study_put_tables(const struct study *study, struct error *err)
{
    char *text, *name = mem_printf("%s.md", study->kind->name), *common = common_of(study);
    size_t size;
    FILE *page = open_memstream(&text, &size);
    BUG_ON(!page, "no memory for a page");
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    fprintf(page, "# Tables of `aetius study %s`\n", study->kind->name);
    bool ok = true;
    for (size_t i = 0; ok && i < study->plan->tables.count; i++)
        ok = put_table(study, common, &study->plan->tables.items[i], page, root, err);
    fclose(page);
    ok = ok && study_write(study, name, text, err);
    if (ok) {
        char *json = study->json ? cJSON_Print(root) : NULL;
        puts(json ? json : text);
        free(json);
        log_note("%s: %s, *.csv, *.svg", study->sweep.dir, name);
    }
    cJSON_Delete(root);
    free(common);
    free(text);
    free(name);
    return ok;
}
