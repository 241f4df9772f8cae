/* Layers of drifting clouds over the sky, blended, each with its own texture. The textures are
 * stored with 4 bytes per texel. Fixed: they are compressed (DXT5), with 1 byte per texel. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdlib.h>

enum { LAYERS = 7, IMAGE = 512 };

static bool fixed;
static GLuint layers[LAYERS];

static void
paint(uint8_t (*texels)[4], uint32_t layer)
{
    for (uint32_t i = 0; i < IMAGE * IMAGE; i++) {
        uint8_t tone = noise(i % IMAGE, i / IMAGE, IMAGE, 64u >> layer % 3, layer);
        texels[i][0] = (uint8_t)(200 + tone / 5);
        texels[i][1] = (uint8_t)(205 + tone / 5);
        texels[i][2] = (uint8_t)(215 + tone / 7);
        texels[i][3] = (uint8_t)(tone > 150 ? (tone - 150) * 2 : 0);
    }
}

static void
load_layer(uint32_t layer)
{
    uint8_t(*texels)[4] = malloc(sizeof *texels * IMAGE * IMAGE);
    uint32_t format = fixed ? GL_COMPRESSED_RGBA_S3TC_DXT5_EXT : GL_RGBA8;
    glBindTexture(GL_TEXTURE_2D, layers[layer]);
    paint(texels, layer);
    load_texture(format, IMAGE, true, texels);
    free(texels);
}

static void
setup(void)
{
    glGenTextures(LAYERS, layers);
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        load_layer(layer);
    glEnable(GL_TEXTURE_2D);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glClearColor(0.3f, 0.5f, 0.9f, 1.0f);
}

/* A quad over the whole window. The texture is slightly larger than the window, and rotated. */
static void
draw_layer(uint32_t layer, float drift)
{
    static const float corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    glBindTexture(GL_TEXTURE_2D, layers[layer]);
    glMatrixMode(GL_TEXTURE);
    glLoadIdentity();
    glTranslatef(drift, 0.0f, 0.0f);
    glRotatef(10.0f + 23.0f * (float)layer, 0.0f, 0.0f, 1.0f);
    glMatrixMode(GL_MODELVIEW);
    glBegin(GL_QUADS);
    for (uint32_t i = 0; i < 4; i++) {
        glTexCoord2f(0.62f * corners[i][0], 0.62f * corners[i][1]);
        glVertex2fv(corners[i]);
    }
    glEnd();
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_BLEND);
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        draw_layer(layer, 0.003f * (float)(frame * (layer + 1)));
    glDisable(GL_BLEND);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "clouds",
                                        .about = "Clouds of uncompressed textures.",
                                        .width = 512,
                                        .height = 512,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
