/* Uses a pixmap of the X server as a texture (GLX_EXT_texture_from_pixmap), like compositors and
 * GTK 3. Draws one frame whose left half comes from a green pixmap. Exits with 1 if that half is
 * not green, with 77 if pixmaps cannot be bound. */
#define GL_GLEXT_PROTOTYPES
#define GLX_GLXEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glx.h>
#include <GL/glxext.h>
#include <X11/Xlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 64, CANNOT = 77 };

static GLXFBConfig
find_config(Display *display)
{
    const int wanted[] = {GLX_DRAWABLE_TYPE,
                          GLX_WINDOW_BIT | GLX_PIXMAP_BIT,
                          GLX_BIND_TO_TEXTURE_RGB_EXT,
                          True,
                          GLX_BIND_TO_TEXTURE_TARGETS_EXT,
                          GLX_TEXTURE_2D_BIT_EXT,
                          GLX_DOUBLEBUFFER,
                          True,
                          None};
    int count = 0;
    GLXFBConfig *list = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    if (!list || !count) {
        fprintf(stderr, "no configuration binds pixmaps to textures\n");
        exit(CANNOT);
    }
    GLXFBConfig first = list[0];
    XFree(list);
    return first;
}

static Window
open_window(Display *display, const XVisualInfo *visual)
{
    Window root = DefaultRootWindow(display);
    XSetWindowAttributes attributes = {
        .colormap = XCreateColormap(display, root, visual->visual, AllocNone),
        .event_mask = StructureNotifyMask};
    Window window = XCreateWindow(display, root, 0, 0, SIZE, SIZE, 0, visual->depth, InputOutput,
                                  visual->visual, CWColormap | CWEventMask, &attributes);
    XEvent event;
    XMapWindow(display, window);
    do
        XNextEvent(display, &event);
    while (event.type != MapNotify);
    return window;
}

static GLXPixmap
green_pixmap(Display *display, GLXFBConfig config, const XVisualInfo *visual)
{
    const int attributes[] = {GLX_TEXTURE_TARGET_EXT, GLX_TEXTURE_2D_EXT, GLX_TEXTURE_FORMAT_EXT,
                              GLX_TEXTURE_FORMAT_RGB_EXT, None};
    Pixmap pixmap =
        XCreatePixmap(display, DefaultRootWindow(display), SIZE, SIZE, (unsigned)visual->depth);
    XGCValues values = {.foreground = 0x00ff00};
    GC gc = XCreateGC(display, pixmap, GCForeground, &values);
    XFillRectangle(display, pixmap, gc, 0, 0, SIZE, SIZE);
    XSync(display, False);
    return glXCreatePixmap(display, config, pixmap, attributes);
}

static void
draw(void)
{
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glEnable(GL_TEXTURE_2D);
    glClear(GL_COLOR_BUFFER_BIT);
    glBegin(GL_QUADS);
    glTexCoord2f(0, 0), glVertex2f(-1, -1);
    glTexCoord2f(1, 0), glVertex2f(0, -1);
    glTexCoord2f(1, 1), glVertex2f(0, 1);
    glTexCoord2f(0, 1), glVertex2f(-1, 1);
    glEnd();
}

static int
expect(GLint x, uint8_t green)
{
    uint8_t got[4];
    glReadPixels(x, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
    if (!got[0] && got[1] == green && !got[2])
        return 0;
    fprintf(stderr, "at %d: %d %d %d instead of 0 %d 0\n", x, got[0], got[1], got[2], green);
    return 1;
}

int
main(void)
{
    Display *display = XOpenDisplay(NULL);
    if (!display || !strstr(glXQueryExtensionsString(display, DefaultScreen(display)),
                            "GLX_EXT_texture_from_pixmap")) {
        fprintf(stderr, "no display, or it does not bind pixmaps to textures\n");
        return CANNOT;
    }
    GLXFBConfig config = find_config(display);
    XVisualInfo *visual = glXGetVisualFromFBConfig(display, config);
    Window window = open_window(display, visual);
    GLXContext context = glXCreateNewContext(display, config, GLX_RGBA_TYPE, NULL, True);
    PFNGLXBINDTEXIMAGEEXTPROC bind =
        (PFNGLXBINDTEXIMAGEEXTPROC)glXGetProcAddress((const GLubyte *)"glXBindTexImageEXT");
    glXMakeCurrent(display, window, context);
    bind(display, green_pixmap(display, config, visual), GLX_FRONT_LEFT_EXT, NULL);
    draw();
    int wrong = expect(SIZE / 4, 255) | expect(3 * SIZE / 4, 0);
    glXSwapBuffers(display, window);
    glXDestroyContext(display, context);
    XCloseDisplay(display);
    return wrong;
}
