/* Repeats published measurements of graphics cards: full-screen layers of one kind of work. Frame 0
 * draws it once and includes uploads, frame 1 draws it again, and frame 2 draws it twice. The
 * difference excludes clear, swap and pipeline fill:
 *
 *   rate = width * height * layers / (cycles of frame 2 - cycles of frame 1)
 *
 * mad3 to mix-sin1 are programs of --count instructions. flow-* have --count pieces of 24 dependent
 * instructions, each inside a flow control construct that every fragment enters; flow-none has no
 * such construct. `aetius study hardware` compares the rates with those of real cards. */
#include "window.h"
#include "base/mem.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A fragment program: repeats `piece`, which has `parts` units, until there are --count units. Then
 * repeats `tail` (or NULL) a quarter as often. */
struct program {
    const char *declare, *piece, *tail, *result;
    uint32_t parts;
};

#define FOUR_VECTORS "vec3 a = at.xyz, b = at.yzw, c = at.zwx, d = at.wxy;\n"
#define FOUR(op)     "a = a " op "; b = b " op "; c = c " op "; d = d " op ";\n"
#define TEXEL        "texture2D(image, uv)"
#define SUM          "vec4(a + b + c + d, 1.0)"
#define SCALAR       "float s = at.x;\n"
#define MAD          "s = s * s + s;\n"
#define LOG          "s = log2(s);\n"
#define SIN          "s = sin(s);\n"
#define MADS         MAD MAD MAD MAD
#define CHAIN        MADS MADS MADS MADS MADS MADS
#define IF           "if (s < 8.0) {\n"
#define LOOP         "for (float i = 0.0; i < 1.0 - k.x; i += 1.0) {\n"

enum { BLEND = 1, DEPTH = 2, NO_COLOR = 4, BYTES = 8, FLOATS = 16, TEXTURE_SIZE = 256 };

static const struct kind {
    const char *name;
    uint32_t state;
    struct program program; /* no result: fixed function */
} kinds[] = {
    {"color", 0, {0}},
    {"z", DEPTH | NO_COLOR, {0}},
    {"color-z", DEPTH, {0}},
    {"texture", BYTES, {"", "", NULL, TEXEL, 1}},
    {"texture-blend", BYTES | BLEND, {"", "", NULL, TEXEL, 1}},
    {"float-texture", FLOATS, {"", "", NULL, TEXEL, 1}},
    {"mad3", 0, {FOUR_VECTORS, FOUR("* k + m"), NULL, SUM, 4}},
    {"add3", 0, {FOUR_VECTORS, FOUR("+ k"), NULL, SUM, 4}},
    {"mad1", 0, {SCALAR, MAD, NULL, "vec4(s)", 1}},
    {"log1", 0, {SCALAR, LOG, NULL, "vec4(s)", 1}},
    {"sin1", 0, {SCALAR, SIN, NULL, "vec4(s)", 1}},
    {"mad1-log1", 0, {SCALAR, MAD, LOG, "vec4(s)", 1}},
    {"mad1-sin1", 0, {SCALAR, MAD, SIN, "vec4(s)", 1}},
    {"mix-log1", 0, {SCALAR, MADS LOG, NULL, "vec4(s)", 5}},
    {"mix-sin1", 0, {SCALAR, MADS SIN, NULL, "vec4(s)", 5}},
    {"flow-none", 0, {SCALAR, CHAIN, NULL, "vec4(s)", 1}},
    {"flow-if", 0, {SCALAR, IF CHAIN "}\n", NULL, "vec4(s)", 1}},
    {"flow-if-else", 0, {SCALAR, IF CHAIN "} else {\ns = s * 0.5;\n}\n", NULL, "vec4(s)", 1}},
    {"flow-loop", 0, {SCALAR, LOOP CHAIN "}\n", NULL, "vec4(s)", 1}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

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
    for (uint32_t i = 0; program->tail && i < count; i += 4)
        append(&text, program->tail);
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

struct corner {
    float x, y, z, u, v;
};

/* Each layer is nearer than the previous one, so that every fragment passes the depth test. */
static void
make_layers(uint32_t all)
{
    struct corner *corners = mem_array(4 * (size_t)all, sizeof *corners);
    for (uint32_t i = 0; i < 4 * all; i++) {
        const float x = i % 4 == 1 || i % 4 == 2, y = i % 4 > 1;
        const float z = 0.9f - 1.8f * (float)(i / 4) / (float)all;
        corners[i] = (struct corner){2 * x - 1, 2 * y - 1, z, x, y};
    }
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 4 * (GLsizeiptr)all * (GLsizeiptr)sizeof *corners, corners,
                 GL_STATIC_DRAW);
    free(corners);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glVertexPointer(3, GL_FLOAT, sizeof *corners, NULL);
    glTexCoordPointer(2, GL_FLOAT, sizeof *corners, (const void *)offsetof(struct corner, u));
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
    if (kinds[kind].program.result)
        use_program(&kinds[kind].program);
    make_layers(2 * layers);
}

/* Each layer is a separate draw. */
static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glColor4f(0.3f, 0.6f, 0.9f, 0.5f);
    for (uint32_t layer = 0; layer < layers * (frame == 2 ? 2 : 1); layer++)
        glDrawArrays(GL_QUADS, (GLint)(4 * layer), 4);
}

int
main(int argc, char **argv)
{
    static const char *names[KINDS + 1];
    for (uint32_t i = 0; i < KINDS; i++)
        names[i] = kinds[i].name;
    const struct scene_option options[] = {
        {"kind", &kind, names, "the work"},
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
