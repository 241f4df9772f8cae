#include "model/pattern.h"

#include <stddef.h>
#include <string.h>

static const char *const names[] = {"stripes", "chequer", "random", "step2", "step3",
                                    "step4",   "step5",   "step6",  "step7", "step8",
                                    "step3r",  "ramp",    NULL};

const char *
pattern_name(uint32_t number)
{
    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

/* Maps neighbours to positions that differ by about 1 / n of the texture. The order is 0, 1/n, 2/n,
 * ..., then 1/32, 1/n + 1/32, and so on. The result is a permutation of 32 positions. */
static float
stepped(uint32_t at, uint32_t n)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < PATTERN_SIZE; i++) /* counts the positions before `at` in this order */
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
        pattern->texcoords[i / PATTERN_SIZE][i % PATTERN_SIZE][0] =
            (float)(order[i] % PATTERN_SIZE) / PATTERN_SIZE;
        pattern->texcoords[i / PATTERN_SIZE][i % PATTERN_SIZE][1] =
            (float)(order[i] / PATTERN_SIZE) / PATTERN_SIZE;
    }
}

/* Fills a regular pattern. `n` = 0: stripes. 1: chequers, whose two kinds of fields are half a
 * texture apart. Otherwise: steps of 1 / n. */
static void
make_regular(struct pattern *pattern, uint32_t n, bool rotated)
{
    const uint32_t last = PATTERN_SIZE - 1;
    for (uint32_t y = 0; y < PATTERN_SIZE; y++)
        for (uint32_t x = 0; x < PATTERN_SIZE; x++) {
            const uint32_t a = rotated ? (x + y) & last : x, b = rotated ? (x - y) & last : y;
            const uint32_t field = (x + y) % 2 * PATTERN_SIZE;
            float *to = pattern->texcoords[y][x];
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
