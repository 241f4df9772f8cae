/* aetius sweep query, pareto and sensitivity: evaluates the results of a sweep. */
#include "base/log.h"
#include "cmd/sweep/sweep.h"
#include "sweep/database.h"
#include "sweep/tradeoffs.h"

#include <stdlib.h>
#include <string.h>

struct question {
    struct args args;
    const char *input;
    bool csv, json;
};
#define PRINT_OPTIONS(question)                                                                    \
    {"csv", 0, ARG_FLAG, &(question)->csv, NULL, "print the rows as CSV", false},                  \
        OPTION_JSON(&(question)->json, "print the rows as JSON, one object each")

/* Converts a number to a JSON number, other text to a string. */
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
print_rows(const struct text_table *rows, const struct question *question)
{
    if (!question->json) {
        text_table_write(rows, question->csv ? TEXT_TABLE_CSV : TEXT_TABLE_TEXT, stdout);
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

typedef bool ask_fn(const struct sweep *sweep, sqlite3 *db, const struct question *question,
                    struct text_table *rows, struct error *err);

/* Opens the folder's results, evaluates the question and prints the answer. */
static int
answer(const struct question *question, ask_fn *ask)
{
    struct sweep sweep;
    struct text_table rows = {0};
    sqlite3 *db = NULL;
    struct error err = {""};
    bool ok = sweep_load(&sweep, question->args.operands[0], &err);
    if (!ok)
        return conclude(false, &err);
    ok = database_open(&sweep, &db, &err) && ask(&sweep, db, question, &rows, &err);
    if (ok)
        print_rows(&rows, question);
    text_table_fini(&rows);
    sqlite3_close(db);
    sweep_fini(&sweep);
    return conclude(ok, &err);
}

static bool
ask_query(const struct sweep *sweep, sqlite3 *db, const struct question *question,
          struct text_table *rows, struct error *err)
{
    return database_query(sweep, db, question->args.operands[1], rows, err);
}

int
sweep_query_command(int argc, char **argv)
{
    struct question question = {0};
    const struct arg_option options[] = {PRINT_OPTIONS(&question), {0}};
    const struct arg_spec spec = {
        "sweep query",
        "DIR 'SQL' [options]",
        "Runs an SQL query on DIR/results.db. Tables: results (one row per run, with the\n"
        "varied parameters and the outputs), runs, params, outputs, definitions, meta.\n"
        "The tables of the run folders (frames, draws, cycles, frames_shader ...) have an\n"
        "additional column run.",
        options,
        2,
        2,
        "the sweep's folder and an SQL query",
        .program = ARG_NO_PROGRAM};
    const int status = args_parse(&question.args, &spec, argc, argv);
    return status >= 0 ? status : answer(&question, ask_query);
}

static bool
ask_pareto(const struct sweep *sweep, sqlite3 *db, const struct question *question,
           struct text_table *rows, struct error *err)
{
    const char *const *words = question->args.operands;
    size_t left_out;
    (void)sweep;
    if (!pareto_table(db, words[1], words[2], question->input, rows, &left_out, err))
        return false;
    if (left_out)
        log_note("%zu machine%s omitted for lack of one of the values for an input", left_out,
                 left_out == 1 ? " is" : "s are");
    return true;
}

int
sweep_pareto_command(int argc, char **argv)
{
    struct question question = {0};
    const struct arg_option options[] = {
        {"input", 0, ARG_STRING, &question.input, "NAME",
         "only this input (default: geometric means over all inputs)", false},
        PRINT_OPTIONS(&question),
        {0}};
    const struct arg_spec spec = {
        "sweep pareto",
        "DIR A B [options]",
        "Lists the Pareto-optimal machines for outputs A and B, best in A first. Lower is\n"
        "better, unless the plan sets better = more for the output.",
        options,
        3,
        3,
        "the sweep's folder and two outputs",
        .program = ARG_NO_PROGRAM};
    const int status = args_parse(&question.args, &spec, argc, argv);
    return status >= 0 ? status : answer(&question, ask_pareto);
}

static bool
ask_sensitivity(const struct sweep *sweep, sqlite3 *db, const struct question *question,
                struct text_table *rows, struct error *err)
{
    (void)sweep;
    (void)question;
    return sensitivity_table(db, rows, err);
}

int
sweep_sensitivity_command(int argc, char **argv)
{
    struct question question = {0};
    const struct arg_option options[] = {PRINT_OPTIONS(&question), {0}};
    const struct arg_spec spec = {
        "sweep sensitivity",
        "DIR [options]",
        "Shows the effect of each parameter on each output: the average change from one\n"
        "value of the parameter to the next higher, over all pairs of runs that differ\n"
        "only in this parameter. + or -: all pairs rose or all fell; +-: mixed, and the\n"
        "figure is the mean magnitude.",
        options,
        1,
        1,
        "the sweep's folder",
        .program = ARG_NO_PROGRAM};
    const int status = args_parse(&question.args, &spec, argc, argv);
    return status >= 0 ? status : answer(&question, ask_sensitivity);
}
