/* Between the parts of the parameters (params*.c): one value from text; numbers of conditions. */
#ifndef AETIUS_PARAMS_PARAMS_VALUE_H
#define AETIUS_PARAMS_PARAMS_VALUE_H

#include "params/params.h"

enum param_condition_number { /* IF_STATISTICS, ...: what ONLY() names in params.def */
                              NO_CONDITION,
#define CONDITION(symbol, text, expression) symbol,
#include "params/params.def"
};

/* Sets SECTION.name from text as it stands in a file, quotes and all. The message names the
 * parameter and what is allowed. */
bool param_set_value(struct params *params, const char *section, const char *name, const char *text,
                     bool *changed, const struct param_info **found, struct error *err);

#endif
