/* Reads and writes parameter files (INI). Every message about a file contains the line number. */
#include "params/params.h"

#include "base/file.h"
#include "base/ini_file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/memory_text.h"
#include "params/params_value.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct params params;
    bool warns; /* false for presets: no warnings about parameters that are not modelled */
    uint32_t warnings;
    uint32_t seen[PARAMS_MOST]; /* line that set each parameter, or 0 */
};

enum { MOST_WARNINGS = 8 }; /* per file; a final message reports the number of further warnings */

static bool
params_file_take(void *data, const struct ini_entry *entry, struct error *err)
{
    struct reader *reader = data;
    const struct param_info *info;
    bool changed;
    size_t count;
    if (!entry->name)
        return true;
    if (!param_set_value(&reader->params, entry->section, entry->name, entry->value, &changed,
                         &info, err))
        return false;
    size_t index = (size_t)(info - param_infos(&count));
    BUG_ON(count > PARAMS_MOST, "too many parameters");
    if (reader->seen[index] && reader->warnings++ < MOST_WARNINGS)
        log_warning("%s:%u: %s.%s is already set on line %u; the last value is used", entry->path,
                    entry->line, entry->section, entry->name, reader->seen[index]);
    reader->seen[index] = entry->line;
    if (info->unmodelled && changed && reader->warns && reader->warnings++ < MOST_WARNINGS)
        log_warning("%s:%u: %s.%s has no effect: %s", entry->path, entry->line, entry->section,
                    entry->name, info->unmodelled);
    return true;
}

/* Adds the parameters that the file sets, unless the file describes a whole machine. */
static void
add_names(const struct reader *reader, struct param_names *names)
{
    size_t count, set = 0;
    const struct param_info *infos = param_infos(&count);
    for (size_t i = 0; i < count; i++)
        set += reader->seen[i] != 0;
    for (size_t i = 0; i < count && set <= count / 2; i++)
        if (reader->seen[i])
            param_names_add(names, &infos[i]);
}

static bool
read_ini(struct params *params, const char *path, bool warns, struct param_names *names,
         struct error *err)
{
    struct reader reader = {.params = *params, .warns = warns};
    const bool ok = ini_file_read(path, INI_INDENT_IS_NOTHING, params_file_take, &reader, err);
    if (reader.warnings > MOST_WARNINGS)
        log_warning("%s: %u more warnings", path, reader.warnings - MOST_WARNINGS);
    if (ok)
        *params = reader.params;
    if (ok && names)
        add_names(&reader, names);
    return ok;
}

bool
params_load_file(struct params *params, const char *path, struct error *err)
{
    return read_ini(params, path, true, NULL, err);
}

bool
params_load_file_named(struct params *params, const char *path, struct param_names *names,
                       struct error *err)
{
    return read_ini(params, path, true, names, err);
}

static const char *const presets[] = {"reference-2008",     "reference-2005", "nv40-like",
                                      "g70-like",           "r420-like",      "r580-like",
                                      "semi-cycle-accurate"};
enum { PRESETS = sizeof presets / sizeof *presets };

static bool
unknown_preset(const char *name, struct error *err)
{
    struct nearest nearest = {.wanted = name};
    char names[160] = "";
    for (size_t i = 0; i < PRESETS; i++) {
        nearest_offer(&nearest, presets[i]);
        const size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s",
                 !i                 ? ""
                 : i + 1 == PRESETS ? " or "
                                    : ", ",
                 presets[i]);
    }
    if (nearest_found(&nearest))
        return fail(err, "unknown preset '%s'; did you mean %s? (read other files with --config)",
                    name, nearest.best);
    return fail(err, "unknown preset '%s': expected %s (read other files with --config)", name,
                names);
}

/* Returns the path of a preset, or NULL. The caller frees it. */
static char *
preset_path(const char *name)
{
    char *file = mem_printf("%s.ini", name);
    char *path = strchr(name, '/') ? NULL : data_path("configs", file);
    free(file);
    return path;
}

bool
params_has_preset(const char *name)
{
    char *path = preset_path(name);
    const bool has = path;
    free(path);
    return has;
}

bool
params_load_preset(struct params *params, const char *name, struct error *err)
{
    char *path = preset_path(name);
    if (!path)
        return unknown_preset(name, err);
    params_init(params);
    const bool ok = read_ini(params, path, false, NULL, err);
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
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    char value[PARAM_TEXT_BYTES];
    size_t count;
    write_comment(out, comment);
    const struct param_info *infos = param_infos(&count);
    for (size_t i = 0; i < count; i++) {
        const char *quote = infos[i].type == PARAM_TEXT ? "\"" : "";
        if (i == 0 || strcmp(infos[i].section, infos[i - 1].section))
            fprintf(out, "%s[%s]\n", i || comment ? "\n" : "", infos[i].section);
        param_format(&infos[i], params, value, sizeof value);
        fprintf(out, "%s = %s%s%s\n", infos[i].name, quote, value, quote);
    }
    return memory_text_take(&text);
}
