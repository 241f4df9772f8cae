/* aetius topdown RUN: what the issue slots of the simulated shaders were lost to. */
#include "analysis/shader_tree.h"
#include "analysis/topdown_chart.h"
#include "analysis/topdown_print.h"
#include "base/sheet.h"
#include "cmd/topdown.h"
#include "report/compare_runs.h"
#include "report/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frames of a run's table. */
struct run {
    const char *dir;
    struct csv_table table;
    int32_t frame; /* the column */
};

/* Some rows of it. */
struct rows {
    const struct run *run;
    const struct frame_set *frames; /* those in it, or ... */
    int64_t row;                    /* ... this one; -1: the frames */
};

static bool
open_run(struct run *run, const char *dir, struct error *err)
{
    *run = (struct run){.dir = dir};
    if (!is_run_folder(dir))
        return fail(err, "%s is no folder of a run (files of profilers want --nvprof or --ncu)",
                    dir);
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    bool ok = csv_read(&run->table, path, err);
    if (ok && (run->frame = csv_column(&run->table, "frame")) < 0)
        ok = fail(err, "%s is no table of frames", path);
    free(path);
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

/* Whether a column is "shader.slots" or "shader[3].slots". */
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

/* shader_statistic_fn */
static bool
statistic(void *data, const char *name, double *value)
{
    const struct rows *rows = data;
    const struct csv_table *table = &rows->run->table;
    bool is_there = false;
    *value = 0;
    for (uint32_t c = 0; c < table->columns; c++) {
        if (!is_instance(table->names[c], name))
            continue;
        is_there = true;
        for (uint32_t r = 0; r < table->rows; r++)
            *value += has_row(rows, r) ? (double)cell(rows->run, r, (int32_t)c) : 0;
    }
    return is_there;
}

static bool
tree_of(struct rows rows, struct topdown_tree *tree, struct error *err)
{
    return shader_tree(statistic, &rows, tree, err) || fail_prefix(err, "%s", rows.run->dir);
}

static uint32_t
count_rows(const struct rows *rows)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < rows->run->table.rows; r++)
        count += has_row(rows, r);
    return count;
}

/* ---- each frame ---- */

typedef VEC(struct topdown_tree) tree_list;

static void
free_trees(tree_list *trees)
{
    for (size_t i = 0; i < trees->count; i++)
        topdown_tree_fini(&trees->items[i]);
    VEC_FREE(trees);
}

/* The trees of the frames, in order. */
static bool
trees_of(const struct rows *rows, tree_list *trees, struct error *err)
{
    for (uint32_t r = 0; r < rows->run->table.rows; r++) {
        struct topdown_tree tree;
        if (!has_row(rows, r))
            continue;
        if (!tree_of((struct rows){.run = rows->run, .row = r}, &tree, err))
            return false;
        VEC_PUSH(trees, tree);
    }
    return true;
}

/* The number of the n-th frame. */
static uint32_t
frame_number(const struct rows *rows, size_t n)
{
    for (uint32_t r = 0; r < rows->run->table.rows; r++)
        if (has_row(rows, r) && n-- == 0)
            return (uint32_t)cell(rows->run, r, rows->run->frame);
    BUG("a frame that is not there");
}

/* ---- answers ---- */

static void
print_frames(const struct rows *rows, const tree_list *trees)
{
    struct sheet table = {0};
    sheet_cell(&table, "frame");
    for (uint32_t n = 1; n < SHADER_NODES; n++)
        if (topdown_level(&shader_shape, n) == 1)
            sheet_cell(&table, "%s", shader_shape.nodes[n].name);
    sheet_cell(&table, "bound by");
    sheet_end_row(&table);
    for (size_t i = 0; i < trees->count; i++) {
        const uint32_t verdict = topdown_tree_verdict(&trees->items[i]);
        sheet_cell(&table, "%u", frame_number(rows, i));
        for (uint32_t n = 1; n < SHADER_NODES; n++)
            if (topdown_level(&shader_shape, n) == 1)
                sheet_cell(&table, "%.1f %%", 100 * topdown_tree_share(&trees->items[i], n));
        sheet_cell(&table, "%s", verdict ? shader_shape.nodes[verdict].name : "-");
        sheet_end_row(&table);
    }
    puts("");
    sheet_write(&table, SHEET_TEXT, stdout);
    sheet_fini(&table);
}

static void
print_text(const struct rows *rows, const struct topdown_tree *tree, const tree_list *trees,
           const struct topdown_request *request)
{
    struct topdown_style style = topdown_style_of(stdout);
    style.shows_all = request->shows_all;
    style.level = request->level ? request->level : 3;
    const uint32_t frames = count_rows(rows);
    printf("%s: the shaders' %.0f issue slots in %u frame%s\n\n", rows->run->dir, tree->values[0],
           frames, frames == 1 ? "" : "s");
    topdown_print(tree, &style, stdout);
    puts("");
    topdown_print_verdict(tree, stdout);
    if (request->over_time)
        print_frames(rows, trees);
}

static void
put_json(const struct rows *rows, const struct topdown_tree *tree, const tree_list *trees,
         const struct topdown_request *request)
{
    const uint32_t level = request->level ? request->level : 3;
    fputs("\"total\":", stdout);
    topdown_json_number(tree->values[0], stdout);
    fputs(",\"unit\":\"slots\",\n\"tree\":", stdout);
    topdown_json(tree, level, stdout);
    fputs(",\n\"verdict\":", stdout);
    topdown_json_verdict(tree, stdout);
    if (!request->over_time)
        return;
    fputs(",\n\"frames\":[", stdout);
    for (size_t i = 0; i < trees->count; i++) {
        printf("%s\n{\"frame\":%u,\"tree\":", i ? "," : "", frame_number(rows, i));
        topdown_json(&trees->items[i], level, stdout);
        putchar('}');
    }
    putchar(']');
}

static void
print_csv(const struct rows *rows, const struct topdown_tree *tree, const tree_list *trees,
          const struct topdown_request *request)
{
    const uint32_t level = request->level ? request->level : 3;
    puts("frame," TOPDOWN_CSV_COLUMNS);
    topdown_csv(tree, level, ",", stdout);
    for (size_t i = 0; i < trees->count && request->over_time; i++) {
        char lead[16];
        snprintf(lead, sizeof lead, "%u,", frame_number(rows, i));
        topdown_csv(&trees->items[i], level, lead, stdout);
    }
}

static bool
draw(const struct rows *rows, const struct topdown_tree *tree, const tree_list *trees,
     const struct topdown_request *request, struct error *err)
{
    const uint32_t count = request->over_time ? (uint32_t)trees->count : 1;
    struct topdown_bar *bars = mem_alloc(count * sizeof *bars);
    for (uint32_t i = 0; i < count; i++)
        bars[i] = request->over_time ? (struct topdown_bar){mem_printf("%u", frame_number(rows, i)),
                                                            &trees->items[i]}
                                     : (struct topdown_bar){mem_strdup("all frames"), tree};
    const bool ok = topdown_chart("Top-Down of the simulated shaders", bars, count,
                                  request->level ? request->level : 1, request->svg, err);
    for (uint32_t i = 0; i < count; i++)
        free((char *)(uintptr_t)bars[i].label);
    free(bars);
    return ok;
}

static bool
report_run(const struct run *run, const struct frame_set *frames,
           const struct topdown_request *request, struct error *err)
{
    const struct rows rows = {.run = run, .frames = frames, .row = -1};
    struct topdown_tree tree;
    tree_list trees = {0};
    if (!count_rows(&rows))
        return fail(err, "%s: there is no such frame", run->dir);
    if (!tree_of(rows, &tree, err))
        return false;
    bool ok = !request->over_time || trees_of(&rows, &trees, err);
    if (ok && request->json) {
        putchar('{');
        put_json(&rows, &tree, &trees, request);
        puts("}");
    } else if (ok && request->csv) {
        print_csv(&rows, &tree, &trees, request);
    } else if (ok) {
        print_text(&rows, &tree, &trees, request);
    }
    ok = ok && (!request->svg || draw(&rows, &tree, &trees, request, err));
    topdown_tree_fini(&tree);
    free_trees(&trees);
    return ok;
}

/* ---- two runs ---- */

static void
print_difference(const struct topdown_tree *a, const struct topdown_tree *b, uint32_t level)
{
    struct sheet table = {0};
    static const char *const titles[] = {"", "a", "b", "slots", "of all in a"};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        sheet_cell(&table, "%s", titles[i]);
    sheet_end_row(&table);
    uint32_t n = 0;
    do {
        const uint32_t at = topdown_level(a->shape, n);
        const double more = b->values[n] - a->values[n];
        if (at > level)
            continue;
        sheet_cell(&table, "%*s%s", (int)(2 * at), "", a->shape->nodes[n].name);
        sheet_cell(&table, "%.1f %%", 100 * topdown_tree_share(a, n));
        sheet_cell(&table, "%.1f %%", 100 * topdown_tree_share(b, n));
        sheet_cell(&table, "%+.0f", more);
        sheet_cell(&table, "%+.1f %%", a->values[0] > 0 ? 100 * more / a->values[0] : 0);
        sheet_end_row(&table);
    } while ((n = topdown_next(a->shape, n)));
    sheet_write(&table, SHEET_TEXT, stdout);
    sheet_fini(&table);
}

static bool
report_difference(const struct run *a, const struct run *b, const struct frame_set *frames,
                  const struct topdown_request *request, struct error *err)
{
    const struct rows rows_a = {.run = a, .frames = frames, .row = -1};
    const struct rows rows_b = {.run = b, .frames = frames, .row = -1};
    struct topdown_tree tree_a, tree_b;
    const tree_list none = {0};
    if (!count_rows(&rows_a) || !count_rows(&rows_b))
        return fail(err, "%s: there is no such frame", count_rows(&rows_a) ? b->dir : a->dir);
    if (!tree_of(rows_a, &tree_a, err))
        return false;
    const bool ok = tree_of(rows_b, &tree_b, err);
    if (ok && request->json) {
        fputs("{\"a\":{", stdout);
        put_json(&rows_a, &tree_a, &none, request);
        fputs("},\n\"b\":{", stdout);
        put_json(&rows_b, &tree_b, &none, request);
        puts("}}");
    } else if (ok) {
        printf("a: %s\nb: %s\n\n", a->dir, b->dir);
        print_difference(&tree_a, &tree_b, request->level ? request->level : 3);
    }
    topdown_tree_fini(&tree_a);
    if (ok)
        topdown_tree_fini(&tree_b);
    return ok;
}

bool
topdown_run(const char *dir, const char *other, const struct frame_set *frames,
            const struct topdown_request *request, struct error *err)
{
    struct run run = {0}, second = {0};
    bool ok = open_run(&run, dir, err) && (!other || open_run(&second, other, err));
    if (ok)
        ok = other ? report_difference(&run, &second, frames, request, err)
                   : report_run(&run, frames, request, err);
    csv_table_fini(&run.table);
    csv_table_fini(&second.table);
    return ok;
}
