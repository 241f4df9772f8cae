#include "model/spline.h"

#include "analysis/sampling.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = LEAST_SQUARES_MOST };

/* In place, the inverse of a symmetric matrix of full rank; columns have about the same length. */
static bool
invert(double m[MOST][MOST], uint32_t n)
{
    double inverse[MOST][MOST] = {{0}};
    for (uint32_t i = 0; i < n; i++)
        inverse[i][i] = 1;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t pivot = c;
        for (uint32_t r = c + 1; r < n; r++)
            pivot = fabs(m[r][c]) > fabs(m[pivot][c]) ? r : pivot;
        if (fabs(m[pivot][c]) < 1e-12)
            return false;
        for (uint32_t i = 0; i < n; i++) {
            const double a = m[c][i], b = inverse[c][i];
            m[c][i] = m[pivot][i];
            m[pivot][i] = a;
            inverse[c][i] = inverse[pivot][i];
            inverse[pivot][i] = b;
        }
        for (uint32_t r = 0; r < n; r++) {
            const double factor = r == c ? 1 - 1 / m[c][c] : m[r][c] / m[c][c];
            for (uint32_t i = 0; i < n; i++) {
                const double a = m[c][i], b = inverse[c][i];
                m[r][i] -= factor * a;
                inverse[r][i] -= factor * b;
            }
        }
    }
    memcpy(m, inverse, sizeof inverse);
    return true;
}

bool
least_squares(const double *a, const double *b, size_t rows, uint32_t unknowns, double *factors,
              double *half)
{
    double normal[MOST][MOST] = {{0}}, right[MOST] = {0}, length[MOST] = {0}, left = 0;
    for (size_t r = 0; r < rows; r++)
        for (uint32_t i = 0; i < unknowns; i++)
            length[i] += a[r * unknowns + i] * a[r * unknowns + i];
    for (uint32_t i = 0; i < unknowns; i++)
        if (!((length[i] = sqrt(length[i])) > 0))
            return false;
    for (size_t r = 0; r < rows; r++)
        for (uint32_t i = 0; i < unknowns; i++) {
            const double value = a[r * unknowns + i] / length[i];
            right[i] += value * b[r];
            for (uint32_t j = 0; j < unknowns; j++)
                normal[i][j] += value * a[r * unknowns + j] / length[j];
        }
    if (rows < unknowns || !invert(normal, unknowns))
        return false;
    for (uint32_t i = 0; i < unknowns; i++) {
        factors[i] = 0;
        for (uint32_t j = 0; j < unknowns; j++)
            factors[i] += normal[i][j] * right[j] / length[i];
    }
    for (size_t r = 0; r < rows; r++) {
        double error = b[r];
        for (uint32_t i = 0; i < unknowns; i++)
            error -= a[r * unknowns + i] * factors[i];
        left += error * error;
    }
    const double freedom = (double)rows - unknowns;
    for (uint32_t i = 0; half && i < unknowns; i++)
        half[i] = freedom < 1
                      ? 0
                      : student_95(freedom) * sqrt(left / freedom * fabs(normal[i][i])) / length[i];
    return true;
}

/* ---- curves ---- */

struct points {
    const double *x, *y; /* x rising */
    size_t count;
};

/* How much of the value at x comes from each knot's. */
static void
weights_at(const double *knots, uint32_t count, double x, double *weights)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < count; k++)
        weights[k] = 0;
    while (i + 2 < count && x > knots[i + 1])
        i++;
    double part = (x - knots[i]) / (knots[i + 1] - knots[i]);
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    weights[i] = 1 - part;
    weights[i + 1] = part;
}

/* The values at the knots. */
static bool
fit_values(struct spline *s, const struct points *p)
{
    double *a = mem_alloc(p->count * (s->knots + 1) * sizeof *a), *b = a + p->count * s->knots;
    for (size_t i = 0; i < p->count; i++) {
        weights_at(s->x, s->knots, p->x[i], a + i * s->knots);
        for (uint32_t k = 0; k < s->knots; k++)
            a[i * s->knots + k] /= p->y[i];
        b[i] = 1;
    }
    const bool ok = least_squares(a, b, p->count, s->knots, s->y, s->half);
    free(a);
    return ok;
}

/* The mean square of the relative errors. */
static double
error_of(const struct spline *s, const struct points *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        const double error = spline_at(s, p->x[i]) / p->y[i] - 1;
        sum += error * error / (double)p->count;
    }
    return sum;
}

static double
try_knots(struct spline *s, const struct points *p)
{
    return fit_values(s, p) ? error_of(s, p) : INFINITY;
}

static void
insert_knot(struct spline *s, double x)
{
    uint32_t at = s->knots++;
    for (; s->x[at - 1] > x; at--)
        s->x[at] = s->x[at - 1];
    s->x[at] = x;
}

static void
remove_knot(struct spline *s, uint32_t knot)
{
    for (s->knots--; knot < s->knots; knot++)
        s->x[knot] = s->x[knot + 1];
}

static bool
has_knot(const struct spline *s, double x)
{
    for (uint32_t k = 0; k < s->knots; k++)
        if (s->x[k] == x)
            return true;
    return false;
}

/* One more knot, where it helps most. */
static bool
add_best_knot(struct spline *s, const struct points *p, double *error)
{
    struct spline best = {0};
    *error = INFINITY;
    for (size_t i = 1; i + 1 < p->count; i++) {
        struct spline one = *s;
        if (has_knot(s, p->x[i]))
            continue;
        insert_knot(&one, p->x[i]);
        const double now = try_knots(&one, p);
        if (now < *error) {
            *error = now;
            best = one;
        }
    }
    if (best.knots)
        *s = best;
    return best.knots > 0;
}

/* Each inner knot goes where it is best with the others where they are, until none moves. */
static void
place_knots(struct spline *s, const struct points *p, double error)
{
    enum { MOST_ROUNDS = 8 };
    bool moved = true;
    for (uint32_t round = 0; moved && round < MOST_ROUNDS; round++) {
        moved = false;
        for (uint32_t k = 1; k + 1 < s->knots; k++) {
            struct spline other = *s;
            double now;
            remove_knot(&other, k);
            if (add_best_knot(&other, p, &now) && now < error * (1 - 1e-9)) {
                error = now;
                *s = other;
                moved = true;
            }
        }
    }
}

static bool
fit_sorted(struct spline *s, const struct points *p, uint32_t segments)
{
    *s = (struct spline){.knots = 2, .x = {p->x[0], p->x[p->count - 1]}};
    double error = try_knots(s, p);
    while (s->knots < segments + 1 && add_best_knot(s, p, &error))
        place_knots(s, p, error);
    return isfinite(error);
}

/* ---- cross-validation ---- */

struct validated {
    double error, deviation; /* of the mean, over the points */
};

/* The points are left out fold by fold; the first and the last one, whose place no others tell,
 * stay in all. */
static struct validated
validate(const struct points *p, uint32_t segments)
{
    enum { FOLDS = 10 };
    const size_t inner = p->count - 2, folds = inner < FOLDS ? inner : FOLDS;
    struct validated v = {0};
    double squares = 0;
    double *x = mem_alloc(2 * p->count * sizeof *x), *y = x + p->count;
    for (size_t fold = 0; fold < folds; fold++) {
        struct points kept = {x, y, 0};
        struct spline s;
        for (size_t i = 0; i < p->count; i++)
            if (i == 0 || i + 1 == p->count || (i - 1) % folds != fold) {
                x[kept.count] = p->x[i];
                y[kept.count++] = p->y[i];
            }
        const bool ok = fit_sorted(&s, &kept, segments);
        for (size_t i = fold + 1; i + 1 < p->count; i += folds) {
            const double error = ok ? spline_at(&s, p->x[i]) / p->y[i] - 1 : INFINITY;
            v.error += error * error / (double)inner;
            squares += error * error * error * error / (double)inner;
        }
    }
    free(x);
    v.deviation = sqrt(fmax(squares - v.error * v.error, 0) / (double)inner);
    return v;
}

static uint32_t
choose_segments(const struct points *p)
{
    const uint32_t most =
        p->count / 2 < SPLINE_MOST_KNOTS - 1 ? (uint32_t)(p->count / 2) : SPLINE_MOST_KNOTS - 1;
    struct validated tried[SPLINE_MOST_KNOTS];
    uint32_t best = 1;
    for (uint32_t segments = 1; segments <= most; segments++) {
        tried[segments] = validate(p, segments);
        if (tried[segments].error < tried[best].error)
            best = segments;
    }
    uint32_t chosen = 1;
    while (chosen < best && tried[chosen].error > tried[best].error + tried[best].deviation)
        chosen++;
    return chosen;
}

struct place {
    double x, y;
};

static int
compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->y < q->y ? -1 : p->y > q->y;
}

bool
spline_fit_segments(struct spline *spline, const double *x, const double *y, size_t count,
                    uint32_t segments, struct error *err)
{
    struct place *places = mem_alloc((count + 1) * sizeof *places);
    double *sorted = mem_alloc(2 * (count + 1) * sizeof *sorted);
    struct points p = {sorted, sorted + count, count};
    size_t different = 0;
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){x[i], y[i]};
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = places[i].x;
        sorted[count + i] = places[i].y;
        different += i == 0 || places[i].x != places[i - 1].x;
    }
    bool ok = different >= SPLINE_LEAST_POINTS ||
              fail(err, "%zu points, and a curve needs %d", different, SPLINE_LEAST_POINTS);
    if (ok)
        ok = fit_sorted(spline, &p, segments ? segments : choose_segments(&p)) ||
             fail(err, "the points make no curve");
    free(sorted);
    free(places);
    return ok;
}

bool
spline_fit(struct spline *spline, const double *x, const double *y, size_t count, struct error *err)
{
    return spline_fit_segments(spline, x, y, count, 0, err);
}

double
spline_at(const struct spline *spline, double x)
{
    double weights[SPLINE_MOST_KNOTS], y = 0;
    weights_at(spline->x, spline->knots, x, weights);
    for (uint32_t k = 0; k < spline->knots; k++)
        y += weights[k] * spline->y[k];
    return y;
}

bool
spline_holds(const struct spline *spline, double x)
{
    const double slack = 1e-9 * fabs(spline->x[spline->knots - 1]);
    return x >= spline->x[0] - slack && x <= spline->x[spline->knots - 1] + slack;
}

double
spline_top(const struct spline *spline)
{
    double top = spline->y[0];
    for (uint32_t k = 1; k < spline->knots; k++)
        top = spline->y[k] > top ? spline->y[k] : top;
    return top;
}
