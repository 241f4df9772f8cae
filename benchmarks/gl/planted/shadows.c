/* Bollards on a square in the sun, with a shadow map. The function that draws the shadow map is
 * called for the camera and again for the mirror that once was there, and clears the map each time.
 * Fixed: it is called once. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { MAP = 512, BOLLARDS = 30, SIDES = 18, RINGS = 10, STRIP = 6 };

static bool fixed;
static GLuint map, map_target, buffers[2], program;
static GLsizei indices_per_bollard;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec4 sun; varying vec3 n;\n"
                                    "uniform mat4 to_sun;\n"
                                    "void main() {\n"
                                    "    n = gl_Normal;\n"
                                    "    sun = to_sun * gl_Vertex * 0.5 + 0.5;\n"
                                    "    gl_Position = ftransform();\n"
                                    "}\n";

static const char fragment_shader[] =
    "#version 120\n"
    "uniform sampler2DShadow map;\n"
    "varying vec4 sun; varying vec3 n;\n"
    "void main() {\n"
    "    float lit = shadow2D(map, vec3(sun.xy, sun.z - 0.01)).r;\n"
    "    float facing = max(dot(normalize(n), vec3(0.48, 0.6, 0.64)), 0.0);\n"
    "    gl_FragColor = vec4(vec3(0.9, 0.85, 0.7) * (0.25 + 0.75 * lit * facing), 1.0);\n"
    "}\n";

static void
build(void)
{
    static float points[BOLLARDS][RINGS * (SIDES + 1)][2][3];
    static GLushort indices[BOLLARDS][(RINGS - 1) * SIDES * 6];
    for (int b = 0; b < BOLLARDS; b++) {
        float x = (float)(b % 6) - 2.5f, z = 2.0f - (float)(b / 6);
        GLushort *next = indices[b];
        for (int i = 0; i < RINGS * (SIDES + 1); i++) {
            float turn = (float)(i % (SIDES + 1)) / SIDES,
                  height = (float)(i / (SIDES + 1)) / RINGS;
            float(*p)[3] = points[b][i], radius = 0.28f - 0.3f * height * height;
            p[0][0] = x + radius * cosine(turn), p[0][1] = height,
            p[0][2] = z - radius * sine(turn);
            p[1][0] = cosine(turn), p[1][1] = 0.3f, p[1][2] = -sine(turn);
        }
        for (int i = 0; i < (RINGS - 1) * SIDES; i++) { /* in strips of six columns */
            int ring = i / STRIP % (RINGS - 1), side = i / STRIP / (RINGS - 1) * STRIP + i % STRIP;
            int a = (b * RINGS + ring) * (SIDES + 1) + side;
            const int quad[6] = {a, a + 1, a + SIDES + 1, a + SIDES + 1, a + 1, a + SIDES + 2};
            for (int c = 0; c < 6; c++)
                *next++ = (GLushort)quad[c];
        }
    }
    indices_per_bollard = (RINGS - 1) * SIDES * 6;
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof points, points, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glInterleavedArrays(GL_V3F, sizeof points[0][0], NULL);
    glNormalPointer(GL_FLOAT, sizeof points[0][0], (void *)sizeof points[0][0][0]);
    glEnableClientState(GL_NORMAL_ARRAY);
}

static void
setup(void)
{
    build();
    program = make_program(vertex_shader, fragment_shader);
    glGenTextures(1, &map);
    glBindTexture(GL_TEXTURE_2D, map);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, MAP, MAP, 0, GL_DEPTH_COMPONENT,
                 GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
    glGenFramebuffers(1, &map_target);
    glBindFramebuffer(GL_FRAMEBUFFER, map_target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, map, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.5f, 0.7f, 0.9f, 1.0f);
}

static void
draw_bollards(void)
{
    glDrawElements(GL_TRIANGLES, BOLLARDS * indices_per_bollard, GL_UNSIGNED_SHORT, NULL);
}

static void
draw_shadow_map(GLfloat to_sun[16])
{
    glBindFramebuffer(GL_FRAMEBUFFER, map_target);
    glViewport(0, 0, MAP, MAP);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(0);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(-3.8, 3.8, -3.8, 3.8, -4.0, 6.0);
    glRotatef(37.0f, 1.0f, 0.0f, 0.0f);
    glRotatef(-37.0f, 0.0f, 1.0f, 0.0f);
    glGetFloatv(GL_PROJECTION_MATRIX, to_sun);
    draw_bollards();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void
draw(uint32_t frame)
{
    GLfloat to_sun[16];
    for (int camera = fixed ? 1 : 0; camera < 2; camera++)
        draw_shadow_map(to_sun);
    glViewport(0, 0, 320, 224);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glFrustum(-0.6, 0.6, -0.42, 0.42, 1.0, 12.0);
    glTranslatef(0.0f, -0.3f, -5.2f);
    glRotatef(25.0f + (float)frame, 1.0f, 0.1f, 0.0f);
    glUseProgram(program);
    glUniformMatrix4fv(glGetUniformLocation(program, "to_sun"), 1, GL_FALSE, to_sun);
    draw_bollards();
    glBegin(GL_QUADS);
    glNormal3f(0, 1, 0);
    glVertex3f(-3, 0, 3), glVertex3f(3, 0, 3), glVertex3f(3, 0, -3), glVertex3f(-3, 0, -3);
    glEnd();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "shadows",
                                        .about = "A shadow map that is drawn twice.",
                                        .width = 320,
                                        .height = 224,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
