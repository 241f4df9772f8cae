/* A photo album: 30 thumbnails of 64 x 64 pixels. Each texture is the full photo of 512 x 512.
 * Fixed: each texture is as large as a thumbnail. */
#include "planted.h"

#include <GL/gl.h>
#include <stdlib.h>

enum { COLUMNS = 6, ROWS = 5, PHOTO = 512, THUMBNAIL = 64, CELL = 72 };

static bool fixed;
static GLuint photos[ROWS * COLUMNS];

static void
take_photo(uint8_t (*photo)[4], uint32_t seed)
{
    for (uint32_t y = 0; y < PHOTO; y++) {
        uint32_t skyline = PHOTO / 4 + (uint32_t)noise(seed * 64, 0, PHOTO, 64, seed);
        for (uint32_t x = 0; x < PHOTO; x++) {
            bool sky = y > skyline;
            uint8_t shade = noise(x, y, PHOTO, 32, seed);
            uint8_t *texel = photo[y * PHOTO + x];
            texel[0] = (uint8_t)((sky ? 90 : 60) + shade / 3);
            texel[1] = (uint8_t)((sky ? 130 : 100) + shade / 4);
            texel[2] = (uint8_t)((sky ? 190 : 40) + shade / 5);
            texel[3] = 255;
        }
    }
}

/* Averages squares of texels, in place. */
static void
reduce(uint8_t (*photo)[4])
{
    const uint32_t factor = PHOTO / THUMBNAIL;
    for (uint32_t i = 0; i < THUMBNAIL * THUMBNAIL; i++) {
        uint32_t x = i % THUMBNAIL * factor, y = i / THUMBNAIL * factor, sum[4] = {0};
        for (uint32_t k = 0; k < factor * factor; k++)
            for (uint32_t c = 0; c < 4; c++)
                sum[c] += photo[(y + k / factor) * PHOTO + x + k % factor][c];
        for (uint32_t c = 0; c < 4; c++)
            photo[i][c] = (uint8_t)(sum[c] / (factor * factor));
    }
}

static void
setup(void)
{
    uint8_t(*photo)[4] = malloc(sizeof *photo * PHOTO * PHOTO);
    glGenTextures(ROWS * COLUMNS, photos);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        GLsizei size = fixed ? THUMBNAIL : PHOTO;
        take_photo(photo, i);
        if (fixed)
            reduce(photo);
        glBindTexture(GL_TEXTURE_2D, photos[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, photo);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    }
    free(photo);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0.0, COLUMNS * CELL, 0.0, ROWS * CELL, -1.0, 1.0);
    glClearColor(0.2f, 0.2f, 0.2f, 1.0f);
    glEnable(GL_TEXTURE_2D);
}

static void
draw(uint32_t frame)
{
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        GLint x = (GLint)(i % COLUMNS * CELL + 4), y = (GLint)(i / COLUMNS * CELL + 4);
        glBindTexture(GL_TEXTURE_2D, photos[i]);
        glBegin(GL_QUADS);
        glTexCoord2i(0, 0);
        glVertex2i(x, y);
        glTexCoord2i(1, 0);
        glVertex2i(x + THUMBNAIL, y);
        glTexCoord2i(1, 1);
        glVertex2i(x + THUMBNAIL, y + THUMBNAIL);
        glTexCoord2i(0, 1);
        glVertex2i(x, y + THUMBNAIL);
        glEnd();
    }
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "album",
                                        .about = "Thumbnails of whole photos.",
                                        .width = COLUMNS * CELL,
                                        .height = ROWS * CELL,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
