/* Bar charts as SVG files: groups of bars side by side, or bars of parts on top of each other. */
#ifndef AETIUS_ANALYSIS_CHART_H
#define AETIUS_ANALYSIS_CHART_H

#include "base/error.h"

#include <stdint.h>

enum { CHART_SERIES = 10 };

/* A group is a label below the axis and a bar a series; when `stacked`, one bar of all series. */
struct chart {
    const char *title, *unit;
    bool stacked;
    char **groups;
    uint32_t group_count;
    const char *series[CHART_SERIES];
    uint32_t series_count;
    double *values;   /* groups x series; below 0: there is none, and "null" stands there */
    const char *note; /* behind the legend, or NULL */
    double mark;      /* a line across at this value; 0: none */
};

void chart_init(struct chart *chart, const char *title, const char *unit, bool stacked);
/* A group, whose values are those of the series named until then (at most CHART_SERIES). */
void chart_add(struct chart *chart, const char *group, const double *values);
bool chart_write(const struct chart *chart, const char *path, struct error *err);
void chart_fini(struct chart *chart);

#endif
