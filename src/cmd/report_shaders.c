/* The Top-Down trees of the shaders for the report page. */
#include "analysis/shader_tree.h"
#include "analysis/topdown_print.h"
#include "cmd/report.h"
#include "report/csv.h"

#include <stdlib.h>

/* Rows of the table by frame. */
struct rows {
    const struct csv_table *table;
    int64_t row; /* -1: all */
};

/* shader_statistic_fn */
static bool
statistic(void *data, const char *name, double *value)
{
    const struct rows *rows = data;
    const int32_t column = csv_column(rows->table, name);
    *value = 0;
    for (uint32_t r = 0; column >= 0 && r < rows->table->rows; r++)
        *value += rows->row < 0 || rows->row == r ? csv_value(rows->table, r, column) : 0;
    return column >= 0;
}

static void
add_tree(cJSON *to, const struct csv_table *table, int64_t row)
{
    struct rows rows = {table, row};
    struct topdown_tree tree;
    char *text;
    size_t size;
    if (!shader_tree(statistic, &rows, &tree, NULL))
        return;
    FILE *out = open_memstream(&text, &size);
    BUG_ON(!out, "no memory for a tree");
    topdown_json(&tree, 3, out);
    fclose(out);
    cJSON_AddItemToObject(to, "shaders", cJSON_Parse(text));
    free(text);
    topdown_tree_fini(&tree);
}

static void
add_run(cJSON *run, const struct csv_table *table)
{
    const int32_t column = csv_column(table, "frame");
    uint32_t row = 0;
    cJSON *frame;
    add_tree(run, table, -1);
    cJSON_ArrayForEach(frame, cJSON_GetObjectItemCaseSensitive(run, "frames"))
    {
        const cJSON *number = cJSON_GetObjectItemCaseSensitive(frame, "frame");
        if (row < table->rows && cJSON_IsNumber(number) &&
            csv_value(table, row, column) == number->valuedouble)
            add_tree(frame, table, row++);
    }
}

void
report_add_shaders(cJSON *page, const char *const *runs, uint32_t count)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(page, "runs");
    for (uint32_t i = 0; i < count; i++) {
        struct csv_table table;
        char *path = mem_printf("%s/stats.frames.csv.gz", runs[i]);
        if (file_exists(path) && csv_read(&table, path, NULL)) {
            add_run(cJSON_GetArrayItem(list, (int)i), &table);
            csv_table_fini(&table);
        }
        free(path);
    }
}
