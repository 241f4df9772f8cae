/* An editor that finds the part under the pointer, and highlights it in the next frame. After each
 * part it reads the depth under the pointer. Fixed: each part writes its number into the stencil
 * buffer, which is read once, after the last part. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { COLUMNS = 5, ROWS = 4, PARTS = COLUMNS * ROWS, POINTER_X = 170, POINTER_Y = 130 };
enum { SIDES = 20, RINGS = 7, INDICES = SIDES * (RINGS - 1) * 6 };

static bool fixed;
static uint32_t picked = PARTS;

/* A vase: a tube whose radius changes along the axis. */
static void
turn_vase(void)
{
    static GLfloat corners[RINGS * SIDES][3], normals[RINGS * SIDES][3];
    static GLushort indices[INDICES];
    GLushort *next = indices;
    GLuint buffers[3];
    for (uint32_t i = 0; i < RINGS * SIDES; i++) {
        GLfloat height = (GLfloat)(i / SIDES) / (RINGS - 1), angle = (GLfloat)(i % SIDES) / SIDES;
        GLfloat radius = 0.6f + 0.3f * sine(0.8f * height);
        normals[i][0] = cosine(angle);
        normals[i][1] = sine(angle);
        normals[i][2] = 0.4f;
        corners[i][0] = radius * normals[i][0];
        corners[i][1] = radius * normals[i][1];
        corners[i][2] = 2.0f * height - 1.0f;
    }
    for (uint32_t i = 0; i < (RINGS - 1) * SIDES; i++) {
        uint32_t beside = i / SIDES * SIDES + (i + 1) % SIDES;
        const uint32_t six[] = {i, beside, i + SIDES, i + SIDES, beside, beside + SIDES};
        for (uint32_t c = 0; c < 6; c++)
            *next++ = (GLushort)six[c];
    }
    glGenBuffers(3, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, 0, NULL);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ARRAY_BUFFER, sizeof normals, normals, GL_STATIC_DRAW);
    glNormalPointer(GL_FLOAT, 0, NULL);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[2]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
}

static void
setup(void)
{
    static const GLfloat lamp[] = {1.0f, 1.0f, 2.0f, 0.0f};
    turn_vase();
    glLightfv(GL_LIGHT0, GL_POSITION, lamp);
    glEnable(GL_LIGHT0);
    glEnable(GL_LIGHTING);
    glEnable(GL_COLOR_MATERIAL);
    glEnable(GL_DEPTH_TEST);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glMatrixMode(GL_PROJECTION);
    glOrtho(-6.0, 6.0, -5.0, 5.0, -10.0, 10.0);
    glMatrixMode(GL_MODELVIEW);
    glClearColor(0.15f, 0.15f, 0.2f, 1.0f);
}

static void
draw_part(uint32_t part)
{
    glPushMatrix();
    glTranslatef(2.4f * (float)(part % COLUMNS) - 4.8f, 2.4f * (float)(part / COLUMNS) - 3.6f,
                 0.05f * (float)part);
    glRotatef(50.0f + 7.0f * (float)part, 1.0f, 0.3f, 0.0f);
    if (part == picked)
        glColor3f(1.0f, 0.8f, 0.2f);
    else
        glColor3f(0.4f, 0.5f, 0.5f + (float)(part % 5) / 10.0f);
    glDrawElements(GL_TRIANGLES, INDICES, GL_UNSIGNED_SHORT, NULL);
    glPopMatrix();
}

static void
draw_and_read_depths(void)
{
    GLfloat last = 1.0f;
    for (uint32_t part = 0; part < PARTS; part++) {
        GLfloat depth;
        draw_part(part);
        glReadPixels(POINTER_X, POINTER_Y, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
        if (depth < last)
            picked = part;
        last = depth;
    }
}

static void
draw_and_read_stencil(void)
{
    GLubyte number;
    glEnable(GL_STENCIL_TEST);
    for (uint32_t part = 0; part < PARTS; part++) {
        glStencilFunc(GL_ALWAYS, (GLint)part + 1, 0xff);
        draw_part(part);
    }
    glDisable(GL_STENCIL_TEST);
    glReadPixels(POINTER_X, POINTER_Y, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &number);
    picked = number ? number - 1u : PARTS;
}

static void
draw(uint32_t frame)
{
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    if (fixed)
        draw_and_read_stencil();
    else
        draw_and_read_depths();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "picker",
                                        .about = "An editor that reads the depth after each part.",
                                        .width = 384,
                                        .height = 320,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
