/* A near planet and its many moons, lit, one display list. The map has no mipmaps, and most moons
 * are much smaller than it. Fixed: the map has mipmaps. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { MAP_WIDTH = 1024, MAP_HEIGHT = 512, SLICES = 20, STACKS = 10, ROWS = 4, COLUMNS = 5 };

static bool fixed;
static GLuint sphere;

static void
load_map(void)
{
    static uint8_t texels[MAP_HEIGHT][MAP_WIDTH][4];
    for (uint32_t y = 0; y < MAP_HEIGHT; y++) {
        for (uint32_t x = 0; x < MAP_WIDTH; x++) {
            uint8_t height = noise(x, y, MAP_WIDTH, 64, 21), detail = noise(x, y, MAP_WIDTH, 4, 22);
            bool land = height > 120;
            texels[y][x][0] = (uint8_t)((land ? 120 : 20) + detail / 8);
            texels[y][x][1] = (uint8_t)((land ? 130 : 60) + detail / 8);
            texels[y][x][2] = (uint8_t)((land ? 50 : 150) + detail / 8);
            texels[y][x][3] = 255;
        }
    }
    GLuint map;
    glGenTextures(1, &map);
    glBindTexture(GL_TEXTURE_2D, map);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, MAP_WIDTH, MAP_HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 texels);
    if (fixed)
        glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    fixed ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
}

static void
point(uint32_t slice, uint32_t stack)
{
    float u = (float)slice / SLICES, v = (float)stack / STACKS;
    float ring = sine(0.5f * v);
    float x = ring * cosine(u), y = -cosine(0.5f * v), z = -ring * sine(u);
    glTexCoord2f(u, v);
    glNormal3f(x, y, z);
    glVertex3f(x, y, z);
}

static void
setup(void)
{
    static const float sun[] = {0.6f, 0.5f, 0.8f, 0.0f};
    load_map();
    sphere = glGenLists(1);
    glNewList(sphere, GL_COMPILE);
    for (uint32_t stack = 0; stack < STACKS; stack++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (uint32_t slice = 0; slice <= SLICES; slice++) {
            point(slice, stack + 1);
            point(slice, stack);
        }
        glEnd();
    }
    glEndList();
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glEnable(GL_NORMALIZE);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glLightfv(GL_LIGHT0, GL_POSITION, sun);
    glMatrixMode(GL_PROJECTION);
    glOrtho(-10.0, 10.0, -8.0, 8.0, -20.0, 20.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
globe(float x, float y, float z, float radius, float angle)
{
    glLoadIdentity();
    glTranslatef(x, y, z);
    glRotatef(angle, 0.0f, 1.0f, 0.2f);
    glScalef(radius, radius, radius);
    glCallList(sphere);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    globe(5.0f, -3.0f, 8.0f, 5.0f, 10.0f * (float)frame);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++)
            globe(-8.0f + 4.0f * (float)column, -6.0f + 4.0f * (float)row, 0.0f, 1.6f,
                  (float)(37 * row + 53 * column + 10 * frame));
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "globes",
                                        .about = "A planet and its moons, without mipmaps.",
                                        .width = 640,
                                        .height = 512,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
