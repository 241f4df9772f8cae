#include "base/args.h"

#include "base/error.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/whole_number.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "base/wrap.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 1024 };

static void
put_option(struct text_table *table, const char *name, const char *help, const char *more)
{
    text_table_cell(table, "%s", name);
    text_table_left(table, "%s%s", help, more);
    text_table_end_row(table);
}

/* Returns whether `line` continues the paragraph of the previous line. */
static bool
joins(const char *text, const char *line)
{
    return line > text + 1 && !strchr(" \n", *line) && !strchr(".:\n", line[-2]);
}

/* Rewraps only paragraphs that have a line longer than `width`, because wrapping would lose the
 * alignment of the others. */
static void
print_paragraphs(uint32_t width, const char *text)
{
    while (*text) {
        size_t longest = 0;
        const char *end = text;
        do {
            const size_t n = strcspn(end, "\n");
            longest = n > longest ? n : longest;
            end += n + (end[n] == '\n');
        } while (*end && joins(text, end));
        const int length = (int)(end - text) - (end[-1] == '\n');
        char *paragraph = mem_printf("%.*s", length, text);
        const uint32_t indent = (uint32_t)strspn(paragraph, " ");
        for (char *c = paragraph; longest > width && *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        if (longest > width)
            print_wrapped(stdout, width, indent, indent ? indent + 4 : 0, "%s", paragraph);
        else
            printf("%s\n", paragraph);
        free(paragraph);
        text = end;
    }
}

static void
print_help(const struct arg_spec *spec)
{
    const uint32_t width = line_width(stdout);
    struct text_table options = {0};
    print_wrapped(stdout, width, 0, 8, "usage: aetius %s %s", spec->command, spec->usage);
    printf("\n");
    print_paragraphs(width, spec->about);
    printf("\noptions:\n");
    for (const struct arg_option *o = spec->options; o->name; o++) {
        char left[128];
        int n = o->letter ? snprintf(left, sizeof left, "-%c, --%s", o->letter, o->name)
                          : snprintf(left, sizeof left, "    --%s", o->name);
        if (o->placeholder && n > 0 && (size_t)n < sizeof left) {
            bool optional = o->kind == ARG_OPTIONAL;
            snprintf(left + n, sizeof left - (size_t)n, "%s%s%s", optional ? "[=" : " ",
                     o->placeholder, optional ? "]" : "");
        }
        put_option(&options, left, o->help, o->kind == ARG_LIST ? " (may be repeated)" : "");
    }
    put_option(&options, "-h, --help", "show this help", "");
    text_table_put(&options, TEXT_TABLE_TEXT, stdout);
    printf("\n");
    print_wrapped(stdout, width, 0, 0,
                  "Exit status: 0 success, 1 failure, 2 usage error%s%s; 130 and 143 after SIGINT "
                  "and SIGTERM",
                  spec->exceeds ? ", 3 " : "", spec->exceeds ? spec->exceeds : "");
}

int
args_usage_error(const struct arg_spec *spec, const char *fmt, ...)
{
    va_list args;
    char text[2048];
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    print_shown(stderr, "aetius %s: %s", spec->command, text);
    fprintf(stderr, "\nusage: aetius %s %s   (see aetius %s --help)\n", spec->command, spec->usage,
            spec->command);
    return EXIT_USAGE;
}

static int
missing_value(const struct arg_spec *spec, const struct arg_option *o)
{
    return args_usage_error(spec, "--%s requires a value: %s (%s)", o->name, o->placeholder,
                            o->help);
}

static int
unknown_option(const struct arg_spec *spec, const char *text)
{
    char *name = mem_printf("%.*s", (int)strcspn(text, "="), text);
    struct nearest nearest = {.wanted = name + strspn(name, "-")};
    for (const struct arg_option *o = spec->options; o->name && text[1] == '-'; o++)
        nearest_offer(&nearest, o->name);
    const bool is_found = nearest_found(&nearest);
    const int status = args_usage_error(spec, "unknown option '%s'%s%s%s", text,
                                        is_found ? "; did you mean --" : "",
                                        is_found ? nearest.best : "", is_found ? "?" : "");
    free(name);
    return status;
}

static const struct arg_option *
find_option(const struct arg_spec *spec, const char *text, const char **value)
{
    bool is_long = text[1] == '-';
    for (const struct arg_option *o = spec->options; o->name; o++) {
        if (is_long) {
            size_t n = strlen(o->name);
            if (strncmp(text + 2, o->name, n) || (text[2 + n] != '\0' && text[2 + n] != '='))
                continue;
            *value = text[2 + n] ? text + 3 + n : NULL;
            return o;
        }
        if (o->letter && text[1] == o->letter) {
            *value = text[2] ? text + 2 + (text[2] == '=') : NULL;
            return o;
        }
    }
    return NULL;
}

static bool
parse_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    const char *end = text;
    uint64_t v;
    if (!whole_number_read(&end, &v))
        return false;
    const char *unit = *end ? strchr(units, *end) : NULL;
    const uint32_t shift = unit ? 10 * (uint32_t)(unit - units + 1) : 0;
    *out = v << shift;
    return end[unit != NULL] == '\0' && v > 0 && v <= UINT64_MAX >> shift;
}

/* A second value would replace the first one. Returns -1 on success, otherwise the exit status. */
static int
set_optional(const struct arg_spec *spec, const struct arg_option *o, const char *value)
{
    const char **to = o->value;
    if (value && *to && **to && strcmp(*to, value) != 0)
        return args_usage_error(spec, "--%s names both '%s' and '%s'", o->name, *to, value);
    *to = value ? value : *to ? *to : "";
    return -1;
}

/* Returns -1 on success, otherwise the exit status. */
static int
set_value(const struct arg_spec *spec, const struct arg_option *o, const char *value)
{
    struct arg_list *list;
    struct error err;
    switch (o->kind) {
    case ARG_FLAG: *(bool *)o->value = true; break;
    case ARG_STRING:
        if (!*value)
            return missing_value(spec, o);
        *(const char **)o->value = value;
        break;
    case ARG_OPTIONAL: return set_optional(spec, o, value);
    case ARG_UINT:
        if (!whole_number_parse(value, o->value))
            return args_usage_error(spec, "--%s expects a whole number, not '%s'", o->name, value);
        break;
    case ARG_JOBS:
        if (!whole_number_parse(value, o->value) || !*(uint64_t *)o->value ||
            *(uint64_t *)o->value > MOST_JOBS)
            return args_usage_error(spec, "--%s expects a number from 1 to %d, not '%s'", o->name,
                                    MOST_JOBS, value);
        break;
    case ARG_SIZE:
        if (!parse_size(value, o->value))
            return args_usage_error(spec, "--%s expects a size in bytes, e.g. 512M or 6G, not '%s'",
                                    o->name, value);
        break;
    case ARG_FRAMES:
        if (!frame_set_parse(o->value, value, &err))
            return args_usage_error(spec, "%s", err.text);
        ((struct frame_set *)o->value)->text = value;
        break;
    case ARG_LIST:
        if (!*value)
            return missing_value(spec, o);
        list = o->value;
        if (list->count == sizeof list->items / sizeof list->items[0])
            return args_usage_error(spec, "--%s is given too many times", o->name);
        list->items[list->count++] = value;
        break;
    }
    return -1;
}

/* Checks the operands, the program and the required options. Returns -1 if they are valid,
 * otherwise the exit status. */
static int
check(const struct args *args, const struct arg_spec *spec)
{
    if (spec->program == ARG_PROGRAM && (!args->after_count || args->operand_count))
        return args_usage_error(spec, args->operand_count ? "PROGRAM must follow `--`"
                                                          : "expected PROGRAM after `--`");
    if (spec->program != ARG_PROGRAM &&
        ((args->after && spec->program != ARG_MAYBE_PROGRAM) || args->operand_count < spec->least ||
         args->operand_count > spec->most))
        return args_usage_error(spec, "expected %s", spec->operands);
    for (const struct arg_option *o = spec->options; o->name; o++) {
        const bool is_there = !o->required ? true
                              : o->kind == ARG_FRAMES
                                  ? ((const struct frame_set *)o->value)->count > 0
                                  : *(const char **)o->value != NULL;
        if (!is_there)
            return args_usage_error(spec, "--%s %s is missing", o->name, o->placeholder);
    }
    return -1;
}

int
args_parse(struct args *args, const struct arg_spec *spec, int argc, char **argv)
{
    memset(args, 0, sizeof *args);
    for (int i = 1; i < argc; i++) {
        char *text = argv[i];
        if (!strcmp(text, "--")) {
            args->after = argv + i + 1;
            args->after_count = argc - i - 1;
            break;
        }
        if (!strcmp(text, "--help") || !strcmp(text, "-h")) {
            print_help(spec);
            return EXIT_WELL;
        }
        if (text[0] != '-' || text[1] == '\0') {
            if (args->operand_count == sizeof args->operands / sizeof args->operands[0])
                return args_usage_error(spec, "too many operands");
            args->operands[args->operand_count++] = text;
            continue;
        }
        const char *value = NULL;
        const struct arg_option *o = find_option(spec, text, &value);
        if (!o)
            return unknown_option(spec, text);
        if (o->kind == ARG_FLAG && value)
            return args_usage_error(spec, "--%s takes no value", o->name);
        if (o->kind != ARG_FLAG && o->kind != ARG_OPTIONAL && !value) {
            if (i + 1 == argc)
                return missing_value(spec, o);
            value = argv[++i];
        }
        int status = set_value(spec, o, value);
        if (status >= 0)
            return status;
    }
    return check(args, spec);
}

static bool
add_range(struct frame_set *set, const char *text, uint32_t first, uint32_t last, struct error *err)
{
    if (set->count == FRAME_RANGES)
        return fail(err, "frames '%.60s...': at most %d ranges", text, FRAME_RANGES);
    set->ranges[set->count].first = first;
    set->ranges[set->count++].last = last;
    return true;
}

static bool
read_frame(const char **at, uint64_t *number)
{
    return whole_number_read(at, number) && *number < UINT32_MAX;
}

/* Reads A, A-B or A-B/STEP at *at. */
static bool
read_range(const char **at, uint64_t *first, uint64_t *last, uint64_t *step)
{
    *step = 1;
    bool ok = read_frame(at, first);
    *last = *first;
    if (!ok || **at != '-')
        return ok;
    ++*at;
    ok = read_frame(at, last);
    if (!ok || **at != '/')
        return ok;
    ++*at;
    return read_frame(at, step);
}

bool
frame_set_parse(struct frame_set *set, const char *text, struct error *err)
{
    const char *at = text;
    set->count = 0;
    do {
        uint64_t first, last, step;
        if (!read_range(&at, &first, &last, &step) || (*at && (*at != ',' || !at[1])))
            return fail(err, "frames '%s': expected A, A-B, A-B/STEP or A,B,C-D", text);
        if (last < first || !step)
            return fail(err, "frames '%s': the range %" PRIu64 "-%" PRIu64 " has no frame", text,
                        first, last);
        const uint64_t length = step == 1 ? last - first : 0; /* of each range, minus 1 */
        for (uint64_t frame = first; frame <= last; frame += length + step)
            if (!add_range(set, text, (uint32_t)frame, (uint32_t)(frame + length), err))
                return false;
    } while (*at++ == ',');
    return true;
}

bool
frame_set_has(const struct frame_set *set, uint32_t frame)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (frame >= set->ranges[i].first && frame <= set->ranges[i].last)
            return true;
    return set->count == 0;
}

uint32_t
frame_set_last(const struct frame_set *set)
{
    uint32_t last = set->count ? 0 : UINT32_MAX;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->ranges[i].last > last)
            last = set->ranges[i].last;
    return last;
}

/* Returns whether all frames of the set are in [first, first + count). */
static bool
is_within(const struct frame_set *set, uint64_t first, uint32_t count)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->ranges[i].first < first || set->ranges[i].last >= first + count)
            return false;
    return true;
}

void
frame_set_shift(struct frame_set *set, uint32_t first, const char *name)
{
    for (uint32_t i = 0; i < set->count; i++) {
        set->ranges[i].first -= first;
        set->ranges[i].last -= first;
    }
    const uint32_t from = set->ranges[0].first, to = set->ranges[0].last;
    const char *more = set->count > 1 ? " etc." : "";
    if (from == to)
        log_note("frame %u of the program is frame %u of %s%s", first + from, from, name, more);
    else
        log_note("frames %u-%u of the program are frames %u-%u of %s%s", first + from, first + to,
                 from, to, name, more);
}

void
frame_set_note_numbers(const struct frame_set *set, uint32_t first, const char *name)
{
    const uint32_t frame = set->ranges[0].first;
    log_note("frame %u of %s is frame %u of the program; frames of %s are numbered from 0", frame,
             name, first + frame, name);
}

bool
frame_set_locate(struct frame_set *set, uint32_t first, uint32_t count, const char *name,
                 struct error *err)
{
    if (is_within(set, 0, count)) {
        if (first && set->count && is_within(set, first, count))
            frame_set_note_numbers(set, first, name);
        return true;
    }
    if (first && is_within(set, first, count)) {
        frame_set_shift(set, first, name);
        return true;
    }
    if (!count)
        return fail(err, "%s has no frames", name);
    if (!first)
        return fail(err, "%s has %u frame%s, 0-%u", name, count, plural(count), count - 1);
    return fail(err, "%s has %u frame%s, 0-%u (%u-%llu of the program)", name, count, plural(count),
                count - 1, first, (unsigned long long)first + count - 1);
}

bool
frame_locate(uint32_t *frame, uint32_t first, uint32_t count, const char *name, struct error *err)
{
    struct frame_set set = {.ranges = {{*frame, *frame}}, .count = 1};
    const bool ok = frame_set_locate(&set, first, count, name, err);
    *frame = set.ranges[0].first;
    return ok;
}
