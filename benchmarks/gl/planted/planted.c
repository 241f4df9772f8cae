/* The option `--fixed`, textures, and math functions that give the same results on every host. */
#include "planted.h"

#include <GL/gl.h>
#include <string.h>

int
planted_main(const struct scene *scene, bool *fixed, int argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--fixed"))
            *fixed = true;
        else
            argv[kept++] = argv[i];
    }
    return scene_main(scene, kept, argv);
}

/* A parabola through the zeros and extrema, corrected by its square. */
float
sine(float turns)
{
    float part = turns - (float)(int)turns;
    if (part > 0.5f)
        part -= 1.0f;
    if (part < -0.5f)
        part += 1.0f;
    float wave = 8.0f * part * (1.0f - 2.0f * (part < 0.0f ? -part : part));
    return 0.225f * (wave * (wave < 0.0f ? -wave : wave) - wave) + wave;
}

float
cosine(float turns)
{
    return sine(turns + 0.25f);
}

static uint32_t
lattice(uint32_t x, uint32_t y, uint32_t seed)
{
    uint32_t hash = x * 374761393u + y * 668265263u + seed * 2246822519u;
    hash = (hash ^ hash >> 13) * 1274126177u;
    return (hash ^ hash >> 16) & 255;
}

uint8_t
noise(uint32_t x, uint32_t y, uint32_t size, uint32_t cell, uint32_t seed)
{
    const uint32_t cells = size / cell;
    const uint32_t left = x / cell % cells, top = y / cell % cells;
    const uint32_t right = (left + 1) % cells, bottom = (top + 1) % cells;
    const uint32_t u = x % cell, v = y % cell;
    uint32_t above = lattice(left, top, seed) * (cell - u) + lattice(right, top, seed) * u;
    uint32_t below = lattice(left, bottom, seed) * (cell - u) + lattice(right, bottom, seed) * u;
    return (uint8_t)((above * (cell - v) + below * v) / (cell * cell));
}

/* Averages each square of 2 x 2 texels, in place. */
static void
halve(uint8_t (*texels)[4], uint32_t size)
{
    for (uint32_t i = 0; i < size * size / 4; i++) {
        uint32_t x = i % (size / 2) * 2, y = i / (size / 2) * 2;
        const uint8_t *above = texels[y * size + x], *below = texels[(y + 1) * size + x];
        for (uint32_t c = 0; c < 4; c++)
            texels[i][c] = (uint8_t)((above[c] + above[c + 4] + below[c] + below[c + 4]) / 4);
    }
}

void
load_texture(uint32_t format, uint32_t size, bool mipmaps, uint8_t (*texels)[4])
{
    GLint level = 0;
    for (; size; halve(texels, size), size /= 2) {
        glTexImage2D(GL_TEXTURE_2D, level++, (GLint)format, (GLsizei)size, (GLsizei)size, 0,
                     GL_RGBA, GL_UNSIGNED_BYTE, texels);
        if (!mipmaps)
            break;
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    mipmaps ? GL_LINEAR_MIPMAP_NEAREST : GL_LINEAR);
}
