#include "study/tables.h"

#include "base/json.h"
#include "base/log.h"
#include "base/schema.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct study_table {
    const char *name, *title, *text, *sql;
    const char *unit, *x_label, *extra;
    const char *machines, *wants; /* each may be NULL */
    bool has_plot, has_rows, splits, has_series;
    enum plot_kind kind;
    uint32_t labels;
    double mark;
};

static bool
parse_plot(struct study_table *table, const char *value, struct error *err)
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
tables_take(struct study_table *table, const char *key, const char *value, struct error *err)
{
    const struct {
        const char *key, **value;
    } texts[] = {{"title", &table->title}, {"text", &table->text},
                 {"sql", &table->sql},     {"unit", &table->unit},
                 {"x", &table->x_label},   {"gnuplot", &table->extra},
                 {"wants", &table->wants}, {"machines", &table->machines}};
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
        return !strcmp(value, "no") || fail(err, "rows = %s: expected no", value);
    }
    if (!strcmp(key, "split") || !strcmp(key, "series")) {
        *(!strcmp(key, "split") ? &table->splits : &table->has_series) = true;
        return !strcmp(value, "yes") || fail(err, "%s = %s: expected yes", key, value);
    }
    return fail(err,
                "unknown name '%s': expected sql, title, text, plot, labels, unit, x, mark, "
                "gnuplot, rows, split, series, machines or wants",
                key);
}

static bool
read_table(const struct study *study, const struct sweep_table *from, struct study_table *table,
           struct error *err)
{
    *table = (struct study_table){.name = from->name, .has_rows = true, .labels = 1};
    bool ok = true;
    for (size_t e = 0; ok && e < from->entries.count; e += 2)
        ok = tables_take(table, from->entries.items[e], from->entries.items[e + 1], err);
    ok = ok && (table->sql || fail(err, "sql = is missing"));
    return ok || fail_prefix(err, "%s: [table %s]", study->plan->path, from->name);
}

/* NaN if the cell is not a number. */
static double
number_of(const char *cell)
{
    char *end;
    const double number = strtod(cell, &end);
    return end != cell && !*end ? number : (double)NAN;
}

static char *
label_of(const struct text_table *rows, size_t row, uint32_t labels)
{
    char *label = mem_strdup(text_table_at(rows, row, 0));
    for (uint32_t c = 1; c < labels; c++) {
        char *longer = mem_printf("%s %s", label, text_table_at(rows, row, c));
        free(label);
        label = longer;
    }
    return label;
}

static bool
put_plot(const struct study *study, const struct study_table *table, const struct text_table *rows,
         struct error *err)
{
    const uint32_t labels = table->labels;
    double *values = mem_array(rows->columns + 1, sizeof *values);
    struct plot plot;
    plot_init(&plot, table->kind, table->title, table->unit);
    plot.x_label = table->x_label;
    plot.extra = table->extra;
    plot.mark = table->mark;
    for (uint32_t c = labels; c < rows->columns; c++)
        plot_add_series(&plot, text_table_at(rows, 0, c));
    for (size_t r = 1; r < text_table_rows(rows); r++) {
        char *label = label_of(rows, r, labels);
        for (uint32_t c = labels; c < rows->columns; c++)
            values[c - labels] = number_of(text_table_at(rows, r, c));
        if (table->kind == PLOT_BARS || table->kind == PLOT_STACKED)
            plot_add(&plot, label, values);
        else
            plot_add_at(&plot, number_of(label), values);
        free(label);
    }
    const bool ok = study_put_plot(study, &plot, table->name, err);
    plot_fini(&plot);
    free(values);
    return ok;
}

static void
add_json(cJSON *root, const struct study_table *table, const struct text_table *rows)
{
    cJSON *list = cJSON_AddArrayToObject(root, table->name);
    for (size_t r = 1; r < text_table_rows(rows); r++) {
        cJSON *row = cJSON_CreateObject();
        for (uint32_t c = 0; c < rows->columns; c++) {
            const char *cell = text_table_at(rows, r, c);
            const double number = number_of(cell);
            if (isfinite(number))
                cJSON_AddNumberToObject(row, text_table_at(rows, 0, c), number);
            else
                cJSON_AddStringToObject(row, text_table_at(rows, 0, c), cell);
        }
        cJSON_AddItemToArray(list, row);
    }
}

/* State of the output of all tables. */
struct output {
    const struct study *study;
    char *common; /* prefix of every query */
    FILE *page;
    cJSON *json;
    size_t made; /* number of tables */
};

static void
put_section(const struct output *out, const struct study_table *table,
            const struct text_table *rows)
{
    const bool links = table->has_plot && study_has_plot(out->study, table->name);
    fprintf(out->page, "\n## %s\n\n", table->title);
    if (table->text)
        fprintf(out->page, "%s\n\n", table->text);
    if (table->has_rows || !links)
        text_table_write(rows, TEXT_TABLE_MARKDOWN, out->page);
    if (links)
        fprintf(out->page, "%s![%s](%s.svg)\n", table->has_rows ? "\n" : "", table->title,
                table->name);
}

/* Writes a table's files and its section of the page. */
static bool
put_rows(const struct output *out, const struct study_table *table, const struct text_table *rows,
         struct error *err)
{
    char *name = mem_printf("%s.csv", table->name);
    const bool ok = study_write_sheet(out->study, name, rows, TEXT_TABLE_CSV, err) &&
                    (!table->has_plot || put_plot(out->study, table, rows, err));
    if (ok && table->title)
        put_section(out, table, rows);
    if (ok)
        add_json(out->json, table, rows);
    free(name);
    return ok;
}

/* Name of one table of `split`. Characters not allowed in file names become '_'. */
static char *
name_of_part(const char *name, const char *value)
{
    char *text = mem_printf("%s-%s", name, value);
    for (char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '_';
    return text;
}

/* Writes one table of `split`. */
static bool
put_part(const struct output *out, const struct study_table *whole, const char *value,
         const struct text_table *rows, struct error *err)
{
    struct study_table table = *whole;
    char *name = name_of_part(whole->name, value);
    char *title = whole->title ? mem_printf("%s: %s", value, whole->title) : NULL;
    table.name = name;
    table.title = title;
    const bool ok = put_rows(out, &table, rows, err);
    free(title);
    free(name);
    return ok;
}

static bool
put_answer(const struct output *out, const struct study_table *table, const struct text_table *rows,
           struct error *err)
{
    bool ok = true;
    if (!table->splits)
        return put_rows(out, table, rows, err);
    for (size_t r = 1; ok && r < text_table_rows(rows); r++) {
        struct text_table part = {0};
        const char *value = text_table_at(rows, r, 0);
        if (text_table_split(rows, value, &part) == r)
            ok = put_part(out, table, value, &part, err);
        text_table_fini(&part);
    }
    return ok;
}

/* The first machine of the table that does not exist, or NULL. The caller frees the name. */
static char *
missing_machine(const struct study *study, const struct study_table *table)
{
    struct word_list names = {0};
    char *missing = NULL;
    word_list_split(&names, table->machines ? table->machines : "");
    for (size_t i = 0; i < names.count && !missing; i++)
        if (!study_has_machine(study, names.items[i]))
            missing = mem_strdup(names.items[i]);
    word_list_fini(&names);
    return missing;
}

static bool
run_query(struct output *out, const struct study_table *table, struct error *err)
{
    struct text_table answer = {0}, wide = {0};
    char *sql = mem_printf("%s%s", out->common, table->sql);
    bool ok = study_query(out->study, sql, &answer, err);
    if (ok && table->has_series)
        ok = text_table_widen(&answer, &wide) ||
             fail(err, "series = yes requires at least two columns");
    const struct text_table *rows = table->has_series ? &wide : &answer;
    if (ok && text_table_rows(rows) < 2)
        log_note("[table %s] is omitted: no run gives it a row%s%s", table->name,
                 table->wants ? "; it requires " : "", table->wants ? table->wants : "");
    else if (ok) {
        ok = put_answer(out, table, rows, err);
        out->made++;
    }
    text_table_fini(&wide);
    text_table_fini(&answer);
    free(sql);
    return ok;
}

static bool
put_table(struct output *out, const struct sweep_table *from, struct error *err)
{
    const struct study *study = out->study;
    struct study_table table;
    if (!read_table(study, from, &table, err))
        return false;
    char *missing = missing_machine(study, &table);
    bool ok = true;
    if (missing && study->is_whole)
        ok = fail(err, "machines: unknown machine '%s'", missing);
    else if (missing)
        log_note("[table %s] is omitted: machine %s is not part of this run", table.name, missing);
    else
        ok = run_query(out, &table, err);
    free(missing);
    return ok || fail_prefix(err, "%s: [table %s]", study->plan->path, table.name);
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
    char *name = mem_printf("%s.md", study->kind->name);
    struct memory_text text;
    struct output out = {.study = study,
                         .common = common_of(study),
                         .page = memory_text_open(&text),
                         .json = cJSON_CreateObject()};
    cJSON_AddNumberToObject(out.json, "schema", AETIUS_SCHEMA);
    fprintf(out.page, "# Tables of `aetius study %s`\n", study->kind->name);
    bool ok = true;
    for (size_t i = 0; ok && i < study->plan->tables.count; i++)
        ok = put_table(&out, &study->plan->tables.items[i], err);
    char *page = memory_text_take(&text);
    ok = ok && (out.made || !study->plan->tables.count ||
                fail(err, "no table of %s uses these machines and inputs", study->plan->path));
    ok = ok && study_put_page(study, name, page, err);
    if (ok && study->json)
        json_print(out.json, stdout);
    else
        cJSON_Delete(out.json);
    free(out.common);
    free(page);
    free(name);
    return ok;
}
