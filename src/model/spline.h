/* Piecewise linear, continuous curves, fitted by least squares of the relative error.
 * Cross-validation chooses the number of segments: the smallest whose mean error at left-out points
 * is within 10 % of the best. */
#ifndef AETIUS_MODEL_SPLINE_H
#define AETIUS_MODEL_SPLINE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { SPLINE_MOST_KNOTS = 9 };

struct spline {
    uint32_t knots;              /* segments + 1; 0: no curve */
    double x[SPLINE_MOST_KNOTS]; /* increasing; the first and the last bound the fitted range */
    double y[SPLINE_MOST_KNOTS];
    /* Half of the 95 % interval around y; 0: there are as many points as knots. */
    double half[SPLINE_MOST_KNOTS];
    bool logarithmic; /* log(y) is linear */
};

enum { SPLINE_LEAST_POINTS = 4 };
/* Fits a curve to points in any order. y must be positive. `doubt` divides the relative error of
 * each point; NULL: 1. Fails with fewer than SPLINE_LEAST_POINTS different x. */
bool spline_fit(struct spline *spline, const double *x, const double *y, const double *doubt,
                size_t count, bool logarithmic, struct error *err);
/* Outside the range, returns the value at its nearest end. */
double spline_at(const struct spline *spline, double x);
bool spline_holds(const struct spline *spline, double x); /* whether x is in the range */
double spline_top(const struct spline *spline);           /* largest y of the knots */

/* Least squares: finds factors such that the sum of the columns of `a` times their factors is
 * nearest to b. `a` is row-major with `unknowns` columns. `half` gets half of the factors' 95 %
 * intervals, or 0 if there are as many unknowns as rows. It may be NULL. Returns false if the
 * columns are linearly dependent. */
enum { LEAST_SQUARES_MOST = 20 };
bool least_squares(const double *a, const double *b, size_t rows, uint32_t unknowns,
                   double *factors, double *half);

#endif
