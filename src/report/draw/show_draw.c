#include "report/draw/show_draw.h"

#include "base/file.h"
#include "gfx/transfer.h"
#include "report/draw/describe_draw.h"
#include "report/draw/show_geometry.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SLICES = 6 }; /* largest number of slices shown per texture: a cube's faces */

static bool
write_picture(struct shown_draw *shown, struct picture *picture, char *name, struct error *err)
{
    char *path = mem_printf("%s/%s", shown->dir, name);
    const bool ok = picture_write_png(picture, path, err);
    shown->files = mem_resize(shown->files, shown->file_count + 1, sizeof *shown->files);
    shown->files[shown->file_count++] = name;
    picture_fini(picture);
    free(path);
    return ok;
}

/* Whether the draw targets a window. Rows of a window and of its depth buffer start at the top. */
static bool
is_in_window(const struct draw *draw)
{
    for (uint32_t i = 0; i < draw->color_count; i++)
        if (draw->color[i].res)
            return resource_is_display(&draw->color[i].res->desc);
    return false;
}

/* Makes the picture upright. Ignores a target's alpha, because it is not transparency. */
static void
picture_of_target(struct picture *picture, const struct draw *draw,
                  const struct bound_surface *surface, const struct gpu_memory *memory)
{
    picture_of_level(picture, surface->res, surface->format, memory, surface->level,
                     surface->layer);
    picture->has_alpha = false;
    if (!is_in_window(draw))
        picture_flip(picture);
}

static bool
write_target(struct shown_draw *shown, const struct draw *draw, const struct bound_surface *surface,
             const struct gpu_memory *memory, char *name, struct error *err)
{
    struct picture picture;
    picture_of_target(&picture, draw, surface, memory);
    return write_picture(shown, &picture, name, err);
}

static bool
write_targets(struct shown_draw *shown, const struct draw *draw, const struct gpu_memory *memory,
              const char *when, struct error *err)
{
    for (uint32_t i = 0; i < draw->color_count; i++)
        if (draw->color[i].res && !write_target(shown, draw, &draw->color[i], memory,
                                                mem_printf("color%u-%s.png", i, when), err))
            return false;
    return !draw->depth.res || !draw->depth.format->depth_bits ||
           write_target(shown, draw, &draw->depth, memory, mem_printf("depth-%s.png", when), err);
}

static bool
write_texture(struct shown_draw *shown, const struct bound_view *view,
              const struct gpu_memory *memory, const char *stage, uint32_t sampler,
              struct error *err)
{
    if (view->view.target == TARGET_BUFFER) /* has no picture */
        return true;
    const uint32_t level = view->view.first_level, first = view->view.first_layer;
    const uint32_t slices = view->res->levels[level].slices - first;
    for (uint32_t s = 0; s < slices && s < MOST_SLICES; s++) {
        struct picture picture;
        char *name = slices > 1 ? mem_printf("texture-%s-%u-slice%u.png", stage, sampler, s)
                                : mem_printf("texture-%s-%u.png", stage, sampler);
        picture_of_level(&picture, view->res, view->format, memory, level, first + s);
        if (!write_picture(shown, &picture, name, err))
            return false;
    }
    return true;
}

static bool
write_textures(struct shown_draw *shown, const struct draw *draw, const struct gpu_memory *memory,
               struct error *err)
{
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        for (uint32_t i = 0; i < MAX_SAMPLERS; i++)
            if (draw->views[stage][i].res && !write_texture(shown, &draw->views[stage][i], memory,
                                                            shader_stage_name(stage), i, err))
                return false;
    return true;
}

static bool
is_it(const struct shown_draw *shown, const struct gpu_device *device, const struct draw *draw)
{
    return device->frame == shown->frame && draw->number == shown->number;
}

/* Describes the draw before it runs, because its writes could change the buffers. */
static bool
describe(struct shown_draw *shown, const struct draw *draw, const struct gpu_memory *memory,
         struct error *err)
{
    if (shown->json) {
        shown->facts = describe_json(draw);
        geometry_json(draw, memory, shown->most, shown->facts);
    } else {
        describe_table(draw, &shown->table);
        geometry_rows(draw, &shown->table);
        geometry_vertices(draw, memory, shown->most, &shown->vertices);
        for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
            geometry_constants(draw, stage, shown->most, &shown->constants[stage]);
    }
    if (!shown->dir)
        return true;
    char *path = mem_printf("%s/%s", shown->dir, SHOWN_VERTICES);
    const bool ok = geometry_write(draw, memory, path, err);
    free(path);
    return ok;
}

static bool
before(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct shown_draw *shown = data;
    shown->is_drawing = is_it(shown, renderer->device, draw);
    if (!shown->is_drawing)
        return true;
    shown->width = draw->width;
    shown->height = draw->height;
    shown->covered = mem_array((size_t)draw->width + 1, (size_t)draw->height + 1);
    const struct gpu_memory *memory = &renderer->device->memory;
    return describe(shown, draw, memory, err) &&
           (!shown->dir || (write_targets(shown, draw, memory, "before", err) &&
                            write_textures(shown, draw, memory, err)));
}

static void
fragments(void *data, uint32_t x, uint32_t y, uint32_t mask)
{
    struct shown_draw *shown = data;
    for (uint32_t f = 0; shown->is_drawing && f < 4; f++) {
        const uint32_t px = x + (f & 1), py = y + (f >> 1);
        if (!(mask >> f & 1) || px >= shown->width || py >= shown->height)
            continue;
        uint8_t *covered = &shown->covered[(size_t)py * shown->width + px];
        shown->fragments++;
        shown->pixels += !*covered;
        *covered = 1;
    }
}

/* Paints covered pixels magenta, and darkens the rest of the target. */
static bool
write_covered(struct shown_draw *shown, const struct draw *draw, const struct gpu_memory *memory,
              struct error *err)
{
    struct picture picture;
    const struct bound_surface *target = draw->depth.res ? &draw->depth : NULL;
    for (uint32_t i = draw->color_count; i-- > 0;)
        target = draw->color[i].res ? &draw->color[i] : target;
    if (!target)
        return true;
    picture_of_target(&picture, draw, target, memory);
    const bool flipped = !is_in_window(draw);
    for (uint32_t y = 0; y < shown->height; y++)
        for (uint32_t x = 0; x < shown->width; x++) {
            const uint32_t row = flipped ? picture.height - 1 - y : y;
            uint8_t *rgb = picture.rgba + 4 * ((size_t)row * picture.width + x);
            const bool covered = shown->covered[(size_t)y * shown->width + x];
            const uint32_t light = (rgb[0] + rgb[1] + rgb[2]) / 3u;
            rgb[0] = (uint8_t)(covered ? 128 + light / 2 : rgb[0] / 3);
            rgb[1] = (uint8_t)(covered ? light / 4 : rgb[1] / 3);
            rgb[2] = (uint8_t)(covered ? 128 + light / 2 : rgb[2] / 3);
        }
    return write_picture(shown, &picture, mem_strdup("covered.png"), err);
}

static bool
after(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct shown_draw *shown = data;
    if (!shown->is_drawing)
        return true;
    shown->is_drawing = false;
    shown->found = shown->inspection->done = true;
    return !shown->dir || (write_targets(shown, draw, &renderer->device->memory, "after", err) &&
                           write_covered(shown, draw, &renderer->device->memory, err));
}

static void
add_figures(struct shown_draw *shown)
{
    cJSON_AddNumberToObject(shown->facts, "frame", shown->frame);
    cJSON_AddNumberToObject(shown->facts, "fragments", (double)shown->fragments);
    cJSON_AddNumberToObject(shown->facts, "pixels", (double)shown->pixels);
    cJSON *files = cJSON_AddArrayToObject(shown->facts, "pictures");
    for (size_t i = 0; i < shown->file_count; i++)
        cJSON_AddItemToArray(files, cJSON_CreateString(shown->files[i]));
    if (shown->dir)
        cJSON_AddStringToObject(shown->facts, "vertex_file", SHOWN_VERTICES);
}

bool
show_draw(struct shown_draw *shown, struct trace_reader *reader, uint64_t memory_bytes,
          struct error *err)
{
    struct inspection inspection = {.budget = {memory_bytes, 0, "--memory"}};
    inspection.watch = (struct draw_watch){
        .data = shown, .before = before, .after = after, .fragments = fragments};
    inspection.frames.count = 1;
    inspection.frames.ranges[0].first = inspection.frames.ranges[0].last = shown->frame;
    shown->inspection = &inspection;
    bool ok = inspect_draws(&inspection, reader, err);
    if (ok && !shown->found)
        ok = fail(err, "frame %u has no draw %u", shown->frame, shown->number);
    if (ok && shown->json)
        add_figures(shown);
    return ok;
}

void
shown_draw_fini(struct shown_draw *shown)
{
    cJSON_Delete(shown->facts);
    for (size_t i = 0; i < shown->file_count; i++)
        free(shown->files[i]);
    free(shown->files);
    text_table_fini(&shown->table);
    text_table_fini(&shown->vertices);
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        text_table_fini(&shown->constants[stage]);
    free(shown->covered);
    memset(shown, 0, sizeof *shown);
}
