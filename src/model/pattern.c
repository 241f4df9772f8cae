#include "model/pattern.h"

#include "base/mem.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"stripes", "chequer", "random", "step2", "step3",
                                    "step4",   "step5",   "step6",  "step7", "step8",
                                    "step3r",  "ramp",    NULL};

const char *
pattern_name(uint32_t number)
{
    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

void
pattern_init(struct pattern *pattern, uint32_t width, uint32_t height)
{
    *pattern = (struct pattern){width, height,
                                mem_array((size_t)width * height, sizeof *pattern->texcoords)};
}

void
pattern_fini(struct pattern *pattern)
{
    free(pattern->texcoords);
    *pattern = (struct pattern){0};
}

void
pattern_round(struct pattern *pattern)
{
    for (size_t i = 0; i < (size_t)pattern->width * pattern->height; i++)
        for (uint32_t part = 0; part < 2; part++)
            pattern->texcoords[i][part] = roundf(pattern->texcoords[i][part] * 255) / 255;
}

/* ---- patterns of the sweep ---- */

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
        pattern->texcoords[i][0] = (float)(order[i] % PATTERN_SIZE) / PATTERN_SIZE;
        pattern->texcoords[i][1] = (float)(order[i] / PATTERN_SIZE) / PATTERN_SIZE;
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
            float *to = pattern->texcoords[y * PATTERN_SIZE + x];
            to[0] = n == 0   ? (float)x / PATTERN_SIZE
                    : n == 1 ? (float)(x + field) / PATTERN_SIZE / 2
                             : stepped(a, n);
            to[1] = n == 0 ? 0.25f : n == 1 ? (float)(y + field) / PATTERN_SIZE / 2 : stepped(b, n);
        }
}

static bool
make_named(struct pattern *pattern, const char *name)
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

/* ---- patterns drawn by chance ---- */

/* Returns the next number from 0 to below 1 (splitmix64). */
static double
draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static uint32_t
draw_below(uint64_t *state, uint32_t count)
{
    return (uint32_t)(draw(state) * count);
}

/* A linear map of the texel's position to the position read. The sampler repeats the texture. */
static void
make_linear(struct pattern *pattern, uint64_t *state)
{
    double factors[2][2], offsets[2];
    for (uint32_t part = 0; part < 2; part++) {
        offsets[part] = draw(state);
        for (uint32_t axis = 0; axis < 2; axis++)
            factors[part][axis] = draw_below(state, 16) - 8.0 + (draw(state) < 0.5 ? 0.5 : 0);
    }
    for (uint32_t i = 0; i < pattern->width * pattern->height; i++)
        for (uint32_t part = 0; part < 2; part++) {
            const double x = (double)(i % pattern->width) / pattern->width;
            const double y = (double)(i / pattern->width) / pattern->height;
            const double at = factors[part][0] * x + factors[part][1] * y + offsets[part];
            pattern->texcoords[i][part] = (float)(at - floor(at));
        }
}

/* Neighbours read within a window around the position of the texel, or anywhere. */
static void
make_window(struct pattern *pattern, uint64_t *state)
{
    const double window = exp2(-(double)draw_below(state, 7));
    for (uint32_t i = 0; i < pattern->width * pattern->height; i++) {
        const double place[] = {(double)(i % pattern->width) / pattern->width,
                                (double)(i / pattern->width) / pattern->height};
        for (uint32_t part = 0; part < 2; part++) {
            const double at = place[part] + (draw(state) - 0.5) * window;
            pattern->texcoords[i][part] = (float)(at - floor(at));
        }
    }
}

/* Squares of 2 to 8 texels read adjacent texels. Each square is at a random position. */
static void
make_squares(struct pattern *pattern, uint64_t *state)
{
    const uint32_t square = 2u << draw_below(state, 3);
    for (uint32_t y = 0; y < pattern->height; y += square)
        for (uint32_t x = 0; x < pattern->width; x += square) {
            const uint32_t u = draw_below(state, pattern->width);
            const uint32_t v = draw_below(state, pattern->height);
            for (uint32_t i = 0; i < square * square; i++) {
                const uint32_t dx = i % square, dy = i / square;
                float *to = pattern->texcoords[(y + dy) * pattern->width + x + dx];
                to[0] = (float)((u + dx) % pattern->width) / (float)pattern->width;
                to[1] = (float)((v + dy) % pattern->height) / (float)pattern->height;
            }
        }
}

/* Reads from a few random positions. */
static void
make_few(struct pattern *pattern, uint64_t *state)
{
    enum { MOST = 256 };
    float places[MOST][2];
    const uint32_t count = 2u << draw_below(state, 8);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t part = 0; part < 2; part++)
            places[i][part] = (float)draw(state);
    for (uint32_t i = 0; i < pattern->width * pattern->height; i++)
        memcpy(pattern->texcoords[i], places[draw_below(state, count)], sizeof places[0]);
}

/* Sides of 16 to 128 texels, and one of the kinds above. */
static void
make_chance(struct pattern *pattern, uint64_t seed)
{
    static void (*const kinds[])(struct pattern *, uint64_t *) = {make_linear, make_window,
                                                                  make_squares, make_few};
    uint64_t state = seed;
    const uint32_t side = 16u << draw_below(&state, 4);
    const uint32_t kind = draw_below(&state, sizeof kinds / sizeof kinds[0]);
    pattern_init(pattern, side, side);
    kinds[kind](pattern, &state);
}

bool
pattern_make(struct pattern *pattern, const char *name, struct error *err)
{
    static const char chance[] = "chance";
    const char *seed = name + strlen(chance);
    *pattern = (struct pattern){0};
    if (strpbrk(name, "./"))
        return pattern_read(pattern, name, err);
    if (!strncmp(name, chance, strlen(chance)) && *seed && strlen(seed) < 10 &&
        !seed[strspn(seed, "0123456789")]) {
        make_chance(pattern, strtoul(seed, NULL, 10));
        return true;
    }
    pattern_init(pattern, PATTERN_SIZE, PATTERN_SIZE);
    if (make_named(pattern, name))
        return true;
    pattern_fini(pattern);
    if (access(name, F_OK) == 0)
        return pattern_read(pattern, name, err);
    return fail(err, "'%.80s' is not an address pattern, and no such file exists", name);
}
