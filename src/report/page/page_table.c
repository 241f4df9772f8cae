/* Adds a run's tables to the page, with merged rows if there are too many. */
#include "base/mem.h"
#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
page_rows_fini(struct page_rows *rows)
{
    free(rows->first);
    free(rows->count);
}

static bool
starts(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static bool
ends(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

bool
page_wants(const char *column)
{
    static const char *const wanted[] = {
        "fraggen.fragments",        "colorwrite.fragments_in",
        "hz.fragments_culled",      "zstencil.fragments_z_failed",
        "shader.fragments_killed",  "shader.instructions",
        "streamer.vertices_shaded", "streamer.vertices_reused",
        "setup.triangles_out",      "setup.culled",
        "texunit.cache_misses",     "texunit.cache_hits",
        "memctl.bytes_read",        "memctl.bytes_written",
        "memctl.burst_cycles",      "memctl.row_hits",
        "memctl.row_misses",
    };
    static const char *const states[] = {".busy_cycles", ".starved_cycles", ".blocked_cycles",
                                         ".waiting_cycles"};
    if (!strchr(column, '.'))
        return csv_kind_of(column) != CSV_REAL;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!strcmp(column, wanted[i]))
            return true;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (ends(column, states[i]))
            return true;
    return starts(column, "lost.") || starts(column, "channel[") || starts(column, "work.") ||
           starts(column, "shader.slots") || starts(column, "shader.lane") ||
           (starts(column, "memctl.") &&
            (ends(column, "_bytes_read") || ends(column, "_bytes_written")));
}

/* Whether merged rows keep the value of the last row. This applies to keys, such as frame and
 * cycle. */
static bool
is_last(const char *column)
{
    return csv_kind_of(column) == CSV_WHOLE && !strchr(column, '.') &&
           strcmp(column, "cycles") != 0 && strcmp(column, "busy_cycles") != 0;
}

static uint64_t
whole_of(const struct csv_table *table, int32_t column, uint32_t row, uint32_t stride,
         uint32_t offset)
{
    const double value = csv_value(table, row * stride + offset, column);
    return value > 0 ? (uint64_t)value : 0; /* 0 for NaN */
}

/* Gathers a column of whole numbers from row `offset` of every `stride` rows. */
static void
gather(const struct csv_table *table, int32_t column, const struct page_rows *rows, uint32_t stride,
       uint32_t offset, uint64_t *values)
{
    const bool last = is_last(table->names[column]), peak = csv_is_peak(table->names[column]);
    for (uint32_t i = 0; i < rows->rows; i++) {
        values[i] = 0;
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            const uint64_t value = whole_of(table, column, rows->first[i] + k, stride, offset);
            if (last || (peak && value > values[i]))
                values[i] = value;
            else if (!peak)
                values[i] += value;
        }
    }
}

static void
add_reals(struct page_columns *columns, const struct csv_table *table, int32_t column,
          const struct page_rows *rows)
{
    double *values = mem_array((size_t)rows->rows + 1, sizeof *values);
    for (uint32_t i = 0; i < rows->rows; i++) {
        const char *field = csv_field(table, rows->first[i], column);
        values[i] = *field ? strtod(field, NULL) : (double)NAN;
    }
    page_add_real(columns, table->names[column], values);
    free(values);
}

static void
add_texts(struct page_columns *columns, const struct csv_table *table, int32_t column,
          const struct page_rows *rows)
{
    const char **values = mem_array((size_t)rows->rows + 1, sizeof *values);
    for (uint32_t i = 0; i < rows->rows; i++)
        values[i] = csv_field(table, rows->first[i], column);
    page_add_texts(columns, table->names[column], values);
    free((void *)values);
}

void
page_add_table_rows(struct page_columns *columns, const struct csv_table *table,
                    const struct page_rows *rows)
{
    uint64_t *values = mem_array((size_t)rows->rows + 1, sizeof *values);
    for (uint32_t c = 0; c < table->columns; c++) {
        const char *name = table->names[c];
        const enum csv_kind kind = csv_kind_of(name);
        if (!strcmp(name, "schema") || (!rows->all_columns && !page_wants(name)))
            continue;
        if (kind == CSV_TEXT)
            add_texts(columns, table, (int32_t)c, rows);
        else if (kind == CSV_REAL)
            add_reals(columns, table, (int32_t)c, rows);
        else {
            gather(table, (int32_t)c, rows, 1, 0, values);
            page_add_whole(columns, name, values);
        }
    }
    free(values);
}

/* Whether each row of the main table has the same number of rows of the unit, in the same order. */
static bool
instances_of(const struct csv_table *units, const struct csv_table *main, uint32_t *instances)
{
    const int32_t instance = csv_column(units, "instance"), frame = csv_column(units, "frame");
    const int32_t main_frame = csv_column(main, "frame");
    if (instance < 0 || frame < 0 || main_frame < 0 || !main->rows || units->rows % main->rows)
        return false;
    *instances = units->rows / main->rows;
    for (uint32_t r = 0; r < units->rows; r++)
        if (whole_of(units, instance, r, 1, 0) != r % *instances ||
            whole_of(units, frame, r, 1, 0) != whole_of(main, main_frame, r / *instances, 1, 0))
            return false;
    return true;
}

bool
page_add_instances(struct page_columns *columns, const char *path, const char *unit,
                   const struct csv_table *main, const struct page_rows *rows, struct error *err)
{
    struct csv_table table;
    uint32_t instances = 1;
    if (!file_exists(path))
        return true;
    if (!csv_read(&table, path, err))
        return false;
    uint64_t *values = mem_array((size_t)rows->rows + 1, sizeof *values);
    const bool ok = instances_of(&table, main, &instances) ||
                    fail(err, "%s does not match the table of the run", path);
    for (uint32_t c = 0; ok && c < table.columns; c++) {
        const char *name = table.names[c], *point = strchr(name, '.');
        if (!point || (!ends(name, ".bytes_read") && !ends(name, ".bytes_written")))
            continue;
        for (uint32_t i = 0; i < instances; i++) {
            char *column = mem_printf("%s[%u]%s", unit, i, point);
            gather(&table, (int32_t)c, rows, instances, i, values);
            page_add_whole(columns, column, values);
            free(column);
        }
    }
    free(values);
    csv_table_fini(&table);
    return ok;
}
