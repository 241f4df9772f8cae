#include "base/ini_file.h"

#include "base/file.h"
#include "base/mem.h"

#include <ini.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *path, *next;
    uint32_t line;
    bool failed;
    ini_take_fn *take;
    void *data;
    struct error *err;
};

/* inih is silent about a section with nothing in it. */
static void
begin_section(struct reader *reader, const char *line)
{
    const char *end = line[0] == '[' ? strchr(line, ']') : NULL;
    if (!end)
        return;
    char *section = mem_printf("%.*s", (int)(end - line - 1), line + 1);
    if (!reader->take(reader->data, section, NULL, NULL, reader->err)) {
        reader->failed = true;
        fail_prefix(reader->err, "%s:%u", reader->path, reader->line);
    }
    free(section);
}

static char *
next_line(char *line, int size, void *data)
{
    struct reader *reader = data;
    if (!*reader->next || reader->failed)
        return NULL;
    const size_t bytes = strcspn(reader->next, "\n") + (strchr(reader->next, '\n') != NULL);
    reader->line++;
    if (bytes > (size_t)size - 1) {
        reader->failed = true;
        fail(reader->err, "%s:%u: the line is longer than %d characters: an indented one goes on",
             reader->path, reader->line, size - 1);
        return NULL;
    }
    memcpy(line, reader->next, bytes);
    line[bytes] = '\0';
    reader->next += bytes;
    begin_section(reader, line);
    return reader->failed ? NULL : line;
}

static int
take_value(void *data, const char *section, const char *name, const char *value)
{
    struct reader *reader = data;
    if (reader->failed || reader->take(reader->data, section, name, value, reader->err))
        return 1;
    reader->failed = true;
    fail_prefix(reader->err, "%s:%u", reader->path, reader->line);
    return 1;
}

bool
ini_file_read(const char *path, ini_take_fn *take, void *data, struct error *err)
{
    struct error local;
    char *bytes;
    size_t size;
    if (!file_read(path, FILE_MOST_TEXT, &bytes, &size, err))
        return false;
    struct reader reader = {
        .path = path, .next = bytes, .take = take, .data = data, .err = err ? err : &local};
    bool ok = strlen(bytes) == size || fail(err, "%s is no text: it holds a NUL byte", path);
    const int status = ok ? ini_parse_stream(next_line, &reader, take_value, &reader) : 0;
    ok = ok && !reader.failed;
    if (ok && status)
        ok = fail(err, "%s:%d: expected [SECTION], name = value, or a comment after ';'", path,
                  status);
    free(bytes);
    return ok;
}

const char *
ini_section_name(const char *section, const char *kind)
{
    const size_t length = strlen(kind);
    return !strncmp(section, kind, length) && section[length] == ' ' && section[length + 1]
               ? section + length + 1
               : NULL;
}
