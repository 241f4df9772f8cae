/* Frames as applications draw them, one kind of work at a time, each in eight sizes:
 * - 0: a lit mesh with depth, without indices
 * - 1: the same with indices
 * - 2: a texture without mipmaps, from magnified to minified
 * - 3: blended layers of a texture with mipmaps
 * - 4: many small draws
 * - 5: a mesh that is uploaded again
 * - 6: a texture that was a render target
 * - 7: a longer program in overlapping layers
 *
 * The frame stages of the staged performance model are fitted to these frames (docs/model.md). */
#include "window.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { KINDS = 8, LEVELS = 8, IMAGE = 512, MOST_SIDE = 128 };

struct vertex {
    float place[3], normal[3], at[2];
};

static GLuint image, mip_image, target_image, target, lit, textured, longer, buffers[2];
static struct vertex corners[(MOST_SIDE + 1) * (MOST_SIDE + 1)];
static struct vertex soup[MOST_SIDE * MOST_SIDE * 6];
static uint32_t indices[MOST_SIDE * MOST_SIDE * 6];

static GLuint
make_image(uint32_t size, bool mipmaps)
{
    GLuint texture;
    uint8_t *texels = malloc((size_t)size * size * 4);
    struct random random = {17};
    for (uint32_t i = 0; texels && i < size * size * 4; i++)
        texels[i] = (uint8_t)(random_next(&random) * 60.0f + (float)(i / 64 % 190));
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, mipmaps);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, (GLsizei)size, (GLsizei)size, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    mipmaps ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    free(texels);
    return texture;
}

static void
setup(void)
{
    static const char *const vertex_text = "#version 120\n"
                                           "varying vec4 color;\n"
                                           "varying vec2 at;\n"
                                           "void main() {\n"
                                           "    vec3 n = normalize(gl_NormalMatrix * gl_Normal);\n"
                                           "    color = vec4(0.1) + vec4(0.8, 0.7, 0.5, 0.6) * "
                                           "max(dot(n, vec3(0.4, 0.3, 0.87)), 0.0);\n"
                                           "    at = gl_MultiTexCoord0.xy;\n"
                                           "    gl_Position = ftransform();\n"
                                           "}\n";
    image = make_image(IMAGE, false);
    mip_image = make_image(IMAGE, true);
    target_image = make_image(256, false);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target_image, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glGenBuffers(2, buffers);
    lit = make_program(vertex_text, "#version 120\n"
                                    "varying vec4 color;\n"
                                    "void main() { gl_FragColor = color; }\n");
    textured =
        make_program(vertex_text, "#version 120\n"
                                  "varying vec4 color;\n"
                                  "varying vec2 at;\n"
                                  "uniform sampler2D image;\n"
                                  "void main() { gl_FragColor = color * texture2D(image, at);"
                                  " }\n");
    longer = make_program(vertex_text, "#version 120\n"
                                       "varying vec4 color;\n"
                                       "varying vec2 at;\n"
                                       "uniform sampler2D image;\n"
                                       "void main() {\n"
                                       "    vec4 a = color, b = texture2D(image, at);\n"
                                       "    for (int i = 0; i < 6; i++)\n"
                                       "        a = a * b + b.yzwx * 0.3 + sin(a.x);\n"
                                       "    gl_FragColor = fract(a);\n"
                                       "}\n");
}

/* A bumpy mesh of side x side cells: vertices with indices, and the same expanded without indices.
 */
static uint32_t
make_mesh(uint32_t side, float repeat)
{
    struct random random = {side};
    uint32_t n = 0;
    for (uint32_t i = 0; i < (side + 1) * (side + 1); i++) {
        const float x = (float)(i % (side + 1)) / (float)side,
                    y = (float)(i / (side + 1)) / (float)side;
        corners[i] = (struct vertex){
            {1.7f * x - 0.85f, 1.7f * y - 0.85f, 0.3f * random_next(&random) - 0.15f},
            {random_next(&random) - 0.5f, random_next(&random) - 0.5f, 1},
            {repeat * x, repeat * y}};
    }
    for (uint32_t i = 0; i < side * side; i++) {
        const uint32_t low = i / side * (side + 1) + i % side, high = low + side + 1;
        const uint32_t two[6] = {low, low + 1, high, high, low + 1, high + 1};
        for (uint32_t k = 0; k < 6; k++) {
            indices[n] = two[k];
            soup[n++] = corners[two[k]];
        }
    }
    return n;
}

static void
draw_mesh(uint32_t count, bool indexed, bool uploads)
{
    const struct vertex *from = NULL;
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indexed ? buffers[1] : 0);
    if (uploads && indexed) {
        glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *indices), indices,
                     GL_STATIC_DRAW);
    } else if (uploads) {
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *soup), soup, GL_STATIC_DRAW);
    }
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    /* Address of the first vertex, or offset 0 in a buffer. */
    const uintptr_t first = (uintptr_t)from;
    glVertexPointer(3, GL_FLOAT, sizeof *from, (void *)(first + offsetof(struct vertex, place)));
    glNormalPointer(GL_FLOAT, sizeof *from, (void *)(first + offsetof(struct vertex, normal)));
    glTexCoordPointer(2, GL_FLOAT, sizeof *from, (void *)(first + offsetof(struct vertex, at)));
    if (indexed)
        glDrawElements(GL_TRIANGLES, (GLsizei)count, GL_UNSIGNED_INT, NULL);
    else
        glDrawArrays(GL_TRIANGLES, 0, (GLsizei)count);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
}

static void
quad(float x, float y, float size, float z, float repeat)
{
    static const float ends[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    glNormal3f(0.2f, 0.1f, 1);
    glBegin(GL_QUADS);
    for (uint32_t i = 0; i < 4; i++) {
        glTexCoord2f(ends[i][0] * repeat, ends[i][1] * repeat);
        glVertex3f(x + ends[i][0] * size, y + ends[i][1] * size, z);
    }
    glEnd();
}

static void
draw_small(uint32_t level)
{
    for (uint32_t i = 0; i < 16 * (level + 1); i++) {
        glUseProgram(i % 3 ? textured : lit);
        quad((float)(i % 16) / 8 - 1, (float)(i / 16) / 4 - 1, 0.05f + 0.03f * (float)(i % 5),
             (float)(i % 7) / 10, 0.2f);
    }
}

static void
draw_into_texture(uint32_t level, uint32_t width, uint32_t height)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(0, 0, 256, 256);
    glUseProgram(textured);
    quad(-1, -1, 0.25f * (float)(level + 1), 0, 0.5f);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, (GLsizei)width, (GLsizei)height);
    glBindTexture(GL_TEXTURE_2D, target_image);
    quad(-1, -1, 2, 0, 0.25f * (float)(level + 1));
}

/* The meshes of kinds 0 and 1 are uploaded in the even frame, and drawn from the buffers in the odd
 * one. Even frames of the other kinds are empty. */
static void
draw(uint32_t frame)
{
    const uint32_t kind = frame / 2 / LEVELS % KINDS, level = frame / 2 % LEVELS;
    const bool only_uploads = frame % 2 == 0;
    static const uint32_t sides[LEVELS] = {8, 12, 18, 27, 40, 60, 90, 128};
    static const float repeats[LEVELS] = {0.15f, 0.3f, 0.5f, 0.8f, 1.2f, 2, 3.5f, 6};
    GLint view[4];
    glGetIntegerv(GL_VIEWPORT, view);
    glClearColor(0.2f, 0.2f, 0.3f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (only_uploads && kind != 0 && kind != 1)
        return;
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glUseProgram(kind == 0 || kind == 1 || kind == 5 ? lit : kind == 7 ? longer : textured);
    glBindTexture(GL_TEXTURE_2D, kind == 3 ? mip_image : image);
    switch (kind) {
    case 0:
    case 1: draw_mesh(make_mesh(sides[level], 1), kind == 1, only_uploads); break;
    case 2: quad(-0.95f, -0.95f, 1.9f, 0, repeats[level]); break;
    case 3:
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        for (uint32_t layer = 0; layer < 3; layer++)
            quad(-0.9f + 0.1f * (float)layer, -0.9f, 1.6f, -0.1f * (float)layer, repeats[level]);
        glDisable(GL_BLEND);
        break;
    case 4: draw_small(level); break;
    case 5: draw_mesh(make_mesh(sides[level], 1), level % 2, true); break;
    case 6: draw_into_texture(level, (uint32_t)view[2], (uint32_t)view[3]); break;
    default:
        for (uint32_t layer = 0; layer <= level; layer++)
            quad(-0.9f + 0.1f * (float)layer, -0.9f, 1, (level % 2 ? 0.1f : -0.1f) * (float)layer,
                 0.7f);
    }
    glDisable(GL_DEPTH_TEST);
}

int
main(int argc, char **argv)
{
    static const struct scene scene = {
        .name = "frames",
        .about = "Frames as applications draw them, one thing at a time, each in eight sizes;\n"
                 "before each a frame with what it needs.",
        .width = 400,
        .height = 300,
        .frames = 2 * KINDS * LEVELS,
        .setup = setup,
        .draw = draw,
    };
    return scene_main(&scene, argc, argv);
}
