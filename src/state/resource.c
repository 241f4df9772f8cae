/* Layout of resources in memory (described in the header), and copies between memory and the rows
 * of transfers. The limits match the announced capabilities. */
#include "state/resource.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 512,
    MAX_LAYERS = 512,
    TARGET_TILE_BYTES = 256,
};
#define MAX_TEXTURE_BYTES ((uint64_t)1 << 31)

static uint32_t
minify(uint32_t size, uint32_t level)
{
    return size >> level ? size >> level : 1;
}

static uint32_t
divide_up(uint32_t n, uint32_t by)
{
    return (n + by - 1) / by;
}

static bool
init_buffer(struct resource *res, const struct resource_desc *desc, struct error *err)
{
    if (desc->width == 0 || desc->width > RESOURCE_MOST_BYTES)
        return fail(err, "resource %u: a buffer of %u bytes; 1 to %u are supported", desc->handle,
                    desc->width, RESOURCE_MOST_BYTES);
    if (desc->height > 1 || desc->depth > 1 || desc->array_size > 1 || desc->last_level > 0 ||
        desc->samples > 1)
        return fail(err, "resource %u: a buffer with height, depth, layers, levels or samples",
                    desc->handle);
    if (!res->format)
        res->format = format_get(FORMAT_R8_UNORM);
    res->samples = 1;
    res->size_bytes = desc->width;
    res->tile_bytes = TILE_SIZE * TILE_SIZE * res->format->block_bytes;
    res->desc.height = res->desc.depth = res->desc.array_size = 1;
    res->levels[0] = (struct resource_level){.width = desc->width,
                                             .height = 1,
                                             .slices = 1,
                                             .tiles_x = 1,
                                             .tiles_y = 1,
                                             .slice_bytes = desc->width};
    return true;
}

/* Checks the limits of each target. An array_size of 0 counts as 1, because drivers send it for
 * fences and some other resources. */
static bool
check_shape(const struct resource_desc *d, struct error *err)
{
    uint32_t layers = d->array_size ? d->array_size : 1;
    bool flat = d->height == 1 && d->depth == 1, ok;
    switch (d->target) {
    case TARGET_1D: ok = flat && layers == 1; break;
    case TARGET_1D_ARRAY: ok = flat && layers <= MAX_LAYERS; break;
    case TARGET_2D: ok = d->depth == 1 && layers == 1; break;
    case TARGET_RECT: ok = d->depth == 1 && layers == 1 && d->last_level == 0; break;
    case TARGET_2D_ARRAY: ok = d->depth == 1 && layers <= MAX_LAYERS; break;
    case TARGET_3D: ok = d->depth >= 1 && d->depth <= MAX_DEPTH && layers == 1; break;
    case TARGET_CUBE: ok = d->depth == 1 && layers == 6 && d->width == d->height; break;
    case TARGET_CUBE_ARRAY:
        ok = d->depth == 1 && layers % 6 == 0 && layers <= MAX_LAYERS && d->width == d->height;
        break;
    default: return fail(err, "resource %u: unknown target %u", d->handle, d->target);
    }
    if (d->width == 0 || d->height == 0 || d->width > RESOURCE_MOST_SIDE ||
        d->height > RESOURCE_MOST_SIDE)
        return fail(err, "resource %u: %ux%u texels; 1 to %u per side are supported", d->handle,
                    d->width, d->height, RESOURCE_MOST_SIDE);
    if (!ok)
        return fail(err, "resource %u: target %u cannot be %ux%ux%u with %u layers and %u levels",
                    d->handle, d->target, d->width, d->height, d->depth, d->array_size,
                    d->last_level);
    uint32_t largest = d->width > d->height ? d->width : d->height;
    if (d->target == TARGET_3D && d->depth > largest)
        largest = d->depth;
    if (d->last_level >= RESOURCE_MAX_LEVELS || largest >> d->last_level == 0)
        return fail(err, "resource %u: last level %u of %u texels", d->handle, d->last_level,
                    largest);
    return true;
}

bool
resource_check_samples(const struct resource_desc *d, struct error *err)
{
    const struct format_info *format = format_get(d->format);
    const uint32_t n = d->samples;
    if (n > 8 || (n & (n - 1)))
        return fail(err, "resource %u: %u samples; 1, 2, 4 and 8 are supported", d->handle, n);
    bool can =
        (d->target == TARGET_2D || d->target == TARGET_RECT || d->target == TARGET_2D_ARRAY) &&
        d->last_level == 0 && format && format->block_width == 1;
    if (n > 1 && !can)
        return fail(err, "resource %u: %u samples of target %u, format %s, last level %u",
                    d->handle, n, d->target, format ? format->name : "unknown", d->last_level);
    return true;
}

static bool
layout_levels(struct resource *res, struct error *err)
{
    const struct resource_desc *d = &res->desc;
    uint64_t offset = 0;
    const uint32_t last = d->last_level;
    BUG_ON(last >= RESOURCE_MAX_LEVELS, "a description was not checked");
    for (uint32_t i = 0; i <= last; i++) {
        struct resource_level *level = &res->levels[i];
        level->width = minify(d->width, i);
        level->height = minify(d->height, i);
        level->slices = d->target == TARGET_3D ? minify(d->depth, i) : d->array_size;
        level->tiles_x = divide_up(divide_up(level->width, res->format->block_width), TILE_SIZE);
        level->tiles_y = divide_up(divide_up(level->height, res->format->block_height), TILE_SIZE);
        uint64_t slice = (uint64_t)level->tiles_x * level->tiles_y * res->tile_bytes;
        level->offset = (uint32_t)offset;
        level->slice_bytes = (uint32_t)slice;
        offset += slice * level->slices;
        if (offset > MAX_TEXTURE_BYTES)
            return fail(err, "resource %u: more than 2 GiB", d->handle);
    }
    res->size_bytes = (uint32_t)offset;
    return true;
}

/* Computes the layout of the levels in the ROPs' tiles. */
static void
lay_tiles(struct resource *res)
{
    const uint32_t last = res->desc.last_level;
    res->sampled_only = false;
    for (uint32_t i = 0; i <= last; i++) {
        struct resource_level *level = &res->levels[i];
        level->square_log2 = 3;
        level->square_bytes = res->tile_bytes;
        level->row_bytes = level->tiles_x * res->tile_bytes;
    }
}

void
resource_tile(struct resource *res, uint32_t side_log2)
{
    const uint32_t element = res->format->block_bytes * res->samples;
    const uint32_t block_log2 = (uint32_t)__builtin_ctz(res->format->block_width);
    side_log2 = side_log2 > block_log2 ? side_log2 - block_log2 : 0;
    res->sampled_only = true;
    for (uint32_t i = 0; i <= res->desc.last_level; i++) {
        struct resource_level *level = &res->levels[i];
        const uint32_t columns = level->tiles_x * TILE_SIZE, rows = level->tiles_y * TILE_SIZE;
        const uint32_t most = (uint32_t)__builtin_ctz(columns | rows);
        level->square_log2 = side_log2 < most ? side_log2 : most;
        level->square_bytes = element << 2 * level->square_log2;
        level->row_bytes = (columns >> level->square_log2) * level->square_bytes;
    }
}

/* Computes the layout of the resource. Tiles of a target fill whole ROP cache lines. */
static bool
lay_with(struct resource *res, uint32_t samples, bool is_target, struct error *err)
{
    res->samples = samples;
    res->tile_bytes = TILE_SIZE * TILE_SIZE * res->format->block_bytes * samples;
    if (is_target && res->tile_bytes < TARGET_TILE_BYTES)
        res->tile_bytes = TARGET_TILE_BYTES;
    if (!layout_levels(res, err))
        return false;
    lay_tiles(res);
    return true;
}

bool
resource_init(struct resource *res, const struct resource_desc *desc, struct error *err)
{
    memset(res, 0, sizeof *res);
    res->desc = *desc;
    res->format = format_get(desc->format);
    if (desc->target == TARGET_BUFFER)
        return init_buffer(res, desc, err);
    if (!res->format)
        return fail(err, "resource %u: this GPU does not support format %u", desc->handle,
                    desc->format);
    if (!check_shape(desc, err) || !resource_check_samples(desc, err))
        return false;
    if (desc->array_size == 0)
        res->desc.array_size = 1;
    return lay_with(res, desc->samples > 1 ? desc->samples : 1,
                    desc->bind & (BIND_RENDER_TARGET | BIND_DEPTH_STENCIL), err);
}

bool
resource_locate(const struct resource *res, uint32_t level, uint32_t offset, uint32_t *x,
                uint32_t *y, uint32_t *sample)
{
    const struct resource_level *l = &res->levels[level];
    *x = offset;
    *y = *sample = 0;
    if (res->desc.target == TARGET_BUFFER)
        return true;
    const uint32_t row = offset / l->row_bytes, in_row = offset % l->row_bytes;
    const uint32_t square = in_row / l->square_bytes;
    const uint32_t n = in_row % l->square_bytes / res->format->block_bytes;
    const uint32_t element = n / res->samples, k = l->square_log2;
    *x = square << k | morton_gather(element);
    *y = row << k | morton_gather(element >> 1);
    *sample = n % res->samples;
    return element < 1u << 2 * k;
}

bool
resource_may_be_forced(const struct resource_desc *d)
{
    const struct format_info *format = format_get(d->format);
    const bool is_renderbuffer =
        d->bind & (BIND_RENDER_TARGET | BIND_DEPTH_STENCIL) && !(d->bind & BIND_SAMPLER_VIEW);
    return (resource_is_display(d) || is_renderbuffer) &&
           (d->target == TARGET_2D || d->target == TARGET_RECT) && d->samples <= 1 &&
           d->last_level == 0 && format && format->block_width == 1 && format->block_bytes <= 8;
}

bool
resource_init_forced(struct resource *res, const struct resource_desc *desc, uint32_t samples,
                     struct error *err)
{
    if (!resource_init(res, desc, err))
        return false;
    if (!resource_may_be_forced(desc))
        return true;
    if (!lay_with(res, samples, true, err))
        return false;
    res->forced_samples = samples;
    uint32_t size_bytes = res->size_bytes;
    if (!resource_is_display(desc) && !lay_with(res, 1, true, err))
        return false;
    res->size_bytes = size_bytes;
    return true;
}

static bool
range_ok(int32_t origin, int32_t extent, uint32_t size)
{
    return origin >= 0 && extent >= 0 && (int64_t)origin + extent <= (int64_t)size;
}

static bool
aligned(int32_t origin, int32_t extent, uint32_t size, uint32_t block)
{
    uint32_t end = (uint32_t)(origin + extent);
    return (uint32_t)origin % block == 0 && (end % block == 0 || end == size);
}

bool
resource_box_ok(const struct resource *res, uint32_t level, const struct box *box)
{
    if (level > res->desc.last_level)
        return false;
    const struct resource_level *l = &res->levels[level];
    return range_ok(box->x, box->width, l->width) && range_ok(box->y, box->height, l->height) &&
           range_ok(box->z, box->depth, l->slices) &&
           (res->desc.target == TARGET_BUFFER ||
            (aligned(box->x, box->width, l->width, res->format->block_width) &&
             aligned(box->y, box->height, l->height, res->format->block_height)));
}

/* Box in blocks. A buffer has blocks of one byte. */
struct block_box {
    uint32_t x, y, z, width, height, depth, bytes;
};

static struct block_box
to_blocks(const struct resource *res, const struct box *box)
{
    const struct format_info *f = res->format;
    if (res->desc.target == TARGET_BUFFER)
        return (struct block_box){(uint32_t)box->x, 0, 0, (uint32_t)box->width, 1, 1, 1};
    return (struct block_box){
        .x = (uint32_t)box->x / f->block_width,
        .y = (uint32_t)box->y / f->block_height,
        .z = (uint32_t)box->z,
        .width = divide_up((uint32_t)box->width, f->block_width),
        .height = divide_up((uint32_t)box->height, f->block_height),
        .depth = (uint32_t)box->depth,
        .bytes = f->block_bytes,
    };
}

uint32_t
resource_box_bytes(const struct resource *res, const struct box *box)
{
    struct block_box b = to_blocks(res, box);
    return b.width * b.height * b.depth * b.bytes;
}

/* Copies one row of blocks to or from a slice. */
static inline __attribute__((always_inline)) void
copy_row(const struct resource *res, const struct resource_level *level, uint8_t *slice, uint32_t x,
         uint32_t y, uint32_t count, uint8_t *row, uint32_t bytes, bool write)
{
    const uint32_t k = level->square_log2, inside = (1u << k) - 1, element = res->samples * bytes;
    uint8_t *squares = slice + (size_t)(y >> k) * level->row_bytes +
                       (size_t)(morton_spread(y & inside) << 1) * element;
    for (uint32_t i = x; i < x + count; i++, row += bytes) {
        uint8_t *block = squares + (size_t)(i >> k) * level->square_bytes +
                         (size_t)morton_spread(i & inside) * element;
        if (write)
            memcpy(block, row, bytes);
        else
            memcpy(row, block, bytes);
    }
}

void
resource_read_mean(const struct format_info *format, uint32_t samples, const uint8_t *pixel,
                   uint8_t *out)
{
    float mean[4] = {0}, value[4];
    if (samples == 1 || format->depth_bits || format->stencil_bits || format->is_integer) {
        memcpy(out, pixel, format->block_bytes);
        return;
    }
    for (uint32_t s = 0; s < samples; s++) {
        format->unpack(pixel + (size_t)s * format->block_bytes, 0, 0, value);
        for (uint32_t c = 0; c < 4; c++)
            mean[c] += value[c];
    }
    for (uint32_t c = 0; c < 4; c++)
        mean[c] /= (float)samples;
    format->pack(mean, out);
}

/* Copies a row of pixels of a resource with forced samples. `row` contains one sample per pixel. */
static void
copy_forced_row(const struct resource *res, const struct resource_level *level, uint8_t *slice,
                uint32_t x, uint32_t y, uint32_t count, uint8_t *row, bool write)
{
    const uint32_t bytes = res->format->block_bytes, element = bytes * res->samples;
    uint8_t *squares = slice + (size_t)(y / TILE_SIZE) * level->row_bytes +
                       (size_t)(morton_spread(y % TILE_SIZE) << 1) * element;
    for (uint32_t i = x; i < x + count; i++, row += bytes) {
        uint8_t *pixel = squares + (size_t)(i / TILE_SIZE) * level->square_bytes +
                         (size_t)morton_spread(i % TILE_SIZE) * element;
        for (uint32_t s = 0; s < res->samples && write; s++)
            memcpy(pixel + (size_t)s * bytes, row, bytes);
        if (!write)
            resource_read_mean(res->format, res->samples, pixel, row);
    }
}

static void
copy_row_sized(const struct resource *res, const struct resource_level *level, uint8_t *slice,
               uint32_t x, uint32_t y, uint32_t count, uint8_t *row, bool write)
{
    if (res->forced_samples && res->samples > 1) {
        copy_forced_row(res, level, slice, x, y, count, row, write);
        return;
    }
    switch (res->format->block_bytes) {
    case 1: copy_row(res, level, slice, x, y, count, row, 1, write); break;
    case 2: copy_row(res, level, slice, x, y, count, row, 2, write); break;
    case 4: copy_row(res, level, slice, x, y, count, row, 4, write); break;
    case 8: copy_row(res, level, slice, x, y, count, row, 8, write); break;
    case 16: copy_row(res, level, slice, x, y, count, row, 16, write); break;
    default: copy_row(res, level, slice, x, y, count, row, res->format->block_bytes, write);
    }
}

static void
copy_box(const struct resource *res, uint8_t *memory, uint32_t level, const struct box *box,
         uint8_t *rows, bool write)
{
    struct block_box b = to_blocks(res, box);
    const struct resource_level *l = &res->levels[level];
    uint8_t *bytes = memory + res->address + l->offset;
    if (res->desc.target == TARGET_BUFFER) {
        if (write)
            memcpy(bytes + b.x, rows, b.width);
        else
            memcpy(rows, bytes + b.x, b.width);
        return;
    }
    for (uint32_t z = 0; z < b.depth; z++) {
        uint8_t *slice = bytes + (size_t)(b.z + z) * l->slice_bytes;
        for (uint32_t y = 0; y < b.height; y++, rows += (size_t)b.width * b.bytes)
            copy_row_sized(res, l, slice, b.x, b.y + y, b.width, rows, write);
    }
}

void
resource_write_box(const struct resource *res, struct gpu_memory *memory, uint32_t level,
                   const struct box *box, const uint8_t *rows)
{
    copy_box(res, memory->bytes, level, box, (uint8_t *)rows, true);
}

void
resource_read_box(const struct resource *res, const struct gpu_memory *memory, uint32_t level,
                  const struct box *box, uint8_t *rows)
{
    copy_box(res, memory->bytes, level, box, rows, false);
}

uint32_t
resource_level_bytes(const struct resource *res, uint32_t level)
{
    const struct resource_level *l = &res->levels[level];
    if (res->desc.target == TARGET_BUFFER)
        return l->slice_bytes;
    return l->tiles_x * l->tiles_y * TILE_SIZE * TILE_SIZE * res->format->block_bytes *
           (res->forced_samples ? 1 : res->samples) * l->slices;
}

static void
copy_level(const struct resource *res, uint8_t *bytes, uint32_t level, uint8_t *rows, bool write)
{
    const struct resource_level *l = &res->levels[level];
    bytes += (size_t)res->address + l->offset;
    if (res->desc.target == TARGET_BUFFER) {
        memcpy(write ? bytes : rows, write ? rows : bytes, l->slice_bytes);
        return;
    }
    const uint32_t pixel = res->format->block_bytes * res->samples, k = l->square_log2;
    const uint32_t inside = (1u << k) - 1;
    if (res->forced_samples) { /* the rows have one sample per pixel, which is the program's view */
        const uint32_t columns = l->tiles_x * TILE_SIZE, lines = l->tiles_y * TILE_SIZE;
        for (uint32_t y = 0; y < lines; y++, rows += (size_t)columns * res->format->block_bytes)
            copy_forced_row(res, l, bytes, 0, y, columns, rows, write);
        return;
    }
    for (uint32_t z = 0; z < l->slices; z++, bytes += l->slice_bytes)
        for (uint32_t y = 0; y < l->tiles_y * TILE_SIZE; y++)
            for (uint32_t x = 0; x < l->tiles_x * TILE_SIZE; x++, rows += pixel) {
                uint8_t *square =
                    bytes + (size_t)(y >> k) * l->row_bytes + (size_t)(x >> k) * l->square_bytes;
                uint32_t element = morton_spread(x & inside) | morton_spread(y & inside) << 1;
                uint8_t *at = square + (size_t)element * pixel;
                memcpy(write ? at : rows, write ? rows : at, pixel);
            }
}

void
resource_write_level(const struct resource *res, struct gpu_memory *memory, uint32_t level,
                     const uint8_t *rows)
{
    copy_level(res, memory->bytes, level, (uint8_t *)rows, true);
}

void
resource_read_level(const struct resource *res, const struct gpu_memory *memory, uint32_t level,
                    uint8_t *rows)
{
    copy_level(res, memory->bytes, level, rows, false);
}

void
resource_lay_samples(struct resource *res, uint32_t samples, struct gpu_memory *memory)
{
    struct error err;
    const uint32_t size_bytes = res->size_bytes, bytes = resource_level_bytes(res, 0);
    uint8_t *rows = mem_alloc(bytes);
    resource_read_level(res, memory, 0, rows);
    if (!lay_with(res, samples, true, &err))
        BUG("%s", err.text); /* the layout with these samples was valid before */
    res->size_bytes = size_bytes;
    resource_write_level(res, memory, 0, rows);
    free(rows);
}

void
resource_make_drawable(struct resource *res, struct gpu_memory *memory)
{
    struct resource squares = *res;
    lay_tiles(res);
    for (uint32_t level = 0; level <= res->desc.last_level; level++) {
        uint8_t *rows = mem_alloc(resource_level_bytes(res, level));
        resource_read_level(&squares, memory, level, rows);
        resource_write_level(res, memory, level, rows);
        free(rows);
    }
}
