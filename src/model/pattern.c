#include "model/pattern.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"stripes", "chequer", "random", "step2", "step3",
                                    "step4",   "step5",   "step6",  "step7", "step8",
                                    "step3r",  "ramp",    NULL};

const char *
pattern_name(uint32_t number)
{
    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

/* Neighbours lie 1 / n of the texture apart; every nth goes on a little beside: 0, 1/n, 2/n, ...
 * and, when there is no place left on the way, from 1/32 on. A permutation of 32 places. */
static float
stepped(uint32_t at, uint32_t n)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < PATTERN_SIZE; i++) /* places that come before, in order of the walk */
        rank += i % n < at % n || (i % n == at % n && i < at);
    return (float)rank / PATTERN_SIZE;
}

static void
make_random(struct pattern *pattern)
{
    uint32_t order[PATTERN_SIZE * PATTERN_SIZE], state = 5;
    const uint32_t count = PATTERN_SIZE * PATTERN_SIZE;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count - 1; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        const uint32_t other = (state >> 8) % (i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (uint32_t i = 0; i < count; i++) {
        pattern->places[i / PATTERN_SIZE][i % PATTERN_SIZE][0] =
            (float)(order[i] % PATTERN_SIZE) / PATTERN_SIZE;
        pattern->places[i / PATTERN_SIZE][i % PATTERN_SIZE][1] =
            (float)(order[i] / PATTERN_SIZE) / PATTERN_SIZE;
    }
}

/* What texel (x, y) of a regular pattern says; `n` 0: stripes, 1: chequers, whose fields lie half a
 * texture apart. */
static void
make_regular(struct pattern *pattern, uint32_t n, bool rotated)
{
    const uint32_t last = PATTERN_SIZE - 1;
    for (uint32_t y = 0; y < PATTERN_SIZE; y++)
        for (uint32_t x = 0; x < PATTERN_SIZE; x++) {
            const uint32_t a = rotated ? (x + y) & last : x, b = rotated ? (x - y) & last : y;
            const uint32_t field = (x + y) % 2 * PATTERN_SIZE;
            float *to = pattern->places[y][x];
            to[0] = n == 0   ? (float)x / PATTERN_SIZE
                    : n == 1 ? (float)(x + field) / PATTERN_SIZE / 2
                             : stepped(a, n);
            to[1] = n == 0 ? 0.25f : n == 1 ? (float)(y + field) / PATTERN_SIZE / 2 : stepped(b, n);
        }
}

bool
pattern_make(struct pattern *pattern, const char *name)
{
    if (!strcmp(name, "random"))
        make_random(pattern);
    else if (!strcmp(name, "stripes"))
        make_regular(pattern, 0, false);
    else if (!strcmp(name, "chequer"))
        make_regular(pattern, 1, false);
    else if (!strcmp(name, "ramp"))
        make_regular(pattern, PATTERN_SIZE, false);
    else if (!strncmp(name, "step", 4) && name[4] >= '2' && name[4] <= '8' &&
             (!name[5] || !strcmp(name + 5, "r")))
        make_regular(pattern, (uint32_t)(name[4] - '0'), name[5] == 'r');
    else
        return false;
    return true;
}

/* Adds |DFT|^2 of a row or column, mean left out. `stride`: floats from one place to the next;
 * `turn`: the cosine of each 32nd of a turn. */
static void
add_spectrum(const float *first, size_t stride, const double *turn, double *power)
{
    double mean = 0;
    for (uint32_t i = 0; i < PATTERN_SIZE; i++)
        mean += (double)first[i * stride] / PATTERN_SIZE;
    for (uint32_t f = 1; f < PATTERN_FREQUENCIES; f++) {
        double re = 0, im = 0;
        for (uint32_t i = 0; i < PATTERN_SIZE; i++) {
            const double value = (double)first[i * stride] - mean;
            re += value * turn[f * i % PATTERN_SIZE];
            im += value * turn[(f * i + PATTERN_SIZE / 4) % PATTERN_SIZE];
        }
        power[f] += re * re + im * im;
    }
}

static void
find_strongest(const double *power, uint32_t *strongest)
{
    strongest[0] = strongest[1] = 0;
    for (uint32_t f = 1; f < PATTERN_FREQUENCIES; f++) {
        if (power[f] > 1e-6 && power[f] > power[strongest[0]] + 1e-9) {
            strongest[1] = strongest[0];
            strongest[0] = f;
        } else if (power[f] > 1e-6 && power[f] > power[strongest[1]] + 1e-9) {
            strongest[1] = f;
        }
    }
}

struct spectrum
pattern_spectrum(const struct pattern *pattern)
{
    double along[PATTERN_FREQUENCIES] = {0}, down[PATTERN_FREQUENCIES] = {0};
    double turn[PATTERN_SIZE];
    struct spectrum spectrum;
    for (uint32_t i = 0; i < PATTERN_SIZE; i++)
        turn[i] = cos(2 * M_PI * i / PATTERN_SIZE);
    const float(*places)[PATTERN_SIZE][2] = pattern->places;
    for (uint32_t i = 0; i < PATTERN_SIZE; i++)
        for (uint32_t part = 0; part < 2; part++) {
            add_spectrum(&places[i][0][part], 2, turn, along);
            add_spectrum(&places[0][i][part], (size_t)PATTERN_SIZE * 2, turn, down);
        }
    find_strongest(along, spectrum.fx);
    find_strongest(down, spectrum.fy);
    return spectrum;
}

static int
compare_places(const void *a, const void *b)
{
    const float *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

struct footprint
pattern_footprint(const struct pattern *pattern)
{
    enum { COUNT = PATTERN_SIZE * PATTERN_SIZE };
    struct footprint footprint = {.places = 1, .pitch = 1};
    float sorted[COUNT][2];
    memcpy(sorted, pattern->places, sizeof sorted);
    qsort(sorted, COUNT, sizeof sorted[0], compare_places);
    bool is_column = true;
    for (uint32_t i = 1; i < COUNT; i++)
        is_column = is_column && sorted[i][0] == sorted[0][0];
    for (uint32_t i = 1; i < COUNT; i++) {
        const double step = (double)sorted[i][is_column] - (double)sorted[i - 1][is_column];
        footprint.places += compare_places(sorted[i], sorted[i - 1]) != 0;
        if (step > 0)
            footprint.pitch = fmin(footprint.pitch, step);
    }
    return footprint;
}
