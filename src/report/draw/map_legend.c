/* Draws the legends of fragment maps: color bars with numbers below. */
#include "base/mem.h"
#include "report/draw/maps.h"

#include <stdlib.h>
#include <string.h>

enum {
    BAR = 256, /* width in pixels: one column per level */
    MARGIN = 16,
    BAR_HEIGHT = 16,
    BARS = 3,
    WIDTH = BAR + MARGIN + 40, /* space for the last number, which extends past the bar */
    ZOOM = 2,                  /* scale of the glyphs */
    GLYPH_WIDTH = 4,           /* includes the gap to the next glyph */
    GLYPH_HEIGHT = 5,
    TICKS = 9,
};

/* Bitmaps of 3x5 pixels, top row first. */
static const struct {
    char letter;
    const char *rows;
} glyphs[] = {
    {'0', "####.##.##.####"}, {'1', ".#.##..#..#.###"}, {'2', "###..#####..###"},
    {'3', "###..####..####"}, {'4', "#.##.####..#..#"}, {'5', "####..###..####"},
    {'6', "####..####.####"}, {'7', "###..#..#..#..#"}, {'8', "####.#####.####"},
    {'9', "####.####..####"}, {'/', "..#..#.#.#..#.."}, {'+', "....#.###.#...."},
    {'k', "#..#.###.#.##.#"},
};

/* A scale: colors of each bar, and numbers at some levels. */
struct scale {
    uint32_t bars;
    void (*color)(uint32_t bar, uint32_t level, uint8_t rgb[3]);
    uint32_t step; /* levels between two numbers */
    const char *figures[TICKS];
};

static void
heat(uint32_t bar, uint32_t level, uint8_t rgb[3])
{
    (void)bar;
    map_heat(level, rgb);
}

/* Separate bars for red, green and blue. */
static void
channels(uint32_t bar, uint32_t level, uint8_t rgb[3])
{
    memset(rgb, 0, 3);
    rgb[bar] = (uint8_t)level;
}

static void
quarters(uint32_t bar, uint32_t level, uint8_t rgb[3])
{
    (void)bar;
    map_quarter(level * 5 / BAR, rgb);
}

static const struct scale scales[MAP_MODES] = {
    [MAP_OVERDRAW] = {1, heat, 32, {"0", "1", "2", "3", "4", "5", "6", "7", "8+"}},
    [MAP_LATENCY] = {1, heat, 32, {"0", "4", "16", "64", "256", "1k", "4k", "16k", "64k+"}},
    [MAP_SHADER_LATENCY] = {1, heat, 32, {"0", "4", "16", "64", "256", "1k", "4k", "16k", "64k+"}},
    [MAP_CULLED] = {3, channels, 64, {"0", "1", "2", "3", "4+"}},
    [MAP_MISSES] = {1, heat, 32, {"0", "4", "8", "12", "16", "20", "24", "28", "32+"}},
    [MAP_COMPRESSION] = {1, quarters, 51, {"0", "1/4", "1/2", "3/4", "1"}},
};

static void
set_pixel(struct picture *picture, uint32_t x, uint32_t y, const uint8_t rgb[3])
{
    uint8_t *at = picture->rgba + 4 * ((size_t)y * picture->width + x);
    memcpy(at, rgb, 3);
}

static void
draw_glyph(struct picture *picture, uint32_t x, uint32_t y, char letter)
{
    static const uint8_t black[3];
    const char *rows = NULL;
    for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; i++)
        if (glyphs[i].letter == letter)
            rows = glyphs[i].rows;
    BUG_ON(!rows, "no glyph for '%c'", letter);
    for (uint32_t row = 0; row < GLYPH_HEIGHT * ZOOM; row++)
        for (uint32_t column = 0; column < 3 * ZOOM; column++)
            if (rows[row / ZOOM * 3 + column / ZOOM] == '#')
                set_pixel(picture, x + column, y + row, black);
}

bool
map_has_legend(uint32_t mode)
{
    return scales[mode].bars > 0;
}

void
map_legend_draw(uint32_t mode, struct picture *picture)
{
    const struct scale *scale = &scales[mode];
    const uint32_t figures_y = MARGIN + scale->bars * BAR_HEIGHT + 4;
    *picture = (struct picture){.width = WIDTH, .height = figures_y + GLYPH_HEIGHT * ZOOM + MARGIN};
    const size_t bytes = (size_t)picture->width * picture->height * 4;
    picture->rgba = mem_alloc(bytes);
    memset(picture->rgba, 255, bytes);
    for (uint32_t bar = 0; bar < scale->bars; bar++)
        for (uint32_t y = 0; y < BAR_HEIGHT; y++)
            for (uint32_t level = 0; level < BAR; level++) {
                uint8_t rgb[3];
                scale->color(bar, level, rgb);
                set_pixel(picture, MARGIN + level, MARGIN + bar * BAR_HEIGHT + y, rgb);
            }
    for (uint32_t i = 0; i < TICKS && scale->figures[i]; i++) {
        const char *figure = scale->figures[i];
        uint32_t x = MARGIN + i * scale->step;
        for (; *figure; figure++, x += GLYPH_WIDTH * ZOOM)
            draw_glyph(picture, x, figures_y, *figure);
    }
}

bool
maps_write_legends(uint32_t modes, const char *dir, struct error *err)
{
    char *folder = mem_printf("%s/maps", dir);
    bool ok = dir_create(folder, err);
    for (uint32_t mode = 0; mode < MAP_MODES && ok; mode++) {
        if (!(modes >> mode & 1) || !map_has_legend(mode))
            continue;
        struct picture legend;
        char *path = mem_printf("%s/legend-%s.png", folder, map_mode_names[mode]);
        map_legend_draw(mode, &legend);
        ok = picture_write_png(&legend, path, err);
        picture_fini(&legend);
        free(path);
    }
    free(folder);
    return ok;
}
