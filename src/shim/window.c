/* Library that is preloaded into glretrace, the replayer of apitrace. glretrace creates each window
 * with 32x32 pixels, and enlarges the window when it reads the first viewport. Mesa's software
 * drivers find out the size of a window only when a context is bound, and after a swap. The first
 * frame would therefore have 32x32 pixels. This library creates the window with the size in
 * AETIUS_WINDOW ("WxH") instead. */
#include <X11/Xlib.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

enum { GLRETRACE_SIDE = 32 };

typedef Window create_fn(Display *, Window, int, int, unsigned, unsigned, unsigned, int, unsigned,
                         Visual *, unsigned long, XSetWindowAttributes *);
typedef int resize_fn(Display *, Window, unsigned, unsigned);

SHOWN create_fn XCreateWindow;
SHOWN resize_fn XResizeWindow;

/* Returns the next definition of the function of this name. */
#define NEXT(type, name)                                                                           \
    type *next;                                                                                    \
    void *symbol = dlsym(RTLD_NEXT, name);                                                         \
    memcpy(&next, &symbol, sizeof next)

/* Replaces the size of a new window of glretrace. Other sizes stay as they are. */
static void
choose_size(unsigned *width, unsigned *height)
{
    const char *size = getenv("AETIUS_WINDOW");
    unsigned w, h;
    if (*width == GLRETRACE_SIDE && *height == GLRETRACE_SIDE && size &&
        sscanf(size, "%ux%u", &w, &h) == 2) {
        *width = w;
        *height = h;
    }
}

Window
XCreateWindow(Display *display, Window parent, int x, int y, unsigned width, unsigned height,
              unsigned border, int depth, unsigned kind, Visual *visual, unsigned long mask,
              XSetWindowAttributes *attributes)
{
    NEXT(create_fn, "XCreateWindow");
    choose_size(&width, &height);
    return next(display, parent, x, y, width, height, border, depth, kind, visual, mask,
                attributes);
}

/* glretrace waits for the event of its resize. The server sends none if the window already has the
 * requested size, so this function sends the event. */
int
XResizeWindow(Display *display, Window window, unsigned width, unsigned height)
{
    NEXT(resize_fn, "XResizeWindow");
    XWindowAttributes now;
    if (!XGetWindowAttributes(display, window, &now) || (unsigned)now.width != width ||
        (unsigned)now.height != height)
        return next(display, window, width, height);
    XEvent event = {.xconfigure = {.type = ConfigureNotify,
                                   .display = display,
                                   .event = window,
                                   .window = window,
                                   .width = now.width,
                                   .height = now.height}};
    return XSendEvent(display, window, False, StructureNotifyMask, &event);
}
