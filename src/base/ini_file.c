#include "base/ini_file.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#define SPACES " \t\r\v\f"

/* `entry` points into the file's text, in which the reader terminates each string with a NUL. */
struct reader {
    struct ini_entry entry;
    enum ini_indent indent;
    ini_take_fn *take;
    void *data;
};

/* Removes white space at both ends of the text, in place. */
static char *
trim(char *text)
{
    text += strspn(text, SPACES);
    size_t length = strlen(text);
    while (length && strchr(SPACES, text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* Removes a comment, which begins with a ';' after white space. The text must not begin with
 * ';'. */
static void
cut_comment(char *text)
{
    for (char *at = strchr(text, ';'); at; at = strchr(at + 1, ';'))
        if (strchr(SPACES, at[-1])) {
            *at = '\0';
            return;
        }
}

static bool
ini_file_take(struct reader *reader, const char *name, const char *value, struct error *err)
{
    reader->entry.name = name;
    reader->entry.value = value;
    return reader->take(reader->data, &reader->entry, err);
}

static bool
read_section(struct reader *reader, char *text, struct error *err)
{
    char *end = text + 1 + strcspn(text + 1, "];");
    const char *rest = *end == ']' ? end + 1 + strspn(end + 1, SPACES) : NULL;
    if (end == text + 1 || !rest || (*rest && *rest != ';'))
        return fail(err, "expected [SECTION], found %s", text);
    *end = '\0';
    reader->entry.section = text + 1;
    return ini_file_take(reader, NULL, NULL, err);
}

static bool
read_line(struct reader *reader, char *line, struct error *err)
{
    const bool is_indented = *line && strchr(SPACES, *line);
    char *text = trim(line);
    if (!*text || *text == ';' || *text == '#')
        return true;
    const char *last = reader->entry.name;
    const bool goes_on = is_indented && reader->indent == INI_INDENT_GOES_ON && last && *last;
    if (*text == '[' && !goes_on)
        return read_section(reader, text, err);
    if (goes_on)
        return ini_file_take(reader, last, text, err);
    cut_comment(text);
    char *value = strpbrk(text, "=:");
    if (!value)
        return fail(err, "expected [SECTION], name = value, or a comment after ';'");
    *value++ = '\0';
    return ini_file_take(reader, trim(text), trim(value), err);
}

bool
ini_file_read(const char *path, enum ini_indent indent, ini_take_fn *take_entry, void *data,
              struct error *err)
{
    char *bytes;
    size_t size;
    if (!file_read(path, FILE_MOST_TEXT, &bytes, &size, err))
        return false;
    struct reader reader = {
        .entry = {.path = path, .section = ""}, .indent = indent, .take = take_entry, .data = data};
    bool ok =
        strlen(bytes) == size || fail(err, "%s is not a text file: it contains a NUL byte", path);
    /* Skip the byte order mark. */
    char *rest = bytes + (strncmp(bytes, "\xef\xbb\xbf", 3) ? 0 : 3);
    for (char *line; ok && (line = strsep(&rest, "\n"));) {
        reader.entry.line++;
        ok = read_line(&reader, line, err) || fail_prefix(err, "%s:%u", path, reader.entry.line);
    }
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
