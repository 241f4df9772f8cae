#include "base/json.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cJSON *
number_as(const char *format, int digits, double value)
{
    char text[512]; /* long enough for DBL_MAX with decimals */
    if (!isfinite(value))
        return cJSON_CreateNull();
    snprintf(text, sizeof text, format, digits, value);
    return cJSON_CreateNumber(strtod(text, NULL) + 0.0); /* + 0.0 turns -0 into 0 */
}

static void *
allocate(size_t bytes)
{
    void *block = malloc(bytes);
    if (!block)
        mem_exhausted("JSON");
    return block;
}

void
json_init(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){allocate, free});
}

cJSON *
json_number(double value)
{
    return number_as("%.*g", 12, value);
}

cJSON *
json_decimals(double value, int decimals)
{
    return number_as("%.*f", decimals, value);
}

cJSON *
json_text(const char *text)
{
    return text ? cJSON_CreateString(text) : cJSON_CreateNull();
}

cJSON *
json_read(const char *path, struct error *err)
{
    char *bytes;
    size_t size;
    if (!file_read(path, FILE_MOST_FACTS, &bytes, &size, err))
        return NULL;
    cJSON *root = cJSON_ParseWithLength(bytes, size);
    const cJSON *schema =
        cJSON_IsObject(root) ? cJSON_GetObjectItemCaseSensitive(root, "schema") : NULL;
    const bool ok = root ? !cJSON_IsNumber(schema) || schema_check(path, schema->valuedouble, err)
                         : fail(err, "%s is not valid JSON", path);
    free(bytes);
    if (ok)
        return root;
    cJSON_Delete(root);
    return NULL;
}

/* Deletes the tree. The caller frees the returned text. */
static char *
text_of(cJSON *json, bool is_indented)
{
    char *text = is_indented ? cJSON_Print(json) : cJSON_PrintUnformatted(json);
    if (!text)
        mem_exhausted("JSON");
    cJSON_Delete(json);
    return text;
}

void
json_print(cJSON *json, FILE *out)
{
    char *text = text_of(json, true);
    fprintf(out, "%s\n", text);
    free(text);
}

bool
json_write(cJSON *json, const char *path, struct error *err)
{
    char *text = text_of(json, true);
    const bool ok = file_write(path, text, strlen(text), err);
    free(text);
    return ok;
}

static void
append_json(cJSON *json, size_t cut, FILE *out)
{
    char *text = text_of(json, false);
    fwrite(text + cut, 1, strlen(text) - 2 * cut, out);
    free(text);
}

void
json_put(cJSON *json, FILE *out)
{
    append_json(json, 0, out);
}

void
json_put_members(cJSON *object, FILE *out)
{
    append_json(object, 1, out);
}
