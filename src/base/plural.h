#ifndef AETIUS_BASE_PLURAL_H
#define AETIUS_BASE_PLURAL_H

#include <stdint.h>

/* The ending of a regular noun after its count: "" for 1, "s" for others. */
static inline const char *
plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
