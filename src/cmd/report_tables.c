/* Tables for the report page, from sweeps, and from CSV files of studies and of benchmark
 * histories. */
#include "base/file.h"
#include "cmd/report.h"
#include "sweep/database.h"
#include "sweep/tradeoffs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE = 1 << 26 };

/* ---- sweeps ---- */

bool
report_is_sweep(const char *dir)
{
    return file_exists_in(dir, "sweep.json");
}

struct outputs {
    struct text_table rows; /* columns: name, better */
};

static const char *
output_name(const struct outputs *outputs, size_t i)
{
    return outputs->rows.cells.items[2 * (i + 1)];
}

static size_t
output_count(const struct outputs *outputs)
{
    return outputs->rows.cells.count / 2 - 1;
}

static cJSON *
facts_of(const struct outputs *outputs, const char *title, const char *note)
{
    cJSON *facts = cJSON_CreateObject(), *better = cJSON_AddObjectToObject(facts, "better");
    cJSON_AddStringToObject(facts, "title", title);
    cJSON_AddStringToObject(facts, "note", note);
    /* the page omits sections from names that stay unique */
    cJSON_AddTrueToObject(facts, "sections");
    for (size_t i = 0; i < output_count(outputs); i++)
        cJSON_AddStringToObject(better, output_name(outputs, i),
                                outputs->rows.cells.items[2 * (i + 1) + 1]);
    if (output_count(outputs))
        cJSON_AddStringToObject(facts, "y", output_name(outputs, 0));
    if (output_count(outputs) > 1)
        cJSON_AddStringToObject(facts, "x", output_name(outputs, output_count(outputs) - 1));
    return facts;
}

static bool
add_answer(cJSON *page, const struct sweep *sweep, sqlite3 *db, const char *sql, const char *name,
           cJSON *facts, struct error *err)
{
    struct text_table rows = {0};
    const bool ok = database_query(sweep, db, sql, &rows, err);
    if (ok)
        page_add_table(page, name, &rows, facts);
    else
        cJSON_Delete(facts);
    text_table_fini(&rows);
    return ok;
}

/* Adds one row per machine: the geometric mean of each output over the inputs. The mean exists if
 * every input has the output and the mean is defined. */
static bool
add_machines(cJSON *page, const struct sweep *sweep, sqlite3 *db, const struct outputs *outputs,
             struct error *err)
{
    char *sql = mem_strdup("SELECT machine");
    for (size_t i = 0; i < output_count(outputs); i++) {
        char *name = sqlite3_mprintf("\"%w\"", output_name(outputs, i));
        char *longer = mem_printf("%s, CASE WHEN min(%s) > 0 AND count(%s) = count(*) THEN "
                                  "exp(avg(ln(%s))) END AS %s",
                                  sql, name, name, name, name);
        sqlite3_free(name);
        free(sql);
        sql = longer;
    }
    char *whole = mem_printf("%s FROM results GROUP BY machine ORDER BY min(run)", sql);
    const bool ok = add_answer(
        page, sweep, db, whole, "machines",
        facts_of(outputs, "Machines",
                 "Geometric means over the inputs; empty if an input has no value above 0."),
        err);
    free(whole);
    free(sql);
    return ok;
}

static bool
add_sensitivity(cJSON *page, sqlite3 *db, struct error *err)
{
    struct text_table rows = {0};
    cJSON *facts = cJSON_CreateObject();
    cJSON_AddStringToObject(facts, "title", "Effects of parameters");
    cJSON_AddStringToObject(
        facts, "note",
        "Mean change of each output over pairs of runs that differ in only one parameter, from "
        "each value to the next higher. +-: some increased, others decreased.");
    cJSON_AddTrueToObject(facts, "sections");
    const bool ok = sensitivity_table(db, &rows, err);
    if (ok)
        page_add_table(page, "sensitivity", &rows, facts);
    else
        cJSON_Delete(facts);
    text_table_fini(&rows);
    return ok;
}

static bool
add_tables(cJSON *page, const struct sweep *sweep, sqlite3 *db, struct error *err)
{
    struct outputs outputs = {0};
    if (!database_query(sweep, db, "SELECT name, coalesce(better, 'less') FROM definitions",
                        &outputs.rows, err))
        return false;
    cJSON *facts = facts_of(&outputs, "Runs", "One row per run: one input on one machine.");
    cJSON_AddStringToObject(facts, "by", "input");
    cJSON_AddStringToObject(facts, "fronts", "input");
    const bool ok =
        (sweep->traces.count < 2 || add_machines(page, sweep, db, &outputs, err)) &&
        add_answer(page, sweep, db, "SELECT * FROM results ORDER BY run", "runs", facts, err) &&
        add_sensitivity(page, db, err);
    text_table_fini(&outputs.rows);
    return ok;
}

bool
report_add_sweep(cJSON *page, const char *dir, struct error *err)
{
    struct sweep sweep;
    sqlite3 *db = NULL;
    if (!sweep_load(&sweep, dir, err))
        return false;
    if (!cJSON_HasObjectItem(page, "title"))
        cJSON_AddStringToObject(page, "title", dir);
    const bool ok = database_open(&sweep, &db, err) && add_tables(page, &sweep, db, err);
    sqlite3_close(db);
    sweep_fini(&sweep);
    return ok;
}

/* ---- files ---- */

static bool
has_column(const struct text_table *rows, const char *name)
{
    for (uint32_t c = 0; c < rows->columns; c++)
        if (!strcmp(rows->cells.items[c], name))
            return true;
    return false;
}

/* Initial plots of tables that Aetius itself writes. Columns `y` and `by` identify the table. */
static const struct {
    const char *order, *x, *y, *by;
} known[] = {
    {NULL, "measured_fps", "predicted_fps", "fitted"}, /* model check --json */
    {NULL, "fragments", "seconds", "sweep"},           /* model bench */
    {"commit", NULL, "wall_ms", "case"},              /* make bench: over time, one line per case */
    {NULL, "expected", "gained", "resource"},         /* study verdicts */
    {NULL, "latency_cycles", "geometric", "codec"},   /* study compression: ratios */
    {NULL, "cycles", "color_bytes", "configuration"}, /* study compression: traffic */
};

static void
add_known(cJSON *facts, const char *name, const char *value)
{
    if (value)
        cJSON_AddStringToObject(facts, name, value);
}

static cJSON *
facts_of_file(const struct text_table *rows, const char *path)
{
    cJSON *facts = cJSON_CreateObject();
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    cJSON_AddStringToObject(facts, "title", name);
    cJSON_AddStringToObject(facts, "note", path);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if ((known[i].order && !has_column(rows, known[i].order)) ||
            !has_column(rows, known[i].y) || !has_column(rows, known[i].by))
            continue;
        add_known(facts, "order", known[i].order);
        add_known(facts, "x", known[i].x);
        add_known(facts, "y", known[i].y);
        add_known(facts, "by", known[i].by);
        break;
    }
    return facts;
}

static void
add_file(cJSON *page, const char *path, const struct text_table *rows)
{
    page_add_table(page, path, rows, facts_of_file(rows, path));
}

/* Whether the text has no control characters except tabs and line ends. */
static bool
is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\n')
            return false;
    return true;
}

/* The CSV reader accepts any text as a table. Single-column text is therefore rejected. */
static bool
add_csv(cJSON *page, const char *path, const char *text, size_t size, struct error *err)
{
    struct text_table rows = {0};
    if (!is_text(text, size))
        return fail(err, "%s is not text: expected a CSV file, or a JSON file with \"rows\"", path);
    bool ok = text_table_read_csv(&rows, text, path, err);
    ok = ok &&
         (rows.columns > 1 ||
          fail(err, "%s: expected CSV with at least two columns, or JSON with \"rows\"", path));
    ok = ok && (text_table_rows(&rows) > 1 || fail(err, "%s has no rows below its header", path));
    if (ok)
        add_file(page, path, &rows);
    text_table_fini(&rows);
    return ok;
}

static void
put_cell(struct text_table *rows, const cJSON *value)
{
    if (cJSON_IsString(value))
        text_table_cell(rows, "%s", value->valuestring);
    else if (cJSON_IsNumber(value))
        text_table_cell(rows, "%.17g", value->valuedouble);
    else
        text_table_cell(rows, "%s", cJSON_IsBool(value) ? cJSON_IsTrue(value) ? "yes" : "no" : "");
}

/* Adds the output of `model check --json` or `sweep query --json`: {"rows": [{NAME: value, ...},
 * ...]}. The first row defines the columns. */
static bool
add_json(cJSON *page, const char *path, const char *text, size_t size, struct error *err)
{
    cJSON *root = cJSON_ParseWithLength(text, size);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "rows"), *row, *name;
    const cJSON *first = cJSON_GetArrayItem(list, 0);
    struct text_table rows = {0};
    const bool ok = (cJSON_IsObject(first) && first->child) ||
                    fail(err, "%s: expected JSON with a list of objects, \"rows\"", path);
    if (ok) {
        cJSON_ArrayForEach(name, first) text_table_cell(&rows, "%s", name->string);
        text_table_end_row(&rows);
    }
    if (!ok)
        list = NULL;
    cJSON_ArrayForEach(row, list)
    {
        cJSON_ArrayForEach(name, first)
            put_cell(&rows, cJSON_GetObjectItemCaseSensitive(row, name->string));
        text_table_end_row(&rows);
    }
    if (ok)
        add_file(page, path, &rows);
    text_table_fini(&rows);
    cJSON_Delete(root); /* also frees the list */
    return ok;
}

bool
report_add_file(cJSON *page, const char *path, struct error *err)
{
    char *text;
    size_t size;
    if (!file_read(path, MOST_FILE, &text, &size, err))
        return false;
    const char first = text[strspn(text, " \t\r\n")];
    const bool ok = first == '{' || first == '[' ? add_json(page, path, text, size, err)
                                                 : add_csv(page, path, text, size, err);
    free(text);
    return ok;
}

static int
is_csv(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    return n > 4 && !strcmp(entry->d_name + n - 4, ".csv");
}

bool
report_add_folder(cJSON *page, const char *dir, struct error *err)
{
    struct dirent **entries;
    const int count = scandir(dir, &entries, is_csv, alphasort);
    bool ok = true;
    if (count <= 0)
        fail(err,
             "%s is not a folder of a run, a sweep or a study: it contains no run.json, no "
             "sweep.json and no *.csv",
             dir);
    for (int i = 0; i < count; i++) {
        char *path = mem_printf("%s/%s", dir, entries[i]->d_name);
        ok = ok && report_add_file(page, path, err);
        free(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return ok && count > 0;
}
