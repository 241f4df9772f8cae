/* DIR/results.db: the results of a sweep's runs as an SQL database (docs/sweeps.md lists its
 * tables). The database is built in memory and replaced as a whole. So SQLite never writes to a
 * file, not even on a network, and readers keep the old version. Equal runs give an equal
 * database. */
#ifndef AETIUS_SWEEP_DATABASE_H
#define AETIUS_SWEEP_DATABASE_H

#include "base/text_table.h"
#include "sweep/sweep.h"

#include <sqlite3.h>

enum { SWEEP_DATABASE_SCHEMA = 1 }; /* incremented when a name is removed or changes its meaning */

/* Builds the database from the completed runs. A note states their number. */
bool database_build(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err);

/* Opens the database read-only. */
bool database_open(const struct sweep *sweep, sqlite3 **db, struct error *err);

/* Runs a query. `rows` gets the column names, then the rows. If the query names a table of the run
 * folders (frames, draws, cycles, frames_shader, ...: docs/tables.md), that table is loaded from
 * all runs into a temporary file. The loaded table has an additional column `run` with the run's
 * number. */
bool database_query(const struct sweep *sweep, sqlite3 *db, const char *sql,
                    struct text_table *rows, struct error *err);

/* Calls fail() with the database's error message. */
bool sql_fail(sqlite3 *db, const char *what, struct error *err);
bool sql_do(sqlite3 *db, const char *sql, struct error *err);
/* Like sql_do(), for a format of sqlite3_mprintf(). */
bool sql_do_format(sqlite3 *db, struct error *err, const char *fmt, ...);
/* Executes a statement without result rows, and resets it. */
bool sql_insert(sqlite3 *db, sqlite3_stmt *statement, struct error *err);

#endif
