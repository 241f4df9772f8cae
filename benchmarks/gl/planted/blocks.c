/* A wall of 600 toy blocks in fixed function. Each block is a call of one display list with its
 * own matrix and color. Fixed: one list contains the faces of all blocks. */
#include "planted.h"

#include <GL/gl.h>

enum { COLUMNS = 30, ROWS = 20 };

static bool fixed;
static GLuint block, wall;

static const GLfloat faces[3][5][3] = {
    {{0, 0, 1}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
    {{1, 0, 0}, {1, 0, 1}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}},
    {{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}, {0, 1, 0}},
};

/* The faces of a block at (x, y, z), between glBegin() and glEnd(). */
static void
emit_block(GLfloat x, GLfloat y, GLfloat z)
{
    for (uint32_t face = 0; face < 3; face++) {
        glNormal3fv(faces[face][0]);
        for (uint32_t i = 1; i < 5; i++)
            glVertex3f(x + 0.9f * faces[face][i][0], y + 0.9f * faces[face][i][1],
                       z + 0.9f * faces[face][i][2]);
    }
}

static void
color_of(uint32_t i)
{
    glColor3f((float)(i % 3) / 2.0f, (float)(i % 5) / 4.0f, (float)(i % 7) / 6.0f);
}

static GLfloat
depth_of(uint32_t i)
{
    return (GLfloat)noise(i % COLUMNS, i / COLUMNS, 64, 4, 8) / 100.0f;
}

static void
setup(void)
{
    static const GLfloat lamp[] = {0.3f, 0.8f, 0.9f, 0.0f};
    block = glGenLists(2);
    glNewList(block, GL_COMPILE);
    glBegin(GL_QUADS);
    emit_block(0.0f, 0.0f, 0.0f);
    glEnd();
    glEndList();
    wall = block + 1;
    glNewList(wall, GL_COMPILE);
    glBegin(GL_QUADS);
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
        color_of(i);
        emit_block((GLfloat)(i % COLUMNS), (GLfloat)(i / COLUMNS), depth_of(i));
    }
    glEnd();
    glEndList();
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_COLOR_MATERIAL);
    glLightfv(GL_LIGHT0, GL_POSITION, lamp);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-1.0, 1.0, -0.75, 0.75, 2.0, 80.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(-15.0f + 0.1f * (float)frame, -10.0f, -32.0f);
    glRotatef(-8.0f, 0.0f, 1.0f, 0.0f);
    if (fixed) {
        glCallList(wall);
        return;
    }
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
        glPushMatrix();
        glTranslatef((GLfloat)(i % COLUMNS), (GLfloat)(i / COLUMNS), depth_of(i));
        color_of(i);
        glCallList(block);
        glPopMatrix();
    }
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "blocks",
                                        .about = "Toy blocks with one draw each.",
                                        .width = 400,
                                        .height = 300,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
