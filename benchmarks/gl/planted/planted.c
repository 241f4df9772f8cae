/* The option `--fixed`, and mathematics that give the same results on every host. */
#include "planted.h"

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
