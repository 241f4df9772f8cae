/* Shared parts of the report of profiled applications (topdown_report.c). */
#ifndef AETIUS_CMD_TOPDOWN_REPORT_H
#define AETIUS_CMD_TOPDOWN_REPORT_H

#include "cmd/topdown/topdown.h"

/* File name in a command that is only printed. */
#define REPORT_LOG "topdown.csv"

/* Deepest level of text and tables. */
uint32_t report_level(const struct topdown_request *request);
const struct topdown_tree *report_tree(const struct application_kernel *kernel);
/* Whether a launch of the profile belongs to the application and is not an average of several
 * launches. */
bool report_has_launch(const struct application *application, uint32_t number);
/* Describes what --over-time cannot show, or returns NULL. The caller frees the text. */
char *report_means(const struct application *application, const struct topdown_request *request);
/* Shortens a name for a column or a bar's label. The caller frees the text. */
char *report_shorten(const char *name, size_t most);

/* How many times as long the program took under the profiler. */
double report_overhead(const struct application *application);

/* topdown_tables.c */
void report_json(const application_list *applications, const struct topdown_request *request);
void report_csv(const application_list *applications, const struct topdown_request *request);

/* topdown_figure.c */
bool report_draw(const application_list *applications, const struct topdown_request *request,
                 struct error *err);

#endif
