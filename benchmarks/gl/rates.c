/* What published measurements of graphics cards did: full-screen layers of one kind of work. Frame
 * 0 does it once, so that whatever is uploaded is there, frame 1 again, and frame 2 twice. What the
 * second time cost is the work alone, without clear, swap and the filling of the pipeline:
 *
 *   rate = width * height * layers / (cycles of frame 2 - cycles of frame 1)
 *
 * alu-* are programs of --count instructions, flow-* of --count pieces of 24 dependent
 * instructions, each inside a construct of flow control that every fragment enters; flow-none is
 * without any. `aetius study hardware` holds the rates against those of real cards. */
#include "window.h"
#include "base/mem.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdlib.h>
#include <string.h>

/* What a fragment runs: `piece` again and again until there are --count of what it has `parts` of.
 */
struct program {
    const char *declare, *piece, *result;
    uint32_t parts;
};

#define FOUR_VECTORS "vec3 a = at.xyz, b = at.yzw, c = at.zwx, d = at.wxy;\n"
#define SUM          "vec4(a + b + c + d, 1.0)"
#define SCALAR       "float s = at.x;\n"
#define MAD          "s = s * s + s;\n"
#define MADS         MAD MAD MAD MAD
#define CHAIN        MADS MADS MADS MADS MADS MADS

static const struct program
    sample = {"", "", "texture2D(image, uv)", 1},
    mad3 = {FOUR_VECTORS, "a = a * k + m; b = b * k + m; c = c * k + m; d = d * k + m;\n", SUM, 4},
    add3 = {FOUR_VECTORS, "a = a + k; b = b + k; c = c + k; d = d + k;\n", SUM, 4},
    mad1 = {SCALAR, MAD, "vec4(s)", 1}, log1 = {SCALAR, "s = log2(s);\n", "vec4(s)", 1},
    sin1 = {SCALAR, "s = sin(s);\n", "vec4(s)", 1},
    mix_log1 = {SCALAR, MADS "s = log2(s);\n", "vec4(s)", 5},
    mix_sin1 = {SCALAR, MADS "s = sin(s);\n", "vec4(s)", 5},
    flow_none = {SCALAR, CHAIN, "vec4(s)", 1},
    flow_if = {SCALAR, "if (s < 8.0) {\n" CHAIN "}\n", "vec4(s)", 1},
    flow_if_else = {SCALAR, "if (s < 8.0) {\n" CHAIN "} else {\ns = s * 0.5;\n}\n", "vec4(s)", 1},
    flow_loop = {SCALAR, "for (float i = 0.0; i < 1.0 - k.x; i += 1.0) {\n" CHAIN "}\n", "vec4(s)",
                 1};

enum { BLEND = 1, DEPTH = 2, NO_COLOR = 4, BYTES = 8, FLOATS = 16, TEXTURE_SIZE = 256 };

static const struct kind {
    uint32_t state;
    const struct program *program; /* NULL: fixed function */
} kinds[] = {
    {0, NULL},
    {DEPTH | NO_COLOR, NULL},
    {DEPTH, NULL},
    {BYTES, &sample},
    {BYTES | BLEND, &sample},
    {FLOATS, &sample},
    {0, &mad3},
    {0, &add3},
    {0, &mad1},
    {0, &log1},
    {0, &sin1},
    {0, &mix_log1},
    {0, &mix_sin1},
    {0, &flow_none},
    {0, &flow_if},
    {0, &flow_if_else},
    {0, &flow_loop},
};
static const char *const kind_names[] = {
    "color",        "z",         "color-z",  "texture",      "texture-blend", "float-texture",
    "alu-mad3",     "alu-add3",  "alu-mad1", "alu-log1",     "alu-sin1",      "alu-mix-log1",
    "alu-mix-sin1", "flow-none", "flow-if",  "flow-if-else", "flow-loop",     NULL};

static uint32_t kind, layers = 2, count = 128;

static void
append(char **text, const char *more)
{
    const size_t length = strlen(*text), added = strlen(more) + 1;
    *text = mem_realloc(*text, length + added);
    memcpy(*text + length, more, added);
}

static void
use_program(const struct program *program)
{
    char *text = mem_strdup("#version 120\n"
                            "varying vec4 at;\n"
                            "varying vec2 uv;\n"
                            "uniform vec3 k, m;\n"
                            "uniform sampler2D image;\n"
                            "void main() {\n");
    append(&text, program->declare);
    for (uint32_t i = 0; i < count; i += program->parts)
        append(&text, program->piece);
    append(&text, "gl_FragColor = ");
    append(&text, program->result);
    append(&text, ";\n}\n");
    glUseProgram(make_program("#version 120\n"
                              "varying vec4 at;\n"
                              "varying vec2 uv;\n"
                              "void main() {\n"
                              "    at = gl_Vertex.xyxy * 0.25 - 0.25;\n"
                              "    uv = gl_MultiTexCoord0.xy;\n"
                              "    gl_Position = gl_Vertex;\n"
                              "}\n",
                              text));
    free(text);
}

static void
make_texture(bool floats)
{
    static float texels[TEXTURE_SIZE][TEXTURE_SIZE][4];
    struct random random = {1};
    for (uint32_t i = 0; i < sizeof texels / sizeof(float); i++)
        (&texels[0][0][0])[i] = random_next(&random);
    glTexImage2D(GL_TEXTURE_2D, 0, floats ? GL_RGBA16F_ARB : GL_RGBA8, TEXTURE_SIZE, TEXTURE_SIZE,
                 0, GL_RGBA, GL_FLOAT, texels);
    const GLint filter = floats ? GL_NEAREST : GL_LINEAR;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
}

static void
setup(void)
{
    const uint32_t state = kinds[kind].state;
    if (state & DEPTH)
        glEnable(GL_DEPTH_TEST);
    if (state & NO_COLOR)
        glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    if (state & BLEND) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    if (state & (BYTES | FLOATS))
        make_texture(state & FLOATS);
    if (kinds[kind].program)
        use_program(kinds[kind].program);
}

/* Each layer is nearer than the one before, so that with depth every fragment passes. */
static void
draw_layer(float z)
{
    glBegin(GL_QUADS);
    for (uint32_t corner = 0; corner < 4; corner++) {
        const float x = corner == 1 || corner == 2, y = corner > 1;
        glTexCoord2f(x, y);
        glVertex3f(2 * x - 1, 2 * y - 1, z);
    }
    glEnd();
}

static void
draw(uint32_t frame)
{
    const uint32_t all = layers * (frame == 2 ? 2 : 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glColor4f(0.3f, 0.6f, 0.9f, 0.5f);
    for (uint32_t layer = 0; layer < all; layer++)
        draw_layer(0.9f - 1.8f * (float)layer / (float)all);
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {
        {"kind", &kind, kind_names, "the work"},
        {"layers", &layers, NULL,
         "full-screen layers in frames 0 and 1 (2); frame 2 has twice as many"},
        {"count", &count, NULL, "instructions, or pieces of flow control, of a program (128)"},
        {0},
    };
    return scene_main(
        &(struct scene){.name = "rates",
                        .about =
                            "Full-screen layers of one kind of work, as measured on real cards:\n"
                            "frame 2 does twice what frame 1 does.",
                        .width = 1024,
                        .height = 768,
                        .frames = 3,
                        .options = options,
                        .setup = setup,
                        .draw = draw},
        argc, argv);
}
