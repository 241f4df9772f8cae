/* A factory at dusk. Its three chimneys emit 420 puffs of smoke that are 12 pixels wide, in one
 * draw, with their places in a client array. The picture of a puff is 512 texels wide. Fixed: it is
 * 16 texels wide, and has mipmaps. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { PUFFS = 420, BRICKS = 64 };

static bool fixed;
static GLuint puff_texture, brick_texture, factory, coordinates;
static const GLfloat corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

static void
load_puff(void)
{
    static GLubyte texels[512 * 512][4];
    const int size = fixed ? 16 : 512;
    for (int i = 0; i < size * size; i++) {
        float x = 2.0f * ((float)(i % size) + 0.5f) / (float)size - 1.0f;
        float y = 2.0f * ((float)(i / size) + 0.5f) / (float)size - 1.0f;
        float density = 1.0f - x * x - y * y;
        texels[i][0] = texels[i][1] = 190, texels[i][2] = 200;
        texels[i][3] = (GLubyte)(density > 0.0f ? 160.0f * density : 0.0f);
    }
    glGenTextures(1, &puff_texture);
    glBindTexture(GL_TEXTURE_2D, puff_texture);
    load_texture(GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, (uint32_t)size, fixed, texels);
}

static void
load_bricks(void)
{
    static GLubyte texels[BRICKS * BRICKS][4];
    for (uint32_t i = 0; i < BRICKS * BRICKS; i++) {
        uint32_t x = i % BRICKS, y = i / BRICKS;
        bool mortar = y % 8 == 0 || (x + (y / 8 % 2) * 8) % 16 == 0;
        uint8_t tone = (uint8_t)(noise(x, y, BRICKS, 4, 7) / 4);
        texels[i][0] = (uint8_t)(mortar ? 150 : 110 + tone);
        texels[i][1] = (uint8_t)(mortar ? 145 : 50 + tone);
        texels[i][2] = (uint8_t)(mortar ? 140 : 40 + tone / 2);
        texels[i][3] = 255;
    }
    glGenTextures(1, &brick_texture);
    glBindTexture(GL_TEXTURE_2D, brick_texture);
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, BRICKS, true, texels);
}

static void
wall(float x, float y, float width, float height, float tone)
{
    glColor3f(tone, tone, tone);
    glTexCoord2f(0, 0), glVertex2f(x, y);
    glTexCoord2f(width / 80, 0), glVertex2f(x + width, y);
    glTexCoord2f(width / 80, height / 80), glVertex2f(x + width, y + height);
    glTexCoord2f(0, height / 80), glVertex2f(x, y + height);
}

/* The coordinates of the puffs never change, so they are in a buffer. */
static void
build_coordinates(void)
{
    static GLfloat data[PUFFS * 4][2];
    for (int i = 0; i < PUFFS * 4; i++)
        data[i][0] = corners[i % 4][0], data[i][1] = corners[i % 4][1];
    glGenBuffers(1, &coordinates);
    glBindBuffer(GL_ARRAY_BUFFER, coordinates);
    glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

static void
setup(void)
{
    build_coordinates();
    load_puff();
    load_bricks();
    factory = glGenLists(1);
    glNewList(factory, GL_COMPILE);
    glBegin(GL_QUADS);
    wall(40, 20, 320, 90, 1.0f);
    for (int i = 0; i < 3; i++)
        wall(80.0f + 100.0f * (float)i, 110, 24, 70, 0.85f);
    glEnd();
    glEndList();
    glOrtho(0, 400, 0, 300, -1, 1);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glClearColor(0.6f, 0.45f, 0.4f, 1.0f);
}

static void
draw_smoke(uint32_t frame)
{
    static GLfloat places[PUFFS][4][2];
    for (int i = 0; i < PUFFS; i++) {
        float age = (float)((uint32_t)(i * 37) + 3 * frame) / 420.0f;
        age -= (float)(int)age;
        float x = 86.0f + 100.0f * (float)(i % 3) + 60.0f * age * age +
                  (6.0f + 24.0f * age) * sine((float)i * 0.37f + age);
        float y = 176.0f + 110.0f * age;
        for (int c = 0; c < 4; c++) {
            places[i][c][0] = x + 12.0f * corners[c][0];
            places[i][c][1] = y + 12.0f * corners[c][1];
        }
    }
    glBindTexture(GL_TEXTURE_2D, puff_texture);
    glEnable(GL_BLEND);
    glColor4f(1, 1, 1, 0.8f);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, places);
    glBindBuffer(GL_ARRAY_BUFFER, coordinates);
    glTexCoordPointer(2, GL_FLOAT, 0, NULL);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glDrawArrays(GL_QUADS, 0, 4 * PUFFS);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    glDisable(GL_BLEND);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, brick_texture);
    glCallList(factory);
    draw_smoke(frame);
    glDisable(GL_TEXTURE_2D);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "chimney",
                                        .about = "Small puffs of smoke with a large texture.",
                                        .width = 400,
                                        .height = 300,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
