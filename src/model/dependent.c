/* Dependent reads: the time of a texel over the size of its texture, three straight lines - flat
 * while all is in the nearest cache, then two slopes that follow from the spectrum of the
 * addresses:
 *
 *     stripes (fx1 or fy1 0)   both slopes `cached`
 *     else                     slope + slope_fx1 fx1, and for the third line `third_low_fx2` more,
 *                              where fx2 is above 14 `third_high_fx2` more
 *
 * Ours: `third_fx1` fx1 in the third line, for a chip whose time stops to rise; and powers of two
 * apart from other sizes. */
#include "model/model.h"
#include "model/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"flat",          "cached",         "slope",    "slope_fx1",
                                    "third_low_fx2", "third_high_fx2", "third_fx1"};
enum { FACTORS = sizeof names / sizeof names[0], HIGH_FX2 = 14 };
static const char *const kinds[] = {"others", "powers"};

/* A row of the sweep: what its addresses are, and the time of a texel. */
struct read {
    struct spectrum spectrum;
    double texture, seconds;
};
struct reads {
    struct read *items;
    size_t count, capacity;
};

static char *
factor_name(bool powers, const char *name)
{
    return mem_printf("dependent.%s.%s", kinds[powers], name);
}

static double
factor_of(const struct model *model, bool powers, const char *name)
{
    char *full = factor_name(powers, name);
    const double value = model_factor(model, full);
    free(full);
    return value;
}

static void
set_factor(struct model *model, bool powers, const char *name, double value, double half)
{
    char *full = factor_name(powers, name);
    model_set_factor(model, full, value, half);
    free(full);
}

/* What each factor counts in the time of such a read. */
static void
find_terms(const struct read *read, double first, double second, double *terms)
{
    const struct spectrum *s = &read->spectrum;
    const bool cached = !s->fx[0] || !s->fy[0], high = s->fx[1] > HIGH_FX2;
    const double beyond = fmax(read->texture - first, 0), third = fmax(read->texture - second, 0);
    terms[0] = 1;
    terms[1] = cached ? beyond : 0;
    terms[2] = cached ? 0 : beyond;
    terms[3] = cached ? 0 : beyond * s->fx[0];
    terms[4] = !cached && !high ? third : 0;
    terms[5] = !cached && high ? third : 0;
    terms[6] = cached ? 0 : third * s->fx[0];
}

/* The factors for lines that meet there, and the sum of the squares of the relative errors;
 * INFINITY: they are not told. Factors that no read has a part of stay 0. */
static double
fit_lines(const struct reads *reads, double first, double second, double *factors, double *half)
{
    double *a = mem_alloc(reads->count * (FACTORS + 1) * sizeof *a);
    double *b = a + reads->count * FACTORS, terms[FACTORS], some[FACTORS], some_half[FACTORS];
    double error = 0;
    uint32_t columns[FACTORS], count = 0;
    bool seen[FACTORS] = {0};
    for (size_t r = 0; r < reads->count; r++) {
        find_terms(&reads->items[r], first, second, terms);
        for (uint32_t t = 0; t < FACTORS; t++)
            seen[t] = seen[t] || terms[t] > 0;
    }
    for (uint32_t t = 0; t < FACTORS; t++) {
        factors[t] = half[t] = 0;
        if (seen[t])
            columns[count++] = t;
    }
    for (size_t r = 0; r < reads->count; r++) {
        find_terms(&reads->items[r], first, second, terms);
        for (uint32_t t = 0; t < count; t++)
            a[r * count + t] = terms[columns[t]] / reads->items[r].seconds;
        b[r] = 1;
    }
    if (!least_squares(a, b, reads->count, count, some, some_half))
        error = INFINITY;
    for (size_t r = 0; r < reads->count && isfinite(error); r++) {
        double left = b[r];
        for (uint32_t t = 0; t < count; t++)
            left -= a[r * count + t] * some[t];
        error += left * left;
    }
    for (uint32_t t = 0; t < count && isfinite(error); t++) {
        factors[columns[t]] = some[t];
        half[columns[t]] = some_half[t];
    }
    free(a);
    return error;
}

/* Where the lines meet is tried out, at the sizes that were measured. */
static bool
fit_kind(struct model *model, const struct reads *reads, bool powers)
{
    double factors[FACTORS], half[FACTORS], best = INFINITY, first = 0, second = 0, most = 0;
    for (size_t i = 0; i < reads->count; i++)
        for (size_t j = 0; j < reads->count; j++) {
            const double s1 = reads->items[i].texture, s2 = reads->items[j].texture;
            most = fmax(most, s1);
            if (s2 <= s1)
                continue;
            const double error = fit_lines(reads, s1, s2, factors, half);
            if (error < best) {
                best = error;
                first = s1;
                second = s2;
            }
        }
    if (isinf(best))
        return false;
    fit_lines(reads, first, second, factors, half);
    set_factor(model, powers, "first", first, 0);
    set_factor(model, powers, "second", second, 0);
    set_factor(model, powers, "most", most, 0);
    for (uint32_t t = 0; t < FACTORS; t++)
        set_factor(model, powers, names[t], factors[t], half[t]);
    return true;
}

static bool
read_row(struct read *read, const struct model_row *row, struct error *err)
{
    struct pattern pattern;
    if (!pattern_make(&pattern, row->pattern))
        return fail(err, "'%s' is no pattern of addresses", row->pattern);
    *read = (struct read){.spectrum = pattern_spectrum(&pattern), .texture = row->texture};
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
    double terms[FACTORS];
    bool powers = model_is_power_of_two(row->texture);
    if (isnan(factor_of(model, powers, "flat")))
        powers = !powers;
    if (isnan(factor_of(model, powers, "flat")))
        return fail(err, "the model says nothing of dependent reads");
    if (!read_row(&read, row, err))
        return false;
    find_terms(&read, factor_of(model, powers, "first"), factor_of(model, powers, "second"), terms);
    *seconds = 0;
    for (uint32_t t = 0; t < FACTORS; t++)
        *seconds += terms[t] * factor_of(model, powers, names[t]);
    *seconds = fmax(*seconds, 0);
    *extrapolated = read.texture > factor_of(model, powers, "most");
    return true;
}
