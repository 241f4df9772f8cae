/* Makes the page of a study from queries to the database of its runs (docs/sweeps.md). The plan
 * contains:
 *
 *     [study]
 *     common = WITH ...    prefix of every query
 *
 *     [table NAME]         written to DIR/NAME.csv
 *     sql = SELECT ...
 *     title = ...          heading in the page, DIR/STUDY.md; without it the page omits the table
 *     text = ...           text below the heading
 *     plot = bars          or stacked, lines, points: DIR/NAME.svg, with NAME.dat and NAME.gnuplot.
 *                          The first column labels the bars, or is x for lines and points. The
 *                          other columns are the series.
 *     labels = 2           number of columns that label the bars
 *     unit = ...           label of the y axis
 *     x = ...              label of the x axis
 *     mark = 1             horizontal line at this value
 *     gnuplot = ...        gnuplot command before the plot
 *     rows = no            the page has only the plot
 *     split = yes          one table per value of the first column, without that column, named
 *                          NAME-VALUE with the heading "VALUE: TITLE"
 *     series = yes         the last two columns are the name and the value of a series: makes a
 *                          column per name, and a row per value of the columns before them
 *     machines = A B       machines that the query compares
 *     wants = ...          subject of the query, for the message if the query returns no rows
 *
 * A table is omitted with a note if it has no row, or if some of its machines are missing. */
#ifndef AETIUS_STUDY_TABLES_H
#define AETIUS_STUDY_TABLES_H

#include "study/study.h"

/* Runs the queries after all runs are complete. Writes the page, the CSV files and the plots.
 * Prints the page, or {"NAME": [{column: value}]} if study->json is set. */
bool study_put_tables(const struct study *study, struct error *err);

#endif
