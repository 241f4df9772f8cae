/* Number of processors that this process may use, at least 1. Only online processors count that
 * taskset, a container's cpuset or a cluster's scheduler allows. Every -j defaults to this
 * number. */
#ifndef AETIUS_BASE_CORES_H
#define AETIUS_BASE_CORES_H

#include <stdint.h>

uint32_t cores_count(void);

#endif
