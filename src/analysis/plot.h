/* Plots by gnuplot (Debian: gnuplot-nox): bars, lines and points as SVG. With plot_write() data and
 * script are kept beside the picture, NAME.dat and NAME.gnuplot, so that a reader can redo it. */
#ifndef AETIUS_ANALYSIS_PLOT_H
#define AETIUS_ANALYSIS_PLOT_H

#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>

enum plot_kind {
    PLOT_BARS,    /* a row is a label below the axis and a bar a series */
    PLOT_STACKED, /* the same, one bar of all series on top of each other */
    PLOT_LINES,   /* a row is a place on the x axis and a point a series, joined by lines */
    PLOT_POINTS,  /* the same, not joined */
};

struct plot {
    enum plot_kind kind;
    const char *title, *x_label, *y_label; /* or NULL */
    const char *note;                      /* below the title, or NULL */
    const char *extra; /* lines of gnuplot's before the plot (`set logscale x 2`), or NULL */
    double mark;       /* a line across at this value; 0: none */
    VEC(char *) series;
    struct {
        struct plot_row {
            char *label; /* of lines and points a number */
            double *values;
        } * items;
        size_t count, capacity;
    } rows;
};

/* The rest of the members may be set by name. */
void plot_init(struct plot *plot, enum plot_kind kind, const char *title, const char *y_label);
void plot_add_series(struct plot *plot, const char *name); /* all of them before the first row */
/* Values by series; NaN: there is none. */
void plot_add(struct plot *plot, const char *label, const double *values);
void plot_add_at(struct plot *plot, double x, const double *values);
void plot_fini(struct plot *plot);

/* DIR/NAME.dat, DIR/NAME.gnuplot and, where gnuplot is installed, DIR/NAME.svg; else it warns. */
bool plot_write(const struct plot *plot, const char *dir, const char *name, struct error *err);
/* The picture alone, into a file that the user named; false also without gnuplot. */
bool plot_draw(const struct plot *plot, const char *path, struct error *err);

#endif
