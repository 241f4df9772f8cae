/* Adds runs to the page: facts, frames, tables and gains. Several runs are joined draw by draw. */
#include "base/mem.h"
#include "base/plural.h"
#include "report/run/run_json.h"
#include "report/page/page.h"
#include "report/run/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Limits of a page, shared by its runs. Data beyond these limits is reduced. */
enum {
    MOST_CELLS = 600000,     /* cells of the table of draws, if all its columns are included */
    MOST_DRAWS = 120000,     /* rows of draws */
    MOST_INTERVALS = 6000,   /* rows of intervals */
    MOST_PICTURES = 8000000, /* bytes of pictures and maps */
    MOST_TILES = 6000000,    /* bytes on disk of the tables of draws per tile */
    MOST_REDUCE = 16,
    MOST_OTHERS = 1 << 22, /* bytes of follow.json and pixel.json */
};

struct page_run {
    const char *dir;
    cJSON *object; /* the run's object in the page */
    cJSON *frames; /* the array in `object` */
    struct params params;
    struct draws draws;
    bool has_draws, has_gains;
    /* for each row of the table of draws: its row in the page; UINT32_MAX: omitted */
    uint32_t *place;
};

static void add_note(cJSON *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void
add_note(cJSON *run, const char *fmt, ...)
{
    va_list args;
    char text[512];
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(run, "notes"), cJSON_CreateString(text));
}

static double
number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* ---- gains ---- */

/* Adds the resources that gain more together than alone, if there are any. */
static void
add_together(cJSON *parent, const struct ideal_gains *gains)
{
    struct ideal_group group;
    if (!ideals_together(gains, &group))
        return;
    cJSON *together = cJSON_AddObjectToObject(parent, "together");
    cJSON *names = cJSON_AddArrayToObject(together, "names");
    for (uint32_t i = 0; i < IDEALS; i++)
        if (group.set >> i & 1)
            cJSON_AddItemToArray(names, cJSON_CreateString(ideals[i].name));
    cJSON_AddNumberToObject(together, "expected", group.expected);
}

static void
add_gains(cJSON *parent, const struct ideal_gains *gains)
{
    cJSON *list = cJSON_AddArrayToObject(parent, "resources");
    const char *verdict = ideals_bound_by(gains);
    cJSON_AddStringToObject(parent, "bound_by", verdict);
    cJSON_AddBoolToObject(parent, "hide_each_other", ideals_hide_each_other(gains));
    add_together(parent, gains);
    for (uint32_t i = 0; i < IDEALS; i++) {
        const enum ideal_number hidden_by = ideals_hidden_by(gains, i);
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "name", ideals[i].name);
        cJSON_AddNumberToObject(one, "charged", gains->charged[i]);
        cJSON_AddNumberToObject(one, "most", gains->most[i]);
        cJSON_AddNumberToObject(one, "expected", gains->expected[i]);
        if (hidden_by < IDEALS)
            cJSON_AddStringToObject(one, "behind", ideals[hidden_by].name);
        cJSON_AddItemToArray(list, one);
    }
}

/* Adds gains of the run and of each frame, unless the run does not count causes. */
static void
add_all_gains(struct page_run *run)
{
    const struct frame_set all = {0};
    struct ideal_rows rows = {&run->draws.table, &all, -1};
    struct ideal_gains gains;
    cJSON *frame;
    struct error err;
    if (!run->has_draws)
        return;
    if (!ideals_predict(&rows, &run->params, &gains, &err)) {
        add_note(run->object, "its limiting resource is unknown: %s", err.text);
        return;
    }
    run->has_gains = true;
    add_gains(run->object, &gains);
    cJSON_ArrayForEach(frame, run->frames)
    {
        const uint32_t at = (uint32_t)number(frame, "frame");
        const struct frame_set one = {.ranges = {{at, at}}, .count = 1};
        rows.frames = &one;
        if (ideals_predict(&rows, &run->params, &gains, NULL) && gains.cycles > 0)
            add_gains(frame, &gains);
    }
}

/* Adds two columns for a resource. "NAME": upper bound minus expected gain per row, in hundredths
 * of a cycle. "NAME_behind": number of the resource that hides this difference, from 1. 0: no
 * resource. */
static void
add_gains_of(struct page_columns *columns, const struct page_run *run, enum ideal_number n)
{
    uint64_t *hidden = mem_array((size_t)columns->rows + 1, sizeof *hidden);
    uint64_t *behind = mem_array((size_t)columns->rows + 1, sizeof *behind);
    char *name = mem_printf("%s_behind", ideals[n].name);
    for (size_t r = 0; r < run->draws.rows.count; r++) {
        const struct draw_row *row = &run->draws.rows.items[r];
        const uint32_t at = run->place[row->row];
        if (at == UINT32_MAX)
            continue;
        hidden[at] =
            (uint64_t)llround(100 * (row->cost.gains.most[n] - row->cost.gains.expected[n]));
        for (uint32_t k = 0; k < IDEALS; k++) /* at most one resource hides a row's gain */
            if (row->cost.gains.hidden[n][k] > 0)
                behind[at] = k + 1;
    }
    page_add_whole(columns, ideals[n].name, hidden);
    page_add_whole(columns, name, behind);
    free(name);
    free(behind);
    free(hidden);
}

/* Adds gains of each row of draws in the page. Omits drain, which a single row does not
 * determine. */
static void
add_row_gains(const struct page_run *run, cJSON *tables, uint32_t rows)
{
    struct page_columns columns;
    page_columns_begin(&columns, tables, "gains", rows);
    for (uint32_t i = 0; i < IDEALS; i++)
        if (i != IDEAL_drain)
            add_gains_of(&columns, run, i);
    page_columns_end(&columns);
}

/* ---- tables ---- */

struct frame_cost {
    uint32_t frame, rows;
    double cycles;
};

static int
most_expensive_first(const void *left, const void *right)
{
    const struct frame_cost *a = left, *b = right;
    if (a->cycles != b->cycles)
        return a->cycles < b->cycles ? 1 : -1;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* Selects frames, most expensive first, until their rows exceed the limit. Sets *of to the number
 * of all frames. */
static struct frame_set *
frames_with_room(const struct draws *draws, uint32_t most_rows, uint32_t *of)
{
    VEC(struct frame_cost) costs = {0};
    for (size_t i = 0; i < draws->rows.count; i++) {
        const struct draw_row *row = &draws->rows.items[i];
        if (!costs.count || costs.items[costs.count - 1].frame != row->frame)
            VEC_PUSH(&costs, ((struct frame_cost){.frame = row->frame}));
        costs.items[costs.count - 1].rows++;
        costs.items[costs.count - 1].cycles += row->cost.cycles;
    }
    qsort(costs.items, costs.count, sizeof *costs.items, most_expensive_first);
    struct frame_set *set = mem_alloc(sizeof *set);
    uint32_t rows = 0;
    for (size_t i = 0; i < costs.count && set->count < FRAME_RANGES; i++) {
        rows += costs.items[i].rows;
        if (i && rows > most_rows)
            break;
        set->ranges[set->count].first = set->ranges[set->count].last = costs.items[i].frame;
        set->count++;
    }
    *of = (uint32_t)costs.count;
    VEC_FREE(&costs);
    return set;
}

/* Selects the rows of draws for the page, and assigns their row numbers in the page. */
static void
choose_draws(struct page_run *run, struct page_rows *rows, uint32_t runs)
{
    const struct csv_table *table = &run->draws.table;
    uint32_t of;
    struct frame_set *set = frames_with_room(&run->draws, MOST_DRAWS / runs, &of);
    if (set->count < of)
        add_note(run->object, "draws: of the %u most expensive of %u frames", set->count, of);
    rows->all_columns = (uint64_t)table->rows * table->columns <= MOST_CELLS / runs;
    rows->first = mem_array((size_t)table->rows + 1, sizeof *rows->first);
    rows->count = mem_array((size_t)table->rows + 1, sizeof *rows->count);
    run->place = mem_array((size_t)table->rows + 1, sizeof *run->place);
    for (size_t i = 0; i < run->draws.rows.count; i++) {
        const struct draw_row *row = &run->draws.rows.items[i];
        run->place[row->row] = UINT32_MAX;
        if (!frame_set_has(set, row->frame))
            continue;
        run->place[row->row] = rows->rows;
        rows->first[rows->rows] = row->row;
        rows->count[rows->rows++] = 1;
    }
    if (!rows->all_columns)
        add_note(
            run->object,
            "draws: only the statistics that the views need; stats.draws.csv.gz has all of them");
    free(set);
}

/* Adds "draws": the number of all draws of the run, and the most expensive one. */
static void
add_draw_count(struct page_run *run)
{
    const struct draw_row *most_expensive = NULL;
    uint32_t count = 0;
    for (size_t i = 0; i < run->draws.rows.count; i++) {
        const struct draw_row *row = &run->draws.rows.items[i];
        count += row->is_draw;
        if (row->is_draw && (!most_expensive || row->cost.cycles > most_expensive->cost.cycles))
            most_expensive = row;
    }
    if (!most_expensive)
        return;
    char *name = mem_printf("%u:%u", most_expensive->frame, most_expensive->draw);
    cJSON *draws = cJSON_AddObjectToObject(run->object, "draws");
    cJSON_AddNumberToObject(draws, "count", count);
    cJSON_AddStringToObject(draws, "most_expensive", name);
    cJSON_AddNumberToObject(draws, "cycles", most_expensive->cost.cycles);
    free(name);
}

static bool
add_draws(struct page_run *run, cJSON *tables, uint32_t runs, struct error *err)
{
    struct page_rows rows = {0};
    struct page_columns columns;
    const char *const file = run->params.SIMULATOR.StatsFilePerBatch;
    add_draw_count(run);
    choose_draws(run, &rows, runs);
    page_columns_begin(&columns, tables, "draws", rows.rows);
    page_add_table_rows(&columns, &run->draws.table, &rows);
    const char **bound = mem_array((size_t)rows.rows + 1, sizeof *bound);
    for (size_t i = 0; i < run->draws.rows.count; i++) {
        const struct draw_row *row = &run->draws.rows.items[i];
        if (run->place[row->row] != UINT32_MAX)
            bound[run->place[row->row]] = draw_cost_bound_by(&row->cost);
    }
    page_add_texts(&columns, "bound_by", bound);
    free((void *)bound);
    char *main = mem_printf("%s/%s", run->dir, file), *path = table_unit_path(main, "channel");
    const bool ok = page_add_instances(&columns, path, "channel", &run->draws.table, &rows, err);
    page_columns_end(&columns);
    if (run->has_gains)
        add_row_gains(run, tables, rows.rows);
    page_rows_fini(&rows);
    free(path);
    free(main);
    return ok;
}

/* Merges adjacent intervals of a frame, as many as necessary to meet the limit. */
static void
choose_intervals(struct page_run *run, const struct csv_table *table, struct page_rows *rows,
                 uint32_t runs)
{
    const int32_t frame = csv_column(table, "frame");
    const uint32_t most = MOST_INTERVALS / runs, together = (table->rows + most - 1) / most;
    rows->first = mem_array((size_t)table->rows + 1, sizeof *rows->first);
    rows->count = mem_array((size_t)table->rows + 1, sizeof *rows->count);
    for (uint32_t r = 0; r < table->rows; r++) {
        const uint32_t last = rows->rows - 1;
        if (rows->rows && rows->count[last] < together &&
            csv_value(table, r, frame) == csv_value(table, rows->first[last], frame)) {
            rows->count[last]++;
            continue;
        }
        rows->first[rows->rows] = r;
        rows->count[rows->rows++] = 1;
    }
    if (together > 1)
        add_note(run->object, "intervals: %u are combined into one", together);
}

/* Reads a table if it exists. Omits a table that is too large, with a note. */
static bool
read_or_leave(struct page_run *run, struct csv_table *table, const char *path, const char *what,
              bool *there, struct error *err)
{
    *there = file_exists(path) && csv_read(table, path, err);
    if (*there || !file_exists(path))
        return true;
    if (table->too_large)
        add_note(run->object,
                 "%s: omitted because their table is too large; simulate fewer frames to see them",
                 what);
    return table->too_large;
}

/* Adds the rows of a table and the bytes of each channel. Frees the table and the rows. */
static bool
put_rows(struct csv_table *table, struct page_rows *rows, const char *path, cJSON *tables,
         const char *name, struct error *err)
{
    struct page_columns columns;
    char *of_channels = table_unit_path(path, "channel");
    page_columns_begin(&columns, tables, name, rows->rows);
    page_add_table_rows(&columns, table, rows);
    const bool ok = page_add_instances(&columns, of_channels, "channel", table, rows, err);
    page_columns_end(&columns);
    page_rows_fini(rows);
    csv_table_fini(table);
    free(of_channels);
    return ok;
}

static bool
add_intervals(struct page_run *run, cJSON *tables, uint32_t runs, struct error *err)
{
    struct csv_table table;
    struct page_rows rows = {0};
    char *path = mem_printf("%s/%s", run->dir, run->params.SIMULATOR.StatsFile);
    bool there, ok = read_or_leave(run, &table, path, "intervals", &there, err);
    if (there) {
        choose_intervals(run, &table, &rows, runs);
        ok = put_rows(&table, &rows, path, tables, "cycles", err);
    }
    free(path);
    return ok;
}

static bool
add_frame_rows(struct page_run *run, cJSON *tables, uint32_t runs, struct error *err)
{
    struct csv_table table;
    struct page_rows rows = {0};
    char *path = mem_printf("%s/%s", run->dir, run->params.SIMULATOR.StatsFilePerFrame);
    bool ok = true;
    if (file_exists(path) && (ok = csv_read(&table, path, err))) {
        rows.first = mem_array((size_t)table.rows + 1, sizeof *rows.first);
        rows.count = mem_array((size_t)table.rows + 1, sizeof *rows.count);
        for (rows.rows = 0; rows.rows < table.rows; rows.rows++) {
            rows.first[rows.rows] = rows.rows;
            rows.count[rows.rows] = 1;
        }
        rows.all_columns = (uint64_t)table.rows * table.columns <= MOST_CELLS / runs;
        ok = put_rows(&table, &rows, path, tables, "frames", err);
    }
    free(path);
    return ok;
}

/* ---- pictures ---- */

/* Smallest scale divisor per axis with which all pictures fit the limit. */
static uint32_t
reduction(const struct page_run *runs, uint32_t count)
{
    uint64_t bytes = 0;
    uint32_t reduce = 1;
    const cJSON *frame;
    for (uint32_t i = 0; i < count; i++)
        cJSON_ArrayForEach(frame, runs[i].frames) bytes +=
            page_picture_bytes(runs[i].dir, (uint32_t)number(frame, "frame"));
    while (bytes / (reduce * reduce) > MOST_PICTURES && reduce < MOST_REDUCE)
        reduce++;
    return reduce;
}

/* Whether the first run's frame with this number has an equal picture. The page then shows that
 * picture instead. */
static bool
is_repeated(const struct page_run *run, const struct page_run *first, const cJSON *frame)
{
    const cJSON *other, *hash = cJSON_GetObjectItemCaseSensitive(frame, "hash");
    cJSON_ArrayForEach(
        other,
        first->frames) if (run != first &&
                           number(other, "frame") ==
                               number(
                                   frame,
                                   "frame")) return cJSON_Compare(hash,
                                                                  cJSON_GetObjectItemCaseSensitive(
                                                                      other, "hash"),
                                                                  true);
    return false;
}

static bool
add_pictures(struct page_run *run, const struct page_run *first, uint32_t reduce,
             uint64_t *tiles_left, struct error *err)
{
    cJSON *frame;
    uint32_t without = 0;
    bool ok = true;
    cJSON_ArrayForEach(frame, run->frames)
    {
        const uint32_t at = (uint32_t)number(frame, "frame");
        const uint64_t bytes = page_tile_bytes(run->dir, at);
        const bool tiles = bytes <= *tiles_left;
        *tiles_left -= tiles ? bytes : 0;
        without += !tiles;
        if (ok && !is_repeated(run, first, frame))
            ok = page_add_picture(frame, run->dir, at, reduce, err);
        if (ok)
            ok = page_add_maps(frame, run->dir, at, reduce, tiles, err);
    }
    if (reduce > 1)
        add_note(run->object,
                 "pictures: each pixel represents %ux%u pixels (in maps: their maximum)", reduce,
                 reduce);
    if (without)
        add_note(run->object, "draws of a tile: omitted for %u frame%s", without, plural(without));
    return ok;
}

/* ---- a run ---- */

/* Adds a JSON file of the folder unchanged, under its name without ".json". */
static bool
add_other(struct page_run *run, const char *name, struct error *err)
{
    char *path = mem_printf("%s/%s.json", run->dir, name), *bytes;
    size_t size;
    bool ok = true;
    if (file_exists(path) && (ok = file_read(path, MOST_OTHERS, &bytes, &size, err))) {
        cJSON *root = cJSON_ParseWithLength(bytes, size);
        ok = root || fail(err, "%s is not valid JSON", path);
        cJSON_AddItemToObject(run->object, name, root);
        free(bytes);
    }
    free(path);
    return ok;
}

static cJSON *
frames_of(cJSON *facts)
{
    cJSON *frames = cJSON_CreateArray(), *frame;
    cJSON_ArrayForEach(frame, cJSON_GetObjectItemCaseSensitive(facts, "per_frame"))
        cJSON_AddItemToArray(frames, cJSON_Duplicate(frame, true));
    return frames;
}

static bool
read_draws(struct page_run *run, struct error *err)
{
    bool there;
    if (!draws_find(run->dir, &there, err))
        return false;
    run->has_draws = there && draws_read(&run->draws, run->dir, UINT32_MAX, err);
    if (run->draws.table.too_large)
        add_note(
            run->object,
            "draws: omitted because their table is too large; simulate fewer frames to see them");
    return run->has_draws || run->draws.table.too_large || !there;
}

static bool
add_run(struct page_run *run, cJSON *page, uint32_t runs, struct error *err)
{
    struct run_json json;
    if (!run_json_read(&json, run->dir, err))
        return false;
    const bool is_complete = json.is_complete;
    cJSON *facts = json.root; /* the page now owns it */
    json.root = NULL;
    run_json_fini(&json);
    run->object = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(page, "runs"), run->object);
    cJSON_AddStringToObject(run->object, "name", run->dir);
    cJSON_AddItemToObject(run->object, "facts", facts);
    cJSON_AddArrayToObject(run->object, "notes");
    run->frames = frames_of(facts);
    cJSON_AddItemToObject(run->object, "frames", run->frames);
    if (!page_add_machine(run->object, run->dir, &run->params, err))
        return false;
    cJSON *tables = cJSON_AddObjectToObject(run->object, "tables");
    if (!read_draws(run, err))
        return false;
    if (!is_complete)
        add_note(run->object, "the run was interrupted: it contains only complete frames");
    add_all_gains(run);
    return (!run->has_draws || add_draws(run, tables, runs, err)) &&
           add_intervals(run, tables, runs, err) && add_frame_rows(run, tables, runs, err) &&
           add_other(run, "follow", err) && add_other(run, "pixel", err);
}

/* ---- joins ---- */

/* Encodes a draw of a pair. 0: the run lacks the draw. 1: the draw is not in the page. Otherwise:
 * the draw's row in the page plus 2. */
static uint64_t
place_in_join(const struct draw_row *row, uint32_t place)
{
    return !row ? 0 : place == UINT32_MAX ? 1 : (uint64_t)place + 2;
}

/* Adds the pairs of draws of the first run and another run, as rows of their tables in the page. */
static void
add_join(cJSON *page, struct page_run *a, struct page_run *b, uint32_t number_of_b)
{
    struct draws_join join;
    struct page_columns columns;
    cJSON *object = cJSON_CreateObject();
    draws_join_make(&join, &a->draws, &b->draws);
    uint64_t *in_a = mem_array(join.pairs.count + 1, sizeof *in_a);
    uint64_t *in_b = mem_array(join.pairs.count + 1, sizeof *in_b);
    char **differences = mem_array(join.pairs.count + 1, sizeof *differences);
    uint32_t rows = 0;
    for (size_t i = 0; i < join.pairs.count; i++) {
        const struct draws_pair *pair = &join.pairs.items[i];
        const uint32_t at_a = pair->a ? a->place[pair->a->row] : UINT32_MAX;
        const uint32_t at_b = pair->b ? b->place[pair->b->row] : UINT32_MAX;
        if (at_a == UINT32_MAX && at_b == UINT32_MAX)
            continue;
        in_a[rows] = place_in_join(pair->a, at_a);
        in_b[rows] = place_in_join(pair->b, at_b);
        differences[rows++] = draws_pair_difference(pair);
    }
    cJSON_AddNumberToObject(object, "run", number_of_b);
    cJSON_AddNumberToObject(object, "same_hash", join.same_hash);
    cJSON_AddNumberToObject(object, "changed", join.changed);
    cJSON_AddNumberToObject(object, "only_a", join.only_a);
    cJSON_AddNumberToObject(object, "only_b", join.only_b);
    page_columns_begin(&columns, object, "pairs", rows);
    page_add_whole(&columns, "a", in_a);
    page_add_whole(&columns, "b", in_b);
    page_add_texts(&columns, "difference", (const char *const *)differences);
    page_columns_end(&columns);
    for (uint32_t i = 0; i < rows; i++)
        free(differences[i]);
    free((void *)differences);
    free(in_a);
    free(in_b);
    draws_join_fini(&join);
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(page, "joins"), object);
}

bool
page_add_runs(cJSON *page, const char *const *dirs, uint32_t count, struct error *err)
{
    struct page_run *runs = mem_array(count, sizeof *runs);
    uint64_t tiles_left = MOST_TILES;
    bool ok = true;
    cJSON_AddArrayToObject(page, "runs");
    cJSON_AddArrayToObject(page, "joins");
    page_add_names(page);
    for (uint32_t i = 0; i < count && ok; i++) {
        runs[i].dir = dirs[i];
        ok = add_run(&runs[i], page, count, err);
    }
    const uint32_t reduce = ok ? reduction(runs, count) : 1;
    for (uint32_t i = 0; i < count && ok; i++)
        ok = add_pictures(&runs[i], &runs[0], reduce, &tiles_left, err);
    for (uint32_t i = 1; i < count && ok; i++)
        if (runs[0].has_draws && runs[i].has_draws)
            add_join(page, &runs[0], &runs[i], i);
    for (uint32_t i = 0; i < count; i++) {
        if (runs[i].has_draws)
            draws_fini(&runs[i].draws);
        free(runs[i].place);
    }
    free(runs);
    return ok;
}
