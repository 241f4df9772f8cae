/* Blocks of houses along streets, seen from the pavement. They are lit, have a facade texture and a
 * grime texture, and are drawn from display lists. The loop starts with the row at the horizon.
 * Fixed: it starts with the row in front of the eye. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { ROWS = 14, COLUMNS = 9, IMAGE = 128 };

static bool fixed;
static GLuint facade, grime, house;

static GLuint
paint(uint32_t seed, bool windows)
{
    static uint8_t texels[IMAGE][IMAGE][3];
    for (uint32_t y = 0; y < IMAGE; y++) {
        for (uint32_t x = 0; x < IMAGE; x++) {
            bool glass = windows && x % 32 > 9 && x % 32 < 23 && y % 32 > 7 && y % 32 < 25;
            uint8_t value = noise(x, y, IMAGE, windows ? 8 : 32, seed);
            texels[y][x][0] = glass ? 70 : (uint8_t)(170 + value / 4);
            texels[y][x][1] = glass ? 90 : (uint8_t)(160 + value / 4);
            texels[y][x][2] = glass ? 140 : (uint8_t)(140 + value / 4);
        }
    }
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, IMAGE, IMAGE, 0, GL_RGB, GL_UNSIGNED_BYTE, texels);
    return texture;
}

static void
corner(float s, float t, float x, float y, float z)
{
    glMultiTexCoord2f(GL_TEXTURE0, 2.0f * s, 4.0f * t);
    glMultiTexCoord2f(GL_TEXTURE1, s, t);
    glVertex3f(x, y, z);
}

/* A box without floor: front, sides, roof. */
static GLuint
build_house(void)
{
    GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    glBegin(GL_QUADS);
    glNormal3f(0.0f, 0.0f, 1.0f);
    corner(0, 0, -1, 0, 1);
    corner(1, 0, 1, 0, 1);
    corner(1, 1, 1, 1, 1);
    corner(0, 1, -1, 1, 1);
    glNormal3f(1.0f, 0.0f, 0.0f);
    corner(0, 0, 1, 0, 1);
    corner(1, 0, 1, 0, -1);
    corner(1, 1, 1, 1, -1);
    corner(0, 1, 1, 1, 1);
    glNormal3f(-1.0f, 0.0f, 0.0f);
    corner(0, 0, -1, 0, -1);
    corner(1, 0, -1, 0, 1);
    corner(1, 1, -1, 1, 1);
    corner(0, 1, -1, 1, -1);
    glNormal3f(0.0f, 1.0f, 0.0f);
    corner(0, 0, -1, 1, 1);
    corner(1, 0, 1, 1, 1);
    corner(1, 1, 1, 1, -1);
    corner(0, 1, -1, 1, -1);
    glEnd();
    glEndList();
    return list;
}

static void
setup(void)
{
    static const float sun[] = {0.4f, 0.7f, 0.6f, 0.0f};
    grime = paint(7, false);
    facade = paint(3, true);
    house = build_house();
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_NORMALIZE);
    glLightfv(GL_LIGHT0, GL_POSITION, sun);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, grime);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
    glEnable(GL_TEXTURE_2D);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, facade);
    glEnable(GL_TEXTURE_2D);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.8, 0.8, -0.3, 0.7, 1.0, 100.0);
    glMatrixMode(GL_MODELVIEW);
    glClearColor(0.6f, 0.75f, 0.9f, 1.0f);
}

static void
draw_row(uint32_t row)
{
    for (uint32_t i = 0; i < COLUMNS; i++) {
        uint8_t floors = noise(5 * row, 3 * i, 64, 1, 11);
        glPushMatrix();
        glTranslatef(2.3f * ((float)i - COLUMNS / 2), -0.8f, -3.0f - 3.0f * (float)row);
        glScalef(1.0f, 1.6f + (float)row * 0.25f + (float)floors / 120.0f, 0.8f);
        glCallList(house);
        glPopMatrix();
    }
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.02f * (float)frame, 0.0f, 0.0f);
    if (fixed) {
        for (uint32_t row = 0; row < ROWS; row++)
            draw_row(row);
    } else {
        for (uint32_t row = ROWS; row-- > 0;)
            draw_row(row);
    }
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "city",
                                        .about = "Rows of houses, the horizon first.",
                                        .width = 640,
                                        .height = 400,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
