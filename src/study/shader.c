/* aetius study shader: compares separate vertex and fragment shaders with a unified pool, and
 * varies number and width of units. Relates the results to area. */
#include "study/tables.h"

bool
study_shader(struct study *study, struct error *err)
{
    return study_do(study, err) && study_put_tables(study, err);
}
