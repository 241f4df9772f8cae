/* What `aetius report` shares between its files. */
#ifndef AETIUS_CMD_REPORT_H
#define AETIUS_CMD_REPORT_H

#include "report/page/page.h"

/* The nodes of the trees of Top-Down, "tree" and "shader_tree", with what the latter's slots are
 * made of, for a page of runs. */
void report_add_trees(cJSON *page);
/* A sweep's folder: its runs, its machines over all inputs, and what its parameters move. */
bool report_is_sweep(const char *dir);
bool report_add_sweep(cJSON *page, const char *dir, struct error *err);
/* A file of CSV, or of JSON with "rows"; a folder of the former, as studies leave. */
bool report_add_file(cJSON *page, const char *path, struct error *err);
bool report_add_folder(cJSON *page, const char *dir, struct error *err);

#endif
