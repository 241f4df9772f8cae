/* Blits: a box of one surface onto a box of another, scaled, mirrored, converted, with masks and a
 * scissor; many samples to one (resolve: the mean; depth and stencil: sample 0), one to many (each
 * the same). A pixel's source is where its center falls, GL_EXT_framebuffer_blit; the linear filter
 * stays inside the source level. Depth is filtered where that is asked for, which only mipmaps do
 * (the driver makes each level from the one before); stencil never is. */
#include "gfx/sample_setup.h"
#include "gfx/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WRITE_COLOR = 0xf, WRITE_DEPTH = 0x10, WRITE_STENCIL = 0x20 };

struct side {
    struct resource *res;
    const struct format_info *format;
    const struct resource_level *level;
    uint32_t level_number;
    struct box box;
    uint8_t *bytes; /* of the resource */
};

/* One axis: destination pixels first .. last - 1, and the source position of a pixel's center. */
struct axis {
    int32_t first, last;
    int32_t origin; /* where the destination box begins */
    double start, step;
    uint32_t size; /* of the source level */
};

struct blitter {
    struct side dst, src;
    uint32_t mask;
    bool linear, same;
    struct axis x, y, z;
};

static bool
init_side(struct side *side, struct gpu_device *device, const struct gpu_cmd *cmd,
          const struct blit_side *blit, struct error *err)
{
    side->res = gpu_resource(device, cmd->client, blit->resource);
    side->format = format_get(blit->format);
    if (!side->res)
        return fail(err, "blit: no resource %u", blit->resource);
    if (side->res->desc.target == TARGET_BUFFER)
        return fail(err, "blit: resource %u is a buffer", blit->resource);
    if (blit->level > side->res->desc.last_level)
        return fail(err, "blit: resource %u has no level %u", blit->resource, blit->level);
    if (!side->format || side->format->block_bytes != side->res->format->block_bytes ||
        side->format->block_width != side->res->format->block_width)
        return fail(err, "blit: format %u does not fit resource %u (%s)", blit->format,
                    blit->resource, side->res->format->name);
    side->bytes = device->memory.bytes + side->res->address;
    side->level_number = blit->level;
    side->level = &side->res->levels[blit->level];
    side->box = blit->box;
    return true;
}

/* Extents may be negative: the box then ends where it says it begins. */
static void
init_axis(struct axis *axis, int32_t dst, int32_t dst_extent, uint32_t dst_size, int32_t src,
          int32_t src_extent, uint32_t src_size)
{
    int64_t from = dst, to = (int64_t)dst + dst_extent;
    double begin = src, end = (double)src + src_extent;
    if (to < from) {
        from = to;
        to = dst;
        begin = end;
        end = src;
    }
    axis->first = (int32_t)(from < 0 ? 0 : from > (int64_t)dst_size ? (int64_t)dst_size : from);
    axis->last = (int32_t)(to < 0 ? 0 : to > (int64_t)dst_size ? (int64_t)dst_size : to);
    axis->step = to > from ? (end - begin) / (double)(to - from) : 0;
    axis->start = begin + ((double)axis->first - (double)from) * axis->step;
    axis->origin = axis->first;
    axis->size = src_size;
}

static void
cut_axis(struct axis *axis, uint32_t min, uint32_t max)
{
    axis->first = axis->first > (int32_t)min ? axis->first : (int32_t)min;
    axis->last = axis->last < (int32_t)max ? axis->last : (int32_t)max;
}

static double
axis_source(const struct axis *axis, int32_t pixel)
{
    return axis->start + ((double)(pixel - axis->origin) + 0.5) * axis->step;
}

static uint32_t
clamp_index(double position, uint32_t size)
{
    if (!(position >= 0))
        return 0;
    return position < (double)size ? (uint32_t)position : size - 1;
}

static uint8_t *
side_address(const struct side *side, uint32_t x, uint32_t y, uint32_t z, uint32_t sample)
{
    return side->bytes + resource_offset(side->res, side->level_number, x, y, z, sample);
}

static void
read_pixel(const struct blitter *b, uint32_t x, uint32_t y, uint32_t z, float rgba[4])
{
    const struct format_info *format = b->src.format;
    uint32_t samples = b->src.res->samples;
    memset(rgba, 0, 4 * sizeof *rgba);
    for (uint32_t s = 0; s < samples; s++) {
        float value[4];
        format->unpack(side_address(&b->src, x, y, z, s), x % format->block_width,
                       y % format->block_height, value);
        for (int c = 0; c < 4; c++)
            rgba[c] += value[c];
    }
    for (int c = 0; c < 4; c++)
        rgba[c] /= (float)samples;
}

static void
read_linear_slice(const struct blitter *b, double sx, double sy, uint32_t z, float rgba[4])
{
    double fx = floor(sx - 0.5), fy = floor(sy - 0.5);
    float wx = (float)(sx - 0.5 - fx), wy = (float)(sy - 0.5 - fy), value[4][4];
    for (int i = 0; i < 4; i++)
        read_pixel(b, clamp_index(fx + (i & 1), b->x.size), clamp_index(fy + (i >> 1), b->y.size),
                   z, value[i]);
    for (int c = 0; c < 4; c++) {
        float top = value[0][c] + wx * (value[1][c] - value[0][c]);
        float bottom = value[2][c] + wx * (value[3][c] - value[2][c]);
        rgba[c] = top + wy * (bottom - top);
    }
}

/* Slices of a 3D texture are filtered too; layers and faces are not. */
static void
read_linear(const struct blitter *b, double sx, double sy, double sz, float rgba[4])
{
    if (b->src.res->desc.target != TARGET_3D) {
        read_linear_slice(b, sx, sy, clamp_index(sz, b->z.size), rgba);
        return;
    }
    double fz = floor(sz - 0.5);
    float wz = (float)(sz - 0.5 - fz), behind[4];
    read_linear_slice(b, sx, sy, clamp_index(fz, b->z.size), rgba);
    if (wz == 0)
        return;
    read_linear_slice(b, sx, sy, clamp_index(fz + 1, b->z.size), behind);
    for (int c = 0; c < 4; c++)
        rgba[c] += wz * (behind[c] - rgba[c]);
}

static void
write_color(const struct blitter *b, const float rgba[4], uint8_t *out)
{
    const struct format_info *format = b->dst.format;
    float value[4];
    if ((b->mask & WRITE_COLOR) == WRITE_COLOR) {
        format->pack(rgba, out);
        return;
    }
    format->unpack(out, 0, 0, value);
    for (int c = 0; c < 4; c++)
        value[c] = b->mask & 1u << c ? rgba[c] : value[c];
    format->pack(value, out);
}

static uint32_t
field(uint32_t word, uint32_t bits, uint32_t shift)
{
    return (uint32_t)(word >> shift & (((uint64_t)1 << bits) - 1));
}

/* `filtered`: what the linear filter makes of the depth. */
static void
write_depth(const struct blitter *b, const uint8_t *in, const float filtered[4], uint8_t *out)
{
    const struct format_info *df = b->dst.format, *sf = b->src.format;
    uint32_t source = 0, old = 0, packed = 0, mask = 0;
    memcpy(&source, in, sf->block_bytes);
    memcpy(&old, out, df->block_bytes);
    if (b->mask & WRITE_DEPTH) {
        float value[4];
        sf->unpack(in, 0, 0, value);
        df->pack(b->linear ? filtered : value, (uint8_t *)&packed);
        mask = (uint32_t)((((uint64_t)1 << df->depth_bits) - 1) << df->depth_shift);
        if (!b->linear && sf->depth_bits == df->depth_bits && sf->is_float == df->is_float)
            packed = field(source, sf->depth_bits, sf->depth_shift) << df->depth_shift;
    }
    uint32_t word = (old & ~mask) | (packed & mask);
    if (b->mask & WRITE_STENCIL && sf->stencil_bits && df->stencil_bits) {
        word &= ~(0xffu << df->stencil_shift);
        word |= field(source, sf->stencil_bits, sf->stencil_shift) << df->stencil_shift;
    }
    memcpy(out, &word, df->block_bytes);
}

static void
blit_pixel(const struct blitter *b, int32_t x, int32_t y, int32_t z)
{
    double sx = axis_source(&b->x, x), sy = axis_source(&b->y, y);
    uint32_t ix = clamp_index(sx, b->x.size), iy = clamp_index(sy, b->y.size);
    double sz = axis_source(&b->z, z);
    uint32_t iz = clamp_index(sz, b->z.size);
    const struct format_info *format = b->dst.format;
    uint32_t src_samples = b->src.res->samples, dst_samples = b->dst.res->samples;
    float rgba[4];
    if (b->linear)
        read_linear(b, sx, sy, sz, rgba);
    else if (!format->depth_bits && !(b->same && src_samples == 1))
        read_pixel(b, ix, iy, iz, rgba);
    for (uint32_t s = 0; s < dst_samples; s++) {
        uint8_t *out = side_address(&b->dst, (uint32_t)x, (uint32_t)y, (uint32_t)z, s);
        const uint8_t *in = side_address(&b->src, ix, iy, iz, src_samples == dst_samples ? s : 0);
        if (format->depth_bits)
            write_depth(b, in, rgba, out);
        else if (b->same && !b->linear && (src_samples == 1 || src_samples == dst_samples))
            memcpy(out, in, format->block_bytes);
        else
            write_color(b, rgba, out);
    }
}

static bool
check_blit(const struct blitter *b, const struct gpu_cmd *cmd, struct error *err)
{
    const struct format_info *df = b->dst.format, *sf = b->src.format;
    if (cmd->blit.alpha_blend)
        return fail(err, "blit: blending is not executed");
    if (!df->pack)
        return fail(err, "blit: cannot write format %s", df->name);
    if (!df->depth_bits != !sf->depth_bits)
        return fail(err, "blit: from %s to %s", sf->name, df->name);
    uint32_t sn = b->src.res->samples, dn = b->dst.res->samples;
    if (sn > 1 && dn > 1 && sn != dn && !b->src.res->forced_samples && !b->dst.res->forced_samples)
        return fail(err, "blit: from %u to %u samples", sn, dn);
    return true;
}

static void
init_axes(struct blitter *b)
{
    const struct box *d = &b->dst.box, *s = &b->src.box;
    const struct resource_level *dl = b->dst.level, *sl = b->src.level;
    init_axis(&b->x, d->x, d->width, dl->width, s->x, s->width, sl->width);
    init_axis(&b->y, d->y, d->height, dl->height, s->y, s->height, sl->height);
    init_axis(&b->z, d->z, d->depth, dl->slices, s->z, s->depth, sl->slices);
}

static bool
init_blitter(struct blitter *b, struct gpu_device *device, const struct gpu_cmd *cmd,
             struct error *err)
{
    *b = (struct blitter){.mask = cmd->blit.mask};
    return init_side(&b->dst, device, cmd, &cmd->blit.dst, err) &&
           init_side(&b->src, device, cmd, &cmd->blit.src, err) && check_blit(b, cmd, err);
}

bool
blit_check(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct blitter b;
    return init_blitter(&b, device, cmd, err);
}

bool
blit(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct blitter b;
    if (!init_blitter(&b, device, cmd, err))
        return false;
    if (cmd->blit.render_condition && !gpu_render_condition(device, cmd))
        return true;
    init_axes(&b);
    if (cmd->blit.scissor_enable) {
        cut_axis(&b.x, cmd->blit.scissor.min_x, cmd->blit.scissor.max_x);
        cut_axis(&b.y, cmd->blit.scissor.min_y, cmd->blit.scissor.max_y);
    }
    b.linear = cmd->blit.filter == FILTER_LINEAR;
    b.same = b.dst.format == b.src.format && (cmd->blit.mask & WRITE_COLOR) == WRITE_COLOR;
    if (b.dst.format->depth_bits ? !(b.mask & (WRITE_DEPTH | WRITE_STENCIL))
                                 : !(b.mask & WRITE_COLOR))
        return true;
    uint8_t *copy = NULL;
    if (b.dst.level == b.src.level) { /* the boxes may overlap: read from a copy */
        copy = mem_alloc(b.src.res->size_bytes);
        memcpy(copy, b.src.bytes, b.src.res->size_bytes);
        b.src.bytes = copy;
    }
    for (int32_t z = b.z.first; z < b.z.last; z++)
        for (int32_t y = b.y.first; y < b.y.last; y++)
            for (int32_t x = b.x.first; x < b.x.last; x++)
                blit_pixel(&b, x, y, z);
    free(copy);
    return true;
}
