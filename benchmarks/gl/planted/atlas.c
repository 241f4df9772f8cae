/* The map of a strategy game, zoomed out until a tile is 6 pixels wide. The tiles are 64 texels
 * wide in an atlas of 512 x 512, and the filter is linear without mipmaps. Fixed: the atlas has
 * mipmaps. The visible tiles are in a client array, which is filled in each frame, because the map
 * scrolls. */
#include "planted.h"

#include <GL/gl.h>
#include <GL/glext.h>

enum { ACROSS = 66, DOWN = 50, TILE = 6, ATLAS = 512, IN_ATLAS = 8 };

static bool fixed;

static void
paint_tile(uint8_t texel[4], uint32_t x, uint32_t y, uint32_t kind)
{
    static const uint8_t ground[4][3] = {
        {40, 90, 160}, {70, 130, 50}, {150, 130, 80}, {110, 110, 110}};
    uint8_t tone = noise(x, y, 64, 8, kind), fine = noise(x, y, 64, 2, kind + 70);
    bool road = kind % 5 == 1 && x % 32 > 24, roof = kind % 7 == 3 && x / 16 % 2 && y / 16 % 2;
    for (int c = 0; c < 3; c++)
        texel[c] = (uint8_t)(ground[kind % 4][c] + tone / 6 + fine / 8);
    if (road || roof)
        texel[0] = roof ? 190 : 210, texel[1] = roof ? 60 : 200;
    texel[3] = 255;
}

static void
setup(void)
{
    static uint8_t texels[ATLAS * ATLAS][4];
    for (uint32_t i = 0; i < ATLAS * ATLAS; i++) {
        uint32_t x = i % ATLAS, y = i / ATLAS;
        paint_tile(texels[i], x % 64, y % 64, x / 64 + y / 64 * IN_ATLAS);
    }
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, ATLAS, fixed, texels);
    glEnable(GL_TEXTURE_2D);
    glMatrixMode(GL_TEXTURE);
    glScalef(1.0f / IN_ATLAS, 1.0f / IN_ATLAS, 1.0f);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, (ACROSS - 1) * TILE, 0, (DOWN - 1) * TILE, -1, 1);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
}

static uint32_t
kind_at(uint32_t x, uint32_t y)
{
    uint32_t region = noise(x % 256, y % 256, 256, 16, 8) / 64u;
    return region * 16 + (x * 2654435761u ^ y * 2246822519u) / 4096 % 16;
}

static void
draw(uint32_t frame)
{
    static GLshort corners[ACROSS * DOWN * 4][4]; /* s, t, x, y */
    for (uint32_t i = 0; i < ACROSS * DOWN * 4; i++) {
        uint32_t x = i / 4 % ACROSS, y = i / 4 / ACROSS, kind = kind_at(x + frame / TILE, y);
        uint32_t right = i % 4 == 1 || i % 4 == 2, top = i % 4 / 2;
        corners[i][0] = (GLshort)(kind % IN_ATLAS + right);
        corners[i][1] = (GLshort)(kind / IN_ATLAS + top);
        corners[i][2] = (GLshort)((x + right) * TILE - frame % TILE);
        corners[i][3] = (GLshort)((y + top) * TILE);
    }
    glTexCoordPointer(2, GL_SHORT, sizeof corners[0], corners[0]);
    glVertexPointer(2, GL_SHORT, sizeof corners[0], corners[0] + 2);
    glDrawArrays(GL_QUADS, 0, ACROSS * DOWN * 4);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "atlas",
                                        .about = "A map of small tiles from one atlas.",
                                        .width = (ACROSS - 1) * TILE,
                                        .height = (DOWN - 1) * TILE,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
