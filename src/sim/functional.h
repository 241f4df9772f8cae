/* The functional renderer: executes commands at once, without time; the oracle of the machine and
 * its fast-forward. */
#ifndef AETIUS_SIM_FUNCTIONAL_H
#define AETIUS_SIM_FUNCTIONAL_H

#include "state/context.h"

/* Simulated memory where no machine says how much; only pages that are touched take the host's. */
#define FUNCTIONAL_MEMORY_BYTES (4095u << 20)

struct functional {
    struct gpu_device *device; /* not owned */
    struct arena draws;        /* baked draws, reset at each swap */
    struct functional_scratch *scratch;
    uint64_t vertices, triangles, fragments, texture_requests; /* done so far */
};

void functional_init(struct functional *renderer, struct gpu_device *device);
void functional_fini(struct functional *renderer);

/* Executes any command, state or work. GET and SWAP fill `out` (tight rows) when not NULL.
 * Query results are written to their resource in memory. */
bool functional_execute(struct functional *renderer, const struct gpu_cmd *cmd, uint8_t *out,
                        uint32_t out_bytes, struct error *err);

#endif
