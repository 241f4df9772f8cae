/* Resources (buffers, textures, render targets), and the layout of their bytes in memory.
 *
 * Buffers are linear. Other resources consist of tiles of 8x8 blocks. A block is a pixel, or 4x4
 * texels of a compressed format. The elements of a tile are in Morton order (bit 0 of the index is
 * bit 0 of x, bit 1 is bit 0 of y, ...). The samples of a pixel are adjacent. Tiles follow each
 * other in rows. Slices (layers, cube faces, depth slices) follow each other, then levels. Each
 * slice is padded to whole tiles. With 4-byte pixels a tile is one 256-byte ROP cache line, a 2x2
 * quad is 16 contiguous bytes, and 64 bytes hold 4x4 texels.
 *
 * Resources that are only sampled may use squares with a different side (resource_tile()): 2^n
 * texels, also in Morton order, one after another in rows. The side is reduced until whole squares
 * fill the level with its padding. Therefore the size of a resource and the offsets of its levels
 * and slices are the same in every layout.
 *
 * A ROP cache line belongs to one tile. With larger pixels (8 or 16 bytes, or several samples) a
 * line holds 8x4, 4x4 or 4x2 pixels. With smaller pixels (1 or 2 bytes, in render targets) a tile
 * uses only the first part of its line. */
#ifndef AETIUS_STATE_RESOURCE_H
#define AETIUS_STATE_RESOURCE_H

#include "base/morton.h"
#include "state/format.h"
#include "state/memory.h"

enum { TILE_SIZE = 8, RESOURCE_MAX_LEVELS = 15, RESOURCE_MOST_SIDE = 4096 };
/* Limit of the size of a buffer, or of a texture without its forced samples. It is the most that
 * one transfer can carry. */
#define RESOURCE_MOST_BYTES (1u << 30)

/* Traces store the numbers of targets and bindings, and hashes of draws include those of targets.
 * Never renumber a member. */
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
    uint32_t width, height, depth, array_size, last_level, samples; /* samples: 0 and 1 mean one */
};

/* Returns whether the resource is the surface of a window or pbuffer. Row 0 of such a surface is
 * the top row; row 0 of all others is the bottom row. */
static inline bool
resource_is_display(const struct resource_desc *desc)
{
    return desc->bind & (BIND_DISPLAY_TARGET | BIND_SCANOUT);
}

/* Returns whether the two differ at most in bindings and samples. */
static inline bool
resource_same_picture(const struct resource_desc *a, const struct resource_desc *b)
{
    return a->width == b->width && a->height == b->height && a->format == b->format &&
           a->target == b->target;
}

/* Returns whether `front` may be the front surface of the window that has the back surface `back`.
 * If so, presented pictures are copied into it (context_present.c). */
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
    uint32_t square_log2;             /* log2 of the side of a square, in blocks */
    uint32_t square_bytes, row_bytes; /* distance between squares, and between rows of squares */
};

struct resource_cleared { /* Effect of earlier clears that is still valid (state/cleared.h) */
    bool is_whole;        /* the slice of `level` and `layer` holds only a clear value */
    uint32_t level, layer;
    bool has_stencil; /* every element of the resource has this stencil value */
    uint8_t stencil;
};

/* Encodes the above in trimmed traces, per level. {0, 0} is also the value in traces without this
 * encoding: no slice is cleared, and the contents include the stencil values. */
struct cleared_code {
    uint32_t slice;   /* 1 + the cleared layer; 0: none */
    uint32_t stencil; /* CLEARED_NO_STENCIL: may differ between elements */
};
enum { CLEARED_NO_STENCIL = 1 };
/* Presentation state of a resource, for trimmed traces. All 0: none. */
struct shown_state {
    uint32_t drawn;   /* 1: drawn into since it was last displayed */
    uint32_t is_last; /* 1: displayed last */
    uint32_t twin;    /* handle of the display target that it resolves into; 0: none */
};

struct resource {
    struct resource_desc desc;
    const struct format_info *format;
    uint32_t samples; /* 1, 2, 4, 8 */
    /* Number of samples of the resource when samples are forced on it; 0: never forced. The program
     * sees only one sample (desc). Its writes go to all samples of a pixel, and its reads return
     * their average (depth: sample 0). resource_lay_samples() changes `samples` between 1 and this
     * number. */
    uint32_t forced_samples;
    uint32_t address, size_bytes;
    uint32_t tile_bytes; /* 64 blocks x block_bytes x samples; targets: at least 256 */
    struct resource_level levels[RESOURCE_MAX_LEVELS];
    uint32_t twin;    /* multisampled: handle of the display target into which it is resolved */
    uint64_t created; /* number of the command that created it, unique per resource */
    uint64_t used;    /* number of the last command that used it (gpu_device.commands) */
    /* Bytes allocated at `address`: size_bytes, or size_bytes rounded up to whole host pages. */
    uint32_t held_bytes;
    uint8_t *paged;   /* contents while `address` is 0; NULL: none yet (context_paging.c) */
    uint8_t fill[16]; /* value of every element while no contents are stored */
    bool drawn;       /* drawn into since it was last presented (context_present.c) */
    struct resource_cleared cleared;
    uint64_t writes;     /* number of commands that may have changed it, not counting commands that
                            write to buffers */
    uint32_t uploaded;   /* number of the frame of the last upload, plus 1; 0: none */
    bool sampled_only;   /* stored in the squares of a texture, not in the ROPs' tiles */
    uint32_t references; /* number of references: the handle, objects and buffer bindings */
};

struct box { /* origin and extent; for buffers x and width in bytes */
    int32_t x, y, z, width, height, depth;
};

/* Checks the description (format, extents <= 4096, levels, samples) and computes the layout of the
 * levels. The address stays 0. */
bool resource_init(struct resource *res, const struct resource_desc *desc, struct error *err);
/* Checks only the number of samples. */
bool resource_check_samples(const struct resource_desc *desc, struct error *err);

/* Selects squares with a side of 2^side_log2 texels, without moving bytes in memory. */
void resource_tile(struct resource *res, uint32_t side_log2);
/* Moves the bytes of a resource that has only been sampled into the ROPs' tiles. */
void resource_make_drawable(struct resource *res, struct gpu_memory *memory);

/* Returns the byte offset of a sample of a pixel from the resource's address. For compressed
 * formats it is the offset of the block that contains the pixel. x, y and z must be inside the
 * level. The function is inline for performance. */
static inline uint32_t
resource_offset(const struct resource *res, uint32_t level, uint32_t x, uint32_t y, uint32_t z,
                uint32_t sample)
{
    const struct resource_level *l = &res->levels[level];
    if (res->desc.target == TARGET_BUFFER)
        return x;
    uint32_t bx = x, by = y;
    if (res->format->block_width != 1) { /* avoids slow divisions */
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
 * are in blocks, or in bytes for buffers. They may be outside the level, in the padding of its last
 * tiles. Returns false for the padding after the elements of a tile. */
bool resource_locate(const struct resource *res, uint32_t level, uint32_t offset, uint32_t *x,
                     uint32_t *y, uint32_t *sample);

/* Returns whether samples may be forced on the resource. It must be a display target, or a color or
 * depth buffer that the program cannot sample as a texture (a renderbuffer). */
bool resource_may_be_forced(const struct resource_desc *desc);

/* Like resource_init(). If samples may be forced on the resource, it gets room for `samples`
 * samples. A renderbuffer starts with one sample. */
bool resource_init_forced(struct resource *res, const struct resource_desc *desc, uint32_t samples,
                          struct error *err);
/* Changes a resource with forced samples between one sample and the forced number. Converts the
 * contents in memory: all samples of a pixel get the same value. */
void resource_lay_samples(struct resource *res, uint32_t samples, struct gpu_memory *memory);

/* Returns whether the box is inside the level, and block-aligned for compressed formats. */
bool resource_box_ok(const struct resource *res, uint32_t level, const struct box *box);

/* Returns the size of a box in a transfer, which stores rows without padding. */
uint32_t resource_box_bytes(const struct resource *res, const struct box *box);

/* Copies a box between memory and rows without padding. Multisampled resources use sample 0. */
void resource_write_box(const struct resource *res, struct gpu_memory *memory, uint32_t level,
                        const struct box *box, const uint8_t *rows);
void resource_read_box(const struct resource *res, const struct gpu_memory *memory, uint32_t level,
                       const struct box *box, uint8_t *rows);

/* Averages a pixel's samples into an element of `out`. For depth and stencil, copies sample 0
 * instead. */
void resource_read_mean(const struct format_info *format, uint32_t samples, const uint8_t *pixel,
                        uint8_t *out);

/* A whole level including its tile padding, as rows of blocks, slice after slice. All samples of a
 * pixel are adjacent. A buffer is copied as its bytes. */
uint32_t resource_level_bytes(const struct resource *res, uint32_t level);
void resource_write_level(const struct resource *res, struct gpu_memory *memory, uint32_t level,
                          const uint8_t *rows);
void resource_read_level(const struct resource *res, const struct gpu_memory *memory,
                         uint32_t level, uint8_t *rows);

#endif
