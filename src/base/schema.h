/* The version of every table and of every answer in JSON, which each of them carries as `schema`:
 * it rises when a name goes or means something else. New columns and members may come without. */
#ifndef AETIUS_BASE_SCHEMA_H
#define AETIUS_BASE_SCHEMA_H

#include "base/error.h"

enum { AETIUS_SCHEMA = 1 };

/* False when what lies at `path` was written by a later aetius than this, in other words. */
bool schema_check(const char *path, double schema, struct error *err);

#endif
