/* DIR/results.db: what the runs of a sweep came to, for SQL (docs/sweeps.md has its tables). It is
 * made in memory and put in place as a whole, so SQLite never writes to a file, on a network or
 * not, and who reads the old one goes on; the same runs give the same database. */
#ifndef AETIUS_SWEEP_DATABASE_H
#define AETIUS_SWEEP_DATABASE_H

#include "base/text_table.h"
#include "sweep/sweep.h"

#include <sqlite3.h>

enum { SWEEP_DATABASE_SCHEMA = 1 }; /* rises when a name goes or means something else */

/* From the runs that are done; a note says how many. */
bool database_build(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err);

/* Opens it to be read. */
bool database_open(const struct sweep *sweep, sqlite3 **db, struct error *err);

/* The rows of a question, their columns' names first. Where it speaks of a table of the runs'
 * folders (frames, draws, cycles, frames_shader, ...: docs/tables.md), that is loaded, of all runs,
 * with their number as the column run. */
bool database_query(const struct sweep *sweep, sqlite3 *db, const char *sql,
                    struct text_table *rows, struct error *err);

/* fail() with what the database says. */
bool sql_fail(sqlite3 *db, const char *what, struct error *err);
bool sql_do(sqlite3 *db, const char *sql, struct error *err);
/* Steps a statement that gives no row, and makes it ready for the next one. */
bool sql_insert(sqlite3 *db, sqlite3_stmt *statement, struct error *err);

#endif
