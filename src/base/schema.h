/* The version of every table and of every answer in JSON, which each of them carries as `schema`:
 * it rises when a name goes or means something else. New columns and members may come without. */
#ifndef AETIUS_BASE_SCHEMA_H
#define AETIUS_BASE_SCHEMA_H

enum { AETIUS_SCHEMA = 1 };

#endif
