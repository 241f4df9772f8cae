/* Frames with a planted fault each. The frame after it is the twin: the same picture without the
 * fault.
 * - 1, 2: opaque layers, back to front
 * - 3, 4: `discard` in the program of hidden layers, which disables early z
 * - 5, 6: a texture that is much larger than drawn, without mipmaps
 * - 7, 8: an uncompressed texture that is read once
 * - 9, 10: pixels read back in the middle of the frame
 * - 14, 15: the picture is copied after each layer, and only the last copy is used
 * - 18, 19: small squares, each drawn by a separate call
 * - 23, 24: a mesh whose triangles are in random order
 * - 25, 26: layers that a clear erases
 * - 27, 28: a texture that is uploaded again between the layers
 * - 32, 33: two textures that are much larger than drawn, without mipmaps
 * - 13, 4: an alpha test of hidden layers that discards nothing
 * - 34, 35: small squares, each a fan whose place and color are uniforms
 * - 38, 39: a texture whose unchanged texels are uploaded before the first layer
 * - 41, 42: a mesh whose unchanged vertices are uploaded into a new buffer
 * - 44, 45: the depth is cleared six times, and the stencil remains
 * - 46, 47: a compressed texture that is much larger than drawn, without mipmaps
 * - 48, 49: the picture is blitted after each layer, and only the last copy is used
 * - 51, 33: two textures that are much larger than drawn, one of them without mipmaps
 * - 52, 53: opaque objects that hide their own rear side, back to front
 * - 54, 55: the unchanged picture is copied before each of four draws
 * - 57, 58: the depth is cleared before draws into different quarters, and the stencil remains
 *
 * These frames resemble a fault, but the program cannot avoid the cost:
 * - 11: opaque layers of a single draw, back to front
 * - 12: blended layers that write depth, back to front
 * - 31: hidden layers with an alpha test that discards fragments
 * - 16: the picture is copied after each layer, and each copy is used
 * - 17: a different quarter of the picture is copied after each layer, and all are used
 * - 20: small squares with a change of state between them
 * - 21: four large squares, each drawn by a separate call
 * - 29: clears of the depth between layers whose colors remain
 * - 50: a clear of the depth, and one of the stencil
 * - 30: a texture that is uploaded before the first layer
 * - 40: a mesh whose vertices are uploaded into a new buffer for the first time
 * - 43: an uncompressed texture of which a part is uploaded before the first layer
 * - 59: the depth is cleared before draws into parts that overlap
 * - 56: the picture is copied again after a clear of the copy
 * - 36: small squares whose place is selected from uniforms by an attribute
 *
 * - 22: small squares of different places and texture coordinates, with and without indices
 * - 37: small shapes of all kinds of primitives, flat and smooth, whose place and color are
 * uniforms
 *
 * Frame 0 draws frames 1 to 8, so that one-time uploads happen there.
 * tests/unit/report/test_findings.c tests the findings of `aetius topdown` with the capture
 * (tests/golden/faults.trace). */
#include "window.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include <string.h>

enum { SIZE = 128, LAYERS = 4, LARGE = 512, READ = 128, BLOCKS = LARGE / 4 };
enum { GRID = 24, TRIANGLES = 2 * GRID * GRID }; /* of the mesh: squares per side, triangles */
enum { SQUARES = 16, CORNERS = 6 };              /* squares per side; vertices of a square */

static GLuint plain_program, discard_program, sample_program, pair_program, mesh_program;
static GLuint object_program, baked_program, listed_program;
static GLuint large, with_mipmaps, compressed, compressed_mipmaps, picture, picture_target;
static GLuint small_squares, large_squares;
static GLuint streamed, mesh_vertices, shuffled, ordered, unit_square, baked_squares, shape;
static GLuint new_buffer;

static void
make_programs(void)
{
    static const char *const vertex = "#version 120\n"
                                      "varying vec2 at;\n"
                                      "void main() {\n"
                                      "    at = gl_MultiTexCoord0.xy;\n"
                                      "    gl_Position = gl_Vertex;\n"
                                      "}\n";
    plain_program = make_program(vertex, "#version 120\n"
                                         "varying vec2 at;\n"
                                         "void main() {\n"
                                         "    vec4 a = vec4(at, at.yx);\n"
                                         "    for (int i = 0; i < 3; i++)\n"
                                         "        a = fract(a.yzwx * a + 0.3);\n"
                                         "    gl_FragColor = a;\n"
                                         "}\n");
    discard_program = make_program(vertex, "#version 120\n"
                                           "varying vec2 at;\n"
                                           "void main() {\n"
                                           "    vec4 a = vec4(at, at.yx);\n"
                                           "    for (int i = 0; i < 3; i++)\n"
                                           "        a = fract(a.yzwx * a + 0.3);\n"
                                           "    if (at.x < -1.0)\n"
                                           "        discard;\n"
                                           "    gl_FragColor = a;\n"
                                           "}\n");
    sample_program = make_program(vertex, "#version 120\n"
                                          "varying vec2 at;\n"
                                          "uniform sampler2D image;\n"
                                          "void main() { gl_FragColor = texture2D(image, at); }\n");
    pair_program =
        make_program(vertex, "#version 120\n"
                             "varying vec2 at;\n"
                             "uniform sampler2D image, other;\n"
                             "void main() {\n"
                             "    vec4 sum = texture2D(image, at) + texture2D(other, at);\n"
                             "    gl_FragColor = 0.5 * sum;\n"
                             "}\n");
}

static GLuint
begin_texture(GLint filter)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    return texture;
}

static void
make_textures(void)
{
    static uint8_t texels[LARGE * LARGE][4], blocks[BLOCKS * BLOCKS][8];
    for (uint32_t i = 0; i < LARGE * LARGE; i++) {
        texels[i][0] = (uint8_t)(i / 8);
        texels[i][1] = (uint8_t)(i / LARGE);
        texels[i][2] = 128;
        texels[i][3] = 255;
    }
    large = begin_texture(GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, LARGE, LARGE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    with_mipmaps = begin_texture(GL_LINEAR_MIPMAP_LINEAR);
    for (GLint level = 0; LARGE >> level; level++)
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGB8, LARGE >> level, LARGE >> level, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels);
    for (uint32_t i = 0; i < BLOCKS * BLOCKS; i++) {
        blocks[i][0] = (uint8_t)i;
        blocks[i][1] = 0xf8;
        blocks[i][2] = (uint8_t)(i / BLOCKS);
    }
    compressed = begin_texture(GL_LINEAR);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, LARGE, LARGE, 0,
                           sizeof blocks, blocks);
    compressed_mipmaps = begin_texture(GL_LINEAR_MIPMAP_LINEAR);
    for (GLint level = 0; LARGE >> level; level++) {
        const GLsizei side = LARGE >> level, row = (side + 3) / 4;
        glCompressedTexImage2D(GL_TEXTURE_2D, level, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, side, side, 0,
                               row * row * (GLsizei)sizeof *blocks, blocks);
    }
}

static void
make_picture(void)
{
    picture = begin_texture(GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &picture_target);
    glBindFramebuffer(GL_FRAMEBUFFER, picture_target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

/* Makes side x side squares that are half as wide as their distance. */
static GLuint
make_squares(uint32_t side)
{
    static const float corner[CORNERS][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    static float vertices[SQUARES * SQUARES * CORNERS][2];
    const float distance = 2.0f / (float)side;
    GLuint buffer;
    for (uint32_t i = 0; i < side * side * CORNERS; i++) {
        const uint32_t square = i / CORNERS;
        vertices[i][0] = distance * ((float)(square % side) + corner[i % CORNERS][0] / 2) - 1;
        vertices[i][1] = distance * ((float)(square / side) + corner[i % CORNERS][1] / 2) - 1;
    }
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, side * side * CORNERS * sizeof *vertices, vertices,
                 GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    return buffer;
}

static void
make_mesh_program(void)
{
    mesh_program = make_program("#version 120\n"
                                "varying vec4 color;\n"
                                "void main() {\n"
                                "    color = gl_Vertex.xyyx;\n"
                                "    for (int i = 0; i < 8; i++)\n"
                                "        color = fract(color.yzwx * color + 0.3);\n"
                                "    gl_Position = gl_Vertex;\n"
                                "}\n",
                                "#version 120\n"
                                "varying vec4 color;\n"
                                "void main() { gl_FragColor = color; }\n");
}

/* Programs that draw squares in three ways: one draw per square with uniforms, all squares in one
 * array, or an attribute that selects the position. */
static void
make_object_programs(void)
{
    static const char *const fragment = "#version 120\n"
                                        "varying vec4 color;\n"
                                        "uniform vec4 tint;\n"
                                        "void main() { gl_FragColor = color * tint; }\n";
    object_program = make_program("#version 120\n"
                                  "uniform vec4 place;\n"
                                  "varying vec4 color;\n"
                                  "void main() {\n"
                                  "    color = gl_Color;\n"
                                  "    if (place.w > 0.5)\n"
                                  "        color = gl_Color.yzxw;\n"
                                  "    for (int i = 0; i < int(place.z); i++)\n"
                                  "        color = fract(color.yzwx + 0.25);\n"
                                  "    gl_Position = vec4(gl_Vertex.xy + place.xy, 0.0, 1.0);\n"
                                  "}\n",
                                  fragment);
    baked_program = make_program("#version 120\n"
                                 "varying vec4 color;\n"
                                 "void main() {\n"
                                 "    color = gl_Color;\n"
                                 "    gl_Position = gl_Vertex;\n"
                                 "}\n",
                                 "#version 120\n"
                                 "varying vec4 color;\n"
                                 "void main() { gl_FragColor = color; }\n");
    listed_program = make_program("#version 120\n"
                                  "uniform vec4 places[4];\n"
                                  "varying vec4 color;\n"
                                  "void main() {\n"
                                  "    vec4 place = places[int(gl_Vertex.z)];\n"
                                  "    color = gl_Color;\n"
                                  "    gl_Position = vec4(gl_Vertex.xy + place.xy, 0.0, 1.0);\n"
                                  "}\n",
                                  fragment);
}

/* Makes indices of the mesh. Its triangles are in rows, or in random order. */
static GLuint
make_indices(bool shuffles)
{
    static uint16_t indices[TRIANGLES][3];
    uint32_t order[TRIANGLES];
    struct random random = {1};
    GLuint buffer;
    for (uint32_t i = 0; i < TRIANGLES; i++)
        order[i] = i;
    for (uint32_t i = TRIANGLES - 1; i > 0 && shuffles; i--) {
        const uint32_t other = (uint32_t)(random_next(&random) * (float)(i + 1));
        const uint32_t triangle = order[i];
        order[i] = order[other];
        order[other] = triangle;
    }
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        const uint32_t square = order[i] / 2, odd = order[i] % 2;
        const uint32_t corner = square / GRID * (GRID + 1) + square % GRID;
        indices[i][0] = (uint16_t)(corner + odd);
        indices[i][1] = (uint16_t)(corner + 1 + odd * (GRID + 1));
        indices[i][2] = (uint16_t)(corner + GRID + 1);
    }
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    return buffer;
}

static void
make_mesh(void)
{
    static float vertices[(GRID + 1) * (GRID + 1)][2];
    for (uint32_t i = 0; i < (GRID + 1) * (GRID + 1); i++) {
        vertices[i][0] = 2.0f * (float)(i % (GRID + 1)) / GRID - 1;
        vertices[i][1] = 2.0f * (float)(i / (GRID + 1)) / GRID - 1;
    }
    glGenBuffers(1, &mesh_vertices);
    glBindBuffer(GL_ARRAY_BUFFER, mesh_vertices);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    shuffled = make_indices(true);
    ordered = make_indices(false);
}

static GLuint
make_buffer(const void *bytes, size_t size)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, bytes, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    return buffer;
}

/* Place of a square, from its lower left corner, and its color. */
static void
square_of(uint32_t i, float place[2], float color[4])
{
    place[0] = 2.0f * (float)(i % SQUARES) / SQUARES - 1;
    place[1] = 2.0f * (float)(i / SQUARES) / SQUARES - 1;
    color[0] = (float)(i % 7) / 8;
    color[1] = (float)(i % 5) / 4;
    color[2] = 1;
    color[3] = 1;
}

static void
make_objects(void)
{
    static const float unit[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static float one[4][3], all[4 * SQUARES * SQUARES][5], corners[8][5];
    for (uint32_t i = 0; i < 4 * SQUARES * SQUARES; i++) {
        float place[2], color[4];
        square_of(i / 4, place, color);
        for (uint32_t c = 0; c < 2; c++) {
            all[i][c] = place[c] + unit[i % 4][c] / SQUARES;
            one[i % 4][c] = unit[i % 4][c] / SQUARES;
        }
        memcpy(&all[i][2], color, 3 * sizeof *color);
    }
    for (uint32_t i = 0; i < 8; i++) { /* a convex shape is not needed */
        corners[i][0] = (float)(i / 2 * 5 % 9) / 128;
        corners[i][1] = (float)(i % 2 * 7 + i) / 128;
        for (uint32_t c = 0; c < 3; c++)
            corners[i][2 + c] = (float)((i + c) % 4) / 3;
    }
    unit_square = make_buffer(one, sizeof one);
    baked_squares = make_buffer(all, sizeof all);
    shape = make_buffer(corners, sizeof corners);
}

enum upload { CREATES, CHANGES, REPEATS };

static void
upload(enum upload kind)
{
    static uint8_t texels[SIZE * SIZE], seed;
    seed += kind == CHANGES;
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        texels[i] = (uint8_t)(i + seed);
    glBindTexture(GL_TEXTURE_2D, streamed);
    if (kind == CREATES)
        glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, SIZE, SIZE, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE,
                     texels);
    else
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, SIZE, GL_LUMINANCE, GL_UNSIGNED_BYTE, texels);
}

/* Uploads a part of the large texture. */
static void
upload_part(void)
{
    static uint8_t texels[16 * 16][4];
    for (uint32_t i = 0; i < 16 * 16; i++)
        texels[i][i % 3] = 200;
    glBindTexture(GL_TEXTURE_2D, large);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

static void
setup(void)
{
    make_programs();
    make_textures();
    make_picture();
    small_squares = make_squares(SQUARES);
    large_squares = make_squares(2);
    make_mesh_program();
    make_object_programs();
    make_mesh();
    make_objects();
    streamed = begin_texture(GL_NEAREST);
    upload(CREATES);
}

/* Covers the window at a depth, with texture coordinates from (s, t) to (s + size, t + size). */
static void
corners(float z, float s, float t, float size)
{
    for (uint32_t corner = 0; corner < 4; corner++) {
        const float x = corner == 1 || corner == 2, y = corner > 1;
        glTexCoord2f(s + size * x, t + size * y);
        glVertex3f(2 * x - 1, 2 * y - 1, z);
    }
}

/* Draws a layer. The change of the stipple, which is off, makes it a separate draw. */
static void
layer(float z, float s, float t, float size)
{
    static GLint factor;
    glLineStipple(factor++ % 2 + 1, 0xffff);
    glBegin(GL_QUADS);
    corners(z, s, t, size);
    glEnd();
}

static float
depth(uint32_t i)
{
    return 0.8f - 0.4f * (float)i;
}

static void
draw_order(bool back_to_front)
{
    glEnable(GL_DEPTH_TEST);
    glUseProgram(plain_program);
    for (uint32_t i = 0; i < LAYERS; i++)
        layer(depth(back_to_front ? i : LAYERS - 1 - i), (float)i, 0, 1);
    glDisable(GL_DEPTH_TEST);
}

/* Draws objects with a front and a rear side. */
static void
draw_objects_in_order(bool back_to_front)
{
    glEnable(GL_DEPTH_TEST);
    glUseProgram(plain_program);
    for (uint32_t i = 0; i < LAYERS; i++) {
        const float z = depth(back_to_front ? i : LAYERS - 1 - i);
        glLineStipple((GLint)i % 2 + 1, 0xffff); /* makes it a separate draw */
        glBegin(GL_QUADS);
        corners(z, (float)i, 0, 1);
        corners(z + 0.1f, (float)i, 0, 1);
        glEnd();
    }
    glDisable(GL_DEPTH_TEST);
}

static void
draw_hidden(GLuint program)
{
    glEnable(GL_DEPTH_TEST);
    glUseProgram(plain_program);
    layer(-0.9f, 0, 0, 1);
    glUseProgram(program);
    for (uint32_t i = 0; i < LAYERS; i++)
        layer(depth(LAYERS - 1 - i), (float)i, 0, 1);
    glDisable(GL_DEPTH_TEST);
}

/* Draws the whole texture into a corner of the window, or one texel per pixel of a different part
 * in each layer. */
static void
draw_texture(GLuint texture, bool whole)
{
    const float size = whole ? 1 : (float)SIZE / LARGE;
    const GLsizei side = whole ? SIZE / 4 : SIZE;
    glUseProgram(sample_program);
    glBindTexture(GL_TEXTURE_2D, texture);
    glViewport(0, 0, side, side);
    for (uint32_t i = 0; i < LAYERS; i++)
        layer(0, whole ? 0 : size * (float)i, 0, size);
    glViewport(0, 0, SIZE, SIZE);
}

/* Draws both textures completely into a corner of the window. */
static void
draw_pair(GLuint image, GLuint other)
{
    glUseProgram(pair_program);
    glUniform1i(glGetUniformLocation(pair_program, "other"), 1);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, other);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, image);
    glViewport(0, 0, SIZE / 4, SIZE / 4);
    for (uint32_t i = 0; i < LAYERS; i++)
        layer(0, 0, 0, 1);
    glViewport(0, 0, SIZE, SIZE);
}

static void
draw_readback(bool at_the_end)
{
    static uint8_t pixels[READ * READ][4];
    glUseProgram(plain_program);
    for (uint32_t i = 0; i < LAYERS; i++) {
        layer(0, (float)i, 0, 1);
        if (at_the_end ? i == LAYERS - 1 : i < LAYERS - 1)
            glReadPixels(0, 0, READ, READ, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
}

static void
draw_picture(float s)
{
    glUseProgram(sample_program);
    layer(0, s, 0, 1);
    glUseProgram(0);
}

static void
blit_picture(void)
{
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, picture_target);
    glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
}

static void
copy_picture(void)
{
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, SIZE, SIZE);
}

/* Draws layers, copies the picture, and draws the copy. */
static void
draw_copies(void (*copy)(void), bool copies_each, bool uses_each)
{
    glUseProgram(0);
    glBindTexture(GL_TEXTURE_2D, picture);
    for (uint32_t i = 0; i < LAYERS; i++) {
        glColor3f((float)i / LAYERS, 0.5f, 1);
        layer(0, 0, 0, 1);
        if (copies_each || i == LAYERS - 1)
            copy();
        if (uses_each || i == LAYERS - 1)
            draw_picture((float)i);
    }
}

/* Draws a layer, and reads copies of it without changing it. */
static void
draw_equal_copies(bool copies_each, bool erases)
{
    glUseProgram(0);
    glBindTexture(GL_TEXTURE_2D, picture);
    layer(0, 0, 0, 1);
    for (uint32_t i = 0; i < LAYERS; i++) {
        if (copies_each || i == 0)
            copy_picture();
        glColorMask(false, false, false, false);
        draw_picture((float)i);
        glColorMask(true, true, true, true);
        if (!erases)
            continue;
        glBindFramebuffer(GL_FRAMEBUFFER, picture_target);
        glClear(GL_COLOR_BUFFER_BIT);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
    }
}

static void
draw_quarters(void)
{
    glUseProgram(0);
    glBindTexture(GL_TEXTURE_2D, picture);
    for (uint32_t i = 0; i < LAYERS; i++) {
        const GLint x = (GLint)(i % 2) * SIZE / 2, y = (GLint)(i / 2) * SIZE / 2;
        glColor3f((float)i / LAYERS, 0.5f, 1);
        layer(0, 0, 0, 1);
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, x, y, x, y, SIZE / 2, SIZE / 2);
    }
    draw_picture(0);
}

static void
draw_in_one(void)
{
    glEnable(GL_DEPTH_TEST);
    glUseProgram(plain_program);
    glBegin(GL_QUADS);
    for (uint32_t i = 0; i < LAYERS; i++)
        corners(depth(i), (float)i, 0, 1);
    glEnd();
    glDisable(GL_DEPTH_TEST);
}

static void
draw_blended(void)
{
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    draw_order(true);
    glDisable(GL_BLEND);
}

static void
draw_alpha_tested(float least)
{
    glAlphaFunc(GL_GEQUAL, least);
    glEnable(GL_ALPHA_TEST);
    draw_hidden(plain_program);
    glDisable(GL_ALPHA_TEST);
}

/* Draws side x side squares with the given number of calls. */
static void
draw_squares(GLuint buffer, uint32_t side, uint32_t calls, bool changes_state)
{
    const uint32_t vertices = side * side * CORNERS / calls;
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnable(GL_DEPTH_TEST);
    for (uint32_t i = 0; i < calls; i++) {
        glDepthFunc(changes_state && i % 2 ? GL_LEQUAL : GL_LESS);
        glDrawArrays(GL_TRIANGLES, (GLint)(i * vertices), (GLsizei)vertices);
    }
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
    glDisableClientState(GL_VERTEX_ARRAY);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* Draws indexed and non-indexed squares, at different offsets into the buffer and with different
 * texture coordinates. */
static void
draw_scattered(void)
{
    enum { COUNT = 64 };
    static const uint16_t indices[CORNERS] = {0, 1, 2, 3, 4, 5};
    glUseProgram(plain_program);
    glBindBuffer(GL_ARRAY_BUFFER, small_squares);
    glEnableClientState(GL_VERTEX_ARRAY);
    for (uint32_t i = 0; i < COUNT; i++) {
        const size_t first = (size_t)(i * 37 % COUNT) * CORNERS;
        glTexCoord2f((float)i / COUNT, 0.3f);
        glVertexPointer(2, GL_FLOAT, 0, (const void *)(uintptr_t)(first * 2 * sizeof(float)));
        if (i % 2)
            glDrawElements(GL_TRIANGLES, CORNERS, GL_UNSIGNED_SHORT, indices);
        else
            glDrawArrays(GL_TRIANGLES, 0, CORNERS);
    }
    glDisableClientState(GL_VERTEX_ARRAY);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* Draws squares, each as a fan with uniforms. `program` takes its place from uniform `name`. */
static void
draw_objects(GLuint program, const char *name)
{
    const GLint where = glGetUniformLocation(program, name);
    const GLint tint = glGetUniformLocation(program, "tint");
    glUseProgram(program);
    glColor3f(1, 1, 1);
    glBindBuffer(GL_ARRAY_BUFFER, unit_square);
    glVertexPointer(3, GL_FLOAT, 0, NULL);
    glEnableClientState(GL_VERTEX_ARRAY);
    for (uint32_t i = 0; i < SQUARES * SQUARES; i++) {
        float place[2], color[4];
        square_of(i, place, color);
        glUniform4f(where, place[0], place[1], 0, 0);
        glUniform4fv(tint, 1, color);
        glDrawArrays(GL_TRIANGLE_FAN, 0, 4);
    }
    glDisableClientState(GL_VERTEX_ARRAY);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* Draws the same squares with one call. */
static void
draw_baked(void)
{
    glUseProgram(baked_program);
    glBindBuffer(GL_ARRAY_BUFFER, baked_squares);
    glVertexPointer(2, GL_FLOAT, 5 * sizeof(float), NULL);
    glColorPointer(3, GL_FLOAT, 5 * sizeof(float), (const void *)(2 * sizeof(float)));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glDrawArrays(GL_QUADS, 0, 4 * SQUARES * SQUARES);
    glDisableClientState(GL_COLOR_ARRAY);
    glDisableClientState(GL_VERTEX_ARRAY);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* Draws shapes of all kinds of triangles, then of lines. */
static void
draw_shapes(void)
{
    static const GLenum kinds[] = {GL_TRIANGLE_FAN, GL_TRIANGLE_STRIP, GL_QUADS,
                                   GL_QUAD_STRIP,   GL_POLYGON,        GL_TRIANGLES,
                                   GL_LINE_STRIP,   GL_LINE_LOOP,      GL_LINES};
    enum { KINDS = sizeof kinds / sizeof *kinds, TRIANGLE_KINDS = 6, COUNT = 72 };
    glUseProgram(object_program);
    glBindBuffer(GL_ARRAY_BUFFER, shape);
    glVertexPointer(2, GL_FLOAT, 5 * sizeof(float), NULL);
    glColorPointer(3, GL_FLOAT, 5 * sizeof(float), (const void *)(2 * sizeof(float)));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        const bool lines = i % COUNT >= COUNT / 2;
        float place[2], color[4];
        square_of(i % COUNT * 3, place, color);
        glShadeModel(i < COUNT ? GL_FLAT : GL_SMOOTH);
        glUniform4f(glGetUniformLocation(object_program, "place"),
                    place[0] + (i < COUNT ? 0 : 1.0f / 64), place[1], (float)(i % 3),
                    (float)(i % 2));
        glUniform4fv(glGetUniformLocation(object_program, "tint"), 1, color);
        glDrawArrays(lines ? kinds[TRIANGLE_KINDS + i % (KINDS - TRIANGLE_KINDS)]
                           : kinds[i % TRIANGLE_KINDS],
                     0, 6 + (GLint)(i % 3));
    }
    glShadeModel(GL_SMOOTH);
    glDisableClientState(GL_COLOR_ARRAY);
    glDisableClientState(GL_VERTEX_ARRAY);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

static void
draw_mesh(GLuint indices)
{
    glUseProgram(mesh_program);
    glBindBuffer(GL_ARRAY_BUFFER, mesh_vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glEnableClientState(GL_VERTEX_ARRAY);
    glDrawElements(GL_TRIANGLES, 3 * TRIANGLES, GL_UNSIGNED_SHORT, NULL);
    glDisableClientState(GL_VERTEX_ARRAY);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* Draws layers, with a clear before the last one, or only the last one. */
static void
draw_erased(bool draws_all)
{
    glUseProgram(plain_program);
    for (uint32_t i = draws_all ? 0 : LAYERS - 1; i < LAYERS; i++) {
        if (i == LAYERS - 1)
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        layer(0, (float)i, 0, 1);
    }
}

/* Draws layers from a texture, with uploads before the first of them, or before all. */
static void
draw_streamed(uint32_t uploads)
{
    for (uint32_t i = 0; i < LAYERS; i++) {
        if (i < uploads)
            upload(CHANGES);
        glBindTexture(GL_TEXTURE_2D, streamed);
        glUseProgram(sample_program);
        layer(0, (float)i, 0, 1);
        glUseProgram(0);
    }
}

/* Draws layers from a texture after its upload, or without one. */
static void
draw_repeated(bool uploads)
{
    if (uploads)
        upload(REPEATS);
    draw_streamed(0);
}

/* Draws triangles of a buffer. If `uploads` is set, the buffer is new in each frame. */
static void
draw_new_buffer(bool uploads)
{
    static float vertices[3 * 256][2];
    for (uint32_t i = 0; i < 3 * 256; i++) {
        vertices[i][0] = ((float)(i / 3 % 16) + 0.9f * (float)(i % 3 / 2)) / 8 - 1;
        vertices[i][1] = ((float)(i / 48) + 0.9f * (float)(i % 3 % 2)) / 8 - 1;
    }
    if (!new_buffer)
        glGenBuffers(1, &new_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, new_buffer);
    if (uploads)
        glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STREAM_DRAW);
    glUseProgram(baked_program);
    glViewport(0, 0, SIZE / 8, SIZE / 8);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glEnableClientState(GL_VERTEX_ARRAY);
    glDrawArrays(GL_TRIANGLES, 0, 3 * 256);
    glDisableClientState(GL_VERTEX_ARRAY);
    glViewport(0, 0, SIZE, SIZE);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* Draws quarters of the window, and clears the depth between them. */
static void
draw_depth_clears(void)
{
    glEnable(GL_DEPTH_TEST);
    glUseProgram(plain_program);
    for (uint32_t i = 0; i < LAYERS; i++) {
        glViewport((GLint)(i % 2) * SIZE / 2, (GLint)(i / 2) * SIZE / 2, SIZE / 2, SIZE / 2);
        layer(0, (float)i, 0, 1);
        glClear(GL_DEPTH_BUFFER_BIT);
    }
    glViewport(0, 0, SIZE, SIZE);
    glDisable(GL_DEPTH_TEST);
}

/* Draws a layer into the depth and stencil buffers, then another layer after `count` clears. */
static void
draw_clears(uint32_t count, bool alternates)
{
    glUseProgram(0);
    glColor3f(1, 0.5f, 0);
    glStencilFunc(GL_ALWAYS, 1, 1);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glEnable(GL_STENCIL_TEST);
    glEnable(GL_DEPTH_TEST);
    layer(0, 0, 0, 1);
    for (uint32_t i = 0; i < count; i++)
        glClear(alternates && i % 2 ? GL_STENCIL_BUFFER_BIT : GL_DEPTH_BUFFER_BIT);
    layer(0, 1, 0, 1);
    glClear(GL_STENCIL_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_STENCIL_TEST);
}

/* Draws quarters of the window, or larger parts that overlap, with their stencil. */
static void
draw_quarters_of_depth(bool clears, GLsizei side)
{
    glUseProgram(0);
    glStencilFunc(GL_ALWAYS, 1, 1);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glEnable(GL_STENCIL_TEST);
    glEnable(GL_DEPTH_TEST);
    for (uint32_t i = 0; i < LAYERS; i++) {
        glViewport((GLint)(i % 2) * SIZE / 2, (GLint)(i / 2) * SIZE / 2, side, side);
        if (clears && i > 0)
            glClear(GL_DEPTH_BUFFER_BIT);
        layer(0, (float)i, 0, 1);
    }
    glClear(GL_STENCIL_BUFFER_BIT);
    glViewport(0, 0, SIZE, SIZE);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_STENCIL_TEST);
}

static void
draw_frame(uint32_t frame)
{
    switch (frame) {
    case 1: draw_order(true); break;
    case 2: draw_order(false); break;
    case 3: draw_hidden(discard_program); break;
    case 4: draw_hidden(plain_program); break;
    case 5: draw_texture(large, true); break;
    case 6: draw_texture(with_mipmaps, true); break;
    case 7: draw_texture(large, false); break;
    case 8: draw_texture(compressed, false); break;
    case 9: draw_readback(false); break;
    case 10: draw_readback(true); break;
    case 11: draw_in_one(); break;
    case 12: draw_blended(); break;
    case 13: draw_alpha_tested(0); break;
    case 14: draw_copies(copy_picture, true, false); break;
    case 15: draw_copies(copy_picture, false, false); break;
    case 16: draw_copies(copy_picture, true, true); break;
    case 17: draw_quarters(); break;
    case 18: draw_squares(small_squares, SQUARES, SQUARES * SQUARES, false); break;
    case 19: draw_squares(small_squares, SQUARES, 1, false); break;
    case 20: draw_squares(small_squares, SQUARES, SQUARES * SQUARES, true); break;
    case 21: draw_squares(large_squares, 2, 4, false); break;
    case 22: draw_scattered(); break;
    case 23: draw_mesh(shuffled); break;
    case 24: draw_mesh(ordered); break;
    case 25: draw_erased(true); break;
    case 26: draw_erased(false); break;
    case 27: draw_streamed(LAYERS); break;
    case 28: draw_streamed(0); break;
    case 29: draw_depth_clears(); break;
    case 30: draw_streamed(1); break;
    case 31: draw_alpha_tested(0.5f); break;
    case 32: draw_pair(large, streamed); break;
    case 33: draw_pair(with_mipmaps, with_mipmaps); break;
    case 34: draw_objects(object_program, "place"); break;
    case 35: draw_baked(); break;
    case 36: draw_objects(listed_program, "places"); break;
    case 37: draw_shapes(); break;
    case 38: draw_repeated(true); break;
    case 39: draw_repeated(false); break;
    case 40:
    case 41: draw_new_buffer(true); break;
    case 42: draw_new_buffer(false); break;
    case 43:
        upload_part();
        draw_texture(large, false);
        break;
    case 44: draw_clears(6, false); break;
    case 45: draw_clears(1, false); break;
    case 46: draw_texture(compressed, true); break;
    case 47: draw_texture(compressed_mipmaps, true); break;
    case 48: draw_copies(blit_picture, true, false); break;
    case 49: draw_copies(blit_picture, false, false); break;
    case 50: draw_clears(2, true); break;
    case 51: draw_pair(large, with_mipmaps); break;
    case 52: draw_objects_in_order(true); break;
    case 53: draw_objects_in_order(false); break;
    case 54: draw_equal_copies(true, false); break;
    case 55: draw_equal_copies(false, false); break;
    case 56: draw_equal_copies(true, true); break;
    case 57: draw_quarters_of_depth(true, SIZE / 2); break;
    case 58: draw_quarters_of_depth(false, SIZE / 2); break;
    case 59: draw_quarters_of_depth(true, SIZE / 2 + 1); break;
    default: break;
    }
    glUseProgram(0);
}

static void
draw(uint32_t frame)
{
    enum { READBACK = 9 };
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (uint32_t i = 1; frame == 0 && i < READBACK; i++)
        draw_frame(i);
    draw_frame(frame);
}

int
main(int argc, char **argv)
{
    static const struct scene scene = {.name = "faults",
                                       .about = "Frames with a planted fault each, and their twins",
                                       .width = SIZE,
                                       .height = SIZE,
                                       .frames = 60,
                                       .setup = setup,
                                       .draw = draw};
    return scene_main(&scene, argc, argv);
}
