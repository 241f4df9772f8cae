/* Between the two halves of the parameters (params.c and params_file.c): one value from text. */
#ifndef AETIUS_KERNEL_PARAMS_VALUE_H
#define AETIUS_KERNEL_PARAMS_VALUE_H

#include "kernel/params.h"

/* Sets SECTION.name from text as it stands in a file, quotes and all. The message names the
 * parameter and what is allowed. */
bool param_set_value(struct params *params, const char *section, const char *name, const char *text,
                     bool *changed, const struct param_info **found, struct error *err);

#endif
