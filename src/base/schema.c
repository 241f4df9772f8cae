#include "base/schema.h"

bool
schema_check(const char *path, double schema, struct error *err)
{
    return schema <= AETIUS_SCHEMA ||
           fail(err, "%s is of schema %g: this aetius reads up to %d", path, schema, AETIUS_SCHEMA);
}
