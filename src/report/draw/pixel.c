#include "report/draw/pixel.h"

#include "base/json.h"
#include "base/plural.h"
#include "base/schema.h"
#include "report/run/cycle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
pixel_log_add(struct pixel_log *log, const struct watched_fragment *fragments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(&log->fragments, fragments[i]);
}

void
pixel_log_take(struct pixel_log *log, const struct watch *watch, const struct resource *shown)
{
    const struct watched_surface *surface = watch_shown(watch, shown);
    for (size_t i = 0; surface && i < watch->fragments.count; i++)
        if (watch->fragments.items[i].surface == surface->address)
            pixel_log_add(log, &watch->fragments.items[i], 1);
}

void
pixel_log_sort(struct pixel_log *log)
{
    struct watched_fragment *items = log->fragments.items;
    /* Insertion sort: it is stable, and the input is almost sorted. */
    for (size_t i = 1; i < log->fragments.count; i++) {
        const struct watched_fragment moved = items[i];
        size_t to = i;
        for (; to > 0 && items[to - 1].frame > moved.frame; to--)
            items[to] = items[to - 1];
        items[to] = moved;
    }
}

static void
put_depth(struct text_table *sheet, bool there, float depth)
{
    if (there)
        text_table_cell(sheet, "%.6f", (double)depth);
    else
        text_table_cell(sheet, "-");
}

static void
put_color(struct text_table *sheet, bool there, const float rgba[4])
{
    if (there)
        text_table_cell(sheet, "%.3g,%.3g,%.3g,%.3g", (double)rgba[0], (double)rgba[1],
                        (double)rgba[2], (double)rgba[3]);
    else
        text_table_cell(sheet, "-");
}

/* Adds the cells that identify a fragment. */
static void
put_fragment(struct text_table *sheet, const struct watched_fragment *f)
{
    text_table_cell(sheet, "%u", f->frame);
    text_table_cell(sheet, "%u", f->draw);
    text_table_cell(sheet, "%u", f->primitive);
}

static void
put_course(struct text_table *sheet, const struct watched_fragment *f)
{
    put_fragment(sheet, f);
    text_table_cell(sheet, "%u", f->program);
    cycle_put(sheet, f->generated);
    cycle_put(sheet, f->early_z ? f->tested : CYCLE_NEVER);
    cycle_put(sheet, f->shader_began);
    cycle_put(sheet, f->shader_ended);
    cycle_put(sheet, f->early_z ? CYCLE_NEVER : f->tested);
    cycle_put(sheet, f->written);
    text_table_cell(sheet, "%u", f->texels);
    text_table_cell(sheet, "%u", f->misses);
    text_table_cell(sheet, "%s", fragment_fate_names[f->fate]);
    text_table_end_row(sheet);
}

static void
put_values(struct text_table *sheet, const struct watched_fragment *f)
{
    put_fragment(sheet, f);
    put_depth(sheet, true, f->depth);
    put_depth(sheet, f->has_depth, f->depth_before);
    put_depth(sheet, f->has_depth, f->depth_after);
    put_color(sheet, f->has_color, f->color);
    put_color(sheet, f->has_color, f->color_before);
    put_color(sheet, f->has_color, f->color_after);
    text_table_end_row(sheet);
}

/* Prints cycles and results as two tables, so that each table fits a screen. */
void
pixel_log_print(const struct pixel_log *log, FILE *out)
{
    fprintf(out, "\npixel %u,%u: %zu fragment%s", log->x, log->y, log->fragments.count,
            plural(log->fragments.count));
    if (!log->fragments.count) {
        fputs(": no draw wrote it; it was cleared, blitted or kept from an earlier frame\n", out);
        return;
    }
    struct text_table when = {0}, what = {0};
    text_table_cells(&when, "frame|draw|prim|prog|generated|early z|shader|shaded|late z|written|"
                            "texels|misses|end");
    text_table_end_row(&when);
    text_table_cells(&what,
                     "frame|draw|prim|depth|z before|z after|color|color before|color after");
    text_table_end_row(&what);
    for (size_t i = 0; i < log->fragments.count; i++) {
        put_course(&when, &log->fragments.items[i]);
        put_values(&what, &log->fragments.items[i]);
    }
    fputs("; cycles since the start of the frame\n", out);
    text_table_put(&when, TEXT_TABLE_TEXT, out);
    fputc('\n', out);
    text_table_put(&what, TEXT_TABLE_TEXT, out);
}

static void
add_color(cJSON *object, const char *name, bool there, const float rgba[4])
{
    cJSON *list = there ? cJSON_AddArrayToObject(object, name) : NULL;
    if (!list)
        cJSON_AddNullToObject(object, name);
    for (uint32_t c = 0; list && c < 4; c++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber((double)rgba[c]));
}

static void
add_depth(cJSON *object, const char *name, bool there, float depth)
{
    if (there)
        cJSON_AddNumberToObject(object, name, (double)depth);
    else
        cJSON_AddNullToObject(object, name);
}

static cJSON *
fragment_json(const struct watched_fragment *f)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "frame", f->frame);
    cJSON_AddNumberToObject(object, "client", f->client);
    cJSON_AddNumberToObject(object, "draw", f->draw);
    cJSON_AddNumberToObject(object, "primitive", f->primitive);
    cJSON_AddNumberToObject(object, "program", f->program);
    cJSON_AddBoolToObject(object, "front", f->front);
    cJSON_AddNumberToObject(object, "samples", f->samples);
    cJSON_AddStringToObject(object, "end", fragment_fate_names[f->fate]);
    cycle_add(object, "generated", f->generated);
    cycle_add(object, "early_z", f->early_z ? f->tested : CYCLE_NEVER);
    cycle_add(object, "shader_began", f->shader_began);
    cycle_add(object, "shader_ended", f->shader_ended);
    cycle_add(object, "late_z", f->early_z ? CYCLE_NEVER : f->tested);
    cycle_add(object, "written", f->written);
    add_depth(object, "depth", true, f->depth);
    add_depth(object, "depth_before", f->has_depth, f->depth_before);
    add_depth(object, "depth_after", f->has_depth, f->depth_after);
    cJSON_AddNumberToObject(object, "texels", f->texels);
    cJSON_AddNumberToObject(object, "misses", f->misses);
    add_color(object, "color", f->has_color, f->color);
    add_color(object, "color_before", f->has_color, f->color_before);
    add_color(object, "color_after", f->has_color, f->color_after);
    return object;
}

bool
pixel_log_write(const struct pixel_log *log, const char *dir, struct error *err)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON_AddNumberToObject(root, "x", log->x);
    cJSON_AddNumberToObject(root, "y", log->y);
    cJSON *list = cJSON_AddArrayToObject(root, "fragments");
    for (size_t i = 0; i < log->fragments.count; i++)
        cJSON_AddItemToArray(list, fragment_json(&log->fragments.items[i]));
    char *path = mem_printf("%s/pixel.json", dir);
    const bool ok = json_write(root, path, err);
    free(path);
    return ok;
}

void
pixel_log_fini(struct pixel_log *log)
{
    VEC_FREE(&log->fragments);
}
