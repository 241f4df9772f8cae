/* Fill rate: full-screen layers, one kind of fragment work at a time. Every layer covers every
 * pixel, so fragments = width * height * layers exactly. */
#include "window.h"

#include <GL/gl.h>

enum fill_kind { FILL_COLOR, FILL_Z, FILL_BOTH, FILL_BLEND, FILL_TEXTURED, FILL_BILINEAR };
static const char *const kinds[] = {"color", "z", "both", "blend", "textured", "bilinear", NULL};

enum { TEXTURE_SIZE = 256 };

static uint32_t kind = FILL_COLOR;
static uint32_t layers = 8;

static void
make_texture(GLint filter)
{
    static uint8_t texels[TEXTURE_SIZE][TEXTURE_SIZE][4];
    for (uint32_t y = 0; y < TEXTURE_SIZE; y++) {
        for (uint32_t x = 0; x < TEXTURE_SIZE; x++) {
            texels[y][x][0] = (uint8_t)x;
            texels[y][x][1] = (uint8_t)y;
            texels[y][x][2] = (uint8_t)(x ^ y);
            texels[y][x][3] = 255;
        }
    }
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, TEXTURE_SIZE, TEXTURE_SIZE, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glEnable(GL_TEXTURE_2D);
}

static void
setup(void)
{
    if (kind == FILL_Z || kind == FILL_BOTH) {
        glEnable(GL_DEPTH_TEST);
        glDepthFunc(GL_LESS);
    }
    if (kind == FILL_Z)
        glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    if (kind == FILL_BLEND) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }
    if (kind == FILL_TEXTURED || kind == FILL_BILINEAR)
        make_texture(kind == FILL_BILINEAR ? GL_LINEAR : GL_NEAREST);
}

/* Each layer is nearer than the previous one, so that every fragment passes the depth test. */
static void
draw_layer(uint32_t layer)
{
    float z = 0.9f - 1.8f * (float)layer / (float)layers;
    glColor4f((float)(layer % 4) / 3.0f, (float)(layer % 3) / 2.0f, (float)(layer % 2), 0.5f);
    glBegin(GL_QUADS);
    glTexCoord2f(0.0f, 0.0f);
    glVertex3f(-1.0f, -1.0f, z);
    glTexCoord2f(1.0f, 0.0f);
    glVertex3f(1.0f, -1.0f, z);
    glTexCoord2f(1.0f, 1.0f);
    glVertex3f(1.0f, 1.0f, z);
    glTexCoord2f(0.0f, 1.0f);
    glVertex3f(-1.0f, 1.0f, z);
    glEnd();
}

static void
draw(uint32_t frame)
{
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (uint32_t layer = 0; layer < layers; layer++)
        draw_layer(layer);
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {
        {"layers", &layers, NULL, "full-screen layers a frame (8)"},
        {"kind", &kind, kinds, "what a fragment does"},
        {0},
    };
    return scene_main(
        &(struct scene){.name = "fill",
                        .about =
                            "Full-screen layers: writes of color, of depth, of both, blending,\n"
                            "a texture with nearest texels, and one with bilinear filtering.",
                        .width = 320,
                        .height = 240,
                        .frames = 3,
                        .options = options,
                        .setup = setup,
                        .draw = draw},
        argc, argv);
}
