/* Output of the shader profile (unit/shader/shader_profile.h) in a run folder. PROFILE_FILE has one
 * row per instruction and row of the draw table; docs/tables.md describes it. PROGRAMS_FOLDER
 * contains the text of each profiled program in HASH.tgsi. */
#ifndef AETIUS_REPORT_PROFILE_TABLE_H
#define AETIUS_REPORT_PROFILE_TABLE_H

#include "report/run/table.h"
#include "unit/shader/shader_profile.h"

#define PROFILE_FILE    "shader-profile.csv.gz"
#define PROGRAMS_FOLDER "programs"

/* Creates the table and the folder of the texts in `dir`. */
bool profile_table_open(struct table *table, const char *dir, struct error *err);
/* Appends the counts since the last call. `key`: frame, draw, work and nth. */
void profile_table_rows(struct table *table, struct shader_profile *profile, const char *key);
/* Stores the texts of programs that ran for the first time. */
bool profile_store_programs(struct shader_profile *profile, const char *dir, struct error *err);
/* The caller frees the path. */
char *profile_program_path(const char *dir, const char *hash);

#endif
