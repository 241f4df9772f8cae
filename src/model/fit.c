/* Fits a model to measurements: computes the curves of each stage from its sweeps. */
#include "model/check.h"
#include "model/model.h"
#include "model/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Column width in `coherence` and `triangles` at which all fragments agree. */
static const double all_agree = 1e9;

static double
fold_block(double block)
{
    return log2(block > 0 ? block : all_agree);
}

void
model_ceiling_name(char *name, size_t size, const char *format, double reads, bool is_power)
{
    snprintf(name, size, "textures %.20s %s%s", format, is_power ? "powers" : "others",
             reads == 1 ? " 1" : "");
}

void
model_curve_of(const struct model_row *row, char *name, size_t size, double *along)
{
    const bool is_power = model_is_power_of_two(row->texture);
    *name = '\0';
    *along = 0;
    if (model_row_is_of(row, MODEL_SWEEP_fragments)) {
        snprintf(name, size, "fragments %g", row->cycles);
        *along = row->fragments;
    } else if (model_row_is_of(row, MODEL_SWEEP_length)) {
        snprintf(name, size, "base");
        *along = row->cycles;
    } else if (model_row_is_of(row, MODEL_SWEEP_triangles) && row->triangles > 0) {
        snprintf(name, size, "triangles %g", row->block);
        *along = log2(row->fragments / row->triangles);
    } else if (model_row_is_of(row, MODEL_SWEEP_coherence)) {
        snprintf(name, size, "coherence");
        *along = fold_block(row->block);
    } else if (model_row_is_of(row, MODEL_SWEEP_textures) && row->texture > 0 && row->reads > 0) {
        model_ceiling_name(name, size, row->format, row->reads, is_power);
        *along = log2(row->texture);
    } else if (model_row_is_of(row, MODEL_SWEEP_dependent) && row->texture > 0 &&
               row->dependent > 0) {
        snprintf(name, size, "dependent %.20s %.10s %s", row->pattern, row->format,
                 is_power ? "powers" : "others");
        *along = row->texture;
    }
}

double
model_measured(const struct model *model, const struct model_row *row)
{
    const double seconds = row->seconds - model_factor(model, "start");
    if (model_row_is_of(row, MODEL_SWEEP_length))
        return seconds * model_factor(model, "rate") / row->fragments;
    if (model_row_is_of(row, MODEL_SWEEP_textures))
        return row->fragments * row->reads / seconds;
    if (model_row_is_of(row, MODEL_SWEEP_dependent))
        return seconds / (row->fragments * row->dependent);
    return row->fragments / seconds;
}

double
model_doubt(const struct model_row *row)
{
    return fmin(hypot(1, row->spread / row->seconds / MODEL_STAGE_BUDGET), 2);
}

/* ---- selection of rows for the fit ---- */

struct placed {
    char name[64];
    double along;
    size_t row;
};

static int
compare_placed(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;
    const int order = strcmp(p->name, q->name);
    if (order)
        return order;
    return p->along != q->along ? (p->along < q->along ? -1 : 1) : p->row < q->row ? -1 : 1;
}

/* Selects half of the patterns for one size of dependent reads, and the other half for the next
 * size, like the fields of a chessboard. Otherwise every other power of two would be missing for
 * each pattern.
 *
 * Two consecutive patterns form a pair in the same half. With single patterns, all steps by a power
 * of two, and so all high frequencies, would be fitted at the same sizes. */
static uint32_t
chequered(const struct model_row *row)
{
    uint32_t number = 0;
    while (pattern_name(number) && strcmp(pattern_name(number), row->pattern) != 0)
        number++;
    return number / 2 % 2;
}

bool *
model_split(const struct model_rows *rows)
{
    bool *fitted = mem_alloc(rows->count + 1);
    struct placed *placed = mem_array(rows->count + 1, sizeof *placed);
    for (size_t i = 0; i < rows->count; i++) {
        placed[i].row = i;
        model_curve_of(&rows->items[i], placed[i].name, sizeof placed[i].name, &placed[i].along);
    }
    qsort(placed, rows->count, sizeof *placed, compare_placed);
    for (size_t first = 0, end; first < rows->count; first = end) {
        for (end = first + 1; end < rows->count && !strcmp(placed[end].name, placed[first].name);)
            end++;
        const struct model_row *row = &rows->items[placed[first].row];
        const bool is_family = model_row_is_of(row, MODEL_SWEEP_dependent);
        const size_t offset = is_family ? chequered(row) : 0;
        size_t place = 0; /* repeated measurements of one position stay together */
        for (size_t i = first; i < end && *placed[first].name; i++) {
            place += i > first && placed[i].along != placed[i - 1].along;
            fitted[placed[i].row] = (place + offset) % 2 == 0 ||
                                    (placed[i].along == placed[end - 1].along && !is_family);
        }
    }
    free(placed);
    return fitted;
}

/* ---- fit ---- */

struct fitting {
    struct model *model;
    const struct model_rows *rows;
    const bool *fitted;
};

static bool
is_seen(const struct fitting *f, size_t row, enum model_sweep sweep)
{
    return (!f->fitted || f->fitted[row]) && model_row_is_of(&f->rows->items[row], sweep);
}

static bool
has_sweep(const struct fitting *f, enum model_sweep sweep)
{
    for (size_t i = 0; i < f->rows->count; i++)
        if (is_seen(f, i, sweep))
            return true;
    return false;
}

/* Fits time against fragments per frame. The offset is the time that does not depend on fragments,
 * and is the same for all programs. */
static void
fit_start(const struct fitting *f)
{
    enum { MOST_PROGRAMS = 8 };
    double cycles[MOST_PROGRAMS], factors[MOST_PROGRAMS + 1], half[MOST_PROGRAMS + 1];
    uint32_t programs = 0;
    double *a = mem_array(f->rows->count * (MOST_PROGRAMS + 2), sizeof *a);
    double *b = a + f->rows->count * (MOST_PROGRAMS + 1);
    size_t used = 0;
    for (size_t i = 0; i < f->rows->count; i++) {
        uint32_t p = 0;
        if (!is_seen(f, i, MODEL_SWEEP_fragments))
            continue;
        while (p < programs && cycles[p] != f->rows->items[i].cycles)
            p++;
        if (p == programs && programs < MOST_PROGRAMS)
            cycles[programs++] = f->rows->items[i].cycles;
    }
    for (size_t i = 0; i < f->rows->count; i++) {
        const struct model_row *row = &f->rows->items[i];
        if (!is_seen(f, i, MODEL_SWEEP_fragments))
            continue;
        const double weight = 1 / model_doubt(row);
        for (uint32_t p = 0; p < programs; p++)
            a[used * (programs + 1) + 1 + p] =
                row->cycles == cycles[p] ? weight * row->fragments / row->seconds : 0;
        a[used * (programs + 1)] = weight / row->seconds;
        b[used++] = weight;
    }
    if (used > programs && least_squares(a, b, used, programs + 1, factors, half) && factors[0] > 0)
        model_set_factor(f->model, "start", factors[0], half[0]);
    else
        model_set_factor(f->model, "start", 0, 0);
    free(a);
}

/* If the rate is not given, fits the cost of one more cycle from the longer programs. */
static bool
fit_rate(const struct fitting *f, double rate, struct error *err)
{
    double most = 0, factors[2], half[2];
    size_t used = 0;
    if (rate > 0) {
        model_set_factor(f->model, "rate", rate, 0);
        return true;
    }
    for (size_t i = 0; i < f->rows->count; i++)
        if (is_seen(f, i, MODEL_SWEEP_length) && f->rows->items[i].cycles > most)
            most = f->rows->items[i].cycles;
    double *a = mem_array(f->rows->count * 3, sizeof *a), *b = a + f->rows->count * 2;
    for (size_t i = 0; i < f->rows->count; i++) {
        const struct model_row *row = &f->rows->items[i];
        if (!is_seen(f, i, MODEL_SWEEP_length) || row->cycles < most / 4)
            continue;
        const double weight = 1 / model_doubt(row);
        a[2 * used] = weight * row->fragments / row->seconds;
        a[2 * used + 1] = row->cycles * a[2 * used];
        b[used++] = weight;
    }
    const bool ok = used > 2 && least_squares(a, b, used, 2, factors, half) && factors[1] > 0;
    if (ok)
        model_set_factor(f->model, "rate", 1 / factors[1], half[1] / (factors[1] * factors[1]));
    free(a);
    return ok || fail(err, "the sweep `length` does not determine the cost of a cycle: measure "
                           "more points, or give clock times pipelines (--rate)");
}

/* Fits all curves of a sweep. */
static bool
fit_curves(const struct fitting *f, enum model_sweep sweep, struct error *err)
{
    const size_t most = f->rows->count;
    double *x = mem_array((most + 1) * 3, sizeof *x), *y = x + most, *doubt = y + most;
    bool ok = true;
    for (size_t i = 0; ok && i < f->rows->count; i++) {
        char name[64], other[64];
        double along;
        size_t count = 0;
        struct spline spline;
        if (!is_seen(f, i, sweep))
            continue;
        model_curve_of(&f->rows->items[i], name, sizeof name, &along);
        if (!*name)
            ok = fail(err, "%s: a row lacks the independent variable of its curve",
                      model_sweeps[sweep].name);
        if (!ok || model_curve(f->model, name))
            continue;
        for (size_t r = i; r < f->rows->count; r++) {
            if (!is_seen(f, r, sweep))
                continue;
            model_curve_of(&f->rows->items[r], other, sizeof other, &x[count]);
            y[count] = model_measured(f->model, &f->rows->items[r]);
            doubt[count] = model_doubt(&f->rows->items[r]);
            if (!strcmp(other, name) && !(y[count] > 0))
                ok = fail(err, "%s: %g s is less than the time of a frame without fragments", name,
                          f->rows->items[r].seconds);
            count += !strcmp(other, name);
        }
        ok = ok && (spline_fit(&spline, x, y, doubt, count, sweep != MODEL_SWEEP_length, err) ||
                    fail_prefix(err, "%s", name));
        if (ok)
            model_set_curve(f->model, name, &spline);
    }
    free(x);
    return ok;
}

/* Stores the program cycles of the sweep `triangles` if all fragments agree, and the relative
 * increase if both sides of the branch execute. */
static void
note_branch(const struct fitting *f)
{
    for (size_t i = 0; i < f->rows->count; i++) {
        const struct model_row *row = &f->rows->items[i];
        if (!is_seen(f, i, MODEL_SWEEP_triangles))
            continue;
        const double side = (row->if_cycles + row->else_cycles) / 2;
        const double agreed = row->cycles + row->branch_cycles + side;
        model_set_factor(f->model, "triangles.cycles", agreed, 0);
        if (side > 0)
            model_set_factor(f->model, "branch.share", side / agreed, 0);
        return;
    }
}

/* Checks that all rows are from one machine at one clock. */
static bool
check_rows(const struct model_rows *rows, struct error *err)
{
    for (size_t i = 1; i < rows->count; i++) {
        const struct model_row *one = &rows->items[0], *row = &rows->items[i];
        if (strcmp(one->renderer, row->renderer) != 0)
            return fail(err, "the measurements are of two machines, '%s' and '%s'", one->renderer,
                        row->renderer);
        if (one->rate != row->rate || one->clock != row->clock)
            return fail(err,
                        "the measurements have two rates or clocks: %g and %g cycles per second",
                        one->rate, row->rate);
    }
    return true;
}

/* Stores the measured range of fragments per frame, and the largest triangles. Every sweep renders
 * triangles, most sweeps two. */
static void
note_range(const struct fitting *f)
{
    double least = INFINITY, most = 0, largest = 0;
    for (size_t i = 0; i < f->rows->count; i++)
        if (!f->fitted || f->fitted[i]) {
            const struct model_row *row = &f->rows->items[i];
            least = fmin(least, row->fragments);
            most = fmax(most, row->fragments);
            if (row->triangles > 0)
                largest = fmax(largest, row->fragments / row->triangles);
        }
    model_set_factor(f->model, "triangles.largest", largest, 0);
    model_set_factor(f->model, "fragments.least", least, 0);
    model_set_factor(f->model, "fragments.most", most, 0);
}

bool
model_fit(struct model *model, const struct model_rows *rows, const bool *fitted, double rate,
          struct error *err)
{
    static const enum model_sweep sweeps[] = {MODEL_SWEEP_triangles, MODEL_SWEEP_coherence,
                                              MODEL_SWEEP_textures};
    const struct fitting f = {model, rows, fitted};
    *model = (struct model){0};
    if (rows->count)
        snprintf(model->renderer, sizeof model->renderer, "%s", rows->items[0].renderer);
    bool ok = check_rows(rows, err) &&
              (has_sweep(&f, MODEL_SWEEP_length) || fail(err, "no row of the sweep `length`"));
    if (ok) {
        fit_start(&f);
        ok = fit_rate(&f, rate > 0 ? rate : rows->items[0].rate, err) &&
             fit_curves(&f, MODEL_SWEEP_length, err);
    }
    for (size_t i = 0; ok && i < sizeof sweeps / sizeof sweeps[0]; i++)
        ok = fit_curves(&f, sweeps[i], err);
    if (ok && rows->items[0].clock > 0)
        model_set_factor(model, "clock", rows->items[0].clock, 0);
    if (ok) {
        note_branch(&f);
        note_range(&f);
    }
    if (ok && !fitted)
        model_set_factor(model, "fitted.all", 1, 0);
    ok = ok &&
         (!has_sweep(&f, MODEL_SWEEP_dependent) || model_fit_dependent(model, rows, fitted, err));
    if (ok)
        model_fit_published(model, rows, fitted);
    else
        model_fini(model);
    return ok;
}
