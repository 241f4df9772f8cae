#include "report/run/csv.h"

#include "base/csv_reader.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/schema.h"
#include "report/run/metrics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    FLUSH_BYTES = 1 << 20,
    MOST_TEXT = 1 << 28, /* largest table that is read back, in bytes */
    LONGEST_MATCH = 258, /* longest match of deflate */
    PLACES_TRIED = 32,   /* length of the hash chains searched; the value of zlib's level 5 */
};

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.[]"
#define DIGITS       "0123456789"

/* Rows are packed into gzip members as they accumulate. csv_flush() writes the members to the
 * file. */
struct csv {
    FILE *file; /* NULL until the first flush */
    char *path;
    uint32_t columns;
    VEC(char) text;      /* not yet compressed */
    VEC(uint8_t) packed; /* complete members, not yet written */
    size_t header_bytes; /* size of the header in `packed`, until the header is written */
    off_t committed;     /* file size that csv_roll_back() restores */
};

static void
append_text(struct csv *csv, const char *text, size_t length)
{
    VEC_RESERVE(&csv->text, csv->text.count + length);
    memcpy(csv->text.items + csv->text.count, text, length);
    csv->text.count += length;
}

void
csv_number(struct csv *csv, uint64_t number)
{
    char text[24];
    uint32_t at = sizeof text;
    text[--at] = ',';
    do { /* printf() is too slow: a row has about a thousand numbers */
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    append_text(csv, text + at, sizeof text - at);
}

/* Prints four significant digits. Like csv_number(), formats them manually for speed. */
static void
put_real(struct csv *csv, double number)
{
    static const double scales[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    char text[24];
    uint32_t decimals = 0, at = sizeof text;
    for (double limit = 1000; number < limit && decimals < 6; limit /= 10)
        decimals++;
    uint64_t digits = (uint64_t)(number * scales[decimals] + 0.5);
    for (; decimals && digits % 10 == 0; decimals--)
        digits /= 10;
    text[--at] = ',';
    for (uint32_t i = 0; i <= decimals || digits; i++) {
        if (i && i == decimals)
            text[--at] = '.';
        text[--at] = (char)('0' + digits % 10);
        digits /= 10;
    }
    append_text(csv, text + at, sizeof text - at);
}

void
csv_real(struct csv *csv, double number)
{
    char text[32];
    if (number >= 0.001 && number < 1e15) {
        put_real(csv, number);
        return;
    }
    if (isnan(number))
        text[0] = '\0';
    else
        snprintf(text, sizeof text, "%.4g", number);
    csv_text(csv, text);
}

void
csv_text(struct csv *csv, const char *text)
{
    append_text(csv, text, strlen(text));
    append_text(csv, ",", 1);
}

/* Compresses the text as one gzip member. zlib's gzip header has time 0 and no name. */
static void
pack(struct csv *csv)
{
    z_stream stream = {.next_in = (Bytef *)csv->text.items, .avail_in = (uInt)csv->text.count};
    if (csv->text.count == 0)
        return;
    /* For numbers, the filtered strategy at level 5 gives smaller output and is faster than the
     * default strategy at level 6. */
    int status = deflateInit2(&stream, 5, Z_DEFLATED, 15 + 16, 9, Z_FILTERED);
    if (status != Z_OK)
        mem_exhausted("zlib");
    /* Rows match the previous row over long stretches. So lazy matching always looks for a longer
     * match, but searches short chains. */
    deflateTune(&stream, LONGEST_MATCH, LONGEST_MATCH, LONGEST_MATCH, PLACES_TRIED);
    size_t bound = deflateBound(&stream, stream.avail_in);
    VEC_RESERVE(&csv->packed, csv->packed.count + bound);
    stream.next_out = csv->packed.items + csv->packed.count;
    stream.avail_out = (uInt)bound;
    status = deflate(&stream, Z_FINISH);
    BUG_ON(status != Z_STREAM_END, "zlib: cannot finish: %d", status);
    csv->packed.count += stream.total_out;
    deflateEnd(&stream);
    csv->text.count = 0;
}

static bool
open_file(struct csv *csv, struct error *err)
{
    csv->file = file_create(csv->path, err);
    if (csv->file)
        setvbuf(csv->file, NULL, _IONBF, 0);
    return csv->file != NULL;
}

static void
close_file(struct csv *csv)
{
    if (csv->file)
        fclose(csv->file);
    csv->file = NULL;
}

/* Truncates the file to `size`, or removes it if nothing remains. */
static void
cut_back(struct csv *csv, off_t size)
{
    if (csv->file && (size <= 0 || ftruncate(fileno(csv->file), size))) {
        close_file(csv);
        unlink(csv->path);
    } else if (csv->file) {
        fseeko(csv->file, size, SEEK_SET);
    }
}

/* Writes the complete members. If the write fails, for example on a full disk, removes the partial
 * data. */
static bool
write_packed(struct csv *csv, struct error *err)
{
    sigset_t held;
    if (!csv->packed.count)
        return true;
    if (!csv->file && !open_file(csv, err))
        return false;
    interrupt_hold(&held);
    const off_t before = ftello(csv->file);
    const bool ok = fwrite(csv->packed.items, 1, csv->packed.count, csv->file) == csv->packed.count;
    if (!ok) {
        fail(err, "cannot write %s: %s", csv->path, strerror(errno));
        cut_back(csv, before);
    }
    interrupt_release(&held);
    csv->packed.count = csv->header_bytes = 0;
    return ok;
}

/* Checks early that the file can be created, but does not create it. A killed process must not
 * leave an empty file. */
static bool
try_file(const struct csv *csv, struct error *err)
{
    char *folder = mem_strdup(csv->path), *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    const bool ok = (!unlink(csv->path) || errno == ENOENT) &&
                    !access(slash ? (*folder ? folder : "/") : ".", W_OK | X_OK);
    if (!ok)
        fail(err, "cannot write %s: %s", csv->path, strerror(errno));
    free(folder);
    return ok;
}

struct csv *
csv_create(const char *path, const char *header, struct error *err)
{
    struct csv *csv = mem_alloc(sizeof *csv);
    csv->path = mem_strdup(path);
    append_text(csv, header, strlen(header));
    append_text(csv, "\n", 1);
    pack(csv);
    csv->header_bytes = csv->packed.count;
    if (try_file(csv, err))
        return csv;
    csv_abandon(csv);
    return NULL;
}

void
csv_commit(struct csv *csv)
{
    csv->committed = csv->file ? ftello(csv->file) : 0;
}

void
csv_roll_back(struct csv *csv)
{
    cut_back(csv, csv->committed);
    csv->text.count = csv->packed.count = csv->header_bytes = 0;
}

void
csv_redirect(struct csv *csv, const char *path)
{
    close_file(csv);
    csv->committed = 0;
    csv->packed.count -= csv->header_bytes;
    if (csv->header_bytes)
        memmove(csv->packed.items, csv->packed.items + csv->header_bytes, csv->packed.count);
    csv->header_bytes = 0;
    free(csv->path);
    csv->path = mem_strdup(path);
}

void
csv_discard(struct csv *csv)
{
    csv->text.count = 0;
    csv->packed.count = csv->header_bytes;
}

bool
csv_append(struct csv *csv, const char *path, struct error *err)
{
    char *bytes;
    size_t size;
    pack(csv);
    if (!file_read(path, SIZE_MAX, &bytes, &size, err))
        return false;
    VEC_RESERVE(&csv->packed, csv->packed.count + size);
    memcpy(csv->packed.items + csv->packed.count, bytes, size);
    csv->packed.count += size;
    free(bytes);
    return write_packed(csv, err);
}

void
csv_end_row(struct csv *csv)
{
    csv->text.items[csv->text.count - 1] = '\n';
    if (csv->text.count >= FLUSH_BYTES)
        pack(csv);
}

bool
csv_write(struct csv *csv, struct error *err)
{
    return csv->packed.count == csv->header_bytes || write_packed(csv, err);
}

bool
csv_flush(struct csv *csv, struct error *err)
{
    pack(csv);
    return write_packed(csv, err);
}

void
csv_abandon(struct csv *csv)
{
    if (!csv)
        return;
    close_file(csv);
    VEC_FREE(&csv->text);
    VEC_FREE(&csv->packed);
    free(csv->path);
    free(csv);
}

bool
csv_destroy(struct csv *csv, struct error *err)
{
    if (!csv)
        return true;
    bool ok = csv_flush(csv, err);
    if (csv->file && fclose(csv->file) && ok)
        ok = fail(err, "cannot write %s: %s", csv->path, strerror(errno));
    csv->file = NULL;
    csv_abandon(csv);
    return ok;
}

static bool
read_text(struct csv_table *table, const char *path, bool header_only, struct csv_reader *reader,
          struct error *err)
{
    const int fd = file_open(path, err);
    if (fd < 0)
        return false;
    gzFile file = gzdopen(fd, "rb");
    if (!file)
        mem_exhausted("file");
    size_t capacity = 1 << 16, n = 0;
    int got;
    table->text = mem_alloc(capacity + 1);
    while ((got = gzread(file, table->text + n, (unsigned)(capacity - n))) > 0) {
        n += (size_t)got;
        if (header_only && memchr(table->text, '\n', n))
            break;
        if (n == capacity && capacity == MOST_TEXT)
            break;
        if (n == capacity)
            table->text = mem_realloc(table->text, (capacity *= 2) + 1);
    }
    const int status = gzclose(file);
    table->too_large = n == MOST_TEXT;
    if (table->too_large)
        return fail(err, "%s is too large: tables of %d bytes or more are not read", path,
                    MOST_TEXT);
    if (got < 0 || (status != Z_OK && !header_only))
        return fail(err, "%s is not a complete gzip file", path);
    table->text[n] = '\0';
    *reader = csv_reader_of(table->text, n);
    return true;
}

/* Names remain in the table's text. */
static bool
take_header(struct csv_table *table, struct csv_reader *reader, const char *path, struct error *err)
{
    const enum csv_record is = csv_reader_next(reader);
    if (is == CSV_BAD_QUOTE)
        return fail(err, "%s: misplaced quote in the column names", path);
    const size_t count = reader->cells.count;
    table->names = mem_array(count ? count : 1, sizeof *table->names);
    table->names[0] = table->text; /* an empty file has one column named "" */
    table->columns = count ? (uint32_t)count : 1;
    if (count)
        memcpy(table->names, reader->cells.items, count * sizeof *table->names);
    return true;
}

static int
by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Names must be unique, because columns are found by name. Names are used in SQL and printed to
 * terminals, so they must have the form of statistics: "shader[3].slots". */
static bool
check_names(const struct csv_table *table, const char *path, struct error *err)
{
    const size_t bytes = table->columns * sizeof *table->names;
    char **sorted = mem_alloc(bytes);
    bool ok = true;
    memcpy(sorted, table->names, bytes);
    qsort(sorted, table->columns, sizeof *sorted, by_name);
    for (uint32_t i = 0; i < table->columns && ok; i++)
        ok = (*table->names[i] && !table->names[i][strspn(table->names[i], NAME_LETTERS)]) ||
             fail(err,
                  "%s: the name of column %u has characters other than letters, digits and _ . [ ]",
                  path, i + 1);
    for (uint32_t i = 1; i < table->columns && ok; i++)
        ok = strcmp(sorted[i - 1], sorted[i]) != 0 ||
             fail(err, "%s: the column %s occurs twice", path, sorted[i]);
    free(sorted);
    return ok;
}

static bool
has_control(const char *field)
{
    while (*(const unsigned char *)field >= ' ' && *field != 0x7f)
        field++;
    return *field != '\0';
}

static bool
fail_control(const struct csv_table *table, char *const *fields, const char *path,
             struct error *err)
{
    uint32_t column = 0;
    while (column + 1 < table->columns && !has_control(fields[column]))
        column++;
    return fail(err, "%s: row %u: %s contains a control character", path, table->rows + 1,
                table->names[column]);
}

/* Stores the offset of each field as its value. */
static bool
take_fields(struct csv_table *table, struct csv_reader *reader, const char *path, struct error *err)
{
    VEC(uint64_t) values = {0};
    enum csv_record is = CSV_RECORD;
    bool ok = true;
    while (ok && (is = csv_reader_next(reader)) != CSV_END) {
        const size_t count = reader->cells.count;
        if (is == CSV_BAD_QUOTE)
            ok = fail(err, "%s: row %u: misplaced quote", path, table->rows + 1);
        else if (count != table->columns || !reader->is_ended)
            ok = fail(err, "%s: row %u: expected %u field%s and a newline", path, table->rows + 1,
                      table->columns, plural(table->columns));
        else if (reader->has_control)
            ok = fail_control(table, reader->cells.items, path, err);
        if (!ok)
            break;
        VEC_RESERVE(&values, values.count + count);
        for (size_t i = 0; i < count; i++)
            values.items[values.count++] = (uint64_t)(reader->cells.items[i] - table->text);
        table->rows++;
    }
    table->values = values.items;
    return ok;
}

/* Whole-number columns that are not statistics. */
static const char *const whole_names[] = {"schema",
                                          "frame",
                                          "draw",
                                          "nth",
                                          "cycle",
                                          "vertices",
                                          "instances",
                                          "instance",
                                          "merges",
                                          "erases",
                                          "cycles",
                                          "busy_cycles",
                                          "x",
                                          "y",
                                          "row",
                                          "fragments",
                                          "written",
                                          "triangle",
                                          "vertex",
                                          "thread_group",
                                          "address",
                                          "instruction",
                                          "slots_cycle",
                                          "textures_uploaded",
                                          "transactions_repeated",
                                          "clears_repeated",
                                          "copies_repeated",
                                          "clears_unneeded"};

enum csv_kind
csv_kind_of(const char *name)
{
    if (metric_find(name))
        return CSV_REAL;
    for (size_t i = 0; i < sizeof whole_names / sizeof whole_names[0]; i++)
        if (!strcmp(whole_names[i], name))
            return CSV_WHOLE;
    return strchr(name, '.') ? CSV_WHOLE : CSV_TEXT;
}

bool
csv_is_peak(const char *name)
{
    const char *end = strrchr(name, '_');
    return end && !strcmp(end, "_peak");
}

/* Parses only decimal digits. Sets *fits if the value is at most 2^64 - 1. */
static bool
read_whole(const char *field, uint64_t *value, bool *fits)
{
    const char *at = field;
    *value = 0;
    *fits = true;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        *fits = *fits && *value <= (UINT64_MAX - digit) / 10;
        *value = *value * 10 + digit;
    }
    return at > field && !*at;
}

static bool
is_whole(const char *field)
{
    return *field && !field[strspn(field, DIGITS)];
}

/* Needed because strtod() also accepts hexadecimal, nan, inf and spaces. */
static bool
is_decimal(const char *field)
{
    field += *field == '-';
    const size_t digits = strspn(field, DIGITS);
    field += digits;
    if (*field == '.') {
        const size_t behind = strspn(++field, DIGITS);
        if (!behind)
            return false;
        field += behind;
    }
    if (digits && *field == 'e') {
        field++;
        field += *field == '+' || *field == '-';
        return is_whole(field);
    }
    return digits && !*field;
}

/* Returns the reason why a field is invalid, or NULL. */
static const char *
fault_of(enum csv_kind kind, const char *field, bool may_lack, uint64_t most)
{
    if (!*field)
        return kind == CSV_REAL || may_lack ? NULL : "has no value";
    if (kind == CSV_REAL)
        return is_decimal(field) && isfinite(strtod(field, NULL)) ? NULL
                                                                  : "is not a decimal number";
    uint64_t value;
    bool fits;
    if (!read_whole(field, &value, &fits))
        return "is not a whole number";
    return fits && value <= most ? NULL : "is too large";
}

struct column_facts {
    enum csv_kind kind;
    bool may_lack, all; /* all: every field so far is a whole number */
    uint64_t most;
};

static struct column_facts *
facts_of(const struct csv_table *table)
{
    struct column_facts *facts = mem_array((size_t)table->columns + 1, sizeof *facts);
    for (uint32_t c = 0; c < table->columns; c++) {
        const char *name = table->names[c];
        const bool is_place = !strcmp(name, "frame") || !strcmp(name, "draw");
        facts[c] = (struct column_facts){
            .kind = csv_kind_of(name),
            .may_lack = !strcmp(name, "vertices") || !strcmp(name, "instances") ||
                        !strcmp(name, "merges") || !strcmp(name, "erases") ||
                        !strcmp(name, "textures_uploaded") ||
                        !strcmp(name, "transactions_repeated") ||
                        !strcmp(name, "clears_repeated") || !strcmp(name, "copies_repeated") ||
                        !strcmp(name, "clears_unneeded"),
            .most = is_place ? UINT32_MAX - 1 : UINT64_MAX,
        };
        facts[c].all = table->rows > 0 && facts[c].kind == CSV_WHOLE;
    }
    return facts;
}

/* Checks the fields [first, last) of a row. */
static bool
check_row(const struct csv_table *table, uint32_t row, uint32_t first, uint32_t last,
          struct column_facts *facts, const char *path, struct error *err)
{
    const uint64_t *values = &table->values[(size_t)row * table->columns];
    for (uint32_t c = first; c < last; c++) {
        if (facts[c].kind == CSV_TEXT || table->is_number[c])
            continue;
        const char *field = table->text + values[c];
        const char *fault = fault_of(facts[c].kind, field, facts[c].may_lack, facts[c].most);
        if (fault)
            return fail(err, "%s: row %u: %s %s: '%.40s'", path, row + 1, table->names[c], fault,
                        field);
        facts[c].all = facts[c].all && *field;
    }
    return true;
}

/* Replaces offsets by numbers in columns of whole numbers without missing fields. Works row by row,
 * because rows are contiguous in memory. */
static bool
take_numbers(struct csv_table *table, uint32_t first, uint32_t last, const char *path,
             struct error *err)
{
    struct column_facts *facts = facts_of(table);
    bool ok = true, fits;
    for (uint32_t row = 0; row < table->rows && ok; row++)
        ok = check_row(table, row, first, last, facts, path, err);
    for (uint32_t row = 0; row < table->rows && ok; row++) {
        uint64_t *values = &table->values[(size_t)row * table->columns];
        for (uint32_t c = first; c < last; c++)
            if (facts[c].all && !table->is_number[c])
                read_whole(table->text + values[c], &values[c], &fits);
    }
    for (uint32_t c = first; c < last && ok; c++)
        table->is_number[c] |= facts[c].all;
    free(facts);
    return ok;
}

static bool
check_schema(const struct csv_table *table, const char *path, struct error *err)
{
    const int32_t column = csv_column(table, "schema");
    for (uint32_t row = 0; row < table->rows; row++)
        if (!schema_check(path, csv_value(table, row, column), err))
            return false;
    return true;
}

/* Checks the schema in the first row only, as far as that row was read. */
static bool
check_first_row(const struct csv_table *table, const char *rows, const char *path,
                struct error *err)
{
    const size_t digits = strspn(rows, "0123456789");
    return csv_column(table, "schema") != 0 || !digits || rows[digits] != ',' ||
           schema_check(path, strtod(rows, NULL), err);
}

bool
csv_read(struct csv_table *table, const char *path, struct error *err)
{
    memset(table, 0, sizeof *table);
    struct csv_reader reader = {0};
    bool ok = read_text(table, path, false, &reader, err) &&
              take_header(table, &reader, path, err) && check_names(table, path, err) &&
              take_fields(table, &reader, path, err);
    csv_reader_fini(&reader);
    table->is_number = ok ? mem_array(table->columns, sizeof *table->is_number) : NULL;
    const int32_t schema = ok ? csv_column(table, "schema") : -1;
    if (schema >= 0) /* checked first, because names of a later schema may be unknown */
        ok = take_numbers(table, (uint32_t)schema, (uint32_t)schema + 1, path, err) &&
             check_schema(table, path, err);
    ok = ok && take_numbers(table, 0, table->columns, path, err);
    const bool too_large = table->too_large;
    if (!ok)
        csv_table_fini(table);
    table->too_large = too_large;
    return ok;
}

bool
csv_read_header(struct csv_table *table, const char *path, struct error *err)
{
    memset(table, 0, sizeof *table);
    struct csv_reader reader = {0};
    const bool ok = read_text(table, path, true, &reader, err) &&
                    take_header(table, &reader, path, err) && check_names(table, path, err) &&
                    check_first_row(table, reader.at, path, err);
    csv_reader_fini(&reader);
    if (!ok)
        csv_table_fini(table);
    return ok;
}

const char *
csv_field(const struct csv_table *table, uint32_t row, int32_t column)
{
    if (column < 0)
        return "";
    BUG_ON(table->is_number[column], "%s is a numeric column", table->names[column]);
    return table->text + table->values[(size_t)row * table->columns + (uint32_t)column];
}

double
csv_value(const struct csv_table *table, uint32_t row, int32_t column)
{
    if (column < 0)
        return (double)NAN;
    if (table->is_number[column])
        return (double)table->values[(size_t)row * table->columns + (uint32_t)column];
    const char *field = csv_field(table, row, column);
    return is_decimal(field) && csv_kind_of(table->names[column]) != CSV_TEXT ? strtod(field, NULL)
                                                                              : (double)NAN;
}

void
csv_table_fini(struct csv_table *table)
{
    free(table->names);
    free(table->is_number);
    free(table->values);
    free(table->text);
    memset(table, 0, sizeof *table);
}

int32_t
csv_column(const struct csv_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->columns; i++)
        if (!strcmp(table->names[i], name))
            return (int32_t)i;
    return -1;
}

bool
csv_sum(const struct csv_table *table, const char *path, const char *column, double *sum,
        struct error *err)
{
    const int32_t at = csv_column(table, column);
    uint64_t whole = 0;
    *sum = 0;
    if (at < 0 || !table->is_number[at])
        return fail(err, "%s has no %s", path, column);
    for (uint32_t r = 0; r < table->rows; r++)
        whole += table->values[(size_t)r * table->columns + (uint32_t)at];
    *sum = (double)whole;
    return true;
}

bool
csv_read_sum(const char *path, const char *column, double *sum, struct error *err)
{
    struct csv_table table = {0};
    const bool ok = csv_read(&table, path, err) && csv_sum(&table, path, column, sum, err);
    csv_table_fini(&table);
    return ok;
}
