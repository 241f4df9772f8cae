/* A program that labels its draws with every interface: groups and markers of KHR_debug and
 * EXT_debug_marker, string markers, labels of programs and framebuffers. The program draws
 * triangles in immediate mode off screen, through EGL, and reads each frame back.
 * tests/unit/shim/test_labels.c contains the expected label of each draw. With --core, the program
 * requests OpenGL 4.1, and ends if it gets no context. */
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <string.h>

static void
triangle(void)
{
    glBegin(GL_TRIANGLES);
    glVertex2f(-1, -1);
    glVertex2f(1, -1);
    glVertex2f(0, 1);
    glEnd();
}

static EGLBoolean
make_context(int core)
{
    const EGLint core_list[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 1,
                                EGL_NONE};
    const EGLint config_list[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                  EGL_OPENGL_BIT, EGL_NONE};
    const EGLint surface_list[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLConfig config;
    EGLint count = 0;
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, config_list, &config, 1, &count) || !count)
        return EGL_FALSE;
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, core ? core_list : NULL);
    EGLSurface surface = eglCreatePbufferSurface(display, config, surface_list);
    return eglMakeCurrent(display, surface, surface, context);
}

static GLuint
make_program(void)
{
    static const char *const source = "void main() { gl_FragColor = vec4(1, 0, 0, 1); }";
    GLuint program = glCreateProgram(), shader = glCreateShader(GL_FRAGMENT_SHADER);
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    return program;
}

static GLuint
make_framebuffer(void)
{
    GLuint framebuffer, texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glBindTexture(GL_TEXTURE_2D, 0);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return framebuffer;
}

static void
read_back(void)
{
    unsigned char pixels[16 * 16 * 4];
    glReadPixels(0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* A draw in immediate mode has the label that is current at its glBegin(). */
static void
first_frame(void)
{
    PFNGLPUSHGROUPMARKEREXTPROC push =
        (PFNGLPUSHGROUPMARKEREXTPROC)eglGetProcAddress("glPushGroupMarkerEXT");
    PFNGLPOPGROUPMARKEREXTPROC pop =
        (PFNGLPOPGROUPMARKEREXTPROC)eglGetProcAddress("glPopGroupMarkerEXT");
    triangle();
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, "scene");
    triangle();
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 2, 5, "trees and more");
    triangle();
    glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_MARKER, 3,
                         GL_DEBUG_SEVERITY_NOTIFICATION, -1, "oak, \"old\"");
    triangle();
    glPopDebugGroup();
    triangle();
    push(0, "ext");
    triangle();
    pop();
    glStringMarkerGREMEDY(4, "last of all");
    triangle();
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 3, -1, "in");
    triangle();
    glPopDebugGroup();
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 4, -1, "no\xed\xa0\x80\xef\xbf\xbe");
    triangle();
    glPopDebugGroup();
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 5, -1,
                     "0123456789012345678901234567890123456789012345678901234567890\xe2\x82\xac!");
    triangle();
    glPopDebugGroup();
    glPopDebugGroup();
    triangle();
}

static void
last_frame(GLuint program, GLuint framebuffer)
{
    glUseProgram(program);
    triangle();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    triangle();
    glUseProgram(0);
    triangle();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    triangle();
}

int
main(int argc, char **argv)
{
    if (!make_context(argc > 1 && !strcmp(argv[1], "--core")))
        return 2;
    GLuint program = make_program(), framebuffer = make_framebuffer();
    glObjectLabel(GL_PROGRAM, program, -1, "water");
    glObjectLabel(GL_FRAMEBUFFER, framebuffer, 6, "mirror of the lake");
    first_frame();
    read_back();
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, "open");
    triangle();
    read_back();
    triangle(); /* the previous frame set its label */
    read_back();
    last_frame(program, framebuffer);
    read_back();
    glPopDebugGroup();
    const GLenum error = glGetError();
    if (error)
        fprintf(stderr, "labels: OpenGL error %04x\n", error);
    return error != GL_NO_ERROR;
}
