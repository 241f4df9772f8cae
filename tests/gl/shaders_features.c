/* Single features: integer arithmetic, the additions of GLSL 1.30, and extensions that come with
 * integers. The function of each entry calculates the expected color from k. */
#include "shaders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IN_120 (1u << LANGUAGE_120)
#define IN_130 (1u << LANGUAGE_130)
#define IN_ES  (1u << LANGUAGE_ES)
#define IN_ALL (IN_120 | IN_130 | IN_ES)

#define INTEGER_FUNCTIONS "#extension GL_MESA_shader_integer_functions : require\n"
#define BIT_ENCODING      "#extension GL_ARB_shader_bit_encoding : require\n"
#define PACKING           "#extension GL_ARB_shading_language_packing : require\n"

static struct color
rgb(int r, int g, int b)
{
    return (struct color){{r, g, b}};
}

/* ---- arithmetic ---- */

static struct color
wanted_division(int k)
{
    const int a = k * 37 - 90, b = k % 2 ? -7 : 7;
    return rgb(a / b + 100, a - a / b * b + 100, a * b % 97 + 100);
}
#define DIVISION                                                                                   \
    "    int a = k * 37 - 90, b = k - k / 2 * 2 == 1 ? -7 : 7, c = a * b;\n"                       \
    "    sum = vec3(a / b + 100, a - a / b * b + 100, c - c / 97 * 97 + 100);\n"

static struct color
wanted_conversion(int k)
{
    const float x = (float)k * 1.75f - 4.0f;
    return rgb((int)x + 100, (int)(x * 1000.0f) / 64 + 100, x != 0.0f);
}
#define CONVERSION                                                                                 \
    "    float x = float(k) * 1.75 - 4.0;\n"                                                       \
    "    sum = vec3(int(x) + 100, int(x * 1000.0) / 64 + 100, bool(x) ? 1 : 0);\n"

static struct color
wanted_loops(int k)
{
    int n = 0, odd = 0, steps = 0;
    for (int i = 0; i < 40; i += k + 1) {
        steps++;
        if (i % 2 == 1) {
            odd++;
            continue;
        }
        for (int j = i; j > 0; j -= 3)
            n += j > 20 ? 2 : 1;
        if (n > 60)
            break;
    }
    return rgb(n, odd, steps);
}
#define LOOPS                                                                                      \
    "    int n = 0, odd = 0, steps = 0;\n"                                                         \
    "    for (int i = 0; i < 40; i += k + 1) {\n"                                                  \
    "        steps++;\n"                                                                           \
    "        if (i - i / 2 * 2 == 1) {\n            odd++;\n            continue;\n        }\n"    \
    "        for (int j = i; j > 0; j -= 3)\n            n += j > 20 ? 2 : 1;\n"                   \
    "        if (n > 60)\n            break;\n"                                                    \
    "    }\n"                                                                                      \
    "    sum = vec3(n, odd, steps);\n"

static struct color
wanted_bits(int k)
{
    const int32_t a = k * 0x01234567 - 0x02345678;
    const uint32_t u = (uint32_t)a;
    return rgb((int)((u << (k + 3)) >> 24), (a >> (k + 5)) & 255,
               (int)(((~u ^ 0x5a5a5a5au) | (u & 0x0f0f0f0fu)) >> 7 & 255));
}
#define BITS                                                                                       \
    "    int a = k * 0x01234567 - 0x02345678;\n"                                                   \
    "    uint u = uint(a);\n"                                                                      \
    "    sum = vec3(float((u << (k + 3)) >> 24), float((a >> (k + 5)) & 255),\n"                   \
    "               float(((~u ^ 0x5a5a5a5au) | (u & 0x0f0f0f0fu)) >> 7 & 255u));\n"

static struct color
wanted_unsigned(int k)
{
    const uint32_t u = 0xfffffff0u + (uint32_t)k * 3u;
    return rgb((int)(u / 0x01000001u), (int)(u % 251u), (u > 5u) + 2 * (u * 0x10001u < u));
}
#define UNSIGNED                                                                                   \
    "    uint u = 0xfffffff0u + uint(k) * 3u;\n"                                                   \
    "    sum = vec3(float(u / 0x01000001u), float(u % 251u),\n"                                    \
    "               (u > 5u ? 1.0 : 0.0) + (u * 0x10001u < u ? 2.0 : 0.0));\n"

static struct color
wanted_modulo(int k) /* positive operands only: GLSL leaves the sign of other results undefined */
{
    return rgb((k * 1000 + 77) % (k + 7), (k + 250) % 251, (k * 77) % 256);
}
#define MODULO "    sum = vec3((k * 1000 + 77) % (k + 7), (k + 250) % 251, (k * 77) % 256);\n"

static struct color
wanted_minimum(int k)
{
    const int a = k * 50 - 120;
    return rgb((a < 3 ? a : 3) + 130, abs(a), (a > 0) - (a < 0) + 1);
}
#define MINIMUM                                                                                    \
    "    int a = k * 50 - 120;\n"                                                                  \
    "    sum = vec3(min(a, 3) + 130, abs(a), sign(a) + 1);\n"

static struct color
wanted_switch(int k)
{
    static const int first[6] = {10, 25, 25, 40, 99, 99};
    int n = 0;
    for (int i = 0; i <= k; i++)
        n += i == 1 ? 7 : i == 3 ? 0 : 1;
    return rgb(first[k], n, 5);
}
#define SWITCH                                                                                     \
    "    int n = 0, first = 0;\n"                                                                  \
    "    switch (k) {\n"                                                                           \
    "    case 0: first = 10; break;\n"                                                             \
    "    case 1:\n    case 2: first = 20; first += 5; break;\n"                                    \
    "    case 3: first = 40; break;\n"                                                             \
    "    default: first = 99;\n    }\n"                                                            \
    "    for (int i = 0; i <= k; i++)\n"                                                           \
    "        switch (i) {\n        case 3: continue;\n        case 1: n += 6;\n"                   \
    "        default: n += 1;\n        }\n"                                                        \
    "    sum = vec3(first, n, 5);\n"

/* ---- integer functions ---- */

static int
bit_count(uint32_t a)
{
    int n = 0;
    for (; a; a &= a - 1)
        n++;
    return n;
}

static struct color
wanted_find(int k)
{
    const int a = k == 0 ? 0 : (k * 1000 + 8) * (k % 2 ? -1 : 1);
    const uint32_t u = (uint32_t)a, top = a < 0 ? ~u : u;
    int lsb = -1, msb = -1;
    for (int i = 0; i < 32; i++) {
        msb = top >> i & 1 ? i : msb;
        lsb = u >> i & 1 && lsb < 0 ? i : lsb;
    }
    return rgb(bit_count(u), lsb + 1, msb + 1);
}
#define FIND                                                                                       \
    "    int a = k == 0 ? 0 : (k * 1000 + 8) * (k - k / 2 * 2 == 1 ? -1 : 1);\n"                   \
    "    sum = vec3(bitCount(a), findLSB(a) + 1, findMSB(a) + 1);\n"

static struct color
wanted_field(int k)
{
    const uint32_t a = (uint32_t)k * 0x01020305u + 0x76543210u;
    const int from = k * 3, bits = k + 4;
    const int32_t field = (int32_t)(a << (32 - from - bits)) >> (32 - bits);
    const uint32_t mask = ((1u << bits) - 1) << from;
    const uint32_t inserted = (a & ~mask) | (0x2au << from & mask);
    uint32_t turned = 0;
    for (int i = 0; i < 32; i++)
        turned |= (a >> i & 1) << (31 - i);
    return rgb(field % 100 + 100, (int)(inserted % 251u), (int)(turned % 251u));
}
/* GLSL 1.20 has no operator %. Values in that version stay below 2^31. */
#define FIELD                                                                                      \
    "    int a = k * 0x01020305 + 0x76543210;\n"                                                   \
    "    int field = bitfieldExtract(a, k * 3, k + 4);\n"                                          \
    "    int inserted = bitfieldInsert(a, 0x2a, k * 3, k + 4);\n"                                  \
    "    int turned = bitfieldReverse(a);\n"                                                       \
    "    int low = bitfieldExtract(turned, 0, 16), high = bitfieldExtract(turned, 16, 16);\n"      \
    "    low += low < 0 ? 65536 : 0;\n"                                                            \
    "    high += high < 0 ? 65536 : 0;\n"                                                          \
    "    int remainder = low + high * (65536 - 261 * 251);\n"                                      \
    "    sum = vec3(field - field / 100 * 100 + 100, inserted - inserted / 251 * 251,\n"           \
    "               remainder - remainder / 251 * 251);\n"

static struct color
wanted_product(int k)
{
    const int64_t p = (int64_t)(k * -99999999 + 7) * (k * 33333333 - 99999999);
    const int32_t high = (int32_t)(p >> 32), low = (int32_t)(uint32_t)p;
    return rgb(high % 97 + 100, low % 97 + 100, 9);
}
#define PRODUCT                                                                                    \
    "    int high, low;\n"                                                                         \
    "    imulExtended(k * -99999999 + 7, k * 33333333 - 99999999, high, low);\n"                   \
    "    sum = vec3(high - high / 97 * 97 + 100, low - low / 97 * 97 + 100, 9);\n"

static struct color
wanted_carry(int k)
{
    const uint32_t a = 0xffffffffu - (uint32_t)k * 2u, b = (uint32_t)k + 3u;
    const uint64_t p = (uint64_t)a * (b * 77777777u);
    return rgb((int)((a + b < a) * 100 + (a + b) % 100u), (int)((b < a) * 100 + (b - a) % 100u),
               (int)((p >> 32) % 251u));
}
#define CARRY                                                                                      \
    "    uint a = 0xffffffffu - uint(k) * 2u, b = uint(k) + 3u, over, under, high, low;\n"         \
    "    uint more = uaddCarry(a, b, over), less = usubBorrow(b, a, under);\n"                     \
    "    umulExtended(a, b * 77777777u, high, low);\n"                                             \
    "    sum = vec3(float(over * 100u + more % 100u), float(under * 100u + less % 100u),\n"        \
    "               float(high % 251u));\n"

static struct color
wanted_exponent(int k)
{
    int exponent;
    const float x = (float)(k * k * 10 + 3), fraction = frexpf(x, &exponent);
    return rgb(exponent, (int)(fraction * 256.0f), (int)ldexpf(0.75f, k + 2));
}
#define EXPONENT                                                                                   \
    "    int exponent;\n"                                                                          \
    "    float fraction = frexp(float(k * k * 10 + 3), exponent);\n"                               \
    "    sum = vec3(exponent, floor(fraction * 256.0), floor(ldexp(0.75, k + 2)));\n"

static struct color
wanted_encoding(int k)
{
    const float x = (float)(k - 2) * 1.5f;
    float next;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    const uint32_t turned = bits ^ 0x80000000u;
    memcpy(&next, &turned, 4);
    return rgb((int)(bits >> 23 & 255), (int)((double)next * 10.0) + 100, (int)(bits >> 31));
}
#define ENCODING                                                                                   \
    "    float x = float(k - 2) * 1.5;\n"                                                          \
    "    int bits = floatBitsToInt(x);\n"                                                          \
    "    bool negative = bits < 0;\n"                                                              \
    "    int rest = negative ? bits + 0x7fffffff + 1 : bits;\n"                                    \
    "    int turned = negative ? rest : bits - 0x7fffffff - 1;\n"                                  \
    "    sum = vec3(rest / 8388608, int(intBitsToFloat(turned) * 10.0) + 100, negative);\n"

static struct color
wanted_packing(int k)
{
    const int a = k * 40 + 5, b = 250 - k * 11;
    return rgb(a, b, 10 * k + 13);
}
#define PACKED                                                                                     \
    "    vec4 p = unpackUnorm4x8(packUnorm4x8(vec4(k * 40 + 5, 250 - k * 11, 0, 255) / 255.0));\n" \
    "    vec2 h = unpackHalf2x16(packHalf2x16(vec2(float(10 * k + 13), -2.0)));\n"                 \
    "    vec2 n = unpackSnorm2x16(packSnorm2x16(vec2(-1.0, 1.0)));\n"                              \
    "    vec2 u = unpackUnorm2x16(packUnorm2x16(vec2(1.0, 0.0)));\n"                               \
    "    vec4 s = unpackSnorm4x8(packSnorm4x8(vec4(1.0, -1.0, 0.0, -1.0)));\n"                     \
    "    sum = vec3(p.xy * 255.0, h.x + h.y + 1.0 - n.x - n.y + u.x + u.y + s.x + s.y + s.z -\n"   \
    "               0.0);\n"                                                                       \
    "    sum.z += 2.0 - u.x - 1.0 + (p.w - 1.0) - p.z;\n"

static struct color
wanted_arrays(int k)
{
    int a[2][3];
    for (int i = 0; i < 6; i++)
        a[i / 3][i % 3] = i * 11;
    return rgb(a[k / 3][k % 3], a[1 - k / 3][k % 3], 6);
}
#define ARRAYS                                                                                     \
    "    int a[2][3];\n"                                                                           \
    "    for (int i = 0; i < 2; i++)\n"                                                            \
    "        for (int j = 0; j < 3; j++)\n            a[i][j] = (i * 3 + j) * 11;\n"               \
    "    int row = k / 3, column_of = k - row * 3;\n"                                              \
    "    sum = vec3(a[row][column_of], a[1 - row][column_of], a.length() * a[0].length());\n"

static struct color
wanted_initializers(int k)
{
    return rgb(2 + k, 3, k);
}
#define INITIALIZERS                                                                               \
    "    const ivec3 a = {2, 3, 4};\n"                                                             \
    "    float x[2] = {1.0, float(k)};\n"                                                          \
    "    sum = vec3(float(a.x) + x[1], float(a.y), x[1].x);\n"

static struct color
wanted_mix(int k)
{
    return rgb(k > 2 ? k + 7 : 200 - k, k % 2 ? 11 : 22, 0);
}
#define MIX "    sum = vec3(mix(200 - k, k + 7, k > 2), float(mix(22u, 11u, k % 2 == 1)), 0);\n"

static struct color
wanted_rounding(int k)
{
    static const int even[6] = {100, 102, 102, 104, 104, 106};
    const float x = (float)k - 2.25f;
    return rgb(even[k], (int)x + 100, k == 3 ? 3 : 0);
}
#define ROUNDING                                                                                   \
    "    float x = float(k) - 2.25, zero = column - float(k);\n"                                   \
    "    float strange = k == 3 ? 1.0 / zero : 1.0;\n"                                             \
    "    sum = vec3(roundEven(float(k) + 100.5), trunc(x) + 100.0,\n"                              \
    "               isinf(strange) ? 3.0 : 0.0);\n"

/* Binds textures of 8x4 texels. A texel is (x * 16, y * 16, level * 16). `levels` is the number of
 * the last level. */

static void
bind_levels(GLuint program)
{
    uint8_t texels[8 * 4][4];
    glActiveTexture(GL_TEXTURE0);
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    for (int level = 0; level < 4; level++) {
        const int width = 8 >> level, height = 4 >> level ? 4 >> level : 1;
        for (int i = 0; i < width * height; i++) {
            texels[i][0] = (uint8_t)(i % width * 16);
            texels[i][1] = (uint8_t)(i / width * 16);
            texels[i][2] = (uint8_t)(level * 16);
            texels[i][3] = 255;
        }
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     texels);
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
    glUniform1i(glGetUniformLocation(program, "image"), 0);
}

static void
unbind_texture(void)
{
    GLint texture = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture);
    const GLuint name = (GLuint)texture;
    glDeleteTextures(1, &name);
}

#define IMAGE "uniform sampler2D image;\n"

static struct color
wanted_levels(int k)
{
    return rgb(4, 4 + k, 0);
}
#define QUERY_LEVELS "    int n = textureQueryLevels(image);\n    sum = vec3(n, n + k, 0);\n"

static struct color
wanted_fetch(int k)
{
    return rgb(k * 16, 2 * 16, k < 2 ? 16 : 0);
}
#define FETCH                                                                                      \
    "    vec4 a = texelFetch(image, ivec2(k, 2), 0);\n"                                            \
    "    vec4 b = texelFetch(image, ivec2(0, 0), k < 2 ? 1 : 0);\n"                                \
    "    sum = vec3(a.xy, b.z) * 255.0;\n"

static struct color
wanted_fetch_offset(int k)
{
    return rgb((k + 2) * 16, 1 * 16, 0);
}
#define FETCH_OFFSET                                                                               \
    "    sum = texelFetchOffset(image, ivec2(k, 2), 0, ivec2(2, -1)).xyz * 255.0;\n"

static struct color
wanted_size(int k)
{
    const int level = k % 4;
    return rgb(8 >> level, 4 >> level ? 4 >> level : 1, 8);
}
#define SIZE                                                                                       \
    "    ivec2 size = textureSize(image, k - k / 4 * 4);\n"                                        \
    "    sum = vec3(size, textureSize(image, 0).x);\n"

static struct color
wanted_offset(int k) /* texel (k, 1) with offset (3, -2); coordinates repeat */
{
    return rgb((k + 3) % 8 * 16, 3 * 16, 0);
}
#define PLACE  "    vec2 p = vec2((float(k) + 0.5) / 8.0, 1.5 / 4.0);\n"
#define OFFSET PLACE "    sum = textureLodOffset(image, p, 0.0, ivec2(3, -2)).xyz * 255.0;\n"

static struct color
wanted_gradient(int k) /* the gradient is 2^level texels per pixel */
{
    return rgb(0, 0, k / 2 * 16);
}
#define GRADIENT                                                                                   \
    "    float step = exp2(float(k / 2)) / 8.0;\n"                                                 \
    "    vec4 c = textureGrad(image, vec2(0.01), vec2(step, 0.0), vec2(0.0));\n"                   \
    "    sum = vec3(0.0, 0.0, c.z * 255.0);\n"

static struct color
wanted_gradient_offset(int k) /* level 1 has 4x2 texels */
{
    return rgb((k + 3) % 4 * 16, 1 * 16, 16);
}
#define GRADIENT_OFFSET                                                                            \
    "    vec2 p = vec2((float(k) + 0.5) / 4.0, 0.25);\n"                                           \
    "    sum = textureGradOffset(image, p, vec2(0.25, 0.0), vec2(0.0), ivec2(-1, 1)).xyz\n"        \
    "          * 255.0;\n"

static struct color
wanted_projected(int k)
{
    return rgb((k + 1) % 8 * 16, 1 * 16, 0);
}
#define PROJECTED                                                                                  \
    PLACE "    sum = textureProjLodOffset(image, vec3(p * 2.0, 2.0), 0.0, ivec2(1, 0)).xyz\n"      \
          "          * 255.0;\n"

static struct color
wanted_vertex_fetch(int k)
{
    return rgb(k * 16, 3 * 16, 8);
}
#define VERTEX_FETCH                                                                               \
    "    passed = texelFetch(image, ivec2(k, 3), 0).xyz * 255.0;\n"                                \
    "    passed.z = float(textureSize(image, 0).x);\n"

/* ---- between the stages ---- */

static struct color
wanted_flat(int k)
{
    return rgb(k * 20 + 3, (k * -30 + 100) & 255, (int)((uint32_t)k * 0x20000001u >> 28));
}
#define FLAT_GLOBALS "flat VARYING ivec3 n;\nflat VARYING uint u;\n"
#define FLAT_WRITE   "    n = ivec3(k * 20 + 3, k * -30 + 100, 0);\n    u = uint(k) * 0x20000001u;\n"
#define FLAT_READ    "    sum = vec3(n.x, n.y & 255, float(u >> 28));\n"

static struct color
wanted_qualifiers(int k)
{
    return rgb(k * 5, k * 7, k * 9);
}
#define QUALIFIERS                                                                                 \
    "smooth VARYING float a;\nnoperspective VARYING float b;\nflat VARYING float c;\n"

static struct color
wanted_vertex_id(int k)
{
    return rgb(k * 40, 0, 0);
}

static struct color
wanted_clipped(int k)
{
    return k == 0 || k == 5 ? rgb(0, 0, 0) : rgb(200, k, 0);
}

static void
enable_distances(GLuint program)
{
    (void)program;
    glEnable(GL_CLIP_DISTANCE0);
    glEnable(GL_CLIP_DISTANCE0 + 6);
}

static void
disable_distances(void)
{
    glDisable(GL_CLIP_DISTANCE0);
    glDisable(GL_CLIP_DISTANCE0 + 6);
}

static void
enable_planes(GLuint program)
{
    static const GLdouble left[4] = {1, 0, 0, -0.5}, right[4] = {-1, 0, 0, 4.5};
    (void)program;
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glClipPlane(GL_CLIP_PLANE0 + 6, left);
    glClipPlane(GL_CLIP_PLANE0 + 7, right);
    glEnable(GL_CLIP_PLANE0 + 6);
    glEnable(GL_CLIP_PLANE0 + 7);
}

static void
disable_planes(void)
{
    glDisable(GL_CLIP_PLANE0 + 6);
    glDisable(GL_CLIP_PLANE0 + 7);
}

static struct color
wanted_facing(int k)
{
    return rgb(100, k, 0);
}

static struct color
wanted_back(int k)
{
    return rgb(50, k, 0);
}

static void
turn(GLuint program)
{
    (void)program;
    glFrontFace(GL_CW);
}

static void
turn_back(void)
{
    glFrontFace(GL_CCW);
}

/* Only odd columns pass the depth test, because the shader writes depths. With the depth of the
 * triangle, all columns would fail (0.5 against 0.3) or pass (0.5 against 0.7). */
static struct color
wanted_odd(int k)
{
    return k % 2 ? rgb(77, k, 0) : rgb(0, 0, 0);
}

static void
clear_near(GLuint program)
{
    (void)program;
    glClearDepth(0.3);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
}

static void
clear_far(GLuint program)
{
    (void)program;
    glClearDepth(0.7);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
}

static void
no_depth_test(void)
{
    glDisable(GL_DEPTH_TEST);
}
#define LAYOUT(extension, layout)                                                                  \
    "#extension GL_" extension "_conservative_depth : require\n", "", "",                          \
        "layout (" layout ") out float gl_FragDepth;\n"

/* Uses a depth cube map of OES_depth_texture_cube_map. Face f contains (f * 40 + 10) / 255. */
static struct color
wanted_faces(int k)
{
    return rgb(k * 40 + 10, 0, 0);
}

static void
bind_faces(GLuint program)
{
    GLuint texture;
    GLushort texels[4 * 4];
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
    for (int face = 0; face < 6; face++) {
        for (int i = 0; i < 16; i++)
            texels[i] = (GLushort)((face * 40 + 10) * 257);
        glTexImage2D((GLenum)(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face), 0, GL_DEPTH_COMPONENT, 4, 4,
                     0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, texels);
    }
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glUniform1i(glGetUniformLocation(program, "faces"), 0);
}

static void
unbind_faces(void)
{
    GLint texture = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_CUBE_MAP, &texture);
    const GLuint name = (GLuint)texture;
    glDeleteTextures(1, &name);
}
#define FACES                                                                                      \
    "    float sign_of = k - k / 2 * 2 == 0 ? 1.0 : -1.0;\n"                                       \
    "    vec3 way = vec3(k / 2 == 0, k / 2 == 1, k / 2 == 2) * sign_of;\n"                         \
    "    sum = vec3(textureCube(faces, way).x * 255.0, 0.0, 0.0);\n"

#define PASSED     "VARYING vec3 passed;\n"
#define USE_PASSED "    sum = passed;\n"
/* Runs a fragment body in the vertex stage. */
#define IN_VERTEX(body) PASSED, "    vec3 sum;\n" body "    passed = sum;\n", PASSED, USE_PASSED

const struct feature features[] = {
    {"division", IN_ALL, "", "", "", "", DIVISION, wanted_division, NULL, NULL},
    {"division-vertex", IN_ALL, "", IN_VERTEX(DIVISION), wanted_division, NULL, NULL},
    {"conversion", IN_ALL, "", "", "", "", CONVERSION, wanted_conversion, NULL, NULL},
    {"conversion-vertex", IN_ALL, "", IN_VERTEX(CONVERSION), wanted_conversion, NULL, NULL},
    {"loops", IN_ALL, "", "", "", "", LOOPS, wanted_loops, NULL, NULL},
    {"loops-vertex", IN_ALL, "", IN_VERTEX(LOOPS), wanted_loops, NULL, NULL},
    {"bits", IN_130, "", "", "", "", BITS, wanted_bits, NULL, NULL},
    {"bits-vertex", IN_130, "", IN_VERTEX(BITS), wanted_bits, NULL, NULL},
    {"unsigned", IN_130, "", "", "", "", UNSIGNED, wanted_unsigned, NULL, NULL},
    {"unsigned-vertex", IN_130, "", IN_VERTEX(UNSIGNED), wanted_unsigned, NULL, NULL},
    {"modulo", IN_130, "", "", "", "", MODULO, wanted_modulo, NULL, NULL},
    {"minimum", IN_130, "", "", "", "", MINIMUM, wanted_minimum, NULL, NULL},
    {"switch", IN_130, "", "", "", "", SWITCH, wanted_switch, NULL, NULL},
    {"switch-vertex", IN_130, "", IN_VERTEX(SWITCH), wanted_switch, NULL, NULL},
    {"rounding", IN_130, "", "", "", "", ROUNDING, wanted_rounding, NULL, NULL},
    {"find", IN_120 | IN_130, INTEGER_FUNCTIONS, "", "", "", FIND, wanted_find, NULL, NULL},
    {"field", IN_120 | IN_130, INTEGER_FUNCTIONS, "", "", "", FIELD, wanted_field, NULL, NULL},
    {"product", IN_120 | IN_130, INTEGER_FUNCTIONS, "", "", "", PRODUCT, wanted_product, NULL,
     NULL},
    {"product-vertex", IN_120 | IN_130, INTEGER_FUNCTIONS, IN_VERTEX(PRODUCT), wanted_product, NULL,
     NULL},
    {"carry", IN_130, INTEGER_FUNCTIONS, "", "", "", CARRY, wanted_carry, NULL, NULL},
    {"exponent", IN_120 | IN_130, INTEGER_FUNCTIONS, "", "", "", EXPONENT, wanted_exponent, NULL,
     NULL},
    {"encoding", IN_120 | IN_130, BIT_ENCODING, "", "", "", ENCODING, wanted_encoding, NULL, NULL},
    {"packing", IN_120 | IN_130, PACKING, "", "", "", PACKED, wanted_packing, NULL, NULL},
    {"arrays-of-arrays", IN_120 | IN_130, "#extension GL_ARB_arrays_of_arrays : require\n", "", "",
     "", ARRAYS, wanted_arrays, NULL, NULL},
    {"initializers", IN_120 | IN_130, "#extension GL_ARB_shading_language_420pack : require\n", "",
     "", "", INITIALIZERS, wanted_initializers, NULL, NULL},
    {"integer-mix", IN_130, "#extension GL_EXT_shader_integer_mix : require\n", "", "", "", MIX,
     wanted_mix, NULL, NULL},
    {"query-levels", IN_120 | IN_130, "#extension GL_ARB_texture_query_levels : require\n", "", "",
     IMAGE, QUERY_LEVELS, wanted_levels, bind_levels, unbind_texture},
    {"fetch", IN_130, "", "", "", IMAGE, FETCH, wanted_fetch, bind_levels, unbind_texture},
    {"fetch-offset", IN_130, "", "", "", IMAGE, FETCH_OFFSET, wanted_fetch_offset, bind_levels,
     unbind_texture},
    {"fetch-vertex", IN_130, "", IMAGE PASSED, VERTEX_FETCH, PASSED, USE_PASSED,
     wanted_vertex_fetch, bind_levels, unbind_texture},
    {"size", IN_130, "", "", "", IMAGE, SIZE, wanted_size, bind_levels, unbind_texture},
    {"offset", IN_130, "", "", "", IMAGE, OFFSET, wanted_offset, bind_levels, unbind_texture},
    {"gradient", IN_130, "", "", "", IMAGE, GRADIENT, wanted_gradient, bind_levels, unbind_texture},
    {"gradient-offset", IN_130, "", "", "", IMAGE, GRADIENT_OFFSET, wanted_gradient_offset,
     bind_levels, unbind_texture},
    {"projected-offset", IN_130, "", "", "", IMAGE, PROJECTED, wanted_projected, bind_levels,
     unbind_texture},
    {"flat", IN_130, "", FLAT_GLOBALS, FLAT_WRITE, FLAT_GLOBALS, FLAT_READ, wanted_flat, NULL,
     NULL},
    {"qualifiers", IN_130, "", QUALIFIERS, "    a = b = c = at.z;\n", QUALIFIERS,
     "    sum = vec3(a * 5.0, b * 7.0, c * 9.0);\n", wanted_qualifiers, NULL, NULL},
    {"vertex-id", IN_130, "", PASSED, "    passed = vec3(gl_VertexID / 6 * 40, 0.0, 0.0);\n",
     PASSED, USE_PASSED, wanted_vertex_id, NULL, NULL},
    {"clip-distance", IN_130, "", "out float gl_ClipDistance[8];\n",
     "    for (int i = 0; i < 8; i++)\n        gl_ClipDistance[i] = -1.0;\n"
     "    gl_ClipDistance[0] = at.z - 0.5;\n    gl_ClipDistance[6] = 4.5 - at.z;\n",
     "", "    sum = vec3(200, k, 0);\n", wanted_clipped, enable_distances, disable_distances},
    {"clip-planes", IN_120, "", "", "    gl_ClipVertex = vec4(at.z, 0.0, 0.0, 1.0);\n", "",
     "    sum = vec3(200, k, 0);\n", wanted_clipped, enable_planes, disable_planes},
    {"facing", IN_ALL, "", "", "", "", "    sum = vec3(gl_FrontFacing ? 100 : 50, k, 0);\n",
     wanted_facing, NULL, NULL},
    {"back-facing", IN_ALL, "", "", "", "", "    sum = vec3(gl_FrontFacing ? 100 : 50, k, 0);\n",
     wanted_back, turn, turn_back},
    {"depth-less", IN_130, LAYOUT("ARB", "depth_less"),
     "    gl_FragDepth = k - k / 2 * 2 == 1 ? 0.1 : 0.4;\n    sum = vec3(77, k, 0);\n", wanted_odd,
     clear_near, no_depth_test},
    {"depth-greater", IN_130, LAYOUT("AMD", "depth_greater"),
     "    gl_FragDepth = k - k / 2 * 2 == 1 ? 0.6 : 0.8;\n    sum = vec3(77, k, 0);\n", wanted_odd,
     clear_far, no_depth_test},
    {"depth-faces", IN_ES, "", "", "", "uniform samplerCube faces;\n", FACES, wanted_faces,
     bind_faces, unbind_faces},
    {0},
};
