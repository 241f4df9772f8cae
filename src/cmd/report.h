/* Shared parts of `aetius report`. */
#ifndef AETIUS_CMD_REPORT_H
#define AETIUS_CMD_REPORT_H

#include "report/page/page.h"

/* Writes the page of runs, sweeps, studies or tables to a new file, and prints its size. With
 * `force`, replaces an existing file. */
bool report_write(const char *const *operands, uint32_t count, const char *path, bool force,
                  struct error *err);

/* Adds the nodes of the Top-Down trees, "tree" and "shader_tree", to a page of runs. Also adds the
 * counters of the shaders' issue slots. */
void report_add_trees(cJSON *page);
/* A sweep's folder: its runs, its machines over all inputs, and the effect of its parameters. */
bool report_is_sweep(const char *dir);
bool report_add_sweep(cJSON *page, const char *dir, struct error *err);
/* A CSV file, a JSON file with "rows", or a folder of CSV files as studies write it. */
bool report_add_file(cJSON *page, const char *path, struct error *err);
bool report_add_folder(cJSON *page, const char *dir, struct error *err);

#endif
