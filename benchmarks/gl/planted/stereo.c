/* A viewer of molecules, with lighting of fixed function. It has a mode for stereo glasses. It
 * draws the left eye's view, shows it if the glasses are on, then clears the window for the right
 * eye. The glasses are off. Fixed: the left eye is drawn only if they are on. */
#include "planted.h"

#include <GL/gl.h>

#define RESIDUES 5
#define ATOMS    9

static bool fixed;
static GLuint residues;

static void
atom(const float center[3], float radius)
{
    for (int band = 0; band < 8; band++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (int i = 0; i <= 32; i++) {
            float up = (float)(band + 1 - i % 2) / 16.0f - 0.25f, round = (float)(i / 2) / 16.0f;
            float n[3] = {cosine(up) * cosine(round), sine(up), -cosine(up) * sine(round)};
            glNormal3fv(n);
            glVertex3f(center[0] + radius * n[0], center[1] + radius * n[1],
                       center[2] + radius * n[2]);
        }
        glEnd();
    }
}

/* The residues lie behind each other, the first nearest to the eye. */
static void
setup(void)
{
    static const GLfloat light[4] = {0.3f, 0.7f, 0.6f, 0.0f};
    struct random random = {2008};
    residues = glGenLists(RESIDUES);
    for (GLuint residue = 0; residue < RESIDUES; residue++) {
        glNewList(residues + residue, GL_COMPILE);
        glColor3f(0.9f - 0.15f * (float)residue, 0.3f + 0.1f * (float)residue, 0.5f);
        for (int i = 0; i < ATOMS; i++) {
            float center[3] = {4.0f * random_next(&random) - 2.0f,
                               3.0f * random_next(&random) - 1.5f, -0.9f * (float)residue};
            atom(center, 0.3f + 0.2f * random_next(&random));
        }
        glEndList();
    }
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_COLOR_MATERIAL);
    glEnable(GL_DEPTH_TEST);
    glLightfv(GL_LIGHT0, GL_POSITION, light);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.4, 0.4, -0.3, 0.3, 1.0, 20.0);
    glMatrixMode(GL_MODELVIEW);
    glClearColor(0.1f, 0.1f, 0.12f, 1.0f);
}

static void
draw_eye(float offset, uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(offset, 0.0f, -4.6f);
    glRotatef(3.0f * (float)frame, 0.0f, 1.0f, 0.0f);
    for (GLuint residue = 0; residue < RESIDUES; residue++)
        glCallList(residues + residue);
}

static void
draw(uint32_t frame)
{
    static const bool glasses = false;
    if (glasses || !fixed)
        draw_eye(-0.06f, frame);
    draw_eye(0.06f, frame);
}

int
main(int argc, char **argv)
{
    struct scene viewer = {.name = "stereo",
                           .about = "A molecule for two eyes, one of them unseen."};
    viewer.width = 480;
    viewer.height = 360;
    viewer.frames = 4;
    viewer.setup = setup;
    viewer.draw = draw;
    return planted_main(&viewer, &fixed, argc, argv);
}
