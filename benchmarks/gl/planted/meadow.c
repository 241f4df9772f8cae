/* A meadow below a hedge with 900 tufts of grass that bend in the wind. All tufts share the eight
 * blades of one vertex buffer. Each tuft is a draw, and its place is a constant attribute. Fixed:
 * the buffer contains the blades of all tufts, already in position, so one draw renders them all.
 */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <string.h>

enum { TUFTS = 900, BLADES = 8, PLACE = 6 };

static bool fixed;
static GLuint grass, soil, blades, soil_list;
static GLfloat places[TUFTS][4];

static const char grass_vertex[] =
    "#version 120\n"
    "attribute vec4 place;\n"
    "uniform float wind;\n"
    "varying float shade;\n"
    "void main() {\n"
    "    vec3 p = gl_Vertex.xyz * place.w + place.xyz;\n"
    "    p.x += 0.25 * gl_Vertex.y * sin(wind + 2.0 * place.x + place.z);\n"
    "    shade = 0.35 + gl_Vertex.y;\n"
    "    gl_Position = gl_ModelViewProjectionMatrix * vec4(p, 1.0);\n"
    "}\n";

static const char soil_vertex[] = "#version 120\n"
                                  "varying float shade;\n"
                                  "void main() {\n"
                                  "    shade = gl_Color.r;\n"
                                  "    gl_Position = ftransform();\n"
                                  "}\n";

static const char fragment_shader[] =
    "#version 120\n"
    "varying float shade;\n"
    "void main() { gl_FragColor = vec4(vec3(0.35, 0.7, 0.2) * shade, 1.0); }\n";

static GLuint
link_with_place(void)
{
    GLuint program = make_program(grass_vertex, fragment_shader);
    glBindAttribLocation(program, PLACE, "place");
    glLinkProgram(program);
    return program;
}

/* Vertices of 7 floats: the point of a blade, then the place of its tuft. */
static void
build_grass(void)
{
    static GLfloat data[TUFTS][BLADES * 3][7];
    struct random random = {5};
    for (int i = 0; i < TUFTS; i++) { /* the nearest first */
        places[i][0] = 8.0f * random_next(&random) - 4.0f;
        places[i][2] = -0.4f - 6.0f * (float)i / TUFTS;
        places[i][3] = 0.25f + 0.15f * random_next(&random);
    }
    for (int v = 0; v < TUFTS * BLADES * 3; v++) {
        int tuft = v / (BLADES * 3), blade = v / 3 % BLADES, corner = v % 3;
        float turn = (float)blade / BLADES, side = 0.12f * (float)(corner - 1);
        GLfloat *p = data[tuft][v % (BLADES * 3)];
        p[0] = 0.4f * cosine(turn) * (corner == 1 ? 1.6f : 1.0f) + side;
        p[1] = corner == 1 ? 0.7f + 0.3f * sine(turn * 3.0f) : 0.0f;
        p[2] = 0.3f * sine(turn);
        memcpy(p + 3, places[tuft], sizeof places[tuft]);
    }
    glGenBuffers(1, &blades);
    glBindBuffer(GL_ARRAY_BUFFER, blades);
    glBufferData(GL_ARRAY_BUFFER, fixed ? sizeof data : sizeof data[0], data, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, sizeof data[0][0], NULL);
    glVertexAttribPointer(PLACE, 4, GL_FLOAT, GL_FALSE, sizeof data[0][0],
                          (void *)(3 * sizeof(GLfloat)));
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* The hedge is a row of arcs. */
static void
compile_soil(void)
{
    soil_list = glGenLists(1);
    glNewList(soil_list, GL_COMPILE);
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i <= 64; i++) {
        float x = 10.0f * (float)i / 64.0f - 5.0f, top = 0.8f + 0.2f * sine((float)(i % 8) / 16.0f);
        glColor3f(0.3f, 0, 0), glVertex3f(x, 0, -6.5f);
        glColor3f(0.6f, 0, 0), glVertex3f(x, top, -6.5f);
    }
    glEnd();
    glColor3f(0.45f, 0, 0);
    glBegin(GL_QUADS);
    glVertex3f(-5, 0, 0), glVertex3f(5, 0, 0), glVertex3f(5, 0, -6.5f), glVertex3f(-5, 0, -6.5f);
    glEnd();
    glEndList();
}

static void
setup(void)
{
    grass = link_with_place();
    soil = make_program(soil_vertex, fragment_shader);
    build_grass();
    compile_soil();
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.6f, 0.8f, 1.0f, 1.0f);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.35, 0.25, 0.5, 20.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw_grass(uint32_t frame)
{
    glUseProgram(grass);
    glUniform1f(glGetUniformLocation(grass, "wind"), 0.4f * (float)frame);
    glEnableClientState(GL_VERTEX_ARRAY);
    if (fixed) {
        glEnableVertexAttribArray(PLACE);
        glDrawArrays(GL_TRIANGLES, 0, TUFTS * BLADES * 3);
        glDisableVertexAttribArray(PLACE);
    } else {
        for (int i = 0; i < TUFTS; i++) {
            glVertexAttrib4fv(PLACE, places[i]);
            glDrawArrays(GL_TRIANGLES, 0, BLADES * 3);
        }
    }
    glDisableClientState(GL_VERTEX_ARRAY);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef(12.0f, 1, 0, 0);
    glTranslatef(0, -1.0f, -0.6f);
    draw_grass(frame);
    glUseProgram(soil);
    glCallList(soil_list);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "meadow",
                                        .about = "One draw for each tuft of grass.",
                                        .width = 400,
                                        .height = 240,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
