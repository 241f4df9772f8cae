/* Prints the extensions that OpenGL (without an argument) or OpenGL ES (--es) announces, one per
 * line. tests/unit/trace/test_extensions.c compares them with docs/extensions.md. */
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool
make_context(bool is_es)
{
    const EGLint config_list[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                  is_es ? EGL_OPENGL_ES2_BIT : EGL_OPENGL_BIT, EGL_NONE};
    const EGLint context_list[] = {EGL_CONTEXT_MAJOR_VERSION, 2, EGL_NONE};
    const EGLint surface_list[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    EGLConfig config;
    EGLint count = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) ||
        !eglBindAPI(is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API) ||
        !eglChooseConfig(display, config_list, &config, 1, &count) || !count)
        return false;
    EGLContext context =
        eglCreateContext(display, config, EGL_NO_CONTEXT, is_es ? context_list : NULL);
    EGLSurface surface = eglCreatePbufferSurface(display, config, surface_list);
    return context != EGL_NO_CONTEXT && eglMakeCurrent(display, surface, surface, context);
}

int
main(int argc, char **argv)
{
    const bool is_es = argc > 1 && !strcmp(argv[1], "--es");
    unsigned char pixels[16 * 16 * 4];
    if (!make_context(is_es)) {
        fprintf(stderr, "extensions: no context\n");
        return 1;
    }
    for (const char *at = (const char *)glGetString(GL_EXTENSIONS); *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        printf("%.*s\n", (int)length, at);
        at += length;
    }
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, pixels); /* ends a frame */
    return 0;
}
