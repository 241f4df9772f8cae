#include "tiles.h"

const char tiles_vertex[] = "#version 130\n"
                            "in vec2 position;\n"
                            "out vec2 at;\n"
                            "void main() {\n"
                            "    gl_Position = vec4(position, 0.0, 1.0);\n"
                            "    at = position * 0.5 + 0.5;\n"
                            "}";

void
tiles_begin(uint32_t number)
{
    const GLint x = (GLint)(number % COLUMNS * TILE), y = (GLint)(number / COLUMNS % ROWS * TILE);
    glViewport(x, y, TILE, TILE);
    glScissor(x, y, TILE, TILE);
}

void
tiles_use(uint32_t program)
{
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "image"), 0);
}

void
tiles_set_float(uint32_t program, const char *name, float value)
{
    glUniform1f(glGetUniformLocation(program, name), value);
}

void
tiles_square(uint32_t program, float size)
{
    const GLuint position = (GLuint)glGetAttribLocation(program, "position");
    const float corners[] = {-size, -size, size, -size, -size, size, size, size};
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glEnableVertexAttribArray(position);
    glVertexAttribPointer(position, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisableVertexAttribArray(position);
}

uint32_t
tiles_make_texture(GLenum target, GLint filter)
{
    uint32_t texture;
    glGenTextures(1, &texture);
    glBindTexture(target, texture);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

uint32_t
tiles_make_target(GLenum internal, GLenum format, GLenum type, uint32_t *framebuffer)
{
    const uint32_t texture = tiles_make_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, SIDE, SIDE, 0, format, type, NULL);
    glGenFramebuffers(1, framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    return texture;
}

void
tiles_begin_target(uint32_t framebuffer)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, SIDE, SIDE);
    glScissor(0, 0, SIDE, SIDE);
}
