/* A program that draws two frames, and then one frame per key press or movement of the pointer. For
 * each of the latter, it prints the key's name, or the pointer's position. The key q ends the
 * program. With --core, the program first requests an OpenGL 3.3 core context, and ends if there is
 * none. With --core-or-exit, Xlib's default error handler ends it. With --3.0, the program requests
 * an OpenGL 3.0 context instead, with --4.6 an OpenGL 4.6 core context. */
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/keysym.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 64 };

static Display *display;
static Window window;

static int
ignore_error(Display *of, XErrorEvent *event)
{
    (void)of;
    (void)event;
    return 0;
}

/* Returns whether the context exists. If errors are not ignored, Xlib ends the program instead. */
static int
make_context(int major, int minor, int ignores_errors)
{
    typedef GLXContext create(Display *, GLXFBConfig, GLXContext, Bool, const int *);
    /* GLX_ARB_create_context, and its profile for 3.3 and 4.6 */
    const int list[] = {0x2091, major, 0x2092, minor, minor ? 0x9126 : None, 1, None};
    int count;
    GLXFBConfig *configs = glXGetFBConfigs(display, DefaultScreen(display), &count);
    create *make = (create *)glXGetProcAddressARB((const GLubyte *)"glXCreateContextAttribsARB");
    if (ignores_errors)
        XSetErrorHandler(ignore_error);
    return configs && make && make(display, configs[0], NULL, True, list);
}

static void
open_window(void)
{
    int attributes[] = {GLX_RGBA, GLX_DOUBLEBUFFER, None};
    XVisualInfo *visual = glXChooseVisual(display, DefaultScreen(display), attributes);
    const Window root = DefaultRootWindow(display);
    XSetWindowAttributes set = {.colormap =
                                    XCreateColormap(display, root, visual->visual, AllocNone),
                                .event_mask = KeyPressMask | PointerMotionMask | ExposureMask};
    XEvent event;
    window = XCreateWindow(display, root, 0, 0, SIDE, SIDE, 0, visual->depth, InputOutput,
                           visual->visual, CWColormap | CWEventMask | CWBorderPixel, &set);
    XMapWindow(display, window);
    XWindowEvent(display, window, ExposureMask, &event);
    glXMakeCurrent(display, window, glXCreateContext(display, visual, NULL, True));
}

static void
draw(float red)
{
    glClearColor(red, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glXSwapBuffers(display, window);
}

int
main(int argc, char **argv)
{
    display = XOpenDisplay(NULL);
    if (!display)
        return 2;
    const char *wanted = argc > 1 ? argv[1] : "";
    if (!strcmp(wanted, "--3.0") && !make_context(3, 0, 1))
        return 3;
    if (!strcmp(wanted, "--4.6") && !make_context(4, 6, 1))
        return 3;
    if (!strncmp(wanted, "--core", 6) && !make_context(3, 3, !strcmp(wanted, "--core")))
        return 3;
    open_window();
    draw(0.25f);
    draw(0.5f);
    for (;;) {
        XEvent event;
        XNextEvent(display, &event);
        const KeySym key = event.type == KeyPress ? XLookupKeysym(&event.xkey, 0) : NoSymbol;
        if (key == XK_q)
            return 0;
        if (event.type == KeyPress)
            printf("key %s\n", XKeysymToString(key));
        else if (event.type == MotionNotify)
            printf("pointer %d,%d\n", event.xmotion.x_root, event.xmotion.y_root);
        else
            continue;
        fflush(stdout);
        draw(1);
    }
}
