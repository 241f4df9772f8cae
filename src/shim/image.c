/* Makes Mesa's GLX usable with windows that are not on the screen. Mesa's software drivers read a
 * window's pixels when a context is bound to it. virpipe does so even for a window that is not
 * mapped, such as glxinfo's. The X server answers with BadMatch, and Xlib's error handler ends the
 * program. This wrapper ignores that error: the content of such a window is undefined.
 *
 * The types are those of Xlib. This library also runs in programs without Xlib, so it does not link
 * with Xlib. */
#include <X11/Xlib.h>
#include <X11/Xproto.h>

#include <dlfcn.h>
#include <string.h>

typedef XImage *read_fn(Display *, Drawable, int, int, unsigned, unsigned, unsigned long, int,
                        XImage *, int, int);
typedef XErrorHandler set_handler_fn(XErrorHandler);

static XErrorHandler others; /* handler of all other errors, while an image is read */

static int
handle_error(Display *display, XErrorEvent *event)
{
    if (event->request_code == X_GetImage && event->error_code == BadMatch)
        return 0;
    return others ? others(display, event) : 0;
}

__attribute__((visibility("default"))) read_fn XGetSubImage;

XImage *
XGetSubImage(Display *display, Drawable drawable, int x, int y, unsigned width, unsigned height,
             unsigned long planes, int format, XImage *image, int to_x, int to_y)
{
    void *read_symbol = dlsym(RTLD_NEXT, "XGetSubImage");
    void *set_symbol = dlsym(RTLD_NEXT, "XSetErrorHandler");
    read_fn *next;
    set_handler_fn *set_handler;
    memcpy(&next, &read_symbol, sizeof next);
    memcpy(&set_handler, &set_symbol, sizeof set_handler);
    if (!next || !set_handler)
        return NULL;
    XErrorHandler before = set_handler(handle_error);
    others = before == handle_error ? others : before;
    XImage *result =
        next(display, drawable, x, y, width, height, planes, format, image, to_x, to_y);
    set_handler(before);
    return result;
}
