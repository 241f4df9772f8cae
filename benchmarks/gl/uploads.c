/* Uploads a texture while draws use another one: measures the cost of an upload in a frame. The
 * draws wait for it only with --use. */
#include "window.h"

#include <stdlib.h>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { STILL_SIDE = 64 };

static uint32_t side = 512, parts = 16, draws = 1, use;
static GLuint still, streamed;
static uint8_t *texels;

static GLuint
make_texture(uint32_t size)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, (GLsizei)size, (GLsizei)size, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, texels);
    return texture;
}

static void
setup(void)
{
    const uint32_t count = (side > STILL_SIDE ? side : STILL_SIDE);
    texels = malloc((size_t)count * count * 4);
    for (uint32_t i = 0; i < count * count * 4; i++)
        texels[i] = (uint8_t)(i * 2654435761u >> 24);
    still = make_texture(STILL_SIDE);
    streamed = make_texture(side);
    glEnable(GL_TEXTURE_2D);
}

static void
draw_layer(GLuint texture, uint32_t i)
{
    const float s = 1.0f + (float)(i % 4);
    glBindTexture(GL_TEXTURE_2D, texture);
    glBegin(GL_TRIANGLE_STRIP);
    glTexCoord2f(0, 0), glVertex2f(-1, -1);
    glTexCoord2f(s, 0), glVertex2f(1, -1);
    glTexCoord2f(0, s), glVertex2f(-1, 1);
    glTexCoord2f(s, s), glVertex2f(1, 1);
    glEnd();
}

/* Uploads the rows of part `i`; the content changes in each frame. */
static void
upload(uint32_t i, uint32_t frame)
{
    const uint32_t first = side * i / parts, rows = side * (i + 1) / parts - first;
    const uint8_t *from = texels + ((size_t)(first + frame) % side) / 2 * side * 4;
    glBindTexture(GL_TEXTURE_2D, streamed);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, (GLint)first, (GLsizei)side, (GLsizei)rows, GL_RGBA,
                    GL_UNSIGNED_BYTE, from);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    for (uint32_t i = 0; i < parts; i++) {
        if (i < side)
            upload(i, frame);
        for (uint32_t k = 0; k < draws; k++)
            draw_layer(use ? streamed : still, i * draws + k);
    }
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {
        {"side", &side, NULL, "texels a side of the texture that is uploaded (512: a megabyte)"},
        {"parts", &parts, NULL, "uploads a frame that make it up, draws between them (16)"},
        {"draws", &draws, NULL, "layers drawn after each part (1)"},
        {"use", &use, NULL, "1: they use what is uploaded, 0: another texture (0)"},
        {0},
    };
    return scene_main(
        &(struct scene){.name = "uploads",
                        .about = "Uploads a texture in parts, with draws between them.",
                        .width = 256,
                        .height = 192,
                        .frames = 3,
                        .options = options,
                        .setup = setup,
                        .draw = draw},
        argc, argv);
}
