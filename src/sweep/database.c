#include "sweep/database.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/plural.h"
#include "sweep/outputs.h"
#include "sweep/store.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
sql_fail(sqlite3 *db, const char *what, struct error *err)
{
    return fail(err, "%s: %s", what, sqlite3_errmsg(db));
}

bool
sql_do(sqlite3 *db, const char *sql, struct error *err)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK || sql_fail(db, "results.db", err);
}

bool
sql_do_format(sqlite3 *db, struct error *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *sql = sqlite3_vmprintf(fmt, args);
    va_end(args);
    const bool ok = sql_do(db, sql, err);
    sqlite3_free(sql);
    return ok;
}

bool
sql_insert(sqlite3 *db, sqlite3_stmt *statement, struct error *err)
{
    const bool ok = sqlite3_step(statement) == SQLITE_DONE || sql_fail(db, "results.db", err);
    sqlite3_reset(statement);
    return ok;
}

static const char tables[] =
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value);"
    "CREATE TABLE definitions (name TEXT PRIMARY KEY, formula TEXT, better TEXT);"
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, key TEXT, input TEXT, machine TEXT, preset TEXT,"
    " trace TEXT, frames TEXT, captured TEXT);"
    "CREATE TABLE params (run INTEGER, name TEXT, value, PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "CREATE TABLE outputs (run INTEGER, frame INTEGER, draw INTEGER, name TEXT, value REAL,"
    " relative REAL);"
    "CREATE INDEX outputs_by_run ON outputs (run, name, frame, draw);";

enum { MOST_SQLITE = 512 << 20 }; /* memory limit of queries, in bytes */

/* An empty name is a temporary file, which SQLite deletes. Intermediate results of a query stay in
 * memory, so a view without end in an untrusted file reaches MOST_SQLITE instead of filling a disk.
 */
static const char loaded_tables[] = "ATTACH '' AS loaded; PRAGMA loaded.journal_mode = OFF;"
                                    "PRAGMA temp_store = MEMORY";

struct builder {
    const struct sweep *sweep;
    const struct sweep_plan *plan;
    sqlite3 *db;
    sqlite3_stmt *add_run, *add_param, *add_output;
    struct preset_cache presets;
    bool *is_done;     /* per run */
    bool *differs;     /* per parameter: its value differs between runs, or the plan varies it */
    struct params one; /* parameters of the first completed run */
    int run;           /* current run */
    size_t collected;
    struct error *err;
};

static bool
prepare(struct builder *b)
{
    const struct {
        sqlite3_stmt **statement;
        const char *sql;
    } all[] = {
        {&b->add_run, "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
        {&b->add_param, "INSERT INTO params VALUES (?, ?, ?)"},
        {&b->add_output, "INSERT INTO outputs VALUES (?, ?, ?, ?, ?, NULL)"},
    };
    sqlite3_hard_heap_limit64(0); /* from an earlier query */
    if (sqlite3_open(":memory:", &b->db) != SQLITE_OK || !sql_do(b->db, tables, b->err))
        return sql_fail(b->db, "results.db", b->err);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (sqlite3_prepare_v2(b->db, all[i].sql, -1, all[i].statement, NULL) != SQLITE_OK)
            return sql_fail(b->db, "results.db", b->err);
    return sql_do(b->db, "BEGIN", b->err);
}

static bool
make_params(struct builder *b, size_t number, struct params *params)
{
    const struct sweep_run *run = &b->sweep->runs.items[number];
    return machine_make(&b->presets, run->preset, &run->sets, params, b->err);
}

/* A query may use any parameter that the plan varies, even if the completed runs have equal
 * values. */
static void
survey_plan(struct builder *b, const struct param_info *infos, size_t count)
{
    char name[PARAM_TEXT_BYTES];
    for (size_t p = 0; p < count; p++) {
        snprintf(name, sizeof name, "%s.%s", infos[p].section, infos[p].name);
        b->differs[p] = word_list_has(&b->plan->varied, name);
    }
}

/* Finds the completed runs, and the parameters that differ between them. */
static bool
survey(struct builder *b)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    b->is_done = mem_array(b->sweep->runs.count + 1, sizeof *b->is_done);
    b->differs = mem_array(count, sizeof *b->differs);
    survey_plan(b, infos, count);
    for (size_t i = 0; i < b->sweep->runs.count; i++) {
        struct params params;
        if (!interrupt_check(b->err))
            return false;
        if (!(b->is_done[i] = store_has(b->sweep->store, b->sweep->runs.items[i].key)))
            continue;
        if (!make_params(b, i, &params))
            return false;
        if (!b->collected++)
            b->one = params;
        for (size_t p = 0; p < count; p++)
            b->differs[p] |= !param_is_same(&infos[p], &b->one, &params);
    }
    return true;
}

static void
bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

static bool
add_params(struct builder *b, const struct params *params)
{
    char name[PARAM_TEXT_BYTES], value[PARAM_TEXT_BYTES];
    size_t count;
    const struct param_info *infos = param_infos(&count);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        if (!b->differs[i])
            continue;
        snprintf(name, sizeof name, "%s.%s", infos[i].section, infos[i].name);
        param_format(&infos[i], params, value, sizeof value);
        sqlite3_bind_int(b->add_param, 1, b->run);
        bind_text(b->add_param, 2, name);
        if (*value && !value[strspn(value, "0123456789")])
            sqlite3_bind_int64(b->add_param, 3, strtoll(value, NULL, 10));
        else
            bind_text(b->add_param, 3, value);
        ok = sql_insert(b->db, b->add_param, b->err);
    }
    return ok;
}

static bool
take_output(void *data, size_t output, int64_t frame, int64_t draw, double value, struct error *err)
{
    struct builder *b = data;
    sqlite3_bind_int(b->add_output, 1, b->run);
    frame < 0 ? sqlite3_bind_null(b->add_output, 2) : sqlite3_bind_int64(b->add_output, 2, frame);
    draw < 0 ? sqlite3_bind_null(b->add_output, 3) : sqlite3_bind_int64(b->add_output, 3, draw);
    bind_text(b->add_output, 4, b->plan->outputs.items[output].name);
    sqlite3_bind_double(b->add_output, 5, value); /* SQLite stores NaN as NULL */
    return sql_insert(b->db, b->add_output, err);
}

static bool
add_run(struct builder *b, size_t number)
{
    const struct sweep_run *run = &b->sweep->runs.items[number];
    const struct sweep_trace *trace = &b->sweep->traces.items[run->trace];
    const char *const texts[] = {run->key,    trace->name,   run->machine,   run->preset,
                                 trace->hash, trace->frames, trace->captured};
    struct params params;
    char *folder = store_path(b->sweep->store, run->key);
    b->run = (int)number + 1;
    sqlite3_bind_int(b->add_run, 1, b->run);
    for (int i = 0; i < 7; i++)
        bind_text(b->add_run, 2 + i, texts[i]);
    bool ok = sql_insert(b->db, b->add_run, b->err) && make_params(b, number, &params) &&
              add_params(b, &params);
    if (ok && !outputs_read(b->plan, folder, &params, take_output, b, b->err))
        ok = fail_prefix(b->err, "the run of %s on %s (remove %s to repeat the run)", trace->name,
                         run->machine, folder);
    free(folder);
    return ok;
}

static bool
add_runs(struct builder *b)
{
    struct progress progress;
    bool ok = true;
    size_t done = 0;
    progress_begin(&progress, "collecting", b->collected);
    for (size_t i = 0; ok && i < b->sweep->runs.count; i++) {
        if (!b->is_done[i])
            continue;
        ok = add_run(b, i) && interrupt_check(b->err);
        progress_at(&progress, ++done, b->sweep->runs.items[i].machine);
    }
    progress_end(&progress);
    return ok;
}

static bool
add_facts(struct builder *b)
{
    const struct sweep_plan *plan = b->plan;
    bool ok =
        sql_do_format(b->db, b->err,
                      "PRAGMA user_version = %d; INSERT INTO meta VALUES "
                      "('schema', %d), ('model', %Q), ('planned', %lld), "
                      "('collected', %lld), ('baseline', %Q)",
                      SWEEP_DATABASE_SCHEMA, SWEEP_DATABASE_SCHEMA, sweep_model(),
                      (long long)b->sweep->runs.count, (long long)b->collected, plan->baseline);
    for (size_t i = 0; ok && i < plan->outputs.count; i++) {
        const struct sweep_output *output = &plan->outputs.items[i];
        ok = sql_do_format(b->db, b->err, "INSERT INTO definitions VALUES (%Q, %Q, %Q)",
                           output->name, output->formula, output->more_is_better ? "more" : "less");
    }
    return ok;
}

/* Computes the ratio of each value to the baseline's value for the same input. */
static bool
relate(struct builder *b)
{
    if (!b->plan->baseline)
        return true;
    return sql_do_format(b->db, b->err,
                         "CREATE TEMP TABLE base AS SELECT r.run AS run, "
                         "(SELECT min(s.run) FROM runs s WHERE s.input = r.input AND "
                         "s.machine = %Q) AS other FROM runs r; CREATE INDEX temp.of ON base (run);"
                         "UPDATE outputs SET relative = value / (SELECT o.value FROM base, "
                         "outputs o WHERE base.run = outputs.run AND o.run = base.other AND "
                         "o.name = outputs.name AND o.frame IS outputs.frame AND "
                         "o.draw IS outputs.draw); DROP TABLE base",
                         b->plan->baseline);
}

/* Adds a view with one row per run, a column for each differing parameter, and a column for each
 * output per run. */
static bool
add_view(struct builder *b)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    sqlite3_str *sql = sqlite3_str_new(b->db);
    sqlite3_str_appendall(sql, "CREATE VIEW results AS SELECT run, input, machine");
    for (size_t i = 0; i < count; i++)
        if (b->differs[i])
            sqlite3_str_appendf(sql,
                                ", (SELECT value FROM params p WHERE p.run = runs.run AND p.name = "
                                "'%q.%q') AS \"%w.%w\"",
                                infos[i].section, infos[i].name, infos[i].section, infos[i].name);
    for (size_t i = 0; i < b->plan->outputs.count; i++) {
        const struct sweep_output *output = &b->plan->outputs.items[i];
        if (output->by & SWEEP_BY_RUN)
            sqlite3_str_appendf(
                sql,
                ", (SELECT value FROM outputs o WHERE o.run = runs.run AND o.name = "
                "%Q AND o.frame IS NULL AND o.draw IS NULL) AS \"%w\"",
                output->name, output->name);
    }
    sqlite3_str_appendall(sql, " FROM runs");
    char *text = sqlite3_str_finish(sql);
    const bool ok = sql_do(b->db, text, b->err);
    sqlite3_free(text);
    return ok;
}

static bool
put_in_place(struct builder *b)
{
    char *path = sweep_path(b->sweep, "results.db");
    sqlite3_int64 size = 0;
    unsigned char *bytes = sqlite3_serialize(b->db, "main", &size, 0);
    const bool ok = bytes ? file_write(path, bytes, (size_t)size, b->err)
                          : fail(b->err, "out of memory (results.db)");
    sqlite3_free(bytes);
    free(path);
    return ok;
}

bool
database_build(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err)
{
    struct builder b = {.sweep = sweep, .plan = plan, .err = err};
    const bool ok = prepare(&b) && survey(&b) && add_facts(&b) && add_runs(&b) && relate(&b) &&
                    add_view(&b) && sql_do(b.db, "COMMIT", err) && put_in_place(&b);
    if (ok)
        log_note("%s/results.db: %zu of %zu run%s", sweep->dir, b.collected, sweep->runs.count,
                 plural(sweep->runs.count));
    sqlite3_finalize(b.add_run);
    sqlite3_finalize(b.add_param);
    sqlite3_finalize(b.add_output);
    sqlite3_close(b.db);
    preset_cache_fini(&b.presets);
    free(b.is_done);
    free(b.differs);
    return ok;
}

/* Encodes a path for a URI. Characters other than letters, digits and ./_- become %XX. */
static char *
uri_of(const char *path)
{
    char *uri = mem_alloc(3 * strlen(path) + 32), *to = uri;
    to += sprintf(to, "file:");
    for (; *path; path++)
        to += sprintf(to, isalnum((unsigned char)*path) || strchr("/._-", *path) ? "%c" : "%%%02X",
                      (unsigned char)*path);
    strcpy(to, "?immutable=1&mode=ro"); /* no locks: the file is only replaced, never written */
    return uri;
}

/* Whether the file has the tables of a sweep's database. The file may be untrusted: a view in place
 * of a table could have endless rows. */
static bool
is_ours(sqlite3 *db)
{
    static const char sql[] =
        "SELECT user_version, (SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
        "rootpage > 0 AND name IN ('meta', 'definitions', 'runs', 'params', 'outputs')) FROM "
        "pragma_user_version";
    sqlite3_stmt *statement = NULL;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    /* A "name" that is not a column causes an error, instead of being a string. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_hard_heap_limit64(MOST_SQLITE);
    const bool ours = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
                      sqlite3_step(statement) == SQLITE_ROW &&
                      sqlite3_column_int(statement, 0) == SWEEP_DATABASE_SCHEMA &&
                      sqlite3_column_int(statement, 1) == 5;
    sqlite3_finalize(statement);
    return ours;
}

bool
database_open(const struct sweep *sweep, sqlite3 **db, struct error *err)
{
    char *path = sweep_path(sweep, "results.db"), *uri = uri_of(path);
    *db = NULL;
    bool ok = file_exists(path) ||
              fail(err, "%s does not exist: create it with `aetius sweep collect`", path);
    /* Accepts only regular files, because SQLite would also open a pipe. */
    const int file = ok ? file_open(path, err) : -1;
    ok = file >= 0;
    if (ok)
        close(file);
    /* The URI opens results.db read-only. The flags also apply to the attached database of loaded
     * tables, which is written. */
    if (ok && sqlite3_open_v2(uri, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        ok = sql_fail(*db, path, err);
    if (ok && !is_ours(*db))
        ok = fail(
            err,
            "%s is damaged, or another version made it: recreate it with `aetius sweep collect`",
            path);
    ok = ok && sql_do(*db, loaded_tables, err);
    if (!ok) {
        sqlite3_close(*db);
        *db = NULL;
    }
    free(uri);
    free(path);
    return ok;
}
