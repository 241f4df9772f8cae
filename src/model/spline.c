#include "model/spline.h"

#include "analysis/sampling.h"
#include "base/mem.h"
#include "base/plural.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = LEAST_SQUARES_MOST };

/* Inverts a symmetric matrix of full rank in place. The columns must have similar norms. */
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
    const double *x, *y; /* x in increasing order; y or its logarithm */
    const double *scale; /* divisor of an error: y or 1, times the doubt */
    size_t count;
};

/* The segment that contains x, and the weight of its second knot. */
static uint32_t
segment_at(const struct spline *s, double x, double *part)
{
    uint32_t i = 0;
    while (i + 2 < s->knots && x > s->x[i + 1])
        i++;
    *part = (x - s->x[i]) / (s->x[i + 1] - s->x[i]);
    *part = *part < 0 ? 0 : *part > 1 ? 1 : *part;
    return i;
}

/* Computes the values at the knots by least squares. Each point depends on two of them, so the
 * normal equations are tridiagonal. Returns the mean square of the relative errors. */
static double
try_knots(struct spline *s, const struct points *p)
{
    double own[SPLINE_MOST_KNOTS] = {0}, next[SPLINE_MOST_KNOTS] = {0};
    double right[SPLINE_MOST_KNOTS] = {0}, sum = 0, part;
    uint32_t segment = 0;
    for (size_t i = 0; i < p->count; i++) {
        while (segment + 2 < s->knots && p->x[i] > s->x[segment + 1])
            segment++;
        part = (p->x[i] - s->x[segment]) / (s->x[segment + 1] - s->x[segment]);
        const double a = (1 - part) / p->scale[i], b = part / p->scale[i];
        own[segment] += a * a;
        next[segment] += a * b;
        own[segment + 1] += b * b;
        right[segment] += a * p->y[i] / p->scale[i];
        right[segment + 1] += b * p->y[i] / p->scale[i];
    }
    for (uint32_t k = 0; k < s->knots; k++) {
        if (k) {
            const double factor = next[k - 1] / own[k - 1];
            right[k] -= factor * right[k - 1];
            own[k] -= factor * next[k - 1];
        }
        if (!(own[k] > 0))
            return INFINITY;
    }
    for (uint32_t k = s->knots; k-- > 0;)
        s->y[k] = (right[k] - (k + 1 < s->knots ? next[k] * s->y[k + 1] : 0)) / own[k];
    segment = 0;
    for (size_t i = 0; i < p->count; i++) {
        while (segment + 2 < s->knots && p->x[i] > s->x[segment + 1])
            segment++;
        part = (p->x[i] - s->x[segment]) / (s->x[segment + 1] - s->x[segment]);
        const double error =
            (s->y[segment] * (1 - part) + s->y[segment + 1] * part - p->y[i]) / p->scale[i];
        sum += error * error;
    }
    return sum / (double)p->count;
}

/* The fitted value at x: y or its logarithm. */
static double
line_at(const struct spline *s, double x)
{
    double part;
    const uint32_t k = segment_at(s, x, &part);
    return s->y[k] * (1 - part) + s->y[k + 1] * part;
}

/* Computes the confidence intervals of the values at the knots. */
static void
find_intervals(struct spline *s, const struct points *p)
{
    double *a = mem_array(p->count * (s->knots + 1), sizeof *a), *b = a + p->count * s->knots;
    for (size_t i = 0; i < p->count; i++) {
        double part;
        const uint32_t segment = segment_at(s, p->x[i], &part);
        a[i * s->knots + segment] = (1 - part) / p->scale[i];
        a[i * s->knots + segment + 1] = part / p->scale[i];
        b[i] = p->y[i] / p->scale[i];
    }
    least_squares(a, b, p->count, s->knots, s->y, s->half);
    free(a);
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

/* Adds the knot that reduces the error most. */
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

/* Moves each inner knot to its best position with the others fixed, until no knot moves. */
static void
place_knots(struct spline *s, const struct points *p, double error)
{
    enum { MOST_ROUNDS = 4 };
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

/* Moves both inner knots of three segments together. Moving one at a time may stop at a position
 * where neither move alone reduces the error. */
static void
place_two_knots(struct spline *s, const struct points *p, double *error)
{
    struct spline best = *s;
    for (size_t i = 1; i + 2 < p->count; i++) {
        struct spline one = {.knots = 2, .x = {s->x[0], s->x[s->knots - 1]}}, two;
        if (p->x[i] == one.x[0] || p->x[i] == one.x[1])
            continue;
        insert_knot(&one, p->x[i]);
        for (size_t j = i + 1; j + 1 < p->count; j++) {
            if (has_knot(&one, p->x[j]))
                continue;
            two = one;
            insert_knot(&two, p->x[j]);
            const double now = try_knots(&two, p);
            if (now < *error) {
                *error = now;
                best = two;
            }
        }
    }
    *s = best;
}

/* Adds segments one by one up to `segments`. Calls `reach` with each intermediate curve. */
typedef void reach_fn(void *data, const struct spline *spline);
static bool
fit_sorted(struct spline *s, const struct points *p, uint32_t segments, reach_fn *reach, void *data)
{
    *s = (struct spline){.knots = 2, .x = {p->x[0], p->x[p->count - 1]}};
    double error = try_knots(s, p);
    if (reach)
        reach(data, s);
    while (s->knots < segments + 1 && add_best_knot(s, p, &error)) {
        if (s->knots == 4)
            place_two_knots(s, p, &error);
        else
            place_knots(s, p, error);
        if (reach)
            reach(data, s);
    }
    return isfinite(error);
}

/* ---- cross-validation ---- */

struct validation {
    const struct points *points;
    size_t fold, folds;
    double errors[SPLINE_MOST_KNOTS]; /* by number of segments */
};

/* Adds the relative errors at the points of the fold, which the fit did not use. Errors are not
 * squared, because one left-out point at a cliff would then dominate. */
static void
add_fold_errors(void *data, const struct spline *s)
{
    struct validation *v = data;
    for (size_t i = v->fold + 1; i + 1 < v->points->count; i += v->folds) {
        const double error = (line_at(s, v->points->x[i]) - v->points->y[i]) / v->points->scale[i];
        v->errors[s->knots - 1] += fabs(error);
    }
}

/* Chooses the number of segments by cross-validation over folds of points. The first and the last
 * point are never left out, because no other points determine the values there. */
static uint32_t
choose_segments(const struct points *p)
{
    enum { FOLDS = 10 };
    const double enough = 1.1;
    const size_t inner = p->count - 2;
    const uint32_t most =
        p->count / 2 < SPLINE_MOST_KNOTS - 1 ? (uint32_t)(p->count / 2) : SPLINE_MOST_KNOTS - 1;
    struct validation v = {p, 0, inner < FOLDS ? inner : FOLDS, {0}};
    double *x = mem_array(3 * p->count, sizeof *x), *y = x + p->count, *scale = y + p->count;
    for (v.fold = 0; v.fold < v.folds; v.fold++) {
        struct points kept = {x, y, scale, 0};
        struct spline s;
        for (size_t i = 0; i < p->count; i++)
            if (i == 0 || i + 1 == p->count || (i - 1) % v.folds != v.fold) {
                x[kept.count] = p->x[i];
                scale[kept.count] = p->scale[i];
                y[kept.count++] = p->y[i];
            }
        fit_sorted(&s, &kept, most, add_fold_errors, &v);
    }
    free(x);
    uint32_t best = 1, chosen = 1;
    for (uint32_t segments = 2; segments <= most; segments++)
        if (v.errors[segments] < v.errors[best])
            best = segments;
    while (chosen < best && v.errors[chosen] > enough * v.errors[best])
        chosen++;
    return chosen;
}

struct sample_point {
    double x, y, doubt;
};

static int
compare_points(const void *a, const void *b)
{
    const struct sample_point *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->y < q->y ? -1 : p->y > q->y;
}

bool
spline_fit(struct spline *spline, const double *x, const double *y, const double *doubt,
           size_t count, bool logarithmic, struct error *err)
{
    struct sample_point *points = mem_array(count + 1, sizeof *points);
    double *sorted = mem_array(3 * (count + 1), sizeof *sorted);
    struct points p = {sorted, sorted + count, sorted + 2 * count, count};
    size_t different = 0;
    for (size_t i = 0; i < count; i++)
        points[i] = (struct sample_point){x[i], y[i], doubt ? doubt[i] : 1};
    qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = points[i].x;
        sorted[count + i] = logarithmic ? log(points[i].y) : points[i].y;
        sorted[2 * count + i] = points[i].doubt * (logarithmic ? 1 : points[i].y);
        different += i == 0 || points[i].x != points[i - 1].x;
    }
    bool ok =
        different >= SPLINE_LEAST_POINTS || fail(err, "%zu point%s, but a curve requires %d",
                                                 different, plural(different), SPLINE_LEAST_POINTS);
    if (ok)
        ok = fit_sorted(spline, &p, choose_segments(&p), NULL, NULL) ||
             fail(err, "cannot fit a curve to the points");
    if (ok)
        find_intervals(spline, &p);
    for (uint32_t k = 0; ok && logarithmic && k < spline->knots; k++) {
        spline->y[k] = exp(spline->y[k]);
        spline->half[k] *= spline->y[k];
    }
    if (ok)
        spline->logarithmic = logarithmic;
    free(sorted);
    free(points);
    return ok;
}

double
spline_at(const struct spline *spline, double x)
{
    double part;
    if (!spline->logarithmic)
        return line_at(spline, x);
    const uint32_t k = segment_at(spline, x, &part);
    return spline->y[k] * pow(spline->y[k + 1] / spline->y[k], part);
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
