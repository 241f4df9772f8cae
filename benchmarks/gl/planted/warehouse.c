/* A long warehouse with boxes, in fixed function with two texture units. The floor, the roof and
 * both walls have a base texture, and a detail texture that repeats three times per meter. The
 * detail texture has no mipmaps. Fixed: it has. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { BASE = 128, DETAIL = 256 };

static bool fixed;
static GLuint base, detail, box_list, shell_list;
static GLubyte texels[DETAIL * DETAIL][4];

static void
fill(uint32_t size, uint32_t cell, uint32_t seed, uint8_t dark)
{
    for (uint32_t i = 0; i < size * size; i++) {
        uint32_t tone = dark + noise(i % size, i / size, size, cell, seed) * (255u - dark) / 255u;
        texels[i][0] = (GLubyte)tone;
        texels[i][1] = (GLubyte)(tone * 31 / 32);
        texels[i][2] = (GLubyte)(tone * 7 / 8);
        texels[i][3] = 255;
    }
}

static void
load_textures(void)
{
    glGenTextures(1, &base);
    glGenTextures(1, &detail);
    glBindTexture(GL_TEXTURE_2D, base);
    fill(BASE, 16, 1, 100);
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, BASE, true, texels);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, detail);
    fill(DETAIL, 4, 2, 190);
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, DETAIL, fixed, texels);
    glActiveTexture(GL_TEXTURE0);
}

static void
point(float s, float t, float x, float y, float z)
{
    glMultiTexCoord2f(GL_TEXTURE0, 0.5f * s, 0.5f * t);
    glMultiTexCoord2f(GL_TEXTURE1, 3.0f * s, 3.0f * t);
    glVertex3f(x, y, z);
}

static void
compile_shell(void)
{
    shell_list = glGenLists(1);
    glNewList(shell_list, GL_COMPILE);
    glBegin(GL_QUADS);
    glColor3f(0.8f, 0.8f, 0.8f);
    point(0, 0, -5, 0, 0), point(10, 0, 5, 0, 0), point(10, 40, 5, 0, -40),
        point(0, 40, -5, 0, -40);
    glColor3f(0.55f, 0.55f, 0.6f);
    point(0, 0, -5, 4, 0), point(10, 0, 5, 4, 0), point(10, 40, 5, 4, -40),
        point(0, 40, -5, 4, -40);
    for (int side = -5; side <= 5; side += 10) {
        float x = (float)side;
        glColor3f(0.9f, 0.8f, 0.7f);
        point(0, 0, x, 0, 0), point(40, 0, x, 0, -40), point(40, 4, x, 4, -40),
            point(0, 4, x, 4, 0);
    }
    glColor3f(0.5f, 0.45f, 0.4f);
    point(0, 0, -5, 0, -40), point(10, 0, 5, 0, -40), point(10, 4, 5, 4, -40);
    point(0, 4, -5, 4, -40);
    glEnd();
    glEndList();
}

/* Two visible sides and the top of each box, the nearest boxes first. */
static void
compile_boxes(void)
{
    box_list = glGenLists(1);
    glNewList(box_list, GL_COMPILE);
    glBegin(GL_QUADS);
    for (int i = 0; i < 14; i++) {
        float left = i % 2 ? 2.2f : -4.4f, z = -4.0f - 2.5f * (float)i;
        float high = 0.8f + 0.25f * (float)(i * 7 % 4), inner = i % 2 ? left : left + 1.6f;
        glColor3f(0.75f, 0.6f, 0.4f);
        glVertex3f(left, 0, z), glVertex3f(left + 1.6f, 0, z);
        glVertex3f(left + 1.6f, high, z), glVertex3f(left, high, z);
        glColor3f(0.5f, 0.4f, 0.25f);
        glVertex3f(inner, 0, z), glVertex3f(inner, 0, z - 1.6f);
        glVertex3f(inner, high, z - 1.6f), glVertex3f(inner, high, z);
        glColor3f(0.85f, 0.7f, 0.5f);
        glVertex3f(left, high, z), glVertex3f(left + 1.6f, high, z);
        glVertex3f(left + 1.6f, high, z - 1.6f), glVertex3f(left, high, z - 1.6f);
    }
    glEnd();
    glEndList();
}

static void
setup(void)
{
    load_textures();
    compile_shell();
    compile_boxes();
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.6, 0.6, -0.4, 0.4, 0.7, 60.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
set_textures(bool on)
{
    for (GLenum unit = GL_TEXTURE0; unit <= GL_TEXTURE1; unit++) {
        glActiveTexture(unit);
        if (on)
            glEnable(GL_TEXTURE_2D);
        else
            glDisable(GL_TEXTURE_2D);
    }
    glActiveTexture(GL_TEXTURE0);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0, -1.7f, 0.1f * (float)frame - 1.0f);
    glCallList(box_list);
    set_textures(true);
    glCallList(shell_list);
    set_textures(false);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "warehouse",
                                        .about = "A detail texture without mipmaps.",
                                        .width = 480,
                                        .height = 320,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
