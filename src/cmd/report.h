/* What `aetius report` shares between its files. */
#ifndef AETIUS_CMD_REPORT_H
#define AETIUS_CMD_REPORT_H

#include "report/page.h"

/* A sweep's folder: its runs, its machines over all inputs, and what its parameters move. */
bool report_is_sweep(const char *dir);
bool report_add_sweep(cJSON *page, const char *dir, struct error *err);
/* A file of CSV; a folder of them, as studies leave. */
bool report_add_csv(cJSON *page, const char *path, struct error *err);
bool report_add_folder(cJSON *page, const char *dir, struct error *err);

#endif
