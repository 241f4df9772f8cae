/* How many processors this process may run on, 1 at least: those that are online and that taskset,
 * a container's cpuset or a cluster's scheduler left to it. The default of every -j. */
#ifndef AETIUS_BASE_CORES_H
#define AETIUS_BASE_CORES_H

#include <stdint.h>

uint32_t cores_count(void);

#endif
