/* Multisampling: shapes drawn into a multisampled framebuffer object, which is then resolved into
 * the window. One kind of multisampling work at a time. */
#define GL_GLEXT_PROTOTYPES
#include "window.h"

#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { TRIANGLES, LINES, POINTS, ALPHA, ALPHA_ONE, MASK, CENTROID, OFF, BLEND, STENCIL, COPY };
static const char *const kinds[] = {"triangles", "lines", "points", "alpha",   "alpha-one", "mask",
                                    "centroid",  "off",   "blend",  "stencil", "copy",      NULL};

enum { WIDTH = 320, HEIGHT = 240, SHAPES = 60 };

static uint32_t kind = TRIANGLES;
static uint32_t samples = 4;
static GLuint buffers[2]; /* framebuffer objects: drawn into, copied into */

static GLuint
make_framebuffer(void)
{
    const GLsizei asked = samples == 1 ? 0 : (GLsizei)samples; /* OpenGL rounds 1 up */
    GLuint buffer, storage[2];
    glGenFramebuffersEXT(1, &buffer);
    glBindFramebufferEXT(GL_FRAMEBUFFER_EXT, buffer);
    glGenRenderbuffersEXT(2, storage);
    glBindRenderbufferEXT(GL_RENDERBUFFER_EXT, storage[0]);
    glRenderbufferStorageMultisampleEXT(GL_RENDERBUFFER_EXT, asked, GL_RGBA8, WIDTH, HEIGHT);
    glFramebufferRenderbufferEXT(GL_FRAMEBUFFER_EXT, GL_COLOR_ATTACHMENT0_EXT, GL_RENDERBUFFER_EXT,
                                 storage[0]);
    glBindRenderbufferEXT(GL_RENDERBUFFER_EXT, storage[1]);
    glRenderbufferStorageMultisampleEXT(GL_RENDERBUFFER_EXT, asked, GL_DEPTH24_STENCIL8_EXT, WIDTH,
                                        HEIGHT);
    glFramebufferRenderbufferEXT(GL_FRAMEBUFFER_EXT, GL_DEPTH_ATTACHMENT_EXT, GL_RENDERBUFFER_EXT,
                                 storage[1]);
    glFramebufferRenderbufferEXT(GL_FRAMEBUFFER_EXT, GL_STENCIL_ATTACHMENT_EXT, GL_RENDERBUFFER_EXT,
                                 storage[1]);
    check_gl("framebuffer");
    if (glCheckFramebufferStatusEXT(GL_FRAMEBUFFER_EXT) != GL_FRAMEBUFFER_COMPLETE_EXT) {
        fprintf(stderr, "multisample: no framebuffer of %u samples\n", samples);
        exit(1);
    }
    return buffer;
}

/* Colors reach 0 and 1 at the corners, which shows whether a fragment was shaded outside. These
 * shapes stay inside the window: a renderer that clips them at its border may use the centroids of
 * the clipped pieces. */
static void
use_centroid_program(void)
{
    glUseProgram(make_program("#version 120\n"
                              "centroid varying vec4 inside; varying vec4 plain;\n"
                              "void main() { gl_Position = gl_Vertex;\n"
                              "  inside = gl_Color; plain = gl_Color; }\n",
                              "#version 120\n"
                              "centroid varying vec4 inside; varying vec4 plain;\n"
                              "void main() { gl_FragColor = vec4(inside.rg,\n"
                              "  plain.b, 1.0); }\n"));
    check_gl("program");
}

static void
setup(void)
{
    buffers[1] = make_framebuffer();
    buffers[0] = make_framebuffer();
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    if (kind == LINES) {
        glLineWidth(2.5f);
        glShadeModel(GL_FLAT);
    }
    if (kind == OFF)
        glDisable(GL_DEPTH_TEST);
    if (kind == POINTS) { /* point sprites, which are squares in all renderers */
        glEnable(GL_POINT_SPRITE);
        glPointSize(5.3f);
    }
    if (kind == ALPHA || kind == ALPHA_ONE)
        glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    if (kind == ALPHA_ONE) {
        glEnable(GL_SAMPLE_ALPHA_TO_ONE);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    if (kind == MASK)
        glEnable(GL_SAMPLE_COVERAGE);
    if (kind == CENTROID)
        use_centroid_program();
    if (kind == BLEND) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glDisable(GL_DEPTH_TEST);
    }
}

static void
vertex(struct random *random, float x, float y, float extent, float z)
{
    const float red = random_next(random), green = random_next(random), blue = random_next(random);
    glColor4f(red, green, blue, random_next(random));
    const float dx = (random_next(random) - 0.5f) * extent;
    const float dy = (random_next(random) - 0.5f) * extent;
    glVertex3f(x + dx, y + dy, z + (random_next(random) - 0.5f) * 0.6f);
}

static void
draw_shapes(struct random *random)
{
    const GLenum mode = kind == LINES ? GL_LINES : kind == POINTS ? GL_POINTS : GL_TRIANGLES;
    const uint32_t corners = kind == LINES ? 2 : kind == POINTS ? 1 : 3;
    for (uint32_t i = 0; i < SHAPES; i++) {
        const float reach = kind == CENTROID ? 0.6f : 1.0f;
        const float x = (random_next(random) * 2.0f - 1.0f) * reach;
        const float y = (random_next(random) * 2.0f - 1.0f) * reach;
        const float z = random_next(random) * 1.2f - 0.6f;
        if (kind == MASK)
            glSampleCoverage((float)(i % 5) / 4.0f, i % 2 ? GL_TRUE : GL_FALSE);
        if (kind == OFF)
            (i % 2 ? glEnable : glDisable)(GL_MULTISAMPLE);
        glBegin(mode);
        for (uint32_t corner = 0; corner < corners; corner++)
            vertex(random, x, y, 0.8f, z);
        glEnd();
    }
}

/* The stencil counts the layers of each sample. A final layer marks odd counts. */
static void
draw_stencil(struct random *random)
{
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 0, 1);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INVERT);
    draw_shapes(random);
    glStencilFunc(GL_EQUAL, 1, 1);
    glColor4f(1.0f, 1.0f, 1.0f, 1.0f);
    glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
    glDisable(GL_STENCIL_TEST);
    glEnable(GL_DEPTH_TEST);
}

/* Copies color, depth and stencil to the other framebuffer, then continues drawing there. */
static void
copy_and_continue(struct random *random)
{
    glBindFramebufferEXT(GL_DRAW_FRAMEBUFFER_EXT, buffers[1]);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glBindFramebufferEXT(GL_READ_FRAMEBUFFER_EXT, buffers[0]);
    glBlitFramebufferEXT(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT,
                         GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT,
                         GL_NEAREST);
    draw_shapes(random);
    glBindFramebufferEXT(GL_READ_FRAMEBUFFER_EXT, buffers[1]);
}

static void
draw(uint32_t frame)
{
    struct random random = {.state = 777u + frame};
    glBindFramebufferEXT(GL_FRAMEBUFFER_EXT, buffers[0]);
    glClearColor(0.2f, 0.4f, 0.6f, 1.0f); /* multiples of 1/255, exact in all renderers */
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    if (kind == STENCIL)
        draw_stencil(&random);
    else
        draw_shapes(&random);
    if (kind == COPY)
        copy_and_continue(&random);
    else
        glBindFramebufferEXT(GL_READ_FRAMEBUFFER_EXT, buffers[0]);
    glBindFramebufferEXT(GL_DRAW_FRAMEBUFFER_EXT, 0);
    glBlitFramebufferEXT(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    check_gl("draw");
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {
        {"kind", &kind, kinds, "what is drawn, and with which multisampling state"},
        {"samples", &samples, NULL, "samples a pixel (4); 1: no multisampling"},
        {0},
    };
    return scene_main(&(struct scene){.name = "multisample",
                                      .about =
                                          "Shapes in a framebuffer object of several samples a\n"
                                          "pixel, resolved into the window.",
                                      .width = WIDTH,
                                      .height = HEIGHT,
                                      .frames = 3,
                                      .options = options,
                                      .setup = setup,
                                      .draw = draw},
                      argc, argv);
}
