/* Reads and writes PNG files with libpng's simplified interface. */
#include "base/file.h"
#include "base/mem.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIXELS = 1 << 26 }; /* 256 MiB of RGBA: a small file may claim a huge size */

bool
picture_encode(const struct picture *picture, uint8_t **bytes, size_t *size, struct error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = picture->width,
                       .height = picture->height,
                       .format = picture->has_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB,
                       .flags = PNG_IMAGE_FLAG_FAST};
    const size_t pixels = (size_t)picture->width * picture->height;
    uint8_t *rgb = NULL;
    if (!picture->has_alpha) {
        rgb = mem_array(pixels, 3);
        for (size_t i = 0; i < pixels; i++)
            memcpy(rgb + 3 * i, picture->rgba + 4 * i, 3);
    }
    png_alloc_size_t most = PNG_IMAGE_PNG_SIZE_MAX(image);
    *bytes = mem_alloc(most);
    const bool ok =
        png_image_write_to_memory(&image, *bytes, &most, 0, rgb ? rgb : picture->rgba, 0, NULL);
    free(rgb);
    *size = most;
    if (ok)
        return true;
    free(*bytes);
    return fail(err, "%s", image.message);
}

bool
picture_write_png(const struct picture *picture, const char *path, struct error *err)
{
    uint8_t *bytes;
    size_t size;
    if (!picture_encode(picture, &bytes, &size, err))
        return fail_prefix(err, "cannot write %s", path);
    const bool ok = file_write(path, bytes, size, err);
    free(bytes);
    return ok;
}

bool
picture_write_frame(const struct picture *picture, const char *dir, uint32_t number,
                    struct error *err)
{
    char *path = mem_printf("%s/frames/frame-%04u.png", dir, number);
    bool ok = picture_write_png(picture, path, err);
    free(path);
    return ok;
}

static bool
read_png(struct picture *picture, FILE *file, const char *path, struct error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_stdio(&image, file))
        return fail(err, "%s is not a valid PNG file: %s", path, image.message);
    if ((uint64_t)image.width * image.height > MOST_PIXELS) {
        png_image_free(&image);
        return fail(err, "%s is a picture of %ux%u: at most %u pixels can be compared", path,
                    image.width, image.height, MOST_PIXELS);
    }
    picture->has_alpha = image.format & PNG_FORMAT_FLAG_ALPHA;
    image.format = PNG_FORMAT_RGBA;
    picture->width = image.width;
    picture->height = image.height;
    picture->rgba = mem_alloc(PNG_IMAGE_SIZE(image));
    if (!png_image_finish_read(&image, NULL, picture->rgba, 0, NULL)) {
        picture_fini(picture);
        return fail(err, "%s is not a valid PNG file: %s", path, image.message);
    }
    return true;
}

bool
picture_read_png(struct picture *picture, const char *path, struct error *err)
{
    memset(picture, 0, sizeof *picture);
    const int fd = file_open(path, err);
    if (fd < 0)
        return false;
    FILE *file = fdopen(fd, "rb");
    if (!file)
        mem_exhausted("file");
    const bool ok = read_png(picture, file, path, err);
    fclose(file);
    return ok;
}

void
picture_fini(struct picture *picture)
{
    free(picture->rgba);
    memset(picture, 0, sizeof *picture);
}

bool
picture_has_one_color(const struct picture *picture)
{
    const uint64_t pixels = (uint64_t)picture->width * picture->height;
    for (uint64_t i = 1; i < pixels; i++)
        if (memcmp(picture->rgba + 4 * i, picture->rgba, 4) != 0)
            return false;
    return true;
}
