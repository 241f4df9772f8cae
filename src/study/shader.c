/* aetius study shader: shaders of the vertices' own and fragments' own or one pool, how many units
 * and how wide, against their area. */
#include "study/tables.h"

bool
study_shader(struct study *study, struct error *err)
{
    return study_do(study, err) && study_put_tables(study, err);
}
