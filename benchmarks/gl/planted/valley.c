/* A valley between mountains, seen from a low hill. A quadtree holds its 64 chunks, which are drawn
 * from one vertex and one index buffer. Its walk visits the four children of a node from far to
 * near. Fixed: it visits them from near to far. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum {
    SIDE = 8,
    CELLS = 6,
    POINTS = CELLS + 1,
    CHUNK = POINTS * POINTS,
    INDICES = CELLS * CELLS * 6
};

static bool fixed;
static GLuint program, names[2];

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec3 place, normal;\n"
                                    "void main() {\n"
                                    "    place = gl_Vertex.xyz;\n"
                                    "    normal = gl_Normal;\n"
                                    "    gl_Position = ftransform();\n"
                                    "}\n";

static const char fragment_shader[] =
    "#version 120\n"
    "varying vec3 place, normal;\n"
    "const vec3 sun = vec3(0.48, 0.64, 0.6);\n"
    "void main() {\n"
    "    vec3 n = normalize(normal);\n"
    "    float stone = fract(sin(dot(floor(6.0 * place), vec3(12.9, 78.2, 37.7))) * 43.5);\n"
    "    vec3 low = mix(vec3(0.2, 0.4, 0.12), vec3(0.3, 0.36, 0.15), stone);\n"
    "    vec3 high = mix(vec3(0.45, 0.4, 0.36), vec3(0.6, 0.58, 0.55), stone);\n"
    "    vec3 color = mix(low, high, smoothstep(0.2, 1.2, place.y));\n"
    "    color = mix(color, vec3(0.95), smoothstep(1.5, 1.9, place.y) * n.y);\n"
    "    color *= 0.25 + 0.75 * max(dot(n, sun), 0.0);\n"
    "    float far = clamp(-place.z / 18.0, 0.0, 1.0);\n"
    "    gl_FragColor = vec4(mix(color, vec3(0.65, 0.75, 0.85), far * far), 1.0);\n"
    "}\n";

static float
terrain(float x, float z)
{
    float ridges = 0.9f * sine(0.28f * z + 0.05f * x) + 0.5f * sine(0.21f * x + 0.33f * z + 0.3f);
    float rough = 0.12f * sine(0.9f * x + 0.4f * z) + 0.1f * sine(0.7f * z - 1.1f * x);
    return ridges + rough - 0.05f * z - 0.2f;
}

static void
build_chunk(GLfloat (*points)[6], int chunk)
{
    for (int i = 0; i < CHUNK; i++, points++) {
        float x = (float)(chunk % SIDE * CELLS + i % POINTS) / 3.0f - 8.0f;
        float z = -(float)(chunk / SIDE * CELLS + i / POINTS) / 3.0f;
        (*points)[0] = x, (*points)[1] = terrain(x, z), (*points)[2] = z;
        (*points)[3] = terrain(x - 0.1f, z) - terrain(x + 0.1f, z);
        (*points)[4] = 0.2f;
        (*points)[5] = terrain(x, z - 0.1f) - terrain(x, z + 0.1f);
    }
}

static void
setup(void)
{
    static GLfloat points[SIDE * SIDE][CHUNK][6];
    static GLushort indices[INDICES], *next = indices;
    for (int chunk = 0; chunk < SIDE * SIDE; chunk++)
        build_chunk(points[chunk], chunk);
    for (int cell = 0; cell < CELLS * CELLS; cell++) {
        int a = cell / CELLS * POINTS + cell % CELLS, b = a + POINTS;
        *next++ = (GLushort)a, *next++ = (GLushort)(a + 1), *next++ = (GLushort)b;
        *next++ = (GLushort)b, *next++ = (GLushort)(a + 1), *next++ = (GLushort)(b + 1);
    }
    glGenBuffers(2, names);
    glBindBuffer(GL_ARRAY_BUFFER, names[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof points, points, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, names[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    program = make_program(vertex_shader, fragment_shader);
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.65f, 0.75f, 0.85f, 1.0f);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.36, 0.3, 0.7, 40.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw_chunk(int x, int z)
{
    const size_t first = (size_t)(z * SIDE + x) * CHUNK * 6 * sizeof(GLfloat);
    glVertexPointer(3, GL_FLOAT, 6 * sizeof(GLfloat), (void *)first);
    glNormalPointer(GL_FLOAT, 6 * sizeof(GLfloat), (void *)(first + 3 * sizeof(GLfloat)));
    glDrawElements(GL_TRIANGLES, INDICES, GL_UNSIGNED_SHORT, NULL);
}

/* The node of `size` x `size` chunks whose nearest left chunk is (x, z). */
static void
walk(int x, int z, int size)
{
    if (size == 1) {
        draw_chunk(x, z);
        return;
    }
    const int half = size / 2;
    for (int child = 0; child < 4; child++) {
        int step = fixed ? child : 3 - child;
        walk(x + step % 2 * half, z + step / 2 * half, half);
    }
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef(4.0f, 1, 0, 0);
    glTranslatef(0.05f * (float)frame, -1.2f, -0.8f);
    glUseProgram(program);
    walk(0, 0, SIDE);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "valley",
                                        .about = "Chunks of a terrain that are drawn far to near.",
                                        .width = 420,
                                        .height = 280,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
