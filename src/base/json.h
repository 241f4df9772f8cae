/* JSON for standard output and files, made of cJSON trees. */
#ifndef AETIUS_BASE_JSON_H
#define AETIUS_BASE_JSON_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* A number with 12 significant digits, or with so many decimals; null for one that is not finite.
 */
cJSON *json_number(double value);
cJSON *json_decimals(double value, int decimals);
cJSON *json_text(const char *text); /* NULL: null */

/* A file that this program wrote, of at most FILE_MOST_FACTS bytes, which the caller
 * cJSON_Delete()s. NULL, with the message: it is no JSON, or its "schema" is a later one. */
cJSON *json_read(const char *path, struct error *err);

/* These delete what they wrote. Indented, for people: with a newline at the end, and as a file,
 * through file_write(). */
void json_print(cJSON *json, FILE *out);
bool json_write(cJSON *json, const char *path, struct error *err);
/* Without white space. */
void json_put(cJSON *json, FILE *out);
/* The members of an object without its braces: more may follow, which need not be in memory. */
void json_put_members(cJSON *object, FILE *out);

#endif
