/* The heat in the wall of a kiln, which spreads over a texture in 12 passes per frame. After each
 * pass, the program reads the texture, and derives the step of the next pass from its mean. Fixed:
 * after the last draw of the frame, the GPU reduces the texture to a small one, the program reads
 * that one, and uses the step in the next frame. The first frame has a constant step. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { SIDE = 64, PASSES = 12, SMALL = 16 };

static bool fixed;
static GLuint heat[3], targets[3], spread, colors, reduce; /* the third texture is the small one */
static int current;
static float step = 0.2f;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec2 at;\n"
                                    "void main() {\n"
                                    "    at = gl_MultiTexCoord0.xy;\n"
                                    "    gl_Position = ftransform();\n"
                                    "}\n";

static const char spread_shader[] =
    "#version 120\n"
    "varying vec2 at;\n"
    "uniform sampler2D heat;\n"
    "uniform float amount;\n"
    "const float d = 1.0 / 64.0;\n"
    "void main() {\n"
    "    float old = texture2D(heat, at).r;\n"
    "    float around = texture2D(heat, at + vec2(d, 0)).r + texture2D(heat, at - vec2(d, 0)).r +\n"
    "                   texture2D(heat, at + vec2(0, d)).r + texture2D(heat, at - vec2(0, d)).r;\n"
    "    float burner = step(at.y, 0.1) * step(0.3, fract(4.0 * at.x));\n"
    "    float now = mix(old, 0.25 * around, 4.0 * amount) + 0.08 * burner - 0.003;\n"
    "    gl_FragColor = vec4(clamp(now, 0.0, 1.0));\n"
    "}\n";

static const char color_shader[] =
    "#version 120\n"
    "varying vec2 at;\n"
    "uniform sampler2D heat;\n"
    "void main() {\n"
    "    float t = texture2D(heat, at).r;\n"
    "    vec2 joint = step(vec2(0.06), fract(at * vec2(8.0, 16.0)));\n"
    "    vec3 glow = vec3(0.3 + t, 0.2 + 0.8 * t * t, 0.15 + 0.5 * t * t * t);\n"
    "    gl_FragColor = vec4(glow * (0.7 + 0.3 * joint.x * joint.y), 1.0);\n"
    "}\n";

/* The mean of 4 x 4 texels. */
static const char reduce_shader[] =
    "#version 120\n"
    "varying vec2 at;\n"
    "uniform sampler2D heat;\n"
    "const float d = 1.0 / 64.0;\n"
    "void main() {\n"
    "    gl_FragColor = 0.25 * (texture2D(heat, at + vec2(d, d)) + texture2D(heat, at - vec2(d, "
    "d)) +\n"
    "                   texture2D(heat, at + vec2(d, -d)) + texture2D(heat, at + vec2(-d, d)));\n"
    "}\n";

static void
setup(void)
{
    static GLubyte start[SIDE * SIDE][4];
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        start[i][0] = (GLubyte)(noise(i % SIDE, i / SIDE, SIDE, 32, 9) * (SIDE - i / SIDE) / SIDE);
    glGenTextures(3, heat);
    glGenFramebuffers(3, targets);
    for (int i = 0; i < 3; i++) {
        glBindTexture(GL_TEXTURE_2D, heat[i]);
        load_texture(GL_RGBA8, i < 2 ? SIDE : SMALL, false, start);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
        glBindFramebuffer(GL_FRAMEBUFFER, targets[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, heat[i], 0);
    }
    spread = make_program(vertex_shader, spread_shader);
    colors = make_program(vertex_shader, color_shader);
    reduce = make_program(vertex_shader, reduce_shader);
}

static void
rectangle(float left, float bottom, float right, float top)
{
    glBegin(GL_QUADS);
    glTexCoord2f(0, 0), glVertex2f(left, bottom);
    glTexCoord2f(1, 0), glVertex2f(right, bottom);
    glTexCoord2f(1, 1), glVertex2f(right, top);
    glTexCoord2f(0, 1), glVertex2f(left, top);
    glEnd();
}

/* Reads the bound target, and updates the step: smaller if the wall is hot. */
static void
read_mean(int side)
{
    static GLubyte values[SIDE * SIDE][4];
    int sum = 0;
    glReadPixels(0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, values);
    for (int i = 0; i < side * side; i++)
        sum += values[i][0];
    step = 0.25f - 0.1f * (float)(sum / (side * side)) / 255.0f;
}

static void
reduce_heat(void)
{
    glBindFramebuffer(GL_FRAMEBUFFER, targets[2]);
    glViewport(0, 0, SMALL, SMALL);
    glUseProgram(reduce);
    glBindTexture(GL_TEXTURE_2D, heat[current]);
    rectangle(-1, -1, 1, 1);
    read_mean(SMALL);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void
spread_heat(uint32_t frame)
{
    glUseProgram(spread);
    glViewport(0, 0, SIDE, SIDE);
    for (int pass = 0; pass < PASSES; pass++) {
        glBindFramebuffer(GL_FRAMEBUFFER, targets[!current]);
        glBindTexture(GL_TEXTURE_2D, heat[current]);
        glUniform1f(glGetUniformLocation(spread, "amount"), step);
        rectangle(-1, -1, 1, 1);
        current = !current;
        if (!fixed && frame)
            read_mean(SIDE);
    }
}

/* The gauges beside the wall, one for each of six pots. */
static void
draw_gauges(uint32_t frame)
{
    glUseProgram(0);
    for (int i = 0; i < 6; i++) {
        float y = -0.85f + 0.3f * (float)i, level = 0.25f + 0.2f * step * (float)(i + 1);
        glColor3f(0.9f, 0.6f - 0.08f * (float)i, 0.2f);
        glRectf(0.72f, y, 0.72f + level * (0.9f + 0.02f * (float)(frame % 4)), y + 0.2f);
    }
}

static void
draw(uint32_t frame)
{
    spread_heat(frame);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, 288, 192);
    glClearColor(0.15f, 0.15f, 0.18f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(colors);
    glBindTexture(GL_TEXTURE_2D, heat[current]);
    rectangle(-0.95f, -0.95f, 0.65f, 0.95f);
    draw_gauges(frame);
    if (fixed && frame)
        reduce_heat();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "kiln",
                                        .about = "A simulation that is read after each pass.",
                                        .width = 288,
                                        .height = 192,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
