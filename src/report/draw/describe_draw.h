/* Describes draws as text for tables, as text for readers, and as JSON. Text for tables contains no
 * comma, quote or line end. */
#ifndef AETIUS_REPORT_DESCRIBE_DRAW_H
#define AETIUS_REPORT_DESCRIBE_DRAW_H

#include "base/text_table.h"
#include "sim/work_accounting.h"
#include "state/identity.h"

#include <cjson/cJSON.h>
#include <stdio.h>

extern const char *const primitive_names[PRIM_COUNT]; /* "triangles" */

/* "1024x768 B8G8R8X8_UNORM + S8_UINT_Z24_UNORM". */
void describe_targets(const struct draw *draw, FILE *out);
/* "#12 256x256 DXT1_RGB; #14 64x64 R8_UNORM": resources of the fragment program's samplers,
 * followed by those of the vertex program's samplers. */
void describe_textures(const struct draw *draw, FILE *out);
/* "blend src_alpha inv_src_alpha; depth lequal": state that differs from OpenGL's default; empty if
 * no state differs. */
void describe_state(const struct draw *draw, FILE *out);
/* Converts any text to a field of a table. Commas become semicolons, double quotes become single
 * quotes, and control characters become spaces. */
void describe_label(const char *label, FILE *out);

/* Facts of a draw as fields of a table, in the order of DRAW_FACTS. NULL, for other work: empty
 * fields. */
#define DRAW_FACTS                                                                                 \
    "hash,vertex_program,fragment_program,primitive,vertices,instances,target,textures,state,"     \
    "label,program_name,target_name,merges,erases,textures_uploaded,"                              \
    "transactions_repeated,clears_repeated,textures_single_level,copies_repeated,"                 \
    "clears_unneeded"
/* For a row of copies, `textures` is the resource that is read, and `target` is the box that is
 * written if the row has only one copy. The caller frees the text. */
char *describe_facts(const struct work *work);

/* Adds one row: number, identity, programs, and one cell with primitive, target, state, textures
 * and label. */
void describe_row(const struct draw *draw, struct text_table *table);
/* All facts of the draw. The caller owns the object. */
cJSON *describe_json(const struct draw *draw);
/* Adds all facts of the draw as rows of name and value. */
void describe_table(const struct draw *draw, struct text_table *table);

#endif
