/* Dependent reads by the published method: three straight lines of the time per texel over the
 * texture's size. Their slopes follow from the strongest frequencies of the address texture along
 * its rows (fx1, fx2) and its columns (fy1).
 *
 *     flat                                          up to the first size
 *     + slope + fx1 x slope_fx1 per texel           beyond the first size (equation 5.8)
 *     + low, or high if fx2 > 14, per texel         beyond the second size (equation 5.9)
 *     + stripes per texel, instead of both slopes   if fx1 or fy1 is 0
 *
 * The source fits one chip. Here the two sizes and the six factors are fitted to each machine, with
 * least squares of the relative error. The sizes are those of the sweep with the least error. */
#include "model/model.h"
#include "model/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACTORS = 6, HIGH_FX2 = 14, MOST_SIDE = 256, MOST_FREQUENCIES = MOST_SIDE / 2 + 1 };
static const char *const factor_names[FACTORS] = {"published.flat",  "published.stripes",
                                                  "published.slope", "published.slope_fx1",
                                                  "published.low",   "published.high"};

/* Cycles per 32 texels. */
struct spectrum {
    double fx1, fx2, fy1;
};

/* Adds the power of each frequency of a row or column, without the mean. `stride`: floats from one
 * texel to the next. */
static void
add_power(const float *first, size_t stride, uint32_t count, double *power)
{
    for (uint32_t f = 1; f <= count / 2; f++) {
        double re = 0, im = 0;
        for (uint32_t i = 0; i < count; i++) {
            const double turn = 2 * M_PI * (double)(f * i % count) / count;
            re += (double)first[i * stride] * cos(turn);
            im += (double)first[i * stride] * sin(turn);
        }
        power[f] += re * re + im * im;
    }
}

/* The two strongest of `count` frequencies, in cycles per 32 texels. 0: there is no such one. */
static void
find_strongest(const double *power, uint32_t count, double *first, double *second)
{
    const double none = 1e-6; /* rounding errors of a constant row */
    uint32_t strongest[2] = {0};
    for (uint32_t f = 1; f <= count / 2; f++) {
        if (power[f] <= none)
            continue;
        if (power[f] > power[strongest[0]] * (1 + 1e-9)) {
            strongest[1] = strongest[0];
            strongest[0] = f;
        } else if (power[f] > power[strongest[1]] * (1 + 1e-9)) {
            strongest[1] = f;
        }
    }
    *first = (double)strongest[0] * PATTERN_SIZE / count;
    *second = (double)strongest[1] * PATTERN_SIZE / count;
}

static bool
find_spectrum(struct spectrum *spectrum, const char *name, struct error *err)
{
    double along[MOST_FREQUENCIES] = {0}, down[MOST_FREQUENCIES] = {0}, fy2;
    struct pattern pattern;
    if (!pattern_make(&pattern, name, err))
        return false;
    const uint32_t width = pattern.width, height = pattern.height;
    const bool ok = (width <= MOST_SIDE && height <= MOST_SIDE) ||
                    fail(err,
                         "%s: the published method takes address textures of at most %d texels "
                         "per side, not %ux%u",
                         name, MOST_SIDE, width, height);
    for (uint32_t part = 0; ok && part < 2; part++) {
        for (uint32_t y = 0; y < height; y++)
            add_power(&pattern.texcoords[(size_t)y * width][part], 2, width, along);
        for (uint32_t x = 0; x < width; x++)
            add_power(&pattern.texcoords[x][part], (size_t)width * 2, height, down);
    }
    find_strongest(along, ok ? width : 1, &spectrum->fx1, &spectrum->fx2);
    find_strongest(down, ok ? height : 1, &spectrum->fy1, &fy2);
    pattern_fini(&pattern);
    return ok;
}

/* A row of the sweep. */
struct read {
    struct spectrum spectrum;
    double texture, seconds, doubt; /* doubt: divisor of the relative error */
};
struct reads {
    VEC(struct read) rows;
};

struct lines {
    double first, second; /* sizes at which the lines meet */
    double factors[FACTORS], half[FACTORS];
};

static void
find_terms(const struct lines *lines, const struct read *read, double *terms)
{
    const struct spectrum *s = &read->spectrum;
    const bool stripes = !(s->fx1 > 0 && s->fy1 > 0), high = s->fx2 > HIGH_FX2;
    const double beyond = fmax(read->texture - lines->first, 0);
    const double third = stripes ? 0 : fmax(read->texture - lines->second, 0);
    terms[0] = 1;
    terms[1] = stripes ? beyond : 0;
    terms[2] = stripes ? 0 : beyond;
    terms[3] = stripes ? 0 : beyond * s->fx1;
    terms[4] = high ? 0 : third;
    terms[5] = high ? third : 0;
}

static double
seconds_of(const struct lines *lines, const struct read *read)
{
    double terms[FACTORS], seconds = 0;
    find_terms(lines, read, terms);
    for (uint32_t t = 0; t < FACTORS; t++)
        seconds += terms[t] * lines->factors[t];
    return seconds;
}

/* Fits the factors for the two sizes. Factors without a term in any row stay 0. Returns the sum of
 * the squared relative errors, or infinity if the rows do not determine the factors. */
static double
fit_factors(struct lines *lines, const struct reads *reads)
{
    const size_t count = reads->rows.count;
    double *a = mem_array((count + 1) * (FACTORS + 1), sizeof *a), *b = a + count * FACTORS;
    double some[FACTORS], half[FACTORS], terms[FACTORS], error = 0;
    uint32_t columns[FACTORS], used = 0;
    bool seen[FACTORS] = {0};
    for (size_t r = 0; r < count; r++) {
        find_terms(lines, &reads->rows.items[r], terms);
        for (uint32_t t = 0; t < FACTORS; t++)
            seen[t] = seen[t] || terms[t] > 0;
    }
    for (uint32_t t = 0; t < FACTORS; t++) {
        lines->factors[t] = lines->half[t] = 0;
        if (seen[t])
            columns[used++] = t;
    }
    for (size_t r = 0; r < count; r++) {
        find_terms(lines, &reads->rows.items[r], terms);
        for (uint32_t c = 0; c < used; c++)
            a[r * used + c] =
                terms[columns[c]] / (reads->rows.items[r].seconds * reads->rows.items[r].doubt);
        b[r] = 1 / reads->rows.items[r].doubt;
    }
    const bool ok = count >= used && least_squares(a, b, count, used, some, half);
    for (uint32_t c = 0; ok && c < used; c++) {
        lines->factors[columns[c]] = some[c];
        lines->half[columns[c]] = half[c];
    }
    for (size_t r = 0; ok && r < count; r++) {
        const struct read *read = &reads->rows.items[r];
        error += pow((seconds_of(lines, read) / read->seconds - 1) / read->doubt, 2);
    }
    free(a);
    return ok ? error : INFINITY;
}

/* Tries all pairs of sizes of the rows. */
static bool
fit_lines(struct lines *best, const struct reads *reads)
{
    double least = INFINITY;
    const struct read *rows = reads->rows.items;
    for (size_t i = 0; i < reads->rows.count; i++)
        for (size_t j = 0; j < reads->rows.count; j++) {
            struct lines lines = {.first = rows[i].texture, .second = rows[j].texture};
            bool again = lines.second <= lines.first;
            for (size_t r = 0; r < i && !again; r++)
                again = rows[r].texture == lines.first;
            for (size_t r = 0; r < j && !again; r++)
                again = rows[r].texture == lines.second;
            const double error = again ? (double)INFINITY : fit_factors(&lines, reads);
            if (error < least) {
                least = error;
                *best = lines;
            }
        }
    return isfinite(least);
}

void
model_fit_published(struct model *model, const struct model_rows *rows, const bool *fitted)
{
    struct reads reads = {0};
    struct lines lines = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < rows->count; i++) {
        const struct model_row *row = &rows->items[i];
        struct read read = {.texture = row->texture};
        if ((fitted && !fitted[i]) || !model_row_is_of(row, MODEL_SWEEP_dependent) ||
            model_texel_bytes(row->format) != model_dependent_bytes(rows))
            continue;
        read.seconds = model_measured(model, row);
        read.doubt = model_doubt(row);
        ok = read.seconds > 0 && isfinite(read.seconds) &&
             find_spectrum(&read.spectrum, row->pattern, NULL);
        VEC_PUSH(&reads.rows, read);
    }
    if (ok && fit_lines(&lines, &reads)) {
        model_set_factor(model, "published.first", lines.first, 0);
        model_set_factor(model, "published.second", lines.second, 0);
        for (uint32_t t = 0; t < FACTORS; t++)
            model_set_factor(model, factor_names[t], lines.factors[t], lines.half[t]);
    }
    VEC_FREE(&reads.rows);
}

bool
model_published_find(struct model_dependent *found, const struct model *model,
                     const struct model_row *row, struct error *err)
{
    struct lines lines = {
        model_factor(model, "published.first"), model_factor(model, "published.second"), {0}, {0}};
    struct read read = {.texture = row->texture};
    for (uint32_t t = 0; t < FACTORS; t++)
        lines.factors[t] = model_factor(model, factor_names[t]);
    if (isnan(lines.first) || isnan(lines.second))
        return fail(err, "the model has no published lines: fit it again");
    if (!find_spectrum(&read.spectrum, row->pattern, err))
        return false;
    const double seconds = seconds_of(&lines, &read);
    *found =
        (struct model_dependent){seconds, row->texture > model_factor(model, "dependent.most")};
    return (seconds > 0 && isfinite(seconds)) ||
           fail(err, "the published lines give %g s per texel", seconds);
}
