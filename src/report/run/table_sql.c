/* Loads the tables of a run into SQLite. sqlite3's CSV import alone would store text, so that 9
 * would sort after 10. Here each column gets its type. */
#include "report/run/profile_table.h"
#include "report/run/table.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/run/csv.h"

#include <stdlib.h>
#include <string.h>

/* Key columns, which together identify a row. */
static const char *const keys[] = {"frame", "draw",     "work",    "cycle",      "nth",
                                   "queue", "instance", "program", "instruction"};

const char *
table_column_type(const char *column)
{
    switch (csv_kind_of(column)) {
    case CSV_WHOLE: return "INTEGER";
    case CSV_REAL: return "REAL";
    case CSV_TEXT: break;
    }
    return "TEXT";
}

/* Replaces empty fields by NULL. */
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

/* Quotes the path twice. For the shell it is '...', with each ' as '\''. Inside sqlite3's "...", \
 * escapes special characters, and \n is a line break. */
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

/* Tables of older versions lack `nth`. There, rows of one draw and work, or of one cycle, may
 * repeat, so these tables get no primary key. */
static void
print_key(const struct csv_table *head, FILE *out)
{
    const char *before = ", PRIMARY KEY (";
    const bool has_key = csv_column(head, "nth") >= 0 ||
                         (csv_column(head, "draw") < 0 && csv_column(head, "cycle") < 0);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && has_key; i++)
        if (csv_column(head, keys[i]) >= 0) {
            fprintf(out, "%s\"%s\"", before, keys[i]);
            before = ", ";
        }
    fputs(has_key ? ")" : "", out);
}

static bool
print_table(const char *path, const char *name, FILE *out, struct error *err)
{
    struct csv_table head;
    fprintf(out, "DROP TABLE IF EXISTS %s;\n", name); /* from a run loaded earlier */
    if (!file_exists(path))
        return true;
    if (!csv_read_header(&head, path, err))
        return false;
    fprintf(out, "CREATE TABLE %s (", name);
    for (uint32_t i = 0; i < head.columns; i++)
        fprintf(out, "%s\"%s\" %s", i ? ", " : "", head.names[i], table_column_type(head.names[i]));
    print_key(&head, out);
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
        for (uint32_t u = 0; table_unit(u) && ok; u++) {
            char *of_unit = table_unit_path(path, table_unit(u));
            char *name = mem_printf("%s_%s", tables[i].name, table_unit(u));
            ok = print_table(of_unit, name, out, err);
            free(of_unit);
            free(name);
        }
        free(path);
    }
    char *signals = mem_printf("%s/signals.csv.gz", dir);
    char *profile = mem_printf("%s/" PROFILE_FILE, dir);
    ok = ok && print_table(signals, "signals", out, err) &&
         print_table(profile, "shader_profile", out, err);
    free(profile);
    free(signals);
    return ok;
}
