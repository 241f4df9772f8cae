/* Reads and writes JSON as cJSON trees. */
#ifndef AETIUS_BASE_JSON_H
#define AETIUS_BASE_JSON_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Makes cJSON exit with one line if the host is out of memory. Without this call, it would omit
 * members. */
void json_init(void);

/* json_number() rounds to 12 significant digits, json_decimals() to `decimals` decimals. Both
 * return null for infinities and NaN. */
cJSON *json_number(double value);
cJSON *json_decimals(double value, int decimals);
cJSON *json_text(const char *text); /* NULL becomes a JSON null */

/* Reads a file of at most FILE_MOST_FACTS bytes that this program wrote. The caller frees the tree
 * with cJSON_Delete(). Returns NULL with an error if the file is not JSON, or if its "schema" is
 * newer than AETIUS_SCHEMA. */
cJSON *json_read(const char *path, struct error *err);

/* The functions below delete the tree that they write. json_print() indents its output and ends it
 * with a newline. json_write() writes an indented file with file_write(). */
void json_print(cJSON *json, FILE *out);
bool json_write(cJSON *json, const char *path, struct error *err);
/* Writes the tree without white space. */
void json_put(cJSON *json, FILE *out);
/* Writes the members of an object without the enclosing braces, so that the caller can append more
 * members. */
void json_put_members(cJSON *object, FILE *out);

#endif
