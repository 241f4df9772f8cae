/* Features of OpenGL 3.2 and 3.3. The reference is llvmpipe, which draws the program directly
 * (tools/features.sh). A frame is a grid of tiles, one case each. */
#define GL_GLEXT_PROTOTYPES
#include "window.h"

#include <GL/gl.h>
#include <GL/glext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 64, COLUMNS = 4, ROWS = 3, TILES = COLUMNS * ROWS };
enum { WIDTH = TILE * COLUMNS, HEIGHT = TILE * ROWS, SIDE = 16, LAYERS = 6 };

static const char *const kinds[] = {"primitives", "emission", "layers", "captured",
                                    "sources",    "small",    NULL};
static uint32_t kind;

static void
begin_tile(uint32_t number)
{
    const GLint x = (GLint)(number % COLUMNS * TILE), y = (GLint)(number / COLUMNS % ROWS * TILE);
    glViewport(x, y, TILE, TILE);
    glScissor(x, y, TILE, TILE);
}

static void
add_shader(uint32_t program, GLenum stage, const char *text)
{
    const uint32_t shader = glCreateShader(stage);
    GLint compiled = 0;
    char log[1024] = "";
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!compiled) {
        fprintf(stderr, "geometry: %s\n%s\n", log, text);
        exit(1);
    }
    glAttachShader(program, shader);
    glDeleteShader(shader);
}

/* Links a program. `captured`: NULL, or the output that stream output stores. */
static uint32_t
link_program(const char *vertex, const char *geometry, const char *fragment, const char *captured)
{
    const uint32_t program = glCreateProgram();
    GLint linked = 0;
    char log[1024] = "";
    add_shader(program, GL_VERTEX_SHADER, vertex);
    if (geometry)
        add_shader(program, GL_GEOMETRY_SHADER, geometry);
    add_shader(program, GL_FRAGMENT_SHADER, fragment);
    glBindAttribLocation(program, 0, "position");
    glBindAttribLocation(program, 1, "color");
    if (captured)
        glTransformFeedbackVaryings(program, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    if (!linked) {
        fprintf(stderr, "geometry: %s\n", log);
        exit(1);
    }
    glUseProgram(program);
    return program;
}

/* Corners of a zigzag from left to right, all within the tile. No edge passes through a pixel
 * center. */
static void
set_zigzag(uint32_t count)
{
    static float corners[32][2];
    for (uint32_t i = 0; i < count; i++) {
        corners[i][0] = -0.843f + 1.671f * (float)i / (float)(count - 1);
        corners[i][1] = i % 2 ? 0.613f - 0.031f * (float)i : -0.587f + 0.023f * (float)i;
    }
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
}

static const float whole_tile[] = {-1, -1, 1, -1, -1, 1, 1, 1};

static void
draw_square(const float corners[8])
{
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static const char plain_vertex[] = "#version 150\n"
                                   "in vec2 position;\n"
                                   "out vec2 at;\n"
                                   "out float number;\n"
                                   "void main() {\n"
                                   "    gl_Position = vec4(position, 0.0, 1.0);\n"
                                   "    at = position * 0.5 + 0.5;\n"
                                   "    number = float(gl_VertexID);\n"
                                   "}";
static const char tint_fragment[] = "#version 150\n"
                                    "in vec4 tint;\n"
                                    "out vec4 color;\n"
                                    "void main() { color = tint; }";

/* ---- kinds of input primitives ---- */

/* Shows each vertex of a primitive as a small square, whose color is its number in the program's
 * input, that of the vertex, and that of the primitive. */
static char *
markers(const char *input, uint32_t vertices)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "#version 150\n"
             "layout(%s) in;\n"
             "layout(triangle_strip, max_vertices = %u) out;\n"
             "in float number[];\n"
             "flat out vec4 tint;\n"
             "void main() {\n"
             "    for (int i = 0; i < gl_in.length(); i++) {\n"
             "        vec4 at = gl_in[i].gl_Position;\n"
             "        float id = float(gl_PrimitiveIDIn);\n"
             "        at.xy += vec2(0.05 * id, 0.053 * float(i));\n"
             "        for (int k = 0; k < 4; k++) {\n"
             "            tint = vec4(float(i) / 6.0, number[i] / 12.0, id / 8.0, 1.0);\n"
             "            gl_Position = at + vec4(k %% 2, k / 2, 0.0, 0.0) * 0.113;\n"
             "            EmitVertex();\n"
             "        }\n"
             "        EndPrimitive();\n"
             "    }\n"
             "}",
             input, 4 * vertices);
    return text;
}

static const char flat_fragment[] = "#version 150\n"
                                    "flat in vec4 tint;\n"
                                    "out vec4 color;\n"
                                    "void main() { color = tint; }";

static void
draw_primitives(void)
{
    static const struct {
        const char *input;
        uint32_t vertices, count;
        GLenum mode;
    } cases[TILES] = {
        {"points", 1, 7, GL_POINTS},
        {"lines", 2, 8, GL_LINES},
        {"lines", 2, 6, GL_LINE_STRIP},
        {"lines", 2, 6, GL_LINE_LOOP},
        {"lines_adjacency", 4, 8, GL_LINES_ADJACENCY},
        {"lines_adjacency", 4, 8, GL_LINE_STRIP_ADJACENCY},
        {"triangles", 3, 9, GL_TRIANGLES},
        {"triangles", 3, 7, GL_TRIANGLE_STRIP},
        {"triangles", 3, 7, GL_TRIANGLE_FAN},
        {"triangles_adjacency", 6, 12, GL_TRIANGLES_ADJACENCY},
        {"triangles_adjacency", 6, 12, GL_TRIANGLE_STRIP_ADJACENCY},
        {"triangles_adjacency", 6, 9, GL_TRIANGLE_STRIP_ADJACENCY},
    };
    static uint32_t programs[TILES];
    for (uint32_t t = 0; t < TILES; t++) {
        begin_tile(t);
        if (!programs[t])
            programs[t] = link_program(plain_vertex, markers(cases[t].input, cases[t].vertices),
                                       flat_fragment, NULL);
        glUseProgram(programs[t]);
        set_zigzag(cases[t].count);
        glDrawArrays(cases[t].mode, 0, (GLsizei)cases[t].count);
    }
}

/* ---- what a program emits ---- */

#define GEOMETRY(in, out, count, body)                                                             \
    ("#version 150\n"                                                                              \
     "layout(" in ") in;\n"                                                                        \
     "layout(" out ", max_vertices = " count ") out;\n"                                            \
     "uniform sampler2D image;\n"                                                                  \
     "uniform vec4 values[4];\n"                                                                   \
     "in float number[];\n"                                                                        \
     "in vec2 at[];\n"                                                                             \
     "out vec4 tint;\n"                                                                            \
     "void corner(vec4 place, float x, float y, vec4 c) {\n"                                       \
     "    gl_Position = place + vec4(x, y, 0.0, 0.0);\n"                                           \
     "    tint = c;\n"                                                                             \
     "    EmitVertex();\n"                                                                         \
     "}\n"                                                                                         \
     "void main() {\n" body "}")

/* Each tile has another way to emit. */
static void
draw_emission(void)
{
    static const char *const bodies[TILES] = {
        /* lines and points of triangles */
        GEOMETRY("triangles", "line_strip", "8",
                 "for (int i = 0; i < 4; i++)\n"
                 "    corner(gl_in[i % 3].gl_Position, 0.013, 0.017, vec4(1.0, at[0], 1.0));\n"),
        GEOMETRY("triangles", "points", "3",
                 "for (int i = 0; i < 3; i++)\n"
                 "    corner(gl_in[i].gl_Position, 0.013, 0.017, vec4(0.0, at[i], 1.0));\n"),
        /* no vertex, depending on the primitive */
        GEOMETRY("triangles", "triangle_strip", "3",
                 "if (gl_PrimitiveIDIn % 2 == 1) return;\n"
                 "for (int i = 0; i < 3; i++)\n"
                 "    corner(gl_in[i].gl_Position, 0.0, 0.0, vec4(at[i], 0.5, 1.0));\n"),
        /* more vertices than are emitted by the limit */
        GEOMETRY("points", "triangle_strip", "4",
                 "for (int i = 0; i < 7; i++)\n"
                 "    corner(gl_in[0].gl_Position, float(i / 2) * 0.13, float(i % 2) * 0.31,\n"
                 "           vec4(at[0], float(i) / 7.0, 1.0));\n"),
        /* strips that end early, with one or two vertices */
        GEOMETRY("points", "triangle_strip", "12",
                 "for (int i = 0; i < 12; i++) {\n"
                 "    corner(gl_in[0].gl_Position, float(i / 2) * 0.07, float(i % 2) * 0.41,\n"
                 "           vec4(at[0], float(i) / 12.0, 1.0));\n"
                 "    if (i == 0 || i == 2 || i == 6) EndPrimitive();\n"
                 "}\n"),
        /* uniforms with an index */
        GEOMETRY("points", "triangle_strip", "4",
                 "for (int i = 0; i < 4; i++)\n"
                 "    corner(gl_in[0].gl_Position, values[i].x, values[i].y,\n"
                 "           values[(i + gl_PrimitiveIDIn) % 4]);\n"),
        /* a texture */
        GEOMETRY("points", "triangle_strip", "4",
                 "for (int i = 0; i < 4; i++)\n"
                 "    corner(gl_in[0].gl_Position, values[i].x, values[i].y,\n"
                 "           texelFetch(image, ivec2(gl_PrimitiveIDIn, i), 0));\n"),
        /* inputs with an index that is not constant */
        GEOMETRY("lines_adjacency", "triangle_strip", "4",
                 "for (int i = 0; i < 4; i++) {\n"
                 "    int k = int(mod(number[i] * 3.0 + values[0].z, 4.0));\n"
                 "    corner(gl_in[k].gl_Position, values[i].x, values[i].y,\n"
                 "           vec4(at[k], number[k] / 12.0, 1.0));\n"
                 "}\n"),
        /* a loop whose length depends on the primitive */
        GEOMETRY("points", "line_strip", "9",
                 "for (int i = 0; i <= gl_PrimitiveIDIn + 1; i++)\n"
                 "    corner(gl_in[0].gl_Position, float(i) * 0.091, float(i * i % 5) * 0.113,\n"
                 "           vec4(at[0], float(i) / 9.0, 1.0));\n"),
        /* primitives that are clipped and culled */
        GEOMETRY("points", "triangle_strip", "4",
                 "for (int i = 0; i < 4; i++)\n"
                 "    corner(gl_in[0].gl_Position * vec4(1.0, 1.0, 1.0, 1.3), values[i].x * 6.0,\n"
                 "           values[i].y * 6.0 - 1.9, vec4(at[0], float(i) / 4.0, 0.5));\n"),
        /* the primitive's number, for the fragment program */
        GEOMETRY("triangles", "triangle_strip", "3",
                 "for (int i = 0; i < 3; i++) {\n"
                 "    gl_PrimitiveID = gl_PrimitiveIDIn * 3 + 1;\n"
                 "    corner(gl_in[i].gl_Position, 0.0, 0.0, vec4(0.0, 0.0, at[i].x, 1.0));\n"
                 "}\n"),
        /* many vertices */
        GEOMETRY("points", "triangle_strip", "120",
                 "for (int i = 0; i < 120; i++)\n"
                 "    corner(gl_in[0].gl_Position, float(i / 2) * 0.007, float(i % 2) * 0.31,\n"
                 "           vec4(at[0], float(i % 40) / 40.0, 1.0));\n"),
    };
    static const char id_fragment[] = "#version 150\n"
                                      "in vec4 tint;\n"
                                      "out vec4 color;\n"
                                      "void main() {\n"
                                      "    color = tint + vec4(float(gl_PrimitiveID) / 32.0);\n"
                                      "}";
    static const float values[4][4] = {
        {0, 0, 0.2f, 1}, {0.11f, 0.01f, 0.7f, 1}, {0.02f, 0.23f, 0.4f, 1}, {0.13f, 0.21f, 1, 1}};
    static uint32_t programs[TILES], texture;
    uint8_t texels[SIDE][SIDE][4];
    if (!texture) {
        for (uint32_t i = 0; i < sizeof texels; i++)
            ((uint8_t *)texels)[i] = (uint8_t)(i * 37 + i / 64 * 11);
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    glPointSize(5);
    for (uint32_t t = 0; t < TILES; t++) {
        begin_tile(t);
        if (!programs[t])
            programs[t] =
                link_program(plain_vertex, bodies[t], t == 10 ? id_fragment : tint_fragment, NULL);
        glUseProgram(programs[t]);
        glUniform4fv(glGetUniformLocation(programs[t], "values"), 4, values[0]);
        set_zigzag(8);
        glDrawArrays(strstr(bodies[t], "(triangles)")         ? GL_TRIANGLE_STRIP
                     : strstr(bodies[t], "(lines_adjacency)") ? GL_LINE_STRIP_ADJACENCY
                                                              : GL_POINTS,
                     0, 8);
    }
    glPointSize(1);
}

/* ---- layered targets ---- */

static void
set_layered(uint32_t framebuffer, GLenum attachment, uint32_t texture)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture(GL_FRAMEBUFFER, attachment, texture, 0);
}

static uint32_t
make_layers(GLenum target, GLenum internal, GLenum format, GLenum type)
{
    uint32_t texture;
    glGenTextures(1, &texture);
    glBindTexture(target, texture);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    for (uint32_t f = 0; target == GL_TEXTURE_CUBE_MAP && f < 6; f++)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, (GLint)internal, SIDE, SIDE, 0, format,
                     type, NULL);
    if (target != GL_TEXTURE_CUBE_MAP)
        glTexImage3D(target, 0, (GLint)internal, SIDE, SIDE, LAYERS, 0, format, type, NULL);
    return texture;
}

/* One draw fills all layers of an array, a volume and a cube, with depth. Each tile shows one
 * layer. */
static void
draw_layers(void)
{
    static const GLenum targets[3] = {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP};
    static const char *const samplers[3] = {
        "uniform sampler2DArray image;\n#define AT vec3(at, layer)\n",
        "uniform sampler3D image;\n#define AT vec3(at, (layer + 0.5) / 6.0)\n",
        ("uniform samplerCube image;\n#define AT (layer < 2.0 ? vec3(1.0 - 2.0 * layer, at) : "
         "layer < 4.0 ? vec3(at.x, 5.0 - 2.0 * layer, at.y) : vec3(at, 9.0 - 2.0 * layer))\n")};
    static const char writer_geometry[] =
        "#version 150\n"
        "layout(triangles) in;\n"
        "layout(triangle_strip, max_vertices = 18) out;\n"
        "out vec4 tint;\n"
        "void main() {\n"
        "    for (int l = 0; l < 6; l++) {\n"
        "        for (int i = 0; i < 3; i++) {\n"
        "            gl_Layer = (l * 5 + gl_PrimitiveIDIn) % 6;\n"
        "            gl_Position = vec4(gl_in[i].gl_Position.xy * (0.4 + 0.1 * float(l)),\n"
        "                               0.1 * float(l) - 0.3 + 0.2 * float(i), 1.0);\n"
        "            tint = vec4(float(l) / 6.0, float(i) / 3.0, float(gl_PrimitiveIDIn), 1.0);\n"
        "            EmitVertex();\n"
        "        }\n"
        "        EndPrimitive();\n"
        "    }\n"
        "}";
    static uint32_t writer, readers[3], textures[3], depths[3], framebuffers[3];
    for (uint32_t k = 0; !writer && k < 3; k++) {
        char text[512];
        textures[k] = make_layers(targets[k], GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE);
        glGenFramebuffers(1, &framebuffers[k]);
        set_layered(framebuffers[k], GL_COLOR_ATTACHMENT0, textures[k]);
        if (targets[k] != GL_TEXTURE_3D) {
            depths[k] =
                make_layers(targets[k], GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT);
            set_layered(framebuffers[k], GL_DEPTH_ATTACHMENT, depths[k]);
        }
        snprintf(text, sizeof text,
                 "#version 150\n"
                 "in vec2 at;\nuniform float layer;\n%s"
                 "out vec4 color;\nvoid main() { color = texture(image, AT); }",
                 samplers[k]);
        readers[k] = link_program(plain_vertex, NULL, text, NULL);
    }
    if (!writer)
        writer = link_program(plain_vertex, writer_geometry, tint_fragment, NULL);
    for (uint32_t k = 0; k < 3; k++) {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[k]);
        glViewport(0, 0, SIDE, SIDE);
        glScissor(0, 0, SIDE, SIDE);
        glClearColor(0.1f * (float)k, 0.31f, 0.52f, 1.0f);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glEnable(GL_DEPTH_TEST);
        glUseProgram(writer);
        set_zigzag(7);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 7);
        glDisable(GL_DEPTH_TEST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    for (uint32_t t = 0; t < TILES; t++) {
        const uint32_t k = t % 3;
        begin_tile(t);
        glUseProgram(readers[k]);
        glBindTexture(targets[k], textures[k]);
        glUniform1f(glGetUniformLocation(readers[k], "layer"), (float)((t / 3 * 2 + k) % 6));
        draw_square(whole_tile);
    }
}

/* ---- stream output after a geometry program ---- */

/* Each tile captures the program's output, draws the captured vertices as points, and shows the two
 * query results as bar heights. Tile 1 has too small a buffer. */
static void
draw_captured(void)
{
    static const char splitter[] = "#version 150\n"
                                   "layout(triangles) in;\n"
                                   "layout(triangle_strip, max_vertices = 5) out;\n"
                                   "out vec4 kept;\n"
                                   "flat out vec4 tint;\n"
                                   "void main() {\n"
                                   "    for (int i = 0; i < 3 + gl_PrimitiveIDIn % 3; i++) {\n"
                                   "        kept = gl_in[i % 3].gl_Position\n"
                                   "               + vec4(0.03 * float(i), 0.02, 0.0, 0.0);\n"
                                   "        gl_Position = kept;\n"
                                   "        tint = vec4(float(i) / 5.0, 0.6, 0.2, 1.0);\n"
                                   "        EmitVertex();\n"
                                   "    }\n"
                                   "}";
    static uint32_t splitters, shower, buffer, queries[2];
    const uint32_t sizes[4] = {4096, 300, 4096, 144};
    if (!splitters) {
        splitters = link_program(plain_vertex, splitter, flat_fragment, "kept");
        shower = link_program("#version 150\n"
                              "in vec4 position;\nflat out vec4 tint;\n"
                              "void main() { gl_Position = position;\n"
                              "    tint = vec4(position.xy * 0.5 + 0.5, 1.0, 1.0); }",
                              NULL, flat_fragment, NULL);
        glGenBuffers(1, &buffer);
        glGenQueries(2, queries);
    }
    glPointSize(3);
    for (uint32_t t = 0; t < 4; t++) {
        uint32_t counts[2];
        begin_tile(t);
        glUseProgram(splitters);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
        glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizes[t], NULL, GL_STREAM_COPY);
        set_zigzag(9);
        if (t >= 2)
            glEnable(GL_RASTERIZER_DISCARD);
        glBeginQuery(GL_PRIMITIVES_GENERATED, queries[0]);
        glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, queries[1]);
        glBeginTransformFeedback(GL_TRIANGLES);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 9);
        glEndTransformFeedback();
        glEndQuery(GL_PRIMITIVES_GENERATED);
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        glDisable(GL_RASTERIZER_DISCARD);
        for (uint32_t q = 0; q < 2; q++)
            glGetQueryObjectuiv(queries[q], GL_QUERY_RESULT, &counts[q]);
        begin_tile(4 + t);
        glUseProgram(shower);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
        glDrawArrays(GL_POINTS, 0, (GLsizei)(3 * counts[1]));
        begin_tile(8 + t);
        for (uint32_t q = 0; q < 2; q++) {
            const float x = -0.73f + 0.8f * (float)q, top = (float)counts[q] / 16 - 0.99f;
            glUseProgram(shower);
            glBindBuffer(GL_ARRAY_BUFFER, 0);
            const float corners[] = {x, -1,  0, 1, x + 0.5f, -1,  0, 1,
                                     x, top, 0, 1, x + 0.5f, top, 0, 1};
            glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, corners);
            glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        }
    }
    glPointSize(1);
}

/* ---- two source colors ---- */

static void
draw_sources(void)
{
    static const struct {
        GLenum rgb_source, rgb_target, alpha_source, alpha_target, equation;
    } cases[TILES] = {
        {GL_SRC1_COLOR, GL_ZERO, GL_ONE, GL_ZERO, GL_FUNC_ADD},
        {GL_SRC1_ALPHA, GL_ONE_MINUS_SRC1_ALPHA, GL_ONE, GL_ZERO, GL_FUNC_ADD},
        {GL_ONE, GL_SRC1_COLOR, GL_ONE, GL_ZERO, GL_FUNC_ADD},
        {GL_ONE_MINUS_SRC1_COLOR, GL_SRC1_COLOR, GL_ONE, GL_ZERO, GL_FUNC_ADD},
        {GL_ZERO, GL_ONE_MINUS_SRC1_COLOR, GL_ONE, GL_ZERO, GL_FUNC_ADD},
        {GL_ONE_MINUS_SRC1_ALPHA, GL_ONE, GL_SRC1_ALPHA, GL_ZERO, GL_FUNC_ADD},
        {GL_SRC1_COLOR, GL_SRC_ALPHA, GL_SRC1_COLOR, GL_DST_ALPHA, GL_FUNC_SUBTRACT},
        {GL_DST_COLOR, GL_SRC1_COLOR, GL_ONE, GL_ONE, GL_FUNC_REVERSE_SUBTRACT},
        {GL_SRC1_ALPHA, GL_SRC1_COLOR, GL_ZERO, GL_SRC1_ALPHA, GL_FUNC_ADD},
        {GL_CONSTANT_COLOR, GL_ONE_MINUS_SRC1_ALPHA, GL_ONE, GL_ONE_MINUS_SRC1_ALPHA, GL_FUNC_ADD},
        {GL_SRC_COLOR, GL_ONE_MINUS_SRC1_COLOR, GL_ONE, GL_ZERO, GL_FUNC_ADD},
        {GL_SRC1_COLOR, GL_ONE_MINUS_SRC1_COLOR, GL_SRC1_ALPHA, GL_ONE, GL_MAX},
    };
    static uint32_t program;
    if (!program) {
        program = glCreateProgram();
        add_shader(program, GL_VERTEX_SHADER, plain_vertex);
        add_shader(program, GL_FRAGMENT_SHADER,
                   "#version 150\n"
                   "in vec2 at;\n"
                   "out vec4 first;\n"
                   "out vec4 second;\n"
                   "void main() { first = vec4(at, 0.4, at.x); second = vec4(0.7, at.yx, at.y); }");
        glBindAttribLocation(program, 0, "position");
        glBindFragDataLocationIndexed(program, 0, 0, "first");
        glBindFragDataLocationIndexed(program, 0, 1, "second");
        glLinkProgram(program);
    }
    glUseProgram(program);
    glBlendColor(0.3f, 0.6f, 0.9f, 0.5f);
    for (uint32_t t = 0; t < TILES; t++) {
        begin_tile(t);
        glDisable(GL_BLEND);
        draw_square(whole_tile);
        glEnable(GL_BLEND);
        glBlendEquation(cases[t].equation);
        glBlendFuncSeparate(cases[t].rgb_source, cases[t].rgb_target, cases[t].alpha_source,
                            cases[t].alpha_target);
        draw_square(
            (const float[]){-0.713f, -0.613f, 0.713f, -0.713f, -0.813f, 0.713f, 0.613f, 0.813f});
    }
    glDisable(GL_BLEND);
}

/* ---- smaller features ---- */

static void
flat_strip(void)
{
    static uint32_t program;
    if (!program)
        program = link_program("#version 150\n"
                               "in vec2 position;\nflat out vec4 tint;\n"
                               "void main() { gl_Position = vec4(position, 0.0, 1.0);\n"
                               "    tint = vec4(float(gl_VertexID) / 8.0, 0.5, 1.0, 1.0); }",
                               NULL, flat_fragment, NULL);
    glUseProgram(program);
    set_zigzag(8);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 8);
}

static void
provoking_first(void)
{
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    flat_strip();
    glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
}

static uint32_t
fetcher(const char *declaration, const char *expression)
{
    char text[512];
    snprintf(text, sizeof text,
             "#version 330\n"
             "in vec2 at;\n%s\nout vec4 color;\n"
             "void main() { color = %s; }",
             declaration, expression);
    return link_program(plain_vertex, NULL, text, NULL);
}

static void
clamped_depth(void)
{
    static uint32_t program;
    if (!program)
        program =
            link_program("#version 330\n"
                         "in vec2 position;\n"
                         "void main() { gl_Position = vec4(position, position.x * 3.0, 1.0); }",
                         NULL,
                         "#version 330\nout vec4 color;\n"
                         "void main() { color = vec4(gl_FragCoord.z, 0.3, 0.1, 1.0); }",
                         NULL);
    glUseProgram(program);
    glEnable(GL_DEPTH_CLAMP);
    draw_square((const float[]){-0.813f, -0.813f, 0.813f, -0.813f, -0.813f, 0.1f, 0.813f, 0.1f});
    glDisable(GL_DEPTH_CLAMP);
    draw_square((const float[]){-0.813f, 0.21f, 0.813f, 0.21f, -0.813f, 0.813f, 0.813f, 0.813f});
}

static uint32_t
colored_cube(void)
{
    uint32_t texture;
    uint8_t texels[4][4][4];
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
    for (uint32_t f = 0; f < 6; f++) {
        for (uint32_t i = 0; i < sizeof texels; i++)
            ((uint8_t *)texels)[i] = (uint8_t)(i * 29 + f * 53);
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA8, 4, 4, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels);
    }
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    return texture;
}

static void
seamless(void)
{
    static uint32_t program, texture;
    if (!program) {
        program =
            fetcher("uniform samplerCube image;", "texture(image, vec3(at * 4.0 - 2.0, 1.0))");
        texture = colored_cube();
    }
    glUseProgram(program);
    glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
    glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    draw_square(whole_tile);
    glDisable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
}

static uint32_t
small_texture(GLenum internal, GLenum format, GLenum type)
{
    uint32_t texture, texels[4][4];
    for (uint32_t i = 0; i < 16; i++)
        texels[i / 4][i % 4] = i * 0x13572461u + 0x80204081u;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, 4, 4, 0, format, type, texels);
    return texture;
}

/* One texture with two sampler objects. */
static void
sampler_objects(void)
{
    static uint32_t program, texture, samplers[2];
    if (!program) {
        program = fetcher("uniform sampler2D image, other;",
                          "at.x < 0.5 ? texture(image, at * 2.3) : texture(other, at * 2.3)");
        glUniform1i(glGetUniformLocation(program, "other"), 1);
        texture = small_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE);
        glGenSamplers(2, samplers);
        for (uint32_t i = 0; i < 2; i++) {
            glSamplerParameteri(samplers[i], GL_TEXTURE_WRAP_S, i ? GL_MIRRORED_REPEAT : GL_REPEAT);
            glSamplerParameteri(samplers[i], GL_TEXTURE_WRAP_T,
                                i ? GL_CLAMP_TO_EDGE : GL_MIRRORED_REPEAT);
            glSamplerParameteri(samplers[i], GL_TEXTURE_MIN_FILTER, GL_NEAREST);
            glSamplerParameteri(samplers[i], GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        }
    }
    glUseProgram(program);
    for (uint32_t i = 2; i-- > 0;) {
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D, texture);
        glBindSampler(i, samplers[i]);
    }
    draw_square(whole_tile);
    for (uint32_t i = 0; i < 2; i++)
        glBindSampler(i, 0);
}

/* Instances with an attribute that advances every `divisor` instances. `type`: of the packed
 * colors. */
static void
packed_instances(GLenum type, GLint size, uint32_t divisor)
{
    static const uint32_t colors[4] = {0x5a40f3ffu, 0xc71c03ffu, 0x83fffc00u, 0x3fe00a55u};
    static uint32_t program;
    if (!program)
        program = link_program("#version 330\n"
                               "in vec2 position;\n"
                               "in vec4 color;\n"
                               "flat out vec4 tint;\n"
                               "void main() { tint = abs(color);\n"
                               "    gl_Position = vec4(position * 0.23 + vec2(gl_InstanceID % 3,\n"
                               "        gl_InstanceID / 3) * 0.61 - 0.6, 0.0, 1.0); }",
                               NULL, flat_fragment, NULL);
    glUseProgram(program);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, whole_tile);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(1, size, type, GL_TRUE, 4, colors);
    glVertexAttribDivisor(1, divisor);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)(divisor ? 4 * divisor : 4));
    glVertexAttribDivisor(1, 0);
    glDisableVertexAttribArray(1);
}

static void
unsigned_instances(void)
{
    packed_instances(GL_UNSIGNED_INT_2_10_10_10_REV, 4, 2);
}

static void
signed_instances(void)
{
    packed_instances(GL_INT_2_10_10_10_REV, 4, 1);
}

static void
swapped_vertices(void)
{
    packed_instances(GL_UNSIGNED_INT_2_10_10_10_REV, GL_BGRA, 0);
}

static void
point_sizes(void)
{
    static uint32_t program;
    if (!program)
        program = link_program("#version 330\n"
                               "in vec2 position;\nflat out vec4 tint;\n"
                               "void main() { gl_Position = vec4(position, 0.0, 1.0);\n"
                               "    gl_PointSize = 1.0 + 2.0 * float(gl_VertexID);\n"
                               "    tint = vec4(position, 1.0, 1.0); }",
                               NULL, flat_fragment, NULL);
    glUseProgram(program);
    glEnable(GL_PROGRAM_POINT_SIZE);
    set_zigzag(7);
    glDrawArrays(GL_POINTS, 0, 7);
    glDisable(GL_PROGRAM_POINT_SIZE);
}

static void
swizzled(void)
{
    static const GLint order[4] = {GL_BLUE, GL_ONE, GL_RED, GL_ZERO};
    static uint32_t program, texture;
    if (!program) {
        program = fetcher("uniform sampler2D image;", "texture(image, at)");
        texture = small_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE);
        glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, order);
    }
    glUseProgram(program);
    glBindTexture(GL_TEXTURE_2D, texture);
    draw_square(whole_tile);
}

static void
packed_integers(void)
{
    static uint32_t program, texture;
    if (!program) {
        program = fetcher("uniform usampler2D image;",
                          "vec4(texture(image, at)) / vec4(1023.0, 1023.0, 1023.0, 3.0)");
        texture = small_texture(GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV);
    }
    glUseProgram(program);
    glBindTexture(GL_TEXTURE_2D, texture);
    draw_square(whole_tile);
}

/* A triangle drawn under a sample mask, whose samples are shown side by side. */
static void
masked_samples(void)
{
    static uint32_t program, writer, texture, framebuffer;
    const GLint x = 3 * TILE, y = 2 * TILE;
    if (!program) {
        program = fetcher("uniform sampler2DMS image;",
                          "texelFetch(image, ivec2(at * vec2(32.0, 16.0)) % ivec2(16, 16), "
                          "at.x < 0.5 ? 1 : 2)");
        writer = fetcher("", "vec4(at, 0.5, 1.0)");
        glGenTextures(1, &texture);
        glGenFramebuffers(1, &framebuffer);
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
        glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, SIDE, SIDE, GL_TRUE);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE,
                               texture, 0);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, SIDE, SIDE);
    glScissor(0, 0, SIDE, SIDE);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(writer);
    glEnable(GL_SAMPLE_MASK);
    for (uint32_t s = 1; s < 3; s++) {
        glSampleMaski(0, 1u << s);
        draw_square(
            (const float[]){-0.71f, -0.63f, 0.31f * (float)s, -0.72f, -0.83f, 0.73f, 0.61f, 0.82f});
    }
    glDisable(GL_SAMPLE_MASK);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(x, y, TILE, TILE);
    glScissor(x, y, TILE, TILE);
    glUseProgram(program);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
    draw_square(whole_tile);
}

static void
draw_small(void)
{
    static void (*const tiles[TILES])(void) = {
        provoking_first, flat_strip,         clamped_depth,    seamless,
        sampler_objects, unsigned_instances, signed_instances, swapped_vertices,
        point_sizes,     swizzled,           packed_integers,  masked_samples};
    for (uint32_t t = 0; t < TILES; t++) {
        begin_tile(t);
        tiles[t]();
    }
}

static void
draw(uint32_t frame)
{
    static void (*const draws[])(void) = {draw_primitives, draw_emission, draw_layers,
                                          draw_captured,   draw_sources,  draw_small};
    (void)frame;
    glEnable(GL_SCISSOR_TEST);
    glViewport(0, 0, WIDTH, HEIGHT);
    glScissor(0, 0, WIDTH, HEIGHT);
    glClearColor(0.2f, 0.4f, 0.6f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draws[kind]();
    glUseProgram(0);
    check_gl("geometry");
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {{"kind", &kind, kinds, "what is drawn"}, {0}};
    return scene_main(&(struct scene){.name = "geometry",
                                      .about = "Features of OpenGL 3.2 (--gl 3.2) and 3.3\n"
                                               "(--gl 3.3), compared with llvmpipe (--save).",
                                      .width = WIDTH,
                                      .height = HEIGHT,
                                      .frames = 1,
                                      .options = options,
                                      .draw = draw},
                      argc, argv);
}
