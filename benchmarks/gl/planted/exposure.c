/* A camera with automatic exposure: the scene goes to a texture, the program reads it back and
 * averages it, then draws the texture with that exposure. Fixed: after the last draw, the GPU
 * reduces the texture to a small one, and the program reads that one; the exposure is that of the
 * previous frame. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { WIDTH = 448, HEIGHT = 336, SMALL_WIDTH = 32, SMALL_HEIGHT = 24, SPHERES = 60 };

static bool fixed;
static GLuint targets[2], images[2], scene_program, develop_program, reduce_program;
static float exposure = 1.0f;

static const char plain_vertex[] = "#version 120\n"
                                   "varying vec2 at;\n"
                                   "void main() {\n"
                                   "    at = gl_MultiTexCoord0.xy;\n"
                                   "    gl_Position = gl_Vertex;\n"
                                   "}\n";

static const char ball_fragment[] =
    "#version 120\n"
    "varying vec2 at;\n"
    "void main() {\n"
    "    float r = dot(at, at);\n"
    "    float z = sqrt(max(1.0 - r, 0.0));\n"
    "    vec3 n = vec3(at, z);\n"
    "    float light = max(dot(n, normalize(vec3(0.5, 0.6, 0.7))), 0.0);\n"
    "    gl_FragColor = vec4(light * vec3(0.5, 0.4, 0.3) + 0.05, step(r, 1.0));\n"
    "}\n";

static const char develop_fragment[] = "#version 120\n"
                                       "uniform sampler2D image;\n"
                                       "uniform float exposure;\n"
                                       "varying vec2 at;\n"
                                       "void main() {\n"
                                       "    vec3 c = texture2D(image, at).rgb * exposure;\n"
                                       "    gl_FragColor = vec4(c / (1.0 + c), 1.0);\n"
                                       "}\n";

static const char reduce_fragment[] = "#version 120\n"
                                      "uniform sampler2D image;\n"
                                      "varying vec2 at;\n"
                                      "void main() { gl_FragColor = texture2D(image, at); }\n";

static void
setup(void)
{
    glGenTextures(2, images);
    glGenFramebuffers(2, targets);
    for (uint32_t i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, images[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, i ? SMALL_WIDTH : WIDTH, i ? SMALL_HEIGHT : HEIGHT,
                     0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, targets[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, images[i], 0);
    }
    glBindTexture(GL_TEXTURE_2D, images[0]);
    scene_program = make_program(plain_vertex, ball_fragment);
    develop_program = make_program(plain_vertex, develop_fragment);
    reduce_program = make_program(plain_vertex, reduce_fragment);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

static void
quad(float x, float y, float half_width, float half_height, float low)
{
    glBegin(GL_QUADS);
    glTexCoord2f(low, low);
    glVertex2f(x - half_width, y - half_height);
    glTexCoord2f(1.0f, low);
    glVertex2f(x + half_width, y - half_height);
    glTexCoord2f(1.0f, 1.0f);
    glVertex2f(x + half_width, y + half_height);
    glTexCoord2f(low, 1.0f);
    glVertex2f(x - half_width, y + half_height);
    glEnd();
}

static void
draw_scene(uint32_t frame)
{
    glBindFramebuffer(GL_FRAMEBUFFER, targets[0]);
    glClearColor(0.05f, 0.1f, 0.2f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(scene_program);
    glEnable(GL_BLEND);
    for (uint32_t i = 0; i < SPHERES; i++)
        quad(-0.9f + 0.2f * (float)(i % 10) + 0.01f * (float)frame, -0.85f + 0.3f * (float)(i / 10),
             0.09f, 0.12f, -1.0f);
    glDisable(GL_BLEND);
}

/* Reads the bound target. */
static void
measure(GLsizei width, GLsizei height)
{
    static GLubyte texels[WIDTH * HEIGHT][4];
    const uint32_t count = (uint32_t)(width * height);
    uint32_t sum = 0;
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    for (uint32_t i = 0; i < count; i++)
        sum += texels[i][0] + 2u * texels[i][1] + texels[i][2];
    exposure = 0.5f * 4.0f * 255.0f * (float)count / (float)(sum + 1);
}

static void
reduce_and_measure(void)
{
    glBindFramebuffer(GL_FRAMEBUFFER, targets[1]);
    glViewport(0, 0, SMALL_WIDTH, SMALL_HEIGHT);
    glUseProgram(reduce_program);
    quad(0.0f, 0.0f, 1.0f, 1.0f, 0.0f);
    measure(SMALL_WIDTH, SMALL_HEIGHT);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, WIDTH, HEIGHT);
}

static void
draw(uint32_t frame)
{
    draw_scene(frame);
    if (!fixed)
        measure(WIDTH, HEIGHT);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glUseProgram(develop_program);
    glUniform1f(glGetUniformLocation(develop_program, "exposure"), exposure);
    quad(0.0f, 0.0f, 1.0f, 1.0f, 0.0f);
    if (fixed)
        reduce_and_measure();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "exposure",
                                        .about = "Exposure from pixels read in the middle.",
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
