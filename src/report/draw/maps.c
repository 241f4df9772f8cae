#include "report/draw/maps.h"

#include "base/mem.h"
#include "base/schema.h"
#include "report/run/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const map_mode_names[MAP_MODES] = {
    [MAP_COLOR] = "color",
    [MAP_OVERDRAW] = "overdraw",
    [MAP_LATENCY] = "latency",
    [MAP_SHADER_LATENCY] = "shader",
    [MAP_CULLED] = "culled",
    [MAP_MISSES] = "misses",
    [MAP_COMPRESSION] = "compression",
    [MAP_DRAWS] = "draws",
};

/* Levels per counted item, out of 255. */
enum { OVERDRAW_STEP = 32, CULLED_STEP = 64, MISS_STEP = 8 };

bool
maps_parse(uint32_t *modes, const char *text, struct error *err)
{
    *modes = 0;
    while (*text) {
        const size_t n = strcspn(text, ",");
        uint32_t mode = 0;
        if (n == 3 && !strncmp(text, "all", n)) {
            *modes |= (1u << MAP_MODES) - 1 - (1u << MAP_COLOR);
            text += n + (text[n] == ',' && text[n + 1]);
            continue;
        }
        while (mode < MAP_MODES &&
               (strlen(map_mode_names[mode]) != n || strncmp(map_mode_names[mode], text, n)))
            mode++;
        if (mode == MAP_MODES)
            break;
        *modes |= 1u << mode;
        text += n + (text[n] == ',' && text[n + 1]);
    }
    return (!*text && *modes) ||
           fail(err, "--map: unknown mode '%s': expected " MAP_MODE_LIST, text);
}

bool
maps_is_end(const char *end)
{
    for (uint32_t mode = 0; mode < MAP_MODES; mode++) {
        const size_t n = strlen(map_mode_names[mode]);
        if (end[0] == '-' && !strncmp(end + 1, map_mode_names[mode], n) &&
            !strcmp(end + 1 + n, mode == MAP_DRAWS ? ".csv.gz" : ".png"))
            return true;
    }
    return false;
}

void
map_heat(uint64_t level, uint8_t rgb[3])
{
    static const uint8_t stops[7][3] = {{0, 0, 0},     {0, 0, 255}, {0, 255, 255},  {0, 255, 0},
                                        {255, 255, 0}, {255, 0, 0}, {255, 255, 255}};
    const uint32_t at = (uint32_t)(level > 255 ? 255 : level) * 6;
    const uint32_t stop = at / 255 < 6 ? at / 255 : 5, part = at - stop * 255;
    for (uint32_t c = 0; c < 3; c++)
        rgb[c] = (uint8_t)((stops[stop][c] * (255 - part) + stops[stop + 1][c] * part) / 255);
}

uint32_t
map_log_level(uint64_t cycles)
{
    if (cycles < 2)
        return 0;
    const uint32_t log = 63 - (uint32_t)__builtin_clzll(cycles);
    const uint64_t below = log >= 4 ? cycles >> (log - 4) : cycles << (4 - log);
    const uint32_t level = log * 16 + (uint32_t)(below & 15);
    return level < 255 ? level : 255;
}

void
map_quarter(uint32_t quarter, uint8_t rgb[3])
{
    static const uint8_t quarters[5][3] = {
        {0, 0, 0}, {0, 0, 255}, {0, 255, 0}, {255, 255, 0}, {255, 0, 0}};
    memcpy(rgb, quarters[quarter], 3);
}

/* Compression level: black for a cleared block, otherwise quarters of the block size. */
static void
compression_color(const struct map_source *source, uint32_t x, uint32_t y, uint8_t rgb[3])
{
    const struct machine *m = source->machine;
    const uint32_t address = source->shown->address + resource_offset(source->shown, 0, x, y, 0, 0);
    const struct blocks *blocks = &m->color_blocks;
    const uint32_t bytes = blocks_bytes(blocks, blocks_state(blocks, address));
    map_quarter((4 * bytes + blocks->block_bytes - 1) / blocks->block_bytes, rgb);
}

static uint8_t
channel(uint32_t count)
{
    return (uint8_t)(count * CULLED_STEP > 255 ? 255 : count * CULLED_STEP);
}

static void
pixel_color(const struct watched_pixel *pixel, uint32_t mode, uint8_t rgb[3])
{
    switch (mode) {
    case MAP_OVERDRAW: map_heat((uint64_t)pixel->fates[FATE_WRITTEN] * OVERDRAW_STEP, rgb); break;
    case MAP_LATENCY: map_heat(map_log_level(pixel->cycles), rgb); break;
    case MAP_SHADER_LATENCY: map_heat(map_log_level(pixel->shader_cycles), rgb); break;
    case MAP_MISSES: map_heat((uint64_t)pixel->misses * MISS_STEP, rgb); break;
    case MAP_CULLED:
        rgb[0] = channel(pixel->fates[FATE_HZ]);
        rgb[1] = channel(pixel->fates[FATE_DEPTH] + pixel->fates[FATE_STENCIL]);
        rgb[2] = channel(pixel->fates[FATE_KILLED]);
        break;
    default: BUG("map mode %u has no value per pixel", mode);
    }
}

void
map_draw(const struct map_source *source, uint32_t mode, struct picture *map)
{
    const struct picture *picture = source->picture;
    const struct watched_surface *surface = watch_shown(source->watch, source->shown);
    const size_t count = (size_t)picture->width * picture->height;
    *map = (struct picture){picture->width, picture->height, false, mem_array(count, 4)};
    if (mode == MAP_COLOR) {
        memcpy(map->rgba, picture->rgba, count * 4);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t x = (uint32_t)(i % picture->width), row = (uint32_t)(i / picture->width);
        const uint32_t y = source->upside_down ? picture->height - 1 - row : row;
        uint8_t *rgba = map->rgba + 4 * i;
        rgba[3] = 255;
        if (mode == MAP_COMPRESSION)
            compression_color(source, x, y, rgba);
        else if (surface && x < surface->width && y < surface->height)
            pixel_color(&surface->pixels[(size_t)y * surface->width + x], mode, rgba);
    }
}

/* Rows are sorted by tile from the top of the surface, then by draw. */
static void
draws_rows(const struct map_source *source, const struct watched_surface *surface, struct csv *csv)
{
    const uint32_t across = watch_tiles(surface->width), down = watch_tiles(surface->height);
    VEC(const struct watched_part *) parts = {0};
    for (uint32_t tile = 0; tile < across * down; tile++) {
        const uint32_t y = tile / across * WATCH_TILE_SIDE;
        parts.count = 0;
        for (const struct watched_part *p = surface->tiles[tile]; p; p = p->next)
            VEC_PUSH(&parts, p);
        while (parts.count) {
            const struct watched_part *part = parts.items[--parts.count];
            csv_number(csv, AETIUS_SCHEMA);
            csv_number(csv, tile % across * WATCH_TILE_SIDE);
            csv_number(csv, y);
            csv_number(csv, source->upside_down ? source->picture->height - 1 - y : y);
            csv_number(csv, part->draw);
            csv_number(csv, part->fragments);
            csv_number(csv, part->written);
            csv_end_row(csv);
        }
    }
    VEC_FREE(&parts);
}

static bool
draws_write(const struct map_source *source, const char *path, struct error *err)
{
    const struct watched_surface *surface = watch_shown(source->watch, source->shown);
    struct csv *csv = csv_create(path, MAP_DRAWS_COLUMNS, err);
    if (csv && surface)
        draws_rows(source, surface, csv);
    return csv && csv_destroy(csv, err);
}

static bool
picture_write(const struct map_source *source, uint32_t mode, const char *path, struct error *err)
{
    struct picture map;
    map_draw(source, mode, &map);
    const bool ok = picture_write_png(&map, path, err);
    picture_fini(&map);
    return ok;
}

bool
maps_write(const struct map_source *source, uint32_t modes, const char *dir, uint32_t frame,
           struct error *err)
{
    char *folder = mem_printf("%s/maps", dir);
    bool ok = dir_create(folder, err);
    for (uint32_t mode = 0; mode < MAP_MODES && ok; mode++) {
        if (!(modes >> mode & 1))
            continue;
        char *path = mem_printf("%s/frame-%04u-%s.%s", folder, frame, map_mode_names[mode],
                                mode == MAP_DRAWS ? "csv.gz" : "png");
        ok = (mode == MAP_DRAWS ? draws_write(source, path, err)
                                : picture_write(source, mode, path, err));
        free(path);
    }
    free(folder);
    return ok;
}
