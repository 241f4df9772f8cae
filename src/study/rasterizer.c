/* aetius study rasterizer: at which level does the seven-level rasterizer reject tiles, and is its
 * bounding-box test worthwhile (docs/design/rasterizer.md, Bounding-box test)? */
#include "study/pictures.h"
#include "study/tables.h"

bool
study_rasterizer(struct study *study, struct error *err)
{
    return study_do(study, err) && study_put_tables(study, err) && study_put_pictures(study, err);
}
