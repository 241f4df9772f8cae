/* Reads an address texture from a PNG file or from a file of numbers (pattern.h). */
#include "model/pattern.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 8, /* width and height */
    TEXEL_BYTES = 8,  /* u and v */
    MOST_BYTES = HEADER_BYTES + PATTERN_MOST_SIZE * PATTERN_MOST_SIZE * TEXEL_BYTES,
};

static uint32_t
little_endian(const char *bytes)
{
    const uint8_t *b = (const uint8_t *)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint32_t
big_endian(const char *bytes)
{
    return __builtin_bswap32(little_endian(bytes));
}

static bool
check_size(uint32_t width, uint32_t height, const char *path, struct error *err)
{
    return (width > 0 && height > 0 && width <= PATTERN_MOST_SIZE && height <= PATTERN_MOST_SIZE) ||
           fail(err, "%s: an address texture of %ux%u texels: expected 1 to %d per side", path,
                width, height, PATTERN_MOST_SIZE);
}

/* `bytes`: the file. Its header states the size, so a large picture is not decoded. */
static bool
read_picture(struct pattern *pattern, const char *path, const char *bytes, size_t size,
             struct error *err)
{
    enum { CHUNK = 12, WIDTH = 16, HEIGHT = 20, HEADER_END = 24 }; /* offsets in a PNG file */
    struct picture picture;
    if (size >= HEADER_END && !memcmp(bytes + CHUNK, "IHDR", 4) &&
        !check_size(big_endian(bytes + WIDTH), big_endian(bytes + HEIGHT), path, err))
        return false;
    if (!picture_read_png(&picture, path, err))
        return false;
    pattern_init(pattern, picture.width, picture.height);
    for (size_t i = 0; i < (size_t)picture.width * picture.height; i++)
        for (uint32_t part = 0; part < 2; part++)
            pattern->texcoords[i][part] = (float)picture.rgba[4 * i + part] / 255;
    picture_fini(&picture);
    return true;
}

static bool
take_numbers(struct pattern *pattern, const char *bytes, const char *path, struct error *err)
{
    for (size_t i = 0; i < (size_t)pattern->width * pattern->height; i++)
        for (uint32_t part = 0; part < 2; part++) {
            const uint32_t bits =
                little_endian(bytes + HEADER_BYTES + TEXEL_BYTES * i + sizeof bits * part);
            float number;
            memcpy(&number, &bits, sizeof number);
            if (!(number >= 0 && number <= 1))
                return fail(err, "%s: %c of texel %zu is not a number from 0 to 1", path,
                            "uv"[part], i);
            pattern->texcoords[i][part] = number;
        }
    return true;
}

static bool
read_numbers(struct pattern *pattern, const char *path, const char *bytes, size_t size,
             struct error *err)
{
    const uint32_t width = size < HEADER_BYTES ? 0 : little_endian(bytes);
    const uint32_t height = size < HEADER_BYTES ? 0 : little_endian(bytes + 4);
    if (size < HEADER_BYTES)
        return fail(err, "%s is neither a PNG file nor an address texture: %zu bytes", path, size);
    if (!check_size(width, height, path, err))
        return false;
    const size_t expected = HEADER_BYTES + (size_t)width * height * TEXEL_BYTES;
    if (size != expected)
        return fail(err, "%s: expected %zu bytes for %ux%u texels, found %zu", path, expected,
                    width, height, size);
    pattern_init(pattern, width, height);
    if (take_numbers(pattern, bytes, path, err))
        return true;
    pattern_fini(pattern);
    return false;
}

bool
pattern_read(struct pattern *pattern, const char *path, struct error *err)
{
    static const char png[] = "\211PNG";
    char *bytes;
    size_t size;
    *pattern = (struct pattern){0};
    if (!file_read(path, MOST_BYTES, &bytes, &size, err))
        return false;
    const bool is_png = size >= strlen(png) && !memcmp(bytes, png, strlen(png));
    const bool ok = is_png ? read_picture(pattern, path, bytes, size, err)
                           : read_numbers(pattern, path, bytes, size, err);
    free(bytes);
    return ok;
}
