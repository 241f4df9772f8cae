/* A model viewer. It draws the checkered stage and the model for a preview that was since removed,
 * then clears everything, and draws them again with the gauges. Fixed: it draws once. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { SLICES = 24, STACKS = 16 };

static bool fixed;
static GLuint program;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec3 place;\n"
                                    "void main() {\n"
                                    "    place = gl_Vertex.xyz;\n"
                                    "    gl_Position = ftransform();\n"
                                    "    gl_FrontColor = gl_Color;\n"
                                    "}\n";

static const char fragment_shader[] =
    "#version 120\n"
    "varying vec3 place;\n"
    "void main() {\n"
    "    float check = mod(floor(4.0 * place.x) + floor(4.0 * place.y), 2.0);\n"
    "    gl_FragColor = vec4(gl_Color.rgb * (0.6 + 0.4 * check), 1.0);\n"
    "}\n";

static void
setup(void)
{
    program = make_program(vertex_shader, fragment_shader);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.6, 0.6, -0.4, 0.4, 1.0, 20.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw_model(void)
{
    for (uint32_t stack = 0; stack < STACKS; stack++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (uint32_t i = 0; i < 2 * (SLICES + 1); i++) {
            float u = (float)(i / 2) / SLICES, v = (float)(stack + i % 2) / STACKS;
            float ring = 0.5f + 0.3f * sine(1.5f * v);
            glColor3f(0.9f - 0.5f * v, 0.5f, 0.2f + 0.6f * v);
            glVertex3f(ring * cosine(u), 2.0f * v - 1.0f, ring * sine(u));
        }
        glEnd();
    }
}

static void
draw_stage(void)
{
    glColor3f(0.3f, 0.35f, 0.4f);
    glBegin(GL_QUADS);
    glVertex3f(-4.0f, -3.0f, -2.0f);
    glVertex3f(4.0f, -3.0f, -2.0f);
    glVertex3f(4.0f, 3.0f, -2.0f);
    glVertex3f(-4.0f, 3.0f, -2.0f);
    glEnd();
}

static void
draw_gauges(void)
{
    glUseProgram(0);
    glBegin(GL_TRIANGLES);
    glColor3f(1.0f, 0.2f, 0.2f);
    glVertex3f(-0.9f, -0.9f, 1.2f);
    glVertex3f(-0.7f, -0.9f, 1.2f);
    glVertex3f(-0.9f, -0.7f, 1.2f);
    glEnd();
}

static void
draw_view(uint32_t frame)
{
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.0f, 0.0f, -2.6f);
    glUseProgram(program);
    glPushMatrix();
    glRotatef(20.0f + 5.0f * (float)frame, 0.3f, 1.0f, 0.0f);
    draw_model();
    glPopMatrix();
    draw_stage();
}

static void
draw(uint32_t frame)
{
    if (!fixed)
        draw_view(frame);
    draw_view(frame);
    draw_gauges();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "preview",
                                        .about = "A model drawn, erased and drawn again.",
                                        .width = 450,
                                        .height = 300,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
