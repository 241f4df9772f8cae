/* Panels of a space station, sorted from the eye. The fragment shader writes a logarithmic depth,
 * although the scene is ten metres deep. Fixed: the depth is that of the rasterizer. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { LAYERS = 8, PANELS = 4, VERTICES = LAYERS * PANELS * PANELS * 4 };

struct vertex {
    float position[3], normal[3];
};

static bool fixed;
static GLuint program, buffers[2];
static GLsizei index_count;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec3 normal, eye;\n"
                                    "varying float distance;\n"
                                    "void main() {\n"
                                    "    normal = gl_Normal;\n"
                                    "    eye = vec3(gl_ModelViewMatrix * gl_Vertex);\n"
                                    "    gl_Position = ftransform();\n"
                                    "    distance = 1.0 + gl_Position.w;\n"
                                    "}\n";

#define LIGHT                                                                                      \
    "#version 120\n"                                                                               \
    "varying vec3 normal, eye;\n"                                                                  \
    "varying float distance;\n"                                                                    \
    "void main() {\n"                                                                              \
    "    vec3 n = normalize(normal), v = normalize(-eye);\n"                                       \
    "    vec3 key = normalize(vec3(0.5, 0.7, 0.6)), rim = normalize(vec3(-0.8, 0.1, 0.3));\n"      \
    "    float plate = step(0.06, fract(eye.x * 3.0)) * step(0.06, fract(eye.y * 3.0));\n"         \
    "    float spark = pow(max(dot(n, normalize(key + v)), 0.0), 40.0);\n"                         \
    "    float edge = pow(max(dot(n, normalize(rim + v)), 0.0), 12.0);\n"                          \
    "    vec3 steel = vec3(0.35, 0.37, 0.4) * (0.4 + 0.6 * plate);\n"                              \
    "    gl_FragColor = vec4(steel * (0.2 + max(dot(n, key), 0.0)) + spark + edge *\n"             \
    "                        vec3(0.2, 0.3, 0.6), 1.0);\n"

static const char logarithmic[] = LIGHT "    gl_FragDepth = log2(distance) / log2(32.0);\n}\n";
static const char linear[] = LIGHT "}\n";

static void
setup(void)
{
    static struct vertex vertices[VERTICES];
    static GLushort indices[VERTICES / 4 * 6];
    uint32_t v = 0, k = 0;
    for (uint32_t i = 0; i < LAYERS * PANELS * PANELS; i++) {
        uint32_t layer = i / (PANELS * PANELS), x = i % PANELS, y = i / PANELS % PANELS;
        float scale = 1.0f + 0.5f * (float)layer, z = -1.5f - (float)layer;
        for (uint32_t c = 0; c < 4; c++, v++) {
            float right = (float)(x + (c & 1)) - 2.0f, up = (float)(y + c / 2) - 2.0f;
            float slide = (float)(layer % 2) * 0.3f;
            vertices[v] = (struct vertex){
                {0.46f * scale * (right + slide), 0.4f * scale * up, z + 0.2f * (float)(c & 1)},
                {0.2f * (float)(c & 1) - 0.1f, 0.2f * (float)(c / 2) - 0.1f, 1.0f}};
        }
        const uint32_t corners[] = {0, 1, 2, 2, 1, 3};
        for (uint32_t c = 0; c < 6; c++)
            indices[k++] = (GLushort)(v - 4 + corners[c]);
    }
    index_count = (GLsizei)k;
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    program = make_program(vertex_shader, fixed ? linear : logarithmic);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.6, 0.6, -0.5, 0.5, 1.0, 31.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef((float)frame, 0.0f, 0.0f, 1.0f);
    glUseProgram(program);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glVertexPointer(3, GL_FLOAT, sizeof(struct vertex), NULL);
    glNormalPointer(GL_FLOAT, sizeof(struct vertex), (void *)offsetof(struct vertex, normal));
    glDrawElements(GL_TRIANGLES, index_count, GL_UNSIGNED_SHORT, NULL);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "station",
                                        .about = "Panels with a logarithmic depth.",
                                        .width = 384,
                                        .height = 320,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
