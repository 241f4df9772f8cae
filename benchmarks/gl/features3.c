/* Features of OpenGL 3.0, and uniform blocks. The reference is llvmpipe, which draws the program
 * directly (tools/features.sh). A frame is a grid of tiles, one case each. */
#include "tiles.h"

#include <stdlib.h>

enum { LAYERS = 5 };

enum feature {
    INTEGERS,
    ARRAYS,
    STREAMS,
    FORMATS,
    TARGETS,
    CLIPPING,
    SRGB,
    CONDITIONS,
    SAMPLES,
    BLOCKS
};
static const char *const kinds[] = {"integers", "arrays",   "streams", "formats",
                                    "targets",  "clipping", "srgb",    "conditions",
                                    "samples",  "blocks",   NULL};
static uint32_t kind = INTEGERS;

/* ---- integer textures and targets ---- */

struct integer_format {
    GLenum internal, format, type;
    bool is_signed;
};

/* Each tile draws integers into a target, clears one corner, and shows the target as a color. */
static void
draw_integers(void)
{
    static const struct integer_format formats[TILES] = {
        {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, false},
        {GL_RG8I, GL_RG_INTEGER, GL_BYTE, true},
        {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, false},
        {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, true},
        {GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, false},
        {GL_RG16I, GL_RG_INTEGER, GL_SHORT, true},
        {GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, false},
        {GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT, true},
        {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, false},
        {GL_RG32I, GL_RG_INTEGER, GL_INT, true},
        {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, false},
        {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, true},
    };
    static uint32_t writers[2], readers[2];
    for (uint32_t s = 0; s < 2 && !writers[s]; s++) {
        writers[s] =
            make_program(tiles_vertex, s ? "#version 130\n"
                                           "in vec2 at;\n"
                                           "out ivec4 color;\n"
                                           "void main() { ivec2 p = ivec2(at * 16.0);\n"
                                           "    color = ivec4(p.x * 7 - 50, -p.y, p.x * p.y, -3); }"
                                         : "#version 130\n"
                                           "in vec2 at;\n"
                                           "out uvec4 color;\n"
                                           "void main() { uvec2 p = uvec2(at * 16.0);\n"
                                           "    color = uvec4(p.x * 7u, p.y, p.x * p.y, 3u); }");
        readers[s] = make_program(
            tiles_vertex,
            s ? "#version 130\n"
                "in vec2 at;\n"
                "uniform isampler2D image;\n"
                "out vec4 color;\n"
                "void main() { ivec4 v = texture(image, at) + texelFetch(image, ivec2(3), 0);\n"
                "    color = vec4(abs(v)) / 255.0; }"
              : "#version 130\n"
                "in vec2 at;\n"
                "uniform usampler2D image;\n"
                "out vec4 color;\n"
                "void main() { uvec4 v = texture(image, at) + texelFetch(image, ivec2(3), 0);\n"
                "    color = vec4(v) / 255.0; }");
    }
    for (uint32_t t = 0; t < TILES; t++) {
        const struct integer_format *f = &formats[t];
        uint32_t framebuffer;
        const uint32_t texture = tiles_make_target(f->internal, f->format, f->type, &framebuffer);
        tiles_begin_target(framebuffer);
        tiles_use(writers[f->is_signed]);
        tiles_square(writers[f->is_signed], 1);
        glScissor(0, 0, 4, 4);
        if (f->is_signed)
            glClearBufferiv(GL_COLOR, 0, (const GLint[]){-100, 90, 80, 70});
        else
            glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){100, 90, 80, 70});
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        tiles_begin(t);
        tiles_use(readers[f->is_signed]);
        tiles_square(readers[f->is_signed], 1);
        glDeleteFramebuffers(1, &framebuffer);
        glDeleteTextures(1, &texture);
    }
}

/* ---- texture arrays ---- */

/* Layers come from memory, from draws into a layer, and from mipmap generation. Tiles sample them
 * with each filter, in 2D and in 1D, and with the size of the array. */
static void
draw_arrays(void)
{
    static uint32_t texture, lines, framebuffer, programs[3], writer;
    static uint8_t texels[LAYERS][SIDE][SIDE][4];
    if (!texture) {
        for (uint32_t i = 0; i < sizeof texels; i++)
            (&texels[0][0][0][0])[i] = (uint8_t)(i % 4 == 3 ? 255 : i * 7 + i / 1024 * 50);
        texture = tiles_make_texture(GL_TEXTURE_2D_ARRAY, GL_LINEAR);
        glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, SIDE, SIDE, LAYERS, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels);
        lines = tiles_make_texture(GL_TEXTURE_1D_ARRAY, GL_NEAREST);
        glTexImage2D(GL_TEXTURE_1D_ARRAY, 0, GL_RGBA8, SIDE, LAYERS, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     texels);
        glGenFramebuffers(1, &framebuffer);
        writer = make_program(tiles_vertex, "#version 130\n"
                                            "in vec2 at;\n"
                                            "out vec4 color;\n"
                                            "void main() { color = vec4(at, 0.2, 1.0); }");
        programs[0] = make_program(
            tiles_vertex, "#version 130\n"
                          "in vec2 at;\n"
                          "uniform sampler2DArray image;\n"
                          "uniform float layer;\n"
                          "out vec4 color;\n"
                          "void main() { color = texture(image, vec3(at * 2.0 - 0.5, layer)); }");
        programs[1] = make_program(tiles_vertex,
                                   "#version 130\n"
                                   "in vec2 at;\n"
                                   "uniform sampler1DArray image;\n"
                                   "uniform float layer;\n"
                                   "out vec4 color;\n"
                                   "void main() { color = texture(image, vec2(at.x, layer)); }");
        programs[2] = make_program(
            tiles_vertex, "#version 130\n"
                          "in vec2 at;\n"
                          "uniform sampler2DArray image;\n"
                          "uniform float layer;\n"
                          "out vec4 color;\n"
                          "void main() { ivec3 size = textureSize(image, int(layer) % 4);\n"
                          "    color = texelFetch(image, ivec3(ivec2(at * vec2(size.xy)),\n"
                          "        int(layer)), int(layer) % 4) + vec4(size, 0) / 255.0; }");
    }
    glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, 3);
    tiles_begin_target(framebuffer);
    glUseProgram(writer);
    tiles_square(writer, 0.75f);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glGenerateMipmap(GL_TEXTURE_2D_ARRAY);
    glBindTexture(GL_TEXTURE_1D_ARRAY, lines);
    for (uint32_t t = 0; t < TILES; t++) {
        const uint32_t program = programs[t < 5 ? 0 : t < 8 ? 1 : 2];
        tiles_begin(t);
        tiles_use(program);
        tiles_set_float(program, "layer", t == 4 ? 9.0f : (float)(t % LAYERS));
        tiles_square(program, 1);
    }
}

/* ---- stream output ---- */

/* Each tile stores primitives of one mode, and draws what was stored. The number of stored
 * primitives is in the color. */
static void
draw_streams(void)
{
    enum { MOST = 64, POINTS = 7 };
    static const GLenum modes[] = {GL_POINTS,    GL_LINES,          GL_LINE_STRIP,  GL_LINE_LOOP,
                                   GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
    static const GLenum stored[] = {GL_POINTS,    GL_LINES,     GL_LINES,    GL_LINES,
                                    GL_TRIANGLES, GL_TRIANGLES, GL_TRIANGLES};
    static uint32_t storing, showing, buffer, query;
    float points[POINTS][2];
    if (!storing) {
        static const char *const names[] = {"gl_Position", "shade"};
        storing = make_program("#version 130\n"
                               "in vec2 position;\n"
                               "out vec3 shade;\n"
                               "void main() { gl_Position = vec4(position * 0.9, 0.25, 1.0);\n"
                               "    shade = vec3(position, float(gl_VertexID) / 8.0); }",
                               "#version 130\nvoid main() { }");
        glTransformFeedbackVaryings(storing, 2, names, GL_INTERLEAVED_ATTRIBS);
        glLinkProgram(storing);
        showing = make_program("#version 130\n"
                               "in vec4 position;\n"
                               "in vec3 shade;\n"
                               "out vec3 color;\n"
                               "void main() { gl_Position = position; color = shade; }",
                               "#version 130\n"
                               "in vec3 color;\n"
                               "uniform float count;\n"
                               "out vec4 result;\n"
                               "void main() { result = vec4(color.xy * 0.5 + 0.5,\n"
                               "    color.z * 0.5 + count / 32.0, 1.0); }");
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffer);
        glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, MOST * 28, NULL, GL_STREAM_COPY);
        glGenQueries(1, &query);
    }
    for (uint32_t i = 0; i < POINTS; i++) {
        points[i][0] = (float)(i / 2) / 2 - 0.8f;
        points[i][1] = i % 2 ? 0.7f - (float)i / 16 : -0.6f;
    }
    for (uint32_t t = 0; t < 2 * sizeof modes / sizeof *modes && t < TILES; t++) {
        const uint32_t m = t % 7;
        const GLuint position = (GLuint)glGetAttribLocation(storing, "position");
        const GLuint at = (GLuint)glGetAttribLocation(showing, "position");
        const GLuint shade = (GLuint)glGetAttribLocation(showing, "shade");
        GLuint count;
        tiles_begin(t);
        glUseProgram(storing);
        glBindBuffer(GL_ARRAY_BUFFER, 0);
        glEnableVertexAttribArray(position);
        glVertexAttribPointer(position, 2, GL_FLOAT, GL_FALSE, 0, points);
        /* the second round has room for two primitives */
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, 28, t < 7 ? 28 * 40 : 28 * 6);
        glEnable(GL_RASTERIZER_DISCARD);
        glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
        glBeginTransformFeedback(stored[m]);
        glDrawArrays(modes[m], 0, POINTS);
        glEndTransformFeedback();
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        glDisable(GL_RASTERIZER_DISCARD);
        glGetQueryObjectuiv(query, GL_QUERY_RESULT, &count);
        glDisableVertexAttribArray(position);
        glUseProgram(showing);
        tiles_set_float(showing, "count", (float)count);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glEnableVertexAttribArray(at);
        glEnableVertexAttribArray(shade);
        glVertexAttribPointer(at, 4, GL_FLOAT, GL_FALSE, 28, (const void *)(uintptr_t)28);
        glVertexAttribPointer(shade, 3, GL_FLOAT, GL_FALSE, 28, (const void *)(uintptr_t)44);
        glPointSize(5);
        glDrawArrays(stored[m], 0, (GLsizei)count * (m < 1 ? 1 : m < 4 ? 2 : 3));
        glDisableVertexAttribArray(at);
        glDisableVertexAttribArray(shade);
    }
    glPointSize(1);
}

/* ---- formats ---- */

/* Textures and targets of small floats, and a depth buffer with floats and stencil. */
static void
draw_formats(void)
{
    static const GLenum internal[] = {GL_R11F_G11F_B10F, GL_RGB9_E5};
    static uint32_t writer, reader;
    float texels[SIDE][SIDE][3];
    if (!writer) {
        writer = make_program(tiles_vertex, "#version 130\n"
                                            "in vec2 at;\n"
                                            "out vec4 color;\n"
                                            "uniform float depth;\n"
                                            "void main() { color = vec4(at * 3.0, depth, 1.0);\n"
                                            "    gl_FragDepth = depth * at.x; }");
        reader = make_program(tiles_vertex,
                              "#version 130\n"
                              "in vec2 at;\n"
                              "uniform sampler2D image;\n"
                              "uniform float scale;\n"
                              "out vec4 color;\n"
                              "void main() { color = vec4(texture(image, at).rgb * scale, 1.0); }");
    }
    for (uint32_t i = 0; i < SIDE * SIDE * 3; i++)
        (&texels[0][0][0])[i] = (float)(i * 37 % 256) / 16.0f;
    for (uint32_t t = 0; t < 4; t++) {
        const uint32_t texture = tiles_make_texture(GL_TEXTURE_2D, t % 2 ? GL_LINEAR : GL_NEAREST);
        glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal[t / 2], SIDE, SIDE, 0, GL_RGB, GL_FLOAT,
                     texels);
        tiles_begin(t);
        tiles_use(reader);
        tiles_set_float(reader, "scale", 1.0f / 16);
        tiles_square(reader, 1);
        glDeleteTextures(1, &texture);
    }
    for (uint32_t t = 4; t < 8; t++) {
        uint32_t framebuffer, depth;
        const uint32_t texture = tiles_make_target(t % 2 ? GL_R11F_G11F_B10F : GL_RGBA8, GL_RGBA,
                                                   GL_FLOAT, &framebuffer);
        depth = tiles_make_texture(GL_TEXTURE_2D, GL_NEAREST);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH32F_STENCIL8, SIDE, SIDE, 0, GL_DEPTH_STENCIL,
                     GL_FLOAT_32_UNSIGNED_INT_24_8_REV, NULL);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D, depth,
                               0);
        tiles_begin_target(framebuffer);
        glClearColor(0, 0, 0, 1);
        glClearStencil(3);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        glEnable(GL_DEPTH_TEST);
        glEnable(GL_STENCIL_TEST);
        glStencilFunc(GL_LEQUAL, 3, 255);
        glStencilOp(GL_KEEP, GL_INVERT, GL_INCR);
        glUseProgram(writer);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        for (uint32_t i = 0; i < 3; i++) {
            tiles_set_float(writer, "depth", i == 1 ? 0.9f : 0.4f - 0.1f * (float)i);
            tiles_square(writer, 1 - 0.25f * (float)i);
        }
        glDisable(GL_BLEND);
        glDisable(GL_DEPTH_TEST);
        glDisable(GL_STENCIL_TEST);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        for (uint32_t k = 0; k < 2; k++) {
            if (k && t >= 6)
                break;
            tiles_begin(t + 4 * k);
            glBindTexture(GL_TEXTURE_2D, k ? depth : texture);
            tiles_use(reader);
            tiles_set_float(reader, "scale", k ? 1 : 0.5f);
            tiles_square(reader, 1);
        }
        glDeleteFramebuffers(1, &framebuffer);
        glDeleteTextures(1, &texture);
        glDeleteTextures(1, &depth);
    }
}

/* ---- blending and masks by target ---- */

static void
draw_targets(void)
{
    enum { BUFFERS = 4 };
    static uint32_t framebuffer, textures[BUFFERS], writer, reader;
    static const GLenum attached[BUFFERS] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1,
                                             GL_COLOR_ATTACHMENT2, GL_COLOR_ATTACHMENT3};
    if (!framebuffer) {
        glGenFramebuffers(1, &framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        for (uint32_t i = 0; i < BUFFERS; i++) {
            textures[i] = tiles_make_texture(GL_TEXTURE_2D, GL_NEAREST);
            glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                         NULL);
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D,
                                   textures[i], 0);
        }
        writer = make_program(tiles_vertex,
                              "#version 130\n"
                              "in vec2 at;\n"
                              "out vec4 a, b, c, d;\n"
                              "void main() { a = vec4(at, 0.25, 0.5); b = a.gbra; c = a.brga;\n"
                              "    d = vec4(1.0) - a; }");
        static const char *const outputs[] = {"a", "b", "c", "d"};
        for (uint32_t i = 0; i < BUFFERS; i++)
            glBindFragDataLocation(writer, i, outputs[i]);
        glLinkProgram(writer);
        reader = make_program(tiles_vertex,
                              "#version 130\n"
                              "in vec2 at;\n"
                              "uniform sampler2D image;\n"
                              "out vec4 color;\n"
                              "void main() { color = vec4(texture(image, at).rgb, 1.0); }");
    }
    for (uint32_t pass = 0; pass < 3; pass++) {
        tiles_begin_target(framebuffer);
        glDrawBuffers(BUFFERS, attached);
        for (uint32_t i = 0; i < BUFFERS; i++)
            glClearBufferfv(GL_COLOR, (GLint)i,
                            (const GLfloat[]){0.2f * (float)i, 0.4f, 0.6f, 0.8f});
        glBlendFunc(GL_SRC_ALPHA, GL_ONE);
        for (uint32_t i = 0; i < BUFFERS; i++) {
            ((pass + i) % 2 ? glEnablei : glDisablei)(GL_BLEND, i);
            glColorMaski(i, pass != 1 || i != 0, pass != 2 || i != 1, (pass + i) % 3 != 0, GL_TRUE);
        }
        glUseProgram(writer);
        tiles_square(writer, 0.75f);
        for (uint32_t i = 0; i < BUFFERS; i++) {
            glDisablei(GL_BLEND, i);
            glColorMaski(i, GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        }
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        for (uint32_t i = 0; i < BUFFERS; i++) {
            tiles_begin(pass * BUFFERS + i);
            glBindTexture(GL_TEXTURE_2D, textures[i]);
            tiles_use(reader);
            tiles_square(reader, 1);
        }
    }
}

/* ---- gl_ClipDistance ---- */

static void
draw_clipping(void)
{
    static uint32_t program;
    if (!program)
        program =
            make_program("#version 130\n"
                         "in vec2 position;\n"
                         "uniform float turn;\n"
                         "out float gl_ClipDistance[8];\n"
                         "out vec2 at;\n"
                         "void main() { gl_Position = vec4(position, 0.0, 1.0); at = position;\n"
                         "    for (int i = 0; i < 8; i++)\n"
                         "        gl_ClipDistance[i] = 0.8 + position.x * (float(i) / 4.0 - 1.0)\n"
                         "            + position.y * (turn + float(i % 3) - 1.0); }",
                         "#version 130\n"
                         "in vec2 at;\n"
                         "out vec4 color;\n"
                         "void main() { color = vec4(at * 0.5 + 0.5, 0.3, 1.0); }");
    glUseProgram(program);
    for (uint32_t t = 0; t < TILES; t++) {
        tiles_begin(t);
        tiles_set_float(program, "turn", (float)t / 8 - 0.6f);
        for (uint32_t i = 0; i < 8; i++)
            ((t * 37 + 5) >> i & 1 ? glEnable : glDisable)(GL_CLIP_DISTANCE0 + i);
        tiles_square(program, 0.95f);
    }
    for (uint32_t i = 0; i < 8; i++)
        glDisable(GL_CLIP_DISTANCE0 + i);
}

/* ---- sRGB framebuffers ---- */

static void
draw_srgb(void)
{
    static uint32_t writer, reader;
    if (!writer) {
        writer = make_program(tiles_vertex, "#version 130\n"
                                            "in vec2 at;\n"
                                            "out vec4 color;\n"
                                            "void main() { color = vec4(at, 0.5, 0.5); }");
        reader = make_program(tiles_vertex,
                              "#version 130\n"
                              "in vec2 at;\n"
                              "uniform sampler2D image;\n"
                              "out vec4 color;\n"
                              "void main() { color = vec4(texture(image, at).rgb, 1.0); }");
    }
    for (uint32_t t = 0; t < TILES; t++) {
        uint32_t framebuffer;
        const uint32_t texture = tiles_make_target(t % 2 ? GL_SRGB8_ALPHA8 : GL_RGBA8, GL_RGBA,
                                                   GL_UNSIGNED_BYTE, &framebuffer);
        tiles_begin_target(framebuffer);
        (t & 2 ? glEnable : glDisable)(GL_FRAMEBUFFER_SRGB);
        glClearColor(0.2f, 0.4f, 0.6f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        (t & 4 ? glEnable : glDisable)(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glUseProgram(writer);
        tiles_square(writer, 0.75f);
        glDisable(GL_BLEND);
        glDisable(GL_FRAMEBUFFER_SRGB);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        tiles_begin(t);
        tiles_use(reader);
        tiles_square(reader, 1);
        glDeleteFramebuffers(1, &framebuffer);
        glDeleteTextures(1, &texture);
    }
}

/* ---- conditional rendering, primitive restart ---- */

static void
draw_conditions(void)
{
    static const GLenum waits[] = {GL_QUERY_WAIT, GL_QUERY_BY_REGION_WAIT};
    static uint32_t program, query;
    if (!program) {
        program = make_program(tiles_vertex, "#version 130\n"
                                             "in vec2 at;\n"
                                             "uniform float blue;\n"
                                             "out vec4 color;\n"
                                             "void main() { color = vec4(at, blue, 1.0); }");
        glGenQueries(1, &query);
    }
    glUseProgram(program);
    glClearColor(0.8f, 0.2f, 0.4f, 1);
    for (uint32_t t = 0; t < TILES; t++) {
        tiles_begin(t);
        if (t < 8) {
            /* odd tiles draw nothing while the query counts */
            glBeginQuery(GL_SAMPLES_PASSED, query);
            tiles_set_float(program, "blue", 0.2f);
            if (t % 2 == 0)
                tiles_square(program, 0.25f);
            glEndQuery(GL_SAMPLES_PASSED);
            glBeginConditionalRender(query, waits[t / 2 % 2]);
            tiles_set_float(program, "blue", 0.8f);
            if (t < 4)
                tiles_square(program, 0.75f);
            else
                glClear(GL_COLOR_BUFFER_BIT);
            glEndConditionalRender();
            continue;
        }
        const uint16_t order[] = {0, 1, 2, 999, 3, 4, 5, 2, 999, 0, 5};
        float points[6][2];
        const GLuint position = (GLuint)glGetAttribLocation(program, "position");
        for (uint32_t i = 0; i < 6; i++) {
            points[i][0] = (float)(i % 3) * 0.7f - 0.7f;
            points[i][1] = (float)(i / 3) - 0.5f + (float)(i % 2) * 0.3f;
        }
        glEnableClientState(GL_PRIMITIVE_RESTART_NV);
        glPrimitiveRestartIndexNV(999);
        tiles_set_float(program, "blue", 0.4f);
        glEnableVertexAttribArray(position);
        glBindBuffer(GL_ARRAY_BUFFER, 0);
        glVertexAttribPointer(position, 2, GL_FLOAT, GL_FALSE, 0, points);
        static const GLenum modes[] = {GL_TRIANGLE_STRIP, GL_TRIANGLES, GL_POLYGON,
                                       GL_TRIANGLE_FAN};
        glDrawElements(modes[t - 8], sizeof order / sizeof *order, GL_UNSIGNED_SHORT, order);
        glDisableVertexAttribArray(position);
        glDisableClientState(GL_PRIMITIVE_RESTART_NV);
    }
}

/* ---- multisampled textures ---- */

/* Each tile shows one sample of each pixel, of a texture with 4 samples or of a layer of an array.
 */
static void
draw_samples(void)
{
    enum { SAMPLES_EACH = 4 };
    static uint32_t framebuffers[2], textures[2], writer, readers[2];
    if (!writer) {
        static const GLenum targets[2] = {GL_TEXTURE_2D_MULTISAMPLE,
                                          GL_TEXTURE_2D_MULTISAMPLE_ARRAY};
        glGenTextures(2, textures);
        glGenFramebuffers(2, framebuffers);
        for (uint32_t i = 0; i < 2; i++) {
            glBindTexture(targets[i], textures[i]);
            glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[i]);
        }
        glTexImage2DMultisample(targets[0], SAMPLES_EACH, GL_RGBA8, SIDE, SIDE, GL_TRUE);
        glTexImage3DMultisample(targets[1], SAMPLES_EACH, GL_RGBA8, SIDE, SIDE, LAYERS, GL_TRUE);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, targets[0], textures[0], 0);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, textures[1], 0, 2);
        writer = make_program(tiles_vertex, "#version 130\n"
                                            "in vec2 at;\n"
                                            "out vec4 color;\n"
                                            "void main() { color = vec4(at, 0.8, 1.0); }");
        readers[0] = make_program(
            tiles_vertex,
            "#version 130\n"
            "#extension GL_ARB_texture_multisample : require\n"
            "in vec2 at;\n"
            "uniform sampler2DMS image;\n"
            "uniform float number;\n"
            "out vec4 color;\n"
            "void main() { color = texelFetch(image, ivec2(at * 16.0), int(number)); }");
        readers[1] = make_program(
            tiles_vertex,
            "#version 130\n"
            "#extension GL_ARB_texture_multisample : require\n"
            "in vec2 at;\n"
            "uniform sampler2DMSArray image;\n"
            "uniform float number;\n"
            "out vec4 color;\n"
            "void main() { color = texelFetch(image, ivec3(ivec2(at * 16.0), 2), int(number)); }");
    }
    for (uint32_t i = 0; i < 2; i++) {
        tiles_begin_target(framebuffers[i]);
        glClear(GL_COLOR_BUFFER_BIT);
        glUseProgram(writer);
        tiles_square(writer, 0.713f);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    for (uint32_t t = 0; t < 2 * SAMPLES_EACH; t++) {
        const uint32_t program = readers[t / SAMPLES_EACH];
        tiles_begin(t);
        tiles_use(program);
        tiles_set_float(program, "number", (float)(t % SAMPLES_EACH));
        tiles_square(program, 1);
    }
}

/* ---- uniform blocks ---- */

static void
draw_blocks(void)
{
    enum { APART = 256 };
    static uint32_t program, buffer;
    float values[TILES][APART / sizeof(float)];
    if (!program) {
        program =
            make_program("#version 120\n#extension GL_ARB_uniform_buffer_object : require\n"
                         "attribute vec2 position;\n"
                         "varying vec2 at;\n"
                         "layout(std140) uniform Place { vec2 move; float size; };\n"
                         "void main() { gl_Position = vec4(position * size + move, 0.0, 1.0);\n"
                         "    at = position * 0.5 + 0.5; }",
                         "#version 120\n#extension GL_ARB_uniform_buffer_object : require\n"
                         "varying vec2 at;\n"
                         "layout(std140) uniform Colors { vec4 colors[8]; mat2 turn; };\n"
                         "void main() { gl_FragColor = colors[int(mod(gl_FragCoord.x / 8.0, 8.0))] "
                         "+ vec4(turn * at, 0.0, 0.0); }");
        glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Place"), 2);
        glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Colors"), 5);
        glGenBuffers(1, &buffer);
    }
    for (uint32_t t = 0; t < TILES; t++) {
        for (uint32_t i = 0; i < APART / sizeof(float); i++)
            values[t][i] = (float)((i * 29 + t * 7) % 64) / 64;
        values[t][0] = (float)t / TILES - 0.51f; /* no edge passes through pixel centers */
        values[t][1] = 0.31f - (float)(t % 4) / 8;
        values[t][2] = 0.5f + (float)(t % 3) / 8;
    }
    glBindBuffer(GL_UNIFORM_BUFFER, buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof values, values, GL_DYNAMIC_DRAW);
    glUseProgram(program);
    for (uint32_t t = 0; t < TILES; t++) {
        tiles_begin(t);
        if (t == 6) /* a change between draws */
            glBufferSubData(GL_UNIFORM_BUFFER, 6 * APART, 16,
                            (const float[]){0.24f, 0.24f, 0.25f, 0});
        glBindBufferRange(GL_UNIFORM_BUFFER, 2, buffer, t * APART, 16);
        glBindBufferRange(GL_UNIFORM_BUFFER, 5, buffer, (t + 1) % TILES * APART, 160);
        tiles_square(program, 1);
    }
}

static void
draw(uint32_t frame)
{
    static void (*const draws[])(void) = {
        draw_integers, draw_arrays, draw_streams,    draw_formats, draw_targets,
        draw_clipping, draw_srgb,   draw_conditions, draw_samples, draw_blocks};
    (void)frame;
    glEnable(GL_SCISSOR_TEST);
    glViewport(0, 0, WIDTH, HEIGHT);
    glScissor(0, 0, WIDTH, HEIGHT);
    glClearColor(0.2f, 0.4f, 0.6f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draws[kind]();
    glUseProgram(0);
    check_gl("features3");
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {{"kind", &kind, kinds, "what is drawn"}, {0}};
    return scene_main(&(struct scene){.name = "features3",
                                      .about =
                                          "Features of OpenGL 3.0 (--gl 3.0), and uniform\n"
                                          "blocks (--gl es3), compared with llvmpipe (--save).",
                                      .width = WIDTH,
                                      .height = HEIGHT,
                                      .frames = 1,
                                      .options = options,
                                      .draw = draw},
                      argc, argv);
}
