/* Lanterns on a quay at night, some of which are behind columns. Before a lantern's flare is drawn,
 * the program reads the depth at the lantern, to see whether it is visible. Fixed: the program
 * reads the depths of all lanterns at once, after the last draw of the frame, and uses them in the
 * next frame. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { LANTERNS = 14, WIDTH = 448, HEIGHT = 256, GLOW = 32, ROW = 168 };

static bool fixed;
static GLuint quay, glow_texture, stone_texture;
static bool visible[LANTERNS];

static void
load_textures(void)
{
    static GLubyte texels[64 * 64][4];
    for (int i = 0; i < GLOW * GLOW; i++) {
        float x = (float)(i % GLOW) / 15.5f - 1.0f, y = (float)(i / GLOW) / 15.5f - 1.0f;
        float r = 1.0f - x * x - y * y;
        GLubyte tone = (GLubyte)(r > 0.0f ? 220.0f * r * r : 0.0f);
        texels[i][0] = tone, texels[i][1] = (GLubyte)(tone * 4 / 5), texels[i][2] = tone / 3;
    }
    glGenTextures(1, &glow_texture);
    glBindTexture(GL_TEXTURE_2D, glow_texture);
    load_texture(GL_RGB8, GLOW, true, texels);
    for (uint32_t i = 0; i < 64 * 64; i++)
        for (uint32_t c = 0; c < 3; c++)
            texels[i][c] = (GLubyte)(70 + noise(i % 64, i / 64, 64, 8, c) / 4);
    glGenTextures(1, &stone_texture);
    glBindTexture(GL_TEXTURE_2D, stone_texture);
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 64, true, texels);
}

/* A rectangle at the depth z; the texture repeats every 40 pixels. */
static void
rectangle(float x, float y, float width, float height, float z)
{
    glTexCoord2f(x / 40, y / 40), glVertex3f(x, y, z);
    glTexCoord2f((x + width) / 40, y / 40), glVertex3f(x + width, y, z);
    glTexCoord2f((x + width) / 40, (y + height) / 40), glVertex3f(x + width, y + height, z);
    glTexCoord2f(x / 40, (y + height) / 40), glVertex3f(x, y + height, z);
}

static float
lantern_x(int i)
{
    return 20.0f + 31.0f * (float)i;
}

/* The columns, the nearest first; then the lanterns, the quay and the houses. */
static void
compile_quay(void)
{
    quay = glGenLists(1);
    glNewList(quay, GL_COMPILE);
    glBegin(GL_QUADS);
    glColor3f(0.7f, 0.7f, 0.8f);
    for (int i = 0; i < 4; i++)
        rectangle(40.0f + 105.0f * (float)i, 0, 26, 256, 0.8f);
    glColor3f(1.0f, 0.9f, 0.6f);
    for (int i = 0; i < LANTERNS; i++)
        rectangle(lantern_x(i) - 3, ROW - 4, 6, 9, 0.4f);
    glColor3f(0.2f, 0.2f, 0.25f);
    for (int i = 0; i < LANTERNS; i++)
        rectangle(lantern_x(i) - 1, 40, 2, ROW - 44, 0.4f);
    glColor3f(0.5f, 0.5f, 0.6f);
    rectangle(0, 0, WIDTH, 60, 0.2f);
    for (int i = 0; i < 8; i++) {
        glColor3f(0.3f, 0.25f + 0.02f * (float)i, 0.35f);
        rectangle(56.0f * (float)i, 60, 52, 70.0f + 12.0f * (float)(i * 3 % 5), 0.0f);
    }
    glEnd();
    glEndList();
}

static void
setup(void)
{
    load_textures();
    compile_quay();
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, WIDTH, 0, HEIGHT, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glEnable(GL_TEXTURE_2D);
    glBlendFunc(GL_ONE, GL_ONE);
    glClearColor(0.04f, 0.05f, 0.12f, 1.0f);
}

/* The window's depth of a lantern is 0.3; that of a column is smaller. */
static bool
is_lantern(GLfloat depth)
{
    return depth > 0.25f;
}

static void
flare(int i, float size)
{
    float x = lantern_x(i) - size, y = ROW - size;
    glTexCoord2f(0, 0), glVertex2f(x, y);
    glTexCoord2f(1, 0), glVertex2f(x + 2 * size, y);
    glTexCoord2f(1, 1), glVertex2f(x + 2 * size, y + 2 * size);
    glTexCoord2f(0, 1), glVertex2f(x, y + 2 * size);
}

static void
draw_flares(uint32_t frame)
{
    glBindTexture(GL_TEXTURE_2D, glow_texture);
    glEnable(GL_BLEND);
    glColor3f(1, 1, 1);
    if (fixed)
        glBegin(GL_QUADS);
    for (int i = 0; i < LANTERNS; i++) {
        GLfloat depth;
        if (!fixed) {
            glReadPixels((GLint)lantern_x(i), ROW, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
            visible[i] = is_lantern(depth);
        }
        if (!visible[i])
            continue;
        if (!fixed)
            glBegin(GL_QUADS);
        flare(i, 20.0f + 2.0f * sine(0.1f * (float)(frame + (uint32_t)i)));
        if (!fixed)
            glEnd();
    }
    if (fixed)
        glEnd();
    glDisable(GL_BLEND);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBindTexture(GL_TEXTURE_2D, stone_texture);
    glEnable(GL_DEPTH_TEST);
    glCallList(quay);
    glDisable(GL_DEPTH_TEST);
    draw_flares(frame);
    if (fixed) {
        GLfloat depths[WIDTH];
        glReadPixels(0, ROW, WIDTH, 1, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
        for (int i = 0; i < LANTERNS; i++)
            visible[i] = is_lantern(depths[(int)lantern_x(i)]);
    }
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "lanterns",
                                        .about = "The depth is read before each flare.",
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
