/* aetius study texture: how do size and shape of texture caches affect traffic and cycles, and how
 * is memory latency hidden? */
#include "study/tables.h"

bool
study_texture(struct study *study, struct error *err)
{
    return study_do(study, err) && study_put_tables(study, err);
}
