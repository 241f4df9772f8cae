/* A microscope slide image that passes through a chain of color filters, each of which reads one
 * texture and writes another. They share a depth and stencil buffer; the stencil buffer marks the
 * aperture. Every pass begins with a clear of color and depth, although its quad then covers the
 * target without a depth test. Fixed: only the scene's target is cleared. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define SIDE   256
#define PASSES 6

static bool fixed;
static GLuint target[3], image[3], depth, filters[2];

static const char *const copy_vertex =
    "#version 120\n"
    "varying vec2 p;\n"
    "void main(){ p = gl_Vertex.xy*.5+.5; gl_Position = gl_Vertex; }\n";
static const char *const filter_fragments[2] = {
    "#version 120\n"
    "uniform sampler2D from; varying vec2 p;\n"
    "void main(){ vec4 c = texture2D(from,p); gl_FragColor = c*1.3 - .1; }\n",
    "#version 120\n"
    "uniform sampler2D from; varying vec2 p;\n"
    "void main(){ vec4 c = texture2D(from,p); gl_FragColor = mix(c, c.gbra, .2)*.95; }\n"};

static void
setup(void)
{
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIDE, SIDE);
    glGenTextures(3, image);
    glGenFramebuffers(3, target);
    for (int i = 0; i < 3; i++) {
        glBindTexture(GL_TEXTURE_2D, image[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, 0);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, target[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, image[i], 0);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
    }
    for (int i = 0; i < 2; i++)
        filters[i] = make_program(copy_vertex, filter_fragments[i]);
    glClear(GL_STENCIL_BUFFER_BIT);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 1, 1);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glBegin(GL_TRIANGLE_FAN);
    for (int i = 0; i < 48; i++)
        glVertex2f(.95f * cosine((float)i / 48.f), .95f * sine((float)i / 48.f));
    glEnd();
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glStencilFunc(GL_NOTEQUAL, 1, 1);
    glDisable(GL_STENCIL_TEST);
    glClearColor(.9f, .9f, .85f, 1.f);
}

static void
draw_cells(uint32_t frame)
{
    struct random random = {7};
    glUseProgram(0);
    glEnable(GL_DEPTH_TEST);
    glBegin(GL_TRIANGLES);
    for (int cell = 0; cell < 40; cell++) {
        float x = 2.f * random_next(&random) - 1.f, y = 2.f * random_next(&random) - 1.f;
        float r = .05f + .15f * random_next(&random), turn = .01f * (float)frame;
        for (int i = 0; i < 12; i++) {
            float a = (float)i / 12.f + turn, b = (float)(i + 1) / 12.f + turn;
            glColor3f(.8f, .3f + .01f * (float)cell, .5f);
            glVertex3f(x, y, .02f * (float)cell);
            glColor3f(.3f, .1f, .4f);
            glVertex3f(x + r * cosine(a), y + r * sine(a), .02f * (float)cell);
            glVertex3f(x + r * cosine(b), y + r * sine(b), .02f * (float)cell);
        }
    }
    glEnd();
    glDisable(GL_DEPTH_TEST);
}

static void
filter(GLuint to, GLuint from, GLuint program)
{
    glBindFramebuffer(GL_FRAMEBUFFER, to);
    if (!fixed && to)
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBindTexture(GL_TEXTURE_2D, from);
    glUseProgram(program);
    glRectf(-1.f, -1.f, 1.f, 1.f);
}

/* Darkens what is outside of the aperture. */
static void
mask(void)
{
    glUseProgram(0);
    glEnable(GL_STENCIL_TEST);
    glColor3f(.02f, .02f, .02f);
    glRectf(-1.f, -1.f, 1.f, 1.f);
    glDisable(GL_STENCIL_TEST);
}

static void
draw(uint32_t frame)
{
    int last = 2;
    glBindFramebuffer(GL_FRAMEBUFFER, target[last]);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_cells(frame);
    for (int pass = 0; pass < PASSES; pass++) {
        filter(target[pass % 2], image[last], filters[pass % 2]);
        last = pass % 2;
    }
    mask();
    filter(0, image[last], filters[0]);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "filters",
                                        .about = "A chain of filters with a clear before each.",
                                        .width = SIDE,
                                        .height = SIDE,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
