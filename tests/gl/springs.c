/* Simulates a small sheet of the mass-spring program (benchmarks/gl/springs.h) for some steps, with
 * each kind of loop, and compares the positions with those that C code calculates. The C code takes
 * its springs from the distances of the particles, not from the textures. The exit status is 1 if a
 * position differs. The program draws off screen, through EGL. */
#include "../../benchmarks/gl/pbuffer.h"
#include "../../benchmarks/gl/springs.h"
#include "../../benchmarks/gl/window.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 32, STEPS = 8, PARTICLES = WIDTH * HEIGHT };

static const double square_of_step = 0.04;
static float texels[SPRINGS_SIDE * SPRINGS_SIDE][4];

/* ---- calculated in C ---- */

struct body {
    double now[PARTICLES][3], before[PARTICLES][3], mass[PARTICLES];
};

/* Springs to the particles at a distance of 1, the square root of 2, and 2 have the stiffness 4, 2
 * and 1. At rest, their length is that distance. */
static void
add_forces(const struct body *body, int x, int y, double *force)
{
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            const int square = dx * dx + dy * dy;
            if (square == 0 || square > 4)
                continue;
            const double stiffness = square == 1 ? 4 : square == 2 ? 2 : 1, rest = sqrt(square);
            const double *own = body->now[y * WIDTH + x];
            const double *other = body->now[(y + dy) * WIDTH + x + dx];
            const double length = sqrt(pow(other[0] - own[0], 2) + pow(other[1] - own[1], 2) +
                                       pow(other[2] - own[2], 2));
            for (int c = 0; c < 3; c++)
                force[c] += stiffness * (length - rest) * (other[c] - own[c]) / length;
        }
}

/* Verlet integration: a particle's next position follows from its force and its last two
 * positions. The outer two columns and rows do not move. */
static void
move(struct body *body)
{
    static double next[PARTICLES][3];
    memcpy(next, body->now, sizeof next);
    for (int y = 2; y < HEIGHT - 2; y++)
        for (int x = 2; x < WIDTH - 2; x++) {
            const int i = y * WIDTH + x;
            double force[3] = {0};
            add_forces(body, x, y, force);
            for (int c = 0; c < 3; c++)
                next[i][c] = 2 * body->now[i][c] - body->before[i][c] +
                             square_of_step * force[c] / body->mass[i];
        }
    memcpy(body->before, body->now, sizeof next);
    memcpy(body->now, next, sizeof next);
}

static void
calculate(struct body *body)
{
    springs_fill_geometry(texels, WIDTH, HEIGHT);
    for (int i = 0; i < PARTICLES; i++) {
        const float *texel = texels[i / WIDTH * SPRINGS_SIDE + i % WIDTH];
        for (int c = 0; c < 3; c++)
            body->now[i][c] = body->before[i][c] = (double)texel[c];
        body->mass[i] = (double)texel[3];
    }
    for (int step = 0; step < STEPS; step++)
        move(body);
}

/* ---- drawn ---- */

static GLuint
make_texture(GLsizei width, GLsizei height)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_RECTANGLE_ARB, texture);
    glTexParameteri(GL_TEXTURE_RECTANGLE_ARB, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_RECTANGLE_ARB, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_RECTANGLE_ARB, 0, GL_RGBA32F, width, height, 0, GL_RGBA, GL_FLOAT,
                 texels);
    return texture;
}

static GLuint
make_pass(const char *text)
{
    static const char *const samplers[] = {"geometry", "hood", "neighbours", "before", "force"};
    const GLuint program =
        make_program("#version 120\nvoid main() { gl_Position = gl_Vertex; }\n", text);
    glUseProgram(program);
    for (int i = 0; i < 5; i++)
        glUniform1i(glGetUniformLocation(program, samplers[i]), i);
    glUniform1f(glGetUniformLocation(program, "rounds"), SPRINGS_ROUNDS);
    glUniform1f(glGetUniformLocation(program, "square_of_step"), (float)square_of_step);
    return program;
}

static void
bind(int unit, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(GL_TEXTURE_RECTANGLE_ARB, texture);
}

static void
draw_into(GLuint texture, GLuint program)
{
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_RECTANGLE_ARB, texture,
                           0);
    glUseProgram(program);
    glRectf(-1, -1, 1, 1);
}

/* Leaves the positions in `texels`, row by row without gaps. */
static void
simulate(const char *variant)
{
    static const char move_text[] =
        "#version 120\n"
        "#extension GL_ARB_texture_rectangle : enable\n"
        "uniform sampler2DRect geometry, before, force;\n"
        "uniform float square_of_step;\n"
        "void main() {\n"
        "    vec4 now = texture2DRect(geometry, gl_FragCoord.xy);\n"
        "    vec3 last = texture2DRect(before, gl_FragCoord.xy).xyz;\n"
        "    vec3 pull = texture2DRect(force, gl_FragCoord.xy).xyz;\n"
        "    gl_FragColor = vec4(2.0 * now.xyz - last + pull * (square_of_step / now.w), now.w);\n"
        "}\n";
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    GLuint positions[3], framebuffer;
    springs_shader(variant, out);
    fclose(out);
    const GLuint forces = make_pass(text), move_pass = make_pass(move_text);
    free(text);
    springs_fill_geometry(texels, WIDTH, HEIGHT);
    for (int i = 0; i < 3; i++)
        positions[i] = make_texture(SPRINGS_SIDE, SPRINGS_SIDE);
    const GLuint force = make_texture(WIDTH, HEIGHT);
    springs_fill_hood(texels, WIDTH, HEIGHT);
    const GLuint hood = make_texture(SPRINGS_SIDE, SPRINGS_SIDE);
    springs_fill_neighbours(texels);
    const GLuint neighbours = make_texture(SPRINGS_NEIGHBOURS_WIDTH, SPRINGS_NEIGHBOURS_HEIGHT);
    bind(1, hood);
    bind(2, neighbours);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, WIDTH, HEIGHT);
    for (int step = 0; step < STEPS; step++) {
        bind(0, positions[step % 3]);
        bind(3, positions[step ? (step + 2) % 3 : 0]);
        bind(4, 0);
        draw_into(force, forces);
        bind(4, force);
        draw_into(positions[(step + 1) % 3], move_pass);
    }
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_FLOAT, texels);
    check_gl(variant);
}

/* ---- comparison ---- */

static bool
compare(const char *variant, const struct body *body)
{
    double largest = 0;
    for (int i = 0; i < PARTICLES; i++)
        for (int c = 0; c < 3; c++)
            largest = fmax(largest, fabs((double)texels[i][c] - body->now[i][c]));
    printf("%s: largest difference %.1e\n", variant, largest);
    return largest < 1e-4; /* NaN is wrong too */
}

/* Mean iterations of the loop with a break. If a square root replaces the number of springs, the
 * particles in columns (r - 1)^2 to r^2 - 1 take r iterations, at most 30: the sum of r (2 r - 1)
 * over r = 1 to 29, and 30 for the last 183 of 1024 columns. Otherwise 1020x124 particles take 12,
 * and the clamped ones 1. */
static bool
compare_rounds(void)
{
    const double none = springs_mean_rounds(false, SPRINGS_WIDTH, SPRINGS_HEIGHT);
    const double all = springs_mean_rounds(true, SPRINGS_WIDTH, SPRINGS_HEIGHT);
    const double particles = SPRINGS_WIDTH * SPRINGS_HEIGHT, moving = 1020 * 124;
    printf("mean iterations: %.4f, %.4f\n", none, all);
    return fabs(none - 22165.0 / 1024) < 1e-9 &&
           fabs(all - (12 * moving + particles - moving) / particles) < 1e-9;
}

int
main(void)
{
    static const char *const variants[] = {"all-unrolled", "all-loop", "all-break"};
    static struct body body;
    double moved = 0;
    bool good = compare_rounds();
    if (!pbuffer_open("springs", 16, 16))
        return 2;
    calculate(&body);
    springs_fill_geometry(texels, WIDTH, HEIGHT);
    for (int i = 0; i < PARTICLES; i++)
        moved = fmax(
            moved, fabs((double)texels[i / WIDTH * SPRINGS_SIDE + i % WIDTH][2] - body.now[i][2]));
    printf("largest movement %.2f\n", moved);
    for (int v = 0; v < 3; v++) {
        simulate(variants[v]);
        good = compare(variants[v], &body) && good;
    }
    return good && moved > 0.1 ? 0 : 1;
}
