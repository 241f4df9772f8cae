/* Dunes of a desert, a height field of 640 x 24 cells in buffer objects, with ripples and haze per
 * vertex. The triangles follow the rows, and a row has more vertices than the vertex cache can
 * hold. Fixed: they follow strips that are 16 columns wide. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { COLUMNS = 640, ROWS = 24, STRIP = 16, INDICES = COLUMNS * ROWS * 6 };

static bool fixed;
static GLuint sand_program, buffers[2], tents;

static const char vertex_shader[] =
    "#version 120\n"
    "varying vec3 tint;\n"
    "uniform float wind;\n"
    "uniform vec3 eye;\n"
    "void main() {\n"
    "    vec4 p = gl_Vertex;\n"
    "    float steep = gl_MultiTexCoord0.x, ripple = sin(9.0 * p.x + 5.0 * p.z + wind);\n"
    "    ripple += 0.5 * sin(17.0 * p.z - 7.0 * p.x) + 0.25 * sin(31.0 * p.x + wind);\n"
    "    ripple += 0.2 * sin(23.0 * p.x - 3.0 * p.z) + 0.2 * sin(41.0 * p.z + 2.0 * wind);\n"
    "    ripple += 0.1 * sin(53.0 * p.x + 29.0 * p.z) + 0.1 * sin(61.0 * p.z - wind);\n"
    "    p.y += 0.01 * ripple;\n"
    "    vec3 n = normalize(vec3(-steep, 1.0, 0.1 * ripple));\n"
    "    float lit = 0.3 + 0.7 * max(dot(n, normalize(vec3(-0.6, 0.5, 0.3))), 0.0);\n"
    "    gl_Position = gl_ModelViewProjectionMatrix * p;\n"
    "    vec3 half_way = normalize(vec3(-0.6, 0.5, 0.3) - normalize(p.xyz - eye));\n"
    "    lit += 0.3 * pow(max(dot(n, half_way), 0.0), 12.0);\n"
    "    float haze = 1.0 - exp(-0.06 * gl_Position.w);\n"
    "    tint = mix(vec3(0.95, 0.75, 0.45) * lit, vec3(0.85, 0.8, 0.75), haze);\n"
    "}\n";

static const char fragment_shader[] = "#version 120\n"
                                      "varying vec3 tint;\n"
                                      "void main() { gl_FragColor = vec4(tint, 1.0); }\n";

static float
height(int column, int row)
{
    float x = (float)column / COLUMNS, z = (float)row / ROWS;
    return 0.5f * sine(3.0f * x + 0.7f * z) * sine(2.5f * z + x) + 0.3f * sine(5.0f * z - 2.0f * x);
}

/* The columns first to end - 1 of all rows, the nearest row first. */
static GLushort *
put_columns(GLushort *next, int first, int end)
{
    for (int row = 0; row < ROWS; row++) {
        for (int column = first; column < end; column++) {
            int a = row * (COLUMNS + 1) + column, b = a + COLUMNS + 1;
            const int corners[6] = {a, a + 1, b, b, a + 1, b + 1};
            for (int c = 0; c < 6; c++)
                *next++ = (GLushort)corners[c];
        }
    }
    return next;
}

static void
build_dunes(void)
{
    static GLfloat points[(COLUMNS + 1) * (ROWS + 1)][4];
    static GLushort indices[INDICES];
    for (int i = 0; i < (COLUMNS + 1) * (ROWS + 1); i++) {
        int column = i % (COLUMNS + 1), row = i / (COLUMNS + 1);
        points[i][0] = 12.0f * ((float)column / COLUMNS - 0.5f);
        points[i][1] = height(column, row);
        points[i][2] = -12.0f * (float)row / ROWS;
        points[i][3] = 28.0f * (height(column + 1, row) - height(column, row));
    }
    GLushort *next = indices;
    const int width = fixed ? STRIP : COLUMNS;
    for (int first = 0; first < COLUMNS; first += width)
        next = put_columns(next, first, first + width);
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof points, points, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, sizeof points[0], NULL);
    glTexCoordPointer(1, GL_FLOAT, sizeof points[0], (void *)(3 * sizeof(GLfloat)));
}

static void
build_tents(void)
{
    tents = glGenLists(1);
    glNewList(tents, GL_COMPILE);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 5; i++) {
        float x = -1.6f + 0.8f * (float)i, z = -1.2f - 0.1f * (float)(i % 2);
        glColor3f(0.8f, 0.25f + 0.1f * (float)i, 0.2f);
        glVertex3f(x - 0.25f, 0.3f, z), glVertex3f(x + 0.25f, 0.3f, z), glVertex3f(x, 0.75f, z);
        glColor3f(0.5f, 0.15f + 0.1f * (float)i, 0.1f);
        glVertex3f(x + 0.25f, 0.3f, z), glVertex3f(x + 0.4f, 0.35f, z - 0.3f);
        glVertex3f(x, 0.75f, z);
    }
    glEnd();
    glEndList();
}

static void
setup(void)
{
    sand_program = make_program(vertex_shader, fragment_shader);
    build_dunes();
    build_tents();
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.3, 0.3, 0.6, 30.0);
    glMatrixMode(GL_MODELVIEW);
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.6f, 0.75f, 0.9f, 1.0f);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef(18.0f, 1, 0, 0);
    glTranslatef(0.02f * (float)frame, -1.7f, -1.0f);
    glUseProgram(0);
    glCallList(tents);
    glUseProgram(sand_program);
    glUniform1f(glGetUniformLocation(sand_program, "wind"), 0.2f * (float)frame);
    glUniform3f(glGetUniformLocation(sand_program, "eye"), 0, 1.7f, 1.0f);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glDrawElements(GL_TRIANGLES, INDICES, GL_UNSIGNED_SHORT, NULL);
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    glDisableClientState(GL_VERTEX_ARRAY);
}

int
main(int argc, char **argv)
{
    return planted_main(
        &(struct scene){.name = "dunes",
                        .about = "A height field whose rows exceed the vertex cache.",
                        .width = 400,
                        .height = 240,
                        .frames = 4,
                        .setup = setup,
                        .draw = draw},
        &fixed, argc, argv);
}
