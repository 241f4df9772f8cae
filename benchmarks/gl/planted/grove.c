/* Hedges of a garden, the nearest first, and a few twigs with holes. One shader serves both: it
 * discards where the leaf has a hole, although hedges have none. Fixed: the hedges have a shader
 * without discard. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { HEDGES = 9, TWIGS = 6, IMAGE = 128 };

static bool fixed;
static GLuint leaf_program, hedge_program;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec2 at;\n"
                                    "varying vec3 place;\n"
                                    "void main() {\n"
                                    "    at = gl_MultiTexCoord0.xy;\n"
                                    "    place = gl_Vertex.xyz;\n"
                                    "    gl_Position = ftransform();\n"
                                    "}\n";

#define SHADE                                                                                      \
    "    vec3 normal = normalize(leaf.rgb - 0.5);\n"                                               \
    "    vec3 color = vec3(0.05, 0.1, 0.05);\n"                                                    \
    "    for (int i = 0; i < 3; i++) {\n"                                                          \
    "        vec3 to_lamp = vec3(float(i) - 1.0, 1.5, 1.0) - place;\n"                             \
    "        float fall = 1.0 / (1.0 + dot(to_lamp, to_lamp));\n"                                  \
    "        color += fall * max(dot(normal, normalize(to_lamp)), 0.0) * vec3(0.8, 1.4, 0.6);\n"   \
    "    }\n"                                                                                      \
    "    gl_FragColor = vec4(color * leaf.rgb + 0.1 * leaf.rgb, 1.0);\n"

static const char leaf_shader[] = "#version 120\n"
                                  "uniform sampler2D leaves;\n"
                                  "varying vec2 at;\n"
                                  "varying vec3 place;\n"
                                  "void main() {\n"
                                  "    vec4 leaf = texture2D(leaves, at);\n"
                                  "    if (leaf.a < 0.5)\n"
                                  "        discard;\n" SHADE "}\n";

static const char hedge_shader[] = "#version 120\n"
                                   "uniform sampler2D leaves;\n"
                                   "varying vec2 at;\n"
                                   "varying vec3 place;\n"
                                   "void main() {\n"
                                   "    vec4 leaf = texture2D(leaves, at);\n" SHADE "}\n";

/* The lower half has no holes; it is the hedge. */
static void
make_leaves(void)
{
    static uint8_t texels[IMAGE][IMAGE][4];
    GLuint texture;
    for (uint32_t y = 0; y < IMAGE; y++) {
        for (uint32_t x = 0; x < IMAGE; x++) {
            texels[y][x][0] = noise(x, y, IMAGE, 8, 1);
            texels[y][x][1] = (uint8_t)(128 + noise(x, y, IMAGE, 4, 2) / 2);
            texels[y][x][2] = noise(x, y, IMAGE, 8, 3) / 2;
            texels[y][x][3] = y < IMAGE / 2 || noise(x, y, IMAGE, 16, 4) > 110 ? 255 : 0;
        }
    }
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, IMAGE, IMAGE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
}

static void
setup(void)
{
    make_leaves();
    leaf_program = make_program(vertex_shader, leaf_shader);
    hedge_program = make_program(vertex_shader, hedge_shader);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.4, 0.4, 1.0, 30.0);
    glMatrixMode(GL_MODELVIEW);
    glClearColor(0.5f, 0.7f, 0.9f, 1.0f);
}

static void
rectangle(float x, float y, float z, float width, float height, float s, float t)
{
    glBegin(GL_TRIANGLE_STRIP);
    glTexCoord2f(0.0f, t);
    glVertex3f(x, y, z);
    glTexCoord2f(s, t);
    glVertex3f(x + width, y, z);
    glTexCoord2f(0.0f, t + 0.5f);
    glVertex3f(x, y + height, z);
    glTexCoord2f(s, t + 0.5f);
    glVertex3f(x + width, y + height, z);
    glEnd();
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.01f * (float)frame, 0.0f, -1.5f);
    glUseProgram(fixed ? hedge_program : leaf_program);
    for (uint32_t i = 0; i < HEDGES; i++) {
        float z = -0.6f * (float)i, height = 0.9f + 0.36f * (float)i;
        rectangle(-3.5f, -2.0f, z, 7.0f, 1.5f + height, 14.0f, 0.0f);
    }
    glUseProgram(leaf_program);
    for (uint32_t i = 0; i < TWIGS; i++)
        rectangle(-0.9f + 0.3f * (float)i, 0.3f, 0.1f, 0.15f, 0.15f, 0.5f, 0.5f);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "grove",
                                        .about = "Hedges drawn with the shader of the leaves.",
                                        .width = 400,
                                        .height = 320,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
