/* Parts of the executor of sim/whatif.h. */
#ifndef AETIUS_SIM_WHATIF_INTERNAL_H
#define AETIUS_SIM_WHATIF_INTERNAL_H

#include "sim/whatif.h"

struct pixels_out { /* where GET and SWAP store pixels */
    uint8_t *bytes;
    uint32_t size_bytes;
};

/* Executes the command with the changes to textures `i` and above. */
bool whatif_execute_from(struct whatif *whatif, size_t i, const struct gpu_cmd *cmd,
                         struct pixels_out out, struct error *err);
/* Makes the sampler of a texture with new mipmaps use them. */
void whatif_alter_views(struct whatif *whatif, struct draw *draw);
void whatif_texture_fini(struct whatif_texture *texture);

#endif
