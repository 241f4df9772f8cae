/* Estimates totals over all frames from the sampled ones. */
#include "analysis/sampling.h"

#include <math.h>

/* Values as in any table of Student's t distribution. */
double
student_95(double freedom)
{
    static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    enum { KNOWN = sizeof table / sizeof *table };
    if (!(freedom >= 1))
        return table[0];
    /* First terms of the Cornish-Fisher expansion in 1 / freedom. The error is below 0.001 here. */
    return freedom > KNOWN ? 1.960 + 2.372 / freedom + 2.822 / (freedom * freedom)
                           : table[(uint32_t)freedom - 1];
}

/* Moments of a cluster's sampled frames. */
struct moments {
    /* weight: N^2 (1 - f) / n, which converts a cluster's variance to its share of the total's
     * variance */
    double size, drawn, weight;
    double x, y;       /* means */
    double xx, xy, yy; /* sums of products of deviations from the means */
};

static struct moments
moments_of(const struct sample_cluster *cluster, const double *values)
{
    struct moments m = {.size = cluster->frames, .drawn = (double)cluster->drawn.count};
    for (size_t i = 0; i < cluster->drawn.count; i++) {
        m.x += cluster->drawn.items[i].known / m.drawn;
        m.y += values[cluster->drawn.items[i].frame] / m.drawn;
    }
    for (size_t i = 0; i < cluster->drawn.count; i++) {
        const double x = cluster->drawn.items[i].known - m.x;
        const double y = values[cluster->drawn.items[i].frame] - m.y;
        m.xx += x * x;
        m.xy += x * y;
        m.yy += y * y;
    }
    m.weight = m.size * (m.size - m.drawn) / m.drawn;
    return m;
}

/* Slope of the regression of the value on the known figure. All clusters share the slope with the
 * least variance (Cochran 7.10). */
static double
slope_of(const struct sample *sample, const double *values)
{
    double xx = 0, xy = 0;
    for (size_t i = 0; i < sample->clusters.count; i++) {
        const struct moments m = moments_of(&sample->clusters.items[i], values);
        if (m.drawn < 2)
            continue;
        xx += m.weight * m.xx / (m.drawn - 1);
        xy += m.weight * m.xy / (m.drawn - 1);
    }
    return xx > 0 ? xy / xx : 0;
}

struct sample_estimate
sample_estimate(const struct sample *sample, const double *values)
{
    const double slope = slope_of(sample, values);
    double total = 0, variance = 0, fourth = 0, free_frames = 0;
    for (size_t i = 0; i < sample->clusters.count; i++) {
        const struct sample_cluster *cluster = &sample->clusters.items[i];
        const struct moments m = moments_of(cluster, values);
        total += m.size * m.y + slope * (cluster->known - m.size * m.x);
        if (m.drawn < 2 || m.drawn == m.size)
            continue;
        const double rest = fmax(0, m.yy - 2 * slope * m.xy + slope * slope * m.xx);
        const double part = m.weight * rest / (m.drawn - 1);
        variance += part;
        fourth += part * part / (m.drawn - 1);
        free_frames += m.drawn - 1;
    }
    /* Degrees of freedom by Satterthwaite (Cochran 5.4). The slope was fitted to the same frames,
     * so it costs one degree of freedom. */
    double freedom = fourth > 0 ? variance * variance / fourth : 1;
    if (slope != 0 && free_frames > 1) {
        variance *= free_frames / (free_frames - 1);
        freedom -= 1;
    }
    return (struct sample_estimate){total, variance > 0 ? student_95(freedom) * sqrt(variance) : 0};
}
