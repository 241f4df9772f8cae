/* Presses keys and moves the pointer in the X server of DISPLAY, for `aetius capture --keys`. The
 * words of the operand are executed in order:
 *
 *     8s        wait 8 seconds
 *     Return    press and release the key with this X name (keysym)
 *     +Up -Up   press a key, release a key
 *     320,200   move the pointer to a pixel of the screen
 *     click     press and release the left button
 *
 * Without a window manager, keys go to the window under the pointer. If there is none, the pointer
 * is moved to the middle of the topmost window before a key or a click.
 *
 *     aetius-keys [--check] "WORDS"
 *
 * --check only checks the words. The exit status is 1 if a word is invalid, or if there is no X
 * server with the XTEST extension. */
#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SECONDS = 86400, MOST_PIXELS = 32767, LEFT_BUTTON = 1 };

struct step {
    enum { WAIT, KEY, PRESS, RELEASE, MOVE, CLICK } kind;
    double seconds;
    KeySym key;
    int x, y;
};

static bool
parse_key(const char *word, struct step *step)
{
    const bool has_sign = word[0] == '+' || word[0] == '-';
    step->kind = !has_sign ? KEY : word[0] == '+' ? PRESS : RELEASE;
    step->key = XStringToKeysym(word + has_sign);
    return step->key != NoSymbol;
}

static bool
parse(const char *word, struct step *step)
{
    char *end;
    *step = (struct step){.kind = CLICK};
    if (!strcmp(word, "click"))
        return true;
    if (word[0] < '0' || word[0] > '9')
        return parse_key(word, step);
    step->kind = WAIT;
    step->seconds = strtod(word, &end);
    if (!strcmp(end, "s"))
        return step->seconds <= MOST_SECONDS;
    step->kind = MOVE;
    const long x = strtol(word, &end, 10);
    const bool is_pair = end[0] == ',' && end[1] >= '0' && end[1] <= '9';
    const long y = is_pair ? strtol(end + 1, &end, 10) : -1;
    step->x = (int)x;
    step->y = (int)y;
    if (y >= 0 && !*end)
        return x <= MOST_PIXELS && y <= MOST_PIXELS;
    return parse_key(word, step);
}

/* Returns the topmost window on the screen, or None. */
static Window
find_window(Display *display, XWindowAttributes *attributes)
{
    Window root, parent, *children, found = None;
    unsigned count;
    if (!XQueryTree(display, DefaultRootWindow(display), &root, &parent, &children, &count))
        return None;
    while (count-- > 0 && !found)
        if (XGetWindowAttributes(display, children[count], attributes) &&
            attributes->map_state == IsViewable)
            found = children[count];
    if (children)
        XFree(children);
    return found;
}

static void
point_at_window(Display *display)
{
    Window root, child;
    XWindowAttributes window;
    int x, y, inner_x, inner_y;
    unsigned mask;
    const bool is_inside = XQueryPointer(display, DefaultRootWindow(display), &root, &child, &x, &y,
                                         &inner_x, &inner_y, &mask) &&
                           child;
    if (!is_inside && find_window(display, &window))
        XTestFakeMotionEvent(display, -1, window.x + window.width / 2, window.y + window.height / 2,
                             CurrentTime);
}

static void
execute(Display *display, const struct step *step)
{
    const KeyCode code = step->key ? XKeysymToKeycode(display, step->key) : 0;
    const struct timespec time = {(time_t)step->seconds,
                                  (long)(1e9 * (step->seconds - (double)(time_t)step->seconds))};
    if (step->kind == WAIT)
        nanosleep(&time, NULL);
    else if (step->kind == MOVE)
        XTestFakeMotionEvent(display, -1, step->x, step->y, CurrentTime);
    else
        point_at_window(display);
    if (code && step->kind != RELEASE)
        XTestFakeKeyEvent(display, code, True, CurrentTime);
    if (code && step->kind != PRESS)
        XTestFakeKeyEvent(display, code, False, CurrentTime);
    if (step->kind == CLICK) {
        XTestFakeButtonEvent(display, LEFT_BUTTON, True, CurrentTime);
        XTestFakeButtonEvent(display, LEFT_BUTTON, False, CurrentTime);
    }
    XSync(display, False);
}

/* A window may be closed between two requests. */
static int
ignore_error(Display *display, XErrorEvent *event)
{
    (void)display;
    (void)event;
    return 0;
}

int
main(int argc, char **argv)
{
    const bool only_checks = argc == 3 && !strcmp(argv[1], "--check");
    int event, error, major, minor;
    if (argc != 2 + only_checks)
        return 1;
    Display *display = only_checks ? NULL : XOpenDisplay(NULL);
    if (!only_checks &&
        (!display || !XTestQueryExtension(display, &event, &error, &major, &minor))) {
        fprintf(stderr, "aetius: the X server does not accept keys (no extension XTEST)\n");
        return 1;
    }
    XSetErrorHandler(ignore_error);
    for (char *word = strtok(argv[1 + only_checks], " \t\n"); word; word = strtok(NULL, " \t\n")) {
        struct step step;
        if (!parse(word, &step)) {
            printf("%s", word);
            return 1;
        }
        if (display)
            execute(display, &step);
    }
    if (display)
        XCloseDisplay(display);
    return 0;
}
