/* Schema version of all tables and JSON output, stored in them as `schema`. It increases when a
 * name is removed or changes its meaning, but not when columns or members are added. */
#ifndef AETIUS_BASE_SCHEMA_H
#define AETIUS_BASE_SCHEMA_H

#include "base/error.h"

enum { AETIUS_SCHEMA = 1 };

/* Returns false with an error if a newer version of aetius wrote the file at `path` in an
 * incompatible format. */
bool schema_check(const char *path, double schema, struct error *err);

#endif
