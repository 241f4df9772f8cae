/* Version of all tables and JSON output, which carry it as `schema`. It increases when a name
 * disappears or changes its meaning. New columns and members do not change it. */
#ifndef AETIUS_BASE_SCHEMA_H
#define AETIUS_BASE_SCHEMA_H

#include "base/error.h"

enum { AETIUS_SCHEMA = 1 };

/* Returns false if a later version of aetius wrote the file at `path` in an incompatible form. */
bool schema_check(const char *path, double schema, struct error *err);

#endif
