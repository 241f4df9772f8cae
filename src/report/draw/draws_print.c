/* Lists of draws for people, as CSV and as JSON. */
#include "report/draw/draws.h"

#include "base/json.h"
#include "base/log.h"
#include "base/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double
share(const struct draw_cost *cost, const struct draws *draws)
{
    return draws->total.cycles > 0 ? 100 * cost->cycles / draws->total.cycles : 0;
}

/* Text. */

static void
print_cost(const struct draw_cost *cost, const struct draws *draws, bool covers, FILE *out)
{
    char overdraw[32] = "-"; /* of work that has no target, or of all together */
    if (covers)
        snprintf(overdraw, sizeof overdraw, "%.3f", cost->overdraw);
    fprintf(out, "%11.0f %6.2f %10.0f %8s %11.0f %9.0f %-10s", cost->cycles, share(cost, draws),
            cost->fragments, overdraw, cost->bytes, cost->texture_misses, draw_cost_bound_by(cost));
}

static void
print_head(const char *first, const char *last, FILE *out)
{
    fprintf(out, "%-10s %11s %6s %10s %8s %11s %9s %-10s  %s\n", first, "cycles", "%", "fragments",
            "overdraw", "bytes", "tex miss", "bound by", last);
}

static void
print_draw(const struct draws_line *line, const struct draws *draws, FILE *out)
{
    const struct draw_row *row = line->row;
    char place[32];
    snprintf(place, sizeof place, "%u:%u", row->frame, row->draw);
    fprintf(out, "%-10s ", place);
    print_cost(&line->cost, draws, true, out);
    print_shown(out, "  %.8s %.8s  %s %s  %s", row->vertex_program, row->fragment_program,
                row->primitive, row->vertices, row->target);
    char *label = draw_row_label(row);
    print_shown(out, "%s%s", *label ? "  " : "", label);
    fputc('\n', out);
    free(label);
}

static void
print_text(const struct draws_list *list, const struct draws *draws, uint32_t most, FILE *out)
{
    const bool grouped = list->group != GROUP_NONE;
    print_head(grouped ? "draws" : "draw",
               grouped ? "group, and its dearest draw"
                       : "vertex and fragment program, primitive, target, label",
               out);
    for (size_t i = 0; i < list->lines.count && (!most || i < most); i++) {
        const struct draws_line *line = &list->lines.items[i];
        if (!grouped) {
            print_draw(line, draws, out);
            continue;
        }
        fprintf(out, "%-10u ", line->count);
        print_cost(&line->cost, draws, true, out);
        print_shown(out, "  %s  %u:%u\n", line->name, line->row->frame, line->row->draw);
    }
    if (most && list->lines.count > most)
        fprintf(out, "and %zu more (--all)\n", list->lines.count - most);
    for (size_t i = 0; i < list->between.count; i++) {
        const struct draws_line *line = &list->between.items[i];
        print_shown(out, "%-10s ", line->name);
        print_cost(&line->cost, draws, false, out);
        fprintf(out, "  %u time%s between draws\n", line->count, line->count == 1 ? "" : "s");
    }
    fprintf(out, "%-10s ", "all");
    print_cost(&draws->total, draws, false, out);
    fprintf(out, "  together%s\n",
            list->group == GROUP_TEXTURE ? "; a draw with several textures is in several groups"
                                         : "");
}

/* CSV. */

static void
csv_cost(const struct draw_cost *cost, const struct draws *draws, FILE *out)
{
    fprintf(out, "%.0f,%.4f,%.0f,%.6g,%.0f,%.0f,%s", cost->cycles, share(cost, draws),
            cost->fragments, cost->overdraw, cost->bytes, cost->texture_misses,
            draw_cost_bound_by(cost));
}

static void
csv_line(const struct draws_line *line, const struct draws *draws, enum draws_group group,
         FILE *out)
{
    const struct draw_row *row = line->row;
    fprintf(out, "%d,", AETIUS_SCHEMA);
    if (group != GROUP_NONE)
        fprintf(out, "%s,%s,%u,", row->work, line->name, line->count);
    fprintf(out, "%u,%u,%s,", row->frame, row->draw, group != GROUP_NONE ? row->hash : row->work);
    csv_cost(&line->cost, draws, out);
    if (group == GROUP_NONE)
        fprintf(out, ",%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s", row->hash, row->vertex_program,
                row->fragment_program, row->primitive, row->vertices, row->instances, row->target,
                row->textures, row->state, row->label, row->program_name, row->target_name);
    fputc('\n', out);
}

static void
print_csv(const struct draws_list *list, const struct draws *draws, FILE *out)
{
    static const char costs[] = "cycles,share,fragments,overdraw,bytes,texture_misses,bound_by";
    if (list->group == GROUP_NONE)
        fprintf(out,
                "schema,frame,draw,work,%s,hash,vertex_program,fragment_program,primitive,"
                "vertices,instances,target,textures,state,label,program_name,target_name\n",
                costs);
    else
        fprintf(out, "schema,work,name,count,frame,draw,hash,%s\n", costs);
    for (size_t i = 0; i < list->lines.count; i++)
        csv_line(&list->lines.items[i], draws, list->group, out);
    for (size_t i = 0; i < list->between.count; i++)
        csv_line(&list->between.items[i], draws, list->group, out);
}

/* JSON. */

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
print_json(const struct draws_list *list, const struct draws *draws, FILE *out)
{
    static const char *const names[] = {"draws", "programs", "targets", "textures", "labels"};
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
    case DRAWS_TEXT: print_text(list, draws, most, out); break;
    case DRAWS_CSV: print_csv(list, draws, out); break;
    case DRAWS_JSON: print_json(list, draws, out); break;
    }
}

/* Two runs. */

static double
change(const struct draws_pair *pair)
{
    return (pair->b ? pair->b->cost.cycles : 0) - (pair->a ? pair->a->cost.cycles : 0);
}

static int
greatest_first(const void *left, const void *right)
{
    const struct draws_pair *a = *(const struct draws_pair *const *)left;
    const struct draws_pair *b = *(const struct draws_pair *const *)right;
    const double x = fabs(change(a)), y = fabs(change(b));
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

static void
place_of(const struct draw_row *row, char *text, size_t size)
{
    if (row)
        snprintf(text, size, "%u:%u", row->frame, row->draw);
    else
        snprintf(text, size, "-");
}

static void
print_pair(const struct draws_pair *pair, enum draws_form form, FILE *out)
{
    const struct draw_row *row = pair->b ? pair->b : pair->a;
    char place_a[32], place_b[32], *difference = draws_pair_difference(pair);
    place_of(pair->a, place_a, sizeof place_a);
    place_of(pair->b, place_b, sizeof place_b);
    const double a = pair->a ? pair->a->cost.cycles : 0, b = pair->b ? pair->b->cost.cycles : 0;
    if (form == DRAWS_CSV)
        fprintf(out, "%d,%s,%s,%s,%.0f,%.0f,%.0f,%s,%s,%s,%s,%s,%s\n", AETIUS_SCHEMA,
                status_of(pair), pair->a ? place_a : "", pair->b ? place_b : "", a, b, b - a,
                difference, row->hash, row->vertex_program, row->fragment_program, row->target,
                row->label);
    else
        print_shown(out, "%-10s %-10s %-8s %11.0f %11.0f %+11.0f  %.8s %.8s  %s %s  %s%s%s%s%s\n",
                    place_a, place_b, status_of(pair), a, b, b - a, row->vertex_program,
                    row->fragment_program, row->primitive, row->vertices, row->target,
                    *row->label ? "  " : "", row->label, *difference ? "  other " : "", difference);
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
    print_shown(out, "%s over %s: %.0f cycles over %.0f, %+.0f (%+.2f %%)\n", b->dir, a->dir,
                b->total.cycles, a->total.cycles, more,
                a->total.cycles > 0 ? 100 * more / a->total.cycles : 0);
    const uint32_t joined = join->same_hash + join->changed;
    fprintf(
        out,
        "draws: %u, before %u; %u have a partner (%.2f %%): %u the same by hash, %u changed; %u "
        "new, %u gone\nbetween draws: %.0f cycles over %.0f\n",
        join->draws_b, join->draws_a, joined, join->draws_b ? 100.0 * joined / join->draws_b : 0,
        join->same_hash, join->changed, join->only_b, join->only_a, between(b), between(a));
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
        cJSON_AddNumberToObject(o, "change", change(pair));
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
    const struct draws_pair **order = mem_array(join->pairs.count + 1, sizeof *order);
    for (size_t i = 0; i < join->pairs.count; i++)
        order[i] = &join->pairs.items[i];
    qsort(order, join->pairs.count, sizeof *order, greatest_first);
    if (form == DRAWS_TEXT) {
        print_summary(join, a, b, out);
        fprintf(out, "%-10s %-10s %-8s %11s %11s %11s  %s\n", "before", "now", "", "cycles before",
                "now", "change", "vertex and fragment program, primitive, target, label");
    } else {
        fprintf(out, "schema,status,before,now,cycles_before,cycles_now,change,difference,hash,"
                     "vertex_program,fragment_program,target,label\n");
        most = 0;
    }
    for (size_t i = 0; i < join->pairs.count && (!most || i < most); i++)
        print_pair(order[i], form, out);
    if (most && join->pairs.count > most)
        fprintf(out, "and %zu more (--all)\n", join->pairs.count - most);
    free(order);
}
