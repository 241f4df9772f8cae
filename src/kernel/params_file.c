/* Parameter files: INI, read by inih, with the line named in every message; and written. */
#include "kernel/params.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "kernel/params_value.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct params *params;
    const char *path;
    const char *next; /* what is not read yet */
    uint32_t line;    /* of the text that inih is looking at */
    bool warns;       /* a preset is silent about what is not modelled */
    uint32_t warnings;
    uint32_t seen[512]; /* line on which each parameter was set, or 0 */
    struct error *err;
    bool failed;
};

enum { MOST_WARNINGS = 8 }; /* of a file; a line tells how many more there were */

static bool
fail_here(struct reader *reader)
{
    reader->failed = true;
    return fail_prefix(reader->err, "%s:%u", reader->path, reader->line);
}

/* A line that opens a section opens one. inih would go on in the section before, and blame what it
 * reads there. */
static bool
is_section_whole(const char *line)
{
    if (line[0] != '[')
        return true;
    const size_t name = strcspn(line + 1, "];\n");
    const char *rest = line + 1 + name;
    if (!name || *rest != ']')
        return false;
    rest += 1 + strspn(rest + 1, " \t\r");
    return *rest == '\n' || *rest == ';';
}

/* inih's fgets: one line without what leads it (inih takes an indented line for more of the value
 * before it). */
static char *
next_line(char *line, int size, void *data)
{
    struct reader *reader = data;
    if (!*reader->next || reader->failed)
        return NULL;
    reader->line++;
    reader->next += strspn(reader->next, " \t");
    size_t n = strcspn(reader->next, "\n");
    size_t skip = n + (reader->next[n] == '\n');
    if (n + 2 > (size_t)size) {
        fail(reader->err, "the line is longer than %d characters", size - 2);
        fail_here(reader);
        return NULL;
    }
    memcpy(line, reader->next, n);
    memcpy(line + n, "\n", 2);
    reader->next += skip;
    if (!is_section_whole(line)) {
        fail(reader->err, "expected [SECTION], found %.*s", (int)strcspn(line, "\r\n"), line);
        fail_here(reader);
        return NULL;
    }
    return line;
}

static int
take_value(void *data, const char *section, const char *name, const char *value)
{
    struct reader *reader = data;
    const struct param_info *info;
    bool changed;
    size_t count;
    if (!param_set_value(reader->params, section, name, value, &changed, &info, reader->err))
        return fail_here(reader);
    size_t index = (size_t)(info - param_infos(&count));
    BUG_ON(count > sizeof reader->seen / sizeof reader->seen[0], "too many parameters");
    if (reader->seen[index] && reader->warnings++ < MOST_WARNINGS)
        log_warning("%s:%u: %s.%s was set on line %u already; this one counts", reader->path,
                    reader->line, section, name, reader->seen[index]);
    reader->seen[index] = reader->line;
    if (info->unmodelled && changed && reader->warns && reader->warnings++ < MOST_WARNINGS)
        log_warning("%s:%u: %s.%s changes nothing: %s", reader->path, reader->line, section, name,
                    info->unmodelled);
    return 1;
}

static bool
load(struct params *params, const char *path, bool warns, struct error *err)
{
    char *bytes;
    size_t size;
    if (!file_read(path, FILE_MOST_TEXT, &bytes, &size, err))
        return false;
    if (strlen(bytes) != size) {
        free(bytes);
        return fail(err, "%s is no text: it holds a NUL byte", path);
    }
    struct params result = *params;
    struct error local;
    struct reader reader = {
        .params = &result, .path = path, .next = bytes, .warns = warns, .err = err ? err : &local};
    int status = ini_parse_stream(next_line, &reader, take_value, &reader);
    bool ok = !reader.failed && status == 0;
    if (reader.warnings > MOST_WARNINGS)
        log_warning("%s: %u more warnings", path, reader.warnings - MOST_WARNINGS);
    if (ok)
        *params = result;
    else if (!reader.failed && status > 0)
        fail(err, "%s:%d: expected [SECTION], Name = value, or a comment after ';'", path, status);
    else if (!reader.failed)
        fail(err, "cannot read %s", path);
    free(bytes);
    return ok;
}

bool
params_load_file(struct params *params, const char *path, struct error *err)
{
    return load(params, path, true, err);
}

bool
params_load_preset(struct params *params, const char *name, struct error *err)
{
    char *file = mem_printf("%s.ini", name);
    char *path = strchr(name, '/') ? NULL : data_path("configs", file);
    free(file);
    if (!path)
        return fail(err,
                    "there is no preset '%s' (try reference-2008, reference-2005, nv40-like, "
                    "g70-like, r420-like or r580-like; your own files are read by --config)",
                    name);
    params_init(params);
    bool ok = load(params, path, false, err);
    params->MEMORYCONTROLLER.MemoryGrows = true; /* the size is nobody's wish */
    free(path);
    return ok;
}

static void
write_comment(FILE *out, const char *comment)
{
    while (comment && *comment) {
        size_t n = strcspn(comment, "\n");
        fprintf(out, "; %.*s\n", (int)n, comment);
        comment += n + (comment[n] == '\n');
    }
}

char *
params_to_ini(const struct params *params, const char *comment)
{
    char *bytes = NULL, value[PARAM_TEXT_BYTES];
    size_t size, count;
    FILE *out = open_memstream(&bytes, &size);
    BUG_ON(!out, "no memory for a parameter file");
    write_comment(out, comment);
    const struct param_info *infos = param_infos(&count);
    for (size_t i = 0; i < count; i++) {
        const char *quote = infos[i].kind == PARAM_TEXT ? "\"" : "";
        if (i == 0 || strcmp(infos[i].section, infos[i - 1].section))
            fprintf(out, "%s[%s]\n", i || comment ? "\n" : "", infos[i].section);
        param_format(&infos[i], params, value, sizeof value);
        fprintf(out, "%s = %s%s%s\n", infos[i].name, quote, value, quote);
    }
    fclose(out);
    return bytes;
}
