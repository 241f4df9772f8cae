/* A race for six players on one screen. Each player's view begins with a clear of the depth of the
 * whole window, although no view overlaps another; the stencil buffer keeps the frames between the
 * views. Fixed: depth is cleared once, together with color. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { PLAYERS = 6, WIDTH = 480, HEIGHT = 320, SEGMENTS = 48, TRACK = 4 * (SEGMENTS + 1) };

static bool fixed;
static GLuint buffers[2];

/* The track with two walls, as a strip of three quads per segment. */
static void
build_track(void)
{
    static GLfloat points[TRACK][6];
    static GLushort indices[SEGMENTS * 3 * 6], *next = indices;
    static const float across[4][2] = {{-1.2f, 0.3f}, {-1.0f, 0}, {1.0f, 0}, {1.2f, 0.3f}};
    for (int i = 0; i < TRACK; i++) {
        float turn = (float)(i / 4) / SEGMENTS, radius = 5.0f + 1.2f * sine(3.0f * turn);
        radius += across[i % 4][0];
        bool stripe = i / 4 % 2;
        points[i][0] = radius * cosine(turn);
        points[i][1] = across[i % 4][1] + 0.4f * sine(2.0f * turn);
        points[i][2] = radius * sine(turn);
        points[i][3] = i % 4 % 3 ? 0.35f : stripe ? 0.9f : 0.8f;
        points[i][4] = i % 4 % 3 ? 0.35f : stripe ? 0.9f : 0.2f;
        points[i][5] = i % 4 % 3 ? 0.4f : stripe ? 0.9f : 0.2f;
    }
    for (int i = 0; i < SEGMENTS * 3; i++) {
        int a = i / 3 * 4 + i % 3;
        const int quad[6] = {a, a + 1, a + 4, a + 4, a + 1, a + 5};
        for (int c = 0; c < 6; c++)
            *next++ = (GLushort)quad[c];
    }
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof points, points, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, sizeof points[0], NULL);
    glColorPointer(3, GL_FLOAT, sizeof points[0], (void *)(3 * sizeof(GLfloat)));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
}

/* The views have 158 x 158 pixels; the frame between them is 1 in the stencil buffer. */
static void
mark_frames(void)
{
    glClearStencil(1);
    glClear(GL_STENCIL_BUFFER_BIT);
    glClearStencil(0);
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < PLAYERS; i++) {
        glScissor(i % 3 * 160 + 1, i / 3 * 160 + 1, 158, 158);
        glClear(GL_STENCIL_BUFFER_BIT);
    }
    glDisable(GL_SCISSOR_TEST);
}

static void
setup(void)
{
    build_track();
    mark_frames();
    glStencilFunc(GL_EQUAL, 0, 255);
    glEnable(GL_STENCIL_TEST);
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.45f, 0.6f, 0.4f, 1.0f);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.5, 0.5, 0.5, 30.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw_view(int player, uint32_t frame)
{
    glViewport(player % 3 * 160, player / 3 * 160, 160, 160);
    if (!fixed)
        glClear(GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef(14.0f, 1, 0, 0);
    glTranslatef(0, -1.3f, -0.4f);
    glRotatef(55.0f * (float)player + 2.0f * (float)frame, 0, 1, 0);
    glTranslatef(-5.0f, 0, 0.4f * (float)player);
    glDrawElements(GL_TRIANGLES, SEGMENTS * 3 * 6, GL_UNSIGNED_SHORT, NULL);
}

static void
draw(uint32_t frame)
{
    glClear(fixed ? GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT);
    for (int player = 0; player < PLAYERS; player++)
        draw_view(player, frame);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "racetrack",
                                        .about = "Each view clears the depth of the window.",
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
