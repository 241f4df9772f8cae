/* Curves of straight segments that join, fitted to measurements by least squares of the relative
 * error. Their number is chosen by cross-validation: the smallest whose mean error at points that
 * were left out is within a tenth of the best. */
#ifndef AETIUS_MODEL_SPLINE_H
#define AETIUS_MODEL_SPLINE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { SPLINE_MOST_KNOTS = 9 };

struct spline {
    uint32_t knots;              /* segments + 1; 0: no curve */
    double x[SPLINE_MOST_KNOTS]; /* rising; the first and the last are the range of the fit */
    double y[SPLINE_MOST_KNOTS];
    double half[SPLINE_MOST_KNOTS]; /* y - half to y + half in 95 %; 0: as many points as knots */
    bool logarithmic;               /* straight are the logarithms of y */
};

enum { SPLINE_LEAST_POINTS = 4 };
/* Points in any order, y above 0. Fails with fewer than SPLINE_LEAST_POINTS different x. */
bool spline_fit(struct spline *spline, const double *x, const double *y, size_t count,
                bool logarithmic, struct error *err);
/* Outside of the range: the value at its end. */
double spline_at(const struct spline *spline, double x);
bool spline_holds(const struct spline *spline, double x); /* within the range */
double spline_top(const struct spline *spline);           /* the largest y of its knots */

/* Least squares: the `unknowns` factors of the columns of `a` (row by row) that come nearest to b.
 * `half`, or NULL: of their 95 % intervals; 0 when there are as many unknowns as rows. False: the
 * columns do not tell them apart. */
enum { LEAST_SQUARES_MOST = 20 };
bool least_squares(const double *a, const double *b, size_t rows, uint32_t unknowns,
                   double *factors, double *half);

#endif
