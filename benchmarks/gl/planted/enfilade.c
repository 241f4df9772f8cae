/* Nine halls of a palace in a row, seen through doors that do not line up. Each hall is one draw of
 * a vertex buffer, with three lamps per pixel. The loop starts with the last hall. Fixed: it starts
 * with the hall of the visitor. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define HALLS    9
#define DEPTH    3.0f
#define WIDE     14.0f
#define TALL     10.0f
#define PER_HALL 24 /* vertices: floor, ceiling, and four parts of the far wall with its door */

typedef struct {
    float x, y, z;
    float nx, ny, nz;
} Corner;

static bool fixed;
static Corner corners[HALLS * PER_HALL];
static int corner_count;
static GLuint program;

static const char *vs = "#version 120\n"
                        "varying vec3 n, p;\n"
                        "void main()\n"
                        "{\n"
                        "  n = gl_NormalMatrix * gl_Normal;\n"
                        "  p = vec3(gl_ModelViewMatrix * gl_Vertex);\n"
                        "  gl_Position = ftransform();\n"
                        "}\n";
static const char *fs =
    "#version 120\n"
    "uniform vec3 lamps[3];\n"
    "uniform vec3 paint;\n"
    "varying vec3 n, p;\n"
    "void main()\n"
    "{\n"
    "  vec3 sum = vec3(0.15);\n"
    "  for (int i = 0; i < 3; i++) {\n"
    "    vec3 l = lamps[i] - p;\n"
    "    float d = dot(l, l);\n"
    "    vec3 h = normalize(normalize(l) - normalize(p));\n"
    "    sum += (max(dot(n, l), 0.0) + pow(max(dot(n, h), 0.0), 20.0)) / (3.0 + d);\n"
    "  }\n"
    "  gl_FragColor = vec4(paint * sum, 1.0);\n"
    "}\n";

static void
add(const float a[3], const float u[3], const float v[3], const float normal[3])
{
    for (int i = 0; i < 4; i++) {
        float s = i == 1 || i == 2, t = i >= 2;
        corners[corner_count++] = (Corner){a[0] + s * u[0] + t * v[0],
                                           a[1] + s * u[1] + t * v[1],
                                           a[2] + s * u[2] + t * v[2],
                                           normal[0],
                                           normal[1],
                                           normal[2]};
    }
}

static void
build_hall(int hall)
{
    const float front[3] = {0, 0, 1}, up[3] = {0, 1, 0}, down[3] = {0, -1, 0};
    float near = -DEPTH * (float)hall, far = near - DEPTH;
    float door = (hall % 2 ? 1.0f : -1.6f) * (0.6f + 0.2f * (float)hall), half = 0.5f;
    add((float[]){-WIDE, -1.5f, near}, (float[]){2 * WIDE, 0, 0}, (float[]){0, 0, -DEPTH}, up);
    add((float[]){-WIDE, TALL, near}, (float[]){2 * WIDE, 0, 0}, (float[]){0, 0, -DEPTH}, down);
    add((float[]){-WIDE, -1.5f, far}, (float[]){door - half + WIDE, 0, 0},
        (float[]){0, TALL + 1.5f, 0}, front);
    add((float[]){door + half, -1.5f, far}, (float[]){WIDE - door - half, 0, 0},
        (float[]){0, TALL + 1.5f, 0}, front);
    add((float[]){door - half, 0.8f, far}, (float[]){2 * half, 0, 0}, (float[]){0, TALL - 0.8f, 0},
        front);
    add((float[]){door - half, -1.5f, far}, (float[]){2 * half, 0, 0}, (float[]){0, 0.1f, 0},
        front);
}

static void
setup(void)
{
    GLuint buffer;
    for (int hall = 0; hall < HALLS; hall++)
        build_hall(hall);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glVertexPointer(3, GL_FLOAT, sizeof(Corner), (void *)offsetof(Corner, x));
    glNormalPointer(GL_FLOAT, sizeof(Corner), (void *)offsetof(Corner, nx));
    program = make_program(vs, fs);
    glUseProgram(program);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.4, 0.4, -0.3, 0.3, 1.0, 40.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw_hall(int hall, float walked)
{
    float z = walked - DEPTH * (float)hall - 1.0f;
    const GLfloat lamps[9] = {-2.0f, 1.5f, z, 0.5f, 0.5f, z - 1.0f, 2.5f, 1.0f, z - 0.5f};
    glUniform3fv(glGetUniformLocation(program, "lamps"), 3, lamps);
    glUniform3f(glGetUniformLocation(program, "paint"), hall % 3 == 0 ? 1.0f : 0.6f,
                hall % 3 == 1 ? 1.0f : 0.7f, hall % 3 == 2 ? 1.0f : 0.5f);
    glDrawArrays(GL_QUADS, hall * PER_HALL, PER_HALL);
}

static void
draw(uint32_t frame)
{
    float walked = 0.05f * (float)frame;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.2f, 0.0f, walked);
    for (int i = 0; i < HALLS; i++)
        draw_hall(fixed ? i : HALLS - 1 - i, walked);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "enfilade",
                                        .about = "Halls in a row, the last one first.",
                                        .width = 320,
                                        .height = 240,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
