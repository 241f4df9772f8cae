/* The inside of a hangar with crates, and clouds beyond its open gate. The sky is computed per
 * pixel from four octaves of noise, and is drawn first, over the whole window. Fixed: it is drawn
 * last, at the far plane, where only the gate is open. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

static bool fixed;
static GLuint sky, steel, vertices;
static GLsizei inside;

static const char sky_vertex[] = "#version 120\n"
                                 "varying vec2 at;\n"
                                 "void main() {\n"
                                 "    at = 3.0 * gl_Vertex.xy;\n"
                                 "    gl_Position = vec4(gl_Vertex.xy, 1.0, 1.0);\n"
                                 "}\n";

static const char sky_fragment[] =
    "#version 120\n"
    "varying vec2 at;\n"
    "uniform float drift;\n"
    "float grid(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 4.1414))) * 437.585); }\n"
    "float value(vec2 p) {\n"
    "    vec2 i = floor(p), f = fract(p);\n"
    "    f = f * f * (3.0 - 2.0 * f);\n"
    "    return mix(mix(grid(i), grid(i + vec2(1, 0)), f.x),\n"
    "               mix(grid(i + vec2(0, 1)), grid(i + vec2(1, 1)), f.x), f.y);\n"
    "}\n"
    "void main() {\n"
    "    vec2 p = at + drift;\n"
    "    float c = 0.5 * value(p) + 0.25 * value(2.0 * p) + 0.125 * value(4.0 * p) +\n"
    "              0.0625 * value(8.0 * p);\n"
    "    gl_FragColor = vec4(mix(vec3(0.35, 0.55, 0.85), vec3(1.0), c), 1.0);\n"
    "}\n";

static const char steel_vertex[] = "#version 120\n"
                                   "varying vec3 place, tint;\n"
                                   "void main() {\n"
                                   "    place = gl_Vertex.xyz;\n"
                                   "    tint = gl_Color.rgb;\n"
                                   "    gl_Position = ftransform();\n"
                                   "}\n";

static const char steel_fragment[] =
    "#version 120\n"
    "varying vec3 place, tint;\n"
    "void main() {\n"
    "    float lamp = 3.0 / (1.0 + dot(place - vec3(0, 3, -6), place - vec3(0, 3, -6)) * 0.12);\n"
    "    gl_FragColor = vec4(tint * (0.25 + 0.3 * lamp), 1.0);\n"
    "}\n";

/* An upright or horizontal rectangle of the interior: a corner and two edges. */
struct panel {
    float corner[3], right[3], up[3], tint[3];
};

/* The nearest first; the back wall is open in its center. */
static const struct panel panels[] = {
    {{-2.5f, -2, -4.0f}, {1.2f, 0, 0}, {0, 1.1f, 0}, {0.7f, 0.5f, 0.3f}},
    {{1.4f, -2, -4.5f}, {1.0f, 0, 0}, {0, 0.9f, 0}, {0.6f, 0.5f, 0.3f}},
    {{0.6f, -2, -7.0f}, {1.3f, 0, 0}, {0, 1.3f, 0}, {0.7f, 0.6f, 0.4f}},
    {{-4, -2, -12}, {0, 0, 12}, {0, 5, 0}, {0.6f, 0.6f, 0.65f}},
    {{4, -2, 0}, {0, 0, -12}, {0, 5, 0}, {0.6f, 0.6f, 0.65f}},
    {{-4, -2, 0}, {8, 0, 0}, {0, 0, -12}, {0.5f, 0.5f, 0.5f}},
    {{-4, 3, -12}, {8, 0, 0}, {0, 0, 12}, {0.5f, 0.5f, 0.55f}},
    {{-4, -2, -12}, {2.2f, 0, 0}, {0, 5, 0}, {0.7f, 0.65f, 0.6f}},
    {{1.8f, -2, -12}, {2.2f, 0, 0}, {0, 5, 0}, {0.7f, 0.65f, 0.6f}},
    {{-1.8f, 1, -12}, {3.6f, 0, 0}, {0, 2, 0}, {0.7f, 0.65f, 0.6f}},
};

static void
setup(void)
{
    static GLfloat data[64][6];
    GLsizei n = 0;
    for (size_t p = 0; p < sizeof panels / sizeof *panels; p++) {
        for (int c = 0; c < 4; c++, n++) {
            for (int axis = 0; axis < 3; axis++) {
                data[n][axis] = panels[p].corner[axis] +
                                (c == 1 || c == 2 ? panels[p].right[axis] : 0.0f) +
                                (c >= 2 ? panels[p].up[axis] : 0.0f);
                data[n][3 + axis] = panels[p].tint[axis];
            }
        }
    }
    inside = n;
    for (int c = 0; c < 4; c++, n++) {
        data[n][0] = c == 1 || c == 2 ? 1.0f : -1.0f;
        data[n][1] = c >= 2 ? 1.0f : -1.0f;
    }
    glGenBuffers(1, &vertices);
    glBindBuffer(GL_ARRAY_BUFFER, vertices);
    glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, sizeof data[0], NULL);
    glColorPointer(3, GL_FLOAT, sizeof data[0], (void *)(3 * sizeof(GLfloat)));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    sky = make_program(sky_vertex, sky_fragment);
    steel = make_program(steel_vertex, steel_fragment);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glMatrixMode(GL_PROJECTION);
}

static void
draw_sky(uint32_t frame)
{
    glUseProgram(sky);
    glUniform1f(glGetUniformLocation(sky, "drift"), 0.03f * (float)frame);
    glDrawArrays(GL_QUADS, inside, 4);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glFrustum(-0.8, 0.8, -0.6, 0.6, 1.0, 40.0);
    glTranslatef(0.02f * (float)frame, 0, -1);
    if (!fixed)
        draw_sky(frame);
    glUseProgram(steel);
    glDrawArrays(GL_QUADS, 0, inside);
    if (fixed)
        draw_sky(frame);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "hangar",
                                        .about = "An expensive sky that is drawn first.",
                                        .width = 400,
                                        .height = 300,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
