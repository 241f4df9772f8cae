/* Fragment maps: one image per frame and mode, whose colors show how each pixel was processed
 * (docs/maps.md). The file is DIR/maps/frame-NNNN-MODE.png. The same folder has a legend for each
 * mode. */
#ifndef AETIUS_REPORT_MAPS_H
#define AETIUS_REPORT_MAPS_H

#include "base/file.h"
#include "sim/machine.h"
#include "unit/watch.h"

/* Modes after those of SIMULATOR.FragmentMapMode (enum fragment_map): MAP_COLOR           colors
 * that the draws wrote: the frame MAP_OVERDRAW        fragments written MAP_LATENCY         cycles
 * from generation to write, of the last fragment MAP_SHADER_LATENCY  cycles in the shader, of the
 * last fragment */
enum map_mode {
    /* Red: culled by HZ. Green: culled by z and stencil. Blue: killed. */
    MAP_CULLED = MAP_SHADER_LATENCY + 1,
    MAP_MISSES,      /* texture cache misses */
    MAP_COMPRESSION, /* stored size of the pixel's color block */
    MAP_DRAWS,       /* draws with fragments in each tile: a table, frame-NNNN-draws.csv.gz */
    MAP_MODES,
};
extern const char *const map_mode_names[MAP_MODES];
#define MAP_MODE_LIST "color, overdraw, latency, shader, culled, misses, compression, draws or all"

/* Parses "MODE,MODE,..." to a bit mask. "all" is every mode except MAP_COLOR. */
bool maps_parse(uint32_t *modes, const char *text, struct error *err);

/* Input of a frame's maps. The machine is drained, and its block states are still those of the
 * frame. */
struct map_source {
    const struct machine *machine;
    const struct watch *watch;
    const struct resource *shown;
    const struct picture *picture;
    bool upside_down; /* the picture's first row is the surface's last one */
};
/* Whether `end` ends a map's file name: "-MODE.png", or the end of the table's name. */
bool maps_is_end(const char *end);
/* Draws the map of a mode that has a picture. The caller frees `map` with picture_fini(). */
void map_draw(const struct map_source *source, uint32_t mode, struct picture *map);
/* Columns of the table of draws:
 * - x, y: the tile's corner in the surface, in the coordinates of --pixel
 * - row: the row of that corner in the picture
 * - draw: as in stats.draws
 * - fragments, written: the draw's fragments in the tile, and those that were written */
#define MAP_DRAWS_COLUMNS "schema,x,y,row,draw,fragments,written"
/* Writes the maps of `modes` to a run folder. */
bool maps_write(const struct map_source *source, uint32_t modes, const char *dir, uint32_t frame,
                struct error *err);

/* Legends: pictures of the modes' scales in the maps' folder, legend-MODE.png. MAP_COLOR has no
 * legend. */
bool map_has_legend(uint32_t mode);
void map_legend_draw(uint32_t mode, struct picture *legend);
bool maps_write_legends(uint32_t modes, const char *dir, struct error *err);

/* Colors of the compression map: 0 is a cleared block, 4 an uncompressed one. */
void map_quarter(uint32_t quarter, uint8_t rgb[3]);
/* Heat scale for levels 0 to 255, clamped: black, blue, cyan, green, yellow, red, white. */
void map_heat(uint64_t level, uint8_t rgb[3]);
/* Logarithmic level, 16 per doubling: 0 for 0 and 1 cycle, 255 for 65,536 or more cycles. */
uint32_t map_log_level(uint64_t cycles);

#endif
