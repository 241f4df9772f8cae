/* Plots with gnuplot (Debian: gnuplot-nox): bars, lines and points as SVG, PNG, PDF or EPS.
 * plot_write() also keeps the data and the script next to the picture (NAME.dat and NAME.gnuplot),
 * so that users can redo it. */
#ifndef AETIUS_ANALYSIS_PLOT_H
#define AETIUS_ANALYSIS_PLOT_H

#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_EPS, PLOT_FORMATS };
extern const char *const plot_formats[PLOT_FORMATS]; /* ends of file names */

enum plot_kind {
    PLOT_BARS,    /* each row is a label on the x axis with one bar per series */
    PLOT_STACKED, /* each row is a label with one bar of stacked series */
    PLOT_LINES,   /* each row is an x position with one point per series, joined by lines */
    PLOT_POINTS,  /* like PLOT_LINES, but points are not joined */
    PLOT_MAP, /* a field of colors: each row is a label on the y axis, each series on the x axis */
};

struct plot {
    enum plot_kind kind;
    const char *title, *x_label, *y_label; /* each may be NULL */
    const char *note;                      /* shown below the title; may be NULL */
    const char *extra;   /* gnuplot commands before the plot (`set logscale x 2`), or NULL */
    const char *z_label; /* of the colors of a map; may be NULL */
    double mark;         /* horizontal line at this value; 0: no line */
    VEC(char *) series;
    struct {
        struct plot_row {
            char *label; /* a number for lines and points */
            double *values;
        } * items;
        size_t count, capacity;
    } rows;
};

/* The caller may set the other members directly. */
void plot_init(struct plot *plot, enum plot_kind kind, const char *title, const char *y_label);
void plot_add_series(struct plot *plot, const char *name); /* call before plot_add() */
/* One value per series. NaN: missing. */
void plot_add(struct plot *plot, const char *label, const double *values);
void plot_add_at(struct plot *plot, double x, const double *values);
void plot_fini(struct plot *plot);

/* Writes DIR/NAME.dat and DIR/NAME.gnuplot. If any value is known and gnuplot is installed, also
 * writes DIR/NAME.svg and the other `formats` (bits 1 << enum plot_format). Warns if gnuplot is
 * missing. */
bool plot_write(const struct plot *plot, const char *dir, const char *name, uint32_t formats,
                struct error *err);
/* Writes only the picture, as SVG, to a file that the user named. A missing gnuplot is an error. */
bool plot_draw(const struct plot *plot, const char *path, struct error *err);

#endif
