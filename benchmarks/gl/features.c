/* Features that virgl_test_server draws incorrectly or cannot distinguish: its core profile lacks
 * much of OpenGL 2.1, and it drops anisotropy. The reference is llvmpipe, which draws the program
 * directly (tools/features.sh). A frame is a grid of tiles, one case each. */
#define GL_GLEXT_PROTOTYPES
#include "window.h"

#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdlib.h>

enum { TILE = 64, COLUMNS = 6, ROWS = 4, WIDTH = TILE * COLUMNS, HEIGHT = TILE * ROWS };
enum { TEXTURE_LEVELS = 9, TARGETS = 8, TARGET_SIZE = 32 };
#define PI 3.14159265f

enum feature {
    ANISOTROPY,
    COLORS,
    POINTS,
    DISCS,
    LINES,
    STIPPLE,
    MODES,
    WRAP,
    BUFFERS,
    INSTANCES,
};
static const char *const kinds[] = {"anisotropy", "colors",    "points", "discs",
                                    "lines",      "stipple",   "modes",  "wrap",
                                    "buffers",    "instances", NULL};

static uint32_t kind = ANISOTROPY, ratio = 16;

/* Makes tile `number` the view, -1 to 1 in x and y. The scissor removes everything outside. */
static void
begin_tile(uint32_t number)
{
    const GLint x = (GLint)(number % COLUMNS * TILE), y = (GLint)(number / COLUMNS % ROWS * TILE);
    glViewport(x, y, TILE, TILE);
    glScissor(x, y, TILE, TILE);
}

static void
quad(float x0, float y0, float x1, float y1)
{
    glBegin(GL_TRIANGLE_FAN);
    glVertex2f(x0, y0);
    glVertex2f(x1, y0);
    glVertex2f(x1, y1);
    glVertex2f(x0, y1);
    glEnd();
}

/* Waves of 16 texels: vertical in red, horizontal in green, diagonal in blue. The mipmaps are
 * computed here (each texel is the mean of four), so that they do not depend on the renderer. */
static void
make_waves(void)
{
    /* waves per texture, in x and y */
    static const float waves[3][2] = {{0, 16}, {16, 0}, {11, -11}};
    const uint32_t size = 1u << (TEXTURE_LEVELS - 1);
    float *texels = malloc((size_t)size * size * 3 * sizeof *texels);
    for (uint32_t i = 0; i < size * size * 3; i++) {
        const float x = (float)(i / 3 % size) / (float)size;
        const float y = (float)(i / 3 / size) / (float)size;
        texels[i] = 0.5f + 0.5f * sinf((x * waves[i % 3][0] + y * waves[i % 3][1]) * 2 * PI);
    }
    for (uint32_t level = 0; level < TEXTURE_LEVELS; level++) {
        const uint32_t side = size >> level, half = side / 2;
        glTexImage2D(GL_TEXTURE_2D, (GLint)level, GL_RGB8, (GLsizei)side, (GLsizei)side, 0, GL_RGB,
                     GL_FLOAT, texels);
        for (uint32_t i = 0; i < half * half * 3; i++) {
            const float *from = texels + (i / 3 / half * 2 * side + i / 3 % half * 2) * 3 + i % 3;
            texels[i] = (from[0] + from[3] + from[side * 3] + from[side * 3 + 3]) / 4.0f;
        }
    }
    free(texels);
}

/* Pixels whose footprint in the texture is long and narrow. Columns: direction of the long side (0,
 * 45 and 90 degrees), and screen axis that corresponds to it. Rows: lengths.
 *
 * Tiles show the wave across the footprint: an anisotropic filter keeps it, an isotropic filter of
 * the long side's width removes it. The two upper rows also show the wave along the footprint,
 * where an anisotropic filter removes it with any weights. */
static void
draw_anisotropy(void)
{
    static const float lengths[ROWS][2] = {{4, 1}, {8, 1}, {16, 1}, {32, 2.2f}}; /* texels */
    static const float corners[4][2] = {{-0.5f, -0.5f}, {0.5f, -0.5f}, {0.5f, 0.5f}, {-0.5f, 0.5f}};
    const float pixels = (float)TILE / (1 << (TEXTURE_LEVELS - 1));
    glEnable(GL_TEXTURE_2D);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, (float)ratio);
    for (uint32_t t = 0; t < COLUMNS * ROWS; t++) {
        const uint32_t row = t / COLUMNS, direction = t % 3;
        const float angle = (float)direction * PI / 4;
        begin_tile(t);
        if (direction == 1)
            glColor3f(0, 0, 1);
        else
            glColor3f(direction == 0 || row >= 2, direction == 2 || row >= 2, 0);
        glBegin(GL_TRIANGLE_FAN);
        for (uint32_t i = 0; i < 4; i++) {
            const bool turned = t % COLUMNS >= 3;
            const float along = corners[i][turned] * lengths[row][0] * pixels;
            const float across = corners[i][!turned] * lengths[row][1] * pixels;
            glTexCoord2f(along * cosf(angle) - across * sinf(angle),
                         along * sinf(angle) + across * cosf(angle));
            glVertex2f(corners[i][0] * 2, corners[i][1] * 2);
        }
        glEnd();
    }
    glDisable(GL_TEXTURE_2D);
}

/* Lit vertex colors above 1 and below 0, of fixed function and of GLSL. They are clamped before
 * interpolation or not, and drawn to a window and to float targets. */
static void
draw_colors(void)
{
    static const GLfloat bright[4] = {3, 2, 1.5f, 1}, dark[4] = {0, 0, 0, 1};
    static uint32_t program;
    if (!program)
        program = make_program(
            "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color * 4.0 - 1.0; }",
            "void main() { gl_FragColor = gl_Color * 0.75; }");
    for (uint32_t t = 0; t < COLUMNS * ROWS; t++) {
        const bool lit = t % 4 < 2;
        begin_tile(t);
        glClampColorARB(GL_CLAMP_VERTEX_COLOR_ARB, t / 4 % 3 == 0   ? GL_TRUE
                                                   : t / 4 % 3 == 1 ? GL_FALSE
                                                                    : GL_FIXED_ONLY_ARB);
        glShadeModel(t % 8 < 6 ? GL_SMOOTH : GL_FLAT);
        if (lit) {
            glEnable(GL_LIGHTING);
            glEnable(GL_LIGHT0);
            glLightfv(GL_LIGHT0, GL_DIFFUSE, bright);
            glLightfv(GL_LIGHT0, GL_SPECULAR, t % 4 == 1 ? bright : dark);
            glMaterialfv(GL_FRONT_AND_BACK, GL_SPECULAR, bright);
            glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, 4);
            glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL,
                          t < 12 ? GL_SINGLE_COLOR : GL_SEPARATE_SPECULAR_COLOR);
        } else
            glUseProgram(program);
        glBegin(GL_TRIANGLES);
        glColor3f(1, 0, 0);
        glNormal3f(0, 0, 1);
        glVertex2f(-0.95f, -0.9f);
        glColor3f(0, 0.5f, 1);
        glNormal3f(0.9f, 0, 0.4f);
        glVertex2f(0.95f, -0.8f);
        glColor3f(0.25f, 1, 0.5f);
        glNormal3f(0, 0.3f, -0.9f);
        glVertex2f(0.1f, 0.95f);
        glEnd();
        glUseProgram(0);
        glDisable(GL_LIGHTING);
    }
    glClampColorARB(GL_CLAMP_VERTEX_COLOR_ARB, GL_TRUE);
    glShadeModel(GL_SMOOTH);
}

/* Points over the whole window, including those that are too large or have their centre outside. */
static void
draw_points(void)
{
    static const float sizes[] = {255, 200, 1, 2, 3, 17, 64, 100};
    glViewport(0, 0, WIDTH, HEIGHT);
    glScissor(0, 0, WIDTH, HEIGHT);
    glEnable(GL_TEXTURE_2D);
    struct random random = {.state = 9};
    for (uint32_t i = 0; i < 64; i++) {
        const bool sprite = i % 2;
        const float x = random_next(&random) * 2.5f - 1.25f,
                    y = random_next(&random) * 2.5f - 1.25f;
        (sprite ? glEnable : glDisable)(GL_POINT_SPRITE);
        glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, sprite);
        glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, i & 2 ? GL_LOWER_LEFT : GL_UPPER_LEFT);
        glPointSize(i < 8 ? sizes[i] : sizes[2 + i % 5]);
        glBegin(GL_POINTS);
        glColor3f(random_next(&random), random_next(&random), random_next(&random));
        glTexCoord2f(0.5f, 0.5f);
        glVertex2f(x, y);
        glEnd();
    }
    glDisable(GL_POINT_SPRITE);
    glDisable(GL_TEXTURE_2D);
}

/* Antialiased points or lines. (llvmpipe does not smooth the rims of points.) */
static void
draw_smooth(GLenum mode)
{
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glEnable(GL_POINT_SMOOTH);
    glEnable(GL_LINE_SMOOTH);
    struct random random = {.state = 13};
    for (uint32_t t = 0; t < COLUMNS * ROWS; t++) {
        begin_tile(t);
        glPointSize(1.0f + (float)t);
        glLineWidth(1.0f + (float)t / 4);
        glBegin(mode);
        for (uint32_t i = 0; i < 6; i++) {
            glColor4f(random_next(&random), random_next(&random), 1, 1);
            glVertex2f(random_next(&random) * 1.6f - 0.8f, random_next(&random) * 1.6f - 0.8f);
        }
        glEnd();
    }
    glPointSize(1);
    glLineWidth(1);
    glDisable(GL_POINT_SMOOTH);
    glDisable(GL_LINE_SMOOTH);
    glDisable(GL_BLEND);
}

static void
draw_discs(void)
{
    draw_smooth(GL_POINTS);
}

static void
draw_lines(void)
{
    draw_smooth(GL_LINES);
}

/* Line stipple and polygon stipple. Lines are separate, because llvmpipe counts differently from
 * OpenGL along strips. Polygons drawn as lines or points have no stipple. */
static void
draw_stipple(void)
{
    GLubyte holes[128];
    struct random random = {.state = 17};
    for (uint32_t i = 0; i < sizeof holes; i++)
        holes[i] = (GLubyte)(random_next(&random) * 256.0f);
    glPolygonStipple(holes);
    for (uint32_t t = 0; t < COLUMNS * ROWS; t++) {
        begin_tile(t);
        glColor3f(1, (float)(t % 5) / 5, (float)(t % 3) / 3);
        if (t < COLUMNS * ROWS / 2) {
            glEnable(GL_LINE_STIPPLE);
            glLineStipple((GLint)(1 + t % 4), (GLushort)(0x1c47 + t * 771));
            glLineWidth(t % 3 == 2 ? 3 : 1);
            glBegin(GL_LINES);
            for (uint32_t i = 0; i < 8; i++) {
                glVertex2f(-0.9f, (float)i / 4 - 0.9f + 1.0f / TILE);
                glVertex2f(0.9f, (float)i / 4 - 0.9f + 1.0f / TILE);
            }
            glEnd();
            glDisable(GL_LINE_STIPPLE);
        } else {
            glEnable(GL_POLYGON_STIPPLE);
            glPolygonMode(GL_FRONT_AND_BACK, t % 3 == 1   ? GL_LINE
                                             : t % 3 == 2 ? GL_POINT
                                                          : GL_FILL);
            quad(-0.9f, -0.8f, 0.8f, 0.7f);
            glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
            glDisable(GL_POLYGON_STIPPLE);
        }
    }
    glLineWidth(1);
}

/* Polygon modes of front and back faces, with two-sided lighting; some with point sprites. */
static void
draw_modes(void)
{
    static const GLenum modes[3] = {GL_FILL, GL_LINE, GL_POINT};
    static const GLfloat red[4] = {1, 0.2f, 0, 1}, blue[4] = {0, 0.4f, 1, 1};
    glEnable(GL_LIGHTING);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, GL_TRUE);
    glMaterialfv(GL_FRONT, GL_EMISSION, red);
    glMaterialfv(GL_BACK, GL_EMISSION, blue);
    for (uint32_t t = 0; t < COLUMNS * ROWS; t++) {
        begin_tile(t);
        glPolygonMode(GL_FRONT, modes[t % 3]);
        glPolygonMode(GL_BACK, modes[t / 3 % 3]);
        const bool sprites =
            t >= 9 && t % 9 == 8; /* points only; otherwise llvmpipe draws triangles black */
        glPointSize(sprites ? 15 : 5);
        (sprites ? glEnable : glDisable)(GL_TEXTURE_2D);
        (sprites ? glEnable : glDisable)(GL_POINT_SPRITE);
        glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, sprites);
        glBegin(GL_TRIANGLES);
        glTexCoord2f(0.3f, 0.1f);
        glVertex2f(-0.9f, -0.8f);
        glVertex2f(-0.1f, -0.7f);
        glVertex2f(-0.4f, 0.8f);
        glVertex2f(0.1f, 0.8f);
        glVertex2f(0.8f, 0.7f);
        glVertex2f(0.4f, t < 9 ? 0.6f : -0.8f); /* front-facing, then back-facing */
        glEnd();
    }
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisable(GL_POINT_SPRITE);
    glDisable(GL_TEXTURE_2D);
    glDisable(GL_LIGHTING);
    glPointSize(1);
}

static void
draw_wrap(void)
{
    static const GLint wraps[] = {GL_CLAMP,
                                  GL_CLAMP_TO_BORDER,
                                  GL_MIRROR_CLAMP_EXT,
                                  GL_MIRROR_CLAMP_TO_EDGE_EXT,
                                  GL_MIRROR_CLAMP_TO_BORDER_EXT,
                                  GL_MIRRORED_REPEAT};
    static const GLfloat border[4] = {1, 0.5f, 0, 1};
    static const GLubyte texels[4][4] = {
        {0, 255, 80, 160}, {255, 30, 200, 90}, {60, 120, 0, 220}, {190, 10, 240, 130}};
    static uint32_t texture;
    if (!texture)
        glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, 4, 4, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE, texels);
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
    glEnable(GL_TEXTURE_2D);
    glColor3f(1, 1, 1);
    for (uint32_t t = 0; t < COLUMNS * ROWS; t++) {
        const GLint filter = t / COLUMNS % 2 ? GL_NEAREST : GL_LINEAR;
        begin_tile(t);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wraps[t % COLUMNS]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wraps[(t + t / COLUMNS / 2) % COLUMNS]);
        glBegin(GL_TRIANGLE_FAN);
        glTexCoord2f(-1.6f, -1.6f);
        glVertex2f(-1, -1);
        glTexCoord2f(2.6f, -1.6f);
        glVertex2f(1, -1);
        glTexCoord2f(2.6f, 2.6f);
        glVertex2f(1, 1);
        glTexCoord2f(-1.6f, 2.6f);
        glVertex2f(-1, 1);
        glEnd();
    }
    glDisable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, 0);
}

/* A shader that writes `TARGETS` outputs with different colors. */
static uint32_t
make_writer(void)
{
    return make_program("varying vec2 at;\n"
                        "void main() { gl_Position = gl_Vertex; at = gl_Vertex.xy; }",
                        "varying vec2 at;\n"
                        "void main() {\n"
                        "    gl_FragData[0] = vec4(at, 0.0, 1.0);\n"
                        "    gl_FragData[1] = vec4(0.0, at, 0.5);\n"
                        "    gl_FragData[2] = vec4(at.y, 0.0, at.x, 0.25);\n"
                        "    gl_FragData[3] = vec4(1.0 - at, 0.0, 1.0);\n"
                        "    gl_FragData[4] = vec4(0.0, 1.0 - at, 1.0);\n"
                        "    gl_FragData[5] = vec4(at * 3.0, 0.5, 1.0);\n"
                        "    gl_FragData[6] = vec4(-at, 1.0, 1.0);\n"
                        "    gl_FragData[7] = vec4(at.x * at.y, 1.0, 0.0, 0.75);\n"
                        "}");
}

/* Eight color buffers at once, two of them float, one of 16 bits: draws to all, to every other one,
 * and with blending. Then shows each as a texture in separate tiles. */
static void
draw_buffers(void)
{
    static uint32_t framebuffer, textures[TARGETS], program;
    static const GLint formats[TARGETS] = {GL_RGBA8, GL_RGBA8,       GL_RGBA16F_ARB, GL_RGB10_A2,
                                           GL_RGBA8, GL_RGBA32F_ARB, GL_RGB8,        GL_RGBA16};
    GLenum attached[TARGETS];
    if (!framebuffer) {
        program = make_writer();
        glGenFramebuffers(1, &framebuffer);
        glGenTextures(TARGETS, textures);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        for (uint32_t i = 0; i < TARGETS; i++) {
            glBindTexture(GL_TEXTURE_2D, textures[i]);
            glTexImage2D(GL_TEXTURE_2D, 0, formats[i], TARGET_SIZE, TARGET_SIZE, 0, GL_RGBA,
                         GL_FLOAT, NULL);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D,
                                   textures[i], 0);
        }
    }
    glBindTexture(GL_TEXTURE_2D, 0);
    for (uint32_t pass = 0; pass < 3; pass++) {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        for (uint32_t i = 0; i < TARGETS; i++)
            attached[i] = GL_COLOR_ATTACHMENT0 + i;
        glDrawBuffers(TARGETS, attached);
        glViewport(0, 0, TARGET_SIZE, TARGET_SIZE);
        glScissor(0, 0, TARGET_SIZE, TARGET_SIZE);
        glClear(GL_COLOR_BUFFER_BIT);
        for (uint32_t i = 0; pass == 1 && i < TARGETS; i += 2)
            attached[i] = GL_NONE;
        glDrawBuffers(TARGETS, attached);
        (pass == 2 ? glEnable : glDisable)(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        glUseProgram(program);
        quad(-0.7f, -0.8f, 0.9f, 0.6f);
        glUseProgram(0);
        glDisable(GL_BLEND);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glEnable(GL_TEXTURE_2D);
        glColor3f(1, 1, 1);
        for (uint32_t i = 0; i < TARGETS; i++) {
            glBindTexture(GL_TEXTURE_2D, textures[i]);
            begin_tile(pass * TARGETS + i);
            glBegin(GL_TRIANGLE_FAN);
            glTexCoord2f(0, 0);
            glVertex2f(-1, -1);
            glTexCoord2f(1, 0);
            glVertex2f(1, -1);
            glTexCoord2f(1, 1);
            glVertex2f(1, 1);
            glTexCoord2f(0, 1);
            glVertex2f(-1, 1);
            glEnd();
        }
        glDisable(GL_TEXTURE_2D);
        glBindTexture(GL_TEXTURE_2D, 0);
    }
}

/* Each tile has an instanced draw. One attribute moves an instance and another one colors it, each
 * with a divisor from 1 to 3. Further green comes from the number of the instance. Every other tile
 * is drawn with indices. */
static void
draw_instances(void)
{
    enum { INSTANCES_MOST = 8 };
    static const float corners[] = {-1, -1, -0.6f, -1, -1, -0.6f, -0.6f, -0.6f};
    static const uint16_t order[] = {2, 0, 3, 1};
    static float offsets[INSTANCES_MOST][2], colors[INSTANCES_MOST][3];
    static uint32_t program;
    if (!program)
        program =
            make_program("#version 120\n"
                         "#extension GL_ARB_draw_instanced : require\n"
                         "attribute vec2 position, offset;\n"
                         "attribute vec3 color;\n"
                         "varying vec3 shade;\n"
                         "void main() {\n"
                         "    gl_Position = vec4(position + offset, 0.0, 1.0);\n"
                         "    shade = color + vec3(0.0, float(gl_InstanceIDARB) / 15.0, 0.0);\n"
                         "}",
                         "varying vec3 shade;\n"
                         "void main() { gl_FragColor = vec4(shade, 1.0); }");
    const GLuint position = (GLuint)glGetAttribLocation(program, "position");
    const GLuint offset = (GLuint)glGetAttribLocation(program, "offset");
    const GLuint color = (GLuint)glGetAttribLocation(program, "color");
    for (uint32_t i = 0; i < INSTANCES_MOST; i++) {
        offsets[i][0] = (float)(i % 4) * 0.5f;
        offsets[i][1] = (float)(i / 4) * 1.0f + (float)(i % 2) * 0.25f;
        colors[i][0] = (float)i / 15;
        colors[i][2] = 1 - (float)i / 15;
    }
    glUseProgram(program);
    glEnableVertexAttribArray(position);
    glEnableVertexAttribArray(offset);
    glEnableVertexAttribArray(color);
    glVertexAttribPointer(position, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glVertexAttribPointer(offset, 2, GL_FLOAT, GL_FALSE, 0, offsets);
    glVertexAttribPointer(color, 3, GL_FLOAT, GL_FALSE, 0, colors);
    for (uint32_t t = 0; t < COLUMNS * ROWS; t++) {
        const GLsizei count = (GLsizei)(t % INSTANCES_MOST + 1);
        begin_tile(t);
        glVertexAttribDivisorARB(offset, 1 + t / 12);
        glVertexAttribDivisorARB(color, 1 + t % 3);
        if (t % 2)
            glDrawElementsInstancedARB(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, order, count);
        else
            glDrawArraysInstancedARB(GL_TRIANGLE_STRIP, 0, 4, count);
    }
    glUseProgram(0);
}

static void
setup(void)
{
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    make_waves();
    glEnable(GL_SCISSOR_TEST);
}

static void
draw(uint32_t frame)
{
    static void (*const draws[])(void) = {
        draw_anisotropy, draw_colors, draw_points, draw_discs,   draw_lines,
        draw_stipple,    draw_modes,  draw_wrap,   draw_buffers, draw_instances,
    };
    (void)frame;
    glScissor(0, 0, WIDTH, HEIGHT);
    glClearColor(0.2f, 0.4f, 0.6f, 1.0f); /* multiples of 1/255, exact in all renderers */
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draws[kind]();
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {
        {"kind", &kind, kinds, "what is drawn"},
        {"ratio", &ratio, NULL, "the most anisotropy (16)"},
        {0},
    };
    return scene_main(
        &(struct scene){.name = "features",
                        .about = "What no reference behind the socket can judge: scenes to\n"
                                 "be drawn by llvmpipe itself and compared (--save).",
                        .width = WIDTH,
                        .height = HEIGHT,
                        .frames = 1,
                        .options = options,
                        .setup = setup,
                        .draw = draw},
        argc, argv);
}
