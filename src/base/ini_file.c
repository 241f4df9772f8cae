#include "base/ini_file.h"

#include "base/file.h"
#include "base/mem.h"

#include <ini.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct ini_entry entry; /* its line is the one that inih looks at */
    const char *next;       /* what is not read yet */
    enum ini_indent indent;
    /* Copies of our own: inih remembers 49 characters of them. */
    char *section, *name; /* `name`: the last one, that an indented line goes on with, or NULL */
    bool goes_on;         /* the line is such a one */
    bool failed;
    ini_take_fn *take;
    void *data;
    struct error *err;
};

static void
fail_here(struct reader *reader)
{
    reader->failed = true;
    fail_prefix(reader->err, "%s:%u", reader->entry.path, reader->entry.line);
}

static void
take(struct reader *reader, const char *value)
{
    reader->entry.section = reader->section ? reader->section : "";
    reader->entry.name = reader->name;
    reader->entry.value = value;
    if (!reader->failed && !reader->take(reader->data, &reader->entry, reader->err))
        fail_here(reader);
}

/* A line that opens a section opens one: inih would go on in the section before, and blame what it
 * reads there. And inih is silent about a section with nothing in it. */
static void
begin_section(struct reader *reader, const char *line)
{
    const size_t length = strcspn(line + 1, "];\n");
    const char *rest = line + 1 + length;
    rest += *rest == ']' ? 1 + strspn(rest + 1, " \t\r") : 0;
    if (!length || line[1 + length] != ']' || (*rest != '\n' && *rest != ';')) {
        fail(reader->err, "expected [SECTION], found %.*s", (int)strcspn(line, "\r\n"), line);
        fail_here(reader);
        return;
    }
    free(reader->section);
    free(reader->name);
    reader->section = mem_printf("%.*s", (int)length, line + 1);
    reader->name = NULL;
    take(reader, NULL);
}

/* inih's fgets. */
static char *
next_line(char *line, int size, void *data)
{
    struct reader *reader = data;
    if (!*reader->next || reader->failed)
        return NULL;
    reader->entry.line++;
    if (reader->indent == INI_INDENT_IS_NOTHING)
        reader->next += strspn(reader->next, " \t");
    const size_t bytes = strcspn(reader->next, "\n");
    if (bytes + 2 > (size_t)size) {
        fail(reader->err, "the line is longer than %d characters%s", size - 2,
             reader->indent == INI_INDENT_GOES_ON ? ": an indented one goes on" : "");
        fail_here(reader);
        return NULL;
    }
    memcpy(line, reader->next, bytes);
    memcpy(line + bytes, "\n", 2);
    reader->next += bytes + (reader->next[bytes] == '\n');
    const char *first = line + strspn(line, " \t");
    reader->goes_on = first != line && reader->name;
    if (*first == '[' && !reader->goes_on)
        begin_section(reader, first);
    return reader->failed ? NULL : line;
}

static int
take_value(void *data, const char *section, const char *name, const char *value)
{
    struct reader *reader = data;
    if (!reader->goes_on) {
        free(reader->name);
        reader->name = mem_strdup(name);
    }
    take(reader, value);
    return 1;
}

bool
ini_file_read(const char *path, enum ini_indent indent, ini_take_fn *take_entry, void *data,
              struct error *err)
{
    struct error local;
    char *bytes;
    size_t size;
    if (!file_read(path, FILE_MOST_TEXT, &bytes, &size, err))
        return false;
    struct reader reader = {.entry = {.path = path},
                            .next = bytes + (strncmp(bytes, "\xef\xbb\xbf", 3) ? 0 : 3), /* BOM */
                            .indent = indent,
                            .take = take_entry,
                            .data = data,
                            .err = err ? err : &local};
    bool ok = strlen(bytes) == size || fail(err, "%s is no text: it holds a NUL byte", path);
    const int status = ok ? ini_parse_stream(next_line, &reader, take_value, &reader) : 0;
    ok = ok && !reader.failed;
    if (ok && status)
        ok = fail(err, "%s:%d: expected [SECTION], name = value, or a comment after ';'", path,
                  status);
    free(reader.section);
    free(reader.name);
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
