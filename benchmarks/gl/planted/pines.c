/* A wood of 70 pines with a path, in fixed function with display lists. The trees were once
 * transparent at their edges. They are opaque now, but are still in the list of transparent
 * objects, which is sorted from far to near. Fixed: they are in the list of opaque objects, which
 * is sorted from near to far. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdlib.h>

enum { PINES = 70, SIDES = 10, BARK = 128 };

struct pine {
    float x, z, size;
};

static bool fixed;
static struct pine pines[PINES];
static GLuint needles, pine_list, ground_list;

static int
nearer(const void *left, const void *right)
{
    const struct pine *a = left, *b = right;
    return a->z > b->z ? -1 : a->z < b->z;
}

static int
farther(const void *left, const void *right)
{
    return nearer(right, left);
}

static void
cone(float bottom, float top, float radius, float tone)
{
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i <= SIDES; i++) {
        float turn = (float)i / SIDES, light = tone * (0.75f + 0.25f * cosine(turn));
        glColor3f(0.5f * light, light, 0.45f * light);
        glTexCoord2f(4.0f * turn, bottom);
        glVertex3f(radius * cosine(turn), bottom, radius * sine(turn));
        glTexCoord2f(4.0f * turn, top);
        glVertex3f(0.02f * cosine(turn), top, 0.02f * sine(turn));
    }
    glEnd();
}

static void
compile_lists(void)
{
    pine_list = glGenLists(1);
    glNewList(pine_list, GL_COMPILE);
    cone(0.0f, 3.0f, 0.15f, 0.4f);
    cone(0.5f, 1.9f, 0.9f, 0.7f);
    cone(1.1f, 2.5f, 0.7f, 0.8f);
    cone(1.8f, 3.0f, 0.5f, 0.9f);
    glEndList();
    ground_list = glGenLists(1);
    glNewList(ground_list, GL_COMPILE);
    glBegin(GL_QUADS);
    glColor3f(0.45f, 0.5f, 0.3f);
    glTexCoord2f(0, 0), glVertex3f(-12, 0, 0);
    glTexCoord2f(24, 0), glVertex3f(12, 0, 0);
    glTexCoord2f(24, 20), glVertex3f(12, 0, -20);
    glTexCoord2f(0, 20), glVertex3f(-12, 0, -20);
    glEnd();
    glEndList();
}

static void
setup(void)
{
    static GLubyte texels[BARK * BARK][4];
    struct random random = {11};
    for (uint32_t i = 0; i < BARK * BARK; i++) {
        uint8_t tone = (uint8_t)(130 + noise(i % BARK, i / BARK, BARK, 4, 3) / 4 +
                                 noise(i % BARK, i / BARK, BARK, 32, 4) / 5);
        texels[i][0] = texels[i][1] = texels[i][2] = tone, texels[i][3] = 255;
    }
    glGenTextures(1, &needles);
    glBindTexture(GL_TEXTURE_2D, needles);
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, BARK, true, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    for (int i = 0; i < PINES; i++) {
        pines[i].z = -1.0f - 12.0f * random_next(&random);
        pines[i].x = (2.0f * random_next(&random) - 1.0f) * (2.0f - 0.4f * pines[i].z);
        pines[i].size = 0.8f + 0.5f * random_next(&random);
    }
    qsort(pines, PINES, sizeof pines[0], fixed ? nearer : farther);
    compile_lists();
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_TEXTURE_2D);
    glClearColor(0.7f, 0.8f, 0.85f, 1.0f);
    const GLfloat mist[4] = {0.7f, 0.8f, 0.85f, 1.0f};
    glFogfv(GL_FOG_COLOR, mist);
    glFogi(GL_FOG_MODE, GL_EXP2);
    glFogf(GL_FOG_DENSITY, 0.07f);
    glEnable(GL_FOG);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.45, 0.45, -0.3, 0.4, 0.8, 30.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw_pines(void)
{
    for (int i = 0; i < PINES; i++) {
        glPushMatrix();
        glTranslatef(pines[i].x, 0, pines[i].z);
        glScalef(pines[i].size, pines[i].size, pines[i].size);
        glCallList(pine_list);
        glPopMatrix();
    }
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.02f * (float)frame, -1.2f, -1.5f);
    if (fixed)
        draw_pines();
    glCallList(ground_list);
    if (!fixed)
        draw_pines();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "pines",
                                        .about = "Opaque trees that are drawn from far to near.",
                                        .width = 480,
                                        .height = 360,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
