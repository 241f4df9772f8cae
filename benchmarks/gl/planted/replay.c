/* A game for four players on one screen, which records the view of each player at half its size.
 * A recording must not contain the head-up display, so the program reads each view before it draws
 * that player's display. Fixed: the views are drawn to a texture and copied to the window; after
 * the last draw, the GPU halves the texture, and the program reads the result once. The first frame
 * is not recorded. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { SIDE = 384, VIEW = SIDE / 2, PILLARS = 24 };

static bool fixed;
static GLuint arena, scene_texture, video_texture, targets[2], depth;
static GLubyte video[4][VIEW * VIEW][4];

static void
box(float x, float z, float half, float height, float hue)
{
    static const float sides[4][3] = {{1, 1, 1.0f}, {1, -1, 0.7f}, {-1, -1, 0.55f}, {-1, 1, 0.8f}};
    for (int i = 0; i < 4; i++) {
        const float *a = sides[i], *b = sides[(i + 1) % 4];
        glColor3f(a[2] * hue, a[2] * 0.6f, a[2] * (1.0f - 0.7f * hue));
        glVertex3f(x + half * a[0], 0, z + half * a[1]);
        glVertex3f(x + half * b[0], 0, z + half * b[1]);
        glVertex3f(x + half * b[0], height, z + half * b[1]);
        glVertex3f(x + half * a[0], height, z + half * a[1]);
    }
}

static void
compile_arena(void)
{
    arena = glGenLists(1);
    glNewList(arena, GL_COMPILE);
    glBegin(GL_QUADS);
    box(0, 0, 1.0f, 1.2f, 0.5f);
    for (int i = 0; i < PILLARS; i++) {
        float turn = (float)i / PILLARS;
        box(6.0f * cosine(turn), 6.0f * sine(turn), 0.4f, 1.0f + (float)(i % 3), turn);
    }
    glColor3f(0.4f, 0.45f, 0.4f);
    glVertex3f(-9, 0, -9), glVertex3f(9, 0, -9), glVertex3f(9, 0, 9), glVertex3f(-9, 0, 9);
    glEnd();
    glEndList();
}

static void
make_target(GLuint texture, int side, GLuint target)
{
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

static void
setup(void)
{
    compile_arena();
    glGenTextures(1, &scene_texture);
    glGenTextures(1, &video_texture);
    glGenFramebuffers(2, targets);
    make_target(video_texture, VIEW, targets[1]);
    make_target(scene_texture, SIDE, targets[0]);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIDE, SIDE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glClearColor(0.5f, 0.6f, 0.8f, 1.0f);
}

static void
draw_view(int player, uint32_t frame)
{
    glViewport(player % 2 * VIEW, player / 2 * VIEW, VIEW, VIEW);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-0.6, 0.6, -0.5, 0.7, 1.0, 40.0);
    glTranslatef(0, -1.6f, -3.0f);
    glRotatef(90.0f * (float)player + 2.0f * (float)frame, 0, 1, 0);
    glEnable(GL_DEPTH_TEST);
    glCallList(arena);
    glDisable(GL_DEPTH_TEST);
}

/* Health, ammunition and a cross-hair. */
static void
draw_display(int player, uint32_t frame)
{
    glViewport(player % 2 * VIEW, player / 2 * VIEW, VIEW, VIEW);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glColor3f(0.9f, 0.2f, 0.2f);
    glRectf(-0.95f, -0.95f, -0.3f - 0.1f * (float)(player + (int)frame % 2), -0.88f);
    glColor3f(0.9f, 0.8f, 0.2f);
    for (int i = 0; i < 6; i++)
        glRectf(0.4f + 0.09f * (float)i, -0.95f, 0.46f + 0.09f * (float)i, -0.8f);
    glRectf(-0.05f, -0.005f, 0.05f, 0.005f);
    glRectf(-0.005f, -0.05f, 0.005f, 0.05f);
}

static void
draw(uint32_t frame)
{
    glBindFramebuffer(GL_FRAMEBUFFER, fixed ? targets[0] : 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (int player = 0; player < 4; player++) {
        draw_view(player, frame);
        if (fixed)
            continue;
        if (frame)
            glReadPixels(player % 2 * VIEW, player / 2 * VIEW, VIEW, VIEW, GL_RGBA,
                         GL_UNSIGNED_BYTE, video[player]);
        draw_display(player, frame);
    }
    if (!fixed)
        return;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, targets[0]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    for (int player = 0; player < 4; player++)
        draw_display(player, frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, targets[1]);
    glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, VIEW, VIEW, GL_COLOR_BUFFER_BIT, GL_LINEAR);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, targets[1]);
    if (frame)
        glReadPixels(0, 0, VIEW, VIEW, GL_RGBA, GL_UNSIGNED_BYTE, video[0]);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "replay",
                                        .about = "Four views that are read before the display.",
                                        .width = SIDE,
                                        .height = SIDE,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
