#include "report/pixel.h"

#include "base/file.h"

#include <cjson/cJSON.h>
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
    for (size_t i = 1; i < log->fragments.count; i++) { /* stable; nearly sorted already */
        const struct watched_fragment moved = items[i];
        size_t to = i;
        for (; to > 0 && items[to - 1].frame > moved.frame; to--)
            items[to] = items[to - 1];
        items[to] = moved;
    }
}

static void
print_cycle(FILE *out, uint64_t cycle)
{
    if (cycle == CYCLE_NEVER)
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %9" PRIu64, cycle);
}

static void
print_color(FILE *out, bool there, const float rgba[4])
{
    char text[40] = "-";
    if (there)
        snprintf(text, sizeof text, "%.3g,%.3g,%.3g,%.3g", (double)rgba[0], (double)rgba[1],
                 (double)rgba[2], (double)rgba[3]);
    fprintf(out, " %-24s", text);
}

static void
print_fragment(const struct watched_fragment *f, FILE *out)
{
    fprintf(out, "%5u %5u %6u %4u %-8s", f->frame, f->draw, f->primitive, f->program,
            fragment_fate_names[f->fate]);
    print_cycle(out, f->generated);
    print_cycle(out, f->early_z ? f->tested : CYCLE_NEVER);
    print_cycle(out, f->shader_began);
    print_cycle(out, f->shader_ended);
    print_cycle(out, f->early_z ? CYCLE_NEVER : f->tested);
    print_cycle(out, f->written);
    fprintf(out, " %9.6f", (double)f->depth);
    if (f->has_depth)
        fprintf(out, " %9.6f %9.6f", (double)f->depth_before, (double)f->depth_after);
    else
        fprintf(out, " %9s %9s", "-", "-");
    fprintf(out, " %6u %6u", f->texels, f->misses);
    print_color(out, f->has_color, f->color);
    print_color(out, f->has_color, f->color_before);
    print_color(out, f->has_color, f->color_after);
    fputc('\n', out);
}

void
pixel_log_print(const struct pixel_log *log, FILE *out)
{
    fprintf(out,
            "\npixel %u,%u: %zu fragments; cycles since the frame began\n"
            "%5s %5s %6s %4s %-8s %9s %9s %9s %9s %9s %9s %9s %9s %9s %6s %6s %-24s %-24s %s\n",
            log->x, log->y, log->fragments.count, "frame", "draw", "prim", "prog", "end",
            "generated", "early z", "shader", "shaded", "late z", "written", "depth", "z before",
            "z after", "texels", "misses", "color", "color before", "color after");
    for (size_t i = 0; i < log->fragments.count; i++)
        print_fragment(&log->fragments.items[i], out);
}

static void
add_cycle(cJSON *object, const char *name, uint64_t cycle)
{
    if (cycle == CYCLE_NEVER)
        cJSON_AddNullToObject(object, name);
    else
        cJSON_AddNumberToObject(object, name, (double)cycle);
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
    add_cycle(object, "generated", f->generated);
    add_cycle(object, "early_z", f->early_z ? f->tested : CYCLE_NEVER);
    add_cycle(object, "shader_began", f->shader_began);
    add_cycle(object, "shader_ended", f->shader_ended);
    add_cycle(object, "late_z", f->early_z ? CYCLE_NEVER : f->tested);
    add_cycle(object, "written", f->written);
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
    cJSON_AddNumberToObject(root, "x", log->x);
    cJSON_AddNumberToObject(root, "y", log->y);
    cJSON *list = cJSON_AddArrayToObject(root, "fragments");
    for (size_t i = 0; i < log->fragments.count; i++)
        cJSON_AddItemToArray(list, fragment_json(&log->fragments.items[i]));
    char *text = cJSON_Print(root), *path = mem_printf("%s/pixel.json", dir);
    bool ok = file_write(path, text, strlen(text), err);
    free(path);
    free(text);
    cJSON_Delete(root);
    return ok;
}

void
pixel_log_fini(struct pixel_log *log)
{
    VEC_FREE(&log->fragments);
}
