/* Environment that the machine passes to every unit: it calls NAME_init(unit, env, index) for each
 * UNIT of machine.def. The machine owns all objects that it passes, and they outlive the units. */
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
    uint32_t shaders, texunits, rops;           /* number of each */
};

#endif
