#include "springs.h"

#include <string.h>

enum {
    REACH = 2, /* largest distance of a spring, in columns and rows; also the width of the frame */
    LIST = 32, /* texels of a list; those without a spring have stiffness 0 */
    PATCH_WIDTH = 8,
    PATCH_HEIGHT = 4,
    PATCHES_A_ROW = SPRINGS_SIDE / PATCH_WIDTH,
    LISTS_A_ROW = SPRINGS_NEIGHBOURS_WIDTH / LIST,
};

static bool
is_clamped(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    return x < REACH || y < REACH || x + REACH >= width || y + REACH >= height;
}

static void
set_texel(float *texel, float r, float g, float b, float a)
{
    texel[0] = r;
    texel[1] = g;
    texel[2] = b;
    texel[3] = a;
}

/* The sheet starts with a bulge, so that its springs are under tension. */
void
springs_fill_geometry(float (*texels)[4], uint32_t width, uint32_t height)
{
    memset(texels, 0, sizeof *texels * SPRINGS_SIDE * SPRINGS_SIDE);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const float u = (float)x / (float)(width - 1), v = (float)y / (float)(height - 1);
            const float bulge = 16 * u * (1 - u) * v * (1 - v) * (float)height / 4;
            const float mass = 1 + (float)((x + 3 * y) % 4) / 4;
            set_texel(texels[y * SPRINGS_SIDE + x], (float)x, (float)y, bulge,
                      is_clamped(x, y, width, height) ? 1e30f : mass);
        }
}

void
springs_fill_hood(float (*texels)[4], uint32_t width, uint32_t height)
{
    memset(texels, 0, sizeof *texels * SPRINGS_SIDE * SPRINGS_SIDE);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t list = y / PATCH_HEIGHT * PATCHES_A_ROW + x / PATCH_WIDTH;
            /* the middle of the first texel */
            const float column = (float)(list % LISTS_A_ROW * LIST) + 0.5f;
            const float row = (float)(list / LISTS_A_ROW) + 0.5f;
            set_texel(texels[y * SPRINGS_SIDE + x], column, row,
                      is_clamped(x, y, width, height) ? 0 : SPRINGS_OF_PARTICLE, 0);
        }
}

void
springs_fill_neighbours(float (*texels)[4])
{
    static const struct {
        float length, stiffness;
    } kinds[] = {{0, 0}, {1, 4}, {1.41421356f, 2}, {0, 0}, {2, 1}}; /* by square of the length */
    float list[LIST][4];
    uint32_t count = 0;
    for (int y = -REACH; y <= REACH; y++)
        for (int x = -REACH; x <= REACH; x++) {
            const int square = x * x + y * y;
            if (square > 0 && square <= REACH * REACH)
                set_texel(list[count++], (float)x, (float)y, kinds[square].length,
                          kinds[square].stiffness);
        }
    for (; count < LIST; count++)
        set_texel(list[count], 1, 0, 1, 0);
    for (uint32_t i = 0; i < SPRINGS_NEIGHBOURS_WIDTH * SPRINGS_NEIGHBOURS_HEIGHT; i++)
        memcpy(texels[i], list[i % LIST], sizeof *texels);
}

/* ---- shader ---- */

/* Adds the force of a spring. `round`: a GLSL expression. */
static void
write_spring(FILE *out, bool reads, const char *round)
{
    if (reads)
        fprintf(out,
                "    spring = texture2DRect(neighbours, list.xy + vec2(%s, 0.0));\n"
                "    other = texture2DRect(geometry, gl_FragCoord.xy + spring.xy);\n",
                round);
    else
        fprintf(out,
                "    spring = vec4(sqrt(list.x + %s));\n"
                "    other = vec4(sqrt(gl_FragCoord.x + spring.x));\n",
                round);
    fputs("    d = other.xyz - own.xyz;\n"
          "    force += d * (spring.w - spring.w * spring.z * inversesqrt(dot(d, d) + 1e-9));\n",
          out);
}

void
springs_shader(const char *variant, FILE *out)
{
    const bool all = !strncmp(variant, "all", 3), none = !strncmp(variant, "none", 4);
    fprintf(out,
            "#version 120\n"
            "#extension GL_ARB_texture_rectangle : enable\n"
            "uniform sampler2DRect geometry, hood, neighbours;\n"
            "uniform float rounds;\n"
            "void main() {\n"
            "    vec4 own = %s;\n"
            "    vec4 list = %s;\n"
            "    vec4 spring, other;\n"
            "    vec3 d, force = vec3(0.0);\n",
            none ? "vec4(sqrt(gl_FragCoord.y))" : "texture2DRect(geometry, gl_FragCoord.xy)",
            none ? "vec4(sqrt(gl_FragCoord.x))" : "texture2DRect(hood, gl_FragCoord.xy)");
    if (strstr(variant, "unrolled")) {
        for (uint32_t i = 0; i < SPRINGS_ROUNDS; i++) {
            char round[16];
            snprintf(round, sizeof round, "%u.0", i);
            write_spring(out, all, round);
        }
    } else {
        fputs("    for (float i = 0.0; i < rounds; i += 1.0) {\n", out);
        write_spring(out, all, "i");
        if (strstr(variant, "break"))
            fputs("    if (i + 1.0 >= list.z)\n        break;\n", out);
        fputs("    }\n", out);
    }
    fputs("    gl_FragColor = vec4(force, list.z);\n}\n", out);
}

/* Iterations of a particle: one at least, since the break is at the end of the loop. */
static uint32_t
rounds_of(bool reads_count, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    uint32_t rounds = 1;
    if (reads_count)
        return is_clamped(x, y, width, height) ? 1 : SPRINGS_OF_PARTICLE;
    while (rounds < SPRINGS_ROUNDS && rounds * rounds < x + 0.5)
        rounds++;
    return rounds;
}

double
springs_mean_rounds(bool reads_count, uint32_t width, uint32_t height)
{
    uint64_t sum = 0;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            sum += rounds_of(reads_count, x, y, width, height);
    return (double)sum / width / height;
}
