#include "pbuffer.h"

#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>

/* The surfaceless platform if EGL has it, else the default display. */
static EGLDisplay
find_display(void)
{
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL))
        return display;
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL) ? display
                                                                           : EGL_NO_DISPLAY;
}

bool
pbuffer_open(const char *name, uint32_t width, uint32_t height)
{
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,   EGL_RED_SIZE,    8,
                             EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, (EGLint)width, EGL_HEIGHT, (EGLint)height, EGL_NONE};
    EGLDisplay display = find_display();
    EGLConfig config;
    EGLint count = 0;
    if (display == EGL_NO_DISPLAY || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, wanted, &config, 1, &count) || !count) {
        fprintf(stderr, "%s: EGL without a window does not work here\n", name);
        return false;
    }
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    if (context == EGL_NO_CONTEXT || surface == EGL_NO_SURFACE ||
        !eglMakeCurrent(display, surface, surface, context)) {
        fprintf(stderr, "%s: no OpenGL context in a pbuffer\n", name);
        return false;
    }
    return true;
}
