/* aetius sweep query, pareto and sensitivity: questions to what came out of a sweep. */
#include "base/log.h"
#include "cmd/sweep.h"
#include "sweep/database.h"

#include <stdlib.h>
#include <string.h>

struct print_options {
    bool csv, json;
};
#define PRINT_OPTIONS(print)                                                                       \
    {"csv", 0, ARG_FLAG, &(print)->csv, NULL, "the rows as CSV", false},                           \
        OPTION_JSON(&(print)->json, "the rows as JSON, an object each")

/* A number as a number. */
static cJSON *
cell_to_json(const char *cell)
{
    char *end;
    const double number = strtod(cell, &end);
    if (!*cell)
        return cJSON_CreateNull();
    return *end || cell[strspn(cell, "0123456789+-.e")] ? cJSON_CreateString(cell)
                                                        : cJSON_CreateNumber(number);
}

static void
print_rows(const struct sheet *rows, const struct print_options *print)
{
    if (!print->json) {
        sheet_write(rows, print->csv ? SHEET_CSV : SHEET_TEXT, stdout);
        return;
    }
    cJSON *root = cJSON_CreateObject(), *array = cJSON_AddArrayToObject(root, "rows");
    for (size_t at = rows->columns; rows->columns && at < rows->cells.count; at += rows->columns) {
        cJSON *row = cJSON_CreateObject();
        for (uint32_t c = 0; c < rows->columns; c++)
            cJSON_AddItemToObject(row, rows->cells.items[c],
                                  cell_to_json(rows->cells.items[at + c]));
        cJSON_AddItemToArray(array, row);
    }
    print_json_tree(root);
}

typedef bool ask_fn(const struct sweep *sweep, sqlite3 *db, const struct args *args,
                    struct sheet *rows, struct error *err);

/* Opens the folder's results, asks, prints. */
static int
answer(const struct args *args, ask_fn *ask, const struct print_options *print)
{
    struct sweep sweep;
    struct sheet rows = {0};
    sqlite3 *db = NULL;
    struct error err = {""};
    bool ok = sweep_load(&sweep, args->operands[0], &err);
    if (!ok)
        return conclude(false, &err);
    ok = database_open(&sweep, &db, &err) && ask(&sweep, db, args, &rows, &err);
    if (ok)
        print_rows(&rows, print);
    sheet_fini(&rows);
    sqlite3_close(db);
    sweep_fini(&sweep);
    return conclude(ok, &err);
}

static bool
ask_query(const struct sweep *sweep, sqlite3 *db, const struct args *args, struct sheet *rows,
          struct error *err)
{
    return database_query(sweep, db, args->operands[1], rows, err);
}

int
sweep_query_command(int argc, char **argv)
{
    struct print_options print = {0};
    const struct arg_option options[] = {PRINT_OPTIONS(&print), {0}};
    const struct arg_spec spec = {
        "sweep query",
        "DIR 'SQL' [options]",
        "A question to DIR/results.db in SQL. Its tables: results (a row a run, with the "
        "parameters\n"
        "that differ and the outputs), runs, params, outputs, definitions, meta; and frames, "
        "draws,\n"
        "cycles, frames_shader ...: the tables of the runs' folders, with the column run.",
        options,
        2,
        2,
        "the sweep's folder and a question",
        .program = ARG_NO_PROGRAM};
    struct args args;
    const int status = args_parse(&args, &spec, argc, argv);
    return status >= 0 ? status : answer(&args, ask_query, &print);
}

static bool
ask_pareto(const struct sweep *sweep, sqlite3 *db, const struct args *args, struct sheet *rows,
           struct error *err)
{
    (void)sweep;
    (void)db;
    (void)args;
    (void)rows;
    return fail(err, "later");
}

int
sweep_pareto_command(int argc, char **argv)
{
    struct print_options print = {0};
    const struct arg_option options[] = {PRINT_OPTIONS(&print), {0}};
    const struct arg_spec spec = {"sweep pareto",
                                  "DIR A B [options]",
                                  "The machines that no other one beats in both outputs A and B.",
                                  options,
                                  3,
                                  3,
                                  "the sweep's folder and two outputs",
                                  .program = ARG_NO_PROGRAM};
    struct args args;
    const int status = args_parse(&args, &spec, argc, argv);
    return status >= 0 ? status : answer(&args, ask_pareto, &print);
}

int
sweep_sensitivity_command(int argc, char **argv)
{
    return sweep_pareto_command(argc, argv);
}
