/* Environment of a unit. The machine calls NAME_init(unit, env, index) for each UNIT of
 * machine.def. The machine owns all these objects, and they outlive the units. */
#ifndef AETIUS_UNIT_ENV_H
#define AETIUS_UNIT_ENV_H

#include <stdint.h>

struct blocks;
struct clock;
struct cover;
struct gpu_memory;
struct params;
struct pools;

struct unit_env {
    struct clock *clock;
    const struct params *params;
    struct pools *pools;
    struct gpu_memory *memory;
    struct blocks *color_blocks, *depth_blocks; /* block states for color and depth */
    struct cover *cover;                        /* draws in front, for the z tests and hz */
    uint32_t shaders, texunits, rops;           /* number of units of each kind */
};

#endif
