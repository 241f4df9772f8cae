/* Dependent reads: the time per texel follows from cache misses.
 *
 *      seconds = flat + misses x miss + second-level misses x second-level miss
 *
 * where flat is the cost of a read without misses, one per format.
 *
 * The misses of one level are those of the busiest memory channel, times the number of channels
 * (cache_shape.h). Without channels, all miss costs at textures of powers of two would be higher:
 * there, regular addresses map to few channels.
 *
 * The fit uses the cache shapes and the number of channels whose misses best explain the times. It
 * adds a second level if this reduces the error by more than a tenth.
 *
 * The source instead uses straight lines over the texture size (published.c). Their slopes follow
 * from the two strongest frequencies of the addresses. These frequencies do not show which
 * positions share a set. */
#include "model/cache_shape.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Costs: a miss of either level, and the read itself, one per format. */
static const double format_bytes[] = {0.5, 4, 8, 16};
enum {
    MISS,
    SECOND,
    FLAT,
    FORMATS = sizeof format_bytes / sizeof format_bytes[0],
    FACTORS = FLAT + FORMATS,
    MOST_LOG2 = 14
};

/* A row of the sweep: its reads, and the time per texel. */
struct read {
    struct cache_reads reads;
    uint32_t side, flat;   /* flat: index of the cost without misses */
    double misses, second; /* for the cache shapes under test */
    double seconds, doubt; /* doubt: divisor of the relative error */
};
struct reads {
    VEC(struct read) rows;
};

static void
reads_fini(struct reads *reads)
{
    for (size_t r = 0; r < reads->rows.count; r++)
        cache_reads_fini(&reads->rows.items[r].reads);
    VEC_FREE(&reads->rows);
}

struct dependent {
    struct cache_shape shape, second;       /* 0 units: no such cache */
    uint32_t channels;                      /* logarithm of the number of memory channels */
    double factors[FACTORS], half[FACTORS]; /* NaN: unknown */
};

static double
seconds_of(const struct dependent *d, const struct read *read)
{
    const double cost = read->misses > 0 ? read->misses * d->factors[MISS] : 0;
    const double second = read->second > 0 ? read->second * d->factors[SECOND] : 0;
    return d->factors[read->flat] + fmax(cost + second, 0); /* unknown costs (NaN) count as 0 */
}

/* ---- fit ---- */

/* Relative error of performance, as in the check of the stages. */
static double
error_of(const struct dependent *d, const struct read *read)
{
    return fabs(read->seconds / seconds_of(d, read) - 1);
}

/* Weighted least squares of the times. Returns false if the times do not determine the factors. */
static bool
fit_weighed(struct dependent *d, const struct reads *reads, const double *weights)
{
    const size_t count = reads->rows.count;
    double *a = mem_array((count + 1) * (FACTORS + 1), sizeof *a), *b = a + count * FACTORS;
    double some[FACTORS], half[FACTORS];
    uint32_t of[FACTORS], columns = 0;
    bool seen[FACTORS] = {0};
    for (size_t r = 0; r < count; r++) {
        seen[MISS] = seen[MISS] || reads->rows.items[r].misses > 0;
        seen[SECOND] = seen[SECOND] || reads->rows.items[r].second > 0;
        seen[reads->rows.items[r].flat] = true;
    }
    for (uint32_t f = 0; f < FACTORS; f++) {
        d->factors[f] = NAN;
        d->half[f] = 0;
        if (seen[f])
            of[columns++] = f;
    }
    for (size_t r = 0; r < count; r++) {
        const struct read *read = &reads->rows.items[r];
        double terms[FACTORS] = {read->misses, read->second};
        terms[read->flat] = 1;
        for (uint32_t c = 0; c < columns; c++)
            a[r * columns + c] = weights[r] * terms[of[c]];
        b[r] = weights[r] * read->seconds;
    }
    const bool ok = count >= columns && least_squares(a, b, count, columns, some, half);
    for (uint32_t c = 0; ok && c < columns; c++) {
        d->factors[of[c]] = some[c];
        d->half[of[c]] = half[c];
    }
    free(a);
    return ok;
}

/* Minimizes the sum of relative errors by reweighted least squares. In plain least squares, a few
 * reads that no cache shape explains would dominate. Each read's squared error is weighted by the
 * reciprocal of its previous error. */
static bool
fit_costs(struct dependent *d, struct reads *reads, const double *misses, const double *second,
          double *error)
{
    enum { ROUNDS = 12 };
    const double least = 0.02;
    const size_t count = reads->rows.count;
    double *weights = mem_array(count + 1, sizeof *weights);
    bool ok = true;
    for (size_t r = 0; r < count; r++) {
        reads->rows.items[r].misses = misses[r];
        reads->rows.items[r].second = second ? second[r] : 0;
        weights[r] = 1 / (reads->rows.items[r].seconds * reads->rows.items[r].doubt);
    }
    for (uint32_t round = 0; ok && round < ROUNDS; round++) {
        ok = fit_weighed(d, reads, weights);
        for (size_t r = 0; ok && r < count; r++)
            weights[r] = 1 / (reads->rows.items[r].doubt * seconds_of(d, &reads->rows.items[r]) *
                              sqrt(fmax(error_of(d, &reads->rows.items[r]), least)));
    }
    *error = 0;
    for (size_t r = 0; ok && r < count; r++)
        *error += error_of(d, &reads->rows.items[r]) / reads->rows.items[r].doubt;
    free(weights);
    return ok;
}

/* A candidate shape: its misses per read, and the error of the times with this shape alone. */
struct trial {
    struct cache_shape shape;
    uint32_t channels;
    size_t number;
    double *misses, error;
};
struct trials {
    VEC(struct trial) items;
};

static int
by_error(const void *a, const void *b)
{
    const struct trial *x = a, *y = b;
    return x->error != y->error    ? (x->error < y->error ? -1 : 1)
           : x->number < y->number ? -1
                                   : x->number > y->number;
}

/* Adds a trial of the shape for each number of channels. */
static void
add_trials(struct trials *trials, struct reads *reads, const struct cache_shape *shape)
{
    const size_t count = reads->rows.count, first = trials->items.count;
    for (uint32_t n = 0; n < CACHE_CHANNEL_COUNTS; n++) {
        struct trial trial = {*shape, n, first + n, mem_array(count + 1, sizeof *trial.misses),
                              INFINITY};
        VEC_PUSH(&trials->items, trial);
    }
    for (size_t r = 0; r < count; r++) {
        struct cache_misses misses;
        cache_misses(shape, &reads->rows.items[r].reads, &misses);
        for (uint32_t n = 0; n < CACHE_CHANNEL_COUNTS; n++)
            trials->items.items[first + n].misses[r] = misses.by_channels[n];
    }
    for (uint32_t n = 0; n < CACHE_CHANNEL_COUNTS; n++) {
        struct trial *trial = &trials->items.items[first + n];
        struct dependent d = {.shape = *shape, .channels = n};
        if (!fit_costs(&d, reads, trial->misses, NULL, &trial->error))
            trial->error = INFINITY;
    }
}

static void
find_trials(struct trials *trials, struct reads *reads)
{
    struct cache_shape shape;
    for (size_t i = 0; cache_shape_nth(&shape, i); i++)
        add_trials(trials, reads, &shape);
    if (trials->items.count)
        qsort(trials->items.items, trials->items.count, sizeof *trials->items.items, by_error);
}

/* Tries all pairs of candidate caches with equal units and line sizes as first and second level. */
static double
add_second(struct dependent *best, struct reads *reads, const struct trials *trials)
{
    double least = INFINITY, error;
    for (size_t i = 0; i < trials->items.count; i++)
        for (size_t j = 0; j < trials->items.count; j++) {
            const struct trial *a = &trials->items.items[i], *b = &trials->items.items[j];
            struct dependent now = {.shape = a->shape, .second = b->shape, .channels = a->channels};
            if (i == j || b->channels || a->shape.units != b->shape.units ||
                a->shape.line != b->shape.line)
                continue;
            if (fit_costs(&now, reads, a->misses, b->misses, &error) && error < least) {
                *best = now;
                least = error;
            }
        }
    return least;
}

/* Returns false if the times determine no shape. */
static bool
fit_shapes(struct dependent *d, struct reads *reads)
{
    /* prefers the simpler model, like the choice of segments in spline.c */
    const double enough = 1.1;
    const double exact = 1e-4; /* per read; smaller errors are not worth a second level */
    struct trials trials = {0};
    struct dependent two = {0};
    double error;
    find_trials(&trials, reads);
    const struct trial *first = trials.items.items;
    const bool ok = trials.items.count && isfinite(first->error);
    if (ok) {
        *d = (struct dependent){.shape = first->shape, .channels = first->channels};
        fit_costs(d, reads, first->misses, NULL, &error);
        if (error > exact * (double)reads->rows.count &&
            add_second(&two, reads, &trials) * enough < error)
            *d = two;
    }
    for (size_t i = 0; i < trials.items.count; i++)
        free(trials.items.items[i].misses);
    VEC_FREE(&trials.items);
    return ok;
}

/* ---- storage in the model ---- */

static void
set_dependent(struct model *model, const struct dependent *d, double most, double bytes)
{
    model_set_factor(model, "dependent.units", d->shape.units, 0);
    model_set_factor(model, "dependent.line", d->shape.line, 0);
    model_set_factor(model, "dependent.sets", d->shape.sets, 0);
    model_set_factor(model, "dependent.ways", d->shape.ways, 0);
    if (d->second.units) {
        model_set_factor(model, "dependent.second.sets", d->second.sets, 0);
        model_set_factor(model, "dependent.second.ways", d->second.ways, 0);
        model_set_factor(model, "dependent.second.miss", d->factors[SECOND], d->half[SECOND]);
    }
    model_set_factor(model, "dependent.channels", 1u << d->channels, 0);
    model_set_factor(model, "dependent.most", most, 0);
    model_set_factor(model, "dependent.bytes", bytes, 0);
    for (uint32_t f = 0; f < FORMATS; f++) {
        char name[64] = "dependent.flat";
        if (format_bytes[f] != bytes)
            snprintf(name, sizeof name, "dependent.flat.%g", format_bytes[f]);
        if (!isnan(d->factors[FLAT + f]))
            model_set_factor(model, name, d->factors[FLAT + f], d->half[FLAT + f]);
    }
    if (!isnan(d->factors[MISS]))
        model_set_factor(model, "dependent.miss", d->factors[MISS], d->half[MISS]);
}

/* Reads a size, which must be a power of two from 1 to `most`. */
static bool
take_size(uint32_t *size, const struct model *model, const char *name, uint32_t most)
{
    const double value = model_factor(model, name);
    if (!(value >= 1 && value <= most && model_is_power_of_two(value)))
        return false;
    *size = (uint32_t)value;
    return true;
}

static bool
get_dependent(struct dependent *d, const struct model *model, struct error *err)
{
    const double bytes = model_factor(model, "dependent.bytes");
    const double flat = model_factor(model, "dependent.flat");
    *d = (struct dependent){0};
    for (uint32_t f = 0; f < FORMATS; f++) {
        char name[64];
        snprintf(name, sizeof name, "dependent.flat.%g", format_bytes[f]);
        d->factors[FLAT + f] = format_bytes[f] == bytes ? flat : model_factor(model, name);
    }
    d->factors[SECOND] = model_factor(model, "dependent.second.miss");
    d->factors[MISS] = model_factor(model, "dependent.miss");
    uint32_t channels = 0;
    if (isnan(flat))
        return fail(err, "the model has no data for dependent reads");
    bool ok = take_size(&d->shape.units, model, "dependent.units", 16) &&
              take_size(&d->shape.line, model, "dependent.line", 1 << 16) &&
              take_size(&d->shape.sets, model, "dependent.sets", 1 << 16) &&
              take_size(&d->shape.ways, model, "dependent.ways", 1 << 10) &&
              take_size(&channels, model, "dependent.channels", CACHE_MOST_CHANNELS);
    while (ok && 1u << d->channels < channels)
        d->channels++;
    d->second = d->shape;
    if (isnan(d->factors[SECOND]))
        d->second.units = 0;
    else
        ok = ok && take_size(&d->second.sets, model, "dependent.second.sets", 1 << 16) &&
             take_size(&d->second.ways, model, "dependent.second.ways", 1 << 10);
    return ok || fail(err, "the model's caches for dependent reads are invalid: units, line, sets, "
                           "ways and channels must be powers of two");
}

double
model_texel_bytes(const char *format)
{
    return !strcmp(format, "DXT1")      ? 0.5
           : !strcmp(format, "RGBX8")   ? 4
           : !strcmp(format, "RGBA8")   ? 4
           : !strcmp(format, "RGBA16F") ? 8
                                        : 16;
}

double
model_dependent_bytes(const struct model_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (model_row_is_of(&rows->items[i], MODEL_SWEEP_dependent))
            return model_texel_bytes(rows->items[i].format);
    return 0;
}

static bool
read_row(struct read *read, const struct model_row *row, struct error *err)
{
    const double most = 1u << MOST_LOG2;
    struct pattern pattern;
    *read = (struct read){0};
    if (!(row->texture >= 1 && row->texture <= most))
        return fail(err, "dependent reads: a texture has 1 to %.0f texels per side", most);
    if (!pattern_make(&pattern, row->pattern, err))
        return false;
    read->side = (uint32_t)row->texture;
    for (uint32_t f = 0; f < FORMATS; f++)
        if (format_bytes[f] == model_texel_bytes(row->format))
            read->flat = FLAT + f;
    if (!strcmp(row->format, "RGBX8"))
        pattern_round(&pattern);
    cache_reads_find(&read->reads, &pattern, read->side, model_texel_bytes(row->format));
    pattern_fini(&pattern);
    return true;
}

static bool
take_rows(struct reads *reads, const struct model *model, const struct model_rows *rows,
          const bool *fitted, struct error *err)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct model_row *row = &rows->items[i];
        struct read read;
        if ((fitted && !fitted[i]) || !model_row_is_of(row, MODEL_SWEEP_dependent))
            continue;
        if (!read_row(&read, row, err))
            return false;
        read.seconds = model_measured(model, row);
        read.doubt = model_doubt(row);
        VEC_PUSH(&reads->rows, read);
        if (!(read.seconds > 0 && isfinite(read.seconds)))
            return fail(err, "dependent: a row lacks the texture or the number of dependent reads, "
                             "or is faster than a frame without fragments");
    }
    return true;
}

bool
model_fit_dependent(struct model *model, const struct model_rows *rows, const bool *fitted,
                    struct error *err)
{
    struct reads reads = {0};
    struct dependent best = {0};
    double most = 0;
    bool ok = take_rows(&reads, model, rows, fitted, err);
    for (size_t r = 0; r < reads.rows.count; r++)
        most = fmax(most, reads.rows.items[r].side);
    ok = ok && (fit_shapes(&best, &reads) ||
                fail(err, "dependent: too few texture sizes, or all are equal"));
    if (ok)
        set_dependent(model, &best, most, model_dependent_bytes(rows));
    reads_fini(&reads);
    return ok;
}

bool
model_dependent_find(struct model_dependent *found, const struct model *model,
                     const struct model_row *row, struct error *err)
{
    struct dependent d;
    struct cache_misses misses;
    struct read read;
    if (!get_dependent(&d, model, err) || !read_row(&read, row, err))
        return false;
    cache_misses(&d.shape, &read.reads, &misses);
    read.misses = misses.by_channels[d.channels];
    if (d.second.units) {
        cache_misses(&d.second, &read.reads, &misses);
        read.second = misses.by_channels[0];
    }
    cache_reads_fini(&read.reads);
    const bool is_measured = !isnan(d.factors[read.flat]);
    if (!is_measured)
        d.factors[read.flat] = model_factor(model, "dependent.flat");
    *found = (struct model_dependent){
        .seconds = seconds_of(&d, &read),
        .extrapolated = row->texture > model_factor(model, "dependent.most") || !is_measured ||
                        (read.misses > 0 && isnan(d.factors[MISS]))};
    return true;
}
