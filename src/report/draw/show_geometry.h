/* Shows the geometry of a draw: its buffers, attributes, vertices and constants. Vertices are
 * listed in drawing order, instance after instance. An attribute has the channels of its format,
 * converted to the numbers that the vertex program reads. */
#ifndef AETIUS_REPORT_SHOW_GEOMETRY_H
#define AETIUS_REPORT_SHOW_GEOMETRY_H

#include "base/text_table.h"
#include "state/draw.h"

#include <cjson/cJSON.h>

/* Adds one row per buffer and per attribute. */
void geometry_rows(const struct draw *draw, struct text_table *table);
/* Fill a table with the first `most` vertices or constants. */
void geometry_vertices(const struct draw *draw, const struct gpu_memory *memory, uint32_t most,
                       struct text_table *table);
void geometry_constants(const struct draw *draw, enum shader_stage stage, uint32_t most,
                        struct text_table *table);
/* Adds all of the above to an object, with at most the first `most` vertices and constants. */
void geometry_json(const struct draw *draw, const struct gpu_memory *memory, uint32_t most,
                   cJSON *facts);
/* Writes all vertices as CSV. */
bool geometry_write(const struct draw *draw, const struct gpu_memory *memory, const char *path,
                    struct error *err);

#endif
