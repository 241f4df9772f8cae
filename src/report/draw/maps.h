/* Fragment maps: an image a frame whose colors say how each pixel was treated (docs/maps.md):
 * DIR/maps/frame-NNNN-MODE.png. The scale of each mode lies beside them. */
#ifndef AETIUS_REPORT_MAPS_H
#define AETIUS_REPORT_MAPS_H

#include "base/file.h"
#include "sim/machine.h"
#include "unit/watch.h"

/* Behind those of SIMULATOR.FragmentMapMode (enum fragment_map):
 *   MAP_COLOR           what the draws wrote: the frame
 *   MAP_OVERDRAW        fragments written
 *   MAP_LATENCY         cycles from generation to write, of the last one
 *   MAP_SHADER_LATENCY  cycles in the shader, of the last one */
enum map_mode {
    MAP_CULLED =
        MAP_SHADER_LATENCY + 1, /* by HZ in red, by z and stencil in green, killed in blue */
    MAP_MISSES,                 /* texture cache misses */
    MAP_COMPRESSION,            /* what the pixel's block of the color buffer takes in memory */
    MAP_DRAWS, /* which draws had fragments in each tile: a table, frame-NNNN-draws.csv.gz */
    MAP_MODES,
};
extern const char *const map_mode_names[MAP_MODES];
#define MAP_MODE_LIST "color, overdraw, latency, shader, culled, misses, compression, draws or all"

/* "MODE" or "MODE,MODE,..." to a bit each; "all": all but the frame itself. */
bool maps_parse(uint32_t *modes, const char *text, struct error *err);

/* What a frame's maps are made from; the machine is drained, and still holds its block states. */
struct map_source {
    const struct machine *machine;
    const struct watch *watch;
    const struct resource *shown;
    const struct picture *picture;
    bool upside_down; /* the picture's first row is the surface's last one */
};
/* Whether that is how the name of a map ends: "-MODE.png", or that of its table. */
bool maps_is_end(const char *end);
/* One picture in memory, of a mode that has one: the caller's to fini. */
void map_draw(const struct map_source *source, uint32_t mode, struct picture *map);
/* The columns of the table of draws: the tile's corner in the surface, as --pixel counts, and the
 * picture's row of it; draw (of stats.draws), its fragments there, and those of them written. */
#define MAP_DRAWS_COLUMNS "schema,x,y,row,draw,fragments,written"
/* The wanted ones into the folder of a run. */
bool maps_write(const struct map_source *source, uint32_t modes, const char *dir, uint32_t frame,
                struct error *err);

/* The modes' scales as pictures beside the maps, legend-MODE.png; the frame itself has none. */
bool map_has_legend(uint32_t mode);
void map_legend_draw(uint32_t mode, struct picture *legend);
bool maps_write_legends(uint32_t modes, const char *dir, struct error *err);

/* Of the compression map: 0 cleared, 4 all of the block. */
void map_quarter(uint32_t quarter, uint8_t rgb[3]);
/* 0 to 255 (more is 255): black, blue, cyan, green, yellow, red, white. */
void map_heat(uint64_t level, uint8_t rgb[3]);
/* 16 a doubling: 0 for 0 and 1 cycle, 255 from 64 Ki on. */
uint32_t map_log_level(uint64_t cycles);

#endif
