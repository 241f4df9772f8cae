/* A sea serpent of 9,600 triangles, which four bones per vertex bend. The exporter sorted the
 * triangles by material, and within a material by a hash. Fixed: they follow the body in strips of
 * six columns, so that most vertices are still in the vertex cache. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdlib.h>

enum { AROUND = 24, RINGS = 201, BONES = 8, FACES = AROUND * (RINGS - 1) * 2, STRIP = 6 };

struct skin_vertex {
    float position[3];
    float weights[4];
    float bones[4];
};

struct face {
    GLushort corners[3];
    uint32_t key;
};

static bool fixed;
static GLuint program, buffers[2];
static struct face faces[FACES];

static const char vertex_shader[] =
    "#version 120\n"
    "attribute vec3 position;\n"
    "attribute vec4 weights, bones;\n"
    "uniform vec4 pose[24];\n" /* three rows per bone */
    "varying vec3 color;\n"
    "void main() {\n"
    "    vec4 p = vec4(position, 1.0), n = vec4(0.0, position.yz, 0.0);\n"
    "    vec3 at = vec3(0.0), normal = vec3(0.0);\n"
    "    for (int i = 0; i < 4; i++) {\n"
    "        int b = int(bones[i]) * 3;\n"
    "        vec4 x = pose[b], y = pose[b + 1], z = pose[b + 2];\n"
    "        at += weights[i] * vec3(dot(x, p), dot(y, p), dot(z, p));\n"
    "        normal += weights[i] * vec3(dot(x, n), dot(y, n), dot(z, n));\n"
    "    }\n"
    "    float light = max(dot(normalize(normal), vec3(0.3, 0.8, 0.5)), 0.0);\n"
    "    color = vec3(0.1, 0.4, 0.3) + light * vec3(0.4, 0.5, 0.3);\n"
    "    gl_Position = gl_ModelViewProjectionMatrix * vec4(at, 1.0);\n"
    "}\n";
static const char fragment_shader[] = "#version 120\n"
                                      "varying vec3 color;\n"
                                      "void main() { gl_FragColor = vec4(color, 1.0); }\n";

static int
by_key(const void *a, const void *b)
{
    const struct face *left = a, *right = b;
    return left->key < right->key ? -1 : left->key > right->key;
}

static void
build_body(void)
{
    static struct skin_vertex vertices[AROUND * RINGS];
    for (uint32_t i = 0; i < AROUND * RINGS; i++) {
        float along = (float)(i / AROUND) / (RINGS - 1), turn = (float)(i % AROUND) / AROUND;
        float radius = 0.28f * (1.0f - along * along) + 0.02f, joint = along * (BONES - 4);
        struct skin_vertex *v = &vertices[i];
        v->position[0] = 8.0f * along - 4.0f;
        v->position[1] = radius * sine(turn);
        v->position[2] = radius * cosine(turn);
        for (int b = 0; b < 4; b++) {
            v->bones[b] = (float)(int)joint + (float)b - (along == 1.0f);
            v->weights[b] = b == 0 || b == 3 ? 0.15f
                            : b == 1         ? 0.7f - 0.7f * (joint - (float)(int)joint)
                                             : 0.7f * (joint - (float)(int)joint);
        }
    }
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
}

static void
build_faces(void)
{
    static GLushort indices[FACES][3];
    for (uint32_t i = 0; i < FACES; i++) {
        uint32_t ring = i / 2 / AROUND, column = i / 2 % AROUND, next = (column + 1) % AROUND;
        uint32_t a = ring * AROUND + column, b = ring * AROUND + next;
        uint32_t material = column >= 4 && column < 8, hash = i * 2654435761u >> 8;
        faces[i] = i % 2 ? (struct face){.corners = {b, a + AROUND, b + AROUND}}
                         : (struct face){.corners = {a, a + AROUND, b}};
        faces[i].key = fixed ? (column / STRIP * RINGS + ring) * 64 + column % STRIP * 2 + i % 2
                             : material << 24 | hash;
    }
    qsort(faces, FACES, sizeof *faces, by_key);
    for (uint32_t i = 0; i < FACES * 3; i++)
        indices[i / 3][i % 3] = faces[i / 3].corners[i % 3];
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
}

static void
setup(void)
{
    static const struct {
        const char *name;
        GLint size;
        size_t offset;
    } attributes[] = {{"position", 3, offsetof(struct skin_vertex, position)},
                      {"weights", 4, offsetof(struct skin_vertex, weights)},
                      {"bones", 4, offsetof(struct skin_vertex, bones)}};
    program = make_program(vertex_shader, fragment_shader);
    glUseProgram(program);
    glGenBuffers(2, buffers);
    build_body();
    build_faces();
    for (int i = 0; i < 3; i++) {
        GLuint at = (GLuint)glGetAttribLocation(program, attributes[i].name);
        glEnableVertexAttribArray(at);
        glVertexAttribPointer(at, attributes[i].size, GL_FLOAT, GL_FALSE,
                              sizeof(struct skin_vertex), (void *)attributes[i].offset);
    }
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.8, 0.8, -0.45, 0.45, 1.0, 12.0);
    glTranslatef(0.0f, 0.0f, -5.5f);
    glClearColor(0.05f, 0.15f, 0.3f, 1.0f);
}

static void
draw(uint32_t frame)
{
    GLfloat pose[BONES * 3][4];
    for (int bone = 0; bone < BONES; bone++) {
        float swing = 0.18f * (float)bone + 0.03f * (float)frame;
        const GLfloat rows[3][4] = {
            {1.0f, 0.0f, 0.0f, 0.0f},
            {0.0f, cosine(0.1f * swing), -sine(0.1f * swing), sine(swing)},
            {0.0f, sine(0.1f * swing), cosine(0.1f * swing), cosine(swing)}};
        for (int i = 0; i < 12; i++)
            pose[3 * bone + i / 4][i % 4] = rows[i / 4][i % 4];
    }
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUniform4fv(glGetUniformLocation(program, "pose"), BONES * 3, &pose[0][0]);
    glDrawElements(GL_TRIANGLES, FACES * 3, GL_UNSIGNED_SHORT, NULL);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "serpent",
                                        .about = "A skinned body whose triangles are scattered.",
                                        .width = 512,
                                        .height = 288,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
