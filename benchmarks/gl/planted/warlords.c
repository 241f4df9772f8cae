/* A strategy game in immediate mode. The portraits of eight warlords are shown 40 pixels wide in
 * the bar below the map, and 18 pixels wide above their armies. The portraits have 1024 x 1024
 * texels. Fixed: they have 64 x 64, and mipmaps. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { LORDS = 8, LARGE = 1024, SMALL = 64, ARMIES = 4, SOIL = 128 };

static bool fixed;
static GLuint portraits[LORDS], soil;
static GLubyte texels[LARGE * LARGE][4];

/* A head with a helmet and a beard in front of a coat of arms. */
static void
paint_portrait(int lord, int size)
{
    for (int i = 0; i < size * size; i++) {
        float x = 2.0f * (float)(i % size) / (float)size - 1.0f;
        float y = 2.0f * (float)(i / size) / (float)size - 1.0f;
        float head = 1.6f * x * x + y * y;
        bool face = head < 0.5f, helmet = face && y > 0.15f + 0.05f * (float)(lord % 3);
        bool beard = face && y < -0.2f - 0.1f * (float)(lord % 2);
        bool chevron = (int)(4.0f * (y + 1.0f) + (x < 0 ? -x : x) * (float)(2 + lord % 3)) % 2;
        GLubyte *t = texels[i];
        t[0] = (GLubyte)(helmet ? 150 : beard ? 90 : face ? 225 : chevron ? 30 * lord : 200);
        t[1] = (GLubyte)(helmet ? 155 : beard ? 60 : face ? 180 : chevron ? 60 : 190 - 20 * lord);
        t[2] = (GLubyte)(helmet ? 165 : beard ? 30 : face ? 140 : chevron ? 120 : 40);
        t[3] = 255;
    }
}

static void
setup(void)
{
    const int size = fixed ? SMALL : LARGE;
    glGenTextures(LORDS, portraits);
    for (int lord = 0; lord < LORDS; lord++) {
        paint_portrait(lord, size);
        glBindTexture(GL_TEXTURE_2D, portraits[lord]);
        load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, (uint32_t)size, fixed, texels);
    }
    for (uint32_t i = 0; i < SOIL * SOIL; i++) {
        uint8_t tone = noise(i % SOIL, i / SOIL, SOIL, 16, 1) / 4;
        texels[i][0] = (GLubyte)(90 + tone), texels[i][1] = (GLubyte)(110 + tone);
        texels[i][2] = (GLubyte)(60 + tone / 2), texels[i][3] = 255;
    }
    glGenTextures(1, &soil);
    glBindTexture(GL_TEXTURE_2D, soil);
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, SOIL, true, texels);
    glOrtho(0, 400, 0, 280, -1, 1);
}

static void
tile(float x, float y, float width, float height, float s, float t)
{
    glTexCoord2f(0, 0), glVertex2f(x, y);
    glTexCoord2f(s, 0), glVertex2f(x + width, y);
    glTexCoord2f(s, t), glVertex2f(x + width, y + height);
    glTexCoord2f(0, t), glVertex2f(x, y + height);
}

static void
army_place(int lord, int army, uint32_t frame, float *x, float *y)
{
    float march = 0.004f * (float)frame + 0.13f * (float)lord + 0.27f * (float)army;
    *x = 12.0f + 48.0f * (float)lord + 9.0f * sine(march);
    *y = 76.0f + 48.0f * (float)army + 7.0f * cosine(march);
}

/* The soil, then nine soldiers of each army. */
static void
draw_map(uint32_t frame)
{
    glBindTexture(GL_TEXTURE_2D, soil);
    glColor3f(1, 1, 1);
    glBegin(GL_QUADS);
    tile(0, 56, 400, 224, 400.0f / SOIL, 224.0f / SOIL);
    glEnd();
    glDisable(GL_TEXTURE_2D);
    glPointSize(4.0f);
    glBegin(GL_POINTS);
    for (int i = 0; i < LORDS * ARMIES * 9; i++) {
        float x, y;
        army_place(i / 9 % LORDS, i / 9 / LORDS, frame, &x, &y);
        glColor3f(0.3f + 0.08f * (float)(i / 9 % LORDS), 0.25f, 0.5f);
        glVertex2f(x + 6.0f * (float)(i % 3), y - 6.0f * (float)(i % 9 / 3));
    }
    glEnd();
    glColor3f(0.25f, 0.2f, 0.15f); /* the bar */
    glRectf(0, 0, 400, 56);
    glEnable(GL_TEXTURE_2D);
}

static void
draw(uint32_t frame)
{
    glEnable(GL_TEXTURE_2D);
    draw_map(frame);
    glColor3f(1, 1, 1);
    for (int lord = 0; lord < LORDS; lord++) {
        glBindTexture(GL_TEXTURE_2D, portraits[lord]);
        glBegin(GL_QUADS);
        tile(8.0f + 48.0f * (float)lord, 8, 40, 40, 1, 1);
        for (int army = 0; army < ARMIES; army++) {
            float x, y;
            army_place(lord, army, frame, &x, &y);
            tile(x - 1, y + 6, 18, 18, 1, 1);
        }
        glEnd();
    }
    glDisable(GL_TEXTURE_2D);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "warlords",
                                        .about = "Small portraits with large textures.",
                                        .width = 400,
                                        .height = 280,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
