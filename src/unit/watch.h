/* The watch records the history of a frame's pixels, for fragment maps (report/draw/maps.h) and for
 * the report on one pixel (report/draw/pixel.h).
 *
 * Units report each quad through the functions below, with one line per report. `watched` is NULL
 * for a quad that is not watched, so a run without a watch costs one branch per report. The watch
 * affects neither results nor timing. A draw's surface is color buffer 0, or the depth buffer if
 * there is no color buffer. The watch keeps the first WATCH_SURFACES surfaces of a frame. */
#ifndef AETIUS_UNIT_WATCH_H
#define AETIUS_UNIT_WATCH_H

#include "base/mem.h"
#include "gfx/sample.h"
#include "unit/items.h"

struct memctl; /* unit/memory/memctl.h */

enum { WATCH_SURFACES = 16, WATCH_TILE_SIDE = 8, WATCH_LEVELS = 7 };

/* Step that ended a fragment. */
enum fragment_fate {
    FATE_HZ,       /* culled with its tile by Hierarchical Z */
    FATE_DEPTH,    /* failed the depth test */
    FATE_STENCIL,  /* failed the stencil test */
    FATE_KILLED,   /* discarded by the fragment program, the alpha test or alpha to coverage */
    FATE_WRITTEN,  /* written by Color Write */
    FATE_NO_COLOR, /* passed all tests, but the draw writes no color */
    FATES,
};
extern const char *const fragment_fate_names[FATES];

/* Measurements of one pixel in one frame. */
struct watched_pixel {
    uint16_t fates[FATES];
    uint32_t cycles;         /* from generation to write, for the last fragment written */
    uint32_t shader_cycles;  /* time in the shader, for the last fragment shaded */
    uint32_t texels, misses; /* texels of all fragments; cache misses of their quads */
};

/* Fragments of one draw in one tile of WATCH_TILE_SIDE x WATCH_TILE_SIDE pixels. */
struct watched_part {
    struct watched_part *next; /* fragments of an earlier draw */
    uint32_t draw;
    uint32_t fragments, written;
};

struct watched_surface {
    uint32_t address, width, height; /* address of the surface's first byte in memory */
    uint64_t fragments;
    /* Both are NULL if maps are off. */
    struct watched_pixel *pixels; /* pixels in rows, top row first */
    struct watched_part **tiles;  /* tiles in rows, top row first; each a list, newest draw first */
};

/* One fragment of the watched pixel. Cycles count from the start of the frame. CYCLE_NEVER marks a
 * step that the fragment did not reach. */
struct watched_fragment {
    uint32_t frame, surface; /* frame number; surface address */
    uint32_t draw, client, primitive, program;
    bool front, early_z, has_depth, has_color;
    enum fragment_fate fate;
    uint64_t generated, tested, shader_began, shader_ended, written;
    float depth, depth_before, depth_after; /* before and after: values of sample 0 in the buffer */
    float color[4], color_before[4], color_after[4];
    uint32_t samples;        /* number of covered samples */
    uint32_t texels, misses; /* misses of the fragment's quad */
};

/* A quad of the followed triangle (sim/follow.h), from its generation to its end. */
struct watched_course {
    uint16_t x, y;
    uint32_t fragments; /* generated fragments, one bit each */
    enum fragment_fate fates[4];
    uint64_t generated, tested, shader_began, shader_ended, written,
        retired; /* CYCLE_NEVER: step not reached */
    uint32_t texels, misses;
};
/* Squares of the followed triangle that a level of the seven-level generator took, and the cycles
 * of the first and the last one. */
struct watched_level {
    uint32_t squares;
    uint64_t first, last;
};

/* Fragments that Hierarchical Z culled from a tile. */
struct watched_cull {
    uint16_t x, y;
    uint64_t fragments; /* mask in Morton order */
};

struct watch {
    const struct clock *clock;
    const struct memctl *memctl; /* gives access to memory contents */
    bool maps, has_pixel;
    uint32_t x, y; /* position of the watched pixel, from the top left */
    bool follows;  /* whether a triangle is followed */
    uint32_t followed_frame, followed_draw, followed_primitive;
    VEC(struct watched_course) courses; /* in order of generation */
    VEC(struct watched_cull) culls;
    struct watched_level levels[WATCH_LEVELS];
    uint32_t frame;
    uint64_t frame_start;
    struct watched_surface surfaces[WATCH_SURFACES];
    uint32_t surface_count;
    VEC(struct watched_fragment) fragments; /* in the order in which the fragments ended */
    struct watched_quad *free_quads;
    struct arena memory; /* holds the quads and the pixel maps of a frame */
};

struct watch *watch_create(const struct clock *clock, const struct memctl *memctl);
void watch_destroy(struct watch *watch); /* accepts NULL */
/* Index of the watched pixel within a watched quad, or -1. */
int32_t watch_pixel(const struct quad *quad);
/* Index of the quad's course plus 1, or 0 if its triangle is not followed. */
uint32_t watch_course(const struct quad *quad);
void watch_begin_frame(struct watch *watch, uint32_t frame);
/* Returns the records of the surface that a frame shows. If no draw wrote that surface (for example
 * after a blit), returns the surface of the same size with the most fragments. NULL: no such
 * surface. */
const struct watched_surface *watch_shown(const struct watch *watch, const struct resource *shown);

/* Number of tiles that cover a width or height of `pixels`. */
static inline uint32_t
watch_tiles(uint32_t pixels)
{
    return (pixels + WATCH_TILE_SIDE - 1) / WATCH_TILE_SIDE;
}

/* Units call the following functions, in pipeline order. */
/* Returns `watch` if the triangle is followed, else NULL. `watch` may be NULL. */
struct watch *watch_of(struct watch *watch, const struct draw *draw,
                       const struct pooled_triangle *triangle);
/* `cycle`: absolute cycle in which level 1 to WATCH_LEVELS takes a square of the triangle */
void watch_level(struct watch *watch, uint32_t level, uint64_t cycle);
void watch_tile(struct watch *watch, const struct tile_item *tile,
                uint64_t culled); /* mask of the fragments culled by Hierarchical Z */
void watch_quad(struct watch *watch, struct quad *quad, const struct draw *draw);
void watch_depth(const struct quad *quad, const struct draw *draw, const uint8_t *bytes);
void watch_tested(const struct quad *quad, const struct draw *draw, const uint8_t *bytes,
                  const struct depth_result *result);
void watch_group(const struct group *group);
void watch_shaded(const struct quad *quad, uint32_t mask_before);
void watch_texels(const struct quad *quad, const struct sample_pass *pass);
void watch_miss(const struct quad *quad);
/* `bytes`: content of the quad's pixels before the write, even if the draw does not read it. */
void watch_color(const struct quad *quad, const struct draw *draw, uint32_t target,
                 const uint8_t *bytes);
/* `bytes`: must contain at least the bytes that the quad wrote. */
void watch_written(const struct quad *quad, const struct draw *draw, uint32_t target,
                   const uint8_t *bytes);
void watch_retired(struct quad *quad);

/* The quad of a texture request; NULL if the request comes from vertices. */
static inline const struct quad *
watch_quad_of(const struct texture_item *item)
{
    return item->group->stage == STAGE_FRAGMENT ? item->group->quads[item->quad] : NULL;
}

#define WATCHED(quad) __builtin_expect((quad) && (quad)->watched, 0)

#define WATCH_TILE(pools, tile, culled)                                                            \
    (__builtin_expect(!!(pools)->watch, 0) ? watch_tile((pools)->watch, tile, culled) : (void)0)
#define WATCH_QUAD(pools, quad, draw)                                                              \
    (__builtin_expect(!!(pools)->watch, 0) ? watch_quad((pools)->watch, quad, draw) : (void)0)
#define WATCH_GROUP(pools, group)                                                                  \
    (__builtin_expect(!!(pools)->watch, 0) ? watch_group(group) : (void)0)
#define WATCH_DEPTH(quad, draw, bytes) (WATCHED(quad) ? watch_depth(quad, draw, bytes) : (void)0)
#define WATCH_TESTED(quad, draw, bytes, result)                                                    \
    (WATCHED(quad) ? watch_tested(quad, draw, bytes, result) : (void)0)
#define WATCH_SHADED(quad, mask_before) (WATCHED(quad) ? watch_shaded(quad, mask_before) : (void)0)
#define WATCH_TEXELS(item, pass)                                                                   \
    (WATCHED(watch_quad_of(item)) ? watch_texels(watch_quad_of(item), pass) : (void)0)
#define WATCH_MISS(item) (WATCHED(watch_quad_of(item)) ? watch_miss(watch_quad_of(item)) : (void)0)
#define WATCH_WRITTEN(quad, draw, target, bytes)                                                   \
    (WATCHED(quad) ? watch_written(quad, draw, target, bytes) : (void)0)
#define WATCH_RETIRED(quad) (WATCHED(quad) ? watch_retired(quad) : (void)0)

#endif
