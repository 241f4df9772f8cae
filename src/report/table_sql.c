/* The tables of a run for SQLite: what its own import makes of a CSV file is text, so that 9 is
 * more than 10; here each column gets its type. */
#include "report/table.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/csv.h"

#include <stdlib.h>
#include <string.h>

static const char *const units[] = {/* that may be there several times */
#define UNIT(name, count) #name,
#include "machine.def"
                                    "channel"};

/* Of columns that are no statistic. */
static const char *const numbers[] = {"schema",    "frame",    "draw",   "cycle",      "vertices",
                                      "instances", "instance", "cycles", "busy_cycles"};

const char *
table_column_type(const char *column)
{
    if (metric_find(column))
        return "REAL";
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!strcmp(numbers[i], column))
            return "INTEGER";
    return strchr(column, '.') ? "INTEGER" : "TEXT";
}

/* What has no value is NULL, and not the text of nothing. */
static void
print_nulls(const struct csv_table *head, const char *name, FILE *out)
{
    const char *before = " SET";
    fprintf(out, "UPDATE %s", name);
    for (uint32_t i = 0; i < head->columns; i++) {
        const char *column = head->names[i];
        fprintf(out, "%s \"%s\" = NULLIF(\"%s\", '')", before, column, column);
        before = ",";
    }
    fprintf(out, ";\n");
}

/* The path as a word of the shell ('...', each ' as '\''), in a word of sqlite3's ("...", where \
 * stands before what would end it, and \n for a new line). */
static void
print_quoted(const char *path, FILE *out)
{
    fputc('\'', out);
    for (; *path; path++)
        switch (*path) {
        case '\'': fputs("'\\\\''", out); break;
        case '\\':
        case '"': fprintf(out, "\\%c", *path); break;
        case '\n': fputs("\\n", out); break;
        case '\r': fputs("\\r", out); break;
        default: fputc(*path, out);
        }
    fputc('\'', out);
}

static bool
print_table(const char *path, const char *name, FILE *out, struct error *err)
{
    struct csv_table head;
    if (!file_exists(path))
        return true;
    if (!csv_read_header(&head, path, err))
        return false;
    fprintf(out, "CREATE TABLE %s (", name);
    for (uint32_t i = 0; i < head.columns; i++)
        fprintf(out, "%s\"%s\" %s", i ? ", " : "", head.names[i], table_column_type(head.names[i]));
    fprintf(out, ");\n.import --csv --skip 1 \"|gzip -dc -- ");
    print_quoted(path, out);
    fprintf(out, "\" %s\n", name);
    print_nulls(&head, name, out);
    csv_table_fini(&head);
    return true;
}

bool
table_print_sql(const char *dir, FILE *out, struct error *err)
{
    struct params params;
    char *ini = mem_printf("%s/machine.ini", dir);
    params_init(&params);
    bool ok = params_load_file(&params, ini, err);
    free(ini);
    const struct {
        const char *name, *file;
    } tables[] = {{"frames", params.SIMULATOR.StatsFilePerFrame},
                  {"draws", params.SIMULATOR.StatsFilePerBatch},
                  {"cycles", params.SIMULATOR.StatsFile}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && ok; i++) {
        char *path = mem_printf("%s/%s", dir, tables[i].file);
        ok = print_table(path, tables[i].name, out, err);
        for (size_t u = 0; u < sizeof units / sizeof units[0] && ok; u++) {
            char *of_unit = table_unit_path(path, units[u]);
            char *name = mem_printf("%s_%s", tables[i].name, units[u]);
            ok = print_table(of_unit, name, out, err);
            free(of_unit);
            free(name);
        }
        free(path);
    }
    return ok;
}
