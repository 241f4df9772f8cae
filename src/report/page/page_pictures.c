/* Adds a frame's pictures to the page. The frame's PNG file is copied unchanged. Maps are converted
 * to one level per pixel, which the page colors. Also adds the table of draws per tile. */
#include "base/mem.h"
#include "report/draw/maps.h"
#include "report/page/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_PICTURE = 1 << 28,
    COUNT_STEP = 64, /* in the map of culled fragments: level of one fragment in a channel */
    COUNT_MOST = 4,
};

/* Conversion of map colors back to levels. */
enum scale { SCALE_HEAT, SCALE_COUNTS, SCALE_QUARTERS };
static const struct {
    uint32_t mode;
    enum scale scale;
} page_maps[] = {
    {MAP_OVERDRAW, SCALE_HEAT},       {MAP_CULLED, SCALE_COUNTS}, {MAP_LATENCY, SCALE_HEAT},
    {MAP_SHADER_LATENCY, SCALE_HEAT}, {MAP_MISSES, SCALE_HEAT},   {MAP_COMPRESSION, SCALE_QUARTERS},
};
enum { PAGE_MAPS = sizeof page_maps / sizeof page_maps[0] };

static char *
map_path(const char *dir, uint32_t number, uint32_t mode)
{
    return mem_printf("%s/maps/frame-%04u-%s.%s", dir, number, map_mode_names[mode],
                      mode == MAP_DRAWS ? "csv.gz" : "png");
}

static uint64_t
file_bytes(char *path)
{
    struct stat st;
    const uint64_t bytes = stat(path, &st) ? 0 : (uint64_t)st.st_size;
    free(path);
    return bytes;
}

uint64_t
page_picture_bytes(const char *dir, uint32_t number)
{
    uint64_t bytes = file_bytes(mem_printf("%s/frames/frame-%04u.png", dir, number));
    for (uint32_t i = 0; i < PAGE_MAPS; i++)
        bytes += file_bytes(map_path(dir, number, page_maps[i].mode));
    return bytes;
}

uint64_t
page_tile_bytes(const char *dir, uint32_t number)
{
    return file_bytes(map_path(dir, number, MAP_DRAWS));
}

/* Averages squares of `reduce` x `reduce` pixels. */
static void
reduce_picture(struct picture *picture, uint32_t reduce)
{
    const uint32_t width = (picture->width + reduce - 1) / reduce;
    const uint32_t height = (picture->height + reduce - 1) / reduce;
    uint8_t *small = mem_array((size_t)width * height, 4);
    for (uint32_t i = 0; i < width * height; i++) {
        const uint32_t left = i % width * reduce, top = i / width * reduce;
        uint32_t sum[4] = {0}, count = 0;
        for (uint32_t k = 0; k < reduce * reduce; k++) {
            const uint32_t x = left + k % reduce, y = top + k / reduce;
            if (x >= picture->width || y >= picture->height)
                continue;
            for (uint32_t c = 0; c < 4; c++)
                sum[c] += picture->rgba[4 * ((size_t)y * picture->width + x) + c];
            count++;
        }
        for (uint32_t c = 0; c < 4; c++)
            small[4 * (size_t)i + c] = (uint8_t)(sum[c] / count);
    }
    free(picture->rgba);
    *picture = (struct picture){width, height, picture->has_alpha, small};
}

/* Reads the size from the PNG's first chunk. */
static void
add_size(cJSON *frame, const uint8_t *png, size_t size)
{
    if (size < 24)
        return;
    const char *const names[] = {"width", "height"};
    for (uint32_t i = 0; i < 2; i++) {
        const uint8_t *at = png + 16 + 4 * i;
        cJSON_AddNumberToObject(
            frame, names[i],
            (double)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]));
    }
}

static bool
add_frame(cJSON *frame, const char *path, uint32_t reduce, struct error *err)
{
    struct picture picture;
    uint8_t *bytes;
    size_t size;
    if (!file_read(path, MOST_PICTURE, (char **)&bytes, &size, err))
        return false;
    add_size(frame, bytes, size);
    if (reduce > 1) {
        free(bytes);
        if (!picture_read_png(&picture, path, err))
            return false;
        reduce_picture(&picture, reduce);
        const bool ok = picture_encode(&picture, &bytes, &size, err);
        picture_fini(&picture);
        if (!ok)
            return false;
    }
    char *text = page_base64(bytes, size), *address = mem_printf("data:image/png;base64,%s", text);
    cJSON_AddStringToObject(frame, "picture", address);
    free(address);
    free(text);
    free(bytes);
    return true;
}

/* The heat scale's colors as 24-bit numbers, sorted, to find the level of a color. */
struct heat {
    uint32_t color;
    uint8_t level;
};

static int
compare_heat(const void *left, const void *right)
{
    const struct heat *a = left, *b = right;
    return (a->color > b->color) - (a->color < b->color);
}

static void
make_heat(struct heat scale[256])
{
    for (uint32_t level = 0; level < 256; level++) {
        uint8_t rgb[3];
        map_heat(level, rgb);
        scale[level].color = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
        scale[level].level = (uint8_t)level;
    }
    qsort(scale, 256, sizeof *scale, compare_heat);
}

static uint8_t
count_of(uint8_t channel)
{
    const uint32_t count = (channel + COUNT_STEP - 1u) / COUNT_STEP;
    return (uint8_t)(count < COUNT_MOST ? count : COUNT_MOST);
}

/* Returns -1 if the color is not on the scale. */
static int32_t
level_of(const uint8_t rgb[3], enum scale scale, const struct heat heat[256])
{
    const struct heat key = {(uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2], 0};
    if (scale == SCALE_COUNTS)
        return count_of(rgb[0]) + 5 * count_of(rgb[1]) + 25 * count_of(rgb[2]);
    if (scale == SCALE_HEAT) {
        const struct heat *found = bsearch(&key, heat, 256, sizeof key, compare_heat);
        return found ? found->level : -1;
    }
    for (uint32_t quarter = 0; quarter < 5; quarter++) {
        uint8_t other[3];
        map_quarter(quarter, other);
        if (!memcmp(other, rgb, 3))
            return (int32_t)quarter;
    }
    return -1;
}

/* Adds a map. Each pixel is the maximum level of `reduce` x `reduce` pixels. */
static bool
add_map(cJSON *maps, const char *path, const char *name, enum scale scale, uint32_t reduce,
        struct error *err)
{
    struct picture picture;
    struct heat heat[256];
    if (!picture_read_png(&picture, path, err))
        return false;
    make_heat(heat);
    const uint32_t width = (picture.width + reduce - 1) / reduce;
    const uint32_t height = (picture.height + reduce - 1) / reduce;
    uint8_t *levels = mem_array((size_t)width + 1, (size_t)height + 1);
    int32_t level = 0;
    uint32_t last = UINT32_MAX;
    bool ok = true;
    for (size_t i = 0; ok && i < (size_t)picture.width * picture.height; i++) {
        uint32_t color;
        memcpy(&color, picture.rgba + 4 * i, sizeof color);
        if (color != last)
            level = level_of(picture.rgba + 4 * i, scale, heat);
        last = color;
        uint8_t *to = &levels[i / picture.width / reduce * width + i % picture.width / reduce];
        ok = level >= 0;
        if (level > *to)
            *to = (uint8_t)level;
    }
    if (ok) {
        cJSON *map = cJSON_AddObjectToObject(maps, name);
        char *text = page_deflate(levels, (size_t)width * height);
        cJSON_AddNumberToObject(map, "width", width);
        cJSON_AddNumberToObject(map, "height", height);
        cJSON_AddStringToObject(map, "data", text);
        free(text);
    }
    free(levels);
    picture_fini(&picture);
    return ok || fail(err, "%s has colors that are not of its scale", path);
}

static void
add_rows(cJSON *frame, const struct csv_table *table, const int32_t column[6])
{
    struct page_columns columns;
    page_columns_begin(&columns, frame, "tiles", table->rows);
    uint64_t *values = mem_array((size_t)table->rows + 1, sizeof *values);
    const char *const names[] = {"x", "y", "row", "draw", "fragments", "written"};
    for (uint32_t c = 0; c < 6; c++) {
        for (uint32_t r = 0; r < table->rows; r++)
            values[r] = (uint64_t)csv_value(table, r, column[c]);
        page_add_whole(&columns, names[c], values);
    }
    page_columns_end(&columns);
    free(values);
}

static bool
add_tiles(cJSON *frame, const char *path, struct error *err)
{
    static const char *const names[] = {"x", "y", "row", "draw", "fragments", "written"};
    int32_t column[6];
    struct csv_table table;
    if (!csv_read(&table, path, err))
        return false;
    bool ok = true;
    for (uint32_t c = 0; c < 6 && ok; c++) {
        column[c] = csv_column(&table, names[c]);
        ok = column[c] >= 0 || fail(err, "%s has no column %s", path, names[c]);
    }
    if (ok)
        add_rows(frame, &table, column);
    csv_table_fini(&table);
    return ok;
}

bool
page_add_picture(cJSON *frame, const char *dir, uint32_t number, uint32_t reduce, struct error *err)
{
    char *path = mem_printf("%s/frames/frame-%04u.png", dir, number);
    const bool ok = !file_exists(path) || add_frame(frame, path, reduce, err);
    free(path);
    return ok;
}

bool
page_add_maps(cJSON *frame, const char *dir, uint32_t number, uint32_t reduce, bool tiles,
              struct error *err)
{
    char *path = map_path(dir, number, MAP_DRAWS);
    bool ok = !tiles || !file_exists(path) || add_tiles(frame, path, err);
    free(path);
    cJSON *maps = cJSON_AddObjectToObject(frame, "maps");
    for (uint32_t i = 0; i < PAGE_MAPS && ok; i++) {
        const uint32_t mode = page_maps[i].mode;
        path = map_path(dir, number, mode);
        ok = !file_exists(path) ||
             add_map(maps, path, map_mode_names[mode], page_maps[i].scale, reduce, err);
        free(path);
    }
    return ok;
}
