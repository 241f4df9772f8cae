/* Rows of 1,200 fruit trees on an estate. The trees share a shader, which moves and scales a tree
 * with the entry of a table, and the table never changes. The program fills the buffer of the table
 * again at the start of each frame. Fixed: it fills the buffer once. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { TREES = 1200, CORNERS = 9, FACES = 9, ENTRY = 6 };

static bool fixed;
static GLuint program, shapes, table, indices;
static GLfloat entries[TREES][CORNERS][4];

static const char vertex_shader[] =
    "#version 120\n"
    "attribute vec4 entry;\n"
    "varying vec3 tint;\n"
    "void main() {\n"
    "    vec3 p = gl_Vertex.xyz * entry.w + vec3(entry.x, 0.0, entry.y);\n"
    "    tint = gl_Vertex.y < 0.35 ? vec3(0.35, 0.25, 0.15)\n"
    "                              : vec3(0.2 + entry.z, 0.5, 0.15) * (0.5 + 0.5 * gl_Vertex.y);\n"
    "    gl_Position = gl_ModelViewProjectionMatrix * vec4(p, 1.0);\n"
    "}\n";

static const char fragment_shader[] = "#version 120\n"
                                      "varying vec3 tint;\n"
                                      "void main() { gl_FragColor = vec4(tint, 1.0); }\n";

/* A trunk of two faces, and a crown between a lower point, four sides and a top. */
static const GLfloat tree[CORNERS][3] = {{-0.05f, 0, 0}, {0.05f, 0, 0},       {0, 0.4f, 0},
                                         {0, 0.3f, 0},   {0.4f, 0.7f, 0.4f},  {0.4f, 0.7f, -0.4f},
                                         {0, 1.2f, 0},   {-0.4f, 0.7f, 0.4f}, {-0.4f, 0.7f, -0.4f}};
static const GLubyte faces[FACES][3] = {{0, 1, 2}, {3, 4, 7}, {3, 5, 4}, {3, 8, 5}, {3, 7, 8},
                                        {6, 7, 4}, {6, 4, 5}, {6, 5, 8}, {6, 8, 7}};

static void
build_trees(void)
{
    static GLfloat copies[TREES][CORNERS][3];
    static GLushort order[TREES][FACES][3];
    struct random random = {8};
    for (int i = 0; i < TREES; i++) { /* rows of 40, the nearest row first */
        float x = (float)(i % 40) - 19.5f, z = -1.0f - 0.9f * (float)(i / 40);
        float ripe = 0.5f * random_next(&random), size = 0.7f + 0.3f * random_next(&random);
        for (int c = 0; c < CORNERS; c++) {
            GLfloat *entry = entries[i][c];
            entry[0] = 0.9f * x, entry[1] = z, entry[2] = ripe, entry[3] = size;
            for (int axis = 0; axis < 3; axis++)
                copies[i][c][axis] = tree[c][axis];
        }
        for (int f = 0; f < FACES * 3; f++)
            order[i][f / 3][f % 3] = (GLushort)(i * CORNERS + faces[f / 3][f % 3]);
    }
    glGenBuffers(1, &shapes);
    glBindBuffer(GL_ARRAY_BUFFER, shapes);
    glBufferData(GL_ARRAY_BUFFER, sizeof copies, copies, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, 0, NULL);
    glGenBuffers(1, &table);
    glBindBuffer(GL_ARRAY_BUFFER, table);
    glBufferData(GL_ARRAY_BUFFER, sizeof entries, entries, fixed ? GL_STATIC_DRAW : GL_STREAM_DRAW);
    glVertexAttribPointer(ENTRY, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    glGenBuffers(1, &indices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof order, order, GL_STATIC_DRAW);
}

static void
setup(void)
{
    program = make_program(vertex_shader, fragment_shader);
    glBindAttribLocation(program, ENTRY, "entry");
    glLinkProgram(program);
    build_trees();
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.65f, 0.8f, 0.95f, 1.0f);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.32, 0.2, 0.6, 50.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw_trees(void)
{
    glUseProgram(program);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableVertexAttribArray(ENTRY);
    glDrawElements(GL_TRIANGLES, TREES * FACES * 3, GL_UNSIGNED_SHORT, NULL);
    glDisableVertexAttribArray(ENTRY);
    glDisableClientState(GL_VERTEX_ARRAY);
    glUseProgram(0);
}

/* The house of the estate is in front of the trees; the lawn is below all. */
static void
draw_house(void)
{
    glBegin(GL_QUADS);
    glColor3f(0.9f, 0.85f, 0.75f);
    glVertex3f(-0.9f, 0, -0.3f), glVertex3f(0.1f, 0, -0.3f);
    glVertex3f(0.1f, 0.6f, -0.3f), glVertex3f(-0.9f, 0.6f, -0.3f);
    glColor3f(0.7f, 0.3f, 0.2f);
    glVertex3f(-1.0f, 0.6f, -0.3f), glVertex3f(0.2f, 0.6f, -0.3f);
    glVertex3f(0.0f, 0.95f, -0.35f), glVertex3f(-0.8f, 0.95f, -0.35f);
    glEnd();
}

static void
draw_lawn(void)
{
    glColor3f(0.45f, 0.6f, 0.3f);
    glBegin(GL_QUADS);
    glVertex3f(-25, 0, 1), glVertex3f(25, 0, 1), glVertex3f(25, 0, -40), glVertex3f(-25, 0, -40);
    glEnd();
}

static void
draw(uint32_t frame)
{
    if (!fixed) {
        glBindBuffer(GL_ARRAY_BUFFER, table);
        glBufferData(GL_ARRAY_BUFFER, sizeof entries, entries, GL_STREAM_DRAW);
    }
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef(15.0f, 1, 0, 0);
    glTranslatef(0.03f * (float)frame, -2.0f, -1.5f);
    draw_house();
    draw_trees();
    draw_lawn();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "orchard",
                                        .about = "A table that is uploaded in each frame.",
                                        .width = 384,
                                        .height = 240,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
