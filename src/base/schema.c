#include "base/schema.h"

bool
schema_check(const char *path, double schema, struct error *err)
{
    return schema <= AETIUS_SCHEMA ||
           fail(err, "%s has schema %g: this aetius reads schemas up to %d", path, schema,
                AETIUS_SCHEMA);
}
