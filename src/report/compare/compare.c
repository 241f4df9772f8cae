#include "report/compare/compare.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOLERANCE = 2 };

static const uint8_t *
pixel_at(const struct picture *picture, uint32_t x, uint32_t y)
{
    return picture->rgba + 4 * ((size_t)y * picture->width + x);
}

/* Whether the simulated pixel is within the range of the reference's 3x3 neighbourhood, and that
 * range is wide enough to be an edge. */
static bool
is_edge_difference(const struct picture *reference, uint32_t x, uint32_t y,
                   const uint8_t *simulated, uint32_t channels)
{
    uint32_t x0 = x ? x - 1 : 0, x1 = x + 1 < reference->width ? x + 1 : x;
    uint32_t y0 = y ? y - 1 : 0, y1 = y + 1 < reference->height ? y + 1 : y;
    bool wide = false;
    for (uint32_t c = 0; c < channels; c++) {
        int least = 255, most = 0;
        for (uint32_t v = y0; v <= y1; v++)
            for (uint32_t u = x0; u <= x1; u++) {
                int value = pixel_at(reference, u, v)[c];
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
        wide = wide || most - least > TOLERANCE;
        if (simulated[c] < least - TOLERANCE || simulated[c] > most + TOLERANCE)
            return false;
    }
    return wide;
}

bool
picture_compare(const struct picture *reference, const struct picture *simulated,
                struct picture_difference *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    if (reference->width != simulated->width || reference->height != simulated->height)
        return fail(err, "the pictures have different sizes: %ux%u and %ux%u", reference->width,
                    reference->height, simulated->width, simulated->height);
    uint32_t channels = reference->has_alpha && simulated->has_alpha ? 4 : 3;
    for (uint32_t y = 0; y < reference->height; y++)
        for (uint32_t x = 0; x < reference->width; x++) {
            const uint8_t *a = pixel_at(reference, x, y), *b = pixel_at(simulated, x, y);
            uint32_t most = 0;
            for (uint32_t c = 0; c < channels; c++) {
                uint32_t off = a[c] > b[c] ? a[c] - b[c] : b[c] - a[c];
                most = off > most ? off : most;
                out->squares += off * off;
            }
            out->identical += most == 0;
            out->within_1 += most <= 1;
            if (most > out->max_difference)
                out->max_difference = most;
            if (most <= TOLERANCE)
                continue;
            if (is_edge_difference(reference, x, y, b, channels))
                out->edge_differences++;
            else
                out->interior_errors++;
        }
    out->pixels = (uint64_t)reference->width * reference->height;
    out->samples = out->pixels * channels;
    return true;
}

void
picture_difference_add(struct picture_difference *total, const struct picture_difference *more)
{
    total->pixels += more->pixels;
    total->identical += more->identical;
    total->within_1 += more->within_1;
    total->edge_differences += more->edge_differences;
    total->interior_errors += more->interior_errors;
    if (more->max_difference > total->max_difference)
        total->max_difference = more->max_difference;
    total->squares += more->squares;
    total->samples += more->samples;
}

double
picture_psnr(const struct picture_difference *difference)
{
    if (difference->squares == 0)
        return (double)NAN;
    double mean = (double)difference->squares / (double)difference->samples;
    return 10 * log10(255.0 * 255.0 / mean);
}

void
picture_subtract(const struct picture *reference, const struct picture *simulated, int sign,
                 struct picture *out)
{
    size_t pixels = (size_t)reference->width * reference->height;
    *out = (struct picture){.width = reference->width, .height = reference->height};
    out->rgba = mem_array(pixels, 4);
    for (size_t i = 0; i < 4 * pixels; i++) {
        int difference = sign * (simulated->rgba[i] - reference->rgba[i]);
        out->rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(difference > 0 ? difference : 0);
    }
}
