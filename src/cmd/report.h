/* What `aetius report` shares between its files. */
#ifndef AETIUS_CMD_REPORT_H
#define AETIUS_CMD_REPORT_H

#include "report/page.h"

/* Of each run of the page, and of each of its frames, what issue slots of the shaders were lost to:
 * "shaders", a tree as `aetius topdown --json` has it. Nothing of a run that does not count them.
 */
void report_add_shaders(cJSON *page, const char *const *runs, uint32_t count);
/* A sweep's folder: its runs, its machines over all inputs, and what its parameters move. */
bool report_is_sweep(const char *dir);
bool report_add_sweep(cJSON *page, const char *dir, struct error *err);
/* A file of CSV, or of JSON with "rows"; a folder of the former, as studies leave. */
bool report_add_file(cJSON *page, const char *path, struct error *err);
bool report_add_folder(cJSON *page, const char *dir, struct error *err);

#endif
