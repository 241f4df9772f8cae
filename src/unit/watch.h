/* The watch: what happened to the pixels of a frame, for fragment maps (report/draw/maps.h) and the
 * life of one pixel (report/draw/pixel.h).
 *
 * Units tell it of each quad by the functions below, one line each. A quad that is not watched has
 * `watched` NULL, so that a run without a watch pays for one branch. The watch only looks: it
 * changes neither values nor time. A surface is what draws go to: color buffer 0, or the depth
 * buffer where there is none; of a frame the first WATCH_SURFACES ones are kept. */
#ifndef AETIUS_UNIT_WATCH_H
#define AETIUS_UNIT_WATCH_H

#include "base/mem.h"
#include "gfx/sample.h"
#include "unit/items.h"

struct memctl; /* unit/memory/memctl.h */

enum { WATCH_SURFACES = 16, WATCH_TILE_SIDE = 8 };

/* Where a fragment ended. */
enum fragment_fate {
    FATE_HZ,       /* with its tile, behind what Hierarchical Z knows */
    FATE_DEPTH,    /* by the depth test */
    FATE_STENCIL,  /* by the stencil test */
    FATE_KILLED,   /* by its program, the alpha test or alpha to coverage */
    FATE_WRITTEN,  /* in color write */
    FATE_NO_COLOR, /* there, but the draw writes no color */
    FATES,
};
extern const char *const fragment_fate_names[FATES];

/* Of one pixel in one frame. */
struct watched_pixel {
    uint16_t fates[FATES];
    uint32_t cycles;         /* from generation to write, of the last fragment written */
    uint32_t shader_cycles;  /* in the shader, of the last fragment shaded */
    uint32_t texels, misses; /* of all fragments; misses of their quads */
};

/* Of one draw in one tile of WATCH_TILE_SIDE x WATCH_TILE_SIDE pixels. */
struct watched_part {
    struct watched_part *next; /* an earlier draw's */
    uint32_t draw;
    uint32_t fragments, written;
};

struct watched_surface {
    uint32_t address, width, height; /* first byte in memory */
    uint64_t fragments;
    /* NULL when maps are not wanted */
    struct watched_pixel *pixels; /* rows from the top */
    struct watched_part **tiles;  /* rows from the top; the parts of each, its last draw's first */
};

/* One fragment of the pixel that is watched. Cycles count from the start of the frame; CYCLE_NEVER
 * is a step that it never came to. */
struct watched_fragment {
    uint32_t frame, surface; /* number; address */
    uint32_t draw, client, primitive, program;
    bool front, early_z, has_depth, has_color;
    enum fragment_fate fate;
    uint64_t generated, tested, shader_began, shader_ended, written;
    float depth, depth_before, depth_after; /* before and after: in the buffer, sample 0 */
    float color[4], color_before[4], color_after[4];
    uint32_t samples;        /* covered */
    uint32_t texels, misses; /* misses: of its quad */
};

/* The quad of a triangle that is followed (sim/follow.h), from its generation to its end. */
struct watched_course {
    uint16_t x, y;
    uint32_t fragments; /* generated, a bit each */
    enum fragment_fate fates[4];
    uint64_t generated, tested, shader_began, shader_ended, written, retired; /* or CYCLE_NEVER */
    uint32_t texels, misses;
};
/* What HZ took away of its tile. */
struct watched_cull {
    uint16_t x, y;
    uint64_t fragments; /* Morton order */
};

struct watch {
    const struct clock *clock;
    const struct memctl *memctl; /* what memory holds is looked up there */
    bool maps, has_pixel;
    uint32_t x, y; /* of the pixel, from the top left */
    bool follows;  /* a triangle */
    uint32_t followed_frame, followed_draw, followed_primitive;
    VEC(struct watched_course) courses; /* in the order in which its quads were generated */
    VEC(struct watched_cull) culls;
    uint32_t frame;
    uint64_t frame_start;
    struct watched_surface surfaces[WATCH_SURFACES];
    uint32_t surface_count;
    VEC(struct watched_fragment) fragments; /* in the order in which they ended */
    struct watched_quad *free_quads;
    struct arena memory; /* behind quads and pixels' maps of a frame */
};

struct watch *watch_create(const struct clock *clock, const struct memctl *memctl);
void watch_destroy(struct watch *watch); /* NULL: nothing */
/* Of a quad that is watched: the place of the watched pixel in it, or -1. */
int32_t watch_pixel(const struct quad *quad);
/* The number of its course behind 1; 0: its triangle is not followed. */
uint32_t watch_course(const struct quad *quad);
void watch_begin_frame(struct watch *watch, uint32_t frame);
/* What is known of the surface that a frame shows; where nothing was drawn into it (it was blitted)
 * of the surface of its size with the most fragments. NULL: of none. */
const struct watched_surface *watch_shown(const struct watch *watch, const struct resource *shown);

/* How many tiles cover so many pixels. */
static inline uint32_t
watch_tiles(uint32_t pixels)
{
    return (pixels + WATCH_TILE_SIDE - 1) / WATCH_TILE_SIDE;
}

/* From the units, in the order of the pipeline. */
void watch_tile(struct watch *watch, const struct tile_item *tile,
                uint64_t culled); /* culled by HZ */
void watch_quad(struct watch *watch, struct quad *quad, const struct draw *draw);
void watch_depth(const struct quad *quad, const struct draw *draw, const uint8_t *bytes);
void watch_tested(const struct quad *quad, const struct draw *draw, const uint8_t *bytes,
                  const struct depth_result *result);
void watch_group(const struct group *group);
void watch_shaded(const struct quad *quad, uint32_t mask_before);
void watch_texels(const struct quad *quad, const struct sample_pass *pass);
void watch_miss(const struct quad *quad);
/* `bytes`: what the quad's place holds, also where the draw has no need to know. */
void watch_color(const struct quad *quad, const struct draw *draw, uint32_t target,
                 const uint8_t *bytes);
/* `bytes`: hold at least what the quad wrote. */
void watch_written(const struct quad *quad, const struct draw *draw, uint32_t target,
                   const uint8_t *bytes);
void watch_retired(struct quad *quad);

/* The quad of a texture request, NULL for vertices. */
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
