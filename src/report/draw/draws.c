#include "report/draw/draws.h"

#include "base/file.h"
#include "params/params.h"
#include "report/run/run_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static char *
table_path(const char *dir, struct params *params, struct error *err)
{
    char *ini = mem_printf("%s/machine.ini", dir);
    params_init(params);
    const bool ok = params_load_file(params, ini, err);
    free(ini);
    return ok ? mem_printf("%s/%s", dir, params->SIMULATOR.StatsFilePerBatch) : NULL;
}

struct columns {
    int32_t frame, draw, cycles, fragments, written, read_bytes, written_bytes, texture_misses;
};

static bool
find_columns(const struct csv_table *table, const char *path, struct columns *out,
             struct error *err)
{
    const struct {
        const char *name;
        int32_t *column;
    } wanted[] = {
        {"frame", &out->frame},
        {"draw", &out->draw},
        {"cycles", &out->cycles},
        {"fraggen.fragments", &out->fragments},
        {"colorwrite.fragments_in", &out->written},
        {"memctl.bytes_read", &out->read_bytes},
        {"memctl.bytes_written", &out->written_bytes},
        {"texunit.cache_misses", &out->texture_misses},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        *wanted[i].column = csv_column(table, wanted[i].name);
        if (*wanted[i].column < 0)
            return fail(err, "%s is not a table of draws: it has no column %s", path,
                        wanted[i].name);
    }
    return true;
}

static const char *
field(const struct csv_table *table, uint32_t row, const char *name)
{
    return csv_field(table, row, csv_column(table, name));
}

static char *
number_text(const struct csv_table *table, uint32_t row, const char *name)
{
    const double value = csv_value(table, row, csv_column(table, name));
    return isnan(value) ? mem_strdup("") : mem_printf("%.0f", value);
}

static void
add_cost(struct draw_cost *to, const struct draw_cost *more)
{
    to->cycles += more->cycles;
    to->fragments += more->fragments;
    to->bytes += more->bytes;
    to->texture_misses += more->texture_misses;
    to->overdraw += more->overdraw;
    ideals_add(&to->gains, &more->gains);
}

const char *
draw_cost_bound_by(const struct draw_cost *cost)
{
    return ideals_bound_by(&cost->gains);
}

static void
add_row(struct draws *draws, uint32_t row, const struct columns *c, struct ideal_sum *gains,
        double *numbers)
{
    const struct csv_table *t = &draws->table;
    struct draw_row r = {
        .frame = (uint32_t)csv_value(t, row, c->frame),
        .draw = (uint32_t)csv_value(t, row, c->draw),
        .row = row,
        .work = field(t, row, "work"),
        .hash = field(t, row, "hash"),
        .vertex_program = field(t, row, "vertex_program"),
        .fragment_program = field(t, row, "fragment_program"),
        .primitive = field(t, row, "primitive"),
        .vertices = number_text(t, row, "vertices"),
        .instances = number_text(t, row, "instances"),
        .target = field(t, row, "target"),
        .textures = field(t, row, "textures"),
        .single_level = field(t, row, "textures_single_level"),
        .state = field(t, row, "state"),
        .label = field(t, row, "label"),
        .program_name = field(t, row, "program_name"),
        .target_name = field(t, row, "target_name"),
    };
    unsigned width = 0, height = 0;
    r.is_draw = !strcmp(r.work, "draw");
    if (sscanf(r.target, "%ux%u", &width, &height) != 2)
        width = height = 0;
    r.cost = (struct draw_cost){
        .cycles = csv_value(t, row, c->cycles),
        .fragments = csv_value(t, row, c->fragments),
        .bytes = csv_value(t, row, c->read_bytes) + csv_value(t, row, c->written_bytes),
        .texture_misses = csv_value(t, row, c->texture_misses),
        .overdraw = width && height ? csv_value(t, row, c->written) / width / height : 0,
    };
    if (gains) { /* otherwise the run does not count causes */
        ideals_table_row(gains, t, row, numbers);
        ideals_take(gains, &r.cost.gains);
    }
    add_cost(&draws->total, &r.cost);
    VEC_PUSH(&draws->rows, r);
}

static void
add_rows(struct draws *draws, const struct frame_set *frames, const struct columns *columns,
         const struct params *params)
{
    const struct csv_table *table = &draws->table;
    struct ideal_sum *gains =
        ideals_begin((const char *const *)table->names, table->columns, params, NULL);
    double *numbers = mem_array((size_t)table->columns, sizeof *numbers);
    for (uint32_t row = 0; row < table->rows; row++)
        if (frame_set_has(frames, (uint32_t)csv_value(table, row, columns->frame)))
            add_row(draws, row, columns, gains, numbers);
    ideals_end(gains);
    free(numbers);
    /* Computes the total over all rows, including the drains between draws, which no single row
     * has. */
    const struct ideal_rows all = {table, frames, -1};
    ideals_predict(&all, params, &draws->total.gains, NULL);
}

/* Reads the rows of the frames. If `locates` is set, first converts the frames to those of the run.
 */
static bool
read_rows(struct draws *draws, const char *dir, struct frame_set *frames, bool locates,
          struct error *err)
{
    struct columns columns;
    memset(draws, 0, sizeof *draws);
    draws->dir = dir;
    struct params params;
    char *path = table_path(dir, &params, err);
    if (path && !file_exists(path)) {
        free(path);
        return fail(
            err, "%s has no table of draws: simulate with SIMULATOR.PerBatchStatistics=TRUE", dir);
    }
    bool ok = path && csv_read(&draws->table, path, err) &&
              find_columns(&draws->table, path, &columns, err) &&
              (!locates || run_locate_frames(frames, dir, &draws->table, err));
    if (ok)
        add_rows(draws, frames, &columns, &params);
    if (ok && !draws->rows.count)
        ok = fail(err, "%s has no rows", path);
    free(path);
    const bool too_large = draws->table.too_large;
    if (!ok)
        draws_fini(draws);
    draws->table.too_large = too_large;
    return ok;
}

bool
draws_read(struct draws *draws, const char *dir, uint32_t frame, struct error *err)
{
    struct frame_set frames = {.ranges = {{frame, frame}}, .count = frame != UINT32_MAX};
    return read_rows(draws, dir, &frames, true, err);
}

bool
draws_read_frames(struct draws *draws, const char *dir, const struct frame_set *frames,
                  struct error *err)
{
    struct frame_set copy = *frames;
    return read_rows(draws, dir, &copy, false, err);
}

bool
draws_find(const char *dir, bool *there, struct error *err)
{
    struct params params;
    const bool has_ini = file_exists_in(dir, "machine.ini");
    char *path = has_ini ? table_path(dir, &params, err) : NULL;
    const bool ok = path || !has_ini;
    *there = path && file_exists(path);
    free(path);
    return ok;
}

void
draws_fini(struct draws *draws)
{
    for (size_t i = 0; i < draws->rows.count; i++) {
        free((char *)draws->rows.items[i].vertices);
        free((char *)draws->rows.items[i].instances);
    }
    VEC_FREE(&draws->rows);
    csv_table_fini(&draws->table);
}

char *
draw_row_label(const struct draw_row *row)
{
    const bool both = *row->label && *row->program_name;
    return mem_printf("%s%s%s", row->label, both ? " " : "", row->program_name);
}

/* ---- lists ---- */

static const char *const group_names[] = {"draw",   "frames",  "program",
                                          "target", "texture", "label"};

bool
draws_group_parse(enum draws_group *group, const char *text, struct error *err)
{
    *group = GROUP_FRAMES;
    for (uint32_t i = GROUP_NONE; text && i <= GROUP_LABEL; i++)
        if (!strcmp(text, group_names[i])) {
            *group = (enum draws_group)i;
            return true;
        }
    return !text ||
           fail(err, "'%s': expected draw, frames, program, target, texture or label", text);
}

static void
add_to(struct draws_list *list, const struct draw_row *row, char *name)
{
    for (size_t i = 0; i < list->lines.count && name; i++) {
        struct draws_line *line = &list->lines.items[i];
        if (strcmp(line->name, name) != 0)
            continue;
        if (row->cost.cycles > line->row->cost.cycles)
            line->row = row;
        line->count++;
        add_cost(&line->cost, &row->cost);
        free(name);
        return;
    }
    VEC_PUSH(&list->lines, ((struct draws_line){row, name, 1, row->cost}));
}

/* Adds the row to the group of each distinct texture in "#12 256x256 DXT1; #14 ...". */
static void
add_to_textures(struct draws_list *list, const struct draw_row *row)
{
    const char *at = row->textures;
    if (!*at)
        add_to(list, row, mem_strdup("none"));
    while (*at) {
        const size_t n = strcspn(at, ";");
        char *name = mem_printf("%.*s", (int)n, at);
        const char *first = strstr(row->textures, name);
        if (first == at)
            add_to(list, row, name);
        else
            free(name);
        at += n + strspn(at + n, "; ");
    }
}

/* Number of earlier draws in the row's frame with the same hash. The rows of a frame are
 * consecutive. */
static uint32_t
nth_of_hash(const struct draws *draws, const struct draw_row *row)
{
    uint32_t nth = 0;
    for (const struct draw_row *r = row; r-- > draws->rows.items && r->frame == row->frame;)
        nth += r->is_draw && !strcmp(r->hash, row->hash);
    return nth;
}

bool
draws_have_frames(const struct draws *draws)
{
    const size_t count = draws->rows.count;
    return count && draws->rows.items[0].frame != draws->rows.items[count - 1].frame;
}

static void
add_to_group(struct draws_list *list, const struct draws *draws, const struct draw_row *row)
{
    switch (list->group) {
    case GROUP_FRAMES:
        add_to(list, row, mem_printf("%s %u", row->hash, nth_of_hash(draws, row)));
        break;
    case GROUP_NONE: add_to(list, row, NULL); break;
    case GROUP_PROGRAM:
        add_to(list, row,
               mem_printf("%s %s%s%s", row->vertex_program, row->fragment_program,
                          *row->program_name ? " " : "", row->program_name));
        break;
    case GROUP_TARGET:
        add_to(list, row,
               mem_printf("%s%s%s", row->target, *row->target_name ? " " : "", row->target_name));
        break;
    case GROUP_TEXTURE: add_to_textures(list, row); break;
    case GROUP_LABEL: add_to(list, row, mem_strdup(*row->label ? row->label : "none")); break;
    }
}

static void
add_between(struct draws_list *list, const struct draw_row *row)
{
    for (size_t i = 0; i < list->between.count; i++)
        if (!strcmp(list->between.items[i].name, row->work)) {
            list->between.items[i].count++;
            add_cost(&list->between.items[i].cost, &row->cost);
            return;
        }
    VEC_PUSH(&list->between, ((struct draws_line){row, mem_strdup(row->work), 1, row->cost}));
}

/* Sorts by decreasing cycles. Ties keep the order in the run. */
static int
most_expensive_first(const void *left, const void *right)
{
    const struct draws_line *a = left, *b = right;
    if (a->cost.cycles != b->cost.cycles)
        return a->cost.cycles < b->cost.cycles ? 1 : -1;
    return a->row < b->row ? -1 : a->row > b->row;
}

void
draws_list_make(struct draws_list *list, const struct draws *draws, enum draws_group group)
{
    memset(list, 0, sizeof *list);
    list->group = group;
    for (size_t i = 0; i < draws->rows.count; i++)
        if (draws->rows.items[i].is_draw)
            add_to_group(list, draws, &draws->rows.items[i]);
        else
            add_between(list, &draws->rows.items[i]);
    if (list->lines.count)
        qsort(list->lines.items, list->lines.count, sizeof *list->lines.items,
              most_expensive_first);
    if (list->between.count)
        qsort(list->between.items, list->between.count, sizeof *list->between.items,
              most_expensive_first);
}

void
draws_list_fini(struct draws_list *list)
{
    for (size_t i = 0; i < list->lines.count; i++)
        free(list->lines.items[i].name);
    for (size_t i = 0; i < list->between.count; i++)
        free(list->between.items[i].name);
    VEC_FREE(&list->lines);
    VEC_FREE(&list->between);
}
