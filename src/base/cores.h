/* Returns the number of processors that this process may use, at least 1. Offline processors do not
 * count, nor those that taskset, a container's cpuset or a cluster scheduler excludes. Every -j
 * defaults to this number. */
#ifndef AETIUS_BASE_CORES_H
#define AETIUS_BASE_CORES_H

#include <stdint.h>

uint32_t cores_count(void);

#endif
