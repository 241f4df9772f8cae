#include "analysis/study_plan.h"

#include "analysis/compression.h"
#include "base/file.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_TRACES = 3 };

struct reader {
    struct study_plan *plan;
    const char *path, *next;
    uint32_t line;
    bool failed;
    struct error *err;
};

static char *
next_line(char *line, int size, void *data)
{
    struct reader *reader = data;
    const char *from = reader->next;
    if (!*from)
        return NULL;
    const char *end = strchr(from, '\n');
    size_t bytes = end ? (size_t)(end + 1 - from) : strlen(from);
    reader->line++;
    if (bytes > (size_t)size - 1) {
        reader->failed = true;
        fail(reader->err, "%s:%u: the line is longer than %d characters", reader->path,
             reader->line, size - 1);
        return NULL;
    }
    memcpy(line, from, bytes);
    line[bytes] = '\0';
    reader->next = from + bytes;
    return line;
}

static void
add_words(struct text_list *list, const char *text, const char *between)
{
    char *copy = mem_strdup(text), *rest = NULL;
    for (char *word = strtok_r(copy, between, &rest); word; word = strtok_r(NULL, between, &rest))
        VEC_PUSH(list, mem_strdup(word));
    free(copy);
}

static void
set_text(char **text, const char *value)
{
    free(*text);
    *text = mem_strdup(value);
}

static void
free_texts(struct text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    VEC_FREE(list);
}

bool
text_list_has(const struct text_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], text))
            return true;
    return false;
}

/* "trace build": the name behind the kind of section; NULL when it is of another kind. */
static const char *
name_of(const char *section, const char *kind)
{
    const size_t length = strlen(kind);
    return !strncmp(section, kind, length) && section[length] == ' ' && section[length + 1]
               ? section + length + 1
               : NULL;
}

static bool
take_study(struct study_plan *plan, const char *key, const char *value)
{
    if (!strcmp(key, "preset"))
        set_text(&plan->preset, value);
    else if (!strcmp(key, "set"))
        VEC_PUSH(&plan->sets, mem_strdup(value));
    else
        return false;
    return true;
}

static bool
take_machine(struct study_plan *plan, const char *key, const char *value)
{
    if (!strcmp(key, "traces"))
        add_words(&plan->machine_traces, value, " \t");
    else if (!strcmp(key, "configurations"))
        add_words(&plan->machine_configurations, value, " \t");
    else if (!strcmp(key, "color"))
        set_text(&plan->machine_codecs[COMPRESSION_COLOR], value);
    else if (!strcmp(key, "z"))
        set_text(&plan->machine_codecs[COMPRESSION_DEPTH], value);
    else
        return false;
    return true;
}

static bool
take_configuration(struct study_plan *plan, const char *name, const char *key, const char *value)
{
    size_t i = 0;
    while (i < plan->configurations.count && strcmp(plan->configurations.items[i].name, name))
        i++;
    if (i == plan->configurations.count)
        VEC_PUSH(&plan->configurations, ((struct study_configuration){.name = mem_strdup(name)}));
    if (!strcmp(key, "preset")) {
        set_text(&plan->configurations.items[i].preset, value);
        return true;
    }
    if (strcmp(key, "set"))
        return false;
    if (*value)
        VEC_PUSH(&plan->configurations.items[i].sets, mem_strdup(value));
    return true;
}

static bool
take_source(struct study_plan *plan, const char *name, const char *key, const char *value)
{
    size_t i = 0;
    while (i < plan->sources.count && strcmp(plan->sources.items[i].name, name))
        i++;
    if (i == plan->sources.count)
        VEC_PUSH(&plan->sources, ((struct study_source){.name = mem_strdup(name)}));
    struct study_source *source = &plan->sources.items[i];
    if (!strcmp(key, "program"))
        add_words(&source->program, value, " \t");
    else if (!strcmp(key, "frames"))
        set_text(&source->frames, value);
    else if (!strcmp(key, "warm-up"))
        set_text(&source->warm_up, value);
    else if (!strcmp(key, "file"))
        set_text(&source->file, value);
    else if (!strcmp(key, "half") && (!strcmp(value, "develop") || !strcmp(value, "report")))
        source->develops = !strcmp(value, "develop");
    else
        return false;
    return true;
}

static int
take_value(void *data, const char *section, const char *key, const char *value)
{
    struct reader *reader = data;
    struct study_plan *plan = reader->plan;
    const char *name;
    bool ok = false;
    if (reader->failed)
        return 1;
    if (((name = name_of(section, "configuration")) || (name = name_of(section, "trace"))) &&
        !file_name_is_plain(name)) { /* of the files of its runs, too */
        reader->failed = true;
        fail(reader->err, "%s:%u: [%s]: letters, digits, '-', '_' and '.' make a name",
             reader->path, reader->line, section);
        return 1;
    }
    if (!strcmp(section, "study"))
        ok = take_study(plan, key, value);
    else if (!strcmp(section, "machine"))
        ok = take_machine(plan, key, value);
    else if ((name = name_of(section, "configuration")))
        ok = take_configuration(plan, name, key, value);
    else if ((name = name_of(section, "trace")))
        ok = take_source(plan, name, key, value);
    if (!ok) {
        reader->failed = true;
        fail(reader->err, "%s:%u: [%s] has no '%s'", reader->path, reader->line, section, key);
    }
    return 1;
}

/* The traces that a source stands for. */
static bool
add_traces(struct study_plan *plan, uint32_t number, const char *path, struct error *err)
{
    struct study_source *source = &plan->sources.items[number];
    if (source->file) {
        VEC_PUSH(&plan->traces,
                 ((struct study_trace){mem_strdup(source->name), mem_strdup(source->file), 0, 0,
                                       source->develops}));
        return !source->program.count ||
               fail(err, "%s: [trace %s] has a program and a file", path, source->name);
    }
    if (!source->program.count || !source->frames)
        return fail(err, "%s: [trace %s] wants program and frames, or a file", path, source->name);
    if (!frame_set_parse(&source->ranges, source->frames, err))
        return fail_prefix(err, "%s: [trace %s]", path, source->name);
    for (uint32_t r = 0; r < source->ranges.count; r++) {
        char *name = source->ranges.count == 1
                         ? mem_strdup(source->name)
                         : mem_printf("%s-%u", source->name, source->ranges.ranges[r].first);
        VEC_PUSH(&plan->traces, ((struct study_trace){name, NULL, number, r, source->develops}));
    }
    return true;
}

const char *
study_plan_preset(const struct study_plan *plan, size_t configuration)
{
    const char *own = plan->configurations.items[configuration].preset;
    return own ? own : plan->preset;
}

bool
study_plan_load(struct study_plan *plan, const char *path, struct error *err)
{
    char *bytes;
    size_t size;
    *plan = (struct study_plan){0};
    if (!file_read(path, FILE_MOST_TEXT, &bytes, &size, err))
        return false;
    struct reader reader = {.plan = plan, .path = path, .next = bytes, .err = err};
    const int status = ini_parse_stream(next_line, &reader, take_value, &reader);
    free(bytes);
    bool ok = !reader.failed;
    if (ok && status)
        ok = fail(err, "%s:%d: expected [SECTION], name = value, or a comment after ';'", path,
                  status);
    for (uint32_t i = 0; ok && i < plan->sources.count; i++)
        ok = add_traces(plan, i, path, err);
    bool has_presets = true;
    for (uint32_t i = 0; i < plan->configurations.count; i++)
        has_presets = has_presets && study_plan_preset(plan, i);
    if (ok && (!has_presets || !plan->configurations.count || !plan->traces.count))
        ok = fail(err, "%s: a preset, a configuration and a trace are wanted", path);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
        if (!plan->machine_codecs[kind])
            plan->machine_codecs[kind] = mem_strdup("best");
    if (!ok)
        study_plan_fini(plan);
    return ok;
}

static void
free_traces(struct study_plan *plan)
{
    for (size_t i = 0; i < plan->traces.count; i++) {
        free(plan->traces.items[i].name);
        free(plan->traces.items[i].file);
    }
    VEC_FREE(&plan->traces);
}

static const struct study_trace *
find_trace(const struct study_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->traces.count; i++)
        if (!strcmp(plan->traces.items[i].name, name))
            return &plan->traces.items[i];
    return NULL;
}

/* A file's name without folders and what is behind the last dot. */
static char *
plain_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *name = mem_strdup(slash ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    return name;
}

bool
study_plan_use_files(struct study_plan *plan, const char *const *files, uint32_t count,
                     struct error *err)
{
    free_traces(plan);
    free_texts(&plan->machine_traces);
    for (uint32_t i = 0; i < count; i++) {
        char *name = plain_name(files[i]);
        if (find_trace(plan, name)) {
            fail(err, "two traces are called '%s'", name);
            free(name);
            return false;
        }
        VEC_PUSH(&plan->traces, ((struct study_trace){name, mem_strdup(files[i]), 0, 0, false}));
        if (i < MACHINE_TRACES)
            VEC_PUSH(&plan->machine_traces, mem_strdup(name));
    }
    return true;
}

static void
free_configuration(struct study_configuration *configuration)
{
    free(configuration->name);
    free(configuration->preset);
    free_texts(&configuration->sets);
}

static const struct study_configuration *
find_configuration(const struct study_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->configurations.count; i++)
        if (!strcmp(plan->configurations.items[i].name, name))
            return &plan->configurations.items[i];
    return NULL;
}

bool
study_plan_narrow(struct study_plan *plan, const char *names, struct error *err)
{
    struct text_list wanted = {0};
    bool ok = true;
    add_words(&wanted, names, ",");
    for (size_t i = 0; ok && i < wanted.count; i++)
        if (!find_configuration(plan, wanted.items[i]))
            ok = fail(err, "there is no configuration '%s'", wanted.items[i]);
    if (ok && !wanted.count)
        ok = fail(err, "no configuration is named");
    size_t kept = 0;
    for (size_t i = 0; ok && i < plan->configurations.count; i++) {
        struct study_configuration *configuration = &plan->configurations.items[i];
        if (text_list_has(&wanted, configuration->name))
            plan->configurations.items[kept++] = *configuration;
        else
            free_configuration(configuration);
    }
    if (ok)
        plan->configurations.count = kept;
    kept = 0;
    for (size_t i = 0; ok && i < plan->machine_configurations.count; i++) {
        char *name = plan->machine_configurations.items[i];
        if (text_list_has(&wanted, name))
            plan->machine_configurations.items[kept++] = name;
        else
            free(name);
    }
    if (ok)
        plan->machine_configurations.count = kept;
    free_texts(&wanted);
    return ok;
}

bool
study_plan_check(const struct study_plan *plan, struct error *err)
{
    for (size_t i = 0; i < plan->machine_traces.count; i++)
        if (!find_trace(plan, plan->machine_traces.items[i]))
            return fail(err, "[machine]: there is no trace '%s'", plan->machine_traces.items[i]);
    for (size_t i = 0; i < plan->machine_configurations.count; i++)
        if (!find_configuration(plan, plan->machine_configurations.items[i]))
            return fail(err, "[machine]: there is no configuration '%s'",
                        plan->machine_configurations.items[i]);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        const char *name = plan->machine_codecs[kind];
        if (strcmp(name, "best") && !codec_find(name))
            return fail(err, "[machine]: there is no codec '%s'", name);
    }
    return true;
}

void
study_plan_fini(struct study_plan *plan)
{
    free(plan->preset);
    free_texts(&plan->sets);
    for (size_t i = 0; i < plan->configurations.count; i++)
        free_configuration(&plan->configurations.items[i]);
    VEC_FREE(&plan->configurations);
    for (size_t i = 0; i < plan->sources.count; i++) {
        struct study_source *source = &plan->sources.items[i];
        free(source->name);
        free_texts(&source->program);
        free(source->frames);
        free(source->warm_up);
        free(source->file);
    }
    VEC_FREE(&plan->sources);
    free_traces(plan);
    free_texts(&plan->machine_traces);
    free_texts(&plan->machine_configurations);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
        free(plan->machine_codecs[kind]);
}
