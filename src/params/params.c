/* The table of parameters, with functions that use it: defaults, and parsing and formatting of
 * values. params_file.c reads files. */
#include "params/params.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/whole_number.h"
#include "base/nearest.h"
#include "params/params_value.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(section, name) offsetof(struct params, section.name)

/* Choices of enumerations that other .def tables define. */
static const char generator_choices[] = "auto"
#define GENERATOR(symbol, name) "|" name
#include "generators.def"
    ;

static const char dram_choices[] = ""
#define DRAM(symbol, name) "|" name
#include "drams.def"
    ;

/* Color and depth codecs: those of ATTILA, "none", and those of Aetius only. */
#define OF_BOTH(kind, name)  "|" name
#define OF_COLOR(kind, name) OF_COLOR_##kind(name)
#define OF_DEPTH(kind, name) OF_DEPTH_##kind(name)
#define OF_COLOR_COLOR(name) "|" name
#define OF_COLOR_DEPTH(name) ""
#define OF_DEPTH_COLOR(name) ""
#define OF_DEPTH_DEPTH(name) "|" name
static const char color_codecs[] = ""
#define CODEC(symbol, name, blocks)
#define ATTILA_CODEC(symbol, name, blocks) OF_##blocks(COLOR, name)
#include "codecs.def"
                                   "|none"
#define CODEC(symbol, name, blocks) OF_##blocks(COLOR, name)
#define ATTILA_CODEC(symbol, name, blocks)
#include "codecs.def"
    ;
static const char depth_codecs[] = ""
#define CODEC(symbol, name, blocks)
#define ATTILA_CODEC(symbol, name, blocks) OF_##blocks(DEPTH, name)
#include "codecs.def"
                                   "|none"
#define CODEC(symbol, name, blocks) OF_##blocks(DEPTH, name)
#define ATTILA_CODEC(symbol, name, blocks)
#include "codecs.def"
    ;

#define ALWAYS     .unmodelled = NULL
#define NEVER(why) .unmodelled = why
#define ONLY(...)  .needs = {__VA_ARGS__}
static const struct param_info infos[] = {
#define UINT(section, name, kind, value, min, max, unit, doc, effect)                              \
    {#section, #name, PARAM_UINT, PARAM_##kind, FIELD(section, name), min, max, value, NULL,       \
     NULL,     unit,  doc,        effect},
#define POW2(section, name, kind, value, min, max, unit, doc, effect)                              \
    {#section, #name, PARAM_POW2, PARAM_##kind, FIELD(section, name), min, max, value, NULL,       \
     NULL,     unit,  doc,        effect},
#define BOOL(section, name, kind, value, doc, effect)                                              \
    {#section, #name, PARAM_BOOL, PARAM_##kind, FIELD(section, name), 0, 1, value, NULL,           \
     NULL,     "",    doc,        effect},
#define TEXT(section, name, kind, value, doc, effect)                                              \
    {#section, #name, PARAM_TEXT, PARAM_##kind, FIELD(section, name), 0, 0, 0, value,              \
     NULL,     "",    doc,        effect},
#define ENUM(section, name, kind, value, choices, doc, effect)                                     \
    {#section, #name, PARAM_ENUM, PARAM_##kind, FIELD(section, name), 0, 0, value, NULL,           \
     choices,  "",    doc,        effect},
#include "params/params.def"
};

static const struct {
    const char *name, *doc;
} sections[] = {
#define SECTION(section, doc) {#section, doc},
#include "params/params.def"
};

enum { INFO_COUNT = sizeof infos / sizeof infos[0] };

const char *
param_kind_name(enum param_kind kind)
{
    static const char *const names[PARAM_KINDS] = {
        [PARAM_RATE] = "rate",         [PARAM_WIDTH] = "width",
        [PARAM_CAPACITY] = "capacity", [PARAM_GRANULARITY] = "granularity",
        [PARAM_LATENCY] = "latency",   [PARAM_SWITCH] = "switch",
    };
    return names[kind];
}

const struct param_info *
param_infos(size_t *count)
{
    *count = INFO_COUNT;
    return infos;
}

const struct param_info *
param_find(const char *section, const char *name)
{
    for (size_t i = 0; i < INFO_COUNT; i++)
        if (!strcmp(infos[i].name, name) && !strcmp(infos[i].section, section))
            return &infos[i];
    return NULL;
}

const char *
param_section_doc(const char *section)
{
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (!strcmp(sections[i].name, section))
            return sections[i].doc;
    return NULL;
}

bool
param_nearest(const char *full_name, char *nearest, size_t nearest_size)
{
    char names[INFO_COUNT][PARAM_TEXT_BYTES];
    struct nearest search = {.wanted = full_name};
    for (size_t i = 0; i < INFO_COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%s.%s", infos[i].section, infos[i].name);
        nearest_offer(&search, names[i]);
    }
    if (!nearest_found(&search))
        return false;
    snprintf(nearest, nearest_size, "%s", search.best);
    return true;
}

static void *
field_of(const struct param_info *info, struct params *params)
{
    return (char *)params + info->offset;
}

static uint32_t
number_of(const struct param_info *info, const struct params *params)
{
    const char *field = (const char *)params + info->offset;
    uint32_t value = 0;
    if (info->type == PARAM_BOOL) {
        bool on;
        memcpy(&on, field, sizeof on);
        return on;
    }
    memcpy(&value, field, sizeof value);
    return value;
}

static void
set_number(const struct param_info *info, struct params *params, uint32_t value)
{
    if (info->type == PARAM_BOOL) {
        bool on = value != 0;
        memcpy(field_of(info, params), &on, sizeof on);
    } else {
        memcpy(field_of(info, params), &value, sizeof value);
    }
}

static void
set_text(const struct param_info *info, struct params *params, const char *text)
{
    /* Zero the rest, so that equal parameters are equal byte for byte. */
    memset(field_of(info, params), 0, PARAM_TEXT_BYTES);
    memcpy(field_of(info, params), text, strlen(text));
}

void
params_init(struct params *params)
{
    memset(params, 0, sizeof *params);
    for (size_t i = 0; i < INFO_COUNT; i++) {
        if (infos[i].type == PARAM_TEXT)
            set_text(&infos[i], params, infos[i].text);
        else
            set_number(&infos[i], params, infos[i].value);
    }
}

enum generator_choice
params_generator(const struct params *params)
{
    if (params->RASTERIZER.Generator != GENERATOR_AUTO)
        return (enum generator_choice)params->RASTERIZER.Generator;
    return params->RASTERIZER.RecursiveMode ? GENERATOR_recursive : GENERATOR_scan;
}

/* Returns the choice at `index` in "a|b|c", and its length; NULL if there is none. */
static const char *
choice_at(const char *choices, uint32_t index, size_t *length)
{
    for (const char *p = choices; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL, index--)
        if (index == 0) {
            *length = strcspn(p, "|");
            return p;
        }
    return NULL;
}

void
param_format(const struct param_info *info, const struct params *params, char *out, size_t out_size)
{
    if (info->type == PARAM_TEXT) {
        snprintf(out, out_size, "%s", (const char *)params + info->offset);
        return;
    }
    uint32_t value = number_of(info, params);
    size_t length;
    const char *choice = info->type == PARAM_ENUM ? choice_at(info->choices, value, &length) : NULL;
    if (info->type == PARAM_BOOL)
        snprintf(out, out_size, "%s", value ? "TRUE" : "FALSE");
    else if (choice)
        snprintf(out, out_size, "%.*s", (int)length, choice);
    else
        snprintf(out, out_size, "%u", value);
}

void
param_format_allowed(const struct param_info *info, char *out, size_t out_size)
{
    const char *space = info->unit[0] ? " " : "";
    if (info->type == PARAM_BOOL) {
        snprintf(out, out_size, "TRUE or FALSE");
    } else if (info->type == PARAM_TEXT) {
        snprintf(out, out_size, "a file name of 1 to %d letters, digits, - _ . and spaces",
                 PARAM_TEXT_BYTES - 1);
    } else if (info->type == PARAM_ENUM) {
        size_t used = 0, length, rest;
        const char *choice;
        for (uint32_t i = 0; (choice = choice_at(info->choices, i, &length)) && used < out_size;
             i++) {
            const char *between = i == 0                                   ? ""
                                  : choice_at(info->choices, i + 1, &rest) ? ", "
                                                                           : " or ";
            used += (size_t)snprintf(out + used, out_size - used, "%s%.*s", between, (int)length,
                                     choice);
        }
    } else {
        snprintf(out, out_size, "%s%u to %u%s%s",
                 info->type == PARAM_POW2 ? "a power of two from " : "", info->min, info->max,
                 space, info->unit);
    }
}

static bool
read_number(const char *text, uint32_t *value)
{
    uint64_t number;
    const bool ok = whole_number_parse(text, &number) && number <= UINT32_MAX;
    *value = ok ? (uint32_t)number : 0;
    return ok;
}

static bool
read_choice(const struct param_info *info, const char *text, uint32_t *value)
{
    size_t length;
    const char *choice;
    uint32_t index = 0, number = UINT32_MAX;
    bool is_number = read_number(text, &number);
    for (; (choice = choice_at(info->choices, index, &length)); index++)
        if ((is_number && number == index) ||
            (strlen(text) == length && !strncasecmp(text, choice, length))) {
            *value = index;
            return true;
        }
    return false;
}

/* Returns whether the text is a plain file name, without characters that are special in INI, the
 * shell or SQL. */
static bool
is_file_name(const char *text)
{
    const size_t length = strlen(text);
    return length < PARAM_TEXT_BYTES && text[strspn(text, ". ")] != '\0' &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_. ") ==
               length;
}

static bool
read_value(const struct param_info *info, const char *text, uint32_t *value)
{
    switch (info->type) {
    case PARAM_BOOL:
        *value = !strcasecmp(text, "TRUE") || !strcmp(text, "1");
        return *value || !strcasecmp(text, "FALSE") || !strcmp(text, "0");
    case PARAM_ENUM: return read_choice(info, text, value);
    case PARAM_TEXT: return is_file_name(text);
    case PARAM_UINT:
    case PARAM_POW2:
        return read_number(text, value) && *value >= info->min && *value <= info->max &&
               (info->type == PARAM_UINT || (*value & (*value - 1)) == 0);
    }
    BUG("parameter %s.%s has an unknown kind", info->section, info->name);
}

/* Copies the text. Strips first surrounding spaces, then surrounding quotes. */
static void
strip(const char *text, char *out, size_t out_size)
{
    text += strspn(text, " \t\r");
    size_t n = strlen(text);
    while (n && strchr(" \t\r", text[n - 1]))
        n--;
    if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
        text++;
        n -= 2;
    }
    n = n < out_size ? n : out_size - 1;
    memmove(out, text, n); /* `out` may equal `text` */
    out[n] = '\0';
}

static bool
unknown_name(const char *section, const char *name, struct error *err)
{
    char full[2 * PARAM_TEXT_BYTES], near[PARAM_TEXT_BYTES];
    snprintf(full, sizeof full, "%s.%s", section, name);
    if (!*section)
        return fail(err, "parameter %s is outside of a section", name);
    if (param_nearest(full, near, sizeof near))
        return fail(err, "unknown parameter %s; did you mean %s?", full, near);
    if (!param_section_doc(section))
        return fail(err, "unknown section %s; `aetius params` lists all parameters", section);
    return fail(err,
                "unknown parameter %s; `aetius params --section %s` lists the section's parameters",
                full, section);
}

bool
param_set_value(struct params *params, const char *section, const char *name, const char *text,
                bool *changed, const struct param_info **found, struct error *err)
{
    const struct param_info *info = param_find(section, name);
    if (!info)
        return unknown_name(section, name, err);
    char value[PARAM_TEXT_BYTES + 1], allowed[512];
    uint32_t number = 0;
    strip(text, value, sizeof value);
    if (!read_value(info, value, &number)) {
        param_format_allowed(info, allowed, sizeof allowed);
        return fail(err, "%s.%s = %s: expected %s", section, name, value, allowed);
    }
    *found = info;
    if (info->type == PARAM_TEXT) {
        *changed = strcmp(field_of(info, params), value) != 0;
        set_text(info, params, value);
    } else {
        *changed = number_of(info, params) != number;
        set_number(info, params, number);
    }
    if (info == param_find("MEMORYCONTROLLER", "MemorySize"))
        params->MEMORYCONTROLLER.MemoryGrows = false; /* an explicit size is a fixed size */
    return true;
}

bool
params_set(struct params *params, const char *assignment, struct error *err)
{
    struct param_names names = {0};
    return params_set_named(params, assignment, &names, err);
}

/* Fails for an assignment without a section. Names the parameters that have this name. */
static bool
missing_section(const char *assignment, struct error *err)
{
    const int length = (int)strcspn(assignment, "=");
    char full[256] = "";
    for (size_t i = 0; i < INFO_COUNT; i++) {
        const size_t at = strlen(full);
        if (strlen(infos[i].name) == (size_t)length &&
            !strncasecmp(infos[i].name, assignment, (size_t)length))
            snprintf(full + at, sizeof full - at, "%s%s.%s", at ? " or " : "", infos[i].section,
                     infos[i].name);
    }
    if (*full)
        return fail(err, "--set %s: expected a section: %s%s", assignment, full,
                    assignment + length);
    return fail(err, "--set %s: expected SECTION.Name=value", assignment);
}

bool
params_set_named(struct params *params, const char *assignment, struct param_names *names,
                 struct error *err)
{
    char section[PARAM_TEXT_BYTES], name[PARAM_TEXT_BYTES];
    const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '=');
    if (equals && (!dot || dot > equals))
        return missing_section(assignment, err);
    if (!equals)
        return fail(err, "--set %s: expected SECTION.Name=value", assignment);
    snprintf(section, sizeof section, "%.*s", (int)(dot - assignment), assignment);
    snprintf(name, sizeof name, "%.*s", (int)(equals - dot - 1), dot + 1);
    strip(section, section, strlen(section) + 1);
    strip(name, name, strlen(name) + 1);
    const struct param_info *info;
    bool changed;
    if (!param_set_value(params, section, name, equals + 1, &changed, &info, err))
        return fail_prefix(err, "--set %s", assignment);
    if (info->unmodelled)
        log_warning("--set %s has no effect: %s", assignment, info->unmodelled);
    param_names_add(names, info);
    return true;
}
