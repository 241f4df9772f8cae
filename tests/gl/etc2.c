/* Uploads random blocks of each ETC2 and EAC format of OpenGL ES 3.0, and compares the texels that
 * a shader reads with those of the decoder here. The decoder follows the specification (OpenGL
 * ES 3.0, appendix C). The exit status is 1 if a texel differs, or if the blocks lack a mode. */
#define EGL_EGLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Neither size is a multiple of the block size, at either level. */
enum { WIDTH = 62, HEIGHT = 45, LAYERS = 2, LEVELS = 2 };
enum { BLOCKS = ((WIDTH + 3) / 4) * ((HEIGHT + 3) / 4), BLOCK_BYTES_MOST = 16 };

enum kind { RGB, PUNCH, RGBA, RED, RED_SIGNED, RG, RG_SIGNED };
enum mode { INDIVIDUAL, DIFFERENTIAL, MODE_T, MODE_H, PLANAR, MODES };

static const struct format {
    const char *name;
    GLenum internal;
    enum kind kind;
    bool is_srgb;
} formats[] = {
    {"RGB8_ETC2", GL_COMPRESSED_RGB8_ETC2, RGB, false},
    {"SRGB8_ETC2", GL_COMPRESSED_SRGB8_ETC2, RGB, true},
    {"RGB8_A1", GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, PUNCH, false},
    {"SRGB8_A1", GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2, PUNCH, true},
    {"RGBA8_ETC2_EAC", GL_COMPRESSED_RGBA8_ETC2_EAC, RGBA, false},
    {"SRGB8_ALPHA8", GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, RGBA, true},
    {"R11_EAC", GL_COMPRESSED_R11_EAC, RED, false},
    {"SIGNED_R11_EAC", GL_COMPRESSED_SIGNED_R11_EAC, RED_SIGNED, false},
    {"RG11_EAC", GL_COMPRESSED_RG11_EAC, RG, false},
    {"SIGNED_RG11_EAC", GL_COMPRESSED_SIGNED_RG11_EAC, RG_SIGNED, false},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* ---- the decoder ---- */

static int
clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* Bits `low` and above of a block, whose bit 63 is the first one. */
static int
bits(uint64_t block, int low, int count)
{
    return (int)(block >> low & ((1u << count) - 1));
}

static int
signed_bits(uint64_t block, int low, int count)
{
    const int value = bits(block, low, count);
    return value >> (count - 1) ? value - (1 << count) : value;
}

/* A value of `count` bits as one of 8 bits, by repetition of its first bits. */
static int
extend(int value, int count)
{
    return value << (8 - count) | value >> (2 * count - 8);
}

static enum mode
mode_of(uint64_t block, bool is_punch)
{
    if (!is_punch && !bits(block, 33, 1))
        return INDIVIDUAL;
    for (int c = 0; c < 3; c++) {
        const int sum = bits(block, 59 - 8 * c, 5) + signed_bits(block, 56 - 8 * c, 3);
        if (sum < 0 || sum > 31)
            return MODE_T + (enum mode)c;
    }
    return DIFFERENTIAL;
}

static void
decode_planar(uint64_t b, int x, int y, int rgb[3])
{
    const int o[3] = {extend(bits(b, 57, 6), 6), extend(bits(b, 56, 1) << 6 | bits(b, 49, 6), 7),
                      extend(bits(b, 48, 1) << 5 | bits(b, 43, 2) << 3 | bits(b, 39, 3), 6)};
    const int h[3] = {extend(bits(b, 34, 5) << 1 | bits(b, 32, 1), 6), extend(bits(b, 25, 7), 7),
                      extend(bits(b, 19, 6), 6)};
    const int v[3] = {extend(bits(b, 13, 6), 6), extend(bits(b, 6, 7), 7),
                      extend(bits(b, 0, 6), 6)};
    for (int c = 0; c < 3; c++)
        rgb[c] = clamp((x * (h[c] - o[c]) + y * (v[c] - o[c]) + 4 * o[c] + 2) >> 2, 0, 255);
}

/* Modes T and H: four colors, of which the index of the texel selects one. */
static void
decode_paint(uint64_t b, enum mode mode, int index, int rgb[3])
{
    static const int distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};
    int first[3], second[3], distance;
    if (mode == MODE_T) {
        first[0] = bits(b, 59, 2) << 2 | bits(b, 56, 2);
        first[1] = bits(b, 52, 4);
        first[2] = bits(b, 48, 4);
        for (int c = 0; c < 3; c++)
            second[c] = bits(b, 44 - 4 * c, 4);
        distance = distances[bits(b, 34, 2) << 1 | bits(b, 32, 1)];
    } else {
        first[0] = bits(b, 59, 4);
        first[1] = bits(b, 56, 3) << 1 | bits(b, 52, 1);
        first[2] = bits(b, 51, 1) << 3 | bits(b, 47, 3);
        for (int c = 0; c < 3; c++)
            second[c] = bits(b, 43 - 4 * c, 4);
        const int order = memcmp(
            (const uint8_t[]){(uint8_t)first[0], (uint8_t)first[1], (uint8_t)first[2]},
            (const uint8_t[]){(uint8_t)second[0], (uint8_t)second[1], (uint8_t)second[2]}, 3);
        distance = distances[bits(b, 34, 1) << 2 | bits(b, 32, 1) << 1 | (order >= 0)];
    }
    static const struct {
        bool is_second;
        int sign;
    } paints[2][4] = {{{false, 0}, {true, 1}, {true, 0}, {true, -1}},
                      {{false, 1}, {false, -1}, {true, 1}, {true, -1}}};
    for (int c = 0; c < 3; c++) {
        const int base = paints[mode == MODE_H][index].is_second ? second[c] : first[c];
        rgb[c] = clamp(extend(base, 4) + paints[mode == MODE_H][index].sign * distance, 0, 255);
    }
}

static void
decode_halves(uint64_t b, enum mode mode, int x, int y, int modifier_index, bool no_small,
              int rgb[3])
{
    static const int modifiers[8][2] = {{2, 8},   {5, 17},  {9, 29},   {13, 42},
                                        {18, 60}, {24, 80}, {33, 106}, {47, 183}};
    const bool is_second = (bits(b, 32, 1) ? y : x) >= 2;
    const int *pair = modifiers[bits(b, is_second ? 34 : 37, 3)];
    const int size = modifier_index & 1 ? pair[1] : no_small ? 0 : pair[0];
    for (int c = 0; c < 3; c++) {
        const int base =
            mode == INDIVIDUAL
                ? extend(bits(b, (is_second ? 56 : 60) - 8 * c, 4), 4)
                : extend(bits(b, 59 - 8 * c, 5) + (is_second ? signed_bits(b, 56 - 8 * c, 3) : 0),
                         5);
        rgb[c] = clamp(base + (modifier_index & 2 ? -size : size), 0, 255);
    }
}

/* The color of a texel, in 1/255. Texels of a block are counted by columns. */
static void
decode_color(uint64_t b, bool is_punch, int x, int y, int rgba[4])
{
    const enum mode mode = mode_of(b, is_punch);
    const int texel = 4 * x + y, index = bits(b, 16 + texel, 1) << 1 | bits(b, texel, 1);
    const bool has_holes = is_punch && !bits(b, 33, 1);
    rgba[3] = 255;
    if (mode == PLANAR) {
        decode_planar(b, x, y, rgba);
    } else if (has_holes && index == 2) {
        memset(rgba, 0, 4 * sizeof rgba[0]);
    } else if (mode == MODE_T || mode == MODE_H) {
        decode_paint(b, mode, index, rgba);
    } else {
        decode_halves(b, mode, x, y, index, has_holes, rgba);
    }
}

static int
eac_modifier(uint64_t b, int x, int y)
{
    static const int modifiers[16][8] = {
        {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12},
        {-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
        {-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10},
        {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
        {-2, -6, -8, -10, 1, 5, 7, 9},  {-2, -5, -8, -10, 1, 4, 7, 9},
        {-2, -4, -8, -10, 1, 3, 7, 9},  {-2, -5, -7, -10, 1, 4, 6, 9},
        {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},
        {-4, -6, -8, -9, 3, 5, 7, 8},   {-3, -5, -7, -9, 2, 4, 6, 8}};
    return modifiers[bits(b, 48, 4)][bits(b, 45 - 3 * (4 * x + y), 3)];
}

static int
decode_alpha(uint64_t b, int x, int y)
{
    return clamp(bits(b, 56, 8) + eac_modifier(b, x, y) * bits(b, 52, 4), 0, 255);
}

static double
decode_eac(uint64_t b, bool is_signed, int x, int y)
{
    const int factor = bits(b, 52, 4), change = eac_modifier(b, x, y) * (factor ? 8 * factor : 1);
    if (!is_signed)
        return clamp(8 * bits(b, 56, 8) + 4 + change, 0, 2047) / 2047.0;
    const int base = signed_bits(b, 56, 8);
    return clamp(8 * (base == -128 ? -127 : base) + change, -1023, 1023) / 1023.0;
}

static double
linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static uint64_t
block_at(const uint8_t *bytes)
{
    uint64_t block = 0;
    for (int i = 0; i < 8; i++)
        block = block << 8 | bytes[i];
    return block;
}

static uint32_t
block_bytes(const struct format *f)
{
    return f->kind == RGBA || f->kind == RG || f->kind == RG_SIGNED ? 16 : 8;
}

/* The texel x, y of a block. */
static void
decode(const struct format *f, const uint8_t *bytes, int x, int y, double rgba[4])
{
    const uint64_t block = block_at(bytes);
    rgba[1] = rgba[2] = 0;
    rgba[3] = 1;
    if (f->kind >= RED) {
        rgba[0] = decode_eac(block, f->kind == RED_SIGNED || f->kind == RG_SIGNED, x, y);
        if (f->kind >= RG)
            rgba[1] = decode_eac(block_at(bytes + 8), f->kind == RG_SIGNED, x, y);
        return;
    }
    int color[4];
    decode_color(f->kind == RGBA ? block_at(bytes + 8) : block, f->kind == PUNCH, x, y, color);
    if (f->kind == RGBA)
        color[3] = decode_alpha(block, x, y);
    for (int c = 0; c < 4; c++)
        rgba[c] = f->is_srgb && c < 3 ? linear(color[c] / 255.0) : color[c] / 255.0;
}

/* ---- drawing ---- */

/* A level of a texture, with the blocks of one layer after the other. */
struct image {
    int width, height, layers;
    uint8_t blocks[LAYERS * BLOCKS * BLOCK_BYTES_MOST];
};

static uint32_t
layer_bytes(const struct format *f, const struct image *image)
{
    return (uint32_t)((image->width + 3) / 4 * ((image->height + 3) / 4)) * block_bytes(f);
}

static const uint8_t *
find_block(const struct format *f, const struct image *image, int layer, int x, int y)
{
    const int number = y / 4 * ((image->width + 3) / 4) + x / 4;
    return image->blocks + (uint32_t)layer * layer_bytes(f, image) +
           (uint32_t)number * block_bytes(f);
}

static uint32_t
next_random(uint32_t *state) /* xorshift32 */
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static GLuint
make_shader(GLenum stage, const char *text)
{
    const GLuint shader = glCreateShader(stage);
    GLint compiled;
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) {
        fprintf(stderr, "etc2: a shader does not compile\n");
        exit(EXIT_FAILURE);
    }
    return shader;
}

/* A program that copies a level of a texture to the target. */
static GLuint
make_copier(bool is_array)
{
    const GLuint program = glCreateProgram();
    char text[512];
    snprintf(text, sizeof text,
             "#version 300 es\nprecision highp float;\nprecision highp sampler2DArray;\n"
             "uniform %s image;\nuniform int layer, level;\nout vec4 color;\n"
             "void main() { ivec2 at = ivec2(gl_FragCoord.xy);\n"
             "color = texelFetch(image, %s, level); }\n",
             is_array ? "sampler2DArray" : "highp sampler2D", is_array ? "ivec3(at, layer)" : "at");
    glAttachShader(program,
                   make_shader(GL_VERTEX_SHADER, "#version 300 es\nvoid main() { gl_Position = "
                                                 "vec4(gl_VertexID == 1 ? 3.0 : -1.0, "
                                                 "gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }\n"));
    glAttachShader(program, make_shader(GL_FRAGMENT_SHADER, text));
    glLinkProgram(program);
    return program;
}

static void
make_target(void)
{
    GLuint texture, framebuffer;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, WIDTH, HEIGHT);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

/* Uploads the layers one by one. The last row of blocks arrives separately. */
static void
upload_layers(const struct format *f, const struct image *image, int level)
{
    const int whole = (image->height - 1) / 4 * 4, rest = image->height - whole;
    const uint32_t row = (uint32_t)((image->width + 3) / 4) * block_bytes(f);
    const uint32_t first = row * (uint32_t)(whole / 4);
    for (int layer = 0; layer < image->layers; layer++) {
        const uint8_t *blocks = image->blocks + (uint32_t)layer * layer_bytes(f, image);
        glCompressedTexSubImage3D(GL_TEXTURE_2D_ARRAY, level, 0, 0, layer, image->width, whole, 1,
                                  f->internal, (GLsizei)first, blocks);
        glCompressedTexSubImage3D(GL_TEXTURE_2D_ARRAY, level, 0, whole, layer, image->width, rest,
                                  1, f->internal, (GLsizei)row, blocks + first);
    }
}

static void
upload(const struct format *f, bool is_array, const struct image images[LEVELS])
{
    const GLenum target = is_array ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D;
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(target, texture);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAX_LEVEL, LEVELS - 1);
    if (is_array)
        glTexStorage3D(target, LEVELS, f->internal, WIDTH, HEIGHT, LAYERS);
    for (int level = 0; level < LEVELS; level++)
        if (is_array)
            upload_layers(f, &images[level], level);
        else
            glCompressedTexImage2D(target, level, f->internal, images[level].width,
                                   images[level].height, 0, (GLsizei)layer_bytes(f, &images[level]),
                                   images[level].blocks);
}

/* EAC has 11 bits, which the driver may expand to 16. */
static bool
is_near(const struct format *f, double read, double expected)
{
    return fabs(read - expected) <= (f->kind >= RED ? 1.0 / 32767 : 1.0 / 65536);
}

static uint32_t
count_wrong(const struct format *f, const struct image *image, int layer)
{
    static float pixels[WIDTH * HEIGHT][4];
    uint32_t wrong = 0;
    glReadPixels(0, 0, image->width, image->height, GL_RGBA, GL_FLOAT, pixels);
    for (int i = 0; i < image->width * image->height; i++) {
        const int x = i % image->width, y = i / image->width;
        double expected[4];
        bool well = true;
        decode(f, find_block(f, image, layer, x, y), x % 4, y % 4, expected);
        for (int c = 0; c < 4; c++)
            well = well && is_near(f, (double)pixels[i][c], expected[c]);
        if (!well && !wrong++)
            fprintf(stderr,
                    "etc2: %s, %dx%d, layer %d: texel %d,%d is %g %g %g %g, not %g %g %g %g\n",
                    f->name, image->width, image->height, layer, x, y, (double)pixels[i][0],
                    (double)pixels[i][1], (double)pixels[i][2], (double)pixels[i][3], expected[0],
                    expected[1], expected[2], expected[3]);
    }
    return wrong;
}

/* Fills the images with random blocks, and counts their modes. */
static void
fill(const struct format *f, struct image images[LEVELS], int layers, uint32_t *state,
     uint32_t modes[MODES])
{
    for (int level = 0; level < LEVELS; level++) {
        struct image *image = &images[level];
        image->width = WIDTH >> level;
        image->height = HEIGHT >> level;
        image->layers = layers;
        const uint32_t bytes = (uint32_t)layers * layer_bytes(f, image), size = block_bytes(f);
        for (uint32_t i = 0; i < bytes; i++)
            image->blocks[i] = (uint8_t)(next_random(state) >> 24);
        for (uint32_t at = 0; f->kind < RED && at < bytes; at += size)
            modes[mode_of(block_at(image->blocks + at + size - 8), f->kind == PUNCH)]++;
    }
}

/* Returns the number of wrong texels of a texture with random blocks. */
static uint32_t
try_format(const struct format *f, bool is_array, GLuint program, uint32_t modes[MODES])
{
    static struct image images[LEVELS];
    uint32_t state = 1 + f->internal * 2 + is_array, wrong = 0;
    const int layers = is_array ? LAYERS : 1;
    fill(f, images, layers, &state, modes);
    upload(f, is_array, images);
    glUseProgram(program);
    for (int level = 0; level < LEVELS; level++)
        for (int layer = 0; layer < layers; layer++) {
            glUniform1i(glGetUniformLocation(program, "level"), level);
            glUniform1i(glGetUniformLocation(program, "layer"), layer);
            glDrawArrays(GL_TRIANGLES, 0, 3);
            wrong += count_wrong(f, &images[level], layer);
        }
    return wrong;
}

static bool
make_context(void)
{
    static const EGLint config_list[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                         EGL_OPENGL_ES3_BIT, EGL_NONE};
    static const EGLint context_list[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    static const EGLint surface_list[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    EGLConfig config;
    EGLint count = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) ||
        !eglBindAPI(EGL_OPENGL_ES_API) ||
        !eglChooseConfig(display, config_list, &config, 1, &count) || !count)
        return false;
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_list);
    EGLSurface surface = eglCreatePbufferSurface(display, config, surface_list);
    return context != EGL_NO_CONTEXT && eglMakeCurrent(display, surface, surface, context);
}

int
main(void)
{
    uint32_t wrong = 0, modes[MODES] = {0};
    if (!make_context()) {
        fprintf(stderr, "etc2: no context of OpenGL ES 3.0\n");
        return EXIT_FAILURE;
    }
    make_target();
    glViewport(0, 0, WIDTH, HEIGHT);
    for (int is_array = 0; is_array < 2; is_array++) {
        const GLuint program = make_copier(is_array);
        for (int i = 0; i < FORMATS; i++)
            wrong += try_format(&formats[i], is_array, program, modes);
    }
    for (int mode = 0; mode < MODES; mode++)
        if (!modes[mode])
            fprintf(stderr, "etc2: no block has mode %d\n", mode), wrong++;
    if (glGetError() != GL_NO_ERROR || wrong) {
        fprintf(stderr, "etc2: %u texels differ, or OpenGL reported an error\n", wrong);
        return EXIT_FAILURE;
    }
    puts("all texels of 10 formats agree");
    return EXIT_SUCCESS;
}
