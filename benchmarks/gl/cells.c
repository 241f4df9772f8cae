/* Cells of known size and color: the window is covered once by a grid of quadrilaterals, two
 * triangles each, whose corners are displaced at random. The options set what lossless codecs of
 * color blocks depend on: the number of edges, the slope of colors inside a cell, and noise. */
#include "window.h"

#include <GL/gl.h>

#include <stdlib.h>

static uint32_t cell = 32, slope, noise;
static uint32_t width = 512, height = 512;

enum { NOISE_SIDE = 256 };

/* A texture of gray values up to `noise`, one texel per pixel. */
static void
setup(void)
{
    struct random random = {.state = 777};
    int32_t view[4];
    glGetIntegerv(GL_VIEWPORT, view);
    width = (uint32_t)view[2];
    height = (uint32_t)view[3];
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, width, 0, height, -1, 1);
    uint8_t *texels = malloc(NOISE_SIDE * NOISE_SIDE);
    for (uint32_t i = 0; i < NOISE_SIDE * NOISE_SIDE; i++)
        texels[i] = (uint8_t)(random_next(&random) * (float)(noise + 1));
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, NOISE_SIDE, NOISE_SIDE, 0, GL_LUMINANCE,
                 GL_UNSIGNED_BYTE, texels);
    free(texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_ADD);
    if (noise)
        glEnable(GL_TEXTURE_2D);
    check_gl("setup");
}

struct corner {
    float x, y;
};

/* A corner of the grid. Corners on the border stay on it, or the window would not be covered. */
static struct corner
corner_at(uint32_t column, uint32_t row, uint32_t columns, uint32_t rows, uint32_t frame)
{
    struct random random = {.state = (row * 4099 + column) * 31 + frame * 65537 + 1};
    const float most = 0.3f * (float)cell;
    for (uint32_t i = 0; i < 3; i++) /* neighbouring seeds begin alike */
        random_next(&random);
    const float dx = (random_next(&random) * 2 - 1) * most;
    const float dy = (random_next(&random) * 2 - 1) * most;
    const bool on_side = column == 0 || column == columns, on_end = row == 0 || row == rows;
    return (struct corner){(float)(column * cell) + (on_side ? 0 : dx),
                           (float)(row * cell) + (on_end ? 0 : dy)};
}

/* The colors of the cell at the corner: base, and `slope` sixteenths of a level per pixel, with
 * another direction for each component. */
static void
put_corner(struct corner corner, const float base[3], float x, float y)
{
    const float dx = corner.x - x, dy = corner.y - y, step = (float)slope / 16;
    const float change[3] = {dx * step, dy * step, (dx + dy) * step / 2};
    float color[3];
    for (uint32_t i = 0; i < 3; i++)
        color[i] = (base[i] + change[i]) / 255;
    glColor3fv(color);
    glTexCoord2f(corner.x / NOISE_SIDE, corner.y / NOISE_SIDE);
    glVertex2f(corner.x, corner.y);
}

static void
draw(uint32_t frame)
{
    struct random random = {.state = 4242 + frame};
    const uint32_t columns = (width + cell - 1) / cell, rows = (height + cell - 1) / cell;
    glClear(GL_COLOR_BUFFER_BIT);
    glBegin(GL_TRIANGLES);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            const struct corner at[4] = {corner_at(column, row, columns, rows, frame),
                                         corner_at(column + 1, row, columns, rows, frame),
                                         corner_at(column + 1, row + 1, columns, rows, frame),
                                         corner_at(column, row + 1, columns, rows, frame)};
            static const uint8_t order[6] = {0, 1, 2, 0, 2, 3};
            float base[3];
            for (uint32_t i = 0; i < 3; i++)
                base[i] = 32 + random_next(&random) * 96;
            for (uint32_t i = 0; i < 6; i++)
                put_corner(at[order[i]], base, (float)(column * cell), (float)(row * cell));
        }
    glEnd();
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {
        {"cell", &cell, NULL, "side of a cell in pixels, 1 to 4096 (32)"},
        {"slope", &slope, NULL, "change of color per pixel, in sixteenths of a level of 255 (0)"},
        {"noise", &noise, NULL, "largest value of the noise, in levels of 255 (0)"},
        {0},
    };
    return scene_main(&(struct scene){.name = "cells",
                                      .about = "Cells of known size, slope of color and noise.",
                                      .width = 512,
                                      .height = 512,
                                      .frames = 1,
                                      .options = options,
                                      .setup = setup,
                                      .draw = draw},
                      argc, argv);
}
