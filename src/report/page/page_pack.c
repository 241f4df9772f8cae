/* Packs columns; page/data.js unpacks them. */
#include "base/mem.h"
#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define REAL_STEP 1e-8 /* resolution of reals; tables have four significant digits */

char *
page_base64(const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = bytes;
    char *text = mem_alloc((size + 2) / 3 * 4 + 1), *out = text;
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t left = size - i < 3 ? (uint32_t)(size - i) : 3;
        const uint32_t word = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                              (left > 2 ? in[i + 2] : 0);
        *out++ = digits[word >> 18];
        *out++ = digits[word >> 12 & 63];
        *out++ = left > 1 ? digits[word >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[word & 63] : '=';
    }
    return text;
}

char *
page_deflate(const void *bytes, size_t size)
{
    uLongf packed_size = compressBound(size);
    uint8_t *packed = mem_alloc(packed_size);
    if (compress2(packed, &packed_size, bytes, size, 6) != Z_OK)
        mem_exhausted("zlib");
    char *text = page_base64(packed, packed_size);
    free(packed);
    return text;
}

void
page_columns_begin(struct page_columns *columns, cJSON *parent, const char *name, uint32_t rows)
{
    *columns = (struct page_columns){.object = cJSON_AddObjectToObject(parent, name), .rows = rows};
    cJSON_AddNumberToObject(columns->object, "rows", rows);
    cJSON_AddObjectToObject(columns->object, "columns");
    cJSON_AddArrayToObject(columns->object, "zero");
}

void
page_columns_end(struct page_columns *columns)
{
    cJSON *packs = cJSON_AddArrayToObject(columns->object, "packs");
    for (uint32_t i = 0; i < PAGE_PACKS; i++) {
        char *text = page_deflate(columns->packs[i].items, columns->packs[i].count);
        cJSON_AddItemToArray(packs, cJSON_CreateString(text));
        free(text);
        VEC_FREE(&columns->packs[i]);
    }
}

static cJSON *
add_packed(struct page_columns *columns, const char *name, const char *kind, const uint64_t *values)
{
    cJSON *column = cJSON_CreateObject();
    const uint32_t pack = page_wants(name) ? 0 : 1;
    cJSON_AddStringToObject(column, "kind", kind);
    cJSON_AddNumberToObject(column, "pack", pack);
    cJSON_AddNumberToObject(column, "at", (double)columns->packs[pack].count);
    for (uint32_t i = 0; i < columns->rows; i++) {
        uint64_t value = values[i];
        for (; value > 127; value >>= 7)
            VEC_PUSH(&columns->packs[pack], (uint8_t)(value | 128));
        VEC_PUSH(&columns->packs[pack], (uint8_t)value);
    }
    cJSON_AddItemToObject(cJSON_GetObjectItemCaseSensitive(columns->object, "columns"), name,
                          column);
    return column;
}

void
page_add_whole(struct page_columns *columns, const char *name, const uint64_t *values)
{
    bool zero = true;
    for (uint32_t i = 0; i < columns->rows && zero; i++)
        zero = !values[i];
    if (zero)
        cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(columns->object, "zero"),
                             cJSON_CreateString(name));
    else
        add_packed(columns, name, "whole", values);
}

/* Encodes a missing value as 0. Other values are 2 n + 1 with n = |value| / REAL_STEP, plus 1 if
 * the value is negative. */
void
page_add_real(struct page_columns *columns, const char *name, const double *values)
{
    uint64_t *codes = mem_array((size_t)columns->rows + 1, sizeof *codes);
    for (uint32_t i = 0; i < columns->rows; i++) {
        const double scaled = fabs(values[i]) / REAL_STEP;
        if (scaled < 1e18) /* false for NaN */
            codes[i] = 2 * (uint64_t)(scaled + 0.5) + 1 + (values[i] < 0);
    }
    add_packed(columns, name, "real", codes);
    free(codes);
}

struct text_place {
    const char *text;
    uint32_t row;
};

static int
compare_texts(const void *left, const void *right)
{
    const struct text_place *a = left, *b = right;
    const int order = strcmp(a->text, b->text);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* Stores each distinct text once, and an index per row. */
void
page_add_texts(struct page_columns *columns, const char *name, const char *const *values)
{
    struct text_place *places = mem_array((size_t)columns->rows + 1, sizeof *places);
    uint64_t *numbers = mem_array((size_t)columns->rows + 1, sizeof *numbers);
    cJSON *words = cJSON_CreateArray();
    uint64_t count = 0;
    for (uint32_t i = 0; i < columns->rows; i++)
        places[i] = (struct text_place){values[i], i};
    if (columns->rows)
        qsort(places, columns->rows, sizeof *places, compare_texts);
    for (uint32_t i = 0; i < columns->rows; i++) {
        if (!i || strcmp(places[i].text, places[i - 1].text) != 0) {
            cJSON_AddItemToArray(words, cJSON_CreateString(places[i].text));
            count++;
        }
        numbers[places[i].row] = count - 1;
    }
    cJSON_AddItemToObject(add_packed(columns, name, "text", numbers), "words", words);
    free(numbers);
    free(places);
}
