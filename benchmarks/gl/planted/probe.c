/* Glossy balls in a hall with colored lamps. Before each row of balls is drawn, the hall is
 * rendered into a small texture from that row's position. The program reads the texture back,
 * averages it, and passes the mean as a uniform. Fixed: the program renders the views of all rows
 * into one texture, and reads it after the last draw; the means are those of the previous frame. */
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

/* A corner of the hall, seen from above, drawn in the part of the target that starts at `low`. */
static void
corner(float x, float y, float height, float low, float part)
{
    y += height;
    y = y < -1.0f ? -1.0f : y > 1.0f ? 1.0f : y;
    glVertex3f(x, low + part * (0.5f * y + 0.5f), 0.9f);
}

/* Back wall and lamps. */
static void
draw_hall(float height, float low, float part, uint32_t frame)
{
    glColor3f(0.3f, 0.3f, 0.35f);
    corner(-1, -1, height, low, part), corner(1, -1, height, low, part);
    glColor3f(0.1f, 0.1f, 0.15f);
    corner(1, 1, height, low, part), corner(-1, 1, height, low, part);
    for (int lamp = 0; lamp < 5; lamp++) {
        float x = -0.8f + 0.4f * (float)lamp;
        float y = 0.6f * sine(0.2f * (float)lamp + 0.02f * (float)frame);
        glColor3f((float)(lamp % 2), (float)(lamp % 3) * 0.5f, 1.0f - 0.2f * (float)lamp);
        corner(x - 0.1f, y, height, low, part), corner(x + 0.1f, y, height, low, part);
        corner(x + 0.1f, y + 0.15f, height, low, part),
            corner(x - 0.1f, y + 0.15f, height, low, part);
    }
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
look_around(int first, int count, uint32_t frame)
{
    float part = 2.0f / (float)count;
    glBindFramebuffer(GL_FRAMEBUFFER, probe);
    glViewport(0, 0, PROBE, PROBE * count);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(0);
    glLoadIdentity();
    glBegin(GL_QUADS);
    for (int i = 0; i < count; i++)
        draw_hall(-height_of(first + i), -1.0f + part * (float)i, part, frame);
    glEnd();
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
            look_around(row, 1, frame);
            glReadPixels(0, 0, PROBE, PROBE, GL_RGBA, GL_UNSIGNED_BYTE, texels[row]);
            average(texels[row], means[row]);
        }
        draw_row(row);
    }
    glUseProgram(0);
    glLoadIdentity();
    glBegin(GL_QUADS);
    draw_hall(0.0f, -1.0f, 2.0f, frame);
    glEnd();
    if (fixed && frame) {
        look_around(0, ROWS, frame);
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
