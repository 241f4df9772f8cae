/* Ten ridges of hills in the haze, each a strip below its outline. The painter starts with the
 * farthest ridge, although there is a depth buffer. Fixed: the nearest ridge is drawn first. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { RIDGES = 10, STEPS = 48, STRIP = 2 * (STEPS + 1) };

static bool fixed;
static GLuint buffer, program;
static GLint haze;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec3 place;\n"
                                    "void main() {\n"
                                    "    place = gl_Vertex.xyz;\n"
                                    "    gl_Position = gl_Vertex;\n"
                                    "}\n";

static const char fragment_shader[] =
    "#version 120\n"
    "uniform float haze;\n"
    "varying vec3 place;\n"
    "float bumps(vec2 at) {\n"
    "    vec2 f = fract(at) - 0.5;\n"
    "    return dot(f, f);\n"
    "}\n"
    "void main() {\n"
    "    vec2 at = place.xy * 6.0 + vec2(haze * 31.0, 0.0);\n"
    "    float grain = bumps(at) + 0.5 * bumps(2.1 * at) + 0.25 * bumps(4.3 * at);\n"
    "    float light = 0.4 + 0.6 * clamp(sin(3.0 * at.x) * cos(2.0 * at.y) + grain, 0.0, 1.0);\n"
    "    vec3 grass = mix(vec3(0.1, 0.25, 0.05), vec3(0.45, 0.5, 0.2), grain);\n"
    "    gl_FragColor = vec4(mix(grass * light, vec3(0.7, 0.8, 0.95), haze), 1.0);\n"
    "}\n";

static void
setup(void)
{
    static float strips[RIDGES][STRIP][3];
    for (uint32_t ridge = 0; ridge < RIDGES; ridge++) {
        for (uint32_t step = 0; step <= STEPS; step++) {
            float x = (float)step / STEPS;
            float top = -0.35f + 0.13f * (float)ridge +
                        0.12f * sine(1.7f * x + 0.37f * (float)ridge) +
                        0.05f * sine(5.3f * x + 0.61f * (float)ridge);
            for (uint32_t end = 0; end < 2; end++) {
                float *vertex = strips[ridge][2 * step + end];
                vertex[0] = 2.0f * x - 1.0f;
                vertex[1] = end ? top : -1.0f;
                vertex[2] = -0.9f + 0.18f * (float)ridge;
            }
        }
    }
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof strips, strips, GL_STATIC_DRAW);
    program = make_program(vertex_shader, fragment_shader);
    haze = glGetUniformLocation(program, "haze");
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.75f, 0.85f, 1.0f, 1.0f);
}

static void
draw(uint32_t frame)
{
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(program);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(3, GL_FLOAT, 0, NULL);
    for (uint32_t i = 0; i < RIDGES; i++) {
        uint32_t ridge = fixed ? i : RIDGES - 1 - i;
        glUniform1f(haze, (float)ridge / (RIDGES + 2));
        glDrawArrays(GL_TRIANGLE_STRIP, (GLint)(ridge * STRIP), STRIP);
    }
    glDisableClientState(GL_VERTEX_ARRAY);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "hills",
                                        .about = "Ridges of hills, drawn from the back.",
                                        .width = 480,
                                        .height = 320,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
