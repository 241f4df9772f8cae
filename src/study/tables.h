/* The page of a study as questions to the database of its runs (docs/sweeps.md). The plan has them:
 *
 *     [study]
 *     common = WITH ...    what every question begins with
 *
 *     [table NAME]         DIR/NAME.csv
 *     sql = SELECT ...
 *     title = ...          its heading in the page, DIR/STUDY.md; without one it is not in there
 *     text = ...           below the heading
 *     plot = bars          or stacked, lines, points: DIR/NAME.svg, with NAME.dat and NAME.gnuplot.
 * Rows are named by the first column, of lines and points it is x; the other columns are the series
 *     labels = 2           bars are named by so many columns
 *     unit = ...           of the y axis
 *     x = ...              what the x axis is
 *     mark = 1             a line across at this value
 *     gnuplot = ...        a line of gnuplot's before the plot
 *     rows = no            the page has the plot alone
 *     split = yes          a table for each value of the first column, without it: NAME-VALUE, and
 *                          "VALUE: TITLE" is its heading
 *     series = yes         the last two columns are the name of a series and its value: a column
 *                          for each name, a row for each value of the columns before them
 *     machines = A B       what the question compares
 *     wants = ...          what the question is of, for the message when no run gives a row
 *
 * A table whose machines are not all there, or that has no row, is left out: a note says why. */
#ifndef AETIUS_STUDY_TABLES_H
#define AETIUS_STUDY_TABLES_H

#include "study/study.h"

/* Asks all of them when the runs are done: writes the page, the CSV files and the plots; prints the
 * page, or with study->json {"NAME": [{column: value}]}. */
bool study_put_tables(const struct study *study, struct error *err);

#endif
