/* Clears, copies and pictures of surfaces: whole-surface work without timing. */
#include "base/file.h"
#include "gfx/fragment.h"
#include "gfx/transfer.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *
surface_bytes(const struct bound_surface *surface, struct gpu_memory *memory, uint32_t *size)
{
    const struct resource_level *level = &surface->res->levels[surface->level];
    *size = level->slice_bytes;
    return memory->bytes + surface->res->address + level->offset +
           (size_t)surface->layer * level->slice_bytes;
}

/* Fills the whole slice, including the padding of its last tiles, so that a cleared tile is
 * uniform. */
static void
fill(uint8_t *bytes, uint32_t size, const uint8_t *element, uint32_t element_bytes)
{
    if (size == 0)
        return;
    memcpy(bytes, element, element_bytes);
    for (uint32_t done = element_bytes; done < size;) {
        uint32_t count = done < size - done ? done : size - done;
        memcpy(bytes + done, bytes, count);
        done += count;
    }
}

void
clear_color(const struct bound_surface *surface, struct gpu_memory *memory, const float rgba[4])
{
    uint8_t element[32] = {0};
    uint32_t size;
    if (!surface->res || !surface->format->pack)
        return;
    uint8_t *bytes = surface_bytes(surface, memory, &size);
    surface->format->pack(rgba, element);
    fill(bytes, size, element, surface->format->block_bytes);
}

/* Clears only some bits of each element. To find them, it clears an element of zeros and an element
 * of ones: bits that come out equal are cleared. A word holds a whole number of elements, and a
 * tile a whole number of words. */
static void
clear_bits(const struct bound_surface *surface, uint8_t *bytes, uint32_t size, uint32_t buffers,
           double depth, uint32_t stencil)
{
    const uint32_t element = surface->format->block_bytes;
    uint64_t zeros = 0, ones = UINT64_MAX, word;
    for (uint32_t i = 0; i < sizeof word; i += element) {
        depth_clear_element(surface->format, buffers, depth, stencil, (uint8_t *)&zeros + i);
        depth_clear_element(surface->format, buffers, depth, stencil, (uint8_t *)&ones + i);
    }
    const uint64_t kept = zeros ^ ones;
    for (uint32_t i = 0; i < size; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        word = (word & kept) | zeros;
        memcpy(bytes + i, &word, sizeof word);
    }
}

void
clear_depth(const struct bound_surface *surface, struct gpu_memory *memory, uint32_t buffers,
            double depth, uint32_t stencil)
{
    const struct format_info *format = surface->format;
    const uint32_t all =
        (format->depth_bits ? MASK_DEPTH : 0) | (format->stencil_bits ? MASK_STENCIL : 0);
    uint32_t size;
    if (!surface->res || !format->depth_bits)
        return;
    uint8_t *bytes = surface_bytes(surface, memory, &size);
    if ((buffers & all) == all) {
        uint8_t element[8] = {0};
        depth_clear_element(format, buffers, depth, stencil, element);
        fill(bytes, size, element, format->block_bytes);
        return;
    }
    clear_bits(surface, bytes, size, buffers, depth, stencil);
}

/* Copies a box with all samples from or to a level. */
static void
copy_samples(const struct resource *res, uint8_t *memory, uint32_t level, const struct box *box,
             uint8_t *samples, bool write)
{
    uint32_t bytes = res->format->block_bytes * res->samples;
    for (int32_t z = 0; z < box->depth; z++)
        for (int32_t y = 0; y < box->height; y++)
            for (int32_t x = 0; x < box->width; x++, samples += bytes) {
                uint8_t *at = memory + res->address +
                              resource_offset(res, level, (uint32_t)(box->x + x),
                                              (uint32_t)(box->y + y), (uint32_t)(box->z + z), 0);
                memcpy(write ? at : samples, write ? samples : at, bytes);
            }
}

static bool
check_copy(const struct resource *dst, const struct resource *src, uint32_t dst_level,
           uint32_t src_level, const struct box *to, const struct box *from, struct error *err)
{
    bool dst_buffer = dst->desc.target == TARGET_BUFFER;
    bool src_buffer = src->desc.target == TARGET_BUFFER;
    if (dst_buffer != src_buffer)
        return fail(err, "copy between a buffer and a texture (%u to %u)", src->desc.handle,
                    dst->desc.handle);
    if (!dst_buffer && !((dst->format->uses & src->format->uses) & ~(uint32_t)FORMAT_VERTEX))
        return fail(err, "copy from %s to %s: vertex formats are not supported", src->format->name,
                    dst->format->name);
    if (!dst_buffer &&
        (dst->format->block_bytes != src->format->block_bytes ||
         dst->format->block_width != src->format->block_width ||
         (dst->samples != src->samples && !dst->forced_samples && !src->forced_samples)))
        return fail(err, "copy from %s with %u samples to %s with %u: blocks differ",
                    src->format->name, src->samples, dst->format->name, dst->samples);
    if (!resource_box_ok(src, src_level, from))
        return fail(err, "copy: source box outside level %u of resource %u", src_level,
                    src->desc.handle);
    if (!resource_box_ok(dst, dst_level, to))
        return fail(err, "copy: destination box outside level %u of resource %u", dst_level,
                    dst->desc.handle);
    return true;
}

static struct box
destination(const struct gpu_cmd *cmd)
{
    const struct box *from = &cmd->copy.src_box;
    return (struct box){(int32_t)cmd->copy.dst_x,
                        (int32_t)cmd->copy.dst_y,
                        (int32_t)cmd->copy.dst_z,
                        from->width,
                        from->height,
                        from->depth};
}

bool
copy_check(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    const struct resource *dst = gpu_resource(device, cmd->client, cmd->copy.dst);
    const struct resource *src = gpu_resource(device, cmd->client, cmd->copy.src);
    if (!dst || !src)
        return fail(err, "copy: unknown resource %u", dst ? cmd->copy.src : cmd->copy.dst);
    if ((cmd->copy.dst_x | cmd->copy.dst_y | cmd->copy.dst_z) > INT32_MAX)
        return fail(err, "copy: destination outside resource %u", cmd->copy.dst);
    const struct box to = destination(cmd);
    return check_copy(dst, src, cmd->copy.dst_level, cmd->copy.src_level, &to, &cmd->copy.src_box,
                      err);
}

bool
copy_region(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct resource *dst = gpu_resource(device, cmd->client, cmd->copy.dst);
    struct resource *src = gpu_resource(device, cmd->client, cmd->copy.src);
    const struct box *from = &cmd->copy.src_box, to = destination(cmd);
    if (!copy_check(device, cmd, err))
        return false;
    size_t bytes = (size_t)resource_box_bytes(src, from) * src->samples;
    uint8_t *rows = mem_alloc(bytes + 1); /* read before any write: the boxes may overlap */
    if (src->samples > 1 && src->samples == dst->samples) {
        copy_samples(src, device->memory.bytes, cmd->copy.src_level, from, rows, false);
        copy_samples(dst, device->memory.bytes, cmd->copy.dst_level, &to, rows, true);
    } else {
        resource_read_box(src, &device->memory, cmd->copy.src_level, from, rows);
        resource_write_box(dst, &device->memory, cmd->copy.dst_level, &to, rows);
    }
    free(rows);
    return true;
}

/* Integers are shown as the steps of a channel with 8 bits: 255 and more are white. */
static void
show_integers(const struct format_info *format, float rgba[4])
{
    for (int c = 0; c < 4; c++) {
        uint32_t bits;
        memcpy(&bits, &rgba[c], sizeof bits);
        const bool negative = format->is_signed && bits >> 31;
        rgba[c] = negative ? 0.0f : bits < 255 ? (float)bits / 255.0f : 1.0f;
    }
}

/* Returns the average of a pixel's samples as 8-bit RGBA. sRGB formats keep their encoded
 * values. */
static void
picture_pixel(const struct format_info *format, uint32_t sample_count, const uint8_t *samples,
              uint8_t out[4])
{
    const struct format_info *rgba8 =
        format_get(format->is_srgb ? FORMAT_R8G8B8A8_SRGB : FORMAT_R8G8B8A8_UNORM);
    float sum[4] = {0}, value[4];
    for (uint32_t s = 0; s < sample_count; s++) {
        format->unpack(samples + s * format->block_bytes, 0, 0, value);
        if (format->is_integer)
            show_integers(format, value);
        for (int c = 0; c < 4; c++)
            sum[c] += value[c];
    }
    for (int c = 0; c < 4; c++)
        sum[c] /= (float)sample_count;
    rgba8->pack(sum, out);
}

static void
picture_make(struct picture *picture, const struct format_info *format, uint32_t width,
             uint32_t height)
{
    picture->width = width;
    picture->height = height;
    picture->has_alpha = format->channels & 8;
    picture->rgba = mem_array((size_t)width * height, 4);
}

void
picture_of_resource(struct picture *picture, const struct resource *res,
                    const struct gpu_memory *memory)
{
    const struct resource_level *level = &res->levels[0];
    picture_make(picture, res->format, level->width, level->height);
    uint8_t *out = picture->rgba;
    for (uint32_t y = 0; y < level->height; y++)
        for (uint32_t x = 0; x < level->width; x++, out += 4)
            picture_pixel(res->format, res->samples,
                          memory->bytes + res->address + resource_offset(res, 0, x, y, 0, 0), out);
}

void
picture_of_rows(struct picture *picture, const struct format_info *format, uint32_t width,
                uint32_t height, const uint8_t *rows)
{
    picture_make(picture, format, width, height);
    for (size_t i = 0; i < (size_t)width * height; i++)
        picture_pixel(format, 1, rows + i * format->block_bytes, picture->rgba + 4 * i);
}

static uint8_t
byte_of(float value)
{
    return !(value > 0) ? 0 : value >= 1 ? 255 : (uint8_t)(value * 255 + 0.5f);
}

/* Returns all texels of a slice, unpacked with `format`. */
static float (*read_level(const struct resource *res, const struct format_info *format,
                          const struct gpu_memory *memory, uint32_t level, uint32_t slice))[4]
{
    const struct resource_level *l = &res->levels[level];
    float(*texels)[4] = mem_array((size_t)l->width * l->height, sizeof *texels), (*out)[4] = texels;
    for (uint32_t y = 0; y < l->height; y++)
        for (uint32_t x = 0; x < l->width; x++)
            format->unpack(memory->bytes + res->address +
                               resource_offset(res, level, x, y, slice, 0),
                           x % format->block_width, y % format->block_height, *out++);
    for (size_t i = 0; format->is_integer && i < (size_t)l->width * l->height; i++)
        show_integers(format, texels[i]);
    return texels;
}

static void
stretch_depth(float (*texels)[4], size_t count)
{
    float low = 1, high = 0;
    for (size_t i = 0; i < count; i++) {
        low = texels[i][0] < low ? texels[i][0] : low;
        high = texels[i][0] > high ? texels[i][0] : high;
    }
    for (size_t i = 0; i < count; i++) {
        const float grey = high > low ? (texels[i][0] - low) / (high - low) : 1;
        for (uint32_t c = 0; c < 3; c++)
            texels[i][c] = grey;
        texels[i][3] = 1;
    }
}

void
picture_of_level(struct picture *picture, const struct resource *res,
                 const struct format_info *format, const struct gpu_memory *memory, uint32_t level,
                 uint32_t slice)
{
    const struct format_info *srgb = format_get(FORMAT_R8G8B8A8_SRGB);
    const struct resource_level *l = &res->levels[level];
    const size_t count = (size_t)l->width * l->height;
    float(*texels)[4] = read_level(res, format, memory, level, slice);
    if (format->depth_bits)
        stretch_depth(texels, count);
    picture_make(picture, format, l->width, l->height);
    for (size_t i = 0; i < count; i++) {
        uint8_t *out = picture->rgba + 4 * i;
        if (format->is_srgb && srgb && srgb->pack) {
            srgb->pack(texels[i], out);
            continue;
        }
        for (uint32_t c = 0; c < 4; c++)
            out[c] = byte_of(texels[i][c]);
    }
    free(texels);
}

void
picture_flip(struct picture *picture)
{
    const size_t row = (size_t)picture->width * 4;
    uint8_t *turned = mem_array(row, picture->height);
    for (uint32_t y = 0; y < picture->height; y++)
        memcpy(turned + y * row, picture->rgba + (picture->height - 1 - y) * row, row);
    free(picture->rgba);
    picture->rgba = turned;
}

void
picture_of_read(struct picture *picture, const struct resource *res,
                const struct gpu_memory *memory, uint32_t level, const struct box *box)
{
    uint8_t *rows = mem_alloc(resource_box_bytes(res, box));
    resource_read_box(res, memory, level, box, rows);
    picture_of_rows(picture, res->format, (uint32_t)box->width, (uint32_t)box->height, rows);
    if (!resource_is_display(&res->desc))
        picture_flip(picture);
    free(rows);
}
