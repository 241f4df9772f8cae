/* An old film: a stage with a curtain is rendered to a texture, and a second pass adds grain. The
 * table of the grain is computed once, but its texture is loaded again at the start of every frame.
 * Fixed: it is loaded once. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

static bool fixed;
static GLubyte table[1024 * 512];
static GLuint grain, picture, target, film;

static const char *to_fragments = "#version 120\n"
                                  "varying vec2 at;\n"
                                  "void main() {\n"
                                  "  at = gl_Vertex.xy * 0.5 + 0.5;\n"
                                  "  gl_Position = gl_Vertex;\n"
                                  "}\n";
static const char *add_grain = "#version 120\n"
                               "uniform sampler2D picture, grain;\n"
                               "uniform vec2 jump;\n"
                               "varying vec2 at;\n"
                               "void main() {\n"
                               "  vec3 c = texture2D(picture, at).rgb;\n"
                               "  float g = texture2D(grain, at + jump).r;\n"
                               "  float tone = dot(c, vec3(0.3, 0.6, 0.1)) + 0.3 * g - 0.15;\n"
                               "  gl_FragColor = vec4(tone * vec3(1.0, 0.9, 0.75), 1.0);\n"
                               "}\n";

static void
load_grain(void)
{
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, grain);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, 1024, 512, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE,
                 table);
    glActiveTexture(GL_TEXTURE0);
}

static void
setup(void)
{
    GLuint names[2];
    struct random random = {1};
    for (int i = 0; i < 1024 * 512; i++)
        table[i] = (GLubyte)(255.0f * random_next(&random));
    glGenTextures(2, names);
    picture = names[0], grain = names[1];
    for (int i = 1; i >= 0; i--) {
        glBindTexture(GL_TEXTURE_2D, names[i]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    load_grain();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 512, 384, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture, 0);
    film = make_program(to_fragments, add_grain);
    glUseProgram(film);
    glUniform1i(glGetUniformLocation(film, "grain"), 1);
}

/* Swinging folds of a curtain, and an actor in a spotlight. */
static void
draw_stage(uint32_t frame)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glUseProgram(0);
    glBegin(GL_QUAD_STRIP);
    for (int i = 0; i <= 80; i++) {
        float x = (float)i / 40.0f - 1.0f,
              fold = 0.5f + 0.4f * sine(8.0f * x + 0.05f * (float)frame);
        glColor3f(fold, 0.1f * fold, 0.15f * fold);
        glVertex2f(x, -0.6f);
        glVertex2f(x, 1.0f);
    }
    glEnd();
    glBegin(GL_QUADS);
    glColor3f(0.5f, 0.35f, 0.2f);
    glVertex2f(-1.0f, -1.0f), glVertex2f(1.0f, -1.0f), glVertex2f(1.0f, -0.6f),
        glVertex2f(-1, -0.6f);
    glEnd();
    glBegin(GL_TRIANGLE_FAN);
    glColor3f(1.0f, 0.95f, 0.8f);
    glVertex2f(0.1f, -0.2f);
    for (int i = 0; i <= 30; i++)
        glVertex2f(0.1f + 0.2f * cosine((float)i / 30.0f), -0.2f + 0.5f * sine((float)i / 30.0f));
    glEnd();
}

static void
draw(uint32_t frame)
{
    if (!fixed)
        load_grain();
    draw_stage(frame);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, picture);
    glUseProgram(film);
    glUniform2f(glGetUniformLocation(film, "jump"), 0.37f * (float)frame, 0.21f * (float)frame);
    glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
}

int
main(int argc, char **argv)
{
    struct scene scene = {
        "grain", "A film whose grain is loaded in every frame.", 512, 384, 4, NULL, setup, draw};
    return planted_main(&scene, &fixed, argc, argv);
}
