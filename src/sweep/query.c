/* Runs queries on results.db and on the tables of the run folders. */
#include "base/file.h"
#include "report/run/csv.h"
#include "report/run/table.h"
#include "sweep/database.h"
#include "sweep/store.h"

#include <stdlib.h>
#include <string.h>

/* MOST_ANSWER: largest result, which is kept in memory. CELL_BYTES: overhead of a cell in addition
 * to its text. Both are in bytes. */
enum { MOST_ANSWER = 256 << 20, CELL_BYTES = 48 };

struct loader {
    const struct sweep *sweep;
    sqlite3 *db;
    const char *name;         /* "draws_shader" */
    struct word_list columns; /* columns of the table so far */
    struct preset_cache presets;
    struct error *err;
};

/* Splits a table's name into "frames", "draws" or "cycles" and the unit after it ("" if none).
 * Returns false for other names. */
static bool
split_name(const char *name, char kind[16], char unit[64])
{
    static const char *const kinds[] = {"frames", "draws", "cycles"};
    const size_t length = strcspn(name, "_");
    snprintf(kind, 16, "%.*s", (int)(length < 15 ? length : 15), name);
    snprintf(unit, 64, "%s", name[length] ? name + length + 1 : "");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(kinds[i], kind))
            return true;
    return false;
}

/* Path of the table's file in a run's folder. The caller frees it. */
static char *
file_of(struct loader *l, const struct sweep_run *run)
{
    char kind[16], unit[64];
    struct params params;
    if (!split_name(l->name, kind, unit) ||
        !machine_make(&l->presets, run->preset, &run->sets, &params, l->err))
        return NULL;
    const char *file = kind[0] == 'f'   ? params.SIMULATOR.StatsFilePerFrame
                       : kind[0] == 'd' ? params.SIMULATOR.StatsFilePerBatch
                                        : params.SIMULATOR.StatsFile;
    char *folder = store_path(l->sweep->store, run->key);
    char *path = mem_printf("%s/%s", folder, file);
    free(folder);
    if (!*unit)
        return path;
    char *of_unit = table_unit_path(path, unit);
    free(path);
    return of_unit;
}

/* Adds columns that earlier runs did not have. */
static bool
add_columns(struct loader *l, const struct csv_table *table)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < table->columns; i++) {
        if (word_list_has(&l->columns, table->names[i]))
            continue;
        word_list_add(&l->columns, table->names[i]);
        ok = sql_do_format(l->db, l->err, "ALTER TABLE loaded.\"%w\" ADD COLUMN \"%w\" %s", l->name,
                           table->names[i], table_column_type(table->names[i]));
    }
    return ok;
}

static bool
prepare_rows(struct loader *l, const struct csv_table *table, sqlite3_stmt **statement)
{
    sqlite3_str *sql = sqlite3_str_new(l->db);
    sqlite3_str_appendf(sql, "INSERT INTO loaded.\"%w\" (run", l->name);
    for (uint32_t i = 0; i < table->columns; i++)
        sqlite3_str_appendf(sql, ", \"%w\"", table->names[i]);
    sqlite3_str_appendall(sql, ") VALUES (?");
    for (uint32_t i = 0; i < table->columns; i++)
        sqlite3_str_appendall(sql, ", ?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    const bool ok = sqlite3_prepare_v2(l->db, text, -1, statement, NULL) == SQLITE_OK ||
                    sql_fail(l->db, l->name, l->err);
    sqlite3_free(text);
    return ok;
}

static void
bind_field(sqlite3_stmt *statement, const struct csv_table *table, uint32_t row, uint32_t column)
{
    const int index = (int)column + 2;
    if (table->is_number[column])
        sqlite3_bind_int64(statement, index,
                           (sqlite3_int64)table->values[(size_t)row * table->columns + column]);
    else if (!*csv_field(table, row, (int32_t)column))
        sqlite3_bind_null(statement, index);
    else
        sqlite3_bind_text(statement, index, csv_field(table, row, (int32_t)column), -1,
                          SQLITE_TRANSIENT);
}

static bool
load_rows(struct loader *l, int run, const struct csv_table *table)
{
    sqlite3_stmt *statement = NULL;
    bool ok = add_columns(l, table) && prepare_rows(l, table, &statement);
    for (uint32_t r = 0; ok && r < table->rows; r++) {
        sqlite3_bind_int(statement, 1, run);
        for (uint32_t c = 0; c < table->columns; c++)
            bind_field(statement, table, r, c);
        ok = sql_insert(l->db, statement, l->err);
    }
    sqlite3_finalize(statement);
    return ok;
}

/* Loads the table of a run. A run has no table for a unit if its machine has only one such unit. */
static bool
load_run(struct loader *l, size_t number)
{
    struct csv_table table = {0};
    char *path = file_of(l, &l->sweep->runs.items[number]);
    bool ok = path != NULL;
    if (ok && file_exists(path)) {
        ok = csv_read(&table, path, l->err) && load_rows(l, (int)number + 1, &table);
        csv_table_fini(&table);
    }
    free(path);
    return ok;
}

static bool
load_table(const struct sweep *sweep, sqlite3 *db, const char *name, struct error *err)
{
    struct loader l = {.sweep = sweep, .db = db, .name = name, .err = err};
    bool ok = sql_do_format(db, err, "BEGIN; CREATE TABLE loaded.\"%w\" (run INTEGER)", name);
    for (size_t i = 0; ok && i < sweep->runs.count; i++)
        if (store_has(sweep->store, sweep->runs.items[i].key))
            ok = load_run(&l, i);
    ok = ok && (l.columns.count || fail(err, "no run has a table %s", name)) &&
         sql_do(db, "COMMIT", err);
    word_list_fini(&l.columns);
    preset_cache_fini(&l.presets);
    return ok;
}

/* Finds the missing table in the database's error message. Returns false if it cannot be loaded. */
static bool
missing_table(sqlite3 *db, char *name, size_t size)
{
    static const char start[] = "no such table: ";
    const char *message = sqlite3_errmsg(db);
    char kind[16], unit[64];
    if (strncmp(message, start, strlen(start)) != 0)
        return false;
    snprintf(name, size, "%s", message + strlen(start));
    return split_name(name, kind, unit);
}

static bool
read_rows(sqlite3 *db, sqlite3_stmt *statement, struct text_table *rows, struct error *err)
{
    const int columns = sqlite3_column_count(statement);
    uint64_t bytes = 0;
    int status;
    for (int i = 0; i < columns; i++)
        text_table_cell(rows, "%s", sqlite3_column_name(statement, i));
    if (columns)
        text_table_end_row(rows);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            const unsigned char *text = sqlite3_column_text(statement, i);
            bytes += CELL_BYTES + (text ? strlen((const char *)text) : 0);
            if (bytes > MOST_ANSWER)
                return fail(err, "the answer needs more than %d MiB: shorten it with LIMIT",
                            MOST_ANSWER >> 20);
            text_table_cell(rows, "%s", text ? (const char *)text : "");
        }
        text_table_end_row(rows);
    }
    return status == SQLITE_DONE || sql_fail(db, "results.db", err);
}

static int
allow_reading(void *data, int action, const char *a, const char *b, const char *c, const char *d)
{
    bool *refused = data;
    const bool reads = action == SQLITE_SELECT || action == SQLITE_READ ||
                       action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE;
    *refused = *refused || !reads;
    return reads ? SQLITE_OK : SQLITE_DENY;
}

/* The user's queries must not write. Even a read-only database allows writing other files with
 * ATTACH and VACUUM INTO. */
static bool
prepare_question(sqlite3 *db, const char *sql, sqlite3_stmt **statement, const char **rest,
                 bool *refused)
{
    *refused = false;
    sqlite3_set_authorizer(db, allow_reading, refused);
    const int status = sqlite3_prepare_v2(db, sql, -1, statement, rest);
    sqlite3_set_authorizer(db, NULL, NULL);
    *refused |= *statement && !sqlite3_stmt_readonly(*statement);
    return status == SQLITE_OK && !*refused;
}

bool
database_query(const struct sweep *sweep, sqlite3 *db, const char *sql, struct text_table *rows,
               struct error *err)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = sql;
    char name[128], last[128] = "";
    bool refused;
    while (!prepare_question(db, sql, &statement, &rest, &refused)) {
        if (refused) {
            sqlite3_finalize(statement);
            return fail(err, "the query must be a SELECT, which changes nothing");
        }
        if (!missing_table(db, name, sizeof name) || !strcmp(name, last))
            return fail(err, "%s", sqlite3_errmsg(db));
        snprintf(last, sizeof last, "%s", name);
        if (!load_table(sweep, db, name, err))
            return false;
    }
    const bool one = !rest[strspn(rest, " \t\r\n;")];
    const bool ok = (statement || fail(err, "the query is empty")) &&
                    (one || fail(err, "expected one query, not several")) &&
                    read_rows(db, statement, rows, err);
    sqlite3_finalize(statement);
    return ok;
}
