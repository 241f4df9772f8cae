/* Prints lists of draws as text, CSV and JSON. */
#include "report/draw/draws.h"

#include "base/json.h"
#include "base/log.h"
#include "base/plural.h"
#include "base/schema.h"
#include "base/text_table.h"
#include "base/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double
share(const struct draw_cost *cost, const struct draws *draws)
{
    return draws->total.cycles > 0 ? 100 * cost->cycles / draws->total.cycles : 0;
}

/* ---- text ---- */

static void
put_cost(struct text_table *table, const struct draw_cost *cost, const struct draws *draws,
         bool covers)
{
    text_table_cell(table, "%.0f", cost->cycles);
    text_table_cell(table, "%.2f", share(cost, draws));
    text_table_cell(table, "%.0f", cost->fragments);
    if (covers)
        text_table_cell(table, "%.3f", cost->overdraw);
    else
        text_table_cell(table, "-"); /* work without a target, or the total */
    text_table_cell(table, "%.0f", cost->bytes);
    text_table_cell(table, "%.0f", cost->texture_misses);
    text_table_left(table, "%s", draw_cost_bound_by(cost));
}

/* Describes a draw. If the table may be truncated to the terminal width, the label and the
 * primitive come first. */
static void
put_facts(struct text_table *table, const struct draw_row *row, bool may_be_cut)
{
    char *label = draw_row_label(row);
    if (may_be_cut)
        text_table_left(table, "%s%s%s %s  %.8s %.8s  %s", label, *label ? "  " : "",
                        row->primitive, row->vertices, row->vertex_program, row->fragment_program,
                        row->target);
    else
        text_table_left(table, "%.8s %.8s  %s %s  %s%s%s", row->vertex_program,
                        row->fragment_program, row->primitive, row->vertices, row->target,
                        *label ? "  " : "", label);
    text_table_end_row(table);
    free(label);
}

static void
put_draw(struct text_table *table, const struct draws_line *line, const struct draws *draws,
         FILE *out)
{
    text_table_cell(table, "%u:%u", line->row->frame, line->row->draw);
    if (line->name)
        text_table_cell(table, "%u", line->count);
    put_cost(table, &line->cost, draws, true);
    put_facts(table, line->row, line_width(out) != LINE_WITHOUT_END);
}

static void
put_group(struct text_table *table, const struct draws_line *line, const struct draws *draws)
{
    text_table_cell(table, "%u", line->count);
    put_cost(table, &line->cost, draws, true);
    text_table_left(table, "%s  %u:%u", line->name, line->row->frame, line->row->draw);
    text_table_end_row(table);
}

static void
put_between(struct text_table *table, const struct draws_line *line, const struct draws *draws,
            bool has_frames)
{
    text_table_cell(table, "%s", line->name);
    if (has_frames)
        text_table_cell(table, "-");
    put_cost(table, &line->cost, draws, false);
    text_table_left(table, "%u time%s between draws", line->count, plural(line->count));
    text_table_end_row(table);
}

static const char *
facts_title(FILE *out)
{
    return line_width(out) != LINE_WITHOUT_END
               ? "label, primitive, vertex and fragment program, target"
               : "vertex and fragment program, primitive, target, label";
}

static void
put_titles(struct text_table *table, enum draws_group group, FILE *out)
{
    const bool is_draw = group == GROUP_NONE || group == GROUP_FRAMES;
    text_table_cell(table, is_draw ? "draw" : "draws");
    if (group == GROUP_FRAMES)
        text_table_cell(table, "frames");
    text_table_cells(table, "cycles|%|fragments|overdraw|bytes|tex miss|bound by");
    text_table_left(table, "%s", is_draw ? facts_title(out) : "group, and its most expensive draw");
    text_table_end_row(table);
}

static void
put_line(struct text_table *table, const struct draws_list *list, size_t i,
         const struct draws *draws, FILE *out)
{
    if (list->group == GROUP_NONE || list->group == GROUP_FRAMES)
        put_draw(table, &list->lines.items[i], draws, out);
    else
        put_group(table, &list->lines.items[i], draws);
}

/* Prints the columns that fit the terminal. */
static void
put_fitted(struct text_table *table, enum draws_group group, FILE *out)
{
    const uint32_t first = group == GROUP_FRAMES, width = line_width(out);
    const uint32_t spare[] = {first + 6, first + 5, first + 4, first + 3, first + 2};
    const uint32_t left_out =
        text_table_fit(table, width, first + 8, spare, sizeof spare / sizeof spare[0]);
    static const char *const names[] = {"tex miss", "tex miss, bytes", "tex miss, bytes, overdraw",
                                        "tex miss, bytes, overdraw, fragments",
                                        "tex miss, bytes, overdraw, fragments, %"};
    text_table_put(table, TEXT_TABLE_TEXT, out);
    if (left_out)
        print_wrapped(out, width, 2, 2,
                      "omitted because the terminal is too narrow (--csv prints all): %s",
                      names[left_out - 1]);
}

static void
print_draws_text(const struct draws_list *list, const struct draws *draws, uint32_t most, FILE *out)
{
    struct text_table table = {0};
    const bool has_frames = list->group == GROUP_FRAMES;
    put_titles(&table, list->group, out);
    for (size_t i = 0; i < list->lines.count && (!most || i < most); i++)
        put_line(&table, list, i, draws, out);
    if (most && list->lines.count > most)
        text_table_line(&table, "and %zu more (--all)", list->lines.count - most);
    for (size_t i = 0; i < list->between.count; i++)
        put_between(&table, &list->between.items[i], draws, has_frames);
    text_table_cell(&table, "all");
    if (has_frames)
        text_table_cell(&table, "-");
    put_cost(&table, &draws->total, draws, false);
    text_table_left(
        &table, "total%s",
        list->group == GROUP_TEXTURE ? "; a draw with several textures is in several groups" : "");
    text_table_end_row(&table);
    put_fitted(&table, list->group, out);
}

void
draws_list_print_top(const struct draws_list *list, const struct draws *draws, uint32_t most,
                     FILE *out)
{
    struct text_table table = {0};
    const bool has_frames = list->group == GROUP_FRAMES;
    const uint32_t width = line_width(out);
    text_table_cells(&table, has_frames ? "draw|frames|cycles|%" : "draw|cycles|%");
    text_table_left(&table, "bound by");
    text_table_left(&table, "%s", facts_title(out));
    text_table_end_row(&table);
    for (size_t i = 0; i < list->lines.count && i < most; i++) {
        const struct draws_line *line = &list->lines.items[i];
        text_table_cell(&table, "%u:%u", line->row->frame, line->row->draw);
        if (has_frames)
            text_table_cell(&table, "%u", line->count);
        text_table_cell(&table, "%.0f", line->cost.cycles);
        text_table_cell(&table, "%.2f", share(&line->cost, draws));
        text_table_left(&table, "%s", draw_cost_bound_by(&line->cost));
        put_facts(&table, line->row, width != LINE_WITHOUT_END);
    }
    text_table_fit(&table, width, table.columns - 1, NULL, 0);
    text_table_put(&table, TEXT_TABLE_TEXT, out);
}

/* ---- CSV ---- */

static void
put_csv_cost(struct text_table *table, const struct draw_cost *cost, const struct draws *draws)
{
    text_table_cell(table, "%.0f", cost->cycles);
    text_table_cell(table, "%.4f", share(cost, draws));
    text_table_cell(table, "%.0f", cost->fragments);
    text_table_cell(table, "%.6g", cost->overdraw);
    text_table_cell(table, "%.0f", cost->bytes);
    text_table_cell(table, "%.0f", cost->texture_misses);
    text_table_cell(table, "%s", draw_cost_bound_by(cost));
}

static void
put_csv_line(struct text_table *table, const struct draws_line *line, const struct draws *draws,
             enum draws_group group)
{
    const struct draw_row *row = line->row;
    const char *const facts[] = {row->hash,      row->vertex_program, row->fragment_program,
                                 row->primitive, row->vertices,       row->instances,
                                 row->target,    row->textures,       row->state,
                                 row->label,     row->program_name,   row->target_name};
    text_table_cell(table, "%d", AETIUS_SCHEMA);
    if (group != GROUP_NONE) {
        text_table_cell(table, "%s", row->work);
        text_table_cell(table, "%s", line->name);
        text_table_cell(table, "%u", line->count);
    }
    text_table_cell(table, "%u", row->frame);
    text_table_cell(table, "%u", row->draw);
    text_table_cell(table, "%s", group != GROUP_NONE ? row->hash : row->work);
    put_csv_cost(table, &line->cost, draws);
    for (size_t i = 0; group == GROUP_NONE && i < sizeof facts / sizeof facts[0]; i++)
        text_table_cell(table, "%s", facts[i]);
    text_table_end_row(table);
}

static void
print_draws_csv(const struct draws_list *list, const struct draws *draws, FILE *out)
{
    struct text_table table = {0};
    const bool grouped = list->group != GROUP_NONE;
    text_table_cells(&table,
                     grouped ? "schema|work|name|count|frame|draw|hash" : "schema|frame|draw|work");
    text_table_cells(&table, "cycles|share|fragments|overdraw|bytes|texture_misses|bound_by");
    if (!grouped)
        text_table_cells(&table, "hash|vertex_program|fragment_program|primitive|vertices|"
                                 "instances|target|textures|state|label|program_name|target_name");
    text_table_end_row(&table);
    for (size_t i = 0; i < list->lines.count; i++)
        put_csv_line(&table, &list->lines.items[i], draws, list->group);
    for (size_t i = 0; i < list->between.count; i++)
        put_csv_line(&table, &list->between.items[i], draws, list->group);
    text_table_put(&table, TEXT_TABLE_CSV, out);
}

/* ---- JSON ---- */

static void
add_cost(cJSON *o, const struct draw_cost *cost, const struct draws *draws)
{
    cJSON_AddNumberToObject(o, "cycles", cost->cycles);
    cJSON_AddNumberToObject(o, "share", share(cost, draws));
    cJSON_AddNumberToObject(o, "fragments", cost->fragments);
    cJSON_AddNumberToObject(o, "overdraw", cost->overdraw);
    cJSON_AddNumberToObject(o, "bytes", cost->bytes);
    cJSON_AddNumberToObject(o, "texture_misses", cost->texture_misses);
    cJSON_AddStringToObject(o, "bound_by", draw_cost_bound_by(cost));
}

static void
add_facts(cJSON *o, const struct draw_row *row)
{
    cJSON_AddStringToObject(o, "hash", row->hash);
    cJSON_AddStringToObject(o, "vertex_program", row->vertex_program);
    cJSON_AddStringToObject(o, "fragment_program", row->fragment_program);
    cJSON_AddStringToObject(o, "primitive", row->primitive);
    cJSON_AddNumberToObject(o, "vertices", strtod(row->vertices, NULL));
    cJSON_AddNumberToObject(o, "instances", strtod(row->instances, NULL));
    cJSON_AddStringToObject(o, "target", row->target);
    cJSON_AddStringToObject(o, "textures", row->textures);
    cJSON_AddStringToObject(o, "state", row->state);
    cJSON_AddStringToObject(o, "label", row->label);
    cJSON_AddStringToObject(o, "program_name", row->program_name);
    cJSON_AddStringToObject(o, "target_name", row->target_name);
}

static void
add_line(cJSON *list, const struct draws_line *line, const struct draws *draws)
{
    cJSON *o = cJSON_CreateObject();
    if (line->name) {
        cJSON_AddStringToObject(o, "name", line->name);
        cJSON_AddNumberToObject(o, "count", line->count);
    }
    if (line->row->is_draw) {
        cJSON_AddNumberToObject(o, "frame", line->row->frame);
        cJSON_AddNumberToObject(o, "draw", line->row->draw);
    }
    add_cost(o, &line->cost, draws);
    if (line->row->is_draw && !line->name)
        add_facts(o, line->row);
    cJSON_AddItemToArray(list, o);
}

static void
print_draws_json(const struct draws_list *list, const struct draws *draws, FILE *out)
{
    static const char *const names[] = {
        [GROUP_NONE] = "draws",     [GROUP_FRAMES] = "draws",     [GROUP_PROGRAM] = "programs",
        [GROUP_TARGET] = "targets", [GROUP_TEXTURE] = "textures", [GROUP_LABEL] = "labels"};
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON_AddNumberToObject(root, "cycles", draws->total.cycles);
    cJSON *lines = cJSON_AddArrayToObject(root, names[list->group]);
    for (size_t i = 0; i < list->lines.count; i++)
        add_line(lines, &list->lines.items[i], draws);
    cJSON *between = cJSON_AddArrayToObject(root, "between");
    for (size_t i = 0; i < list->between.count; i++)
        add_line(between, &list->between.items[i], draws);
    json_print(root, out);
}

void
draws_list_print(const struct draws_list *list, const struct draws *draws, enum draws_form form,
                 uint32_t most, FILE *out)
{
    switch (form) {
    case DRAWS_TEXT: print_draws_text(list, draws, most, out); break;
    case DRAWS_CSV: print_draws_csv(list, draws, out); break;
    case DRAWS_JSON: print_draws_json(list, draws, out); break;
    }
}

/* ---- two runs ---- */

static double
cycles_change(const struct draws_pair *pair)
{
    return (pair->b ? pair->b->cost.cycles : 0) - (pair->a ? pair->a->cost.cycles : 0);
}

static int
greatest_first(const void *left, const void *right)
{
    const struct draws_pair *a = *(const struct draws_pair *const *)left;
    const struct draws_pair *b = *(const struct draws_pair *const *)right;
    const double x = fabs(cycles_change(a)), y = fabs(cycles_change(b));
    if (x != y)
        return x < y ? 1 : -1;
    return a < b ? -1 : a > b;
}

static const char *
status_of(const struct draws_pair *pair)
{
    return !pair->a                               ? "new"
           : !pair->b                             ? "gone"
           : strcmp(pair->a->hash, pair->b->hash) ? "changed"
                                                  : "same";
}

/* Prints FRAME:DRAW, or `none` if there is no draw. */
static void
put_position(struct text_table *table, const struct draw_row *row, const char *none)
{
    if (row)
        text_table_left(table, "%u:%u", row->frame, row->draw);
    else
        text_table_left(table, "%s", none);
}

static void
put_pair(struct text_table *table, const struct draws_pair *pair)
{
    const struct draw_row *row = pair->b ? pair->b : pair->a;
    char *difference = draws_pair_difference(pair);
    put_position(table, pair->a, "-");
    put_position(table, pair->b, "-");
    text_table_left(table, "%s", status_of(pair));
    text_table_cell(table, "%.0f", pair->a ? pair->a->cost.cycles : 0);
    text_table_cell(table, "%.0f", pair->b ? pair->b->cost.cycles : 0);
    text_table_cell(table, "%+.0f", cycles_change(pair));
    text_table_left(table, "%.8s %.8s  %s %s  %s%s%s%s%s", row->vertex_program,
                    row->fragment_program, row->primitive, row->vertices, row->target,
                    *row->label ? "  " : "", row->label, *difference ? "  other " : "", difference);
    text_table_end_row(table);
    free(difference);
}

static void
put_csv_pair(struct text_table *table, const struct draws_pair *pair)
{
    const struct draw_row *row = pair->b ? pair->b : pair->a;
    char *difference = draws_pair_difference(pair);
    text_table_cell(table, "%d", AETIUS_SCHEMA);
    text_table_cell(table, "%s", status_of(pair));
    put_position(table, pair->a, "");
    put_position(table, pair->b, "");
    text_table_cell(table, "%.0f", pair->a ? pair->a->cost.cycles : 0);
    text_table_cell(table, "%.0f", pair->b ? pair->b->cost.cycles : 0);
    text_table_cell(table, "%.0f", cycles_change(pair));
    text_table_cell(table, "%s", difference);
    text_table_cell(table, "%s", row->hash);
    text_table_cell(table, "%s", row->vertex_program);
    text_table_cell(table, "%s", row->fragment_program);
    text_table_cell(table, "%s", row->target);
    text_table_cell(table, "%s", row->label);
    text_table_end_row(table);
    free(difference);
}

static double
between(const struct draws *draws)
{
    double cycles = 0;
    for (size_t i = 0; i < draws->rows.count; i++)
        cycles += draws->rows.items[i].is_draw ? 0 : draws->rows.items[i].cost.cycles;
    return cycles;
}

static void
print_summary(const struct draws_join *join, const struct draws *a, const struct draws *b,
              FILE *out)
{
    const double more = b->total.cycles - a->total.cycles;
    print_shown(out, "%s over %s: %.0f cycles, before %.0f, %+.0f (%+.2f %%)\n", b->dir, a->dir,
                b->total.cycles, a->total.cycles, more,
                a->total.cycles > 0 ? 100 * more / a->total.cycles : 0);
    const uint32_t joined = join->same_hash + join->changed;
    fprintf(out,
            "draws: %u, before %u; %u matched (%.2f %%): %u with the same hash, %u changed; %u "
            "new, %u gone\nbetween draws: %.0f cycles, before %.0f\n",
            join->draws_b, join->draws_a, joined,
            join->draws_b ? 100.0 * joined / join->draws_b : 0, join->same_hash, join->changed,
            join->only_b, join->only_a, between(b), between(a));
}

cJSON *
draws_join_json(const struct draws_join *join, const struct draws *a, const struct draws *b)
{
    const struct draws *const runs[] = {a, b};
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "draws_a", join->draws_a);
    cJSON_AddNumberToObject(root, "draws_b", join->draws_b);
    cJSON_AddNumberToObject(root, "same", join->same_hash);
    cJSON_AddNumberToObject(root, "changed", join->changed);
    cJSON_AddNumberToObject(root, "new", join->only_b);
    cJSON_AddNumberToObject(root, "gone", join->only_a);
    cJSON *list = cJSON_AddArrayToObject(root, "draws");
    for (size_t i = 0; i < join->pairs.count; i++) {
        const struct draws_pair *pair = &join->pairs.items[i];
        char *difference = draws_pair_difference(pair);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "status", status_of(pair));
        const struct draw_row *const rows[] = {pair->a, pair->b};
        for (uint32_t r = 0; r < 2; r++) {
            cJSON *side = rows[r] ? cJSON_AddObjectToObject(o, r ? "b" : "a")
                                  : cJSON_AddNullToObject(o, r ? "b" : "a");
            if (!rows[r])
                continue;
            cJSON_AddNumberToObject(side, "frame", rows[r]->frame);
            cJSON_AddNumberToObject(side, "draw", rows[r]->draw);
            add_cost(side, &rows[r]->cost, runs[r]);
            add_facts(side, rows[r]);
        }
        cJSON_AddNumberToObject(o, "change", cycles_change(pair));
        cJSON_AddStringToObject(o, "difference", difference);
        cJSON_AddItemToArray(list, o);
        free(difference);
    }
    return root;
}

void
draws_join_print(const struct draws_join *join, const struct draws *a, const struct draws *b,
                 enum draws_form form, uint32_t most, FILE *out)
{
    if (form == DRAWS_JSON) {
        cJSON *root = draws_join_json(join, a, b);
        cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
        cJSON_AddNumberToObject(root, "cycles_a", a->total.cycles);
        cJSON_AddNumberToObject(root, "cycles_b", b->total.cycles);
        json_print(root, out);
        return;
    }
    struct text_table table = {0};
    const bool is_csv = form == DRAWS_CSV;
    const size_t count = is_csv || !most || most > join->pairs.count ? join->pairs.count : most;
    const struct draws_pair **order = mem_array(join->pairs.count + 1, sizeof *order);
    for (size_t i = 0; i < join->pairs.count; i++)
        order[i] = &join->pairs.items[i];
    qsort(order, join->pairs.count, sizeof *order, greatest_first);
    if (is_csv)
        text_table_cells(&table, "schema|status|before|now|cycles_before|cycles_now|change|"
                                 "difference|hash|vertex_program|fragment_program|target|label");
    else
        text_table_cells(&table, "before|now||cycles before|now|change|"
                                 "vertex and fragment program, primitive, target, label");
    text_table_end_row(&table);
    for (size_t i = 0; i < count; i++)
        (is_csv ? put_csv_pair : put_pair)(&table, order[i]);
    if (count < join->pairs.count)
        text_table_line(&table, "and %zu more (--all)", join->pairs.count - count);
    if (!is_csv) {
        print_summary(join, a, b, out);
        text_table_fit(&table, line_width(out), table.columns - 1, NULL, 0);
    }
    text_table_put(&table, is_csv ? TEXT_TABLE_CSV : TEXT_TABLE_TEXT, out);
    free(order);
}
