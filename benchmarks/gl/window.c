/* A GLX window, the options and the frame loop of the programs in this folder. */
#include "window.h"
#include "base/file.h"
#include "base/mem.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct window {
    Display *display;
    Window handle;
    Colormap colormap;
    GLXContext context;
};

float
random_next(struct random *random)
{
    random->state = random->state * 1664525u + 1013904223u;
    return (float)(random->state >> 8) / 16777216.0f;
}

void
check_gl(const char *what)
{
    GLenum code = glGetError();
    if (code == GL_NO_ERROR)
        return;
    fprintf(stderr, "%s: OpenGL error 0x%04x\n", what, (unsigned)code);
    exit(1);
}

static GLuint
compile(GLenum kind, const char *text)
{
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    GLint ok;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        fprintf(stderr, "a shader does not compile\n");
        exit(1);
    }
    return shader;
}

uint32_t
make_program(const char *vertex, const char *fragment)
{
    GLuint program = glCreateProgram();
    glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
    glLinkProgram(program);
    GLint ok;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        fprintf(stderr, "a program does not link\n");
        exit(1);
    }
    return program;
}

static Bool
is_map_notify(Display *display, XEvent *event, XPointer window)
{
    (void)display;
    return event->type == MapNotify && event->xmap.window == *(Window *)(void *)window;
}

struct window *
window_open(const char *name, uint32_t width, uint32_t height)
{
    struct window *window = mem_alloc(sizeof *window);
    int attributes[] = {GLX_RGBA,
                        GLX_DOUBLEBUFFER,
                        GLX_RED_SIZE,
                        8,
                        GLX_GREEN_SIZE,
                        8,
                        GLX_BLUE_SIZE,
                        8,
                        GLX_DEPTH_SIZE,
                        24,
                        GLX_STENCIL_SIZE,
                        8,
                        None};
    window->display = XOpenDisplay(NULL);
    if (!window->display) {
        fprintf(stderr, "%s: no X display (is DISPLAY set?)\n", name);
        return NULL;
    }
    XVisualInfo *visual =
        glXChooseVisual(window->display, DefaultScreen(window->display), attributes);
    if (!visual) {
        fprintf(stderr, "%s: no double-buffered visual with depth and stencil\n", name);
        XCloseDisplay(window->display);
        return NULL;
    }
    Window root = RootWindow(window->display, visual->screen);
    window->colormap = XCreateColormap(window->display, root, visual->visual, AllocNone);
    XSetWindowAttributes set = {.colormap = window->colormap, .event_mask = StructureNotifyMask};
    window->handle =
        XCreateWindow(window->display, root, 0, 0, width, height, 0, visual->depth, InputOutput,
                      visual->visual, CWColormap | CWEventMask | CWBorderPixel, &set);
    XStoreName(window->display, window->handle, name);
    window->context = glXCreateContext(window->display, visual, NULL, True);
    XFree(visual);
    if (!window->context) {
        fprintf(stderr, "%s: no OpenGL context\n", name);
        return NULL;
    }
    XMapWindow(window->display, window->handle);
    XEvent event;
    XIfEvent(window->display, &event, is_map_notify, (XPointer)&window->handle);
    glXMakeCurrent(window->display, window->handle, window->context);
    return window;
}

void
window_swap(struct window *window)
{
    glXSwapBuffers(window->display, window->handle);
}

void
window_close(struct window *window)
{
    glXMakeCurrent(window->display, None, NULL);
    glXDestroyContext(window->display, window->context);
    XDestroyWindow(window->display, window->handle);
    XFreeColormap(window->display, window->colormap);
    XCloseDisplay(window->display);
    free(window);
}

/* Saves the frame as OpenGL reads it back, with any renderer, to DIR/frames/frame-NNNN.png. */
static bool
save_frame(const struct scene *scene, const char *dir, uint32_t frame)
{
    const size_t row = (size_t)scene->width * 4;
    struct picture picture = {scene->width, scene->height, false, mem_alloc(row * scene->height)};
    struct error err;
    char *folder = mem_printf("%s/frames", dir);
    for (uint32_t y = 0; y < scene->height; y++)
        glReadPixels(0, (GLint)(scene->height - 1 - y), (GLsizei)scene->width, 1, GL_RGBA,
                     GL_UNSIGNED_BYTE, picture.rgba + y * row);
    check_gl("read back");
    bool ok = dir_create(folder, &err) && picture_write_frame(&picture, dir, frame, &err);
    if (!ok)
        fprintf(stderr, "%s: %s\n", scene->name, err.text);
    free(folder);
    picture_fini(&picture);
    return ok;
}

static void
print_help(const struct scene *scene)
{
    printf("usage: %s [--size WxH] [--frames N] [--save DIR] [--strings]", scene->name);
    for (const struct scene_option *option = scene->options; option && option->name; option++)
        printf(" [--%s %s]", option->name, option->words ? "KIND" : "N");
    printf("\n\n%s\n\n  --size WxH   size of the window (%ux%u)\n  --frames N   frames to draw "
           "(%u)\n  --save DIR   read each back into DIR/frames/frame-NNNN.png\n"
           "  --strings    print the version, GLSL version and renderer of OpenGL\n",
           scene->about, scene->width, scene->height, scene->frames);
    for (const struct scene_option *option = scene->options; option && option->name; option++) {
        printf("  --%-10s %s", option->name, option->help);
        for (const char *const *word = option->words; word && *word; word++)
            printf("%s%s", word == option->words ? ": " : ", ", *word);
        putchar('\n');
    }
}

/* Parses a positive integer that is followed by `end`. */
static bool
read_number(const char *text, char end, uint32_t *value, const char **rest)
{
    char *stop;
    unsigned long number = strtoul(text, &stop, 10);
    if (stop == text || *text == '-' || *stop != end || !number || number > 100000)
        return false;
    *value = (uint32_t)number;
    if (rest)
        *rest = stop + 1;
    return true;
}

static bool
read_word(const struct scene_option *option, const char *text)
{
    for (uint32_t i = 0; option->words[i]; i++) {
        if (!strcmp(option->words[i], text)) {
            *option->value = i;
            return true;
        }
    }
    return false;
}

static bool
read_option(struct scene *scene, const char *name, const char *value)
{
    if (!strcmp(name, "--frames"))
        return read_number(value, 0, &scene->frames, NULL);
    if (!strcmp(name, "--size")) {
        const char *height;
        return read_number(value, 'x', &scene->width, &height) &&
               read_number(height, 0, &scene->height, NULL);
    }
    for (const struct scene_option *option = scene->options; option && option->name; option++) {
        if (strncmp(name, "--", 2) || strcmp(name + 2, option->name))
            continue;
        return option->words ? read_word(option, value)
                             : read_number(value, 0, option->value, NULL);
    }
    return false;
}

int
scene_main(const struct scene *defaults, int argc, char **argv)
{
    struct scene scene = *defaults;
    const char *save = NULL;
    bool prints_strings = false;
    for (int i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "--strings")) {
            prints_strings = true;
            i--; /* has no value */
            continue;
        }
        if (!strcmp(argv[i], "--help")) {
            print_help(defaults);
            return 0;
        }
        if (i + 1 < argc && !strcmp(argv[i], "--save")) {
            save = argv[i + 1];
            continue;
        }
        if (i + 1 == argc || !read_option(&scene, argv[i], argv[i + 1])) {
            fprintf(stderr, "%s: wrong option %s %s; see --help\n", scene.name, argv[i],
                    i + 1 < argc ? argv[i + 1] : "");
            return 2;
        }
    }
    struct window *window = window_open(scene.name, scene.width, scene.height);
    if (!window)
        return 1;
    if (prints_strings)
        printf("OpenGL: %s\nGLSL: %s\nrenderer: %s\n", (const char *)glGetString(GL_VERSION),
               (const char *)glGetString(GL_SHADING_LANGUAGE_VERSION),
               (const char *)glGetString(GL_RENDERER));
    glViewport(0, 0, (GLsizei)scene.width, (GLsizei)scene.height);
    if (scene.setup)
        scene.setup();
    check_gl("setup");
    bool ok = true;
    for (uint32_t frame = 0; ok && frame < scene.frames; frame++) {
        scene.draw(frame);
        check_gl("draw");
        ok = !save || save_frame(&scene, save, frame);
        window_swap(window);
    }
    window_close(window);
    return ok ? 0 : 1;
}
