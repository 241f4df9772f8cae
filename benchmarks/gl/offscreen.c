/* Off-screen drawing: frames without a window, read back by glReadPixels. Uses EGL without a window
 * system, with a pbuffer or with a framebuffer object and no surface.
 *
 * The picture is asymmetric on a blue background: a red quarter at the lower left, a green one at
 * the upper right. A small white square at the upper left moves to the right by its width per
 * frame. */
#define EGL_EGLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    unsigned width, height, frames, probes;
    const char *surface, *read, *format;
    unsigned swap, dump;
};

static _Noreturn void
die(const char *what)
{
    fprintf(stderr, "offscreen: %s\n", what);
    exit(1);
}

static _Noreturn void
usage(void)
{
    die("[--surface pbuffer|none] [--read color|depth|pixel|none] [--format rgba8|rgba16f|rgb565]\n"
        "[--width N] [--height N] [--frames N] [--probes N] [--swap 1] [--dump 1]: frames without "
        "a "
        "window");
}

static void
read_options(struct options *o, int argc, char **argv)
{
    const struct {
        const char *name;
        unsigned *number;
        const char **word;
    } table[] = {{"--width", &o->width, NULL},   {"--height", &o->height, NULL},
                 {"--frames", &o->frames, NULL}, {"--probes", &o->probes, NULL},
                 {"--swap", &o->swap, NULL},     {"--dump", &o->dump, NULL},
                 {"--read", NULL, &o->read},     {"--surface", NULL, &o->surface},
                 {"--format", NULL, &o->format}};
    for (int i = 1; i < argc; i += 2) {
        size_t at = 0, count = sizeof table / sizeof table[0];
        while (at < count && strcmp(table[at].name, argv[i]))
            at++;
        if (at == count || i + 1 == argc)
            usage();
        if (table[at].word)
            *table[at].word = argv[i + 1];
        else
            *table[at].number = (unsigned)strtoul(argv[i + 1], NULL, 0);
    }
}

static void
make_context(const struct options *o, EGLDisplay *display, EGLSurface *surface)
{
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_DEPTH_SIZE,
                             24,
                             EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, (EGLint)o->width, EGL_HEIGHT, (EGLint)o->height, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    *display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    if (!eglInitialize(*display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(*display, wanted, &config, 1, &count) || !count)
        die("EGL without a window system does not work here");
    *surface = EGL_NO_SURFACE;
    if (!strcmp(o->surface, "pbuffer"))
        *surface = eglCreatePbufferSurface(*display, config, size);
    else if (strcmp(o->surface, "none"))
        usage();
    EGLContext context = eglCreateContext(*display, config, EGL_NO_CONTEXT, NULL);
    if (!eglMakeCurrent(*display, *surface, *surface, context))
        die("no current context");
}

static void
make_framebuffer(const struct options *o)
{
    const GLenum format = !strcmp(o->format, "rgba16f")  ? GL_RGBA16F
                          : !strcmp(o->format, "rgb565") ? GL_RGB565
                                                         : GL_RGBA8;
    const GLsizei width = (GLsizei)o->width, height = (GLsizei)o->height;
    GLuint framebuffer, texture, depth;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        die("no complete framebuffer");
    glViewport(0, 0, width, height);
}

static void
rectangle(float x0, float y0, float x1, float y1)
{
    glBegin(GL_QUADS);
    glVertex2f(x0, y0);
    glVertex2f(x1, y0);
    glVertex2f(x1, y1);
    glVertex2f(x0, y1);
    glEnd();
}

static void
draw(unsigned frame)
{
    const float left = -1.0f + 0.25f * (float)(frame % 8);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glColor4f(1, 0, 0, 1);
    rectangle(-1, -1, 0, 0);
    glColor4f(0, 1, 0, 1);
    rectangle(0, 0, 1, 1);
    glColor4f(1, 1, 1, 1);
    rectangle(left, 0.75f, left + 0.25f, 1);
}

/* Writes the read pixels as a binary PPM, top row first. */
static void
dump(const struct options *o, unsigned frame, const uint8_t *pixels)
{
    char name[32];
    snprintf(name, sizeof name, "offscreen-%04u.ppm", frame);
    FILE *file = fopen(name, "wb");
    if (!file)
        die("a picture cannot be written");
    fprintf(file, "P6\n%u %u\n255\n", o->width, o->height);
    for (unsigned y = o->height; y-- > 0;)
        for (unsigned x = 0; x < o->width; x++)
            fwrite(pixels + 4 * ((size_t)y * o->width + x), 3, 1, file);
    fclose(file);
}

static void
read_back(const struct options *o, unsigned frame, uint8_t *pixels)
{
    const GLsizei width = (GLsizei)o->width, height = (GLsizei)o->height;
    for (unsigned i = 0; i < o->probes; i++)
        glReadPixels((GLint)(i * 7 % o->width), (GLint)(i * 5 % o->height), 1, 1, GL_RGBA,
                     GL_UNSIGNED_BYTE, pixels);
    if (!strcmp(o->read, "color"))
        glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    else if (!strcmp(o->read, "depth"))
        glReadPixels(0, 0, width, height, GL_DEPTH_COMPONENT, GL_FLOAT, pixels);
    else if (!strcmp(o->read, "pixel"))
        glReadPixels(width / 2, height / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    else if (strcmp(o->read, "none"))
        usage();
    if (o->dump && !strcmp(o->read, "color"))
        dump(o, frame, pixels);
}

int
main(int argc, char **argv)
{
    struct options o = {.width = 64,
                        .height = 48,
                        .frames = 3,
                        .surface = "none",
                        .read = "color",
                        .format = "rgba8"};
    EGLDisplay display;
    EGLSurface surface;
    read_options(&o, argc, argv);
    make_context(&o, &display, &surface);
    if (surface == EGL_NO_SURFACE)
        make_framebuffer(&o);
    uint8_t *pixels = malloc((size_t)o.width * o.height * 4);
    if (!pixels)
        die("no memory");
    for (unsigned frame = 0; frame < o.frames; frame++) {
        draw(frame);
        read_back(&o, frame, pixels);
        if (o.swap)
            eglSwapBuffers(display, surface);
    }
    free(pixels);
    if (glGetError() != GL_NO_ERROR)
        die("OpenGL noted an error");
    eglTerminate(display);
    return 0;
}
