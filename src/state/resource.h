/* Resources (buffers, textures, render targets), and the location of each of their bytes in memory.
 *
 * Buffers are linear. Other resources consist of tiles of 8x8 blocks (a block is a pixel, or 4x4
 * texels of a compressed format). Elements of a tile are in Morton order (bit 0 of the index is x's
 * bit 0, bit 1 is y's bit 0, ...). The samples of a pixel are adjacent. Tiles follow each other in
 * rows. Slices (layers, cube faces, depth slices) follow each other, then levels. Each slice is
 * padded to whole tiles. So with 4-byte pixels a tile is one 256-byte ROP cache line, a 2x2 quad is
 * 16 contiguous bytes, and 64 bytes hold 4x4 texels.
 *
 * Resources that are only sampled may use squares of another side (resource_tile()): 2^n texels,
 * also in Morton order, one after another in rows. Squares are reduced until whole ones fill the
 * level with its padding. So the size of a resource and the offsets of its levels and slices are
 * the same in every layout.
 *
 * A ROP cache line belongs to one tile. With larger pixels (8 or 16 bytes, or several samples) it
 * holds 8x4, 4x4 or 4x2 of them. With smaller pixels (1 or 2 bytes, in render targets) a tile has a
 * line to itself and fills the first part. */
#ifndef AETIUS_STATE_RESOURCE_H
#define AETIUS_STATE_RESOURCE_H

#include "base/morton.h"
#include "state/format.h"
#include "state/memory.h"

enum { TILE_SIZE = 8, RESOURCE_MAX_LEVELS = 15 };
/* Limit of a buffer, and of a texture as its program sees it: the most that one transfer
 * carries. */
#define RESOURCE_MOST_BYTES (1u << 30)

/* Traces store the numbers of targets and bindings, and hashes of draws use those of targets. Never
 * renumber a member. */
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

enum gpu_bind { /* permitted uses; other bits are ignored */
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

/* Whether it is the surface of a window or pbuffer. Row 0 of these is the top row; row 0 of others
 * is the bottom row. */
static inline bool
resource_is_display(const struct resource_desc *desc)
{
    return desc->bind & (BIND_DISPLAY_TARGET | BIND_SCANOUT);
}

/* Whether both differ at most in bindings and samples. */
static inline bool
resource_same_picture(const struct resource_desc *a, const struct resource_desc *b)
{
    return a->width == b->width && a->height == b->height && a->format == b->format &&
           a->target == b->target;
}

/* Whether `front` may be the front surface of the window with the back surface `back`. If so, shown
 * pictures are copied into it (context_present.c). */
static inline bool
resource_may_be_front(const struct resource_desc *front, const struct resource_desc *back)
{
    return resource_is_display(back) && resource_is_display(front) &&
           front->handle > back->handle && resource_same_picture(back, front) &&
           (front->samples > 1 ? front->samples : 1) == (back->samples > 1 ? back->samples : 1);
}

struct resource_level {
    uint32_t offset;        /* byte offset from the resource's address */
    uint32_t width, height; /* texels */
    uint32_t slices;        /* depth slices, array layers or cube faces */
    uint32_t tiles_x, tiles_y;
    uint32_t slice_bytes;
    uint32_t square_log2;             /* side in blocks of the squares in Morton order */
    uint32_t square_bytes, row_bytes; /* distance between squares; between rows of squares */
};

struct resource_cleared { /* remaining effect of clears (state/cleared.h) */
    bool is_whole;        /* this slice holds only a clear value */
    uint32_t level, layer;
    bool has_stencil; /* every element of the resource has this stencil value */
    uint8_t stencil;
};

/* Part of the above in trimmed traces, per level. {0, 0} is also the value in traces without it: no
 * slice is cleared, and the stencil values are in the contents. */
struct cleared_code {
    uint32_t slice;   /* 1 + the cleared layer; 0: none */
    uint32_t stencil; /* CLEARED_NO_STENCIL: may differ between elements */
};
enum { CLEARED_NO_STENCIL = 1 };

struct resource {
    struct resource_desc desc;
    const struct format_info *format;
    uint32_t samples; /* 1, 2, 4, 8 */
    /* Number of samples forced on the resource when `samples` is above 1; 0: never forced. The
     * program sees one sample (desc). Its writes go to all samples of a pixel; its reads return
     * their average (depth: sample 0). resource_lay_samples() changes `samples`. */
    uint32_t forced_samples;
    uint32_t address, size_bytes;
    uint32_t tile_bytes; /* 64 blocks x block_bytes x samples; targets: at least 256 */
    struct resource_level levels[RESOURCE_MAX_LEVELS];
    uint32_t twin;       /* multisampled: handle of the display target that it resolves into */
    uint64_t created;    /* number of the creating command, unique per resource */
    uint64_t used;       /* number of the last command that used it (gpu_device.commands) */
    uint32_t held_bytes; /* allocated at `address`: its size, or whole host pages */
    uint8_t *paged;      /* its bytes while address is 0; NULL: none yet (context_paging.c) */
    uint8_t fill[16];    /* value of every element while it has no bytes */
    bool drawn;          /* drawn into since it was last shown (context_present.c) */
    struct resource_cleared cleared;
    bool sampled_only;   /* in a texture's squares, not in the ROPs' tiles */
    uint32_t references; /* counts its handle, objects and buffer bindings */
};

struct box { /* origin and extent; buffers use x and width in bytes */
    int32_t x, y, z, width, height, depth;
};

/* Checks the description (format, extents <= 4096, levels, samples) and lays out the levels. The
 * address stays 0. */
bool resource_init(struct resource *res, const struct resource_desc *desc, struct error *err);
/* Checks only the number of samples. */
bool resource_check_samples(const struct resource_desc *desc, struct error *err);

/* Selects squares with a side of 2^side_log2 texels. Does not move bytes in memory. */
void resource_tile(struct resource *res, uint32_t side_log2);
/* Moves the bytes of a resource that is only sampled into the ROPs' tiles. */
void resource_make_drawable(struct resource *res, struct gpu_memory *memory);

/* Byte offset, from the resource's address, of a sample of a pixel. In compressed formats it is the
 * offset of the block with that pixel. x, y and z must be inside the level. Inline for hot code. */
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

/* Inverse of resource_offset(): finds the element at an offset from the start of a slice. x and y
 * are in blocks, of buffers in bytes. They may be beyond the level's edge, in its last tiles.
 * Returns false for the padding after the elements of a tile. */
bool resource_locate(const struct resource *res, uint32_t level, uint32_t offset, uint32_t *x,
                     uint32_t *y, uint32_t *sample);

/* Whether samples may be forced on the resource. That requires a display target, or a depth buffer
 * of one level without a texture view. */
bool resource_may_be_forced(const struct resource_desc *desc);

/* Like resource_init(). A display target or depth buffer that allows it gets room for `samples`
 * forced samples; depth starts with one sample. */
bool resource_init_forced(struct resource *res, const struct resource_desc *desc, uint32_t samples,
                          struct error *err);
/* Changes a resource with forced samples between one sample and the forced number, and converts its
 * contents in memory: each pixel's samples become copies of one value. */
void resource_lay_samples(struct resource *res, uint32_t samples, struct gpu_memory *memory);

/* Whether the box is inside the level and, in compressed formats, block-aligned. */
bool resource_box_ok(const struct resource *res, uint32_t level, const struct box *box);

/* Size of a box with tight rows, as a transfer carries it. */
uint32_t resource_box_bytes(const struct resource *res, const struct box *box);

/* Copies a box between memory and tight rows (multisampled resources: sample 0). */
void resource_write_box(const struct resource *res, struct gpu_memory *memory, uint32_t level,
                        const struct box *box, const uint8_t *rows);
void resource_read_box(const struct resource *res, const struct gpu_memory *memory, uint32_t level,
                       const struct box *box, uint8_t *rows);

/* Averages a pixel's samples into an element of `out`. Of depth and stencil it copies sample 0. */
void resource_read_mean(const struct format_info *format, uint32_t samples, const uint8_t *pixel,
                        uint8_t *out);

/* A whole level with its tile padding and all samples of each pixel adjacent: rows of blocks, slice
 * after slice. Of a buffer: its bytes. */
uint32_t resource_level_bytes(const struct resource *res, uint32_t level);
void resource_write_level(const struct resource *res, struct gpu_memory *memory, uint32_t level,
                          const uint8_t *rows);
void resource_read_level(const struct resource *res, const struct gpu_memory *memory,
                         uint32_t level, uint8_t *rows);

#endif
