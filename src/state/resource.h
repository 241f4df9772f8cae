/* Resources: buffers, textures, render targets; where each of their bytes lies in memory.
 *
 * Buffers are linear. Everything else is cut into tiles of 8x8 blocks (a block is a pixel, or 4x4
 * texels of a compressed format); the elements of a tile are in Morton order (bit 0 of the index
 * is x's bit 0, bit 1 is y's bit 0, ...), the samples of a pixel side by side; tiles follow in
 * rows, slices (layers, cube faces, depth slices) after each other, levels after each other, each
 * slice padded to whole tiles. So with 4-byte pixels a tile is one 256-byte ROP cache line, a
 * 2x2 quad is 16 bytes in a row, and 64 bytes hold 4x4 texels.
 *
 * What is only sampled may lie in squares of another side (resource_tile()): 2^n texels, in Morton
 * order too, one after another in rows. A level's squares are as large as whole ones fill the level
 * with its padding, so the size of a resource and the places of its levels and slices are the same
 * in every layout.
 *
 * A line of the ROP caches belongs to one tile. Where pixels are larger (8 or 16 bytes, or several
 * samples) it holds 8x4, 4x4 or 4x2 of them; where they are smaller (1 or 2 bytes, in resources
 * that can be drawn into) a tile has a line for itself, of which it fills the first part. */
#ifndef AETIUS_STATE_RESOURCE_H
#define AETIUS_STATE_RESOURCE_H

#include "base/morton.h"
#include "state/format.h"
#include "state/memory.h"

enum { TILE_SIZE = 8, RESOURCE_MAX_LEVELS = 15 };
/* Of a buffer, and of a texture as its program sees it: what one transfer carries at most. */
#define RESOURCE_MOST_BYTES (1u << 30)

/* Traces hold the numbers of targets and bindings, and hashes of draws those of targets: a member
 * keeps its own for good. */
enum gpu_target {
    TARGET_BUFFER,
    TARGET_1D,
    TARGET_2D,
    TARGET_3D,
    TARGET_CUBE,
    TARGET_RECT,
    TARGET_1D_ARRAY,
    TARGET_2D_ARRAY,
    TARGET_CUBE_ARRAY,
};

enum gpu_bind { /* what it may be used for; other bits may be set and mean nothing */
                BIND_DEPTH_STENCIL = 1 << 0,
                BIND_RENDER_TARGET = 1 << 1,
                BIND_SAMPLER_VIEW = 1 << 3,
                BIND_VERTEX_BUFFER = 1 << 4,
                BIND_INDEX_BUFFER = 1 << 5,
                BIND_CONSTANT_BUFFER = 1 << 6,
                BIND_DISPLAY_TARGET = 1 << 7,
                BIND_STREAM_OUTPUT = 1 << 11,
                BIND_CUSTOM = 1 << 17,
                BIND_SCANOUT = 1 << 18,
                BIND_STAGING = 1 << 19,
                BIND_SHARED = 1 << 20,
};

struct resource_desc {
    uint32_t handle, target, format, bind;
    uint32_t width, height, depth, array_size, last_level, samples; /* samples 0 and 1: one */
};

/* A window's or a pbuffer's surface: row 0 is the top one. Row 0 of others is the bottom one. */
static inline bool
resource_is_display(const struct resource_desc *desc)
{
    return desc->bind & (BIND_DISPLAY_TARGET | BIND_SCANOUT);
}

/* Alike but for what they are bound for and their samples. */
static inline bool
resource_same_picture(const struct resource_desc *a, const struct resource_desc *b)
{
    return a->width == b->width && a->height == b->height && a->format == b->format &&
           a->target == b->target;
}

/* Whether `front` may be the front surface of the window that `back` is the back surface of: what
 * is shown is then brought into it (context_present.c). */
static inline bool
resource_may_be_front(const struct resource_desc *front, const struct resource_desc *back)
{
    return resource_is_display(back) && resource_is_display(front) &&
           front->handle > back->handle && resource_same_picture(back, front) &&
           (front->samples > 1 ? front->samples : 1) == (back->samples > 1 ? back->samples : 1);
}

struct resource_level {
    uint32_t offset;        /* from the resource's address */
    uint32_t width, height; /* texels */
    uint32_t slices;        /* depth slices, array layers or cube faces */
    uint32_t tiles_x, tiles_y;
    uint32_t slice_bytes;
    uint32_t square_log2;             /* blocks a side of the squares in Morton order */
    uint32_t square_bytes, row_bytes; /* from a square to the next; from a row of them */
};

struct resource_cleared { /* what is left of clears (state/cleared.h) */
    bool is_whole;        /* this slice holds nothing but the value of a clear */
    uint32_t level, layer;
    bool has_stencil; /* every element of the resource has this stencil */
    uint8_t stencil;
};

/* For trimmed traces, what of that a level has; {0, 0}, as in traces that do not tell: the slices
 * are not cleared, the stencils are as the bytes say. */
struct cleared_code {
    uint32_t slice;   /* 1 + the layer that is cleared */
    uint32_t stencil; /* CLEARED_NO_STENCIL: not known to be the same everywhere */
};
enum { CLEARED_NO_STENCIL = 1 };

struct resource {
    struct resource_desc desc;
    const struct format_info *format;
    uint32_t samples; /* 1, 2, 4, 8 */
    /* Multisampled by force: to the program it has one sample (desc). What it writes goes to all
     * samples of a pixel, what it reads is their mean (depth: sample 0). 0: no; else how many a
     * resource has that may be so, now (samples) or after resource_lay_samples(). */
    uint32_t forced_samples;
    uint32_t address, size_bytes;
    uint32_t tile_bytes; /* 64 blocks x block_bytes x samples; of what is drawn into at least 256 */
    struct resource_level levels[RESOURCE_MAX_LEVELS];
    uint32_t twin;       /* multisampled: handle of the display target that it resolves into */
    uint64_t created;    /* the command that made it: no two resources' are the same */
    uint64_t used;       /* the command that used it last (gpu_device.commands) */
    uint32_t held_bytes; /* at its address: its size, or whole pages of the host */
    uint8_t *paged;      /* its bytes while address is 0; NULL: none yet (context_paging.c) */
    uint8_t fill[16];    /* every element while it has no bytes */
    bool drawn;          /* drawn into since it was shown last (context_present.c) */
    struct resource_cleared cleared;
    bool sampled_only;   /* lies in a texture's squares, not in the ROPs' tiles */
    uint32_t references; /* by handle, by surfaces and views, by baked draws */
};

struct box { /* origin and extent; buffers use x and width in bytes */
    int32_t x, y, z, width, height, depth;
};

/* Checks the description (format, extents <= 4096, levels, samples) and lays the levels out;
 * address stays 0. */
bool resource_init(struct resource *res, const struct resource_desc *desc, struct error *err);
/* Checks only how many samples it has. */
bool resource_check_samples(const struct resource_desc *desc, struct error *err);

/* Chooses squares of 2^side_log2 texels a side; the bytes in memory are not moved. */
void resource_tile(struct resource *res, uint32_t side_log2);
/* Moves the bytes of a resource that is only sampled into the ROPs' tiles. */
void resource_make_drawable(struct resource *res, struct gpu_memory *memory);

/* The byte offset, from the resource's address, of a sample of a pixel (of the block that holds
 * it, for compressed formats). No checks: x, y, z inside the level. Inline for hot code. */
static inline uint32_t
resource_offset(const struct resource *res, uint32_t level, uint32_t x, uint32_t y, uint32_t z,
                uint32_t sample)
{
    const struct resource_level *l = &res->levels[level];
    if (res->desc.target == TARGET_BUFFER)
        return x;
    uint32_t bx = x, by = y;
    if (res->format->block_width != 1) { /* divisions are slow */
        bx /= res->format->block_width;
        by /= res->format->block_height;
    }
    uint32_t k = l->square_log2, inside = (1u << k) - 1;
    uint32_t element =
        k == 3 ? morton8(bx, by) : morton_spread(bx & inside) | morton_spread(by & inside) << 1;
    return l->offset + z * l->slice_bytes + (by >> k) * l->row_bytes + (bx >> k) * l->square_bytes +
           (element * res->samples + sample) * res->format->block_bytes;
}

/* And back: the element at an offset from the start of a slice of the level, x and y in blocks (of
 * buffers: bytes). false: padding behind the elements of a tile. Beyond the level's edge are blocks
 * of its last tiles too. */
bool resource_locate(const struct resource *res, uint32_t level, uint32_t offset, uint32_t *x,
                     uint32_t *y, uint32_t *sample);

/* Whether samples may be forced on it: what a window shows, and depth of one level that no texture
 * view is made of. */
bool resource_may_be_forced(const struct resource_desc *desc);

/* As resource_init(), of a display target or a depth buffer that may be multisampled by force: room
 * is made for the samples, depth begins with one. Others are initialized as ever. */
bool resource_init_forced(struct resource *res, const struct resource_desc *desc, uint32_t samples,
                          struct error *err);
/* Gives a resource that may be multisampled by force one sample or its forced number, and its
 * content in memory the new layout: copies of the first sample. */
void resource_lay_samples(struct resource *res, uint32_t samples, struct gpu_memory *memory);

/* True when the box lies inside the level (block-aligned for compressed formats). */
bool resource_box_ok(const struct resource *res, uint32_t level, const struct box *box);

/* Bytes of a box when its rows are tight (what a transfer carries). */
uint32_t resource_box_bytes(const struct resource *res, const struct box *box);

/* Copies a box between memory and tight rows (multisampled resources: sample 0). */
void resource_write_box(const struct resource *res, struct gpu_memory *memory, uint32_t level,
                        const struct box *box, const uint8_t *rows);
void resource_read_box(const struct resource *res, const struct gpu_memory *memory, uint32_t level,
                       const struct box *box, uint8_t *rows);

/* The mean of a pixel's samples, as an element of `out`; of depth and stencil, sample 0. */
void resource_read_mean(const struct format_info *format, uint32_t samples, const uint8_t *pixel,
                        uint8_t *out);

/* A whole level with the padding of its tiles and all samples of each pixel side by side: rows of
 * blocks, slice after slice. Of a buffer: its bytes. */
uint32_t resource_level_bytes(const struct resource *res, uint32_t level);
void resource_write_level(const struct resource *res, struct gpu_memory *memory, uint32_t level,
                          const uint8_t *rows);
void resource_read_level(const struct resource *res, const struct gpu_memory *memory,
                         uint32_t level, uint8_t *rows);

#endif
