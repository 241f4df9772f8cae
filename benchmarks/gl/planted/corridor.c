/* A straight corridor of 60 sections, drawn with display lists and the fixed-function pipeline.
 * Stone, plank and plaster textures, none of which has mipmaps, extend to the vanishing point.
 * Fixed: all have. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define SIZE 512

static bool fixed;
static GLuint images[3], first_list;

static void
paint_stone(GLubyte rgb[4], int x, int y)
{
    int course = y / 64, joint = y % 64 < 5 || (x + course % 2 * 64) % 128 < 5;
    int tone = noise((uint32_t)x, (uint32_t)y, SIZE, 16, 3) / 4 + (joint ? 40 : 100);
    rgb[0] = (GLubyte)tone, rgb[1] = (GLubyte)(tone - 6), rgb[2] = (GLubyte)(tone - 16);
}

static void
paint_plank(GLubyte rgb[4], int x, int y)
{
    int tone = noise((uint32_t)x, (uint32_t)y / 8, SIZE, 8, (uint32_t)x / 64) / 3 + 70;
    if (x % 64 < 3)
        tone = 30;
    rgb[0] = (GLubyte)tone, rgb[1] = (GLubyte)(tone * 3 / 4), rgb[2] = (GLubyte)(tone / 2);
}

static void
paint_plaster(GLubyte rgb[4], int x, int y)
{
    int tone = 190 + noise((uint32_t)x, (uint32_t)y, SIZE, 8, 5) / 5;
    rgb[0] = rgb[1] = (GLubyte)tone, rgb[2] = (GLubyte)(tone - 10);
}

static void
load(GLuint name, void (*paint)(GLubyte[4], int, int))
{
    static GLubyte pixels[SIZE * SIZE][4];
    for (int i = 0; i < SIZE * SIZE; i++)
        paint(pixels[i], i % SIZE, i / SIZE);
    glBindTexture(GL_TEXTURE_2D, name);
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, SIZE, fixed, pixels);
}

/* A strip from (x0, y0) to (x1, y1), seen from within the corridor. */
static void
strip(float x0, float y0, float x1, float y1, float repeat)
{
    glBegin(GL_QUAD_STRIP);
    for (int section = 0; section <= 60; section++) {
        float z = (float)(-2 * section), fade = 1.0f - (float)section / 75.0f;
        glColor3f(fade, fade, fade * 0.95f);
        glTexCoord2f(0.0f, -z * 0.5f * repeat);
        glVertex3f(x0, y0, z);
        glTexCoord2f(repeat, -z * 0.5f * repeat);
        glVertex3f(x1, y1, z);
    }
    glEnd();
}

static void
setup(void)
{
    void (*const paints[])(GLubyte[4], int, int) = {paint_stone, paint_plank, paint_plaster};
    glGenTextures(3, images);
    first_list = glGenLists(3);
    for (GLuint i = 0; i < 3; i++) {
        load(images[i], paints[i]);
        glNewList(first_list + i, GL_COMPILE);
        glBindTexture(GL_TEXTURE_2D, images[i]);
        if (i == 0) {
            strip(-2.0f, -1.5f, -2.0f, 1.5f, 1.0f);
            strip(2.0f, 1.5f, 2.0f, -1.5f, 1.0f);
        } else {
            strip(2.0f, i == 1 ? -1.5f : 1.5f, -2.0f, i == 1 ? -1.5f : 1.5f, 2.0f);
        }
        glEndList();
    }
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.8, 0.8, -0.6, 0.6, 0.8, 130.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef(4.0f * sine(0.05f * (float)frame) + 6.0f, 0.0f, 1.0f, 0.0f);
    glTranslatef(0.4f, 0.2f, 0.3f * (float)frame);
    for (GLuint i = 0; i < 3; i++)
        glCallList(first_list + i);
}

int
main(int argc, char **argv)
{
    struct scene corridor = {.name = "corridor", .about = "A corridor to the vanishing point."};
    corridor.width = 512;
    corridor.height = 384;
    corridor.frames = 4;
    corridor.setup = setup;
    corridor.draw = draw;
    return planted_main(&corridor, &fixed, argc, argv);
}
