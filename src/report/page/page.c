#include "report/page/page.h"

#include "base/build.h"
#include "base/mem.h"
#include "base/memory_text.h"
#include "base/schema.h"
#include "report/page/page_files.h"

#include <stdlib.h>
#include <string.h>

cJSON *
page_create(void)
{
    cJSON *page = cJSON_CreateObject();
    cJSON_AddNumberToObject(page, "schema", AETIUS_SCHEMA);
    cJSON_AddStringToObject(page, "version", AETIUS_VERSION);
    return page;
}

/* Whether all cells of a column below its name are numbers or empty. */
static bool
is_numeric(const struct text_table *rows, uint32_t column)
{
    bool some = false;
    for (size_t at = rows->columns + column; at < rows->cells.count; at += rows->columns) {
        const char *cell = rows->cells.items[at];
        char *end;
        strtod(cell, &end);
        if (*end || cell[strspn(cell, "0123456789+-.eE")])
            return false;
        some |= *cell != '\0';
    }
    return some;
}

static cJSON *
cell_of(const char *cell, bool numeric)
{
    return !*cell    ? cJSON_CreateNull()
           : numeric ? cJSON_CreateNumber(strtod(cell, NULL))
                     : cJSON_CreateString(cell);
}

void
page_add_table(cJSON *page, const char *name, const struct text_table *rows, cJSON *facts)
{
    cJSON *tables = cJSON_GetObjectItemCaseSensitive(page, "tables");
    cJSON *table = facts ? facts : cJSON_CreateObject();
    if (!tables)
        tables = cJSON_AddArrayToObject(page, "tables");
    cJSON_AddStringToObject(table, "name", name);
    cJSON *names = cJSON_AddArrayToObject(table, "columns");
    cJSON *values = cJSON_AddArrayToObject(table, "values");
    for (uint32_t c = 0; c < rows->columns; c++) {
        const bool numeric = is_numeric(rows, c);
        cJSON *column = cJSON_CreateArray();
        cJSON_AddItemToArray(names, cJSON_CreateString(rows->cells.items[c]));
        for (size_t at = rows->columns + c; at < rows->cells.count; at += rows->columns)
            cJSON_AddItemToArray(column, cell_of(rows->cells.items[at], numeric));
        cJSON_AddItemToArray(values, column);
    }
    cJSON_AddItemToArray(tables, table);
}

/* Prints the JSON for use inside <script>. In JSON, '<' occurs only in strings, where it can be
 * escaped. */
static void
put_data(const cJSON *page, FILE *out)
{
    char *text = cJSON_PrintUnformatted(page);
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "<");
        fwrite(at, 1, n, out);
        at += n;
        if (*at == '<') {
            fputs("\\u003c", out);
            at++;
        }
    }
    free(text);
}

static void
put_part(const char *name, size_t length, const cJSON *page, FILE *out)
{
    if (!strncmp(name, "style", length))
        fwrite(page_style, 1, page_style_size, out);
    else if (!strncmp(name, "script", length))
        fwrite(page_script, 1, page_script_size, out);
    else if (!strncmp(name, "license", length))
        fwrite(page_license, 1, page_license_size, out);
    else if (!strncmp(name, "data", length))
        put_data(page, out);
    else
        BUG("page.html asks for %.*s", (int)length, name);
}

/* Prints page.html with each {{part}} substituted. */
static void
put_page(const cJSON *page, FILE *out)
{
    const char *at = (const char *)page_html, *end = at + page_html_size;
    while (at < end) {
        const char *open = memmem(at, (size_t)(end - at), "{{", 2);
        const char *close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
        if (!close)
            break;
        fwrite(at, 1, (size_t)(open - at), out);
        put_part(open + 2, (size_t)(close - open - 2), page, out);
        at = close + 2;
    }
    fwrite(at, 1, (size_t)(end - at), out);
}

bool
page_write(const cJSON *page, const char *path, struct error *err)
{
    struct memory_text text;
    put_page(page, memory_text_open(&text));
    return memory_text_write(&text, path, err);
}
