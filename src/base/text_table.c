#include "base/text_table.h"

#include "base/csv_reader.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/wrap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEFT = 64 };

static char *
print_text(const char *fmt, va_list args)
{
    char *text;
    if (vasprintf(&text, fmt, args) < 0)
        mem_exhausted("text");
    return text;
}

void
text_table_cell(struct text_table *table, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    VEC_PUSH(&table->cells, print_text(fmt, args));
    va_end(args);
}

void
text_table_left(struct text_table *table, const char *fmt, ...)
{
    const size_t column = table->columns ? table->cells.count % table->columns : table->cells.count;
    va_list args;
    BUG_ON(column >= MOST_LEFT, "too many columns");
    va_start(args, fmt);
    VEC_PUSH(&table->cells, print_text(fmt, args));
    va_end(args);
    table->left |= UINT64_C(1) << column;
}

void
text_table_cells(struct text_table *table, const char *names)
{
    size_t length;
    for (const char *at = names;; at += length + 1) {
        length = strcspn(at, "|");
        text_table_cell(table, "%.*s", (int)length, at);
        if (!at[length])
            return;
    }
}

void
text_table_line(struct text_table *table, const char *fmt, ...)
{
    struct text_table_note note = {.row = text_table_rows(table)};
    va_list args;
    va_start(args, fmt);
    note.line = print_text(fmt, args);
    va_end(args);
    VEC_PUSH(&table->notes, note);
}

void
text_table_color(struct text_table *table, const char *escape)
{
    const struct text_table_note note = {.row = text_table_rows(table), .color = escape};
    VEC_PUSH(&table->notes, note);
}

void
text_table_end_row(struct text_table *table)
{
    if (!table->columns)
        table->columns = (uint32_t)table->cells.count;
    BUG_ON(!table->columns || table->cells.count % table->columns,
           "a row with a different number of cells");
}

static bool
stands_left(const struct text_table *table, uint32_t column)
{
    return column == 0 || (column < MOST_LEFT && table->left >> column & 1);
}

/* Returns copies of the cells. CSV keeps them unchanged; the other styles escape control
 * characters. */
static char **
cells_for(const struct text_table *table, enum text_table_style style)
{
    char **cells = mem_array(table->cells.count, sizeof *cells);
    for (size_t i = 0; i < table->cells.count; i++) {
        const char *cell = table->cells.items[i];
        cells[i] = style == TEXT_TABLE_CSV ? mem_strdup(cell) : mem_printable(cell);
    }
    return cells;
}

static int
width_of(const struct text_table *table, char *const *cells, uint32_t column)
{
    size_t width = 3; /* minimum width of a column in Markdown's separator row */
    for (size_t i = column; i < table->cells.count; i += table->columns) {
        const size_t length = strlen(cells[i]);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* Returns the line length for TEXT_TABLE_TEXT if the column `name` has at most `cut` characters. */
static uint32_t
line_length(const struct text_table *table, const bool *is_left_out, uint32_t name, uint32_t cut)
{
    uint32_t length = 0;
    char **cells = cells_for(table, TEXT_TABLE_TEXT);
    for (uint32_t c = 0; c < table->columns; c++) {
        const uint32_t width = (uint32_t)width_of(table, cells, c);
        if (!is_left_out[c])
            length += 2 + (c == name && width > cut ? cut : width);
    }
    for (size_t i = 0; i < table->cells.count; i++)
        free(cells[i]);
    free(cells);
    return length;
}

static void
leave_out(struct text_table *table, const bool *is_left_out)
{
    size_t kept = 0;
    uint32_t columns = 0;
    uint64_t left = 0;
    for (uint32_t c = 0; c < table->columns; c++)
        if (!is_left_out[c])
            left |= (uint64_t)stands_left(table, c) << columns++;
    for (size_t i = 0; i < table->cells.count; i++)
        if (is_left_out[i % table->columns])
            free(table->cells.items[i]);
        else
            table->cells.items[kept++] = table->cells.items[i];
    table->cells.count = kept;
    table->columns = columns;
    table->left = left;
}

static void
cut_cells(struct text_table *table, uint32_t column, uint32_t length)
{
    for (size_t i = column; i < table->cells.count; i += table->columns) {
        char **cell = &table->cells.items[i];
        if (strlen(*cell) <= length)
            continue;
        char *cut = mem_printf("%.*s...", (int)length - 3, *cell);
        free(*cell);
        *cell = cut;
    }
}

uint32_t
text_table_fit(struct text_table *table, uint32_t width, uint32_t name, const uint32_t *spare,
               uint32_t count)
{
    enum { NAME_LEAST = 16 };
    uint32_t left_out = 0, before = 0;
    bool *is_left_out = mem_array(table->columns, sizeof *is_left_out);
    while (left_out < count && line_length(table, is_left_out, name, NAME_LEAST) > width)
        is_left_out[spare[left_out++]] = true;
    const uint32_t least = line_length(table, is_left_out, name, NAME_LEAST);
    for (uint32_t c = 0; c < name; c++)
        before += !is_left_out[c];
    leave_out(table, is_left_out);
    cut_cells(table, before, NAME_LEAST + (least < width ? width - least : 0));
    free(is_left_out);
    return left_out;
}

static void
write_csv_cell(const char *text, FILE *out)
{
    const bool quoted = strpbrk(text, ",\"\r\n");
    if (quoted)
        fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (quoted)
        fputc('"', out);
}

static void
write_csv(char *const *cells, size_t count, uint32_t columns, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        write_csv_cell(cells[i], out);
        fputc((i + 1) % columns ? ',' : '\n', out);
    }
}

static void
write_rule(const struct text_table *table, const int *widths, FILE *out)
{
    static const char dashes[] = "----------------";
    for (uint32_t c = 0; c < table->columns; c++) {
        fputs("| ", out);
        for (int left = widths[c] - !stands_left(table, c); left > 0; left -= 16)
            fprintf(out, "%.*s", left, dashes);
        fputs(stands_left(table, c) ? " " : ": ", out);
    }
    fputs("|\n", out);
}

static void
write_markdown(const struct text_table *table, char *const *cells, const int *widths, FILE *out)
{
    for (size_t i = 0; i < table->cells.count; i++) {
        const uint32_t c = (uint32_t)(i % table->columns);
        fprintf(out, "| %*s ", stands_left(table, c) ? -widths[c] : widths[c], cells[i]);
        if (c + 1 < table->columns)
            continue;
        fputs("|\n", out);
        if (i + 1 == table->columns)
            write_rule(table, widths, out);
    }
}

/* Writes the last cell of a line, which begins at `column` after `spaces` spaces. Continuation
 * lines also begin at `column`, or further left in a narrow terminal. */
static void
write_end(const char *cell, uint32_t column, uint32_t spaces, FILE *out)
{
    enum { BELOW = 8 };
    const uint32_t width = line_width(out), lead = (uint32_t)strspn(cell, " ");
    size_t length = strlen(cell);
    while (length && cell[length - 1] == ' ')
        length--;
    if (column + length <= width)
        fprintf(out, "%*s%.*s", (int)spaces, "", (int)length, cell);
    else
        print_wrapped_at(out, width, column - spaces, spaces + lead,
                         lead + (width < 2 * column ? BELOW : column), cell + lead);
}

static void
write_note(const char *line, FILE *out)
{
    const uint32_t width = line_width(out), lead = (uint32_t)strspn(line, " ");
    if (strlen(line) <= width)
        print_shown(out, "%s\n", line);
    else
        print_wrapped(out, width, lead, lead + 2, "%s", line + lead);
}

/* Writes the lines above a row. Returns the row's color, or NULL. */
static const char *
write_notes(const struct text_table *table, size_t row, size_t *next, FILE *out)
{
    const char *color = NULL;
    for (; *next < table->notes.count && table->notes.items[*next].row == row; ++*next) {
        const struct text_table_note *note = &table->notes.items[*next];
        if (note->line)
            write_note(note->line, out);
        color = note->color ? note->color : color;
    }
    return color;
}

/* Writes a line without trailing spaces and without a newline. */
static void
write_line(const struct text_table *table, char *const *cells, const int *widths, FILE *out)
{
    int spaces = 0;
    uint32_t column = 0;
    for (uint32_t c = 0; c < table->columns; c++) {
        const int length = (int)strlen(cells[c]), rest = widths[c] - length;
        const bool left = stands_left(table, c);
        spaces += 2 + (left ? 0 : rest);
        column += 2;
        if (length) {
            if (left && c && c + 1 == table->columns) {
                write_end(cells[c], column, (uint32_t)spaces, out);
                return;
            }
            fprintf(out, "%*s%s", spaces, "", cells[c]);
            spaces = 0;
        }
        spaces += left ? rest : 0;
        column += (uint32_t)widths[c];
    }
}

static void
write_text(const struct text_table *table, char *const *cells, const int *widths, FILE *out)
{
    const size_t rows = text_table_rows(table);
    size_t note = 0;
    for (size_t row = 0; row < rows; row++) {
        const char *color = write_notes(table, row, &note, out);
        fputs(color ? color : "", out);
        write_line(table, cells + row * table->columns, widths, out);
        fprintf(out, "%s\n", color ? COLOR_END : "");
    }
    write_notes(table, rows, &note, out);
}

void
text_table_write(const struct text_table *table, enum text_table_style style, FILE *out)
{
    char **cells = cells_for(table, style);
    int *widths = mem_array(table->columns, sizeof *widths);
    for (uint32_t c = 0; c < table->columns; c++)
        widths[c] = width_of(table, cells, c);
    switch (style) {
    case TEXT_TABLE_TEXT: write_text(table, cells, widths, out); break;
    case TEXT_TABLE_MARKDOWN: write_markdown(table, cells, widths, out); break;
    case TEXT_TABLE_CSV: write_csv(cells, table->cells.count, table->columns, out); break;
    }
    for (size_t i = 0; i < table->cells.count; i++)
        free(cells[i]);
    free(cells);
    free(widths);
}

void
text_table_put(struct text_table *table, enum text_table_style style, FILE *out)
{
    text_table_write(table, style, out);
    text_table_fini(table);
}

bool
text_table_read_csv(struct text_table *table, const char *text, const char *name, struct error *err)
{
    char *copy = mem_strdup(text);
    struct csv_reader reader = csv_reader_of(copy, strlen(copy));
    enum csv_record is = CSV_RECORD;
    uint32_t row = 0;
    bool ok = true;
    *table = (struct text_table){0};
    while (ok && (is = csv_reader_next(&reader)) != CSV_END) {
        const size_t count = reader.cells.count;
        row++;
        if (is == CSV_BAD_QUOTE) {
            ok = fail(err, "%s: row %u: misplaced quote", name, row);
            break;
        }
        for (size_t i = 0; i < count; i++)
            VEC_PUSH(&table->cells, mem_strdup(reader.cells.items[i]));
        if (!table->columns)
            table->columns = (uint32_t)count;
        if (count != table->columns)
            ok = fail(err, "%s: row %u has %zu cell%s, expected %u", name, row, count,
                      plural(count), table->columns);
    }
    ok = ok && (table->columns || fail(err, "%s is empty", name));
    csv_reader_fini(&reader);
    free(copy);
    if (!ok)
        text_table_fini(table);
    return ok;
}

void
text_table_fini(struct text_table *table)
{
    for (size_t i = 0; i < table->cells.count; i++)
        free(table->cells.items[i]);
    for (size_t i = 0; i < table->notes.count; i++)
        free(table->notes.items[i].line);
    VEC_FREE(&table->cells);
    VEC_FREE(&table->notes);
    table->columns = 0;
    table->left = 0;
}

const char *
text_table_at(const struct text_table *table, size_t row, uint32_t column)
{
    return table->cells.items[row * table->columns + column];
}

size_t
text_table_rows(const struct text_table *table)
{
    return table->columns ? table->cells.count / table->columns : 0;
}

int32_t
text_table_column(const struct text_table *table, const char *name)
{
    for (uint32_t c = 0; c < table->columns; c++)
        if (!strcmp(text_table_at(table, 0, c), name))
            return (int32_t)c;
    return -1;
}

bool
text_table_read(struct text_table *table, const char *path, struct error *err)
{
    char *text;
    size_t size;
    *table = (struct text_table){0};
    if (!file_read(path, FILE_MOST_TEXT, &text, &size, err))
        return false;
    const bool ok = text_table_read_csv(table, text, path, err);
    free(text);
    return ok;
}

static void
copy_cells(struct text_table *to, const struct text_table *from, size_t row, uint32_t first,
           uint32_t end)
{
    for (uint32_t c = first; c < end; c++)
        text_table_cell(to, "%s", text_table_at(from, row, c));
}

size_t
text_table_split(const struct text_table *table, const char *value, struct text_table *part)
{
    size_t first = 0;
    for (size_t r = 0; r < text_table_rows(table); r++) {
        if (r && strcmp(text_table_at(table, r, 0), value) != 0)
            continue;
        first = first ? first : r;
        copy_cells(part, table, r, 1, table->columns);
        text_table_end_row(part);
    }
    return first;
}

/* Returns the first row that equals `row` in the columns [first, end). */
static size_t
first_like(const struct text_table *table, size_t row, uint32_t first, uint32_t end)
{
    for (size_t r = 1; r < row; r++) {
        uint32_t c = first;
        while (c < end && !strcmp(text_table_at(table, r, c), text_table_at(table, row, c)))
            c++;
        if (c == end)
            return r;
    }
    return row;
}

/* Returns the value of a series in the rows with the same keys as `row`, or "". */
static const char *
value_at(const struct text_table *table, size_t row, const char *series)
{
    const uint32_t keys = table->columns - 2;
    for (size_t r = row; r < text_table_rows(table); r++)
        if (!strcmp(text_table_at(table, r, keys), series) && first_like(table, r, 0, keys) == row)
            return text_table_at(table, r, keys + 1);
    return "";
}

bool
text_table_widen(const struct text_table *table, struct text_table *wide)
{
    const size_t rows = text_table_rows(table);
    const uint32_t keys = table->columns - 2;
    if (table->columns < 2)
        return false;
    for (size_t row = 0; row < rows; row++) {
        if (row && first_like(table, row, 0, keys) != row)
            continue;
        copy_cells(wide, table, row, 0, keys);
        for (size_t r = 1; r < rows; r++) {
            const char *series = text_table_at(table, r, keys);
            if (first_like(table, r, keys, keys + 1) == r)
                text_table_cell(wide, "%s", row ? value_at(table, row, series) : series);
        }
        if (wide->cells.count)
            text_table_end_row(wide);
    }
    return true;
}
