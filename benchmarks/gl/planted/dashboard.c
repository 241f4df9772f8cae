/* The instruments of an aeroplane: dials, hands and a horizon, all in one vertex buffer per frame.
 * The stencil buffer keeps the mask of the windscreen, which the first frame draws. Each of the
 * modules clears color and depth of the whole window when its frame begins, before any of them
 * draws. Fixed: one clear per frame. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { WIDTH = 384, HEIGHT = 256, DIALS = 6, SECTORS = 24, MODULES = 6 };

struct corner {
    GLfloat x, y, z;
    GLubyte color[4];
};

static bool fixed;
static GLuint buffer;
static struct corner corners[DIALS * (SECTORS * 3 + 3) + 12];
static GLsizei used;

static void
triangle(float z, const GLubyte color[4], const float at[6])
{
    for (int i = 0; i < 3; i++, used++) {
        corners[used] = (struct corner){.x = at[2 * i], .y = at[2 * i + 1], .z = z};
        for (int c = 0; c < 4; c++)
            corners[used].color[c] = color[c];
    }
}

static void
horizon(float tilt)
{
    static const GLubyte sky[4] = {70, 120, 200, 255}, ground[4] = {110, 80, 50, 255};
    triangle(0.9f, sky, (float[]){0, 128 - tilt, WIDTH, 128 + tilt, WIDTH, HEIGHT});
    triangle(0.9f, sky, (float[]){0, 128 - tilt, WIDTH, HEIGHT, 0, HEIGHT});
    triangle(0.9f, ground, (float[]){0, 0, WIDTH, 0, WIDTH, 128 + tilt});
    triangle(0.9f, ground, (float[]){0, 0, WIDTH, 128 + tilt, 0, 128 - tilt});
}

static void
dial(float x, float y, float value)
{
    static const GLubyte hand[4] = {250, 230, 60, 255};
    triangle(0.1f, hand,
             (float[]){x + 5 * sine(value), y - 5 * cosine(value), x - 5 * sine(value),
                       y + 5 * cosine(value), x + 45 * cosine(value), y + 45 * sine(value)});
    for (int i = 0; i < SECTORS; i++) {
        float a = (float)i / SECTORS, b = (float)(i + 1) / SECTORS;
        GLubyte grey = (GLubyte)(40 + 30 * (i % 2));
        triangle(0.5f, (GLubyte[]){grey, grey, grey, 255},
                 (float[]){x, y, x + 50 * cosine(a), y + 50 * sine(a), x + 50 * cosine(b),
                           y + 50 * sine(b)});
    }
}

static void
begin_module(void)
{
    glClearColor(0.1f, 0.1f, 0.12f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

static void
setup(void)
{
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glVertexPointer(3, GL_FLOAT, sizeof(struct corner), (void *)offsetof(struct corner, x));
    glColorPointer(4, GL_UNSIGNED_BYTE, sizeof(struct corner),
                   (void *)offsetof(struct corner, color));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glEnable(GL_DEPTH_TEST);
    glOrtho(0, WIDTH, 0, HEIGHT, 0, -1);
    glClear(GL_STENCIL_BUFFER_BIT);
    glEnable(GL_STENCIL_TEST);
    glStencilOp(GL_REPLACE, GL_REPLACE, GL_REPLACE);
    glStencilFunc(GL_NEVER, 1, 1);
    glRecti(12, 12, WIDTH - 12, HEIGHT - 12);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glStencilFunc(GL_EQUAL, 1, 1);
}

static void
draw(uint32_t frame)
{
    for (int module = 0; module < (fixed ? 1 : MODULES); module++)
        begin_module();
    used = 0;
    for (int i = 0; i < DIALS; i++)
        dial(64.0f + 128.0f * (float)(i % 3), 64.0f + 128.0f * (float)(i / 3),
             0.03f * (float)(frame + 7 * (uint32_t)i));
    horizon(10.0f + 2.0f * (float)frame);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof corners, corners, GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLES, 0, used);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "dashboard",
                                        .about = "Instruments whose modules clear the window.",
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
