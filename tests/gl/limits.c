/* Tries each limit that OpenGL reports, and the next value: OpenGL must accept the first and refuse
 * the second. What is accepted is drawn. The exit status is 1 if a limit does not hold or differs
 * from the table of docs/capabilities.md. */
#define GL_GLEXT_PROTOTYPES
#include "../../benchmarks/gl/window.h"

#include <GL/gl.h>
#include <GL/glext.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 16, SIDE = 64 };

struct limit {
    GLenum query;
    const char *name;
    int value;          /* 0: whatever Mesa derives from the number of stages that it supports */
    bool (*try)(int n); /* returns whether OpenGL accepts n */
};

static uint32_t wrong;

static bool
is_accepted(void)
{
    bool well = true;
    while (glGetError())
        well = false;
    return well;
}

/* ---- sizes ---- */

static uint32_t
bind_new(GLenum target)
{
    uint32_t texture;
    glGenTextures(1, &texture);
    glBindTexture(target, texture);
    return texture;
}

static bool
try_image(GLenum target, GLenum image, int width, int height)
{
    const uint32_t texture = bind_new(target);
    glTexImage2D(image, 0, GL_R8, width, height, 0, GL_RED, GL_UNSIGNED_BYTE, NULL);
    const bool well = is_accepted();
    glDeleteTextures(1, &texture);
    return well;
}

static bool
try_2d(int n)
{
    return try_image(GL_TEXTURE_2D, GL_TEXTURE_2D, n, 1);
}

static bool
try_rectangle(int n)
{
    return try_image(GL_TEXTURE_RECTANGLE, GL_TEXTURE_RECTANGLE, 1, n);
}

static bool
try_cube(int n)
{
    return try_image(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_POSITIVE_X, n, n);
}

static bool
try_solid(GLenum target, int width, int depth)
{
    const uint32_t texture = bind_new(target);
    glTexImage3D(target, 0, GL_R8, width, 1, depth, 0, GL_RED, GL_UNSIGNED_BYTE, NULL);
    const bool well = is_accepted();
    glDeleteTextures(1, &texture);
    return well;
}

static bool
try_3d(int n)
{
    return try_solid(GL_TEXTURE_3D, 1, n) && try_solid(GL_TEXTURE_3D, n, 1);
}

static bool
try_layers(int n)
{
    return try_solid(GL_TEXTURE_2D_ARRAY, 1, n);
}

static bool
try_renderbuffer(int width, int samples)
{
    uint32_t buffer;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, 1);
    const bool well = is_accepted();
    glDeleteRenderbuffers(1, &buffer);
    return well;
}

static bool
try_renderbuffer_size(int n)
{
    return try_renderbuffer(n, 0);
}

static bool
try_samples(int n)
{
    return try_renderbuffer(1, n);
}

/* ---- numbers of bindings ---- */

static bool
try_color_attachment(int n)
{
    uint32_t framebuffer;
    const uint32_t texture = bind_new(GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, (GLenum)(GL_COLOR_ATTACHMENT0 + n - 1), GL_TEXTURE_2D,
                           texture, 0);
    const bool well = is_accepted();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
    return well;
}

static bool
try_draw_buffers(int n)
{
    const GLenum none[64] = {GL_NONE};
    uint32_t framebuffer;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glDrawBuffers(n, none);
    const bool well = is_accepted();
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
    return well;
}

static bool
try_units(int n)
{
    glActiveTexture((GLenum)(GL_TEXTURE0 + n - 1));
    const bool well = is_accepted();
    glActiveTexture(GL_TEXTURE0);
    return well;
}

static bool
try_clip_distances(int n)
{
    glEnable((GLenum)(GL_CLIP_DISTANCE0 + n - 1));
    glDisable((GLenum)(GL_CLIP_DISTANCE0 + n - 1));
    return is_accepted();
}

static bool
try_binding(GLenum target, int n)
{
    uint32_t buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(target, buffer);
    glBufferData(target, 64, NULL, GL_STATIC_DRAW);
    glBindBufferBase(target, (GLuint)(n - 1), buffer);
    const bool well = is_accepted();
    glDeleteBuffers(1, &buffer);
    return well;
}

static bool
try_uniform_bindings(int n)
{
    return try_binding(GL_UNIFORM_BUFFER, n);
}

static bool
try_feedback_bindings(int n)
{
    return try_binding(GL_TRANSFORM_FEEDBACK_BUFFER, n);
}

/* ---- programs ---- */

struct text {
    char at[TEXT];
    size_t size;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text->size += (size_t)vsnprintf(text->at + text->size, TEXT - text->size, format, args);
    va_end(args);
}

static uint32_t
compile(GLenum stage, const char *text)
{
    const uint32_t shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    return shader;
}

/* Links the program and, if that succeeds, draws with it. `geometry` may be NULL. */
static bool
try_stages(const char *vertex, const char *geometry, const char *fragment)
{
    const uint32_t program = glCreateProgram();
    glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
    if (geometry)
        glAttachShader(program, compile(GL_GEOMETRY_SHADER, geometry));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
    glLinkProgram(program);
    GLint linked;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked) {
        glUseProgram(program);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glUseProgram(0);
    }
    glDeleteProgram(program);
    return is_accepted() && linked;
}

static bool
try_program(const char *vertex, const char *fragment)
{
    return try_stages(vertex, NULL, fragment);
}

static const char plain_vertex[] = "#version 140\nvoid main() { gl_Position = vec4(0.5); }\n";
static const char plain_fragment[] =
    "#version 140\nout vec4 color;\nvoid main() { color = vec4(1.0); }\n";

static const char points_head[] = "#version 150\nlayout(triangles) in;\n"
                                  "layout(points, max_vertices = 1) out;\n";

/* Tries n declarations and the sum of their values, in one stage. The format of a declaration has
 * its number; that of a value, too. */
static bool
try_declared(GLenum stage, int n, const char *declared, const char *value)
{
    static struct text text;
    const bool is_vertex = stage == GL_VERTEX_SHADER, is_geometry = stage == GL_GEOMETRY_SHADER;
    text.size = 0;
    add(&text, "%s",
        is_vertex     ? "#version 140\n"
        : is_geometry ? points_head
                      : "#version 140\nout vec4 color;\n");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    for (int i = 0; i < n; i++)
        add(&text, declared, i, i);
    add(&text, "void main() { vec4 sum = vec4(0.0);\n");
    for (int i = 0; i < n; i++)
        add(&text, value, i);
#pragma GCC diagnostic pop
    add(&text, "%s = sum; %s }\n", is_vertex || is_geometry ? "gl_Position" : "color",
        is_geometry ? "EmitVertex();" : "");
    return try_stages(is_vertex ? text.at : plain_vertex, is_geometry ? text.at : NULL,
                      is_vertex || is_geometry ? plain_fragment : text.at);
}

static const char block[] = "layout(std140) uniform Block%d { vec4 value%d; };\n";
static const char sampler[] = "uniform sampler2D image%d;\n";
static const char texel[] = "sum += textureLod(image%d, vec2(0.5), 0.0);\n";

static bool
try_vertex_blocks(int n)
{
    return try_declared(GL_VERTEX_SHADER, n, block, "sum += value%d;\n");
}

static bool
try_fragment_blocks(int n)
{
    return try_declared(GL_FRAGMENT_SHADER, n, block, "sum += value%d;\n");
}

static bool
try_vertex_samplers(int n)
{
    return try_declared(GL_VERTEX_SHADER, n, sampler, texel);
}

static bool
try_fragment_samplers(int n)
{
    return try_declared(GL_FRAGMENT_SHADER, n, sampler, texel);
}

static bool
try_attributes(int n)
{
    glEnableVertexAttribArray((GLuint)(n - 1));
    glDisableVertexAttribArray((GLuint)(n - 1));
    return is_accepted() &&
           try_declared(GL_VERTEX_SHADER, n, "in vec4 value%d;\n", "sum += value%d;\n");
}

static bool
try_block_bytes(int n)
{
    char text[512];
    snprintf(text, sizeof text,
             "#version 140\nout vec4 color;\n"
             "layout(std140) uniform Block { vec4 values[%d]; };\n"
             "void main() { color = values[0] + values[%d]; }\n",
             (n + 15) / 16, (n + 15) / 16 - 1);
    return try_program(plain_vertex, text);
}

static bool
try_uniform_components(int n)
{
    char text[512];
    snprintf(text, sizeof text,
             "#version 140\nout vec4 color;\nuniform vec4 values[%d];\nuniform int at;\n"
             "void main() { color = values[at]; }\n",
             (n + 3) / 4 - 1); /* `at` takes the rest */
    return try_program(plain_vertex, text);
}

static bool
try_varyings(int n)
{
    char vertex[512], fragment[512];
    const int count = (n + 3) / 4;
    snprintf(vertex, sizeof vertex,
             "#version 140\nout vec4 values[%d];\nvoid main() { gl_Position = vec4(0.5);\n"
             "for (int i = 0; i < %d; i++) values[i] = vec4(i); }\n",
             count, count);
    snprintf(fragment, sizeof fragment,
             "#version 140\n"
             "in vec4 values[%d];\nout vec4 color;\nvoid main() { color = vec4(0.0);\n"
             "for (int i = 0; i < %d; i++) color += values[i]; }\n",
             count, count);
    return try_program(vertex, fragment);
}

static bool
try_emitted_vertices(int n)
{
    char text[512];
    snprintf(text, sizeof text,
             "#version 150\nlayout(triangles) in;\nlayout(points, max_vertices = %d) out;\n"
             "void main() { for (int n = 0; n < %d; n++) { gl_Position = vec4(n); EmitVertex(); } "
             "}\n",
             n, n);
    return try_stages(plain_vertex, text, plain_fragment);
}

static bool
try_geometry_blocks(int n)
{
    return try_declared(GL_GEOMETRY_SHADER, n, block, "sum += value%d;\n");
}

static bool
try_geometry_samplers(int n)
{
    return try_declared(GL_GEOMETRY_SHADER, n, sampler, texel);
}

static bool
try_second_sources(int n)
{
    const uint32_t program = glCreateProgram();
    glAttachShader(program, compile(GL_VERTEX_SHADER, plain_vertex));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, plain_fragment));
    glBindFragDataLocationIndexed(program, (GLuint)(n - 1), 1, "color");
    glDeleteProgram(program);
    return is_accepted();
}

#define LIMIT(name, value, try)                                                                    \
    {                                                                                              \
        GL_##name, #name, value, try                                                               \
    }
static const struct limit limits[] = {
    LIMIT(MAX_TEXTURE_SIZE, 4096, try_2d),
    LIMIT(MAX_RECTANGLE_TEXTURE_SIZE, 4096, try_rectangle),
    LIMIT(MAX_CUBE_MAP_TEXTURE_SIZE, 4096, try_cube),
    LIMIT(MAX_3D_TEXTURE_SIZE, 512, try_3d),
    LIMIT(MAX_ARRAY_TEXTURE_LAYERS, 512, try_layers),
    LIMIT(MAX_RENDERBUFFER_SIZE, 4096, try_renderbuffer_size),
    LIMIT(MAX_SAMPLES, 4, try_samples),
    LIMIT(MAX_COLOR_ATTACHMENTS, 8, try_color_attachment),
    LIMIT(MAX_DRAW_BUFFERS, 8, try_draw_buffers),
    LIMIT(MAX_COMBINED_TEXTURE_IMAGE_UNITS, 0, try_units),
    LIMIT(MAX_CLIP_DISTANCES, 8, try_clip_distances),
    LIMIT(MAX_UNIFORM_BUFFER_BINDINGS, 0, try_uniform_bindings),
    LIMIT(MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS, 4, try_feedback_bindings),
    LIMIT(MAX_VERTEX_ATTRIBS, 16, try_attributes),
    LIMIT(MAX_VERTEX_UNIFORM_BLOCKS, 13, try_vertex_blocks),
    LIMIT(MAX_FRAGMENT_UNIFORM_BLOCKS, 13, try_fragment_blocks),
    LIMIT(MAX_VERTEX_TEXTURE_IMAGE_UNITS, 16, try_vertex_samplers),
    LIMIT(MAX_TEXTURE_IMAGE_UNITS, 16, try_fragment_samplers),
    LIMIT(MAX_UNIFORM_BLOCK_SIZE, 65536, try_block_bytes),
    LIMIT(MAX_FRAGMENT_UNIFORM_COMPONENTS, 16384, try_uniform_components),
};

static const struct limit limits_of_31[] = {LIMIT(MAX_VARYING_COMPONENTS, 64, try_varyings)};

static const struct limit limits_of_33[] = {
    LIMIT(MAX_VARYING_COMPONENTS, 128, try_varyings),
    LIMIT(MAX_GEOMETRY_OUTPUT_VERTICES, 256, try_emitted_vertices),
    LIMIT(MAX_GEOMETRY_UNIFORM_BLOCKS, 13, try_geometry_blocks),
    LIMIT(MAX_GEOMETRY_TEXTURE_IMAGE_UNITS, 16, try_geometry_samplers),
    LIMIT(MAX_DUAL_SOURCE_DRAW_BUFFERS, 1, try_second_sources),
};

static void
check(const struct limit *limit)
{
    GLint value = -1;
    glGetIntegerv(limit->query, &value);
    is_accepted();
    const bool same = value == limit->value || !limit->value;
    const bool accepted = limit->try(value), refused = !limit->try(value + 1);
    if (same && accepted && refused)
        return;
    fprintf(stderr, "GL_%s is %d (expected %d), %s; the next value is %s\n", limit->name, value,
            limit->value, accepted ? "accepted" : "refused", refused ? "refused" : "accepted");
    wrong++;
}

static void
draw(uint32_t frame)
{
    const bool is_33 = !strncmp((const char *)glGetString(GL_VERSION), "3.3", 3);
    const struct limit *more = is_33 ? limits_of_33 : limits_of_31;
    const size_t count = sizeof limits / sizeof limits[0];
    const size_t more_count = is_33 ? sizeof limits_of_33 / sizeof limits_of_33[0] : 1;
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT);
    for (size_t i = 0; i < count + more_count; i++)
        check(i < count ? &limits[i] : &more[i - count]);
    if (wrong)
        exit(EXIT_FAILURE);
    printf("all %zu limits hold\n", count + more_count);
}

int
main(int argc, char **argv)
{
    return scene_main(&(struct scene){.name = "limits",
                                      .about = "Tries the limits that OpenGL reports.",
                                      .width = SIDE,
                                      .height = SIDE,
                                      .frames = 1,
                                      .draw = draw},
                      argc, argv);
}
