/* Partition walls of a museum, the nearest first, with wallpaper, dirt and a light map in fixed
 * function. The alpha test of the railings stays on for the walls. Fixed: the walls are drawn
 * without it. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { WALLS = 10, IMAGE = 64, LAYERS = 4 };

static bool fixed;
static GLuint railing;

static void
paint(GLuint texture, uint32_t seed, bool has_holes)
{
    static uint8_t texels[IMAGE * IMAGE][4];
    for (uint32_t i = 0; i < IMAGE * IMAGE; i++) {
        uint32_t x = i % IMAGE, y = i / IMAGE;
        texels[i][0] = (uint8_t)(155 + noise(x, y, IMAGE, 16, seed) * 100 / 255);
        texels[i][1] = (uint8_t)(155 + noise(x, y, IMAGE, 8, seed + 1) * 100 / 255);
        texels[i][2] = (uint8_t)(155 + noise(x, y, IMAGE, 16, seed + 2) * 100 / 255);
        texels[i][3] = has_holes && x % 16 > 3 ? 0 : 255;
    }
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, IMAGE, IMAGE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
}

static void
setup(void)
{
    GLuint layers[LAYERS];
    glGenTextures(LAYERS, layers);
    for (uint32_t i = 0; i < LAYERS; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        paint(layers[i], 10 * i, false);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
        glEnable(GL_TEXTURE_2D);
    }
    glActiveTexture(GL_TEXTURE0);
    glGenTextures(1, &railing);
    paint(railing, 77, true);
    glBindTexture(GL_TEXTURE_2D, layers[0]);
    glAlphaFunc(GL_GEQUAL, 0.5f);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.64, 0.64, -0.48, 0.48, 1.0, 40.0);
    glMatrixMode(GL_MODELVIEW);
    glTranslatef(0.0f, 0.0f, -1.3f);
}

static void
quad(float left, float right, float bottom, float top, float z, float repeat)
{
    static const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    glBegin(GL_QUADS);
    for (uint32_t i = 0; i < 4; i++) {
        float s = corners[i][0], t = corners[i][1];
        for (uint32_t unit = 0; unit < LAYERS; unit++)
            glMultiTexCoord2f(GL_TEXTURE0 + unit, repeat * s / (float)(unit + 1),
                              repeat * t / (float)(unit + 1));
        glVertex3f(s > 0.5f ? right : left, t > 0.5f ? top : bottom, z);
    }
    glEnd();
}

static void
draw(uint32_t frame)
{
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (!fixed)
        glEnable(GL_ALPHA_TEST);
    for (uint32_t i = 0; i < WALLS; i++) {
        float z = -0.5f * (float)i, step = 0.3f * (float)i;
        quad(-1.5f - step, 0.3f + step, -3.0f, 1.5f + step, z, 8.0f);
        quad(0.5f - 0.8f * step, 2.0f + step, -3.0f, 1.2f + step, z - 0.2f, 6.0f);
    }
    GLint wallpaper;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &wallpaper);
    glBindTexture(GL_TEXTURE_2D, railing);
    glEnable(GL_ALPHA_TEST);
    quad(-0.6f, 0.6f, -0.55f, -0.4f, 0.1f, 4.0f);
    glDisable(GL_ALPHA_TEST);
    glBindTexture(GL_TEXTURE_2D, (GLuint)wallpaper);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "museum",
                                        .about = "Walls drawn with the alpha test of the railings.",
                                        .width = 512,
                                        .height = 384,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
