/* aetius topdown RUN: the causes of lost cycles in the simulated pipeline, and the expected gain
 * without each cause. Also the causes of lost issue slots in the shaders. */
#include "analysis/pipeline_tree.h"
#include "analysis/shader_tree.h"
#include "analysis/topdown_chart.h"
#include "analysis/topdown_print.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/plural.h"
#include "base/schema.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "cmd/topdown/topdown.h"
#include "cmd/options.h"
#include "report/compare/ideals.h"
#include "report/compare/steps.h"
#include "report/draw/draws.h"
#include "report/findings/findings.h"
#include "report/run/profile_table.h"
#include "report/run/run.h"
#include "report/run/run_check.h"
#include "report/run/run_frames.h"
#include "report/run/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run's table of frames or draws. */
struct run {
    const char *dir;
    struct params params;
    struct csv_table table;
    int32_t frame, draw, work; /* column indices; `draw` and `work` are -1 in a table of frames */
    bool has_draws;
};

/* A selection of the table's rows. */
struct rows {
    const struct run *run;
    const struct frame_set *frames; /* frames to select, unless `row` is set */
    int64_t row;                    /* the only row; -1: select by frames */
};

/* Results for a selection of rows. */
struct view {
    struct topdown_tree pipeline, shaders;
    struct ideal_gains gains;
    const struct params *params; /* of the run */
    struct steps steps;          /* of parameters; the best one first */
};

/* The draws of the selected frames, and what the program does wrong in them. */
struct run_draws {
    bool are_there;
    struct draws draws;
    struct findings findings;
};

static bool
open_table(struct run *run, const char *name, struct error *err)
{
    char *path = mem_printf("%s/%s.csv.gz", run->dir, name);
    bool ok = csv_read(&run->table, path, err);
    if (ok && (run->frame = csv_column(&run->table, "frame")) < 0)
        ok = fail(err, "%s is not a table of frames", path);
    run->draw = ok ? csv_column(&run->table, "draw") : -1;
    run->work = ok ? csv_column(&run->table, "work") : -1;
    if (ok && run->has_draws && (run->draw < 0 || run->work < 0))
        ok = fail(err, "%s is not a table of draws", path);
    free(path);
    return ok;
}

/* Opens the table of draws if it is requested or present, since draws give the best estimate of
 * gains. Otherwise opens the table of frames. */
static bool
open_run(struct run *run, const char *dir, bool draws, struct error *err)
{
    *run = (struct run){.dir = dir};
    if (!file_exists(dir))
        return fail(err, "%s does not exist", dir);
    if (!is_run_folder(dir))
        return fail(err, "%s is not a run folder (profiler files require --nvprof or --ncu)", dir);
    char *machine = mem_printf("%s/machine.ini", dir);
    char *path = mem_printf("%s/stats.draws.csv.gz", dir);
    run->has_draws = file_exists(path);
    params_init(&run->params);
    bool ok = params_load_file(&run->params, machine, err);
    if (ok && draws && !run->has_draws)
        ok = fail(err, "%s has no table of draws: simulate with SIMULATOR.PerBatchStatistics=TRUE",
                  dir);
    ok = ok && open_table(run, run->has_draws ? "stats.draws" : "stats.frames", err) &&
         run_tables_agree(dir, &run->table, &run->params, err);
    free(path);
    free(machine);
    return ok;
}

static uint64_t
cell(const struct run *run, uint32_t row, int32_t column)
{
    return run->table.values[(size_t)row * run->table.columns + (uint32_t)column];
}

static bool
has_row(const struct rows *rows, uint32_t row)
{
    return rows->row >= 0
               ? row == rows->row
               : frame_set_has(rows->frames, (uint32_t)cell(rows->run, row, rows->run->frame));
}

/* Whether a column is an instance of the statistic: "shader.slots" or "shader[3].slots". */
static bool
is_instance(const char *column, const char *name)
{
    const size_t unit = strcspn(name, ".");
    if (strncmp(column, name, unit))
        return false;
    column += unit;
    if (*column == '[')
        column = strchr(column, ']') ? strchr(column, ']') + 1 : column;
    return !strcmp(column, name + unit);
}

/* A shader_statistic_fn: sums a statistic over the rows, from its total column or from all
 * instances. */
static bool
statistic(void *data, const char *name, double *value)
{
    const struct rows *rows = data;
    const struct csv_table *table = &rows->run->table;
    const bool has_sum = csv_column(table, name) >= 0;
    bool is_there = false;
    *value = 0;
    for (uint32_t c = 0; c < table->columns; c++) {
        if (has_sum ? strcmp(table->names[c], name) != 0 : !is_instance(table->names[c], name))
            continue;
        is_there = true;
        for (uint32_t r = 0; r < table->rows; r++)
            *value += has_row(rows, r) ? (double)cell(rows->run, r, (int32_t)c) : 0;
    }
    return is_there;
}

static void
view_fini(struct view *view)
{
    topdown_tree_fini(&view->pipeline);
    topdown_tree_fini(&view->shaders);
    steps_fini(&view->steps);
}

static bool
view_init(struct view *view, struct rows rows, struct error *err)
{
    *view = (struct view){.params = &rows.run->params};
    const struct ideal_rows wanted = {&rows.run->table, rows.frames, rows.row};
    if (pipeline_tree(statistic, &rows, &view->pipeline, err) &&
        shader_tree(statistic, &rows, &view->shaders, err) &&
        ideals_predict(&wanted, view->params, &view->gains, err) &&
        steps_predict(&wanted, view->params, &view->gains, &view->steps, err))
        return true;
    view_fini(view);
    return fail_prefix(err, "%s", rows.run->dir);
}

static uint32_t
count_frames(const struct rows *rows)
{
    uint32_t count = 0;
    uint64_t last = UINT64_MAX;
    for (uint32_t r = 0; r < rows->run->table.rows; r++) {
        const uint64_t frame = cell(rows->run, r, rows->run->frame);
        if (has_row(rows, r) && frame != last)
            count++;
        if (has_row(rows, r))
            last = frame;
    }
    return count;
}

/* ---- per frame or draw ---- */

struct part {
    char name[48]; /* "12", "12:3", "12 upload" */
    struct view view;
};
typedef VEC(struct part) part_list;

static void
free_parts(part_list *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        view_fini(&parts->items[i].view);
    VEC_FREE(parts);
}

/* Adds one row, or the whole frame of the row if `draws` is false. */
static bool
add_part(part_list *parts, const struct rows *rows, uint32_t row, bool draws, struct error *err)
{
    const struct run *run = rows->run;
    const uint32_t frame = (uint32_t)cell(run, row, run->frame);
    struct frame_set one = {.ranges = {{frame, frame}}, .count = 1};
    struct part part;
    const char *work = csv_field(&run->table, row, run->work);
    if (!draws)
        snprintf(part.name, sizeof part.name, "%u", frame);
    else if (!strcmp(work, "draw"))
        snprintf(part.name, sizeof part.name, "%u:%u", frame, (uint32_t)cell(run, row, run->draw));
    else
        snprintf(part.name, sizeof part.name, "%u %s", frame, work);
    const struct rows of = {.run = run, .frames = &one, .row = draws ? (int64_t)row : -1};
    if (!view_init(&part.view, of, err))
        return false;
    VEC_PUSH(parts, part);
    return true;
}

static bool
parts_of(const struct rows *rows, bool draws, part_list *parts, struct error *err)
{
    uint64_t last = UINT64_MAX;
    for (uint32_t r = 0; r < rows->run->table.rows; r++) {
        const uint64_t frame = cell(rows->run, r, rows->run->frame);
        if (!has_row(rows, r) || (!draws && frame == last))
            continue;
        last = frame;
        if (!add_part(parts, rows, r, draws, err))
            return false;
    }
    return true;
}

/* ---- answers ---- */

enum { MOST_NODES = 256 }; /* of the tree */

/* Sorts the children of the root by their largest share in any part, smallest first. Returns their
 * number. */
static uint32_t
least_first(const part_list *parts, uint32_t *nodes)
{
    uint32_t count = 0;
    double most[MOST_NODES] = {0};
    BUG_ON(pipeline_shape.count > MOST_NODES, "a tree of too many nodes");
    for (uint32_t n = 1; n < pipeline_shape.count; n++) {
        if (topdown_level(&pipeline_shape, n) != 1)
            continue;
        for (size_t i = 0; i < parts->count; i++)
            most[n] = fmax(most[n], topdown_tree_share(&parts->items[i].view.pipeline, n));
        uint32_t at = count++;
        for (; at && most[nodes[at - 1]] > most[n]; at--)
            nodes[at] = nodes[at - 1];
        nodes[at] = n;
    }
    return count;
}

/* Column of the node in the table, after those of name and cycles. */
static uint32_t
column_of(uint32_t node)
{
    uint32_t column = 2;
    for (uint32_t n = 1; n < node; n++)
        column += topdown_level(&pipeline_shape, n) == 1;
    return column;
}

/* Prints the columns that fit the terminal. */
static void
write_parts(struct text_table *table, const part_list *parts)
{
    uint32_t nodes[MOST_NODES], columns[MOST_NODES];
    const uint32_t width = line_width(stdout), count = least_first(parts, nodes);
    for (uint32_t i = 0; i < count; i++)
        columns[i] = column_of(nodes[i]);
    const uint32_t left_out = text_table_fit(table, width, 0, columns, count);
    puts("");
    text_table_write(table, TEXT_TABLE_TEXT, stdout);
    if (!left_out)
        return;
    char *names = mem_strdup(pipeline_shape.nodes[nodes[0]].name);
    for (uint32_t i = 1; i < left_out; i++) {
        char *more = mem_printf("%s, %s", names, pipeline_shape.nodes[nodes[i]].name);
        free(names);
        names = more;
    }
    print_wrapped(stdout, width, 2, 2,
                  "omitted because the terminal is too narrow (--csv prints all): %s", names);
    free(names);
}

static void
print_parts(const part_list *parts, const char *what)
{
    struct text_table table = {0};
    text_table_cell(&table, "%s", what);
    text_table_cell(&table, "cycles");
    for (uint32_t n = 1; n < pipeline_shape.count; n++)
        if (topdown_level(&pipeline_shape, n) == 1)
            text_table_cell(&table, "%s", pipeline_shape.nodes[n].name);
    text_table_cell(&table, "bound by");
    text_table_end_row(&table);
    for (size_t i = 0; i < parts->count; i++) {
        const struct view *view = &parts->items[i].view;
        text_table_cell(&table, "%s", parts->items[i].name);
        text_table_cell(&table, "%.0f", view->pipeline.values[0]);
        for (uint32_t n = 1; n < pipeline_shape.count; n++)
            if (topdown_level(&pipeline_shape, n) == 1)
                text_table_cell(&table, "%.1f %%", 100 * topdown_tree_share(&view->pipeline, n));
        text_table_cell(&table, "%s", ideals_bound_by(&view->gains));
        text_table_end_row(&table);
    }
    write_parts(&table, parts);
    text_table_fini(&table);
}

/* Prints the advice for a resource, and the step of a parameter that is expected to gain most. */
static void
print_advice(const struct view *view, enum ideal_number n)
{
    const struct step *step = steps_of(&view->steps, n);
    const uint32_t width = line_width(stdout);
    if (!step) {
        print_wrapped(stdout, width, 2, 4, "advice: %s; no step of a parameter gains %.0f %%",
                      ideals[n].advice, 100 * STEP_LEAST);
        return;
    }
    char *text = step_text(step, " ");
    print_wrapped(stdout, width, 2, 4, "advice: %s", ideals[n].advice);
    print_wrapped(stdout, width, 2, 4, "step: %s; %.1f %% fewer are predicted with it", text,
                  100 * step->expected / view->gains.cycles);
    free(text);
}

static void
print_gain(const struct view *view, enum ideal_number n, bool is_verdict)
{
    const uint32_t width = line_width(stdout);
    char words[IDEALS_WORDS];
    ideals_describe(&view->gains, n, words);
    if (is_verdict)
        fputs(color_code(stdout, COLOR_VERDICT), stdout);
    print_wrapped(stdout, width, 0, 2, "%s %s: %s", is_verdict ? "bound by" : "then",
                  ideals[n].name, words);
    if (is_verdict)
        fputs(color_code(stdout, COLOR_END), stdout);
    if (is_verdict && ideals_describe_range(&view->gains, n, words))
        print_wrapped(stdout, width, 2, 4, "%s", words);
    print_advice(view, n);
}

/* Resources with this share of the cycles are always listed. */
static const double large_share = 0.2;

/* Prints the resources with the highest expected gain, and those with a large share of the cycles,
 * with advice for each. Then the pair that gains more together. */
static void
print_gains(const struct view *view)
{
    const struct ideal_gains *gains = &view->gains;
    enum { SHOWN = 3 };
    struct ideal_gains left = *gains;
    const bool hide = ideals_hide_each_other(gains);
    if (!(gains->cycles > 0))
        return;
    for (uint32_t i = 0; i < SHOWN; i++) {
        const enum ideal_number n = ideals_verdict(&left);
        const double worth = hide ? left.most[n] : left.expected[n];
        if (i && !(worth >= IDEALS_NOTHING * gains->cycles))
            break;
        print_gain(view, n, !i);
        left.expected[n] = left.most[n] = left.charged[n] = -1;
    }
    for (uint32_t i = 0; i < IDEALS; i++)
        if (left.charged[i] >= large_share * gains->cycles)
            print_gain(view, (enum ideal_number)i, false);
    char together[IDEALS_WORDS];
    if (ideals_describe_together(gains, together))
        print_wrapped(stdout, line_width(stdout), 0, 2, "%s", together);
    steps_print_best(&view->steps, gains, ideals_verdict(gains), stdout);
    if (hide)
        print_wrapped(
            stdout, line_width(stdout), 0, 2,
            "none of them gains %.0f %% alone: they hide each other, and gain only together",
            100 * IDEALS_NOTHING);
}

/* Explains the mark in the tree if the marked cause belongs to a resource other than the verdict.
 */
static void
print_mark(const struct view *view)
{
    const struct topdown_shape *shape = view->pipeline.shape;
    const uint32_t marked = topdown_tree_verdict(&view->pipeline);
    const enum ideal_number verdict = ideals_verdict(&view->gains);
    if (!marked || !*ideals_bound_by(&view->gains) ||
        ideal_is_charged(&ideals[verdict], shape->nodes[marked].name))
        return;
    puts("");
    print_wrapped(stdout, line_width(stdout), 0, 2,
                  "<== marks %s, the largest cause in the largest branch; the verdict is %s, the "
                  "resource with the largest %s",
                  shape->nodes[marked].name, ideals[verdict].name,
                  ideals_hide_each_other(&view->gains) ? "possible gain" : "expected gain");
}

/* Warns of short intervals. The critical path is cut at the end of each interval, and work in
 * flight is charged again. */
static void
print_short_intervals(const struct params *params)
{
    enum { LONG = 10000 };
    const uint64_t cycles = params->SIMULATOR.StatisticsRate;
    if (cycles < LONG)
        print_wrapped(
            stdout, line_width(stdout), 0, 2,
            "intervals of %llu cycle%s split work in flight: the shares may differ by some points "
            "from those with SIMULATOR.StatisticsRate=%d or more (docs/topdown.md)",
            (unsigned long long)cycles, plural(cycles), LONG);
}

/* Whether the run names a trace, which --prove requires. */
static bool
has_trace(const char *dir)
{
    struct run_json run;
    struct error err;
    if (!run_json_read(&run, dir, &err))
        return false;
    const bool there = run.trace != NULL;
    run_json_fini(&run);
    return there;
}

static void
print_topdown_run_text(const struct rows *rows, const struct view *view, const part_list *parts,
                       const struct run_draws *draws, const struct topdown_request *request)
{
    struct topdown_style style = topdown_style_of(stdout);
    style.shows_all = request->shows_all;
    style.level = request->level ? request->level : TOPDOWN_LEVELS;
    const uint32_t frames = count_frames(rows);
    print_gains(view);
    findings_print(&draws->findings, stdout);
    print_short_intervals(&rows->run->params);
    if (draws->are_there && !request->draws)
        run_print_draws(&draws->draws, stdout);
    puts("");
    if (!request->has_draw) {
        const bool proves = !request->prove && has_trace(rows->run->dir);
        print_next(stdout, "topdown", rows->run->dir, proves ? " --prove" : " --draws");
        puts("");
    }
    print_wrapped(stdout, line_width(stdout), 0, 2, "%s: %.0f cycles in %s%u frame%s",
                  rows->run->dir, view->pipeline.values[0], request->has_draw ? "a draw of " : "",
                  frames, plural(frames));
    puts("");
    topdown_print(&view->pipeline, &style, stdout);
    print_mark(view);
    printf("\nthe shaders' %.0f issue slots\n\n", view->shaders.values[0]);
    topdown_print(&view->shaders, &style, stdout);
    puts("");
    topdown_print_verdict(&view->shaders, stdout);
    if (parts->count)
        print_parts(parts, request->draws ? "draw" : "frame");
}

/* Reads the draws of the frames, unless that would take too long. */
static void
read_draws(struct run_draws *draws, const struct rows *rows, const struct topdown_request *request)
{
    const struct run *run = rows->run;
    struct error err;
    *draws = (struct run_draws){.are_there = run->has_draws && !request->has_draw &&
                                             run->table.rows <= DRAWS_SUMMARY};
    if (draws->are_there)
        draws->are_there = draws_read_frames(&draws->draws, run->dir, rows->frames, &err);
    if (draws->are_there)
        findings_make(&draws->findings, &draws->draws, &run->params, rows->frames);
}

static void
run_draws_fini(struct run_draws *draws)
{
    if (draws->are_there)
        draws_fini(&draws->draws);
    findings_fini(&draws->findings);
}

static void
add_range(cJSON *object, const struct ideal_gains *gains, uint32_t ideal)
{
    const double all = gains->cycles > 0 ? gains->cycles : 1;
    cJSON_AddItemToObject(object, "gain_low", json_number(gains->low[ideal] / all));
    cJSON_AddItemToObject(object, "gain_high", json_number(gains->high[ideal] / all));
}

static cJSON *
gains_json(const struct view *view)
{
    const struct ideal_gains *gains = &view->gains;
    const double all = gains->cycles > 0 ? gains->cycles : 1;
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < IDEALS; i++) {
        const enum ideal_number behind = ideals_hidden_by(gains, i);
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", ideals[i].name);
        cJSON_AddItemToObject(object, "charged", json_number(gains->charged[i] / all));
        cJSON_AddItemToObject(object, "share", json_number(gains->most[i] / all));
        cJSON_AddItemToObject(object, "expected_gain", json_number(gains->expected[i] / all));
        cJSON_AddItemToObject(object, "behind",
                              json_text(behind < IDEALS ? ideals[behind].name : NULL));
        add_range(object, gains, i);
        cJSON_AddStringToObject(object, "advice", ideals[i].advice);
        cJSON_AddItemToObject(object, "step", step_json(steps_of(&view->steps, i), gains));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *
verdict_json(const struct view *view)
{
    const struct ideal_gains *gains = &view->gains;
    const enum ideal_number number = ideals_verdict(gains);
    const double all = gains->cycles > 0 ? gains->cycles : 1;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", ideals[number].name);
    cJSON_AddItemToObject(object, "share", json_number(gains->most[number] / all));
    cJSON_AddItemToObject(object, "expected_gain", json_number(gains->expected[number] / all));
    add_range(object, gains, number);
    cJSON_AddStringToObject(object, "advice", ideals[number].advice);
    cJSON_AddItemToObject(object, "step", step_json(steps_of(&view->steps, number), gains));
    return object;
}

/* The resources that gain more together than alone, or null. */
static cJSON *
together_json(const struct ideal_gains *gains)
{
    struct ideal_group group;
    if (!ideals_together(gains, &group))
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    cJSON *names = cJSON_AddArrayToObject(object, "names");
    for (uint32_t i = 0; i < IDEALS; i++)
        if (group.set >> i & 1)
            cJSON_AddItemToArray(names, cJSON_CreateString(ideals[i].name));
    cJSON_AddItemToObject(object, "expected_gain", json_number(group.expected / gains->cycles));
    return object;
}

static void
add_view(cJSON *object, const struct view *view, uint32_t level)
{
    cJSON_AddItemToObject(object, "total", json_number(view->pipeline.values[0]));
    cJSON_AddStringToObject(object, "unit", "cycles");
    cJSON_AddItemToObject(object, "tree", topdown_json(&view->pipeline, level));
    cJSON_AddItemToObject(object, "verdict", verdict_json(view));
    cJSON_AddItemToObject(object, "resources", gains_json(view));
    cJSON_AddItemToObject(object, "together", together_json(&view->gains));
    cJSON_AddItemToObject(object, "steps", steps_json(&view->steps, &view->gains));
    cJSON *shaders = cJSON_AddObjectToObject(object, "shaders");
    cJSON_AddItemToObject(shaders, "total", json_number(view->shaders.values[0]));
    cJSON_AddStringToObject(shaders, "unit", "slots");
    cJSON_AddItemToObject(shaders, "tree", topdown_json(&view->shaders, level));
    cJSON_AddItemToObject(shaders, "verdict", topdown_json_verdict(&view->shaders));
}

/* Prints part by part, because a tree of all parts might not fit into memory. */
static void
print_topdown_run_json(const struct view *view, const part_list *parts,
                       const struct findings *findings, const struct topdown_request *request)
{
    const uint32_t level = request->level ? request->level : TOPDOWN_LEVELS;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "schema", AETIUS_SCHEMA);
    add_view(object, view, level);
    cJSON_AddItemToObject(object, "findings", findings_json(findings));
    putchar('{');
    json_put_members(object, stdout);
    if (request->over_time || request->draws)
        printf(",\n\"%s\":[", request->draws ? "draws" : "frames");
    for (size_t i = 0; i < parts->count; i++) {
        object = cJSON_CreateObject();
        if (request->draws)
            cJSON_AddStringToObject(object, "draw", parts->items[i].name);
        else
            cJSON_AddNumberToObject(object, "frame", strtod(parts->items[i].name, NULL));
        add_view(object, &parts->items[i].view, level);
        fputs(i ? ",\n" : "\n", stdout);
        json_put(object, stdout);
    }
    puts(request->over_time || request->draws ? "]}" : "}");
}

static void
put_csv(const struct view *view, uint32_t level, const char *name)
{
    topdown_csv(&view->pipeline, level, &name, 1, stdout);
    topdown_csv(&view->shaders, level, &name, 1, stdout);
    steps_csv(&view->steps, &view->gains, name, stdout);
}

static void
print_topdown_run_csv(const struct view *view, const part_list *parts,
                      const struct findings *findings, const struct topdown_request *request)
{
    const uint32_t level = request->level ? request->level : TOPDOWN_LEVELS;
    printf("%s," TOPDOWN_CSV_COLUMNS "\n", request->draws ? "draw" : "frame");
    put_csv(view, level, "");
    findings_csv(findings, "", stdout);
    for (size_t i = 0; i < parts->count; i++)
        put_csv(&parts->items[i].view, level, parts->items[i].name);
}

static bool
draw(const struct view *view, const part_list *parts, const struct topdown_request *request,
     struct error *err)
{
    const uint32_t count = parts->count ? (uint32_t)parts->count : 1;
    struct topdown_bar *bars = mem_array(count, sizeof *bars);
    for (uint32_t i = 0; i < count; i++)
        bars[i] = parts->count
                      ? (struct topdown_bar){parts->items[i].name, &parts->items[i].view.pipeline}
                      : (struct topdown_bar){"all frames", &view->pipeline};
    const bool ok = topdown_chart("Top-Down of the simulated pipeline", bars, count, 0,
                                  request->level ? request->level : 1, request->svg, err);
    free(bars);
    return ok;
}

/* Finds the row of --draw N. Returns false if no frame has such a draw, or if several frames do. */
static bool
find_draw(struct rows *rows, uint64_t number, struct error *err)
{
    const struct run *run = rows->run;
    int64_t found = -1;
    for (uint32_t r = 0; r < run->table.rows; r++) {
        if (!has_row(rows, r) || cell(run, r, run->draw) != number ||
            strcmp(csv_field(&run->table, r, run->work), "draw") != 0)
            continue;
        if (found >= 0)
            return fail(err, "several frames have a draw %llu: select one with --frame",
                        (unsigned long long)number);
        found = r;
    }
    rows->row = found;
    return found >= 0 || fail(err, "%s: no such draw", run->dir);
}

static bool
report_programs(struct rows *rows, const struct topdown_request *request, struct error *err)
{
    const struct run *run = rows->run;
    double statistics[PROFILE_COUNTS];
    struct topdown_selection selection = {run->dir, rows->frames,  request->has_draw,
                                          0,        request->draw, statistics};
    if (request->has_draw)
        selection.frame = (uint32_t)cell(run, (uint32_t)rows->row, run->frame);
    for (uint32_t c = 0; c < PROFILE_COUNTS; c++)
        if (!statistic(rows, profile_count_names[c], &statistics[c]))
            return fail(err, "%s has no statistic %s", run->dir, profile_count_names[c]);
    return topdown_program(&selection, request, err);
}

static bool
report_run(const struct run *run, const struct frame_set *frames,
           const struct topdown_request *request, struct error *err)
{
    struct rows rows = {.run = run, .frames = frames, .row = -1};
    struct view view;
    part_list parts = {0};
    if (!count_frames(&rows))
        return fail(err, "%s: no such frame", run->dir);
    if (request->has_draw && !find_draw(&rows, request->draw, err))
        return false;
    if (request->program)
        return report_programs(&rows, request, err);
    if (!view_init(&view, rows, err))
        return false;
    struct run_draws draws;
    read_draws(&draws, &rows, request);
    bool ok =
        !(request->over_time || request->draws) || parts_of(&rows, request->draws, &parts, err);
    if (ok && request->json)
        print_topdown_run_json(&view, &parts, &draws.findings, request);
    else if (ok && request->csv)
        print_topdown_run_csv(&view, &parts, &draws.findings, request);
    else if (ok)
        print_topdown_run_text(&rows, &view, &parts, &draws, request);
    ok = ok && (!request->svg || draw(&view, &parts, request, err));
    if (ok && request->prove)
        ok = topdown_prove(run->dir, &run->params, frames, &view.gains, &view.steps, request, err);
    run_draws_fini(&draws);
    view_fini(&view);
    free_parts(&parts);
    return ok;
}

/* ---- two runs ---- */

static void
print_difference(const struct topdown_tree *a, const struct topdown_tree *b, uint32_t level)
{
    struct text_table table = {0};
    static const uint32_t spare[] = {4, 3};
    text_table_cells(&table, "|a|b");
    text_table_cell(&table, "%s", a->shape->unit);
    text_table_cell(&table, "share of a");
    text_table_end_row(&table);
    uint32_t n = 0;
    do {
        const uint32_t at = topdown_level(a->shape, n);
        const double more = b->values[n] - a->values[n];
        if (at > level)
            continue;
        text_table_cell(&table, "%*s%s", (int)(2 * at), "", a->shape->nodes[n].name);
        text_table_cell(&table, "%.1f %%", 100 * topdown_tree_share(a, n));
        text_table_cell(&table, "%.1f %%", 100 * topdown_tree_share(b, n));
        text_table_cell(&table, "%+.0f", more);
        text_table_cell(&table, "%+.1f %%", a->values[0] > 0 ? 100 * more / a->values[0] : 0);
        text_table_end_row(&table);
    } while ((n = topdown_next(a->shape, n)));
    text_table_fit(&table, line_width(stdout), 0, spare, sizeof spare / sizeof spare[0]);
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

static bool
report_difference(const struct run *a, const struct run *b, const struct frame_set *frames_a,
                  const struct frame_set *frames_b, const struct topdown_request *request,
                  struct error *err)
{
    const struct rows rows_a = {.run = a, .frames = frames_a, .row = -1};
    const struct rows rows_b = {.run = b, .frames = frames_b, .row = -1};
    const uint32_t level = request->level ? request->level : TOPDOWN_LEVELS;
    struct view view_a, view_b;
    if (!count_frames(&rows_a) || !count_frames(&rows_b))
        return fail(err, "%s: no such frame", count_frames(&rows_a) ? b->dir : a->dir);
    if (!view_init(&view_a, rows_a, err))
        return false;
    const bool ok = view_init(&view_b, rows_b, err);
    const struct topdown_side side_a = {&view_a.pipeline, &a->table, frames_a};
    const struct topdown_side side_b = {&view_b.pipeline, &b->table, frames_b};
    if (ok && request->json) {
        cJSON *both = cJSON_CreateObject();
        cJSON_AddNumberToObject(both, "schema", AETIUS_SCHEMA);
        add_view(cJSON_AddObjectToObject(both, "a"), &view_a, level);
        add_view(cJSON_AddObjectToObject(both, "b"), &view_b, level);
        cJSON_AddItemToObject(both, "grew", topdown_growth_json(&side_a, &side_b));
        json_put(both, stdout);
        putchar('\n');
    } else if (ok) {
        print_shown(stdout, "a: %s\nb: %s\n\n", a->dir, b->dir);
        topdown_growth_print(&side_a, &side_b);
        puts("");
        print_difference(&view_a.pipeline, &view_b.pipeline, level);
        puts("");
        print_difference(&view_a.shaders, &view_b.shaders, level);
    }
    view_fini(&view_a);
    if (ok)
        view_fini(&view_b);
    return ok;
}

bool
topdown_run(const char *dir, const char *other, const struct frame_set *asked,
            const struct topdown_request *request, struct error *err)
{
    struct run run = {0}, second = {0};
    struct frame_set frames = *asked, second_frames = *asked;
    const bool draws = request->draws || request->has_draw;
    bool ok = open_run(&run, dir, draws, err) && run_locate_frames(&frames, dir, &run.table, err) &&
              (!other || (open_run(&second, other, draws, err) &&
                          run_locate_frames(&second_frames, other, &second.table, err)));
    if (ok)
        ok = other ? report_difference(&run, &second, &frames, &second_frames, request, err)
                   : report_run(&run, &frames, request, err);
    csv_table_fini(&run.table);
    csv_table_fini(&second.table);
    return ok;
}
