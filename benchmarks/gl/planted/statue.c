/* A scanned ring of 12,800 triangles with lit vertices. The scanner delivered the triangles in
 * random order. Fixed: neighboring triangles follow each other, so that most vertices are shaded
 * once. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { AROUND = 160, ACROSS = 40, TRIANGLES = 2 * AROUND * ACROSS };

struct vertex {
    GLfloat position[3], normal[3];
};

static bool fixed;
static GLuint program;

static const char vertex_shader[] =
    "#version 120\n"
    "varying vec4 color;\n"
    "void main() {\n"
    "    vec3 n = normalize(gl_NormalMatrix * gl_Normal);\n"
    "    vec3 v = normalize(-vec3(gl_ModelViewMatrix * gl_Vertex));\n"
    "    vec3 light = vec3(0.1);\n"
    "    for (int i = 0; i < 4; i++) {\n"
    "        vec3 l = normalize(vec3(float(i) - 1.5, 1.0, 1.0 - 0.2 * float(i)));\n"
    "        light += max(dot(n, l), 0.0) * vec3(0.3, 0.28, 0.25);\n"
    "        light += 0.2 * pow(max(dot(n, normalize(l + v)), 0.0), 20.0);\n"
    "    }\n"
    "    color = vec4(light, 1.0);\n"
    "    gl_Position = ftransform();\n"
    "}\n";

static const char fragment_shader[] = "#version 120\n"
                                      "varying vec4 color;\n"
                                      "void main() { gl_FragColor = color; }\n";

static void
make_vertices(void)
{
    static struct vertex vertices[AROUND * ACROSS];
    for (uint32_t i = 0; i < AROUND * ACROSS; i++) {
        float u = (float)(i / ACROSS) / AROUND, v = (float)(i % ACROSS) / ACROSS;
        float thick = 0.35f + 0.05f * sine(6.0f * u);
        const float normal[] = {cosine(v) * cosine(u), cosine(v) * sine(u), sine(v)};
        for (uint32_t c = 0; c < 3; c++) {
            float center = c == 0 ? cosine(u) : c == 1 ? sine(u) : 0.0f;
            vertices[i].position[c] = center + thick * normal[c];
            vertices[i].normal[c] = normal[c];
        }
    }
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
}

/* Bands eight vertices wide. The vertices at a band's edge are still in the vertex cache when the
 * next row of triangles needs them. */
static void
make_triangles(void)
{
    static GLushort triangles[TRIANGLES][3];
    uint32_t count = 0;
    for (uint32_t band = 0; band < ACROSS; band += 8) {
        for (uint32_t i = 0; i < AROUND * 8; i++) {
            uint32_t u = i / 8, v = band + i % 8;
            uint32_t right = (u + 1) % AROUND, up = (v + 1) % ACROSS;
            const GLushort corners[] = {(GLushort)(u * ACROSS + v), (GLushort)(right * ACROSS + v),
                                        (GLushort)(u * ACROSS + up),
                                        (GLushort)(right * ACROSS + up)};
            static const uint32_t picks[2][3] = {{0, 1, 2}, {2, 1, 3}};
            for (uint32_t half = 0; half < 2; half++, count++)
                for (uint32_t c = 0; c < 3; c++)
                    triangles[count][c] = corners[picks[half][c]];
        }
    }
    struct random random = {5};
    for (uint32_t i = TRIANGLES - 1; !fixed && i > 0; i--) {
        uint32_t other = (uint32_t)(random_next(&random) * (float)(i + 1));
        for (uint32_t c = 0; c < 3; c++) {
            GLushort kept = triangles[i][c];
            triangles[i][c] = triangles[other][c];
            triangles[other][c] = kept;
        }
    }
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof triangles, triangles, GL_STATIC_DRAW);
}

static void
setup(void)
{
    GLuint buffers[2];
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    make_vertices();
    make_triangles();
    program = make_program(vertex_shader, fragment_shader);
    glUseProgram(program);
    glVertexPointer(3, GL_FLOAT, sizeof(struct vertex), NULL);
    glNormalPointer(GL_FLOAT, sizeof(struct vertex), (void *)offsetof(struct vertex, normal));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.5, 0.5, 1.0, 20.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.0f, 0.0f, -3.2f);
    glRotatef(30.0f + 10.0f * (float)frame, 1.0f, 0.5f, 0.0f);
    glDrawElements(GL_TRIANGLES, 3 * TRIANGLES, GL_UNSIGNED_SHORT, NULL);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "statue",
                                        .about = "A mesh whose triangles are in random order.",
                                        .width = 320,
                                        .height = 320,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
