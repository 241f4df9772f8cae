/* Six frames, each with one dominant kind of work: 0 geometry, 1 fill, 2 textures, 3 shaders, 4
 * small batches, 5 hidden surfaces and a clear. The parameter-effect table
 * (tests/unit/params/effects.def) runs on their capture (tests/golden/workloads.trace). */
#include "window.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>

enum { GRID = 41, BALLS = 4, TEXTURE_SIZE = 256, BATCHES = 48, OCCLUDED = 6, SIZE = 192 };

static GLuint image, packed_image, busy_program, branchy_program, multisampled;

static void
make_image(void)
{
    struct random random = {7};
    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D, image);
    GLint level = 0;
    static uint8_t texels[TEXTURE_SIZE * TEXTURE_SIZE][4];
    for (uint32_t size = TEXTURE_SIZE; size; size /= 2, level++) {
        for (uint32_t i = 0; i < size * size; i++) {
            uint32_t tone = (i % size / 8 + i / size / 8) % 2 ? 200 : 60;
            texels[i][0] = (uint8_t)tone;
            texels[i][1] = (uint8_t)(tone / 2 + (uint32_t)(20 * random_next(&random)));
            texels[i][2] = (uint8_t)(40 + 20 * level);
            texels[i][3] = 180;
        }
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, (GLsizei)size, (GLsizei)size, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels);
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

/* DXT1: two colors per block of 4x4 texels, and a 2-bit index per texel. */
static void
make_packed_image(void)
{
    static uint8_t blocks[TEXTURE_SIZE / 4 * TEXTURE_SIZE / 4][8];
    struct random random = {99};
    for (uint32_t i = 0; i < TEXTURE_SIZE / 4 * TEXTURE_SIZE / 4; i++)
        for (uint32_t b = 0; b < 8; b++)
            blocks[i][b] = (uint8_t)(random_next(&random) * 256.0f);
    glGenTextures(1, &packed_image);
    glBindTexture(GL_TEXTURE_2D, packed_image);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, TEXTURE_SIZE,
                           TEXTURE_SIZE, 0, sizeof blocks, blocks);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

static void
make_multisampled(void)
{
    GLuint buffers[2];
    glGenFramebuffers(1, &multisampled);
    glBindFramebuffer(GL_FRAMEBUFFER, multisampled);
    glGenRenderbuffers(2, buffers);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_DEPTH24_STENCIL8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                              buffers[1]);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        fprintf(stderr, "workloads: no framebuffer of four samples\n");
        exit(1);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void
setup(void)
{
    make_image();
    make_multisampled();
    make_packed_image();
    busy_program = make_program("#version 120\n"
                                "varying vec4 at;\n"
                                "void main() {\n"
                                "    vec4 p = gl_Vertex;\n"
                                "    for (int i = 0; i < 8; i++)\n"
                                "        p.xy += 0.01 * sin(p.yx * 3.0);\n"
                                "    at = gl_Vertex;\n"
                                "    gl_Position = p;\n"
                                "}\n",
                                "#version 120\n"
                                "varying vec4 at;\n"
                                "void main() {\n"
                                "    vec4 a = at, b = at.yxwz, c = at * 0.5, d = at.yyxx;\n"
                                "    a = a * b + c; b = b * c + d; c = c * d + a; d = d * a + b;\n"
                                "    a = a * b + c; b = b * c + d; c = c * d + a; d = d * a + b;\n"
                                "    a = a * b + c; b = b * c + d; c = c * d + a; d = d * a + b;\n"
                                "    float s = pow(abs(a.x) + 0.1, 0.7) + exp2(b.y) * 0.1;\n"
                                "    s += inversesqrt(abs(c.z) + 1.0) + log2(abs(d.w) + 1.5);\n"
                                "    gl_FragColor = fract(a + b + c + d) * 0.5 + fract(s) * 0.5;\n"
                                "}\n");
    branchy_program =
        make_program("#version 120\n"
                     "varying vec2 at;\n"
                     "void main() { at = gl_Vertex.xy * 8.0; gl_Position = gl_Vertex; }\n",
                     "#version 120\n"
                     "varying vec2 at;\n"
                     "uniform float turns;\n"
                     "void main() {\n"
                     "    vec3 color = vec3(0.1);\n"
                     "    float n = floor(fract(at.x) * turns);\n"
                     "    for (float i = 0.0; i < n; i += 1.0) {\n"
                     "        if (fract(at.y * 4.0 + i * 0.3) < 0.5)\n"
                     "            color.r += 0.07;\n"
                     "        else\n"
                     "            color.g += 0.05 * sin(i);\n"
                     "    }\n"
                     "    gl_FragColor = vec4(color, 1.0);\n"
                     "}\n");
}

static void
quad(float left, float bottom, float right, float top, float z, float repeat)
{
    glBegin(GL_QUADS);
    glTexCoord2f(0, 0);
    glVertex3f(left, bottom, z);
    glTexCoord2f(repeat, 0);
    glVertex3f(right, bottom, z);
    glTexCoord2f(repeat, repeat);
    glVertex3f(right, top, z);
    glTexCoord2f(0, repeat);
    glVertex3f(left, top, z);
    glEnd();
}

/* A bumpy indexed mesh of small triangles, each vertex shared by up to six of them. A part is
 * outside the window, another part is back-facing. */
static void
draw_geometry(void)
{
    static float vertices[GRID * GRID][3];
    static uint8_t colors[GRID * GRID][4];
    static uint16_t indices[(GRID - 1) * (GRID - 1) * 6];
    struct random random = {3};
    uint32_t n = 0;
    for (uint32_t i = 0; i < GRID * GRID; i++) {
        vertices[i][0] = 2.6f * (float)(i % GRID) / (GRID - 1) - 1.3f;
        vertices[i][1] = 2.6f * (float)(i / GRID) / (GRID - 1) - 1.3f;
        vertices[i][2] = random_next(&random) - 0.5f;
        for (uint32_t c = 0; c < 4; c++)
            colors[i][c] = (uint8_t)(55.0f + 200.0f * random_next(&random));
    }
    for (uint32_t y = 0; y < GRID - 1; y++) {
        for (uint32_t x = 0; x < GRID - 1; x++) {
            uint16_t corner = (uint16_t)(y * GRID + x), above = (uint16_t)(corner + GRID);
            const uint16_t two[6] = {corner, (uint16_t)(corner + 1), above,
                                     above,  (uint16_t)(corner + 1), (uint16_t)(above + 1)};
            bool turned = (x + y) % 5 == 0; /* clockwise, so it is culled */
            for (uint32_t i = 0; i < 6; i++)
                indices[n++] = two[turned ? 5 - i : i];
        }
    }
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glVertexPointer(3, GL_FLOAT, 0, vertices);
    glColorPointer(4, GL_UNSIGNED_BYTE, 0, colors);
    for (uint32_t i = 0; i < BALLS; i++) {
        glRotatef(20.0f * (float)i, 0, 0, 1);
        glScalef(0.8f, 0.8f, 0.8f);
        glDrawElements(GL_TRIANGLES, (GLsizei)n, GL_UNSIGNED_SHORT, indices);
    }
    glLoadIdentity();
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisableClientState(GL_COLOR_ARRAY);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}

/* Full-screen layers: plain, blended, and with a depth test that passes and writes. */
static void
draw_fill(void)
{
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    for (uint32_t layer = 0; layer < 6; layer++) {
        if (layer % 2)
            glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glBegin(GL_QUADS);
        for (uint32_t corner = 0; corner < 4; corner++) {
            glColor4f(0.2f * (float)corner, 0.1f * (float)layer, 0.5f, 0.4f);
            glVertex3f(corner == 1 || corner == 2 ? 1.0f : -1.0f, corner < 2 ? -1.0f : 1.0f,
                       0.9f - 0.2f * (float)layer - 0.05f * (float)corner);
        }
        glEnd();
        glDisable(GL_BLEND);
    }
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

static void
draw_textures(void)
{
    glColor4f(1, 1, 1, 1);
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, image);
    quad(-1, -1, 1, 1, 0, 1.2f);
    glRotatef(37, 0, 0, 1);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 8);
    glScalef(0.9f, 0.25f, 1);
    quad(-1, -1, 1, 1, 0, 2.0f);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 1);
    glLoadIdentity();
    glRotatef(62, 0, 0, 1);
    glBindTexture(GL_TEXTURE_2D, packed_image);
    quad(-0.6f, -0.6f, 0.6f, 0.6f, 0, 1.0f);
    glLoadIdentity();
    glDisable(GL_TEXTURE_2D);
}

static void
draw_shaders(void)
{
    glUseProgram(busy_program);
    for (uint32_t i = 0; i < 4; i++) {
        float x = i % 2 ? 0.0f : -1.0f, y = i / 2 ? 0.0f : -1.0f;
        quad(x, y, x + 1, y + 1, 0, 1);
    }
    glUseProgram(branchy_program);
    glUniform1f(glGetUniformLocation(branchy_program, "turns"), 9.0f);
    quad(-0.7f, -0.7f, 0.7f, 0.7f, 0, 1);
    glUseProgram(0);
}

/* Small draws with different states; some textures change in between. */
static void
draw_batches(void)
{
    static const uint8_t dot[4] = {250, 240, 100, 255};
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, image);
    for (uint32_t i = 0; i < BATCHES; i++) {
        float x = (float)(i % 8) / 4.0f - 1.0f, y = (float)(i / 8) / 3.0f - 1.0f;
        glColor4f(1.0f - (float)i / BATCHES, (float)i / BATCHES, 0.7f, 0.5f);
        if (i % 3 == 1)
            glEnable(GL_BLEND);
        if (i % 12 == 11)
            glTexSubImage2D(GL_TEXTURE_2D, 0, (GLint)i, 9, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, dot);
        quad(x, y, x + 0.3f, y + 0.4f, 0, 0.2f);
        glDisable(GL_BLEND);
    }
    glDisable(GL_TEXTURE_2D);
}

/* One near layer, then many layers hidden by it: the case for Hierarchical Z. */
static void
draw_hidden(void)
{
    glEnable(GL_DEPTH_TEST);
    glColor4f(0.3f, 0.5f, 0.2f, 1);
    quad(-1, -1, 0.8f, 1, -0.8f, 1);
    for (uint32_t i = 0; i < OCCLUDED; i++) {
        glColor4f(0.1f * (float)i, 0.2f, 0.9f, 1);
        quad(-0.9f, -0.9f, 0.9f, 0.9f, -0.1f * (float)i, 1);
    }
    glDisable(GL_DEPTH_TEST);
}

static void
draw_multisampled(void)
{
    glBindFramebuffer(GL_FRAMEBUFFER, multisampled);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    for (uint32_t i = 0; i < 12; i++) {
        glRotatef(29, 0, 0, 1);
        glColor4f(0.08f * (float)i, 0.6f, 1.0f - 0.08f * (float)i, 0.8f);
        quad(-0.8f, -0.3f, 0.9f, 0.4f, 0.5f - 0.08f * (float)(i * 5 % 12), 1);
    }
    glLoadIdentity();
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, multisampled);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void
draw(uint32_t frame)
{
    static void (*const scenes[])(void) = {draw_geometry,    draw_fill,    draw_textures,
                                           draw_shaders,     draw_batches, draw_hidden,
                                           draw_multisampled};
    glClearColor(0.1f, 0.1f, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    scenes[frame % 7]();
}

int
main(int argc, char **argv)
{
    static const struct scene scene = {
        .name = "workloads",
        .about = "Seven frames that each lean on one part of a GPU.",
        .width = SIZE,
        .height = SIZE,
        .frames = 7,
        .setup = setup,
        .draw = draw,
    };
    return scene_main(&scene, argc, argv);
}
