/* Glossy balls in a hall with colored lamps. Before each row of balls, the hall is rendered into a
 * small texture as seen from the row; the program reads that texture, averages it, and passes the
 * mean as a uniform. Fixed: the program renders the views of all rows into one texture, and reads
 * it after the last draw; the means are those of the previous frame. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define PROBE  32
#define ROWS   10
#define BALLS  8
#define WINDOW 256

static bool fixed;
static GLuint probe, probe_image, balls_program, row_list;
static GLint mean_at;
static float means[ROWS][3];

static const char ball_vertex[] = "#version 120\n"
                                  "uniform vec3 mean; varying vec3 n, around;\n"
                                  "void main() {\n"
                                  "    n = gl_NormalMatrix * gl_Normal; around = mean;\n"
                                  "    gl_Position = ftransform();\n"
                                  "}\n";
static const char ball_fragment[] = "#version 120\n"
                                    "varying vec3 n, around;\n"
                                    "void main() {\n"
                                    "    float key = max(dot(n, vec3(0.5, 0.6, -0.62)), 0.0);\n"
                                    "    key *= key;\n"
                                    "    gl_FragColor = vec4(around + key * key, 1.0);\n"
                                    "}\n";

static void
make_ball(float at)
{
    for (int band = 0; band < 5; band++) {
        glBegin(GL_TRIANGLE_STRIP);
        for (int i = 0; i <= 20; i++) {
            float up = (float)(band + 1 - i % 2) / 10.0f - 0.25f, round = (float)(i / 2) / 10.0f;
            float x = cosine(up) * cosine(round), z = -cosine(up) * sine(round);
            glNormal3f(x, sine(up), z);
            glVertex3f(at + 0.1f * x, 0.1f * sine(up), 0.1f * z);
        }
        glEnd();
    }
}

static void
setup(void)
{
    row_list = glGenLists(1);
    glNewList(row_list, GL_COMPILE);
    for (int ball = 0; ball < BALLS; ball++)
        make_ball(-0.8f + 0.23f * (float)ball);
    glEndList();
    balls_program = make_program(ball_vertex, ball_fragment);
    mean_at = glGetUniformLocation(balls_program, "mean");
    glGenTextures(1, &probe_image);
    glBindTexture(GL_TEXTURE_2D, probe_image);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, PROBE, fixed ? PROBE * ROWS : PROBE, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &probe);
    glBindFramebuffer(GL_FRAMEBUFFER, probe);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, probe_image, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glClearColor(0.05f, 0.05f, 0.07f, 1.0f);
}

/* Back wall, floor and lamps, seen from the height of a row. */
static void
draw_hall(float height, uint32_t frame)
{
    glUseProgram(0);
    glLoadIdentity();
    glTranslatef(0.0f, height, 0.9f);
    glBegin(GL_QUADS);
    glColor3f(0.3f, 0.3f, 0.35f), glVertex2f(-1, -1), glVertex2f(1, -1);
    glColor3f(0.1f, 0.1f, 0.15f), glVertex2f(1, 1), glVertex2f(-1, 1);
    for (int lamp = 0; lamp < 5; lamp++) {
        float x = -0.8f + 0.4f * (float)lamp,
              y = 0.6f * sine(0.2f * (float)lamp + 0.02f * (float)frame);
        glColor3f((float)(lamp % 2), (float)(lamp % 3) * 0.5f, 1.0f - 0.2f * (float)lamp);
        glVertex2f(x - 0.1f, y), glVertex2f(x + 0.1f, y);
        glVertex2f(x + 0.1f, y + 0.15f), glVertex2f(x - 0.1f, y + 0.15f);
    }
    glEnd();
}

static void
average(GLubyte (*texels)[4], float mean[3])
{
    mean[0] = mean[1] = mean[2] = 0.0f;
    for (int i = 0; i < PROBE * PROBE; i++)
        for (int c = 0; c < 3; c++)
            mean[c] += (float)texels[i][c] / (255.0f * PROBE * PROBE);
}

static float
height_of(int row)
{
    return -0.85f + 0.19f * (float)row;
}

static void
look_around(int first, int last, uint32_t frame)
{
    glBindFramebuffer(GL_FRAMEBUFFER, probe);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int row = first; row <= last; row++) {
        glViewport(0, (row - first) * PROBE, PROBE, PROBE);
        draw_hall(-height_of(row), frame);
    }
}

static void
draw_row(int row)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, WINDOW, WINDOW);
    glUseProgram(balls_program);
    glUniform3fv(mean_at, 1, means[row]);
    glLoadIdentity();
    glTranslatef(0.0f, height_of(row), 0.0f);
    glCallList(row_list);
}

/* The first frame shows the balls without light from the hall. */
static void
draw(uint32_t frame)
{
    static GLubyte texels[ROWS][PROBE * PROBE][4];
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (int row = 0; row < ROWS; row++) {
        if (!fixed && frame) {
            look_around(row, row, frame);
            glReadPixels(0, 0, PROBE, PROBE, GL_RGBA, GL_UNSIGNED_BYTE, texels[row]);
            average(texels[row], means[row]);
        }
        draw_row(row);
    }
    draw_hall(0.0f, frame);
    if (fixed && frame) {
        look_around(0, ROWS - 1, frame);
        glReadPixels(0, 0, PROBE, PROBE * ROWS, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        for (int row = 0; row < ROWS; row++)
            average(texels[row], means[row]);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, WINDOW, WINDOW);
    }
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "probe",
                                        .about = "Balls lit by the mean of a small picture.",
                                        .width = WINDOW,
                                        .height = WINDOW,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
