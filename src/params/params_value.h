/* Declarations shared by params*.c: parsing of one value, and the numbers of conditions. */
#ifndef AETIUS_PARAMS_PARAMS_VALUE_H
#define AETIUS_PARAMS_PARAMS_VALUE_H

#include "params/params.h"

enum param_condition_number { /* IF_STATISTICS, ...: the names that ONLY() in params.def uses */
                              NO_CONDITION,
#define CONDITION(symbol, text, expression) symbol,
#include "params/params.def"
};

/* Sets SECTION.name from text as in a file, including quotes. The error contains the parameter and
 * its allowed values. */
bool param_set_value(struct params *params, const char *section, const char *name, const char *text,
                     bool *changed, const struct param_info **found, struct error *err);

#endif
