/* What the machine hands to every unit that it builds: NAME_init(unit, env, index) for each UNIT of
 * machine.def. Pointers are the machine's, and outlive the units. */
#ifndef AETIUS_UNIT_ENV_H
#define AETIUS_UNIT_ENV_H

#include <stdint.h>

struct blocks;
struct clock;
struct gpu_memory;
struct params;
struct pools;

struct unit_env {
    struct clock *clock;
    const struct params *params;
    struct pools *pools;
    struct gpu_memory *memory;
    struct blocks *color_blocks, *depth_blocks; /* states of compressed blocks */
    uint32_t shaders, texunits, rops;           /* how many of each there are */
};

#endif
