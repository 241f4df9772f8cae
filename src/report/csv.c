#include "report/csv.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    FLUSH_BYTES = 1 << 20,
    MOST_TEXT = 1 << 27, /* that is read back */
};

/* Rows become gzip members as they gather, and reach the file when they are flushed. */
struct csv {
    FILE *file; /* NULL until something is flushed */
    char *path;
    uint32_t columns; /* behind the first ones */
    VEC(char) text;      /* not yet packed */
    VEC(uint8_t) packed; /* whole members, not yet written */
    size_t header_bytes; /* of these: the header, until it is written */
};

static void
put(struct csv *csv, const char *text, size_t length)
{
    VEC_RESERVE(&csv->text, csv->text.count + length);
    memcpy(csv->text.items + csv->text.count, text, length);
    csv->text.count += length;
}

static void
put_number(struct csv *csv, uint64_t number, char separator)
{
    char text[24];
    uint32_t at = sizeof text;
    text[--at] = separator;
    do { /* printf() is slow, and a row has a thousand numbers */
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    put(csv, text + at, sizeof text - at);
}

/* One gzip member; deflate's own gzip header carries time 0 and no name. */
static void
pack(struct csv *csv)
{
    z_stream stream = {.next_in = (Bytef *)csv->text.items, .avail_in = (uInt)csv->text.count};
    if (csv->text.count == 0)
        return;
    int status = deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
    BUG_ON(status != Z_OK, "zlib does not start: %d", status);
    size_t bound = deflateBound(&stream, stream.avail_in);
    VEC_RESERVE(&csv->packed, csv->packed.count + bound);
    stream.next_out = csv->packed.items + csv->packed.count;
    stream.avail_out = (uInt)bound;
    status = deflate(&stream, Z_FINISH);
    BUG_ON(status != Z_STREAM_END, "zlib does not end: %d", status);
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

/* Whole or not at all: what a full disk takes of it is taken back. */
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
        if (before >= 0 && !ftruncate(fileno(csv->file), before))
            fseeko(csv->file, before, SEEK_SET);
    }
    interrupt_release(&held);
    csv->packed.count = csv->header_bytes = 0;
    return ok;
}

/* That the file can be made is known before the work begins. */
static bool
try_file(struct csv *csv, struct error *err)
{
    if (!open_file(csv, err))
        return false;
    close_file(csv);
    unlink(csv->path);
    return true;
}

struct csv *
csv_create(const char *path, const char *first, const struct stat_set *set, struct error *err)
{
    struct csv *csv = mem_alloc(sizeof *csv);
    csv->path = mem_strdup(path);
    csv->columns = set->count;
    put(csv, first, strlen(first));
    for (uint32_t i = 0; i < set->count; i++) {
        put(csv, ",", 1);
        put(csv, set->entries[i].name, strlen(set->entries[i].name));
    }
    put(csv, "\n", 1);
    pack(csv);
    csv->header_bytes = csv->packed.count;
    if (try_file(csv, err))
        return csv;
    csv_abandon(csv);
    return NULL;
}

void
csv_redirect(struct csv *csv, const char *path)
{
    close_file(csv);
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
csv_row(struct csv *csv, const char *first, const uint64_t *values)
{
    put(csv, first, strlen(first));
    put(csv, ",", 1);
    for (uint32_t i = 0; i < csv->columns; i++)
        put_number(csv, values[i], i + 1 == csv->columns ? '\n' : ',');
    if (csv->text.count >= FLUSH_BYTES)
        pack(csv);
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
read_text(struct csv_table *table, const char *path, size_t *size, struct error *err)
{
    const int fd = file_open(path, err);
    if (fd < 0)
        return false;
    gzFile file = gzdopen(fd, "rb");
    BUG_ON(!file, "no memory for a file");
    size_t capacity = 1 << 16, n = 0;
    int got;
    table->text = mem_alloc(capacity + 1);
    while ((got = gzread(file, table->text + n, (unsigned)(capacity - n))) > 0) {
        n += (size_t)got;
        if (n == capacity && capacity == MOST_TEXT)
            break;
        if (n == capacity)
            table->text = mem_realloc(table->text, (capacity *= 2) + 1);
    }
    int status = gzclose(file);
    if (n == MOST_TEXT)
        return fail(err, "%s is a table of %d bytes or more", path, MOST_TEXT);
    if (got < 0 || status != Z_OK)
        return fail(err, "%s is no whole gzip file", path);
    table->text[n] = '\0';
    *size = n;
    return true;
}

/* The names stay in the text, each ended by a NUL in place of its comma. */
static char *
take_header(struct csv_table *table)
{
    VEC(char *) names = {0};
    size_t n = strcspn(table->text, "\n");
    char *rows = table->text + n + (table->text[n] == '\n');
    table->text[n] = '\0';
    for (char *name = table->text; name;) {
        char *comma = strchr(name, ',');
        VEC_PUSH(&names, name);
        if (comma)
            *comma++ = '\0';
        name = comma;
    }
    table->names = names.items;
    table->columns = (uint32_t)names.count;
    return rows;
}

/* A number, or a word of small letters. */
static uint64_t
read_field(const struct csv_table *table, char *at, char **end)
{
    if (*at < 'a' || *at > 'z')
        return strtoull(at, end, 10);
    *end = at + strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    return (uint64_t)(at - table->text);
}

bool
csv_read(struct csv_table *table, const char *path, struct error *err)
{
    VEC(uint64_t) values = {0};
    size_t size = 0;
    memset(table, 0, sizeof *table);
    if (!read_text(table, path, &size, err)) {
        csv_table_fini(table);
        return false;
    }
    char *at = take_header(table);
    uint32_t column = 0;
    while (*at) {
        char *end;
        uint64_t value = read_field(table, at, &end);
        bool last = column + 1 == table->columns;
        if (end == at || *end != (last ? '\n' : ',')) {
            fail(err, "%s: row %u, column %u: expected a number", path, table->rows + 1,
                 column + 1);
            VEC_FREE(&values);
            csv_table_fini(table);
            return false;
        }
        VEC_PUSH(&values, value);
        *end = '\0';
        column = last ? 0 : column + 1;
        table->rows += last;
        at = end + 1;
    }
    table->values = values.items;
    return true;
}

void
csv_table_fini(struct csv_table *table)
{
    free(table->names);
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
