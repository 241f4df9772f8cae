/* A draw in words: for tables, for people, and as JSON. The texts of tables hold neither a comma
 * nor a quote nor a line's end. */
#ifndef AETIUS_REPORT_DESCRIBE_DRAW_H
#define AETIUS_REPORT_DESCRIBE_DRAW_H

#include "base/text_table.h"
#include "state/identity.h"

#include <cjson/cJSON.h>
#include <stdio.h>

extern const char *const primitive_names[PRIM_COUNT]; /* "triangles" */

/* "1024x768 B8G8R8X8_UNORM + S8_UINT_Z24_UNORM". */
void describe_targets(const struct draw *draw, FILE *out);
/* "#12 256x256 DXT1_RGB; #14 64x64 R8_UNORM": the resource of each sampler of the fragment program,
 * then of the vertex program. */
void describe_textures(const struct draw *draw, FILE *out);
/* "blend src_alpha inv_src_alpha; depth lequal": what departs from OpenGL's default state; empty
 * when nothing does. */
void describe_state(const struct draw *draw, FILE *out);
/* A text that may hold anything, as a field of a table: commas become semicolons, quotes ', what is
 * below a space, spaces. */
void describe_label(const char *label, FILE *out);

/* The facts of a draw as fields of a table, and their columns; NULL: none of another work. */
#define DRAW_FACTS                                                                                 \
    "hash,vertex_program,fragment_program,primitive,vertices,instances,target,textures,state,"     \
    "label,program_name,target_name"
char *describe_facts(const struct draw *draw); /* the caller's to free */

/* A row: number, identity, programs; primitive, target, state, textures, label in one cell. */
void describe_row(const struct draw *draw, struct text_table *table);
/* All of it; the caller owns it. */
cJSON *describe_json(const struct draw *draw);
/* The same as rows of a name and a value. */
void describe_table(const struct draw *draw, struct text_table *table);

#endif
