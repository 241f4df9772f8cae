/* aetius study texture: what do the texture caches' sizes and shapes do for traffic and cycles, and
 * what hides the latency of memory? */
#include "study/tables.h"

bool
study_texture(struct study *study, struct error *err)
{
    return study_do(study, err) && study_put_tables(study, err);
}
