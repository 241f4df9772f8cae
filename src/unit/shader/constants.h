/* Constant cache of a shader unit, through which programs read uniform blocks. (Constant buffer 0
 * is in the unit's constant file, which the Command Processor fills.)
 *
 * An instruction reads its constants when it issues. When all threads read the same constant at the
 * same time, they share a single access. An instruction that reads several different constants
 * occupies the ALUs until all are read, at ConstantCacheRate per cycle. If a line is missing, the
 * group waits, and other groups can issue. At most ConstantCacheMisses lines are in flight. A group
 * reads each line in the cycle in which it arrives, so that no eviction can make the group wait
 * twice for a line. The group may issue in the next cycle.
 *
 * Source: the CUDA C Programming Guide for devices of compute capability 1.x (a constant that all
 * threads share is as fast as a register; a request is split into one for each different address);
 * Wong et al., ISPASS 2010, for the size of the first level on the GT200, 2 KB. Assumptions: the
 * line size, the ways and the number of lines in flight. Not modelled: further levels of the cache,
 * and register write ports at the later cycles of an instruction with several constants. */
#ifndef AETIUS_UNIT_SHADER_CONSTANTS_H
#define AETIUS_UNIT_SHADER_CONSTANTS_H

#include "params/params.h"
#include "unit/cache.h"
#include "unit/env.h"

struct constants {
    struct cache cache;
    struct cp_stage stage; /* critical path: the event for which the next request waited */
    const struct gpu_memory *memory; /* source of a perfect cache; NULL: not perfect */
    uint32_t rate, latency, miss_limit;
    struct group **waiting; /* groups that wait for lines, in order */
    uint32_t waiting_count;
};

void constants_init(struct constants *constants, const struct module *owner,
                    const struct unit_env *env, uint32_t max_groups);
void constants_fini(struct constants *constants);
void constants_reset(struct constants *constants); /* invalidates all lines */

#endif
