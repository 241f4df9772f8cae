/* Dependent reads: the time of a texel over the size of its texture, straight lines that join: flat
 * while all is in the nearest cache, then slopes that follow from the spectrum of the addresses.
 * What each line adds to the slope before it:
 *
 *     few places               nothing: from the first on the slope is `cached`
 *     else                     slope + fx1 times slope_fx1, and slope_high where fx2 is above 14
 *
 * The source has three lines, with slope and slope_fx1 in the second, slope and slope_high in the
 * third, and its few places are stripes (fx1 or fy1 is 0). Ours: any of them in each line; as many
 * lines as cross-validation wants, for a chip whose time stops to rise, or rises once more; powers
 * of two apart from other sizes; few places are also those that are no more than `cached_places`,
 * since what counts for a cache is how many there are; and a size counts as the distance between
 * places makes it: with 64 columns of places a texture is to the caches like one of half its size
 * with 32. */
#include "model/model.h"
#include "model/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum line_factor { LINE_SLOPE, LINE_FX1, LINE_HIGH, LINE_FACTORS };
static const char *const names[LINE_FACTORS] = {"slope", "slope_fx1", "slope_high"};
enum all_factor { ALL_FLAT, ALL_CACHED, ALL_FACTORS };
enum { MOST_KNOTS = 4, MOST_FACTORS = ALL_FACTORS + MOST_KNOTS * LINE_FACTORS, HIGH_FX2 = 14 };
static const char *const kinds[] = {"others", "powers"};

/* A row of the sweep: what its addresses are, the size of a texture of 32 columns of places that
 * lie as they do, and the time of a texel. */
struct read {
    struct spectrum spectrum;
    double texture, seconds;
    uint32_t places;
};
struct reads {
    struct read *items;
    size_t count, capacity;
};

/* Where lines meet, and the factors: ALL_FACTORS, then LINE_FACTORS for each line behind a knot. */
struct lines {
    uint32_t knots, cached_places;
    double at[MOST_KNOTS];
    double factors[MOST_FACTORS], half[MOST_FACTORS];
};

static uint32_t
factor_count(const struct lines *lines)
{
    return ALL_FACTORS + lines->knots * LINE_FACTORS;
}

/* What each factor counts in the time of such a read. */
static void
find_terms(const struct lines *lines, const struct read *read, double *terms)
{
    const struct spectrum *s = &read->spectrum;
    const bool cached = !s->fx[0] || !s->fy[0] || read->places <= lines->cached_places;
    terms[ALL_FLAT] = 1;
    terms[ALL_CACHED] = cached ? fmax(read->texture - lines->at[0], 0) : 0;
    for (uint32_t k = 0; k < lines->knots; k++) {
        double *line = &terms[ALL_FACTORS + k * LINE_FACTORS];
        const double beyond = cached ? 0 : fmax(read->texture - lines->at[k], 0);
        line[LINE_SLOPE] = beyond;
        line[LINE_FX1] = beyond * s->fx[0];
        line[LINE_HIGH] = s->fx[1] > HIGH_FX2 ? beyond : 0;
    }
}

static double
seconds_of(const struct lines *lines, const struct read *read)
{
    double terms[MOST_FACTORS], seconds = 0;
    find_terms(lines, read, terms);
    for (uint32_t t = 0; t < factor_count(lines); t++)
        seconds += terms[t] * lines->factors[t];
    return fmax(seconds, 0);
}

/* ---- the fit ---- */

/* Every read but those of a fold; `folds` 0: all. */
struct kept {
    const struct reads *reads;
    size_t fold, folds;
    const double *weights; /* by read; NULL: all the same */
};

static bool
keeps(const struct kept *kept, size_t read)
{
    return !kept->folds || read % kept->folds != kept->fold;
}

/* Of the line factors the first `classes`, and what they have a part of. The others are 0. */
static double
fit_classes(struct lines *lines, const struct kept *kept, uint32_t classes)
{
    const struct reads *reads = kept->reads;
    double *a = mem_alloc((reads->count + 1) * (MOST_FACTORS + 1) * sizeof *a);
    double *b = a + reads->count * MOST_FACTORS, terms[MOST_FACTORS];
    double some[MOST_FACTORS], some_half[MOST_FACTORS], error = 0;
    uint32_t columns[MOST_FACTORS], count = 0;
    bool seen[MOST_FACTORS] = {0};
    size_t rows = 0;
    for (size_t r = 0; r < reads->count; r++) {
        find_terms(lines, &reads->items[r], terms);
        for (uint32_t t = 0; t < factor_count(lines); t++)
            seen[t] = seen[t] || (keeps(kept, r) && terms[t] > 0);
    }
    for (uint32_t t = 0; t < factor_count(lines); t++) {
        lines->factors[t] = lines->half[t] = 0;
        if (seen[t] && (t < ALL_FACTORS || (t - ALL_FACTORS) % LINE_FACTORS < classes))
            columns[count++] = t;
    }
    for (size_t r = 0; r < reads->count; r++) {
        if (!keeps(kept, r))
            continue;
        find_terms(lines, &reads->items[r], terms);
        const double weight = kept->weights ? kept->weights[r] : 1;
        for (uint32_t t = 0; t < count; t++)
            a[rows * count + t] = weight * terms[columns[t]] / reads->items[r].seconds;
        b[rows++] = weight;
    }
    if (!least_squares(a, b, rows, count, some, some_half))
        error = INFINITY;
    for (uint32_t t = 0; t < count && isfinite(error); t++) {
        lines->factors[columns[t]] = some[t];
        lines->half[columns[t]] = some_half[t];
    }
    for (size_t r = 0; r < rows && isfinite(error); r++) {
        double left = b[r];
        for (uint32_t t = 0; t < count; t++)
            left -= a[r * count + t] * some[t];
        error += left * left;
    }
    free(a);
    return error;
}

/* The factors for lines that meet there, and the sum of the squares of the relative errors;
 * INFINITY: they are not told. What too few reads tell apart is left out: fx2 first, then fx1. */
static double
fit_lines(struct lines *lines, const struct kept *kept)
{
    double error = INFINITY;
    for (uint32_t classes = LINE_FACTORS; classes > 0 && isinf(error); classes--)
        error = fit_classes(lines, kept, classes);
    return error;
}

/* The sizes that were measured, rising. */
struct sizes {
    VEC(double) at;
};

static int
compare_sizes(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void
find_sizes(struct sizes *sizes, const struct reads *reads)
{
    for (size_t r = 0; r < reads->count; r++) {
        size_t i = 0;
        while (i < sizes->at.count && sizes->at.items[i] != reads->items[r].texture)
            i++;
        if (i == sizes->at.count)
            VEC_PUSH(&sizes->at, reads->items[r].texture);
    }
    if (sizes->at.count)
        qsort(sizes->at.items, sizes->at.count, sizeof *sizes->at.items, compare_sizes);
}

/* `knots` more at sizes from `from` on: all ways are tried. */
static void
try_knots(struct lines *best, double *error, struct lines *lines, uint32_t knots,
          const struct sizes *sizes, size_t from, const struct kept *kept)
{
    if (!knots) {
        const double now = fit_lines(lines, kept);
        if (now < *error) {
            *error = now;
            *best = *lines;
        }
        return;
    }
    for (size_t i = from; i + knots < sizes->at.count; i++) { /* behind the last is nothing */
        lines->at[lines->knots++] = sizes->at.items[i];
        try_knots(best, error, lines, knots - 1, sizes, i + 1, kept);
        lines->knots--;
    }
}

/* From the least squares of the relative errors to the least sum of them: here and there the places
 * of a pattern and a size meet in few sets of a cache, and such a read would outweigh all others.
 * Each error is weighed by one over itself as it last was. */
static void
settle_lines(struct lines *lines, const struct kept *kept)
{
    enum { ROUNDS = 8 };
    const double least = 0.02;
    double *weights = mem_alloc((kept->reads->count + 1) * sizeof *weights);
    struct kept weighed = *kept;
    weighed.weights = weights;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct lines now = *lines;
        for (size_t r = 0; r < kept->reads->count; r++) {
            const struct read *read = &kept->reads->items[r];
            weights[r] = 1 / sqrt(fmax(fabs(seconds_of(lines, read) / read->seconds - 1), least));
        }
        if (isinf(fit_lines(&now, &weighed)))
            break;
        *lines = now;
    }
    free(weights);
}

/* Few places are as many as some pattern has, or those of stripes alone. */
static bool
fit_knots(struct lines *best, uint32_t knots, const struct sizes *sizes, const struct kept *kept)
{
    struct lines lines = {0};
    double error = INFINITY;
    try_knots(best, &error, &lines, knots, sizes, 0, kept);
    for (size_t r = 0; r < kept->reads->count; r++) {
        const uint32_t places = kept->reads->items[r].places;
        bool is_new = true;
        for (size_t i = 0; i < r; i++)
            is_new = is_new && kept->reads->items[i].places != places;
        lines.cached_places = places;
        if (is_new)
            try_knots(best, &error, &lines, knots, sizes, 0, kept);
    }
    if (isfinite(error))
        settle_lines(best, kept);
    return isfinite(error);
}

/* As splines do (spline.c): the fewest whose mean error at reads that were left out is within a
 * tenth of the best. 0: none can be fitted. */
static uint32_t
choose_knots(const struct reads *reads, const struct sizes *sizes)
{
    enum { FOLDS = 8 };
    const double enough = 1.1;
    double errors[MOST_KNOTS + 1];
    uint32_t best = 0;
    for (uint32_t knots = 1; knots <= MOST_KNOTS; knots++) {
        errors[knots] = 0;
        for (size_t fold = 0; fold < FOLDS && isfinite(errors[knots]); fold++) {
            const struct kept kept = {reads, fold, FOLDS, NULL};
            struct lines lines;
            if (!fit_knots(&lines, knots, sizes, &kept)) {
                errors[knots] = INFINITY;
                break;
            }
            for (size_t r = fold; r < reads->count; r += FOLDS)
                errors[knots] +=
                    fabs(seconds_of(&lines, &reads->items[r]) / reads->items[r].seconds - 1);
        }
        if (isfinite(errors[knots]) && (!best || errors[knots] < errors[best]))
            best = knots;
    }
    for (uint32_t knots = 1; knots < best; knots++)
        if (errors[knots] <= enough * errors[best])
            return knots;
    return best;
}

/* ---- in the model ---- */

static char *
factor_name(bool powers, const char *name, uint32_t line)
{
    return line ? mem_printf("dependent.%s.%s%u", kinds[powers], name, line)
                : mem_printf("dependent.%s.%s", kinds[powers], name);
}

static double
factor_of(const struct model *model, bool powers, const char *name, uint32_t line)
{
    char *full = factor_name(powers, name, line);
    const double value = model_factor(model, full);
    free(full);
    return value;
}

static void
set_factor(struct model *model, bool powers, const char *name, uint32_t line, double value,
           double half)
{
    char *full = factor_name(powers, name, line);
    model_set_factor(model, full, value, half);
    free(full);
}

static void
set_lines(struct model *model, bool powers, const struct lines *lines, double most)
{
    set_factor(model, powers, "flat", 0, lines->factors[ALL_FLAT], lines->half[ALL_FLAT]);
    set_factor(model, powers, "cached", 0, lines->factors[ALL_CACHED], lines->half[ALL_CACHED]);
    set_factor(model, powers, "cached_places", 0, lines->cached_places, 0);
    set_factor(model, powers, "most", 0, most, 0);
    for (uint32_t k = 0; k < lines->knots; k++) {
        set_factor(model, powers, "from", k + 1, lines->at[k], 0);
        for (uint32_t f = 0; f < LINE_FACTORS; f++)
            set_factor(model, powers, names[f], k + 1,
                       lines->factors[ALL_FACTORS + k * LINE_FACTORS + f],
                       lines->half[ALL_FACTORS + k * LINE_FACTORS + f]);
    }
}

/* False: the model has none of the kind. */
static bool
lines_of(struct lines *lines, const struct model *model, bool powers)
{
    *lines = (struct lines){.factors = {[ALL_FLAT] = factor_of(model, powers, "flat", 0),
                                        [ALL_CACHED] = factor_of(model, powers, "cached", 0)}};
    const double places = factor_of(model, powers, "cached_places", 0);
    lines->cached_places = places > 0 ? (uint32_t)fmin(places, UINT32_MAX) : 0;
    for (uint32_t k = 0; k < MOST_KNOTS; k++) {
        lines->at[k] = factor_of(model, powers, "from", k + 1);
        if (isnan(lines->at[k]))
            break;
        lines->knots++;
        for (uint32_t f = 0; f < LINE_FACTORS; f++)
            lines->factors[ALL_FACTORS + k * LINE_FACTORS + f] =
                factor_of(model, powers, names[f], k + 1);
    }
    return !isnan(lines->factors[ALL_FLAT]);
}

static bool
fit_kind(struct model *model, const struct reads *reads, bool powers)
{
    struct sizes sizes = {0};
    struct lines lines;
    const struct kept all = {.reads = reads};
    find_sizes(&sizes, reads);
    const uint32_t knots = choose_knots(reads, &sizes);
    const bool ok = knots > 0 && fit_knots(&lines, knots, &sizes, &all);
    if (ok)
        set_lines(model, powers, &lines, sizes.at.items[sizes.at.count - 1]);
    VEC_FREE(&sizes.at);
    return ok;
}

static bool
read_row(struct read *read, const struct model_row *row, struct error *err)
{
    struct pattern pattern;
    if (!pattern_make(&pattern, row->pattern))
        return fail(err, "'%s' is no pattern of addresses", row->pattern);
    const struct footprint footprint = pattern_footprint(&pattern);
    *read = (struct read){.spectrum = pattern_spectrum(&pattern),
                          .texture = row->texture * footprint.pitch * PATTERN_SIZE,
                          .places = footprint.places};
    return true;
}

bool
model_fit_dependent(struct model *model, const struct model_rows *rows, const bool *fitted,
                    struct error *err)
{
    struct reads reads[2] = {{0}};
    bool ok = true;
    for (size_t i = 0; ok && i < rows->count; i++) {
        const struct model_row *row = &rows->items[i];
        struct read read;
        if ((fitted && !fitted[i]) || strcmp(row->sweep, "dependent") != 0)
            continue;
        ok = read_row(&read, row, err);
        read.seconds = ok ? model_measured(model, row) : 0;
        if (ok && !(read.seconds > 0 && isfinite(read.seconds)))
            ok =
                fail(err, "dependent: a row lacks the texture or the number of dependent reads, or "
                          "takes less than a frame without fragments");
        if (ok)
            VEC_PUSH(&reads[model_is_power_of_two(row->texture)], read);
    }
    if (ok) {
        const bool powers = fit_kind(model, &reads[1], true);
        ok = fit_kind(model, &reads[0], false) || powers ||
             fail(err, "dependent: too few sizes of the texture, or all alike");
    }
    VEC_FREE(&reads[0]);
    VEC_FREE(&reads[1]);
    return ok;
}

bool
model_dependent_seconds(const struct model *model, const struct model_row *row, double *seconds,
                        bool *extrapolated, struct error *err)
{
    struct read read;
    struct lines lines;
    bool powers = model_is_power_of_two(row->texture);
    if (!lines_of(&lines, model, powers) && !lines_of(&lines, model, powers = !powers))
        return fail(err, "the model says nothing of dependent reads");
    if (!read_row(&read, row, err))
        return false;
    *seconds = seconds_of(&lines, &read);
    *extrapolated = read.texture > factor_of(model, powers, "most", 0);
    return true;
}
