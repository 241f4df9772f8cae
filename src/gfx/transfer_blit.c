/* Blits and copies, element by element (gfx/transfer.h). A blit copies a box of one surface to a
 * box of another. It can scale, mirror and convert, with channel masks and a scissor. Several
 * samples are resolved to one: colors by their average, depth and stencil by sample 0. One sample
 * is replicated to several. The source of a pixel is the position of its center, as in
 * GL_EXT_framebuffer_blit. The linear filter clamps to the source level. Depth is filtered if
 * requested, which only mipmap generation does (the driver makes each level from the previous one).
 * Stencil is never filtered. A copy moves elements unchanged: pixels with their samples, compressed
 * blocks, bytes of buffers. */
#include "gfx/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool
init_side(struct blit_image *image, struct gpu_device *device, const struct gpu_cmd *cmd,
          const struct blit_side *side, struct error *err)
{
    image->res = gpu_resource(device, cmd->client, side->resource);
    image->format = format_get(side->format);
    image->level = side->level;
    if (!image->res)
        return fail(err, "blit: unknown resource %u", side->resource);
    if (image->res->desc.target == TARGET_BUFFER)
        return fail(err, "blit: resource %u is a buffer", side->resource);
    if (!(image->res->format->uses & ~(uint32_t)FORMAT_VERTEX))
        return fail(err, "blit: %s is a vertex format", image->res->format->name);
    if (side->level > image->res->desc.last_level)
        return fail(err, "blit: resource %u has no level %u", side->resource, side->level);
    if (!image->format || image->format->block_bytes != image->res->format->block_bytes ||
        image->format->block_width != image->res->format->block_width)
        return fail(err, "blit: format %u does not fit resource %u (%s)", side->format,
                    side->resource, image->res->format->name);
    return true;
}

/* Extents may be negative. The box then extends toward lower positions, and the axis is
 * mirrored. */
static void
init_axis(struct blit_axis *axis, int32_t dst, int32_t dst_extent, uint32_t dst_size, int32_t src,
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
cut_axis(struct blit_axis *axis, uint32_t min, uint32_t max)
{
    axis->first = axis->first > (int32_t)min ? axis->first : (int32_t)min;
    axis->last = axis->last < (int32_t)max ? axis->last : (int32_t)max;
}

static double
axis_source(const struct blit_axis *axis, int32_t pixel)
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

/* Returns the bytes of an element of the source. x and y are in texels. */
static const uint8_t *
read_at(const struct blit_plan *p, const struct blit_source *source, uint32_t x, uint32_t y,
        uint32_t z, uint32_t sample)
{
    return source->read(source->data, resource_offset(p->src.res, p->src.level, x, y, z, sample));
}

static void
read_pixel(const struct blit_plan *p, const struct blit_source *source, uint32_t x, uint32_t y,
           uint32_t z, float rgba[4])
{
    const struct format_info *format = p->src.format;
    uint32_t samples = p->src.res->samples;
    if (format->is_integer) { /* has no average: the first sample counts */
        format->unpack(read_at(p, source, x, y, z, 0), 0, 0, rgba);
        return;
    }
    memset(rgba, 0, 4 * sizeof *rgba);
    for (uint32_t s = 0; s < samples; s++) {
        float value[4];
        format->unpack(read_at(p, source, x, y, z, s), x % format->block_width,
                       y % format->block_height, value);
        for (int c = 0; c < 4; c++)
            rgba[c] += value[c];
    }
    for (int c = 0; c < 4; c++)
        rgba[c] /= (float)samples;
}

static void
read_linear_slice(const struct blit_plan *p, const struct blit_source *source, double sx, double sy,
                  uint32_t z, float rgba[4])
{
    double fx = floor(sx - 0.5), fy = floor(sy - 0.5);
    float wx = (float)(sx - 0.5 - fx), wy = (float)(sy - 0.5 - fy), value[4][4];
    for (int i = 0; i < 4; i++)
        read_pixel(p, source, clamp_index(fx + (i & 1), p->x.size),
                   clamp_index(fy + (i >> 1), p->y.size), z, value[i]);
    for (int c = 0; c < 4; c++) {
        float top = value[0][c] + wx * (value[1][c] - value[0][c]);
        float bottom = value[2][c] + wx * (value[3][c] - value[2][c]);
        rgba[c] = top + wy * (bottom - top);
    }
}

/* Also filters between the slices of a 3D texture, but not between layers or faces. */
static void
read_linear(const struct blit_plan *p, const struct blit_source *source, double sx, double sy,
            double sz, float rgba[4])
{
    if (p->src.res->desc.target != TARGET_3D) {
        read_linear_slice(p, source, sx, sy, clamp_index(sz, p->z.size), rgba);
        return;
    }
    double fz = floor(sz - 0.5);
    float wz = (float)(sz - 0.5 - fz), behind[4];
    read_linear_slice(p, source, sx, sy, clamp_index(fz, p->z.size), rgba);
    if (wz == 0)
        return;
    read_linear_slice(p, source, sx, sy, clamp_index(fz + 1, p->z.size), behind);
    for (int c = 0; c < 4; c++)
        rgba[c] += wz * (behind[c] - rgba[c]);
}

static void
write_color(const struct blit_plan *p, const float rgba[4], uint8_t *out)
{
    const struct format_info *format = p->dst.format;
    float value[4];
    if ((p->mask & BLIT_COLOR) == BLIT_COLOR) {
        format->pack(rgba, out);
        return;
    }
    format->unpack(out, 0, 0, value);
    for (int c = 0; c < 4; c++)
        value[c] = p->mask & (uint32_t)BLIT_RED << c ? rgba[c] : value[c];
    format->pack(value, out);
}

static uint64_t
field_mask(uint32_t bits, uint32_t shift)
{
    return (((uint64_t)1 << bits) - 1) << shift;
}

/* Moves a field of an element to another position. */
static uint64_t
moved_field(uint64_t word, uint32_t bits, uint32_t from, uint32_t to)
{
    return (word >> from & field_mask(bits, 0)) << to;
}

/* Writes the depth of an element. `filtered` is the linearly filtered depth. */
static void
write_depth(const struct blit_plan *p, const uint8_t *in, const float filtered[4], uint8_t *out)
{
    const struct format_info *df = p->dst.format, *sf = p->src.format;
    uint64_t source = 0, old = 0, packed = 0, mask = 0;
    memcpy(&source, in, sf->block_bytes);
    memcpy(&old, out, df->block_bytes);
    if (p->mask & BLIT_DEPTH) {
        float value[4];
        sf->unpack(in, 0, 0, value);
        df->pack(p->linear ? filtered : value, (uint8_t *)&packed);
        mask = field_mask(df->depth_bits, df->depth_shift);
        if (!p->linear && sf->depth_bits == df->depth_bits && sf->is_float == df->is_float)
            packed = moved_field(source, sf->depth_bits, sf->depth_shift, df->depth_shift);
    }
    uint64_t word = (old & ~mask) | (packed & mask);
    if (p->mask & BLIT_STENCIL && sf->stencil_bits && df->stencil_bits) {
        word &= ~field_mask(8, df->stencil_shift);
        word |= moved_field(source, sf->stencil_bits, sf->stencil_shift, df->stencil_shift);
    }
    memcpy(out, &word, df->block_bytes);
}

static void
blit_pixel(const struct blit_plan *p, const struct blit_position *to,
           const struct blit_source *source, uint8_t *out)
{
    double sx = axis_source(&p->x, to->x), sy = axis_source(&p->y, to->y);
    double sz = axis_source(&p->z, to->z);
    uint32_t ix = clamp_index(sx, p->x.size), iy = clamp_index(sy, p->y.size);
    uint32_t iz = clamp_index(sz, p->z.size);
    const struct format_info *format = p->dst.format;
    const uint32_t samples = p->src.res->samples;
    const uint32_t sample = samples == p->dst.res->samples ? to->sample : 0;
    float rgba[4];
    if (p->linear)
        read_linear(p, source, sx, sy, sz, rgba);
    if (format->depth_bits) {
        write_depth(p, read_at(p, source, ix, iy, iz, sample), rgba, out);
    } else if (p->same && !p->linear && (samples == 1 || samples == p->dst.res->samples)) {
        memcpy(out, read_at(p, source, ix, iy, iz, sample), format->block_bytes);
    } else {
        if (!p->linear)
            read_pixel(p, source, ix, iy, iz, rgba);
        write_color(p, rgba, out);
    }
}

/* Averages forced samples. For depth and stencil, copies the first sample. */
static void
copy_mean(const struct blit_plan *p, const struct blit_source *source, uint32_t x, uint32_t y,
          uint32_t z, uint8_t *out)
{
    const uint32_t bytes = p->src.format->block_bytes;
    uint8_t pixel[8 * 16];
    for (uint32_t s = 0; s < p->src.res->samples; s++)
        memcpy(pixel + s * bytes, read_at(p, source, x, y, z, s), bytes);
    resource_read_mean(p->src.format, p->src.res->samples, pixel, out);
}

static void
copy_element(const struct blit_plan *p, const struct blit_position *to,
             const struct blit_source *source, uint8_t *out)
{
    const struct resource *src = p->src.res;
    const bool bytes = src->desc.target == TARGET_BUFFER;
    const uint32_t x = (uint32_t)(to->x + p->shift[0]) * (bytes ? 1 : p->src.format->block_width);
    const uint32_t y = (uint32_t)(to->y + p->shift[1]) * (bytes ? 1 : p->src.format->block_height);
    const uint32_t z = (uint32_t)(to->z + p->shift[2]);
    if (src->samples == p->dst.res->samples)
        memcpy(out, read_at(p, source, x, y, z, to->sample), blit_element_bytes(p));
    else if (src->forced_samples && src->samples > 1)
        copy_mean(p, source, x, y, z, out);
    else
        memcpy(out, read_at(p, source, x, y, z, 0), blit_element_bytes(p));
}

bool
blit_covers(const struct blit_plan *p, const struct blit_position *to)
{
    if (to->x < p->x.first || to->x >= p->x.last || to->y < p->y.first || to->y >= p->y.last ||
        to->z < p->z.first || to->z >= p->z.last)
        return false;
    const struct resource *dst = p->dst.res;
    return !p->copies || to->sample == 0 || dst->forced_samples ||
           p->src.res->samples == dst->samples;
}

void
blit_element(const struct blit_plan *p, const struct blit_position *to,
             const struct blit_source *source, uint8_t *out)
{
    if (p->copies)
        copy_element(p, to, source, out);
    else
        blit_pixel(p, to, source, out);
}

bool
blit_keeps(const struct blit_plan *p)
{
    const struct format_info *df = p->dst.format;
    if (p->copies)
        return false;
    if (!df->depth_bits)
        return (p->mask & BLIT_COLOR) != BLIT_COLOR;
    const uint32_t word = df->block_bytes * 8u;
    const bool stencil = p->mask & BLIT_STENCIL && p->src.format->stencil_bits && df->stencil_bits;
    return (p->mask & BLIT_DEPTH ? df->depth_bits : 0u) + (stencil ? 8u : 0u) != word;
}

static bool
check_blit(const struct blit_plan *p, const struct gpu_cmd *cmd, struct error *err)
{
    const struct format_info *df = p->dst.format, *sf = p->src.format;
    if (cmd->blit.alpha_blend)
        return fail(err, "blit: blending is not supported");
    if (!df->pack)
        return fail(err, "blit: cannot write format %s", df->name);
    if (!df->depth_bits != !sf->depth_bits || df->is_integer != sf->is_integer)
        return fail(err, "blit: cannot convert from %s to %s", sf->name, df->name);
    uint32_t sn = p->src.res->samples, dn = p->dst.res->samples;
    if (sn > 1 && dn > 1 && sn != dn && !p->src.res->forced_samples && !p->dst.res->forced_samples)
        return fail(err, "blit: cannot convert from %u to %u samples", sn, dn);
    return true;
}

static void
init_axes(struct blit_plan *p, const struct box *d, const struct box *s)
{
    const struct resource_level *dl = &p->dst.res->levels[p->dst.level];
    const struct resource_level *sl = &p->src.res->levels[p->src.level];
    init_axis(&p->x, d->x, d->width, dl->width, s->x, s->width, sl->width);
    init_axis(&p->y, d->y, d->height, dl->height, s->y, s->height, sl->height);
    init_axis(&p->z, d->z, d->depth, dl->slices, s->z, s->depth, sl->slices);
}

static bool
init_sides(struct blit_plan *p, struct gpu_device *device, const struct gpu_cmd *cmd,
           struct error *err)
{
    *p = (struct blit_plan){.mask = cmd->blit.mask};
    return init_side(&p->dst, device, cmd, &cmd->blit.dst, err) &&
           init_side(&p->src, device, cmd, &cmd->blit.src, err) && check_blit(p, cmd, err);
}

bool
blit_check(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct blit_plan p;
    return init_sides(&p, device, cmd, err);
}

static bool
init_blit(struct blit_plan *p, struct gpu_device *device, const struct gpu_cmd *cmd,
          struct error *err)
{
    if (!init_sides(p, device, cmd, err))
        return false;
    init_axes(p, &cmd->blit.dst.box, &cmd->blit.src.box);
    if (cmd->blit.scissor_enable) {
        cut_axis(&p->x, cmd->blit.scissor.min_x, cmd->blit.scissor.max_x);
        cut_axis(&p->y, cmd->blit.scissor.min_y, cmd->blit.scissor.max_y);
    }
    p->linear = cmd->blit.filter == FILTER_LINEAR && !p->src.format->is_integer;
    p->same = p->dst.format == p->src.format && (p->mask & BLIT_COLOR) == BLIT_COLOR;
    if (p->dst.format->depth_bits ? !(p->mask & (BLIT_DEPTH | BLIT_STENCIL))
                                  : !(p->mask & BLIT_COLOR))
        p->x.last = p->x.first;
    return true;
}

static int32_t
blocks_in(int32_t texels, uint32_t block)
{
    return (texels + (int32_t)block - 1) / (int32_t)block;
}

static bool
init_copy(struct blit_plan *p, struct gpu_device *device, const struct gpu_cmd *cmd,
          struct error *err)
{
    const struct box *from = &cmd->copy.src_box;
    if (!copy_check(device, cmd, err))
        return false;
    *p = (struct blit_plan){.copies = true};
    p->dst.res = gpu_resource(device, cmd->client, cmd->copy.dst);
    p->src.res = gpu_resource(device, cmd->client, cmd->copy.src);
    p->dst.format = p->dst.res->format;
    p->src.format = p->src.res->format;
    p->dst.level = cmd->copy.dst_level;
    p->src.level = cmd->copy.src_level;
    const bool buffer = p->dst.res->desc.target == TARGET_BUFFER;
    const uint32_t width = buffer ? 1 : p->dst.format->block_width;
    const uint32_t height = buffer ? 1 : p->dst.format->block_height;
    p->x.first = (int32_t)(cmd->copy.dst_x / width);
    p->y.first = (int32_t)(cmd->copy.dst_y / height);
    p->z.first = (int32_t)cmd->copy.dst_z;
    p->x.last = p->x.first + blocks_in(from->width, width);
    p->y.last = p->y.first + blocks_in(from->height, height);
    p->z.last = p->z.first + from->depth;
    p->shift[0] = from->x / (int32_t)width - p->x.first;
    p->shift[1] = from->y / (int32_t)height - p->y.first;
    p->shift[2] = from->z - p->z.first;
    return true;
}

bool
blit_plan_init(struct blit_plan *p, struct gpu_device *device, const struct gpu_cmd *cmd,
               struct error *err)
{
    return cmd->op == GPU_BLIT ? init_blit(p, device, cmd, err) : init_copy(p, device, cmd, err);
}

static const uint8_t *
read_memory(void *data, uint32_t offset)
{
    return (const uint8_t *)data + offset;
}

bool
blit(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct blit_plan p;
    struct blit_position to;
    if (!init_blit(&p, device, cmd, err))
        return false;
    if (cmd->blit.render_condition && !gpu_render_condition(device, cmd))
        return true;
    uint8_t *from = device->memory.bytes + p.src.res->address, *copy = NULL;
    if (blit_in_place(&p)) { /* the boxes may overlap: read from a copy */
        copy = mem_alloc(p.src.res->size_bytes);
        memcpy(copy, from, p.src.res->size_bytes);
        from = copy;
    }
    const struct blit_source source = {read_memory, from};
    for (to.z = p.z.first; to.z < p.z.last; to.z++)
        for (to.y = p.y.first; to.y < p.y.last; to.y++)
            for (to.x = p.x.first; to.x < p.x.last; to.x++)
                for (to.sample = 0; to.sample < p.dst.res->samples; to.sample++)
                    blit_element(&p, &to, &source,
                                 device->memory.bytes + p.dst.res->address +
                                     resource_offset(p.dst.res, p.dst.level, (uint32_t)to.x,
                                                     (uint32_t)to.y, (uint32_t)to.z, to.sample));
    free(copy);
    return true;
}
