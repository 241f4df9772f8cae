/* Features of OpenGL 3.1 and GLSL 1.40. The reference is llvmpipe, which draws the program directly
 * (tools/features.sh). A frame is a grid of tiles, one case each. */
#include "tiles.h"

#include <stdio.h>
#include <string.h>

enum feature { TEXELS, RECTANGLES, INSTANCES, COPIES, SIGNED };
static const char *const kinds[] = {"texels", "rectangles", "instances", "copies", "signed", NULL};
static uint32_t kind = TEXELS;

static const char square_vertex[] = "#version 140\n"
                                    "in vec2 position;\n"
                                    "out vec2 at;\n"
                                    "void main() {\n"
                                    "    gl_Position = vec4(position, 0.0, 1.0);\n"
                                    "    at = position * 0.5 + 0.5;\n"
                                    "}";

/* ---- buffer textures ---- */

enum { DATA_BYTES = 2048 };
enum data { BYTES, HALVES, FLOATS, DATA_COUNT };

/* Each kind of data has a buffer of finite values. */
static void
fill_data(uint32_t buffers[DATA_COUNT])
{
    uint8_t bytes[DATA_BYTES];
    uint16_t halves[DATA_BYTES / 2];
    float floats[DATA_BYTES / 4];
    for (uint32_t i = 0; i < DATA_BYTES; i++)
        bytes[i] = (uint8_t)(i * 37 + i / 64 * 11);
    for (uint32_t i = 0; i < DATA_BYTES / 2; i++)
        halves[i] = (uint16_t)(0x3800 + i * 41 % 0x400); /* 0.5 to 1 */
    for (uint32_t i = 0; i < DATA_BYTES / 4; i++)
        floats[i] = (float)(i * 29 % 128) / 128;
    const void *const values[DATA_COUNT] = {bytes, halves, floats};
    glGenBuffers(DATA_COUNT, buffers);
    for (uint32_t d = 0; d < DATA_COUNT; d++) {
        glBindBuffer(GL_TEXTURE_BUFFER, buffers[d]);
        glBufferData(GL_TEXTURE_BUFFER, DATA_BYTES, values[d], GL_DYNAMIC_DRAW);
    }
}

/* A program that shows a buffer texture. Integers show their low bits. */
static uint32_t
make_reader(const char *prefix, const char *color)
{
    char text[512];
    snprintf(text, sizeof text,
             "#version 140\n"
             "in vec2 at;\n"
             "uniform %ssamplerBuffer image;\n"
             "out vec4 color;\n"
             "void main() { int count = textureSize(image);\n"
             "    ivec2 p = ivec2(at * 32.0);\n"
             "    %svec4 v = texelFetch(image, (p.x * 5 + p.y * 32) %% count);\n"
             "    color = %s; color.a += float(count) / 4096.0; }",
             prefix, prefix, color);
    return make_program(square_vertex, text);
}

static void
draw_texels(void)
{
    static const struct {
        GLenum internal;
        enum data data;
        uint32_t reader;
    } cases[TILES] = {{GL_R8, BYTES, 0},       {GL_RG8, BYTES, 0},      {GL_RGBA8, BYTES, 0},
                      {GL_R16, BYTES, 0},      {GL_RGBA16F, HALVES, 0}, {GL_R32F, FLOATS, 0},
                      {GL_RGBA32F, FLOATS, 0}, {GL_R8I, BYTES, 1},      {GL_RG16I, BYTES, 1},
                      {GL_RGBA32I, BYTES, 1},  {GL_R8UI, BYTES, 2},     {GL_RGBA16UI, BYTES, 2}};
    static uint32_t readers[3], buffers[DATA_COUNT], textures[TILES];
    if (!readers[0]) {
        readers[0] = make_reader("", "v");
        readers[1] = make_reader("i", "vec4(v & 255) / 255.0");
        readers[2] = make_reader("u", "vec4(v & 255u) / 255.0");
        fill_data(buffers);
        glGenTextures(TILES, textures);
    }
    for (uint32_t t = 0; t < TILES; t++) {
        tiles_begin(t);
        glBindBuffer(GL_TEXTURE_BUFFER, buffers[cases[t].data]);
        if (t % 2) /* a change between draws */
            glBufferSubData(GL_TEXTURE_BUFFER, 512, 64,
                            "0123456789@ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789@ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        glBindTexture(GL_TEXTURE_BUFFER, textures[t]);
        glTexBuffer(GL_TEXTURE_BUFFER, cases[t].internal, buffers[cases[t].data]);
        tiles_use(readers[cases[t].reader]);
        tiles_square(readers[cases[t].reader], 0.9f);
    }
}

/* ---- rectangle textures ---- */

/* Rows of tiles: nearest, linear, and linear with a border. Columns: the functions of GLSL. */
static void
draw_rectangles(void)
{
    enum { WIDE = 13, HIGH = 9 };
    static const char *const reads[COLUMNS] = {
        "texture(image, place)", "textureOffset(image, place, ivec2(-3, 2))",
        "texelFetch(image, ivec2(at * vec2(textureSize(image))))",
        "textureProj(image, vec3(place, at.x + 1.0))"};
    static uint32_t programs[COLUMNS], texture;
    uint8_t texels[HIGH][WIDE][4];
    if (!texture) {
        for (uint32_t i = 0; i < COLUMNS; i++) {
            char text[512];
            snprintf(text, sizeof text,
                     "#version 140\n"
                     "in vec2 at;\n"
                     "uniform sampler2DRect image;\n"
                     "out vec4 color;\n"
                     "void main() { vec2 place = at * 17.3 - 2.1; color = %s; }",
                     reads[i]);
            programs[i] = make_program(square_vertex, text);
        }
        for (uint32_t i = 0; i < HIGH * WIDE * 4; i++)
            texels[i / 4 / WIDE][i / 4 % WIDE][i % 4] = (uint8_t)(i * 73 + i / 52 * 19);
        texture = tiles_make_texture(GL_TEXTURE_RECTANGLE, GL_NEAREST);
        glTexImage2D(GL_TEXTURE_RECTANGLE, 0, GL_RGBA8, WIDE, HIGH, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     texels);
        glTexParameterfv(GL_TEXTURE_RECTANGLE, GL_TEXTURE_BORDER_COLOR,
                         (const float[]){0.2f, 0.6f, 0.8f, 1});
    }
    glBindTexture(GL_TEXTURE_RECTANGLE, texture);
    for (uint32_t t = 0; t < TILES; t++) {
        const GLint filter = t / COLUMNS ? GL_LINEAR : GL_NEAREST;
        const GLint wrap = t / COLUMNS == 2 ? GL_CLAMP_TO_BORDER : GL_CLAMP_TO_EDGE;
        tiles_begin(t);
        glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_MIN_FILTER, filter);
        glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_MAG_FILTER, filter);
        glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_WRAP_S, wrap);
        glTexParameteri(GL_TEXTURE_RECTANGLE, GL_TEXTURE_WRAP_T, wrap);
        tiles_use(programs[t % COLUMNS]);
        tiles_square(programs[t % COLUMNS], 1);
    }
}

/* ---- instances, primitive restart ---- */

static uint32_t
make_instanced(void)
{
    return make_program("#version 140\n"
                        "in vec2 position;\n"
                        "uniform float apart;\n"
                        "flat out int id;\n"
                        "void main() {\n"
                        "    float i = float(gl_InstanceID);\n"
                        "    gl_Position = vec4(position + vec2(i * apart, i * 0.11), 0.0, 1.0);\n"
                        "    id = gl_InstanceID;\n"
                        "}",
                        "#version 140\n"
                        "flat in int id;\n"
                        "out vec4 color;\n"
                        "void main() { color = vec4(ivec3(id, id >> 1, id ^ 3) & 7, 7) / 7.0; }");
}

static void
draw_instances(void)
{
    static const GLenum modes[] = {GL_TRIANGLE_STRIP, GL_TRIANGLES, GL_LINE_STRIP, GL_TRIANGLE_FAN};
    static const uint8_t bytes[] = {0, 1, 2, 77, 2, 1, 3, 77, 0, 3, 2};
    static const uint16_t shorts[] = {0, 1, 2, 7777, 2, 1, 3, 7777, 0, 3, 2};
    static const uint32_t ints[] = {0, 1, 2, 77777, 2, 1, 3, 77777, 0, 3, 2};
    static const float corners[] = {-0.91f, -0.87f, -0.43f, -0.91f, -0.87f, -0.33f, -0.39f, -0.37f};
    static const GLenum types[] = {GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT};
    static const void *const indices[] = {bytes, shorts, ints};
    static const GLuint restarts[] = {77, 7777, 77777};
    enum { INDICES = sizeof bytes };
    static uint32_t program;
    if (!program)
        program = make_instanced();
    const GLuint position = (GLuint)glGetAttribLocation(program, "position");
    glUseProgram(program);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glEnableVertexAttribArray(position);
    glVertexAttribPointer(position, 2, GL_FLOAT, GL_FALSE, 0, corners);
    for (uint32_t t = 0; t < TILES; t++) {
        const GLsizei count = (GLsizei)(t + 1);
        tiles_begin(t);
        tiles_set_float(program, "apart", 0.33f - (float)t / 40);
        if (t < COLUMNS) {
            glDrawArraysInstanced(modes[t], 0, 4, count);
            continue;
        }
        if (t >= 2 * COLUMNS)
            glEnable(GL_PRIMITIVE_RESTART);
        glPrimitiveRestartIndex(restarts[t % 3]);
        glDrawElementsInstanced(modes[t % COLUMNS], t < 2 * COLUMNS ? 3 : INDICES, types[t % 3],
                                indices[t % 3], count);
        glDisable(GL_PRIMITIVE_RESTART);
    }
    glDisableVertexAttribArray(position);
}

/* ---- copies between buffers ---- */

struct copied { /* in one buffer; the blocks begin at multiples of 256 */
    float corners[4][2], colors[4][4];
    uint8_t padding[256 - sizeof(float[4][6])];
    float place[4];
    uint8_t rest[256 - sizeof(float[4])];
};

static uint32_t
make_copy_reader(void)
{
    return make_program("#version 140\n"
                        "in vec2 position;\n"
                        "layout(std140) uniform Place { vec2 move; float size; };\n"
                        "out vec2 at;\n"
                        "void main() { gl_Position = vec4(position * size + move, 0.0, 1.0);\n"
                        "    at = position * 0.5 + 0.5; }",
                        "#version 140\n"
                        "in vec2 at;\n"
                        "uniform samplerBuffer image;\n"
                        "out vec4 color;\n"
                        "void main() { ivec2 p = ivec2(at * 1.999);\n"
                        "    color = texelFetch(image, p.x + 2 * p.y + 2); }");
}

static void
draw_copies(void)
{
    static uint32_t program, buffers[2], texture;
    struct copied from = {.corners = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}};
    if (!program) {
        program = make_copy_reader();
        glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Place"), 3);
        glGenBuffers(2, buffers);
        glGenTextures(1, &texture);
        glBindBuffer(GL_COPY_WRITE_BUFFER, buffers[1]);
        glBufferData(GL_COPY_WRITE_BUFFER, 2 * sizeof from, NULL, GL_STATIC_DRAW);
        glBindTexture(GL_TEXTURE_BUFFER, texture);
        glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, buffers[1]);
    }
    const GLuint position = (GLuint)glGetAttribLocation(program, "position");
    glBindTexture(GL_TEXTURE_BUFFER, texture);
    tiles_use(program);
    glEnableVertexAttribArray(position);
    glBindBufferBase(GL_UNIFORM_BUFFER, 3, buffers[1]);
    for (uint32_t t = 0; t < TILES; t++) {
        for (uint32_t i = 0; i < 16; i++)
            from.colors[i / 4][i % 4] = (float)((i * 29 + t * 17) % 64) / 64;
        memcpy(from.place, (const float[]){(float)t / 40, 0.1f, 0.4f + (float)t / 30}, 12);
        tiles_begin(t);
        glBindBuffer(GL_COPY_READ_BUFFER, buffers[0]);
        glBufferData(GL_COPY_READ_BUFFER, sizeof from, &from, GL_STREAM_DRAW);
        glBindBuffer(GL_COPY_WRITE_BUFFER, buffers[1]);
        /* odd tiles copy within one buffer, from its second half */
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, t % 2 * sizeof from,
                            sizeof from);
        if (t % 2)
            glCopyBufferSubData(GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER, sizeof from, 0,
                                sizeof from);
        glBindBufferRange(GL_UNIFORM_BUFFER, 3, buffers[1], 256, 16);
        glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
        glVertexAttribPointer(position, 2, GL_FLOAT, GL_FALSE, 0, NULL);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    glDisableVertexAttribArray(position);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* ---- signed normalized textures ---- */

static void
draw_signed(void)
{
    static const GLenum cases[TILES][3] = {
        {GL_R8_SNORM, GL_RED, GL_BYTE},      {GL_RG8_SNORM, GL_RG, GL_BYTE},
        {GL_RGB8_SNORM, GL_RGB, GL_BYTE},    {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE},
        {GL_R16_SNORM, GL_RED, GL_SHORT},    {GL_RG16_SNORM, GL_RG, GL_SHORT},
        {GL_RGB16_SNORM, GL_RGB, GL_SHORT},  {GL_RGBA16_SNORM, GL_RGBA, GL_SHORT},
        {GL_RGBA8_SNORM, GL_RGBA, GL_SHORT}, {GL_RGBA16_SNORM, GL_RGBA, GL_BYTE},
        {GL_RGBA8_SNORM, GL_BGRA, GL_BYTE},  {GL_RG8_SNORM, GL_RG, GL_FLOAT}};
    static uint32_t reader, textures[TILES];
    int16_t texels[SIDE * SIDE * 4];
    float floats[SIDE * SIDE * 2];
    for (uint32_t i = 0; i < SIDE * SIDE * 4; i++)
        texels[i] = (int16_t)(i * 2467 + i / 64 * 77);
    for (uint32_t i = 0; i < SIDE * SIDE * 2; i++) /* also beyond -1 and 1 */
        floats[i] = (float)(i * 7 % 64) / 24 - 1.3f;
    if (!reader)
        reader =
            make_program(square_vertex, "#version 140\n"
                                        "in vec2 at;\n"
                                        "uniform sampler2D image;\n"
                                        "out vec4 color;\n"
                                        "void main() { color = texture(image, at) * 0.5 + 0.5; }");
    for (uint32_t t = 0; t < TILES; t++) {
        const GLenum *c = cases[t];
        tiles_begin(t);
        if (!textures[t])
            textures[t] = tiles_make_texture(GL_TEXTURE_2D, GL_NEAREST);
        glBindTexture(GL_TEXTURE_2D, textures[t]);
        glTexImage2D(GL_TEXTURE_2D, 0, (GLint)c[0], SIDE, SIDE, 0, c[1], c[2],
                     c[2] == GL_FLOAT ? (const void *)floats : texels);
        tiles_use(reader);
        tiles_square(reader, 1);
    }
}

static void
draw(uint32_t frame)
{
    static void (*const draws[])(void) = {draw_texels, draw_rectangles, draw_instances, draw_copies,
                                          draw_signed};
    (void)frame;
    glEnable(GL_SCISSOR_TEST);
    glViewport(0, 0, WIDTH, HEIGHT);
    glScissor(0, 0, WIDTH, HEIGHT);
    glClearColor(0.2f, 0.4f, 0.6f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draws[kind]();
    glUseProgram(0);
    check_gl("features31");
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {{"kind", &kind, kinds, "what is drawn"}, {0}};
    return scene_main(&(struct scene){.name = "features31",
                                      .about = "Features of OpenGL 3.1 (--gl 3.1), compared with\n"
                                               "llvmpipe (--save).",
                                      .width = WIDTH,
                                      .height = HEIGHT,
                                      .frames = 1,
                                      .options = options,
                                      .draw = draw},
                      argc, argv);
}
