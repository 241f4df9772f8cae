/* A wall of a gallery, seen from close up: six paintings of 512 x 512 texels below a canvas
 * structure of the same size, in fixed function with two texture units and a display list. All
 * have mipmaps, and are stored as RGB8. Fixed: they are compressed. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define PAINTINGS 6
#define SIZE      512u

static bool fixed;
static GLuint pictures[PAINTINGS + 1], hanging;
static GLubyte texels[SIZE * SIZE][4];

static void
upload(GLuint name)
{
    glBindTexture(GL_TEXTURE_2D, name);
    load_texture(fixed ? GL_COMPRESSED_RGB_S3TC_DXT1_EXT : GL_RGB8, SIZE, true, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

/* A landscape in the manner of a given painter: sky, hills and brush strokes. */
static void
paint(uint32_t painter)
{
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t x = i % SIZE, y = i / SIZE;
        uint32_t stroke = noise(x + 2 * y, y, SIZE, 8, painter);
        uint32_t hill = noise(x, 0, SIZE, 128, painter + 20);
        bool sky = y > SIZE / 4 + hill;
        texels[i][0] = (GLubyte)((sky ? 90 + 14 * painter : 40 + 20 * painter) + stroke / 4);
        texels[i][1] = (GLubyte)((sky ? 120 : 100 - 8 * painter) + stroke / 4);
        texels[i][2] = (GLubyte)((sky ? 180 - 9 * painter : 30) + stroke / 5);
        texels[i][3] = 255;
    }
}

static void
corner(float s, float t, float x, float y)
{
    glMultiTexCoord2f(GL_TEXTURE0, s, t);
    glMultiTexCoord2f(GL_TEXTURE1, 0.8f * s, 0.8f * t);
    glVertex2f(x, y);
}

static void
hang(int place)
{
    float x = 216.0f * (float)(place % 3), y = 242.0f * (float)(place / 3);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, pictures[place]);
    glBegin(GL_QUADS);
    corner(0, 0, x, y), corner(1, 0, x + 208, y);
    corner(1, 1, x + 208, y + 234), corner(0, 1, x, y + 234);
    glEnd();
}

static void
setup(void)
{
    glGenTextures(PAINTINGS + 1, pictures);
    for (uint32_t i = 0; i < PAINTINGS; i++) {
        paint(i);
        upload(pictures[i]);
    }
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        for (uint32_t c = 0; c < 3; c++)
            texels[i][c] = (GLubyte)(225 + (i % 4 / 2 ^ i / SIZE % 4 / 2) * 20 +
                                     noise(i % SIZE, i / SIZE, SIZE, 4, 50) / 26);
    glActiveTexture(GL_TEXTURE1);
    upload(pictures[PAINTINGS]);
    glEnable(GL_TEXTURE_2D);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
    glActiveTexture(GL_TEXTURE0);
    hanging = glGenLists(1);
    glNewList(hanging, GL_COMPILE);
    for (int place = 0; place < PAINTINGS; place++)
        hang(place);
    glEndList();
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, 640, 0, 480, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glClearColor(0.8f, 0.78f, 0.75f, 1.0f);
}

/* The visitors' rope and a label, without textures. */
static void
draw_rope(void)
{
    glActiveTexture(GL_TEXTURE1);
    glDisable(GL_TEXTURE_2D);
    glColor3f(0.5f, 0.1f, 0.15f);
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i <= 32; i++) {
        float sag = 30.0f - 24.0f * sine((float)(i % 16) / 32.0f);
        glVertex2f(20.0f * (float)i, sag), glVertex2f(20.0f * (float)i, sag + 6.0f);
    }
    glEnd();
    glColor3f(1, 1, 1);
    glRectf(300, 236, 340, 241);
    glEnable(GL_TEXTURE_2D);
    glActiveTexture(GL_TEXTURE0);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.5f * (float)frame, 0, 0);
    glEnable(GL_TEXTURE_2D);
    glColor3f(1, 1, 1);
    glCallList(hanging);
    glDisable(GL_TEXTURE_2D);
    draw_rope();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "gallery",
                                        .about = "Paintings that are not compressed.",
                                        .width = 640,
                                        .height = 480,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
