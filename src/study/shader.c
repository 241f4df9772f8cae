/* aetius study shader: separate vertex and fragment shaders or one pool, number and width of units,
 * against their area. */
#include "study/tables.h"

bool
study_shader(struct study *study, struct error *err)
{
    return study_do(study, err) && study_put_tables(study, err);
}
